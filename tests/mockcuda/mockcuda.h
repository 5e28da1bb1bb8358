/* What tests may ask of the fake driver and NVRTC beside their usual functions: by dlsym, from
 * libcuda.so.1 and libnvrtc.so.13. All of it is for one thread, while no other is inside a call. */
#ifndef MOCKCUDA_H
#define MOCKCUDA_H

/* The n-th driver call from now on fails with `code`, a CUresult; 0: none does. Counting begins
 * anew. Codes from 700 on that a GPU reports for a kernel gone wrong (700, 714 to 719) lose the
 * current context as well. */
void mockcuda_fail_at(long number, int code);
/* Driver calls since then. */
long mockcuda_calls(void);
/* Kernels that were launched, or captured. */
long mockcuda_launches(void);
/* The name of the call that failed last; NULL: none did. */
const char *mockcuda_failed(void);

/* Between pause(1) and pause(0) calls are not counted, and none is made to fail. */
void mockcuda_pause(int pause);

/* Whatever was taken and not given back: memory, streams, events, modules, graphs, user objects,
 * contexts. With `tell` each is named on stderr. */
int mockcuda_live(int tell);
/* Work that waits in all streams. */
int mockcuda_pending(void);
/* As MOCKCUDA_SEED and MOCKCUDA_MEMORY, from now on. */
void mockcuda_seed(unsigned seed);
void mockcuda_memory(unsigned long long bytes);

/* The same for NVRTC. */
void mocknvrtc_fail_at(long number, int code);
long mocknvrtc_calls(void);

#endif
