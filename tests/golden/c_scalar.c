/* float64 out */
@ headline.c, 94 lines: #if defined __clang__ ... };
@ headline.c, 112 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
SEPARATE static void put_f64(f64_m *to, const f64_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const f64_m *pad_f64(f64_m *block, const f64_m *from, int m)
{
    const f64_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_f64(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
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
