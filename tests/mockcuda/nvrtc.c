/* A fake libnvrtc: its functions, by the signatures of the toolkit's nvrtc.h, with gcc as the
 * compiler. A "cubin" is a shared object that the fake driver of this directory loads.
 *
 *   MOCKCUDA_NVRTC          fail: refuses every text; memory: runs out of it; builtins: lacks its
 *                           second library; internal: fails without a word; log: compiles, and
 *                           warns; create: makes no program; version: does not say its version;
 *                           old: knows none of the options that came late
 *   MOCKCUDA_NVRTC_FAIL     n: the n-th call of the process fails, with MOCKCUDA_NVRTC_CODE (11)
 *   MOCKCUDA_NVRTC_VERSION  12.4; else 13.0
 *   MOCKCUDA_NVRTC_ARCHS    75,80
 *
 * What is not destroyed when the process ends makes it exit with 97. mocknvrtc_fail_at and
 * mocknvrtc_calls are for tests that fail calls in turn. */
#define _GNU_SOURCE
#include "nvrtc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct nvrtc_program {
    uint32_t magic;
    char *text, *name, *log, *ptx;
    struct nvrtc_bytes cubin;
};

enum { PROGRAM = 0x6e767274 };

static atomic_long calls, fail_number = -1, programs;
static atomic_int fail_code;

static bool mode_is(const char *mode)
{
    const char *value = getenv("MOCKCUDA_NVRTC");
    return value && strcmp(value, mode) == 0;
}

void mocknvrtc_fail_at(long number, int code)
{
    calls = 0;
    fail_number = number;
    fail_code = code;
}

long mocknvrtc_calls(void)
{
    return calls;
}

static void read_failure(void)
{
    const char *number = getenv("MOCKCUDA_NVRTC_FAIL"), *code = getenv("MOCKCUDA_NVRTC_CODE");
    fail_number = number ? atol(number) : 0;
    fail_code = code ? atoi(code) : NVRTC_INTERNAL_ERROR;
}

/* Counts a call; the result it is to fail with, or 0. */
static int enter(const char *name)
{
    if (fail_number < 0)
        read_failure();
    long number = ++calls;
    if (getenv("MOCKCUDA_TRACE"))
        fprintf(stderr, "mockcuda: nvrtc %ld: %s\n", number, name);
    return number == fail_number ? fail_code : NVRTC_OK;
}

static struct nvrtc_program *valid(struct nvrtc_program *program, const char *name)
{
    if (!program || program->magic != PROGRAM) {
        fprintf(stderr, "mockcuda: %s: no program\n", name);
        abort();
    }
    return program;
}

__attribute__((destructor)) static void at_exit(void)
{
    if (programs == 0)
        return;
    fprintf(stderr, "mockcuda: not released: %ld NVRTC programs\n", (long)programs);
    fflush(NULL);
    _exit(97);
}

/* ---- what it is ---- */

const char *nvrtcGetErrorString(int result)
{
    static const char *const names[] = {"NVRTC_SUCCESS",
                                        "NVRTC_ERROR_OUT_OF_MEMORY",
                                        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT",
                                        "NVRTC_ERROR_INVALID_PROGRAM",
                                        "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION",
                                        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                        "NVRTC_ERROR_INTERNAL_ERROR"};
    return result >= 0 && result <= NVRTC_INTERNAL_ERROR ? names[result] : "NVRTC_ERROR unknown";
}

int nvrtcVersion(int *major, int *minor)
{
    const char *version = getenv("MOCKCUDA_NVRTC_VERSION");
    int result = enter("nvrtcVersion");
    if (result || mode_is("version"))
        return result ? result : NVRTC_INTERNAL_ERROR;
    *major = 13;
    *minor = 0;
    if (version && sscanf(version, "%d.%d", major, minor) != 2)
        return NVRTC_INTERNAL_ERROR;
    return NVRTC_OK;
}

static int list_archs(int *list)
{
    const char *p = getenv("MOCKCUDA_NVRTC_ARCHS");
    int count = 0, used = 0;
    for (p = p ? p : "75,80,86,87,88,89,90,100,103,110,120,121"; count < 32; p += used + 1) {
        if (sscanf(p, "%d%n", &list[count], &used) != 1)
            break;
        count++;
        if (!p[used])
            break;
    }
    return count;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    int list[32], result = enter("nvrtcGetNumSupportedArchs");
    if (!result)
        *count = list_archs(list);
    return result;
}

