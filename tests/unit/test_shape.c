/* Shapes and layouts from declared types, in which extents, ranks and the numbers of views may be unknown:
 * what may be right at the call is never refused, what cannot be is. */
#include "tests/unit/front.h"

#include "compiler/check/layout.h"

/* Shape and layout of every result: "[2, ?]@HW"; "*" for a shape or a layout that is not known. */
static const char *infer(struct front *front)
{
    struct program *program = front->programs.items[0];
    struct arena *arena = &front->arena;
    const struct shape **inputs = ARENA_ARRAY(arena, const struct shape *, program->input_count);
    const struct shape **shapes = ARENA_ARRAY(arena, const struct shape *, program->node_count);
    const char **layouts = ARENA_ARRAY(arena, const char *, program->node_count);
    struct buf text;
    for (int i = 0; i < program->input_count; i++) {
        struct symbol *symbol = &program->symbols[program->inputs[i]];
        symbol->typed = symbol->declared;
        inputs[i] = type_shape(arena, &symbol->type);
    }
    if (!infer_shapes(arena, program, &front->diags, inputs, NULL, NULL, shapes, NULL) ||
        !infer_layouts(arena, program, &front->diags, shapes, NULL, layouts))
        return NULL;
    text = buf_new(arena);
    for (int r = 0; r < program->result_count; r++) {
        const struct shape *shape = shapes[program->results[r].node];
        const char *layout = layouts[program->results[r].node];
        buf_printf(&text, "%s%s", r ? " " : "", shape ? shape_text(arena, program, shape) : "*");
        if (!layout || *layout)
            buf_printf(&text, "@%s", layout ? layout : "*");
    }
    return text.text;
}

static void assert_shapes(const char *text, const char *expected)
{
    struct front front;
    front_parse(&front, text, strlen(text));
    const char *found = front.good ? infer(&front) : NULL;
    if (!found)
        fail_msg("%s: %s", text, front_messages(&front));
    if (strcmp(found, expected) != 0)
        fail_msg("%s: %s, not %s", text, found, expected);
    front_finish(&front);
}

/* The text of the first message. */
static void assert_refused(const char *text, const char *expected)
{
    struct front front;
    front_parse(&front, text, strlen(text));
    if (front.good && infer(&front))
        fail_msg("%s is not refused", text);
    assert_string_equal(front.diags.first->message, expected);
    front_finish(&front);
}

static void known_lengths(void **state)
{
    (void)state;
    assert_shapes("reshape(x, [2, -1])", "[2, ?]");
    assert_shapes("reshape(x, s)", "*");
    assert_shapes("input s: int64[3]; reshape(x, s)", "[?, ?, ?]");
    assert_shapes("input s: int64[?]; reshape(x, s)", "*");
    assert_shapes("input s: int64[n]; reshape(x, s)", "*");
    assert_shapes("input s: int64[]; reshape(x, s)", "[?]");
    assert_shapes("input x: u8[h, 4]; reshape(x, [2, -1])", "[2, ?]");
    assert_shapes("input x: u8[6, 4]; reshape(x, [2, -1])", "[2, 12]");
    assert_shapes("input x: u8[h, 4]; reshape(x, rel_shape=[2, 0.5])", "[?, 2]");
    assert_shapes("input x: u8[h, 4]; reshape(x, src_dims=[1, -1, 0])", "[4, 1, h]");
    assert_shapes("input x: u8[h, 4]; input d: int8[3]; reshape(x, src_dims=d)", "[?, ?, ?]");
    assert_shapes("input x: u8[h, 4]; input r: f32[3]; reshape(x, rel_shape=r)", "[?, ?, ?]");
    assert_shapes("input x: u8[h, 4]; input d: int8[2]; reshape(x, rel_shape=r, src_dims=d)",
                  "[?, ?]");
    assert_shapes("reshape(x, rel_shape=[1, 2])", "[?, ?]");
    assert_shapes("reshape(x, layout=\"\")", "*");
    assert_shapes("input x: u8[h, 1]; squeeze(x, axes=[1])", "[h]");
    assert_shapes("input x: u8[h, w]; squeeze(x, axes=[1])", "[h]");
    assert_shapes("input x: u8[h, w]; input a: int8[1]; squeeze(x, axes=a)", "[?]");
    assert_shapes("squeeze(x, axes=[1])", "*");
    assert_shapes("input x: u8[h, w]; expand_dims(x, axes=[0, 3])", "[1, h, w, 1]");
    assert_shapes("input x: u8[h, w]; input a: int8[1]; expand_dims(x, axes=a)", "[?, ?, ?]");
    assert_shapes("expand_dims(x, axes=[0])", "*");
    assert_shapes("input x: u8[h, 8]; reinterpret(x, float32)", "[h, 2]");
    assert_shapes("input x: u8[h, w]; reinterpret(x, float32)", "[h, ?]");
    assert_shapes("input x: u8[2, 8]; reinterpret(x, float32, shape=[-1, 2])", "[2, 2]");
    assert_shapes("reinterpret(x, float32, shape=[-1, 2])", "[?, 2]");
    assert_shapes("reinterpret(x, float32)", "*");
}

