/* See chance.h. The generator is written anew, from its paper's description. */
#include "tests/random/chance.h"

#include <stdio.h>

bool is_chance(const struct formula_view *view)
{
    return view->kind == VIEWS_RANDOM || view->kind == VIEWS_NONZERO;
}

enum weft_dtype chance_dtype(const struct formula_view *view)
{
    return view->kind == VIEWS_RANDOM ? WEFT_FLOAT32 : WEFT_INT64;
}

bool chance_extents(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    const struct extents positions = {2, {view->shape[0], in->rank}};
    *out = view->kind == VIEWS_RANDOM ? *in : positions;
    return true;
}

static uint32_t philox(const uint32_t counter[4], uint64_t seed, int word)
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xD2511F53 * c[0], b = (uint64_t)0xCD9E8D57 * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                                  (uint32_t)a};
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    return c[word];
}

union scalar chance_value(const struct formula_view *view, int64_t number)
{
    const uint64_t quarter = (uint64_t)number / 4;
    const uint32_t counter[4] = {(uint32_t)quarter, (uint32_t)(quarter >> 32), 0,
                                 view->has_sources ? (uint32_t)view->shape[1] : 0};
    return (union scalar){.f32 = (float)(philox(counter, (uint64_t)view->shape[0], (int)(number % 4)) >> 8) * 0x1p-24f};
}

void chance_positions(const struct extents *in, const bool *is_true, int64_t rows, union scalar *positions)
{
    const int64_t volume = extents_volume(in);
    int64_t row = 0;
    for (int64_t e = 0; e < volume && row < rows; e++) {
        int64_t rest = e;
        for (int d = in->rank - 1; is_true[e] && d >= 0; d--) {
            positions[row * in->rank + d].i64 = rest % in->at[d];
            rest /= in->at[d];
        }
        row += is_true[e];
    }
    for (; row < rows; row++)
        for (int d = 0; d < in->rank; d++)
            positions[row * in->rank + d].i64 = in->at[d];
}

struct formula_view chance_any(struct stream *stream, int rank)
{
    static const int64_t seeds[] = {0, 1, 7, -1, 1234567890123, INT64_MAX, -5};
    struct formula_view view = {.kind = rank > 0 && stream_below(stream, 3) == 0 ? VIEWS_NONZERO : VIEWS_RANDOM};
    view.shape[0] = seeds[stream_below(stream, sizeof seeds / sizeof *seeds)];
    view.shape[1] = (int64_t)stream_below(stream, 5) - 1;
    view.has_sources = stream_below(stream, 2);
    if (view.kind == VIEWS_NONZERO)
        view.shape[0] = (int64_t)stream_below(stream, 7);
    return view;
}

const char *chance_name(const struct formula_view *view)
{
    return view->kind == VIEWS_RANDOM ? "random" : "nonzero";
}

void chance_print(char *text, size_t size, const struct formula_view *view, unsigned manner)
{
    const bool chance = view->kind == VIEWS_RANDOM;
    const int at = snprintf(text, size, ", %s%lld", !(manner & 1) ? "" : chance ? "seed=" : "n=",
                            (long long)view->shape[0]);
    if (chance && view->has_sources)
        snprintf(text + at, size - (size_t)at, ", %s%lld", manner & 3 ? "stream=" : "", (long long)view->shape[1]);
}
