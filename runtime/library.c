/* See library.h. */
#include "runtime/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

const char *library_path(void *library)
{
    struct link_map *map = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
}
