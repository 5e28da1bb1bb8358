/* What ahead-of-time sources for CUDA carry besides the tables and functions that they share with those for C
 * (templates/aot/aot.c): machine code of their kernels as arrays, and a launcher. The driver is opened by the first
 * call that needs it, never linked; its declarations are our own. A call checks all of its operands, and only then
 * gives work to the stream; it waits for nothing. */

//: includes
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined __BYTE_ORDER__ || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the machine code stands here as words of a little-endian machine"
#endif
//: classes
/* A kernel for accesses of these kinds (enum access_kind). A row has at most `groups` outer groups, and its period,
 * where the kernel counts on one, is `period`. */
struct class {
    const char *kinds;
    int number;                    /* among all of this file */
    bool batch;                    /* for samples in a table, and never for one alone */
    bool flat, mapped, wide, many;
    int block, tile, threads;      /* elements of a chunk and of a tile; threads of a block */
    int groups, steps, period, accesses, literals;
    bool apart;                    /* literals are a constant, number `literal_constant`; else arguments */
    int literal_constant;
    int fault;                     /* the first of its loop's bytes for divisions by zero and positions outside */
    const unsigned long long *literal;
    const uint64_t *const *code;   /* [CODES] */
};

/* Bytes that kernels read and that nobody hands over. */
struct constant {
    const void *data;
    size_t size;
};
//: driver
/* A CUresult and a CUdevice are an int, a CUdeviceptr is a uint64_t, handles are pointers. Of each function what the
 * driver calls it. */
#define DRIVER_FUNCTIONS(F)                                                                                     \
    F(cuInit, "cuInit", (unsigned flags))                                                                       \
    F(cuGetErrorName, "cuGetErrorName", (int error, const char **name))                                         \
    F(cuGetErrorString, "cuGetErrorString", (int error, const char **text))                                     \
    F(cuDeviceGet, "cuDeviceGet", (int *device, int ordinal))                                                   \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                    \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device))                       \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))                                  \
    F(cuCtxGetCurrent, "cuCtxGetCurrent", (void **context))                                                     \
    F(cuCtxGetDevice, "cuCtxGetDevice", (int *device))                                                          \
    F(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (void *context))                                                 \
    F(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (void **context))                                                  \
    F(cuStreamGetCtx, "cuStreamGetCtx", (void *stream, void **context))                                         \
    F(cuStreamIsCapturing, "cuStreamIsCapturing", (void *stream, int *status))                                  \
    F(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *mode))                      \
    F(cuModuleLoadData, "cuModuleLoadData", (void **module, const void *image))                                 \
    F(cuModuleUnload, "cuModuleUnload", (void *module))                                                         \
    F(cuModuleGetFunction, "cuModuleGetFunction", (void **function, void *module, const char *name))            \
    F(cuMemAlloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes))                                           \
    F(cuMemFree, "cuMemFree_v2", (uint64_t address))                                                            \
    F(cuMemFreeHost, "cuMemFreeHost", (void *memory))                                                           \
    F(cuMemHostAlloc, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))                          \
    F(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes))                           \
    F(cuMemAllocAsync, "cuMemAllocAsync", (uint64_t *address, size_t bytes, void *stream))                      \
    F(cuMemFreeAsync, "cuMemFreeAsync", (uint64_t address, void *stream))                                       \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (uint64_t to, const void *from, size_t bytes, void *stream))   \
    F(cuLaunchKernel, "cuLaunchKernel",                                                                         \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,   \
       unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra))

/* Values of cuda.h. */
enum {
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_NO_DEVICE = 100,
    CAPABILITY_MAJOR = 75,
    CAPABILITY_MINOR = 76,
    CAPTURE_RELAXED = 2,
    HOST_PORTABLE_MAPPED = 3,
    STREAM_NUMBERS = 2             /* streams up to here are no handles */
};

/* What this file has on the GPU of one context. It stays until it is released: nobody else can tell when the last
 * kernel, or a graph that launches it, is gone. */
struct gpu {
    struct gpu *next;
    void *context;
    int arch;                      /* 90: compute capability 9.0 */
    void *module[CLASSES], *function[CLASSES]; /* NULL: not loaded yet */
    uint64_t constant[CONSTANTS];  /* addresses */
};

static const struct constant constants[CONSTANTS];
static const struct code {
    int arch;
    bool ptx;                      /* else machine code, for GPUs of its generation from this one on */
} codes[CODES];

