/* Implements dims.h. */
#include "compiler/lang/dims.h"

#include "compiler/lang/program.h"

#include <string.h>

static const struct {
    const char *letter, *word;
} kinds[DIM_KIND_COUNT] = {{"b", "batch"}, {"i", "instance"}, {"s", "spatial"}, {"c", "channel"}};

int dims_find(const struct dims *dims, const char *name)
{
    for (int d = 0; d < dims->rank; d++)
        if (strcmp(dims->items[d].name, name) == 0)
            return d;
    return -1;
}

enum dim_kind dim_kind_of_word(const char *text)
{
    int k = 0;
    while (k < DIM_KIND_COUNT && strcmp(text, kinds[k].word) != 0)
        k++;
    return (enum dim_kind)k;
}

enum dim_kind dim_kind_find(const char *text)
{
    int k = 0;
    while (k < DIM_KIND_COUNT && strcmp(text, kinds[k].letter) != 0)
        k++;
    return k < DIM_KIND_COUNT ? (enum dim_kind)k : dim_kind_of_word(text);
}

const char *dim_kind_word(enum dim_kind kind)
{
    return kinds[kind].word;
}

bool dim_name_is_word(const char *name)
{
    static const char *const words[] = {"and", "or", "not", "if", "else", "return", "None", "newaxis",
                                        "true", "false", "True", "False"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

bool dim_labels_equal(const struct dim *a, const struct dim *b)
{
    if (a->labels == b->labels || a->label_count != b->label_count)
        return a->label_count == b->label_count;
    for (int i = 0; i < a->label_count; i++)
        if (strcmp(a->labels[i], b->labels[i]) != 0)
            return false;
    return true;
}

int dim_find_label(const struct dim *dim, const char *label)
{
    for (int i = 0; i < dim->label_count; i++)
        if (strcmp(dim->labels[i], label) == 0)
            return i;
    return -1;
}

static bool is_name(const char *text)
{
    if (!begins_name(*text))
        return false;
    while (begins_name(*text) || is_digit(*text))
        text++;
    return !*text;
}

static void put_label(struct buf *buf, const char *label)
{
    const char *quote = is_name(label) && !dim_name_is_word(label) ? "" : strchr(label, '\'') ? "\"" : "'";
    buf_printf(buf, "%s%s%s", quote, label, quote);
}

void dim_put_labels(struct buf *buf, const struct dim *dim, int most)
{
    buf_putc(buf, '(');
    for (int i = 0; i < dim->label_count; i++) {
        const bool skip = dim->label_count > most && i >= most - 1;
        i = skip ? dim->label_count - 1 : i;
        buf_puts(buf, skip ? ",..," : i ? "," : "");
        put_label(buf, dim->labels[i]);
    }
    buf_putc(buf, ')');
}

static void put_dim(struct buf *buf, const struct program *program, const struct dim *dim, int64_t extent, int labels)
{
    const bool variable = extent <= EXTENT_VARIABLE && EXTENT_VARIABLE - extent < program->size_variable_count;
    buf_printf(buf, "%s:%s", dim->name, kinds[dim->kind].letter);
    if (dim->labels) {
        buf_putc(buf, '=');
        dim_put_labels(buf, dim, labels);
    } else if (extent >= 0) {
        buf_printf(buf, "=%lld", (long long)extent);
    } else if (variable) {
        buf_printf(buf, "=%s", program->size_variables[EXTENT_VARIABLE - extent]);
    }
}

void dims_put(struct buf *buf, const struct program *program, const struct dims *dims, const int64_t *extents,
              int labels)
{
    buf_putc(buf, '(');
    for (int d = 0; d < dims->rank; d++) {
        buf_puts(buf, d ? ", " : "");
        put_dim(buf, program, &dims->items[d], extents ? extents[d] : dims->items[d].extent, labels);
    }
    buf_putc(buf, ')');
}
