/* See report.h. */
#include "tests/random/report.h"

#include "tests/random/reduction.h"

#include <inttypes.h>
#include <stdio.h>

enum { CLASSES_FROM = 1500, TYPES_FROM = 20000 };

static void count_node(struct tally *tally, const struct formula *formula,
                       const struct formula_node *node)
{
    enum weft_dtype from = node->count ? formula->nodes[node->operands[0]].dtype : WEFT_BOOL;
    tally->nodes += node->count > 0;
    if (node->kind == FORMULA_OP && node->number.kind == NUMBER_NONE)
        tally->rows[node->op][node->meeting]++;
    if (node->kind == FORMULA_CAST)
        tally->casts[from][node->dtype]++;
    if (node->kind == FORMULA_REDUCE)
        tally->reductions[formula->reductions[node->reduction].function][node->meeting]++;
    tally->views += node->kind == FORMULA_VIEW;
    if (node->kind == FORMULA_VIEW)
        tally->view_kinds[formula->views[node->view].kind]++;
    if (node->kind == FORMULA_WRAP)
        tally->wraps[from][node->dtype]++;
}

static void count_sizes(struct tally *tally, const struct trial *trial)
{
    const struct formula *formula = &trial->formula;
    struct extents inputs[FORMULA_INPUTS], shapes[FORMULA_NODES];
    int operations = 0, size = 0;
    for (int n = 0; n < formula->count; n++)
        operations += formula->nodes[n].count > 0;
    while (size < 7 && 1 << size < operations)
        size++;
    tally->sizes[size]++;
    for (int i = 0; i < formula->input_count; i++)
        inputs[i] = trial->inputs[i][0].extents;
    if (!formula_shapes(formula, inputs, shapes))
        return;
    for (int r = 0; r < formula->result_count; r++) {
        const struct extents *shape = &shapes[formula->results[r]];
        tally->ranks[shape->rank]++;
        tally->elements += (uint64_t)extents_volume(shape);
        tally->in_place += trial->in_place[r] >= 0;
    }
}

void tally_add(struct tally *tally, const struct trial *trial, enum verdict verdict)
{
    const struct formula *formula = &trial->formula;
    tally->programs++;
    tally->verdicts[verdict]++;
    if (verdict == SKIPPED || verdict == LIMITED)
        return;
    for (int n = 0; n < formula->count; n++)
        count_node(tally, formula, &formula->nodes[n]);
    tally->results += (uint64_t)formula->result_count;
    tally->kernels += formula->kernel;
    tally->batches += trial->samples > 1;
    bool reduces = false;
    for (int n = 0; n < formula->count; n++)
        reduces = reduces || formula->nodes[n].kind == FORMULA_REDUCE;
    tally->reducing += reduces;
    count_sizes(tally, trial);
}

/* All fields are counts. */
void tally_join(struct tally *into, const struct tally *more)
{
    uint64_t *to = (uint64_t *)into;
    const uint64_t *from = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *into / sizeof *to; i++)
        to[i] += from[i];
}

/* ---- the table ---- */

/* Whether typing lets operands of this type through to the row. */
static bool is_possible(enum op op, enum weft_dtype dtype)
{
    const struct rule *rule = &rule_rows[op_rows[op].rule];
    if (op_rows[op].form == FORM_INTERNAL || !op_meaning(op, dtype))
        return false;
    const bool real = rule->operand == OPERAND_FLOAT || rule->operand == OPERAND_DIVIDED;
    if (rule->operand == OPERAND_BOOL)
        return dtype == WEFT_BOOL;
    if (dtype == WEFT_BOOL)
        return rule->all_bool && !real;
    return !real || dtype_is_float(dtype);
}

/* Whether what is possible of the types, or at least of their classes, was met. */
static bool check_counts(const struct tally *tally, const char *name, const bool *possible, const uint64_t *counts)
{
    uint64_t classes[4] = {0};
    bool some[4] = {false}, good = true;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        const enum type_class class = type_rows[t].class;
        some[class] = some[class] || possible[t];
        classes[class] += counts[t];
        if (possible[t] && counts[t] == 0 && tally->programs >= TYPES_FROM) {
            printf("never met: %s on %s\n", name, type_rows[t].name);
            good = false;
        }
    }
    for (int c = 0; c < 4; c++)
        if (some[c] && classes[c] == 0 && tally->programs >= CLASSES_FROM) {
            printf("never met: %s on a type of class %d\n", name, c);
            good = false;
        }
    return good;
}