/* Functions of the driver. */
static struct {
#define FIELD(name, symbol, arguments) int(*name) arguments;
    DRIVER_FUNCTIONS(FIELD)
#undef FIELD
} driver;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static bool opened;                /* the table is complete, and the driver runs */
static void *primary;              /* the first GPU's context, once it was wanted, */
static int primary_device;         /* and that GPU */
static struct gpu *gpus;
static unsigned char *met;         /* [FAULT_BYTES] where divisions by zero counted, in memory of the host that all GPUs
                                      write to; NULL: not yet */

static _Thread_local char last_text[400];

#define TELL(status, ...) (snprintf(last_text, sizeof last_text, __VA_ARGS__), tell(status, NULL, last_text))

/* What a call of the driver returned. */
static int check_result(int result, const char *function)
{
    const char *name = NULL, *text = NULL;
    if (!result)
        return WEFT_KERNEL_OK;
    driver.cuGetErrorName(result, &name);
    driver.cuGetErrorString(result, &text);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return TELL(WEFT_KERNEL_OUT_OF_MEMORY, "%s: there is not enough memory on the GPU", function);
    return TELL(WEFT_KERNEL_DEVICE_ERROR, "%s failed: %s (%s, error %d)", function, text ? text : "no description",
                name ? name : "without a name", result);
}

#define CALL(function, ...) check_result(driver.function(__VA_ARGS__), #function)

static int start_driver(void)
{
    const int result = driver.cuInit(0);
    if (result == CUDA_ERROR_NO_DEVICE)
        return TELL(WEFT_KERNEL_UNSUPPORTED, "the driver, libcuda.so.1, finds no GPU");
    if (result == CUDA_ERROR_STUB_LIBRARY)
        return TELL(WEFT_KERNEL_UNSUPPORTED, "libcuda.so.1 is the CUDA toolkit's stub for linking, no driver");
    if (result) {
        check_result(result, "cuInit");
        return tell(WEFT_KERNEL_UNSUPPORTED, NULL, last_text);
    }
    opened = true;
    return WEFT_KERNEL_OK;
}

static int open_driver(void)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1",
                                        "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/nvidia/lib/libcuda.so.1"};
    static const struct {
        void *field;
        const char *symbol;
    } functions[] = {
#define ROW(name, symbol, arguments) {&driver.name, symbol},
        DRIVER_FUNCTIONS(ROW)
#undef ROW
    };
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return TELL(WEFT_KERNEL_UNSUPPORTED,
                    "there is no NVIDIA driver: none of %s, %s, %s, %s and %s can be opened; the driver's package has "
                    "it, and a container gets it by docker run --gpus all",
                    names[0], names[1], names[2], names[3], names[4]);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *const found = dlsym(library, functions[i].symbol);
        if (!found)
            return TELL(WEFT_KERNEL_UNSUPPORTED, "the NVIDIA driver has no %s: it is older than CUDA 11.2",
                        functions[i].symbol);
        memcpy(functions[i].field, &found, sizeof found);
    }
    return start_driver();
}
//: gpus
/* The context that a call runs in: the stream's, else the thread's own, else that of the first GPU. */
static int find_context(void *stream, void **context)
{
    int status;
    *context = NULL;
    if ((uintptr_t)stream > STREAM_NUMBERS)
        return CALL(cuStreamGetCtx, stream, context);
    status = CALL(cuCtxGetCurrent, context);
    if (status || *context)
        return status;
    if (!primary) {
        status = CALL(cuDeviceGet, &primary_device, 0);
        status = status ? status : CALL(cuDevicePrimaryCtxRetain, &primary, primary_device);
    }
    *context = primary;
    return status;
}

/* Copies what kernels read to a GPU, and finds out which one it is. */
static int fill_gpu(struct gpu *gpu)
{
    int device = 0, major = 0, minor = 0;
    int status = CALL(cuCtxGetDevice, &device);
    status = status ? status : CALL(cuDeviceGetAttribute, &major, CAPABILITY_MAJOR, device);
    status = status ? status : CALL(cuDeviceGetAttribute, &minor, CAPABILITY_MINOR, device);
    gpu->arch = 10 * major + minor;
    for (int i = 0; !status && i < CONSTANTS; i++) {
        if (!constants[i].size)
            continue;
        status = CALL(cuMemAlloc, &gpu->constant[i], constants[i].size);
        status = status ? status : CALL(cuMemcpyHtoD, gpu->constant[i], constants[i].data, constants[i].size);
    }
    if (!status && FAULT_BYTES && !met) {
        void *memory = NULL;
        status = CALL(cuMemHostAlloc, &memory, FAULT_BYTES + 1, HOST_PORTABLE_MAPPED);
        met = memory;
        if (met)
            memset(met, 0, FAULT_BYTES + 1);
    }
    return status;
}

