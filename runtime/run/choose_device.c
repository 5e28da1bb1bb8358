/* Chooses the device of a call: where its data lie, as far as the context's target allows. Host memory can
 * be read by every device (gpu_run_impl.h), device memory only by its own GPU. */
#include "runtime/run/call.h"

/* An operand of the call, with its name for messages. */
struct operand {
    const struct tensor *tensor;   /* NULL: none */
    const char *what, *name;
};

static struct operand operand_at(const struct call *call, int i)
{
    const struct program *parsed = call->program->parsed;
    bool output = i >= parsed->input_count;
    int at = output ? i - parsed->input_count : i;
    struct operand operand = {output ? (call->outputs ? &call->outputs[at] : NULL) : &call->inputs[at],
                              output ? "output" : "input",
                              output ? parsed->results[at].name : parsed->symbols[parsed->inputs[at]].name};
    if (operand.tensor && operand.tensor->rank == NO_SHAPE)
        operand.tensor = NULL;     /* a batch without samples is in no memory */
    return operand;
}

/* The first operand in device memory. */
static struct operand find_leader(const struct call *call)
{
    for (int i = 0; i < call_operands(call); i++) {
        const struct operand operand = operand_at(call, i);
        if (operand.tensor && operand.tensor->device)
            return operand;
    }
    return (struct operand){NULL};
}

/* Whether an operand may be used together with the first one in device memory. False with a diagnostic. */
static bool check_place(struct call *call, const struct operand *leader, const struct operand *operand)
{
    const struct tensor *tensor = operand->tensor;
    if (!tensor || tensor->device == leader->tensor->device)
        return true;
    const char *where = tensor_device_text(leader->tensor, &call->diags);
    if (tensor->device)
        return diag_at(&call->diags, DIAG_TWO_GPUS, NULL, 0, operand->what, operand->name,
                       tensor_device_text(tensor, &call->diags), leader->what, leader->name, where);
    return operand->what[0] == 'i' ||
           diag_at(&call->diags, DIAG_HOST_OUTPUT, NULL, 0, operand->name, leader->what, leader->name, where);
}

bool choose_device(struct call *call)
{
    enum weft_target target = call->program->context->target;
    const struct operand leader = find_leader(call);
    if (!leader.tensor) {
        call->staged = target == WEFT_TARGET_CUDA;
        call->device = call->staged ? 1 : 0;
        return true;
    }
    if (target == WEFT_TARGET_C)
        return diag_at(&call->diags, DIAG_DEVICE_IN_C, NULL, 0, leader.what, leader.name,
                       tensor_device_text(leader.tensor, &call->diags));
    bool good = true;
    for (int i = 0; i < call_operands(call); i++) {
        const struct operand operand = operand_at(call, i);
        good = check_place(call, &leader, &operand) && good;
    }
    call->device = leader.tensor->device;
    return good;
}
