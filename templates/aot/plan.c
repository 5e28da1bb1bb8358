/* What ahead-of-time sources carry, in sections: a loop's accesses are planned, which finds the class for them. Nothing
 * fails any more once the tiles of the first one run. */

//: plan
enum { LINE = 64 };                /* bytes: two threads do not write into the same */

/* Whether a sample has no results' elements: there is nothing to compute then, nor what results would share. */
static bool is_empty(const struct kernel *kernel, const struct tensor *tensors)
{
    bool empty = true;
    for (int r = 0; r < kernel->results; r++)
        empty = empty && tensors[kernel->inputs + r].first == tensors[kernel->inputs + r].end;
    return empty;
}

/* The bytes of a sample's temporaries in front of number `count`. */
static size_t place_temporary(const struct kernel *kernel, int count, const int64_t *d)
{
    size_t at = 0;
    for (int t = 0; t < count; t++) {
        const struct temporary *temporary = &kernel->temporary[t];
        const int64_t elements = volume(temporary->shape.rank, temporary->shape.extents, d);
        if (at <= SIZE_MAX / 4)    /* more can never be had */
            at += ((size_t)elements * (size_t)temporary->size + LINE - 1) / LINE * LINE;
    }
    return at;
}
//: loop plan
/* One loop on one sample: what a kernel is called with. */
struct plan {
    struct weft_geometry walk;
    long long *extents, *strides;  /* [groups], [accesses][groups + 2] */
    long long *numbers, **maps;    /* [mapped][numbers], [accesses] */
    int (*offset)[INTERLEAVED_ROOM], **offsets; /* [accesses] */
    struct weft_lanes lanes;
    int64_t *starts, *values;      /* [accesses] */
    char **bases;
    int class;
    int64_t tiles;
    double work, touched, stored;
};

static void lend_plan(struct room *room, const struct sizes *sizes, struct plan *plan)
{
    plan->extents = LEND(room, long long, sizes->groups);
    plan->strides = LEND(room, long long, sizes->accesses * (sizes->groups + 2));
    plan->numbers = LEND(room, long long, sizes->mapped * sizes->numbers);
    plan->maps = LEND(room, long long *, sizes->accesses);
    plan->offset = lend(room, sizes->accesses, sizeof *plan->offset);
    plan->offsets = LEND(room, int *, sizes->accesses);
    plan->starts = LEND(room, int64_t, sizes->accesses);
    plan->values = LEND(room, int64_t, sizes->accesses);
    plan->bases = LEND(room, char *, sizes->accesses);
}

static size_t plan_room(const struct sizes *s)
{
    const size_t access = ((size_t)s->groups + 4) * sizeof(long long) + 3 * sizeof(void *) +
                          INTERLEAVED_ROOM * sizeof(int);
    return sizeof(struct plan) + sizeof(long long) * ((size_t)s->groups + (size_t)s->mapped * (size_t)s->numbers) +
           (size_t)s->accesses * access + 10 * ROUND;
}

enum { SAMPLES = 64 };             /* planned at once, at most */
//: views
/* A loop's accesses over its space. */
struct views {
    struct shape space, *from, *to; /* [maps] */
    struct index_map *maps;
    struct axis *axes;             /* [open maps][MAX_RANK] */
    int64_t (*strides)[MAX_RANK];  /* [accesses] */
    const int64_t **pointers;
    struct walk *walks, **walk;    /* [mapped], [accesses] */
    struct walk_level *levels;     /* [mapped][levels] */
    int *sizes;
};

static void lend_views(struct room *room, const struct sizes *sizes, struct views *views)
{
    views->from = LEND(room, struct shape, sizes->maps);
    views->to = LEND(room, struct shape, sizes->maps);
    views->maps = LEND(room, struct index_map, sizes->maps);
    views->axes = LEND(room, struct axis, sizes->open_maps * MAX_RANK);
    views->strides = lend(room, sizes->accesses, sizeof *views->strides);
    views->pointers = LEND(room, const int64_t *, sizes->accesses);
    views->walks = LEND(room, struct walk, sizes->mapped);
    views->walk = LEND(room, struct walk *, sizes->accesses);
    views->levels = LEND(room, struct walk_level, sizes->mapped * sizes->levels);
    views->sizes = LEND(room, int, sizes->accesses);
}

