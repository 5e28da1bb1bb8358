"""The examples in docstrings, the signatures, and the stub, as mypy --strict sees it."""
import contextlib
import doctest
import importlib.metadata
import inspect
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import support
import numpy
import weft
import weft.math
import weft.numexpr
from weft import _errors, _program, _results, _trace, _translate, _use
from weft.math import (_backends, _elements, _evaluate, _explain, _functions, _graph, _making, _neighbours, _printing,
                       _ragged, _selections, _shapes, _structure, _tensors, _types, _xarray, backend, extrapolation)


ROOT = pathlib.Path(__file__).resolve().parents[2]


class Doctests(unittest.TestCase):
    def check(self, name, thing):
        runner = doctest.DocTestRunner(verbose=False)
        tests = [test for test in doctest.DocTestFinder().find(thing, name, module=False) if test.examples]
        for test in tests:
            said = []
            failed, _ = runner.run(test, out=said.append)
            self.assertEqual(failed, 0, "".join(said))
        return len(tests)

    def test_modules(self):
        for module in (weft, _errors, _program, _results, _trace, _translate, _use, weft.numexpr):
            self.assertEqual(doctest.testmod(module).failed, 0)

    def test_math_has_examples(self):
        """Every public function and class, and every method without a word of Python's, says what it does."""
        for name in weft.math.__all__:
            thing = getattr(weft.math, name)
            if callable(thing):
                self.assertIn(">>> ", thing.__doc__ or "", name)
        for made in weft.math.Tensor, weft.math.BoundDim, weft.math.Shape, weft.math.DType:
            for name in vars(made):
                self.assertTrue(name[0] == "_" or getattr(made, name).__doc__, f"{made.__name__}.{name}")

    def test_math(self):
        names = {name: getattr(weft.math, name) for name in ("batch", "channel", "spatial", "instance", "extrapolation",
                                                             "backend")}
        tried = 0
        for module in (weft.math, _backends, _elements, _evaluate, _explain, _functions, _graph, _making, _neighbours,
                       _printing, _ragged, _selections, _shapes, _structure, _tensors, _types, _xarray, backend,
                       extrapolation):
            failed, count = doctest.testmod(module, extraglobs={**names, **vars(module), "math": weft.math,
                                                                "numpy": numpy})
            self.assertEqual(failed, 0, module.__name__)
            tried += count
        self.assertGreater(tried, 100)

    def test_math_is_documented(self):
        for name, thing in vars(weft.math).items():
            if name[0] != "_" and callable(thing) and getattr(thing, "__module__", "").startswith("weft.math"):
                self.assertTrue(thing.__doc__, name)

    def test_dask(self):
        support.optional("dask.array")
        options = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS
        failed, tried = doctest.testmod(weft.dask, optionflags=options)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 4)

    def test_extension(self):
        for name in ("evaluate", "kernels", "Context", "Program"):
            self.assertGreater(self.check(name, getattr(weft, name)), 0, name)

    def test_version(self):
        try:
            installed = importlib.metadata.version("weft")
        except importlib.metadata.PackageNotFoundError:
            self.skipTest("the package is not installed")
        self.assertEqual(weft.__version__, installed)

    def test_all_are_documented(self):
        for name in weft.__all__:
            self.assertTrue(getattr(weft, name).__doc__, name)

    def test_signatures(self):
        self.assertIn("ignore_unused", str(inspect.signature(weft.evaluate)))
        self.assertIn("kernel", str(inspect.signature(weft.compile)))


