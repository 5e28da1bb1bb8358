/* Debian's libtcc.a is made for executables: it reaches stdout and stderr in a way that a shared object
 * can only link when they are its own. And it prints and exits where it runs out of memory. So the
 * module has its own of these, unseen outside. No header: theirs declare the real ones. */
#define HIDDEN __attribute__((visibility("hidden")))

struct _IO_FILE;
HIDDEN struct _IO_FILE *stdout, *stderr;
HIDDEN char **environ;

_Noreturn void first_escape(void); /* first_module.c */

HIDDEN _Noreturn void exit(int status)
{
    (void)status;
    first_escape();
}

HIDDEN int fflush(struct _IO_FILE *file)
{
    (void)file;
    return 0;
}

HIDDEN int fprintf(struct _IO_FILE *file, const char *format, ...)
{
    (void)file, (void)format;
    return 0;
}

HIDDEN int __fprintf_chk(struct _IO_FILE *file, int flag, const char *format, ...)
{
    (void)file, (void)flag, (void)format;
    return 0;
}

HIDDEN int printf(const char *format, ...)
{
    (void)format;
    return 0;
}

HIDDEN int __printf_chk(int flag, const char *format, ...)
{
    (void)flag, (void)format;
    return 0;
}
