/* The helpers of grammar/ops.def: what an expression alone cannot say, spelled once, such as floor division,
 * saturation, and NaN and zeros in min and max.
 *
 * The reference evaluator includes this file once per type; the emitter copies the helpers a kernel
 * needs into its text, replacing the tokens
 *   T U      compute type, its unsigned counterpart of at least 32 bits
 *   S        source type of a conversion
 *   N(name)  the helper for T          M(name)  the helper for S and T
 *   F(name)  the C library's function for T, or for S where there is one
 *   T_m S_m  the types in memory
 *   FN       what a function of the target begins with
 *   FRACTION bits of the fraction of the 16-bit type that a value is brought to or from
 * A helper begins at its "//: section name" line and ends before the next line starting with "//:"
 * or "#". Header-free C11, no builtins; the text must mean the same to every C compiler and to CUDA. */

#if defined DIALECT_INTEGER
//: integer floordiv
/* The quotient, rounded down; 0 where b is 0. */
FN T N(floordiv)(T a, T b)
{
    if (b == 0)
        return 0;
    if (b == (T)-1 && (T)-1 < (T)1)
        return (T)(0 - (U)a);
    return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}
//: integer floormod
/* The remainder of a quotient that is rounded down. */
FN T N(floormod)(T a, T b)
{
    if (b == 0 || (b == (T)-1 && (T)-1 < (T)1))
        return 0;
    T m = (T)(a % b);
    return m != 0 && (m < 0) != (b < 0) ? (T)(m + b) : m;
}
//: integer truncdiv
/* The quotient, rounded toward zero. */
FN T N(truncdiv)(T a, T b)
{
    if (b == 0)
        return 0;
    if (b == (T)-1 && (T)-1 < (T)1)
        return (T)(0 - (U)a);
    return (T)(a / b);
}
//: integer remainder
/* The remainder of a quotient that is rounded toward zero. */
FN T N(remainder)(T a, T b)
{
    return b == 0 || (b == (T)-1 && (T)-1 < (T)1) ? (T)0 : (T)(a % b);
}
//: integer position
/* A position as one from the start; -1 if it lies outside. */
FN T N(position)(T a, T b)
{
    const T p = a < 0 ? (T)((U)a + (U)b) : a;
    return p >= 0 && p < b ? p : (T)-1;
}
//: integer random
/* Philox4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011): the 24 high bits of word
 * element mod 4 of counter element div 4. */
