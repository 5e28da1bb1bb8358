/* What is said of texts that do not parse: every message, place and caret, exactly. */
#include "tests/unit/front.h"

#include <stdio.h>

static void bytes_and_numbers(void **state)
{
    (void)state;
    assert_messages("\303\251",
                    "<expr>:1:1: error[W0001]: byte 0xc3 is not allowed outside a comment;"
                    " Weft's text is ASCII\n"
                    "\303\251\n"
                    "^\n");
    assert_messages("x + 010",
                    "<expr>:1:5: error[W0002]: a decimal number has no leading zeros\n"
                    "x + 010\n"
                    "    ^^^\n");
    assert_messages("1e400",
                    "<expr>:1:1: error[W0002]: this number is too large for float64; write inf"
                    " if that is meant\n"
                    "1e400\n"
                    "^^^^^\n");
    assert_messages("2x",
                    "<expr>:1:1: error[W0002]: a number and a name touch; write an operator"
                    " between them, as 2 * x\n"
                    "2x\n"
                    "^^\n");
    assert_messages("\"abc",
                    "<expr>:1:1: error[W0004]: this string is not closed on its line\n"
                    "\"abc\n"
                    "^^^^\n");
}

static void missing_and_foreign_operators(void **state)
{
    (void)state;
    assert_messages("2 x",
                    "<expr>:1:3: error[W0009]: an operator is missing, as in 2 * x\n"
                    "2 x\n"
                    "  ^\n");
    assert_messages("a && b",
                    "<expr>:1:4: error[W0003]: found '&', expected a value; write 'and', or"
                    " '&' for bits\n"
                    "a && b\n"
                    "   ^\n");
    assert_messages("a || b",
                    "<expr>:1:4: error[W0003]: found '|', expected a value; write 'or', or '|'"
                    " for bits\n"
                    "a || b\n"
                    "   ^\n");
    assert_messages("!a",
                    "<expr>:1:1: error[W0003]: found '!', expected a value; write 'not', or"
                    " '~' for bits\n"
                    "!a\n"
                    "^\n");
    assert_messages("a <> b",
                    "<expr>:1:4: error[W0003]: found '>', expected a value; write '!='\n"
                    "a <> b\n"
                    "   ^\n");
    assert_messages("a === b",
                    "<expr>:1:5: error[W0003]: found '=', expected a value; write '=='\n"
                    "a === b\n"
                    "    ^\n");
    assert_messages("a ? b : c",
                    "<expr>:1:3: error[W0003]: found '?', expected an operator or the end of"
                    " the statement; write 'a if condition else b'\n"
                    "a ? b : c\n"
                    "  ^\n");
    assert_messages("x += 1",
                    "<expr>:1:4: error[W0003]: found '=', expected a value; a name is bound"
                    " once, so give the sum a new one\n"
                    "x += 1\n"
                    "   ^\n");
    assert_messages("x **= 2",
                    "<expr>:1:5: error[W0003]: found '=', expected a value; a name is bound"
                    " once, so give the power a new one\n"
                    "x **= 2\n"
                    "    ^\n");
    assert_messages("y := 3",
                    "<expr>:1:3: error[W0003]: found ':', expected an operator or the end of"
                    " the statement; write 'name = expression' as a statement\n"
                    "y := 3\n"
                    "  ^\n");
    assert_messages("lambda x: x",
                    "<expr>:1:8: error[W0003]: found 'x', expected an operator or the end of"
                    " the statement; there are no functions of your own; write the expression"
                    " itself\n"
                    "lambda x: x\n"
                    "       ^\n");
    assert_messages("a $ b",
                    "<expr>:1:3: error[W0003]: found '$', expected an operator or the end of"
                    " the statement; a name has letters, digits and '_' only\n"
                    "a $ b\n"
                    "  ^\n");
    assert_messages("sin x",
                    "<expr>:1:5: error[W0009]: arguments stand in ( ): write sin(x)\n"
                    "sin x\n"
                    "    ^\n");
    assert_messages("x is y",
                    "<expr>:1:3: error[W0003]: found 'is', expected an operator or the end of"
                    " the statement; write '=='; whether"
                    " a value is missing, a NaN, is isnan(x)\n"
                    "x is y\n"
                    "  ^^\n");
    assert_messages("f(x) = 3",
                    "<expr>:1:1: error[W0020]: there is no function 'f'; elements of a value f are"
                    " f[..], counted from 0, a product is f * (..)\n"
                    "f(x) = 3\n"
                    "^\n"
                    "<expr>:1:6: error[W0003]: found '=', expected an operator or the end of"
                    " the statement; '=' binds a name at the start of a statement, '=='"
                    " compares\n"
                    "f(x) = 3\n"
                    "     ^\n");
    assert_messages("a + != b",
                    "<expr>:1:5: error[W0003]: found '!=', expected a value\n"
                    "a + != b\n"
                    "    ^^\n");
    assert_messages("a b",
                    "<expr>:1:3: error[W0009]: an operator is missing, as in a * b\n"
                    "a b\n"
                    "  ^\n");
}

