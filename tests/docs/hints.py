#!/usr/bin/env python3
"""What grammar/hints.def advises to write is a program: hints.py ROOT BUILD."""
import pathlib
import re
import subprocess
import sys

ROOT, BUILD = map(pathlib.Path, sys.argv[1:])
INPUTS = {"a": "float32[4, 4, 4]", "b": "float32[4, 4, 4]", "c": "bool[4, 4, 4]", "x": "float32[4, 4, 4]"}
# Examples that want others
OTHERS = {"x.d[0]": {"x": "float32(d:s, b:b)"}, "x.d['u']": {"x": "float32(d:c=(u,v))"},
          "transpose(x, [w, h, b])": {"x": "float32(b:b, h:s, w:s)"},
          "vecdot(a, b)": {"a": "float32[4]", "b": "float32[4]"}, "arange(n)": {"n": "int64"},
          "float32(arange(n)[:, None] == arange(n))": {"n": "int64"},
          "sample(x, at)": {"x": "float32[4, 4]", "at": "float32[5, 2]"},
          "gather(x, i)": {"x": "float32[4, 4]", "i": "int32[5, 2]"},
          "bits": {"a": "int32[4]", "b": "int32[4]"}, "reshape(x, [2, 3])": {"x": "float32[6]"},
          "broadcast_to(x, [2, 3])": {"x": "float32[3]"},
          "reshape(a[:, None, :, None] * b[None, :, None, :], [6, 6])": {"a": "float32[2, 3]", "b": "float32[3, 2]"},
          "10 ** linspace(a, b, n)": {"a": "float64", "b": "float64"},
          "exp(linspace(log(a), log(b), n))": {"a": "float64", "b": "float64"}}

PUTS = {"x": "float32[4]", "i": "int32[3]", "v": "float32[3]"}


PROSE = re.compile(r", | (?:or|for|of|around|along|where|with|as|which|and)\b(?!\(| isnan)|$")


def advised(text):
    """The first expression after 'write': in quotes, else up to a comma or a word of prose."""
    if quoted := re.match(r"write '([^']+)'", text):
        return quoted[1]
    if not (found := re.match(r"write (?!the\b|it\b)", text)):
        return None
    depth = 0
    for at, char in enumerate(rest := text[found.end():]):
        depth += (char in "([") - (char in ")]")
        if depth == 0 and PROSE.match(rest[at + 1:]):
            return rest[:at + 1]
    return rest


def declarations(text):
    puts = PUTS if "scatter(" in text else None
    bits = re.search(r"[&|^~]|<<|>>", text) and "bool" not in text
    other = OTHERS.get(text) or puts or (OTHERS["bits"] if bits else {})
    names = set(re.findall(r"\b[a-z]\w*\b(?! *\()", text))
    return "".join(f"input {name}: {kind}\n" for name, kind in {**INPUTS, **other}.items() if name in names)


def main():
    text = (ROOT / "grammar/hints.def").read_text(encoding="utf-8")
    text = re.sub(r'"\n +"', "", text)
    hints = re.findall(r'^CALL_HABIT\("(\w+)", "(.*)"\)$', text.replace('\\"', '"'), re.MULTILINE)
    examples = [(name, example) for name, advice in hints if (example := advised(advice))]
    print(f"1..{len(examples) + 1}")
    print("ok" if len(examples) > 250 else "not ok", 1, "- enough examples are found")
    for number, (name, example) in enumerate(examples, 2):
        command = [str(BUILD / "cli/weft"), "check", declarations(example) + example]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print("ok" if done.returncode == 0 else "not ok", number, f"- {name}: {example}")
        for line in done.stderr.splitlines() if done.returncode else ():
            print("#", line)


main()
