/* Weft for C++17: the calls of weft.h with types, containers and exceptions. Header only; link libweft.
 *
 *     std::vector<float> x{1, 2, 3};
 *     auto y = weft::evaluate<float>("a * x + b", "a", 2, "x", x, "b", 0.5);     // weft::array<float>
 *     float sum = weft::evaluate<float>("sum(x)", "x", x);
 *     auto [low, mean] = weft::evaluate<float, float>("return min(x), mean(x)", "x", x);
 *
 * Inputs are pairs of a name and a value. A value is
 *
 *     a number of C++             an input of type number (docs/language.md, 2.7), as in Python
 *     std::vector, std::array, std::span, an array, or whatever else has data() and size()     one dimension; an
 *                                 array of arrays float[2][3] has two
 *     std::mdspan, or its like    its extents and strides
 *     weft::array, DLTensor       as they are
 *     weft::view(x, {480, 640})   another shape
 *     a container of these        a batch, of samples of any shapes: std::vector<std::vector<float>>
 *
 * Nothing is copied, and values live until the call returns. Results have the types in <>, and several are a tuple. A
 * result of another dtype is an error that says which: nothing is converted in silence. Of a batch it is
 * weft::batch<float>, a range of arrays. Without <> the call returns weft::results, which says what there is.
 *
 * Errors are weft::error, whose what() is the text with the carets; out of memory without more to say is
 * std::bad_alloc. Remarks, such as divisions by zero, go to the context's log and are no errors.
 *
 * Threads: as in weft.h; a program may be called from several threads at once. Contexts are shared by their copies and
 * their programs; other objects are moved, not copied. */
#ifndef WEFT_WEFT_HPP
#define WEFT_WEFT_HPP

#if __cplusplus < 201703L && !(defined _MSVC_LANG && _MSVC_LANG >= 201703L)
#error "weft.hpp is C++17: compile with -std=c++17 or a later standard"
#endif

#include <weft/weft.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif
#if defined __STDCPP_FLOAT16_T__ || defined __STDCPP_BFLOAT16_T__
#include <stdfloat>
#endif

namespace weft {

/* ---- errors ---- */

/* What a call reported. what() is the text of all its errors, with places and carets. */
class error : public std::runtime_error {
public:
    error(weft_status status, const std::string &text, const weft_error *first = nullptr)
        : std::runtime_error(text), status_(status), code_(first ? first->code : 0), line_(first ? first->line : 0),
          column_(first ? first->column : 0), message_(first ? first->message : text)
    {
    }
    weft_status status() const noexcept { return status_; }
    int code() const noexcept { return code_; }                  /* 42 of W0042; 0: none */
    std::size_t line() const noexcept { return line_; }          /* of the first error, from 1; 0: none */
    std::size_t column() const noexcept { return column_; }
    const std::string &message() const noexcept { return message_; } /* of the first error, without its place */

private:
    weft_status status_;
    int code_;
    std::size_t line_, column_;
    std::string message_;
};

namespace detail {

struct free_errors {
    void operator()(weft_error *list) const noexcept { weft_error_destroy(list); }
};
using errors = std::unique_ptr<weft_error, free_errors>;

inline std::string render(const weft_error *list)
{
    std::string text;
    for (; list; list = list->next) {
        std::string one(weft_error_render(list, nullptr, 0) + 1, '\0');
        one.resize(weft_error_render(list, &one[0], one.size()));
        text += one;
    }
    if (!text.empty())
        text.pop_back();           /* the last newline */
    return text;
}

[[noreturn]] inline void fail(weft_status status, const weft_error *list)
{
    if (!list && status == WEFT_OUT_OF_MEMORY)
        throw std::bad_alloc();
    throw error(status, list ? render(list) : "weft: status " + std::to_string(status), list);
}

[[noreturn]] inline void fail(weft_status status, const std::string &text)
{
    throw error(status, text);
}

}  // namespace detail

/* ---- element types ---- */

namespace detail {

template <class T, class = void>
struct dtype {
    static constexpr bool known = false;
    static constexpr weft_dtype value = WEFT_DTYPE_COUNT;
};

template <weft_dtype D>
struct dtype_is {
    static constexpr bool known = true;
    static constexpr weft_dtype value = D;
};

constexpr weft_dtype integer(bool is_signed, std::size_t size)
{
    const int at = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return static_cast<weft_dtype>((is_signed ? WEFT_INT8 : WEFT_UINT8) + at);
}

template <class T>
struct dtype<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8>>
    : dtype_is<integer(std::is_signed_v<T>, sizeof(T))> {};
template <> struct dtype<bool> : dtype_is<WEFT_BOOL> {};
template <> struct dtype<std::byte> : dtype_is<WEFT_UINT8> {};
template <> struct dtype<float> : dtype_is<WEFT_FLOAT32> {};
template <> struct dtype<double> : dtype_is<WEFT_FLOAT64> {};
#ifdef __STDCPP_FLOAT16_T__
template <> struct dtype<std::float16_t> : dtype_is<WEFT_FLOAT16> {};
#endif
#ifdef __STDCPP_BFLOAT16_T__
template <> struct dtype<std::bfloat16_t> : dtype_is<WEFT_BFLOAT16> {};
#endif

}  // namespace detail

/* The dtype of elements of type T. Integers go by size, so long is int32 or int64; std::byte is uint8. */
template <class T>
constexpr weft_dtype dtype_of()
{
    static_assert(detail::dtype<std::remove_cv_t<T>>::known,
                  "Weft has no such element type: it has bool, integers, float, double, and C++23's std::float16_t and "
                  "std::bfloat16_t");
    return detail::dtype<std::remove_cv_t<T>>::value;
}

/* ---- contexts ---- */

/* A weft_context. `log` receives warnings, notes and remarks on the thread that made the call, and may throw: the
 * exception passes through the call of this header that it happened in. */
class context {
public:
    using log_function = std::function<void(const weft_error &)>;

