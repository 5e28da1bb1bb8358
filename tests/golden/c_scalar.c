/* float64 out */
@ helpers: INDEPENDENT, b1, weft_lanes, weft_geometry, weft_sample, weft_args, enum { LANES = 16 };, ints, CONVERSION,
@   fetch, __attribute__((always_inline)), fetch_row, first_block, fetch_end, put_f64, pad_f64
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f64 c_0 = *(const f64_m *)&args->literals[0]; /* 1.0 */
    ALIGNED f64_m w_0[BLOCK];
    ALIGNED f64_m w_2[BLOCK];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            const i16 a_1 = *(const i16_m *)p[1]; /* k */
            const f64 t_2 = (f64)a_1;
            head = first_block(args, p[2] + column0 * sizeof(f64_m), sizeof(f64_m));
            if (groups) /* of the next row */
                fetch_end(args, p[2] + s->strides[2 * stride + groups - 1] + column0 * sizeof(f64_m), column1 - column0, sizeof(f64_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f64_m *x_0 = (const f64_m *)p[0] + i; /* x */
                if (m < BLOCK)
                    x_0 = pad_f64(w_0, x_0, m);
                fetch(x_0, args->ahead, sizeof *x_0);
                f64_m *const o_2 = (f64_m *)p[2] + i; /* out */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f64_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f64 a_0 = x_0[j];
                    const f64 t_3 = a_0 * t_2;
                    const f64 t_5 = t_3 - c_0;
                    y_2[j] = t_5;
                }
                if (m < BLOCK)
                    put_f64(o_2, w_2, m);
@ headline.c, 17 lines: else if (n_2) ... }
