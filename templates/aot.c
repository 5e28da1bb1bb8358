/* What ahead-of-time sources carry besides their kernels, in sections; geometry.[ch], tensor.c and args.h come with
 * it, and compiler/aot_source.c puts them together. Constant tables describe a kernel. A call reads its operands,
 * checks all of them, and only then computes: nothing is written where anything is wrong. */

//: guard
/* One meaning whatever the options: every operation rounds once, in its own type, to nearest, with
 * subnormals, infinities and NaN. */
#if defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "float would be computed in a wider type: compile for SSE2 (-msse2 -mfpmath=sse)"
#endif
_Static_assert(sizeof(1.0) == 8, "constants would be float: compile without -fsingle-precision-constant");
#if defined __clang__
#if __clang_major__ < 12
#error "this clang does not know float_control yet: take clang 12 or later"
#endif
#pragma float_control(precise, on)
#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
/* -ffast-math fuses and approximates behind the language; only operations that may trap are left alone. They
 * are not vectorized. */
#if !defined __x86_64__ && !defined __i386__ && !(defined __aarch64__ && __clang_major__ >= 15)
#error "clang's fast math cannot be turned off from here on this processor: compile this file without it"
#endif
#pragma float_control(except, on)
#endif
#pragma clang fp contract(off)
#elif defined __GNUC__ && !defined __TINYC__
#pragma GCC push_options
#pragma GCC optimize("no-fast-math", "no-unsafe-math-optimizations", "no-finite-math-only", "signed-zeros", \
                     "no-associative-math", "no-reciprocal-math", "no-rounding-math", "no-math-errno", \
                     "no-trapping-math", "fp-contract=off")
#elif defined __FAST_MATH__
#error "this compiler's fast math cannot be turned off from here: compile this file without it"
#endif
//: guard end
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC pop_options
#endif
//: includes
#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
//: includes threads
#if defined _OPENMP
#include <omp.h>
#endif
//: includes levels
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__
#include <cpuid.h>
#endif
//: shape
struct shape {
    int rank;
    int64_t extents[MAX_RANK];
};
//: shared
/* A project's own warnings are about its own style. */
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wdeclaration-after-statement"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wunused-macros"
#endif
#if defined __GNUC__ && !defined __TINYC__
#define SHARED static __attribute__((unused))
#define PURE __attribute__((const))
#define OVERFLOWS(a, b, product) __builtin_mul_overflow(a, b, product)
#else
#define SHARED static
#define PURE
#define OVERFLOWS(a, b, product) multiplied(a, b, product)

static bool multiplied(int64_t a, int64_t b, int64_t *product)
{
    const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (y && x > INT64_MAX / y)
        return true;
    *product = a * b;
    return false;
}
#endif
//: first time
#if !defined WEFT_LEVEL /* this file includes itself, once for each instruction set */
//: loops begin
/* Helpers come in groups, of which not every loop uses all, and for every type, signed or not. */
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#if defined __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that it cannot vectorize */
#endif
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC push_options
#pragma GCC optimize("O3")
#endif

/* Whether x * y + z rounds once: clang's -ffp-contract=fast fuses whatever pragmas say, where the processor can,
 * and no macro tells. */
