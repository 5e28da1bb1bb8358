"""Formulas that several benches time."""
import numpy as np

f32, f16, bf16, u8 = np.float32, np.float16, np.dtype("V2"), np.uint8
GAIN = np.array([1.25, 0.75, 0.5], f32)

# name, text, dtype of the inputs, of the result, inputs as large as the result, and whether there is a gain
CASES = [
    ("negate", "-x", f32, f32, 1, False),
    ("scale", "x * 2 + 1", f32, f32, 1, False),
    ("square_root", "sqrt(abs(x))", f32, f32, 1, False),
    ("add", "x + y", f32, f32, 2, False),
    ("product_sum", "x * x + y * y", f32, f32, 2, False),
    ("exponential", "exp(x)", f32, f32, 1, False),
    ("gain_f32", "x * gain", u8, f32, 1, True),
    ("gain_u8", "uint8(x * gain)", u8, u8, 1, True),
    ("normalize", "(x - 127.5) * 0.0078125", u8, f32, 1, False),
    ("add_u8", "x + y", u8, u8, 2, False),
    ("scale_f16", "x * 2 + 1", f16, f16, 1, False),
    ("add_f16", "x + y", f16, f16, 2, False),
    ("normal_f16", "float16((x - 127.5) * 0.0078125)", u8, f16, 1, False),
    ("widen_f16", "float32(x)", f16, f32, 1, False),
    ("scale_bf16", "x * 2 + 1", bf16, bf16, 1, False),
    ("add_bf16", "x + y", bf16, bf16, 2, False),
    ("blend_f16", "x * float16(0.3) + y * float16(0.7)", f16, f16, 2, False),
]

# costly functions of uint8, and the dtype of the result
TABLES = [("(x / 255.0) ** 2.2", f32), ("uint8(255 * (x / 255.0) ** 0.45)", u8),
          ("exp(x * 0.01)", f32), ("tanh(x / 64.0)", f32), ("x % 7", np.int32),
          ("exp(float64(x))", np.float64), ("sqrt(x / 255.0) / (x + 1)", f32),
          ("sqrt(float64(x)) * 16", np.float64)]
