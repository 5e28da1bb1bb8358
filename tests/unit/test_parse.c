/* What texts mean to the parser: grouping, calls, names, results, inputs, types, values, limits.
 * Messages are in test_syntax.c. */
#include "tests/unit/front.h"

#include <stdio.h>

static const char *bound(struct buf *buf, bool given, int64_t value)
{
    return given ? arena_printf(buf->arena, "%lld", (long long)value) : "_";
}

/* As "i0 s1:_:2 .. new": a bound that is left out is _. */
static void put_items(struct buf *buf, const struct view_args *args)
{
    for (int i = 0; i < args->item_count; i++) {
        const struct item *item = &args->items[i];
        const struct slice *slice = &item->slice;
        buf_puts(buf, i ? " " : "");
        if (item->kind == ITEM_INDEX)
            buf_printf(buf, "i%lld", (long long)slice->start);
        else if (item->kind == ITEM_SLICE)
            buf_printf(buf, "s%s:%s:%lld", bound(buf, slice->has_start, slice->start),
                       bound(buf, slice->has_stop, slice->stop), (long long)slice->step);
        else
            buf_puts(buf, item->kind == ITEM_NEW ? "new" : "..");
    }
}

/* An expression as nested calls: a + b * c is (ADD a (MUL b c)). */
static void put_node(struct buf *buf, const struct program *program, int index)
{
    const struct node *node = &program->nodes[index];
    struct span span = node->span;
    if (node->kind == NODE_LITERAL || node->kind == NODE_NAME) {
        buf_add(buf, program->source->text + span.start, span.end - span.start);
        return;
    }
    buf_puts(buf, node->kind == NODE_OP ? "(" : node->kind == NODE_ARRAY ? "[" : "<");
    buf_puts(buf, node->kind == NODE_OP       ? op_rows[node->op].id
                  : node->kind == NODE_CAST   ? "cast "
                  : node->kind == NODE_WRAP   ? "wrap "
                  : node->kind == NODE_REDUCE ? join_name(program->arena, node->join)
                                              : "");
    if (node->kind == NODE_VIEW)
        put_items(buf, &program->views[node->view]);
    if (node->kind == NODE_CAST || node->kind == NODE_WRAP)
        buf_puts(buf, type_rows[node->dtype].name);
    for (int i = 0; node->kind == NODE_ARRAY && i < node->rank; i++)
        buf_printf(buf, i ? "x%d" : "%d", (int)program->extents[node->extents + i]);
    for (int i = 0; i < node->operand_count; i++) {
        buf_putc(buf, ' ');
        put_node(buf, program, program->operands[node->operands + i]);
    }
    buf_puts(buf, node->kind == NODE_OP ? ")" : node->kind == NODE_ARRAY ? "]" : ">");
}

/* Operands come before the nodes that use them. */
static void assert_ordered(const struct program *program)
{
    for (int i = 0; i < program->node_count; i++)
        for (int j = 0; j < program->nodes[i].operand_count; j++)
            assert_in_range(program->operands[program->nodes[i].operands + j], 0, i - 1);
}

static void assert_tree(const char *text, const char *expected)
{
    struct front front;
    front_parse(&front, text, strlen(text));
    assert_string_equal(front_messages(&front), "");
    assert_true(front.good);
    const struct program *program = front.programs.items[0];
    assert_ordered(program);
    struct buf buf = buf_new(&front.arena);
    put_node(&buf, program, program->results[0].node);
    assert_string_equal(buf.text, expected);
    front_finish(&front);
}

