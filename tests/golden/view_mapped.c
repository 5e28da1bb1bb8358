/* float32 out */
@ headline.c, 48 lines: #if defined __clang__ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 4 };
@ headline.c, 45 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... };
@ headline.c, 112 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
/* `count` elements that lie `pace` bytes apart. */
static inline void run_f32(f32_m *to, const char *from, i64 pace, i64 count)
{
    if (pace == (i64)sizeof(f32_m))
        for (i64 j = 0; j < count; j++)
            to[j] = ((const f32_m *)from)[j];
    else if (pace == 0)
        for (const f32_m x = *(const f32_m *)from; count > 0; count--)
            *to++ = x;
    else
        for (i64 j = 0; j < count; j++)
            to[j] = *(const f32_m *)(from + j * pace);
}
/* `count` elements whose numbers are `step` apart. The first level takes a number apart into digits, one for
 * each piece, innermost first; `next`, the level's own place and their strides are a number for the next level, or
 * bytes behind `from` where this is the last. Along the innermost piece those are a step apart again; where it ends,
 * the digits count on: numbers are divided once for a call, or, where they descend, for each element. */
SEPARATE static void elements_f32(f32_m *to, const char *from, const i64 *level, i64 levels, i64 next, i64 number,
                                 i64 step, i64 count)
{
    const i64 n = *level, *extents = level + 2, *strides = extents + n, pace = step * strides[0];
    const i64 inner = n > 1 ? extents[0] : number + step * count + 1;
    i64 digits[64];
    if (n > 1 && step < 0) {
        for (; count > 0; count--, number += step)
            elements_f32(to++, from, level, levels, next, number, 0, 1);
        return;
    }
    next += level[1];
    for (i64 k = 0; k < n; k++) {
        i64 above = 0;
        if (k + 1 < n) /* 32 bits divide faster */
            above = (u64)(number | extents[k]) >> 32 ? number / extents[k]
                                                     : (i64)((u32)number / (u32)extents[k]);
        digits[k] = k + 1 < n ? number - above * extents[k] : number;
        next += digits[k] * strides[k];
        number = above;
    }
    for (i64 digit = digits[0]; count > 0;) {
        if (levels == 1 && step == 1 && n > 1 && inner < 16) { /* not worth a loop for each run */
            i64 more = n > 2 ? extents[1] - digits[1] : count, back = strides[1] - inner * pace;
            for (; count > 0; count--) {
                *to++ = *(const f32_m *)(from + next);
                next += pace;
                if (++digit < inner)
                    continue;
                if (--more == 0)
                    break;
                digit = 0;
                next += back;
                digits[1]++;
            }
            count -= count > 0;
        } else {
            i64 run = step == 1 ? inner - digit : step > 0 ? (inner - digit + step - 1) / step : count;
            run = run < count ? run : count;
            if (levels > 1)
                elements_f32(to, from, strides + n, levels - 1, 0, next, pace, run);
            else
                run_f32(to, from + next, pace, run);
            to += run;
            count -= run;
            digit += run * step;
            next += run * pace;
        }
        if (digit < inner)
            continue;
        const i64 carry = digit < 2 * inner ? 1 : digit / inner;
        digit -= carry * inner;
        digits[1] += carry;
        next += carry * (strides[1] - inner * strides[0]);
        for (i64 k = 1; k + 1 < n && digits[k] >= extents[k]; k++) {
            const i64 more = digits[k] < 2 * extents[k] ? 1 : digits[k] / extents[k];
            digits[k] -= more * extents[k];
            digits[k + 1] += more;
            next += more * (strides[k + 1] - extents[k] * strides[k]);
        }
    }
}
SEPARATE static const f32_m *mapped_f32(f32_m *block, const char *from, const i64 *map, i64 row, i64 i, int m)
{
    if (map[1] == 1) /* along the row numbers are a step apart, as mostly */
        elements_f32(block, from, map + 5, *map - 1, 0, row + map[2] + i * map[4], map[4], m);
    else
        elements_f32(block, from, map + 1, *map, row, i, 1, m);
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
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
    ALIGNED f32_m w_2[BLOCK + 2048];
    ALIGNED f32_m w_3[BLOCK];
@ headline.c, 26 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... }
        const char *from_2 = 0; /* where the row in w_2 begins */
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            if (p[2] != from_2)
                expand_f32(w_2, from_2 = p[2], s->offsets[2], s->distinct[2], s->columns); /* c */
            head = first_block(args, p[3] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f32_m *const x_0 = mapped_f32(w_0, sample->bases[0], s->maps[0], p[0] - sample->bases[0], i, m); /* a */
                const f32_m *const x_1 = mapped_f32(w_1, sample->bases[1], s->maps[1], p[1] - sample->bases[1], i, m); /* b */
                const f32_m *const x_2 = w_2 + i;
                f32_m *const o_3 = (f32_m *)p[3] + i; /* out */
                const int n_3 = m == BLOCK && streams(args, o_3);
                f32_m *const y_3 = m < BLOCK || n_3 ? w_3 : o_3;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a_0 = x_0[j];
                    const f32 a_1 = x_1[j];
                    const f32 t_2 = a_0 + a_1;
                    const f32 a_2 = x_2[j];
                    const f32 t_4 = t_2 * a_2;
                    y_3[j] = t_4;
                }
                if (m < BLOCK)
                    put_f32(o_3, w_3, m);
                else if (n_3)
                    stream(o_3, w_3, BLOCK * sizeof *w_3);
@ headline.c, 15 lines: } ... }
