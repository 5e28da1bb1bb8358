/* What ahead-of-time sources carry, in sections: the constant tables that describe a kernel, and how a call reads its
 * operands. All of them are checked before anything is computed: nothing is written where anything is wrong. */

//: tables
/* A shape in the tables: an extent is a number, or -1 - i for extent i of the call. */
struct form {
    int rank;
    const int64_t *extents;
};

/* A parameter or a result. */
struct operand {
    const char *name;
    int rank, size;                /* bytes of an element */
    int alignment;                 /* bytes */
};

/* FROM_VALUE: a parameter without dimensions that stands among a kernel's arguments. FROM_NUMBER: a number of the
 * call, which stands there too, or in the plan. */
enum source { FROM_OPERAND, FROM_CONSTANT, FROM_TEMPORARY, FROM_BYTES, FROM_VALUE, FROM_NUMBER };

/* What a kernel loads or stores. */
struct access {
    enum source source;
    int index;                     /* of the operand, the temporary or the number */
    int size, old;                 /* bytes of an element; old: of the operand's own, read as others, else 0 */
    int map;                       /* how it is seen from the loop, 0: plainly */
    const void *data;              /* FROM_CONSTANT */
    struct form shape;             /* but for operands */
};

/* A parameter or a result, as it is. */
#define WEFT_GIVEN(operand, size) {FROM_OPERAND, operand, size, 0, 0, NULL, {0, NULL}}

/* An array of a call, which is only read if it is a parameter's. */
#define WEFT_ARRAY(data, shape, strides) {(void *)(uintptr_t)(data), shape, strides}

/* As struct index_map, with shapes as they stand in the tables. */
struct map {
    int parent;
    struct form from, to;
    const struct axis *axes;
    enum outside outside;
    uint64_t value;
    bool open;                     /* numbers of the axes come with the call */
};
//: classes
enum { LEVELS = 4 };               /* instruction sets at most for which there are loops */

/* How a source was compiled. */
struct built {
    bool threads;                  /* large calls take several, where weft_support.c is compiled for OpenMP */
    int own;                       /* the instruction set that the compiler's flags allow, */
    int count, levels[LEVELS];     /* and those of the loops; the first one is what the flags allow */
    bool (*fuses[LEVELS])(void);   /* whether they fuse multiplications and additions */
};

typedef void weft_kernel_fn(const struct weft_args *args, i64 begin, i64 end);

/* A kernel for accesses of these kinds (enum access_kind); the last of a loop's serves all. */
struct class {
    const char *kinds;
    weft_kernel_fn *run[LEVELS];
    size_t scratch;                /* bytes that a thread lends it */
    bool copied;                   /* it only stores what it loads */
};
//: loops
/* A remark's place in the text, and its status. */
struct place {
    int line, column, status;
};

/* A loop whose space, [points, elements, inner], is reduced to [points, inner]: extents as in a form. */
struct joined {
    int64_t points, elements, inner;
    bool ordered;                  /* the bits depend on the order */
    bool partial;                  /* elements are lanes that tiles left; without any there is nothing to do */
    int alone;                     /* the temporary that a tile stores to which takes all of a result; -1: it stores as
                                      any other does */
    int threads;                   /* of a GPU's block */
    bool serial;                   /* each of them joins all elements of a result */
    int deepest;                   /* nodes of a thread (deal_block) */
};

/* A loop: results of one shape, or what they have in common. */
struct loop {
    struct form shape;
    int accesses, loads, maps, classes, faults;
    const struct access *access;
    const struct map *map;
    const struct class *class;
    const struct place *fault;     /* where each division by zero or position outside stands */
    const struct joined *joined;   /* NULL: no dimension is reduced */
    double weight;                 /* an estimate of an element's time */
    bool gathers;                  /* some class has loads that gather vectors */
};

struct temporary {
    struct form shape;
    int size;
};

