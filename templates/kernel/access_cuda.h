/* How loads and stores of each kind of access are emitted for CUDA; access_c.h says how to read it, and
 * what stands under `every` goes before each kind's own. The parts are those of templates/kernel/kernel.cu: all
 * loads of all chunks of a thread come first. o_$ is what outer groups add to an access's place: bytes, or
 * of a mapped access its number. */

//: load every
offsets: i64 o_$ = 0; /* NAME */ //~
groups: o_$ += times(digit, (index)s->strides[$][g]); //~
32nd loads: SO_FAR //~
//: load scalar
buffers: T w_$[CHUNKS_MOST]; //~
loads: w_$[u] = *(const T *)(bases[$] + o_$);
row: const VALUE a_$ = LOAD(w_$[u]);
called row: ALIGNED T x_$[CHUNK];
called row: N(fill)(x_$, w_$[u], BLOCK);
//: load value
row: const VALUE a_$ = LOAD(*(const T *)&bases[$]);
called row: ALIGNED T x_$[CHUNK];
called row: N(fill)(x_$, *(const T *)&bases[$], BLOCK);
//: load unit
buffers: ALIGNED T w_$[CHUNKS_MOST][CHUNK]; //~
loads: N(load)(w_$[u], bases[$] + o_$ + (i64)i * (index)sizeof(T), BLOCK);
operands: const T *const x_$ = w_$[u];
//: load unaligned
buffers: ALIGNED T w_$[CHUNKS_MOST][CHUNK]; //~
loads: N(unaligned)(w_$[u], bases[$] + o_$ + (i64)i * (index)sizeof(T), BLOCK);
operands: const T *const x_$ = w_$[u];
//: load strided
buffers: ALIGNED T w_$[CHUNKS_MOST][CHUNK]; //~
loads: N(gather)(w_$[u], bases[$] + o_$ + times(i, STEP($)), STEP($), BLOCK);
operands: const T *const x_$ = w_$[u];
//: load periodic
buffers: ALIGNED T w_$[CHUNKS_MOST][CHUNK]; //~
loads: N(periodic)(w_$[u], bases[$] + o_$, STEP($), phase, period, BLOCK);
operands: const T *const x_$ = w_$[u];
//: load nested
buffers: ALIGNED T w_$[CHUNKS_MOST][CHUNK]; //~
loads: N(nested)(w_$[u], bases[$] + o_$, STEP($), JUMP($), turn, phase, period, BLOCK);
operands: const T *const x_$ = w_$[u];
//: load column
buffers: ALIGNED T w_$[CHUNKS_MOST][CHUNK]; //~
loads: N(column)(w_$[u], bases[$] + o_$, JUMP($), turn, phase, period, BLOCK);
operands: const T *const x_$ = w_$[u];
//: load mapped
buffers: ALIGNED T w_$[CHUNKS_MOST][CHUNK]; //~
loads: N(mapped)(w_$[u], bases[$], s->maps[$], o_$, i - begin, BLOCK);
operands: const T *const x_$ = w_$[u];
//: load bounded
buffers: ALIGNED T w_$[CHUNKS_MOST][CHUNK]; //~
loads: N(bounded)(w_$[u], bases[$], s->maps[$], o_$, i - begin, BLOCK);
operands: const T *const x_$ = w_$[u];
//: store every
buffers: char *p_$[CHUNKS_MOST]; //~
offsets: i64 o_$ = 0; /* NAME */ //~
groups: o_$ += times(digit, (index)s->strides[$][g]); //~
//: store unit
loads: p_$[u] = bases[$] + o_$ + (i64)i * (index)sizeof(T);
operands: ALIGNED T y_$[CHUNK];
results: N(store)(p_$[u], y_$, m, BLOCK);
//: store strided
loads: p_$[u] = bases[$] + o_$ + times(i, STEP($));
operands: ALIGNED T y_$[CHUNK];
results: N(scatter)(p_$[u], STEP($), y_$, m, BLOCK);
//: store reduced
operands: ALIGNED T y_$[CHUNK];
results: UNROLLED
results: for (int j = 0; j < BLOCK; j++)
results:     values[u * BLOCK + j] = m ? (acc_t)y_$[j] : absent;
//: store nested
buffers: index phase_$[CHUNKS_MOST], turn_$[CHUNKS_MOST]; //~
loads: p_$[u] = bases[$] + o_$;
loads: phase_$[u] = phase;
loads: turn_$[u] = turn;
operands: ALIGNED T y_$[CHUNK];
results: N(spread)(p_$[u], STEP($), JUMP($), turn_$[u], phase_$[u], period, y_$, m, BLOCK);
//: end
