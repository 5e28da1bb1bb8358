/* What weft.hpp takes and gives, and what it throws. Ends with 1 if a check failed. */
#include "weft/weft.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#if __has_include(<span>) && __cplusplus > 201703L
#include <span>
#endif

static std::atomic<int> failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "test_cpp.cpp:%d: %s\n", __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

/* The message of what `call` throws. */
template <class Call>
static std::string thrown(Call &&call)
{
    try {
        call();
    } catch (const weft::error &error) {
        return error.message();
    }
    return "nothing was thrown";
}

static bool has(const std::string &text, const char *part)
{
    if (text.find(part) != std::string::npos)
        return true;
    std::fprintf(stderr, "found \"%s\"\n", text.c_str());
    return false;
}

/* What std::mdspan has, over rows that lie `pitch` elements apart. */
struct rows {
    float *first;
    std::int64_t height, width, pitch;
    static constexpr std::size_t rank() { return 2; }
    float *data_handle() const { return first; }
    std::int64_t extent(std::size_t d) const { return d ? width : height; }
    std::int64_t stride(std::size_t d) const { return d ? 1 : pitch; }
};

static void values()
{
    const std::vector<float> x{1, 2, 3};
    std::array<float, 3> fixed{4, 5, 6};
    float nested[2][3] = {{1, 2, 3}, {4, 5, 6}};
    auto y = weft::evaluate<float>("a * x + b", "a", 2, "x", x, "b", 0.5);
    CHECK(y.rank() == 1 && y.size() == 3 && y[2] == 6.5f && y.shape() == std::vector<std::int64_t>{3});
    CHECK((y.vector() == std::vector<float>{2.5f, 4.5f, 6.5f}));
    auto sum = weft::evaluate<float>("x + y + z", "x", x, std::string("y"), fixed, "z", nested);
    CHECK(sum.rank() == 2 && sum.extent(0) == 2 && sum[5] == 15);
    auto again = weft::evaluate<float>("x * 2", "x", sum);
    CHECK(again.extent(1) == 3 && again[5] == 30);
    float padded[8] = {1, 2, 3, 0, 4, 5, 6, 0};
    CHECK(weft::evaluate<float>("sum(x, 0)", "x", rows{padded, 2, 3, 4})[2] == 9);
    CHECK(weft::evaluate<float>("sum(x)", "x", weft::view(x, {3, 1})).value() == 6);
    CHECK(weft::evaluate<float>("extent(x, 0) * x[0, 0]", "x", weft::view(padded, {4, 2})).value() == 4);
    const std::size_t rows_ = 4;
    const unsigned columns = 2;
    const std::array<std::size_t, 2> both{2, 4};
    CHECK(weft::evaluate<float>("x[3, 1]", "x", weft::view(padded, {rows_, columns})).value() == 0);
    CHECK(weft::evaluate<float>("x[1, 2]", "x", weft::view(padded, both)).value() == 6);
    CHECK(weft::view(padded + 1, std::vector<std::int64_t>{7}).shape()[0] == 7);
    CHECK(weft::evaluate<std::int64_t>("k", "k", std::int64_t(1) << 40).value() == std::int64_t(1) << 40);
    CHECK(weft::evaluate<bool>("not k", "k", false).value());
    CHECK(weft::evaluate<std::int32_t>("int32(k)", "k", static_cast<unsigned char>(7)).value() == 7);
    const std::vector<float> none;
    CHECK(weft::evaluate<float>("x * 2", "x", none).size() == 0);
    const std::vector<std::byte> bytes{std::byte{250}};
    CHECK(weft::evaluate<std::uint8_t>("x", "x", bytes)[0] == 250);
    std::vector<long> longs{1};
    CHECK(weft::evaluate<long>("x", "x", longs)[0] == 1);
#ifdef __cpp_lib_span
    auto spanned = weft::evaluate<float>("x * 2", "x", std::span<const float>(x).subspan(1));
    CHECK(spanned.size() == 2 && std::span<float>(spanned)[1] == 6);
#endif
#ifdef __cpp_lib_mdspan
    CHECK(weft::evaluate<float>("sum(x, 0)", "x", std::mdspan(&nested[0][0], 2, 3)).mdspan<1>()[2] == 9);
#endif
}