class Documents(unittest.TestCase):
    """The blocks of Python in the documents, one after the other, in a folder with the files of other blocks; those
    marked py need dask."""

    def check(self, path, marks="python"):
        if not path.is_file():
            self.skipTest(f"there is no {path.name} beside the tests")
        page = path.read_text(encoding="utf-8")
        blocks = re.findall(rf"^```(?:{marks})\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        examples = [example for block in blocks for example in doctest.DocTestParser().get_examples(block)]
        said = []
        test = doctest.DocTest(examples, {}, path.name, str(path), 0, None)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name, text in re.findall(r"^```\w+ file=(\S+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
                pathlib.Path(name).write_text(text, encoding="utf-8")
            failed, tried = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
        self.assertEqual(failed, 0, "".join(said))
        self.assertGreater(tried, 2)

    def test_readme(self):
        self.check(ROOT / "README.md")

    def test_package_readme(self):
        self.check(ROOT / "python/README.md")

    def test_page(self):
        self.check(ROOT / "docs/python.md")

    def test_names(self):
        self.check(ROOT / "docs/named.md")

    def test_tutorial(self):
        self.check(ROOT / "docs/tutorial.md")

    def test_debugging(self):
        self.check(ROOT / "docs/debugging.md")

    def test_math(self):
        self.check(ROOT / "docs/math.md")

    def test_page_with_dask(self):
        support.optional("dask.array")
        self.check(ROOT / "docs/python.md", "python|py")


class Stub(unittest.TestCase):
    def mypy(self, *arguments):
        support.optional("mypy")
        return subprocess.run([sys.executable, "-m", "mypy", *arguments], capture_output=True, text=True)

    def test_users(self):
        users = textwrap.dedent("""
            import numpy as np
            import weft
            import weft.dask
            import weft.numexpr

            x = np.ones(3)
            f: weft.Program = weft.compile("x * k", results=["t"], math="fast")
            names: tuple[str, ...] = f.inputs
            y = f(x, k=2.0, out=x)
            z = weft.evaluate("x + 1", {"x": x}, context=weft.Context(threads=1))
            kinds: dict[str, str] = f.infer(x="float32[3]")
            with weft.use(weft.default_context()) as context:
                context.close()
            wide: float = weft.numexpr.evaluate("x + 1", order="F").sum()
            wrong: Exception | None = weft.numexpr.validate("x + 1", {"x": x}, optimization="none")
            product = weft.numexpr.NumExpr("a * x", [("a", float), ("x", float)])(2, x, casting="unsafe")
            lazy = weft.dask.evaluate("y + 1", y=x)
            try:
                weft.kernels("1")
            except weft.Error as error:
                print(error.code.lower(), error.status.name, error.span, error.errors[0].line)
            """)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "users.py")
            path.write_text(users, encoding="utf-8")
            result = self.mypy("--strict", path)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            path.write_text(users.replace('math="fast"', 'math="quick"'), encoding="utf-8")
            self.assertEqual(self.mypy("--strict", path).returncode, 1)

    def test_users_of_math(self):
        users = textwrap.dedent("""
            import numpy as np
            from weft import math
            from weft.math import Shape, Tensor, batch, channel, extrapolation, instance, spatial

            def step(u: Tensor, dt: float) -> Tensor:
                return u + dt * math.laplace(u, padding=extrapolation.PERIODIC)

            space: Shape = spatial(x=4, y=3) & channel(vector="x,y")
            u = math.wrap(np.ones((4, 3)), spatial("x,y"))
            v: Tensor = step(u, 0.1).x[1:-1]
            names: tuple[str, ...] = v.shape.names
            low, high = float(v.min), int(math.max(v, "x").sum)
            total: Tensor = math.sum(v * [1.0, 2.0, 3.0], spatial) / math.sqrt(math.mean(v))
            parts: Tensor = math.stack([u, v], batch("k"))
            with math.precision(64):
                points = math.random_uniform(instance(p=3), channel(vector="x,y"), low=0, high=2)
            close: bool = math.close(math.grid_sample(u, points), 1.0)
            print(f"{total:summary:.3f}", u.numpy("y,x"), low, high, close, math.explain(total), parts, names)
            """)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "users.py")
            path.write_text(users, encoding="utf-8")
            result = self.mypy("--strict", path)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            for right, wrong in (("0.1).x", "'a').x"), ("precision(64)", "precision('a')")):
                path = path.with_name(path.stem + "_.py")  # mypy takes a file of the same size and moment for unchanged
                path.write_text(users.replace(right, wrong), encoding="utf-8")
                self.assertEqual(self.mypy("--strict", path).returncode, 1, wrong)

    def test_stub_has_all_names(self):
        stub = pathlib.Path(weft.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
        for name in weft.__all__:
            self.assertRegex(stub, rf"(?m)^(class|def) {name}\b")
        for name in (name for name in dir(weft.Program) if not name.startswith("_")):
            self.assertIn(f"def {name}(", stub)
        for name in weft.numexpr.__all__:
            stub_of_numexpr = pathlib.Path(weft.numexpr.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
            self.assertRegex(stub_of_numexpr, rf"(?m)^(?:class |def )?{name}\b")
        for status in weft.Status:
            self.assertIn(f"{status.name} = {status.value}", stub)


if __name__ == "__main__":
    unittest.main()