static void precedence_is_pythons(void **state)
{
    (void)state;
    assert_tree("a + b * c - d", "(SUB (ADD a (MUL b c)) d)");
    assert_tree("a - b - c", "(SUB (SUB a b) c)");
    assert_tree("a / b * c // d % e", "(MOD (FLOORDIV (MUL (DIV a b) c) d) e)");
    assert_tree("a | b ^ c & d << e + f", "(BITOR a (BITXOR b (BITAND c (SHL d (ADD e f)))))");
    assert_tree("a == b | c", "(EQ a (BITOR b c))");
    assert_tree("not a == b", "(NOT (EQ a b))");
    assert_tree("a or b and not c", "(OR a (AND b (NOT c)))");
    assert_tree("not a or b", "(OR (NOT a) b)");
    assert_tree("not not a", "(NOT (NOT a))");
    assert_tree("(a + b) * c", "(MUL (ADD a b) c)");
    assert_tree("a < b and c >= d", "(AND (LT a b) (GE c d))");
}

static void selections(void **state)
{
    (void)state;
    assert_tree("x[0]", "<i0 x>");
    assert_tree("x[::-1, 0]", "<s_:_:-1 i0 x>");
    assert_tree("x[1:2:3, :, :2, 3:, ::]", "<s1:2:3 s_:_:1 s_:2:1 s3:_:1 s_:_:1 x>");
    assert_tree("x[..., None, newaxis, -1,]", "<.. new new i-1 x>");
    assert_tree("x[2 * 3 - 1:2**70:-2**70]", "<s5:9223372036854775807:-9223372036854775807 x>");
    assert_tree("k = 2; x[k, -k:]", "<i2 s-2:_:1 x>");
    assert_tree("None = 2; x[None, None:]", "<new s2:_:1 x>");
    assert_tree("x [0]", "<i0 x>");
    assert_tree("(x\n[0])", "<i0 x>");
    assert_tree("y = x\n[1, 2]", "[2 1 2]");
    assert_tree("x[0][1:]", "<s1:_:1 <i0 x>>");
    assert_tree("-x[0] ** y[1]", "(NEG (POW <i0 x> <i1 y>))");
    assert_tree("a + b[0] * c", "(ADD a (MUL <i0 b> c))");
    assert_tree("(a + b)[0]", "<i0 (ADD a b)>");
    assert_tree("exp(a)[0] + float16(a)[1]", "(ADD <i0 (EXP a)> <i1 <cast float16 a>>)");
    assert_tree("[1, 2, 3][0]", "<i0 [3 1 2 3]>");
    assert_tree("1[None]", "<new 1>");
    assert_tree("sum(a)[None] + sum(x=a[0])", "(ADD <new <sum a>> <sum <i0 a>>)");
    assert_tree("sum = a; sum + 1", "(ADD sum 1)");
    assert_tree("a if b[0] else c[0]", "(WHERE <i0 b> a <i0 c>)");
}

static void unary_and_power(void **state)
{
    (void)state;
    assert_tree("-a ** b", "(NEG (POW a b))");
    assert_tree("a ** -b", "(POW a (NEG b))");
    assert_tree("a ** b ** c", "(POW a (POW b c))");
    assert_tree("a ** -b ** c", "(POW a (NEG (POW b c)))");
    assert_tree("2 ** -1 * 3", "(MUL (POW 2 (NEG 1)) 3)");
    assert_tree("-a * b", "(MUL (NEG a) b)");
    assert_tree("a * -b", "(MUL a (NEG b))");
    assert_tree("a - -b", "(SUB a (NEG b))");
    assert_tree("~-+a", "(BITNOT (NEG (PLUS a)))");
    assert_tree("(-a) ** b", "(POW (NEG a) b)");
}

static void conditionals(void **state)
{
    (void)state;
    assert_tree("a if c else b", "(WHERE c a b)");
    assert_tree("a if c else b if d else e", "(WHERE c a (WHERE d b e))");
    assert_tree("a + 1 if c or d else b * 2", "(WHERE (OR c d) (ADD a 1) (MUL b 2))");
    assert_tree("(a if c else b) + 1", "(ADD (WHERE c a b) 1)");
    assert_tree("-a if not c else b", "(WHERE (NOT c) (NEG a) b)");
}

