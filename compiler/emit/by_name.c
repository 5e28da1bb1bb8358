/* Helpers by name, for sources made ahead of time: the text of each stands once in the support file, between conditions
 * on a macro that names it, with the tokens of templates as macros of the types WEFT_T and WEFT_S. These are ends of
 * names, as _f32, since f32 itself may be a macro where a kernel is called so. A kernel's source names what it calls,
 * then includes the file. Helpers stand there behind those that they call. */
#include "compiler/emit/emit_impl.h"

#include <string.h>

struct section {
    const char *word;              /* the macro that names it is WEFT_ and this */
    const char *text;              /* as in a template */
    size_t length;
    bool memory, pair;             /* T is the type in memory; F is for S */
};

struct sections {
    struct arena *arena;
    struct section *items;
    int count;
};

static const char block_word[] = "block_"; /* functions of blocks come last */

/* ---- sections ---- */

/* Adds a text with those tokens that are no macros replaced. */
static void put_tokens(struct buf *out, const struct section *section)
{
    const char *text = section->text, *end = text + section->length;
    for (size_t length; text < end; text += length) {
        for (length = 0; text + length < end && is_word(text[length]); length++)
            ;
        if (text_is(text, length, "FN"))
            buf_puts(out, "static inline");
        else if (section->memory && text_is(text, length, "T"))
            buf_puts(out, "T_m");
        else if (section->pair && text_is(text, length, "F") && text[length] == '(')
            buf_puts(out, "F_S");
        else
            buf_add(out, text, length = length ? length : 1);
    }
}

/* Whether the prelude has a helper that the dialect has, too. */
static bool is_replaced(const char *template, const char *section, const char *name)
{
    size_t length;
    return template == weft_template_dialect && subst_find(weft_template_prelude_c, section, name, &length);
}

/* Whether it is a section of helpers; those of the own mathematics have no types. */
static bool is_helper(const char *section, const char *name, bool math)
{
    if (math)
        return (strcmp(section, "part") == 0 && strcmp(name, "words") != 0) ||
               (strcmp(section, "library") == 0 && strcmp(name, "head") != 0);
    return strcmp(name, "head") != 0 && (strcmp(section, name) == 0 || strcmp(section, "move") == 0 ||
                                         strcmp(section, "integer") == 0 || strcmp(section, "floating") == 0 ||
                                         strcmp(section, "half") == 0);
}

static void list_template(struct sections *list, const char *template)
{
    const bool math = template == weft_template_math_c;
    for (const char *mark = template; (mark = strstr(mark, "//: ")); mark++) {
        const size_t size = strcspn(mark + 4, " \n");
        const char *section = arena_string(list->arena, mark + 4, size), *rest = mark + 4 + size;
        const char *name = *rest == ' ' ? arena_string(list->arena, rest + 1, strcspn(rest + 1, " \n")) : "";
        struct section own = {helper_word(list->arena, section, name), NULL, 0, strcmp(section, "move") == 0,
                              strcmp(section, name) == 0};
        if (!is_helper(section, name, math) || is_replaced(template, section, name))
            continue;
        own.text = subst_find(template, section, name, &own.length);
        if (math) {
            struct buf text = buf_new(list->arena);
            subst_own(&text, own.text, own.length, &(struct defined_names){NULL, 0});
            own.text = text.text, own.length = text.length;
        }
        ARENA_PUSH(list->arena, list->items, list->count, own);
    }
}

/* The text of an integer row's function of a block, for the type T. */
static const char *integer_block(struct emitter *e, const struct ins *ins, const char *own, size_t length)
{
    static const char single[] = "$single";
    const char *const elements[3] = {"a[j]", "b[j]", "c[j]"};
    struct buf text = buf_new(e->arena);
    put_block_head(e, &text, ins, arena_printf(e->arena, "N(block_%s)", op_name(e->arena, ins->op)), "T");
    for (const char *at = own, *end = own + length; at < end;) {
        const char *next = strstr(at, single), *meaning = op_meaning(ins->op, ins->source);
        next = next && next < end ? next : end;
        buf_add(&text, at, (size_t)(next - at));
        at = next < end ? next + sizeof single - 1 : end;
        for (; next < end && *meaning; meaning++)
            if (*meaning >= 'A' && *meaning <= 'C' && !is_word(meaning[1]) && !is_word(meaning[-1]))
                buf_puts(&text, elements[*meaning - 'A']);
            else
                buf_putc(&text, *meaning);
    }
    buf_puts(&text, "}\n");
    return text.text;
}