static void operators_out_of_place(void **state)
{
    (void)state;
    assert_messages("a + not b",
                    "<expr>:1:5: error[W0009]: 'not' binds looser than the operator before it;"
                    " put it in parentheses, as (not x)\n"
                    "a + not b\n"
                    "    ^^^\n");
    assert_messages("-not x",
                    "<expr>:1:2: error[W0009]: 'not' binds looser than the operator before it;"
                    " put it in parentheses, as (not x)\n"
                    "-not x\n"
                    " ^^^\n");
    assert_messages("a ** not b",
                    "<expr>:1:6: error[W0009]: 'not' binds looser than the operator before it;"
                    " put it in parentheses, as (not x)\n"
                    "a ** not b\n"
                    "     ^^^\n");
    assert_messages("a == not b",
                    "<expr>:1:6: error[W0009]: 'not' binds looser than the operator before it;"
                    " put it in parentheses, as (not x)\n"
                    "a == not b\n"
                    "     ^^^\n");
    assert_messages("* a",
                    "<expr>:1:1: error[W0003]: found '*', expected a value\n"
                    "* a\n"
                    "^\n");
    assert_messages("a +",
                    "<expr>:1:4: error[W0003]: found the end of the text, expected a value\n"
                    "a +\n"
                    "   ^\n");
    assert_messages("a + * b",
                    "<expr>:1:5: error[W0003]: found '*', expected a value\n"
                    "a + * b\n"
                    "    ^\n");
    assert_messages("a + if b",
                    "<expr>:1:5: error[W0003]: found 'if', expected a value; write 'a if"
                    " condition else b'\n"
                    "a + if b\n"
                    "    ^^\n");
    assert_messages("a if b",
                    "<expr>:1:7: error[W0003]: found the end of the text, expected 'else' and"
                    " what to take where the condition is false\n"
                    "a if b\n"
                    "      ^\n");
    assert_messages("not",
                    "<expr>:1:4: error[W0003]: found the end of the text, expected a value\n"
                    "not\n"
                    "   ^\n");
}

static void chains(void **state)
{
    (void)state;
    assert_messages("a < b < c", "");
    assert_messages("a & 1 < b | c == d",
                    "<expr>:1:3: error[W0005]: '&' binds tighter than comparisons; write (a) & (1 < b) | (c == d)\n"
                    "a & 1 < b | c == d\n"
                    "  ^\n");
    assert_messages("1 < (x +\n  2) < 3 ^ y <= z",
                    "<expr>:2:10: error[W0005]: '^' binds tighter than comparisons; write"
                    " (1 < (x + 2) < 3) ^ (y <= z)\n"
                    "  2) < 3 ^ y <= z\n"
                    "         ^\n");
    assert_messages("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa < b & c < d",
                    "<expr>:1:54: error[W0005]: '&' binds tighter than comparisons; write"
                    " (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa... < b) & (c < d)\n"
                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa < b & c < d\n"
                    "                                                     ^\n");
}

