/* Implements access_kinds.h: the table, by letter. */
#include "compiler/loop/access_kinds.h"

const struct access_row access_rows[128] = {
#define KIND(id, letter, section, store, traits, strides, constant, room, in_blocks, in_chunks) \
    [ACCESS_##id] = {#id, section, ACCESS_##store, traits, strides, constant, in_blocks, in_chunks},
#include "templates/shared/access_kinds.def"
#undef KIND
};

const char access_kinds_section[] =
    "//: access kinds\n"
    "enum access_kind {\n"
#define KIND(id, letter, ...) "    ACCESS_" #id " = " #letter ",\n"
#include "templates/shared/access_kinds.def"
#undef KIND
    "};\n";

bool any_access_is(const unsigned char *kinds, int count, enum access_trait trait)
{
    for (int a = 0; a < count; a++)
        if (access_is(kinds[a], trait))
            return true;
    return false;
}

int access_room(enum access_kind kind, int size)
{
    switch (kind) {
#define KIND(id, letter, section, store, traits, strides, constant, room, ...) case ACCESS_##id: return room;
#include "templates/shared/access_kinds.def"
#undef KIND
    }
    return 0 * size;
}
