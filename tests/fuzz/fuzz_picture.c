/* Fuzzing: a picture, all bytes of it, of the kind that its content says and of each other kind: only its own reader
 * takes it. The outline is that of the picture; what is read can be written as PNG and read again. */
#include "tests/fuzz/files.h"

#include "cli/files/files.h"
#include "cli/files/picture.h"

#include <string.h>

typedef bool read_picture(struct report *report, const char *path, FILE *stream, struct tensor *tensor);

static read_picture *const readers[] = {picture_read_png, picture_read_jpeg, picture_read_pnm};
enum { READERS = sizeof readers / sizeof *readers };

static bool read_with(struct file *file, read_picture *reader, struct tensor *tensor)
{
    FILE *stream = file_stream(file);
    const bool done = reader(&file->report, "x", stream, tensor);
    fclose(stream);
    file_check(file, done);
    file_check_tensor(tensor, done);
    return done;
}

static void check_again(struct file *file, const struct tensor *tensor)
{
    struct tensor again = {.rank = 0};
    FILE *stream = tmpfile();
    CHECK(stream && !picture_misfit(KIND_PNG, tensor->dtype, tensor->rank, tensor->shape));
    CHECK(picture_write(stream, KIND_PNG, tensor) && !fflush(stream) && !ferror(stream));
    rewind(stream);
    CHECK(picture_read_png(&file->report, "x", stream, &again) && file_same(tensor, &again, false));
    tensor_finish(&again);
    fclose(stream);
}

enum weft_status fuzz_one(const uint8_t *data, size_t size)
{
    struct file file;
    int taken = 0;
    file_begin(&file, data, size);
    for (int i = 0; i < READERS; i++) {
        struct tensor tensor = {.rank = 0}, outline = {.outline = true};
        const bool outlined = read_with(&file, readers[i], &outline);
        const bool done = read_with(&file, readers[i], &tensor);
        CHECK(!done || (outlined && file_same(&tensor, &outline, true)));
        if (done)
            check_again(&file, &tensor);
        taken += done;
        tensor_finish(&tensor);
        tensor_finish(&outline);
    }
    CHECK(taken <= 1);
    file_end(&file);
    return taken ? WEFT_OK : WEFT_INPUT_ERROR;
}