    context() : context(weft_context_params{}) {}
    /* `params.log` and `params.user` are replaced if there is a `log`. */
    explicit context(weft_context_params params, log_function log = nullptr) : state_(std::make_shared<state>())
    {
        weft_error *list = nullptr;
        state_->log = std::move(log);
        if (state_->log) {
            params.log = &tell;
            params.user = state_.get();
        }
        const weft_status status = weft_context_create(&params, &state_->handle, &list);
        const detail::errors errors(list);
        if (status < 0)
            detail::fail(status, list);
        state_->rethrow();
    }
    weft_context *get() const noexcept { return state_->handle; }

    /* Throws what the log has thrown, then the call's errors; remarks go to the log. Takes over the list. */
    void check(weft_status status, weft_error *list) const
    {
        const detail::errors errors(list);
        state_->rethrow();
        if (status < 0)
            detail::fail(status, list);
        for (; list && state_->log; list = list->next)
            state_->log(*list);
    }

private:
    struct state {
        weft_context *handle = nullptr;
        log_function log;
        std::mutex mutex;          /* guards what follows */
        std::exception_ptr thrown;

        state() = default;
        state(const state &) = delete;
        state &operator=(const state &) = delete;
        ~state() { weft_context_destroy(handle); }
        void rethrow()
        {
            std::unique_lock<std::mutex> lock(mutex);
            if (std::exception_ptr what = std::exchange(thrown, nullptr)) {
                lock.unlock();
                std::rethrow_exception(what);
            }
        }
    };

    /* No exception may pass through frames of C. */
    static void tell(void *user, const weft_error *record) noexcept
    {
        state *self = static_cast<state *>(user);
        try {
            self->log(*record);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(self->mutex);
            if (!self->thrown)
                self->thrown = std::current_exception();
        }
    }

