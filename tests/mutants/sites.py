"""Finds the places of a C text that can be mutated, and draws some of them by a seed.

A text is read as tokens; what an operator takes is found by precedence. What does not compile when it is mutated is
found out later, by compiling it."""
import dataclasses
import functools
import hashlib
import re

TOKEN = re.compile(r"""
    (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
  | (?P<word>[A-Za-z_$][\w$]*)
  | (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])
""", re.VERBOSE | re.MULTILINE | re.DOTALL)

LEVEL = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
         "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
KEYWORDS = set("""if else for while do switch case default return break continue goto sizeof typedef static const
    struct union enum extern void char short int long float double signed unsigned bool _Bool volatile inline register
    _Alignas _Alignof _Static_assert __attribute__ _Thread_local""".split())
DECLARE = KEYWORDS - set("if else for while do switch case default return break continue goto sizeof".split())
CONTROL = {"if", "for", "while", "switch"}
AROUND = 4      # tokens on either side by which a site is known

# What is mutated to what, operator by operator.
SWITCH = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
          "+": "-", "-": "+", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "+=": "-=", "-=": "+="}
KIND = {"&&": "logic", "||": "logic", "+=": "arithmetic", "-=": "arithmetic"}

# Whose arguments are swapped to no effect, or none that matters.
SYMMETRIC = {"strcmp", "strncmp", "memcmp", "strcasecmp", "min", "max", "most", "least"}

# Calls in which nothing is mutated: they check, or are no calls.
UNTOUCHED = {"assert", "_Static_assert", "sizeof", "_Alignof", "__attribute__", "_Pragma", "offsetof", "va_arg",
             "va_start", "va_end", "va_copy", "asm", "typeof", "__typeof__", "defined", "_Alignas"}
TYPE = re.compile(r"(?:\w+_t|[iuf](?:8|16|32|64)|bf16|[TSU](?:_m)?|FORM|char|short|int|long|unsigned|signed|float|"
                  r"double|void|bool|const|volatile|struct|union|enum|\*)$")


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class Site:
    """text[start:end], `original`, may become `mutated`. Form: value, any (has side effects), statement."""
    kind: str
    start: int
    end: int
    original: str
    mutated: str
    form: str
    function: str       # that it is in
    around: str         # some tokens before and behind it


class Text:
    """The tokens of a C text, without comments, and which bracket belongs to which."""

    def __init__(self, text):
        self.text, self.tokens, self.hidden = text, [], []
        for match in TOKEN.finditer(text):
            token = Token(match.lastgroup, match.group(), match.start(), match.end())
            (self.hidden if token.kind in ("comment", "directive") else self.tokens).append(token)
        self.words = ["" if token.kind == "string" else token.text for token in self.tokens]
        self.partner, self.inside = {}, []
        self._match_brackets()

    def _match_brackets(self):
        stack = ()
        for i, word in enumerate(self.words):
            if word in CLOSE and stack:
                self.partner[stack[-1]], self.partner[i] = i, stack[-1]
                stack = stack[:-1]
            self.inside.append(stack)
            if word in OPEN:
                stack += (i,)

    def word(self, i):
        """The token's text; nothing for a string or where there is none."""
        return self.words[i] if 0 <= i < len(self.words) else ""

    def in_function(self, i):
        for opening in self.inside[i]:
            if self.words[opening] == "{" and self.tokens[opening - 1].kind != "string":    # extern "C" {
                return self.word(opening - 1) == ")"
        return False

    def function(self, i):
        """The name of the function around a token in one: `f` of `f(..) {` and of `N(f)(..) {`."""
        opening = next(b for b in self.inside[i] if self.words[b] == "{" and self.tokens[b - 1].kind != "string")
        name = self.partner[opening - 1] - 1
        return self.word(name - 1 if self.word(name) == ")" else name)

    def around(self, first, last):
        return " ".join(self.words[max(0, first - AROUND):first] + ["_"] + self.words[last + 1:last + 1 + AROUND])

    def touched(self, i):
        return all(self.word(b - 1) not in UNTOUCHED for b in self.inside[i]) and self.word(i) not in UNTOUCHED

    def is_type(self, opening):
        """Whether the parentheses hold a type: a cast."""
        inner = [self.word(k) for k in range(opening + 1, self.partner.get(opening, opening))]
        named = inner and inner[0] in ("struct", "union", "enum")
        return bool(inner) and (named or all(TYPE.match(word) for word in inner))

    def ends_operand(self, i):
        """Whether an operator behind this token is a binary one."""
        token = self.tokens[i] if i >= 0 else None
        if token is None or token.text in KEYWORDS:
            return False
        if token.text == ")" and i in self.partner:
            opening = self.partner[i]
            return not self.is_type(opening) and self.word(opening - 1) not in CONTROL
        return token.kind in ("number", "word", "string") or token.text in ("]", "++", "--")

    def level(self, i):
        """The precedence of a binary operator, None for another token."""
        binary = self.tokens[i].kind == "mark" and self.word(i) in LEVEL and self.ends_operand(i - 1)
        return LEVEL[self.word(i)] if binary else None

    def ends_expression(self, i):
        token = self.word(i)
        return token in ASSIGN or token in (";", ",", "?", ":", "{", "}", "...") or \
            token in ("return", "case", "else", "do", "goto")

    def operands(self, i):
        """First and last token of the expression whose operator is at `i`; None where brackets do not match."""
        level, first, last = self.level(i), i - 1, i + 1
        while first >= 0:
            token = self.word(first)
            if token in CLOSE and token != "}":
                first = self.partner.get(first, -1)
            elif token in OPEN or self.ends_expression(first) or (self.level(first) or level) < level:
                break
            first -= 1
        while last < len(self.tokens):
            token = self.word(last)
            if token in OPEN and token != "{":
                last = self.partner.get(last, len(self.tokens))
            elif token in CLOSE or self.ends_expression(last) or (self.level(last) or level + 1) <= level:
                break
            last += 1
        good = 0 <= first and last < len(self.tokens) and first + 1 < i < last - 1
        return (first + 1, last - 1) if good else None

    def span(self, first, last):
        return self.tokens[first].start, self.tokens[last].end

    def joined(self, first, last, replace=None):
        """The tokens as one line, some of them replaced."""
        out, end = "", self.tokens[first].start
        for k in range(first, last + 1):
            out += " " if self.tokens[k].start > end else ""
            out += (replace or {}).get(k, self.tokens[k].text)
            end = self.tokens[k].end
        return out

    def is_pure(self, first, last):
        """Whether the tokens call and change nothing."""
        for k in range(first, last + 1):
            word = self.word(k)
            if word in ASSIGN or word in ("++", "--", "{"):
                return False
            if word == "(" and k > 0:
                before = self.tokens[k - 1]
                call = before.kind == "word" and before.text not in KEYWORDS
                if call or (before.text == ")" and not self.is_type(self.partner.get(k - 1, k - 1))):
                    return False
        return True

    def is_total(self, first, last):
        """Whether all of the tokens may be evaluated, whatever && and || among them say."""
        unary = any(self.word(k) == "*" and self.level(k) is None for k in range(first, last + 1))
        return not unary and not any(self.word(k) in ("->", "[", "/", "%") for k in range(first, last + 1))

    def line(self, start):
        return self.text.count("\n", 0, start) + 1


