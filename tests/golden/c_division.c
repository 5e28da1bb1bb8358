/* int32 out0, int32 out1 */
@ headline.c, 42 lines: #if defined __clang__ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 4 };
@ headline.c, 33 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... };
@ headline.c, 76 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
SEPARATE static void put_i32(i32_m *to, const i32_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const i32_m *pad_i32(i32_m *block, const i32_m *from, int m)
{
    const i32_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_i32(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
static inline i32 floordiv_i32(i32 a, i32 b)
{
    if (b == 0)
        return 0;
    if (b == (i32)-1 && (i32)-1 < (i32)1)
        return (i32)(0 - (u32)a);
    return (i32)(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}
static inline i32 floormod_i32(i32 a, i32 b)
{
    if (b == 0 || (b == (i32)-1 && (i32)-1 < (i32)1))
        return 0;
    i32 m = (i32)(a % b);
    return m != 0 && (m < 0) != (b < 0) ? (i32)(m + b) : m;
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const i32 c0 = *(const i32_m *)&args->literals[0]; /* 0 */
    unsigned char f0 = 0;
    unsigned char f1 = 0;
    i32_m w0[BLOCK];
    i32_m w1[BLOCK];
    i32_m w2[BLOCK];
    i32_m w3[BLOCK];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            head = first_block(args, p[2] + column0 * sizeof(i32_m), sizeof(i32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const i32_m *x0 = (const i32_m *)p[0] + i; /* b */
                if (m < BLOCK)
                    x0 = pad_i32(w0, x0, m);
                fetch(x0, args->ahead, sizeof *x0);
                const i32_m *x1 = (const i32_m *)p[1] + i; /* a */
                if (m < BLOCK)
                    x1 = pad_i32(w1, x1, m);
                fetch(x1, args->ahead, sizeof *x1);
                i32_m *const o2 = (i32_m *)p[2] + i; /* out0 */
                const int n2 = m == BLOCK && streams(args, o2);
                i32_m *const y2 = m < BLOCK || n2 ? w2 : o2;
                i32_m *const o3 = (i32_m *)p[3] + i; /* out1 */
                const int n3 = m == BLOCK && streams(args, o3);
                i32_m *const y3 = m < BLOCK || n3 ? w3 : o3;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const i32 a0 = x0[j];
                    const b1 t2 = a0 != c0;
                    const i32 a1 = x1[j];
                    const i32 t4 = floordiv_i32(a1, a0);
                    const i32 t5 = t2 ? t4 : c0;
                    const i32 t6 = floormod_i32(a1, a0);
                    f0 |= (a0 == 0) & (j < m) & t2;
                    f1 |= (a0 == 0) & (j < m);
                    y2[j] = t5;
                    y3[j] = t6;
                }
                if (m < BLOCK)
                    put_i32(o2, w2, m);
                else if (n2)
                    stream(o2, w2, BLOCK * sizeof *w2);
                if (m < BLOCK)
                    put_i32(o3, w3, m);
                else if (n3)
                    stream(o3, w3, BLOCK * sizeof *w3);
@ headline.c, 12 lines: } ... }
    if (f0)
        args->faults[0] = 1;
    if (f1)
        args->faults[1] = 1;
    if (args->stream)
        fence();
}
