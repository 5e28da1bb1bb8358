"""Tests the tool that measures the tests: test_mutants.py

What it draws from these sources, what it makes of single texts, and a project of a few small files, from the sources
with sites to the table."""
import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import campaign
import mutants
import sites
import tree

ROOT = mutants.ROOT

# less: killed. spare: reached, but no test looks at what it does. idle: nobody calls it. The template: killed.
PROJECT = {
    "meson.build": """project('tiny', 'c', default_options: ['buildtype=plain'])
dialect = meson.project_source_root() / 'templates/shared/dialect.h'
texts = custom_target('texts', output: 'texts.c', input: 'compiler/embed.py', depend_files: files(dialect),
  command: [find_program('python3'), '@INPUT@', '@OUTPUT@', 'dialect=' + dialect])
exe = executable('tiny', 'compiler/less.c', 'runtime/spare.c', 'compiler/main.c', texts,
  include_directories: include_directories('.'))
test('less', exe, args: ['less'])
test('text', exe, args: ['text'])
test('twice', exe, args: ['twice'])
test('nothing', exe, args: ['nothing'], env: ['GIVEN=1'], workdir: meson.project_source_root())
test('fails', exe, args: ['fails'])
""",
    "meson_options.txt": "option('tests', type: 'boolean')\n",
    "compiler/templates.h": "extern const char weft_template_dialect[];\n",
    "compiler/less.c": "int less(int a, int b);\n\nint less(int a, int b)\n{\n    return a < b;\n}\n",
    "runtime/spare.c": """int spare, idle;
void touch(int n);
void rest(int n);

void touch(int n)
{
    spare = n;
}

void rest(int n)
{
    idle = n;
}
""",
    "templates/shared/dialect.h": "//: integer twice\nFN T N(twice)(T a)\n{\n    return a + a;\n}\n",
    "compiler/main.c": """#include "compiler/templates.h"
#include <stdlib.h>
#include <string.h>
#define FN static
#define T int
#define N(name) name##_int
#include "templates/shared/dialect.h"
int less(int a, int b);
void touch(int n);
static char kept[1000];
void keep(const char *text, size_t length);
void keep(const char *text, size_t length)
{
    memcpy(kept, text, length);
}
#define CHECK(name, good) if (strcmp(words[1], name) == 0) exit(!(good));
int main(int count, char **words)
{
    (void)count, touch(1);
    CHECK("less", less(1, 2) && !less(2, 2) && !less(3, 2))
    CHECK("text", (keep(weft_template_dialect, strlen(weft_template_dialect)), strstr(kept, "return a + a;")))
    CHECK("twice", twice_int(2) == 4)
    CHECK("nothing", getenv("GIVEN"))
    exit(1);
}
""",
}


def found(body, **more):
    return sites.find("int f(int a, int b)\n{\n    " + body + "\n}\n", **more)


