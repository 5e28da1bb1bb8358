/* See outputs.h: standard output. */
#include "cli/outputs/outputs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { STDOUT_BUFFER = 1 << 18 };

/* The errno of the first failed write to standard output; the stream only records that there was one. */
static int stdout_error;

void output_init(void)
{
    static char buffer[STDOUT_BUFFER]; /* glibc ignores the size if there is no buffer */
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

void output_puts(const char *text)
{
    errno = 0;
    if (fputs(text, stdout) == EOF && !stdout_error)
        stdout_error = errno;
}

bool output_flush(struct report *report)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    int error = stdout_error ? stdout_error : errno;
    if (error != EPIPE)
        REPORT_FILE(report, "<stdout>", FILE_ERROR, "write it",
                    error ? strerror(error) : "a write failed");
    return false;
}