int nvrtcGetSupportedArchs(int *archs)
{
    int list[32], result = enter("nvrtcGetSupportedArchs");
    if (!result)
        memcpy(archs, list, (size_t)list_archs(list) * sizeof *list);
    return result;
}

/* ---- programs ---- */

int nvrtcCreateProgram(struct nvrtc_program **program, const char *text, const char *name,
                       int header_count, const char *const *headers,
                       const char *const *include_names)
{
    int result = enter("nvrtcCreateProgram");
    (void)headers, (void)include_names;
    if (!result && mode_is("create"))
        result = NVRTC_CREATION_FAILURE;
    if (!result && (!program || !text || header_count))
        result = NVRTC_INVALID_INPUT;
    if (result)
        return result;
    struct nvrtc_program *p = calloc(1, sizeof *p);
    *p = (struct nvrtc_program){PROGRAM,    strdup(text), strdup(name ? name : "default_program"),
                                strdup(""), strdup(""),   {NULL, 0}};
    programs++;
    *program = p;
    return NVRTC_OK;
}

int nvrtcDestroyProgram(struct nvrtc_program **program)
{
    int result = enter("nvrtcDestroyProgram");
    struct nvrtc_program *p = valid(program ? *program : NULL, "nvrtcDestroyProgram");
    free(p->text);
    free(p->name);
    free(p->log);
    free(p->ptx);
    free(p->cubin.data);
    p->magic = 0;
    free(p);
    programs--;
    *program = NULL;
    return result;
}

/* ---- options ---- */

static bool known_arch(int arch)
{
    int list[32], count = list_archs(list);
    for (int i = 0; i < count; i++)
        if (list[i] == arch)
            return true;
    return false;
}

static const char *value_of(const char *option, const char *name)
{
    size_t length = strlen(name);
    return strncmp(option, name, length) == 0 && option[length] == '=' ? option + length + 1 : NULL;
}

static bool read_arch(const char *value, struct nvrtc_options *options)
{
    char rest = '\0';
    options->virtual = strncmp(value, "compute_", 8) == 0;
    int got = sscanf(value, options->virtual ? "compute_%d%c" : "sm_%d%c", &options->arch, &rest);
    return (got == 1 || (got == 2 && (rest == 'a' || rest == 'f'))) && known_arch(options->arch);
}

static bool read_option(const char *option, struct nvrtc_options *options)
{
    static const char *const ignored[] = {
        "-lineinfo",        "--generate-line-info", "-default-device",
        "--ftz=false",      "--prec-div=true",      "--prec-div=false",
        "--prec-sqrt=true", "--prec-sqrt=false",    "--minimal",
        "--no-cache",       "--disable-warnings",   "--modify-stack-limit=false"};
    enum { IGNORED = sizeof ignored / sizeof *ignored, LATE = 4 };
    const char *arch = value_of(option, "--gpu-architecture"),
               *contract = value_of(option, "--fmad");
    arch = arch ? arch : value_of(option, "-arch");
    if (arch)
        return read_arch(arch, options);
    if (contract) {
        options->contract = strcmp(contract, "true") == 0;
        return options->contract || strcmp(contract, "false") == 0;
    }
    for (int i = 0; i < (mode_is("old") ? IGNORED - LATE : IGNORED); i++)
        if (strcmp(option, ignored[i]) == 0)
            return true;
    return strncmp(option, "-std=", 5) == 0 || strncmp(option, "--std=", 6) == 0 ||
           strncmp(option, "-diag-suppress", 14) == 0 ||
           strncmp(option, "--diag-suppress", 15) == 0;
}

/* ---- compiling ---- */

static void set_log(struct nvrtc_program *program, char *owned)
{
    free(program->log);
    program->log = owned;
}

/* PTX holds the object as digits, and the driver finds it there. */
static char *make_ptx(const struct nvrtc_bytes *object, int arch)
{
    char *ptx = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&ptx, &size);
    fprintf(out,
            "//\n// Generated by mockcuda\n//\n\n.version 9.0\n.target sm_%d\n.address_size 64\n\n",
            arch);
    fprintf(out, "// object %zu ", object->size);
    for (size_t i = 0; i < object->size; i++)
        fprintf(out, "%02x", (unsigned char)object->data[i]);
    fprintf(out, "\n");
    fclose(out);
    return ptx;
}

