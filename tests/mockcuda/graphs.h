/* What captures (captures.c) and graphs (graphs.c) of the fake driver share. */
#ifndef MOCKCUDA_GRAPHS_H
#define MOCKCUDA_GRAPHS_H

#include "mock.h"

struct node {
    struct mock_item *item;  /* a reference */
    int *after, after_count; /* nodes that come before */
};

struct tie {
    struct CUuserObject_st *object;
    unsigned references;
};

/* Both of a graph and of what is made of it. */
struct parts {
    struct node *nodes;
    int node_count;
    struct tie *ties;
    int tie_count;
};

struct CUgraph_st {
    struct mock_object object;
    struct parts parts;
};

/* Takes the reference; the node comes after those of these numbers. */
void mock_add_node(struct parts *parts, struct mock_item *item, const int *after, int after_count);
void mock_release_parts(struct parts *parts);
/* From malloc. */
int *mock_copy_numbers(const int *numbers, int count);

#endif