static void calls(void **state)
{
    (void)state;
    assert_tree("clamp(x, 0, 255)", "(CLAMP x 0 255)");
    assert_tree("clamp(x, hi=2, lo=1)", "(CLAMP x 1 2)");
    assert_tree("clip(hi=2, lo=1, value=x)", "(CLAMP x 1 2)");
    assert_tree("where(c, a, b)", "(WHERE c a b)");
    assert_tree("where(condition=c, y=b, x=a)", "(WHERE c a b)");
    assert_tree("min(a, b, c, d)", "(MIN a b c d)");
    assert_tree("maximum(left=a, right=b)", "(MAX a b)");
    assert_tree("power(a, mod(b, c))", "(POW a (MOD b c))");
    assert_tree("floor_divide(a, b)", "(FLOORDIV a b)");
    assert_tree("sin(\n  x\n)", "(SIN x)");
}

/* Each function row can be called by each of its names, with its parameters by their names. */
static void every_function_row_is_callable(void **state)
{
    (void)state;
    struct front front;
    struct lexer lexer;
    front_init(&front, "", 0);
    lex_init(&lexer, &front.arena, &front.source);
    for (int op = 0; op < OP_COUNT; op++) {
        size_t length;
        const char *spelling, *parameters = op_rows[op].parameters;
        for (int i = 0; (spelling = word_at(op_rows[op].spellings, i, &length)); i++) {
            char text[200], *end = text, tree[100];
            if (op_rows[op].form == FORM_INTERNAL || lex_word(&lexer, spelling, length)->function != (enum op)op)
                continue;
            end += sprintf(end, "%.*s(", (int)length, spelling);
            sprintf(tree, "(%s%.*s)", op_rows[op].id, 2 * op_arity(op), " 1 2 3");
            for (int j = 0; j < op_arity(op); j++) {
                size_t size;
                const char *name = word_at(parameters, j, &size);
                end += sprintf(end, "%s%.*s=%d", j ? ", " : "", (int)size, name, j + 1);
            }
            sprintf(end, ")");
            assert_tree(text, tree);
        }
    }
    front_finish(&front);
}

static void conversions(void **state)
{
    (void)state;
    assert_tree("uint8(x)", "<cast uint8 x>");
    assert_tree("f64(x) + i32(y)", "(ADD <cast float64 x> <cast int32 y>)");
    assert_tree("cast(x, bool)", "<cast bool x>");
    assert_tree("cast(dtype=u8, x=x)", "<cast uint8 x>");
    assert_tree("wrap(x + 1, uint8)", "<wrap uint8 (ADD x 1)>");
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        char text[40], tree[40];
        sprintf(text, "%s(x)", type_rows[t].name);
        sprintf(tree, "<cast %s x>", type_rows[t].name);
        assert_tree(text, tree);
    }
}

static void arrays(void **state)
{
    (void)state;
    assert_tree("[1]", "[1 1]");
    assert_tree("[[1, 2], [3, 4], [5, 6]]", "[3x2 1 2 3 4 5 6]");
    assert_tree("x * [-1, 2 ** 3, true]", "(MUL x [3 (NEG 1) (POW 2 3) true])");
    assert_tree("[[[1]], [[2]]]", "[2x1x1 1 2]");
    assert_tree("min([1, 2], [3, 4])", "(MIN [2 1 2] [2 3 4])");
    assert_tree("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[7]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
                "[1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 7]");
}

/* Words with a meaning elsewhere are names where that meaning has no place. */
static void words_may_be_names(void **state)
{
    (void)state;
    assert_tree("input + kernel * min / uint8", "(ADD input (DIV (MUL kernel min) uint8))");
    assert_tree("input = 1; kernel = 2; input - kernel", "(SUB input kernel)");
    assert_tree("min = 3; min(min, 4)", "(MIN min 4)");
    assert_tree("input float32: float32; float32(float32)", "<cast float32 float32>");
    assert_tree("pi = 3; pi", "pi");
}