static bool weft_fuses(void)
{
    volatile double x = 1 + 0x1p-30, y = 1 - 0x1p-30, z = -1;
    return x * y + z != 0;
}
//: loops end
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC pop_options
#endif
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic pop
#endif
//: level begins
#if defined WEFT_LEVEL
#define PASTE(name, level) weft_##name##_v##level
#define PASTE_LEVEL(name, level) PASTE(name, level)
#define AT_LEVEL(name) PASTE_LEVEL(name, WEFT_LEVEL)
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define TARGET(features) PRAGMA(GCC target(features))
#if defined __clang__
#pragma clang attribute push(__attribute__((target(FEATURES))), apply_to = function)
#else
#pragma GCC push_options
TARGET(FEATURES)
#endif
//: level ends
#undef WIDE
#undef BYTES_IN_ORDER
#undef WORDS_IN_ORDER
#if defined WEFT_LEVEL
#if defined __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
//: levels
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__
//: best level
#if defined __AVX512BW__ && defined __AVX512DQ__ && defined __AVX512VL__ && defined __AVX512CD__
enum { OWN_LEVEL = 4 };
#elif defined __AVX2__ && defined __F16C__ && defined __FMA__ && defined __BMI2__
enum { OWN_LEVEL = 3 };
#elif defined __SSE4_2__ && defined __POPCNT__
enum { OWN_LEVEL = 2 };
#else
enum { OWN_LEVEL = 1 };
#endif

/* The highest one that the processor and the system have. */
static int find_level(void)
{
    unsigned a, b, c, d;
    __builtin_cpu_init();
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
        return 1;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !(c >> 29 & 1)) /* the last is F16C */
        return 2;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return 3;
    return 4;
}

/* The loops that this processor runs: those for what this file is compiled for, or the best that is more. */
static int level(void)
{
    static int found = 0;
    int have = __atomic_load_n(&found, __ATOMIC_RELAXED), best = 0;
    if (!have)
        __atomic_store_n(&found, have = find_level(), __ATOMIC_RELAXED);
    for (int i = 1; i < LEVELS; i++)
        if (levels[i] <= have && levels[i] > OWN_LEVEL)
            best = i;
    return best;
}
#else
#define LOOP(loop) {loop}

static int level(void)
{
    return 0;
}
#endif
//: one level
#define LOOP(loop) {loop}

static int level(void)
{
    return 0;
}
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

/* FROM_VALUE: a parameter without dimensions that stands among a kernel's arguments. */
enum source { FROM_OPERAND, FROM_CONSTANT, FROM_TEMPORARY, FROM_BYTES, FROM_VALUE };

/* What a kernel loads or stores. */
struct access {
    enum source source;
    int index;                     /* of the operand or the temporary */
    int size, old;                 /* bytes of an element; old: of the operand's own, read as others, else 0 */
    int map;                       /* how it is seen from the loop, 0: plainly */
    const void *data;              /* FROM_CONSTANT */
    struct form shape;             /* but for operands */
};

struct map {
    int parent;
    struct form from, to;
};
//: classes
typedef void weft_kernel_fn(const struct weft_args *args, i64 begin, i64 end);

/* A kernel for accesses of these kinds (enum access_kind); the last of a part's serves all. */
struct class {
    const char *kinds;
    weft_kernel_fn *run[LEVELS];
    size_t scratch;                /* bytes that a thread lends it */
};
//: parts
struct place {
    int line, column;
};

/* A loop: results of one shape, or what they have in common. */
struct part {
    struct form shape;
    int accesses, loads, maps, classes, faults;
    const struct access *access;
    const struct map *map;
    const struct class *class;
    const struct place *fault;     /* where each division by zero stands */
    double weight;                 /* an estimate of an element's time */
};

struct temporary {
    struct form shape;
    int size;
};

struct tensor;

struct kernel {
    int inputs, results, parts, temporaries;
    const struct operand *operand; /* inputs, then results */
    const struct form *shape;      /* [results] */
    const unsigned char *replaces; /* [results][inputs] whether it may be the input's very buffer */
    const struct part *part;       /* in the order in which they run */
    const struct temporary *temporary;
    const struct weft_note *note;
    int (*extents)(const struct tensor *in, int64_t *d); /* of the call, from the inputs; 0 or a note */
};
//: tensors
/* A sample of an operand. */
struct tensor {
    const struct operand *operand;
    char *data;
    int rank;
    int64_t shape[MAX_RANK], strides[MAX_RANK]; /* in elements, 0 where an extent is 0 or 1 */
    uintptr_t first, end;          /* the bytes it touches, equal when there are none */
};

