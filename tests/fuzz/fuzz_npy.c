/* Fuzzing: a .npy, all bytes of it. Mapped, as a stream and as an outline it is the same array or the same refusal;
 * what is read can be written and read again. */
#include "tests/fuzz/files.h"

#include "cli/files/npy.h"

#include <string.h>
#include <unistd.h>

/* A stream that gives a few bytes at a time. */
static int64_t read_some(void *user, void *bytes, size_t size)
{
    return fread(bytes, 1, size < 7 ? size : 7, user);
}

static const char *no_error(void *user)
{
    (void)user;
    return "none";
}

static bool read_stream(struct file *file, size_t size, struct tensor *tensor)
{
    FILE *stream = file_stream(file);
    const bool done = npy_read_stream(&file->report, "x.npy",
                                      &(struct npy_stream){read_some, no_error, stream, (double)size}, tensor);
    fclose(stream);
    return done;
}

static void check_again(struct file *file, struct tensor *tensor)
{
    struct tensor again = {.rank = 0};
    FILE *stream = tmpfile();
    CHECK(stream && tensor_make_dense(&file->report, "x.npy", 1, tensor));
    npy_write(stream, tensor);
    CHECK(!fflush(stream) && !ferror(stream));
    rewind(stream);
    CHECK(npy_read(&file->report, "x.npy", fileno(stream), &again));
    again.voids = tensor->voids;
    CHECK(file_same(tensor, &again, false));
    tensor_finish(&again);
    fclose(stream);
}

enum weft_status fuzz_one(const uint8_t *data, size_t size)
{
    struct file file;
    struct tensor mapped = {.rank = 0}, streamed = {.rank = 0}, outline = {.outline = true};
    file_begin(&file, data, size);
    const bool outlined = npy_read(&file.report, "x.npy", file.fd, &outline);
    file_check(&file, outlined);
    file_check_tensor(&outline, outlined);
    const bool done = npy_read(&file.report, "x.npy", file.fd, &mapped);
    file_check(&file, done);
    file_check_tensor(&mapped, done);
    CHECK(done == outlined && (!done || file_same(&mapped, &outline, true)));
    CHECK(read_stream(&file, size, &streamed) == done);
    file_check(&file, done);
    file_check_tensor(&streamed, done);
    CHECK(!done || file_same(&mapped, &streamed, false));
    if (done && mapped.dtype != WEFT_BFLOAT16 && !mapped.voids)
        check_again(&file, &mapped);
    tensor_finish(&mapped);
    tensor_finish(&streamed);
    file_end(&file);
    return done ? WEFT_OK : WEFT_INPUT_ERROR;
}
