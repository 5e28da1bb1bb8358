/* A CUDA chain: kernels over the same points, which one launch computes. A block of threads takes some points through
 * all kernels, one after the other. The parts `elements` and `reduced` take the place of a kernel's entry. */
//: chain elements
/* Computes the elements of `together` points, of which there are `points`: as kernel.cu does those of a tile, but they
 * may begin and end anywhere. Chunks lie between `from` and `to`. */
DEVICE void OWN(run_tile)(const struct weft_args *args, const i64 tile, const i64 points, const i64 together)
{
    const struct weft_geometry *const s = &args->geometry; //~
    const int begin = GROUPS ? 0 : (int)args->dense >> 1; //~
    const uindex taken = (uindex)(together < points ? together : points); //~
    const index of_tile = (index)((uindex)s->volume / (uindex)points * taken); //~
    const index first = (index)(tile * of_tile) + begin, left = (index)s->volume + begin - first; //~
    const index end = first + (left < of_tile ? left : of_tile), //~
                last = left - 4 * SPARE < of_tile ? first + left - 4 * SPARE : end; //~
    index from = (first + CHUNK - 1) / CHUNK * CHUNK, to = last / CHUNK * CHUNK; //~
    if (CHUNK == 1 || !(args->dense & 1) || from >= to) //~
        from = to = end; //~
    index stop; //~
    ROLLED
    for (index n = first; n < end; n = stop) {
        const bool whole = n >= from && n < to; //~
        stop = n < from ? from : !whole ? end : to - n < TILE ? to : n + TILE; //~
        if (CHUNK > 1 && whole && compute(args, s, args->bases, begin, n, stop, CHUNK, UNROLL))
            continue;
        ROLLED
        for (index i = n; i < stop; i += THREADS * SINGLES)
            compute(args, s, args->bases, begin, i, stop, 1, SINGLES);
    }
}
//: chain reduced
/* Joins the elements of the points of a tile. */
DEVICE void OWN(run_tile)(const struct weft_args *args, const i64 tile, const i64 points, const i64 together)
{
    $absent
    join_tile(args, &args->geometry, args->bases, (index)tile, args->dense & 1, absent);
}
//: chain entry
KERNEL weft_kernel($parameters)
{
    const i64 tiles = $first.tiles, points = $first.geometry.lanes.points, together = $first.geometry.lanes.together;
    ROLLED
    for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        $tiles
    }
}
//: chain end
