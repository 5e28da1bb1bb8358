/* What the parts of weft_doctor share. */
#ifndef WEFT_RUNTIME_DOCTOR_H
#define WEFT_RUNTIME_DOCTOR_H

#include "include/weft/weft.h"

struct doctor {
    const struct weft_context_params *params;
    void (*tell)(void *user, const struct weft_finding *finding);
    void *user;
    const char *part;              /* of the next findings */
    bool temporary;                /* the temporary directory can be used */
    bool settings;                 /* a context can be created */
    bool no_compiler;              /* none is there, or libtcc is to be used: it makes all kernels */
    bool first;                    /* libtcc may be used */
    bool runs;                     /* programs can run */
    bool out_of_memory;
};

/* Tells one finding. `advice` NULL: none. The text is a format's; what is not printable ASCII in it
 * is told as \xNN. */
void doctor_tell(struct doctor *doctor, const char *name, enum weft_finding_state state,
                 const char *advice, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The parts, in order. */
void doctor_machine(struct doctor *doctor);
void doctor_compilers(struct doctor *doctor);
void doctor_first_call(struct doctor *doctor);
void doctor_cache(struct doctor *doctor);
void doctor_cuda(struct doctor *doctor);

#endif
