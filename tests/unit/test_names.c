/* What is said of names, arguments, results and types: every message and place, exactly. */
#include "tests/unit/front.h"

static void functions(void **state)
{
    (void)state;
    assert_messages("clmp(x, 0, 1)",
                    "<expr>:1:1: error[W0020]: there is no function 'clmp'; did you mean"
                    " 'clamp'?\n"
                    "clmp(x, 0, 1)\n"
                    "^^^^\n");
    assert_messages("foo(x)",
                    "<expr>:1:1: error[W0020]: there is no function 'foo'\n"
                    "foo(x)\n"
                    "^^^\n");
    assert_messages("x + x(3)",
                    "<expr>:1:5: error[W0009]: 'x' is a value, not a function; its elements are"
                    " x[..], to multiply write x * (...)\n"
                    "x + x(3)\n"
                    "    ^\n");
    assert_messages("reshape(x, [2], layout=\"H\")", "");
    assert_messages("float16(x) + bf16(x) + cast(x, f16) + cast(x, bfloat16)", "");
    assert_messages("float61(x)",
                    "<expr>:1:1: error[W0020]: there is no function 'float61'; did you mean"
                    " 'float16'?\n"
                    "float61(x)\n"
                    "^^^^^^^\n");
    assert_messages("cast(x, uint7)",
                    "<expr>:1:9: error[W0021]: there is no type 'uint7'; did you mean 'uint8'?\n"
                    "cast(x, uint7)\n"
                    "        ^^^^^\n");
    assert_messages("uint8x(x)",
                    "<expr>:1:1: error[W0020]: there is no function 'uint8x'; did you mean"
                    " 'uint8'?\n"
                    "uint8x(x)\n"
                    "^^^^^^\n");
    assert_messages("and(x, y)",
                    "<expr>:1:1: error[W0003]: found 'and', expected a value\n"
                    "and(x, y)\n"
                    "^^^\n");
}

static void arguments(void **state)
{
    (void)state;
    assert_messages("sin(x, y)",
                    "<expr>:1:1: error[W0023]: sin takes 1 argument (input), found 2\n"
                    "sin(x, y)\n"
                    "^^^\n");
    assert_messages("clamp(x, 1)",
                    "<expr>:1:1: error[W0023]: clamp takes 3 arguments (value, lo, hi), found"
                    " 2; for one bound write max(x, lo) or min(x, hi)\n"
                    "clamp(x, 1)\n"
                    "^^^^^\n");
    assert_messages("max()",
                    "<expr>:1:1: error[W0023]: max takes two or more arguments, or one"
                    " to reduce, found 0\n"
                    "max()\n"
                    "^^^\n");
    assert_messages("where(a, b)",
                    "<expr>:1:1: error[W0023]: where takes 3 arguments (condition, x, y),"
                    " found 2; the positions at which c holds are nonzero(c, n)\n"
                    "where(a, b)\n"
                    "^^^^^\n");
    assert_messages("cast(x)",
                    "<expr>:1:1: error[W0023]: cast takes 2 arguments (x, dtype), found 1\n"
                    "cast(x)\n"
                    "^^^^\n");
    assert_messages("uint8()",
                    "<expr>:1:1: error[W0023]: uint8 takes 1 argument (x), found 0\n"
                    "uint8()\n"
                    "^^^^^\n");
    assert_messages("clamp(x, 1, hgh=2)",
                    "<expr>:1:13: error[W0022]: clamp has no argument 'hgh'; it takes 3"
                    " arguments (value, lo, hi)\n"
                    "clamp(x, 1, hgh=2)\n"
                    "            ^^^\n");
    assert_messages("sin(x, y=2)",
                    "<expr>:1:8: error[W0022]: sin has no argument 'y'; it takes 1 argument (input)\n"
                    "sin(x, y=2)\n"
                    "       ^\n");
    assert_messages("clamp(x, lo=1, lo=2)",
                    "<expr>:1:16: error[W0024]: argument 'lo' of clamp is given twice, as lo=1 and as "
                    "lo=2\n"
                    "clamp(x, lo=1, lo=2)\n"
                    "            ~  ^^\n");
    assert_messages("clamp(x, value=3, lo=2, hi=3)",
                    "<expr>:1:10: error[W0024]: argument 'value' of clamp is given twice, as x and as "
                    "value=3\n"
                    "clamp(x, value=3, lo=2, hi=3)\n"
                    "      ~  ^^^^^\n");
    assert_messages("clamp(x, hi=2)",
                    "<expr>:1:1: error[W0025]: clamp lacks its argument 'lo'\n"
                    "clamp(x, hi=2)\n"
                    "^^^^^\n");
    assert_messages("clamp(lo=1, x, 2)",
                    "<expr>:1:13: error[W0009]: an argument without a name stands before those"
                    " with one\n"
                    "clamp(lo=1, x, 2)\n"
                    "            ^\n");
    assert_messages("sin(foo=x)",
                    "<expr>:1:5: error[W0022]: sin has no argument 'foo'; it takes 1 argument"
                    " (input)\n"
                    "sin(foo=x)\n"
                    "    ^^^\n");
    assert_messages("min(a, b, c, left=d)",
                    "<expr>:1:14: error[W0024]: argument 'left' of min is given twice, as a and as left=d\n"
                    "min(a, b, c, left=d)\n"
                    "    ~        ^^^^\n");
}

