/* Fuzzing: text in, every stage up to the generated C out, no compiler started and nothing run.
 *
 * The first two bytes, letters from a in the corpus, choose the dtypes and the shapes of the inputs,
 * input by input; the text follows. Beyond what the sanitizers see, each call is held
 * to the header's promises: an error comes with a record and no object, success with an object and
 * no error; a record can be drawn, and its place lies inside the text; a second compile generates
 * the same C; generated text is printable ASCII. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { MAX_FUZZ_INPUTS = 16, TYPE_SIZE = 96 };

static const char *const dtypes[] = {"uint8",  "int8",  "float32", "bool",  "int32", "float64",
                                     "uint16", "int16", "uint32",  "int64", "uint64"};
static const char *const shapes[] = {
    "[4, 6, 3]@HWC", "[3]",          "[1]",    "[1, 1]", "[6, 1]", "[4, 1, 1]",
    "[4, 6, 1]@HWC", "[2, 1, 4, 3]", "[0, 3]", "[h, 3]", "[?, 3]", "[2, 1, 2, 1, 2, 1, 2, 1]",
    "[h, w]",        "[4, 6, 3]",    "",       "[5]"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct case_ {
    struct weft_context *context;
    const char *text;
    uint8_t dtype, shape;
    enum weft_status status; /* of the first error */
};

/* Holds a list of records to the header and releases it. */
static void check_errors(struct case_ *c, enum weft_status status, struct weft_error *error)
{
    bool failed = false;
    for (struct weft_error *e = error; e; e = e->next) {
        failed |= e->severity == WEFT_ERROR;
        CHECK(e->message && e->origin && e->span_count >= 0 && e->span_count <= 3);
        for (int i = 0; i < e->span_count; i++)
            CHECK(e->spans[i].start <= e->spans[i].end);
        char small[16];
        size_t length = weft_error_render(e, NULL, 0);
        CHECK(length > 0 && weft_error_render(e, small, sizeof small) == length);
        char *drawn = malloc(length + 1);
        CHECK(drawn && weft_error_render(e, drawn, length + 1) == length);
        CHECK(strlen(drawn) == length && drawn[length - 1] == '\n');
        free(drawn);
    }
    CHECK(failed == (status < 0));
    CHECK(status != WEFT_INTERNAL_ERROR);
    if (status < 0 && c->status >= 0)
        c->status = status;
    weft_error_destroy(error);
}

static struct weft_program *compile(struct case_ *c, const struct weft_compile_params *params)
{
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_compile(c->context, c->text, params, &program, &error);
    CHECK((status >= 0) == (program != NULL));
    check_errors(c, status, error);
    return program;
}

/* The text of a stage, NULL when there was an error. */
static char *stage(struct case_ *c, struct weft_program *program, const char *name)
{
    char *text = NULL;
    struct weft_error *error = NULL;
    enum weft_status status = weft_program_stage(program, name, &text, &error);
    CHECK((status >= 0) == (text != NULL));
    check_errors(c, status, error);
    return text;
}

static void check_printable(const char *text)
{
    for (const char *s = text; *s; s++)
        CHECK((*s >= ' ' && *s <= '~') || *s == '\n' || *s == '\t');
}

static void check_stages(struct case_ *c, struct weft_program *program)
{
    static const char *const names[] = {"tokens", "ast", "types", "groups", "ir"};
    for (size_t i = 0; i < COUNT(names); i++)
        weft_free(stage(c, program, names[i]));
    char *first = stage(c, program, "c"), *second = stage(c, program, "c");
    CHECK(!first == !second);
    if (first) {
        check_printable(first);
        CHECK(strcmp(first, second) == 0);
    }
    weft_free(first);
    weft_free(second);
}

/* Types for the inputs of `program`, which knows their names; returns how many. */
static size_t choose_types(const struct case_ *c, const struct weft_program *program,
                           char types[][TYPE_SIZE], char names[][TYPE_SIZE],
                           struct weft_input_type *inputs)
{
    size_t count = weft_program_input_count(program), used = 0;
    for (size_t i = 0; i < count && used < MAX_FUZZ_INPUTS; i++) {
        const char *name = weft_program_input_name(program, i);
        CHECK(name && *name);
        if (strlen(name) >= TYPE_SIZE)
            continue;
        strcpy(names[used], name);
        snprintf(types[used], TYPE_SIZE, "%s%s", dtypes[(c->dtype + 3 * i) % COUNT(dtypes)],
                 shapes[(c->shape + i) % COUNT(shapes)]);
        inputs[used] = (struct weft_input_type){names[used], types[used]};
        used++;
    }
    return used;
}

/* Compiles one kernel of the text (NULL: the plain program): untyped, then typed, then its stages. */
static void check_kernel(struct case_ *c, const char *kernel)
{
    char types[MAX_FUZZ_INPUTS][TYPE_SIZE], names[MAX_FUZZ_INPUTS][TYPE_SIZE];
    struct weft_input_type inputs[MAX_FUZZ_INPUTS];
    struct weft_compile_params params = {.kernel = kernel, .inputs = inputs};
    struct weft_program *untyped = compile(c, &(struct weft_compile_params){.kernel = kernel});
    if (!untyped)
        return;
    /* A kernel's parameters have their types. */
    if (!kernel)
        params.input_count = choose_types(c, untyped, types, names, inputs);
    struct weft_program *program = compile(c, &params);
    if (program)
        check_stages(c, program);
    weft_program_destroy(program);
    weft_program_destroy(untyped);
}

static void check_text(struct case_ *c)
{
    const char **names = NULL;
    size_t count = 0;
    struct weft_error *error = NULL;
    enum weft_status status = weft_kernel_names(c->text, NULL, &names, &count, &error);
    check_errors(c, status, error);
    if (count == 0)
        check_kernel(c, NULL);
    for (size_t i = 0; i < count && i < 4; i++)
        check_kernel(c, names[i]);
    weft_free(names);
}

enum weft_status fuzz_one(const uint8_t *data, size_t size)
{
    static struct weft_context *context;
    if (!context)
        CHECK(weft_context_create(NULL, &context, NULL) == WEFT_OK);
    if (size < 2)
        return WEFT_OK;
    char *text = malloc(size - 1);
    CHECK(text);
    memcpy(text, data + 2, size - 2);
    text[size - 2] = '\0';
    struct case_ c = {context, text, (uint8_t)(data[0] - 'a'), (uint8_t)(data[1] - 'a'), WEFT_OK};
    check_text(&c);
    free(text);
    return c.status;
}
