/* NVRTC, from inside: finding it, the real one where the machine has it (else those tests are skipped), and
 * the one of tests/mockcuda for what goes wrong. MOCKCUDA is the directory of that one. */
#include "runtime/cc/cc.h"
#include "runtime/gpu/gpu.h"

#include <fenv.h>
#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernel[] = "extern \"C\" __global__ void weft_kernel(float *x, float a, float b)\n"
                             "{\n"
                             "#line 7 \"/weft/program\"\n"
                             "    *x = *x * a + b;\n"
                             "#line 1 \"/weft/kernel.cu\"\n"
                             "    *x = *x / a;\n"
                             "}\n";
static const char wrong[] = "extern \"C\" __global__ void weft_kernel(float *x)\n"
                            "{\n"
                            "#line 70 \"/weft/program\"\n"
                            "    *x = nonsense(*x);\n"
                            "}\n";

struct scene {
    char directory[64];
    struct cc cc;
    struct nvrtc nvrtc;
    struct arena arena;
    struct diags diags;
};

/* Begins anew with the environment as it is now. */
static void open_scene(struct scene *scene)
{
    assert_true(cc_init(&scene->cc, NULL, NULL));
    nvrtc_init(&scene->nvrtc, &scene->cc.environment);
    arena_init(&scene->arena);
    scene->diags = diags_new(&scene->arena, NULL);
}

static void close_scene(struct scene *scene)
{
    nvrtc_finish(&scene->nvrtc);
    cc_finish(&scene->cc);
    arena_finish(&scene->arena);
}

static void reopen(struct scene *scene)
{
    close_scene(scene);
    open_scene(scene);
}

/* The same with another PATH, which is none for the test itself. */
static void reopen_with_path(struct scene *scene, const char *list)
{
    char *before = strdup(getenv("PATH"));
    setenv("PATH", list, 1);
    reopen(scene);
    setenv("PATH", before, 1);
    free(before);
}

/* The environment as it was when the test began. */
static char *variables[1000];

static void keep_environment(void)
{
    for (size_t i = 0; environ[i] && i + 1 < sizeof variables / sizeof *variables; i++)
        variables[i] = strdup(environ[i]);
}

static void restore_environment(void)
{
    clearenv();
    for (size_t i = 0; variables[i]; i++)
        putenv(variables[i]);
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    strcpy(scene->directory, "/tmp/weft-nvrtc-XXXXXX");
    assert_non_null(mkdtemp(scene->directory));
    open_scene(scene);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    char command[100];
    restore_environment();
    snprintf(command, sizeof command, "rm -rf %s", scene->directory);
    assert_int_equal(system(command), 0);
    close_scene(scene);
    free(scene);
    return 0;
}

static const char *message(const struct scene *scene)
{
    return scene->diags.first ? scene->diags.first->message : "";
}

static void expect(const struct scene *scene, enum diag_id id, const char *part)
{
    assert_non_null(scene->diags.first);
    assert_int_equal(scene->diags.first->id, id);
    if (!strstr(message(scene), part))
        fail_msg("'%s' is not in '%s'", part, message(scene));
}

/* ---- finding ---- */

