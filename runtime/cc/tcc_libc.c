/* The part of the C library that libtcc.a uses, hidden inside the module.
 *
 * Debian's archive is made for executables: a shared object can only link its references to stdout
 * and the like if it defines them itself. When memory runs out, libtcc prints, exits, and crashes in
 * its own clean-up. So its memory is one region, which is reserved before a compilation and returned
 * after it. Printing does nothing, and exit ends the compilation. No standard header is included but
 * stddef.h, because they declare the real functions. */
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))

struct _IO_FILE;
HIDDEN struct _IO_FILE *stdout, *stderr;
HIDDEN char **environ;

/* Defined in tcc_module.c. */
_Noreturn void first_escape(void);
void *first_allocate(size_t size);
void *first_reallocate(void *memory, size_t size);

HIDDEN void *malloc(size_t size)
{
    return first_allocate(size);
}

HIDDEN void *calloc(size_t count, size_t size)
{
    return first_allocate(count * size); /* already zero: a region is fresh, and free reuses nothing */
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
