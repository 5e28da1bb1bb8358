/* Memory that is released all at once. Every allocation of a compile comes from an arena, so no pass frees anything.
 * When memory runs out, arena_alloc jumps to the point that the entry function set with ARENA_GUARD. So passes never
 * test for NULL. */
#ifndef WEFT_COMPILER_BASE_ARENA_H
#define WEFT_COMPILER_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

struct arena {
    struct arena_block *blocks;
    char *lent;                    /* what is left of the memory that the caller lent */
    size_t lent_size;
    jmp_buf *out_of_memory;
    size_t allocated;              /* bytes handed out so far */
    size_t limit;                  /* 0: no limit; beyond it counts as out of memory */
    size_t block;                  /* the least number of bytes to take from malloc; 0: 16 KB */
};

/* Opens the region in which running out of memory makes ARENA_GUARD return nonzero, once. The function that holds it
 * must not read locals on failure that it changed after this point. */
#define ARENA_GUARD(arena, env) ((arena)->out_of_memory = &(env), setjmp(env))

/* An empty arena without a limit. */
void arena_init(struct arena *arena);
/* Lends memory that is handed out before malloc is asked. It is aligned to 16 bytes and outlives the arena. */
void arena_lend(struct arena *arena, void *memory, size_t size);
/* Frees all memory of the arena, except what was lent. */
void arena_finish(struct arena *arena);
/* Moves all blocks of another arena into this one, which now frees them. */
void arena_adopt(struct arena *arena, struct arena *from);
/* Jumps to the ARENA_GUARD, as if memory had run out. */
_Noreturn void arena_fail(struct arena *arena);
/* Allocates zeroed memory, aligned for any object. This and all functions below jump on failure. */
void *arena_alloc(struct arena *arena, size_t size);
/* Memory that is not zeroed: for what is written before it is read. */
void *arena_raw(struct arena *arena, size_t size);
/* Returns a copy of `size` bytes. */
void *arena_copy(struct arena *arena, const void *data, size_t size);
/* Returns a NUL-terminated copy of `length` bytes. */
char *arena_string(struct arena *arena, const char *text, size_t length);
/* Returns a copy of a text for a message: of more than 40 bytes about the first `kept` and "...". Cuts no character. */
const char *arena_excerpt(struct arena *arena, const char *text, int length, int kept);
/* Return a formatted, NUL-terminated text. */
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Makes room for one more element in an array that holds `count`. Its capacity is always `count` rounded up to a power
 * of two. Returns the array, which has moved if it was full. */
void *arena_grow(struct arena *arena, void *array, size_t count, size_t element);

#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc(arena, sizeof(type) * (size_t)(count)))
/* Appends a value to an array and increments its count; both are lvalues. */
#define ARENA_PUSH(arena, array, count, value)                                                     \
    ((array) = arena_grow(arena, array, (size_t)(count), sizeof *(array)), (array)[(count)++] = (value))

#endif
