"""A batch of pictures of unlike size, each standardized by its own statistics per channel: one program, no padding.

    python examples/math/pictures.py
"""
from picture import options, timed, write
from weft import math
from weft.math import batch, channel, spatial

args = options(__doc__.splitlines()[0])
sizes = [(40, 60), (80, 50)] if args.quick else [(480, 640), (720, 1280), (1080, 1920)]

math.seed(2)
pictures = math.stack([math.random_uniform(spatial(y=h, x=w), channel(color="r,g,b")) * (i + 1) + i
                       for i, (h, w) in enumerate(sizes)], batch("picture"))
print(pictures.shape)
math.evaluate(pictures)
with timed("standardize", 1):
    standard = (pictures - math.mean(pictures, "y,x")) / math.std(pictures, "y,x")
    math.evaluate(standard)
print(math.mean(standard, "y,x"))
print(math.std(standard, "y,x"))
math.assert_close(math.std(standard, "y,x"), 1, rel_tolerance=1e-3)
print("of all pixels:", math.mean(pictures, "picture,y,x"))
if args.output:
    write(args.output, standard.picture[0].color["r"].numpy("y,x"))
