/* float32 out */
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 0.0 */
    ALIGNED f32_m w_2[BLOCK];
    BAND_ROOM(2, sizeof(f32_m), 1, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m; i < column1; i += m) {
                m = block_of(&head, column1 - i); /* fewer than BLOCK: a loop like the one below, over m */
                const f32_m *x_0 = (const f32_m *)p[0] + i; /* x */
                const f32_m *x_1 = (const f32_m *)p[1] + i; /* row */
                f32_m *const o_2 = (f32_m *)p[2] + i; /* out */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f32_m *const y_2 = n_2 ? OWN_BLOCK(w_2) : o_2;
                if (!RARE(m < BLOCK))
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a_0 = x_0[j];
                    const f32 a_1 = x_1[j];
                    const f32 t_2 = a_0 - a_1;
                    const f32 t_4 = c_0 > t_2 ? c_0 : t_2;
                    y_2[j] = t_4;
                }
                else EACH_OF(j, m) {
                    const f32 a_0 = (j < left ? x_0[j] : 0);
                    const f32 a_1 = (j < left ? x_1[j] : 0);
                    const f32 t_2 = a_0 - a_1;
                    const f32 t_4 = c_0 > t_2 ? c_0 : t_2;
                    if (j < (int)m) y_2[j] = t_4;
                }
                PUT_PAST(o_2, n_2, w_2)
            }
        }
    }
}
