/* Implements token_spans.h. */
#include "compiler/lang/token_spans.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
    const struct span x = ((const struct token_span *)a)->token, y = ((const struct token_span *)b)->token;
    return x.start != y.start ? (x.start > y.start) - (x.start < y.start) : (x.end > y.end) - (x.end < y.end);
}

struct token_spans find_token_spans(struct arena *arena, const struct program *program)
{
    struct token_spans spans = {ARENA_ARRAY(arena, struct token_span, program->node_count + 1), program->node_count};
    for (int n = 0; n < program->node_count; n++)
        spans.items[n] = (struct token_span){program->nodes[n].token, program->nodes[n].span};
    qsort(spans.items, (size_t)spans.count, sizeof *spans.items, by_place);
    int kept = 0;
    for (int n = 0; n < spans.count; n++) {
        struct token_span *last = kept ? &spans.items[kept - 1] : NULL, *next = &spans.items[n];
        if (!last || by_place(last, next) != 0)
            spans.items[kept++] = *next;
        else if (next->whole.end - next->whole.start > last->whole.end - last->whole.start)
            last->whole = next->whole;
    }
    spans.count = kept;
    return spans;
}

struct span whole_span(const struct token_spans *spans, struct span token)
{
    const struct token_span key = {.token = token}, *found =
        bsearch(&key, spans->items, (size_t)spans->count, sizeof key, by_place);
    return found ? found->whole : token;
}
