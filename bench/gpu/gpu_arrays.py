"""Arrays in device memory for the benches of the GPU: made by the driver, handed to Weft as tensors and
to its peers by DLPack, so that everybody reads and writes the same bytes.

Memory belongs to a Room, which gives all of it back at once; an Array must not be used after that."""
import ctypes as c

import numpy as np

import library

LINE = 256  # where a device's allocators begin arrays
FIRST_WORDS = {"i": "int", "u": "uint", "f": "float", "b": "bool"}


class Managed(c.Structure):
    _fields_ = [("tensor", library.Tensor), ("context", c.c_void_p), ("deleter", c.c_void_p)]


CAPSULE = b"dltensor"
new_capsule = c.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
# Nothing is to be done when an array is let go, but some call the function without looking whether there is one,
# and from any thread: a function of the C library that leaves everything as it is.
NOTHING = c.cast(c.CDLL(None).labs, c.c_void_p)
lent = []  # consumers read what a capsule points to when they let it go, which may be at the very end


class Place:
    """Where an array lies: `shift` bytes behind the beginning of its allocation, and `gap` pixels between its rows, as
    in a crop of a picture [height, width, channels]."""

    def __init__(self, shift=0, gap=0):
        self.shift, self.gap = shift, gap

    def parent(self, shape):
        """The shape of the whole of which the array is a part."""
        return tuple(shape) if not self.gap else (shape[0], shape[1] + self.gap, shape[2])


class Array:
    """Row-major. `peers` is the kind of device that peers are told, which is the host's on the mock, whose device
    memory is host memory. The array owns all of the memory of its place's parent."""

    def __init__(self, driver, address, shape, dtype, peers=2, place=Place()):
        self.driver, self.address, self.shape = driver, address + place.shift, tuple(int(extent) for extent in shape)
        self.dtype, self.peers, self.parent = np.dtype(dtype), peers, place.parent(self.shape)
        self.count = int(np.prod(self.shape, dtype=np.int64))
        self.nbytes = int(np.prod(self.parent, dtype=np.int64)) * self.dtype.itemsize
        self.shape_words = (c.c_int64 * len(self.shape))(*self.shape)
        steps = [int(np.prod(self.parent[d + 1:], dtype=np.int64)) for d in range(len(self.shape))]
        self.steps = (c.c_int64 * len(steps))(*steps) if place.gap else None

    def tensor(self, device=2):
        """A DLTensor, which holds a reference to the shape and the strides alone."""
        return library.Tensor(self.address, library.Device(device, 0), len(self.shape),
                              library.element_type(self.dtype), self.shape_words, self.steps, 0)

    def type_text(self):
        """In the language's words: "uint8[480, 640, 3]"."""
        bits = "" if self.dtype.kind == "b" else str(self.dtype.itemsize * 8)
        return f"{FIRST_WORDS[self.dtype.kind]}{bits}[{', '.join(map(str, self.shape))}]"

    def upload(self, array):
        assert array.shape == self.shape
        whole = np.zeros(self.parent, self.dtype) if self.steps else np.ascontiguousarray(array, self.dtype)
        if self.steps:
            whole[:, :self.shape[1]] = array
        self.driver.upload(self.address, whole)

    def repeat(self, some):
        """Fills the array with these elements again and again: what there is already is copied behind itself."""
        self.driver.upload(self.address, some)
        done = some.nbytes
        while done < self.nbytes:
            count = min(done, self.nbytes - done)
            self.driver.copy(self.address + done, self.address, count)
            done += count
        self.driver.synchronize()

    def download(self):
        array = np.empty(self.parent, self.dtype)
        self.driver.download(array, self.address)
        return array[:, :self.shape[1]] if self.steps else array

    def poison(self):
        self.driver.poison(self.address, self.nbytes)

    def __dlpack_device__(self):
        return self.peers, 0

    def __dlpack__(self, **_options):
        # Nothing waits for a stream: the benches synchronize the device before anybody takes an array over.
        managed = Managed(self.tensor(self.peers), None, NOTHING)
        lent.append((self, managed))
        return new_capsule(c.addressof(managed), CAPSULE, None)


class Ragged:
    """A batch: samples one behind the other in one allocation, each on a line of its own."""

    def __init__(self, driver, address, shapes, dtype, peers=2):
        self.dtype = np.dtype(dtype)
        sizes = [int(np.prod(shape)) * self.dtype.itemsize for shape in shapes]
        starts = np.cumsum([0] + [-(-size // LINE) * LINE for size in sizes])
        self.samples = [Array(driver, address + int(start), shape, dtype, peers)
                        for start, shape in zip(starts, shapes)]
        self.nbytes, self.span = sum(sizes), int(starts[-1])
        self.tensors = (library.Tensor * len(sizes))(*[sample.tensor() for sample in self.samples])

    def argument(self, name):
        return library.Argument(name.encode() if name else None, self.tensors, len(self.tensors), True)

    def type_text(self):
        return self.samples[0].type_text()  # a stage is shown for one tensor

    def poison(self):
        for sample in self.samples:
            sample.poison()


def make(driver, address, shape, dtype, peers, place=Place()):
    """An Array, or a Ragged for a list of shapes, which lies nowhere in particular."""
    if isinstance(shape, list):
        return Ragged(driver, address, shape, dtype, peers)
    return Array(driver, address, shape, dtype, peers, place)


def span(shape, dtype, place=Place()):
    """The bytes that `make` needs."""
    made = make(None, 0, shape, dtype, 2, place)
    return made.span if isinstance(shape, list) else made.nbytes + place.shift


class Room:
    """Allocations of a case."""

    def __init__(self, driver, peers=2):
        self.driver, self.peers, self.addresses = driver, peers, []

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.driver.synchronize()
        for address in self.addresses:
            self.driver.free(address)
        self.addresses = []

    def array(self, shape, dtype, place=Place()):
        self.addresses.append(self.driver.allocate(span(shape, dtype, place)))
        return make(self.driver, self.addresses[-1], shape, dtype, self.peers, place)


class Random:
    """Random elements, drawn once for a dtype and read from ever other places. What has more of them than were drawn
    repeats them, with a period that no power of two divides."""
    DRAWN = (1 << 22) + 4099
    pools = {}

    def __init__(self, seed):
        self.turn = seed

    def pool(self, dtype):
        if dtype not in self.pools:
            source = np.random.default_rng(7)
            self.pools[dtype] = source.integers(0, 256, self.DRAWN, np.uint8) if dtype == np.uint8 else \
                source.standard_normal(self.DRAWN, np.float32).astype(dtype)
        return self.pools[dtype]

    def fill(self, array):
        for sample in array.samples if isinstance(array, Ragged) else [array]:
            self.turn += 1
            drawn = np.roll(self.pool(sample.dtype), 4099 * (self.turn % 61))
            if sample.steps or sample.count <= len(drawn):
                sample.upload(np.resize(drawn, sample.shape))
            else:
                sample.repeat(drawn)
