"""Turns files into C strings: embed.py OUTPUT NAME=FILE ..."""
import sys


def literal(text):
    lines = text.split("\n")
    escape = lambda s: s.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return "\n".join('    "%s\\n"' % escape(line) for line in lines[:-1]) or '    ""'


with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("/* Made by the build from the files of templates/. */\n")
    out.write('#include "compiler/emit/templates.h"\n')
    for pair in sys.argv[2:]:
        name, path = pair.split("=", 1)
        with open(path, encoding="ascii") as file:
            out.write("\nconst char weft_template_%s[] =\n%s;\n" % (name, literal(file.read())))