static size_t views_room(const struct sizes *s)
{
    const size_t access = MAX_RANK * sizeof(int64_t) + 2 * sizeof(void *) + sizeof(int);
    return (size_t)s->maps * (2 * sizeof(struct shape) + sizeof(struct index_map)) +
           (size_t)s->open_maps * MAX_RANK * sizeof(struct axis) + (size_t)s->accesses * access +
           (size_t)s->mapped * (sizeof(struct walk) + (size_t)s->levels * sizeof(struct walk_level)) + 10 * ROUND;
}

static void evaluate(const struct form *form, const int64_t *d, struct shape *shape)
{
    shape->rank = form->rank;
    for (int k = 0; k < form->rank; k++)
        shape->extents[k] = extent(form->extents[k], d);
}

/* The elements of an operand whose bytes are read as others; false where strides do not allow it. */
SHARED bool reinterpret(const struct tensor *tensor, const struct access *access, struct pieces *pieces)
{
    struct pieces own;
    int64_t strides[MAX_RANK];
    for (int k = 0; k < tensor->rank; k++)
        strides[k] = tensor->strides[k] * access->old;
    pieces_make(&own, tensor->rank, tensor->shape, strides);
    return pieces_reinterpret(&own, access->old, access->size, pieces);
}

/* Whether that can be done with all operands that it is done with. */
static int check_bytes(const struct kernel *kernel, const struct tensor *tensors)
{
    struct pieces pieces;
    for (int p = 0; p < kernel->loops; p++)
        for (int a = 0; a < kernel->loop[p].loads; a++) {
            const struct access *access = &kernel->loop[p].access[a];
            const struct tensor *tensor = access->old ? &tensors[access->index] : NULL;
            if (tensor && tensor->first != tensor->end && !reinterpret(tensor, access, &pieces))
                return tell(WEFT_KERNEL_INPUT_ERROR, tensor->operand->name,
                            "its bytes do not lie together as it is reinterpreted");
        }
    return WEFT_KERNEL_OK;
}

static void view(const struct loop *loop, int a, const struct tensor *tensors, const int64_t *d,
                 struct views *views)
{
    const struct access *access = &loop->access[a];
    const struct tensor *tensor = access->source == FROM_OPERAND ? &tensors[access->index] : NULL;
    const struct shape *to = views->maps[access->map].to;
    struct shape own;
    views->sizes[a] = access->size;
    views->pointers[a] = views->strides[a];
    if (!tensor)
        evaluate(&access->shape, d, &own);
    broadcast_strides(to->rank, to->extents, tensor ? tensor->rank : own.rank,
                      tensor ? tensor->shape : own.extents, tensor ? tensor->strides : NULL, access->size,
                      views->strides[a]);
}

/* The walk of an access that is seen by way of views, or read as another type. */
SHARED void follow(const struct sizes *sizes, const struct loop *loop, int a, const struct tensor *tensors,
                   bool special, struct views *views, int number)
{
    const struct access *access = &loop->access[a];
    const struct shape *to = views->maps[access->map].to;
    struct walk *walk = &views->walks[number];
    struct pieces pieces;
    if (access->old)
        reinterpret(&tensors[access->index], access, &pieces);
    else
        pieces_make(&pieces, to->rank, to->extents, views->strides[a]);
    walk->levels = views->levels + (ptrdiff_t)number * sizes->levels;
    walk_follow(views->maps, access->map, &pieces, walk);
    if (!special && !walk->taken)
        walk_number(walk);
    views->walk[a] = walk;
}

/* Axes with the call's numbers, in `axes`. */
static const struct axis *number_axes(const struct map *map, const int64_t *d, struct axis *axes)
{
    for (int t = 0; t < map->to.rank; t++) {
        const struct slice *slice = &map->axes[t].slice;
        axes[t] = map->axes[t];
        axes[t].slice.start = slice->open & 1 ? d[slice->start] : slice->start;
        axes[t].slice.stop = slice->open & 2 ? d[slice->stop] : slice->stop;
        axes[t].slice.step = slice->open & 4 ? d[slice->step] : slice->step;
    }
    return axes;
}

