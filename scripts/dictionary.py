"""Prints libFuzzer's dictionary: every spelling of grammar/ops.def, types.def, views.def and
reductions.def, and the words and signs of the grammar."""
import pathlib
import re
import sys

WORDS = """input kernel return if else and or not true false True False pi inf nan cast wrap -> ( ) [ ]
    { } , ; : = @HWC # 0x 0b 0x1p-3 1e-3 1_0 ? .5 2**40 [-1,1,0] "HWC" None newaxis ... :: [::-1,0] """.split()


def spellings(grammar):
    ops = (grammar / "ops.def").read_text(encoding="utf-8")
    types = (grammar / "types.def").read_text(encoding="utf-8")
    views = (grammar / "views.def").read_text(encoding="utf-8")
    reductions = (grammar / "reductions.def").read_text(encoding="utf-8")
    for words in re.findall(r'^OP\(\w+, "([^"]*)"', ops, re.MULTILINE):
        yield from words.split()
    for name, short in re.findall(r"^TYPE\(\w+, *(\w+), *(\w+)", types, re.MULTILINE):
        yield from (name, short)
    for name, parameters in re.findall(r'^VIEW\(\w+, (\w+), "([^"]*)"', views, re.MULTILINE):
        yield name
        yield from (f"{word}=" for word in parameters.split()[1:])
    yield from re.findall(r"^REDUCTION\(\w+, (\w+),", reductions, re.MULTILINE)
    yield from WORDS


root = pathlib.Path(__file__).resolve().parent.parent
words = list(dict.fromkeys(spellings(root / "grammar")))
if len(words) < 100:
    sys.exit("the tables read as too few words; has their form changed?")
for word in words:
    print('"%s"' % word.replace("\\", "\\\\").replace('"', '\\"'))