    std::shared_ptr<state> state_;
};

/* A log that writes to standard error what a terminal would show: weft::context on({}, weft::to_stderr). */
inline void to_stderr(const weft_error &record)
{
    std::string text(weft_error_render(&record, nullptr, 0) + 1, '\0');
    text.resize(weft_error_render(&record, &text[0], text.size()));
    std::fputs(text.c_str(), stderr);
}

/* The context of calls that name none: with all defaults, which tell nobody of warnings and remarks, made by the first
 * of them and destroyed as the process ends. */
inline context &default_context()
{
    static context shared;
    return shared;
}

/* ---- tensors ---- */

namespace detail {

/* One number of a shape, of any integer type: a std::size_t is no narrowing here. */
struct extent {
    std::int64_t value;
    template <class I, class = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>>>
    constexpr extent(I i) noexcept : value(static_cast<std::int64_t>(i)) {}
};

/* A shape as it is written: {480, 640}, {image.rows, image.cols}, a vector or an array of integers. */
struct extents {
    std::vector<std::int64_t> values;
    extents(std::initializer_list<extent> list)
    {
        for (const extent &one : list)
            values.push_back(one.value);
    }
    template <class R, class = decltype(extent(*std::begin(std::declval<const R &>())))>
    extents(const R &range)
    {
        for (const auto &one : range)
            values.push_back(extent(one).value);
    }
};

} // namespace detail

/* Elements of another's memory under a shape, integers of any type: dense, row-major. */
template <class T>
class view {
public:
    /* Any shape: the memory must hold it. */
    view(T *data, detail::extents shape) : data_(data), shape_(std::move(shape.values)) {}
    /* Of a container whose elements the shape must take exactly; else weft::error. */
    template <class C, class = std::enable_if_t<!std::is_pointer_v<std::decay_t<C>> || std::is_array_v<C>>>
    view(C &container, detail::extents shape) : data_(std::data(container)), shape_(std::move(shape.values))
    {
        std::size_t wanted = 1;
        std::string text;
        for (const std::int64_t extent : shape_) {
            text += (text.empty() ? "" : ", ") + std::to_string(extent);
            wanted *= static_cast<std::size_t>(extent);
        }
        if (wanted != std::size(container))
            detail::fail(WEFT_INVALID_ARGUMENT, "weft::view: the shape [" + text + "] takes " + std::to_string(wanted) +
                                                    " elements, found " + std::to_string(std::size(container)));
    }
    T *data() const noexcept { return data_; }
    const std::vector<std::int64_t> &shape() const noexcept { return shape_; }

private:
    T *data_;
    std::vector<std::int64_t> shape_;
};

template <class C>
view(C &, detail::extents) -> view<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;
template <class T>
view(T *, detail::extents) -> view<T>;

namespace detail {

/* Results of one call, which its arrays share. */
struct owned_results {
    weft_results items{};

    owned_results() = default;
    owned_results(const owned_results &) = delete;
    owned_results &operator=(const owned_results &) = delete;
    ~owned_results() { weft_results_free(&items); }
};

/* Whether result `index` is what was asked for; else weft::error, which says which of several it is. */
inline void check_result(const weft_results &all, std::size_t index, weft_dtype wanted, bool batch)
{
    const weft_tensor_info &info = all.infos[index];
    const std::string which = all.count > 1 ? " (number " + std::to_string(index) + " of " + std::to_string(all.count) +
                                                  ", from 0)" : "";
    const std::string result = std::string("result '") + info.name + "'" + which + " is ";
    const std::string type = weft_dtype_name(wanted);
    if (info.batch && !batch)
        fail(WEFT_INVALID_ARGUMENT, result + "a batch; ask for weft::batch<..> of its element type");
    if (!info.batch && batch)
        fail(WEFT_INVALID_ARGUMENT, result + "no batch; ask for its element type alone");
    if (info.dtype != wanted)
        fail(WEFT_TYPE_ERROR, result + weft_dtype_name(info.dtype) + ", and " + type + " was asked for; write " + type +
                                  "(..) around it, or ask for its type");
}

}  // namespace detail

/* A result: dense, row-major, in memory that it owns, aligned to 64 bytes. It is a contiguous range, so that std::span
 * and algorithms take it. */
template <class T>
class array {
public:
    using value_type = T;
    using iterator = T *;
    using const_iterator = const T *;

    array(std::shared_ptr<detail::owned_results> owner, std::size_t index)
        : owner_(std::move(owner)), tensor_(owner_->items.items[index].tensors)
    {
        detail::check_result(owner_->items, index, dtype_of<T>(), false);
    }
    /* A sample of a batch. */
    array(std::shared_ptr<detail::owned_results> owner, const DLTensor &sample)
        : owner_(std::move(owner)), tensor_(&sample)
    {
    }
    array(array &&) noexcept = default;
    array &operator=(array &&) noexcept = default;

