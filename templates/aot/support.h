/* What kernels in C made ahead of time share, in sections: how they call weft_support.c. */

//: entries
#if defined __GNUC__ || defined __TINYC__
#define ENTRY __attribute__((visibility("hidden")))
#else
#define ENTRY
#endif
/* The functions of weft_support.c. Copies of it in one program are one: the linker keeps any. They set *note where they
 * do not return WEFT_KERNEL_OK. */

/* Runs the kernel on samples: sample i of operand o is arrays[o][i * steps[o]]. */
ENTRY int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                   const int64_t *steps, struct weft_note *note);
/* On one: `arrays` has an array of each operand. */
ENTRY int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays, struct weft_note *note);
/* Extents of results from those of parameters, and from the values of single ones that are sizes. */
ENTRY int weft_infer(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                     int64_t *const *results, struct weft_note *note);

/* What the last call on this thread told of this file's kernels. */
SHARED _Thread_local struct weft_note weft_told;
//: weak
#if defined __GNUC__ || defined __TINYC__
#undef ENTRY
#define ENTRY __attribute__((weak, visibility("hidden")))
#endif
//: join types
/* Functions that join, under names with the number JOINING: of elements of type WEFT_STAGED, as _f32 for float32, in
 * lanes of WEFT_ACC and a tree of WEFT_TREE, to results of type WEFT_OUT. WEFT_JOIN joins two, WEFT_ABSENT changes
 * nothing, WEFT_NOTHING is the result of no elements. WEFT_ROW lanes are a row of memory, each with WEFT_INNER
 * elements; 0: there may be many. Their order matters where WEFT_ORDERED is 1. Where WEFT_KEYS is defined floats are
 * joined as integers that are ordered as they are: NaN is the largest where it is 1, the least where it is -1. */
