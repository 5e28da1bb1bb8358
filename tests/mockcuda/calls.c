/* What every function of the fake driver goes through: the lock, counting, failing, tracing; the
 * list of all objects; and the report when the process ends.
 *
 *   MOCKCUDA_FAIL       n: the n-th call of the process fails, with MOCKCUDA_FAIL_CODE (999)
 *   MOCKCUDA_COUNT      a file that gets the number of calls when the process ends
 *   MOCKCUDA_TRACE      lists calls on stderr
 *   MOCKCUDA_SEED       work is carried out at random points too; 0 (as when not set): as late as
 *                       can be
 *
 * What was not given back, work that was never waited for, and contexts that were pushed and not
 * popped make the process exit with 97. Wrong use of the driver aborts. */
#define _GNU_SOURCE
#include "mock.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern long mock_pushes; /* devices.c */

struct callback {
    void (*call)(void *);
    void *user;
    struct callback *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pid_t process; /* that called first; 0: nobody yet */
static long calls, fail_number, total;
static int fail_code;
static bool paused;
static const char *failed; /* the call that was made to fail */
static unsigned long long state;
static bool seeded;
static struct callback *callbacks;
static struct mock_object *objects;
static _Thread_local const char *current;
static _Thread_local bool inside;

/* ---- settings ---- */

long long mock_setting(const char *name, long long otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtoll(value, NULL, 0) : otherwise;
}

void mockcuda_seed(unsigned seed)
{
    seeded = seed != 0;
    state = seed * 0x9e3779b97f4a7c15ull + 1;
}

__attribute__((constructor)) static void read_settings(void)
{
    fail_number = (long)mock_setting("MOCKCUDA_FAIL", 0);
    fail_code = (int)mock_setting("MOCKCUDA_FAIL_CODE", 999);
    mockcuda_seed((unsigned)mock_setting("MOCKCUDA_SEED", 0));
    mock_set_memory((unsigned long long)mock_setting("MOCKCUDA_MEMORY", 4ll << 30));
}

bool mock_seeded(void)
{
    return seeded;
}

unsigned mock_random(unsigned bound)
{
    if (!seeded)
        return 0;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 32) % bound;
}

void mockcuda_fail_at(long number, int code)
{
    calls = 0;
    failed = NULL;
    fail_number = number;
    fail_code = code;
}

long mockcuda_calls(void)
{
    return calls;
}

void mockcuda_pause(int pause)
{
    paused = pause;
}

const char *mockcuda_failed(void)
{
    return failed;
}

void mockcuda_memory(unsigned long long bytes)
{
    mock_set_memory(bytes);
}

void mock_wrong(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "mockcuda: %s: ", current ? current : "exit");
    vfprintf(stderr, format, list);
    fprintf(stderr, failed ? " (after %s was made to fail)\n" : "\n", failed);
    va_end(list);
    abort();
}

const char *mock_call_name(void)
{
    return current;
}

/* ---- calls ---- */

/* What leaves a context of no use. */
static bool loses_context(int code)
{
    return code == 700 || code == 710 || (code >= 714 && code <= 719);
}

static int fail(struct CUctx_st *context)
{
    failed = current;
    if (context && loses_context(fail_code))
        context->lost = fail_code;
    return fail_code;
}

int mock_enter(const char *name)
{
    if (inside)
        mock_wrong("%s called from a host function", name);
    current = name;
    pthread_mutex_lock(&mutex);
    process = process ? process : getpid();
    if (getpid() != process)
        return NOT_INITIALIZED;
    total++;
    if (getenv("MOCKCUDA_TRACE"))
        fprintf(stderr, "mockcuda: %ld: %s\n", total, name);
    struct CUctx_st *context = mock_context_or_null();
    if (!paused && ++calls == fail_number)
        return fail(context);
    if (context && context->lost)
        return context->lost;
    mock_progress();
    return SUCCESS;
}

/* Those of graphs that are gone: on this thread, as nothing says on which. */
static void call_back(void)
{
    while (callbacks) {
        struct callback *callback = callbacks;
        callbacks = callback->next;
        pthread_mutex_unlock(&mutex);
        mock_inside(true);
        callback->call(callback->user);
        mock_inside(false);
        free(callback);
        pthread_mutex_lock(&mutex);
    }
}

int mock_leave(int result)
{
    mock_close_all();
    call_back();
    current = NULL;
    pthread_mutex_unlock(&mutex);
    return result;
}

void mock_call_back(void (*call)(void *), void *user)
{
    struct callback *callback = malloc(sizeof *callback);
    *callback = (struct callback){call, user, callbacks};
    callbacks = callback;
}

void mock_inside(bool is)
{
    inside = is;
}

/* ---- objects ---- */

static const char *const names[KINDS] = {"context", "memory", "module",           "stream",
                                         "event",   "graph",  "executable graph", "user object",
                                         "pool"};

void *mock_new(enum mock_kind kind, size_t size, struct CUctx_st *context)
{
    struct mock_object *object = calloc(1, size);
    if (!object)
        mock_wrong("out of the host's memory");
    *object = (struct mock_object){.magic = 0x6d6f636bu + (unsigned)kind,
                                   .kind = kind,
                                   .counts = true,
                                   .context = context,
                                   .made_by = current,
                                   .number = total,
                                   .next = objects};
    return objects = object;
}

void *mock_valid(const void *handle, enum mock_kind kind)
{
    const struct mock_object *object = handle;
    if (!object)
        mock_wrong("no %s: NULL", names[kind]);
    if ((uintptr_t)object % _Alignof(struct mock_object) ||
        object->magic != 0x6d6f636bu + (unsigned)kind)
        mock_wrong("%p is no %s", handle, names[kind]);
    if (object->dead)
        mock_wrong("the %s %p, made by %s (call %ld), was given back", names[kind], handle,
                   object->made_by, object->number);
    return (void *)object;
}

void mock_dead(void *handle)
{
    struct mock_object *object = handle;
    object->dead = true;
}

struct mock_object *mock_objects(void)
{
    return objects;
}

int mock_count_live(const struct CUctx_st *context, bool tell)
{
    int count = 0;
    for (const struct mock_object *object = objects; object; object = object->next) {
        if (object->dead || !object->counts || (context && object->context != context) ||
            (object->context && object->context->lost))
            continue;
        count++;
        if (tell)
            fprintf(stderr, "mockcuda: not released: %s, made by %s (call %ld)\n",
                    names[object->kind], object->made_by, object->number);
    }
    return count;
}

int mockcuda_live(int tell)
{
    pthread_mutex_lock(&mutex);
    int count = mock_count_live(NULL, tell);
    pthread_mutex_unlock(&mutex);
    return count;
}

int mockcuda_pending(void)
{
    pthread_mutex_lock(&mutex);
    int count = mock_pending(NULL, NULL);
    pthread_mutex_unlock(&mutex);
    return count;
}

/* ---- the end ---- */

static void write_count(void)
{
    const char *path = getenv("MOCKCUDA_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", total);
    fclose(file);
}

__attribute__((destructor)) static void at_exit(void)
{
    if (getpid() != process)
        return;
    write_count();
    int problems = mock_count_live(NULL, true), pending = mock_pending(NULL, NULL);
    if (pending)
        fprintf(stderr, "mockcuda: nobody waited for %d pieces of work\n", pending);
    if (mock_pushes)
        fprintf(stderr, "mockcuda: contexts pushed and not popped: %ld\n", mock_pushes);
    if (problems || pending || mock_pushes) {
        fflush(NULL);
        _exit(97);
    }
}
