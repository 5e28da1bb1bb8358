"""Turns files into C strings: embed.py OUTPUT NAME=FILE ... In place of a line "//: from PATH", a path from the
repository's root, stand the sections of that file."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def literal(text):
    lines = text.split("\n")
    escape = lambda s: s.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return "\n".join('    "%s\\n"' % escape(line) for line in lines[:-1]) or '    ""'


def sections(match):
    text = (ROOT / match[1]).read_text(encoding="ascii")
    return text[text.index("//: "):]


with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("/* Made by the build from the files of templates/. */\n")
    out.write('#include "compiler/emit/templates.h"\n')
    for pair in sys.argv[2:]:
        name, path = pair.split("=", 1)
        with open(path, encoding="ascii") as file:
            text = re.sub(r"^//: from (.*)\n", sections, file.read(), flags=re.M)
            out.write("\nconst char weft_template_%s[] =\n%s;\n" % (name, literal(text)))