#if !defined WEFT_ORDERED
#define WEFT_ORDERED 0
#endif
#if !defined WEFT_INNER
#define WEFT_INNER 1
#endif
#if !defined WEFT_OUT
#define WEFT_OUT WEFT_STAGED
#endif
#if !defined WEFT_ACC
#define WEFT_ACC WEFT_STAGED
#endif
#if !defined WEFT_TREE
#define WEFT_TREE WEFT_STAGED
#endif
#define WEFT_ACC_TYPE WEFT_PASTED(WEFT_TYPE, WEFT_LANES(WEFT_ACC))
#define WEFT_TREE_TYPE WEFT_PASTED(WEFT_TYPE, WEFT_LANES(WEFT_TREE))
#undef ABSENT
#undef NOTHING
#if defined WEFT_KEYS
#define KEYS WEFT_KEYS
#define WEFT_LANES(type) WEFT_PASTED(WEFT_KEY, type)
#define ABSENT key_of(WEFT_ABSENT)
#else
#define WEFT_LANES(type) type
#define ABSENT WEFT_ABSENT
#endif
#if defined WEFT_NOTHING
#define NOTHING WEFT_NOTHING
#else
#define NOTHING ABSENT
#endif
#if !defined WEFT_STAGE && WEFT_ROW
#define WEFT_STAGE (8 * BLOCK)
#elif !defined WEFT_STAGE
#define WEFT_STAGE BLOCK
#endif
enum {
    OWN(ROW) = WEFT_ROW,
    OWN(INNER) = WEFT_INNER,
    OWN(STAGE) = WEFT_STAGE,            /* elements that wait to be joined */
    OWN(MAX_LANES) = 64,
    OWN(WIDTH) = 65536,                 /* of a row of lanes, at most */
    OWN(ORDERED) = WEFT_ORDERED,
    OWN(LEVELS) = WEFT_ORDERED ? 32 : 1, /* of a tree: enough for as many blocks as memory holds */
    OWN(SIDE) = WEFT_ORDERED + WEFT_ROW > 0 ? 16 : BLOCK, /* lanes beside each other */
    OWN(HALF) = 8 * WEFT_INNER
};
typedef WEFT_PASTED(WEFT_MEMORY, WEFT_STAGED) OWN(stage_t);
typedef WEFT_PASTED(WEFT_MEMORY, WEFT_OUT) OWN(out_t);
typedef WEFT_PASTED(WEFT_MEMORY, WEFT_LANES(WEFT_ACC)) OWN(acc_t);
typedef WEFT_PASTED(WEFT_MEMORY, WEFT_LANES(WEFT_TREE)) OWN(tree_t);
static inline WEFT_ACC_TYPE OWN(join_acc)(WEFT_ACC_TYPE a, WEFT_ACC_TYPE b)
{
    return WEFT_JOIN(WEFT_ACC_TYPE, WEFT_PASTED(WEFT_UNSIGNED, WEFT_LANES(WEFT_ACC)), a, b);
}
static inline WEFT_TREE_TYPE OWN(join_tree)(WEFT_TREE_TYPE a, WEFT_TREE_TYPE b)
{
    return WEFT_JOIN(WEFT_TREE_TYPE, WEFT_PASTED(WEFT_UNSIGNED, WEFT_LANES(WEFT_TREE)), a, b);
}
#undef OVER
#undef OVER_HALF
#undef VECTOR_ROW
#undef join_acc_v
#undef join_tree_v
#if WEFT_ORDERED /* sums and products of floats join vectors; of other joins the C compiler makes them */
typedef WEFT_PASTED(WEFT_TYPE, WEFT_ACC) OWN(acc_v) VECTORS(WEFT_PASTED(WEFT_TYPE, WEFT_ACC));
typedef WEFT_PASTED(WEFT_TYPE, WEFT_TREE) OWN(tree_v) VECTORS(WEFT_PASTED(WEFT_TYPE, WEFT_TREE));
typedef acc_v OWN(stage_v);
typedef WEFT_PASTED(WEFT_TYPE, WEFT_TREE) OWN(half_v) HALF_VECTORS(WEFT_PASTED(WEFT_TYPE, WEFT_TREE));
#define join_acc_v(a, b) WEFT_JOIN(, , a, b)
#define join_tree_v(a, b) WEFT_JOIN(, , a, b)
#if WEFT_ROW == 16 && WEFT_PASTED(WEFT_SINGLE, WEFT_TREE)
#define VECTOR_ROW 1 /* of 64 bytes */
#endif
#define OVER(k, count) for (int k = 0; k < (count) / PER_VECTOR; k++)
#define OVER_HALF(k) for (int k = 0; k < HALF * sizeof(tree_t) / sizeof(half_v); k++)
#else
typedef acc_t OWN(acc_v);
typedef tree_t OWN(tree_v);
typedef stage_t OWN(stage_v);
typedef tree_t OWN(half_v);
#define join_acc_v join_acc
#define join_tree_v join_tree
#define OVER(k, count) EACH(k, count)
#define OVER_HALF(k) EACH(k, HALF)
#endif
enum { OWN(PER_VECTOR) = sizeof(acc_v) / sizeof(acc_t) };
#if WEFT_ROW
enum { OWN(KEPT) = ROW / PER_VECTOR };
#endif
//: join loops
/* Joins elements that lie beside each other. */
static void JOINING_LOOP(direct)(const struct weft_args *args, i64 begin, i64 end)
{
    enum { ACCESSES = 2, TARGET = 1, SCRATCH = 0 };
    const struct weft_join *const join = &this_join;
    RUN_ROOM
    run.direct = run.accesses = 1;
    while (args->calls->next_run(args, &run)) {
        RUN_VALUES
        run.lane = join->fold(run.lanes, run.width, run.lane, (const stage_t *)p[0] + column0, run.count, args->ahead);
    }
}
/* Joins elements with any stride. */
static void JOINING_LOOP(strided)(const struct weft_args *args, i64 begin, i64 end)
{
    enum { ACCESSES = 2, TARGET = 1, SCRATCH = 0 };
    const struct weft_join *const join = &this_join;
    RUN_ROOM
    ALIGNED stage_t stage[STAGE + BLOCK];
    i64 filled = 0; /* elements of it that are not joined yet */
    while (args->calls->next_run(args, &run)) {
        RUN_VALUES
        for (i64 i = column0, m; i < column1; i += m) {
            const i64 along = s->strides[groups];
            m = column1 - i < BLOCK ? column1 - i : BLOCK;
            m = STAGE - filled < m ? STAGE - filled : m;
            WEFT_PASTED(gather, WEFT_STAGED)(stage + filled, p[0] + i * along, along, m);
            FETCH_BELOW(0)
            filled += m;
            if (filled < STAGE && (run.left || i + m < column1))
                continue;
            run.lane = join->fold(run.lanes, run.width, run.lane, stage, filled, 0);
            filled = 0;
        }
    }
}