static _Thread_local struct weft_note weft_last_note;

static int tell(int status, const char *name, const char *text)
{
    weft_last_note = (struct weft_note){status, 0, 0, name, text};
    return status;
}

/* `shape` is that of a result where the caller gives none. */
static int read_tensor(const struct operand *operand, const struct weft_array *from, const int64_t *shape,
                       struct tensor *tensor)
{
    struct reach reach;
    tensor->operand = operand;
    tensor->data = from->data;
    tensor->rank = operand->rank;
    shape = from->shape ? from->shape : shape;
    if (operand->rank && !shape)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its shape is NULL");
    for (int d = 0; d < operand->rank; d++)
        tensor->shape[d] = shape[d];
    const char *wrong = tensor_reach(operand->rank, shape, from->strides, tensor->strides, &reach);
    if (wrong)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, wrong);
    tensor->first = (uintptr_t)from->data + (uintptr_t)reach.low * (uintptr_t)operand->size;
    tensor->end = tensor->first;
    if (reach.empty)
        return WEFT_KERNEL_OK;
    tensor->end += ((uintptr_t)(reach.high - reach.low) + 1) * (uintptr_t)operand->size;
    if (!from->data)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its data pointer is NULL");
    if ((uintptr_t)from->data % (uintptr_t)operand->alignment)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its data is not aligned to its elements");
    return WEFT_KERNEL_OK;
}

SHARED int64_t extent(int64_t in_table, const int64_t *d)
{
    return in_table < 0 ? d[-1 - in_table] : in_table;
}

/* How often `each` is in `have`; -1: no whole number of times, or one of them is -1 or nothing is in it. */
SHARED int64_t quotient(int64_t have, int64_t each)
{
    return have < 0 || each <= 0 || have % each ? -1 : have / each;
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
/* A tensor of which only the shape is known. */
SHARED int read_shape(const struct operand *operand, const int64_t *shape, struct tensor *tensor)
{
    struct reach reach;
    if (operand->rank && !shape)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its shape is NULL");
    const char *wrong = tensor_reach(operand->rank, shape, NULL, tensor->strides, &reach);
    for (int d = 0; d < operand->rank; d++)
        tensor->shape[d] = shape[d];
    return wrong ? tell(WEFT_KERNEL_INPUT_ERROR, operand->name, wrong) : WEFT_KERNEL_OK;
}

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
                      const struct interval *x, const struct interval *y)
{
    struct tensor a[OPERANDS], b[OPERANDS];
    int64_t d[EXTENTS];
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
                       const int64_t *steps, struct interval *items, size_t count)
{
    size_t left = 64 * count + 4096, sorted = 1;
    while (sorted < count && items[sorted - 1].first <= items[sorted].first)
        sorted++;
    if (sorted < count)
        qsort(items, count, sizeof *items, compare_intervals);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && items[k].first < items[i].end; k++)
            if (left-- == 0 || !may_share(kernel, arrays, steps, &items[i], &items[k]))
                return tell(WEFT_KERNEL_OVERLAP_ERROR, kernel->operand[items[i].operand].name,
                            "its samples overlap each other, or those of a parameter or a result");
    return WEFT_KERNEL_OK;
}

static int check_samples(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                         const int64_t *steps)
{
    const int operands = kernel->inputs + kernel->results;
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    size_t count = 0;
    struct interval *items = (size_t)samples > SIZE_MAX / sizeof *items / OPERANDS
                                 ? NULL : malloc((size_t)samples * OPERANDS * sizeof *items);
    if (!items)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to compare the samples' addresses");
    for (int o = 0; o < operands; o++)
        for (int64_t i = 0; i < (steps[o] ? samples : 1); i++) {
            read_sample(kernel, arrays, steps, i, tensors, d);
            if (tensors[o].first != tensors[o].end)
                items[count++] = (struct interval){tensors[o].first, tensors[o].end, o, i};
        }
    const int status = check_items(kernel, arrays, steps, items, count);
    free(items);
    return status;
}
//: plan
enum { LINE = 64 };                /* bytes: two threads do not write into the same */

