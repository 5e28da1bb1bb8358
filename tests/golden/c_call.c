/* float32 out */
@ headline.c, 76 lines: #if defined __clang__ ... };
f32 expf(f32);
f32 sinf(f32);
f32 powf(f32, f32);
@ headline.c, 76 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
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
SEPARATE static void fill_f32(f32_m *block, f32_m value)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = value;
}
SEPARATE static void block_exp_f32(f32_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = expf(a[j]);
}
SEPARATE static void block_sin_f32(f32_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = sinf(a[j]);
}
SEPARATE static void block_pow_f32(f32_m *r, const f32_m *a, const f32_m *b)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = powf(a[j], b[j]);
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c0 = *(const f32_m *)&args->literals[0]; /* 2.0 */
    const f32 c1 = *(const f32_m *)&args->literals[1]; /* 0.5 */
    f32_m z1[BLOCK];
    fill_f32(z1, c1);
    f32_m w0[BLOCK + 2048];
    f32_m w1[BLOCK];
    f32_m w2[BLOCK];
    u64 slots[5][BLOCK]; /* values kept between loops */
    f32_m *const v1 = (f32_m *)slots[0];
    f32_m *const v4 = (f32_m *)slots[1];
    f32_m *const v5 = (f32_m *)slots[2];
    f32_m *const v6 = (f32_m *)slots[3];
    f32_m *const v8 = (f32_m *)slots[4];
@ headline.c, 26 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... }
        const char *from0 = 0; /* where the row in w0 begins */
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            if (p[0] != from0)
                expand_f32(w0, from0 = p[0], s->offsets[0], s->distinct[0], column1); /* k */
            head = first_block(args, p[2] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f32_m *const x0 = w0 + i;
                const f32_m *x1 = (const f32_m *)p[1] + i; /* x */
                if (m < BLOCK)
                    x1 = pad_f32(w1, x1, m);
                fetch(x1, args->ahead, sizeof *x1);
                f32_m *const o2 = (f32_m *)p[2] + i; /* out */
                const int n2 = m == BLOCK && streams(args, o2);
                f32_m *const y2 = m < BLOCK || n2 ? w2 : o2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a1 = x1[j];
                    const f32 t4 = a1 * c0;
                    v4[j] = t4;
                }
                block_exp_f32(v1, x0);
                block_exp_f32(v5, v4);
                block_sin_f32(v6, v5);
                block_pow_f32(v8, v6, z1);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t1 = v1[j];
                    const f32 t8 = v8[j];
                    const f32 t9 = t1 + t8;
                    const f32 a1 = x1[j];
                    const f32 t10 = t9 + a1;
                    y2[j] = t10;
                }
                if (m < BLOCK)
                    put_f32(o2, w2, m);
@ headline.c, 17 lines: else if (n2) ... }