/* What is on a GPU, whose context is current. */
static void empty_gpu(struct gpu *gpu)
{
    for (int c = 0; c < CLASSES; c++)
        if (gpu->module[c])
            driver.cuModuleUnload(gpu->module[c]);
    for (int i = 0; i < CONSTANTS; i++)
        if (gpu->constant[i])
            driver.cuMemFree(gpu->constant[i]);
    free(gpu);
}

/* What this file has on the GPU whose context is current. */
static int find_gpu(void *context, struct gpu **found)
{
    struct gpu *gpu = gpus;
    while (gpu && gpu->context != context)
        gpu = gpu->next;
    *found = gpu;
    if (gpu)
        return WEFT_KERNEL_OK;
    gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory for what is known of a GPU");
    gpu->context = context;
    gpu->next = gpus;
    const int status = fill_gpu(gpu);
    if (status) {
        empty_gpu(gpu);
        return status;
    }
    *found = gpus = gpu;
    return WEFT_KERNEL_OK;
}

/* The code for this GPU: of its generation the newest that it runs, else PTX that the driver translates. -1:
 * none. */
static int find_code(int arch)
{
    int best = -1;
    for (int c = 0; c < CODES; c++) {
        const bool runs = codes[c].arch <= arch && (codes[c].ptx || codes[c].arch / 10 == arch / 10);
        if (runs && (best < 0 || (codes[best].ptx && !codes[c].ptx) ||
                     (codes[best].ptx == codes[c].ptx && codes[best].arch < codes[c].arch)))
            best = c;
    }
    return best;
}

/* The mutex is held. */
static int load_function(struct gpu *gpu, const struct class *class)
{
    const int code = find_code(gpu->arch);
    void **const module = &gpu->module[class->number];
    if (code < 0)
        return TELL(WEFT_KERNEL_UNSUPPORTED, "the GPU's architecture is sm_%d, and there is code for %s; "
                    "weft build --arch sm_%d adds it", gpu->arch, ARCHITECTURES, gpu->arch);
    const int status = *module ? WEFT_KERNEL_OK : CALL(cuModuleLoadData, module, class->code[code]);
    return status ? status : CALL(cuModuleGetFunction, &gpu->function[class->number], *module, "weft_kernel");
}

/* As a call begins; *pushed: there is a context to pop in the end. The mutex is held. */
static int enter_context(void *stream, struct gpu **gpu, bool *pushed)
{
    void *context = NULL;
    int status = find_context(stream, &context);
    status = status ? status : CALL(cuCtxPushCurrent, context);
    *pushed = !status;
    return status ? status : find_gpu(context, gpu);
}