static void list_block(struct sections *list, struct emitter *e, const struct ins *ins)
{
    size_t length;
    const char *section, *own = op_meaning(ins->op, ins->source) ? own_block(e, ins, &length, &section) : NULL;
    struct section block = {.word = own ? arena_printf(list->arena, "block_%s", section) : ""};
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].word, block.word) == 0)
            return;
    if (!own)
        return;
    e->blocks = buf_new(list->arena);
    if (dtype_is_float(ins->source))
        put_block(e, ins);
    block.text = dtype_is_float(ins->source) ? e->blocks.text : integer_block(e, ins, own, length);
    block.length = strlen(block.text);
    ARENA_PUSH(list->arena, list->items, list->count, block);
}

/* All of them, in the order of the support file. */
static struct sections list_sections(struct arena *arena)
{
    const char *const templates[] = {weft_template_math_c, weft_template_dialect, weft_template_prelude_c,
                                     weft_template_shuffle_c, weft_template_numbered_c, weft_template_transpose_c,
                                     weft_template_weigh_c};
    const struct emit_params params = {.target = &target_c};
    struct sections list = {.arena = arena};
    struct emitter e = {.arena = arena, .params = &params};
    subst_init(&e.subst, arena, &target_c);
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        list_template(&list, templates[i]);
    for (int op = 0; op < OP_COUNT; op++)
        for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
            if (!dtype_is_half(t) && t != WEFT_BOOL)
                list_block(&list, &e, &(struct ins){INS_OP, op, t, t, {-1, -1, -1}});
    return list;
}

/* ---- the support file ---- */

/* What stands for the tokens of templates there. */
static void put_macros(struct buf *out)
{
    buf_puts(out, "#define T WEFT_PASTED(WEFT_TYPE, WEFT_T)\n#define T_m WEFT_PASTED(WEFT_MEMORY, WEFT_T)\n"
             "#define U WEFT_PASTED(WEFT_UNSIGNED, WEFT_T)\n"
             "#define S WEFT_PASTED(WEFT_TYPE, WEFT_S)\n#define S_m WEFT_PASTED(WEFT_MEMORY, WEFT_S)\n"
             "#undef FOR\n#define FOR(what, type) WEFT_PASTED(what, WEFT_##type)\n"
             "#define N(name) WEFT_PASTED(name, WEFT_T)\n"
             "#define M(name) WEFT_PASTED(WEFT_PASTED(name, WEFT_S), WEFT_T)\n"
             "#define F(name) WEFT_PASTED(WEFT_LIBRARY, WEFT_T)(name)\n"
             "#define F_S(name) WEFT_PASTED(WEFT_LIBRARY, WEFT_S)(name)\n"
             "#define FRACTION (WEFT_PASTED(WEFT_FRACTION, WEFT_T) + WEFT_PASTED(WEFT_FRACTION, WEFT_S))\n");
}

void emit_named_types(struct buf *out)
{
    buf_puts(out, "#define WEFT_PASTE(a, b) a##b\n#define WEFT_PASTED(a, b) WEFT_PASTE(a, b)\n"
             "#define WEFT_LIBRARY_f32(name) name##f\n#define WEFT_LIBRARY_f64(name) name\n"
             "#define WEFT_SINGLE_f32 1\n#define WEFT_SINGLE_f64 0\n"
             "#define JOINING_LOOP(kind) WEFT_PASTED(join_##kind##_, JOINING)\n");
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        buf_printf(out, "#define WEFT_TYPE_%s %s\n#define WEFT_MEMORY_%s %s_m\n#define WEFT_UNSIGNED_%s %s\n"
                   "#define WEFT_FRACTION_%s %d\n#define WEFT_KEY_%s %s\n", short_name(t), short_name(t), short_name(t),
                   short_name(t), short_name(t), subst_unsigned(t), short_name(t),
                   dtype_is_half(t) ? type_rows[t].fraction : 0, short_name(t), t == WEFT_FLOAT64 ? "_i64" : "_i32");
}