static void constants(void **state)
{
    (void)state;
    struct front front;
    const char *text = "[pi, inf, true, False]";
    front_parse(&front, text, strlen(text));
    const struct node *nodes = front.programs.items[0]->nodes;
    assert_int_equal(front.programs.items[0]->input_count, 0);
    assert_true(nodes[0].literal.real == 3.141592653589793);
    assert_true(nodes[1].literal.real > 1e308);
    assert_int_equal(nodes[2].literal.kind, LITERAL_BOOL);
    assert_true(nodes[2].literal.integer == 1 && nodes[3].literal.integer == 0);
    front_finish(&front);
}

/* Spans leave enclosing parentheses out but hold those of operands. */
static void spans(void **state)
{
    (void)state;
    struct front front;
    const char *text = " ( (a + b) * c ) ";
    front_parse(&front, text, strlen(text));
    const struct program *program = front.programs.items[0];
    const struct node *root = &program->nodes[program->results[0].node];
    assert_int_equal(root->span.start, 3);
    assert_int_equal(root->span.end, 14);
    assert_int_equal(root->token.start, 11);
    assert_int_equal(operand_node(program, root, 0)->span.start, 4);
    assert_int_equal(operand_node(program, root, 0)->span.end, 9);
    front_finish(&front);
}

/* ---- programs ---- */

/* The inputs and results of a program by name, "x y -> out". */
static void assert_interface(const char *text, const char *expected)
{
    struct front front;
    front_parse(&front, text, strlen(text));
    assert_string_equal(front_messages(&front), "");
    const struct program *program = front.programs.items[0];
    struct buf buf = buf_new(&front.arena);
    for (int i = 0; i < program->input_count; i++) {
        assert_int_equal(program->symbols[program->inputs[i]].input, i);
        buf_printf(&buf, "%s ", program->symbols[program->inputs[i]].name);
    }
    buf_puts(&buf, "->");
    for (int i = 0; i < program->result_count; i++)
        buf_printf(&buf, " %s", program->results[i].name);
    assert_string_equal(buf.text, expected);
    front_finish(&front);
}

static void results_are_named(void **state)
{
    (void)state;
    assert_interface("a * b", "a b -> out");
    assert_interface("return a + b, s = a * b, a - b", "a b -> out0 s out2");
    assert_interface("y = a + b; return y, a", "a b -> y a");
    assert_interface("x", "x -> x");
    assert_interface("x = a\ny = x + 1", "a -> y");
    assert_interface("return (x)", "x -> x");
    assert_interface("return out0 = a, a + 1", "a -> out0 out1");
    assert_interface("3", "-> out");
}

static void inputs_are_numbered(void **state)
{
    (void)state;
    assert_interface("input b: u8; input a: u8; c + a + b", "b a c -> out");
    assert_interface("c + a", "c a -> out");
    assert_interface("x = c; input a: u8; x + a", "a c -> out");
    assert_interface("x = a + c; input b: u8; input a: u8; x + b", "b a c -> out");
}

static void statements_end(void **state)
{
    (void)state;
    assert_interface("\n;;\r\n a;\n\n", "a -> a");
    assert_interface("y = (a +\n b)\r\nreturn y # done", "a b -> y");
    assert_interface("kernel k(a: f32) { y = a; return y }", "a -> y");
    assert_interface("kernel k(\n a: f32,\n b: u8\n)\n -> u8\n{\n a + b\n}\n", "a b -> out");
}

static void kernels(void **state)
{
    (void)state;
    struct front front;
    const char *text = "kernel one(x: f32[n]) -> u8, f32 { return x, x * 2 }\n"
                       "kernel two(x: f32[m, n]) { y = x; y + 1 }";
    front_parse(&front, text, strlen(text));
    assert_true(front.good);
    assert_int_equal(front.programs.count, 2);
    const struct program *one = front.programs.items[0], *two = front.programs.items[1];
    assert_string_equal(one->name, "one");
    assert_true(one->results[0].has_dtype && one->results[1].has_dtype);
    assert_int_equal(one->results[0].dtype, WEFT_UINT8);
    assert_false(two->results[0].has_dtype);
    assert_true(two->symbols[0].parameter);
    assert_int_equal(two->symbols[0].type.extents[0], EXTENT_VARIABLE);
    assert_int_equal(two->symbols[0].type.extents[1], EXTENT_VARIABLE - 1);
    assert_string_equal(two->size_variables[0], "m");
    assert_string_equal(one->size_variables[0], "n");
    front_finish(&front);
}

