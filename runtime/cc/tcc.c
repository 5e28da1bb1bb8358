/* Finding the module around libtcc, and the functions that its kernels may call; see tcc.h. */
#include "runtime/cc/tcc.h"

#include "compiler/lang/lang.h"
#include "compiler/emit/emit.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SYMBOLS = 256, NAME = 16 };

/* Found once and kept for the process. All contexts share libtcc, which has global state. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct first_module *module;
static struct first_symbol symbols[MOST_SYMBOLS];
static char names[MOST_SYMBOLS][NAME];
static size_t symbol_count;

/* ---- functions that kernels call ---- */

static void add_symbol(void *libm, const char *name, size_t length, const char *suffix)
{
    if (symbol_count == MOST_SYMBOLS || length + strlen(suffix) >= NAME)
        return;
    char *copy = names[symbol_count];
    snprintf(copy, NAME, "%.*s%s", (int)length, name, suffix);
    for (size_t i = 0; i < symbol_count; i++)
        if (strcmp(symbols[i].name, copy) == 0)
            return;
    void *address = dlsym(libm ? libm : RTLD_DEFAULT, copy);
    if (address)
        symbols[symbol_count++] = (struct first_symbol){copy, address};
}

/* Adds every function that appears as F(name) in rows and helpers, for both floating-point types. */
static void add_symbols(void *libm, const char *text)
{
    while ((text = strstr(text, "F("))) {
        text += 2;
        size_t length = strcspn(text, ")");
        add_symbol(libm, text, length, "");
        add_symbol(libm, text, length, "f");
    }
}

/* ---- finding the module ---- */

static bool load(const char *directory, int length, const char *below)
{
    char path[PATH_MAX];
    int written = snprintf(path, sizeof path, "%.*s%s/weft-first.so", length, directory, below);
    if (written < 0 || written >= (int)sizeof path)
        return false;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct first_module *found = handle ? dlsym(handle, "weft_first") : NULL;
    if (found && found->version == FIRST_VERSION)
        module = found;
    else if (handle)
        dlclose(handle);
    return module != NULL;
}

/* The path of the file that holds this code. For the program itself that is /proc/self/exe, because
 * dladdr says only how it was called. Empty if the path is relative, since the current directory may
 * have changed. */
static void find_self(char path[PATH_MAX])
{
    Dl_info self;
    struct link_map *map = NULL;
    ssize_t length = 0;
    if (dladdr1((void *)first_available, &self, (void **)&map, RTLD_DL_LINKMAP) && !*map->l_name)
        length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    else if (map && *map->l_name == '/')
        length = snprintf(path, PATH_MAX, "%s", map->l_name);
    path[length > 0 && length < PATH_MAX ? length : 0] = '\0';
}

static void find(void)
{
    const char *named = secure_getenv("WEFT_MODULES");
    char self[PATH_MAX], *slash;
    find_self(self);
    if (named && *named) {
        load(named, (int)strlen(named), "");
    } else {
        slash = strrchr(self, '/');
        int length = slash ? (int)(slash - self) : 0;
        if (!length || (!load(self, length, "/weft") && !load(self, length, "")))
            load(WEFT_MODULE_DIRECTORY, (int)strlen(WEFT_MODULE_DIRECTORY), "");
    }
    if (!module)
        return;
    void *libm = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL); /* stays open, because kernels call into it */
    add_symbols(libm, weft_template_dialect);
    for (int op = 0; op < OP_COUNT; op++)
        if (op_rows[op].floating)
            add_symbols(libm, op_rows[op].floating);
}

bool first_available(void)
{
    pthread_once(&once, find);
    return module != NULL;
}

const char *first_path(void)
{
    Dl_info self;
    return first_available() && dladdr((const void *)module, &self) ? self.dli_fname : NULL;
}

bool first_compile(const char *text, struct first_code *code, char *log, size_t size)
{
    if (first_available())
        return module->compile(text, symbols, symbol_count, code, log, size);
    snprintf(log, size, "its module weft-first.so is not installed");
    return false;
}

void first_release(struct first_code *code)
{
    if (code->memory)
        module->release(code);
}