/* What allocates and loads in between may do so although some thread captures a graph. */
static int enter_gpu(void *stream, struct gpu **gpu, bool *pushed)
{
    int mode = CAPTURE_RELAXED;
    *pushed = false;
    pthread_mutex_lock(&mutex);
    int status = opened ? WEFT_KERNEL_OK : open_driver();
    if (!status) {
        driver.cuThreadExchangeStreamCaptureMode(&mode);
        status = enter_context(stream, gpu, pushed);
        driver.cuThreadExchangeStreamCaptureMode(&mode);
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

static int find_function(struct gpu *gpu, const struct class *class)
{
    int mode = CAPTURE_RELAXED, status = WEFT_KERNEL_OK;
    pthread_mutex_lock(&mutex);
    if (!gpu->function[class->number]) {
        driver.cuThreadExchangeStreamCaptureMode(&mode);
        status = load_function(gpu, class);
        driver.cuThreadExchangeStreamCaptureMode(&mode);
    }
    pthread_mutex_unlock(&mutex);
    return status;
}
//: plan
/* One loop on one sample. */
struct plan {
    struct weft_geometry walk;
    long long extents[LOOP_GROUPS], strides[ACCESSES * (LOOP_GROUPS + 2)];
    long long numbers[MAPPED * MAP_NUMBERS + 1];
    long long *maps[ACCESSES];
    int64_t starts[ACCESSES];
    unsigned char kinds[ACCESSES];
    const struct class *class;
    bool divided;                  /* into launches of at most PIECE elements */
    int64_t tiles;                 /* nobody reads them */
};
//: class
enum { PIECE = 1 << 30 };          /* elements that 32 bits count, with room for a tile */

static bool serves(const struct class *class, const struct loop *loop, const struct rows *rows,
                   const unsigned char *kinds, bool wide)
{
    return memcmp(class->kinds, kinds, (size_t)loop->accesses) == 0 && class->flat == (rows->period != 0) &&
           rows->groups <= class->groups && (!class->period || class->period == rows->period) &&
           (class->wide || !wide);
}

static const struct class *find_class(const struct loop *loop, const struct rows *rows, const unsigned char *kinds,
                                      bool wide, bool batch)
{
    for (int c = 0; c < loop->classes; c++)
        if (loop->class[c].batch == batch && serves(&loop->class[c], loop, rows, kinds, wide))
            return &loop->class[c];
    return NULL;
}

/* Whether the elements are one row, and lie there one after the other. */
static bool is_one_row(const struct loop *loop, const struct rows *rows, const unsigned char *kinds)
{
    bool one = !rows->groups && !rows->period;
    for (int a = 0; a < loop->accesses; a++)
        one = one && kinds[a] != ACCESS_STRIDED && kinds[a] != ACCESS_MAPPED && kinds[a] != ACCESS_BOUNDED;
    return one;
}
//: form
#define FORM struct class
//: kinds
/* False where there is no kernel for these kinds, or with `batch` none that takes many samples. */
static bool plan_kinds(const struct loop *loop, const struct tensor *tensors, const int64_t *d, bool special,
                       bool batch, struct plan *plan)
{
    struct views views;
    int64_t extents[LOOP_GROUPS], strides[ACCESSES * (LOOP_GROUPS + 2)], group_strides_[LOOP_GROUPS * ACCESSES];
    make_views(loop, tensors, d, special, &views);
    struct grouping groups = {.accesses = loop->accesses, .strides = group_strides_, .walks = views.walk,
                              .starts = plan->starts, .sizes = views.sizes};
    struct rows rows = {.extents = extents, .strides = strides, .kinds = plan->kinds};
    groups_find(&groups, views.space.rank, views.space.extents, count_elements(&views.space), views.pointers);
    groups_stride(&groups, views.space.rank, views.space.extents, views.pointers);
    make_rows(&groups, special && chunks_run_flat(&groups), special, &rows);
    for (int a = 0; a < loop->accesses && a < ACCESSES; a++) /* else gcc sees it go beyond */
        if (loop->access[a].source == FROM_VALUE || loop->access[a].source == FROM_NUMBER)
            plan->kinds[a] = ACCESS_VALUE;
    const int64_t elements = rows.rows * rows.columns;
    const bool wide = chunks_are_wide(elements, strides, loop->accesses * (rows.groups + 2)) ||
                      numbers_are_wide(&groups);
    plan->divided = elements > PIECE && special && !batch && is_one_row(loop, &rows, plan->kinds);
    plan->class = find_class(loop, &rows, plan->kinds, wide && !plan->divided, batch);
    if (!plan->class)
        return false;
    keep_plan(loop, &groups, &rows, plan);
    return true;
}
//: call
/* A call whose operands are known to be good. */
struct call {
    const struct kernel *kernel;
    const struct weft_array *const *arrays;
    const int64_t *steps;
    void *stream;
    struct gpu *gpu;
    size_t own;                    /* bytes of a sample's temporaries */
    uint64_t temporaries, table;   /* memory of the GPU; 0: none */
};

enum {
    MAP_WORDS = MAPPED ? MAPPED * (1 + (MAP_LEVELS + 1) * (3 + 6 * MAX_PIECES)) : 0,
    ONE_ROOM = TABLE_WORDS + MAP_WORDS + 1,
    SAMPLES = BATCH_WORDS ? (4096 + BATCH_WORDS) / BATCH_WORDS : 1, /* of one launch */
    TABLE_ROOM = ONE_ROOM > SAMPLES * BATCH_WORDS ? ONE_ROOM : SAMPLES * BATCH_WORDS,
    LENT_MOST = 64 << 20           /* bytes for temporaries of several samples */
};

static bool is_dense(const struct loop *loop, const struct plan *plan, const uint64_t *bases)
{
    bool dense = rows_are_whole(plan->class, &plan->walk);
    for (int a = 0; a < loop->accesses; a++)
        dense = dense && (plan->kinds[a] != ACCESS_UNIT ||
                          is_aligned(plan->class, &plan->walk, a, loop->access[a].size, bases[a]));
    return dense;
}

/* Room for a table, which a kernel reads besides its arguments. A graph would copy what is no longer there. */
static int reserve_table(struct call *call)
{
    int capturing = 0;
    if (call->table)
        return WEFT_KERNEL_OK;
    const int status = CALL(cuStreamIsCapturing, call->stream, &capturing);
    if (!status && capturing)
        return tell(WEFT_KERNEL_UNSUPPORTED, NULL, "this call cannot be captured: its kernel reads elements by their "
                    "numbers, by tables that are made for each call");
    return status ? status : CALL(cuMemAllocAsync, &call->table, TABLE_ROOM * sizeof(uint64_t), call->stream);
}

/* The tables behind the arguments: maps, and where arguments are too many the geometry and the sample. */
static int send_table(struct call *call, const struct loop *loop, const struct plan *plan, struct launch_words *launch,
                      uint64_t *maps)
{
    const struct class *class = plan->class;
    uint64_t table[ONE_ROOM], *to = table;
    const int status = reserve_table(call);
    if (status)
        return status;
    for (int a = 0; a < loop->accesses; a++) {
        maps[a] = call->table + (uint64_t)(to - table) * sizeof *table;
        if (plan->kinds[a] == ACCESS_MAPPED || plan->kinds[a] == ACCESS_BOUNDED)
            to = put_map(to, plan->walk.maps[a], plan->kinds[a] == ACCESS_BOUNDED, class->wide);
    }
    if (class->many) {
        const uint64_t geometry = call->table + (uint64_t)(to - table) * sizeof *table;
        to = put_geometry(to, class, &plan->walk, maps);
        launch->samples = call->table + (uint64_t)(to - table) * sizeof *table;
        to = put_sample(to, class, 0, launch->dense, geometry, launch->bases);
    }
    return CALL(cuMemcpyHtoDAsync, call->table, table, (size_t)(to - table) * sizeof *table, call->stream);
}

/* `walk` is read where the kernel takes one sample by value. */
static int launch_kernel(const struct call *call, const struct loop *loop, const struct class *class,
                         const struct weft_geometry *walk, struct launch_words launch)
{
    uint64_t words[ARGS_WORDS];
    void *parameters[] = {words};
    launch.faults = loop->faults ? (uint64_t)(uintptr_t)(met + class->fault) : 0;
    launch.literals = class->literal;
    launch.literals_address = class->apart ? call->gpu->constant[class->literal_constant] : 0;
    put_args(words, class, walk, &launch);
    return CALL(cuLaunchKernel, call->gpu->function[class->number], count_blocks(class, launch.tiles), 1, 1,
                (unsigned)class->threads, 1, 1, 0, call->stream, parameters, NULL);
}

/* At least one: there are elements. */
static int64_t count_tiles(const struct plan *plan)
{
    return (plan->walk.rows * plan->walk.columns - 1) / plan->class->tile + 1;
}

static int launch(struct call *call, const struct loop *loop, const struct plan *plan, const uint64_t *bases)
{
    const struct class *class = plan->class;
    uint64_t maps[ACCESSES] = {0};
    struct launch_words launch = {.tiles = count_tiles(plan), .dense = is_dense(loop, plan, bases), .bases = bases,
                                  .maps = maps, .sample_count = 1};
    int status = find_function(call->gpu, class);
    if (!status && (class->mapped || class->many))
        status = send_table(call, loop, plan, &launch, maps);
    return status ? status : launch_kernel(call, loop, class, &plan->walk, launch);
}

/* Samples that one launch computes: one after the other, and behind the room for them what they are walked by. */
struct table {
    const struct class *class;
    int64_t samples, room, tiles;
    uint64_t words[SAMPLES * BATCH_WORDS + 1];
};

static int launch_table(struct call *call, const struct loop *loop, struct table *table)
{
    const struct launch_words launch = {.tiles = table->tiles, .samples = call->table, .sample_count = table->samples};
    if (!table->samples)
        return WEFT_KERNEL_OK;
    int status = find_function(call->gpu, table->class);
    status = status ? status : CALL(cuMemcpyHtoDAsync, call->table, table->words,
                                    (size_t)table->room * BATCH_WORDS * sizeof *table->words, call->stream);
    table->samples = 0;
    return status ? status : launch_kernel(call, loop, table->class, NULL, launch);
}

/* Memory for it is there. */
static void add_sample(const struct call *call, const struct loop *loop, const struct plan *plan, const uint64_t *bases,
                       struct table *table)
{
    const int64_t sample = 3 + loop->accesses, each = BATCH_WORDS - sample;
    const int64_t at = table->room * sample + table->samples * each;
    if (!table->samples)
        table->tiles = 0;
    put_sample(table->words + table->samples * sample, plan->class, table->tiles, is_dense(loop, plan, bases),
               call->table + (uint64_t)at * sizeof *table->words, bases);
    put_geometry(table->words + at, plan->class, &plan->walk, NULL);
    table->class = plan->class;
    table->tiles += count_tiles(plan);
    table->samples++;
}

/* One row of more elements than 32 bits count, piece after piece. */
static int launch_pieces(struct call *call, const struct loop *loop, struct plan *plan, uint64_t *bases)
{
    int status = WEFT_KERNEL_OK;
    for (int64_t left = plan->walk.columns; !status && left > 0; left -= PIECE) {
        plan->walk.columns = left < PIECE ? left : PIECE;
        status = launch(call, loop, plan, bases);
        for (int a = 0; a < loop->accesses; a++)
            if (plan->kinds[a] == ACCESS_UNIT)
                bases[a] += (uint64_t)PIECE * (uint64_t)loop->access[a].size;
    }
    return status;
}

/* What stands for the access among the arguments: the address of its first element, or a value. `turn` counts samples
 * that are under way together. */
static uint64_t base_of(const struct call *call, const struct access *access, const struct tensor *tensors,
                        const int64_t *d, int turn)
{
    uint64_t value = 0;
    switch (access->source) {
    case FROM_OPERAND: return (uint64_t)(uintptr_t)tensors[access->index].data;
    case FROM_NUMBER: return (uint64_t)d[access->index];
    case FROM_CONSTANT: return call->gpu->constant[access->index];
    case FROM_TEMPORARY:
        return call->temporaries + (uint64_t)turn * call->own + place_temporary(call->kernel, access->index, d);
    default: memcpy(&value, tensors[access->index].data, (size_t)access->size); return value;
    }
}

/* A loop on one sample, now or with others in the table. */
static int run_loop(struct call *call, const struct loop *loop, const struct tensor *tensors, const int64_t *d,
                    int turn, struct table *table)
{
    struct plan plan;
    uint64_t bases[ACCESSES];
    if (volume(loop->shape.rank, loop->shape.extents, d) <= 0 || is_empty(call->kernel, tensors))
        return WEFT_KERNEL_OK;
    for (int a = 0; a < loop->accesses; a++)
        bases[a] = base_of(call, &loop->access[a], tensors, d, turn);
    const bool together = table && plan_kinds(loop, tensors, d, true, true, &plan);
    if (!together && !plan_kinds(loop, tensors, d, true, false, &plan))
        plan_kinds(loop, tensors, d, false, false, &plan);
    for (int a = 0; a < loop->accesses; a++)
        bases[a] += (uint64_t)plan.starts[a];
    if (together) {
        add_sample(call, loop, &plan, bases, table);
        return WEFT_KERNEL_OK;
    }
    return plan.divided ? launch_pieces(call, loop, &plan, bases) : launch(call, loop, &plan, bases);
}

/* All loops on samples from `begin` on; table NULL: one after the other. */
static int run_together(struct call *call, int64_t begin, int count, struct table *table)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    int status = WEFT_KERNEL_OK;
    for (int p = 0; !status && p < call->kernel->loops; p++) {
        const struct loop *loop = &call->kernel->loop[p];
        for (int i = 0; !status && i < count; i++) {
            const environment before = enter();
            status = read_sample(call->kernel, call->arrays, call->steps, begin + i, tensors, d);
            leave(before);
            status = status ? status : run_loop(call, loop, tensors, d, i, table);
        }
        if (!status && table)
            status = launch_table(call, loop, table);
    }
    return status;
}

/* How many samples are under way together. A graph would copy a table that is no longer there. */
static int find_together(const struct call *call, int64_t samples, int *together)
{
    int capturing = 0;
    *together = 1;
    if (samples == 1 || !BATCH_WORDS)
        return WEFT_KERNEL_OK;
    const int status = CALL(cuStreamIsCapturing, call->stream, &capturing);
    if (status || capturing)
        return status;
    *together = samples < SAMPLES ? (int)samples : SAMPLES;
    while (*together > 1 && call->own > LENT_MOST / (size_t)*together)
        *together /= 2;
    return WEFT_KERNEL_OK;
}

static int run_samples(struct call *call, int64_t samples)
{
    struct table table;
    int together;
    int status = find_together(call, samples, &together);
    table.samples = 0;
    table.room = together;
    if (!status && together > 1) {
        memset(table.words, 0, (size_t)together * BATCH_WORDS * sizeof *table.words);
        status = reserve_table(call);
    }
    if (!status && call->own)
        status = CALL(cuMemAllocAsync, &call->temporaries, call->own * (size_t)together, call->stream);
    for (int64_t i = 0; !status && i < samples; i += together)
        status = run_together(call, i, samples - i < together ? (int)(samples - i) : together,
                              together > 1 ? &table : NULL);
    return status;
}

/* Memory that was lent goes back in the order of the stream, also where something failed. */
static void give_back(uint64_t address, void *stream)
{
    if (address)
        driver.cuMemFreeAsync(address, stream);
}

static int run_checked(struct call *call, int64_t samples)
{
    void *context;
    bool pushed;
    int status = enter_gpu(call->stream, &call->gpu, &pushed);
    status = status ? status : run_samples(call, samples);
    give_back(call->table, call->stream);
    give_back(call->temporaries, call->stream);
    if (pushed)
        driver.cuCtxPopCurrent(&context);
    return status;
}
//: entries
/* Sample i of operand o is arrays[o][i * steps[o]]. */
SHARED int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                    const int64_t *steps, void *stream)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    struct call call = {.kernel = kernel, .arrays = arrays, .steps = steps, .stream = stream};
    int status = check_arguments(kernel, samples, arrays);
    if (status || !samples)
        return status;
    const environment before = enter();
    status = check_call(kernel, samples, arrays, steps, tensors, d, &call.own);
    leave(before);
    return status ? status : run_checked(&call, samples);
}