static void types(void **state)
{
    (void)state;
    static const char *const same[] = {
        "uint8", "float32[?]", "uint8[480, 640, 3]@HWC", "bool[h, w]", "int64[?]@A",
        "float64[0, 9223372036854775807]"};
    struct front front;
    front_parse(&front, "x", 1);
    struct program *program = front.programs.items[0];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct source source = {"<args>", same[i], strlen(same[i])};
        struct type type;
        struct buf buf = buf_new(&front.arena);
        assert_true(parse_type(program, &source, &type));
        dump_type(&buf, program, &type);
        assert_string_equal(buf.text, same[i]);
    }
    assert_int_equal(program->size_variable_count, 2);
    struct source source = {"<args>", "uint8[3", 7};
    struct type type;
    assert_false(parse_type(program, &source, &type));
    assert_string_equal(front_messages(&front),
                        "<args>:1:6: error[W0004]: this '[' is never closed\nuint8[3\n     ^\n");
    assert_ptr_equal(front.diags.source, &front.source);
    front_finish(&front);
}

static bool is_value(const char *text, const char *expected_messages)
{
    struct front front;
    struct program *program;
    front_init(&front, text, strlen(text));
    bool value = parse_value(&front.arena, &front.source, &front.diags, &program);
    assert_string_equal(front_messages(&front), expected_messages);
    if (value)
        assert_int_equal(program->result_count, 1);
    front_finish(&front);
    return value;
}