class Draws(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.draws = [tree.Draw(ROOT, seed, 200) for seed in (1, 1, 2)]

    def test_seed(self):
        first, again, other = (draw.rows() for draw in self.draws)
        self.assertEqual(first, again)
        places = {(mutant["path"], mutant["site"].start, mutant["site"].end) for mutant in self.draws[0].mutants}
        self.assertEqual((len(places), len({row["id"] for row in first})), (200, 200))
        self.assertLess(sum(row in first for row in other), 20)
        for layer in tree.LAYERS:
            self.assertGreaterEqual(sum(row["layer"] == layer for row in first), 10)

    def test_apart(self):
        drawn = self.draws[0].mutants
        for mutant in drawn:
            others = [m["site"] for m in drawn if m is not mutant and m["path"] == mutant["path"]]
            self.assertFalse(sites.overlaps(mutant["site"], others))


class Stays(unittest.TestCase):
    """What a change of the sources does to a draw."""
    F = "int f(int a, int b)\n{\n    if (a < b)\n        a = b + 1;\n    return a - b;\n}\n"
    G = "T N(g)(int a)\n{\n    return a - 1;\n}\n"

    @staticmethod
    def drawn(text):
        found = [("", "", *row) for row in sites.named(pathlib.Path("x.c"), sites.find(text))]
        return [row[2] for row in sites.order(1, found)]

    def test_elsewhere(self):
        before, after = self.drawn(self.F), self.drawn(self.G + self.F.replace("if", "/* less */ if"))
        self.assertGreater(len(before), 6)
        self.assertLess(set(before), set(after))
        for kind in ("constant", "arithmetic", "return"):
            of_kind = [[key for key in keys if f"/{kind}/" in key] for keys in (before, after)]
            self.assertEqual(of_kind[0], [key for key in of_kind[1] if key in before])

    def test_here(self):
        before, after = set(self.drawn(self.F)), set(self.drawn(self.F.replace("a < b", "a < 2 * b")))
        self.assertTrue(any("/a - b/" in key for key in before & after))
        self.assertTrue(any("/a < b/" in key for key in before - after))

    def test_names(self):
        self.assertEqual({key.split("/")[1] for key in self.drawn(self.F + self.G)}, {"f", "g"})
        twice = self.drawn("int f(int a)\n{\n    a = 1; a = 1; a = 1; a = 1; a = 1; a = 1;\n    return a;\n}\n")
        self.assertEqual(len(twice), len(set(twice)))


class Finds(unittest.TestCase):
    def expect(self, body, *pairs):
        self.assertEqual({(site.original, site.mutated) for site in found(body)} & set(pairs), set(pairs), body)

    def test_operands(self):
        self.expect("return a + b * 2 < b - 1 && !b;", ("a + b * 2 < b - 1", "a + b * 2 <= b - 1"), ("b - 1", "b + 1"),
                    ("a + b * 2", "a - b * 2"), ("a + b * 2 < b - 1 && !b", "a + b * 2 < b - 1 || !b"))
        self.expect("x = (int)(a) - f(b, 2) == 1 ? a : b;", ("(int)(a) - f(b, 2)", "(int)(a) + f(b, 2)"),
                    ("f(b, 2)", "f(2, b)"), ("(int)(a) - f(b, 2) == 1", "(int)(a) - f(b, 2) != 1"))

    def test_statements(self):
        self.expect("if (a) b = 2; else g(b);", ("b = 2;", ""), ("g(b);", ""), ("a", "!(a)"))
        self.expect("int c = 3; return c;", ("3", "4"), ("c", "0"))
        self.assertFalse([site for site in found("int c = a; struct s *p = 0;") if site.kind == "statement"])

    def test_none(self):
        for body in ("assert(a < b);", "char text[64];", "const T x = (T)-a;",
                     "/* a + b */ // a + b\n#define X a + b\n", '"a + b";'):
            self.assertEqual(found(body), [], body)

    def test_forms(self):
        forms = {site.original: site.form for site in found("g(a < b && p && p->x > 1 && f() + 1);")}
        self.assertEqual(forms["a < b"], "value")
        self.assertEqual(forms["f() + 1"], "any")
        self.assertEqual(forms["a < b && p && p->x > 1"], "any")        # p->x where p is NULL
        self.assertEqual({site.kind for site in found("return f(a, b);", compiled=False)}, set())


class Whole(unittest.TestCase):
    """The steps of mutants.py on the project, once for all tests."""

    @classmethod
    def setUpClass(cls):
        if not all(shutil.which(tool) for tool in ("git", "meson", "ninja", "cc")):
            raise unittest.SkipTest("needs git, meson, ninja and cc")
        cls.scratch = tempfile.TemporaryDirectory(prefix="mutants-")
        root, cls.place = pathlib.Path(cls.scratch.name, "root"), pathlib.Path(cls.scratch.name, "place")
        mutants.VERDICTS = pathlib.Path(cls.scratch.name, "verdicts.json")
        for name, text in dict(PROJECT, **{"compiler/embed.py": ""}).items():
            tree.write(root / name, text)
        subprocess.run(["git", "init", "-q", root], check=True)
        cls.place.mkdir()
        cls.rows = tree.make(root, cls.place, 1, 200)
        campaign.save(cls.place / "mutants.json", cls.rows)
        build = ("meson setup build >/dev/null && ninja -C build >/dev/null && "
                 "meson test -C build --num-processes 1 --no-suite none")
        with contextlib.redirect_stdout(io.StringIO()):
            cls.tests = campaign.select(cls.place, "all", ["sh", "-c", build])
        cls.record = campaign.record(cls.place, "all", cls.tests, 2)
        cls.say("run", "all")
        cls.table = cls.say("table", "all")
        cls.results = campaign.read(cls.place / "all.results.json")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def say(cls, command, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            options = mutants.parse([command, str(cls.place), *arguments])
            options.function(options)
        return out.getvalue()

    def states(self, file):
        return {self.results[str(row["id"])]["state"] for row in self.rows if row["file"] == file}

    def test_selection(self):
        names = [f"build: {name}" for name in ("less", "text", "twice", "nothing", "fails")]
        self.assertEqual([test["name"] for test in self.tests], names)
        self.assertEqual(self.tests[3]["environment"]["GIVEN"], "1")
        self.assertEqual([pathlib.Path(test["directory"]).name for test in self.tests[2:4]], ["build", "source"])
        self.assertEqual(self.tests[0]["command"][1:], ["less"])

    def test_records(self):
        self.assertEqual(self.record["build: fails"]["status"], 1)
        less = next(row["id"] for row in self.rows if row["file"] == "compiler/less.c")
        twice = next(row["id"] for row in self.rows if row["file"] == "templates/shared/dialect.h")
        self.assertEqual(self.record["build: less"]["cold"]["counts"][less][0], 3)
        self.assertEqual(self.record["build: less"]["cold"]["counts"][less][1], 1)      # either mutant differs once
        self.assertIn(twice, self.record["build: text"]["cold"]["counts"])
        self.assertNotIn(twice, self.record["build: less"]["cold"]["counts"])
        self.assertIn(twice, self.record["build: twice"]["cold"]["counts"])     # C files that include it have it, too
        for name in ("text", "twice"):
            run = campaign.Run(self.tests[["less", "text", "twice"].index(name)], WEFT_MUTANT=str(twice))
            self.assertEqual(run.status, 1, name)

    def test_killed(self):
        self.assertEqual(self.states("compiler/less.c"), {"killed"})
        self.assertEqual(self.states("templates/shared/dialect.h"), {"killed"})
        killed = {result["by"] for result in self.results.values() if result["state"] == "killed"}
        self.assertTrue({"build: less", "build: text"} <= killed)

    def test_not_killed(self):
        spare = [row for row in self.rows if row["file"] == "runtime/spare.c"]
        states = {row["original"]: self.results[str(row["id"])]["state"] for row in spare}
        self.assertEqual(states, {"spare = n;": "survived", "idle = n;": "not reached"})

    def test_table(self):
        self.assertIn("killed by build: less (all; exit 1)", self.table)
        self.assertIn("spare = n; -> nothing\n       survived", self.table)

    def test_second_selection(self):
        changed = dict(self.tests[0], environment={"ELSE": "1"})
        campaign.save(self.place / "less.tests.json", self.tests[1:4] + [changed])
        record = campaign.record(self.place, "less", campaign.read(self.place / "less.tests.json"), 1)
        taken = campaign.read(self.place / "all.record.json")["build: text"]
        self.assertEqual(campaign.read(self.place / "less.record.json")["build: text"], taken)
        self.assertNotIn("build: fails", record)
        first = self.say("run", "less")
        results = campaign.read(self.place / "less.results.json")
        twice = next(str(row["id"]) for row in self.rows if row["file"] == "templates/shared/dialect.h")
        self.assertEqual(results[twice], dict(self.results[twice], passed=results[twice]["passed"]))    # not run again
        self.assertIn("killed by build: less (less; exit 1)", first)                                    # run anew
        share = self.say("table", "less", "all").splitlines()[-1]
        self.assertRegex(share, r"less kills (\d+) of \1 \(100.0 %\) that all kills; not \[\]")

    def row(self, file):
        return next(row for row in self.rows if row["file"] == file)

    def test_verdicts(self):
        """What killed a mutant runs first, and needs no record; what changes nothing does not run."""
        self.say("table", "all", "--write")
        told = campaign.read(mutants.VERDICTS)
        self.assertEqual(told[self.row("compiler/less.c")["key"]]["by"], "build: less")
        self.assertEqual(len(told), sum(result["state"] == "killed" for result in self.results.values()))
        spare = self.row("runtime/spare.c")
        mutants.write({**told, spare["key"]: {"what": "spare", "nothing": "nobody looks"}})
        self.addCleanup(mutants.VERDICTS.unlink)

        campaign.save(self.place / "new.tests.json",
                      [dict(test, environment=dict(test["environment"], ELSE="2")) for test in self.tests])
        first = self.say("run", "new")
        results, record = (campaign.read(self.place / f"new.{what}.json") for what in ("results", "record"))
        self.assertEqual(set(record), {row["by"].partition(",")[0] for row in told.values()})
        for row in self.rows:
            if row["key"] in told:
                self.assertEqual(results[str(row["id"])]["by"], told[row["key"]]["by"])
            elif row is spare:
                self.assertNotIn(str(row["id"]), results)
            else:
                self.assertEqual(results[str(row["id"])]["state"], "unfinished")
        self.assertIn("changes nothing: nobody looks", first)

        campaign.record(self.place, "new", campaign.read(self.place / "new.tests.json"), 1)
        self.say("run", "new")
        self.say("table", "new", "--write")
        self.assertNotIn("unfinished", {r["state"] for r in campaign.read(self.place / "new.results.json").values()})
        again = campaign.read(mutants.VERDICTS)
        self.assertEqual(again[spare["key"]]["nothing"], "nobody looks")
        self.assertEqual({key: row.get("by") for key, row in again.items() if key != spare["key"]},
                         {key: row["by"] for key, row in told.items()})

    def test_layers(self):
        """Tests of two layers are the same where no number depends on the layer."""
        usual, full = ({"command": ["a", "8/4/2/0"], "directory": "b",
                        "environment": {"WEFT_LAYER": layer, "WEFT_SHARE": "4/2/1"}} for layer in ("usual", "full"))
        self.assertNotEqual(campaign.key(usual), campaign.key(full))
        usual["command"] = full["command"] = ["a", "8/4/2"]
        self.assertEqual(campaign.key(usual), campaign.key(full))
        self.assertNotEqual(campaign.key(usual), campaign.key(dict(full, environment={"WEFT_SHARE": "2"})))

    def test_time_limit(self):
        run = campaign.Run(dict(self.tests[0], command=["sleep", "60"]), limit=0.2)
        self.assertTrue(run.stopped and run.failed)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
