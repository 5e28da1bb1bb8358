/* See form.h. */
#include "compiler/form.h"

/* Not measured: what bandwidth times latency of a GPU with 2 to 5 TB/s asks of an SM, 20 to 40 KB on their
 * way, is there with 2048 threads that load 16 bytes each, and twice that leaves room. */
enum {
    CHUNK_BYTES = 16,              /* the widest load there is */
    THREADS = 256,
    SMALL_LOADS = 8,               /* bytes that all loads of a chunk take: 4 chunks of a thread */
    LARGE_LOADS = 32,              /* 2; more: one */
    LOADED_MOST = 384,             /* bytes of a chunk's loads: registers are four bytes, and 255 */
    WORK_MOST = 1024               /* instructions of all chunks of a thread */
};

static bool moves(enum access_kind kind)
{
    return kind != ACCESS_SCALAR && kind != ACCESS_PERIODIC;
}

static bool any_kind(const struct kernel *kernel, const unsigned char *kinds, enum access_kind kind)
{
    for (int a = 0; a < kernel->access_count; a++)
        if (kinds[a] == kind)
            return true;
    return false;
}

/* Bytes that the loads of one element take. */
static int loaded_bytes(const struct kernel *kernel, const unsigned char *kinds)
{
    int bytes = 0;
    for (int a = 0; a < kernel->load_count; a++)
        bytes += moves(kinds[a]) ? type_rows[kernel->accesses[a].dtype].size : 0;
    return bytes;
}

/* The widest access that moves fills 16 bytes with a chunk. Where none is dense neighbouring threads had
 * better take neighbouring elements. */
static void choose_chunks(const struct kernel *kernel, const unsigned char *kinds, struct form *form)
{
    int widest = 1, bytes = loaded_bytes(kernel, kinds);
    for (int a = 0; a < kernel->access_count; a++)
        if (moves(kinds[a]) && type_rows[kernel->accesses[a].dtype].size > widest)
            widest = type_rows[kernel->accesses[a].dtype].size;
    form->block = any_kind(kernel, kinds, ACCESS_UNIT) ? CHUNK_BYTES / widest : 1;
    while (form->block > 1 && (form->block * bytes > LOADED_MOST || form->block * kernel->ins_count > WORK_MOST))
        form->block /= 2;
    bytes *= form->block;
    form->unroll = bytes <= SMALL_LOADS ? 4 : bytes <= LARGE_LOADS ? 2 : 1;
    while (form->unroll > 1 && form->unroll * form->block * kernel->ins_count > WORK_MOST)
        form->unroll /= 2;
}

/* So many threads that all chunks of a thread begin at one place in the period, where they can be had. */
static void choose_threads(const struct geometry *g, struct form *form)
{
    static const short counts[] = {THREADS, 192, 320, 384, 128, 160, 224, 288, 352};
    form->threads = THREADS;
    for (size_t i = 0; form->flat && !g->groups && i < sizeof counts / sizeof *counts; i++)
        if (counts[i] * form->block % g->period == 0) {
            form->threads = counts[i];
            form->repeats = true;
            return;
        }
}

static int room_for(int groups)
{
    int room = groups;
    if (groups > EXACT_GROUPS)
        for (room = EXACT_GROUPS + 1; room < groups; room *= 2)
            ;
    return room;
}

/* Whether indices, beyond the end by a tile too, or strides do not fit 32 bits. */
static bool is_wide(const struct geometry *g, int accesses)
{
    if (g->volume >= INT32_MAX - (1 << 20))
        return true;
    for (int i = 0; i < accesses * (g->groups + 2); i++)
        if (g->strides[i] > INT32_MAX || g->strides[i] < -INT32_MAX)
            return true;
    return false;
}

static int steps_of(const struct kernel *kernel, const unsigned char *kinds)
{
    if (any_kind(kernel, kinds, ACCESS_NESTED))
        return 2;
    return any_kind(kernel, kinds, ACCESS_STRIDED) || any_kind(kernel, kinds, ACCESS_PERIODIC);
}

void make_form(const struct kernel *kernel, const struct geometry *g, bool many, struct form *form)
{
    *form = (struct form){.accesses = kernel->access_count, .literals = kernel->literal_count,
                          .groups = room_for(g->groups), .flat = g->period > 0,
                          .steps = steps_of(kernel, g->kinds),
                          .mapped = any_kind(kernel, g->kinds, ACCESS_MAPPED),
                          .wide = is_wide(g, kernel->access_count), .many = many};
    choose_chunks(kernel, g->kinds, form);
    choose_threads(g, form);
    if (form_args_words(form) * sizeof(uint64_t) > ARGS_MOST)
        form->many = true;
    form->apart = form->many && form->literals > LITERALS_MOST;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

int64_t form_tiles(const struct form *form, const struct geometry *g)
{
    if (!form->threads)
        return g->tiles;
    return divide_up(g->rows * divide_up(g->columns, form->block), (int64_t)form->unroll * form->threads);
}

/* ---- sizes ---- */

size_t form_geometry_words(const struct form *form)
{
    size_t accesses = (size_t)form->accesses, groups = (size_t)form->groups, words = 2;
    if (groups)
        words += 3 + 1 + 3 * groups;
    if (form->flat)
        words += 3;
    return words + accesses * (groups + (size_t)form->steps + form->mapped);
}

size_t form_sample_words(const struct form *form)
{
    return 2 + (size_t)form->accesses;
}

size_t form_args_words(const struct form *form)
{
    size_t words = 2 + (form->apart || !form->literals ? 1 : (size_t)form->literals);
    return words + (form->many ? 2 : form_geometry_words(form) + (size_t)form->accesses);
}
