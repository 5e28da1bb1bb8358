/* Calls every entry of kernels that were compiled ahead of time for CUDA (tests/aot/sample_cuda.weft) as a host would,
 * right and wrong ways, on a driver that it links. Results are compared with plain C, bit for bit; what is wrong must
 * be told. Prints what fails, ends with the number of failures. */
#include "sample_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t pointer;
extern int cuInit(unsigned flags);
extern int cuDeviceGet(int *device, int ordinal);
extern int cuDevicePrimaryCtxRetain(void **context, int device);
extern int cuDevicePrimaryCtxRelease_v2(int device);
extern int cuCtxPushCurrent_v2(void *context);
extern int cuCtxPopCurrent_v2(void **context);
extern int cuCtxGetCurrent(void **context);
extern int cuStreamCreate(void **stream, unsigned flags);
extern int cuStreamDestroy_v2(void *stream);
extern int cuStreamSynchronize(void *stream);
extern int cuStreamBeginCapture_v2(void *stream, int mode);
extern int cuStreamEndCapture(void *stream, void **graph);
extern int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
extern int cuGraphLaunch(void *exec, void *stream);
extern int cuGraphExecDestroy(void *exec);
extern int cuGraphDestroy(void *graph);
extern int cuMemAlloc_v2(pointer *address, size_t bytes);
extern int cuMemFree_v2(pointer address);
extern int cuMemcpyHtoD_v2(pointer to, const void *from, size_t bytes);
extern int cuMemcpyDtoH_v2(void *to, pointer from, size_t bytes);
extern void mockcuda_pause(int pause);

static int failures;

