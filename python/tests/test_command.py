"""`python -m weft`."""
import pathlib
import subprocess
import sys
import unittest

import weft


class Command(unittest.TestCase):
    def test_runs(self):
        result = subprocess.run([sys.executable, "-m", "weft", "run", "x + 1", "x=[1, 2]"], capture_output=True,
                                text=True)
        if not pathlib.Path(weft.__file__).with_name("weft-command").is_file():
            self.assertIn("was built without the command", result.stderr)
            self.assertEqual(result.returncode, 1)
            self.skipTest("this package has no command")
        self.assertEqual((result.stdout, result.stderr, result.returncode), ("out: int32[2] = [2, 3]\n", "", 0))

    def test_status(self):
        """The command's own: 2 for wrong usage."""
        if pathlib.Path(weft.__file__).with_name("weft-command").is_file():
            result = subprocess.run([sys.executable, "-m", "weft", "nonsense"], capture_output=True)
            self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
