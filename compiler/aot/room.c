/* Says how much of each a kernel has, of which arrays of its source, or memory of a call, have as much. */
#include "compiler/aot/print_impl.h"

#include "compiler/emit/emit.h"

static int most(int a, int b)
{
    return a > b ? a : b;
}

bool aot_is_open(const struct index_map *step)
{
    bool open = false;
    for (int d = 0; step->axes && d < step->to->rank; d++)
        open = open || step->axes[d].slice.open;
    return open;
}

struct sizes {
    int rank, operands, extents, accesses, groups, maps, open_maps, mapped, levels, pieces, faults;
    bool bounded;
};

static void measure_loop(struct sizes *sizes, const struct aot_loop *loop)
{
    const struct kernel *kernel = loop->kernel;
    int mapped = 0, open = 0;
    sizes->rank = most(sizes->rank, loop->shape->rank);
    sizes->accesses = most(sizes->accesses, kernel->access_count);
    sizes->maps = most(sizes->maps, kernel->map_count);
    sizes->faults = most(sizes->faults, kernel->fault_count);
    for (int m = 1; m < kernel->map_count; m++)
        sizes->rank = most(sizes->rank, most(kernel->maps[m].from->rank, kernel->maps[m].to->rank));
    for (int m = 1; m < kernel->map_count; m++)
        open += aot_is_open(&kernel->maps[m]);
    sizes->open_maps = most(sizes->open_maps, open);
    for (int a = 0; a < kernel->access_count; a++) {
        const enum access_kind kind = loop->classes[loop->class_count - 1].kinds[a];
        mapped += access_is(kind, NUMBERED) || (a >= kernel->load_count && kernel->accesses[a].map);
        sizes->bounded = sizes->bounded || kind == ACCESS_BOUNDED;
        sizes->levels = most(sizes->levels, map_levels(kernel->maps, kernel->accesses[a].map));
        sizes->pieces = most(sizes->pieces, map_pieces(kernel->maps, kernel->accesses[a].map));
    }
    sizes->mapped = most(sizes->mapped, mapped);
}

static struct sizes measure(struct aot_kernel *const *kernels, int count)
{
    struct sizes sizes = {.rank = 1, .maps = 1, .levels = 1};
    for (int i = 0; i < count; i++) {
        const struct aot_kernel *k = kernels[i];
        sizes.operands = most(sizes.operands, k->program->input_count + k->program->result_count);
        sizes.extents = most(sizes.extents, k->extent_count);
        for (int f = 0; f < k->form_count; f++)
            sizes.rank = most(sizes.rank, k->forms[f]->rank);
        for (int n = 0; n < k->program->node_count; n++)
            sizes.rank = most(sizes.rank, k->shapes[n]->rank);
        for (int p = 0; p < k->loop_count; p++)
            measure_loop(&sizes, &k->loops[p]);
    }
    sizes.groups = sizes.mapped ? MAX_GROUPS : sizes.rank;
    sizes.pieces += sizes.rank + 1; /* reinterpreted inputs have pieces of their own */
    sizes.pieces = sizes.pieces < MAX_PIECES ? sizes.pieces : MAX_PIECES;
    return sizes;
}

void aot_put_sizes(struct buf *out, struct aot_kernel *const *kernels, int count, int levels)
{
    const struct sizes s = measure(kernels, count);
    const int level = s.bounded ? 3 + 5 * s.pieces : 2 + 2 * s.pieces;
    const struct { const char *name; int value; const char *what; } rows[] = {
        {"MAX_RANK", s.rank, "dimensions"},
        {"OPERANDS", s.operands, "parameters and results"},
        {"EXTENTS", s.extents + 1, "that are found out when a call begins"},
        {"ACCESSES", s.accesses, "loads and stores of a loop"},
        {"LOOP_GROUPS", s.groups, "of a loop's dimensions"},
        {"MAX_PIECES", s.pieces, "that elements lie in"},
        {"MAPS", s.maps, "orders of elements, in a loop with views"},
        {"OPEN_MAPS", s.open_maps, "of these with numbers that a call decides"},
        {"MAPPED", s.mapped, "accesses that may go by an element's number"},
        {"MAP_LEVELS", s.levels, "that a number is taken apart in"},
        {"MAP_NUMBERS", s.mapped ? 1 + (s.levels + 1) * level : 0, "to say so"},
        {"FAULTS", s.faults, "divisions by zero and positions outside that a loop tells"},
        {"TRANSPOSED", TRANSPOSED_ROOM, "bytes of a tile that is transposed, and of what is behind its rows"},
        {"INTERLEAVED", INTERLEAVED_BYTES, "of pixels that are gathered at once, about"},
        {"DEINTERLEAVED", DEINTERLEAVED_COLUMNS, "of columns of pixels that are taken apart at once"},
        {"LEVELS", levels, "instruction sets"}};
    buf_puts(out, "\n/* The most of each, of any kernel here. */\nenum {\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        buf_printf(out, "    %s = %d, /* %s */\n", rows[i].name, rows[i].value, rows[i].what);
    buf_puts(out, "};\n");
}

void aot_put_own_sizes(struct buf *out, struct aot_kernel *k)
{
    const struct sizes s = measure(&k, 1);
    const int level = s.bounded ? 3 + 5 * s.pieces : 2 + 2 * s.pieces;
    buf_printf(out, "{%d, %d, %d, %d, %d, %d, %d, %d, %d}", s.extents, s.accesses, s.groups, s.maps, s.open_maps,
               s.mapped, s.levels, s.mapped ? 1 + (s.levels + 1) * level : 0, s.faults);
}
