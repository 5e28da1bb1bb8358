/* Reading .npz, see npz.h. */
#include "cli/files/npz.h"

#include "cli/files/npy.h"

#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum { LISTED_KEYS = 20, DRAINED_BLOCKS = 1 << 14 };

static int64_t read_entry(void *user, void *bytes, size_t size)
{
    return zip_fread(user, bytes, size);
}

static const char *entry_error(void *user)
{
    return zip_file_strerror(user);
}

/* The length of an entry's key: its name without .npy; 0 for an entry that is no array. */
static size_t key_length(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return length > 4 && strcmp(name + length - 4, ".npy") == 0 ? length - 4 : 0;
}

static const char *list_keys(struct report *report, zip_t *archive)
{
    const char *listed[LISTED_KEYS + 1];
    size_t count = 0;
    zip_int64_t entries = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < entries && count <= LISTED_KEYS; i++) {
        const char *name = zip_get_name(archive, (zip_uint64_t)i, 0);
        size_t length = key_length(name);
        if (length)
            listed[count++] = pool_string(report->pool, name, length < 200 ? length : 200);
    }
    if (count > LISTED_KEYS)
        listed[LISTED_KEYS] = "...";
    return pool_join(report->pool, listed, count, ", ");
}

static bool find_entry(struct report *report, const char *path, zip_t *archive, const char *key,
                       zip_int64_t *index)
{
    *index = zip_name_locate(archive, pool_printf(report->pool, "%s.npy", key), ZIP_FL_ENC_RAW);
    if (*index < 0)
        *index = key_length(key) ? zip_name_locate(archive, key, ZIP_FL_ENC_RAW) : -1;
    return *index >= 0 ||
           REPORT_FILE(report, path, NPZ_KEY,
                       pool_printf(report->pool, "it holds no array '%.200s'", key), path,
                       list_keys(report, archive));
}

/* Reads to the end of the entry, where the checksum is compared. Whether it is the archive, not the array in it,
 * that is damaged. */
static bool is_damaged(zip_file_t *entry)
{
    char rest[4096];
    for (int i = 0; i < DRAINED_BLOCKS && zip_fread(entry, rest, sizeof rest) > 0; i++)
        continue;
    return zip_error_code_zip(zip_file_get_error(entry)) != ZIP_ER_OK;
}

/* Reads an array but holds its diagnostics back: a flipped bit first looks like a mistake in the array, then fails
 * the checksum, which is the better message. */
static bool read_entry_array(struct report *report, const char *path, zip_file_t *entry,
                             double size, struct tensor *tensor)
{
    char *text = NULL;
    size_t length = 0;
    struct report own = *report;
    struct npy_stream stream = {read_entry, entry_error, entry, size};
    FILE *kept = open_memstream(&text, &length);
    own.stream = kept ? kept : report->stream;
    bool done = npy_read_stream(&own, path, &stream, tensor);
    if (kept)
        fclose(kept);
    if (!done && kept && is_damaged(entry)) {
        REPORT_FILE(report, path, BAD_NPZ,
                    pool_printf(report->pool, "the archive is damaged: %s", entry_error(entry)));
    } else if (!done) {
        fputs(text ? text : "", report->stream);
        report->status = own.status;
    }
    free(text);
    return done;
}

static bool read_array(struct report *report, const char *path, zip_t *archive, int64_t index,
                       struct tensor *tensor)
{
    zip_stat_t status;
    bool sized = zip_stat_index(archive, (zip_uint64_t)index, 0, &status) == 0 &&
                 (status.valid & ZIP_STAT_SIZE);
    zip_file_t *entry = zip_fopen_index(archive, (zip_uint64_t)index, 0);
    if (!entry)
        return REPORT_FILE(report, path, BAD_NPZ, zip_strerror(archive));
    bool done = read_entry_array(report, path, entry, sized ? (double)status.size : -1, tensor);
    zip_fclose(entry);
    return done;
}

static zip_t *open_archive(struct report *report, const char *path)
{
    int code;
    zip_error_t error;
    zip_t *archive = zip_open(path, ZIP_RDONLY, &code);
    if (archive)
        return archive;
    zip_error_init_with_code(&error, code);
    REPORT_FILE(report, path, BAD_NPZ,
                pool_printf(report->pool, "%s", zip_error_strerror(&error)));
    zip_error_fini(&error);
    return NULL;
}

bool npz_read(struct report *report, const char *path, const char *key, struct tensor *tensor)
{
    zip_int64_t index = -1;
    zip_t *archive = open_archive(report, path);
    if (!archive)
        return false;
    bool done = find_entry(report, path, archive, key, &index) &&
                read_array(report, path, archive, index, tensor);
    zip_discard(archive);
    return done;
}

bool npz_open(struct report *report, const char *path, struct npz *npz)
{
    zip_t *archive = open_archive(report, path);
    zip_int64_t entries = archive ? zip_get_num_entries(archive, 0) : 0;
    *npz = (struct npz){.archive = archive, .path = path};
    for (zip_int64_t i = 0; i < entries && npz->count < INT32_MAX; i++) {
        const char *name = zip_get_name(archive, (zip_uint64_t)i, 0);
        size_t length = key_length(name);
        if (!length)
            continue;
        int count = npz->count;
        POOL_PUSH(report->pool, npz->entries, count, i);
        POOL_PUSH(report->pool, npz->keys, npz->count, pool_string(report->pool, name, length));
    }
    if (archive && (npz->count || !entries))
        return true;
    if (archive)
        REPORT_FILE(report, path, BAD_NPZ, "it holds no array (no entry ends in .npy)");
    npz_close(npz);
    return false;
}

bool npz_read_array(struct report *report, const struct npz *npz, int index, const char *name,
                    struct tensor *tensor)
{
    return read_array(report, name, npz->archive, npz->entries[index], tensor);
}

void npz_close(struct npz *npz)
{
    if (npz->archive)
        zip_discard(npz->archive);
    npz->archive = NULL;
}
