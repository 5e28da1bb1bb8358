"""Semi-Lagrangian advection: a stripe is stirred by a vortex. Each cell takes the value from where its content came.

    python examples/math/advect.py -o advect.png
"""
from picture import options, timed, write
from weft import math
from weft.math import extrapolation

args = options(__doc__.splitlines()[0])
size, steps = (64, 10) if args.quick else (256, 200)

grid = math.meshgrid(x=size, y=size)
off = (grid - (size - 1) / 2) / size
velocity = math.vec(x=-off.vector["y"], y=off.vector["x"]) * 6 * math.exp(-20 * math.sum(off ** 2, "vector"))
origin = grid - velocity  # where a cell's content was one step ago
smoke = math.where(math.abs(off.vector["y"]) < 0.1, 1.0, 0.0)
with timed("advection", steps):
    for _ in range(steps):
        smoke = math.grid_sample(smoke, origin, extrapolation.BOUNDARY)
    math.evaluate(smoke)
print(f"{smoke:summary}")
assert 0 <= float(smoke.min) and float(smoke.max) <= 1
if args.output:
    write(args.output, smoke.numpy("y,x"))
