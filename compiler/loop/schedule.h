/* A schedule: the kernels of a program in the order in which they run, each with its loop and its cost, what is
 * launched together, and how long the temporaries between them are needed. The passes LOOPS, CHAIN and TEXT make it.
 * Runs, `weft show` and sources ahead of time read it. */
#ifndef WEFT_COMPILER_LOOP_SCHEDULE_H
#define WEFT_COMPILER_LOOP_SCHEDULE_H

#include "compiler/loop/access.h"
#include "compiler/loop/form.h"
#include "compiler/loop/geometry.h"

/* The input of make_loop, for which all extents must be numbers. */
struct loop_params {
    bool chunks;                   /* the target computes in chunks (form.h) */
    unsigned fast;                 /* the fast paths that may be taken, a set of enum fast_path */
    const struct tuning *tuning;   /* for targets that compute in chunks */
    bool many;                     /* it must take a table of samples */
    bool placed;                   /* the operands are those of a run, so chunks can be aligned to them */
    const struct kernel *kernel;
    const struct shape *space;     /* the kernel's iteration space */
    const struct index_map *maps;  /* the kernel's maps */
    struct access_shapes shapes;
    struct operands operands;
};

/* How a kernel goes over its elements. */
struct loop {
    struct geometry geometry;
    struct form form;
    int64_t beside;                /* for struct lanes */
    bool laned;                    /* whether it may be, if rows are not too short */
};

/* Makes the loop of a kernel. Returns false where an input's bytes do not lie as they are to be reinterpreted;
 * *wrong is then the access. */
bool make_loop(struct arena *arena, const struct loop_params *params, struct loop *loop, const struct access **wrong);

/* A call that is likely, for kernels whose extents only a call decides. */
struct example {
    void *user;
    int64_t (*number)(void *user, int64_t extent); /* what an extent is in it; of a number that number */
    int64_t (*bound)(void *user, int64_t place); /* what an open bound of a slice is in it */
    const struct shape *const *shapes; /* [node_count] in numbers; NULL: there is no such call */
    unsigned without;              /* a set of enum fast_path that its loops do not take */
    bool values;                   /* operands without dimensions are passed by value */
};

/* The geometry of a likely call, and the kernel with the numbers by which it joins. */
struct likely {
    struct geometry geometry;
    const struct kernel *kernel;
};

/* examples.c: makes the loop of a kernel for an example. Extents in *params may be open; `operands` are not read: they
 * are dense. NULL where the call is none, or has no elements. */
const struct likely *make_likely(struct arena *arena, const struct loop_params *params, int temporary_count,
                                 const struct example *example);
/* Operands of these shapes: dense, and if `values` those without dimensions by value. */
const struct strided *dense_operands(struct arena *arena, const struct shape *const *shapes, int count, bool values);

struct kernel_text; /* compiler/emit/emit.h */

/* A kernel of a schedule. */
struct scheduled {
    struct kernel *kernel;
    const struct shape *space;     /* its iteration space */
    int order;                     /* of the kernel of results that it is or helps, among all of these */
    bool shared;                   /* depends on no batch, so it runs once for all samples */
    struct geometry geometry;      /* from here to `launched`: of a run. Ahead of time only `likely` is set */
    struct form form;
    int part, parts;               /* it is number `part`, from 1 on, of the kernels that store the same results */
    double work;                   /* an estimate of its time, from the bytes moved and the instructions of all
                                      elements */
    double touched, stored;        /* bytes of all accesses that are walked; of those that are stored. Of parts: of all
                                      together */
    int chain;                     /* length of the chain that starts here: kernels that take turns, tile number t of
                                      each after tiles number t of those before. 0: none starts here. On a GPU they are
                                      one kernel, and form.chained is set of each */
    int64_t ahead;                 /* bytes from what a tile of a chain reads to what the next one does, which this
                                      kernel fetches meanwhile; 0: it fetches what it reads itself */
    const struct kernel_text *text, *launched; /* its own; and what is compiled: the same, that of a chain on a GPU, or
                                      NULL, if another begins its chain */
    const struct likely **likely;  /* ahead of time: [examples] its loop in each; NULL: there is none */
};

/* What each thread has of a temporary in place of all of it. */
struct slices {
    int64_t bytes;                 /* of a tile, with what is needed around it; 0: the temporary is there as a whole */
    int64_t step;                  /* from where a tile begins to where the next one does, */
    int64_t before;                /* and so many are in front of that */
};

/* A temporary of a schedule. */
struct lifetime {
    bool shared;                   /* there is one for all samples, else one for each */
    int from, to;                  /* the first kernel that stores it, and the last that stores or reads it; to -1:
                                      none does */
    struct slices window;          /* only a chain in C has it, and needs that much of it for a tile */
};

struct schedule {
    struct scheduled *kernels;
    int count, first_result;       /* those before first_result store temporaries */
    bool batched;                  /* some input is a batch */
    const struct temporary *temporaries;
    struct lifetime *lifetimes;    /* [temporary_count] */
    int temporary_count;
    const struct access_shapes *shapes; /* of what the kernels read and store */
    const struct view_args *views; /* [view_count] with the values of size expressions */
};

/* Makes the schedule of a program of kernels; their costs and lifetimes, not yet chains and texts. Of *params,
 * `kernel`, `space` and `maps` are not read. batches: [inputs] whether it is a batch, of which the shapes are a
 * sample's. Returns false as make_loop does. */
bool make_schedule(const struct kernel_program *program, const struct loop_params *params, const bool *batches,
                   struct schedule *schedule, const struct access **wrong);

/* Ahead of time, where the program's extents may be open: loops are made for examples alone. */
void make_open_schedule(const struct kernel_program *program, const struct loop_params *params,
                        const struct example *examples, int count, struct schedule *schedule);

/* The bytes that an access of a kernel moves: of one that reads about what another does none. */
double bytes_moved(const struct scheduled *s, int a);

/* chain.c: finds chains. One rule for all targets says which kernels may take turns; what pays is the target's. Sets
 * their tiles and, on a GPU, their forms. */
void find_chains(struct arena *arena, struct schedule *schedule, bool gpu);

/* verify.c: NULL, or a text that says what is broken. */
const char *verify_schedule(const struct schedule *schedule);

#endif
