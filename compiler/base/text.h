/* Letters and words of ASCII, whatever the locale. */
#ifndef WEFT_COMPILER_BASE_TEXT_H
#define WEFT_COMPILER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether an identifier of C may begin with the character. */
static inline bool begins_name(char c)
{
    return is_letter(c) || c == '_';
}

static inline char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether `length` bytes of a text are this word. */
static inline bool text_is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

#endif