static void brackets(void **state)
{
    (void)state;
    assert_messages("(a + b",
                    "<expr>:1:1: error[W0004]: this '(' is never closed\n"
                    "(a + b\n"
                    "^\n");
    assert_messages("sin(a, b",
                    "<expr>:1:4: error[W0004]: this '(' is never closed\n"
                    "sin(a, b\n"
                    "   ^\n");
    assert_messages("[1, 2",
                    "<expr>:1:1: error[W0004]: this '[' is never closed\n"
                    "[1, 2\n"
                    "^\n");
    assert_messages("a)",
                    "<expr>:1:2: error[W0004]: this ')' closes nothing\n"
                    "a)\n"
                    " ^\n");
    assert_messages("(a]",
                    "<expr>:1:3: error[W0004]: this ']' does not close '('\n"
                    "(a]\n"
                    "~ ^\n");
    assert_messages("(a + b\ny = 3",
                    "<expr>:1:1: error[W0004]: this '(' is never closed\n"
                    "(a + b\n"
                    "^\n");
    assert_messages("sin(x",
                    "<expr>:1:4: error[W0004]: this '(' is never closed\n"
                    "sin(x\n"
                    "   ^\n");
    assert_messages("()",
                    "<expr>:1:2: error[W0003]: found ')', expected a value; a list is written in [ ]\n"
                    "()\n"
                    " ^\n");
    assert_messages("(a, b)",
                    "<expr>:1:3: error[W0003]: found ',', expected an operator or ')'; several"
                    " results are 'return a, b', an array is [1, 2], operands of a call have no ( ) of their"
                    " own\n"
                    "(a, b)\n"
                    "  ^\n");
    assert_messages("kernel k(x: f32) { x",
                    "<expr>:1:18: error[W0004]: this '{' is never closed\n"
                    "kernel k(x: f32) { x\n"
                    "                 ^\n");
    assert_messages("x }",
                    "<expr>:1:3: error[W0004]: this '}' closes nothing\n"
                    "x }\n"
                    "  ^\n");
    assert_messages("[1, (2]",
                    "<expr>:1:7: error[W0004]: this ']' does not close '('\n"
                    "[1, (2]\n"
                    "    ~ ^\n");
}

static void lists(void **state)
{
    (void)state;
    assert_messages("min(a, b,,)",
                    "<expr>:1:10: error[W0003]: found ',', expected a value\n"
                    "min(a, b,,)\n"
                    "         ^\n");
    assert_messages("return a,",
                    "<expr>:1:10: error[W0003]: found the end of the text, expected a value;"
                    " remove the ',' before it\n"
                    "return a,\n"
                    "         ^\n");
    assert_messages("sin(,)",
                    "<expr>:1:5: error[W0003]: found ',', expected a value\n"
                    "sin(,)\n"
                    "    ^\n");
    assert_messages("sin()",
                    "<expr>:1:1: error[W0023]: sin takes 1 argument (input), found 0\n"
                    "sin()\n"
                    "^^^\n");
    assert_messages("[]",
                    "<expr>:1:1: error[W0010]: an array literal has at least one element\n"
                    "[]\n"
                    "^^\n");
    assert_messages("[[1, 2], [3]]",
                    "<expr>:1:10: error[W0010]: the rows of an array literal have one length;"
                    " this has 1, those before 2\n"
                    "[[1, 2], [3]]\n"
                    "         ^^^\n");
    assert_messages("[1, [2]]",
                    "<expr>:1:5: error[W0010]: an array literal holds numbers or rows, not"
                    " both side by side\n"
                    "[1, [2]]\n"
                    "    ^\n");
    assert_messages("[[1], 2]",
                    "<expr>:1:7: error[W0010]: an array literal holds numbers or rows, not"
                    " both side by side\n"
                    "[[1], 2]\n"
                    "      ^\n");
}

static void lines(void **state)
{
    (void)state;
    assert_messages("a\n+ b",
                    "<expr>:2:1: error[W0009]: a line that goes on is put in ( ); the"
                    " expression before this one is complete\n"
                    "+ b\n"
                    "^\n");
    assert_messages("y = a\n  * b\ny",
                    "<expr>:2:3: error[W0003]: found '*', expected a value; an expression goes"
                    " on over lines inside ( )\n"
                    "  * b\n"
                    "  ^\n");
    assert_messages("return a\nb",
                    "<expr>:2:1: error[W0009]: nothing follows 'return'\n"
                    "b\n"
                    "^\n");
    assert_messages("a\nb",
                    "<expr>:2:1: error[W0009]: an expression alone is the last statement; name"
                    " the one before this, as y = ..., or return it\n"
                    "b\n"
                    "^\n");
    assert_messages("if x: y",
                    "<expr>:1:1: error[W0003]: found 'if', expected a value; write 'a if"
                    " condition else b'\n"
                    "if x: y\n"
                    "^^\n");
}

