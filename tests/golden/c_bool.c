/* bool out0, float32 out1, bool out2 */
@ sizes: BLOCK = 64, ACCESSES = 6
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 0.0 */
    ALIGNED b1_m w_0[BLOCK], w_1[BLOCK];
    ALIGNED f32_m w_2[BLOCK];
    ALIGNED b1_m w_3[BLOCK];
    ALIGNED f32_m w_4[BLOCK];
    ALIGNED b1_m w_5[BLOCK];
    BAND_ROOM(3, sizeof(b1_m), 1, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const b1_m *x_0 = (const b1_m *)p[0] + i; /* p */
                PAD_BLOCK(x_0, w_0, !long_row, 0)
                const b1_m *x_1 = (const b1_m *)p[1] + i; /* q */
                PAD_BLOCK(x_1, w_1, !long_row, 0)
                const f32_m *x_2 = (const f32_m *)p[2] + i; /* x */
                PAD_BLOCK(x_2, w_2, !long_row, 0)
                b1_m *const o_3 = (b1_m *)p[3] + i; /* out0 */
                const int n_3 = m >= BLOCK && streams(args, o_3);
                b1_m *y_3 = m < BLOCK || n_3 ? OWN_BLOCK(w_3) : o_3;
                f32_m *const o_4 = (f32_m *)p[4] + i; /* out1 */
                const int n_4 = m >= BLOCK && streams(args, o_4);
                f32_m *y_4 = m < BLOCK || n_4 ? OWN_BLOCK(w_4) : o_4;
                b1_m *const o_5 = (b1_m *)p[5] + i; /* out2 */
                const int n_5 = m >= BLOCK && streams(args, o_5);
                b1_m *y_5 = m < BLOCK || n_5 ? OWN_BLOCK(w_5) : o_5;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, x_1 += BLOCK, x_2 += BLOCK, y_3 += n_3 ? 0 : BLOCK, y_4 += n_4 ? 0 : BLOCK, y_5 += n_5 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const b1 a_1 = (x_1[j] != 0);
                        const b1 t_2 = !a_1;
                        const b1 a_0 = (x_0[j] != 0);
                        const b1 t_3 = a_0 & t_2;
                        const f32 a_2 = x_2[j];
                        const f32 t_6 = a_0 ? a_2 : c_0;
                        const b1 t_7 = a_2 > c_0;
                        const b1 t_8 = t_7 | a_1;
                        y_3[j] = t_3;
                        y_4[j] = t_6;
                        y_5[j] = t_8;
                    }
                    PUT_PAST(&o_3[k], n_3, w_3)
                    PUT_PAST(&o_4[k], n_4, w_4)
                    PUT_PAST(&o_5[k], n_5, w_5)
                }
                PUT_BLOCK(o_3, w_3, back, 0, w_3)
                PUT_BLOCK(o_4, w_4, back, 0, w_4)
                PUT_BLOCK(o_5, w_5, back, 0, w_5)
                i += back;
            }
        }
    }
}
