/* Memory that is released all at once. Every allocation of a compile comes from an arena, so no pass
 * frees anything. When memory runs out, arena_alloc jumps to the point that the entry function set
 * with ARENA_GUARD; passes never test for NULL. */
#ifndef WEFT_ARENA_H
#define WEFT_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

struct arena {
    struct arena_block *blocks;
    char *lent;                    /* what is left of the caller's memory */
    size_t lent_size;
    jmp_buf *out_of_memory;
    size_t allocated;              /* bytes handed out so far */
    size_t limit;                  /* 0: none; else running past it counts as out of memory */
    size_t block;                  /* bytes taken from malloc at once, at least; 0: 16 KB */
};

/* Opens the region in which running out of memory makes ARENA_GUARD return nonzero (once). The
 * function that holds it must not keep locals that it changes afterwards and reads on failure. */
#define ARENA_GUARD(arena, env) ((arena)->out_of_memory = &(env), setjmp(env))

void arena_init(struct arena *arena);
/* Memory to hand out before any is allocated, aligned to 16 bytes; it outlives the arena. */
void arena_lend(struct arena *arena, void *memory, size_t size);
void arena_finish(struct arena *arena);
/* Moves all memory of another arena into this one, which releases it then. */
void arena_adopt(struct arena *arena, struct arena *from);
/* Goes where running out of memory goes. */
_Noreturn void arena_fail(struct arena *arena);
/* Zeroed, aligned for any object. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *data, size_t size);
/* NUL-terminated copy of `length` bytes. */
char *arena_string(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Room for one more element in an array of `count`, whose capacity is the power of two at or above
 * it: returns the array, moved when it was full. */
void *arena_grow(struct arena *arena, void *array, size_t count, size_t element);

#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc(arena, sizeof(type) * (size_t)(count)))
/* Appends a value to array/count, both lvalues. */
#define ARENA_PUSH(arena, array, count, value)                                                     \
    ((array) = arena_grow(arena, array, (size_t)(count), sizeof *(array)), (array)[(count)++] = (value))

#endif
