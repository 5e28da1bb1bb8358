/* uint8 out */
@ sizes: BLOCK = 64, ACCESSES = 3
@ helpers: INDEPENDENT, b1, weft_lanes, weft_geometry, weft_sample, weft_args, rintf, enum { LANES = 16 };, ints,
@   CONVERSION, fetch, __attribute__((always_inline)), fetch_row, first_block, fetch_end, put_u8, pad_u8, repeat_f32,
@   widen_u8_f32, roundsat_f32_u8, whole_f32_u8
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 0.5 */
    ALIGNED u8_m w_0[BLOCK];
    ALIGNED f32_m w_1[BLOCK + 512];
    ALIGNED u8_m w_2[BLOCK];
    ALIGNED u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_2 = (f32_m *)slots[0];
    f32_m *const v_5 = (f32_m *)slots[1];
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const i64 half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    for (i64 tile = begin; tile < end; tile++) {
        if (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const i64 local = tile - sample->first_tile, groups = s->groups, stride = groups + 2;
        const i64 row0 = (s->row_tiles == 1 ? local : local / s->row_tiles) * s->tile_rows;
        const i64 column0 = s->row_tiles == 1 ? 0 : local % s->row_tiles * s->tile_columns;
        const i64 row1 = row0 + s->tile_rows < s->rows ? row0 + s->tile_rows : s->rows;
        const i64 column1 = column0 + s->tile_columns < s->columns ? column0 + s->tile_columns : s->columns;
        char *p[ACCESSES];
        i64 at[64], rest = row0;
        for (int k = 0; k < ACCESSES; k++)
            p[k] = sample->bases[k];
        for (i64 g = groups; g-- > 0; rest /= s->extents[g]) {
            at[g] = rest % s->extents[g];
            for (int k = 0; k < ACCESSES; k++)
                p[k] += at[g] * s->strides[k * stride + g];
        }
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            repeat_f32(w_1, p[1], s->strides[1 * stride + groups], s->period); /* gain */
            const i64 advance = BLOCK % s->period;
            i64 phase = column0 % s->period;
            head = first_block(args, p[2] + column0 * sizeof(u8_m), sizeof(u8_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const u8_m *x_0 = (const u8_m *)p[0] + i; /* img */
                if (m < BLOCK)
                    x_0 = pad_u8(w_0, x_0, m);
                fetch(x_0, args->ahead, sizeof *x_0);
                const f32_m *const x_1 = w_1 + phase;
                u8_m *const o_2 = (u8_m *)p[2] + i; /* out */
                const int n_2 = m == BLOCK && streams(args, o_2);
                u8_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                widen_u8_f32(v_2, x_0);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_2 = v_2[j];
                    const f32 a_1 = x_1[j];
                    const f32 t_3 = t_2 * a_1;
                    const f32 t_5 = t_3 + c_0;
                    v_5[j] = t_5;
                }
                narrow_f32_u8(y_2, v_5);
                phase += m == BLOCK ? advance : m % s->period;
                if (phase >= s->period)
                    phase -= s->period;
                if (m < BLOCK)
                    put_u8(o_2, w_2, m);
                else if (n_2)
                    stream(o_2, w_2, BLOCK * sizeof *w_2);
            }
            for (i64 g = groups; g-- > 0;) { /* the next row */
                for (int k = 0; k < ACCESSES; k++)
                    p[k] += s->strides[k * stride + g];
                if (++at[g] < s->extents[g])
                    break;
                for (int k = 0; k < ACCESSES; k++)
                    p[k] -= s->extents[g] * s->strides[k * stride + g];
                at[g] = 0;
            }
        }
    }
    if (args->stream)
        fence();
}
