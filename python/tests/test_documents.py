"""The examples in docstrings, the signatures, and the stub, as mypy --strict sees it."""
import doctest
import importlib
import importlib.metadata
import inspect
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import numpy

import support
import weft
import weft.math
import weft.numexpr
from weft import _errors, _program, _results, _translate, _use


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
        for module in (weft, _errors, _program, _results, _translate, _use, weft.numexpr):
            self.assertEqual(doctest.testmod(module).failed, 0)

    def test_math(self):
        names = {name: getattr(weft.math, name) for name in ("backend", "batch", "channel", "extrapolation", "instance",
                                                             "spatial")}
        for name in ("_types", "_shapes", "_backends", "_tensors", "_structure", "_functions", "_neighbours",
                     "extrapolation", "backend", "_explain"):
            module = importlib.import_module(f"weft.math.{name}")
            failed, tried = doctest.testmod(module, extraglobs={"math": weft.math, "numpy": numpy, **names},
                                            optionflags=doctest.NORMALIZE_WHITESPACE)
            self.assertEqual(failed, 0, name)
            self.assertGreater(tried, 0, name)
        self.assertEqual(doctest.testmod(weft.math).failed, 0)

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
        for name in weft.math.__all__:
            thing = getattr(weft.math, name)
            if callable(thing):
                self.assertTrue(thing.__doc__, name)
                self.assertEqual([member for member, value in vars(thing).items() if member[0] != "_" and
                                  callable(value) and not value.__doc__] if isinstance(thing, type) else [], [], name)

    def test_signatures(self):
        self.assertIn("ignore_unused", str(inspect.signature(weft.evaluate)))
        self.assertIn("kernel", str(inspect.signature(weft.compile)))


class Documents(unittest.TestCase):
    """The blocks of Python in the documents, one after the other; those marked py need dask."""

    def check(self, path, marks="python"):
        if not path.is_file():
            self.skipTest(f"there is no {path.name} beside the tests")
        blocks = re.findall(rf"^```(?:{marks})\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        examples = [example for block in blocks for example in doctest.DocTestParser().get_examples(block)]
        said = []
        test = doctest.DocTest(examples, {}, path.name, str(path), 0, None)
        failed, tried = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
        self.assertEqual(failed, 0, "".join(said))
        self.assertGreater(tried, 2)

    def test_readme(self):
        self.check(ROOT / "README.md")

    def test_package_readme(self):
        self.check(ROOT / "python/README.md")

    def test_page(self):
        self.check(ROOT / "docs/python.md")

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
            from weft.math import Shape, Tensor, backend, batch, channel, extrapolation, instance, spatial


            def step(u: Tensor, dt: float) -> Tensor:
                return u + dt * math.laplace(u, padding=extrapolation.PERIODIC)


            grid: Shape = spatial(x=8, y=6) & batch(b=2)
            u = math.random_uniform(grid) * 2 - 1
            for _ in range(3):
                u = step(u, 0.1)
            v = math.stack({"x": u, "y": 2 * u}, channel("vector"))
            w: Tensor = v.vector["x"].x[1:-1].y[0] + np.ones(2) @ np.ones(2)
            values: np.ndarray = v.numpy("b,x,y,vector")
            mean: float = float(math.mean(v, "x,y").vector[0].b[0])
            sizes: tuple[int, ...] = tuple(each.shape.volume or 0 for each in u.b)
            near: bool = math.close(u, u + 0)
            parts = math.unstack(u, "b")
            first: Tensor = parts[0]
            names: tuple[str, ...] = grid.names
            with math.precision(64), backend.NUMPY:
                wide = math.sqrt(math.abs(math.wrap([1.0, 2.0], instance("p"))))
            dot: Tensor = v.vector * v
            low, high = math.shift(u, (-1, 1), "x", stack_dim=None)
            where = math.gather(u, math.nonzero(u.b[0] > 0))
            print(f"{u:summary} {dot.max} {where.shape} {low.dtype.bits} {math.explain(high)}")
            """)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "users.py")
            path.write_text(users, encoding="utf-8")
            result = self.mypy("--strict", path)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            for wrong in ("spatial_gradient(u).shap: int", "laplace(u, dims_=3)", "wrap(1.0).mean()"):
                path.write_text(f"{users}\nmath.{wrong}\n", encoding="utf-8")
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
