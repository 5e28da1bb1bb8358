"""The linked page of ten programs, in Chromium: no error on the console, and what lights up when a piece is pointed at,
clicked, or chosen by keys. The same is worked out here from the page's places."""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import chromium

WEFT = os.environ.get("WEFT", "weft")
NASTY = "x + 1 # </script><script>window.bad = 1</script> */ \"'&lt; é \N{SNOWMAN} $text\n"
PROGRAMS = {
    "axb": ("a*x + b", "a=float32[]", "x=float32[1000]", "b=float32[]"),
    "wrap": ("uint8(img * 2) - img * img", "img=uint8[5]"),
    "softmax": ("softmax(img * gain)", "img=uint8[48, 64, 3]", "gain=float32[3]"),
    "again": ("s = sqrt(x * x + 1); s / sum(s, axes=1, keepdims=true)", "x=float32[30, 40]"),
    "bindings": ("y = x * 0.5 + 1; z = sqrt(y); return z, s = sum(z, axes=1)", "x=float32[30, 40]"),
    "stencil": ("correlate(u, [[0, 1, 0], [1, -4, 1], [0, 1, 0]], \"edge\")", "u=float32[64, 64]"),
    "take": ("take(palette, img) / 255.0", "palette=uint8[256, 3]", "img=uint8[32, 32]"),
    "views": ("concat(transpose(m), m[::-1]) + m[0]", "m=float64[8, 8]"),
    "half": ("float16(x) * y // 2", "x=float32[100]", "y=float16[100]"),
    "wide": ("ts / 1000 if ts > 0 else -1", "ts=int64[10]"),
    "nasty": (NASTY, "x=float32[3]"),
}
LIT = """JSON.stringify([...document.querySelectorAll("[data-s]")].map((one, i) =>
  [i, one.classList.contains("same"), one.classList.contains("part")]).filter(one => one[1] || one[2]))"""


