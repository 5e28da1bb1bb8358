/* How loads and stores of each kind of access (compiler/loop/geometry.h) are emitted for C. A line says to which
 * part of templates/kernel/kernel.c it goes, then what: $ is the access's number, T its type in memory, VALUE in
 * registers, LOAD(x) the value of the stored x, NAME what it reads or writes, N(pad) the helper of
 * prelude_c.h. `block: w` declares block w$; `head: vector` wants that part of the prelude; what is marked
 * `called` is emitted where a function of whole blocks reads the load, `once` for the first access alone,
 * `32nd` for every 32nd access. A line that begins with + goes on with the one before. */

//: load scalar
row: const VALUE a$ = LOAD(*(const T *)p[$]); /* NAME */
called block: x
called row: N(fill)(x$, a$);
//: load unit
head: vector
block: w
operands: const T *x$ = (const T *)p[$] + i; /* NAME */
operands: if (m < BLOCK)
operands:     x$ = N(pad)(w$, x$, m);
operands: fetch(x$, args->ahead, sizeof *x$);
//: load strided
block: w
operands: const T *const x$ = N(gather)(w$, p[$] + i * s->strides[$ * stride + groups],
+ s->strides[$ * stride + groups], m); /* NAME */
//: load periodic
block: w
row: N(repeat)(w$, p[$], s->strides[$ * stride + groups], s->period); /* NAME */
once row: const i64 advance = BLOCK % s->period;
once row: i64 phase = column0 % s->period;
operands: const T *const x$ = w$ + phase;
once results: phase += m == BLOCK ? advance : m % s->period;
once results: if (phase >= s->period)
once results:     phase -= s->period;
//: load nested
block: w
operands: const T *const x$ = N(nested)(w$, p[$], s->strides[$ * stride + groups],
+ s->strides[$ * stride + groups + 1], s->period, i, m); /* NAME */
//: load expanded
block: w
tile: const char *from$ = 0; /* where the row in w$ begins */
row: if (p[$] != from$)
row:     N(expand)(w$, from$ = p[$], s->offsets[$], s->distinct[$], column1); /* NAME */
operands: const T *const x$ = w$ + i;
//: load mapped
block: w
operands: const T *const x$ = N(mapped)(w$, sample->bases[$], s->maps[$], p[$] - sample->bases[$],
+ i, m); /* NAME */
//: load bounded
block: w
operands: const T *const x$ = N(bounded)(w$, sample->bases[$], s->maps[$], p[$] - sample->bases[$],
+ i, m); /* NAME */
//: store unit
head: vector
block: w
once row: head = first_block(args, p[$] + column0 * sizeof(T), sizeof(T));
operands: T *const o$ = (T *)p[$] + i; /* NAME */
operands: const int n$ = m == BLOCK && streams(args, o$);
operands: T *const y$ = m < BLOCK || n$ ? w$ : o$;
results: if (m < BLOCK)
results:     N(put)(o$, w$, m);
results: else if (n$)
results:     stream(o$, w$, BLOCK * sizeof *w$);
once end: if (args->stream)
once end:     fence();
//: store strided
block: w
operands: T *const y$ = w$; /* NAME */
results: N(scatter)(p[$] + i * s->strides[$ * stride + groups], s->strides[$ * stride + groups], w$,
+ m);
//: store nested
block: w
operands: T *const y$ = w$; /* NAME */
results: N(spread)(p[$], s->strides[$ * stride + groups], s->strides[$ * stride + groups + 1],
+ s->period, i, w$, m);
//: store expanded
block: w
operands: T *const y$ = w$; /* NAME */
results: N(place)(p[$], s->offsets[$] + i, w$, m);
//: end