static void names(void **state)
{
    (void)state;
    assert_messages("y = 1; y = 2; y",
                    "<expr>:1:8: error[W0026]: 'y' is bound already; give this one another"
                    " name\n"
                    "y = 1; y = 2; y\n"
                    "~      ^\n");
    assert_messages("x = x + 1",
                    "<expr>:1:5: error[W0027]: 'x' is used before it is bound; give what it"
                    " becomes another name\n"
                    "x = x + 1\n"
                    "~   ^\n");
    assert_messages("y = a; a = 2; y",
                    "<expr>:1:5: error[W0027]: 'a' is used before it is bound\n"
                    "y = a; a = 2; y\n"
                    "    ^  ~\n");
    assert_messages("input a: u8; a = 3; a",
                    "<expr>:1:14: error[W0035]: 'a' is declared already\n"
                    "input a: u8; a = 3; a\n"
                    "      ~      ^\n");
    assert_messages("input a: u8; input a: u8; a",
                    "<expr>:1:20: error[W0035]: 'a' is declared already\n"
                    "input a: u8; input a: u8; a\n"
                    "      ~            ^\n");
    assert_messages("true = 3",
                    "<expr>:1:1: error[W0009]: 'true' is a constant; give this another name\n"
                    "true = 3\n"
                    "^^^^\n");
    assert_messages("y = pi; pi = 3; y",
                    "<expr>:1:5: error[W0027]: 'pi' is used before it is bound\n"
                    "y = pi; pi = 3; y\n"
                    "    ^^  ~~\n");
    assert_messages("y = 1; z = 2; y",
                    "<expr>:1:8: warning[W0030]: 'z' is never used\n"
                    "y = 1; z = 2; y\n"
                    "       ^\n");
    assert_messages("input a: u8; 3",
                    "<expr>:1:7: warning[W0030]: 'a' is never used\n"
                    "input a: u8; 3\n"
                    "      ^\n");
    assert_messages("y = 1; z = y", "");
}

static void results(void **state)
{
    (void)state;
    assert_messages("",
                    "<expr>:1:1: error[W0041]: the program has no result; end it with an"
                    " expression or 'return'\n"
                    "\n"
                    "^\n");
    assert_messages("input a: u8",
                    "<expr>:1:12: error[W0041]: the program has no result; end it with an"
                    " expression or 'return'\n"
                    "input a: u8\n"
                    "           ^\n");
    assert_messages("# nothing\n",
                    "<expr>:2:1: error[W0041]: the program has no result; end it with an"
                    " expression or 'return'\n"
                    "\n"
                    "^\n");
    assert_messages("return a, a",
                    "<expr>:1:11: error[W0029]: two results are called 'a'\n"
                    "return a, a\n"
                    "       ~  ^\n");
    assert_messages("return a, b, out1 = c, c + 1", "");
    assert_messages("return out0 = a, b, out1 = c", "");
    assert_messages("return a + 1, out0 = b",
                    "<expr>:1:15: error[W0029]: two results are called 'out0'\n"
                    "return a + 1, out0 = b\n"
                    "       ~~~~~  ^^^^\n");
}

