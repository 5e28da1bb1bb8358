/* How a file is compiled for several widths of vectors: what stands between PUSH and POP for processors that have these
 * features. LEVELS: there are such widths. */
#ifndef WEFT_RUNTIME_KERNELS_LEVELS_H
#define WEFT_RUNTIME_KERNELS_LEVELS_H

#if defined __x86_64__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which see no masks */
#define LEVELS
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#if defined __clang__
#define PUSH(features) PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define POP PRAGMA(clang attribute pop)
#else
#define PUSH(features) PRAGMA(GCC push_options) PRAGMA(GCC target(features))
#define POP PRAGMA(GCC pop_options)
#endif
#endif

#endif