/* The bytes of a sample's temporaries in front of number `count`. */
static size_t place_temporary(const struct kernel *kernel, int count, const int64_t *d)
{
    size_t at = 0;
    for (int t = 0; t < count; t++) {
        const struct temporary *temporary = &kernel->temporary[t];
        const int64_t elements = volume(temporary->shape.rank, temporary->shape.extents, d);
        at += ((size_t)elements * (size_t)temporary->size + LINE - 1) / LINE * LINE;
    }
    return at;
}
//: loop plan
/* One part on one sample: what a kernel is called with. */
struct plan {
    struct weft_geometry walk;
    long long extents[LOOP_GROUPS], strides[ACCESSES * (LOOP_GROUPS + 2)];
    long long numbers[MAPPED * MAP_NUMBERS + 1];
    long long *maps[ACCESSES];
    char *bases[ACCESSES];
    int class;
    int64_t tiles;
    double work, touched, stored;
};

enum { SAMPLES = sizeof(struct plan) > 16384 ? 1 : 16384 / sizeof(struct plan) }; /* planned at once */
//: views
/* A part's accesses over its loop. */
struct views {
    struct shape loop, from[MAPS], to[MAPS];
    struct index_map maps[MAPS];
    int64_t strides[ACCESSES][MAX_RANK];
    const int64_t *pointers[ACCESSES];
    struct walk walks[MAPPED + 1], *walk[ACCESSES];
    struct pieces levels[MAPPED * MAP_LEVELS + 1];
    int sizes[ACCESSES];
};

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
    for (int p = 0; p < kernel->parts; p++)
        for (int a = 0; a < kernel->part[p].loads; a++) {
            const struct access *access = &kernel->part[p].access[a];
            const struct tensor *tensor = access->old ? &tensors[access->index] : NULL;
            if (tensor && tensor->first != tensor->end && !reinterpret(tensor, access, &pieces))
                return tell(WEFT_KERNEL_INPUT_ERROR, tensor->operand->name,
                            "its bytes do not lie together as it is reinterpreted");
        }
    return WEFT_KERNEL_OK;
}

