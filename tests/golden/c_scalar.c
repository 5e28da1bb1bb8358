/* float64 out */
/* prelude_c.h, move head */
typedef _Bool b1;
typedef unsigned char b1_m MAY_ALIAS;
typedef signed char i8;
typedef signed char i8_m MAY_ALIAS;
typedef short i16;
typedef short i16_m MAY_ALIAS;
typedef int i32;
typedef int i32_m MAY_ALIAS;
typedef long long i64;
typedef long long i64_m MAY_ALIAS;
typedef unsigned char u8;
typedef unsigned char u8_m MAY_ALIAS;
typedef unsigned short u16;
typedef unsigned short u16_m MAY_ALIAS;
typedef unsigned int u32;
typedef unsigned int u32_m MAY_ALIAS;
typedef unsigned long long u64;
typedef unsigned long long u64_m MAY_ALIAS;
typedef int f16;
typedef unsigned short f16_m MAY_ALIAS;
typedef int bf16;
typedef unsigned short bf16_m MAY_ALIAS;
typedef float f32;
typedef float f32_m MAY_ALIAS;
typedef double f64;
typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 3 };
/* args.h */
/* prelude_c.h, vector head */
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
    const f64 c_0 = *(const f64_m *)&args->literals[0]; /* 1.0 */
    f64_m w_0[BLOCK];
    f64_m w_2[BLOCK];
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const i64 half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    for (i64 tile = begin; tile < end; tile++) {
        if (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const i64 local = tile - sample->first_tile, groups = s->groups, stride = groups + 2;
        const i64 row0 = (s->row_tiles == 1 ? local : local / s->row_tiles) * s->tile_rows;
        const i64 column0 = s->row_tiles == 1 ? 0 : local % s->row_tiles * s->tile_columns;
        const i64 row1 = row0 + s->tile_rows < s->rows ? row0 + s->tile_rows : s->rows;
        const i64 column1 = column0 + s->tile_columns < s->columns ? column0 + s->tile_columns : s->columns;
        char *p[ACCESSES];
        i64 at[64], rest = row0;
        for (int k = 0; k < ACCESSES; k++)
            p[k] = sample->bases[k];
        for (i64 g = groups; g-- > 0; rest /= s->extents[g]) {
            at[g] = rest % s->extents[g];
            for (int k = 0; k < ACCESSES; k++)
                p[k] += at[g] * s->strides[k * stride + g];
        }
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            const i16 a_1 = *(const i16_m *)p[1]; /* k */
            const f64 t_2 = (f64)a_1;
            head = first_block(args, p[2] + column0 * sizeof(f64_m), sizeof(f64_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f64_m *x_0 = (const f64_m *)p[0] + i; /* x */
                if (m < BLOCK)
                    x_0 = pad_f64(w_0, x_0, m);
                fetch(x_0, args->ahead, sizeof *x_0);
                f64_m *const o_2 = (f64_m *)p[2] + i; /* out */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f64_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f64 a_0 = x_0[j];
                    const f64 t_3 = a_0 * t_2;
                    const f64 t_5 = t_3 - c_0;
                    y_2[j] = t_5;
                }
                if (m < BLOCK)
                    put_f64(o_2, w_2, m);
                else if (n_2)
                    stream(o_2, w_2, BLOCK * sizeof *w_2);
            }
            for (i64 g = groups; g-- > 0;) { /* the next row */
                for (int k = 0; k < ACCESSES; k++)
                    p[k] += s->strides[k * stride + g];
                if (++at[g] < s->extents[g])
                    break;
                for (int k = 0; k < ACCESSES; k++)
                    p[k] -= s->extents[g] * s->strides[k * stride + g];
                at[g] = 0;
            }
        }
    }
    if (args->stream)
        fence();
}