/* What DALI, NumPy and C call things, in their modules and without. */
static void habits(void **state)
{
    (void)state;
    assert_messages("nvidia.dali.math.sqrt(x)",
                    "<expr>:1:7: error[W0009]: functions are called by their name alone;"
                    " write sqrt(...)\n"
                    "nvidia.dali.math.sqrt(x)\n"
                    "      ^\n");
    assert_messages("2 * np.pi * x",
                    "<expr>:1:7: error[W0009]: constants are called by their name alone; write pi\n"
                    "2 * np.pi * x\n"
                    "      ^\n");
    assert_messages("fn.zonk(x)",
                    "<expr>:1:3: error[W0020]: there is no function 'zonk'\n"
                    "fn.zonk(x)\n"
                    "  ^\n");
    assert_messages("torch.sqr(x)",
                    "<expr>:1:6: error[W0009]: there is no 'sqr'; write square(x)\n"
                    "torch.sqr(x)\n"
                    "     ^\n");
    assert_messages("np.double(x)",
                    "<expr>:1:3: error[W0009]: functions are called by their name alone;"
                    " write float64(...)\n"
                    "np.double(x)\n"
                    "  ^\n");
    assert_messages("cast(x, types.UINT8)",
                    "<expr>:1:9: error[W0021]: there is no type 'types.UINT8'; did you mean"
                    " 'uint8'?\n"
                    "cast(x, types.UINT8)\n"
                    "        ^^^^^^^^^^^\n");
    assert_messages("reinterpret(x, np.float)",
                    "<expr>:1:16: error[W0021]: there is no type 'np.float'; did you mean"
                    " 'float32'?\n"
                    "reinterpret(x, np.float)\n"
                    "               ^^^^^^^^\n");
    assert_messages("half(x)",
                    "<expr>:1:1: error[W0020]: there is no function 'half'; did you mean"
                    " 'float16'?\n"
                    "half(x)\n"
                    "^^^^\n");
    assert_messages("amax(x)",
                    "<expr>:1:1: error[W0020]: there is no function 'amax'; write max(x)\n"
                    "amax(x)\n"
                    "^^^^\n");
    assert_messages("x.sum(axis=0)",
                    "<expr>:1:2: error[W0009]: functions are called by their name alone; write"
                    " sum(x, ...)\n"
                    "x.sum(axis=0)\n"
                    " ^\n");
    assert_messages("a @ b",
                    "<expr>:1:3: error[W0003]: found '@', expected an operator or the end of"
                    " the statement; there are no matrix products, of vectors write vecdot(a, b); a name stands without"
                    " '@'\n"
                    "a @ b\n"
                    "  ^\n");
    assert_messages("a, b",
                    "<expr>:1:2: error[W0003]: found ',', expected an operator or the end of"
                    " the statement; several results are 'return a, b', an array is [1, 2]\n"
                    "a, b\n"
                    " ^\n");
    assert_messages("x * [1 2]",
                    "<expr>:1:8: error[W0009]: ',' or an operator is missing, as in 1, 2\n"
                    "x * [1 2]\n"
                    "       ^\n");
    assert_messages("uint8 x",
                    "<expr>:1:7: error[W0009]: arguments stand in ( ): write uint8(x)\n"
                    "uint8 x\n"
                    "      ^\n");
    assert_messages("squeeze(x, axis_names=\"C\")",
                    "<expr>:1:12: error[W0022]: squeeze has no argument 'axis_names';"
                    " dimensions are told by number, as in axes=[2], in reductions also by letter: axes=\"HW\"\n"
                    "squeeze(x, axis_names=\"C\")\n"
                    "           ^^^^^^^^^^\n");
    assert_messages("sum(x, dim=0)",
                    "<expr>:1:8: error[W0022]: sum has no argument 'dim';"
                    " dimensions are told as axis=0 or axes=[0, 1], by name as axes=x\n"
                    "sum(x, dim=0)\n"
                    "       ^^^\n");
    assert_messages("mean(x, dtype=float64)",
                    "<expr>:1:9: error[W0022]: mean has no argument 'dtype'; convert the operand, as in"
                    " mean(float64(x))\n"
                    "mean(x, dtype=float64)\n"
                    "        ^^^^^\n");
    assert_messages("norm(x, p=1)",
                    "<expr>:1:9: error[W0022]: norm has no argument 'p'; it is of order 2; write sum(abs(x)) for"
                    " order 1, max(abs(x)) for order inf\n"
                    "norm(x, p=1)\n"
                    "        ^\n");
    assert_messages("np.alltrue(x)",
                    "<expr>:1:3: error[W0009]: there is no 'alltrue'; write all(x)\n"
                    "np.alltrue(x)\n"
                    "  ^\n");
    assert_messages("nanstd(x)",
                    "<expr>:1:1: error[W0020]: there is no function 'nanstd'; write 'n = sum(not isnan(x)); "
                    "d = where(isnan(x), 0, x - sum(where(isnan(x), 0, x)) / n); sqrt(sum(d * d) / n)'\n"
                    "nanstd(x)\n"
                    "^^^^^^\n");
    assert_messages("sum(x) / size(x)",
                    "<expr>:1:10: error[W0020]: there is no function 'size'; write extent(x, 0) for one extent; a sum"
                    " divided by the number of elements is mean(x)\n"
                    "sum(x) / size(x)\n"
                    "         ^^^^\n");
    assert_messages("expand_dims(x, axes=[0], new_axis_names=\"N\")",
                    "<expr>:1:26: error[W0022]: expand_dims has no argument"
                    " 'new_axis_names'; reshape names dimensions: write reshape(..,"
                    " layout=\"HWC\") around it\n"
                    "expand_dims(x, axes=[0], new_axis_names=\"N\")\n"
                    "                         ^^^^^^^^^^^^^^\n");
    assert_messages("clamp(x, 0, 1, high=2)",
                    "<expr>:1:16: error[W0022]: clamp has no argument 'high'; it takes 3"
                    " arguments (value, lo, hi)\n"
                    "clamp(x, 0, 1, high=2)\n"
                    "               ^^^^\n");
}

