/* float32 out */
@ headline.c, 42 lines: #if defined __clang__ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 4 };
@ headline.c, 33 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... };
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
/* A row of several short groups; what it repeats is gathered once and copied, whole blocks at a time: what
 * goes too far is written again, and behind the row there is room for a block. */
SEPARATE static void expand_f32(f32_m *row, const char *from, const int *offsets, i64 distinct, i64 columns)
{
    for (i64 j = 0; j < distinct; j++)
        row[j] = *(const f32_m *)(from + offsets[j]);
    for (i64 j = distinct; j < columns; j += distinct)
        for (i64 k = 0; k < distinct; k += BLOCK) {
            INDEPENDENT
            for (int q = 0; q < BLOCK; q++)
                row[j + k + q] = row[k + q];
        }
    for (int j = 0; j < BLOCK; j++)
        row[columns + j] = row[columns - 1];
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c0 = *(const f32_m *)&args->literals[0]; /* 1.0 */
    f32_m w0[BLOCK];
    f32_m w1[BLOCK + 2048];
    f32_m w2[BLOCK + 2048];
    f32_m w3[BLOCK];
@ headline.c, 26 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... }
        const char *from1 = 0; /* where the row in w1 begins */
        const char *from2 = 0; /* where the row in w2 begins */
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            if (p[1] != from1)
                expand_f32(w1, from1 = p[1], s->offsets[1], s->distinct[1], column1); /* last */
            if (p[2] != from2)
                expand_f32(w2, from2 = p[2], s->offsets[2], s->distinct[2], column1); /* row */
            head = first_block(args, p[3] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f32_m *x0 = (const f32_m *)p[0] + i; /* x */
                if (m < BLOCK)
                    x0 = pad_f32(w0, x0, m);
                fetch(x0, args->ahead, sizeof *x0);
                const f32_m *const x1 = w1 + i;
                const f32_m *const x2 = w2 + i;
                f32_m *const o3 = (f32_m *)p[3] + i; /* out */
                const int n3 = m == BLOCK && streams(args, o3);
                f32_m *const y3 = m < BLOCK || n3 ? w3 : o3;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a0 = x0[j];
                    const f32 a1 = x1[j];
                    const f32 t2 = a0 * a1;
                    const f32 t4 = t2 - c0;
                    const f32 a2 = x2[j];
                    const f32 t6 = t4 + a2;
                    y3[j] = t6;
                }
                if (m < BLOCK)
                    put_f32(o3, w3, m);
                else if (n3)
                    stream(o3, w3, BLOCK * sizeof *w3);
@ headline.c, 15 lines: } ... }
