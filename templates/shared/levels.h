/* How a text is compiled for several widths of vectors: what stands between PUSH and POP is for processors that have
 * these features. SEVERAL_WIDTHS: there are such. One text for the library, which includes it, and for ahead-of-time
 * sources, which carry it. */

//: levels
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__ && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__ /* which see no masks */
#if defined __clang__
#define PUSH(features) PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define POP PRAGMA(clang attribute pop)
#else
#define PUSH(features) PRAGMA(GCC push_options) PRAGMA(GCC target(features))
#define POP PRAGMA(GCC pop_options)
#endif
#define SEVERAL_WIDTHS
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#endif
