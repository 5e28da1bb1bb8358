/* The form of a kernel: how it computes in chunks, and how its arguments are laid out. In the text these are constants;
 * the host deals out tiles and writes arguments by them. For a C kernel only `block` matters. */
#ifndef WEFT_COMPILER_LOOP_FORM_H
#define WEFT_COMPILER_LOOP_FORM_H

#include "compiler/loop/geometry.h"
#include "compiler/loop/tuning.h"

enum {
    EXACT_GROUPS = 3,              /* up to this many outer groups are counted exactly; for more there is
                                      room for 4, 8, 16, 32 or 64 */
    ARGS_MOST = 4000,              /* most bytes of arguments by value; larger ones are in memory */
    LITERALS_MOST = 256            /* most literals by value in a kernel for many samples */
};

/* How a point's elements lie in rows of the geometry, so that no number need be taken apart. */
enum along {
    ALONG_ANY,
    ALONG_POINTS,                  /* those of a point are one row */
    ALONG_ELEMENTS                 /* the inner ones of an element are */
};

/* FIELD(type, name, constant): the fields of a form, and their constants in a CUDA text; NULL: the text does not depend
 * on it. */
#define FORM_FIELDS(FIELD)                                                                                            \
    FIELD(int, block, "CHUNK") /* elements that a kernel computes at once; on CUDA, of a chunk */                     \
    FIELD(int, unroll, "UNROLL") /* a tile has `unroll` chunks for each of `threads` threads; 0 for C */              \
    FIELD(int, singles, "SINGLES") /* elements that a thread computes at once where chunks are not dense */           \
    FIELD(int, threads, "THREADS")                                                                                    \
    FIELD(int, accesses, "ACCESSES")                                                                                  \
    FIELD(int, literals, "LITERALS")                                                                                  \
    FIELD(int, groups, "GROUPS") /* outer groups for which there is room */                                           \
    FIELD(int, steps, "STEPS") /* strides of an access inside a row: 0, 1, or 2 (also from period to period) */       \
    FIELD(bool, flat, "FLAT") /* rows have a period */                                                                \
    FIELD(int, period, "PERIOD") /* the period, if it is so short that the text knows it; else 0 */                   \
    FIELD(bool, mapped, "MAPPED") /* some access finds its elements by number */                                      \
    FIELD(bool, spare, "SPARE") /* the last whole tile is computed element by element, since loads of chunks that     \
                                   are not aligned read whole words */                                                \
    FIELD(bool, mixed, "MIXED") /* ahead of time: which loads of ACCESS_UNALIGNED are not aligned, addresses decide */ \
    FIELD(bool, repeats, "REPEATS") /* all chunks of a thread begin at the same place in the period */                \
    FIELD(bool, wide, "WIDE") /* indices and strides take 64 bits */                                                  \
    FIELD(bool, many, "MANY") /* samples are in a table; else there is one, passed by value */                        \
    FIELD(bool, literals_loaded, "LITERALS_LOADED") /* literals are in memory, not among the arguments */             \
    FIELD(bool, chained, "CHAINED") /* it shares a launch with others over the same points */                         \
    FIELD(int, bounds, "BOUNDS") /* this and the next two: as in struct tuning */                                     \
    FIELD(int, hints, "HINTS")                                                                                        \
    FIELD(int, blocks, NULL)                                                                                          \
    FIELD(bool, reduces, "REDUCES") /* dimensions are reduced: kernel->lanes says how */                              \
    FIELD(enum along, along, "ALONG")                                                                                 \
    FIELD(int, inner, "INNER_KNOWN") /* reduced: inner elements, where threads have several lanes of few of them;     \
                                        else 0 */
struct form {
#define MEMBER(type, name, constant) type name;
    FORM_FIELDS(MEMBER)
#undef MEMBER
};

/* All fields of a form, for texts, tables and keys. */
#define COUNT(type, name, constant) +1
enum { FORM_FIELD_COUNT = FORM_FIELDS(COUNT) };
#undef COUNT
struct form_field {
    const char *name, *constant;
    int value;
};
void form_fields(const struct form *form, struct form_field fields[FORM_FIELD_COUNT]);
/* Adds them to a key. */
void form_put(struct buf *key, const struct form *form);

/* The form of a kernel that computes in blocks (target C). */
void block_form(const struct kernel *kernel, struct form *form);
/* The form of a CUDA kernel on this geometry. `many`: it must take a table of samples. */
void make_form(const struct kernel *kernel, const struct geometry *geometry, const struct tuning *tuning, bool many,
               struct form *form);
/* Whether some access of a kernel with these kinds finds elements by number. Maps are tables, one for each shape. */
bool any_numbered(const struct kernel *kernel, const unsigned char *kinds);
/* Of a reduction: where loads are not aligned, each thread gets one lane. Else: makes accesses ACCESS_COLUMN for which
 * the form's period is short enough. Chooses geometry->peel for tensors whose addresses are `misalignment`[a] modulo
 * 16, and makes accesses whose chunks are not aligned then ACCESS_UNALIGNED. */
void align_chunks(const struct kernel *kernel, const unsigned char *misalignment, struct geometry *geometry,
                  struct form *form);
/* Changes the form of a reduction so that each thread has one lane. */
void form_one_lane(const struct kernel *kernel, struct form *form);
/* Changes the form so that it serves any period. */
void form_any_period(const struct tuning *tuning, struct form *form);
/* The number of tiles of a sample with this geometry; 0 where it is empty. */
int64_t form_tiles(const struct form *form, const struct geometry *geometry);

/* Sizes of arguments in words of 8 bytes: a geometry, a sample, and all arguments. */
size_t form_geometry_words(const struct form *form);
size_t form_sample_words(const struct form *form);
size_t form_args_words(const struct form *form);

/* a / b, rounded up; b is above 0. */
static inline int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

#endif