static void several()
{
    const std::vector<double> x{3, 1, 2};
    auto [low, at] = weft::evaluate<double, std::int64_t>("return min(x), argmin(x)", "x", x);
    CHECK(low.value() == 1 && at.value() == 1);
    auto all = weft::evaluate("return a = x * 2, b = x > 1", "x", x);
    CHECK(all.size() == 2 && all.info(1).dtype == WEFT_BOOL && all.get<double>("a")[0] == 6 && all.get<bool>(1)[0]);
    CHECK(all.tensors(0)->ndim == 1);
    CHECK(has(thrown([&] { (void)all.get<double>("c"); }), "there is no result 'c'; there are a, b"));
    CHECK(has(thrown([&] { (void)all.get<double>(2); }), "there is no result 2; there are 2, from 0"));
    CHECK(has(thrown([&] { (void)all.get<float>("a"); }),
              "result 'a' (number 0 of 2, from 0) is float64, and float32 was asked for; write float32(..) around it, "
              "or ask for its type"));
    CHECK(has(thrown([&] { (void)weft::evaluate<double, double>("return min(x), at = argmin(x)", "x", x); }),
              "result 'at' (number 1 of 2, from 0) is int64, and float64 was asked for"));
    CHECK(has(thrown([&] { (void)weft::evaluate<float>("x", "x", x); }), "result 'x' is float64, and"));
    const std::vector<double> copied = weft::evaluate<double>("x * 2", "x", x);
    CHECK((copied == std::vector<double>{6, 2, 4}));
    std::vector<double> into;
    into = weft::evaluate<double>("x + 1", "x", x);
    CHECK((into == std::vector<double>{4, 2, 3}));
    CHECK(has(thrown([&] { (void)weft::evaluate<double>("return x, y = x", "x", x); }),
              "the text has 2 results, and the call names 1 type; name one for each, as in evaluate<float, float>, or none"));
    CHECK(has(thrown([&] { (void)all.get<double>("a").value(); }), "one element was asked for, found 3"));
    float single = weft::evaluate<float>("float32(sum(x))", "x", x);
    CHECK(single == 6);
    single = weft::evaluate<float>("float32(max(x))", "x", x);
    CHECK(single == 3);
    CHECK(has(thrown([&] { double y = weft::evaluate<double>("x", "x", x); (void)y; }), "one element was asked for"));
    CHECK(weft::evaluate<bool>("all(x > 0)", "x", x) && !weft::evaluate<bool>("any(x > 9)", "x", x));
    const std::vector<double> direct(weft::evaluate<double>("x", "x", x));
    const std::vector<std::size_t> sizes(weft::evaluate<std::size_t>("uint64(x)", "x", x));
    CHECK(direct == x && sizes.size() == 3 && sizes[0] == 3);
    static_assert(!std::is_convertible_v<weft::array<float>, double> && !std::is_convertible_v<weft::array<int>, bool>);
}

static void batches()
{
    const std::vector<std::vector<float>> x{{1, 2, 3}, {}, {4}};
    auto y = weft::evaluate<weft::batch<float>>("x * k", "x", x, "k", 2);
    CHECK(y.size() == 3 && y[0][2] == 6 && y[1].size() == 0 && y[2].value() == 8);
    std::size_t count = 0;
    for (const auto &sample : y)
        count += sample.size();
    CHECK(count == 4);
    auto [sums, one] = weft::evaluate<weft::batch<float>, float>("return sum(x), sum(y)", "x", x, "y", x[0]);
    CHECK(sums[0].value() == 6 && sums[1].value() == 0 && one.value() == 6);
    float padded[8] = {1, 2, 3, 0, 4, 5, 6, 0};
    const rows views[2] = {{padded, 2, 3, 4}, {padded, 1, 2, 4}};
    CHECK(weft::evaluate("sum(x, 1)", "x", views).get<weft::batch<float>>()[1][0] == 3);
    const std::vector<weft::view<float>> shaped{weft::view(padded, {4, 2}), weft::view(padded, {2, 4})};
    auto widths = weft::evaluate<weft::batch<std::int32_t>>("extent(x, 1) + 0 * int32(x[0, 0])", "x", shaped);
    CHECK(widths[0].value() == 2 && widths[1].value() == 4);
    const std::vector<DLTensor> tensors{y[0].tensor(), y[2].tensor()};
    std::vector<std::vector<float>> out{std::vector<float>(3), std::vector<float>(1)};
    const weft::program negative("-x");
    negative.run_to(out, "x", tensors);
    CHECK(out[0][2] == -6 && out[1][0] == -8);
    negative.run_to(out, "x", out);
    CHECK(out[0][2] == 6);
    CHECK(negative.run<weft::batch<float>>("x", out)[1].value() == -8);
    CHECK(has(thrown([&] { weft::evaluate<float>("-x", "x", x); }), "result 'out' is a batch; ask for weft::batch"));
    CHECK(has(thrown([&] { weft::evaluate<weft::batch<float>>("-x", "x", x[0]); }), "result 'out' is no batch"));
    CHECK(has(thrown([&] { weft::evaluate<weft::batch<double>>("-x", "x", x); }), "float32, and float64 was asked"));
    const std::vector<std::vector<float>> none;
    CHECK(weft::evaluate<weft::batch<float>>("input x: float32[?]; -x", "x", none).size() == 0);
}

