/* See values.h. */
#include "tests/diff/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUES_MOST = 160 };

static union scalar bits_scalar(enum weft_dtype t, uint64_t bits)
{
    int size = type_rows[t].size;
    union scalar s = {.bits = size == 8 ? bits : bits & (((uint64_t)1 << 8 * size) - 1)};
    if (t == WEFT_BOOL)
        s.bits &= 1;
    return s;
}

static union scalar real_scalar(enum weft_dtype t, double value)
{
    return eval_convert(WEFT_FLOAT64, t, true, (union scalar){.f64 = value});
}

/* Corners of the type and of every narrower one, reduced to the type's width. */
static int integers(enum weft_dtype t, union scalar *out)
{
    const uint64_t width = 8 * (uint64_t)type_rows[t].size, half = (uint64_t)1 << width / 2;
    const bool sign = type_rows[t].class == CLASS_SIGNED;
    const uint64_t highest = ~(uint64_t)0 >> (64 - width + sign), lowest = sign ? highest + 1 : 0;
    const uint64_t list[] = {
        0, 1, -1, 2, 3, -7, lowest, highest, lowest + 1, highest - 1, 10, width - 1, width,
        highest / 2 + 1,
        -2, -3, 5, 7, width + 1, -width, 100, -100, highest / 2, highest / 3, lowest / 2, half,
        half - 1, half + 1, -half, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769,
        65535, 65536, 16777217, 33554435, 2147483647, 2147483648, -2147483648, -2147483649,
        4294967295, 4294967296, 9007199254740993, 9007200328482817, 9223372036854775295,
        9223371761976868863};
    const int count = (int)(sizeof list / sizeof *list);
    for (int i = 0; i < count; i++)
        out[i] = bits_scalar(t, list[i]);
    return count;
}

/* Corners of the format, thresholds of the functions, halves and the bounds of integer types. */
static int floats(enum weft_dtype t, union scalar *out)
{
    const int fraction = type_rows[t].fraction, bias = (1 << (type_rows[t].bits - fraction - 2)) - 1;
    const double ulp = ldexp(1, -fraction), smallest = ldexp(1, 1 - bias), tiny = ldexp(smallest, -fraction);
    const double top = ldexp(2 - ulp, bias), pi = 3.141592653589793;
    const double list[] = {
        NAN, INFINITY, -INFINITY, 0.0, -0.0, 1, -1, 0.5, -2.5, 3, tiny, top, -top, 0.1,
        -NAN, -0.5, 1.5, 2.5, -1.5, 2, -2, -3, 4, 7, 10, -tiny, smallest, -smallest,
        smallest - tiny, 1 + ulp, 1 - ulp / 2, -1 - ulp, pi, pi / 2, -pi / 4, 2.718281828459045,
        22 / 7.0, 1e-10, -1e-5, 1e10, 1e22, -6e15, 88.7, 88.73, -87.4, -103.9, -104.1, 709.7, 709.8,
        -745.1, -745.2, 1023.7, 127.999, 9.2, 26.6, 27.3, -5.9, 0.4999999701976776,
        0.49999999999999994, 8388607.5, 4503599627370495.5, 127.5, 128, -128.5, -129, 255.5, 254.5,
        256, 32767.5, -32768.5, 65535.5, 65534.5, 16777217, 2147483647.5, 2147483648, 2147483520,
        -2147483648.5, -2147483649, 4294967295.5, 4294967040, 4294967296, 9223372036854774784,
        9223371487098961920, 9223372036854775808.0, -9223372036854775808.0, -9223373136366403584.0,
        18446744073709549568.0, 18446742974197923840.0, 18446744073709551616.0,
        /* where 16 bits end, and ties there but for a last bit of float64 */
        65504, 65519.99, 65520, -65520, 0x1p-24, 0x1p-25, 0x1.0000000000001p-25, -0x1p-25, 0x1.ffp-15,
        0x1.ffep-15, 2049, 2051, 2049.0000000001, 0x1.002p0, 0x1.0020000000001p0, 0x1.0060000000001p0,
        0x1.01p0, 0x1.0100000000001p0, 0x1.03p0, 0x1.0300000000001p0, 0x1.02ffffffffffep0, 0x1.ffp127,
        0x1.fefp127, 0x1p-133, 0x1p-134, 0x1.0000000000001p-134, 0x1.8p-133, 0x1.7ffffffffffffp-133};
    const int count = (int)(sizeof list / sizeof *list);
    for (int i = 0; i < count; i++)
        out[i] = real_scalar(t, list[i]);
    return count;
}

