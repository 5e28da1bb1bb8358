/* See pool.h. */
#include "cli/base/pool.h"

#include "cli/base/ending.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool_block {
    struct pool_block *before;
    max_align_t data[];
};

void *pool_alloc(struct pool *pool, size_t size)
{
    struct pool_block *block = size < PTRDIFF_MAX - sizeof *block ? calloc(1, sizeof *block + size) : NULL;
    if (!block) {
        fputs("weft: error: out of memory\n", stderr);
        ending_give_up(); /* from any thread, and from inside the library */
    }
    block->before = pool->last;
    pool->last = block;
    return block->data;
}

char *pool_string(struct pool *pool, const char *text, size_t length)
{
    return memcpy(pool_alloc(pool, length + 1), text, length);
}

char *pool_vprintf(struct pool *pool, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t size = (size_t)vsnprintf(NULL, 0, format, args) + 1;
    char *text = pool_alloc(pool, size);
    vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

char *pool_printf(struct pool *pool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = pool_vprintf(pool, format, args);
    va_end(args);
    return text;
}

char *pool_join(struct pool *pool, const char *const *texts, size_t count, const char *between)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]) + strlen(between);
    char *joined = pool_alloc(pool, size), *end = joined;
    for (size_t i = 0; i < count; i++)
        end = stpcpy(stpcpy(end, i ? between : ""), texts[i]);
    return joined;
}

void *pool_grow(struct pool *pool, void *array, size_t count, size_t element)
{
    if (count & (count - 1)) /* room is a power of two */
        return array;
    void *grown = pool_alloc(pool, (count ? 2 * count : 1) * element);
    return count ? memcpy(grown, array, count * element) : grown;
}

void pool_finish(struct pool *pool)
{
    for (struct pool_block *block = pool->last, *before; block; block = before) {
        before = block->before;
        free(block);
    }
}