static void programs()
{
    std::vector<float> x{1, 2, 3}, y(3), z(2);
    const weft::program f("x * k");
    CHECK(f.input_count() == 2 && f.input_name(1) == "k" && f.result_name(0) == "out" && f.result_name(1).empty());
    f.run_to(y, "x", x, "k", 3);
    CHECK(y[2] == 9);
    f.run_to(x, "x", x, "k", x);
    CHECK(x[2] == 9);
    CHECK(f.run<float>("k", 2, "x", x)[2] == 18);
    CHECK(has(thrown([&] { f.run_to(z, "x", x, "k", 2); }), "out"));
    CHECK(has(thrown([&] { f.run_to(z, "x", x); }), "input 'k' is not given"));
    float mean = 0, top = 0;
    const weft::program g("return mean(x), max(x)");
    auto low = weft::view(&mean, {});
    auto high = weft::view(&top, {});
    g.run_to(std::tie(low, high), "x", x);
    CHECK(mean > 4.6f && mean < 4.7f && top == 9);
    float padded[4] = {0, -1, 0, -1};
    rows column{padded, 2, 1, 2};
    weft::program("x + 1").run_to(column, "x", column);
    CHECK(padded[0] == 1 && padded[1] == -1 && padded[2] == 1);
    CHECK(has(thrown([] { weft::program bad("x +* 2"); }), "expected a value"));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&f] {
            const std::vector<float> own{1, 2};
            for (int i = 0; i < 20; i++)
                if (f.run<float>("x", own, "k", i)[1] != 2.f * static_cast<float>(i))
                    failures++;
        });
    for (auto &thread : threads)
        thread.join();
}

static void errors()
{
    const std::vector<float> x{1, 2, 3}, y{1, 2};
    try {
        (void)weft::evaluate<float>("x + y", "x", x, "y", y);
        CHECK(false);
    } catch (const weft::error &error) {
        CHECK(error.status() == WEFT_SHAPE_ERROR && error.line() == 1 && error.column() == 3 && error.code() == 60);
        CHECK(has(error.what(), "x + y\n~ ^ ~"));
        CHECK(error.what()[std::strlen(error.what()) - 1] != '\n');
    }
    CHECK(has(thrown([&] { (void)weft::evaluate<float>("x", "x", x, "x", x); }), "input 'x' is given twice"));
    CHECK(has(thrown([&] { (void)weft::view(x, {2, 3}); }), "the shape [2, 3] takes 6 elements, found 3"));
    CHECK(has(thrown([] { weft::context wrong([] { weft_context_params p{}; p.threads = -1; return p; }()); }),
              "threads of weft_context_params is negative"));
}

/* Remarks and warnings reach the log, and what it throws reaches the caller. */
static void logs()
{
    int told = 0;
    weft_context_params params{};
    params.cache = "";
    const weft::context quiet(params);
    const weft::context counting(params,
                                 [&](const weft_error &record) { told += record.status == WEFT_DIVIDE_BY_ZERO; });
    const std::vector<int> x{6, 0};
    CHECK(weft::evaluate<int>(quiet, "6 // x", "x", x)[0] == 1);
    CHECK(weft::evaluate<int>(counting, "6 // x", "x", x)[1] == 0 && told == 1);
    /* A sum that may wrap is told once for each program, and what it says to write is not. */
    std::vector<int> codes;
    const weft::context listing(params, [&](const weft_error &record) { codes.push_back(record.code); });
    const std::vector<std::uint8_t> a{200}, b{180};
    for (int i = 0; i < 3; i++)
        CHECK(weft::evaluate<float>(listing, "(a + b) / 2", "a", a, "b", b)[0] == 62);
    CHECK(codes == std::vector<int>{312});
    CHECK(weft::evaluate<float>(listing, "(int32(a) + b) / 2", "a", a, "b", b)[0] == 190 && codes.size() == 1);
    params.debug = "tokens"; /* notes while a text is compiled, from inside the library */
    const weft::context throwing(params, [](const weft_error &) { throw std::runtime_error("from the log"); });
    std::string text;
    try {
        (void)weft::evaluate<int>(throwing, "x + 1", "x", x);
    } catch (const std::runtime_error &error) {
        text = error.what();
    }
    CHECK(text == "from the log");
    /* A program keeps its context. */
    auto kept = std::make_unique<weft::program>(weft::context(params), "x + 1");
    CHECK(kept->run<int>("x", x)[0] == 7);
}

int main()
{
    values();
    several();
    batches();
    programs();
    errors();
    logs();
    return failures != 0;
}
