/* Implements tuning.h. */
#include "compiler/loop/tuning.h"

#include <stdbool.h>
#include <string.h>

/* In rising order of `arch`. Measured on an H100 (bench/results/sweep_h100.json), and taken for all. There 8 elements
 * beside 32 brought 1.5 % of the time of a blend of two uint8 batches, 4.5 % of normalizing by division, and less than
 * 1 % elsewhere; small samples of a batch have less of a tile left over. Other numbers of threads and what is said of
 * registers brought less than 1 %. */
static const struct tuning rows[] = {
    {.arch = 0, .threads = 256, .elements = 8, .loads = 64},
};

const struct tuning *tuning_for(int arch)
{
    const struct tuning *found = &rows[0];
    for (size_t i = 1; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].arch <= arch)
            found = &rows[i];
    return found;
}

/* ---- words ---- */

enum rule { ANY, POWER, WARPS };

static const struct {
    const char *name;
    size_t member;
    int least, most;
    enum rule rule;
} words[] = {
    {"threads", offsetof(struct tuning, threads), 32, 640, WARPS},
    {"elements", offsetof(struct tuning, elements), 1, 256, POWER},
    {"loads", offsetof(struct tuning, loads), 1, 1024, POWER},
    {"bounds", offsetof(struct tuning, bounds), 0, 32, ANY},
    {"hints", offsetof(struct tuning, hints), 0, HINT_LOADS | HINT_STORES | HINT_ROWS, ANY},
    {"blocks", offsetof(struct tuning, blocks), 0, 4096, ANY},
};

static bool fits(size_t w, int value)
{
    return value >= words[w].least && value <= words[w].most && (words[w].rule != WARPS || value % 32 == 0) &&
           (words[w].rule != POWER || !(value & (value - 1)));
}

/* Reads digits up to `end`; -1: there is something else, or too much. */
static int number(const char *text, const char *end)
{
    int value = text < end ? 0 : -1;
    for (; text < end && value >= 0; text++)
        value = *text >= '0' && *text <= '9' && value < 100000 ? 10 * value + *text - '0' : -1;
    return value;
}

static bool read_word(struct tuning *tuning, const char *word, const char *end)
{
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const size_t length = strlen(words[w].name);
        if (strncmp(word, words[w].name, length) != 0 || word[length] != '=')
            continue;
        const int value = number(word + length + 1, end);
        if (!fits(w, value))
            return false;
        *(int *)((char *)tuning + words[w].member) = value;
        return true;
    }
    return false;
}

const char *tuning_read(struct tuning *tuning, const char *text, size_t *length)
{
    for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
        *length = strcspn(text, ", ");
        if (!read_word(tuning, text, text + *length))
            return text;
        text += *length;
    }
    return NULL;
}
