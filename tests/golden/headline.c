/* uint8 out */
@ sizes: BLOCK = 64, ACCESSES = 3
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, rintf, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of, ints, CONVERSION, widen_u8_f32, roundsat_f32_u8, whole_f32_u8
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 0.5 */
    ALIGNED u8_m w_0[BLOCK];
    ALIGNED f32_m w_1[BLOCK + 1152];
    struct weft_patterns kept_1 = {{0}, 0, 0, 0, 0, 0}; /* what w_1 has */
    ALIGNED u8_m w_2[BLOCK];
    ALIGNED u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_2 = (f32_m *)slots[0];
    f32_m *const v_5 = (f32_m *)slots[1];
    BAND_ROOM(2, sizeof(u8_m), 0, 0)
    while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        BAND_VALUES
        for (i64 row = 0; row < rows; row++) {
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const f32_m *const repeats_1 = (const f32_m *)args->calls->repeated(w_1, &kept_1, s, p[1], s->strides[1 * stride + groups], sizeof(f32_m), BLOCK, column0 + band.head[row & 63]); /* gain */
            const i64 span = kept_1.span, advance = kept_1.advance;
            i64 phase = column0 % span;
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const u8_m *x_0 = (const u8_m *)p[0] + i; /* img */
                PAD_BLOCK(x_0, w_0, m < BLOCK, 0)
                const i64 pace = m < BLOCK ? m % span : advance;
                u8_m *const o_2 = (u8_m *)p[2] + i; /* out */
                const int n_2 = m >= BLOCK && streams(args, o_2);
                u8_m *y_2 = m < BLOCK || n_2 ? OWN_BLOCK(w_2) : o_2;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, y_2 += n_2 ? 0 : BLOCK) {
                    const f32_m *const x_1 = repeats_1 + phase;
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
                    fetch(x_0, args->ahead, sizeof *x_0);
                    phase += phase + pace < span ? pace : pace - span;
                    PUT_PAST(&o_2[k], n_2, w_2)
                }
                PUT_BLOCK(o_2, w_2, 0, 0, w_2)
            }
        }
    }
}