void emit_named_helpers(struct buf *out)
{
    const struct sections list = list_sections(out->arena);
    put_macros(out);
    for (int i = 0; i < list.count; i++) {
        if (strncmp(list.items[i].word, block_word, sizeof block_word - 1) == 0 &&
            strncmp(list.items[i - 1].word, block_word, sizeof block_word - 1) != 0)
            buf_puts(out, "#undef ROLLED\n#define ROLLED\n"); /* gcc warns where it is of no use */
        buf_printf(out, "#if defined WEFT_%s\n#undef WEFT_%s\n", list.items[i].word, list.items[i].word);
        put_tokens(out, &list.items[i]);
        buf_puts(out, "#endif\n");
    }
    for (const char *const *name = (const char *const[]){"T", "T_m", "U", "S", "S_m", "N", "M", "F", "F_S", "FRACTION",
                                                         "WEFT_T", "WEFT_S", NULL}; *name; name++)
        buf_printf(out, "#undef %s\n", *name);
}

/* Every function, type and constant has the number JOINING in its name. */
void emit_named_joins(struct buf *out, const char *types, const char *loops)
{
    struct defined_names names = {NULL, 0};
    struct buf text = buf_new(out->arena), search = buf_new(out->arena);
    const char *const joins = weft_template_joins;
    subst_own(&text, types, strlen(types), &names);
    buf_puts(&text, "#if defined KEYS\n");
    emit_marked(&text, joins, "//: keys functions\n", &names);
    buf_puts(&text, "#else\n");
    emit_marked(&text, joins, "//: plain functions\n", &names);
    buf_puts(&text, "#endif\n");
    emit_marked(&text, joins, "//: own functions\n", &names);
    buf_puts(&text, "#if WEFT_ROW\n");
    emit_marked(&text, joins, "//: row functions\n", &names);
    buf_puts(&text, "#else\n");
    emit_marked(&text, joins, "//: columns functions\n", &names);
    emit_marked(&text, joins, "//: fold_rows functions\n", &names);
    buf_printf(&text, "#endif\n%s", loops);
    subst_own(&search, weft_template_search_c, strlen(weft_template_search_c), &names);
    subst_own(&search, "OWN(sought_t) OWN(sought_bits)", strlen("OWN(sought_t) OWN(sought_bits)"), &names);
    for (int i = 0; i < names.count; i++)
        buf_printf(out, "#undef %s\n#define %s OF_JOINS(%s)\n", names.items[i].name, names.items[i].name,
                   names.items[i].name);
    buf_printf(out, "#if defined WEFT_JOIN\n%s", text.text);
    for (const char *const *name = (const char *const[]){"KEYS", "WEFT_STAGED", "WEFT_OUT", "WEFT_ACC", "WEFT_TREE",
                                                         "WEFT_ROW", "WEFT_INNER", "WEFT_STAGE", "WEFT_ORDERED",
                                                         "WEFT_KEYS", "WEFT_ABSENT", "WEFT_NOTHING", "WEFT_JOIN",
                                                         "WEFT_LANES", "WEFT_ACC_TYPE", "WEFT_TREE_TYPE", NULL};
         *name; name++)
        buf_printf(out, "#undef %s\n", *name);
    buf_puts(out, "#endif\n");
}

