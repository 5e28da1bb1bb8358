/* The arguments of a CUDA kernel as words of 8 bytes, in the order of templates/kernel/args_cuda.h. All that is
 * written here is host memory; addresses in it are the device's. How much there is of each is said by the
 * kernel's form, planned->emitted->form (compiler/loop/form.h).
 *
 * A kernel on one sample (!form.many) takes everything by value: cuda_write_args is all. One on many takes
 * a table in device memory, which the caller lays out: samples one after the other, form_sample_words
 * each, with the tiles of all in one line (sample.first_tile), and geometries, form_geometry_words each,
 * one for each plan. A sample without tiles has no place in it. */
#ifndef WEFT_RUNTIME_PLAN_GPU_ARGS_H
#define WEFT_RUNTIME_PLAN_GPU_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "templates/shared/launch_args.h"

struct planned;

/* Blocks for a launch over so many tiles (> 0), of all samples, on a GPU with so many multiprocessors: at least 1. */
unsigned cuda_blocks(const struct planned *planned, int64_t tiles, int processors);

/* A geometry for a table. `maps`: for each access the device address of its map; NULL where
 * !form.mapped. */
void cuda_write_geometry(const struct planned *planned, const uint64_t *maps, uint64_t *words);
/* A sample for a table: its first tile, the device address of its geometry, and for each access that of
 * the element that it reads or writes first (planned->starts[a] bytes behind the tensor's). */
void cuda_write_sample(const struct planned *planned, int64_t first_tile, uint64_t geometry,
                       const uint64_t *bases, uint64_t *words);

/* form_args_words(form) words: the one parameter of the kernel. Of `launch` all but literals and dense is read. */
void cuda_write_args(const struct planned *planned, const struct launch_words *launch, uint64_t *words);
/* Arguments that were written before (!form.many), for other data. */
void cuda_change_args(const struct planned *planned, uint64_t faults, const uint64_t *bases, uint64_t *words);

#endif