#define CHECK(condition)                                                                         \
    ((condition) ? (void)0 : (void)(failures++, printf("%s:%d: %s\n", __FILE__, __LINE__, #condition)))

static void *stream;

/* Memory of the GPU with these bytes, NULL: any. */
static void *placed(const void *from, size_t bytes)
{
    pointer address = 0;
    CHECK(cuMemAlloc_v2(&address, bytes ? bytes : 1) == 0);
    if (from && bytes)
        CHECK(cuMemcpyHtoD_v2(address, from, bytes) == 0);
    return (void *)(uintptr_t)address;
}

static void fetch(void *to, const void *from, size_t bytes)
{
    CHECK(cuStreamSynchronize(stream) == 0);
    CHECK(cuMemcpyDtoH_v2(to, (pointer)(uintptr_t)from, bytes) == 0);
}

static void drop(void *memory)
{
    CHECK(cuMemFree_v2((pointer)(uintptr_t)memory) == 0);
}

static float normalized(uint8_t x, float mean, float gain)
{
    const float difference = (float)x - mean;
    return difference * gain;
}

/* ---- normalize ---- */

enum { MOST = 3 * 41 * 300 };
static uint8_t bytes[MOST];
static float found[MOST + 2];
static const float mean[3] = {123.675f, 116.28f, 103.53f};

static bool is_normalized(const float *out, int64_t count)
{
    bool same = true;
    for (int64_t i = 0; i < count; i++)
        same = same && out[i] == normalized(bytes[i], mean[i % 3], 0.017f);
    return same;
}

/* Data that begin a few elements behind a line: those of the result as they do, or otherwise. */
static void test_dense(void)
{
    static const int64_t sizes[][2] = {{0, 5}, {1, 1}, {3, 21}, {41, 300}};
    static const int shifts[][2] = {{0, 0}, {1, 1}, {3, 3}, {0, 2}, {5, 0}};
    enum { ROOM = 8 };
    void *const means = placed(mean, sizeof mean);
    uint8_t *const img = placed(NULL, MOST + ROOM);
    float *const out = placed(NULL, (MOST + ROOM) * sizeof *out);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++) {
            const int64_t h = sizes[s][0], w = sizes[s][1], count = 3 * h * w;
            uint8_t *const from = img + shifts[k][0];
            float *const to = out + shifts[k][1], guard[2] = {17, 19};
            CHECK(cuMemcpyHtoD_v2((pointer)(uintptr_t)from, bytes, (size_t)count) == 0);
            CHECK(cuMemcpyHtoD_v2((pointer)(uintptr_t)(to + count), guard, sizeof guard) == 0);
            CHECK(normalize_cuda(from, means, 0.017f, h, w, to, stream) == WEFT_KERNEL_OK);
            fetch(found, to, ((size_t)count + 2) * sizeof *to);
            CHECK(is_normalized(found, count) && memcmp(found + count, guard, sizeof guard) == 0);
        }
    drop(img), drop(out), drop(means);
}

/* More samples than a launch takes, with temporaries. */
static void test_large_batch(void)
{
    enum { SAMPLES = 700, ROWS = 3, COLUMNS = 5 };
    static int64_t row[SAMPLES][COLUMNS], column[SAMPLES][ROWS], out[SAMPLES][ROWS * COLUMNS];
    static int64_t row_shapes[SAMPLES][1], column_shapes[SAMPLES][2];
    static struct weft_array rows[SAMPLES], columns[SAMPLES], planes[SAMPLES], outs[SAMPLES];
    static const int64_t one[3] = {1, 1, 1}, plane[1] = {5};
    for (int i = 0; i < SAMPLES * COLUMNS; i++)
        (&row[0][0])[i] = 1000 + 37 * i;
    for (int i = 0; i < SAMPLES * ROWS; i++)
        (&column[0][0])[i] = 3 + i;
    int64_t *const p = placed(plane, sizeof plane), *const r = placed(row, sizeof row);
    int64_t *const c = placed(column, sizeof column), *const o = placed(NULL, sizeof out);
    for (int s = 0; s < SAMPLES; s++) {
        row_shapes[s][0] = 1 + s % COLUMNS, column_shapes[s][0] = s % 7 ? ROWS : 0, column_shapes[s][1] = 1;
        rows[s] = (struct weft_array){r + s * COLUMNS, row_shapes[s], NULL};
        columns[s] = (struct weft_array){c + s * ROWS, column_shapes[s], NULL};
        planes[s] = (struct weft_array){p, one, NULL};
        outs[s] = (struct weft_array){o + s * ROWS * COLUMNS, NULL, NULL};
    }
    CHECK(outer_cuda_batch(SAMPLES, rows, 1, columns, 1, planes, 0, outs, stream) == WEFT_KERNEL_OK);
    fetch(out, o, sizeof out);
    bool same = true;
    for (int s = 0; s < SAMPLES; s++)
        for (int64_t i = 0; i < column_shapes[s][0] * row_shapes[s][0]; i++) {
            const int64_t x = row[s][i % row_shapes[s][0]], y = column[s][i / row_shapes[s][0]];
            same = same && out[s][i] == (((x % 97) * x % 89) % 83) * 1000 + (((y % 97) * y % 89) % 83) + 5;
        }
    CHECK(same);
    drop(r), drop(c), drop(o), drop(p);
}

/* A picture in a larger one, its rows with gaps after which they begin anywhere, then its columns as well; of `w`
 * columns, so many bytes behind a line. */
static void check_strided(int h, int w, int shift)
{
    const int64_t shape[3] = {h, w, 3}, rows[3] = {3 * w + 10, 3, 1}, apart[3] = {(3 * w + 3) * 2, 6, 2};
    const int64_t three[1] = {3};
    const size_t room_bytes = (size_t)(shift + h * (3 * w + 10) * 2);
    uint8_t *const room = calloc(room_bytes, 1);
    for (int which = 0; which < 2; which++) {
        const int64_t *strides = which ? apart : rows;
        for (int i = 0; i < h * w * 3; i++)
            room[shift + i / 3 / w * strides[0] + i / 3 % w * strides[1] + i % 3 * strides[2]] = bytes[i];
        uint8_t *const img = placed(room, room_bytes);
        void *const out = placed(NULL, (size_t)(h * w * 3) * sizeof(float)), *const means = placed(mean, sizeof mean);
        CHECK(normalize_cuda_strided(img + shift, shape, strides, means, three, NULL, 0.017f, out, shape, NULL,
                                     stream) == 0);
        fetch(found, out, (size_t)(h * w * 3) * sizeof(float));
        CHECK(is_normalized(found, h * w * 3));
        drop(img), drop(out), drop(means);
    }
    free(room);
}

static void test_strided(void)
{
    check_strided(7, 50, 0);
    check_strided(41, 296, 0);
    check_strided(41, 296, 3);
}

/* Pictures of several tiles and of less than one, some of which begin behind a line. */
static void test_batch(void)
{
    enum { SAMPLES = 7, ROOM = 4 };
    const int64_t three[1] = {3};
    const int64_t shapes[SAMPLES][3] = {{2, 3, 3}, {1, 1, 3}, {0, 4, 3}, {41, 300, 3},
                                        {2, 3, 3}, {40, 297, 3}, {9, 64, 3}};
    float gain = 0.017f;
    struct weft_array img[SAMPLES], out[SAMPLES], means = {placed(mean, sizeof mean), three, NULL};
    struct weft_array gains = {&gain, NULL, NULL};
    uint8_t *whole[SAMPLES];
    for (int last = 1; last <= SAMPLES; last += 3) {
        for (int i = 0; i < last; i++) {
            const size_t count = (size_t)(shapes[i][0] * shapes[i][1] * 3);
            const int shift = last > 3 ? i % ROOM : 0;
            whole[i] = placed(NULL, count + ROOM);
            CHECK(cuMemcpyHtoD_v2((pointer)(uintptr_t)(whole[i] + shift), bytes, count) == 0);
            img[i] = (struct weft_array){whole[i] + shift, shapes[i], NULL};
            out[i] = (struct weft_array){placed(NULL, count * sizeof(float)), NULL, NULL};
        }
        CHECK(normalize_cuda_batch(last, img, 1, &means, 0, &gains, 0, out, stream) == WEFT_KERNEL_OK);
        for (int i = 0; i < last; i++) {
            const int64_t count = shapes[i][0] * shapes[i][1] * 3;
            fetch(found, out[i].data, (size_t)count * sizeof(float));
            CHECK(is_normalized(found, count));
            drop(whole[i]), drop(out[i].data);
        }
    }
    CHECK(normalize_cuda_batch(0, NULL, 1, NULL, 0, NULL, 0, NULL, stream) == WEFT_KERNEL_OK);
    CHECK(normalize_cuda_batch(-1, img, 1, &means, 0, &gains, 0, out, stream) == WEFT_KERNEL_INVALID_ARGUMENT);
    drop(means.data);
}

static void test_refused(void)
{
    const int64_t shape[3] = {1, 2, 3}, other[3] = {2, 1, 3}, three[1] = {3};
    char *const memory = placed(NULL, 64);
    CHECK(normalize_cuda(NULL, mean, 1, 1, 2, found, stream) == WEFT_KERNEL_INPUT_ERROR);
    CHECK(strcmp(normalize_cuda_note()->operand, "img") == 0);
    CHECK(normalize_cuda((void *)memory, (void *)(memory + 1), 1, 1, 2, (void *)(memory + 16), stream) ==
          WEFT_KERNEL_INPUT_ERROR);
    CHECK(normalize_cuda((void *)memory, (void *)memory, 1, 1, 2, (void *)memory, stream) == WEFT_KERNEL_OVERLAP_ERROR);
    CHECK(normalize_cuda_strided((void *)memory, shape, NULL, (void *)(memory + 8), three, NULL, 1,
                                 (void *)(memory + 32), other, NULL, stream) == WEFT_KERNEL_SHAPE_ERROR);
    int64_t out[3] = {0};
    CHECK(normalize_cuda_shape(shape, three, out) == 0 && out[0] == 1 && out[1] == 2 && out[2] == 3);
    CHECK(normalize_cuda_shape((int64_t[]){1, 2, 4}, three, out) == WEFT_KERNEL_SHAPE_ERROR);
    drop(memory);
}

/* ---- the others ---- */

enum { N = 1000 };

/* Remarks are told once the stream was synchronized, and once. */
static void test_status(void)
{
    static int32_t a[N], b[N], quotient[N];
    for (int i = 0; i < N; i++)
        a[i] = 7 * i, b[i] = i % 5 ? i % 5 : 3;
    void *const as = placed(a, sizeof a), *bs = placed(b, sizeof b), *const out = placed(NULL, sizeof a);
    CHECK(divide_cuda(as, bs, N, out, stream) == WEFT_KERNEL_OK);
    fetch(quotient, out, sizeof quotient);
    CHECK(divide_cuda_status() == WEFT_KERNEL_OK);
    bool same = true;
    for (int i = 0; i < N; i++)
        same = same && quotient[i] == a[i] / b[i];
    CHECK(same);
    b[999] = 0;
    drop(bs);
    bs = placed(b, sizeof b);
    CHECK(divide_cuda(as, bs, N, out, stream) == WEFT_KERNEL_OK);
    fetch(quotient, out, sizeof quotient);
    CHECK(normalize_cuda_status() == WEFT_KERNEL_OK);
    CHECK(divide_cuda_status() == WEFT_KERNEL_DIVIDE_BY_ZERO && quotient[999] == 0);
    CHECK(divide_cuda_note()->line == 8 && divide_cuda_note()->column == 25);
    CHECK(divide_cuda_status() == WEFT_KERNEL_OK);
    drop(as), drop(bs), drop(out);
}

/* What is read by number, and an array literal. */
static void test_views(void)
{
    static int16_t x[4 * N];
    static int32_t out[4 * N];
    const int32_t add[4] = {10, 20, 30, 40};
    bool same = true;
    for (int i = 0; i < 4 * N; i++)
        x[i] = (int16_t)(3 * i);
    void *const from = placed(x, sizeof x), *const to = placed(NULL, sizeof out);
    CHECK(turn_cuda(from, N, to, stream) == WEFT_KERNEL_OK);
    fetch(out, to, sizeof out);
    for (int i = 0; i < 4 * N; i++)
        same = same && out[i] == x[i] + add[i / N];
    CHECK(same);
    drop(from), drop(to);
}

/* With strides that leave nothing to walk: all goes by number, and the arguments stand in a table. */
static void test_many_arguments(void)
{
    enum { ROWS = 30, COUNT = 4 * ROWS };
    static int16_t a[COUNT];
    static int32_t b[2 * COUNT], out[COUNT];
    const int64_t a_shape[2] = {ROWS, 4}, a_strides[2] = {1, ROWS}, b_shape[1] = {COUNT}, back[1] = {-1}, two[1] = {2},
                  out_shape[2] = {4, ROWS}, out_strides[2] = {1, 4};
    bool same = true;
    for (int i = 0; i < COUNT; i++)
        a[i] = (int16_t)(i * i), b[2 * i] = 1000 - 7 * i, b[2 * i + 1] = i;
    void *const as = placed(a, sizeof a), *const to = placed(NULL, sizeof out);
    int32_t *const bs = placed(b, sizeof b), *const cs = placed(b, sizeof b);
    CHECK(weave_cuda_strided(as, a_shape, a_strides, bs, b_shape, two, cs + COUNT - 1, b_shape, back, cs, b_shape,
                             NULL, bs, b_shape, two, to, out_shape, out_strides, stream) == WEFT_KERNEL_OK);
    fetch(out, to, sizeof out);
    for (int i = 0; i < COUNT; i++)
        same = same && out[i % ROWS * 4 + i / ROWS] ==
                           a[i % 4 * ROWS + i / 4] + b[2 * i] * 3 + b[COUNT - 1 - i] + b[i] - b[2 * i];
    CHECK(same);
    drop(as), drop(to), drop(bs), drop(cs);
}

/* Two kernels, one after the other, by way of memory that is lent. */
static void test_hoisted(void)
{
    enum { ROWS = 600, COLUMNS = 500 };
    static int64_t row[COLUMNS], column[ROWS], out[2][ROWS * COLUMNS];
    const int64_t plane[2] = {-1, 7};
    bool same = true;
    for (int i = 0; i < COLUMNS; i++)
        row[i] = 1000 + 37 * i;
    for (int i = 0; i < ROWS; i++)
        column[i] = 3 + i;
    void *const planes = placed(plane, sizeof plane), *const rows = placed(row, sizeof row),
                *const columns = placed(column, sizeof column), *const to = placed(NULL, sizeof out);
    CHECK(outer_cuda(rows, columns, planes, COLUMNS, ROWS, 2, to, stream) == WEFT_KERNEL_OK);
    fetch(out, to, sizeof out);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int64_t r = row[i % COLUMNS], c = column[i / COLUMNS];
        const int64_t both = (((r % 97) * r % 89) % 83) * 1000 + (((c % 97) * c % 89) % 83);
        same = same && out[0][i] == both - 1 && out[1][i] == both + 7;
    }
    CHECK(same);
    drop(rows), drop(columns), drop(planes), drop(to);
}

/* A captured call is a kernel of the graph; one that sends a table cannot be captured. */
static void test_capture(void)
{
    void *graph, *exec, *const img = placed(bytes, 300), *const means = placed(mean, sizeof mean),
                              *const out = placed(NULL, 300 * sizeof(float)), *const turned = placed(NULL, 1200);
    const int64_t shape[2] = {75, 4}, strides[2] = {1, 75}, result[2] = {4, 75};
    CHECK(normalize_cuda(img, means, 0.017f, 10, 10, out, stream) == WEFT_KERNEL_OK); /* loads the kernel */
    CHECK(cuStreamSynchronize(stream) == 0);
    CHECK(cuStreamBeginCapture_v2(stream, 0) == 0);
    CHECK(normalize_cuda(img, means, 0.017f, 10, 10, out, stream) == WEFT_KERNEL_OK);
    CHECK(turn_cuda_strided(img, shape, strides, turned, result, NULL, stream) == WEFT_KERNEL_UNSUPPORTED);
    CHECK(cuStreamEndCapture(stream, &graph) == 0);
    CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0) == 0);
    float zero[300] = {0};
    CHECK(cuMemcpyHtoD_v2((pointer)(uintptr_t)out, zero, sizeof zero) == 0);
    CHECK(cuGraphLaunch(exec, stream) == 0);
    fetch(found, out, sizeof zero);
    CHECK(is_normalized(found, 300));
    CHECK(cuGraphExecDestroy(exec) == 0 && cuGraphDestroy(graph) == 0);
    drop(img), drop(means), drop(out), drop(turned);
}