FN T N(random)(T element, T seed, T stream)
{
    unsigned x0 = (unsigned)((U)element >> 2), x1 = (unsigned)((unsigned long long)element >> 34);
    unsigned x2 = (unsigned)stream, x3 = (unsigned)((unsigned long long)stream >> 32);
    unsigned k0 = (unsigned)seed, k1 = (unsigned)((unsigned long long)seed >> 32);
    for (int i = 0; i < 10; i++) {
        const unsigned long long p = 0xd2511f53ull * x0, q = 0xcd9e8d57ull * x2;
        x0 = (unsigned)(q >> 32) ^ x1 ^ k0;
        x1 = (unsigned)q;
        x2 = (unsigned)(p >> 32) ^ x3 ^ k1;
        x3 = (unsigned)p;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    const unsigned low = (unsigned)element & 1 ? x1 : x0, high = (unsigned)element & 1 ? x3 : x2;
    return (T)(((unsigned)element & 2 ? high : low) >> 8);
}
//: integer ipow
/* A power of integers, by squaring. */
FN T N(ipow)(T a, T b)
{
    U power = 1, x = (U)a;
    if (b < 0)
        return 0;
    for (; b != 0; b = (T)(b / 2)) {
        if (b % 2 != 0)
            power *= x;
        x *= x;
    }
    return (T)power;
}
//: integer shl
/* Bits shifted left; 0 where all are gone. */
FN T N(shl)(T a, T b)
{
    return b < 0 || b >= (T)(8 * sizeof(T)) ? (T)0 : (T)((U)a << b);
}
//: integer shr
/* Bits shifted right. */
FN T N(shr)(T a, T b)
{
    T out = a < 0 ? (T)-1 : (T)0;
    return b < 0 || b >= (T)(8 * sizeof(T)) ? out : (T)(a >> b);
}
//: integer abs
/* The absolute value; of the least one itself. */
FN T N(abs)(T a)
{
    return a < 0 ? (T)(0 - (U)a) : a;
}
//: integer clamp
/* The value within two bounds. */
FN T N(clamp)(T a, T lo, T hi)
{
    T t = lo > a ? lo : a;
    return hi < t ? hi : t;
}
//: integer compare
/* Whether one is before the other. */
FN T N(compare)(T a, U b)
{
    return (T)(a < 0 || (U)a < b ? -1 : (U)a > b);
}
#endif

#if defined DIALECT_FLOATING
//: floating fmin
/* The lesser of two, or NaN where one is. */
FN T N(fmin)(T a, T b)
{
    T t = b < a ? b : a;
    return b != b ? b : t;
}
//: floating fmax
/* The greater of two, or NaN where one is. */
FN T N(fmax)(T a, T b)
{
    T t = b > a ? b : a;
    return b != b ? b : t;
}
//: floating least
/* The lesser of two, or NaN where one is; of zeros the negative one. */
FN T N(least)(T a, T b)
{
    /* Both zeros are equal: their bits joined are those of -0, of other equal values they are these. Selections all the
     * way, of which compilers make vectors. */
    union { T value; unsigned word; unsigned long long wide; } u = {a}, v = {b};
    if (sizeof(T) == sizeof(unsigned))
        u.word |= v.word;
    else
        u.wide |= v.wide;
    T t = b < a ? b : a;
    t = a == b ? u.value : t;
    return b != b ? b : t;
}
//: floating greatest
/* The greater of two, or NaN where one is; of zeros the positive one. */
FN T N(greatest)(T a, T b)
{
    /* As in least; +0 has the bits that both zeros have. */
    union { T value; unsigned word; unsigned long long wide; } u = {a}, v = {b};
    if (sizeof(T) == sizeof(unsigned))
        u.word &= v.word;
    else
        u.wide &= v.wide;
    T t = b > a ? b : a;
    t = a == b ? u.value : t;
    return b != b ? b : t;
}
//: floating min_nonzero
/* The lesser of two, which are not zeros of two signs. */
FN T N(min_nonzero)(T a, T b)
{
    return b < a ? b : a;
}
//: floating max_nonzero
/* The greater of two, none of which is a zero of another sign. */
FN T N(max_nonzero)(T a, T b)
{
    return b > a ? b : a;
}
//: floating fclamp
/* The value within two bounds; NaN stays. */
FN T N(fclamp)(T a, T lo, T hi)
{
    return N(fmin)(N(fmax)(a, lo), hi);
}
//: floating fneg
/* The value with the other sign. */
FN T N(fneg)(T a)
{
    /* By bits: gcc 12 takes -fma(a, b, c) for fma(-a, b, -c), another zero where they cancel. */
    union {
        T value;
        unsigned word;
        unsigned long long wide;
    } u = {a};
    if (sizeof(T) == sizeof(unsigned))
        u.word ^= 1u << 31;
    else
        u.wide ^= 1ull << 63;
    return u.value;
}
//: floating fsign
/* -1, 0 or 1, or NaN. */
FN T N(fsign)(T a)
{
    return a > 0 ? (T)1 : a < 0 ? (T)-1 : a;
}
//: floating signed_number
/* Whether a number's sign is set: as integers, bits of -infinity and of what is above it are no larger. */
FN int N(signed_number)(T a)
{
    union {
        T value;
        int word;
        long long wide;
    } u = {a};
    return sizeof(T) == sizeof(int) ? u.word <= -0x800000 : u.wide <= -0x10000000000000;
}
//: floating next
FN T N(next)(T a, T b, unsigned step)
{
    /* Bits of floats are ordered as sizes are: one step up is the next value away from zero. */
    union {
        T value;
        unsigned word;
        unsigned long long wide;
    } u = {a == 0 ? F(copysign)((T)0, b) : a};
    const int away = (a < b) == (a > 0) || a == 0;
    if (sizeof(T) == sizeof(unsigned))
        u.word = away ? u.word + step : u.word - step;
    else
        u.wide = away ? u.wide + step : u.wide - step;
    return a == b ? b : a < b || a > b ? u.value : a + b;
}
//: floating next_float16
FN T N(next_float16)(T a, T b)
{
    /* Scaled by 2 ** -112, subnormal numbers of float16 are those of float32. 65536 stands for infinity. */
    const T scale = (T)1.92592994438723585305597794258492732e-34, top = 65536;
    const T x = a > top ? top : a < -top ? -top : a;
    const T y = b > top ? top : b < -top ? -top : b;
    return N(next)(x * scale, y * scale, 1u << 13) * (T)5192296858534827628530496329220096.0;
}
//: floating quotient
/* A quotient by way of a reciprocal, rounded as a division. */
FN T N(quotient)(T a, T b, T r)
{
    /* a / b, of float32, where r is 1 / b. It is rounded correctly (docs/design/gpu.md) where b > 0 and a / b is 0, or
     * its size from 2 ** -125 to 2 ** 126, that of b from 2 ** -32 to 2 ** 32. */
    const T q = a * r;
    return F(fma)(F(fma)(q, b, -a), -r, q);
}
//: floating divisor
/* Whether a value is of ordinary size. */
FN int N(divisor)(T a)
{
    return a <= (T)4294967296.0 && a >= (T)2.3283064365386962890625e-10; /* 2 ** 32, 2 ** -32 */
}
//: floating moderate
/* Whether a value is 0 or of ordinary size. */
FN int N(moderate)(T a)
{
    return N(divisor)(F(fabs)(a)) || a == 0;
}
//: floating truncdiv
/* The quotient, rounded toward zero. Where it is below 1 a zero is divided: processors take many times longer for a
 * quotient that is subnormal. */
FN T N(truncdiv)(T a, T b)
{
    return F(trunc)((F(fabs)(a) < F(fabs)(b) ? F(copysign)((T)0, a) : a) / b);
}
//: floating lerp
/* a + t * (b - a), three roundings. */
FN T N(lerp)(T a, T b, T t)
{
    return a + t * (b - a);
}
//: floating floored
/* The quotient a / b, rounded down, of which C's remainder is m; where b is 0 as it is. */
FN T N(floored)(T a, T b, T m)
{
    T q = (a - m) / b;
    q = m != 0 && (m < 0) != (b < 0) ? q - 1 : q;
    T whole = F(floor)(q);
    whole = q - whole > (T)0.5 ? whole + 1 : whole;
    whole = q == 0 ? F(copysign)((T)0, a / b) : whole;
    return b == 0 ? a / b : whole;
}
//: floating floordiv
/* The quotient, rounded down; a / b where b is 0. */
FN T N(floordiv)(T a, T b)
{
    return N(floored)(a, b, F(fmod)(a, b));
}
//: floating brought
/* C's remainder as that of a quotient that is rounded down. */
FN T N(brought)(T m, T b)
{
    T shifted = (m < 0) != (b < 0) ? m + b : m;
    return m == 0 ? F(copysign)((T)0, b) : shifted;
}
//: floating floormod
/* The remainder of a quotient that is rounded down. */
FN T N(floormod)(T a, T b)
{
    return N(brought)(F(fmod)(a, b), b);
}
#endif

#if defined DIALECT_HALF
//: half next
/* The value after a towards b. Bits of floats are ordered as sizes are. */
FN T N(next)(T a, T b, T infinity)
{
    const T x = a & 0x7fff, y = b & 0x7fff;
    const T up = (b & 0x8000 ? -y : y) > (a & 0x8000 ? -x : x) ? 1 : -1, step = a & 0x8000 ? -up : up;
    const T moved = x == 0 ? (b & 0x8000) | 1 : a + step, next = (x | y) == 0 || a == b ? b : moved;
    return x > infinity || y > infinity ? (T)0x7fff : next;
}
#endif

#if defined DIALECT_SATURATE
//: saturate saturate
/* The nearest value that the type has. */
FN T M(saturate)(S a)
{
    /* The bounds of T, brought into S. */
    const unsigned long long all = ~0ull;
    const unsigned long long top = all >> (64 - 8 * sizeof(T) + ((T)-1 < (T)1));
    const unsigned long long top_s = all >> (64 - 8 * sizeof(S) + ((S)-1 < (S)1));
    const S hi = (S)(top < top_s ? top : top_s);
    const S lo = (T)-1 < (T)1 && (S)-1 < (S)1 ? (S)(-(long long)hi - 1) : (S)0;
    S b = a < lo ? lo : a;
    return (T)(b > hi ? hi : b);
}
#endif

#if defined DIALECT_ROUNDSAT
//: roundsat roundsat
/* Rounded to the nearest integer that the type has. */
FN T M(roundsat)(S a)
{
    /* "+ 0" makes -0 a 0: gcc 12 with -fno-trapping-math takes (float)(int)x for trunc(x), whose sign
     * a -0 would keep. */
    const T top = (T)(~0ull >> (64 - 8 * sizeof(T) + ((T)-1 < (T)1)));
    const T bottom = (T)-1 < (T)1 ? (T)(-top - 1) : (T)0;
    if (sizeof(T) < sizeof(S)) { /* every T is an S: clamp, then convert */
        /* NaN becomes the bottom, which is 0 if unsigned. The rounding stands between the two
         * selections: side by side gcc 12 makes masks of them instead of a maximum and a minimum. */
        S r = F(rint)(a > (S)bottom ? a : (S)bottom);
        r = r < (S)top ? r : (S)top;
        if ((T)-1 < (T)1)
            r = a == a ? r + (S)0 : (S)0;
        return sizeof(T) < sizeof(int) ? (T)(int)r : (T)r;
    }
    const S above = (S)top; /* rounds up to the first value above T */
    S r = F(rint)(a) + (S)0;
    T t = (T)(r >= (S)bottom && r < above ? r : (S)0);
    return r >= above ? top : r < (S)bottom ? bottom : t;
}
#endif

/* The 16-bit types, float16 with 5 bits of exponent and bfloat16 with the 8 of float32, are reached from
 * float32 and left to it alone. By integers, the sign apart: such code vectorizes, and no option of a
 * compiler can change it. */
#if defined DIALECT_ENCODE
//: encode encode
/* The bits of a 16-bit float. */
FN T M(encode)(S a)
{
    union {
        S value;
        int word;
    } u = {a}, small;
    const int drop = 23 - FRACTION, infinity = 0x7fff >> FRACTION << FRACTION, nan = 0x7f800000;
    const int sign = u.word >> 16 & 0x8000, x = u.word & 0x7fffffff;
    const int rebias = FRACTION == 10 ? 112 << 23 : 0;
    const unsigned below_half = (1u << (drop - 1)) - 1;
    int r = (int)((unsigned)(x - rebias) + below_half + (unsigned)(x >> drop & 1)) >> drop;
    if (FRACTION == 10) { /* where its numbers are subnormal: a unit of 0.5 + x is one of theirs */
        small.word = x;
        small.value += (S)0.5;
        r = x < 113 << 23 ? small.word - (126 << 23) : r;
    }
    r = r > infinity ? infinity : r;
    r = x > nan ? infinity | 1 << (FRACTION - 1) | (x >> drop & ((1 << FRACTION) - 1)) : r;
    return (T)(r | sign);
}
#endif

#if defined DIALECT_DECODE
//: decode decode
/* A 16-bit float as float32. */
FN T M(decode)(S a)
{
    union {
        int word;
        T value;
    } u, small;
    const int x = (a & 0x7fff) << (23 - FRACTION);
    u.word = x;
    if (FRACTION == 10) {
        const int infinity = 31 << 23;
        small.value = (T)(int)(a & 0x7fff) * (T)5.9604644775390625e-8; /* 2 ** -24 */
        u.word += x < infinity ? 112 << 23 : 224 << 23;
        u.word = x < 1 << 23 ? small.word : u.word;
        u.word |= x > infinity ? 1 << 22 : 0; /* a NaN becomes a quiet one, as the machine's does */
    }
    u.word |= (int)((unsigned)(a & 0x8000) << 16);
    return u.value;
}
#endif

#if defined DIALECT_NEAREST
//: to_float16 to_float16
/* Rounded to float16. */
FN T M(to_float16)(S a)
{
    /* A number whose unit is that of x in float16, and its unit: x in these is rounded by the sum. */
    union {
        S value;
        int word;
    } u = {a}, whole, unit, sum;
    const int sign = u.word & (-0x7fffffff - 1), x = u.word & 0x7fffffff, nan = 0x7f800000;
    const int least = x < 113 << 23 ? 113 << 23 : x, most = least > 143 << 23 ? 143 << 23 : least;
    whole.word = (most & nan) + (13 << 23);
    unit.word = whole.word - (23 << 23);
    u.word = x;
    sum.value = u.value + whole.value;
    u.value = (S)(sum.word - whole.word) * unit.value;
    u.word = x >= 0x477ff000 ? nan : u.word; /* 65520 and more */
    u.word = x > nan ? (x & ~0x1fff) | 1 << 22 : u.word;
    u.word |= sign;
    return (T)u.value;
}
//: to_bfloat16 to_bfloat16
/* Rounded to bfloat16. */
FN T M(to_bfloat16)(S a)
{
    union {
        S value;
        int word;
    } u = {a};
    const int rounded = (int)((unsigned)u.word + 0x7fff + (u.word >> 16 & 1));
    u.word = (a != a ? u.word | 1 << 22 : rounded) & ~0xffff;
    return (T)u.value;
}
#endif

#if defined DIALECT_BITS
//: bits bits
/* The bits as another type of the same size. */
FN T M(bits)(S a)
{
    union {
        S_m from;
        T_m to;
    } u;
    u.from = (S_m)a;
    return (T)u.to;
}
#endif

#if defined DIALECT_ODD
//: odd odd
/* Rounded to float32, to the neighbour whose last digit is odd: a second rounding then gives what one would. */
FN T M(odd)(S a)
{
    /* Of float64: the nearest float32, or where that is even its neighbour on the other side of a. */
    union {
        T value;
        int word;
    } u = {(T)a};
    const S back = (S)u.value;
    const int below = a < 0 ? back > a : back < a;
    u.word += back == a || u.word & 1 ? 0 : below ? 1 : -1;
    return u.value;
}
//: odd_whole odd_whole
/* A whole number to float32, rounded to the neighbour whose last digit is odd. */
FN T M(odd_whole)(S a)
{
    union {
        T value;
        int word;
    } u;
    /* Of 32 bits: what is below the 24 that float32 holds goes into the last of them. Of two's complements that is the
     * odd one of the two neighbours as well. */
    if (sizeof(S) == 4) {
        const int fits = a <= 16777216 && ((S)-1 > (S)1 || a >= -(S)16777216);
        const unsigned lost = (unsigned)a & 255 & ((unsigned)fits - 1);
        return (T)(S)(((unsigned)a ^ lost) | (unsigned)(lost != 0) << 8);
    }
    /* Of 64 bits: the same for float64, and then the nearest float32 or its neighbour, as above. */
    const unsigned long long x = (S)-1 < (S)1 && a < 0 ? 0 - (unsigned long long)a : (unsigned long long)a;
    const double near = (double)(x >> 53 ? (x & ~0x7ffull) | ((x & 0x7ff) != 0 ? 0x800 : 0) : x);
    u.value = (T)near;
    const double back = (double)u.value;
    u.word += back == near || u.word & 1 ? 0 : back > near ? -1 : 1;
    return (S)-1 < (S)1 && a < 0 ? -u.value : u.value;
}
#endif
