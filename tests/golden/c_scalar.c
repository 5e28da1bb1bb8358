/* float64 out */
@ headline.c, 76 lines: #if defined __clang__ ... };
@ headline.c, 76 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
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
    const f64 c0 = *(const f64_m *)&args->literals[0]; /* 1.0 */
    f64_m w0[BLOCK];
    f64_m w2[BLOCK];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            const i16 a1 = *(const i16_m *)p[1]; /* k */
            const f64 t2 = (f64)a1;
            head = first_block(args, p[2] + column0 * sizeof(f64_m), sizeof(f64_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f64_m *x0 = (const f64_m *)p[0] + i; /* x */
                if (m < BLOCK)
                    x0 = pad_f64(w0, x0, m);
                fetch(x0, args->ahead, sizeof *x0);
                f64_m *const o2 = (f64_m *)p[2] + i; /* out */
                const int n2 = m == BLOCK && streams(args, o2);
                f64_m *const y2 = m < BLOCK || n2 ? w2 : o2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f64 a0 = x0[j];
                    const f64 t3 = a0 * t2;
                    const f64 t5 = t3 - c0;
                    y2[j] = t5;
                }
                if (m < BLOCK)
                    put_f64(o2, w2, m);
@ headline.c, 17 lines: else if (n2) ... }
