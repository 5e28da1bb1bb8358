/* float32 out */
@ headline.c, 76 lines: #if defined __clang__ ... };
@ headline.c, 76 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
SEPARATE static void put_f32(f32_m *to, const f32_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const f32_m *pad_f32(f32_m *block, const f32_m *from, int m)
{
    const f32_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_f32(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
static inline f32 fmax_f32(f32 a, f32 b)
{
    f32 t = b > a ? b : a;
    return b != b ? b : t;
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c0 = *(const f32_m *)&args->literals[0]; /* 0.0 */
    f32_m w0[BLOCK];
    f32_m w1[BLOCK];
    f32_m w2[BLOCK];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            head = first_block(args, p[2] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f32_m *x0 = (const f32_m *)p[0] + i; /* x */
                if (m < BLOCK)
                    x0 = pad_f32(w0, x0, m);
                fetch(x0, args->ahead, sizeof *x0);
                const f32_m *x1 = (const f32_m *)p[1] + i; /* row */
                if (m < BLOCK)
                    x1 = pad_f32(w1, x1, m);
                fetch(x1, args->ahead, sizeof *x1);
                f32_m *const o2 = (f32_m *)p[2] + i; /* out */
                const int n2 = m == BLOCK && streams(args, o2);
                f32_m *const y2 = m < BLOCK || n2 ? w2 : o2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a0 = x0[j];
                    const f32 a1 = x1[j];
                    const f32 t2 = a0 - a1;
                    const f32 t4 = fmax_f32(t2, c0);
                    y2[j] = t4;
                }
                if (m < BLOCK)
                    put_f32(o2, w2, m);
@ headline.c, 17 lines: else if (n2) ... }
