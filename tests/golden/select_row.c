/* float32 out */
@ headline.c, 48 lines: #if defined __clang__ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 2 };
@ headline.c, 45 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... };
@ headline.c, 112 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), \
    index(11, x, y, z), index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Where byte k of a vector comes from, of elements that are `step` apart. */
#define PLACE(k, step) (k / (int)sizeof(f32_m) * step * (int)sizeof(f32_m) + k % (int)sizeof(f32_m))
/* Of which byte of two vectors it is, where the second begins with byte `base`; or of what there is, and of a vector
 * that has what is from byte `low` on. */
#define FIRST(k, step, base, unused) \
    (PLACE(k, step) < 16 ? PLACE(k, step) : PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
#define LATER(k, step, base, low) \
    (PLACE(k, step) >= low && PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
/* C compilers stop before the last vector, of which a part may lie behind the end. This one ends with the last
 * element. */
static inline const f32_m *sieve_f32(f32_m *block, const char *from, const int step)
{
    enum { SIDE = 16 / sizeof(f32_m), ONE = sizeof(f32_m) };
    typedef u8 vector __attribute__((vector_size(16), aligned(1), may_alias));
    for (int j = 0; j < BLOCK; j += SIDE, from += 16 * step) {
        vector x = *(const vector *)from;
        if (step == 2) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16 - ONE), BYTES(FIRST, 2, (16 - ONE), 0));
        } else if (step == 3) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 3, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32 - 2 * ONE), BYTES(LATER, 3, (32 - 2 * ONE), 32));
        } else {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 4, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32), BYTES(LATER, 4, 32, 32));
            x = __builtin_shufflevector(x, *(const vector *)(from + 48 - 3 * ONE), BYTES(LATER, 4, (48 - 3 * ONE), 48));
        }
        *(vector *)(block + j) = x;
    }
    return block;
}
#endif
/* Of a step that the C compiler knows it makes loads of whole vectors, and shuffles. */
static inline const f32_m *pick_f32(f32_m *block, const f32_m *from, const i64 step)
{
#ifdef PLACE
    if (step > 0)
        return sieve_f32(block, (const char *)from, step);
#endif
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j * step];
    return block;
}
SEPARATE static const f32_m *gather_f32(f32_m *block, const char *from, i64 step, int m)
{
    if (m == BLOCK && step == 2 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 2);
    if (m == BLOCK && step == 3 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 3);
    if (m == BLOCK && sizeof(f32_m) < 8 && step == 4 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 4);
    if (m == BLOCK && step == -(i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, -1);
    for (int j = 0; j < m; j++, from += step)
        block[j] = *(const f32_m *)from;
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
    return block;
}
SEPARATE static void put_f32(f32_m *to, const f32_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f32_m w_0[BLOCK];
    ALIGNED f32_m w_1[BLOCK];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            head = first_block(args, p[1] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f32_m *const x_0 = gather_f32(w_0, p[0] + i * s->strides[0 * stride + groups], s->strides[0 * stride + groups], m); /* x */
                if (s->strides[0 * stride + groups] < 0)
                    fetch_row(args, s, p[0], s->strides + 0 * stride, 1, column0, column1, i, m);
                f32_m *const o_1 = (f32_m *)p[1] + i; /* out */
                const int n_1 = m == BLOCK && streams(args, o_1);
                f32_m *const y_1 = m < BLOCK ? w_1 : o_1;
                if (!n_1) {
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a_0 = x_0[j];
                    y_1[j] = a_0;
                }
                }
                if (m < BLOCK)
                    put_f32(o_1, w_1, m);
                else if (n_1)
                    stream(o_1, x_0, BLOCK * sizeof(f32_m));
@ headline.c, 15 lines: } ... }