    T *data() noexcept { return static_cast<T *>(tensor_->data); }
    const T *data() const noexcept { return static_cast<const T *>(tensor_->data); }
    std::size_t size() const noexcept
    {
        std::size_t count = 1;
        for (int d = 0; d < tensor_->ndim; d++)
            count *= static_cast<std::size_t>(tensor_->shape[d]);
        return count;
    }
    int rank() const noexcept { return tensor_->ndim; }
    std::int64_t extent(int d) const noexcept { return tensor_->shape[d]; }
    std::vector<std::int64_t> shape() const { return {tensor_->shape, tensor_->shape + tensor_->ndim}; }
    const DLTensor &tensor() const noexcept { return *tensor_; }

    /* By position in memory, unchecked. */
    T &operator[](std::size_t i) noexcept { return data()[i]; }
    const T &operator[](std::size_t i) const noexcept { return data()[i]; }
    T *begin() noexcept { return data(); }
    T *end() noexcept { return data() + size(); }
    const T *begin() const noexcept { return data(); }
    const T *end() const noexcept { return data() + size(); }

    /* Copies, in the order of memory: std::vector<float> y = weft::evaluate<float>(..). */
    std::vector<T> vector() const { return std::vector<T>(begin(), end()); }
    operator std::vector<T>() const { return vector(); }
    /* The only element; weft::error if there are more or none. */
    T value() const
    {
        if (size() != 1)
            detail::fail(WEFT_SHAPE_ERROR, "weft::array: one element was asked for, found " + std::to_string(size()) +
                                               "; take them as auto, a range that has shape()");
        return *data();
    }
    /* The same, where a T is initialized, assigned or passed: float y = weft::evaluate<float>("sum(x)", ..). Within an
     * expression write value(). Only to T, so that no number is converted in silence, and not to std::size_t, from
     * which vectors are constructed. */
    template <class U, std::enable_if_t<std::is_same_v<U, T> && !std::is_same_v<U, std::size_t>, int> = 0>
    operator U() const
    {
        return value();
    }
#ifdef __cpp_lib_mdspan
    /* weft::error if the rank is another. */
    template <std::size_t Rank>
    std::mdspan<T, std::dextents<std::int64_t, Rank>> mdspan()
    {
        if (static_cast<std::size_t>(rank()) != Rank)
            detail::fail(WEFT_SHAPE_ERROR, "weft::array::mdspan: the rank is " + std::to_string(rank()) + ", and " +
                                               std::to_string(Rank) + " was asked for");
        std::array<std::int64_t, Rank> extents;
        for (std::size_t d = 0; d < Rank; d++)
            extents[d] = extent(static_cast<int>(d));
        return std::mdspan<T, std::dextents<std::int64_t, Rank>>(data(), extents);
    }
#endif

private:
    std::shared_ptr<detail::owned_results> owner_;
    const DLTensor *tensor_;
};

/* A result that is a batch: a range of arrays, one for each sample, which share its memory. */
template <class T>
class batch {
public:
    /* Goes over the samples; each is made as it is asked for. */
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = array<T>;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = array<T>;

        iterator(const batch *of, std::size_t at) : of_(of), at_(at) {}
        array<T> operator*() const { return (*of_)[at_]; }
        iterator &operator++()
        {
            at_++;
            return *this;
        }
        iterator operator++(int) { return iterator(of_, at_++); }
        bool operator==(const iterator &other) const { return at_ == other.at_; }
        bool operator!=(const iterator &other) const { return at_ != other.at_; }

    private:
        const batch *of_;
        std::size_t at_;
    };

    batch(std::shared_ptr<detail::owned_results> owner, std::size_t index)
        : owner_(std::move(owner)), samples_(&owner_->items.items[index])
    {
        detail::check_result(owner_->items, index, dtype_of<T>(), true);
    }
    batch(batch &&) noexcept = default;
    batch &operator=(batch &&) noexcept = default;

    std::size_t size() const noexcept { return static_cast<std::size_t>(samples_->count); }
    /* Unchecked. */
    array<T> operator[](std::size_t i) const { return array<T>(owner_, samples_->tensors[i]); }
    iterator begin() const { return iterator(this, 0); }
    iterator end() const { return iterator(this, size()); }
    const DLTensor *tensors() const noexcept { return samples_->tensors; }

private:
    std::shared_ptr<detail::owned_results> owner_;
    const weft_argument *samples_;
};

namespace detail {

/* What a type in <> asks for. */
template <class T> struct asked { using type = array<T>; };
template <class T> struct asked<batch<T>> { using type = batch<T>; };
template <class T> using asked_t = typename asked<T>::type;

}  // namespace detail