/* What is given back is loaded again. */
static void test_release(void)
{
    normalize_cuda_release();
    divide_cuda_release();
    CHECK(divide_cuda_status() == WEFT_KERNEL_OK);
    test_dense();
    test_status();
}

/* One call, of which the driver may refuse any part, and what it tells. */
static void call_once(void)
{
    int device;
    void *context, *there = bytes;
    mockcuda_pause(1);
    const bool ready = cuInit(0) == 0 && cuDeviceGet(&device, 0) == 0 &&
                       cuDevicePrimaryCtxRetain(&context, device) == 0 && cuCtxPushCurrent_v2(context) == 0;
    there = ready ? placed(NULL, 64) : there;
    mockcuda_pause(0);
    const int status = divide_cuda(there, (int32_t *)there + 4, 4, (int32_t *)there + 8, NULL);
    printf("%d %s\n", status, status ? divide_cuda_note()->text : "");
    mockcuda_pause(1);
    if (ready)
        cuStreamSynchronize(NULL);
    divide_cuda_release();
    if (!ready)
        return;
    drop(there);
    cuCtxPopCurrent_v2(&context);
    cuDevicePrimaryCtxRelease_v2(device);
}

int main(int argc, char **argv)
{
    void *context, *own, *now;
    int device;
    (void)argv;
    if (argc > 1) {
        call_once();
        return 0;
    }
    for (int i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    CHECK(cuInit(0) == 0 && cuDeviceGet(&device, 0) == 0 && cuDevicePrimaryCtxRetain(&context, device) == 0);
    CHECK(cuCtxPushCurrent_v2(context) == 0 && cuStreamCreate(&stream, 1) == 0);
    test_dense();
    test_strided();
    test_batch();
    test_large_batch();
    test_refused();
    test_status();
    test_views();
    test_many_arguments();
    test_hoisted();
    test_capture();
    void *const kept = stream;
    stream = NULL; /* the legacy default one, in the thread's context */
    test_dense();
    stream = kept;
    test_release();
    CHECK(cuCtxGetCurrent(&now) == 0 && now == context);
    normalize_cuda_release();
    CHECK(cuStreamDestroy_v2(stream) == 0);
    CHECK(cuCtxPopCurrent_v2(&own) == 0 && own == context && cuDevicePrimaryCtxRelease_v2(device) == 0);
    printf("%d failures\n", failures);
    return failures != 0;
}