static bool check_row(const struct tally *tally, enum op op)
{
    bool possible[WEFT_DTYPE_COUNT];
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        possible[t] = is_possible(op, (enum weft_dtype)t);
    return check_counts(tally, op_rows[op].spellings, possible, tally->rows[op]);
}

static bool check_reduction(const struct tally *tally, enum reduction function)
{
    bool possible[WEFT_DTYPE_COUNT];
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        possible[t] = reduction_takes(function, (enum weft_dtype)t);
    return check_counts(tally, reduction_rows[function].name, possible, tally->reductions[function]);
}

static const char *const view_names[VIEW_KINDS] = {
    "reshape", "squeeze", "expand_dims", "reinterpret", "[..]", "transpose", "flip", "roll", "broadcast_to", "tile",
    "repeat", "concat", "stack", "index", "take", "arange", "linspace", "offset", "pad", "correlate", "convolve",
    "gather", "sample", "random", "nonzero", "scatter"};

static bool check_views(const struct tally *tally)
{
    bool good = true;
    for (int v = 0; v < VIEW_KINDS; v++)
        if (tally->view_kinds[v] == 0 && tally->views && tally->programs >= CLASSES_FROM) {
            printf("never met: %s\n", view_names[v]);
            good = false;
        }
    return good;
}

static void print_row(const struct tally *tally, const char *name, const uint64_t *counts)
{
    (void)tally;
    printf("%-24s", name);
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        printf(" %7" PRIu64, counts[t]);
    printf("\n");
}

static void print_table(const struct tally *tally)
{
    printf("%-24s", "");
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        printf(" %7s", type_rows[t].short_name);
    printf("\n");
    for (int op = 0; op < OP_COUNT; op++)
        if (op_rows[op].form != FORM_INTERNAL)
            print_row(tally, op_rows[op].spellings, tally->rows[op]);
    for (int f = 0; f < REDUCTION_COUNT; f++) {
        char name[40];
        snprintf(name, sizeof name, "%s of", reduction_rows[f].name);
        print_row(tally, name, tally->reductions[f]);
    }
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        char name[40];
        snprintf(name, sizeof name, "cast from %s", type_rows[t].name);
        print_row(tally, name, tally->casts[t]);
    }
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        if (dtype_is_integer((enum weft_dtype)t)) {
            char name[40];
            snprintf(name, sizeof name, "wrap from %s", type_rows[t].name);
            print_row(tally, name, tally->wraps[t]);
        }
}

bool tally_print(const struct tally *tally, bool quiet)
{
    bool good = true;
    if (!quiet)
        print_table(tally);
    for (int v = 0; v < VIEW_KINDS && !quiet; v++)
        printf("%s%s %" PRIu64, v ? ", " : "", view_names[v], tally->view_kinds[v]);
    printf(quiet ? "" : "\n");
    printf("%" PRIu64 " operations, %" PRIu64 " results, %" PRIu64 " elements, %" PRIu64
           " results in place, %" PRIu64 " kernel texts, %" PRIu64 " views, %" PRIu64 " batches, %" PRIu64
           " programs with reductions\n",
           tally->nodes, tally->results, tally->elements, tally->in_place, tally->kernels,
           tally->views, tally->batches, tally->reducing);
    printf("results of rank 0, 1, ..:");
    for (int r = 0; r <= FORMULA_RANK; r++)
        printf(" %" PRIu64, tally->ranks[r]);
    printf("; programs of up to 1, 2, 4, .. operations:");
    for (int i = 0; i < 8; i++)
        printf(" %" PRIu64, tally->sizes[i]);
    printf("\n");
    for (int op = 0; op < OP_COUNT; op++)
        good = check_row(tally, (enum op)op) && good;
    for (int f = 0; f < REDUCTION_COUNT && tally->reducing; f++)
        good = check_reduction(tally, (enum reduction)f) && good;
    good = check_views(tally) && good;
    if (tally->verdicts[SKIPPED] * 100 > tally->programs + 100) {
        printf("too many programs were skipped\n");
        good = false;
    }
    if (tally->verdicts[LIMITED] * 10000 > tally->programs + 20000) {
        printf("too many programs were beyond a limit\n");
        good = false;
    }
    return good;
}
