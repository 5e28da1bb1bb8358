/* The module around libtcc, which compiles a kernel's text to code in memory in about a
 * millisecond. It reads no file: kernels include no header, and the functions that tcc's code
 * calls are given here. */
#include "runtime/cc/tcc_module.h"

#include <libtcc.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* libtcc keeps its state in globals, so compilations take turns. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static locale_t c_locale;          /* tcc reads numbers with strtod, which depends on it */
static jmp_buf escape;
static bool broken;                /* libtcc tried to exit, so the state of its globals is unknown */

/* Called by tcc_libc.c. */
_Noreturn void first_escape(void);
void *first_allocate(size_t size);
void *first_reallocate(void *memory, size_t size);

_Noreturn void first_escape(void)
{
    longjmp(escape, 1);
}

/* ---- memory for libtcc ---- */

/* Measured: 1.7 MB, and 6 bytes for each byte of text. Pages that are never touched cost nothing. */
enum { REGION = 8 << 20, REGION_PER_BYTE = 128, ALIGNMENT = 16 };

static char *region, *region_next, *region_end;

static bool region_open(size_t length)
{
    size_t size = REGION + REGION_PER_BYTE * length;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    region = region_next = memory;
    region_end = region + size;
    return true;
}

static void region_close(void)
{
    munmap(region, (size_t)(region_end - region));
}

/* The size of a block is stored in front of it. */
void *first_allocate(size_t size)
{
    size_t whole = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    if (whole < size || whole > (size_t)(region_end - region_next))
        first_escape();
    char *block = region_next + ALIGNMENT;
    memcpy(region_next, &size, sizeof size);
    region_next += whole;
    return block;
}

void *first_reallocate(void *memory, size_t size)
{
    size_t before = 0;
    if (memory)
        memcpy(&before, (char *)memory - ALIGNMENT, sizeof before);
    if (size <= before)
        return memory;
    void *grown = first_allocate(size);
    if (memory)
        memcpy(grown, memory, before);
    return grown;
}

/* Also called around forks: a child must not inherit the mutex while another thread holds it. */
static void lock(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void initialize(void)
{
    pthread_atfork(lock, unlock, unlock);
}

/* ---- functions that tcc's code calls ---- */

static float floatundisf(uint64_t x)
{
    return (float)x;
}

static double floatundidf(uint64_t x)
{
    return (double)x;
}

static uint64_t fixunssfdi(float x)
{
    return (uint64_t)x;
}

static uint64_t fixunsdfdi(double x)
{
    return (uint64_t)x;
}

static const struct first_symbol support[] = {
    {"__floatundisf", (void *)floatundisf}, {"__floatundidf", (void *)floatundidf},
    {"__fixunssfdi", (void *)fixunssfdi},   {"__fixunsdfdi", (void *)fixunsdfdi},
    {"memcpy", (void *)memcpy},             {"memmove", (void *)memmove},
    {"memset", (void *)memset},
};

/* ---- compiling ---- */

struct log {
    char *text;
    size_t size;
};

static void note(void *log_, const char *message)
{
    struct log *log = log_;
    if (log->size && !*log->text)
        snprintf(log->text, log->size, "%s", message);
}

static bool add_symbols(TCCState *tcc, const struct first_symbol *symbols, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good = tcc_add_symbol(tcc, symbols[i].name, symbols[i].address) == 0 && good;
    return good;
}

static void release(struct first_code *code)
{
    if (code->memory)
        munmap(code->memory, code->size);
    *code = (struct first_code){0};
}

/* Maps memory and makes it executable before tcc does, because a machine may refuse that. */
static bool map(struct first_code *code, int size)
{
    code->size = (size_t)size;
    void *memory = mmap(NULL, code->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    code->memory = memory == MAP_FAILED ? NULL : memory;
    return code->memory &&
           mprotect(code->memory, code->size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

static bool load(TCCState *tcc, struct first_code *code, struct log *log)
{
    int size = tcc_relocate(tcc, NULL);
    if (size < 0)
        return false;
    if (!map(code, size)) {
        note(log, "the machine refuses memory for code");
        return false;
    }
    if (tcc_relocate(tcc, code->memory) < 0)
        return false;
    code->entry = tcc_get_symbol(tcc, "weft_kernel");
    return code->entry && mprotect(code->memory, code->size, PROT_READ | PROT_EXEC) == 0;
}

static bool compile_with(TCCState *tcc, const char *text, const struct first_symbol *symbols,
                         size_t count, struct first_code *code, struct log *log)
{
    tcc_set_error_func(tcc, log, note);
    tcc_set_options(tcc, "-nostdlib -nostdinc -w");
    return tcc_set_output_type(tcc, TCC_OUTPUT_MEMORY) == 0 && tcc_compile_string(tcc, text) == 0 &&
           add_symbols(tcc, support, sizeof support / sizeof *support) &&
           add_symbols(tcc, symbols, count) && load(tcc, code, log);
}

/* The mutex must be held. */
static bool guarded(const char *text, const struct first_symbol *symbols, size_t count,
                    struct first_code *code, struct log *log)
{
    if (broken || setjmp(escape)) {
        broken = true;
        note(log, "libtcc gave up once and is not used any more");
        return false;
    }
    TCCState *tcc = tcc_new();
    bool good = tcc && compile_with(tcc, text, symbols, count, code, log);
    if (tcc)
        tcc_delete(tcc);
    return good;
}

static bool compile(const char *text, const struct first_symbol *symbols, size_t count,
                    struct first_code *code, char *log_text, size_t size)
{
    struct log log = {log_text, size};
    if (size)
        *log_text = '\0';
    *code = (struct first_code){0};
    lock();
    if (!c_locale)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    bool good = c_locale != (locale_t)0;
    if (good) {
        locale_t before = uselocale(c_locale);
        good = region_open(strlen(text));
        if (good) {
            good = guarded(text, symbols, count, code, &log);
            region_close();
        }
        uselocale(before);
    }
    unlock();
    if (!good)
        release(code);
    return good;
}

extern const struct first_module weft_first;
const struct first_module weft_first = {FIRST_VERSION, compile, release};