def number_site(text, i):
    match = re.match(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)$", text.word(i))
    if not match or (match[1].startswith("0") and match[1].isdigit() and len(match[1]) > 1):
        return None
    value = int(match[1], 0)
    down = value > 0 and hashlib.sha256(f"{text.word(i - 1)}{value}".encode()).digest()[0] % 2
    value += -1 if down else 1
    return (hex(value) if match[1].lower().startswith("0x") else str(value)) + match[2]


def statement_start(text, i):
    """Whether a statement begins at this token."""
    around, before = text.inside[i], text.word(i - 1)
    if not around or text.word(around[-1]) != "{":
        return False
    if before in (";", "{", "}", "else", "do"):
        return True
    if before == ")":
        return text.word(text.partner.get(i - 1, 0) - 1) in CONTROL
    return before == ":" and text.word(i - 3) in (";", "{", "}", "case", ":")


def is_declaration(text, i):
    words = [text.word(k) for k in range(i, i + 3)]
    named = text.tokens[i].kind == "word" and i + 2 < len(text.tokens)
    return words[0] in DECLARE or (named and text.tokens[i + 1].kind == "word") or \
        (named and words[1] == "*" and (text.tokens[i + 2].kind == "word" or words[2] == "*"))


def start_of(text, i):
    while i > 0 and not statement_start(text, i):
        i -= 1
    return i