static void make_views(const struct sizes *sizes, const struct loop *loop, const struct tensor *tensors,
                       const int64_t *d, bool special, struct views *views)
{
    int number = 0, opened = 0;
    evaluate(&loop->shape, d, &views->space);
    views->maps[0] = (struct index_map){.parent = -1, .to = &views->space};
    for (int m = 1; m < loop->maps; m++) {
        evaluate(&loop->map[m].from, d, &views->from[m]);
        evaluate(&loop->map[m].to, d, &views->to[m]);
        struct axis *const room = views->axes + (ptrdiff_t)MAX_RANK * opened;
        const struct axis *axes = loop->map[m].open ? number_axes(&loop->map[m], d, room) : loop->map[m].axes;
        opened += loop->map[m].open;
        views->maps[m] = (struct index_map){loop->map[m].parent, &views->from[m], &views->to[m], axes,
                                            loop->map[m].outside, loop->map[m].value};
    }
    for (int a = 0; a < loop->accesses; a++) {
        views->walk[a] = NULL;
        view(loop, a, tensors, d, views);
        if (loop->access[a].map || loop->access[a].old)
            follow(sizes, loop, a, tensors, special, views, number++);
    }
}
//: loop class
static int find_class(const struct loop *loop, const unsigned char *kinds)
{
    int c = 0;
    while (c < loop->classes && memcmp(loop->class[c].kinds, kinds, (size_t)loop->accesses) != 0)
        c++;
    return c;
}
//: joins
/* Whether there is anything to compute. A reduction of no elements has results. */
static bool has_work(const struct loop *loop, const int64_t *d)
{
    const struct joined *joined = loop->joined;
    if (!joined)
        return volume(loop->shape.rank, loop->shape.extents, d) > 0;
    return extent(joined->points, d) > 0 && extent(joined->inner, d) > 0 &&
           extent(joined->elements, d) >= joined->partial;
}

/* Where points have one element each, a row would hold many points. A group of one element keeps them apart. */
static void part_points(const struct loop *loop, const int64_t *d, struct grouping *groups)
{
    const struct joined *joined = loop->joined;
    if (!joined || extent(joined->points, d) < 2 || extent(joined->elements, d) * extent(joined->inner, d) != 1)
        return;
    groups->extents[groups->count] = 1;
    for (int a = 0; a < groups->accesses; a++)
        group_strides(groups, groups->count)[a] = 0;
    groups->count++;
}
//: join tiles
/* How tiles share a loop with reduced dimensions, which has work. */
static struct lane_tiles deal(const struct joined *joined, const int64_t *d)
{
    const int64_t elements = extent(joined->elements, d);
    struct lane_tiles t = deal_lanes(extent(joined->points, d), elements ? elements : 1, extent(joined->inner, d),
                                     joined->ordered, joined->partial ? LANE_COUNT : BLOCK_ELEMENTS);
    t.elements = elements;
    return t;
}

/* Whether a row may have two groups: those of a reduction hold one point. */
static bool may_run_flat(const struct loop *loop)
{
    return !loop->joined || loop->joined->points == 1;
}
//: keep lanes
static void keep_lanes(const struct lane_tiles *t, struct plan *plan)
{
    plan->lanes = (struct weft_lanes){
        .points = t->points, .elements = t->elements, .inner = t->inner, .rows = plan->walk.rows / t->points,
        .lanes = t->lanes, .block = t->block, .width = t->width, .windows = t->windows, .chunk = t->chunk,
        .chunks = t->chunks, .together = t->together, .step = t->step, .kept = t->kept};
    plan->walk.lanes = &plan->lanes;
    plan->tiles = ((t->points - 1) / t->together + 1) * t->windows * t->chunks;
}

