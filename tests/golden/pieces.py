"""Divides kernels' texts into pieces, so that a golden file shows what is a kernel's own and names the rest.

A piece is what stands at top level: a function, a struct, a declaration, a macro, an #if with all that it holds;
comments belong to what follows. A kernel's own are its sizes and the functions that take the program's values. All
others are helpers, sections of templates with types in them. A helper is told by its name, and by a checksum of its
text; types that its name has are numbered in both, so put_u8 and put_f64 are one helper, put_$1.
"""
import re
import zlib

TYPE = r"(?<![A-Za-z0-9])(?:b1|[iu](?:8|16|32|64)|b?f16|f32|f64)(?![A-Za-z0-9])"
OWN = re.compile(r"\b(?:weft_kernel\w*|compute|join_acc|join_tree) ?\(")
SIZE = re.compile(r"#define (\w+ -?\d+)$|enum \{ (.*) \};$")
NAMES = [re.compile(pattern) for pattern in (
    r"#(?:define|undef) (\w+)", r"(\w+) \{$", r"typedef .*?(\w+)(?:\[.*\]| MAY_ALIAS| __attribute__.*)?;$",
    r"\b((?!__)\w+) ?\(")]


class Reader:
    """What is open at the end of each line: brackets, conditions, a comment, a macro of several lines."""

    def __init__(self):
        self.brackets, self.conditions, self.comment, self.macro = 0, [], False, False

    def code(self, line):
        """The line without strings and comments; and whether it belongs to a directive."""
        line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', '""', line)
        if self.comment and "*/" not in line:
            return "", False
        line = re.sub(r"/\*.*?\*/", "", line.split("*/", 1)[1] if self.comment else line)
        self.comment = "/*" in line
        code = line.split("/*")[0].strip()
        directive = self.macro or code.startswith("#")
        self.macro = directive and code.endswith("\\")
        return code, directive

    def ends(self, line):
        """Whether a piece ends with this line."""
        code, directive = self.code(line)
        if code.startswith("#if"):
            self.conditions.append(self.brackets)
        elif code.startswith(("#else", "#elif")) and self.conditions:
            self.brackets = self.conditions[-1]
        elif code.startswith("#endif") and self.conditions:
            self.conditions.pop()
        elif not directive:
            self.brackets += len(re.findall(r"[({]", code)) - len(re.findall(r"[)}]", code))
        inside = self.brackets or self.conditions or self.comment or self.macro
        return bool(code) and not inside and (directive or code[-1] in ";}")


class Piece:
    def __init__(self, lines, heading=False):
        self.lines, told = lines, said(lines)
        size = SIZE.match(lines[-1]) if len(lines) == 1 else None
        self.size = (size[1] or size[2]) if size else None
        self.own, self.ends_kernel = heading or bool(OWN.search(told)), "weft_kernel" in told
        self.name = next((found[1] for found in (name.search(told) for name in NAMES) if found), told)
        self.text, self.kind = "\n".join(lines), self.name
        for number, name in enumerate(dict.fromkeys(re.findall(TYPE, self.name)), 1):
            word = re.compile(f"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])")
            self.text, self.kind = word.sub(f"${number}", self.text), word.sub(f"${number}", self.kind)
        self.sum = f"{zlib.crc32(self.text.encode()):08x}"


def said(lines):
    """A piece's first line of code, or the first macro that it defines."""
    reader = Reader()
    codes = [reader.code(line) for line in lines]
    return next((code for code, directive in codes if code and not directive),
                next((code for code, _ in codes if re.match("#(define|undef)", code)), lines[0]))


def declares(line):
    return line.startswith("typedef ") and line.endswith(";")


def divided(text):
    """The pieces of a text in order; a kernel's first line, a comment, is one of them. Types are declared together."""
    reader, lines, first, all_lines = Reader(), [], True, text.splitlines()
    for line, following in zip(all_lines, [*all_lines[1:], ""]):
        lines.append(line)
        heading = first and line.startswith("/*") and line.endswith("*/")
        first = False
        if heading or (reader.ends(line) and not (declares(line) and declares(following))):
            yield (piece := Piece(lines, heading))
            lines, first = [], piece.ends_kernel
    if lines:
        yield Piece(lines)
