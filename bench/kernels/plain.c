/* The loops one would write by hand for the formulas of throughput.py: what Weft is compared with
 * where everything is in a cache. Compiled with -O3 -march=native and, as Weft compiles its kernels,
 * without contraction, errno and traps; vector functions of libmvec declared. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __x86_64__
__attribute__((simd("notinbranch"), const)) float expf(float);
__attribute__((simd("notinbranch"), const)) float sinf(float);
#endif

#define ARGUMENTS size_t n, void *restrict to, const void *restrict from, const void *restrict also

static uint8_t to_u8(float x)
{
    float r = rintf(x > 0 ? x : 0);
    return (uint8_t)(r < 255 ? r : 255);
}

void negate(ARGUMENTS)
{
    const float *x = from;
    float *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = -x[i];
}

void scale(ARGUMENTS)
{
    const float *x = from;
    float *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = x[i] * 2 + 1;
}

void square_root(ARGUMENTS)
{
    const float *x = from;
    float *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = sqrtf(fabsf(x[i]));
}

void add(ARGUMENTS)
{
    const float *x = from, *y = also;
    float *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = x[i] + y[i];
}

void product_sum(ARGUMENTS)
{
    const float *x = from, *y = also;
    float *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = x[i] * x[i] + y[i] * y[i];
}

void exponential(ARGUMENTS)
{
    const float *x = from;
    float *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = expf(x[i]);
}

void gain_f32(ARGUMENTS)
{
    const uint8_t *x = from;
    const float *gain = also;
    float *r = to;
    for (size_t i = 0; i < n / 3; i++)
        for (int c = 0; c < 3; c++)
            r[3 * i + c] = x[3 * i + c] * gain[c];
}

void gain_u8(ARGUMENTS)
{
    const uint8_t *x = from;
    const float *gain = also;
    uint8_t *r = to;
    for (size_t i = 0; i < n / 3; i++)
        for (int c = 0; c < 3; c++)
            r[3 * i + c] = to_u8(x[3 * i + c] * gain[c]);
}

void normalize(ARGUMENTS)
{
    const uint8_t *x = from;
    float *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = (x[i] - 127.5f) * 0.0078125f;
}

/* Every operation on 16-bit floats is rounded to them. */
static _Float16 half(float x)
{
    return (_Float16)x;
}

static float from_bfloat(uint16_t bits)
{
    union { uint32_t word; float value; } u = {(uint32_t)bits << 16};
    return u.value;
}

static uint16_t to_bfloat(float x)
{
    union { float value; uint32_t word; } u = {x};
    return x != x ? 0x7fc0 : (uint16_t)((u.word + 0x7fff + (u.word >> 16 & 1)) >> 16);
}

void scale_f16(ARGUMENTS)
{
    const _Float16 *x = from;
    _Float16 *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = half((float)half((float)x[i] * 2) + 1);
}

void add_f16(ARGUMENTS)
{
    const _Float16 *x = from, *y = also;
    _Float16 *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = half((float)x[i] + (float)y[i]);
}

void normal_f16(ARGUMENTS)
{
    const uint8_t *x = from;
    _Float16 *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = half((x[i] - 127.5f) * 0.0078125f);
}

void widen_f16(ARGUMENTS)
{
    const _Float16 *x = from;
    float *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = (float)x[i];
}

void blend_f16(ARGUMENTS)
{
    const _Float16 *x = from, *y = also, a = half(0.3f), b = half(0.7f);
    _Float16 *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = half((float)half((float)x[i] * (float)a) + (float)half((float)y[i] * (float)b));
}

void scale_bf16(ARGUMENTS)
{
    const uint16_t *x = from;
    uint16_t *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = to_bfloat(from_bfloat(to_bfloat(from_bfloat(x[i]) * 2)) + 1);
}

void add_bf16(ARGUMENTS)
{
    const uint16_t *x = from, *y = also;
    uint16_t *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = to_bfloat(from_bfloat(x[i]) + from_bfloat(y[i]));
}

void add_u8(ARGUMENTS)
{
    const uint8_t *x = from, *y = also;
    uint8_t *r = to;
    for (size_t i = 0; i < n; i++)
        r[i] = (uint8_t)(x[i] + y[i]);
}
