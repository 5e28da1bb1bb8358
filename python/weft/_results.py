"""The results of a program that has several."""


class Results(tuple):
    """A tuple of results, which also have names: r[0], r["total"], r.total.

    >>> import numpy, weft
    >>> r = weft.evaluate("return total = a + b, difference = a - b", a=numpy.int32(5), b=numpy.int32(3))
    >>> int(r[0]), int(r["difference"]), int(r.total)
    (8, 2, 8)
    >>> r.names
    ('total', 'difference')
    """

    names: tuple

    def __getitem__(self, key):
        if isinstance(key, str):
            return super().__getitem__(self._position(key))
        return super().__getitem__(key)

    def __getattr__(self, name):
        if name == "names":
            raise AttributeError(name)
        if name not in self.names:
            raise AttributeError(self._unknown(name))
        return self[name]

    def keys(self):
        """The names of the results, so that dict(results) is a dict of them."""
        return self.names

    def values(self):
        return tuple(self)

    def items(self):
        """(name, result) for each."""
        return tuple(zip(self.names, self))

    def _position(self, name):
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(self._unknown(name)) from None

    def _unknown(self, name):
        return f"there is no result {name!r}; there are {', '.join(self.names)}"

    def __repr__(self):
        return "Results(" + ", ".join(f"{name}={value!r}" for name, value in zip(self.names, self)) + ")"


def make(names, values):
    results = Results(values)
    results.names = names
    return results