static void view(const struct part *part, int a, const struct tensor *tensors, const int64_t *d,
                 struct views *views)
{
    const struct access *access = &part->access[a];
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
SHARED void follow(const struct part *part, int a, const struct tensor *tensors, bool special,
                                struct views *views, int number)
{
    const struct access *access = &part->access[a];
    const struct shape *to = views->maps[access->map].to;
    struct walk *walk = &views->walks[number];
    struct pieces pieces;
    if (access->old)
        reinterpret(&tensors[access->index], access, &pieces);
    else
        pieces_make(&pieces, to->rank, to->extents, views->strides[a]);
    walk->levels = views->levels + (ptrdiff_t)number * MAP_LEVELS;
    walk_follow(views->maps, access->map, &pieces, walk);
    if (!special)
        walk_number(walk);
    views->walk[a] = walk;
}

static void make_views(const struct part *part, const struct tensor *tensors, const int64_t *d, bool special,
                       struct views *views)
{
    int number = 0;
    evaluate(&part->shape, d, &views->loop);
    views->maps[0] = (struct index_map){-1, NULL, &views->loop};
    for (int m = 1; m < part->maps; m++) {
        evaluate(&part->map[m].from, d, &views->from[m]);
        evaluate(&part->map[m].to, d, &views->to[m]);
        views->maps[m] = (struct index_map){part->map[m].parent, &views->from[m], &views->to[m]};
    }
    for (int a = 0; a < part->accesses; a++) {
        views->walk[a] = NULL;
        view(part, a, tensors, d, views);
        if (part->access[a].map || part->access[a].old)
            follow(part, a, tensors, special, views, number++);
    }
}
//: loop class
static int find_class(const struct part *part, const unsigned char *kinds)
{
    int c = 0;
    while (c < part->classes && memcmp(part->class[c].kinds, kinds, (size_t)part->accesses) != 0)
        c++;
    return c;
}
//: keep
static void keep_plan(const struct part *part, const struct grouping *groups, const struct rows *rows,
                      struct plan *plan)
{
    const struct tiling t = make_tiles(rows->rows, rows->columns);
    const int first = groups->count - 1 - (rows->period != 0);
    plan->walk = (struct weft_geometry){
        .rows = rows->rows, .columns = rows->columns, .tile_rows = t.tile_rows, .tile_columns = t.tile_columns,
        .row_tiles = t.row_tiles, .period = rows->period, .groups = rows->groups, .extents = plan->extents,
        .strides = plan->strides, .maps = plan->maps};
    plan->tiles = t.tiles;
    for (int i = 0; i < rows->groups; i++)
        plan->extents[i] = rows->extents[i];
    for (int i = 0; i < part->accesses * (rows->groups + 2); i++)
        plan->strides[i] = rows->strides[i];
    for (int a = 0, number = 0; a < part->accesses; a++) {
        plan->maps[a] = plan->numbers + (ptrdiff_t)number * MAP_NUMBERS;
        if (groups->walks[a] && ++number)
            make_map(groups, first, first < 0 ? 1 : groups->extents[first], a, plan->maps[a]);
    }
}
//: loop kinds
/* False where there is no kernel for these kinds. */
static bool plan_kinds(const struct part *part, const struct tensor *tensors, const int64_t *d, bool special,
                       struct plan *plan)
{
    struct views views;
    int64_t extents[LOOP_GROUPS], strides[ACCESSES * (LOOP_GROUPS + 2)], group_strides_[LOOP_GROUPS * ACCESSES];
    unsigned char kinds[ACCESSES];
    bool nested;
    make_views(part, tensors, d, special, &views);
    struct grouping groups = {.accesses = part->accesses, .strides = group_strides_, .walks = views.walk,
                              .sizes = views.sizes};
    struct rows rows = {.extents = extents, .strides = strides, .kinds = kinds};
    groups_find(&groups, views.loop.rank, views.loop.extents, count_elements(&views.loop), views.pointers);
    groups_stride(&groups, views.loop.rank, views.loop.extents, views.pointers);
    make_rows(&groups, special && runs_flat(&groups, part->loads, &nested), special, &rows);
    plan->class = find_class(part, kinds);
    if (plan->class == part->classes)
        return false;
    keep_plan(part, &groups, &rows, plan);
    return true;
}

/* Bytes, as far as they matter for how they are best moved. */
static void count_traffic(const struct part *part, double elements, struct plan *plan)
{
    const char *kinds = part->class[plan->class].kinds;
    plan->work = elements * part->weight;
    plan->touched = plan->stored = 0;
    for (int a = 0; a < part->accesses; a++) {
        const double bytes = kinds[a] == ACCESS_SCALAR ? 0 : elements * part->access[a].size;
        plan->work += bytes;
        plan->touched += kinds[a] == ACCESS_PERIODIC ? 0 : bytes;
        plan->stored += a < part->loads ? 0 : bytes;
        for (int b = part->loads; b < part->accesses; b++) /* in a cache already, as it was read */
            if (a < part->loads && plan->bases[a] == plan->bases[b])
                plan->stored = -1e300;
    }
}

#define SIXTEEN(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, n + 11, n + 12, n + 13, \
                   n + 14, n + 15

static void make_plan(const struct kernel *kernel, const struct part *part, const struct tensor *tensors,
                      const int64_t *d, char *temporaries, struct plan *plan)
{
    static const unsigned char bytes[256] = {
        SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), SIXTEEN(112),
        SIXTEEN(128), SIXTEEN(144), SIXTEEN(160), SIXTEEN(176), SIXTEEN(192), SIXTEEN(208), SIXTEEN(224),
        SIXTEEN(240)};
    const int64_t elements = volume(part->shape.rank, part->shape.extents, d);
    plan->tiles = 0;
    plan->work = plan->touched = plan->stored = 0;
    if (elements <= 0)
        return;
    for (int a = 0; a < part->accesses; a++) {
        const struct access *access = &part->access[a];
        /* a kernel only reads what is const */
        plan->bases[a] = access->source == FROM_OPERAND    ? tensors[access->index].data
                         : access->source == FROM_CONSTANT ? (char *)(uintptr_t)access->data
                         : access->source == FROM_BYTES    ? (char *)(uintptr_t)bytes
                                  : temporaries + place_temporary(kernel, access->index, d);
    }
    if (!plan_kinds(part, tensors, d, true, plan))
        plan_kinds(part, tensors, d, false, plan);
    count_traffic(part, (double)elements, plan);
}
//: environment
/* The floating-point environment that C programs start with: a -ffast-math build's start-up code makes
 * subnormals 0, and the caller may round otherwise. */