//: join nothing
/* A reduction of no elements: nothing is loaded. */
static void plan_nothing(const struct loop *loop, struct plan *plan)
{
    plan->walk = (struct weft_geometry){.columns = 1, .extents = plan->extents, .strides = plan->strides};
    plan->class = loop->classes - 1;
    for (int a = 0; a < loop->accesses; a++)
        plan->starts[a] = 0;
}
//: keep
static void keep_plan(const struct sizes *sizes, const struct loop *loop, const struct grouping *groups,
                      const struct rows *rows, const struct tiling t, struct plan *plan)
{
    const int first = groups->count - 1 - (rows->period != 0);
    plan->walk = (struct weft_geometry){
        .rows = rows->rows, .columns = rows->columns, .tile_rows = t.tile_rows, .tile_columns = t.tile_columns,
        .row_tiles = t.row_tiles, .period = rows->period, .groups = rows->groups, .extents = plan->extents,
        .strides = plan->strides, .maps = plan->maps};
    plan->tiles = t.tiles;
    for (int i = 0; i < rows->groups; i++)
        plan->extents[i] = rows->extents[i];
    for (int i = 0; i < loop->accesses * (rows->groups + 2); i++)
        plan->strides[i] = rows->strides[i];
    for (int a = 0, number = 0; a < loop->accesses; a++) {
        plan->maps[a] = plan->numbers + (ptrdiff_t)number * sizes->numbers;
        if (groups->walks[a] && ++number)
            make_map(groups, first, first < 0 ? 1 : groups->extents[first], a, plan->maps[a]);
    }
}
//: loop gathers
/* Finds loads of the same tensor that are made together. */
static void part(const struct loop *loop, const struct grouping *groups, const struct rows *rows, struct room room)
{
    int *const same = LEND(&room, int, loop->loads);
    for (int a = 0; a < loop->loads; a++) {
        const struct access *access = &loop->access[a], *first = loop->access;
        while (first->source != access->source || first->index != access->index || first->size != access->size)
            first++;
        same[a] = (int)(first - loop->access);
    }
    part_loads(groups, &(struct parting){loop->loads, rows->groups, same, rows->strides, rows->kinds, NULL});
}

/* The tiles of rows whose loads gather vectors where they can, if there is a class for these kinds. */
static struct tiling gather(const struct loop *loop, const struct grouping *groups, bool interleaved, bool folded,
                            const struct rows *rows, struct room room, struct plan *plan)
{
    struct tiling tiling = make_tiles(rows->rows, rows->columns);
    if (interleaved && interleave_loads(groups, folded, loop->loads, rows->period, rows->kinds, plan->offset))
        tiling = interleave_tiles(rows->rows, rows->columns);
    for (int a = 0; a < loop->accesses; a++)
        plan->offsets[a] = plan->offset[a];
    const int outer = rows->groups - 1,
              most = rows->period ? 0 : transpose_loads(groups, outer, loop->loads, rows->columns, rows->kinds);
    if (!rows->period)
        part(loop, groups, rows, room);
    plan->class = find_class(loop, rows->kinds);
    return most && plan->class < loop->classes
               ? transpose_tiles(groups->extents[outer], rows->rows, rows->columns, most,
                                 loop->class[plan->class].copied)
               : tiling;
}
//: loop kinds
/* How a plan's class is looked for: with loads that gather vectors, by plain kinds, or the one for all. */
enum search { GATHERING, PLAIN, GENERAL };

/* False where there is no kernel for the kinds. */
static bool plan_kinds(const struct sizes *sizes, const struct loop *loop, const struct tensor *tensors,
                       const int64_t *d, enum search search, struct room room, struct plan *plan)
{
    struct views views;
    const bool special = search != GENERAL;
    const int room_of_groups = sizes->groups * sizes->accesses;
    bool nested = false;
    lend_views(&room, sizes, &views);
    make_views(sizes, loop, tensors, d, special, &views);
    struct grouping groups = {.accesses = loop->accesses, .strides = LEND(&room, int64_t, room_of_groups),
                              .walks = views.walk, .starts = plan->starts, .sizes = views.sizes};
    struct grouping folded = {.strides = LEND(&room, int64_t, room_of_groups)};
    struct rows rows = {.extents = LEND(&room, int64_t, sizes->groups),
                        .strides = LEND(&room, int64_t, sizes->accesses * (sizes->groups + 2)),
                        .kinds = LEND(&room, unsigned char, sizes->accesses)};
    groups_find(&groups, views.space.rank, views.space.extents, count_elements(&views.space), views.pointers);
    groups_stride(&groups, views.space.rank, views.space.extents, views.pointers);
    part_points(loop, d, &groups);
    const bool flat = special && may_run_flat(loop) && runs_flat(&groups, loop->loads, &nested);
    const bool gathers = search == GATHERING, folds = gathers && fold(&groups, loop->loads, &folded);
    make_rows(folds ? &folded : &groups, flat || folds, special, &rows);
    struct tiling tiling = make_tiles(rows.rows, rows.columns);
    if (gathers)
        tiling = gather(loop, &groups, folds || interleaves(&groups, flat, nested), folds, &rows, room, plan);
    else
        plan->class = find_class(loop, rows.kinds);
    if (plan->class == loop->classes)
        return false;
    keep_plan(sizes, loop, folds ? &folded : &groups, &rows, tiling, plan);
    plan->walk.offsets = plan->offsets;
    return true;
}

