"""The heat equation: what is hot spreads. A step is one kernel.

    python examples/math/heat.py -o heat.png
"""
from picture import options, timed, write
from weft import math
from weft.math import extrapolation, spatial

args = options(__doc__.splitlines()[0])
size, steps = (64, 20) if args.quick else (256, 1000)

math.seed(0)
u = math.where(math.random_uniform(spatial(y=size, x=size)) > 0.99, 100.0, 0.0)
before = float(u.sum)
with timed("heat", steps):
    for _ in range(steps):
        u += 0.2 * math.laplace(u, padding=extrapolation.PERIODIC)
    math.evaluate(u)
print(f"{u:summary}")
math.assert_close(u.sum, before, rel_tolerance=1e-4)  # none is lost
if args.output:
    write(args.output, u.numpy("y,x"))
