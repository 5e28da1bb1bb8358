/* What tests of the middle share: a text checked and lowered, its instructions counted. */
#ifndef WEFT_LOWERED_H
#define WEFT_LOWERED_H

#include "tests/unit/front.h"

#include "compiler/ir/kernel.h"
#include "compiler/ir/verify.h"

/* The kernel of these results of a text that declares its inputs. */
static inline struct kernel *lower_results(struct front *front, const char *text, const int *results,
                                           int count)
{
    front_parse(front, text, strlen(text));
    if (!front->good || !parse_results(front->programs.items[0], NULL, 0) ||
        !check(front->programs.items[0]))
        fail_msg("%s\n%s", text, front_messages(front));
    const struct lower_params params = {.program = front->programs.items[0],
                                        .diags = front->programs.items[0]->diags};
    struct kernel *kernel = lower(&front->arena, &params, results, count);
    const char *broken = verify_kernel(kernel);
    if (broken)
        fail_msg("%s: %s", text, broken);
    return kernel;
}

/* The kernel of all results. */
static inline struct kernel *lower_text(struct front *front, const char *text)
{
    static int all[MAX_RESULTS];
    struct front first;
    for (int i = 0; i < MAX_RESULTS; i++)
        all[i] = i;
    front_parse(&first, text, strlen(text));
    assert_true(first.good);
    int count = first.programs.items[0]->result_count;
    front_finish(&first);
    return lower_results(front, text, all, count);
}

static inline int count_kind(const struct kernel *kernel, enum ins_kind kind)
{
    int count = 0;
    for (int i = 0; i < kernel->ins_count; i++)
        count += kernel->ins[i].kind == kind;
    return count;
}

static inline int count_op(const struct kernel *kernel, enum op op)
{
    int count = 0;
    for (int i = 0; i < kernel->ins_count; i++)
        count += kernel->ins[i].kind == INS_OP && kernel->ins[i].op == op;
    return count;
}

/* ---- random programs ---- */

struct random {
    uint64_t state;
};

static inline unsigned random_below(struct random *random, unsigned bound)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random->state >> 33) % bound);
}

/* An expression of floats, integers, calls of whole blocks, selections and divisions. */
static inline void random_expression(struct random *random, struct buf *buf, int depth, int bindings)
{
    static const char *const leaves[] = {"x", "y", "n", "m", "d", "2", "0.5", "3"};
    static const char *const shapes[] = {"(%)+(%)", "(%)*(%)", "exp(%)", "sin(%)", "int32(%)//int32(%)",
                                         "where((%)>(%),%,%)", "float64(%)", "min(%,%)", "sqrt(%)",
                                         "atan2(%,%)", "(%)-(%)", "uint8(%)"};
    if (depth == 0 || random_below(random, 8) == 0) {
        unsigned leaf = random_below(random, 8 + (unsigned)bindings);
        if (leaf < 8)
            buf_puts(buf, leaves[leaf]);
        else
            buf_printf(buf, "t%u", leaf - 8);
        return;
    }
    for (const char *c = shapes[random_below(random, 12)]; *c; c++)
        if (*c == '%')
            random_expression(random, buf, depth - 1, bindings);
        else
            buf_putc(buf, *c);
}

/* Bindings that use each other, all of them results. */
static inline const char *random_text(struct arena *arena, uint64_t seed)
{
    struct random random = {seed};
    int bindings = 2 + (int)random_below(&random, 6);
    struct buf buf = buf_new(arena);
    buf_puts(&buf, "input x: f32; input y: f32; input n: i32; input m: u8; input d: f64;"
                   "used = x + y + n + m + d\n");
    for (int i = 0; i < bindings; i++) {
        buf_printf(&buf, "t%d = 0 * x + (", i);
        random_expression(&random, &buf, 1 + (int)random_below(&random, 4), i);
        buf_puts(&buf, ")\n");
    }
    buf_puts(&buf, "return used");
    for (int i = 0; i < bindings; i++)
        buf_printf(&buf, ", t%d", i);
    return buf.text;
}

#endif
