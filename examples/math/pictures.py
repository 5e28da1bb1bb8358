"""A batch of pictures of unlike size, each made to have mean 0 and deviation 1 in each of its channels: one program for
all, without padding. The upper row of the PNG is before, the lower one after.

    python examples/math/pictures.py -o pictures.png
"""
import numpy

from picture import options, timed, write_png
from weft import math
from weft.math import batch, channel, spatial

args = options(__doc__.split(":")[0])
sizes = [(40, 60), (80, 50), (48, 48)] if args.quick else [(96, 128), (160, 112), (128, 192)]


def painted(height, width, low, high):
    """Rings around a corner, of values between low and high, which differ from channel to channel."""
    at = math.meshgrid(y=height, x=width) / 12
    phase = math.vec(channel("color"), r=0.0, g=0.7, b=1.4)
    strength = math.vec(channel("color"), r=1.0, g=0.5, b=0.3)
    rings = math.sin(math.sqrt(math.sum(at ** 2, "vector")) + phase)
    return low + (high - low) * (0.5 + 0.5 * rings * strength)


def shown(pictures):
    """The pictures side by side, as bytes (y, x, color)."""
    arrays = [math.cast(math.clip(each) * 15, numpy.uint8).numpy("y,x,color") * 17 for each in pictures]
    height = max(len(array) for array in arrays)
    return numpy.concatenate([numpy.pad(array, [(0, height - len(array)), (0, 4), (0, 0)]) for array in arrays], axis=1)


ranges = [(0.0, 0.2), (0.45, 0.55), (0.6, 1.0)]  # too dark, too flat, too bright
pictures = math.stack([painted(*size, *levels) for size, levels in zip(sizes, ranges)], batch("picture"))
print(pictures.shape)
math.evaluate(pictures)
with timed("standardize", 1):
    standard = (pictures - math.mean(pictures, spatial)) / math.std(pictures, spatial)
    math.evaluate(standard)
print(f"{math.mean(pictures, spatial):.2f}")
math.assert_close(math.mean(standard, spatial), 0, abs_tolerance=1e-4)
math.assert_close(math.std(standard, spatial), 1, rel_tolerance=1e-3)
print("of all pixels:", math.mean(pictures, "picture,y,x"))
if args.output:
    write_png(args.output, numpy.concatenate([shown(pictures.picture), shown((0.5 + standard / 5).picture)]))
