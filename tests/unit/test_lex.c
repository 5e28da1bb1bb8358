/* Tokens: numbers exactly, operators cut by the table, newlines, comments, any bytes. */
#include "tests/unit/front.h"

#include "compiler/lang/lex.h"

#include <locale.h>
#include <math.h>

/* The kinds and texts of all tokens, as "NAME:x OPERATOR:+ END". */
static const char *kinds(struct front *front, const char *text, size_t length)
{
    static const char *const names[] = {
#define TOKEN(id, text) #id,
#include "grammar/tokens.def"
    };
    struct lexer lexer;
    front_init(front, text, length);
    struct buf buf = buf_new(&front->arena);
    lex_init(&lexer, &front->arena, &front->source);
    for (;;) {
        struct token token = lex_next(&lexer);
        buf_puts(&buf, names[token.kind]);
        if (token.kind == TOKEN_END)
            return buf.text;
        if (token.kind != TOKEN_NEWLINE)
            buf_printf(&buf, ":%.*s", (int)(token.span.end - token.span.start),
                       text + token.span.start);
        buf_putc(&buf, ' ');
    }
}

static void assert_kinds(const char *text, const char *expected)
{
    struct front front;
    assert_string_equal(kinds(&front, text, strlen(text)), expected);
    front_finish(&front);
}

static void names_and_words(void **state)
{
    (void)state;
    assert_kinds("x _y1 input kernel If", "NAME:x NAME:_y1 NAME:input NAME:kernel NAME:If END");
    assert_kinds("if else return", "IF:if ELSE:else RETURN:return END");
    assert_kinds("and or not", "OPERATOR:and OPERATOR:or OPERATOR:not END");
    assert_kinds("where min true", "NAME:where NAME:min NAME:true END");
}

static void operators_are_cut_longest_first(void **state)
{
    (void)state;
    assert_kinds("a**-b", "NAME:a OPERATOR:** OPERATOR:- NAME:b END");
    assert_kinds("a***b", "NAME:a OPERATOR:** OPERATOR:* NAME:b END");
    assert_kinds("a//b/c", "NAME:a OPERATOR:// NAME:b OPERATOR:/ NAME:c END");
    assert_kinds("a<<b<=c<d", "NAME:a OPERATOR:<< NAME:b OPERATOR:<= NAME:c OPERATOR:< NAME:d END");
    assert_kinds("a==b=c", "NAME:a OPERATOR:== NAME:b ASSIGN:= NAME:c END");
    assert_kinds("->:@?.,{}",
                 "ARROW:-> COLON:: AT:@ QUESTION:? DOT:. COMMA:, LBRACE:{ RBRACE:} END");
    assert_kinds("!$`\\", "OTHER:! OTHER:$ OTHER:` OTHER:\\ END");
}

/* Every operator of the table is one token that means its row. */
static void every_operator_row_is_a_token(void **state)
{
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        enum op_form form = op_rows[op].form;
        if (form == FORM_CALL || form == FORM_FOLD || form == FORM_INTERNAL || form == FORM_TERNARY)
            continue;
        struct front front;
        struct lexer lexer;
        size_t length;
        const char *spelling = word_at(op_rows[op].spellings, 0, &length);
        front_init(&front, spelling, length);
        lex_init(&lexer, &front.arena, &front.source);
        struct token token = lex_next(&lexer);
        assert_int_equal(token.kind, TOKEN_OPERATOR);
        assert_int_equal(token.span.end, length);
        assert_int_equal(form == FORM_PREFIX ? token.prefix : token.infix, op);
        front_finish(&front);
    }
}

