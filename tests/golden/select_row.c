/* float32 out */
@ sizes: BLOCK = 64, ACCESSES = 2
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of, ints, CONVERSION
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
@ helpers: sieve_f32, pick_f32, gather_f32
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f32_m w_0[BLOCK], w_1[BLOCK];
    BAND_ROOM(1, sizeof(f32_m), 0, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m; i < column1; i += m) {
                m = block_of(&head, column1 - i); /* fewer than BLOCK: computed as a block, m are stored */
                const f32_m *const x_0 = gather_f32(w_0, p[0] + i * s->strides[0 * stride + groups], s->strides[0 * stride + groups], m); /* x */
                FETCH_BELOW(0)
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
                PUT_BLOCK(o_1, w_1, 0, n_1, x_0)
            }
        }
    }
}
