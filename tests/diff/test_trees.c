/* Random programs against the oracle: typing, conversions, bindings, literals, value numbering,
 * hoisting of what does not vary, results of two shapes, and the place of the first division by
 * zero. WEFT_PROGRAMS sets how many; a failure prints seed and text. */
#include "tests/diff/run.h"
#include "tests/diff/trees.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { LENGTH = 100 };

static struct tree tree;
static struct tensor inputs[TREE_INPUTS], outputs[TREE_RESULTS];
static bool used[TREE_INPUTS];

static void make_tensors(void)
{
    for (int i = 0; i < TREE_INPUTS; i++) {
        int64_t length = LENGTH;
        inputs[i] = tensor_new(tree.inputs[i], tree.along[i] != 0, &length);
        for (int j = 0; j < (tree.along[i] ? LENGTH : 1); j++)
            tensor_set(&inputs[i], j, stream_value(&tree.stream, tree.inputs[i]));
    }
    for (int i = 0; i < tree.result_count; i++) {
        const struct tree_node *node = &tree.nodes[tree.results[i]];
        int64_t length = LENGTH;
        outputs[i] = tensor_new(node->typing.result, node->along != 0, &length);
    }
}

static void free_tensors(void)
{
    for (int i = 0; i < TREE_INPUTS; i++)
        tensor_free(&inputs[i]);
    for (int i = 0; i < tree.result_count; i++)
        tensor_free(&outputs[i]);
}

/* The values of calls, as the kernel computed them. */
static void read_calls(int element, union scalar *values)
{
    for (int i = 0; i < tree.result_count; i++) {
        const struct tree_node *node = &tree.nodes[tree.results[i]];
        if (node->kind == TREE_CALL)
            values[tree.results[i]] = tensor_get(&outputs[i], node->along ? element : 0);
    }
}

static bool is_right(int result, union scalar actual, const union scalar *values)
{
    const struct tree_node *node = &tree.nodes[tree.results[result]];
    if (node->kind == TREE_CALL)
        return tree_call_error(&tree, tree.results[result], values) <=
               typing_bound(node->op, &node->typing);
    return oracle_same(node->typing.result, actual, values[tree.results[result]]);
}

/* The first difference, told with the program's text. */
static void check_element(int element, const union scalar *values)
{
    for (int i = 0; i < tree.result_count; i++) {
        const struct tree_node *node = &tree.nodes[tree.results[i]];
        union scalar actual = tensor_get(&outputs[i], node->along ? element : 0);
        char texts[2][64];
        if (is_right(i, actual, values))
            continue;
        for (int k = 0; k < node->count; k++)
            print_error("operand %d is %s\n", k,
                        oracle_print(texts[0], tree.nodes[node->kids[k]].typing.result,
                                     values[node->kids[k]]));
        if (node->kind == TREE_CALL)
            print_error("off by %g ulp\n", tree_call_error(&tree, tree.results[i], values));
        fprintf(stderr, "%s\nresult %d at %d is %s, not %s (seed %" PRIu64 ")\n", tree.text, i,
                element, oracle_print(texts[0], node->typing.result, actual),
                oracle_print(texts[1], node->typing.result, values[tree.results[i]]),
                values_seed());
        fail();
    }
}

static int check_values(void)
{
    static union scalar values[TREE_NODES];
    int first = -1;
    for (int element = 0; element < LENGTH; element++) {
        union scalar in[TREE_INPUTS];
        for (int i = 0; i < TREE_INPUTS; i++)
            in[i] = tensor_get(&inputs[i], tree.along[i] ? element : 0);
        read_calls(element, values);
        int place = tree_evaluate(&tree, in, values);
        check_element(element, values);
        if (place >= 0 && (first < 0 || place < first))
            first = place;
    }
    return first;
}

static void check_remark(int place, enum weft_status status, const struct weft_error *remark)
{
    if (status == (place < 0 ? WEFT_OK : WEFT_DIVIDE_BY_ZERO) &&
        (place < 0 || (remark && remark->spans[0].start == (size_t)place)))
        return;
    fprintf(stderr, "%s\nstatus %d at %zu, not at %d (seed %" PRIu64 ")\n", tree.text, status,
                remark ? remark->spans[0].start : 0, place, values_seed());
    fail();
}

/* Inputs that the text uses, in the order of the program. */
static int used_inputs(const struct weft_program *program, struct tensor *tensors,
                       const char **names)
{
    int count = (int)weft_program_input_count(program);
    for (int i = 0; i < count; i++) {
        names[i] = weft_program_input_name(program, (size_t)i);
        tensors[i] = inputs[names[i][0] - 'a'];
        used[names[i][0] - 'a'] = true;
    }
    return count;
}

static void run_tree(uint64_t salt)
{
    struct tensor tensors[TREE_INPUTS];
    const char *names[TREE_INPUTS];
    struct weft_error *remark = NULL;
    tree_generate(&tree, salt, 1);
    make_tensors();
    struct weft_program *program = run_compile(tree.text);
    int count = used_inputs(program, tensors, names);
    enum weft_status status =
        run_program(program, tensors, names, count, outputs, tree.result_count, &remark);
    check_remark(check_values(), status, remark);
    weft_error_destroy(remark);
    weft_program_destroy(program);
    free_tensors();
}

static void test_trees(void **state)
{
    (void)state;
    long programs = sample_setting("WEFT_PROGRAMS", 30);
    for (long i = 0; i < programs; i++)
        run_tree((uint64_t)i + 5000);
    for (int i = 0; i < TREE_INPUTS; i++)
        assert_true(used[i]);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees)};
    return cmocka_run_group_tests_name("trees", tests, NULL, finish);
}
