"""What is written where a function of NumPy, SciPy,
    PyTorch or MATLAB does not exist computes what that function does:
the advice is read from the error and followed."""
import math
import re
import unittest

import numpy as np
import weft

RNG = np.random.default_rng(7)
X, POSITIVE = RNG.normal(size=(4, 6)), RNG.uniform(0.1, 0.9, size=(4, 6))
LINE, OTHER = RNG.normal(size=8), RNG.normal(size=8)
C = X > 0
I = np.array([2, 0, 3])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def correlated(x, kernel):
    """For elements inside, in two dimensions."""
    h, w = np.shape(kernel)
    return sum(kernel[i][j] * x[i:x.shape[0] - h + 1 + i,
    j:x.shape[1] - w + 1 + j] for i in range(h) for j in range(w))


# name: (the function, its inputs); the program has inputs of these names
ONE = {
    "sinc": np.sinc, "fix": np.fix, "frac": lambda x: x - np.trunc(x), "isneginf": np.isneginf,
    "isposinf": np.isposinf,
    "sgn": np.sign, "spacing": lambda x: np.spacing(np.abs(x)), "nan_to_num": np.nan_to_num, "ptp": np.ptp,
    "tril": np.tril, "triu": np.triu, "fliplr": np.fliplr, "flipud": np.flipud, "rot90": np.rot90, "amin": np.amin,
    "amax": np.amax, "average": np.average, "relu": lambda x: np.maximum(x, 0), "sigmoid": sigmoid,
    "expit": sigmoid, "silu": lambda x: x * sigmoid(x), "swish": lambda x: x * sigmoid(x),
    "softplus": lambda x: np.log1p(np.exp(x)), "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1), "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "gelu": lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / np.sqrt(2))), "softsign": lambda x: x / (1 + abs(x)),
    "hardtanh": lambda x: np.clip(x, -1, 1), "relu6": lambda x: np.clip(x, 0, 6),
    "hardsigmoid": lambda x: np.clip((x + 3) / 6, 0, 1), "hardswish": lambda x: x * np.clip((x + 3) / 6, 0, 1),
    "logsigmoid": lambda x: np.log(sigmoid(x)), "tanhshrink": lambda x: x - np.tanh(x),
    "softmin": lambda x: np.exp(-x) / np.exp(-x).sum(-1, keepdims=True),
    "log_softmax": lambda x: x - np.log(np.exp(x).sum(-1, keepdims=True)),
    "normalize": lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True),
    "rms_norm": lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5),
    "layer_norm": lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5),
    "mat2gray": lambda x: (x - x.min()) / np.ptp(x), "rescale": lambda x: (x - x.min()) / np.ptp(x),
    "sind": lambda x: np.sin(np.radians(x)), "cosd": lambda x: np.cos(np.radians(x)),
    "tand": lambda x: np.tan(np.radians(x)), "nthroot": np.cbrt, "flatten": np.ravel,
    "diff": lambda x: np.diff(x, axis=-1),
    "isna": np.isnan, "fillna": np.nan_to_num, "notnull": lambda x: ~np.isnan(x),
    "idxmax": np.argmax, "countNonZero": np.count_nonzero, "nnz": np.count_nonzero,
    "pct_change": lambda x: x[1:] / x[:-1] - 1,
}
TWO = {
    "logaddexp": np.logaddexp, "logaddexp2": np.logaddexp2, "array_equal": np.array_equal,
    "absdiff": lambda a, b: abs(a - b),
    "fmin": np.fmin, "fmax": np.fmax, "less_equal": np.less_equal, "not_equal": np.not_equal,
    "logical_xor": np.logical_xor, "xor": np.logical_xor, "mse_loss": lambda a, b: np.mean((a - b) ** 2),
    "l1_loss": lambda a, b: np.mean(abs(a - b)), "allclose": np.allclose, "subtract": np.subtract,
    "ldivide": lambda a, b: b / a,
    "huber_loss": lambda a, b: np.mean(np.where(abs(a - b) < 1, (a - b) ** 2 / 2, abs(a - b) - 0.5)),
    "cosine_similarity": lambda a, b: (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1),
    "pairwise_distance": lambda a, b: np.linalg.norm(a - b, axis=-1),
    "cov": lambda a, b: np.cov(a.ravel(), b.ravel(), ddof=0)[0, 1],
    "corrcoef": lambda a, b: np.corrcoef(a.ravel(), b.ravel())[0, 1], "append": lambda a, b: np.append(a, b, axis=0),
    "hstack": lambda a, b: np.hstack((a, b)), "vstack": lambda a, b: np.vstack((a, b)), "concatenate": lambda a, b:
    np.concatenate((a, b)), "addWeighted": lambda a, b: (a + b) / 2,
    "atan2d": lambda a, b: np.degrees(np.arctan2(a, b)),
    "cdist": lambda a, b: np.linalg.norm(a[:, None] - b[None], axis=-1),
}
IMAGE = RNG.integers(0, 256, (8, 16, 3), np.uint8)


def picture(x):
    return np.rint(np.clip(x, 0, 255)).astype(np.uint8)


def grey(x):
    return np.float32(x) @ np.float32([0.299, 0.587, 0.114])