static void plan_any(const struct sizes *sizes, const struct loop *loop, const struct tensor *tensors,
                     const int64_t *d, struct room room, struct plan *plan)
{
    if (!(loop->gathers && plan_kinds(sizes, loop, tensors, d, GATHERING, room, plan)) &&
        !plan_kinds(sizes, loop, tensors, d, PLAIN, room, plan))
        plan_kinds(sizes, loop, tensors, d, GENERAL, room, plan);
}

/* Bytes of what that lends. */
static size_t planning_room(const struct sizes *s)
{
    const size_t access = 2 * (size_t)s->groups * sizeof(int64_t) + ((size_t)s->groups + 2) * sizeof(int64_t) + 1;
    return views_room(s) + (size_t)s->groups * sizeof(int64_t) + (size_t)s->accesses * (access + sizeof(int)) +
           6 * ROUND;
}

/* Bytes, as far as they matter for how they are best moved. */
static void count_traffic(const struct loop *loop, double elements, struct plan *plan)
{
    const char *kinds = loop->class[plan->class].kinds;
    plan->work = elements * loop->weight;
    plan->touched = plan->stored = 0;
    for (int a = 0; a < loop->accesses; a++) {
        const double bytes = kinds[a] == ACCESS_SCALAR ? 0 : elements * loop->access[a].size;
        plan->work += bytes;
        plan->touched += kinds[a] == ACCESS_PERIODIC ? 0 : bytes;
        plan->stored += a < loop->loads || loop->joined ? 0 : bytes;
        for (int b = loop->loads; b < loop->accesses; b++) /* in a cache already, as it was read */
            if (a < loop->loads && plan->bases[a] == plan->bases[b])
                plan->stored = -1e300;
    }
}

#define COUNTED(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, n + 11, n + 12, n + 13, \
                   n + 14, n + 15

static void make_plan(const struct kernel *kernel, const struct loop *loop, const struct tensor *tensors,
                      const int64_t *d, char *temporaries, struct room room, struct plan *plan)
{
    static const unsigned char bytes[256] = {
        COUNTED(0), COUNTED(16), COUNTED(32), COUNTED(48), COUNTED(64), COUNTED(80), COUNTED(96), COUNTED(112),
        COUNTED(128), COUNTED(144), COUNTED(160), COUNTED(176), COUNTED(192), COUNTED(208), COUNTED(224),
        COUNTED(240)};
    const int64_t elements = volume(loop->shape.rank, loop->shape.extents, d);
    struct lane_tiles tiles = {.chunks = 0};
    plan->tiles = 0;
    plan->work = plan->touched = plan->stored = 0;
    if (!has_work(loop, d) || is_empty(kernel, tensors))
        return;
    if (loop->joined)
        tiles = deal(loop->joined, d);
    for (int a = 0; a < loop->accesses; a++) {
        const struct access *access = &loop->access[a];
        /* a kernel only reads what is const */
        plan->values[a] = access->source == FROM_NUMBER ? d[access->index] : 0;
        plan->bases[a] = access->source == FROM_OPERAND    ? tensors[access->index].data
                         : access->source == FROM_NUMBER   ? (char *)&plan->values[a]
                         : access->source == FROM_CONSTANT ? (char *)(uintptr_t)access->data
                         : access->source == FROM_BYTES    ? (char *)(uintptr_t)bytes
                                  : temporaries + place_temporary(kernel, access->index, d);
    }
    if (tiles.chunks == 1 && loop->joined->alone >= 0)
        plan->bases[loop->accesses - 1] = temporaries + place_temporary(kernel, loop->joined->alone, d);
    if (!elements)
        plan_nothing(loop, plan);
    else
        plan_any(&kernel->sizes, loop, tensors, d, room, plan);
    if (loop->joined)
        keep_lanes(&tiles, plan);
    for (int a = 0; a < loop->accesses; a++)
        plan->bases[a] += plan->starts[a];
    count_traffic(loop, (double)elements, plan);
}
