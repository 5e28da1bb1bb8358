"""weft.dask with a real scheduler: four worker processes that share one cache of kernels, of which one is killed
halfway; the mean and a 3 x 3 blur of an array of many times a worker's memory have the bits of one process.

    large_dask.py [--memory MIB] [--times N]      of a worker, and the array's multiple of it (256, 10)

It needs the package distributed, and says so."""
import argparse
import hashlib
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

import numpy as np

BLUR = 'correlate(x, [[1, 2, 1], [2, 4, 2], [1, 2, 1]], "edge") / 16'


def digest(block):
    """64 bits of a block's bytes, as an array of one element."""
    got = hashlib.sha256(np.ascontiguousarray(block).tobytes()).digest()[:8]
    return np.frombuffer(got, np.uint64).reshape(1, 1)


def kill_halfway(client, done, killed):
    """Kills a worker once a third of what it has to do is in memory."""
    while not done.is_set():
        workers = client.scheduler_info(n_workers=-1)["workers"]
        finished = client.run_on_scheduler(lambda dask_scheduler: sum(
            state.state in ("memory", "released") for state in dask_scheduler.tasks.values()))
        total = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        if total and finished > total / 3 and workers:
            pids = client.run(os.getpid)
            victim = next(iter(pids.values()))
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)
            return
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory", type=int, default=256)
    parser.add_argument("--times", type=float, default=10)
    options = parser.parse_args()
    try:
        import dask.array
        import distributed
    except ImportError as error:
        print(f"skipped: {error.name} is not installed; pip install 'dask[array,distributed]'")
        return 77
    import weft
    import weft.dask
    elements = options.memory * 2**20 * options.times / 4
    width = int(np.sqrt(elements)) // 8 * 8
    shape = int(elements) // width, width
    side = max(min(1500, width // 5), 8)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        with distributed.LocalCluster(n_workers=4, threads_per_worker=1, processes=True,
                                      memory_limit=options.memory * 2**20, dashboard_address=None,
                                      local_directory=cache) as cluster, distributed.Client(cluster) as client:
            x = weft.dask.evaluate("random(x, 7)", x=dask.array.zeros(shape, np.float32, chunks=side))
            print(f"array {x.shape}, {x.nbytes / 2**20:.0f} MiB in chunks of {x.chunksize}, workers of "
                  f"{options.memory} MiB", flush=True)
            blur = weft.dask.evaluate(BLUR)
            digests = blur.map_blocks(digest, dtype=np.uint64, chunks=(1, 1), meta=np.empty((0, 0), np.uint64))
            mean = weft.dask.evaluate("mean(x)")
            done, killed = threading.Event(), []
            killer = threading.Thread(target=kill_halfway, args=(client, done, killed))
            start = time.time()
            futures = client.compute([mean, digests])
            killer.start()
            got, digested = client.gather(futures)
            done.set()
            killer.join()
            print(f"computed in {time.time() - start:.0f} s; killed {killed}", flush=True)
            assert killed, "no worker was killed"
        files = [path for path in pathlib.Path(cache).rglob("*") if path.is_file() and "weft" in str(path)]
        print(f"{len(files)} files in the shared cache")
        whole = weft.evaluate("random(x, 7)", x=np.broadcast_to(np.float32(0), shape))
        expected = weft.evaluate("mean(x)", x=whole)
        assert got.tobytes() == expected.tobytes(), (got, expected)
        blurred = weft.evaluate(BLUR, x=whole)
        rows, columns = [np.cumsum((0, *sizes)) for sizes in blur.chunks]
        for i, j in np.ndindex(digested.shape):
            block = blurred[rows[i]:rows[i + 1], columns[j]:columns[j + 1]]
            assert digest(block)[0, 0] == digested[i, j], (i, j)
    print(f"mean {float(got)!r} and the {digested.size} blocks of the blur have the bits of one process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
