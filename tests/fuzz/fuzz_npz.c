/* Fuzzing: a .npz, all bytes of it. Its arrays are read in order and by key; what is read can be written and read
 * again. */
#include "tests/fuzz/files.h"

#include "cli/files/npz.h"

#include <string.h>
#include <unistd.h>

enum { MOST = 8 };

static bool is_repeated(const struct npz *npz, int index)
{
    for (int i = 0; i < npz->count; i++)
        if (i != index && strcmp(npz->keys[i], npz->keys[index]) == 0)
            return true;
    return false;
}

/* A key leads to the entry of just that name, which need not end in .npy. */
static void check_key(struct file *file, const struct npz *npz, int index, const struct tensor *tensor)
{
    struct tensor other = {.rank = 0};
    const bool done = npz_read(&file->report, file->path, npz->keys[index], &other);
    file_check(file, done);
    file_check_tensor(&other, done);
    CHECK(is_repeated(npz, index) || (done && file_same(tensor, &other, false)));
    tensor_finish(&other);
}

/* Writes those that were read; as many are read again. */
static void check_again(struct file *file, const struct npz *npz, struct tensor *tensors, int count)
{
    struct npz again;
    char path[64];
    FILE *stream = tmpfile();
    CHECK(stream);
    for (int i = 0; i < count; i++)
        CHECK(tensor_make_dense(&file->report, "x.npz", 1, &tensors[i]));
    CHECK(npz_write(stream, npz->keys, tensors, count) && !fflush(stream) && !ferror(stream));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(stream));
    CHECK(npz_open(&file->report, path, &again) && again.count == count);
    for (int i = 0; i < count; i++) {
        struct tensor other = {.rank = 0};
        CHECK(strcmp(npz->keys[i], again.keys[i]) == 0 && npz_read_array(&file->report, &again, i, "x", &other));
        CHECK(tensors[i].voids || file_same(&tensors[i], &other, false));
        tensor_finish(&other);
    }
    npz_close(&again);
    fclose(stream);
}

enum weft_status fuzz_one(const uint8_t *data, size_t size)
{
    struct file file;
    struct npz npz;
    struct tensor tensors[MOST] = {{.rank = 0}};
    file_begin(&file, data, size);
    bool done = npz_open(&file.report, file.path, &npz);
    const int count = npz.count < MOST ? npz.count : MOST;
    file_check(&file, done);
    for (int i = 0; i < count && done; i++) {
        done = npz_read_array(&file.report, &npz, i, "x.npz", &tensors[i]);
        file_check(&file, done);
        file_check_tensor(&tensors[i], done);
        if (done)
            check_key(&file, &npz, i, &tensors[i]);
    }
    if (done && count == npz.count && count)
        check_again(&file, &npz, tensors, count);
    for (int i = 0; i < MOST; i++)
        tensor_finish(&tensors[i]);
    npz_close(&npz);
    file_end(&file);
    return done ? WEFT_OK : WEFT_INPUT_ERROR;
}