class Finder:
    """All sites of one text."""

    def __init__(self, text, compiled=True):
        self.text, self.compiled, self.sites = Text(text), compiled, []
        for i in range(len(self.text.tokens)):
            if self.text.in_function(i) and self.text.touched(i):
                self.look(i)

    def add(self, kind, first, last, mutated, form):
        start, end = self.text.span(first, last)
        if any(token.start < end and token.end > start for token in self.text.hidden if token.kind == "directive"):
            return
        original = self.text.joined(first, last)
        if original != mutated:
            where = self.text.function(first), self.text.around(first, last)
            self.sites.append(Site(kind, start, end, original, mutated, form, *where))

    def look(self, i):
        text, word, kind = self.text, self.text.word(i), self.text.tokens[i].kind
        if kind == "mark" and word in SWITCH and (text.level(i) or word in ASSIGN):
            self.operator(i)
        elif kind == "number":
            self.number(i)
        elif word == "if" and text.word(i + 1) == "(" and i + 1 in text.partner:
            first, last = i + 2, text.partner[i + 1] - 1
            self.add("condition", first, last, f"!({text.joined(first, last)})", "any")
        elif word == "return" and self.compiled and text.word(i + 1) != ";":
            self.result(i + 1)
        elif kind == "word" and word not in KEYWORDS and text.word(i + 1) == "(" and self.compiled:
            self.arguments(i)
        if kind == "word" and statement_start(text, i):
            self.statement(i)

    def operator(self, i):
        text, word = self.text, self.text.word(i)
        if word in ASSIGN:
            self.assignment(i)
            return
        found = text.operands(i)
        if not found:
            return
        kind = KIND.get(word, "relation" if LEVEL[word] in (6, 7) else "arithmetic")
        pure = text.is_pure(*found) and (kind != "logic" or text.is_total(*found))
        self.add(kind, *found, text.joined(*found, {i: SWITCH[word]}), "value" if pure else "any")

    def assignment(self, i):
        """a += b as a whole: only where it is a statement."""
        start = start_of(self.text, i)
        end = start
        while end < len(self.text.tokens) and self.text.word(end) != ";":
            end = self.text.partner.get(end, end) + 1 if self.text.word(end) in OPEN else end + 1
        if start <= i < end and self.text.inside[i] == self.text.inside[start]:
            mutated = self.text.joined(start, end - 1, {i: SWITCH[self.text.word(i)]})
            self.add("arithmetic", start, end - 1, mutated, "any")

    def number(self, i):
        mutated, start = number_site(self.text, i), start_of(self.text, i)
        statement = [self.text.word(k) for k in range(start, i)]
        if mutated is None or "case" in statement or "static" in statement:
            return
        if is_declaration(self.text, start) and "=" not in statement and "(" not in statement:
            return
        self.add("constant", i, i, mutated, "any")

    def result(self, first):
        text, last = self.text, first
        while last < len(text.tokens) and text.word(last) != ";":
            last = text.partner.get(last, last) + 1 if text.word(last) in OPEN else last + 1
        words = [text.word(k) for k in range(first, last)]
        if words in (["true"], ["false"]):
            self.add("return", first, last - 1, "false" if words == ["true"] else "true", "any")
        elif words and words != ["NULL"] and not (len(words) == 1 and text.tokens[first].kind == "number"):
            self.add("return", first, last - 1, "0", "value" if text.is_pure(first, last - 1) else "any")

    def arguments(self, i):
        text, last = self.text, self.text.partner.get(i + 1)
        if last is None or not re.match(r"[a-z_]", text.word(i)) or text.word(i) in SYMMETRIC or \
                is_declaration(text, i):
            return
        commas = [k for k in range(i + 2, last) if text.word(k) == "," and text.inside[k][-1] == i + 1]
        bounds = [i + 1] + commas + [last]
        for n in range(len(bounds) - 2):
            a, b, c = bounds[n:n + 3]
            if b - a < 2 or c - b < 2:
                continue
            swapped = f"{text.joined(b + 1, c - 1)}, {text.joined(a + 1, b - 1)}"
            space = "" if a == i + 1 else " "
            self.add("arguments", i, last, text.joined(i, a) + space + swapped + text.joined(c, last), "any")

    def statement(self, i):
        """An expression as a statement is dropped."""
        text, last = self.text, i
        if text.word(i) in KEYWORDS or is_declaration(text, i) or text.word(i + 1) == ":":
            return
        while last < len(text.tokens) and text.word(last) not in (";", "}"):
            last = text.partner.get(last, last) + 1 if text.word(last) in OPEN else last + 1
        changes = any(word in ASSIGN or word in ("++", "--") for word in text.words[i:last])
        if text.word(last) == ";" and (changes or text.word(last - 1) == ")"):
            self.add("statement", i, last, "", "statement")


@functools.cache
def find(text, compiled=True):
    return sorted(set(Finder(text, compiled).sites), key=lambda site: (site.start, site.end, site.kind, site.mutated))


def named(path, found):
    """(key, site) of the sites of a file. A key says what a site is and what is around it, not where it is: it stays
    the same when the sources change elsewhere."""
    seen = {}
    for site in found:
        text = "/".join((path.name, site.function, site.kind, site.original, site.mutated, site.around))
        seen[text] = seen.get(text, 0) + 1
        yield f"{text}/{seen[text]}", site


def order(seed, found):
    """All sites of a layer, given as (path, text, key, site), in the order in which they are drawn: one of each kind
    in turn, those of a kind by a hash of seed and key. So most of a draw stays the same when the sources change."""
    ranked, turns = [], {}
    for row in sorted(found, key=lambda row: hashlib.sha256(f"{seed}/{row[2]}".encode()).digest()):
        kind = row[3].kind
        turns[kind] = turns.get(kind, 0) + 1
        ranked.append((turns[kind], kind, len(ranked), row))
    return [row for *_, row in sorted(ranked, key=lambda entry: entry[:3])]


def overlaps(site, others):
    return any(site.start < other.end and other.start < site.end for other in others)