# What editors do to pictures
PICTURES = {
    "rotate": np.rot90, "mirror": np.fliplr, "hflip": np.fliplr, "vflip": np.flipud, "crop": lambda x: x[1:3, 1:4],
    "grayscale": grey, "luminance": grey, "brighten": lambda x: picture(x * 1.5),
    "contrast": lambda x: picture((x - 128.0) * 1.5 + 128), "gamma": lambda x: picture(255 * (x / 255) ** (1 / 2.2)),
    "autocontrast": lambda x: picture((x - x.min()) * 255.0 / (x.max() - x.min())),
    "pixelate": lambda x: np.kron(x[::8, ::8], np.ones((8, 8, 1))),
    "sharpen": lambda x: np.stack([picture(correlated(np.pad(np.float64(x[..., c]), 1, "reflect"), [
        [0, -1, 0], [-1, 5, -1], [0, -1, 0]])) for c in range(3)], -1),
}

OTHERS = {
    "trace": (lambda x: np.trace(x), {"x": X[:, :4]}), "diagonal": (np.diagonal, {"x": X[:, :4]}),
    "trapezoid": (lambda x: np.sum((x[1:] + x[:-1]) / 2), {"x": LINE}), "ediff1d": (np.ediff1d, {"x": LINE}),
    "cross": (lambda a, b: np.cross(a, b), {"a": LINE[:3], "b": OTHER[:3]}),
    "logit": (lambda x: np.log(x / (1 - x)), {"x": POSITIVE}),
    "searchsorted": (lambda a, x: np.searchsorted(a, x), {"a": np.sort(LINE), "x": OTHER}),
    "digitize": (lambda a, x: np.digitize(x, a), {"a": np.sort(LINE), "x": OTHER}),
    "isin": (np.isin, {"a": np.array([1, 2, 3]), "b": np.array([3, 1])}),
    "choose": (np.where, {"c": C, "a": X, "b": -X}), "masked_fill": (lambda c, x: np.where(c, 0, x), {"c": C,
    "x": X}),
    "index_select": (lambda x, i: x[i], {"x": X, "i": I}),
    "one_hot": (lambda i, n: np.eye(n, dtype=np.float32)[i], {"i": I, "n": 5}),
    "eye": (lambda n: np.eye(n, dtype=np.float32), {"n": 3}),
    "tri": (lambda n: np.tri(n, dtype=np.float32), {"n": 3}),
    "outer": (np.outer, {"a": LINE, "b": OTHER}), "column_stack": (lambda a, b: np.column_stack((a, b)), {"a": LINE,
    "b": OTHER}),
    "polyval": (lambda p, x: np.polyval(p, x), {"p": LINE[:3], "x": OTHER}), "heaviside": (np.heaviside, {"x": X,
    "h": 0.5}),
    "logspace": (np.logspace, {"a": 0.0, "b": 2.0, "n": 5}), "geomspace": (np.geomspace, {"a": 1.0, "b": 100.0,
    "n": 5}),
    "glu": (lambda a, b: a * sigmoid(b), {"a": X, "b": -X}), "magnitude": (np.hypot, {"x": X, "y": -X}),
    "xlogy": (lambda x, y: np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, y))), {"x": np.array([0.0, 2]),
    "y": np.array([0.0, 3])}),
    "put_along_axis": (lambda x, i, v: np.where(np.arange(6) == i, v, x), {"x": X,
    "i": np.array([[1], [0], [5], [2]]), "v": 9.0}),
    "take_along_axis": (lambda x, i: np.take_along_axis(x, i, axis=1), {"x": X, "i": np.array([[1], [0], [5], [2]])}),
    "movmean": (lambda x: np.convolve(np.pad(x, 1, "edge"), [1 / 3] * 3, "valid"), {"x": LINE}),
    "rolling": (lambda x: np.convolve(x, [1 / 3] * 3, "valid"), {"x": LINE}), "rem": (np.fmod, {"x": X,
    "y": -X[::-1]}),
    "sub2ind": (lambda a, b, x: np.ravel_multi_index((a, b), x.shape), {"a": I, "b": I, "x": X}),
    "Sobel": (lambda x: correlated(np.pad(x, 1, "reflect"), [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]), {"x": X}),
    "blur": (lambda x: correlated(np.pad(x, 1, "reflect"), [[1 / 9] * 3] * 3), {"x": X}),
    **{name: (function, {"x": IMAGE}) for name, function in PICTURES.items()},
    "blend": (lambda a, b: a / 2 + b / 2, {"a": IMAGE, "b": IMAGE[::-1]}),
    "nanmean": (np.nanmean, {"x": np.array([1, np.nan, 5])}), "nanstd": (np.nanstd, {"x": np.array([1, np.nan, 5])}),
}


def advised(name):
    """What the error for a function of this name says to write."""
    try:
        weft.compile(f"{name}(x)")
    except weft.Error as error:
        text = str(error).split("\n")[0].partition("; write ")[2]
    quoted = re.match(r"'([^']+)'", text)
    if quoted:
        return quoted[1]
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if depth == 0 and re.match(r", | (?:for|of|or|along|with|as)\b", text[at + 1:]):
            return text[:at + 1]
    return text


class Advice(unittest.TestCase):
    def test_values(self):
        cases = {**{name: (function, {"x": X}) for name, function in ONE.items()},
                 **{name: (function, {"a": X, "b": RNG.normal(size=X.shape)}) for name, function in TWO.items()},
                 **OTHERS}
        for name, (function, inputs) in cases.items():
            with self.subTest(name):
                text = advised(name)
                found = weft.evaluate(text, {key: value for key, value in inputs.items() if re.search(rf"\b{key}\b",
                text)},
                                      rules="numpy")
                found = np.stack(found) if isinstance(found, tuple) else found
                np.testing.assert_allclose(found, function(*inputs.values()), rtol=1e-6, atol=1e-7,
                err_msg=f"{name}: {text}")
        self.assertGreater(len(cases), 110)


if __name__ == "__main__":
    unittest.main()