/* Below the scene's directory, with the directories above it: a link to something there. */
static void link_file(const struct scene *scene, const char *name, const char *target)
{
    char path[PATH_MAX], command[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", scene->directory, name);
    snprintf(command, sizeof command, "mkdir -p $(dirname %s)", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(symlink(target, path), 0);
}

/* A library of this machine, though no NVRTC. */
static const char *some_library(void)
{
    static char path[PATH_MAX];
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[PATH_MAX + 100];
    while (!*path && fgets(line, sizeof line, maps))
        if (strstr(line, "libcmocka"))
            sscanf(strchr(line, '/'), "%[^\n]", path);
    fclose(maps);
    return path;
}

static void set_variable(const struct scene *scene, const char *name, const char *below)
{
    char value[PATH_MAX];
    snprintf(value, sizeof value, "%s/%s", scene->directory, below);
    setenv(name, value, 1);
}

static void test_find(void **state)
{
    static const struct {
        const char *file, *variable, *value;
    } rows[] = {
        {"home/.local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "HOME", "home"},
        {"snake/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "CONDA_PREFIX", "snake"},
        {"snake/lib/libnvrtc.so.12", "CONDA_PREFIX", "snake"},
        {"venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2", "VIRTUAL_ENV", "venv"},
        {"venv/lib/python3.12/site-packages/nvidia/cu12/lib/libnvrtc.so.12", "VIRTUAL_ENV", "venv"},
        {"list/libnvrtc.so.13", "LD_LIBRARY_PATH", "none:/nowhere::"},
        {"list/libnvrtc.so.14", "LD_LIBRARY_PATH", "list"},
        {"path/targets/x86_64-linux/lib/libnvrtc.so.13", "CUDA_PATH", "path"},
        {"toolkit/libnvrtc.so.13", "CUDA_HOME", "toolkit"},
        {"toolkit/lib64/libnvrtc.so.12", "CUDA_HOME", "toolkit"},
    };
    struct scene *scene = *state;
    char path[PATH_MAX], expected[PATH_MAX];
    unsetenv("CUDA_HOME");
    unsetenv("LD_LIBRARY_PATH"); /* meson's, for the mock */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool listed = strchr(rows[i].value, ':') == NULL; /* not the row that finds nothing new */
        link_file(scene, rows[i].file, some_library());
        set_variable(scene, rows[i].variable, rows[i].value);
        reopen_with_path(scene, "/nowhere");
        if (!listed)
            continue;
        assert_true(cuda_find(&scene->cc.environment, CUDA_LIBRARY, "libnvrtc.so*", path));
        snprintf(expected, sizeof expected, "%s/%s", scene->directory, rows[i].file);
        assert_string_equal(path, expected);
    }
}

/* The header of this program, as one for another machine. */
static void write_other_machine(struct scene *scene, const char *name)
{
    char path[PATH_MAX];
    ElfW(Ehdr) header;
    FILE *from = fopen("/proc/self/exe", "r");
    assert_int_equal(fread(&header, sizeof header, 1, from), 1);
    fclose(from);
    header.e_machine ^= 1;
    snprintf(path, sizeof path, "%s/%s", scene->directory, name);
    FILE *to = fopen(path, "w");
    assert_int_equal(fwrite(&header, sizeof header, 1, to), 1);
    fclose(to);
}

/* What cannot be a library of this machine is passed over. */
static void test_find_no_library(void **state)
{
    struct scene *scene = *state;
    char path[PATH_MAX], name[PATH_MAX];
    snprintf(name, sizeof name, "%s/libnothing.so.1", scene->directory);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs("/* GNU ld script: long enough for a header of an object, which it is not. GROUP() */", file);
    fclose(file);
    link_file(scene, "libnothing.so.2", "/nowhere");
    link_file(scene, "libnothing.so.3", "/tmp");
    write_other_machine(scene, "libnothing.so.4");
    set_variable(scene, "CUDA_HOME", "");
    reopen(scene);
    assert_false(cuda_find(&scene->cc.environment, CUDA_LIBRARY, "libnothing.so*", path));
    link_file(scene, "libnothing.so", some_library());
    assert_true(cuda_find(&scene->cc.environment, CUDA_LIBRARY, "libnothing.so*", path));
}

static void test_find_programs(void **state)
{
    static const char *const files[] = {
        "python/lib/python3.11/site-packages/nvidia/cu13/bin/weft-tool",
        "here/weft-tool",
        "toolkit/bin/weft-tool",
    };
    struct scene *scene = *state;
    char path[PATH_MAX], expected[PATH_MAX], list[3 * PATH_MAX];
    unsetenv("CUDA_HOME");
    link_file(scene, "python/bin/python3", "/bin/true"); /* a virtual environment's is a link, too */
    snprintf(list, sizeof list, "%s/none:%s/here:%s/python/bin", scene->directory, scene->directory,
             scene->directory);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (i == 2)
            set_variable(scene, "CUDA_HOME", "toolkit");
        link_file(scene, files[i], i == 1 ? "/etc/passwd" : "/bin/sh");
        reopen_with_path(scene, list);
        assert_true(cuda_find(&scene->cc.environment, CUDA_PROGRAM, "weft-tool", path));
        snprintf(expected, sizeof expected, "%s/%s", scene->directory, files[i == 1 ? 0 : i]);
        assert_string_equal(path, expected);
    }
}

/* ---- the real one ---- */

/* Skips the test where there is none, saying so; the loader's path leads to that of tests/mockcuda. */
static void need_real(struct scene *scene)
{
    char *identity = nvrtc_identity(&scene->nvrtc);
    const char *mock = getenv("MOCKCUDA"), *path = scene->nvrtc.path;
    if (!identity || (path && strncmp(path, mock, strlen(mock)) == 0)) {
        free(identity);
        print_message("skipped: this machine has no NVRTC\n");
        skip();
    }
    free(identity);
}

static bool is_mapped(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[PATH_MAX + 100];
    bool found = false;
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

static void test_identity_opens_nothing(void **state)
{
    struct scene *scene = *state;
    need_real(scene);
    char *before = nvrtc_identity(&scene->nvrtc);
    assert_false(is_mapped("libnvrtc"));
    assert_true(nvrtc_open(&scene->nvrtc, &scene->diags));
    assert_true(is_mapped("libnvrtc"));
    char *after = nvrtc_identity(&scene->nvrtc);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static struct nvrtc_code compile(struct scene *scene, enum weft_math math, const char *name,
                                 enum nvrtc_form form)
{
    struct nvrtc_arch arch;
    struct nvrtc_code code = {NULL, 0};
    assert_true(nvrtc_open(&scene->nvrtc, &scene->diags));
    assert_true(nvrtc_named_arch(&scene->nvrtc, name, form, &arch, &scene->diags));
    if (!nvrtc_compile(&scene->nvrtc, kernel, math, &arch, &code, &scene->diags))
        fail_msg("%s", message(scene));
    return code;
}

static void test_cubin(void **state)
{
    struct scene *scene = *state;
    need_real(scene);
    struct nvrtc_code code = compile(scene, WEFT_MATH_STRICT, "sm_90", NVRTC_CUBIN);
    assert_memory_equal(code.bytes, "\177ELF", 4);
    assert_non_null(memmem(code.bytes, code.size, "program", 8));
    free(code.bytes);
}

static void test_math(void **state)
{
    struct scene *scene = *state;
    need_real(scene);
    struct nvrtc_code strict = compile(scene, WEFT_MATH_STRICT, "sm_90", NVRTC_PTX);
    struct nvrtc_code fast = compile(scene, WEFT_MATH_FAST, "sm_90", NVRTC_PTX);
    assert_non_null(strstr(strict.bytes, ".target sm_90"));
    assert_null(strstr(strict.bytes, "fma."));
    assert_non_null(strstr(strict.bytes, "div.rn.f32"));
    assert_non_null(strstr(fast.bytes, "fma."));
    assert_null(strstr(fast.bytes, "div.rn.f32"));
    assert_null(strstr(fast.bytes, ".ftz"));
    free(strict.bytes);
    free(fast.bytes);
}

static void test_archs(void **state)
{
    struct scene *scene = *state;
    struct nvrtc_arch arch;
    need_real(scene);
    assert_true(nvrtc_open(&scene->nvrtc, &scene->diags));
    int newest = scene->nvrtc.archs[scene->nvrtc.arch_count - 1];
    char name[32], text[64];
    assert_true(nvrtc_device_arch(&scene->nvrtc, 9, 0, &arch, &scene->diags));
    assert_string_equal(arch.name, "sm_90");
    assert_int_equal(arch.form, NVRTC_CUBIN);
    snprintf(name, sizeof name, "compute_%d", newest);
    assert_true(nvrtc_device_arch(&scene->nvrtc, 99, 9, &arch, &scene->diags));
    assert_string_equal(arch.name, name);
    assert_int_equal(arch.form, NVRTC_PTX);
    assert_false(nvrtc_device_arch(&scene->nvrtc, 1, 3, &arch, &scene->diags));
    expect(scene, DIAG_CUDA_OLD_GPU, "sm_13");
    scene->diags = diags_new(&scene->arena, NULL);
    assert_false(nvrtc_named_arch(&scene->nvrtc, "sm_13", NVRTC_CUBIN, &arch, &scene->diags));
    snprintf(text, sizeof text, "sm_%d", newest);
    expect(scene, DIAG_NVRTC_ARCH, text);
}

/* The log's line is the one that is numbered so, whatever #line says. */
static void test_refusal(void **state)
{
    struct scene *scene = *state;
    struct nvrtc_arch arch;
    struct nvrtc_code code;
    need_real(scene);
    assert_true(nvrtc_open(&scene->nvrtc, &scene->diags));
    assert_true(nvrtc_device_arch(&scene->nvrtc, 9, 0, &arch, &scene->diags));
    assert_false(nvrtc_compile(&scene->nvrtc, wrong, WEFT_MATH_STRICT, &arch, &code, &scene->diags));
    expect(scene, DIAG_NVRTC_REFUSED, "/weft/kernel.cu(4): error");
    expect(scene, DIAG_NVRTC_REFUSED, "\n    4      *x = nonsense(*x);\n");
    assert_int_equal(diags_status(&scene->diags), WEFT_INTERNAL_ERROR);
}

struct odd {
    struct scene *scene;
    struct nvrtc_code code;
};

static void *compile_oddly(void *odd_)
{
    struct odd *odd = odd_;
    fesetround(FE_UPWARD);
    odd->code = compile(odd->scene, WEFT_MATH_STRICT, "sm_90", NVRTC_CUBIN);
    return (void *)(intptr_t)(fegetround() == FE_UPWARD);
}

/* From a thread with a small stack and another rounding mode, while others compile too. */
static void test_threads(void **state)
{
    struct scene *scene = *state;
    struct odd odd[3];
    pthread_t threads[3];
    pthread_attr_t small;
    struct rlimit before, after;
    void *kept;
    need_real(scene);
    getrlimit(RLIMIT_STACK, &before);
    pthread_attr_init(&small);
    assert_int_equal(pthread_attr_setstacksize(&small, 256 << 10), 0);
    for (int i = 0; i < 3; i++) {
        odd[i] = (struct odd){.scene = scene};
        assert_int_equal(pthread_create(&threads[i], &small, compile_oddly, &odd[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], &kept), 0);
        assert_non_null(kept);
        assert_int_equal(odd[i].code.size, odd[0].code.size);
        assert_memory_equal(odd[i].code.bytes, odd[0].code.bytes, odd[0].code.size);
    }
    for (int i = 0; i < 3; i++)
        free(odd[i].code.bytes);
    pthread_attr_destroy(&small);
    getrlimit(RLIMIT_STACK, &after);
    assert_memory_equal(&before, &after, sizeof before);
}

/* ---- what goes wrong ---- */

static void use_mock(struct scene *scene)
{
    setenv("CUDA_HOME", getenv("MOCKCUDA"), 1);
    reopen(scene);
}

static bool try_mock(struct scene *scene, const char *mode)
{
    struct nvrtc_arch arch;
    struct nvrtc_code code;
    setenv("MOCKCUDA_NVRTC", mode, 1);
    bool good = nvrtc_open(&scene->nvrtc, &scene->diags) &&
                nvrtc_device_arch(&scene->nvrtc, 9, 0, &arch, &scene->diags) &&
                nvrtc_compile(&scene->nvrtc, kernel, WEFT_MATH_STRICT, &arch, &code, &scene->diags);
    if (good)
        free(code.bytes);
    unsetenv("MOCKCUDA_NVRTC");
    return good;
}

static void test_failures(void **state)
{
    static const struct {
        const char *mode;
        enum diag_id id;
        const char *text;
    } rows[] = {
        {"fail", DIAG_NVRTC_REFUSED, "    2  {"},
        {"memory", DIAG_NO_MEMORY, ""},
        {"builtins", DIAG_NVRTC_FAILED, "failed to open libnvrtc-builtins.so"},
        {"internal", DIAG_NVRTC_FAILED, "nvrtcCompileProgram gave error 11"},
        {"create", DIAG_NVRTC_FAILED, "nvrtcCreateProgram gave error 2"},
        {"version", DIAG_NVRTC_BROKEN, "does not tell what it is"},
    };
    struct scene *scene = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        use_mock(scene);
        assert_false(try_mock(scene, rows[i].mode));
        expect(scene, rows[i].id, rows[i].text);
        assert_true(try_mock(scene, "")); /* a failure is not for ever */
    }
    use_mock(scene);
    assert_true(try_mock(scene, "log")); /* a warning is none */
}

/* It is asked again without an option that it does not know, once for all. */
static void test_old_options(void **state)
{
    struct scene *scene = *state;
    use_mock(scene);
    assert_int_equal(scene->nvrtc.unknown, 0);
    assert_true(try_mock(scene, "old"));
    assert_int_equal(scene->nvrtc.unknown, 15);
}

static void test_other_libraries(void **state)
{
    struct scene *scene = *state;
    set_variable(scene, "CUDA_HOME", "");
    link_file(scene, "libnvrtc.so.13", some_library());
    reopen(scene);
    assert_false(nvrtc_open(&scene->nvrtc, &scene->diags));
    expect(scene, DIAG_NVRTC_OLD, "nvrtcVersion");
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/libnvrtc.so.14", scene->directory);
    FILE *from = fopen("/proc/self/exe", "r"), *to = fopen(name, "w");
    char header[200];
    assert_int_equal(fread(header, 1, sizeof header, from), sizeof header);
    fwrite(header, 1, sizeof header, to);
    fclose(from);
    fclose(to);
    reopen(scene);
    assert_false(nvrtc_open(&scene->nvrtc, &scene->diags));
    expect(scene, DIAG_NVRTC_BROKEN, "libnvrtc.so.14");
}

static void test_fork(void **state)
{
    struct scene *scene = *state;
    int status;
    use_mock(scene);
    assert_true(try_mock(scene, ""));
    pid_t child = fork();
    if (child == 0)
        _exit(try_mock(scene, "") ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_identity_opens_nothing), TEST(test_cubin), TEST(test_math), TEST(test_archs),
        TEST(test_refusal), TEST(test_threads), TEST(test_find), TEST(test_find_no_library),
        TEST(test_find_programs), TEST(test_failures), TEST(test_old_options),
        TEST(test_other_libraries), TEST(test_fork),
    };
    keep_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