static void values(void **state)
{
    (void)state;
    static const char *const good[] = {
        "3", "-5", "2**40", "(1/3)", "~7 + pi", "true", "False", "inf", "[1, 2]",
        "[[1, 2], [3, 4]]", "[true, -1]", " 7 "};
    static const char *const other[] = {
        "", "x", "image.png", "./3", "-", "a/b.npy", "dir", "*.png", "sin(1)", "pow(2, 3)", "1 2",
        "[x]", "1 if 2 else 3", "1 < 2", "return 3", "y = 3", "1; 2", "[1, 2", "not true", "3 & 1",
        "[1] + 1", "[[1], [x]", "\xff", "010", "'a'", "uint8(3)"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(is_value(good[i], ""));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_false(is_value(other[i], ""));
    assert_false(is_value("[[1, 2], [3]]",
                          "<expr>:1:10: error[W0010]: the rows of an array literal have one length; "
                          "this has 1, those before 2\n"
                          "[[1, 2], [3]]\n"
                          "         ^^^\n"));
}

static void wanted_results(void **state)
{
    (void)state;
    const char *text = "y = a * 2; z = a * 3; unused = 4; return z";
    const char *const wanted[] = {"y", "z", "yy", "a"};
    struct front front;
    front_parse(&front, text, strlen(text));
    struct program *program = front.programs.items[0];
    assert_false(parse_results(program, wanted, 4));
    assert_int_equal(program->result_count, 2);
    assert_string_equal(program->results[1].name, "y");
    assert_string_equal(front_messages(&front),
                        "<expr>: error[W0034]: 'yy' is neither a result nor bound in the text\n"
                        "<expr>: error[W0034]: 'a' is neither a result nor bound in the text\n"
                        "<expr>:1:23: warning[W0030]: 'unused' is never used\n"
                        "y = a * 2; z = a * 3; unused = 4; return z\n"
                        "                      ^^^^^^\n");
    front_finish(&front);
}

static void trees_print(void **state)
{
    (void)state;
    struct front front;
    const char *text = "input x: uint8[h, 3]\ny = uint8(x) // 2\nreturn y, r = -y";
    front_parse(&front, text, strlen(text));
    struct buf buf = buf_new(&front.arena);
    dump_ast(&buf, front.programs.items[0]);
    assert_string_equal(buf.text,
                        "input x: uint8[h, 3]\n"
                        "binding y\n"
                        "  floordiv //                           2:5-17    uint8(x) // 2\n"
                        "    cast to uint8                       2:5-12    uint8(x)\n"
                        "      input x                           2:11      x\n"
                        "    literal 2                           2:17      2\n"
                        "result y\n"
                        "  binding y                             3:8       y\n"
                        "result r\n"
                        "  neg -                                 3:15-16   -y\n"
                        "    binding y                           3:16      y\n");
    front_finish(&front);
}

/* ---- limits ---- */

/* Parses `before` repeated, `middle`, `after` repeated; the first error's number, 0 if none. */
static int deep(const char *before, const char *middle, const char *after, int count)
{
    struct front front;
    struct arena arena;
    struct buf text, printed;
    arena_init(&arena);
    text = buf_new(&arena);
    for (int i = 0; i < count; i++)
        buf_puts(&text, before);
    buf_puts(&text, middle);
    for (int i = 0; i < count; i++)
        buf_puts(&text, after);
    front_parse(&front, text.text, text.length);
    struct weft_error *error = diags_export(&front.diags, WEFT_ERROR);
    int code = error ? error->code : 0;
    weft_error_destroy(error);
    printed = buf_new(&arena);
    if (front.good)
        dump_ast(&printed, front.programs.items[0]);
    assert_true(printed.length < 400 * text.length + 400);
    front_finish(&front);
    arena_finish(&arena);
    return code;
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    static const char *const kinds[][3] = {
        {"(", "x", ")"}, {"-", "x", ""}, {"not ", "x", ""}, {"sin(", "x", ")"}, {"2**", "x", ""},
        {"a if b else ", "x", ""}, {"2**-", "x", ""}, {"min(1,", "x", ")"}, {"1+(", "x", ")"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_int_equal(deep(kinds[i][0], kinds[i][1], kinds[i][2], 400), 0);
        assert_int_equal(deep(kinds[i][0], kinds[i][1], kinds[i][2], 80000), 7);
    }
    assert_int_equal(deep("(", "x", ")", MAX_NESTING), 0);
    assert_int_equal(deep("(", "x", ")", MAX_NESTING + 1), 7);
    assert_int_equal(deep("-x+", "(x)", "", 2 * MAX_NESTING), 0);       /* one beside the other */
    assert_int_equal(deep("(x)+", "x", "", 2 * MAX_NESTING), 0);
    assert_int_equal(deep("[", "1", "]", WEFT_MAX_RANK + 1), 8);
    assert_int_equal(deep("a or b and c | d ^ e & f << g + h * (", "x", ")", 20000), 7);
}

static void long_texts_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(deep("a+", "a", "", MAX_NODES / 2 - 1), 0);
    assert_int_equal(deep("a+", "a", "", MAX_NODES / 2), 8);
    assert_int_equal(deep("a+", "a", "", 5000000), 6);
    assert_int_equal(deep("a<", "a", "", 20000), 0);
    assert_int_equal(deep("a<", "a", "", 40000), 8);
    assert_int_equal(deep("", "[1", ",1", MAX_ARRAY_ELEMENTS), 4);
    assert_int_equal(deep("", "return 1", ",1", MAX_RESULTS), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_is_pythons),
        cmocka_unit_test(selections),
        cmocka_unit_test(unary_and_power),
        cmocka_unit_test(conditionals),
        cmocka_unit_test(calls),
        cmocka_unit_test(every_function_row_is_callable),
        cmocka_unit_test(conversions),
        cmocka_unit_test(arrays),
        cmocka_unit_test(words_may_be_names),
        cmocka_unit_test(constants),
        cmocka_unit_test(spans),
        cmocka_unit_test(results_are_named),
        cmocka_unit_test(inputs_are_numbered),
        cmocka_unit_test(statements_end),
        cmocka_unit_test(kernels),
        cmocka_unit_test(types),
        cmocka_unit_test(values),
        cmocka_unit_test(wanted_results),
        cmocka_unit_test(trees_print),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(long_texts_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