SHARED int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays, void *stream)
{
    const struct weft_array *pointers[OPERANDS];
    const int64_t steps[OPERANDS] = {0};
    for (int o = 0; o < kernel->inputs + kernel->results; o++)
        pointers[o] = &arrays[o];
    return weft_run(kernel, 1, pointers, steps, stream);
}

/* The first remark in the text, of all that the kernel's launches have met since this was last asked. */
SHARED int weft_status(const struct kernel *kernel)
{
    struct place first = {0, 0, 0};
    pthread_mutex_lock(&mutex);
    volatile unsigned char *const bytes = met;
    pthread_mutex_unlock(&mutex);
    for (int p = 0; bytes && p < kernel->loops; p++)
        for (int f = 0; f < kernel->loop[p].faults; f++) {
            volatile unsigned char *const byte = &bytes[kernel->loop[p].class->fault + f];
            if (*byte)
                keep_first(&first, &kernel->loop[p].fault[f]);
            *byte = 0;
        }
    return tell_remark(&first);
}

/* Everything on all GPUs; what the driver refuses is lost with its context. */
SHARED void weft_release(void)
{
    void *context;
    pthread_mutex_lock(&mutex);
    for (struct gpu *next; gpus; gpus = next) {
        next = gpus->next;
        const bool there = driver.cuCtxPushCurrent(gpus->context) == 0;
        if (there)
            empty_gpu(gpus);
        else
            free(gpus);
        if (there && !next && met) { /* the one it came with */
            driver.cuMemFreeHost(met);
            met = NULL;
        }
        if (there)
            driver.cuCtxPopCurrent(&context);
    }
    if (primary)
        driver.cuDevicePrimaryCtxRelease(primary_device);
    primary = NULL;
    pthread_mutex_unlock(&mutex);
}