/* How much of each a call has memory for: the most of any loop, but for extents. */
struct sizes {
    int extents;                   /* that are found out when a call begins */
    int accesses, groups;          /* loads and stores; of a loop's dimensions */
    int maps, open_maps;           /* orders of elements; of these with numbers that a call decides */
    int mapped;                    /* accesses that may go by an element's number, */
    int levels, numbers;           /* that it is taken apart in, and numbers to say so */
    int faults;
};

struct tensor;

struct built;

struct kernel {
    int inputs, results, loops, temporaries;
    struct sizes sizes;
    const struct operand *operand; /* inputs, then results */
    const struct form *shape;      /* [results] */
    const unsigned char *replaces; /* [results][inputs] whether it may be the input's very buffer */
    const struct loop *loop;       /* in the order in which they run */
    const struct temporary *temporary;
    const struct weft_note *note;
    int (*extents)(const struct tensor *in, int64_t *d); /* of the call, from the inputs; 0 or a note */
    const struct built *built;     /* of kernels in C */
};
//: tensors
/* A sample of an operand. */
struct tensor {
    const struct operand *operand;
    char *data;
    int rank;
    int64_t shape[MAX_RANK], strides[MAX_RANK]; /* in elements, 0 where an extent is 0 or 1 */
    uintptr_t first, end;          /* the bytes it touches, equal when there are none */
    int64_t sample;                /* its number in a batch; 0 of a tensor that goes with all samples */
};

SHARED int64_t extent(int64_t entry, const int64_t *d)
{
    return entry < 0 ? d[-1 - entry] : entry;
}

/* How often `each` is in `have`; -1: no whole number of times, or one of them is -1 or nothing is in it. */
SHARED int64_t quotient(int64_t have, int64_t each)
{
    return have < 0 || each <= 0 || have % each ? -1 : have / each;
}

/* -1: too large. */
SHARED int64_t multiple(int64_t of, int64_t times)
{
    return times > 0 && of > INT64_MAX / 16 / times ? -1 : of * times;
}

/* An extent with so many elements more on both sides, or fewer; -1: it is negative, or too large. */
SHARED int64_t padded(int64_t of, int64_t before, int64_t after)
{
    const int64_t most = INT64_MAX / 16;
    if (before < -most || before > most || after < -most || after > most || of + before + after > most)
        return -1;
    return of + before + after < 0 ? -1 : of + before + after;
}

/* How many elements a slice takes; `given`: 1 for its start, 2 for its stop. */
SHARED int64_t sliced(int64_t of, int64_t start, int64_t stop, int64_t step, int given)
{
    const struct slice slice = {start, stop, step, (unsigned char)(given & 1), (unsigned char)(given >> 1), 0};
    int64_t first, count;
    slice_resolve(&slice, of, &first, &count);
    return count;
}

