/* How loads and stores of each kind of access are emitted for CUDA; access_c.h says how to read it, and
 * what stands under `every` goes before each kind's own. The parts are those of templates/kernel/kernel.cu: all
 * loads of all chunks of a thread come first. o$ is what outer groups add to an access's place: bytes, or
 * of a mapped access its number. */

//: load every
offsets: i64 o$ = 0; /* NAME */
groups: o$ += times(digit, (index)s->strides[$][g]);
32nd loads: SO_FAR
//: load scalar
buffers: T w$[CHUNKS_MOST];
loads: w$[u] = *(const T *)(bases[$] + o$);
row: const VALUE a$ = LOAD(w$[u]);
called row: ALIGNED T x$[CHUNK];
called row: N(fill)(x$, w$[u], BLOCK);
//: load value
row: const VALUE a$ = LOAD(*(const T *)&bases[$]);
called row: ALIGNED T x$[CHUNK];
called row: N(fill)(x$, *(const T *)&bases[$], BLOCK);
//: load unit
buffers: ALIGNED T w$[CHUNKS_MOST][CHUNK];
loads: N(load)(w$[u], bases[$] + o$ + (i64)i * (index)sizeof(T), BLOCK);
operands: const T *const x$ = w$[u];
//: load strided
buffers: ALIGNED T w$[CHUNKS_MOST][CHUNK];
loads: N(gather)(w$[u], bases[$] + o$ + times(i, STEP($)), STEP($), BLOCK);
operands: const T *const x$ = w$[u];
//: load periodic
buffers: ALIGNED T w$[CHUNKS_MOST][CHUNK];
loads: N(periodic)(w$[u], bases[$] + o$, STEP($), phase, period, BLOCK);
operands: const T *const x$ = w$[u];
//: load nested
buffers: ALIGNED T w$[CHUNKS_MOST][CHUNK];
loads: N(nested)(w$[u], bases[$] + o$, STEP($), JUMP($), turn, phase, period, BLOCK);
operands: const T *const x$ = w$[u];
//: load mapped
buffers: ALIGNED T w$[CHUNKS_MOST][CHUNK];
loads: N(mapped)(w$[u], bases[$], s->maps[$], o$, i, BLOCK);
operands: const T *const x$ = w$[u];
//: load bounded
buffers: ALIGNED T w$[CHUNKS_MOST][CHUNK];
loads: N(bounded)(w$[u], bases[$], s->maps[$], o$, i, BLOCK);
operands: const T *const x$ = w$[u];
//: store every
buffers: char *p$[CHUNKS_MOST];
offsets: i64 o$ = 0; /* NAME */
groups: o$ += times(digit, (index)s->strides[$][g]);
//: store unit
loads: p$[u] = bases[$] + o$ + (i64)i * (index)sizeof(T);
operands: ALIGNED T y$[CHUNK];
results: N(store)(p$[u], y$, m, BLOCK);
//: store strided
loads: p$[u] = bases[$] + o$ + times(i, STEP($));
operands: ALIGNED T y$[CHUNK];
results: N(scatter)(p$[u], STEP($), y$, m, BLOCK);
//: store nested
buffers: index phase$[CHUNKS_MOST], turn$[CHUNKS_MOST];
loads: p$[u] = bases[$] + o$;
loads: phase$[u] = phase;
loads: turn$[u] = turn;
operands: ALIGNED T y$[CHUNK];
results: N(spread)(p$[u], STEP($), JUMP($), turn$[u], phase$[u], period, y$, m, BLOCK);
//: end
