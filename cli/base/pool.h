/* Small allocations that are released together. They never fail: when memory runs out the command says so and
 * exits. */
#ifndef WEFT_CLI_POOL_H
#define WEFT_CLI_POOL_H

#include <stdarg.h>
#include <stddef.h>

struct pool {
    struct pool_block *last;
};

/* Zeroed, aligned for any object. */
void *pool_alloc(struct pool *pool, size_t size);
/* A copy of `length` bytes with a NUL behind them. */
char *pool_string(struct pool *pool, const char *text, size_t length);
char *pool_printf(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *pool_vprintf(struct pool *pool, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* The texts in a row, separated by `between`. */
char *pool_join(struct pool *pool, const char *const *texts, size_t count, const char *between);
/* Room for one more element in an array of `count`: the array, moved when it was full. */
void *pool_grow(struct pool *pool, void *array, size_t count, size_t element);
void pool_finish(struct pool *pool);

#define POOL_NEW(pool, type) ((type *)pool_alloc(pool, sizeof(type)))
#define POOL_ARRAY(pool, type, count) ((type *)pool_alloc(pool, sizeof(type) * (size_t)(count)))
/* Appends a value to array/count, both lvalues. */
#define POOL_PUSH(pool, array, count, value)                                                       \
    ((array) = pool_grow(pool, array, (size_t)(count), sizeof *(array)), (array)[(count)++] = (value))

#endif