static int compile(struct nvrtc_program *program, const struct nvrtc_options *options)
{
    const char *problem = NULL;
    char *text = nvrtc_text(program->text, program->name, &problem), *log = NULL;
    struct nvrtc_bytes object = {NULL, 0};
    if (!text) {
        set_log(program, strdup(problem));
        return NVRTC_COMPILATION;
    }
    bool good = nvrtc_gcc(text, options, &object, &log);
    free(text);
    set_log(program, log);
    if (!good)
        return NVRTC_COMPILATION;
    free(program->ptx);
    free(program->cubin.data);
    program->ptx = make_ptx(&object, options->arch);
    program->cubin = options->virtual ? (struct nvrtc_bytes){NULL, 0} : object;
    if (options->virtual)
        free(object.data);
    return NVRTC_OK;
}

/* What MOCKCUDA_NVRTC asks for: a result, and what the log says. */
static int refuse(struct nvrtc_program *program)
{
    char *log = NULL;
    if (mode_is("memory"))
        return NVRTC_OUT_OF_MEMORY;
    if (mode_is("internal"))
        return NVRTC_INTERNAL_ERROR;
    if (mode_is("builtins")) {
        set_log(program,
                strdup("nvrtc: error: failed to open libnvrtc-builtins.so.13.0.\n  Make sure that "
                       "libnvrtc-builtins.so.13.0 is installed correctly.\n"));
        return NVRTC_BUILTIN_FAILURE;
    }
    if (!mode_is("fail"))
        return NVRTC_OK;
    if (asprintf(&log,
                 "%s(1): error: MOCKCUDA_NVRTC=fail refuses every text\n\n1 error detected.\n",
                 program->name) < 0)
        abort();
    set_log(program, log);
    return NVRTC_COMPILATION;
}

static void warn(struct nvrtc_program *program)
{
    char *log = NULL;
    if (asprintf(&log, "%s(1): warning #177-D: MOCKCUDA_NVRTC=log warns of every text\n\n%s",
                 program->name, program->log) < 0)
        abort();
    set_log(program, log);
}

int nvrtcCompileProgram(struct nvrtc_program *program, int count, const char *const *list)
{
    struct nvrtc_options options = {.arch = 75, .contract = true, .virtual = true};
    int result = enter("nvrtcCompileProgram");
    valid(program, "nvrtcCompileProgram");
    for (int i = 0; !result && i < count; i++)
        if (!read_option(list[i], &options)) {
            char *log = NULL;
            if (asprintf(&log, "nvrtc: error: mockcuda does not know the option %s\n", list[i]) < 0)
                abort();
            set_log(program, log);
            result = NVRTC_INVALID_OPTION;
        }
    if (!result)
        result = refuse(program);
    if (!result)
        result = compile(program, &options);
    if (!result && mode_is("log"))
        warn(program);
    return result;
}

/* ---- results ---- */

int nvrtcGetProgramLogSize(struct nvrtc_program *program, size_t *size)
{
    int result = enter("nvrtcGetProgramLogSize");
    if (!result)
        *size = strlen(valid(program, "nvrtcGetProgramLogSize")->log) + 1;
    return result;
}

int nvrtcGetProgramLog(struct nvrtc_program *program, char *log)
{
    int result = enter("nvrtcGetProgramLog");
    if (!result)
        strcpy(log, valid(program, "nvrtcGetProgramLog")->log);
    return result;
}

int nvrtcGetPTXSize(struct nvrtc_program *program, size_t *size)
{
    int result = enter("nvrtcGetPTXSize");
    if (!result)
        *size = strlen(valid(program, "nvrtcGetPTXSize")->ptx) + 1;
    return result;
}

int nvrtcGetPTX(struct nvrtc_program *program, char *ptx)
{
    int result = enter("nvrtcGetPTX");
    if (!result)
        strcpy(ptx, valid(program, "nvrtcGetPTX")->ptx);
    return result;
}

int nvrtcGetCUBINSize(struct nvrtc_program *program, size_t *size)
{
    int result = enter("nvrtcGetCUBINSize");
    if (!result)
        *size = valid(program, "nvrtcGetCUBINSize")->cubin.size;
    return result;
}

int nvrtcGetCUBIN(struct nvrtc_program *program, char *cubin)
{
    int result = enter("nvrtcGetCUBIN");
    valid(program, "nvrtcGetCUBIN");
    if (!result && program->cubin.size)
        memcpy(cubin, program->cubin.data, program->cubin.size);
    return result;
}
