/* Writes the constant tables of a kernel in a source made ahead of time, whose structs are in templates/aot/check.c,
 * and the function that computes the extents of a call. */
#include "compiler/aot/print_impl.h"

#include <string.h>

/* ---- constants ---- */

/* Writes the elements of an array literal as unsigned numbers of their size, so that all of them are constants in C. */
static void put_constant(struct buf *out, const char *name, const struct constant *constant, int64_t count)
{
    static const char *const types[] = {[1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    const int size = type_rows[constant->dtype].size;
    buf_printf(out, "static const %s %s[] = { /* %s */", types[size], name, type_rows[constant->dtype].name);
    for (int64_t i = 0; i < count; i++) {
        const union scalar value = scalar_load((const char *)constant->data + i * size, constant->dtype);
        buf_printf(out, "%s0x%llx%s", i % 8 ? " " : "\n    ", (unsigned long long)value.bits,
                   i + 1 < count ? "," : "");
    }
    buf_puts(out, "};\n");
}

const char *aot_constant_name(struct aot_kernel *k, int loop, int index)
{
    return arena_printf(k->arena, NAME_CONSTANT, k->program->name, loop, index);
}

static void put_constants(struct buf *out, struct aot_kernel *k, int p)
{
    const struct kernel *kernel = k->loops[p].kernel;
    bool *done = ARENA_ARRAY(k->arena, bool, kernel->constant_count + 1);
    for (int a = 0; a < kernel->load_count; a++) {
        const int index = kernel->accesses[a].index;
        if (kernel->accesses[a].kind != TENSOR_CONSTANT || done[index])
            continue;
        const struct constant *constant = &kernel->constants[index];
        done[index] = true;
        put_constant(out, aot_constant_name(k, p, index), constant,
                     (int64_t)constant->bytes / type_rows[constant->dtype].size);
    }
}

/* ---- loops ---- */

static void put_access(struct aot_list *list, struct aot_kernel *k, int p, int a)
{
    const struct access *access = &k->loops[p].kernel->accesses[a];
    const bool given = access->kind == TENSOR_INPUT || access->kind == TENSOR_RESULT;
    const int operand = access->index + (access->kind == TENSOR_RESULT ? k->program->input_count : 0);
    const struct aot_operand own = given ? aot_operand(k, operand) : (struct aot_operand){.dtype = access->dtype};
    const int old = own.dtype != access->dtype ? type_rows[own.dtype].size : 0;
    const char *form = given ? "{0, NULL}" : aot_form(k, aot_access_shape(k, &k->loops[p], a));
    const char *data = access->kind == TENSOR_CONSTANT ? aot_constant_name(k, p, access->index) : "NULL";
    const bool device = k->target->device, number = access->kind == TENSOR_NUMBER;
    const bool value = !number && aot_is_value(k, access);
    const char *source = number                            ? "FROM_NUMBER"
                         : value                             ? "FROM_VALUE"
                         : given                           ? "FROM_OPERAND"
                         : access->kind == TENSOR_CONSTANT ? "FROM_CONSTANT"
                         : access->kind == TENSOR_BYTES    ? "FROM_BYTES"
                                                           : "FROM_TEMPORARY";
    const int index = number && access->index < 0 ? (int)(EXTENT_VARIABLE - access->index)
                      : number ? k->number_slots[number_node(access->index)]
                      : device && access->kind == TENSOR_CONSTANT ? k->loops[p].constant + access->index
                                                                    : access->index;
    const int size = type_rows[access->dtype].size;
    if (given && !value && !old && !access->map)
        aot_list_add(list, "WEFT_GIVEN(%d, %d) /* %s */", operand, size, own.name);
    else
        aot_list_add(list, "{%s, %d, %d, %d, %d, %s, %s}", source, given ? operand : index, size, value ? 0 : old,
                     value ? 0 : access->map, data, form);
}

static void put_classes(struct buf *out, struct aot_kernel *k, int p, const struct aot_params *params)
{
    const struct aot_loop *loop = &k->loops[p];
    struct aot_list list = {out, arena_printf(k->arena, "static const struct class " NAME_CLASSES "[] = {",
                                              k->program->name, p), NULL, 0};
    for (int c = 0; c < loop->class_count; c++) {
        const struct aot_class *class = &loop->classes[c];
        aot_list_add(&list, params->levels ? "{\"%.*s\", LOOP(%s), %zu, %s}" : "{\"%.*s\", {%s}, %zu, %s}",
                     loop->kernel->access_count, (const char *)class->kinds, class->function, class->scratch,
                     copied_load(loop->kernel, class->kinds) >= 0 ? "true" : "false");
    }
    aot_list_end(&list, "};\n");
}

/* A number as C, also the smallest one. */
static const char *number_text(struct aot_kernel *k, int64_t number)
{
    return number == INT64_MIN ? "INT64_MIN" : arena_printf(k->arena, "%lld", (long long)number);
}

static const char *axes_name(struct aot_kernel *k, int p, int m)
{
    return arena_printf(k->arena, NAME_AXES, k->program->name, p, m);
}

static void put_axes(struct buf *out, struct aot_kernel *k, int p, int m)
{
    static const char *const edges[] = {[EDGE_VALUE] = "EDGE_VALUE", [EDGE_CLAMP] = "EDGE_CLAMP",
                                        [EDGE_WRAP] = "EDGE_WRAP", [EDGE_SYMMETRIC] = "EDGE_SYMMETRIC",
                                        [EDGE_REFLECT] = "EDGE_REFLECT"};
    const struct index_map *step = &k->loops[p].kernel->maps[m];
    buf_printf(out, "static const struct axis %s[] = {\n", axes_name(k, p, m));
    for (int d = 0; d < step->to->rank; d++) {
        const struct slice *slice = &step->axes[d].slice;
        buf_printf(out, "    {%d, {%s, %s, %s, %d, %d, %d}, %s},\n", step->axes[d].from,
                   number_text(k, slice->start), number_text(k, slice->stop), number_text(k, slice->step),
                   slice->has_start, slice->has_stop, slice->open, edges[step->axes[d].edge]);
    }
    buf_puts(out, step->to->rank ? "};\n" : "    {0, {0, 0, 0, 0, 0, 0}, EDGE_VALUE}};\n");
}

static void put_maps(struct buf *out, struct aot_kernel *k, int p)
{
    static const char *const outsides[] = {[OUTSIDE_NONE] = "OUTSIDE_NONE", [OUTSIDE_VALUE] = "OUTSIDE_VALUE",
                                           [OUTSIDE_EDGE] = "OUTSIDE_EDGE", [OUTSIDE_WRAP] = "OUTSIDE_WRAP",
                                           [OUTSIDE_TAKEN] = "OUTSIDE_TAKEN"};
    const struct kernel *kernel = k->loops[p].kernel;
    for (int m = 1; m < kernel->map_count; m++)
        if (kernel->maps[m].axes)
            put_axes(out, k, p, m);
    buf_printf(out, "static const struct map " NAME_MAPS "[] = {\n"
               "    {-1, {0, NULL}, {0, NULL}, NULL, OUTSIDE_NONE, 0, false},\n", k->program->name, p);
    for (int m = 1; m < kernel->map_count; m++) {
        const struct index_map *step = &kernel->maps[m];
        const char *from = aot_form(k, step->from), *to = aot_form(k, step->to);
        buf_printf(out, "    {%d, %s, %s, %s, %s, 0x%llx, %s},\n", step->parent, from, to,
                   step->axes ? axes_name(k, p, m) : "NULL", outsides[step->outside],
                   (unsigned long long)step->value, aot_is_open(step) ? "true" : "false");
    }
    buf_puts(out, "};\n");
}

static void put_faults(struct buf *out, struct aot_kernel *k, int p)
{
    const struct kernel *kernel = k->loops[p].kernel;
    buf_printf(out, "static const struct place " NAME_FAULTS "[] = {", k->program->name, p);
    for (int f = 0; f < kernel->fault_count; f++) {
        const struct text_place place = find_place(k->program->source, kernel->faults[f].span.start);
        buf_printf(out, "%s{%zu, %zu, %s}", f ? ", " : "", place.line, place.column,
                   kernel->faults[f].outside ? "WEFT_KERNEL_OUT_OF_RANGE" : "WEFT_KERNEL_DIVIDE_BY_ZERO");
    }
    buf_puts(out, "};\n");
}

/* Writes how a loop joins its values. Returns the name. */
static const char *put_joined(struct buf *out, struct aot_kernel *k, int p)
{
    const struct lanes *lanes = k->loops[p].kernel->lanes;
    const struct lane_tiles *t = &lanes->tiles;
    const int64_t extents[] = {t->points, t->elements, t->inner};
    const char *name = arena_printf(k->arena, NAME_JOINED, k->program->name, p);
    buf_printf(out, "static const struct joined %s = {", name);
    for (int i = 0; i < 3; i++)
        buf_printf(out, "%lld, ", (long long)(extents[i] < 0 ? extents[i] - EXTENT_UNKNOWN : extents[i]));
    buf_printf(out, "%d, %d, %d, %d, %d, %d};\n", join_is_ordered(lanes->join, lanes->tree), lanes->partial,
               lanes->alone, lanes->threads.threads, lanes->threads.serial,
               lanes->threads.levels ? 1 << (lanes->threads.levels - 1) : 0);
    return name;
}

bool aot_gathers(const struct aot_loop *loop)
{
    for (int c = 0; c < loop->class_count; c++)
        if (any_access_is(loop->classes[c].kinds, loop->kernel->load_count, GATHERED))
            return true;
    return false;
}

static void put_loop(struct buf *out, struct aot_list *rows, struct aot_kernel *k, int p,
                     const struct aot_params *params)
{
    const struct kernel *kernel = k->loops[p].kernel;
    const char *name = k->program->name, *form = aot_form(k, k->loops[p].shape);
    const bool maps = kernel->map_count > 1, faults = kernel->fault_count > 0;
    put_constants(out, k, p);
    const char *begin = arena_printf(k->arena, "static const struct access " NAME_ACCESSES "[] = {", name, p);
    struct aot_list list = {out, begin, NULL, 0};
    for (int a = 0; a < kernel->access_count; a++)
        put_access(&list, k, p, a);
    aot_list_end(&list, "};\n");
    if (maps)
        put_maps(out, k, p);
    if (faults)
        put_faults(out, k, p);
    (k->target->device ? aot_put_device_classes : put_classes)(out, k, p, params);
    const char *joined = kernel->lanes ? arena_printf(k->arena, "&%s", put_joined(out, k, p)) : "NULL";
    /* the work for an element, as estimated in compiler/loop/schedule.c */
    aot_list_add(rows, "{%s, %d, %d, %d, %d, %d, " NAME_ACCESSES ", %s, " NAME_CLASSES ", %s, %s, %d / 3.0, %s}",
                 form, kernel->access_count, kernel->load_count, maps ? kernel->map_count : 1, k->loops[p].class_count,
                 kernel->fault_count, name, p, maps ? arena_printf(k->arena, NAME_MAPS, name, p) : "NULL", name, p,
                 faults ? arena_printf(k->arena, NAME_FAULTS, name, p) : "NULL", joined, kernel_weight(kernel),
                 aot_gathers(&k->loops[p]) ? "true" : "false");
}

/* ---- the kernel ---- */

static void put_forms(struct buf *out, const struct aot_kernel *k)
{
    for (int f = 0; f < k->form_count; f++) {
        buf_printf(out, "static const int64_t " NAME_SHAPE "[] = {", k->program->name, f);
        for (int d = 0; d < k->forms[f]->rank; d++) {
            const long long extent = (long long)k->forms[f]->extents[d];
            buf_printf(out, "%s%lld", d ? ", " : "", extent < 0 ? extent - EXTENT_UNKNOWN : extent);
        }
        buf_puts(out, "};\n");
    }
}

static void put_extents(struct buf *out, const struct aot_kernel *k)
{
    buf_putc(out, '\n');
    emit_host_begin(out, k->host, k->program->name);
    buf_printf(out, "static int " NAME_EXTENTS "(const struct tensor *in, int64_t *d)\n{\n%s", k->program->name,
               strstr(k->extents.text, "in[") && strstr(k->extents.text, "d[") ? "" : "    (void)in, (void)d;\n");
    for (const char *line = k->extents.text; *line; line += strcspn(line, "\n") + 1)
        buf_printf(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
    buf_puts(out, "    return 0;\n}\n\n");
    emit_host_end(out, k->host, k->program->name);
}

static void put_operands(struct buf *out, struct aot_kernel *k)
{
    const unsigned char *alignments = find_alignments(k->arena, k->program);
    struct aot_list list = {out, arena_printf(k->arena, "static const struct operand " NAME_OPERANDS "[] = {",
                                              k->program->name), NULL, 0};
    for (int o = 0; o < aot_operand_count(k); o++) {
        const struct aot_operand own = aot_operand(k, o);
        const int size = type_rows[own.dtype].size;
        aot_list_add(&list, "{\"%s\", %d, %d, %d}", own.name, own.shape->rank, size,
                     !own.result && alignments[o] > size ? alignments[o] : size);
    }
    aot_list_end(&list, "};\n");
}

static void put_results(struct buf *out, struct aot_kernel *k)
{
    const struct program *program = k->program;
    buf_printf(out, "static const struct form " NAME_FORMS "[] = {", program->name);
    for (int r = 0; r < program->result_count; r++)
        buf_printf(out, "%s%s", r ? ", " : "", aot_form(k, k->shapes[program->results[r].node]));
    buf_printf(out, "};\nstatic const unsigned char " NAME_REPLACES "[] = {", program->name);
    for (int i = 0; i < program->input_count * program->result_count; i++)
        buf_printf(out, "%s%d", i ? ", " : "", k->replaces[i]);
    buf_puts(out, program->input_count ? "};\n" : "0};\n");
}

static void put_notes(struct buf *out, const struct aot_kernel *k)
{
    struct aot_list list = {out, arena_printf(k->arena, "static const struct weft_note " NAME_NOTES "[] = {",
                                              k->program->name), NULL, 0};
    aot_list_add(&list, "{0, 0, 0, NULL, NULL}");
    for (int n = 0; n < k->note_count; n++) {
        const struct text_place place = find_place(k->program->source, k->notes[n].span.start);
        aot_list_add(&list, "{WEFT_KERNEL_SHAPE_ERROR, %zu, %zu, NULL, \"%s\"}", place.line, place.column,
                     k->notes[n].text);
    }
    aot_list_end(&list, "};\n");
}

static void put_temporaries(struct buf *out, struct aot_kernel *k)
{
    struct aot_list list = {out, arena_printf(k->arena, "static const struct temporary " NAME_TEMPORARIES "[] = {",
                                              k->program->name), NULL, 0};
    for (int t = 0; t < k->temporary_count; t++)
        aot_list_add(&list, "{%s, %d}", aot_form(k, k->temporaries[t].shape), type_rows[k->temporaries[t].dtype].size);
    aot_list_end(&list, "};\n");
}

void aot_put_tables(struct buf *out, struct aot_kernel *k, const struct aot_params *params)
{
    const struct program *program = k->program;
    const char *name = program->name;
    struct buf tables = buf_new(k->arena);
    const char *begin = arena_printf(k->arena, "static const struct loop " NAME_LOOPS "[] = {", name);
    struct aot_list rows = {out, begin, NULL, 0};
    put_operands(&tables, k);
    put_results(&tables, k);
    if (k->temporary_count)
        put_temporaries(&tables, k);
    for (int p = 0; p < k->loop_count; p++)
        put_loop(&tables, &rows, k, p, params);
    buf_printf(out, "\n/* ---- %s ---- */\n", name);
    put_forms(out, k); /* now that all of them are known */
    buf_puts(out, tables.text);
    aot_list_end(&rows, "};\n");
    put_notes(out, k);
    put_extents(out, k);
    buf_printf(out, "static const struct kernel " NAME_TABLES " = {\n    %d, %d, %d, %d, ", name,
               program->input_count, program->result_count, k->loop_count, k->temporary_count);
    aot_put_own_sizes(out, k);
    buf_printf(out, ", " NAME_OPERANDS ", " NAME_FORMS ", " NAME_REPLACES ", " NAME_LOOPS ", %s,\n    " NAME_NOTES ", "
               NAME_EXTENTS ", %s};\n", name, name, name, name,
               k->temporary_count ? arena_printf(k->arena, NAME_TEMPORARIES, name) : "NULL", name, name,
               k->target->device ? "NULL" : "&built");
}
