/* float32 out */
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls
f32 expf(f32);
f32 sinf(f32);
f32 powf(f32, f32);
@ helpers: enum { LANES = 16 };, bytes, __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline))
@   20c4a75b, fetch_row, block_of, blocks_of
#undef RUN
@ helpers: copy_run_f32, expand_f32, fill_f32
#undef OWN_MATH
#undef FMAF
#undef FMAD
@ helpers: OWN_MATH
union word_f32 { f32 value; u32 word; };
union word_f64 { f64 value; u64 word; };
struct hyperbolic_f32 { f32 odd, even, up, down; };
struct hyperbolic_f64 { f64 odd, even, up, down; };
struct pair_f32 { f32 high, low; };
struct pair_f64 { f64 high, low; };
@ helpers: exp_rest, scaled_f32 03bcce24, own_expf
#undef REDUCED
@ helpers: REDUCED, turns_of, sin_rest, less_pi, chosen_f32, beyond_only, sin_near, exp2_rest, log2_pair_f32,
@   block_exp_f32 89c7c15e, block_sin_f32, block_pow_f32
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 2.0 */
    const f32 c_1 = *(const f32_m *)&args->literals[1]; /* 0.5 */
    ALIGNED f32_m z_1[BLOCK];
    fill_f32(z_1, c_1);
    ALIGNED f32_m w_0[BLOCK + 2048];
    const char *from_0 = 0; /* where the row in w_0 begins */
    i64 turn_0 = 0; /* and its columns */
    ALIGNED f32_m w_1[BLOCK], w_2[BLOCK];
    ALIGNED u64 slots[5][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_4 = (f32_m *)slots[1];
    f32_m *const v_5 = (f32_m *)slots[2];
    f32_m *const v_6 = (f32_m *)slots[3];
    f32_m *const v_8 = (f32_m *)slots[4];
    BAND_ROOM(2, sizeof(f32_m), 0, 0)
    while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        BAND_VALUES
        if (fresh)
            from_0 = 0;
        for (i64 row = 0; row < rows; row++) {
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            if (p[0] != from_0 || turn_0 < column1)
                expand_f32(w_0, from_0 = p[0], s->offsets[0], s->strides[0 * stride + groups], s->strides[0 * stride + groups + 1], s->distinct[0], turn_0 = column1); /* k */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const f32_m *x_0 = w_0 + i;
                const f32_m *x_1 = (const f32_m *)p[1] + i; /* x */
                PAD_BLOCK(x_1, w_1, m < BLOCK, 0)
                f32_m *const o_2 = (f32_m *)p[2] + i; /* out */
                const int n_2 = m >= BLOCK && streams(args, o_2);
                f32_m *y_2 = m < BLOCK || n_2 ? OWN_BLOCK(w_2) : o_2;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, x_1 += BLOCK, y_2 += n_2 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 a_1 = x_1[j];
                        const f32 t_4 = a_1 * c_0;
                        v_4[j] = t_4;
                    }
                    block_exp_f32(v_1, x_0);
                    block_exp_f32(v_5, v_4);
                    block_sin_f32(v_6, v_5, args->calls);
                    block_pow_f32(v_8, v_6, z_1);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 t_1 = v_1[j];
                        const f32 t_8 = v_8[j];
                        const f32 t_9 = t_1 + t_8;
                        const f32 a_1 = x_1[j];
                        const f32 t_10 = t_9 + a_1;
                        y_2[j] = t_10;
                    }
                    fetch(x_1, args->ahead, sizeof *x_1);
@ headline.c, 7 lines: PUT_PAST(&o_2[k], n_2, w_2) ... }
