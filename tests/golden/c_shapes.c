/* float32 out0 */
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f32_m w_0[BLOCK];
    ALIGNED i64_m w_1[BLOCK];
    ALIGNED f32_m w_2[BLOCK];
    BAND_ROOM(2, sizeof(f32_m), 1, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const f32_m *x_0 = (const f32_m *)p[0] + i; /* x */
                PAD_BLOCK(x_0, w_0, !long_row, 0)
                const i64_m *x_1 = (const i64_m *)p[1] + i; /* row */
                PAD_BLOCK(x_1, w_1, !long_row, 0)
                f32_m *const o_2 = (f32_m *)p[2] + i; /* out0 */
                const int n_2 = m >= BLOCK && streams(args, o_2);
                f32_m *y_2 = m < BLOCK || n_2 ? OWN_BLOCK(w_2) : o_2;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, x_1 += BLOCK, y_2 += n_2 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const i64 a_1 = x_1[j];
                        const f32 t_2 = (f32)a_1;
                        const f32 a_0 = x_0[j];
                        const f32 t_3 = a_0 + t_2;
                        y_2[j] = t_3;
                    }
                    PUT_PAST(&o_2[k], n_2, w_2)
                }
                PUT_BLOCK(o_2, w_2, back, 0, w_2)
                i += back;
            }
        }
    }
}
/* int64 out1 */
@ sizes: BLOCK = 64, ACCESSES = 2
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const i64 c_0 = *(const i64_m *)&args->literals[0]; /* 2 */
    ALIGNED i64_m w_1[BLOCK];
    BAND_ROOM(1, sizeof(i64_m), 1, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m; i < column1; i += m) {
                m = block_of(&head, column1 - i); /* fewer than BLOCK: a loop like the one below, over m */
                const i64_m *x_0 = (const i64_m *)p[0] + i; /* row */
                fetch(x_0, args->ahead, sizeof *x_0);
                i64_m *const o_1 = (i64_m *)p[1] + i; /* out1 */
                const int n_1 = m == BLOCK && streams(args, o_1);
                i64_m *const y_1 = n_1 ? OWN_BLOCK(w_1) : o_1;
                if (!RARE(m < BLOCK))
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const i64 a_0 = x_0[j];
                    const i64 t_2 = (i64)((u64)a_0 * (u64)c_0);
                    y_1[j] = t_2;
                }
                else EACH_OF(j, m) {
                    const i64 a_0 = (j < left ? x_0[j] : 0);
                    const i64 t_2 = (i64)((u64)a_0 * (u64)c_0);
                    if (j < (int)m) y_1[j] = t_2;
                }
                PUT_PAST(o_1, n_1, w_1)
            }
        }
    }
}
