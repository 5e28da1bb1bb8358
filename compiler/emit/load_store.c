/* Writes loads and stores of a kernel: distributes the lines of the target's text for each kind of access
 * (templates/kernel/access_*.h) over the sections of the skeleton. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

int first_deinterleaved(const struct emitter *e, int k)
{
    for (int a = 0; a < k; a++)
        if (e->kinds[a] == ACCESS_DEINTERLEAVED && access_same(&e->kernel->accesses[a], &e->kernel->accesses[k]))
            return a;
    return k;
}

/* Whether load k is joined with others, of which one before it reads the same tensor. */
static bool joined_again(const struct emitter *e, int k)
{
    for (int a = 0; a < k; a++)
        if (e->joined[a] == e->joined[k] && access_same(&e->kernel->accesses[a], &e->kernel->accesses[k]))
            return true;
    return false;
}

/* Of a load that others lie behind, how many elements these are at most; else 0. */
static int elements_behind(const struct emitter *e, int k)
{
    const struct near *near = e->params->near;
    return near && near[k].first == k ? near[k].elements : 0;
}

int buffer_room(const struct emitter *e, int k)
{
    const int size = type_rows[e->kernel->accesses[k].dtype].size;
    if (k >= e->kernel->load_count)
        return 0;
    return elements_behind(e, k) ? BLOCK : access_room(e->kinds[k], size);
}

/* Whether this line of the target's text, or one that says the same, was added before. */
static bool again(struct emitter *e, const char *line)
{
    const size_t length = strcspn(line, "\n") + 1;
    for (int i = 0; i < e->told_count; i++)
        if (strncmp(e->told[i], line, length) == 0)
            return true;
    ARENA_PUSH(e->arena, e->told, e->told_count, line);
    return false;
}

/* Skips a word, which may include a space, if it is there. */
static bool skip_word(const char **at, const char *word)
{
    size_t length = strlen(word);
    bool there = strncmp(*at, word, length) == 0;
    *at += there ? length : 0;
    return there;
}

/* Whether one load alone goes through memory in blocks. Where there are more, fetching ahead of each took up to 1.3
 * times as long (two inputs of 4 to 200 MB, AMD EPYC): a processor goes along several by itself. */
static bool is_lone(const struct emitter *e)
{
    int count = 0;
    for (int k = 0; k < e->kernel->load_count; k++)
        count += e->kinds[k] == ACCESS_UNIT;
    return count == 1;
}

/* Adds one line of the target's text to the section that it names. `place` is where it begins in that text. */
static void put_line(struct emitter *e, int k, bool store, bool called, const char *place,
                     const struct buf *line)
{
    const char *at = line->text, *end = at + line->length;
    enum weft_dtype dtype = e->kernel->accesses[k].dtype;
    const bool copied = e->copied == k && access_is(e->kinds[k], TILED);
    if ((skip_word(&at, "steady ") && e->slide.rows) || (skip_word(&at, "sliding ") && !e->slide.rows) ||
        (skip_word(&at, "called ") && !called) || (skip_word(&at, "copied ") && !copied) ||
        (skip_word(&at, "whole ") && !e->whole) || (skip_word(&at, "masked ") && !e->masked) ||
        (skip_word(&at, "unmasked ") && e->masked) ||
        (skip_word(&at, "padded ") && (e->whole || e->masked)) ||
        (skip_word(&at, "runs ") && !e->runs) || (skip_word(&at, "single ") && e->runs) ||
        (skip_word(&at, "swept ") && e->kernel->lanes) || (skip_word(&at, "joining ") && !e->kernel->lanes) ||
        (skip_word(&at, "laned ") && !e->laned) || (skip_word(&at, "unlaned ") && e->laned) ||
        (skip_word(&at, "lone ") && !is_lone(e)) ||
        (skip_word(&at, "once ") && again(e, place)) || (skip_word(&at, "32nd ") && k % 32 != 31))
        return;
    const char *colon = memchr(at, ':', (size_t)(end - at)), *text = colon + 2;
    const int first = store                ? e->copied
                      : copied             ? e->kernel->load_count
                      : e->kinds[k] == ACCESS_NEAR ? e->params->near[k].first
                      : e->joined[k] != k  ? e->joined[k]
                                           : first_deinterleaved(e, k);
    const bool shares = e->kinds[k] == ACCESS_NEAR || (!store && elements_behind(e, k));
    const char *choice = store && e->kernel->lanes ? joined_from(e)
                         : shares ? arena_printf(e->arena, "%d", e->params->near[k].elements) : e->choice[k];
    struct tokens tokens = {.section = "move", .t = dtype, .s = dtype, .memory = true, .number = k, .first = first,
                            .choice = choice, .name = access_name(e->arena, e->kernel, k)};
    if (skip_word(&at, "head:")) {
        e->row_head = true;
        e->vectors = e->vectors || !text_is(text, (size_t)(end - text), "rows");
        e->shuffles = e->shuffles || text_is(text, (size_t)(end - text), "shuffles");
    } else if (skip_word(&at, "block:")) {
        struct buf name = buf_new(e->arena);
        subst_text(&e->subst, &name, text, (size_t)(end - text), &tokens);
        declare_block(e, &e->buffers, dtype, name.text, buffer_room(e, k));
    } else {
        struct buf *out = emit_section(e, at, (size_t)(colon - at));
        const size_t start = out->length;
        const struct ins *ins = kernel_access_ins(e->kernel, k);
        subst_text(&e->subst, out, text, (size_t)(end - text), &tokens);
        buf_putc(out, '\n');
        if (ins)
            emit_mark(out, start, ins);
    }
}

