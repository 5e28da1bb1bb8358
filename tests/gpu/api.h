/* Calls of Weft on arrays of one dimension, wherever they lie, for the tests of what a call does to streams, graphs
 * and devices. What is expected to work and does not ends the test with its message. */
#ifndef WEFT_TEST_API_H
#define WEFT_TEST_API_H

#include "include/weft/weft.h"
#include "tests/gpu/gpu.h"

enum { API_HOST = -1, API_PINNED = -2, API_LINES = 4 };

/* An array, the caller's; `where` is a device's number, or the host. */
struct api_line {
    const char *name;
    enum weft_dtype dtype;
    int64_t count;
    void *data;
    int where;
};

struct weft_context *api_context(enum weft_target target);
struct weft_program *api_compile(struct weft_context *context, const char *text);

/* What a call is made with; lines without a name end the list. */
struct api_call {
    struct api_line inputs[API_LINES], outputs[API_LINES];
    void *stream;
};

/* The status; *message, of API_MESSAGE bytes, takes what was told. */
enum { API_MESSAGE = 2000 };
enum weft_status api_try(struct weft_program *program, const struct api_call *call, char *message);
/* It is WEFT_OK. */
void api_run(struct weft_program *program, const struct api_call *call);
void api_prepare(struct weft_program *program, const struct api_call *call);
enum weft_status api_status(struct weft_context *context, void *stream, char *message);

/* Device memory on the current device that holds x(0), x(1), ... as float32; of bytes `fill`. */
uint64_t api_floats(int64_t count, float (*x)(int64_t i));
uint64_t api_blank(size_t bytes);
struct api_line api_on(const char *name, uint64_t address, int64_t count);
/* A row and a column of API_SIDE, and their costly sum, in kernels of its own for each of the two: such a call borrows
 * memory for what they compute. `prepare` instead makes sure of that. */
enum { API_SIDE = 700 };
extern const char api_parts_text[];
void api_parts(struct weft_program *program, uint64_t row, uint64_t column, uint64_t out, void *stream, bool prepare);

/* Fails unless the memory holds these. */
void api_check(uint64_t address, int64_t count, float (*expected)(int64_t i));

#endif
