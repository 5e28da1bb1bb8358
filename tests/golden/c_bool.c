/* bool out0, float32 out1, bool out2 */
@ headline.c, 42 lines: #if defined __clang__ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 6 };
@ headline.c, 33 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... };
@ headline.c, 76 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
SEPARATE static void put_b1(b1_m *to, const b1_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const b1_m *pad_b1(b1_m *block, const b1_m *from, int m)
{
    const b1_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_b1(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
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
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c0 = *(const f32_m *)&args->literals[0]; /* 0.0 */
    b1_m w0[BLOCK];
    b1_m w1[BLOCK];
    f32_m w2[BLOCK];
    b1_m w3[BLOCK];
    f32_m w4[BLOCK];
    b1_m w5[BLOCK];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            head = first_block(args, p[3] + column0 * sizeof(b1_m), sizeof(b1_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const b1_m *x0 = (const b1_m *)p[0] + i; /* p */
                if (m < BLOCK)
                    x0 = pad_b1(w0, x0, m);
                fetch(x0, args->ahead, sizeof *x0);
                const b1_m *x1 = (const b1_m *)p[1] + i; /* q */
                if (m < BLOCK)
                    x1 = pad_b1(w1, x1, m);
                fetch(x1, args->ahead, sizeof *x1);
                const f32_m *x2 = (const f32_m *)p[2] + i; /* x */
                if (m < BLOCK)
                    x2 = pad_f32(w2, x2, m);
                fetch(x2, args->ahead, sizeof *x2);
                b1_m *const o3 = (b1_m *)p[3] + i; /* out0 */
                const int n3 = m == BLOCK && streams(args, o3);
                b1_m *const y3 = m < BLOCK || n3 ? w3 : o3;
                f32_m *const o4 = (f32_m *)p[4] + i; /* out1 */
                const int n4 = m == BLOCK && streams(args, o4);
                f32_m *const y4 = m < BLOCK || n4 ? w4 : o4;
                b1_m *const o5 = (b1_m *)p[5] + i; /* out2 */
                const int n5 = m == BLOCK && streams(args, o5);
                b1_m *const y5 = m < BLOCK || n5 ? w5 : o5;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const b1 a1 = (x1[j] != 0);
                    const b1 t2 = !a1;
                    const b1 a0 = (x0[j] != 0);
                    const b1 t3 = a0 & t2;
                    const f32 a2 = x2[j];
                    const f32 t6 = a0 ? a2 : c0;
                    const b1 t7 = a2 > c0;
                    const b1 t8 = t7 | a1;
                    y3[j] = t3;
                    y4[j] = t6;
                    y5[j] = t8;
                }
                if (m < BLOCK)
                    put_b1(o3, w3, m);
                else if (n3)
                    stream(o3, w3, BLOCK * sizeof *w3);
                if (m < BLOCK)
                    put_f32(o4, w4, m);
                else if (n4)
                    stream(o4, w4, BLOCK * sizeof *w4);
                if (m < BLOCK)
                    put_b1(o5, w5, m);
                else if (n5)
                    stream(o5, w5, BLOCK * sizeof *w5);
@ headline.c, 15 lines: } ... }
