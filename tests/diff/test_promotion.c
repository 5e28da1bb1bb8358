/* The promotion table as a text that people read, tests/golden/promotion.txt, against promote().
 *     test_promotion FILE [--update] */
#include "compiler/lang/ops.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 4096 };

/* One row per left operand, one column per right one. */
static void print_table(char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "%-9s", "");
    for (int b = 0; b < WEFT_DTYPE_COUNT; b++)
        length += (size_t)snprintf(text + length, size - length, " %8s", type_rows[b].name);
    for (int a = 0; a < WEFT_DTYPE_COUNT; a++) {
        length += (size_t)snprintf(text + length, size - length, "\n%-9s", type_rows[a].name);
        for (int b = 0; b < WEFT_DTYPE_COUNT; b++)
            length += (size_t)snprintf(text + length, size - length, " %8s",
                                       type_rows[promote(a, b)].name);
    }
    snprintf(text + length, size - length, "\n");
}

static int update(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

static int compare(const char *path, const char *text)
{
    char golden[ROOM] = "";
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t length = fread(golden, 1, ROOM - 1, file);
    fclose(file);
    golden[length] = 0;
    if (strcmp(golden, text) == 0)
        return 0;
    fprintf(stderr, "%s differs; promote() gives\n%s", path, text);
    return 1;
}

int main(int argc, char **argv)
{
    char text[ROOM];
    if (argc < 2)
        return 2;
    print_table(text, sizeof text);
    return argc > 2 && strcmp(argv[2], "--update") == 0 ? update(argv[1], text)
                                                        : compare(argv[1], text);
}
