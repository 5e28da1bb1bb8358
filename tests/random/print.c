/* What a failure shows: the text and the data. */
#include "tests/random/execute.h"

#include "tests/random/text.h"

#include <stdio.h>
#include <string.h>

static void print_layout(const struct layout *layout, const struct extents *extents)
{
    int64_t strides[FORMULA_RANK], first;
    layout_strides(layout, extents, strides, &first);
    printf("  strides [");
    for (int d = 0; d < extents->rank; d++)
        printf(d ? ", %lld" : "%lld", (long long)strides[d]);
    printf("] from element %lld", (long long)first);
}

static void print_values(const struct sample *sample, enum weft_dtype dtype, struct arena *arena)
{
    int64_t volume = extents_volume(&sample->extents);
    struct buf buf = buf_new(arena);
    for (int64_t e = 0; e < volume && e < 100; e++) {
        buf_puts(&buf, e ? ", " : "");
        scalar_print(&buf, dtype, sample->values[e]);
    }
    printf("[%s%s]", buf.text ? buf.text : "", volume > 100 ? ", ..." : "");
}

static void print_input(struct trial *trial, struct arena *arena, int input)
{
    static const struct layout dense = {0};
    int count = trial->formula.inputs[input].batch ? trial->samples : 1;
    for (int s = 0; s < count; s++) {
        const struct sample *sample = &trial->inputs[input][s];
        printf("%s: %s[", input_name(input), type_rows[trial->formula.inputs[input].dtype].name);
        for (int d = 0; d < sample->extents.rank; d++)
            printf(d ? ", %lld" : "%lld", (long long)sample->extents.at[d]);
        printf("] = ");
        print_values(sample, trial->formula.inputs[input].dtype, arena);
        if (memcmp(&sample->layout, &dense, sizeof dense) != 0)
            print_layout(&sample->layout, &sample->extents);
        printf("\n");
    }
}

void trial_print(struct trial *trial)
{
    static struct text text;
    static const struct layout dense = {0};
    struct weft_input_type types[FORMULA_INPUTS];
    char room[FORMULA_INPUTS][208];
    struct arena arena;
    arena_init(&arena);
    formula_write(trial, &text);
    printf("%s\n", text.bytes);
    size_t count = told_types(trial, types, room);
    for (size_t i = 0; i < count; i++)
        printf("told to weft_compile: %s: %s\n", types[i].name, types[i].type);
    for (int i = 0; i < trial->formula.input_count; i++)
        print_input(trial, &arena, i);
    for (int r = 0; r < trial->formula.result_count; r++)
        if (trial->in_place[r] >= 0)
            printf("r%d is written to %s\n", r, input_name(trial->in_place[r]));
        else if (memcmp(&trial->outputs[r], &dense, sizeof dense) != 0)
            printf("r%d has gaps\n", r);
    arena_finish(&arena);
}
