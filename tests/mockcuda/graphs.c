/* Graphs and user objects of the fake driver. A node is an item that nobody puts on a stream; a
 * launch carries all of them out, in any order that their edges allow (with MOCKCUDA_SEED; else in
 * that of the capture). */
#include "graphs.h"

#include <stdlib.h>
#include <string.h>

struct CUgraphExec_st {
    struct mock_object object;
    struct parts parts;
    struct mock_item *last; /* launch; a reference */
    int launches;           /* not yet carried out */
};

struct CUuserObject_st {
    struct mock_object object;
    void (*destroy)(void *);
    void *user;
    unsigned references;
};

/* ---- user objects ---- */

static void release_object(struct CUuserObject_st *object, unsigned references)
{
    mock_valid(object, USER_OBJECT);
    if (references > object->references)
        mock_wrong("%u references of a user object that has %u", references, object->references);
    object->references -= references;
    if (object->references)
        return;
    mock_dead(object);
    mock_call_back(object->destroy, object->user);
}

int cuUserObjectCreate(struct CUuserObject_st **object, void *user, void (*destroy)(void *),
                       unsigned references, unsigned flags)
{
    ENTER();
    if (flags != 1 || !references || !destroy)
        return mock_leave(INVALID_VALUE);
    *object = mock_new(USER_OBJECT, sizeof **object, NULL);
    (*object)->destroy = destroy;
    (*object)->user = user;
    (*object)->references = references;
    return mock_leave(SUCCESS);
}

int cuUserObjectRetain(struct CUuserObject_st *object, unsigned references)
{
    ENTER();
    mock_valid(object, USER_OBJECT);
    object->references += references;
    return mock_leave(SUCCESS);
}

int cuUserObjectRelease(struct CUuserObject_st *object, unsigned references)
{
    int failed = mock_enter(__func__);
    release_object(object, references);
    return mock_leave(failed);
}

static void add_tie(struct parts *parts, struct CUuserObject_st *object, unsigned references)
{
    parts->ties = realloc(parts->ties, (size_t)(parts->tie_count + 1) * sizeof *parts->ties);
    parts->ties[parts->tie_count++] = (struct tie){object, references};
}

/* Flag 1: the caller's references become the graph's. */
int cuGraphRetainUserObject(struct CUgraph_st *graph, struct CUuserObject_st *object,
                            unsigned references, unsigned flags)
{
    ENTER();
    mock_valid(graph, GRAPH);
    mock_valid(object, USER_OBJECT);
    if (flags > 1 || !references)
        return mock_leave(INVALID_VALUE);
    if (!flags)
        object->references += references;
    else if (references > object->references)
        mock_wrong("%u references of a user object that has %u", references, object->references);
    add_tie(&graph->parts, object, references);
    return mock_leave(SUCCESS);
}

int cuGraphReleaseUserObject(struct CUgraph_st *graph, struct CUuserObject_st *object,
                             unsigned references)
{
    int failed = mock_enter(__func__);
    mock_valid(graph, GRAPH);
    for (int i = 0; i < graph->parts.tie_count; i++)
        if (graph->parts.ties[i].object == object &&
            graph->parts.ties[i].references >= references) {
            graph->parts.ties[i].references -= references;
            release_object(object, references);
            return mock_leave(failed);
        }
    mock_wrong("the graph has not so many references of the user object");
}

/* ---- parts ---- */

void mock_release_parts(struct parts *parts)
{
    for (int i = 0; i < parts->node_count; i++) {
        mock_release_item(parts->nodes[i].item);
        free(parts->nodes[i].after);
    }
    for (int i = 0; i < parts->tie_count; i++)
        if (parts->ties[i].references)
            release_object(parts->ties[i].object, parts->ties[i].references);
    free(parts->nodes);
    free(parts->ties);
    *parts = (struct parts){NULL, 0, NULL, 0};
}

int *mock_copy_numbers(const int *numbers, int count)
{
    int *copy = malloc((size_t)(count + 1) * sizeof *copy);
    if (count)
        memcpy(copy, numbers, (size_t)count * sizeof *copy);
    return copy;
}

