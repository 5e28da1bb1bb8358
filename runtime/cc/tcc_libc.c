/* What libtcc.a takes for the C library, unseen outside the module.
 *
 * Debian's archive is made for executables: it reaches stdout and its like in a way that a shared object
 * can only link when they are its own. And libtcc prints, exits and, while it cleans up, crashes where
 * memory runs out. So its memory is one region, reserved before a compilation and given back after it;
 * printing does nothing, and exit ends the compilation. No header: theirs declare the real ones. */
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))

struct _IO_FILE;
HIDDEN struct _IO_FILE *stdout, *stderr;
HIDDEN char **environ;

/* tcc_module.c */
_Noreturn void first_escape(void);
void *first_allocate(size_t size);
void *first_reallocate(void *memory, size_t size);

HIDDEN void *malloc(size_t size)
{
    return first_allocate(size);
}

HIDDEN void *calloc(size_t count, size_t size)
{
    return first_allocate(count * size); /* a region is fresh, and gives nothing out twice */
}

HIDDEN void *realloc(void *memory, size_t size)
{
    return first_reallocate(memory, size);
}

HIDDEN void free(void *memory)
{
    (void)memory;
}

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
