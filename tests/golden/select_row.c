/* float32 out */
@ sizes: BLOCK = 64, ACCESSES = 2
@ helpers: ROLLED, b1, weft_lanes, weft_geometry, weft_sample, struct weft_calls;, weft_args, weft_tile, weft_band,
@   weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, ints, CONVERSION, fetch,
@   __attribute__((always_inline)), fetch_row, first_block, fetch_end
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
@ helpers: sieve_f32, pick_f32, gather_f32
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f32_m w_0[BLOCK];
    ALIGNED f32_m w_1[BLOCK];
@ headline.c, 14 lines: char *room[ACCESSES], *p[ACCESSES]; ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            head = first_block(args, p[1] + column0 * sizeof(f32_m), 0, sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m; /* the last ones are computed as a block, and stored alone */
                head = 0;
                const f32_m *const x_0 = gather_f32(w_0, p[0] + i * s->strides[0 * stride + groups], s->strides[0 * stride + groups], m); /* x */
                if (s->strides[0 * stride + groups] < 0)
                    fetch_row(args, s, p[0], s->strides + 0 * stride, 1, column0, column1, i, m);
                f32_m *const o_1 = (f32_m *)p[1] + i; /* out */
                const int n_1 = m == BLOCK && streams(args, o_1);
                f32_m *const y_1 = m < BLOCK ? w_1 : o_1;
                if (!n_1) {
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a_0 = x_0[j];
                    y_1[j] = a_0;
                }
                }
                if (RARE(m < BLOCK))
                    args->calls->put(o_1, w_1, m, sizeof(f32_m));
                else if (RARE(n_1))
                    stream(o_1, x_0, BLOCK * sizeof(f32_m));
@ headline.c, 6 lines: } ... }