/* Adds to `subst` the library functions of all rows and helpers for a type. */
static void find_library(struct subst *subst, const struct sections *list, enum weft_dtype t)
{
    struct buf unused = buf_new(subst->arena);
    for (int op = 0; op < OP_COUNT; op++) {
        const struct tokens tokens = {"floating", t, t, false, false, {"a", "b", "c"}};
        const char *meaning = op_meaning(op, t);
        if (meaning && rule_rows[op_rows[op].rule].operand != OPERAND_BOOL && !strstr(meaning, "M("))
            subst_text(subst, &unused, meaning, strlen(meaning), &tokens);
    }
    for (int i = 0; i < list->count; i++) {
        const struct section *section = &list->items[i];
        const struct tokens tokens = {section->pair ? section->word : "floating", t, t, section->pair, false, {NULL}};
        for (const char *at = section->text; (at = strstr(at, "F(")) && at < section->text + section->length; at++)
            if (at > section->text && !is_word(at[-1]) && !strchr("#", at[-1]))
                subst_text(subst, &unused, at, strcspn(at, ")") + 2, &tokens);
    }
}

void emit_named_library(struct buf *out)
{
    const struct sections list = list_sections(out->arena);
    const struct emit_params params = {.target = &target_c};
    struct emitter e = {.arena = out->arena, .params = &params};
    struct buf declared = buf_new(out->arena);
    subst_init(&e.subst, out->arena, &target_c);
    find_library(&e.subst, &list, WEFT_FLOAT32);
    find_library(&e.subst, &list, WEFT_FLOAT64);
    put_library(&e, &declared);
    for (const char *line = declared.text; *line; line += strcspn(line, "\n") + 1)
        buf_printf(out, "%.*s PURE;\n", (int)strcspn(line, ";"), line);
}

/* ---- a kernel's source ---- */

static int place_of(const struct sections *list, const char *word)
{
    int i = 0;
    while (strcmp(list->items[i].word, word) != 0)
        i++;
    return i;
}

/* What one inclusion of the support file defines: helpers for these types. */
struct inclusion {
    bool typed, pair;
    enum weft_dtype t, s;
    bool *defined;                 /* [sections] */
};

/* Adds the helper, unless the inclusion has other types. */
static bool take(struct inclusion *inclusion, const struct named_helper *helper, int place)
{
    if ((helper->typed && inclusion->typed && helper->t != inclusion->t) ||
        (helper->pair && inclusion->pair && helper->s != inclusion->s))
        return false;
    if (helper->typed)
        inclusion->typed = true, inclusion->t = helper->t;
    if (helper->pair)
        inclusion->pair = true, inclusion->s = helper->s;
    inclusion->defined[place] = true;
    return true;
}

static void put_inclusion(struct buf *out, const struct sections *list, const struct inclusion *inclusion,
                          const char *file)
{
    buf_printf(out, "#define WEFT_T _%s\n", short_name(inclusion->typed ? inclusion->t : WEFT_FLOAT32));
    if (inclusion->pair)
        buf_printf(out, "#define WEFT_S _%s\n", short_name(inclusion->s));
    for (int i = 0; i < list->count; i++)
        if (inclusion->defined[i])
            buf_printf(out, "#define WEFT_%s\n", list->items[i].word);
    buf_printf(out, "#include \"%s\"\n", file);
}

/* Helpers without types call none that have one, and others none of other types; functions of blocks call any. */
void subst_put_named(struct buf *out, const struct subst *subst, const char *file)
{
    const struct sections list = list_sections(subst->arena);
    struct inclusion *inclusions = NULL;
    int count = 0;
    for (int rank = 0; rank < 3; rank++)
        for (int i = 0; i < subst->named_count; i++) {
            const struct named_helper *helper = &subst->named[i];
            const int place = place_of(&list, helper->word);
            const bool block = strncmp(helper->word, block_word, sizeof block_word - 1) == 0;
            int to = rank == 2 && count ? count - 1 : 0;
            if (rank != (block ? 2 : helper->typed))
                continue;
            while (to < count && !take(&inclusions[to], helper, place))
                to++;
            if (to < count)
                continue;
            const struct inclusion added = {.defined = ARENA_ARRAY(subst->arena, bool, list.count)};
            ARENA_PUSH(subst->arena, inclusions, count, added);
            take(&inclusions[to], helper, place);
        }
    for (int i = 0; i < count; i++)
        put_inclusion(out, &list, &inclusions[i], file);
    if (!count)
        buf_printf(out, "#include \"%s\"\n", file);
}