/* All results of a call, whatever their types. */
class results {
public:
    explicit results(std::shared_ptr<detail::owned_results> owner) : owner_(std::move(owner)) {}
    std::size_t size() const noexcept { return owner_->items.count; }
    /* Name, dtype, shape, layout, and whether it is a batch. weft::error outside the range. */
    const weft_tensor_info &info(std::size_t i) const { return owner_->items.infos[checked(i)]; }
    /* The tensor, or sample 0 of a batch with more behind it. */
    const DLTensor *tensors(std::size_t i) const { return owner_->items.items[checked(i)].tensors; }
    /* By position or by name, as elements of type T, or as weft::batch<T>. */
    template <class T>
    detail::asked_t<T> get(std::size_t i = 0) const
    {
        return detail::asked_t<T>(owner_, checked(i));
    }
    template <class T>
    detail::asked_t<T> get(const std::string &name) const
    {
        return detail::asked_t<T>(owner_, find(name));
    }

private:
    std::size_t checked(std::size_t i) const
    {
        if (i >= size())
            detail::fail(WEFT_INVALID_ARGUMENT, "there is no result " + std::to_string(i) + "; there are " +
                                                    std::to_string(size()) + ", from 0");
        return i;
    }
    std::size_t find(const std::string &name) const
    {
        std::string names;
        for (std::size_t i = 0; i < size(); i++) {
            if (name == owner_->items.infos[i].name)
                return i;
            names += (i ? ", " : "") + std::string(owner_->items.infos[i].name);
        }
        detail::fail(WEFT_NAME_ERROR, "there is no result '" + name + "'; there are " + names);
    }

    std::shared_ptr<detail::owned_results> owner_;
};

/* ---- values ---- */

namespace detail {

/* A value as the library takes it. `tensor` may point into this struct, so it stays where it is. */
struct operand {
    DLTensor tensor{};
    std::int64_t extents[WEFT_MAX_RANK], strides[WEFT_MAX_RANK];
    union {
        bool truth;
        std::int64_t integer;
        std::uint64_t natural;
        double real;
    } value{};
    bool number = false, batch = false;
    std::vector<operand> samples;  /* of a batch, beside their tensors */
    std::vector<DLTensor> tensors;