#if defined __SSE__ && defined __GNUC__ && !defined __TINYC__
typedef unsigned environment;

static environment enter(void)
{
    const environment before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    return before;
}

static void leave(environment before)
{
    __builtin_ia32_ldmxcsr(before);
}
#else
typedef fenv_t environment;

static environment enter(void)
{
    environment before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static void leave(environment before)
{
    fesetenv(&before);
}
#endif
//: run
/* What a launch is: tiles of some samples. */
struct launch {
    weft_kernel_fn *run;
    struct weft_args args;
    int64_t tiles;
    double work;
    int faults;
    unsigned char *met;            /* [faults] where a division by zero counted */
    size_t scratch;                /* bytes of a thread, rounded up */
};

static void run_tiles(const struct launch *launch, int thread, int64_t begin, int64_t end, unsigned char *met)
{
    struct weft_args args = launch->args;
    args.faults = met;
    args.scratch = args.scratch ? args.scratch + (size_t)thread * launch->scratch : NULL;
    launch->run(&args, begin, end);
}
//: threads
#if defined _OPENMP
/* Work is counted in bytes moved. Measured: waking a sleeping thread takes about as long as SHARE. */
enum { SHARE = 1 << 21, CHUNK = 1 << 20 };

static int count_threads(void)
{
    return omp_in_parallel() ? 1 : omp_get_max_threads();
}

/* A thread's part of the tiles; they are taken from a common counter, so it does not matter who is slow. */
static void run_chunks(const struct launch *launch, int64_t chunk)
{
    unsigned char met[FAULTS + 1] = {0};
    const environment before = enter();
#pragma omp for schedule(dynamic)
    for (int64_t begin = 0; begin < launch->tiles; begin += chunk)
        run_tiles(launch, omp_get_thread_num(), begin,
                  begin + chunk < launch->tiles ? begin + chunk : launch->tiles, met);
    leave(before);
    for (int f = 0; f < launch->faults; f++)
        if (met[f]) {
#pragma omp atomic write
            launch->met[f] = 1;
        }
}

static void run_launch(const struct launch *launch)
{
    int threads = count_threads();
    if (launch->work < (double)threads * SHARE)
        threads = (int)(launch->work / SHARE);
    if (threads > launch->tiles)
        threads = (int)launch->tiles;
    int64_t chunk = (int64_t)((double)launch->tiles * CHUNK / (launch->work + 1)) + 1;
    if (threads < 2) {
        run_tiles(launch, 0, 0, launch->tiles, launch->met);
        return;
    }
#pragma omp parallel num_threads(threads)
    run_chunks(launch, chunk);
}
#else
static int count_threads(void)
{
    return 1;
}

static void run_launch(const struct launch *launch)
{
    run_tiles(launch, 0, 0, launch->tiles, launch->met);
}
#endif
//: no threads
static int count_threads(void)
{
    return 1;
}

static void run_launch(const struct launch *launch)
{
    run_tiles(launch, 0, 0, launch->tiles, launch->met);
}
//: call
/* A call whose operands are known to be good. */
struct call {
    const struct kernel *kernel;
    const struct weft_array *const *arrays;
    const int64_t *steps;
    const struct tensor *tensors;  /* of the only sample, where there is one */
    const int64_t *d;
    char *scratch, *temporaries;
    size_t own;                    /* bytes of temporaries of a sample */
    struct place first;            /* the first division by zero in the text; line 0: none */
};

/* Rows of a launch: the samples among `count` plans that this class serves. */
static void launch_class(struct call *call, const struct part *part, int class, struct plan *plans, int count)
{
    struct weft_sample samples[SAMPLES];
    unsigned char met[FAULTS + 1] = {0};
    double touched = 0, stored = 0;
    struct launch launch = {.run = part->class[class].run[level()], .faults = part->faults, .met = met,
                            .scratch = (part->class[class].scratch + LINE - 1) / LINE * LINE};
    for (int i = 0; i < count; i++) {
        if (plans[i].class != class || plans[i].tiles == 0)
            continue;
        samples[launch.args.sample_count++] = (struct weft_sample){launch.tiles, &plans[i].walk, plans[i].bases};
        launch.tiles += plans[i].tiles;
        launch.work += plans[i].work;
        touched += plans[i].touched;
        stored += plans[i].stored;
    }
    if (!launch.tiles)
        return;
    launch.args.samples = samples;
    launch.args.scratch = launch.scratch ? call->scratch : NULL;
    launch.args.ahead = touched >= 4 << 20 ? 2048 : 0;
    launch.args.stream = stored >= 16 << 20;
    run_launch(&launch);
    for (int f = 0; f < part->faults; f++) {
        const struct place *place = &part->fault[f], *first = &call->first;
        if (met[f] && (!first->line || place->line < first->line ||
                       (place->line == first->line && place->column < first->column)))
            call->first = *place;
    }
}

/* All parts on samples from `begin` on. */
static void run_samples(struct call *call, int64_t begin, int count)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    struct plan plans[SAMPLES];
    for (int p = 0; p < call->kernel->parts; p++) {
        const struct part *part = &call->kernel->part[p];
        for (int i = 0; i < count; i++) {
            if (!call->tensors)
                read_sample(call->kernel, call->arrays, call->steps, begin + i, tensors, d);
            make_plan(call->kernel, part, call->tensors ? call->tensors : tensors, call->tensors ? call->d : d,
                      call->temporaries ? call->temporaries + (size_t)i * call->own : NULL, &plans[i]);
        }
        for (int c = 0; c < part->classes; c++)
            launch_class(call, part, c, plans, count);
    }
}

