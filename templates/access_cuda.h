/* How loads and stores of each kind of access are emitted for CUDA; access_c.h says how to read it, and
 * what stands under `every` goes before each kind's own. The parts are those of templates/kernel.cu. Loads
 * of all chunks of a thread come first: `whole` where every chunk has all its elements and every dense
 * access is aligned, else `parts`, the first m elements of each. p$ is where a chunk begins, o$ what outer
 * groups add to that: bytes, or of a mapped access its number. */

//: load every
buffers: const char *p$[UNROLL]; /* NAME */
offsets: i64 o$ = 0;
groups: o$ += (i64)digit * (index)s->strides[$][g];
//: load scalar
buffers: T w$[UNROLL];
places: p$[u] = bases[$] + o$;
whole: w$[u] = *(const T *)p$[u];
parts: w$[u] = m ? *(const T *)p$[u] : 0;
row: const VALUE a$ = LOAD(w$[u]);
//: load unit
buffers: ALIGNED T w$[UNROLL][BLOCK];
places: p$[u] = bases[$] + o$ + (i64)i * (index)sizeof(T);
places: odd |= (u32)(u64)(bases[$] + o$) & (BLOCK * sizeof(T) - 1);
whole: N(take)(w$[u], p$[u]);
parts: N(gather)(w$[u], p$[u], sizeof(T), m);
operands: const T *const x$ = w$[u];
//: load strided
buffers: T w$[UNROLL][BLOCK];
places: p$[u] = bases[$] + o$ + (i64)i * STEP($);
whole: N(gather)(w$[u], p$[u], STEP($), BLOCK);
parts: N(gather)(w$[u], p$[u], STEP($), m);
operands: const T *const x$ = w$[u];
//: load periodic
buffers: T w$[UNROLL][BLOCK];
places: p$[u] = bases[$] + o$ + (i64)phase[u] * STEP($);
whole: N(nested)(w$[u], p$[u], STEP($), 0, phase[u], s, BLOCK);
parts: N(nested)(w$[u], p$[u], STEP($), 0, phase[u], s, m);
operands: const T *const x$ = w$[u];
//: load nested
buffers: T w$[UNROLL][BLOCK];
places: p$[u] = bases[$] + o$ + (i64)turn * JUMP($) + (i64)phase[u] * STEP($);
whole: N(nested)(w$[u], p$[u], STEP($), JUMP($), phase[u], s, BLOCK);
parts: N(nested)(w$[u], p$[u], STEP($), JUMP($), phase[u], s, m);
operands: const T *const x$ = w$[u];
//: load mapped
buffers: T w$[UNROLL][BLOCK];
places: p$[u] = bases[$] + o$;
whole: N(mapped)(w$[u], bases[$], s->maps[$], p$[u] - bases[$], column[u], BLOCK);
parts: N(mapped)(w$[u], bases[$], s->maps[$], p$[u] - bases[$], column[u], m);
operands: const T *const x$ = w$[u];
//: store every
buffers: char *p$[UNROLL]; /* NAME */
offsets: i64 o$ = 0;
groups: o$ += (i64)digit * (index)s->strides[$][g];
//: store unit
places: p$[u] = bases[$] + o$ + (i64)i * (index)sizeof(T);
places: odd |= (u32)(u64)(bases[$] + o$) & (BLOCK * sizeof(T) - 1);
operands: ALIGNED T y$[BLOCK];
results: if (!odd)
results:     N(give)(p$[u], y$);
results: else
results:     N(scatter)(p$[u], sizeof(T), y$, m);
//: store strided
places: p$[u] = bases[$] + o$ + (i64)i * STEP($);
operands: T y$[BLOCK];
results: N(scatter)(p$[u], STEP($), y$, m);
//: store nested
places: p$[u] = bases[$] + o$ + (i64)turn * JUMP($) + (i64)phase[u] * STEP($);
operands: T y$[BLOCK];
results: N(spread)(p$[u], STEP($), JUMP($), phase[u], s, y$, m);
//: end
