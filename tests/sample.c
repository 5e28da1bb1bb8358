/* See sample.h. */
#include "tests/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const layers[] = {"quick", "again", "usual", "full"};
enum { LAYERS = sizeof layers / sizeof *layers };

static int layer(void)
{
    const char *name = getenv("WEFT_LAYER");
    int i = 0;
    if (!name || !*name)
        return LAYERS - 1;
    while (i < LAYERS && strcmp(name, layers[i]) != 0)
        i++;
    if (i < LAYERS)
        return i;
    fprintf(stderr, "WEFT_LAYER is '%s', not quick, again, usual or full\n", name);
    exit(2);
}

long sample_number(const char *text)
{
    const char *next;
    for (int i = layer(); i > 0 && (next = strchr(text, '/')); i--)
        text = next + 1;
    return strtol(text, NULL, 0);
}

long sample_setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? sample_number(text) : otherwise;
}

/* ---- one case in so many ---- */

static long share, only, all, tried;

static void report(void)
{
    if (tried < all)
        printf("# %ld of %ld cases; all of them with WEFT_LAYER=full\n", tried, all);
}

bool sample_chosen(long number)
{
    if (all == 0) {
        share = sample_setting("WEFT_SHARE", 1);
        only = sample_setting("WEFT_CASE", -1);
        atexit(report);
    }
    bool chosen = only >= 0 ? number == only : share <= 1 || number % share == 0;
    all++;
    tried += chosen;
    return chosen;
}

long sample_pair(long a, long b, long columns)
{
    return (a + b) % columns + columns * a;
}