const union scalar *values_special(enum weft_dtype t, int *count)
{
    static union scalar tables[WEFT_DTYPE_COUNT][VALUES_MOST];
    static int counts[WEFT_DTYPE_COUNT];
    if (counts[t] == 0 && t == WEFT_BOOL) {
        tables[t][1].b1 = true;
        counts[t] = 2;
    } else if (counts[t] == 0) {
        counts[t] = dtype_is_float(t) ? floats(t, tables[t]) : integers(t, tables[t]);
    }
    *count = counts[t];
    return tables[t];
}

uint64_t values_seed(void)
{
    return (uint64_t)sample_setting("WEFT_SEED", 20240611);
}

struct stream stream_init(uint64_t salt)
{
    struct stream stream = {values_seed() * 0x9e3779b97f4a7c15 + salt * 0xbf58476d1ce4e5b9};
    return stream;
}

/* splitmix64 */
uint64_t stream_bits(struct stream *stream)
{
    uint64_t z = stream->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint64_t stream_below(struct stream *stream, uint64_t bound)
{
    return stream_bits(stream) % bound;
}

static double stream_real(struct stream *stream, double low, double high)
{
    return low + (high - low) * ldexp((double)(stream_bits(stream) >> 11), -53);
}

/* Any bits; a NaN is quiet, because functions of libm pass a signalling one on even where a quiet one gives a
 * number, as in pow(1, NaN). Conversions meet signalling ones in edges.c. */
static union scalar any_bits(struct stream *stream, enum weft_dtype t)
{
    union scalar value = bits_scalar(t, stream_bits(stream));
    if (isnan(eval_convert(t, WEFT_FLOAT64, false, value).f64))
        value.bits |= (uint64_t)1 << (type_rows[t].fraction - 1);
    return value;
}

static union scalar any_float(struct stream *stream, enum weft_dtype t, uint64_t manner)
{
    double sign = stream_below(stream, 2) ? -1 : 1;
    switch (manner) {
    case 0: return any_bits(stream, t);
    case 1: return real_scalar(t, sign * exp2(stream_real(stream, -30, 30)));
    case 2: return real_scalar(t, sign * (double)stream_below(stream, 40) / 4);
    case 3: return real_scalar(t, sign + stream_real(stream, -1e-3, 1e-3));
    case 4: return real_scalar(t, stream_real(stream, -120, 120));
    default: return real_scalar(t, stream_real(stream, -1, 1));
    }
}

static union scalar any_integer(struct stream *stream, enum weft_dtype t, uint64_t manner)
{
    uint64_t bits = stream_bits(stream);
    switch (manner) {
    case 0:
    case 1: return bits_scalar(t, bits);
    case 2: return bits_scalar(t, stream_below(stream, 41) - 20);
    case 3: return bits_scalar(t, bits >> stream_below(stream, 64));
    default: return bits_scalar(t, -(bits >> stream_below(stream, 64)));
    }
}

union scalar stream_value(struct stream *stream, enum weft_dtype t)
{
    int count;
    const union scalar *special = values_special(t, &count);
    uint64_t manner = stream_below(stream, 7);
    if (manner == 6)
        return special[stream_below(stream, (uint64_t)count)];
    return dtype_is_float(t) ? any_float(stream, t, manner) : any_integer(stream, t, manner);
}