static void share_parts(struct parts *to, const struct parts *from)
{
    to->nodes = calloc((size_t)from->node_count + 1, sizeof *to->nodes);
    to->node_count = from->node_count;
    for (int i = 0; i < from->node_count; i++) {
        const struct node *node = &from->nodes[i];
        to->nodes[i] = (struct node){node->item, mock_copy_numbers(node->after, node->after_count),
                                     node->after_count};
        node->item->references++;
    }
    for (int i = 0; i < from->tie_count; i++) {
        add_tie(to, from->ties[i].object, 1);
        from->ties[i].object->references++;
    }
}

void mock_add_node(struct parts *parts, struct mock_item *item, const int *after, int after_count)
{
    parts->nodes = realloc(parts->nodes, (size_t)(parts->node_count + 1) * sizeof *parts->nodes);
    parts->nodes[parts->node_count++] =
        (struct node){item, mock_copy_numbers(after, after_count), after_count};
}

static bool is_ready(const struct parts *parts, const bool *done, int i)
{
    for (int k = 0; k < parts->nodes[i].after_count; k++)
        if (!done[parts->nodes[i].after[k]])
            return false;
    return !done[i];
}

/* The first that can be next, or any of them. */
static int next_node(const struct parts *parts, const bool *done)
{
    int start = (int)mock_random((unsigned)parts->node_count);
    for (int k = 0; k < parts->node_count; k++) {
        int i = (start + k) % parts->node_count;
        if (is_ready(parts, done, i))
            return i;
    }
    mock_wrong("a graph with a circle");
}

static void run_parts(const struct parts *parts)
{
    bool *done = calloc((size_t)parts->node_count + 1, sizeof *done);
    for (int k = 0; k < parts->node_count; k++) {
        int i = next_node(parts, done);
        parts->nodes[i].item->run(parts->nodes[i].item);
        done[i] = true;
    }
    free(done);
}

/* ---- graphs ---- */

int cuGraphDestroy(struct CUgraph_st *graph)
{
    int failed = mock_enter(__func__);
    mock_valid(graph, GRAPH);
    mock_release_parts(&graph->parts);
    mock_dead(graph);
    return mock_leave(failed);
}

int cuGraphGetNodes(struct CUgraph_st *graph, void **nodes, size_t *count)
{
    ENTER();
    mock_valid(graph, GRAPH);
    if (nodes)
        mock_wrong("nodes of a graph are counted alone");
    *count = (size_t)graph->parts.node_count;
    return mock_leave(SUCCESS);
}

int cuGraphInstantiateWithFlags(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                unsigned long long flags)
{
    ENTER();
    mock_valid(graph, GRAPH);
    if (flags & ~15ull)
        return mock_leave(INVALID_VALUE);
    *exec = mock_new(GRAPH_EXEC, sizeof **exec, NULL);
    share_parts(&(*exec)->parts, &graph->parts);
    return mock_leave(SUCCESS);
}

static void run_graph(struct mock_item *item)
{
    run_parts(&item->exec->parts);
}

/* Also where the work is thrown away. */
static void finish_graph(struct mock_item *item)
{
    struct CUgraphExec_st *exec = item->exec;
    if (--exec->launches == 0 && exec->object.dead)
        mock_release_parts(&exec->parts);
}

/* Launches of one graph come one after the other. */
int cuGraphLaunch(struct CUgraphExec_st *exec, struct CUstream_st *handle)
{
    ENTER();
    struct CUstream_st *stream = mock_stream(handle);
    mock_valid(exec, GRAPH_EXEC);
    if (stream->capture)
        mock_wrong("graphs inside graphs are not played");
    struct mock_item *item = mock_new_item(run_graph);
    item->finish = finish_graph;
    item->exec = exec;
    exec->launches++;
    mock_wait_for(item, exec->last);
    mock_release_item(exec->last);
    item->references++;
    exec->last = item;
    return mock_leave(mock_enqueue(stream, item));
}

int cuGraphExecDestroy(struct CUgraphExec_st *exec)
{
    int failed = mock_enter(__func__);
    mock_valid(exec, GRAPH_EXEC);
    mock_dead(exec);
    struct mock_item *last = exec->last;
    exec->last = NULL;
    mock_release_item(last);
    if (!exec->launches)
        mock_release_parts(&exec->parts);
    return mock_leave(failed);
}