/* A size: a op b, for `/` and `%` as Python has them. False where it does not fit, or is divided by zero. */
SHARED bool size(char op, int64_t a, int64_t b, int64_t *to)
{
    const bool divides = op == '/' || op == '%';
    const bool wide = op == '+'   ? (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
                      : op == '-' ? (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
                      : op == '*' ? (a > 0   ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
                                     : a < 0 ? (b > 0 ? a < INT64_MIN / b : b && a < INT64_MAX / b)
                                             : false)
                                  : b == 0 || (b == -1 && op == '/' && a == INT64_MIN);
    if (wide)
        return false;
    const int64_t rest = divides && b != -1 ? a % b : 0, down = rest != 0 && (rest < 0) != (b < 0);
    *to = op == '+'   ? a + b
          : op == '-' ? a - b
          : op == '*' ? a * b
          : op == '/' ? (b == -1 ? -a : a / b - down)
                      : rest + (down ? b : 0);
    return true;
}

/* A number as the bits in which it is kept, and back. */
SHARED int64_t bits(double number)
{
    int64_t kept;
    memcpy(&kept, &number, sizeof kept);
    return kept;
}

SHARED double real(int64_t kept)
{
    double number;
    memcpy(&number, &kept, sizeof number);
    return number;
}

/* Whether a finite number is infinite in a type in which those of `most` and more are. */
SHARED bool becomes_infinite(double number, double most)
{
    return number - number == 0 && (number >= most || number <= -most);
}

#if !defined WEFT_SUPPORT /* which declares it */
double pow(double a, double b);
#endif

/* Whether a ** b is what a literal expression may be: Python raises for others, or has a complex number. */
SHARED bool power_is_real(double a, double b, double power)
{
    const bool finite = a - a == 0 && b - b == 0;
    return !finite || (power - power == 0 && !(a == 0 && b < 0));
}

/* Halves away from zero; -1: too large. */
SHARED int64_t rounded(double x)
{
    return x >= 0x1p58 ? -1 : (int64_t)(x >= 0x1p52 ? x : (double)(int64_t)x + (x - (double)(int64_t)x >= 0.5));
}

/* -1: more elements than memory can hold. */
SHARED int64_t volume(int rank, const int64_t *extents, const int64_t *d)
{
    int64_t count = 1;
    bool empty = false;
    for (int k = 0; k < rank; k++) {
        const int64_t own = extent(extents[k], d);
        empty = empty || own == 0;
        if (own > 0 && count > INT64_MAX / 16 / own)
            return -1;
        count *= own ? own : 1;
    }
    return empty ? 0 : count;
}

//: reading
static _Thread_local struct weft_note weft_last_note;

static int tell(int status, const char *name, const char *text)
{
    weft_last_note = (struct weft_note){status, 0, 0, name, text};
    return status;
}

/* Keeps the remark that comes first in the text. `first` has line 0 before there is one. */
static void keep_first(struct place *first, const struct place *place)
{
    if (!first->line || place->line < first->line || (place->line == first->line && place->column < first->column))
        *first = *place;
}

static int tell_remark(const struct place *first)
{
    if (!first->line)
        return WEFT_KERNEL_OK;
    weft_last_note = (struct weft_note){first->status, first->line, first->column, NULL,
                                        first->status == WEFT_KERNEL_OUT_OF_RANGE
                                            ? "a position lies outside, which gives 0"
                                            : "an integer is divided by zero, which gives 0"};
    return first->status;
}

/* The extents and strides of a tensor. */
static int read_layout(const struct operand *operand, const int64_t *shape, const int64_t *strides,
                       struct tensor *tensor, struct reach *reach)
{
    if (operand->rank && !shape)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its shape is NULL");
    for (int d = 0; d < operand->rank; d++)
        tensor->shape[d] = shape[d];
    const char *wrong = tensor_reach(operand->rank, shape, strides, tensor->strides, reach);
    return wrong ? tell(WEFT_KERNEL_INPUT_ERROR, operand->name, wrong) : WEFT_KERNEL_OK;
}

/* `shape` is that of a result where the caller gives none. */
static int read_tensor(const struct operand *operand, const struct weft_array *from, const int64_t *shape,
                       struct tensor *tensor)
{
    struct reach reach;
    tensor->operand = operand;
    tensor->data = from->data;
    tensor->rank = operand->rank;
    const int wrong = read_layout(operand, from->shape ? from->shape : shape, from->strides, tensor, &reach);
    if (wrong)
        return wrong;
    tensor->first = (uintptr_t)from->data + (uintptr_t)reach.low * (uintptr_t)operand->size;
    tensor->end = tensor->first;
    if (reach.empty)
        return WEFT_KERNEL_OK;
    tensor->end += ((uintptr_t)(reach.high - reach.low) + 1) * (uintptr_t)operand->size;
    if (!from->data)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its data pointer is NULL");
    return (uintptr_t)from->data % (uintptr_t)operand->alignment
               ? tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its data is not aligned to its elements")
               : WEFT_KERNEL_OK;
}

//: room
enum {
    ROUND = 16,                    /* bytes to which memory is aligned */
    STACK_ROOM = 24 << 10          /* bytes on the stack; a call that wants more allocates them */
};

/* Memory of a call. What a copy lends is free again when the copy is gone. */
struct room {
    char *at;
};

static void *lend(struct room *room, int64_t count, size_t size)
{
    void *const lent = room->at;
    room->at += ((size_t)count * size + ROUND - 1) / ROUND * ROUND;
    return lent;
}
#define LEND(room, type, count) ((type *)lend(room, count, sizeof(type)))

/* A sample's operands, and the extents of the call. */
static struct tensor *lend_tensors(struct room *room, const struct kernel *kernel, int64_t **d)
{
    *d = LEND(room, int64_t, kernel->sizes.extents);
    return LEND(room, struct tensor, kernel->inputs + kernel->results);
}

static size_t tensors_room(const struct kernel *kernel)
{
    return (size_t)kernel->sizes.extents * sizeof(int64_t) +
           (size_t)(kernel->inputs + kernel->results) * sizeof(struct tensor) + 2 * ROUND;
}
//: meet
static bool same_tensors(const struct tensor *a, const struct tensor *b)
{
    bool same = a->data == b->data && a->rank == b->rank && a->operand->size == b->operand->size;
    for (int d = 0; same && d < a->rank; d++)
        same = a->shape[d] == b->shape[d] && a->strides[d] == b->strides[d];
    return same;
}

/* Whether their elements may share bytes. */
static bool meet(const struct tensor *a, const struct tensor *b)
{
    if (a->first == a->end || b->first == b->end || a->first >= b->end || b->first >= a->end)
        return false;
    const int64_t step = common_step(a->rank, a->shape, a->strides, a->operand->size,
                                     common_step(b->rank, b->shape, b->strides, b->operand->size, 0));
    return !never_meet(b->data - a->data, step, a->operand->size, b->operand->size);
}
//: check
/* The extents of a call, and whether its results can be had. */
static int find_extents(const struct kernel *kernel, const struct tensor *tensors, int64_t *d)
{
    const int wrong = kernel->extents(tensors, d);
    if (wrong)
        weft_last_note = kernel->note[wrong];
    for (int r = 0; !wrong && r < kernel->results; r++)
        if (volume(kernel->shape[r].rank, kernel->shape[r].extents, d) < 0)
            return tell(WEFT_KERNEL_SHAPE_ERROR, kernel->operand[kernel->inputs + r].name,
                        "it has more elements than memory can hold");
    return wrong ? weft_last_note.status : WEFT_KERNEL_OK;
}

/* The inputs of one sample, the extents that they give, and the results. */
static int read_sample(const struct kernel *kernel, const struct weft_array *const *arrays,
                       const int64_t *steps, int64_t sample, struct tensor *tensors, int64_t *d)
{
    int64_t shape[MAX_RANK];
    for (int o = 0; o < kernel->inputs; o++) {
        const int status = read_tensor(&kernel->operand[o], arrays[o] + sample * steps[o], NULL, &tensors[o]);
        if (status)
            return status;
        tensors[o].sample = steps[o] ? sample : 0;
    }
    const int wrong = find_extents(kernel, tensors, d);
    for (int r = 0; !wrong && r < kernel->results; r++) {
        const int o = kernel->inputs + r;
        const struct form *form = &kernel->shape[r];
        for (int k = 0; k < form->rank; k++)
            shape[k] = extent(form->extents[k], d);
        const int status = read_tensor(&kernel->operand[o], arrays[o] + sample * steps[o], shape, &tensors[o]);
        if (status)
            return status;
        for (int k = 0; k < form->rank; k++)
            if (tensors[o].shape[k] != shape[k])
                return tell(WEFT_KERNEL_SHAPE_ERROR, kernel->operand[o].name, "its shape is not the result's");
    }
    return wrong;
}

/* Whether result `r` may be written although it shares bytes with operand `o`. */
static bool may_meet(const struct kernel *kernel, int r, const struct tensor *result, int o,
                     const struct tensor *other)
{
    return o < kernel->inputs && kernel->replaces[r * kernel->inputs + o] && same_tensors(result, other);
}

static int check_overlap(const struct kernel *kernel, const struct tensor *tensors)
{
    for (int r = 0; r < kernel->results; r++) {
        const struct tensor *result = &tensors[kernel->inputs + r];
        if (lies_on_itself(result->rank, result->shape, result->strides))
            return tell(WEFT_KERNEL_OVERLAP_ERROR, result->operand->name, "its own elements overlap");
        for (int o = 0; o < kernel->inputs + r; o++)
            if (meet(result, &tensors[o]) && !may_meet(kernel, r, result, o, &tensors[o]))
                return tell(WEFT_KERNEL_OVERLAP_ERROR, result->operand->name,
                            "it overlaps a parameter or another result");
    }
    return WEFT_KERNEL_OK;
}
//: samples
/* The memory of one sample of an operand. */
struct interval {
    uintptr_t first, end;
    int operand;
    int64_t sample;
};

static int compare_intervals(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Whether two samples that share a range of bytes may. */
static bool may_share(const struct kernel *kernel, const struct weft_array *const *arrays, const int64_t *steps,
                      const struct interval *x, const struct interval *y, struct room room)
{
    int64_t *d;
    struct tensor *const a = lend_tensors(&room, kernel, &d), *const b = lend_tensors(&room, kernel, &d);
    const struct interval *result = x->operand < kernel->inputs ? y : x, *other = result == x ? y : x;
    if (result->operand < kernel->inputs)
        return true;
    read_sample(kernel, arrays, steps, result->sample, a, d);
    read_sample(kernel, arrays, steps, other->sample, b, d);
    const struct tensor *to = &a[result->operand], *from = &b[other->operand];
    return !meet(to, from) ||
           (result->sample == other->sample && steps[other->operand] &&
            may_meet(kernel, result->operand - kernel->inputs, to, other->operand, from));
}

/* Whether nothing is written that another sample reads or writes. Items are sorted by address, so that only
 * those are compared whose ranges overlap; more than 64 such pairs a sample count as overlapping. */
static int check_items(const struct kernel *kernel, const struct weft_array *const *arrays,
                       const int64_t *steps, struct interval *items, size_t count, struct room room)
{
    size_t left = 64 * count + 4096, sorted = 1;
    while (sorted < count && items[sorted - 1].first <= items[sorted].first)
        sorted++;
    if (sorted < count)
        qsort(items, count, sizeof *items, compare_intervals);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && items[k].first < items[i].end; k++)
            if (left-- == 0 || !may_share(kernel, arrays, steps, &items[i], &items[k], room))
                return tell(WEFT_KERNEL_OVERLAP_ERROR, kernel->operand[items[i].operand].name,
                            "its samples overlap each other, or those of a parameter or a result");
    return WEFT_KERNEL_OK;
}

static int check_samples(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                         const int64_t *steps, struct room room)
{
    const size_t operands = (size_t)(kernel->inputs + kernel->results);
    int64_t *d;
    struct tensor *const tensors = lend_tensors(&room, kernel, &d);
    size_t count = 0;
    struct interval *items = (size_t)samples > SIZE_MAX / sizeof *items / operands
                                 ? NULL : malloc((size_t)samples * operands * sizeof *items);
    if (!items)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to compare the samples' addresses");
    for (int o = 0; o < (int)operands; o++)
        for (int64_t i = 0; i < (steps[o] ? samples : 1); i++) {
            read_sample(kernel, arrays, steps, i, tensors, d);
            if (tensors[o].first != tensors[o].end)
                items[count++] = (struct interval){tensors[o].first, tensors[o].end, o, i};
        }
    const int status = check_items(kernel, arrays, steps, items, count, room);
    free(items);
    return status;
}
