"""What `meson dist` adds to an sdist of the package: the library's sources, which a checkout has around this folder, at
the place of the link subprojects/weft. Run by `meson dist`."""
import os
import pathlib
import subprocess
import sys

LIBRARY = ("meson.build", "meson_options.txt", "LICENSE", "cli", "compiler", "data", "examples/aot-meson/weft",
           "grammar", "include", "runtime", "scripts/dist.py", "templates")

root = pathlib.Path(os.environ["MESON_SOURCE_ROOT"]).parent
place = pathlib.Path(os.environ["MESON_DIST_ROOT"], "subprojects/weft")
place.unlink()
place.mkdir()
archive = subprocess.run(["git", "archive", "--format=tar", "HEAD", *LIBRARY], cwd=root, check=True,
                         stdout=subprocess.PIPE)
subprocess.run(["tar", "-xf", "-", "-C", place], input=archive.stdout, check=True)
subprocess.run([sys.executable, place / "scripts/dist.py"], check=True, env={**os.environ, "MESON_DIST_ROOT": place})
