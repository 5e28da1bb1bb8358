/* What ahead-of-time sources for CUDA have on GPUs: contexts, constants and loaded kernels. */

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
