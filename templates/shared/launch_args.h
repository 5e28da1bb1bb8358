/* What a launch of a CUDA kernel says besides the kernel's geometry; launch_args.c makes its arguments of it. `form` is
 * the kernel's (compiler/loop/form.h). Addresses are the device's. */

//: launch
struct launch_words {
    int64_t tiles;                 /* of all samples */
    uint64_t faults;               /* address of one byte for each division by zero; 0: none */
    const unsigned long long *literals; /* !form.literals_loaded: [form.literals] */
    uint64_t literals_address;     /* form.literals_loaded */
    /* !form.many: the sample. */
    int64_t dense;                 /* as in struct weft_sample: templates/kernel/args_cuda.h */
    const uint64_t *bases;         /* [form.accesses] addresses of the elements that are read or written first */
    const uint64_t *maps;          /* [form.accesses] addresses of maps; NULL where !form.mapped */
    /* form.many: the table of samples. */
    uint64_t samples;              /* its address */
    int64_t sample_count;
};
