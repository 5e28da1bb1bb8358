/* int32 out0, int32 out1 */
@ sizes: BLOCK = 64, ACCESSES = 4
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of, quotient_i32, floored_i32, divisor_i32, floordiv_i32, remainder_i32, floormod_i32
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const i32 c_0 = *(const i32_m *)&args->literals[0]; /* 0 */
    i32 f_0 = 0;
    i32 f_1 = 0;
    ALIGNED i32_m w_0[BLOCK], w_1[BLOCK], w_2[BLOCK], w_3[BLOCK];
    BAND_ROOM(2, sizeof(i32_m), 0, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i32_m *x_0 = (const i32_m *)p[0] + i; /* b */
                PAD_BLOCK(x_0, w_0, m < BLOCK, 0)
                const i32_m *x_1 = (const i32_m *)p[1] + i; /* a */
                PAD_BLOCK(x_1, w_1, m < BLOCK, 0)
                i32_m *const o_2 = (i32_m *)p[2] + i; /* out0 */
                const int n_2 = m >= BLOCK && streams(args, o_2);
                i32_m *y_2 = m < BLOCK || n_2 ? OWN_BLOCK(w_2) : o_2;
                i32_m *const o_3 = (i32_m *)p[3] + i; /* out1 */
                const int n_3 = m >= BLOCK && streams(args, o_3);
                i32_m *y_3 = m < BLOCK || n_3 ? OWN_BLOCK(w_3) : o_3;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, x_1 += BLOCK, y_2 += n_2 ? 0 : BLOCK, y_3 += n_3 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const i32 a_0 = x_0[j];
                        const b1 t_2 = a_0 != c_0;
                        const i32 a_1 = x_1[j];
                        const i32 t_4 = floordiv_i32(a_1, a_0);
                        const i32 t_5 = t_2 ? t_4 : c_0;
                        const i32 t_6 = floormod_i32(a_1, a_0);
                        f_0 |= (a_0 == 0) & t_2;
                        f_1 |= (a_0 == 0);
                        y_2[j] = t_5;
                        y_3[j] = t_6;
                    }
                    PUT_PAST(&o_2[k], n_2, w_2)
                    PUT_PAST(&o_3[k], n_3, w_3)
                }
                PUT_BLOCK(o_2, w_2, 0, 0, w_2)
                PUT_BLOCK(o_3, w_3, 0, 0, w_3)
            }
        }
    }
    if (f_0)
        args->faults[0] = 1;
    if (f_1)
        args->faults[1] = 1;
}
