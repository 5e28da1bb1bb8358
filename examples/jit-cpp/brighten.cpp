#include <cstdio>
#include <vector>
#include <weft/weft.h>

int main()
{
    std::vector<uint8_t> pixels{10, 20, 30, 180, 190, 200};
    int64_t shape[] = {2, 3};
    DLTensor img{pixels.data(), {kDLCPU, 0}, 2, {kDLUInt, 8, 1}, shape, nullptr, 0};
    weft_argument in{"img", &img, 1, false}, out{nullptr, &img, 1, false};  // in place
    weft_run_params run{&in, 1, &out, 1, nullptr};
    weft_context *context = nullptr;
    weft_program *program = nullptr;
    weft_error *error = nullptr;
    if (weft_context_create(nullptr, &context, &error) < 0 ||
        weft_compile(context, "uint8(img * 1.25 + 3)", nullptr, &program, &error) < 0 ||
        weft_run(program, &run, &error) < 0)
        std::fprintf(stderr, "%s\n", error ? error->message : "out of memory");
    for (int row = 0; row < 2; row++)
        std::printf("%d %d %d\n", pixels[3 * row], pixels[3 * row + 1], pixels[3 * row + 2]);
    weft_error_destroy(error);
    weft_program_destroy(program);
    weft_context_destroy(context);
}
