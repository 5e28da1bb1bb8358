/* The limit the benches compare with: copying the same bytes. memcpy, and a copy with non-temporal
 * stores, which does not read the destination first. */
#include <stddef.h>
#include <string.h>

void copy_plain(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

#ifdef __SSE2__
#include <emmintrin.h>

/* Both 16-byte aligned; what is left over at the end is copied plainly. */
void copy_stream(void *to, const void *from, size_t bytes)
{
    __m128i *out = to;
    const __m128i *in = from;
    size_t count = bytes / 64 * 4;
    for (size_t i = 0; i < count; i += 4) {
        __m128i a = _mm_load_si128(in + i), b = _mm_load_si128(in + i + 1);
        __m128i c = _mm_load_si128(in + i + 2), d = _mm_load_si128(in + i + 3);
        _mm_stream_si128(out + i, a);
        _mm_stream_si128(out + i + 1, b);
        _mm_stream_si128(out + i + 2, c);
        _mm_stream_si128(out + i + 3, d);
    }
    _mm_sfence();
    memcpy(out + count, in + count, bytes - count * 16);
}
#else
void copy_stream(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif

/* One call for each of many short pieces that lie one after the other. */
void copy_samples(char *to, const char *from, size_t bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * bytes, from + i * bytes, bytes);
}

/* The same by all threads of OpenMP, where it is compiled in. */
enum { PIECE = 1 << 20 };

#define THREADS(copy)                                                                              \
    void copy##_threads(void *to, const void *from, size_t bytes)                                  \
    {                                                                                              \
        _Pragma("omp parallel for schedule(static)")                                               \
        for (size_t at = 0; at < bytes; at += PIECE)                                               \
            copy((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE); \
    }
THREADS(copy_plain)
THREADS(copy_stream)