static void lines(void **state)
{
    (void)state;
    assert_kinds("a\nb;c\r\n", "NAME:a NEWLINE NAME:b NEWLINE NAME:c NEWLINE END");
    assert_kinds("(a\n[b\n]\n)\nc",
                 "LPAREN:( NAME:a LBRACKET:[ NAME:b RBRACKET:] RPAREN:) NEWLINE NAME:c END");
    assert_kinds("{a\nb}", "LBRACE:{ NAME:a NEWLINE NAME:b RBRACE:} END");
    assert_kinds(")\na", "RPAREN:) NEWLINE NAME:a END");
    assert_kinds("a # b\xff\n# c\nd #", "NAME:a NEWLINE NEWLINE NAME:d END");
}

static void strings(void **state)
{
    (void)state;
    assert_kinds("'a\"b' \"c'd\" ''", "STRING:'a\"b' STRING:\"c'd\" STRING:'' END");
    assert_kinds("'abc", "BAD:'abc END");
    assert_kinds("'a\nb", "BAD:'a NEWLINE NAME:b END");
    assert_kinds("'\xc3\xa9'", "BAD:\xc3 BAD:\xa9 BAD:' END");
}

static void any_bytes(void **state)
{
    (void)state;
    struct front front;
    const char text[] = "a\0b # \0 c\n\x80\f";
    assert_string_equal(kinds(&front, text, sizeof text - 1),
                        "NAME:a BAD: NAME:b NEWLINE BAD:\x80 BAD:\f END");
    front_finish(&front);
    for (int byte = 0; byte < 256; byte++) {
        char one = (char)byte;
        kinds(&front, &one, 1);
        front_finish(&front);
    }
}

static struct token first(struct front *front, const char *text)
{
    struct lexer lexer;
    front_init(front, text, strlen(text));
    lex_init(&lexer, &front->arena, &front->source);
    return lex_next(&lexer);
}

static void assert_integer(const char *text, __int128 value)
{
    struct front front;
    struct token token = first(&front, text);
    assert_int_equal(token.kind, TOKEN_NUMBER);
    assert_int_equal(token.literal.kind, LITERAL_INTEGER);
    assert_true(token.literal.integer == value);
    assert_int_equal(token.span.end, strlen(text));
    front_finish(&front);
}

static void integers(void **state)
{
    (void)state;
    assert_integer("0", 0);
    assert_integer("000", 0);
    assert_integer("1_000_000", 1000000);
    assert_integer("0x1F", 31);
    assert_integer("0xffff_ffff_ffff_ffff", (__int128)UINT64_MAX);
    assert_integer("0b101", 5);
    assert_integer("18446744073709551616", (__int128)UINT64_MAX + 1);
    const __int128 most = (__int128)(~(unsigned __int128)0 >> 1);
    assert_integer("170141183460469231731687303715884105727", most);
    assert_integer("0x7fffffffffffffffffffffffffffffff", most);
}

static void assert_real(const char *text, double value)
{
    struct front front;
    struct token token = first(&front, text);
    assert_int_equal(token.kind, TOKEN_NUMBER);
    assert_int_equal(token.literal.kind, LITERAL_REAL);
    assert_memory_equal(&token.literal.real, &value, sizeof value);
    assert_int_equal(token.span.end, strlen(text));
    front_finish(&front);
}

static void reals(void **state)
{
    (void)state;
    assert_real("1.", 1.0);
    assert_real(".5", 0.5);
    assert_real("1e-3", 1e-3);
    assert_real("1E+3", 1e3);
    assert_real("1_0.2_5e1_0", 10.25e10);
    assert_real("010.5", 10.5);
    assert_real("0x1p-3", 0.125);
    assert_real("0x1.8p1", 3.0);
    assert_real("0x.8P0", 0.5);
    assert_real("1.7976931348623157e308", 1.7976931348623157e308);
    assert_real("4.9e-324", 4.9e-324);
    assert_real("1e-400", 0.0);
    assert_real("9007199254740993.0", 9007199254740992.0);
}

/* Where a comma is the decimal mark numbers read the same. */
static void reals_in_any_locale(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    bool set = false;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !set; i++)
        set = setlocale(LC_ALL, locales[i]) != NULL;
    reals(state);
    setlocale(LC_ALL, "C");
}

