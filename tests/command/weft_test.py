"""What the tests of the command share: running it in a directory of its own, and looking at what it
left there. WEFT in the environment is the command's path."""

import os
import re
import subprocess
import tempfile
import unittest

WEFT = os.environ.get("WEFT", "weft")
DIAGNOSTIC = re.compile(r"^\S.*?(:\d+:\d+)?: (error|warning|note)\[W\d{4}\]: ", re.M)


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="weft-test-")
        self.addCleanup(self.directory.cleanup)
        self.here = self.directory.name

    def path(self, name):
        return os.path.join(self.here, name)

    def weft(self, *arguments, data=None, env=None, **more):
        environment = dict(os.environ, **(env or {}))
        return subprocess.run([WEFT, *arguments], cwd=self.here, input=data, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **more)

    def good(self, *arguments, **more):
        """Runs it, expects success without a word on stderr, returns its output."""
        done = self.weft(*arguments, **more)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""), arguments)
        return done.stdout

    def text(self, *arguments, **more):
        return self.good(*arguments, **more).decode()

    def bad(self, status, code, *arguments, **more):
        """Runs it, expects this status and this first diagnostic, returns stderr."""
        done = self.weft(*arguments, **more)
        told = done.stderr.decode()
        self.assertEqual(done.returncode, status, (arguments, told))
        self.assertRegex(told, DIAGNOSTIC)
        self.assertIn("error[W%04d]" % code, told.split("\n")[0])
        self.assertEqual(done.stdout, b"")
        return told

    def files(self):
        return sorted(os.listdir(self.here))
