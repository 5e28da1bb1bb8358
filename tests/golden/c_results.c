/* float32 s, float32 twice, float32 z */
@ headline.c, 42 lines: #if defined __clang__ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 6 };
@ headline.c, 33 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... };
@ headline.c, 90 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
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
@ headline.c, 23 lines: } ... #endif
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c0 = *(const f32_m *)&args->literals[0]; /* 2.0 */
    u8_m w0[BLOCK];
    f32_m w1[BLOCK];
    f32_m w2[BLOCK];
    f32_m w3[BLOCK];
    f32_m w4[BLOCK];
    f32_m w5[BLOCK];
    u64 slots[1][BLOCK]; /* values kept between loops */
    f32_m *const v2 = (f32_m *)slots[0];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            head = first_block(args, p[3] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const u8_m *x0 = (const u8_m *)p[0] + i; /* x */
                if (m < BLOCK)
                    x0 = pad_u8(w0, x0, m);
                fetch(x0, args->ahead, sizeof *x0);
                const f32_m *x1 = (const f32_m *)p[1] + i; /* y */
                if (m < BLOCK)
                    x1 = pad_f32(w1, x1, m);
                fetch(x1, args->ahead, sizeof *x1);
                const f32_m *x2 = (const f32_m *)p[2] + i; /* z */
                if (m < BLOCK)
                    x2 = pad_f32(w2, x2, m);
                fetch(x2, args->ahead, sizeof *x2);
                f32_m *const o3 = (f32_m *)p[3] + i; /* s */
                const int n3 = m == BLOCK && streams(args, o3);
                f32_m *const y3 = m < BLOCK || n3 ? w3 : o3;
                f32_m *const o4 = (f32_m *)p[4] + i; /* twice */
                const int n4 = m == BLOCK && streams(args, o4);
                f32_m *const y4 = m < BLOCK || n4 ? w4 : o4;
                f32_m *const o5 = (f32_m *)p[5] + i; /* z */
                const int n5 = m == BLOCK && streams(args, o5);
                f32_m *const y5 = m < BLOCK || n5 ? w5 : o5;
                widen_u8_f32(v2, x0);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t2 = v2[j];
                    const f32 a1 = x1[j];
                    const f32 t3 = t2 + a1;
                    const f32 t5 = t3 * c0;
                    const f32 a2 = x2[j];
                    y3[j] = t3;
                    y4[j] = t5;
                    y5[j] = a2;
                }
                if (m < BLOCK)
                    put_f32(o3, w3, m);
                else if (n3)
                    stream(o3, w3, BLOCK * sizeof *w3);
                if (m < BLOCK)
                    put_f32(o4, w4, m);
                else if (n4)
                    stream(o4, w4, BLOCK * sizeof *w4);
                if (m < BLOCK)
                    put_f32(o5, w5, m);
                else if (n5)
                    stream(o5, w5, BLOCK * sizeof *w5);
@ headline.c, 15 lines: } ... }
