/* Writes the machine code of CUDA kernels ahead of time, as arrays of words, and the tables of classes that name it. */
#include "compiler/aot/print_impl.h"

#include "compiler/emit/emit.h"

#include <stdlib.h>
#include <string.h>

int aot_newest(const struct aot_params *params)
{
    int found = 0;
    for (int a = 0; a < params->arch_count; a++)
        if (atoi(params->archs[a] + 3) > found)
            found = atoi(params->archs[a] + 3);
    return found;
}

/* The number of the constant that holds a loop's literals, if they are in memory. It follows the loop's own
 * constants. */
int aot_literal_constant(const struct aot_loop *loop)
{
    return loop->constant + loop->kernel->constant_count;
}

/* ---- machine code ---- */

static void put_words(struct buf *out, const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        for (size_t i = 0; i < sizeof word && at + i < size; i++)
            word |= (uint64_t)bytes[at + i] << 8 * i;
        const char *before = at == 0 ? "\n    " : at % 64 ? " " : ",\n    ";
        buf_printf(out, word < 10 ? "%s%s%llu" : "%s%s0x%llx", at && at % 64 ? "," : "", before,
                   (unsigned long long)word);
    }
}

struct device_text {
    struct buf *out;
    struct aot_kernel *k;
    const struct aot_params *params;
    bool failed;
};

static void put_code(struct device_text *t, int p, int c, const char *text, const char *arch)
{
    const unsigned char *code = NULL;
    size_t size = 0;
    if (t->failed || !t->params->compile(t->params->user, text, arch, &code, &size)) {
        t->failed = true;
        return;
    }
    buf_printf(t->out, "static const uint64_t " NAME_CODE "[] = { /* %zu bytes */", t->k->program->name, p, c, arch,
               size);
    put_words(t->out, code, size);
    buf_puts(t->out, "};\n");
}

/* Writes the code of a class for all architectures, and the list of these. */
static void put_class_code(struct device_text *t, int p, int c)
{
    struct aot_kernel *k = t->k;
    const struct aot_params *params = t->params;
    const struct aot_class *class = &k->loops[p].classes[c];
    const struct emit_params emitted = {.target = k->target, .form = &class->form, .kinds = class->kinds,
                                        .fast = k->target->fast & FAST_AHEAD};
    size_t scratch;
    const char *text = emit(k->arena, k->loops[p].kernel, &emitted, &scratch);
    const char *name = k->program->name, *ptx = arena_printf(k->arena, "compute_%d", aot_newest(params));
    for (int a = 0; a < params->arch_count; a++)
        put_code(t, p, c, text, params->archs[a]);
    put_code(t, p, c, text, ptx);
    buf_printf(t->out, "static const uint64_t *const " NAME_CODES "[CODES] = {", name, p, c);
    for (int a = 0; a < params->arch_count; a++)
        buf_printf(t->out, NAME_CODE ", ", name, p, c, params->archs[a]);
    buf_printf(t->out, NAME_CODE "};\n", name, p, c, ptx);
}

static void put_class(struct buf *out, struct aot_kernel *k, int p, int c)
{
    const struct aot_loop *loop = &k->loops[p];
    const struct aot_class *class = &loop->classes[c];
    const char *name = k->program->name;
    struct form_field fields[FORM_FIELD_COUNT];
    form_fields(&class->form, fields);
    buf_printf(out, "    {\"%.*s\", {", class->form.accesses, (const char *)class->kinds);
    for (int i = 0; i < FORM_FIELD_COUNT; i++)
        if (fields[i].value)
            buf_printf(out, "%s.%s = %d", i ? ", " : "", fields[i].name, fields[i].value);
    buf_printf(out, "}, %d, %d, %d, %d, %d, %d, %s, " NAME_CODES "},\n", class->number, class->batch, class->period,
               class->unaligned, aot_literal_constant(loop), loop->fault,
               class->form.literals ? arena_printf(k->arena, NAME_LITERALS, name, p) : "NULL", name, p, c);
}

static void put_literals(struct buf *out, const struct aot_kernel *k, int p)
{
    const struct kernel *kernel = k->loops[p].kernel;
    if (!kernel->literal_count)
        return;
    buf_printf(out, "static const unsigned long long " NAME_LITERALS "[] = {", k->program->name, p);
    for (int i = 0; i < kernel->literal_count; i++)
        buf_printf(out, "%s0x%llx", i % 8 ? ", " : i ? ",\n    " : "", (unsigned long long)kernel->literals[i].bits);
    buf_puts(out, "};\n");
}

void aot_put_device_classes(struct buf *out, struct aot_kernel *k, int p, const struct aot_params *params)
{
    struct device_text t = {out, k, params, false};
    put_literals(out, k, p);
    for (int c = 0; c < k->loops[p].class_count; c++)
        put_class_code(&t, p, c);
    buf_printf(out, "static const struct class " NAME_CLASSES "[] = {\n", k->program->name, p);
    for (int c = 0; c < k->loops[p].class_count; c++)
        put_class(out, k, p, c);
    buf_puts(out, "};\n");
    k->failed = k->failed || t.failed;
}