static size_t most_scratch(const struct kernel *kernel)
{
    size_t most = 0;
    for (int p = 0; p < kernel->parts; p++)
        for (int c = 0; c < kernel->part[p].classes; c++)
            if (kernel->part[p].class[c].scratch > most)
                most = kernel->part[p].class[c].scratch;
    return (most + LINE - 1) / LINE * LINE;
}
//: check call
/* Checks every sample; *own becomes the bytes that temporaries of a sample take at most. */
static int check_call(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                      const int64_t *steps, struct tensor *tensors, int64_t *d, size_t *own)
{
    for (int64_t i = 0; i < samples; i++) {
        int status = read_sample(kernel, arrays, steps, i, tensors, d);
        if (!status)
            status = check_overlap(kernel, tensors);
        if (!status)
            status = check_bytes(kernel, tensors);
        if (status)
            return status;
        const size_t needed = place_temporary(kernel, kernel->temporaries, d);
        *own = needed > *own ? needed : *own;
    }
    return samples > 1 ? check_samples(kernel, samples, arrays, steps) : WEFT_KERNEL_OK;
}

static int check_arguments(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays)
{
    if (samples < 0)
        return tell(WEFT_KERNEL_INVALID_ARGUMENT, NULL, "the number of samples is negative");
    for (int o = 0; samples && o < kernel->inputs + kernel->results; o++)
        if (!arrays[o])
            return tell(WEFT_KERNEL_INVALID_ARGUMENT, kernel->operand[o].name, "its samples are NULL");
    return WEFT_KERNEL_OK;
}
//: run call
static void run_all(struct call *call, int64_t samples)
{
    for (int64_t i = 0; i < samples; i += SAMPLES)
        run_samples(call, i, samples - i < SAMPLES ? (int)(samples - i) : SAMPLES);
}

