/* How ahead-of-time sources for CUDA plan a loop on a sample: their table of kernels, and which of these serves it. */

//: classes
/* form.along, of a loop with reduced dimensions: a row is a point's elements, or the inner ones of one. */
enum { ALONG_ANY, ALONG_POINTS, ALONG_ELEMENTS };

/* A kernel for accesses of these kinds (enum access_kind). A row has at most `form.groups` outer groups, and its
 * period, where the kernel counts on one, is `period`. */
struct class {
    const char *kinds;
    struct chunk_form form;
    int number;                    /* among all of this file */
    bool batch;                    /* for samples in a table, and never for one alone */
    int period;
    int unaligned;                 /* the loop's class for inputs that are not aligned, with the same arguments; 0:
                                      none */
    int literal_constant;          /* form.literals_loaded: the constant with the literals */
    int fault;                     /* the first of its loop's bytes for divisions by zero and positions outside */
    const unsigned long long *literal;
    const uint64_t *const *code;   /* [CODES] */
};

/* Bytes that kernels read and that nobody hands over. */
struct constant {
    const void *data;
    size_t size;
};
//: plan
/* One loop on one sample. */
struct plan {
    struct weft_geometry walk;
    struct weft_lanes lanes;
    long long extents[LOOP_GROUPS], strides[ACCESSES * (LOOP_GROUPS + 2)];
    long long numbers[MAPPED * MAP_NUMBERS + 1];
    long long *maps[ACCESSES];
    int64_t starts[ACCESSES];
    unsigned char kinds[ACCESSES];
    const struct class *class;
    bool divided;                  /* into launches of at most PIECE elements */
    int64_t tiles;                 /* of a loop with reduced dimensions; nobody reads others */
};
//: class
enum { PIECE = 1 << 30 };          /* elements that 32 bits count, with room for a tile */

/* How blocks share a loop with reduced dimensions, which has work. */
static struct lane_tiles deal(const struct joined *joined, const int64_t *d)
{
    const int64_t points = extent(joined->points, d), elements = extent(joined->elements, d);
    const int64_t inner = extent(joined->inner, d);
    struct lane_tiles t = {.points = 1, .inner = inner, .lanes = 1, .width = joined->threads, .chunk = 1, .chunks = 1,
                           .together = 1, .kept = 1};
    t.windows = (inner - 1) / joined->threads + 1;
    if (!joined->serial)
        t = deal_block(points, elements ? elements : 1, inner, joined->threads, joined->partial, joined->deepest);
    t.elements = elements;
    return t;
}

static bool lies_along(const struct class *class, const struct loop *loop, const struct rows *rows, const int64_t *d)
{
    const struct joined *joined = loop->joined;
    const int along = class->form.along;
    if (!joined || along == ALONG_ANY)
        return true;
    return rows->columns == extent(joined->inner, d) * (along == ALONG_POINTS ? extent(joined->elements, d) : 1);
}

static bool serves(const struct class *class, const struct loop *loop, const struct rows *rows,
                   const unsigned char *kinds, const int64_t *d, bool wide)
{
    return lies_along(class, loop, rows, d) &&
           memcmp(class->kinds, kinds, (size_t)loop->accesses) == 0 && class->form.flat == (rows->period != 0) &&
           rows->groups <= class->form.groups && (!class->period || class->period == rows->period) &&
           (class->form.wide || !wide);
}

static const struct class *find_class(const struct loop *loop, const struct rows *rows, const unsigned char *kinds,
                                      const int64_t *d, bool wide, bool batch)
{
    for (int c = 0; c < loop->classes; c++)
        if (loop->class[c].batch == batch && serves(&loop->class[c], loop, rows, kinds, d, wide))
            return &loop->class[c];
    return NULL;
}

/* Whether the elements are one row, and lie there one after the other. */
static bool is_one_row(const struct loop *loop, const struct rows *rows, const unsigned char *kinds)
{
    bool one = !rows->groups && !rows->period;
    for (int a = 0; a < loop->accesses; a++)
        one = one && kinds[a] != ACCESS_STRIDED && kinds[a] != ACCESS_MAPPED && kinds[a] != ACCESS_BOUNDED;
    return one;
}
//: form
#define FORM struct chunk_form
//: kinds
/* False where there is no kernel for these kinds, or with `batch` none that takes many samples. */
static bool plan_kinds(const struct sizes *sizes, const struct loop *loop, const struct tensor *tensors,
                       const int64_t *d, bool special, bool batch, struct room room, struct plan *plan)
{
    struct views views;
    int64_t extents[LOOP_GROUPS], strides[ACCESSES * (LOOP_GROUPS + 2)], group_strides_[LOOP_GROUPS * ACCESSES];
    lend_views(&room, sizes, &views);
    make_views(sizes, loop, tensors, d, special, &views);
    struct grouping groups = {.accesses = loop->accesses, .strides = group_strides_, .walks = views.walk,
                              .starts = plan->starts, .sizes = views.sizes};
    struct rows rows = {.extents = extents, .strides = strides, .kinds = plan->kinds};
    groups_find(&groups, views.space.rank, views.space.extents, count_elements(&views.space), views.pointers);
    groups_stride(&groups, views.space.rank, views.space.extents, views.pointers);
    part_points(loop, d, &groups);
    make_rows(&groups, special && !loop->joined && chunks_run_flat(&groups), special, &rows);
    chunks_find_columns(&rows, loop->accesses);
    for (int a = 0; a < loop->accesses && a < ACCESSES; a++) /* else gcc sees it go beyond */
        if (loop->access[a].source == FROM_VALUE || loop->access[a].source == FROM_NUMBER)
            plan->kinds[a] = ACCESS_VALUE;
    const int64_t elements = rows.rows * rows.columns;
    const bool wide = chunks_are_wide(elements, strides, loop->accesses * (rows.groups + 2)) ||
                      numbers_are_wide(&groups);
    plan->divided = elements > PIECE && special && !batch && !loop->joined && is_one_row(loop, &rows, plan->kinds);
    plan->class = find_class(loop, &rows, plan->kinds, d, wide && !plan->divided, batch);
    if (!plan->class)
        return false;
    keep_plan(sizes, loop, &groups, &rows, make_tiles(rows.rows, rows.columns), plan);
    return true;
}

/* A reduction of no elements: nothing is loaded. */
static void plan_nothing(const struct loop *loop, struct plan *plan)
{
    memset(plan, 0, sizeof *plan);
    memset(plan->kinds, ACCESS_STRIDED, sizeof plan->kinds);
    plan->walk.columns = 1;
    plan->walk.extents = plan->extents;
    plan->walk.strides = plan->strides;
    plan->class = &loop->class[loop->classes - 1];
}
