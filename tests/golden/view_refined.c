/* float32 out */
@ sizes: BLOCK = 64, ACCESSES = 4
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of
#undef RUN
@ helpers: copy_run_f32, expand_f32
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 1.0 */
    ALIGNED f32_m w_0[BLOCK], w_1[BLOCK + 2048];
    const char *from_1 = 0; /* where the row in w_1 begins */
    i64 turn_1 = 0; /* and its columns */
    ALIGNED f32_m w_2[BLOCK + 2048];
    const char *from_2 = 0; /* where the row in w_2 begins */
    i64 turn_2 = 0; /* and its columns */
    ALIGNED f32_m w_3[BLOCK];
    BAND_ROOM(3, sizeof(f32_m), 0, 0)
    while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        BAND_VALUES
        if (fresh)
            from_1 = 0;
        if (fresh)
            from_2 = 0;
        for (i64 row = 0; row < rows; row++) {
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            if (p[1] != from_1 || turn_1 < column1)
                expand_f32(w_1, from_1 = p[1], s->offsets[1], s->strides[1 * stride + groups], s->strides[1 * stride + groups + 1], s->distinct[1], turn_1 = column1); /* last */
            if (p[2] != from_2 || turn_2 < column1)
                expand_f32(w_2, from_2 = p[2], s->offsets[2], s->strides[2 * stride + groups], s->strides[2 * stride + groups + 1], s->distinct[2], turn_2 = column1); /* row */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const f32_m *x_0 = (const f32_m *)p[0] + i; /* x */
                PAD_BLOCK(x_0, w_0, m < BLOCK, 0)
                const f32_m *x_1 = w_1 + i;
                const f32_m *x_2 = w_2 + i;
                f32_m *const o_3 = (f32_m *)p[3] + i; /* out */
                const int n_3 = m >= BLOCK && streams(args, o_3);
                f32_m *y_3 = m < BLOCK || n_3 ? OWN_BLOCK(w_3) : o_3;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, x_1 += BLOCK, x_2 += BLOCK, y_3 += n_3 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 a_0 = x_0[j];
                        const f32 a_1 = x_1[j];
                        const f32 t_2 = a_0 * a_1;
                        const f32 t_4 = t_2 - c_0;
                        const f32 a_2 = x_2[j];
                        const f32 t_6 = t_4 + a_2;
                        y_3[j] = t_6;
                    }
                    fetch(x_0, args->ahead, sizeof *x_0);
                    PUT_PAST(&o_3[k], n_3, w_3)
                }
                PUT_BLOCK(o_3, w_3, 0, 0, w_3)
            }
        }
    }
}