/* What stands behind a dot. A name may mean one thing there, and another where it is called. */
static void attributes(void **state)
{
    (void)state;
    assert_messages("max(x, axis=1).values",
                    "<expr>:1:15: error[W0009]: there is no 'values'; leave it out: x and max(x, axis=1) are values, "
                    "argmax(x, axis=1)"
                    " the indices\n"
                    "max(x, axis=1).values\n"
                    "              ^\n");
    assert_messages("max(x, axis=1).indices + 1",
                    "<expr>:1:15: error[W0009]: there is no 'indices'; max(x, axis=1) is the values, argmax(x, axis=1)"
                    " the indices\n"
                    "max(x, axis=1).indices + 1\n"
                    "              ^\n");
    assert_messages("np.indices(x)",
                    "<expr>:1:3: error[W0009]: there is no 'indices'; write index(x, 0), index(x, 1), ..\n"
                    "np.indices(x)\n"
                    "  ^\n");
    assert_messages("img.shape",
                    "<expr>:1:4: error[W0009]: there is no 'shape'; write extent(img, 0) for one extent\n"
                    "img.shape\n"
                    "   ^\n");
    assert_messages("xs.diff()",
                    "<expr>:1:3: error[W0009]: there is no 'diff'; write xs[..., 1:] - xs[..., :-1], by name"
                    " u.x[1:] - u.x[:-1]\n"
                    "xs.diff()\n"
                    "  ^\n");
    assert_messages("np.diff(xs)",
                    "<expr>:1:3: error[W0009]: there is no 'diff'; write x[..., 1:] - x[..., :-1], by name"
                    " u.x[1:] - u.x[:-1]\n"
                    "np.diff(xs)\n"
                    "  ^\n");
}