    void put_into(weft_argument &to) const
    {
        to.tensors = batch ? tensors.data() : &tensor;
        to.count = batch ? static_cast<std::int64_t>(tensors.size()) : 0;
        to.batch = batch;
    }
};

template <class T, class = void>
struct is_range : std::false_type {};
template <class T>
struct is_range<T, std::void_t<decltype(*std::data(std::declval<T &>())), decltype(std::size(std::declval<T &>()))>>
    : std::true_type {};

template <class T, class = void>
struct is_mdspan : std::false_type {};
template <class T>
struct is_mdspan<T, std::void_t<decltype(std::declval<T &>().data_handle()), decltype(std::declval<T &>().extent(0)),
                                decltype(std::declval<T &>().stride(0)), decltype(T::rank())>> : std::true_type {};

template <class T> struct is_array : std::false_type {};
template <class T> struct is_array<array<T>> : std::true_type {};
template <class T> struct is_view : std::false_type {};
template <class T> struct is_view<view<T>> : std::true_type {};
template <class T>
constexpr bool array_or_view = is_array<std::remove_cv_t<T>>::value || is_view<std::remove_cv_t<T>>::value;

/* A container whose elements are tensors; float[2][3] is one tensor. */
template <class T, class = void>
struct is_batch : std::false_type {};
template <class T>
struct is_batch<T, std::enable_if_t<is_range<T>::value && !array_or_view<T>>> {
    using element = std::remove_cv_t<std::remove_reference_t<decltype(*std::data(std::declval<T &>()))>>;
    static constexpr bool value = std::is_same_v<element, DLTensor> || array_or_view<element> ||
                                  is_mdspan<element>::value ||
                                  (is_range<element>::value && !std::is_array_v<element> &&
                                   !std::is_convertible_v<element &, std::string_view>);
};

inline int checked_rank(std::size_t rank)
{
    if (rank > WEFT_MAX_RANK)
        fail(WEFT_LIMIT_ERROR, "a tensor has at most " + std::to_string(WEFT_MAX_RANK) + " dimensions, found " +
                                   std::to_string(rank));
    return static_cast<int>(rank);
}

template <class T>
void set_number(operand &to, T value)
{
    to.number = true;
    if constexpr (std::is_same_v<T, bool>) {
        to.value.truth = value;
        to.tensor = weft_dense(&to.value, WEFT_BOOL, 0, nullptr);
    } else if constexpr (std::is_floating_point_v<T>) {
        to.value.real = static_cast<double>(value);
        to.tensor = weft_dense(&to.value, WEFT_FLOAT64, 0, nullptr);
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
        to.value.natural = value;
        to.tensor = weft_dense(&to.value, WEFT_UINT64, 0, nullptr);
    } else {
        to.value.integer = value;
        to.tensor = weft_dense(&to.value, WEFT_INT64, 0, nullptr);
    }
}

/* An array, or an array of arrays. */
template <class T, std::size_t N>
void set_nested(operand &to, T (&value)[N], int rank = 0)
{
    to.extents[rank] = static_cast<std::int64_t>(N);
    if constexpr (std::is_array_v<T>)
        set_nested(to, value[0], rank + 1);
    else
        to.tensor = weft_dense(nullptr, dtype_of<T>(), rank + 1, to.extents);
    to.tensor.data = const_cast<void *>(static_cast<const void *>(value));
}

template <class T>
void set_mdspan(operand &to, T &value)
{
    const int rank = checked_rank(T::rank());
    for (int d = 0; d < rank; d++) {
        to.extents[d] = static_cast<std::int64_t>(value.extent(static_cast<std::size_t>(d)));
        to.strides[d] = static_cast<std::int64_t>(value.stride(static_cast<std::size_t>(d)));
    }
    to.tensor = weft_dense(&*value.data_handle(), dtype_of<std::remove_reference_t<decltype(*value.data_handle())>>(),
                           rank, to.extents);
    to.tensor.strides = to.strides;
}

template <class T>
void set(operand &to, T &value);

template <class T>
void set_batch(operand &to, T &value)
{
    to.batch = true;
    to.samples = std::vector<operand>(std::size(value));
    to.tensors.reserve(to.samples.size());
    for (std::size_t i = 0; i < to.samples.size(); i++) {
        static_assert(!is_batch<std::remove_reference_t<decltype(std::data(value)[i])>>::value,
                      "the samples of a batch are tensors, not batches");
        set(to.samples[i], std::data(value)[i]);
        to.tensors.push_back(to.samples[i].tensor);
    }
}

template <class T>
void set(operand &to, T &value)
{
    using plain = std::remove_cv_t<T>;
    if constexpr (std::is_arithmetic_v<plain>) {
        set_number(to, value);
    } else if constexpr (std::is_same_v<plain, DLTensor>) {
        to.tensor = value;
    } else if constexpr (is_array<plain>::value) {
        to.tensor = value.tensor();
    } else if constexpr (is_view<plain>::value) {
        to.tensor = weft_dense(value.data(), dtype_of<std::remove_pointer_t<decltype(value.data())>>(),
                               checked_rank(value.shape().size()), value.shape().data());
    } else if constexpr (is_mdspan<plain>::value) {
        set_mdspan(to, value);
    } else if constexpr (is_batch<T>::value) {
        set_batch(to, value);
    } else if constexpr (std::is_array_v<T> && !std::is_convertible_v<T &, std::string_view>) {
        set_nested(to, value);
    } else {
        static_assert(!std::is_convertible_v<T &, std::string_view>,
                      "a text stands where a value belongs: inputs are pairs of a name and a value");
        static_assert(is_range<T>::value,
                      "Weft takes no such value: it takes numbers, containers with data() and size() (not "
                      "std::vector<bool>, whose elements are no bytes), arrays, mdspans, weft::array, weft::view, "
                      "DLTensor, and containers of these as batches; a pointer needs a shape, as in "
                      "weft::view(pointer, {480, 640})");
        to.extents[0] = static_cast<std::int64_t>(std::size(value));
        to.tensor = weft_dense(std::data(value), dtype_of<std::remove_reference_t<decltype(*std::data(value))>>(), 1,
                               to.extents);
    }
    /* Data of no elements may be nullptr, which Weft does not take. */
    if (!to.tensor.data && to.tensor.ndim)
        to.tensor.data = &to.value;
}

inline const char *name_of(const char *name)
{
    return name;
}

inline const char *name_of(const std::string &name)
{
    return name.c_str();
}

/* Pairs of names and values as arguments; numbers are known by their types. */
template <std::size_t Count>
struct arguments {
    std::array<operand, Count + 1> operands;
    std::array<weft_argument, Count + 1> items{};
    std::array<weft_input_type, Count + 1> numbers{};
    std::size_t number_count = 0;

