"""Particles to a grid: points drift in a field of velocities, which gathers them, and the grid counts them.

    python examples/math/particles.py -o particles.png
"""
from picture import options, timed, write
from weft import math
from weft.math import extrapolation, instance, spatial

args = options(__doc__.splitlines()[0])
size, count, steps = (64, 5_000, 5) if args.quick else (256, 200_000, 40)

math.seed(1)
points = math.vec(x=math.random_uniform(instance(points=count)), y=math.random_uniform(instance(points=count))) * size
grid = math.meshgrid(x=size, y=size) * (2 * math.PI / size)
x, y = grid.vector
velocity = 3 * math.vec(x=math.sin(y) + 0.4 * math.sin(x), y=math.sin(2 * x) + 0.4 * math.sin(y))
with timed("particles", steps):
    for _ in range(steps):
        points = (points + math.grid_sample(velocity, points, extrapolation.PERIODIC)) % size
    math.evaluate(points)
density = math.scatter(spatial(x=size, y=size), math.floor(points), math.ones(instance(points=count)), mode="add")
print(f"{density:summary}")
assert float(density.sum) == count
if args.output:
    write(args.output, math.sqrt(density).numpy("y,x"))
