/* The linked page (stage "html"): what a program becomes, side by side. Every line that comes from a piece of the text
 * carries its place, as passes handed it on (struct text_marks); templates/page/page.html has the rest.
 *
 * Everything that comes from a program or a compiler is escaped, so nothing leaves its element. */
#include "runtime/api/page_impl.h"

#include "compiler/dump/dump.h"
#include "runtime/api/stage_impl.h"
#include "runtime/cc/cc.h"
#include "runtime/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ASSEMBLY = 200 << 10, TITLE = 80 };

/* ---- characters ---- */

/* The bytes of the character of UTF-8 that begins here, and its number; 0: none does. */
static int character(const unsigned char *c, size_t left, unsigned *number)
{
    const int size = c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;
    *number = size ? c[0] & (0xffu >> (size + 1)) : 0;
    for (int i = 1; i < size; i++) {
        if ((size_t)i >= left || (c[i] & 0xc0) != 0x80)
            return 0;
        *number = *number << 6 | (c[i] & 0x3fu);
    }
    return size;
}

/* Adds text as an element's or an attribute's, in ASCII. */
static void put_escaped(struct buf *out, const char *text, size_t length)
{
    for (size_t i = 0, size; i < length; i += size) {
        const unsigned char c = (unsigned char)text[i];
        unsigned number;
        const int wide = c < 0x80 ? 0 : character((const unsigned char *)text + i, length - i, &number);
        size = wide ? (size_t)wide : 1;
        if (wide)
            buf_printf(out, "&#%u;", number);
        else if (c >= 0x80 || c == 0x7f || (c < ' ' && c != '\n' && c != '\t'))
            buf_puts(out, "&#65533;");
        else if (strchr("&<>\"", c))
            buf_puts(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;");
        else
            buf_putc(out, (char)c);
    }
}

/* ---- the program ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_surprising(const struct surprises *surprises, uint32_t from, uint32_t to)
{
    for (int i = 0; i < surprises->count; i++)
        if (surprises->items[i].at.start < to && from < surprises->items[i].at.end)
            return true;
    return false;
}

/* The text, cut wherever an expression begins or ends. Operators that may surprise are underlined. */
static void put_program(struct buf *out, const struct program *program, const struct surprises *surprises)
{
    const struct source *source = program->source;
    uint32_t *cuts = ARENA_ARRAY(out->arena, uint32_t, 2 * program->node_count + 2), count = 0, first = UINT32_MAX;
    for (int n = 0; n < program->node_count; n++) {
        cuts[count++] = program->nodes[n].span.start;
        cuts[count++] = program->nodes[n].span.end;
        first = program->nodes[n].span.start < first ? program->nodes[n].span.start : first;
    }
    cuts[count++] = 0;
    cuts[count++] = (uint32_t)source->length;
    qsort(cuts, count, sizeof *cuts, by_number);
    for (uint32_t i = 0; i + 1 < count; i++) {
        const uint32_t from = cuts[i], to = cuts[i + 1];
        if (from == to)
            continue;
        if (from >= first)
            buf_printf(out, "<span data-s=\"%u\" data-e=\"%u\"%s>", from, to,
                       is_surprising(surprises, from, to) ? " class=\"surprise\"" : "");
        put_escaped(out, source->text + from, to - from);
        buf_puts(out, from >= first ? "</span>" : "");
    }
}

static int by_span(const void *a, const void *b)
{
    const struct span x = *(const struct span *)a, y = *(const struct span *)b;
    return x.start != y.start ? (x.start > y.start) - (x.start < y.start) : (x.end > y.end) - (x.end < y.end);
}

/* The places of all expressions, each once, as JSON. */
static void put_nodes(struct buf *out, const struct program *program)
{
    struct span *spans = ARENA_ARRAY(out->arena, struct span, program->node_count + 1);
    for (int n = 0; n < program->node_count; n++)
        spans[n] = program->nodes[n].span;
    qsort(spans, (size_t)program->node_count, sizeof *spans, by_span);
    buf_putc(out, '[');
    for (int n = 0; n < program->node_count; n++)
        if (!n || by_span(&spans[n - 1], &spans[n]))
            buf_printf(out, n ? ",[%u,%u]" : "[%u,%u]", spans[n].start, spans[n].end);
    buf_putc(out, ']');
}

static void put_surprises(struct buf *out, const struct program *program, const struct surprises *surprises)
{
    if (!surprises->count)
        return;
    buf_puts(out, "<ol id=\"marks\" tabindex=\"0\" aria-label=\"what may surprise\">\n");
    for (int i = 0; i < surprises->count; i++) {
        const struct surprise *one = &surprises->items[i];
        const char *piece = expression_text(out->arena, program, one->span);
        buf_printf(out, "<li data-s=\"%u\" data-e=\"%u\"><b>", one->span.start, one->span.end);
        put_escaped(out, piece, strlen(piece));
        buf_puts(out, "</b> ");
        put_escaped(out, one->text, strlen(one->text));
        buf_printf(out, " (rule %s)</li>\n", one->rule);
    }
    buf_puts(out, "</ol>\n");
}

/* ---- panels ---- */

/* Adds a text, in which lines that are marked can be chosen. */
static void put_panel(struct buf *out, const struct token_spans *spans, const char *name, const struct buf *text)
{
    buf_printf(out, "<section class=\"panel\"><h2>%s</h2><pre tabindex=\"0\" role=\"group\" aria-label=\"%s\">", name,
               name);
    for (size_t at = 0, line; at < text->length; at += line) {
        line = strcspn(text->text + at, "\n");
        const struct text_mark *mark = mark_at(text->marks, at + strspn(text->text + at, " "));
        line += text->text[at + line] == '\n';
        if (mark) {
            const struct span whole = whole_span(spans, (struct span){mark->from, mark->to});
            buf_printf(out, "<span data-s=\"%u\" data-e=\"%u\">", whole.start, whole.end);
        }
        put_escaped(out, text->text + at, line);
        buf_puts(out, mark ? "</span>" : "");
    }
    buf_puts(out, "</pre></section>\n");
}

static struct buf marked(struct arena *arena)
{
    struct buf text = buf_new(arena);
    text.marks = ARENA_NEW(arena, struct text_marks);
    return text;
}

/* The text of the kernel, or of the chain, that is launched with kernel k; it has no length if none is. */
static struct buf launched_text(struct arena *arena, const struct pipeline *made, const struct target *target, int k)
{
    const struct scheduled *first = &made->schedule.kernels[k];
    const int count = !first->form.chained ? 1 : first->chain;
    const struct kernel **kernels = ARENA_ARRAY(arena, const struct kernel *, count + 1);
    struct emit_params *params = ARENA_ARRAY(arena, struct emit_params, count + 1);
    struct buf text = marked(arena);
    size_t scratch;
    for (int i = 0; i < count; i++) {
        kernels[i] = first[i].kernel;
        params[i] = (struct emit_params){target, &first[i].form, first[i].geometry.kinds, first[i].geometry.near,
                                         made->vector_functions, first[i].geometry.fast, SHOWN_OWN, text.marks};
    }
    if (count) {
        text.text = count > 1 ? emit_chain(arena, kernels, params, count) : emit(arena, *kernels, params, &scratch);
        text.length = strlen(text.text);
    }
    return text;
}

static struct buf target_text(struct arena *arena, const struct pipeline *made, const struct target *target)
{
    struct buf all = marked(arena);
    for (int k = 0; k < made->schedule.count; k++) {
        const struct buf text = launched_text(arena, made, target, k);
        buf_append(&all, &text);
    }
    return all;
}

static void put_schedules(struct buf *out, const struct token_spans *spans, const struct pipeline *made)
{
    const struct schedule *schedule = &made->schedule;
    struct buf launches = marked(out->arena), groups = marked(out->arena), ir = marked(out->arena);
    dump_schedule(&launches, schedule);
    for (int k = 0; k < schedule->count; k++) {
        const struct scheduled *s = &schedule->kernels[k];
        dump_groups(&groups, &(struct dumped){s->kernel, s->space, &s->geometry, &s->form, schedule->shapes,
                                              schedule->views, s->chain, s->part, s->parts});
        dump_ir(&ir, s->kernel, &s->geometry, &s->form);
    }
    put_panel(out, spans, "Groups", &groups);
    put_panel(out, spans, "Schedule", &launches);
    put_panel(out, spans, "Instructions", &ir);
}

/* What the machine's compiler makes of it, if there is one. */
static void put_assembly(struct buf *out, struct weft_program *program, const struct token_spans *spans,
                         const struct pipeline *made)
{
    struct diags failed = diags_new(out->arena, NULL);
    struct buf all = buf_new(out->arena);
    struct cc cc;
    if (!build_compiler(program->context, &cc, &failed))
        return;
    for (int k = 0; k < made->schedule.count; k++) {
        char *text = cc_assembly(&cc, launched_text(out->arena, made, &target_c, k).text, program->math, &failed);
        buf_puts(&all, text ? text : "");
        free(text);
    }
    if (!failed.errors && all.length <= MOST_ASSEMBLY)
        put_panel(out, spans, "Assembly", &all);
}

/* ---- the page ---- */

struct page {
    const struct program *program;
    struct surprises surprises;
    struct buf panels;
};

static void put_title(struct buf *out, const struct program *program)
{
    const struct source *source = program->source;
    const char *text = program->name ? program->name : source->text;
    const size_t length = program->name ? strlen(program->name) : source->length;
    const char *shown = arena_excerpt(out->arena, arena_string(out->arena, text, length), (int)length, TITLE);
    put_escaped(out, shown, strlen(shown));
}

/* Puts what stands for a word of the template. */
static bool put_word(struct buf *out, const struct page *page, const char *word, size_t length)
{
    if (text_is(word, length, "title"))
        put_title(out, page->program);
    else if (text_is(word, length, "nodes"))
        put_nodes(out, page->program);
    else if (text_is(word, length, "text"))
        put_program(out, page->program, &page->surprises);
    else if (text_is(word, length, "marks"))
        put_surprises(out, page->program, &page->surprises);
    else if (text_is(word, length, "panels"))
        buf_add(out, page->panels.text, page->panels.length);
    else if (text_is(word, length, "version"))
        buf_printf(out, "%d.%d.%d", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
    else
        return false;
    return true;
}

/* Fills in the template. */
static void put_page(struct buf *out, const struct page *page)
{
    for (const char *at = weft_template_page, *next; *at; at = next) {
        next = strchr(at, '$');
        next = next ? next : at + strlen(at);
        buf_add(out, at, (size_t)(next - at));
        if (!*next)
            break;
        const size_t length = strspn(next + 1, "abcdefghijklmnopqrstuvwxyz");
        const bool known = put_word(out, page, next + 1, length);
        if (!known)
            buf_putc(out, '$');
        next += known ? length + 1 : 1;
    }
}

void page_put(struct buf *out, struct weft_program *program, struct typed *typed, const struct tensor *inputs,
              struct diags *diags)
{
    struct arena *arena = out->arena;
    struct page page = {.program = typed->program, .panels = buf_new(arena)};
    struct pipeline c, cuda;
    struct view_args *views;
    const struct shape **shapes = plan_shapes(arena, typed->program, inputs, NULL, &views, diags);
    const struct occasion on_host = {.inputs = inputs, .target = &target_c};
    const struct occasion on_gpu = {.inputs = inputs, .target = &target_cuda};
    if (!shapes ||
        !schedule_make(arena, arena, program, typed, shapes, views, &on_host, PASS_CHAIN, &c, diags) ||
        !schedule_make(arena, arena, program, typed, shapes, views, &on_gpu, PASS_CHAIN, &cuda, diags))
        return;
    find_type_surprises(arena, program_copy(arena, typed->program), &page.surprises);
    find_kernel_surprises(arena, &c.schedule, &page.surprises);
    const struct token_spans spans = find_token_spans(arena, typed->program);
    struct buf tree = marked(arena);
    dump_tree(&tree, typed->program, shapes);
    put_panel(&page.panels, &spans, "Types", &tree);
    put_schedules(&page.panels, &spans, &c);
    const struct buf c_text = target_text(arena, &c, &target_c), cuda_text = target_text(arena, &cuda, &target_cuda);
    put_panel(&page.panels, &spans, "C", &c_text);
    put_panel(&page.panels, &spans, "CUDA", &cuda_text);
    put_assembly(&page.panels, program, &spans, &c);
    put_page(out, &page);
}
