/* What the tests of first kernels share: libtcc's compilations counted, a C compiler that waits for a gate,
 * and a context with a program and its data. */
#ifndef WEFT_FIRST_FIXTURE_H
#define WEFT_FIRST_FIXTURE_H

#include "runtime/plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LENGTH = 300000, POLLS = 10000 };

/* Counted where linked with --wrap=first_compile; 0 when a test begins. */
extern atomic_int compilations;

/* A directory of the test's own, in it `script`, a C compiler that waits until there is a file `gate`, and
 * writes its process number into `begun` before; and a place for its temporary files. "" where libtcc's
 * module is not there. */
extern char directory[64], script[96], gate[96], begun[96];

/* For cmocka, around every test. */
int set_up(void **state);
int tear_down(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Makes `script` another shell script, that still answers --version as cc does. */
void write_script(const char *body);
/* Runs a command with one %s. */
void shell(const char *format, const char *argument);
void open_gate(void);
/* Skip the test without libtcc's module; under valgrind, where a program that is not there seems to start,
 * and memory that may never become executable ends valgrind itself. */
void need_module(void);
void need_real_processor(void);
/* Waits until the compiler has been started; its process number. */
pid_t compiler(void);
/* Neither the compiler nor a file of it is there. */
void assert_clean(pid_t pid);

struct told {
    int count, last;               /* records; the last one's code */
    pthread_t thread;              /* that it came from */
};

struct task {
    struct weft_context *context;
    struct weft_program *program;
    struct told told;
    float *x, *out;                /* LENGTH elements each */
};

extern const char *const no_flags[];

/* A log for struct told that changes errno. */
void on_log(void *user, const struct weft_error *record);
/* Without a disk cache. */
void open_job(struct task *job, const char *cc, enum weft_tier tier, const char *text,
              enum weft_math math);
/* weft_prepare with a place for one kernel's info, or weft_run. */
enum weft_status call(struct task *job, bool prepare, struct weft_kernel_info *info);
enum weft_status run(struct task *job);
struct weft_kernel_info prepare(struct task *job);
/* Its kernel. */
struct loaded *loaded(const struct task *job);
void close_job(struct task *job);

#endif
