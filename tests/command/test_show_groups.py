"""What `weft show --stage groups` says is true: the element that a load or store is said to read or write is where its
strides lead, the order is what its words say, and programs that only move elements give what the formulas give.

The formulas are put together from index maps. The strides beside them come from the walks that kernels are run with,
and results from the kernels themselves."""

import os
import pathlib
import random
import re
import unittest

import numpy as np
from weft_test import CommandTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4,
         "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8}
HEADING = re.compile(r"kernel (?:(\d+) of (\d+) )?for (.*?) (\[[\d, ]*\]|\(\w+:.*?\))(?:, writes \[([\d:, ]*)\])?$")
LINE = re.compile(r"  (load \d+|const|store) +(\w+) +(.*)$")
BYTES = re.compile(r"  \(bytes apart((?: -?\d+)+)(?:, from byte (\d+))?\)$")


class Access:
    """A line. `index` is the text in the brackets, None where there are none; `words` is what follows."""

    def __init__(self, line):
        kind, self.dtype, rest = LINE.match(line).groups()
        self.kind, self.line = kind.split()[0], line
        found = BYTES.search(rest)
        self.strides = [int(n) for n in found[1].split()] if found else None
        self.first = int(found[2] or 0) if found else 0
        rest = rest[:found.start()] if found else rest
        self.what, self.words = rest, ""
        depth = 0
        for at, c in enumerate(rest):
            depth += (c in "[(") - (c in "])")
            if c == ":" and not depth:
                self.what, self.words = rest[:at], rest[at + 2:]
                break
        self.name, self.index, self.mask, self.position = self.what, None, None, None
        self.wanted = re.search(r", (for .*|[^,]* unless .*)$", self.what)
        if self.wanted:
            self.what = self.what[:self.wanted.start()]
        if self.what.startswith("mask, true where "):
            self.mask = self.what[len("mask, true where "):]
        elif self.what.startswith("position "):
            self.position = self.what[len("position "):]
        elif self.what.endswith("]") and not self.what.endswith("[value]"):
            depth, at = 0, len(self.what)
            while at == len(self.what) or depth:
                at -= 1
                depth += (self.what[at] == "]") - (self.what[at] == "[")
            self.name, self.index = self.what[:at], self.what[at + 1:-1]
        else:
            self.name = self.what


class Kernel:
    def __init__(self, heading):
        found = HEADING.match(heading)
        assert found, heading
        self.part, self.parts = int(found[1] or 1), int(found[2] or 1)
        self.names, self.shape = found[3].split(", "), tuple(extents(found[4]))
        self.writes = [tuple(map(int, part.split(":"))) for part in found[5].split(", ")] if found[5] else None
        self.space, self.groups, self.accesses, self.reduces, self.text = (), [], [], False, heading

    def add(self, line):
        self.text += "\n" + line
        if line.startswith("  goes over"):
            self.space = tuple(int(n) for n in re.findall(r"< (\d+)", line))
        elif line.startswith("  groups: "):
            self.groups = [int(part.split()[0])
                           for part in re.sub(r"\(.*?\)", "", line[len("  groups: "):]).split(" x ")]
        elif line.startswith("  reduces"):
            self.reduces = True
        elif LINE.match(line):
            self.accesses.append(Access(line))

    def positions(self):
        """The positions d0, d1, .. of all points, in the order of their numbers."""
        grid = np.indices(self.space).reshape(len(self.space), -1) if self.space else np.zeros((0, 1), np.int64)
        return {"d%d" % d: grid[d] for d in range(len(self.space))}, int(np.prod(self.space, dtype=np.int64))


def numbers(text):
    return [int(n) for n in re.findall(r"-?\d+", text)]


def extents(text):
    """Of a shape: [3, 4], or (y:s=3, vector:c=(p,q)) with names and labels."""
    named = re.findall(r":\w=(\d+|\([^)]*\))", text)
    return [int(n) if n.isdigit() else n.count(",") + 1 for n in named] or numbers(text)


def parse(text):
    kernels = []
    for line in text.splitlines():
        if line.startswith("neighbours of "):
            continue
        if line.startswith("kernel "):
            kernels.append(Kernel(line))
        elif not line.startswith("neighbours of "):
            kernels[-1].add(line)
    return kernels


