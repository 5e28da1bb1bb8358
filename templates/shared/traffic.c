/* How what a kernel reads and writes goes by the caches. One text for the library, which includes it, and for
 * ahead-of-time sources, which carry it. SHARED is what a function begins with. */

//: traffic
/* The bounds were measured: with and without WEFT_DISABLE=stream (throughput.py --bytes), on a processor whose
 * outer cache has 32 MB (kernel_pairs.py --bytes, selections.py, reduce.py --size; bench/kernels). What comes from
 * that cache is slower by up to a fifth where it is prefetched and results are written beside it, and is not where it
 * is only read. A tile that is transposed is read from as many pages as it has columns, and written to as many as it
 * has rows: a processor fetches nothing ahead there, for loads and for plain stores. A kernel that reads nothing has
 * the caches to itself: plain stores of 17 MB of positions, again and again, take 0.6 of the time, of 19 MB as long. */
enum {
    FETCHED_BYTES = 32 << 20,      /* of all tensors: from here on inputs are prefetched, */
    READ_BYTES = 4 << 20,          /* or from here on where hardly anything is written, or operands are transposed, */
    FETCH_AHEAD = 8192,            /* so many bytes ahead */
    STREAMED_BYTES = 16 << 20,     /* of all outputs: from here on they bypass the caches */
    STREAMED_TURNED = 8 << 20,     /* the same where operands are transposed, */
    STREAMED_WOVEN = 6 << 20,      /* or groups such as pixels gathered, whose stores do not begin with cache lines, */
    CLAIMED_TURNED = 6 << 20,      /* of what is transposed: they are fetched, where they cannot bypass the caches */
    STREAMED_ALONE = 18 << 20      /* or where nothing but constants is read */
};

/* What a launch moves. */
struct traffic {
    double touched, stored;        /* bytes; the outputs' among them */
    bool joins, turns, weaves, alone; /* whether it reduces, transposes, gathers groups, reads nothing but constants */
};

/* How many bytes before their use inputs that caches do not hold are prefetched; 0: not at all. */
SHARED int64_t fetched_ahead(const struct traffic *traffic)
{
    return traffic->touched >= (traffic->joins || traffic->turns || traffic->weaves ? READ_BYTES : FETCHED_BYTES)
               ? FETCH_AHEAD
               : 0;
}

/* Whether outputs bypass the caches, since a plain store would read the line first. */
SHARED bool is_streamed(const struct traffic *traffic)
{
    return traffic->stored >= (traffic->weaves  ? STREAMED_WOVEN
                               : traffic->turns ? STREAMED_TURNED
                               : traffic->alone ? STREAMED_ALONE
                                                : STREAMED_BYTES);
}

/* Whether lines of outputs that do not bypass the caches are fetched before they are written. */
SHARED bool is_claimed(const struct traffic *traffic)
{
    return traffic->turns && traffic->stored >= CLAIMED_TURNED;
}
