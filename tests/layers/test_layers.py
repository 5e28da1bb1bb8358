"""What layers.py must see: arrows back that are planted in a copy of the sources or in what nm prints.

    test_layers.py ROOT [TOP ARCHIVE]..."""
import pathlib
import shutil
import sys
import tempfile
import unittest

import layers

ROOT = pathlib.Path(sys.argv[1]).resolve()
LISTINGS = {top: layers.list_symbols(archive) for top, archive in zip(sys.argv[2::2], sys.argv[3::2])}


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.root = pathlib.Path(directory.name).resolve()
        for top in list(layers.ROOMS) + ["docs"]:
            shutil.copytree(ROOT / top, cls.root / top, symlinks=True)

    def setUp(self):
        self.listings = dict(LISTINGS)

    def wrong(self):
        """The names of the checks that fail."""
        return [name for name, wrong in layers.checks(self.root, self.listings) if wrong]

    def change(self, path, text):
        """What a file holds until the test is over; None: it is not there."""
        file = self.root / path
        before = file.read_text(encoding="utf-8") if file.is_file() else None
        self.addCleanup(self.put, file, before)
        self.put(file, text)

    @staticmethod
    def put(file, text):
        file.parent.mkdir(exist_ok=True)
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text, encoding="utf-8")

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def plant(self, path, line):
        self.change(path, self.read(path) + line + "\n")

    def call(self, top, name, symbol):
        """One more symbol that the object of this name refers to."""
        line = next(line for line in self.listings[top].splitlines() if name in line)
        self.listings[top] += f"{line[:line.rindex('.o:')]}.o:                 U {symbol}\n"

    def test_nothing(self):
        self.assertEqual(self.wrong(), [])

    def test_circle_inside_a_room(self):
        self.call("runtime", "cache_directory.c", "cache_find")
        self.assertEqual(self.wrong(), ["circles of calls inside rooms"])

    def test_include_of_a_later_room(self):
        self.plant("compiler/lang/ops.h", '#include "compiler/parse/parse.h"')
        self.plant("runtime/base/write.c", '#include "runtime/cache/cache.h"')
        self.plant("cli/files/npy.c", '#include "cli/values/values.h"')
        self.assertIn("includes of compiler/lang", self.wrong())
        self.assertIn("includes of runtime/base", self.wrong())
        self.assertIn("includes of cli/files", self.wrong())

    def test_include_of_a_later_folder(self):
        self.plant("compiler/aot/aot.c", '#include "runtime/base/base.h"')
        self.plant("templates/aot/aot.c", '#include "compiler/base/base.h"')
        self.assertEqual(self.wrong(), ["includes of templates", "includes of compiler/aot"])

    def test_include_of_a_private_header(self):
        self.plant("compiler/aot/aot.c", '#include "compiler/emit/emit_impl.h"')
        self.plant("runtime/plan/plan.c", '#include "runtime/kernels/tiers_impl.h"')
        self.plant("cli/values/print.c", '#include "compiler/lang/ops.h"')
        self.assertEqual(self.wrong(),
                         ["includes of compiler/aot", "includes of runtime/plan", "includes of cli/values"])

    def test_include_behind_the_public_header(self):
        """The command knows the library by weft.h."""
        for path, header in (("cli/base/report.c", "compiler/base/base.h"), ("cli/files/npz.c", "runtime/base/base.h"),
                             ("cli/commands/ops.c", "grammar/ops.def"), ("cli/main.c", "compiler/pipeline/pipeline.h")):
            self.plant(path, f'#include "{header}"')
        self.assertEqual(self.wrong(), ["includes of cli/base", "includes of cli/files", "includes of cli/commands",
                                        "includes of cli"])

    def test_long_line(self):
        comment = "/* " + 118 * "x"
        self.plant("cli/main.c", comment)
        self.plant("docs/aot.md", f"| {comment} |\n```\n{comment}\n```")
        self.assertEqual(self.wrong(), ["the ends of lines"])
        self.assertEqual(len(list(layers.wrong_lines(self.root))), 1)

    def test_name_of_another_template(self):
        """A kernel that needs both would not compile, and most kernels need but one."""
        for text in ("#define PLACE(block) (block)", "static inline i64 OWN(pass_over)(i64 left)\n{\n}"):
            self.plant("templates/kernel/prelude_c.h", text)
        self.assertEqual(self.wrong(), ["names in kernels"])
        self.assertEqual(len(list(layers.names_twice(self.root))), 2)

    def test_circle(self):
        self.plant("runtime/tensor/pack.h", '#include "runtime/tensor/tensor.h"')
        self.assertEqual(self.wrong(), ["circles of includes"])

    def test_impure_header(self):
        self.plant("compiler/emit/emit.c", "#include <unistd.h>")
        self.assertEqual(self.wrong(), ["includes of compiler/emit"])

    def test_folder_without_a_row(self):
        self.change("runtime/attic/old.c", "int old;\n")
        self.assertIn("rooms and their headers", self.wrong())

    def test_room_without_a_header(self):
        self.change("compiler/dump/dump.h", None)
        self.assertIn("rooms and their headers", self.wrong())

    def test_call_of_a_later_room(self):
        for top, name, symbol in (("compiler", "lang_ops.c", "emit"), ("runtime", "base_write.c", "plan_get"),
                                  ("compiler", "lexer.c", "parse"), ("compiler", "base_buf.c", "tensor_read")):
            with self.subTest(name):
                self.listings = dict(LISTINGS)
                self.call(top, name, symbol)
                self.assertEqual(self.wrong(), ["calls"])

    def test_call_of_an_earlier_room(self):
        self.call("runtime", "run_run.c", "write_all")
        self.assertEqual(self.wrong(), [])

    def test_object_without_a_room(self):
        self.listings["runtime"] += "lib.a:attic_old.c.o:0000000000000000 T old\n"
        self.assertEqual(self.wrong(), ["calls"])

    def test_impure_call(self):
        self.call("compiler", "emit_emit.c", "fopen")
        self.assertEqual(self.wrong(), ["symbols of the compiler"])

    def test_other_picture(self):
        self.change("docs/design.md", self.read("docs/design.md").replace("lang ◄ parse", "parse ◄ lang"))
        self.assertEqual(self.wrong(), ["the picture in docs/design.md"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
