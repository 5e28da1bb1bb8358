/* Reads numbers as the language spells them, for the lexer. Integers are exact. Reals are rounded once, by
 * strtod in the C locale, so that no setting of the process changes the meaning of a program. */
#include "compiler/lang/lex.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined __APPLE__
#include <xlocale.h>
#endif

static int digit_value(char c)
{
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

static const char *read_integer(const char *text, size_t length, int base, struct literal *literal)
{
    const unsigned __int128 most = ~(unsigned __int128)0 >> 1;
    unsigned __int128 value = 0;
    for (size_t i = base == 10 ? 0 : 2; i < length; i++) {
        if (text[i] == '_')
            continue;
        unsigned digit = (unsigned)digit_value(text[i]);
        if (value > (most - digit) / (unsigned)base)
            return "this integer does not fit 128 bits; write a real, as 1e40";
        value = value * (unsigned)base + digit;
    }
    *literal = (struct literal){LITERAL_INTEGER, (__int128)value, 0};
    return NULL;
}

/* strtod in the C locale; keeps errno. NaN when memory runs out. */
static double read_double(const char *text)
{
    int before = errno;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c_locale ? strtod_l(text, NULL, c_locale) : NAN;
    if (c_locale)
        freelocale(c_locale);
    errno = before;
    return value;
}

static const char *read_real(struct arena *arena, const char *text, size_t length,
                             struct literal *literal)
{
    char *plain = arena_alloc(arena, length + 1);
    size_t used = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] != '_')
            plain[used++] = text[i];
    double value = read_double(plain);
    if (isnan(value))
        return "there is no memory to read this number";
    if (isinf(value))
        return "this number is too large for float64; write inf if that is meant";
    *literal = (struct literal){LITERAL_REAL, 0, value};
    return NULL;
}

/* The first position from `at` on whose character is not in `set`. */
static size_t skip(const char *text, size_t at, size_t length, const char *set)
{
    while (at < length && strchr(set, text[at]))
        at++;
    return at;
}

static bool all_in(const char *text, size_t length, const char *set)
{
    return skip(text, 0, length, set) == length;
}

static const char *wrong_prefixed(const char *text, size_t length)
{
    char kind = (char)(text[1] | 32);
    if (length == 2)
        return kind == 'x' ? "digits are missing after 0x" : "digits are missing after 0b";
    if (text[length - 1] == '_' || text[2] == '_' || strstr(text, "__"))
        return "'_' stands between two digits only";
    if (kind == 'b')
        return "a binary number has the digits 0 and 1 only";
    if (memchr(text, 'p', length) || memchr(text, 'P', length))
        return "this hexadecimal real is incomplete; write it as 0x1.8p-3";
    return memchr(text, '.', length) ? "a hexadecimal real needs an exponent, as in 0x1.8p0"
                                     : "a hexadecimal number has the digits 0-9 and a-f only";
}

/* Says what is wrong with a run of digits, letters, points and underscores that is not a number. */
static const char *wrong(struct arena *arena, const char *run, size_t length)
{
    const char *text = arena_string(arena, run, length), *digits = "0123456789_";
    char last = text[length - 1];
    if (length > 1 && text[0] == '0' && strchr("xXbB", text[1]))
        return wrong_prefixed(text, length);
    if (length > 1 && text[0] == '0' && strchr("oO", text[1]))
        return "there are no octal numbers; write it in hexadecimal, as 0x1ff";
    if (last == '_' || strstr(text, "__") || strstr(text, "._") || strstr(text, "_."))
        return "'_' stands between two digits only";
    if (all_in(text, length, digits))
        return "a decimal number has no leading zeros";
    size_t end = skip(text, 0, length, "0123456789_.");
    const char *rest = text + end;
    if (*rest == '\0')
        return "a number has at most one point";
    if ((*rest == 'e' || *rest == 'E') && all_in(rest + 1, length - end - 1, digits))
        return "digits are missing after the exponent's e";
    if ((*rest == 'j' || *rest == 'J') && !rest[1])
        return "complex numbers are not supported yet";
    const char *suffix = *rest == 'e' || *rest == 'E' ? rest + 1 + strspn(rest + 1, "+-0123456789_") : rest;
    if (*suffix && strlen(suffix) <= 3 && strspn(suffix, "fFlLuU") == strlen(suffix))
        return "a number has no suffix; write its type as float32(1.5)";
    return arena_printf(arena, "a number and a name touch; write an operator between them, as "
                        "%.*s * %.60s", end < 60 ? (int)end : 60, text, rest);
}

const char *number_read(struct arena *arena, enum number_form form, const char *text,
                        size_t length, struct literal *literal)
{
    static const int bases[] = {[NUMBER_DECIMAL] = 10, [NUMBER_HEX] = 16, [NUMBER_BINARY] = 2};
    if (form == NUMBER_WRONG)
        return wrong(arena, text, length);
    return form == NUMBER_REAL ? read_real(arena, text, length, literal)
                               : read_integer(text, length, bases[form], literal);
}
