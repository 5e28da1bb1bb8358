"""The wave equation on a torus: drops fall, and their waves leave on one side and come in on the other.

    python examples/math/wave.py -o wave.png
"""
from picture import options, timed, write
from weft import math
from weft.math import channel, extrapolation, spatial

args = options(__doc__.splitlines()[0])
size, steps = (64, 20) if args.quick else (256, 400)

grid = math.meshgrid(x=size, y=size)
drops = math.wrap([[0.3, 0.4], [0.8, 0.6]], channel("drop"), channel(vector="x,y")) * size
distance = math.sum((grid - drops) ** 2, "vector")
u = math.sum(math.exp(-distance / 8), "drop")  # heights, now and one step ago
old = u
with timed("wave", steps):
    for _ in range(steps):
        u, old = 2 * u - old + 0.25 * math.laplace(u, padding=extrapolation.PERIODIC), u
    math.evaluate(u, old)
print(f"{u:summary}")
assert bool(math.isfinite(u).all)
if args.output:
    write(args.output, u.numpy("y,x"))