def evaluate(formula, points, arrays):
    """The value of formulas of positions, with a comma between them: a list of arrays."""
    count = points[1]
    code = re.sub(r"\bmod\b", "%", formula)
    code = re.sub(r"(\[[\d, -]*\])\[", r"np.array(\1)[", code)
    values = eval("[" + code + "]", {"np": np}, {**points[0], **arrays})
    return [np.broadcast_to(np.asarray(value), count).astype(np.int64) for value in values]


class GroupsTest(CommandTest):
    """Checks what is said of a program."""

    def setUp(self):
        super().setUp()
        self.checked = {"places": 0, "orders": 0, "results": 0}
        libtcc = self.weft("run", "1", env={"WEFT_CC": "libtcc"}).returncode == 0
        self.fast = {"WEFT_CC": "libtcc"} if libtcc else {}

    def kernels(self, program, inputs, env=None, options=()):
        return parse(self.text("show", "--stage", "groups", *options, "--", program, *inputs, env=env))

    # ---- places ----

    def shape_of(self, kernel, access, inputs, temporaries):
        if access.kind == "store":
            return kernel.shape
        return inputs.get(access.name, temporaries.get(access.name))

    def check_place(self, kernel, access, shape, points):
        """The formula leads to the byte to which the strides lead."""
        size, count = SIZES[access.dtype], points[1]
        if access.strides is None or not count or access.kind == "store" and kernel.reduces:
            return None
        formula = access.mask.rsplit(" <", 1)[0] if access.mask else access.position or access.index
        at = np.zeros(count, np.int64)
        if access.mask or access.position:
            at = evaluate(formula, points, {})[0]
        elif access.index is not None:
            if re.match(r"\(.* as \w+\)$", access.name):
                at = evaluate(formula, points, {})[0]
            elif shape is None:
                return None  # the text of a constant
            else:
                where = evaluate(formula, points, {})
                self.assertEqual(len(where), len(shape), access.line)
                for own, extent in zip(where, shape):
                    self.assertTrue(((own >= 0) & (own < extent)).all(), access.line)
                at = np.ravel_multi_index(where, shape) if shape else at
        digits = np.unravel_index(np.arange(count), kernel.groups)
        there = access.first + sum(digit * stride for digit, stride in zip(digits, access.strides))
        if access.position:  # its numbers are a step apart, which is not said
            values = np.array([at, there]).T
            self.assertEqual(len(np.unique(values, axis=0)), len(np.unique(there)), access.line)
            return there // size
        np.testing.assert_array_equal(at * size, there, kernel.text + "\n" + access.line)
        self.checked["places"] += 1
        return at

    def check_order(self, access, at):
        """The words say how the numbers `at` follow each other."""
        order = re.split(r", (?:one by one|by |copied|repeated|tiles|taken|found|an arg|a chunk|into|together)",
                         access.words)[0]
        order, *further = re.split(r"; (?=all of that|then again)", order)
        for words in reversed(further):    # from the outermost on
            times = re.fullmatch(r"all of that (\d+) times", words)
            if times:
                at = at.reshape(int(times[1]), -1)
                self.assertTrue((at == at[0]).all(), access.line)
                at = at[0]
                continue
            again = re.fullmatch(r"then again from (\d+) elements? further (on|back)", words)
            jump = int(again[1]) * (1 if again[2] == "on" else -1)
            parts = [n for n in range(2, len(at) + 1) if len(at) % n == 0]
            parts = [n for n in parts if (np.diff(at.reshape(n, -1), axis=0) == jump).all()]
            self.assertTrue(parts, access.line)
            at = at[:len(at) // parts[0]]
        steps = np.diff(at)
        found = re.fullmatch(r"every (\d+)\w\w element(, backwards)?|(\d+) elements apart(, backwards)?", order)
        repeated = re.fullmatch(r"(.*), each (\d+) times", order)
        runs = re.match(r"(?:runs|groups) of (\d+)(, (?:each )?(?:every|backwards|element|\d+ elements apart)[^;]*?)?"
                        r"(?:, each (\d+) times|; from .*|, the last (?:run|group) first|$)", order)
        if order in ("one element", "the same element for all"):
            good = not steps.any()
        elif order in ("element after element", "backwards"):
            good = (steps == (1 if order[0] == "e" else -1)).all()
        elif found:
            good = (steps == int(found[1] or found[3]) * (-1 if found[2] or found[4] else 1)).all()
        elif order.startswith("the same "):
            good = (at.reshape(-1, int(order.split()[2])) == at[:int(order.split()[2])]).all()
        elif runs:
            run = at.reshape(-1, int(runs[1]))
            inner = np.diff(run, axis=1)
            step = (runs[2] or "")[2:].removeprefix("each ")
            good = (inner == inner[0, 0]).all() and (inner[0, 0] == 1) == (step == "") and \
                   (inner[0, 0] == -1) == (step == "backwards")
            far = re.search(r"; from \w+ to \w+ (\d+) element", order)
            jump = int(far[1]) if far else 0 if runs[3] else int(runs[1])
            jump *= -1 if re.search(", the last (?:run|group) first", order) else 1
            good = good and (np.diff(run[:, 0]) == jump).all()
        elif repeated:
            every = at.reshape(-1, int(repeated[2]))
            good = (every == every[:, :1]).all() and every[1, 0] != every[0, 0]
        else:
            self.assertTrue(order.startswith("one element for each row"), access.line)
            good = True
        self.assertTrue(good, access.line)
        self.checked["orders"] += 1

    def check(self, program, inputs, env=None, options=()):
        """Checks every line about strides. Returns the kernels."""
        shapes = {}
        for text in inputs:
            name, kind = re.match(r"(\w+)[=:](.*)", text).groups()
            shapes[name] = tuple(numbers(kind[kind.index("["):])) if "[" in kind else None
        kernels, temporaries = self.kernels(program, inputs, env, options), {}
        for kernel in kernels:
            if int(np.prod(kernel.space, dtype=np.float64)) > 1 << 22:
                continue
            points = kernel.positions()
            for access in kernel.accesses:
                at = self.check_place(kernel, access, self.shape_of(kernel, access, shapes, temporaries), points)
                if at is not None:
                    self.check_order(access, at)
            for name in kernel.names:
                temporaries[name] = kernel.shape
        return kernels


class Groups(GroupsTest):
    def test_goldens(self):
        """The programs of tests/golden."""
        for path in sorted((ROOT / "tests/golden").glob("*.groups")):
            text = path.with_suffix(".weft").read_text()
            arguments = next((line for line in text.splitlines()[1:] if re.match(r"# \w+=", line)), "").split()[1:]
            inputs = [argument for argument in arguments if "=" in argument]
            with self.subTest(path.name):
                self.check(text, inputs, options=[argument for argument in arguments if argument not in inputs])
        self.assertGreater(self.checked["places"], 100)
        self.assertGreater(self.checked["orders"], 100)

    # ---- elements that only move ----

    def moved(self, program, inputs, env=None):
        """Of a program that only moves elements: runs it, and puts each result together by what the kernels are said to
        do. Where masks choose among loads, `for` says which is wanted."""
        arrays = {}
        arguments = []
        for name, value in inputs.items():
            np.save(self.path(name + ".npy"), value)
            arguments.append("%s=%s" % (name, name + ".npy"))
            arrays[name] = value
        types = ["%s=%s%s" % (name, value.dtype, list(value.shape)) for name, value in inputs.items()]
        self.good("run", program, *arguments, "-o", "out.npy", env={**self.fast, **(env or {})})
        expected = np.load(self.path("out.npy"))
        result = np.zeros(expected.shape, expected.dtype)
        written = np.zeros(expected.shape, int)
        for kernel in self.check(program, types, env):
            points = kernel.positions()
            values = [access for access in kernel.accesses if access.kind != "store" and not access.mask]
            values = [access for access in values
                      if access.name in arrays and arrays[access.name].dtype == expected.dtype
                      or access.position and len(values) == 1]
            value = np.zeros(points[1], expected.dtype)
            chosen = np.zeros(points[1], int)
            for access in values:
                wanted = np.ones(points[1], bool)
                if access.wanted:
                    condition = re.sub(r"\bmod\b", "%", access.wanted[1][len("for "):])
                    condition = re.sub(r"(\d+) <= (.*) < ", r"(\1 <= \2) & (\2 < ", condition)
                    condition += ")" if condition[0] == "(" and "&" in condition else ""
                    wanted = np.broadcast_to(eval(condition.replace(" = ", " == "), {}, points[0]), points[1])
                own = evaluate(access.position or access.index, points, arrays)
                own = own[0] if access.position else arrays[access.name][tuple(own)]
                value[wanted] = own[wanted]
                chosen += wanted
            self.assertTrue((chosen == 1).all(), kernel.text)
            store = kernel.accesses[-1]
            where = tuple(evaluate(store.index, points, {}))
            result[where] = value
            written[where] += 1
            if kernel.writes:
                part = tuple(slice(*ends) for ends in kernel.writes)
                self.assertEqual((written[part] > 0).sum(), points[1], kernel.text)
        self.assertTrue((written == 1).all(), (program, kernel.text))
        np.testing.assert_array_equal(result, expected, str((program, types, env)))
        self.checked["results"] += 1
        return result

    def test_moves(self):
        """Each kind of view, as kernels of their own and with fast paths off."""
        x = np.arange(24 * 40, dtype=np.float32).reshape(24, 40)
        img = np.arange(30 * 40 * 3, dtype=np.int16).reshape(30, 40, 3)
        i = np.array([3, 0, 7, 7, 23], np.int64)
        cases = [("x[::-1]", "x"), ("x[:, ::-1]", "x"), ("x[::3, 5:30:2]", "x"), ("x[4]", "x"), ("x[:, 7, None]", "x"),
                 ("transpose(x)", "x"), ("transpose(img, [2, 0, 1])", "img"), ("transpose(img, [1, 2, 0])", "img"),
                 ("transpose(x)[::-1]", "x"), ("reshape(x, [40, 24])", "x"), ("reshape(transpose(x), [24, 40])", "x"),
                 ("repeat(img, 2, 1)", "img"), ("repeat(repeat(img, 2, 0), 2, 1)", "img"), ("tile(x, [2, 3])", "x"),
                 ("reshape(repeat(x, 3, 0), [40, 72])", "x"), ("roll(x, [1, -3], axes=[0, 1])", "x"),
                 ("roll(x[:, ::-1], 11, axes=[1])", "x"), ("concat(x, x[:, 3:9], axis=1)", "x"),
                 ("concat(img, img[..., :1], axis=2)", "img"), ("stack(x, x[::-1], axis=-1)", "x"),
                 ("img[..., [2, 0, 1]]", "img"), ("img[..., [1, 2, 0]]", "img"), ("x[[5, 3, 8, -1]]", "x"),
                 ("x[:, [5, 3, 8, 0, 30]]", "x"), ("take(x, i)", "xi"), ("take(x, i, axis=1)", "xi"),
                 ("reshape(take(x, i), [40, 5])", "xi"), ("take(transpose(x), i, axis=-1)[::-1]", "xi"),
                 ("broadcast_to(x[3:4], [9, 40])", "x"), ("flip(img, axes=[1, 2])", "img"),
                 ("index(x, 1)", "x"), ("index(x, 0)", "x"), ("concat(x[:, :1], x, x[:, 39:], axis=1)", "x")]
        names = {"x": {"x": x}, "img": {"img": img}, "xi": {"x": x, "i": i}}
        for program, inputs in cases:
            for disable in ("", "split", "interleave,transpose,expand,flat"):
                with self.subTest(program, disable=disable):
                    self.moved(program, names[inputs], {"WEFT_DISABLE": disable} if disable else None)
        self.assertEqual(self.checked["results"], 3 * len(cases))

    def test_random_moves(self):
        """Views of views of views, drawn by chance."""
        draw = random.Random(int(os.environ.get("WEFT_SEED", 11)))
        for _ in range(int(os.environ.get("WEFT_COUNT", 60))):
            shape = [draw.choice([1, 2, 3, 4, 6, 12]) for _ in range(draw.randint(1, 3))]
            x = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
            text, value = "x", x
            for _ in range(draw.randint(1, 4)):
                text, value = view_of(draw, text, value)
            some = draw.choice(["split", "expand", "interleave", "flat"])
            env = {"WEFT_DISABLE": some} if draw.random() < 0.3 else None
            with self.subTest(text, shape=shape):
                np.testing.assert_array_equal(self.moved(text, {"x": x}, env), value)

    # ---- wording ----

    def test_border(self):
        """What a large kernel's operand is stored for."""
        found = self.text("show", "correlate(x, k, 0)", "x=float32[200,200]", "k=float32[6,6]", "--stage", "groups")
        self.assertIn("neighbours of x, 36 evaluations: stored once with what lies around it, as edges would be 36 "
                      "parts, and 32 are the most\n", found)

    def test_gather(self):
        """The steps that are said to be taken by vectors are those of the helper in shuffle_c.h."""
        text = (ROOT / "templates/kernel/shuffle_c.h").read_text()
        body = text[text.index("N(gather)(T *block"):]
        body = body[:body.index("\n}")]
        steps = re.findall(r"m == BLOCK && (sizeof\(T\) < 8 && )?step == (-|\d \* )\(i64\)sizeof\(T\)", body)
        self.assertEqual(steps, [("", "2 * "), ("", "3 * "), ("sizeof(T) < 8 && ", "4 * "), ("", "-")])
        for dtype, vectors in (("float32", (2, 3, 4, -1)), ("float64", (2, 3, -1))):
            for step in (2, 3, 4, 5, 8, -1, -2):
                words = self.kernels("x[::%d] + 1" % step, ["x=%s[4000]" % dtype])[0].accesses[0].words
                self.assertIn("by vectors" if step in vectors else "one by one", words)

    def test_words_are_explained(self):
        """The tables of docs/debugging.md have the words of each access kind, and those of stores and joins."""
        rows = re.findall(r"^KIND\((.*?)\)$", (ROOT / "templates/shared/access_kinds.def").read_text(), re.M | re.S)
        words = [word for row in rows for word in re.findall(r'"([^"]*)"', row)[1:] if word]
        source = (ROOT / "compiler/emit/load_store.c").read_text() + (ROOT / "compiler/dump/dump_access.c").read_text()
        words += re.findall(r'return "([a-z]+ [^"]+)";|access_way\)\{"\w+", "([^"]+)"', source)
        page = (ROOT / "docs/debugging.md").read_text()
        self.assertGreater(len(words), 20)
        for word in ("".join(word) for word in words):
            self.assertIn("`" + word.split(", counted")[0].split(", from")[0].split(", the same")[0], page)

    def test_sums_across(self):
        """Rows that are transposed for a sum give the bits of rows that lie in order."""
        numbers, shown = np.random.default_rng(7), []
        for dtype, shape in (("float32", (2000, 70)), ("float32", (300, 517)), ("float64", (4100, 33)),
                             ("float32", (90, 5, 64)), ("float32", (65, 2)), ("float32", (20000, 70)),
                             ("float32", (50000, 8))):
            x = numbers.standard_normal(shape).astype(dtype)
            np.save(self.path("x.npy"), x)
            np.save(self.path("y.npy"), np.ascontiguousarray(x.transpose()))
            shown.append(self.text("show", "sum(transpose(x))", "x=x.npy", "--stage", "groups"))
            for text in ("sum(%s)", "mean(%s * %s)", "prod(1 + %s * 0.001)", "sum(%s, [0, 1])"):
                plain = self.text("run", text.replace("%s", "y"), "y=y.npy")
                for way in ("", "transpose"):
                    across = self.text("run", text.replace("%s", "transpose(x)"), "x=x.npy", env={"WEFT_DISABLE": way})
                    self.assertEqual(across, plain, (dtype, shape, text, way))
        self.assertEqual(["some rows are transposed" in text for text in shown],
                         [True, True, True, False, True, True, False])

    def test_equal_reductions(self):
        """They are one kernel, however they are written; those of one tensor take turns."""
        def headings(text, *types):
            shown = self.text("show", text, *types, "--stage", "groups")
            return [line for line in shown.splitlines() if line.startswith("kernel")], shown

        x, wide = "x=float32[2000, 2000]", ["x=float32[2000, 2000]", "y=float32[2000, 2000]"]
        for text, count in (("min(x) + min(x)", 3), ("(x - min(x)) / (max(x) - min(x))", 5), ("mean(x) + sum(x)", 3),
                            ("a = x * 2; sum(a * a) + sum((x * 2) * (x * 2))", 3), ("sum(x, -1) + sum(x, [1])", 2),
                            ("return mean(x, -1), mean(x, -1, true) * 2", 3), ("sum(x * 2) + sum(x * 3)", 5),
                            ("(x - mean(x, -1, true)) / std(x, -1, true)", 5), ("sum(x, 0) + sum(x, 1)", 3)):
            self.assertEqual(len(headings(text, x)[0]), count, text)
        for text, types, chain in (("return min(x, axes=-1), max(x, axes=-1), sum(x, -1)", [x], 2),
                                   ("return argmax(x, -1), max(x, axes=-1)", [x], 1),
                                   ("return max(x * y, axes=-1), sum(x * y, -1)", wide, 1),
                                   ("return mean(x, -1), std(x, -1)", [x], 3)):
            self.assertIn("takes turns with the next %d kernel" % chain, headings(text, *types)[1], text)
        self.assertNotIn("takes turns", headings("return sum(x, -1), max(y, axes=-1)", *wide)[1])

    def test_reductions(self):
        cases = [("argmax(x, axes=1)", "int64", "out[d0]: 480 results, one for each d0, joined over d1"),
                 ("sum(x, axes=0)", "float32", "out[d1]: 640 results, one for each d1, joined over d0"),
                 ("sum(uint8(x), axes=1)", "uint64", "out[d0]: 480 results, one for each d0, joined over d1"),
                 ("sum(x)", "float32", "out: 1 result, joined over d1"),
                 ("max(x, axes=0, keepdims=true)", "float32",
                  "out[0, d1]: 640 results, one for each d1, joined over d0")]
        for program, dtype, words in cases:
            text = self.text("show", program, "x=float32[480, 640]", "--stage", "groups")
            self.assertEqual(text.splitlines()[-1], "  store   %-8s %s" % (dtype, words))


def view_of(draw, text, value):
    """A view of a program and its value."""
    rank, kind = value.ndim, draw.randrange(8)
    axis = draw.randrange(rank) if rank else 0
    if not rank or kind == 0:
        return "reshape(%s, [-1, 1])" % text, value.reshape(-1, 1)
    if kind == 1:
        items = [draw.choice([":", "::-1", "::2", "1:" if n > 1 else ":", "-1:"]) for n in value.shape]
        return "(%s)[%s]" % (text, ", ".join(items)), eval("value[%s]" % ", ".join(items), {"value": value})
    if kind == 2:
        order = draw.sample(range(rank), rank)
        return "transpose(%s, %s)" % (text, order), value.transpose(order)
    if kind == 3 and value.size < 2000:
        return "repeat(%s, 2, %d)" % (text, axis), np.repeat(value, 2, axis)
    if kind == 4 and value.size < 2000:
        times = [draw.choice([1, 1, 2, 3]) for _ in range(rank)]
        return "tile(%s, %s)" % (text, times), np.tile(value, times)
    if kind == 5:
        by = draw.randint(-3, 3)
        return "roll(%s, %d, axes=[%d])" % (text, by, axis), np.roll(value, by, axis)
    if kind == 6:
        first = draw.choice([n for n in range(1, value.size + 1) if value.size % n == 0])
        return "reshape(%s, [%d, -1])" % (text, first), value.reshape(first, -1)
    listed = [draw.randrange(value.shape[axis]) for _ in range(draw.randint(1, 5))]
    items = [":"] * axis + [str(listed)]
    return "(%s)[%s]" % (text, ", ".join(items)), np.take(value, listed, axis)


if __name__ == "__main__":
    unittest.main()
