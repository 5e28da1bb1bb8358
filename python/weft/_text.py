"""The calls and selections of a program's text: what weft.dask computes one by one. Everything else of the text, its
operators above all, stays text. Programs come here after weft.compile has taken them, so nothing is diagnosed."""
import re
from typing import NamedTuple

TOKEN = re.compile(r"""
    (?P<blank>[ \t\r]+|\#[^\n]*)
  | (?P<string>"[^"]*"|'[^']*')
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<dots>\.\.\.)
  | (?P<number>0[xX][0-9a-fA-F_]*\.?[0-9a-fA-F_]*(?:[pP][+-]?[0-9]+)?|0[bB][01_]+
              |(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?)
  | (?P<mark>\*\*|//|<<|>>|[<>=!]=|->|\n|.)""", re.VERBOSE)
WORDS = frozenset("if else and or not".split())
CLOSING = {"(": ")", "[": "]"}


class Name(NamedTuple):
    name: str


class Group:
    """What stands in parentheses or brackets, an array literal or a list: expressions."""

    def __init__(self, opening, parts):
        self.opening, self.parts = opening, parts


class Call:
    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments  # pairs (name or None, expression)


class Select:
    """base[items], or base.dim[items]. An item is an expression, or a tuple of three for a slice."""

    def __init__(self, base, dim, items):
        self.base, self.dim, self.items = base, dim, items


# An expression is a list of texts and of the classes above.

class Text:
    """A program: the declarations of its inputs as they are written, its bindings and its results, by name."""

    def __init__(self, text, results):
        self.tokens = [(match.lastgroup, match[0]) for match in TOKEN.finditer(text) if match.lastgroup != "blank"]
        self.tokens += [("mark", "\n")] * 3
        self.at = 0
        self.declared, self.bindings, self.results, self.rules = {}, {}, {}, None
        while self.at < len(self.tokens) - 3:
            self.statement(results)
        if not self.results:  # the last binding is the result
            self.results = {results[0]: [Name(list(self.bindings)[-1])]}
        for name in results:  # bindings that were asked for
            self.results.setdefault(name, [Name(name)])

    def statement(self, results):
        if self.word() in ("\n", ";", "}"):
            self.at += 1
        elif self.word() == "kernel" and self.tokens[self.at + 1][0] == "name":
            self.kernel()
        elif self.word() == "rules" and self.tokens[self.at + 1][0] == "name":
            self.rules = self.tokens[self.at + 1][1]
            self.at += 2
        elif self.word() == "input" and self.tokens[self.at + 1][0] == "name":
            self.declaration()
        elif self.word() == "return":
            self.at += 1
            for position, (given, expression) in enumerate(self.listed("\n")):
                self.results[results[position]] = expression
        elif self.tokens[self.at][0] == "name" and self.tokens[self.at + 1][1] == "=":
            name = self.word()
            self.at += 2
            self.bindings[name] = self.expression()
        else:
            self.results[results[0]] = self.expression()

    def kernel(self):
        """`kernel NAME ( NAME : type, .. ) -> type, .. {`; the closing brace is passed like the end of a line."""
        self.at += 2
        while self.word() != ")":
            if self.tokens[self.at + 1][0] == "name":
                self.declaration(",)")
            else:
                self.at += 1
        while self.word() != "{":
            self.at += 1
        self.at += 1

    def declaration(self, ends="\n;"):
        """What precedes a name, the name, and its type."""
        name, words, depth = self.tokens[self.at + 1][1], [], 0
        self.at += 3
        while depth or self.word() not in ends:
            depth += (self.word() in "([") - (self.word() in ")]")
            words.append(self.word())
            self.at += 1
        self.declared[name] = " ".join(words).replace("\n", " ")

    def word(self):
        return self.tokens[self.at][1]

    def listed(self, closing):
        """Pairs (name or None, expression) up to the closing mark, which is passed; one comma may trail."""
        parts = []
        while True:
            self.newlines(closing)
            if self.word() == closing or closing == "\n" and self.word() in ";}":
                self.at += 1
                return parts
            name = None
            if self.tokens[self.at][0] == "name" and self.tokens[self.at + 1][1] == "=":
                name = self.word()
                self.at += 2
            parts.append((name, self.expression(closing)))
            self.newlines(closing)
            if self.word() == ",":
                self.at += 1

    def newlines(self, closing):
        while closing != "\n" and self.word() == "\n":
            self.at += 1

    def expression(self, closing="\n"):
        parts = []
        while True:
            kind, text = self.tokens[self.at]
            if kind == "mark" and (text in ",;:)]}" or text == "\n" and closing == "\n"):
                return parts
            if text == "\n":
                self.at += 1
                continue
            if kind == "mark" and text not in CLOSING or kind == "name" and text in WORDS:
                self.at += 1
                parts.append(text)
                continue
            parts.append(self.operand(closing))

    def operand(self, closing):
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "mark":
            made = Group(text, [expression for _, expression in self.listed(CLOSING[text])])
        elif kind == "name" and self.word() == "(":
            self.at += 1
            made = Call(text, self.listed(")"))
        else:
            made = Name(text) if kind == "name" else text
        while True:
            ahead = self.at
            while closing != "\n" and self.tokens[ahead][1] == "\n":
                ahead += 1
            if self.tokens[ahead][1] == "[":
                self.at = ahead + 1
                made = Select(made, None, self.items())
            elif self.tokens[ahead][1] == "." and self.tokens[ahead + 2][1] == "[":
                dim = self.tokens[ahead + 1][1]
                self.at = ahead + 3
                made = Select(made, dim, self.items())
            else:
                return made

    def items(self):
        items = []
        while True:
            self.newlines("]")
            if self.word() == "]":
                self.at += 1
                return items
            parts = [self.expression("]")]
            while self.word() == ":":
                self.at += 1
                parts.append(self.expression("]"))
            items.append(tuple(parts + [[]] * (3 - len(parts))) if len(parts) > 1 else parts[0])
            if self.word() == ",":
                self.at += 1