static void assert_wrong(const char *text, const char *message)
{
    struct front front;
    struct token token = first(&front, text);
    assert_int_equal(token.kind, TOKEN_BAD);
    assert_int_equal(token.bad, DIAG_BAD_NUMBER);
    assert_string_equal(token.message, message);
    front_finish(&front);
}

static void wrong_numbers(void **state)
{
    (void)state;
    const char *underscore = "'_' stands between two digits only";
    const char *wide = "this integer does not fit 128 bits; write a real, as 1e40";
    assert_wrong("010", "a decimal number has no leading zeros");
    assert_wrong("1__0", underscore);
    assert_wrong("1_", underscore);
    assert_wrong("0x_1", underscore);
    assert_wrong("0x1_", underscore);
    assert_wrong("1_.5", underscore);
    assert_wrong("0x", "digits are missing after 0x");
    assert_wrong("0b", "digits are missing after 0b");
    assert_wrong("0b12", "a binary number has the digits 0 and 1 only");
    assert_wrong("0xfg", "a hexadecimal number has the digits 0-9 and a-f only");
    assert_wrong("0x1.8", "a hexadecimal real needs an exponent, as in 0x1.8p0");
    assert_wrong("0x1p", "this hexadecimal real is incomplete; write it as 0x1.8p-3");
    assert_wrong("0o17", "there are no octal numbers; write it in hexadecimal, as 0x1ff");
    assert_wrong("1e", "digits are missing after the exponent's e");
    assert_wrong("1e+", "digits are missing after the exponent's e");
    assert_wrong("1.2.3", "a number has at most one point");
    assert_wrong("1..2", "a number has at most one point");
    assert_wrong("2j", "complex numbers are not supported yet");
    assert_wrong("1.5f", "a number has no suffix; write its type as float32(1.5)");
    assert_wrong("2x", "a number and a name touch; write an operator between them, as 2 * x");
    assert_wrong("1e309", "this number is too large for float64; write inf if that is meant");
    assert_wrong("0x1p1024", "this number is too large for float64; write inf if that is meant");
    assert_wrong("170141183460469231731687303715884105728", wide);
    assert_wrong("0x80000000000000000000000000000000", wide);
}

static void long_names(void **state)
{
    (void)state;
    char text[MAX_NAME + 2];
    struct front front;
    memset(text, 'a', sizeof text);
    text[MAX_NAME] = '\0';
    assert_int_equal(first(&front, text).kind, TOKEN_NAME);
    front_finish(&front);
    text[MAX_NAME] = 'a';
    text[MAX_NAME + 1] = '\0';
    assert_int_equal(first(&front, text).kind, TOKEN_BAD);
    front_finish(&front);
}

static void tokens_print(void **state)
{
    (void)state;
    struct front front;
    const char *text = "y = x*0x10\n.5";
    front_init(&front, text, strlen(text));
    struct buf buf = buf_new(&front.arena);
    assert_true(dump_tokens(&buf, &front.source, &front.diags));
    assert_string_equal(buf.text, "1:1        NAME      y\n"
                                  "1:3        ASSIGN    =\n"
                                  "1:5        NAME      x\n"
                                  "1:6        OPERATOR  *\n"
                                  "1:7-10     NUMBER    0x10  integer 16\n"
                                  "1:11       NEWLINE\n"
                                  "2:1-2      NUMBER    .5  real 0.5\n"
                                  "2:3        END\n");
    front_finish(&front);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_words),
        cmocka_unit_test(operators_are_cut_longest_first),
        cmocka_unit_test(every_operator_row_is_a_token),
        cmocka_unit_test(lines),
        cmocka_unit_test(strings),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(integers),
        cmocka_unit_test(reals),
        cmocka_unit_test(reals_in_any_locale),
        cmocka_unit_test(wrong_numbers),
        cmocka_unit_test(long_names),
        cmocka_unit_test(tokens_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
