"""The examples of weft.math, with small grids: they run, check themselves, and write their pictures."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import weft

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "math"
PLACE = str(pathlib.Path(weft.__file__).parents[1])


class Examples(unittest.TestCase):
    def check(self, name):
        if not EXAMPLES.is_dir():
            self.skipTest("there are no examples beside the tests")
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder, "out.png")
            environment = {**os.environ, "PYTHONPATH": PLACE, "PYTHONDONTWRITEBYTECODE": "1"}
            got = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py"), "--quick", "-o", str(picture)],
                                 capture_output=True, text=True, env=environment)
            self.assertEqual(got.returncode, 0, got.stderr)
            self.assertEqual(got.stderr, "")
            self.assertIn(" us each", got.stdout)
            width, height = struct.unpack(">II", picture.read_bytes()[16:24])
            self.assertGreater(min(width, height), 30)
        return got.stdout

    def test_heat(self):
        self.assertIn("(yˢ=64, xˢ=64) ", self.check("heat"))

    def test_wave(self):
        self.assertIn("(xˢ=64, yˢ=64) ", self.check("wave"))

    def test_advect(self):
        self.check("advect")

    def test_particles(self):
        self.assertIn(" 1.221 ± ", self.check("particles"))  # 5000 points in 4096 cells

    def test_pictures(self):
        self.assertIn("yˢ=(40, 80, 48) along pictureᵇ", self.check("pictures"))


if __name__ == "__main__":
    unittest.main()
