/* How what a kernel reads and writes goes by the caches. One text for the library, which includes it, and for
 * ahead-of-time sources, which carry it. SHARED is what a function begins with. */

//: traffic
/* What a launch moves. */
struct traffic {
    double touched, stored;        /* bytes; the outputs' among them */
    bool joins, transposes, interleaves; /* whether it reduces, transposes, gathers groups */
    double weight;                 /* an estimate of an element's time */
    bool chains;                   /* it computes from caches, tile by tile, and fetches what the next tile reads */
    bool alone;                    /* it reads nothing but constants */
};

/* Whether the processor itself brings what lies ahead so fast that light reductions need not say so. */
static bool brings_ahead(void)
{
#if defined __GNUC__ && !defined __TINYC__ && (defined __x86_64__ || defined __i386__)
    return __builtin_cpu_is("amd");
#else
    return false;
#endif
}

/* How many bytes before their use inputs that caches do not hold are prefetched; 0: not at all. */
SHARED int64_t fetched_ahead(const struct traffic *traffic)
{
    const bool reads = traffic->joins || traffic->transposes || traffic->interleaves;
    if (traffic->joins && traffic->weight < FETCHED_WEIGHT && brings_ahead())
        return 0;
    return traffic->touched >= (traffic->chains ? CHAINED_BYTES : reads ? READ_BYTES : FETCHED_BYTES) ? FETCH_AHEAD : 0;
}

/* Whether outputs bypass the caches, since a plain store would read the line first. */
SHARED bool is_streamed(const struct traffic *traffic)
{
    return traffic->stored >= (traffic->interleaves  ? STREAMED_INTERLEAVED
                               : traffic->transposes ? STREAMED_TRANSPOSED
                               : traffic->alone ? STREAMED_ALONE
                                                : STREAMED_BYTES);
}

/* What bypassed the caches is there before the launch returns. */
SHARED void end_stream(int stream)
{
#if defined __GNUC__ && (defined __x86_64__ || defined __i386__)
    if (stream)
        __asm__ volatile("sfence" ::: "memory");
#else
    (void)stream;
#endif
}

/* Whether lines of outputs that do not bypass the caches are fetched before they are written. */
SHARED bool is_claimed(const struct traffic *traffic)
{
    return traffic->transposes && traffic->stored >= CLAIMED_TRANSPOSED;
}