    template <class Name, class Value, class... Rest>
    void put(std::size_t at, const Name &name, Value &value, Rest &...rest)
    {
        static_assert(std::is_convertible_v<const Name &, std::string>,
                      "a value stands where a name belongs: inputs are pairs of a name and a value");
        set(operands[at], value);
        items[at].name = name_of(name);
        operands[at].put_into(items[at]);
        if (operands[at].number) {
            numbers[number_count].name = items[at].name;
            numbers[number_count++].type = "number";
        }
        if constexpr (sizeof...(rest) > 0)
            put(at + 1, rest...);
    }
    std::string number_names() const
    {
        std::string names;
        for (std::size_t i = 0; i < number_count; i++)
            (names += numbers[i].name) += ' ';
        return names;
    }
};

template <class... Inputs>
arguments<sizeof...(Inputs) / 2> *fill(arguments<sizeof...(Inputs) / 2> *to, Inputs &...inputs)
{
    static_assert(sizeof...(Inputs) % 2 == 0, "inputs are pairs of a name and a value, and one lacks its other half");
    if constexpr (sizeof...(Inputs) > 0 && sizeof...(Inputs) % 2 == 0)
        to->put(0, inputs...);
    return to;
}

template <class... T, std::size_t... I>
std::tuple<asked_t<T>...> arrays(const std::shared_ptr<owned_results> &owner, std::index_sequence<I...>)
{
    return {asked_t<T>(owner, I)...};
}

/* The results as the types that were asked for. */
template <class... T>
auto deliver(std::shared_ptr<owned_results> owner)
{
    if (sizeof...(T) && owner->items.count != sizeof...(T))
        fail(WEFT_INVALID_ARGUMENT, "the text has " + std::to_string(owner->items.count) + (owner->items.count == 1 ?
             " result" : " results") + ", and the call names " + std::to_string(sizeof...(T)) +
             (sizeof...(T) == 1 ? " type" : " types") + "; name one for each, as in evaluate<float, float>, or none");
    if constexpr (sizeof...(T) == 0)
        return results(std::move(owner));
    else if constexpr (sizeof...(T) == 1)
        return typename asked<T...>::type(std::move(owner), 0);
    else
        return arrays<T...>(owner, std::index_sequence_for<T...>());
}

}  // namespace detail

/* ---- calls ---- */

/* Computes a text, which is compiled by the first call (weft_eval_arguments). */
template <class... T, class... Inputs>
auto evaluate(const context &on, const std::string &text, const Inputs &...inputs)
{
    detail::arguments<sizeof...(Inputs) / 2> arguments;
    detail::fill(&arguments, inputs...);
    auto owner = std::make_shared<detail::owned_results>();
    weft_compile_params params{};
    params.inputs = arguments.numbers.data();
    params.input_count = arguments.number_count;
    weft_error *list = nullptr;
    const weft_status status = weft_eval_arguments(on.get(), text.c_str(), &params, arguments.items.data(),
                                                   sizeof...(Inputs) / 2, &owner->items, &list);
    on.check(status, list);
    return detail::deliver<T...>(std::move(owner));
}

template <class... T, class... Inputs>
auto evaluate(const std::string &text, const Inputs &...inputs)
{
    return evaluate<T...>(default_context(), text, inputs...);
}

/* A text that is compiled once, for own buffers and many calls. */
class program {
public:
    explicit program(std::string text) : program(default_context(), std::move(text)) {}
    program(const context &on, std::string text) : state_(std::make_unique<state>(on, std::move(text)))
    {
        state_->variant("", nullptr, 0); /* what is wrong with the text is told now */
    }
    std::size_t input_count() const { return weft_program_input_count(state_->plain()); }
    std::string input_name(std::size_t i) const { return text_or_none(weft_program_input_name(state_->plain(), i)); }
    std::size_t result_count() const { return weft_program_result_count(state_->plain()); }
    std::string result_name(std::size_t i) const { return text_or_none(weft_program_result_name(state_->plain(), i)); }