static void put_lines(struct emitter *e, int k, bool store, bool called, const char *kind)
{
    size_t length = 0;
    const char *text = subst_find(e->params->target->accesses, store ? "store" : "load", kind, &length);
    if (!text)
        return;
    for (const char *end = text + length, *next; text < end; text = next + 1) {
        struct buf line = buf_new(e->arena);
        for (const char *from = text;; from = next + 2) {
            next = memchr(from, '\n', (size_t)(end - from));
            buf_add(&line, from, (size_t)(next - from));
            if (next + 1 >= end || next[1] != '+')
                break;
        }
        put_line(e, k, store, called, text, &line);
    }
}

void find_copied(struct emitter *e)
{
    const struct kernel *kernel = e->kernel;
    const struct ins *store = &kernel->ins[kernel->ins_count - 1];
    e->copied = e->params->target->chunks ? -1 : copied_load(kernel, e->kinds);
    if (e->copied < 0 && !e->params->target->chunks && !kernel->lanes && store->kind == INS_STORE &&
        store->dtype != WEFT_BOOL && e->kinds[store->index] == ACCESS_UNIT)
        e->copied = joined_load(e, store->a[0]);
}

bool copies_runs(const struct emitter *e)
{
    return e->copied >= 0 && (e->kinds[e->copied] == ACCESS_UNIT || e->kinds[e->copied] == ACCESS_INTERLEAVED);
}

/* Whether the kernel goes over transposed tiles. */
static bool has_transposed(const struct emitter *e)
{
    const size_t loads = (size_t)e->kernel->load_count;
    return memchr(e->kinds, ACCESS_TRANSPOSED, loads) || memchr(e->kinds, ACCESS_CROSSED, loads);
}

/* How a load is made, by what is known of its kernel and of other loads. */
static struct access_way load_way(const struct emitter *e, int k)
{
    const struct access_row *row = &access_rows[e->kinds[k]];
    const int deinterleaved = first_deinterleaved(e, k);
    if (e->kinds[k] == ACCESS_NEAR)
        return (struct access_way){row->section, row->in_blocks, e->params->near[k].first};
    if (elements_behind(e, k))
        return (struct access_way){"wide", row->in_blocks, k};
    if (e->kinds[k] == ACCESS_UNIT && copies_runs(e))
        return (struct access_way){"run", "copied in runs", k};
    if (e->kinds[k] == ACCESS_UNIT && has_transposed(e))
        return (struct access_way){"tiled", row->in_blocks, k};
    if (e->kinds[k] == ACCESS_DEINTERLEAVED)
        return (struct access_way){deinterleaved == k ? row->section : "beside", row->in_blocks, deinterleaved};
    if (e->joined[k] != k)
        return (struct access_way){joined_again(e, k) ? "rejoined" : "joined", row->in_blocks, e->joined[k]};
    return (struct access_way){row->section, e->params->target->chunks ? row->in_chunks : row->in_blocks, k};
}

static struct access_way store_way(const struct emitter *e, int k)
{
    const struct access_row *row = &access_rows[access_rows[e->kinds[k]].store];
    if (e->kernel->lanes)
        return (struct access_way){"reduced", "", k};
    if (copies_runs(e))
        return e->kinds[e->copied] == ACCESS_UNIT ? (struct access_way){"run", "copied in runs", k}
                                                  : (struct access_way){"gathered", "by vectors", k};
    if (e->copied >= 0)
        return (struct access_way){"copied", "by vectors", k};
    if (e->held)
        return (struct access_way){"held", "by vectors", k};
    return (struct access_way){row->section, e->params->target->chunks ? row->in_chunks : row->in_blocks, k};
}

void emit_access(struct emitter *e, int k, bool store, bool called)
{
    if (!store || !e->kernel->lanes)
        put_lines(e, k, store, called, "every");
    put_lines(e, k, store, called, (store ? store_way(e, k) : load_way(e, k)).section);
}

struct access_way *access_ways(struct arena *arena, const struct kernel *kernel, const struct emit_params *params)
{
    struct emitter e = {.arena = arena, .kernel = kernel, .params = params, .kinds = params->kinds};
    struct access_way *ways = ARENA_ARRAY(arena, struct access_way, kernel->access_count);
    make_evaluation(arena, kernel, e.kinds, params->fast, !params->target->chunks, &e.evaluation);
    find_joined(&e);
    find_copied(&e);
    for (int k = 0; k < kernel->access_count; k++)
        ways[k] = k < kernel->load_count ? load_way(&e, k) : store_way(&e, k);
    return ways;
}
