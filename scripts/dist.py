"""What `meson dist` adds to a release: the lexer that re2c makes, so that building one needs no re2c. Its
first line says of which lexer.re it was made; compiler/meson.build compares. Run by `meson dist`."""
import hashlib
import os
import pathlib
import subprocess
import sys

root = pathlib.Path(os.environ["MESON_DIST_ROOT"])
source = root / "grammar/lexer.re"
made = pathlib.Path(root, "compiler/lexer.c")
try:
    subprocess.run(["re2c", "-W", "-i", "-o", made, source], check=True)
except FileNotFoundError:
    sys.exit("re2c is missing, and a release carries the lexer it makes (Debian: apt-get install re2c)")
digest = hashlib.sha256(source.read_bytes()).hexdigest()
text = made.read_text(encoding="utf-8")
made.write_text(f"/* from grammar/lexer.re, sha256 {digest} */\n{text}", encoding="utf-8")