    /* Into results that are allocated, as evaluate does. */
    template <class... T, class... Inputs>
    auto run(const Inputs &...inputs) const
    {
        detail::arguments<sizeof...(Inputs) / 2> arguments;
        detail::fill(&arguments, inputs...);
        auto owner = std::make_shared<detail::owned_results>();
        weft_program *handle = variant(arguments);
        weft_error *list = nullptr;
        weft_status status = weft_results_alloc(handle, arguments.items.data(), sizeof...(Inputs) / 2, &owner->items,
                                                &list);
        state_->on.check(status, list);
        call(handle, arguments, owner->items.items, owner->items.count);
        return detail::deliver<T...>(std::move(owner));
    }
    /* Into the caller's memory: a container, span, mdspan, view or DLTensor of the result's dtype and shape, or a
     * container of these for a batch; several are std::tie(y, z). It may be an input, whose very elements are then
     * overwritten. */
    template <class Output, class... Inputs>
    void run_to(Output &&output, const Inputs &...inputs) const
    {
        run_to_all(std::tie(output), inputs...);
    }
    template <class... Outputs, class... Inputs>
    void run_to(std::tuple<Outputs &...> outputs, const Inputs &...inputs) const
    {
        run_to_all(outputs, inputs...);
    }

private:
    struct destroy {
        void operator()(weft_program *handle) const noexcept { weft_program_destroy(handle); }
    };
    /* Which inputs are numbers shows at a call; each combination is a program of its own. */
    struct state {
        const context on;
        std::string text;
        std::mutex mutex;          /* guards what follows */
        std::map<std::string, std::unique_ptr<weft_program, destroy>> variants;

        state(context where, std::string what) : on(std::move(where)), text(std::move(what)) {}
        weft_program *variant(const std::string &key, const weft_input_type *numbers, std::size_t count)
        {
            const std::lock_guard<std::mutex> lock(mutex);
            auto &found = variants[key];
            if (!found) {
                weft_compile_params params{};
                params.inputs = numbers;
                params.input_count = count;
                weft_program *handle = nullptr;
                weft_error *list = nullptr;
                const weft_status status = weft_compile(on.get(), text.c_str(), &params, &handle, &list);
                found.reset(handle);
                on.check(status, list);
            }
            return found.get();
        }
        weft_program *plain() { return variant("", nullptr, 0); }
    };

    static std::string text_or_none(const char *text) { return text ? text : ""; }

    template <std::size_t Count>
    weft_program *variant(const detail::arguments<Count> &arguments) const
    {
        return state_->variant(arguments.number_names(), arguments.numbers.data(), arguments.number_count);
    }
    template <std::size_t Count>
    void call(weft_program *handle, const detail::arguments<Count> &arguments, const weft_argument *outputs,
              std::size_t count) const
    {
        weft_run_params params{};
        params.inputs = arguments.items.data();
        params.input_count = Count;
        params.outputs = outputs;
        params.output_count = count;
        weft_error *list = nullptr;
        const weft_status status = weft_run(handle, &params, &list);
        state_->on.check(status, list);
    }
    template <class... Outputs, class... Inputs>
    void run_to_all(std::tuple<Outputs &...> outputs, const Inputs &...inputs) const
    {
        detail::arguments<sizeof...(Inputs) / 2> arguments;
        detail::fill(&arguments, inputs...);
        std::array<detail::operand, sizeof...(Outputs)> operands;
        std::array<weft_argument, sizeof...(Outputs)> items{};
        std::size_t at = 0;
        std::apply(
            [&](auto &...output) {
                static_assert((!std::is_arithmetic_v<std::remove_reference_t<decltype(output)>> && ...),
                              "a number is no memory for a result; take weft::view(&number, {})");
                static_assert((!std::is_const_v<std::remove_reference_t<decltype(output)>> && ...),
                              "a result cannot be written to a const value");
                ((detail::set(operands[at], output), operands[at].put_into(items[at]), ++at), ...);
            },
            outputs);
        call(variant(arguments), arguments, items.data(), sizeof...(Outputs));
    }

    std::unique_ptr<state> state_;
};

}  // namespace weft

#endif