static void selections(void **state)
{
    (void)state;
    assert_shapes("x[0]", "*");
    assert_shapes("x[None]", "*");
    assert_shapes("input x: u8[h, w]; x[0]", "[w]");
    assert_shapes("input x: u8[h, w]; x[:, 0]", "[h]");
    assert_shapes("input x: u8[h, w]; x[::-1, :]", "[h, w]");
    assert_shapes("input x: u8[h, w]; x[1:]", "[?, w]");
    assert_shapes("input x: u8[h, w]; x[..., ::2]", "[h, ?]");
    assert_shapes("input x: u8[h, w]; x[None, ..., None, 0]", "[1, h, 1]");
    assert_shapes("input x: u8[?]; x[7]", "[]");
    assert_shapes("input x: u8[6, 4]; x[::-2, -3:]", "[3, 3]");
    assert_shapes("input x: u8[6, 0]; x[9:, ::-1]", "[0, 0]");
    assert_shapes("input x: u8[6, h]; x[2:4] + x[:2]", "[2, h]");
    assert_shapes("input x: u8[h]; x[1:] - x[:-1]", "[?]");
    assert_shapes("input x: u8[h]; input y: u8[3]; x[1:] + y", "[3]");
    assert_shapes("sum(x)", "[]");
    assert_shapes("input x: u8[h, w]; x + sum(x)", "[h, w]");
    assert_refused("input x: u8[h, 3]; x[0, 3]",
                   "item 2 of the selection, index 3, is out of range: dimension 1 of x [h, 3] has extent 3; an "
                   "index is -3 to 2");
    assert_refused("input x: u8[h, w]; x[..., 0, 0, 0]",
                   "the selection has 3 items for dimensions, and x [h, w] has 2 dimensions; None inserts one");
    assert_refused("input x: u8[]; x[:]",
                   "x has no dimensions to select from; only '...', None and newaxis can stand here");
}

static void what_cannot_be_right(void **state)
{
    (void)state;
    assert_refused("reshape(x, [-1, -1])",
                   "shape[0] and shape[1] are both negative; one of them takes what is left");
    assert_refused(
        "reshape(x, [0, -1])",
        "a negative extent takes what is left, and beside an extent of 0 any would do; write the "
        "number itself");
    assert_refused("reshape(x, rel_shape=[inf])",
                   "rel_shape[0] is inf; a factor of an extent is finite");
    assert_refused(
        "input x: u8[h, w]; reshape(x, rel_shape=[1, 1, 1])",
        "rel_shape has 3 factors, and x [h, w] has 2 dimensions; one more may stand last if it is "
        "negative, and src_dims inserts others");
    assert_refused(
        "input x: u8[h, w]; input r: f32[4]; reshape(x, rel_shape=r)",
        "rel_shape has 4 factors, and x [h, w] has 2 dimensions; one more may stand last if it is "
        "negative, and src_dims inserts others");
    assert_refused("input r: f32[4]; reshape(x, rel_shape=r, src_dims=[1, 0])",
                   "rel_shape has 4 numbers and src_dims 2; each factor has one source");
    assert_refused("input x: u8[h, w]; reshape(x, src_dims=[2])",
                   "src_dims[0] is 2, and x [h, w] has 2 dimensions");
    assert_refused("input s: i64[2, 1]; reshape(x, s)",
                   "shape is read from input 's', which has 2 dimensions, shape [2, 1]; a 1-D "
                   "tensor is wanted");
    assert_refused(
        "input s: i64[33]; reshape(x, s)",
        "shape is read from input 's', which holds 33 numbers; there are at most 32 dimensions");
    assert_refused("input x: u8[h, 2]; squeeze(x, axes=[1])",
                   "dimension 1 of x [h, 2] has extent 2; squeeze drops extents of 1");
    assert_refused("input x: u8[h]; input a: i8[2]; squeeze(x, axes=a)",
                   "axes names 2 dimensions, and x [h] has 1");
    assert_refused("expand_dims(x, axes=[-1])",
                   "axes[0] is -1; a position in the result counts from 0");
    assert_refused("input x: u8[h, w]; expand_dims(x, axes=[3])",
                   "axes[0] is 3, and the result has 3 dimensions, 0 to 2");
    assert_refused(
        "input x: u8[6]; reinterpret(x, float32)",
        "the innermost extent of x [6] is 6 bytes long, no multiple of the 4 of float32");
    assert_refused("input x: f64[9223372036854775807]; reinterpret(x, uint8)",
                   "the shape [9223372036854775807] has more elements than memory can hold");
    assert_refused(
        "input x: u8[]; reinterpret(x, float32)",
        "x has no dimension that could change its extent; give the shape, as in reinterpret(x, "
        "float32, shape=[-1])");
    assert_refused("reshape(x, [2], layout=\"HW\")",
                   "layout \"HW\" has 2 letters, and the result [2] has 1 dimension");
    assert_refused(
        "reshape(x, [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1])",
        "more than 32 dimensions");
}