/* What the kernels are lent; nothing fails any more once they run. */
static int run_checked(struct call *call, int64_t samples)
{
    const size_t scratch = most_scratch(call->kernel) * (size_t)count_threads();
    const size_t bytes = scratch + call->own * (samples < SAMPLES ? (size_t)samples : SAMPLES);
    char *memory = bytes ? malloc(bytes + LINE) : NULL;
    if (bytes && !memory)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory for values that are computed once");
    call->scratch = memory ? memory + -(uintptr_t)memory % LINE : NULL;
    call->temporaries = memory ? call->scratch + scratch : NULL;
    run_all(call, samples);
    free(memory);
    if (!call->first.line)
        return WEFT_KERNEL_OK;
    weft_last_note = (struct weft_note){WEFT_KERNEL_DIVIDE_BY_ZERO, call->first.line, call->first.column, NULL,
                                   "an integer is divided by zero, which gives 0"};
    return WEFT_KERNEL_DIVIDE_BY_ZERO;
}

/* Loops that may not run; the environment is ours. */
static int check_loops(void)
{
    static bool (*const fuse[LEVELS])(void) = LOOP(weft_fuses);
    return fuse[level()]() ? tell(WEFT_KERNEL_UNSUPPORTED, NULL, "its source was compiled with -ffp-contract=fast, which "
                                                                 "changes results; compile it without")
                           : WEFT_KERNEL_OK;
}

/* Sample i of operand o is arrays[o][i * steps[o]]. */
SHARED int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                    const int64_t *steps)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    struct call call = {.kernel = kernel, .arrays = arrays, .steps = steps};
    int status = check_arguments(kernel, samples, arrays);
    if (status)
        return status;
    const environment before = enter();
    status = check_loops();
    if (!status)
        status = check_call(kernel, samples, arrays, steps, tensors, d, &call.own);
    if (samples == 1)
        call.tensors = tensors, call.d = d;
    if (!status)
        status = run_checked(&call, samples);
    leave(before);
    return status;
}

SHARED int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays)
{
    const struct weft_array *pointers[OPERANDS];
    const int64_t steps[OPERANDS] = {0};
    for (int o = 0; o < kernel->inputs + kernel->results; o++)
        pointers[o] = &arrays[o];
    return weft_run(kernel, 1, pointers, steps);
}
//: infer
/* Extents of the results from those of the parameters. */
SHARED int weft_infer(const struct kernel *kernel, const int64_t *const *inputs, int64_t *const *results)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    const environment before = enter();
    int status = WEFT_KERNEL_OK;
    for (int i = 0; !status && i < kernel->inputs; i++)
        status = read_shape(&kernel->operand[i], inputs[i], &tensors[i]);
    if (!status)
        status = find_extents(kernel, tensors, d);
    for (int r = 0; !status && r < kernel->results; r++)
        for (int k = 0; k < kernel->shape[r].rank; k++)
            results[r][k] = extent(kernel->shape[r].extents[k], d);
    leave(before);
    return status;
}
