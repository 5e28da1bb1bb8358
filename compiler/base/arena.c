/* Implements arena.h with a list of blocks from calloc. The newest block serves all requests that fit. Large memory
 * with any contents is a block of its own from malloc, behind the newest one. */
#include "compiler/base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, BLOCK_SIZE = 1 << 14 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(16) char data[];
};

void arena_init(struct arena *arena)
{
    memset(arena, 0, sizeof *arena);
}

void arena_lend(struct arena *arena, void *memory, size_t size)
{
    arena->lent = memory;
    arena->lent_size = size;
}

void arena_finish(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}

void arena_adopt(struct arena *arena, struct arena *from)
{
    struct arena_block **last = &arena->blocks;
    while (*last)
        last = &(*last)->next;
    *last = from->blocks;
    arena->allocated += from->allocated;
    from->blocks = NULL;
}

void arena_fail(struct arena *arena)
{
    longjmp(*arena->out_of_memory, 1);
}

static struct arena_block *add_block(struct arena *arena, size_t size)
{
    size_t least = arena->block ? arena->block : BLOCK_SIZE;
    size_t room = size > least ? size : least;
    struct arena_block *block = calloc(1, sizeof *block + room);
    if (!block)
        arena_fail(arena);
    block->size = room;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

/* Counts memory that is handed out. Returns its size, rounded up. */
static inline size_t count(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2 || (arena->limit && arena->allocated + size > arena->limit))
        arena_fail(arena);
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    arena->allocated += size;
    return size;
}

/* Takes memory. *zero says whether it is known to be zeroed; lent memory is not. */
static inline void *take(struct arena *arena, size_t size, bool *zero)
{
    size = count(arena, size);
    *zero = !arena->lent || size > arena->lent_size;
    if (!*zero) {
        char *memory = arena->lent;
        arena->lent += size;
        arena->lent_size -= size;
        return memory;
    }
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size)
        block = add_block(arena, size);
    void *memory = block->data + block->used;
    block->used += size;
    return memory;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    bool zero;
    void *memory = take(arena, size, &zero);
    return zero ? memory : memset(memory, 0, size);
}

void *arena_raw(struct arena *arena, size_t size)
{
    bool zero;
    if (size < BLOCK_SIZE)
        return take(arena, size, &zero);
    size = count(arena, size);
    struct arena_block *block = malloc(sizeof *block + size);
    if (!block)
        arena_fail(arena);
    struct arena_block **const behind = arena->blocks ? &arena->blocks->next : &arena->blocks;
    block->next = *behind;
    block->used = block->size = size;
    *behind = block;
    return block->data;
}

void *arena_copy(struct arena *arena, const void *data, size_t size)
{
    bool zero;
    void *copy = take(arena, size, &zero);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *arena_string(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

const char *arena_excerpt(struct arena *arena, const char *text, int length, int kept)
{
    const bool cut = length > 40;
    while (cut && ((unsigned char)text[kept] & 0xc0) == 0x80)
        kept--;
    return arena_printf(arena, cut ? "%.*s..." : "%.*s", cut ? kept : length, text);
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

void *arena_grow(struct arena *arena, void *array, size_t count, size_t element)
{
    bool full = count == 0 ? !array : (count & (count - 1)) == 0;
    if (!full)
        return array;
    if (count > SIZE_MAX / 4 / element)
        arena_fail(arena);
    void *grown = arena_alloc(arena, (count ? count * 2 : 1) * element);
    if (count)
        memcpy(grown, array, count * element);
    return grown;
}