static void layouts(void **state)
{
    (void)state;
    assert_shapes("input x: u8@HWC; x * g", "*@*");
    assert_shapes("input x: u8@HWC; input g: f32[3]; x * g", "[?, ?, 3]@HWC");
    assert_shapes("input x: u8@HWC; input g: f32[3]@C; float32(-x) * g + 1", "[?, ?, 3]@HWC");
    assert_shapes("input x: u8@HWC; input g: f32[2, 1, 1, 3]; x * g", "[2, ?, ?, 3]");
    assert_shapes("input x: u8@HWC; input g: u8[2, 1, 1, 3]@FHWC; y = x * g; y",
                  "[2, ?, ?, 3]@FHWC");
    assert_shapes("input x: u8@DHWC; input c: bool@C; where(c, x, 0)", "[?, ?, ?, ?]@DHWC");
    assert_shapes("input x: u8@HWC; squeeze(x, axes=[-1])", "[?, ?]@HW");
    assert_shapes("input x: u8@HWC; input a: i8[2]; squeeze(x, axes=a)", "[?]@*");
    assert_shapes("input x: u8@HWC; expand_dims(x, axes=[0])", "[1, ?, ?, ?]");
    assert_shapes("input x: u8@HWC; x[0]", "[?, ?]@WC");
    assert_shapes("input x: u8@HWC; x[..., 0]", "[?, ?]@HW");
    assert_shapes("input x: u8@HWC; x[1:, 0, ::-1]", "[?, ?]@HC");
    assert_shapes("input x: u8@HWC; x[0, 0, 0]", "[]");
    assert_shapes("input x: u8@HWC; x[None]", "[1, ?, ?, ?]");
    assert_shapes("input x: u8@HWC; reshape(x, s)[0]", "*@*");
    assert_shapes("input x: u8@HWC; reshape(x, s)[None]", "*");
    assert_shapes("input x: u8@HWC; sum(x)", "[]");
    assert_shapes("input x: u8@HWC; x + sum(x)", "[?, ?, ?]@HWC");
    assert_shapes("input x: u8@HWC; reshape(x, [2, -1])", "[2, ?]");
    assert_shapes("input x: u8@HWC; reshape(x, [2, -1, 1])", "[2, ?, 1]@HWC");
    assert_shapes("input x: u8@HWC; reshape(x, s)", "*@*");
    assert_shapes("input x: u8@HWC; reshape(x, s, layout=\"\")", "*");
    assert_shapes("input x: u8@HWC; reshape(x, s, layout=\"AB\")", "*@AB");
    assert_shapes("input x: u8@HWC; reinterpret(x, int8)", "[?, ?, ?]@HWC");
    assert_shapes("input x: u8@HWC; input y: u8[?, ?]@AB; reshape(x, s) + y", "*@*");
    assert_refused(
        "input x: u8@HWC; input y: u8@CHW; x + y",
        "the layouts of x, HWC, and y, CHW, do not go together: one has to be the end of the "
        "other; to drop one write reshape(y, layout=\"\")");
    assert_refused(
        "input x: u8@HWC; input y: u8@HW; (x + 1) * y",
        "the layouts of x + 1, HWC, and y, HW, do not go together: one has to be the end of the "
        "other; write y[..., None], which is the same for all of C");
    assert_shapes("input x: u8@HWC; input y: u8@HW; (x + 1) * y[..., None]", "[?, ?, ?]@HWC");
    assert_refused("input x: u8@HWC; input y: u8@HW; x * (y + 1)",
                   "the layouts of x, HWC, and y + 1, HW, do not go together: one has to be the end of the "
                   "other; write (y + 1)[..., None], which is the same for all of C");
    assert_shapes("input x: u8@HWC; input y: u8@HW; x * (y + 1)[..., None]", "[?, ?, ?]@HWC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_lengths),
        cmocka_unit_test(selections),
        cmocka_unit_test(what_cannot_be_right),
        cmocka_unit_test(layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
