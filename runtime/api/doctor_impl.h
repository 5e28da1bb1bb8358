/* The state of a weft_doctor call, shared by its parts. */
#ifndef WEFT_RUNTIME_API_DOCTOR_IMPL_H
#define WEFT_RUNTIME_API_DOCTOR_IMPL_H

#include "include/weft/weft.h"

struct doctor {
    const struct weft_context_params *params;
    void (*tell)(void *user, const struct weft_finding *finding);
    void *user;
    const char *part;              /* of the next findings */
    bool temporary;                /* the temporary directory can be used */
    bool settings;                 /* a context can be created */
    bool no_compiler;              /* it is missing, or WEFT_CC is "libtcc": libtcc makes all kernels */
    bool first;                    /* first kernels are not turned off */
    bool runs;                     /* programs can run */
    bool out_of_memory;
};

/* Reports one finding. `advice` may be NULL. The text is formatted; bytes in it that are not
 * printable ASCII are shown as \xNN. */
void doctor_tell(struct doctor *doctor, const char *name, enum weft_finding_state state,
                 const char *advice, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The parts in other files. */
void doctor_machine(struct doctor *doctor);
void doctor_cache(struct doctor *doctor);
void doctor_cuda(struct doctor *doctor);

#endif
