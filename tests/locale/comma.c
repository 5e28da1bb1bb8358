/* Preloaded into a process, sets its locale as a graphical host does: from then on the C library
 * prints and reads numbers with whatever decimal mark the environment asks for. Says so on stderr
 * when told to check (LOCALE_CHECK) and the mark is no comma. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_locale(void)
{
    setlocale(LC_ALL, "");
    if (getenv("LOCALE_CHECK") && *localeconv()->decimal_point != ',')
        fputs("the decimal mark is no comma\n", stderr);
}
