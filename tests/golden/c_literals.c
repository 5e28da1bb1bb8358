/* float64 out */
@ headline.c, 42 lines: #if defined __clang__ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 2 };
@ headline.c, 33 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... };
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
    const unsigned long long *const literals = args->literals;
    f64_m w0[BLOCK];
    f64_m w1[BLOCK];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            head = first_block(args, p[1] + column0 * sizeof(f64_m), sizeof(f64_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f64_m *x0 = (const f64_m *)p[0] + i; /* x */
                if (m < BLOCK)
                    x0 = pad_f64(w0, x0, m);
                fetch(x0, args->ahead, sizeof *x0);
                f64_m *const o1 = (f64_m *)p[1] + i; /* out */
                const int n1 = m == BLOCK && streams(args, o1);
                f64_m *const y1 = m < BLOCK || n1 ? w1 : o1;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f64 a0 = x0[j];
                    const f64 t2 = a0 + *(const f64_m *)&literals[0];
                    const f64 t4 = t2 + *(const f64_m *)&literals[1];
                    const f64 t6 = t4 + *(const f64_m *)&literals[2];
                    const f64 t8 = t6 + *(const f64_m *)&literals[3];
                    const f64 t10 = t8 + *(const f64_m *)&literals[4];
                    const f64 t12 = t10 + *(const f64_m *)&literals[5];
                    const f64 t14 = t12 + *(const f64_m *)&literals[6];
                    const f64 t16 = t14 + *(const f64_m *)&literals[7];
                    const f64 t18 = t16 + *(const f64_m *)&literals[8];
                    const f64 t20 = t18 + *(const f64_m *)&literals[9];
                    const f64 t22 = t20 + *(const f64_m *)&literals[10];
                    const f64 t24 = t22 + *(const f64_m *)&literals[11];
                    const f64 t26 = t24 + *(const f64_m *)&literals[12];
                    const f64 t28 = t26 + *(const f64_m *)&literals[13];
                    const f64 t30 = t28 + *(const f64_m *)&literals[14];
                    const f64 t32 = t30 + *(const f64_m *)&literals[15];
                    const f64 t34 = t32 + *(const f64_m *)&literals[16];
                    const f64 t36 = t34 + *(const f64_m *)&literals[17];
                    const f64 t38 = t36 + *(const f64_m *)&literals[18];
                    const f64 t40 = t38 + *(const f64_m *)&literals[19];
                    const f64 t42 = t40 + *(const f64_m *)&literals[20];
                    const f64 t44 = t42 + *(const f64_m *)&literals[21];
                    const f64 t46 = t44 + *(const f64_m *)&literals[22];
                    const f64 t48 = t46 + *(const f64_m *)&literals[23];
                    const f64 t50 = t48 + *(const f64_m *)&literals[24];
                    const f64 t52 = t50 + *(const f64_m *)&literals[25];
                    const f64 t54 = t52 + *(const f64_m *)&literals[26];
                    const f64 t56 = t54 + *(const f64_m *)&literals[27];
                    const f64 t58 = t56 + *(const f64_m *)&literals[28];
                    const f64 t60 = t58 + *(const f64_m *)&literals[29];
                    const f64 t62 = t60 + *(const f64_m *)&literals[30];
                    const f64 t64 = t62 + *(const f64_m *)&literals[31];
                    const f64 t66 = t64 + *(const f64_m *)&literals[32];
                    const f64 t68 = t66 + *(const f64_m *)&literals[33];
                    const f64 t70 = t68 + *(const f64_m *)&literals[34];
                    const f64 t72 = t70 + *(const f64_m *)&literals[35];
                    const f64 t74 = t72 + *(const f64_m *)&literals[36];
                    const f64 t76 = t74 + *(const f64_m *)&literals[37];
                    const f64 t78 = t76 + *(const f64_m *)&literals[38];
                    const f64 t80 = t78 + *(const f64_m *)&literals[39];
                    const f64 t82 = t80 + *(const f64_m *)&literals[40];
                    const f64 t84 = t82 + *(const f64_m *)&literals[41];
                    const f64 t86 = t84 + *(const f64_m *)&literals[42];
                    const f64 t88 = t86 + *(const f64_m *)&literals[43];
                    const f64 t90 = t88 + *(const f64_m *)&literals[44];
                    const f64 t92 = t90 + *(const f64_m *)&literals[45];
                    const f64 t94 = t92 + *(const f64_m *)&literals[46];
                    const f64 t96 = t94 + *(const f64_m *)&literals[47];
                    const f64 t98 = t96 + *(const f64_m *)&literals[48];
                    const f64 t100 = t98 + *(const f64_m *)&literals[49];
                    const f64 t102 = t100 + *(const f64_m *)&literals[50];
                    const f64 t104 = t102 + *(const f64_m *)&literals[51];
                    const f64 t106 = t104 + *(const f64_m *)&literals[52];
                    const f64 t108 = t106 + *(const f64_m *)&literals[53];
                    const f64 t110 = t108 + *(const f64_m *)&literals[54];
                    const f64 t112 = t110 + *(const f64_m *)&literals[55];
                    const f64 t114 = t112 + *(const f64_m *)&literals[56];
                    const f64 t116 = t114 + *(const f64_m *)&literals[57];
                    const f64 t118 = t116 + *(const f64_m *)&literals[58];
                    const f64 t120 = t118 + *(const f64_m *)&literals[59];
                    const f64 t122 = t120 + *(const f64_m *)&literals[60];
                    const f64 t124 = t122 + *(const f64_m *)&literals[61];
                    const f64 t126 = t124 + *(const f64_m *)&literals[62];
                    const f64 t128 = t126 + *(const f64_m *)&literals[63];
                    const f64 t130 = t128 + *(const f64_m *)&literals[64];
                    const f64 t132 = t130 + *(const f64_m *)&literals[65];
                    y1[j] = t132;
                }
                if (m < BLOCK)
                    put_f64(o1, w1, m);
                else if (n1)
                    stream(o1, w1, BLOCK * sizeof *w1);
@ headline.c, 15 lines: } ... }
