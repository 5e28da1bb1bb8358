/* What strides say of a tensor's bytes: one text for the library, which includes it, and for ahead-of-time
 * sources, which carry it. SHARED is what a function begins with, OVERFLOWS(a, b, &product) whether a product of
 * int64_t does. Strides count elements. */

//: tensor
/* Elements before and behind the first one. */
struct reach {
    int64_t low, high;
    bool empty, dense;             /* dense: row-major without gaps */
};

/* Resolves strides (`given` NULL: dense row-major), 0 where an extent is 0 or 1: they are never taken, and any
 * is allowed. NULL, or what is wrong. */
SHARED const char *tensor_reach(int rank, const int64_t *shape, const int64_t *given, int64_t *strides,
                                struct reach *reach)
{
    const int64_t most = INT64_MAX / 16; /* elements: their bytes can be counted, too */
    int64_t dense = 1, distance;
    *reach = (struct reach){.dense = true};
    for (int d = rank - 1; d >= 0; d--) {
        const int64_t extent = shape[d], stride = given ? given[d] : dense;
        if (extent < 0)
            return "an extent is negative";
        reach->empty = reach->empty || extent == 0;
        strides[d] = extent <= 1 ? 0 : stride;
        if (extent <= 1)
            continue;
        reach->dense = reach->dense && stride == dense;
        if (OVERFLOWS(dense, extent, &dense) || dense > most)
            return "it has more elements than memory can hold";
        if (OVERFLOWS(extent - 1, stride, &distance) || distance > most || distance < -most)
            return "its strides reach further than memory does";
        reach->low += distance < 0 ? distance : 0;
        reach->high += distance > 0 ? distance : 0;
        if (reach->high - reach->low > most)
            return "its strides reach further than memory does";
    }
    return NULL;
}

static int64_t size_of_stride(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Sorts dimensions by the size of their stride; an injective layout has each stride at least as large
 * as what the smaller ones span. Layouts that interleave otherwise are taken as overlapping. */
SHARED bool lies_on_itself(int rank, const int64_t *shape, const int64_t *strides)
{
    int order[32], count = 0;
    for (int d = 0; d < rank; d++) {
        if (shape[d] == 0)
            return false;
        if (shape[d] == 1)
            continue;
        const int64_t stride = size_of_stride(strides[d]);
        int at = count++;
        for (; at > 0 && size_of_stride(strides[order[at - 1]]) > stride; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    int64_t span = 1;
    for (int i = 0; i < count; i++) {
        const int64_t stride = size_of_stride(strides[order[i]]);
        if (stride < span)
            return true;
        span = stride * (shape[order[i]] - 1) + span;
    }
    return false;
}

/* The greatest common divisor of `step` and all strides in bytes; 0: there are none. */
SHARED int64_t common_step(int rank, const int64_t *shape, const int64_t *strides, int64_t size, int64_t step)
{
    for (int d = 0; d < rank; d++) {
        int64_t x = shape[d] > 1 ? size_of_stride(strides[d]) * size : 0;
        while (x) {
            const int64_t rest = step % x;
            step = x;
            x = rest;
        }
    }
    return step;
}

/* Whether elements of `size` bytes that are multiples of `step` apart never meet those of `other` bytes which
 * begin `offset` bytes further: the even and the odd columns of one buffer, say. */
SHARED bool never_meet(int64_t offset, int64_t step, int64_t size, int64_t other)
{
    if (step == 0)
        return false;
    offset %= step;
    offset += offset < 0 ? step : 0;
    return offset >= size && offset + other <= step;
}
