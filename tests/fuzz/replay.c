/* Runs the corpus without libFuzzer: `replay FILE...`. A file called valid-* must be accepted in
 * every stage, broken-* must be refused, any other must only keep the invariants. Reports in TAP. */
#include "tests/fuzz/fuzz.h"

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

int main(int argc, char **argv)
{
    static uint8_t data[1 << 16];
    int failures = 0;
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];
        size_t size = 0;
        /* Exactly as long as the input, so that a read past its end is seen. */
        bool good = read_file(argv[i], data, sizeof data, &size);
        uint8_t *copy = malloc(size ? size : 1);
        if (!copy)
            return 1;
        memcpy(copy, data, size);
        fflush(stdout);
        enum weft_status status = fuzz_one(copy, size);
        free(copy);
        if (begins(name, "valid-"))
            good = good && status >= 0;
        if (begins(name, "broken-"))
            good = good && status < 0;
        printf("%s %d %s (status %d)\n", good ? "ok" : "not ok", i, name, status);
        failures += !good;
    }
    return failures != 0;
}
