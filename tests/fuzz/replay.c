/* Runs the corpus without libFuzzer: `replay DIRECTORY`. A file called valid-* must be accepted in
 * every stage, broken-* must be refused, any other must only keep the invariants. Reports in TAP. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_file(const char *path, uint8_t *data, size_t room, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    *size = fread(data, 1, room, file);
    fclose(file);
    return true;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool replay(const char *directory, const char *name, int number)
{
    static uint8_t data[1 << 16];
    char path[4096];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    bool good = read_file(path, data, sizeof data, &size);
    /* Exactly as long as the input, so that a read past its end is seen. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return false;
    memcpy(copy, data, size);
    enum weft_status status = fuzz_one(copy, size);
    free(copy);
    if (begins(name, "valid-"))
        good = good && status >= 0;
    if (begins(name, "broken-"))
        good = good && status < 0;
    printf("%s %d %s (status %d)\n", good ? "ok" : "not ok", number, name, status);
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
    int number = 0, failures = count <= 0;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            failures += !replay(argv[1], entries[i]->d_name, ++number);
        free(entries[i]);
    }
    free(entries);
    printf("1..%d\n", number);
    return failures != 0 || number == 0;
}