class Page:
    """A page as its source says it is."""

    def __init__(self, path):
        self.path = path
        self.source = path.read_text(encoding="ascii")
        self.nodes = json.loads(html.unescape(re.search(r'data-nodes="([^"]*)"', self.source)[1]))
        self.places = [(int(s), int(e)) for s, e in re.findall(r'data-s="(\d+)" data-e="(\d+)"', self.source)]
        program = re.search(r'<pre id="text".*?</pre>', self.source, re.S)[0]
        self.letters = program.count("data-s=")

    def piece(self, place):
        around = [node for node in self.nodes if node[0] <= place[0] and place[1] <= node[1]]
        return min(around, key=lambda node: node[1] - node[0]) if around else list(place)

    def lit(self, span):
        """What has to be lit where this span is chosen."""
        result = []
        for i, (s, e) in enumerate(self.places):
            inside = span[0] <= s and e <= span[1]
            same = inside and (i < self.letters or [s, e] == list(span))
            if inside:
                result.append([i, same, not same])
        return result


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="weft-page-")
        cls.pages = {}
        for name, (text, *types) in PROGRAMS.items():
            path = pathlib.Path(cls.folder.name) / f"{name}.html"
            subprocess.run([WEFT, "show", "--quiet", "--html", str(path), "--", text, *types], check=True)
            cls.pages[name] = Page(path)
        cls.browser = chromium.Chromium()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, name, **how):
        self.browser.open(self.pages[name].path, **how)
        return self.pages[name]

    def lit(self):
        return json.loads(self.browser.evaluate(LIT))

    def center(self, i):
        """The middle of the first line of element number i, which is moved into view."""
        return self.browser.evaluate(f"""(() => {{
            const one = document.querySelectorAll("[data-s]")[{i}];
            one.scrollIntoView({{block: "center", behavior: "instant"}});
            const box = one.getClientRects()[0];
            return [box.left + Math.min(box.width / 2, 20), box.top + box.height / 2];
        }})()""")

    def test_no_error(self):
        """Each page opens without a word on the console, asks for nothing, and is small."""
        for name, page in self.pages.items():
            with self.subTest(name=name):
                self.open(name)
                self.assertEqual(self.browser.told, [])
                self.assertEqual(self.browser.evaluate("performance.getEntriesByType('resource').length"), 0)
                self.assertLess(page.path.stat().st_size, 1 << 20)
                self.assertNotRegex(page.source, r"https?://|<link|@import|<img|src=")
                for panel in "Types", "Groups", "Schedule", "Instructions", "C", "CUDA":
                    self.assertIn(f"<h2>{panel}</h2>", page.source)

    def test_pointing(self):
        for name in PROGRAMS:
            page = self.open(name)
            some = list(range(page.letters)) + list(range(page.letters, len(page.places), 17))
            for i in some:
                text = self.browser.evaluate(f'document.querySelectorAll("[data-s]")[{i}].textContent.trim()')
                if not text:
                    continue
                with self.subTest(name=name, piece=text):
                    span = page.piece(page.places[i]) if i < page.letters else page.places[i]
                    self.browser.mouse("mouseMoved", *self.center(i))
                    self.assertEqual(self.lit(), page.lit(span))
            self.browser.mouse("mouseMoved", 1, 1)
            self.assertEqual(self.lit(), [])

    def test_clicking(self):
        """A click keeps a piece, while the pointer moves on; a second one, or Escape, lets it go."""
        page = self.open("wrap")
        x, y = self.center(page.letters + 3)
        self.browser.click(x, y)
        expected = page.lit(page.places[page.letters + 3])
        self.browser.mouse("mouseMoved", *self.center(0))
        self.assertEqual(self.lit(), expected)
        self.browser.click(*self.center(page.letters + 3))
        self.browser.mouse("mouseMoved", 1, 1)
        self.assertEqual(self.lit(), [])
        self.browser.click(*self.center(0))
        self.assertNotEqual(self.lit(), [])
        self.browser.key("Escape")
        self.assertEqual(self.lit(), [])

    def focus(self, label):
        """Tab, until the box of this label has the focus."""
        for _ in range(30):
            self.browser.key("Tab")
            if self.browser.evaluate("document.activeElement.getAttribute('aria-label')") == label:
                return
        self.fail(f"Tab does not lead to {label}")

    def active(self):
        return self.browser.evaluate("[...document.querySelectorAll('[data-s]')].indexOf(document.activeElement)")

    def test_keys(self):
        for name in "axb", "softmax", "half":
            for label in "Types", "Groups", "Instructions", "C", "CUDA":
                with self.subTest(name=name, label=label):
                    page = self.open(name)
                    self.focus(label)
                    before = -1
                    for _ in range(3):
                        self.browser.key("ArrowDown")
                        now = self.active()
                        self.assertGreater(now, before)
                        self.assertEqual(self.lit(), page.lit(page.places[now]))
                        before = now
                    self.browser.key("ArrowUp")
                    self.assertEqual(self.lit(), page.lit(page.places[self.active()]))

    def test_keys_in_the_program(self):
        """Arrow keys go along the pieces, up to what is around one, and down again."""
        page = self.open("axb")
        self.focus("the program")
        self.browser.key("ArrowRight")
        self.assertEqual(self.lit(), page.lit([0, 1]))
        self.browser.key("ArrowUp")
        self.assertEqual(self.lit(), page.lit([0, 3]))
        self.browser.key("ArrowUp")
        self.assertEqual(self.lit(), page.lit([0, 7]))
        self.browser.key("ArrowDown")
        self.assertEqual(self.lit(), page.lit([0, 3]))
        told = self.browser.evaluate("document.getElementById('status').textContent")
        self.assertRegex(told, r"^a\*x: .*Instructions 1.*C \d+.*CUDA \d+")

    def test_every_expression_becomes_something(self):
        """Operations are in the instructions and in both sources, each line at its own piece."""
        for name in "axb", "wrap", "bindings":
            page = self.pages[name]
            for span in page.nodes:
                text = PROGRAMS[name][0][span[0]:span[1]]
                if re.fullmatch(r"[\w.]+", text):
                    continue
                for panel in "Types", "Instructions", "C", "CUDA":
                    inside = page.source[page.source.index(f"<h2>{panel}</h2>"):].split("</pre>")[0]
                    self.assertTrue(f'data-s="{span[0]}" data-e="{span[1]}"' in inside, (text, panel))

    def test_literals_have_lines(self):
        page = self.pages["bindings"]
        at = PROGRAMS["bindings"][0].index("0.5")
        inside = page.source[page.source.index("<h2>C</h2>"):].split("</pre>")[0]
        self.assertRegex(inside, rf'data-s="{at}" data-e="{at + 3}">[^<]*/\* 0\.5 \*/')

    def test_nothing_leaves_its_element(self):
        self.open("nasty")
        self.assertIsNone(self.browser.evaluate("window.bad"))
        self.assertEqual(self.browser.evaluate("document.getElementById('text').textContent"), NASTY)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('script').length"), 1)

    def test_narrow(self):
        for name in "softmax", "nasty":
            self.open(name, width=360, height=640)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 360)

    def test_light_and_dark(self):
        colours = []
        for scheme in "light", "dark":
            self.open("axb", scheme=scheme)
            colours.append(self.browser.evaluate("""(style => JSON.stringify([style.color, style.backgroundColor]))(
                getComputedStyle(document.body))"""))
        self.assertNotEqual(*colours)

    def test_surprises(self):
        """Each is told with its rule."""
        for name, words in (("wrap", "stays uint8 and may wrap beyond 255; convert an operand first, as in int32(img)"),
                            ("half", "is rounded to float16; convert an operand first, as in float32("),
                            ("wide", "rounded to float32 here, whose fraction has 24 bits"),
                            ("bindings", "is NaN where its operand is below 0; write sqrt(max(y, 0))"),
                            ("again", "computed by more than one kernel"),
                            ("take", "off the fast path")):
            marks = re.findall(r"<li [^>]*>(.*?)</li>", self.pages[name].source)
            self.assertTrue(any(words in html.unescape(mark) for mark in marks), (name, marks))
        self.assertNotIn("<li", self.pages["axb"].source)


if __name__ == "__main__":
    if not chromium.find():
        print("skipped: there is no chromium (Debian: apt-get install chromium)")
        sys.exit(77)
    unittest.main()
