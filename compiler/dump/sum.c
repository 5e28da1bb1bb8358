/* Implements sum_impl.h. */
#include "compiler/dump/sum_impl.h"

#include <string.h>

/* ---- numbers ---- */

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? ((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN) : product;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t both;
    return __builtin_add_overflow(a, b, &both) ? (a < 0 ? INT64_MIN : INT64_MAX) : both;
}

static int64_t divide_down(int64_t a, int64_t by)
{
    return a / by - (a % by < 0);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    for (a = a < 0 ? -a : a; b; ) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t bound(const struct sum *a, bool high)
{
    int64_t all = a->first;
    for (int i = 0; i < a->count; i++) {
        const struct term *term = &a->terms[i];
        all = plus(all, times(term->times, (term->times > 0) == high ? term->atom->high : term->atom->low));
    }
    return all;
}

int64_t sum_low(const struct sum *a)
{
    return bound(a, false);
}

int64_t sum_high(const struct sum *a)
{
    return bound(a, true);
}

/* ---- equal ones ---- */

static bool same_sum(const struct sum *a, const struct sum *b);

static bool same_atom(const struct atom *a, const struct atom *b)
{
    if (a == b)
        return true;
    switch (a->kind == b->kind ? (int)a->kind : -1) {
    case ATOM_POSITION: return a->d == b->d;
    case ATOM_TAKEN: return strcmp(a->text, b->text) == 0;
    case ATOM_QUOTIENT: case ATOM_REMAINDER: return a->by == b->by && same_sum(a->of, b->of);
    default: return false;
    }
}

/* How often the atom is in the sum. */
static int64_t count_of(const struct sum *a, const struct atom *atom)
{
    for (int i = 0; i < a->count; i++)
        if (same_atom(a->terms[i].atom, atom))
            return a->terms[i].times;
    return 0;
}

/* Whether the sum has all terms of `part`, multiplied by `by`. */
static bool has_terms(const struct sum *a, const struct sum *part, int64_t by)
{
    for (int i = 0; i < part->count; i++)
        if (count_of(a, part->terms[i].atom) != times(part->terms[i].times, by))
            return false;
    return true;
}

static bool same_sum(const struct sum *a, const struct sum *b)
{
    return a->first == b->first && a->count == b->count && has_terms(a, b, 1);
}

/* ---- sums ---- */

struct sum sum_number(int64_t number)
{
    return (struct sum){.first = number};
}

static struct sum sum_atom(struct arena *arena, struct atom atom)
{
    if (atom.low == atom.high)
        return sum_number(atom.low);
    struct term *term = ARENA_NEW(arena, struct term);
    *term = (struct term){1, arena_copy(arena, &atom, sizeof atom)};
    return (struct sum){0, 1, term};
}

struct sum sum_position(struct arena *arena, int d, int64_t extent)
{
    return sum_atom(arena, (struct atom){.kind = ATOM_POSITION, .d = d, .high = extent > 0 ? extent - 1 : 0});
}

struct sum sum_taken(struct arena *arena, const char *text, int64_t extent)
{
    return sum_atom(arena, (struct atom){.kind = ATOM_TAKEN, .text = text, .high = extent > 0 ? extent - 1 : 0});
}

/* a + by * b, each atom once. */
static struct sum join(struct arena *arena, struct sum a, struct sum b, int64_t by)
{
    struct sum all = {plus(a.first, times(b.first, by)), 0, ARENA_ARRAY(arena, struct term, a.count + b.count)};
    for (int i = 0; i < a.count; i++) {
        const int64_t often = plus(a.terms[i].times, times(count_of(&b, a.terms[i].atom), by));
        if (often)
            all.terms[all.count++] = (struct term){often, a.terms[i].atom};
    }
    for (int i = 0; i < b.count; i++)
        if (!count_of(&a, b.terms[i].atom) && by)
            all.terms[all.count++] = (struct term){times(b.terms[i].times, by), b.terms[i].atom};
    return all;
}

/* Makes x of x // by * by + x mod by. */
static struct sum recombine(struct arena *arena, struct sum a)
{
    for (int i = 0; i < a.count; i++) {
        const struct term term = a.terms[i];
        if (term.atom->kind != ATOM_REMAINDER)
            continue;
        const struct sum quotient = sum_quotient(arena, *term.atom->of, term.atom->by);
        const int64_t by = times(term.times, term.atom->by);
        if (!quotient.count || !has_terms(&a, &quotient, by))
            continue;
        a = join(arena, a, (struct sum){0, 1, (struct term[]){{1, term.atom}}}, -term.times);
        a = join(arena, a, quotient, -by);
        a = join(arena, a, *term.atom->of, term.times);
        i = -1;
    }
    return a;
}

struct sum sum_add(struct arena *arena, struct sum a, struct sum b)
{
    return recombine(arena, join(arena, a, b, 1));
}

struct sum sum_scale(struct arena *arena, struct sum a, int64_t by)
{
    return join(arena, sum_number(0), a, by);
}

/* ---- quotients ---- */

struct divided {
    struct sum quotient, remainder;
};

/* Cuts a sum into multiples of `by`, divided by it, and the rest. True where the rest is from 0 to by - 1; else its
 * first number is as near 0 as it can be. */
static bool cut(struct arena *arena, struct sum a, int64_t by, struct divided *into)
{
    struct sum whole = {0, 0, ARENA_ARRAY(arena, struct term, a.count)}, rest = whole;
    rest.terms = ARENA_ARRAY(arena, struct term, a.count);
    for (int i = 0; i < a.count; i++) {
        const struct term term = a.terms[i];
        if (term.times % by == 0)
            whole.terms[whole.count++] = (struct term){term.times / by, term.atom};
        else
            rest.terms[rest.count++] = term;
    }
    whole.first = divide_down(plus(a.first, sum_low(&rest)), by);
    rest.first = a.first - whole.first * by;
    const bool inside = sum_low(&rest) >= 0 && sum_high(&rest) < by;
    if (!inside) {
        whole.first = divide_down(a.first, by);
        rest.first = a.first - whole.first * by;
        if (rest.first > by / 2) {
            whole.first++;
            rest.first -= by;
        }
    }
    *into = (struct divided){whole, rest};
    return inside;
}

static struct divided divide(struct arena *arena, struct sum a, int64_t by);

/* Divides a rest in two steps, the first of which leaves a number that is from 0 to the step's divisor. */
static bool divide_twice(struct arena *arena, struct sum rest, int64_t by, struct divided *into)
{
    int64_t best = 1;
    struct divided first;
    for (int i = 0; i < rest.count; i++) {
        const int64_t step = common_divisor(rest.terms[i].times, by);
        if (step > best && step < by && cut(arena, rest, step, &first))
            best = step;
    }
    if (best == 1)
        return false;
    cut(arena, rest, best, &first);
    const struct divided second = divide(arena, first.quotient, by / best);
    *into = (struct divided){second.quotient,
                             sum_add(arena, sum_scale(arena, second.remainder, best), first.remainder)};
    return true;
}

static struct divided divide_rest(struct arena *arena, struct sum rest, int64_t by)
{
    struct divided d;
    if (divide_twice(arena, rest, by, &d))
        return d;
    const struct sum *of = arena_copy(arena, &rest, sizeof rest);
    d.quotient = sum_atom(arena, (struct atom){.kind = ATOM_QUOTIENT, .of = of, .by = by,
                                               .low = divide_down(sum_low(of), by),
                                               .high = divide_down(sum_high(of), by)});
    d.remainder = sum_atom(arena, (struct atom){.kind = ATOM_REMAINDER, .of = of, .by = by, .high = by - 1});
    if (rest.count != 1 || rest.first || rest.terms[0].times != 1)
        return d;
    const struct atom *inner = rest.terms[0].atom;
    if (inner->kind == ATOM_QUOTIENT && inner->by <= INT64_MAX / by) {
        d.quotient = sum_quotient(arena, *inner->of, inner->by * by);
    } else if (inner->kind == ATOM_REMAINDER && inner->by % by == 0) {
        const struct divided own = divide(arena, *inner->of, by);
        d.quotient = sum_remainder(arena, own.quotient, inner->by / by);
        d.remainder = own.remainder;
    }
    return d;
}

static struct divided divide(struct arena *arena, struct sum a, int64_t by)
{
    struct divided d;
    if (cut(arena, a, by, &d))
        return d;
    const struct divided rest = divide_rest(arena, d.remainder, by);
    return (struct divided){sum_add(arena, d.quotient, rest.quotient), rest.remainder};
}

struct sum sum_quotient(struct arena *arena, struct sum a, int64_t by)
{
    return by < 1 ? sum_number(0) : divide(arena, a, by).quotient;
}

struct sum sum_remainder(struct arena *arena, struct sum a, int64_t by)
{
    return by < 1 ? sum_number(0) : divide(arena, a, by).remainder;
}

/* ---- text ---- */

static void put_atom(struct buf *buf, const struct atom *atom, bool alone);

/* What is divided: in parentheses unless it is a name. */
static void put_divided(struct buf *buf, const struct sum *a)
{
    const bool name = a->count == 1 && !a->first && a->terms[0].times == 1 && a->terms[0].atom->kind <= ATOM_TAKEN;
    buf_puts(buf, name ? "" : "(");
    sum_put(buf, a);
    buf_puts(buf, name ? "" : ")");
}

static void put_atom(struct buf *buf, const struct atom *atom, bool alone)
{
    if (atom->kind == ATOM_POSITION) {
        buf_printf(buf, "d%d", atom->d);
    } else if (atom->kind == ATOM_TAKEN) {
        buf_puts(buf, atom->text);
    } else {
        buf_puts(buf, alone ? "" : "(");
        put_divided(buf, atom->of);
        buf_printf(buf, atom->kind == ATOM_QUOTIENT ? " // %lld" : " mod %lld", (long long)atom->by);
        buf_puts(buf, alone ? "" : ")");
    }
}

static void put_term(struct buf *buf, const struct term *term, bool alone)
{
    const int64_t often = term->times < 0 ? -term->times : term->times;
    put_atom(buf, term->atom, alone && often == 1);
    if (often != 1)
        buf_printf(buf, " * %lld", (long long)often);
}

void sum_put(struct buf *buf, const struct sum *a)
{
    const size_t before = buf->length;
    const bool leads = a->first > 0 && sum_low(&(struct sum){0, a->count, a->terms}) < 0; /* 639 - d1 */
    if (leads || !a->count)
        buf_printf(buf, "%lld", (long long)a->first);
    for (int negative = 0; negative < 2; negative++)
        for (int i = 0; i < a->count; i++) {
            const struct term *term = &a->terms[i];
            if ((term->times < 0) != negative)
                continue;
            const bool first = buf->length == before;
            buf_puts(buf, first ? (negative ? "-" : "") : negative ? " - " : " + ");
            put_term(buf, term, a->count == 1 && !a->first && !negative);
        }
    if (a->count && !leads && a->first)
        buf_printf(buf, " %c %lld", a->first < 0 ? '-' : '+', (long long)(a->first < 0 ? -a->first : a->first));
}
