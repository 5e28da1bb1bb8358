/* The table of access kinds (templates/shared/access_kinds.def), for code that asks what a kind is. What a class of
 * kernels has is a letter for each access, enum access_kind; only code that chooses kinds compares them. */
#ifndef WEFT_COMPILER_LOOP_ACCESS_KINDS_H
#define WEFT_COMPILER_LOOP_ACCESS_KINDS_H

#include "compiler/ir/ir.h"

enum { MAX_EXPANDED = 2048 };      /* the longest row made of several short groups */

/* As the table says. */
enum access_trait {
    STAYS = 1, EVEN = 2, REPEATS = 4, NUMBERED = 8, GATHERED = 16, TILED = 32, BLOCKS = 64, CHUNKS = 128
};

struct access_row {
    const char *name;              /* "SCALAR" */
    const char *section;
    enum access_kind store;
    unsigned traits;               /* enum access_trait */
    int strides, constant;
    const char *in_blocks, *in_chunks;
};

/* [enum access_kind]; in between are none. */
extern const struct access_row access_rows[128];
/* The enum as a section of a source that is made ahead of time. */
extern const char access_kinds_section[];

static inline bool access_is(unsigned kind, enum access_trait trait)
{
    return access_rows[kind].traits & trait;
}

/* Whether any of `count` accesses has the trait. */
bool any_access_is(const unsigned char *kinds, int count, enum access_trait trait);
/* The elements of an access's buffer behind a block. */
int access_room(enum access_kind kind, int size);

#endif
