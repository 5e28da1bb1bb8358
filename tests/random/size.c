/* See size.h. */
#include "tests/random/size.h"

#include <stdio.h>
#include <string.h>

static const int8_t first = 3;
static const int64_t second = -2, number = 5;
static const uint16_t third = 7;

const struct size_input size_inputs[SIZE_INPUTS] = {
    {"size_a", "int8", &first},
    {"size_b", "int64", &second},
    {"size_c", "uint16", &third},
    {"size_k", "number", &number}};

int size_is_used(const char *text, int input)
{
    return strstr(text, size_inputs[input].name) != NULL;
}

static long long floored(long long a, long long b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int size_print(char *text, size_t size, int64_t value, unsigned manner)
{
    const long long v = value;
    switch ((manner * 2654435761u >> 20) % 32) {
    case 0: return snprintf(text, size, "size_a + %lld", v - first);
    case 1: return snprintf(text, size, "%lld - size_b", v + second);
    case 2: return snprintf(text, size, "size_c * 2 + (%lld)", v - 2 * third);
    case 3: return snprintf(text, size, "%lld + size_k", v - number);
    case 4: return snprintf(text, size, "%lld + size_b // 3", v - floored(second, 3));
    case 5: return snprintf(text, size, "%lld + size_k %% size_b", v - (number - second * floored(number, second)));
    case 6: return snprintf(text, size, "-(size_a * size_b) + %lld", v + first * second);
    case 7: return snprintf(text, size, "%lld - extent([4, 5], 0)", v + 2);
    default: return snprintf(text, size, "%lld", v);
    }
}
