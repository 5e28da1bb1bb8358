/* What a CUDA kernel is called with, by value; the host writes it word by word (runtime/plan/gpu_args.c), so
 * every member takes 8 bytes. The sizes stand in front of it, as macros: compiler/loop/form.h says what they
 * mean. All strides are in bytes. Accesses are numbered loads first, then stores. */
struct OWN(weft_divisor) {              /* n / divisor is the high half of n * multiplier, plus n, >> shift */
    unsigned long long divisor, multiplier, shift;
};

#if REDUCES
struct OWN(weft_lanes) {                /* a space [points, elements, inner], of which `elements` are reduced */
    long long points, elements, inner;
    long long beside, rows;        /* parts of a point's nodes that are joined beside each other; not read */
    long long width, windows;      /* how many of the inner ones a tile takes; tiles beside each other */
    long long chunk, chunks;       /* how many nodes of elements a tile takes; tiles behind each other */
    long long together;            /* how many points a tile takes */
};

#endif
struct OWN(weft_geometry) {             /* shared by samples that have the same shapes and strides */
    long long volume;              /* elements of the sample */
#if GROUPS
    struct weft_divisor columns;   /* elements of a row: the inner group */
    long long groups;              /* outer groups, at most GROUPS */
    struct weft_divisor extents[GROUPS];
#endif
#if FLAT
    struct weft_divisor period;    /* the extent of the innermost group */
#endif
#if GROUPS + STEPS
    long long strides[ACCESSES][GROUPS + STEPS]; /* outer groups; then along the inner one; then from one
                                      period to the next */
#endif
#if MAPPED
    const long long *maps[ACCESSES]; /* mapped accesses: see runtime/plan/gpu_args.h */
#endif
#if REDUCES
    struct weft_lanes lanes;
#endif
};

#if MANY
struct OWN(weft_sample) {
    long long first_tile;          /* tiles of all samples stand in one line; this sample's first */
    long long dense;               /* 1: chunks cross no row, and dense accesses have them aligned; plus twice the
                                      number of the first element, which lets chunks of the result be aligned */
    const struct weft_geometry *geometry;
    char *bases[ACCESSES];         /* of the elements with number 0; of accesses that find elements otherwise than by
                                      stepping along a row, the first ones */
};
#endif

struct OWN(weft_args) {
    long long tiles;               /* of all samples */
    unsigned char *faults;         /* one byte each, set to 1 where a division by zero counted */
#if LITERALS_LOADED
    const unsigned long long *literals;
#else
    unsigned long long literals[LITERALS ? LITERALS : 1]; /* one slot each, the value in its first bytes */
#endif
#if MANY
    long long sample_count;
    const struct weft_sample *samples;
#else
    long long dense;
    struct weft_geometry geometry;
    char *bases[ACCESSES];
#endif
};
typedef char weft_args_are_words[sizeof(struct weft_args) == ARGS_BYTES ? 1 : -1];
