/* float64 temporary 1 */
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls
f64 exp(f64);
@ helpers: enum { LANES = 16 };, bytes, __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline))
@   20c4a75b, fetch_row, block_of, blocks_of
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
@ helpers: exp_powers, scaled_f64 f6ac771a, own_exp, block_exp_f64 e7a29d59
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f64_m w_0[BLOCK], w_2[BLOCK];
    ALIGNED u64 slots[1][BLOCK]; /* values kept between loops */
    f64_m *const v_2 = (f64_m *)slots[0];
    BAND_ROOM(2, sizeof(f64_m), 0, 1)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const f64 a_1 = *(const f64_m *)p[1]; /* scale */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const f64_m *x_0 = (const f64_m *)p[0] + i; /* row */
                PAD_BLOCK(x_0, w_0, !long_row, 0)
                f64_m *const o_2 = (f64_m *)p[2] + i; /* temporary 1 */
                const int n_2 = m >= BLOCK && streams(args, o_2);
                f64_m *y_2 = m < BLOCK || n_2 ? OWN_BLOCK(w_2) : o_2;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, y_2 += n_2 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f64 a_0 = x_0[j];
                        const f64 t_2 = a_0 * a_1;
                        v_2[j] = t_2;
                    }
                    block_exp_f64(y_2, v_2);
                    fetch(x_0, args->ahead, sizeof *x_0);
                    PUT_PAST(&o_2[k], n_2, w_2)
                }
                PUT_BLOCK(o_2, w_2, back, 0, w_2)
                i += back;
            }
        }
    }
}
/* float64 temporary 0 */
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls
f64 exp(f64);
@ helpers: enum { LANES = 16 };, bytes, __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline))
@   20c4a75b, fetch_row, block_of, blocks_of
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
@ helpers: exp_powers, scaled_f64 f6ac771a, own_exp, block_exp_f64 e7a29d59
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f64_m w_1[BLOCK], w_2[BLOCK];
    ALIGNED u64 slots[1][BLOCK]; /* values kept between loops */
    f64_m *const v_2 = (f64_m *)slots[0];
    BAND_ROOM(2, sizeof(f64_m), 0, 1)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const f64 a_0 = *(const f64_m *)p[0]; /* scale */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const f64_m *x_1 = (const f64_m *)p[1] + i; /* column */
                PAD_BLOCK(x_1, w_1, !long_row, 0)
                f64_m *const o_2 = (f64_m *)p[2] + i; /* temporary 0 */
                const int n_2 = m >= BLOCK && streams(args, o_2);
                f64_m *y_2 = m < BLOCK || n_2 ? OWN_BLOCK(w_2) : o_2;
                for (i64 k = 0; k < m; k += BLOCK, x_1 += BLOCK, y_2 += n_2 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f64 a_1 = x_1[j];
                        const f64 t_2 = a_1 * a_0;
                        v_2[j] = t_2;
                    }
                    block_exp_f64(y_2, v_2);
                    fetch(x_1, args->ahead, sizeof *x_1);
                    PUT_PAST(&o_2[k], n_2, w_2)
                }
                PUT_BLOCK(o_2, w_2, back, 0, w_2)
                i += back;
            }
        }
    }
}
/* float64 out */
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f64_m w_2[BLOCK];
    BAND_ROOM(2, sizeof(f64_m), 1, 1)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const f64 a_1 = *(const f64_m *)p[1]; /* temporary 0 */
            i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m; i < column1; i += m) {
                m = block_of(&head, column1 - i); /* fewer than BLOCK: a loop like the one below, over m */
                const f64_m *x_0 = (const f64_m *)p[0] + i; /* temporary 1 */
                fetch(x_0, args->ahead, sizeof *x_0);
                f64_m *const o_2 = (f64_m *)p[2] + i; /* out */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f64_m *const y_2 = n_2 ? OWN_BLOCK(w_2) : o_2;
                if (!RARE(m < BLOCK))
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f64 a_0 = x_0[j];
                    const f64 t_2 = a_0 + a_1;
                    y_2[j] = t_2;
                }
                else EACH_OF(j, m) {
                    const f64 a_0 = (j < left ? x_0[j] : 0);
                    const f64 t_2 = a_0 + a_1;
                    if (j < (int)m) y_2[j] = t_2;
                }
                PUT_PAST(o_2, n_2, w_2)
            }
        }
    }
}
