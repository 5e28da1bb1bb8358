#include <cstdio>
#include <vector>
#include <weft/weft.hpp>

int main()
{
    std::vector<uint8_t> pixels{10, 20, 30, 180, 190, 200};
    weft::view img(pixels, {2, 3});
    const weft::program brighten("uint8(img * gain + 3)");
    brighten.run_to(img, "img", img, "gain", 1.25);     // in place
    for (int row = 0; row < 2; row++)
        std::printf("%d %d %d\n", pixels[3 * row], pixels[3 * row + 1], pixels[3 * row + 2]);
    auto [low, high] = weft::evaluate<uint8_t, uint8_t>("return min(img), max(img)", "img", img);
    std::printf("from %d to %d\n", low.value(), high.value());
}
