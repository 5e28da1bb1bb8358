/* float32 out */
@ headline.c, 86 lines: #if defined __clang__ ... };
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
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 2.0 */
    const f32 c_1 = *(const f32_m *)&args->literals[1]; /* 0.5 */
    f32_m z_1[BLOCK];
    fill_f32(z_1, c_1);
    f32_m w_0[BLOCK + 2048];
    f32_m w_1[BLOCK];
    f32_m w_2[BLOCK];
    u64 slots[5][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_4 = (f32_m *)slots[1];
    f32_m *const v_5 = (f32_m *)slots[2];
    f32_m *const v_6 = (f32_m *)slots[3];
    f32_m *const v_8 = (f32_m *)slots[4];
@ headline.c, 26 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... }
        const char *from_0 = 0; /* where the row in w_0 begins */
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            if (p[0] != from_0)
                expand_f32(w_0, from_0 = p[0], s->offsets[0], s->distinct[0], s->columns); /* k */
            head = first_block(args, p[2] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f32_m *const x_0 = w_0 + i;
                const f32_m *x_1 = (const f32_m *)p[1] + i; /* x */
                if (m < BLOCK)
                    x_1 = pad_f32(w_1, x_1, m);
                fetch(x_1, args->ahead, sizeof *x_1);
                f32_m *const o_2 = (f32_m *)p[2] + i; /* out */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f32_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a_1 = x_1[j];
                    const f32 t_4 = a_1 * c_0;
                    v_4[j] = t_4;
                }
                block_exp_f32(v_1, x_0);
                block_exp_f32(v_5, v_4);
                block_sin_f32(v_6, v_5);
                block_pow_f32(v_8, v_6, z_1);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_1 = v_1[j];
                    const f32 t_8 = v_8[j];
                    const f32 t_9 = t_1 + t_8;
                    const f32 a_1 = x_1[j];
                    const f32 t_10 = t_9 + a_1;
                    y_2[j] = t_10;
                }
                if (m < BLOCK)
                    put_f32(o_2, w_2, m);
@ headline.c, 17 lines: else if (n_2) ... }