/* Conversions of NumPy and PyTorch: what they convert to is in the ( ). */
static void conversions(void **state)
{
    static const char *const rows[][2] = {
        {"v.astype(np.float32)", "float32(v)"}, {"v.astype('uint16')", "uint16(v)"},
        {"v.astype(\"i4\")", "int32(v)"},      {"v.astype(bool)", "bool(v)"},
        {"v.astype(float)", "float32(v), or float64(v)"}, {"v.astype( int )", "int32(v), or int64(v)"},
        {"v.to(torch.half)", "float16(v)"},      {"v.astype(t)", "uint8(v)"},
        {"(a + b).astype(float32)", "float32(x)"}, {"v.astype(", "uint8(v)"}, {"v.astype", "uint8(v)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[300];
        const int place = (int)(strchr(rows[i][0], '.') - rows[i][0]);
        snprintf(expected, sizeof expected, "<expr>:1:%d: error[W0009]: there is no '%s'; write the type's name as a "
                 "function: %s\n%s\n%*s^\n", place + 1, strstr(rows[i][0], ".to") ? "to" : "astype", rows[i][1],
                 rows[i][0], place, "");
        assert_messages(rows[i][0], expected);
    }
}

static void comments(void **state)
{
    (void)state;
    assert_messages("// brighter",
                    "<expr>:1:1: error[W0003]: found '//', expected a value; a comment begins with '#'\n"
                    "// brighter\n"
                    "^^\n");
    assert_messages("x + /* more */ 1",
                    "<expr>:1:5: error[W0003]: found '/', expected a value; a comment begins with '#'\n"
                    "x + /* more */ 1\n"
                    "    ^\n");
    assert_messages("x /* more */ + 1",
                    "<expr>:1:4: error[W0003]: found '*', expected a value; a comment begins with '#'\n"
                    "x /* more */ + 1\n"
                    "   ^\n");
}

static void selections(void **state)
{
    (void)state;
    assert_messages("np.sin(x)",
                    "<expr>:1:3: error[W0009]: functions are called by their name alone; write"
                    " sin(...)\n"
                    "np.sin(x)\n"
                    "  ^\n");
    assert_messages("u.x",
                    "<expr>:1:2: error[W0009]: '.' selects along a named dimension and takes an item in [ ],"
                    " as in u.x[0] or u.x[1:-1]; the label 'x' of a dimension vector is u.vector['x']; of a DataFrame"
                    " df write x, and weft.evaluate(text, df)\n"
                    "u.x\n"
                    " ^\n");
    assert_messages("x[0", "<expr>:1:2: error[W0004]: this '[' is never closed\n"
                           "x[0\n"
                           " ^\n");
    assert_messages("x[0] = 1",
                    "<expr>:1:6: error[W0273]: elements are not assigned to, since a value never"
                    " changes; compute another one, as in y = where(condition, 1, x)\n"
                    "x[0] = 1\n"
                    "~~~~ ^\n");
    assert_messages("x[0] == 1", "");
    assert_messages("kernel f(x: f32[4]) { return q + x[q] }",
                    "<expr>:1:30: error[W0028]: 'q' is neither a parameter nor bound before\n"
                    "kernel f(x: f32[4]) { return q + x[q] }\n"
                    "                             ^\n");
    assert_messages("cast(x, uint8[3])",
                    "<expr>:1:14: error[W0009]: the type of an element stands here, without"
                    " extents\n"
                    "cast(x, uint8[3])\n"
                    "             ^\n");
    assert_messages("kernel f(x: f32[n]) { return x[n] }",
                    "<expr>:1:32: error[W0278]: size variable 'n' is no value; write extent(x, 0)\n"
                    "kernel f(x: f32[n]) { return x[n] }\n"
                    "                               ^\n");
    assert_messages("kernel f(x: f32[n, m]) { return x[:, m] }",
                    "<expr>:1:38: error[W0278]: size variable 'm' is no value; write extent(x, 1)\n"
                    "kernel f(x: f32[n, m]) { return x[:, m] }\n"
                    "                                     ^\n");
    assert_messages("'text'",
                    "<expr>:1:1: error[W0009]: a string is no value; it stands as an argument"
                    " only\n"
                    "'text'\n"
                    "^^^^^^\n");
    assert_messages("x + \"s\"",
                    "<expr>:1:5: error[W0009]: a string is no value; it stands as an argument"
                    " only\n"
                    "x + \"s\"\n"
                    "    ^^^\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_numbers),
        cmocka_unit_test(missing_and_foreign_operators),
        cmocka_unit_test(operators_out_of_place),
        cmocka_unit_test(chains),
        cmocka_unit_test(brackets),
        cmocka_unit_test(lists),
        cmocka_unit_test(lines),
        cmocka_unit_test(habits),
        cmocka_unit_test(attributes), cmocka_unit_test(conversions), cmocka_unit_test(comments),
        cmocka_unit_test(selections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