static void kernels(void **state)
{
    (void)state;
    assert_messages("kernel k(x: f32) { x + yy }",
                    "<expr>:1:24: error[W0028]: 'yy' is neither a parameter nor bound before\n"
                    "kernel k(x: f32) { x + yy }\n"
                    "                       ^^\n");
    assert_messages("kernel k(x: f32, y: f32) { x }",
                    "<expr>:1:18: error[W0031]: parameter 'y' is never used\n"
                    "kernel k(x: f32, y: f32) { x }\n"
                    "                 ^\n");
    assert_messages("kernel k(gain: f32) { gian * 2 }",
                    "<expr>:1:23: error[W0028]: 'gian' is neither a parameter nor bound"
                    " before; did you mean 'gain'?\n"
                    "kernel k(gain: f32) { gian * 2 }\n"
                    "                      ^^^^\n");
    assert_messages("kernel k(x: f32) -> u8, u8 { x }",
                    "<expr>:1:18: error[W0032]: the kernel declares 2 result types but returns"
                    " 1 results\n"
                    "kernel k(x: f32) -> u8, u8 { x }\n"
                    "                 ^^^^^^^^^\n");
    assert_messages("kernel k(x: f32) { x }\nkernel k(x: f32) { x }",
                    "<expr>:2:8: error[W0026]: 'k' is bound already; give this one another"
                    " name\n"
                    "kernel k(x: f32) { x }\n"
                    "       ^\n");
    assert_messages("kernel k(x: f32) { x }\ny = 3",
                    "<expr>:2:1: error[W0003]: found 'y', expected another kernel or the end"
                    " of the text\n"
                    "y = 3\n"
                    "^\n");
    assert_messages("y = 3\nkernel k(x: f32) { x }",
                    "<expr>:2:1: error[W0009]: a text holds kernels or one plain program, not"
                    " both; a kernel stands by itself\n"
                    "kernel k(x: f32) { x }\n"
                    "^^^^^^\n");
    assert_messages("kernel k(x) { x }",
                    "<expr>:1:11: error[W0003]: found ')', expected ':' and a type\n"
                    "kernel k(x) { x }\n"
                    "          ^\n");
    assert_messages("kernel k { 3 }",
                    "<expr>:1:10: error[W0003]: found '{', expected '(' and the kernel's"
                    " parameters\n"
                    "kernel k { 3 }\n"
                    "         ^\n");
    assert_messages("kernel k(x: f32) { input y: f32; x }",
                    "<expr>:1:20: error[W0009]: a kernel's inputs are its parameters; declare"
                    " this one between its ( )\n"
                    "kernel k(x: f32) { input y: f32; x }\n"
                    "                   ^^^^^\n");
    assert_messages("kernel k(x: f32) { y = z; w = z; y + w + x }",
                    "<expr>:1:24: error[W0028]: 'z' is neither a parameter nor bound before\n"
                    "kernel k(x: f32) { y = z; w = z; y + w + x }\n"
                    "                       ^\n");
    assert_messages("kernel k(x: f32, x: f32) { x }",
                    "<expr>:1:18: error[W0035]: 'x' is declared already\n"
                    "kernel k(x: f32, x: f32) { x }\n"
                    "         ~       ^\n");
    assert_messages("kernel k() {}",
                    "<expr>:1:13: error[W0041]: the program has no result; end it with an"
                    " expression or 'return'\n"
                    "kernel k() {}\n"
                    "            ^\n");
}

static void types(void **state)
{
    (void)state;
    assert_messages("input x: uint9; x",
                    "<expr>:1:10: error[W0021]: there is no type 'uint9'; did you mean"
                    " 'uint8'?\n"
                    "input x: uint9; x\n"
                    "         ^^^^^\n");
    assert_messages("input x: f16; input y: bfloat16[2]; x + y", "");
    assert_messages("input x: bf61; x",
                    "<expr>:1:10: error[W0021]: there is no type 'bf61'; did you mean 'bf16'?\n"
                    "input x: bf61; x\n"
                    "         ^^^^\n");
    assert_messages("input x: uint8[]; x", "");
    assert_messages("input x: uint8[-1]; x",
                    "<expr>:1:16: error[W0003]: found '-', expected an extent: an integer, a"
                    " name or '?'\n"
                    "input x: uint8[-1]; x\n"
                    "               ^\n");
    assert_messages("input x: uint8[2.5]; x",
                    "<expr>:1:16: error[W0003]: found '2.5', expected an extent: an integer, a"
                    " name or '?'\n"
                    "input x: uint8[2.5]; x\n"
                    "               ^^^\n");
    assert_messages("input x: uint8[3]@HWC; x",
                    "<expr>:1:19: error[W0033]: the layout has 3 letters, the type 1 dimension\n"
                    "input x: uint8[3]@HWC; x\n"
                    "                  ^^^\n");
    assert_messages("input x: uint8[2]@H2; x",
                    "<expr>:1:19: error[W0033]: a layout has one letter for each dimension, as"
                    " HWC\n"
                    "input x: uint8[2]@H2; x\n"
                    "                  ^^\n");
    assert_messages("input x: float32(b:b, x:s); x", "");
    assert_messages("input x: float32(b:b, x:s)@HW; x",
                    "<expr>:1:27: error[W0033]: a type with named dimensions has no layout; their names say more\n"
                    "input x: float32(b:b, x:s)@HW; x\n"
                    "                          ^\n");
    assert_messages("input x; x",
                    "<expr>:1:8: error[W0003]: found ';', expected ':' and a type\n"
                    "input x; x\n"
                    "       ^\n");
    assert_messages("input x: 3; x",
                    "<expr>:1:10: error[W0003]: found '3', expected a type, as uint8 or"
                    " float32\n"
                    "input x: 3; x\n"
                    "         ^\n");
    assert_messages("input x: u8[99999999999999999999]; x",
                    "<expr>:1:13: error[W0033]: this extent does not fit int64\n"
                    "input x: u8[99999999999999999999]; x\n"
                    "            ^^^^^^^^^^^^^^^^^^^^\n");
    assert_messages("input x:"
                    " u8[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]; x",
                    "<expr>:1:77: error[W0008]: more than 32 dimensions\n"
                    "input x:"
                    " u8[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]; x\n"
                    "                                                                            ^\n");
    assert_messages("input x: u8 y",
                    "<expr>:1:13: error[W0003]: found 'y', expected the end of the statement\n"
                    "input x: u8 y\n"
                    "            ^\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),
        cmocka_unit_test(arguments),
        cmocka_unit_test(names),
        cmocka_unit_test(results),
        cmocka_unit_test(kernels),
        cmocka_unit_test(types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
