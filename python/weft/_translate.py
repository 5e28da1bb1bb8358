"""A text of numexpr's as a text of Weft's with the same meaning: every operand is converted to the type that numexpr
computes in, so that no rule of Weft's own promotion is left to apply. The text is read by Python's parser and never
evaluated; expressions of constants alone are folded, since their values choose types and code."""
import ast
import operator
import re

import numpy

from weft._errors import Error, Status

KINDS = ("bool", "int", "long", "float", "double")
DTYPES = {"bool": "bool", "int": "int32", "long": "int64", "float": "float32", "double": "float64"}
OPTIMIZATIONS = ("none", "moderate", "aggressive")

INFIX = {ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul),
         ast.Div: ("/", operator.truediv), ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod),
         ast.Pow: ("**", operator.pow), ast.LShift: ("<<", operator.lshift), ast.RShift: (">>", operator.rshift),
         ast.BitAnd: ("&", operator.and_), ast.BitOr: ("|", operator.or_), ast.BitXor: ("^", operator.xor)}
PREFIX = {ast.USub: ("-", operator.neg), ast.UAdd: ("+", operator.pos), ast.Invert: ("~", operator.invert)}
COMPARISONS = {ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne), ast.Lt: ("<", operator.lt),
               ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge)}

# The kinds that numexpr has an operator for.
NUMBERS, INTEGERS, BITS = KINDS[1:], KINDS[1:3], KINDS[:3]
OPERANDS = {"+": KINDS, "*": KINDS, "-": NUMBERS, "//": NUMBERS, "%": NUMBERS, "<<": INTEGERS, ">>": INTEGERS,
            "&": BITS, "|": BITS, "^": BITS, "**": NUMBERS, "/": NUMBERS}
OF_BOOLS = {"+": "|", "*": "&"}

# How many operands a function takes, and the least kind that it computes in; integers go to double.
FUNCTIONS = {name: (1, "float") for name in
             """sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh log log1p log10 log2 exp
             expm1 abs ceil floor""".split()}
FUNCTIONS |= {name: (2, "float") for name in ("fmod", "arctan2")}
FUNCTIONS |= {name: (1, "double") for name in ("round", "trunc", "sign")}
FUNCTIONS |= {name: (2, "double") for name in ("hypot", "copysign", "maximum", "minimum")}
FUNCTIONS |= {name: (1, "bool") for name in ("copy", "ones_like")}
TESTS = ("isnan", "isfinite", "isinf", "signbit")
KEEP_INTEGERS = ("copy", "ones_like", "round", "sign")
REDUCTIONS = ("sum", "prod", "min", "max")
COMPLEX = ("real", "imag", "complex", "conj")

MOST_POWER = 50   # constant powers up to this are products
MOST_BITS = 1024  # of an integer constant while it is folded
MOST_DEPTH = 24   # of parentheses in one statement
NO_NAMES = {"true", "false", "pi", "inf", "nan", "newaxis", "input", "kernel"}  # words of Weft, but names in Python
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Node:
    """A value: its kind, its text, how deep the text is nested, and whether it is a constant."""

    __slots__ = ("kind", "text", "depth", "constant", "value")

    def __init__(self, kind, text, depth=0, constant=False, value=None):
        self.kind, self.text, self.depth, self.constant, self.value = kind, text, depth, constant, value


class NoExpression(Error, SyntaxError):
    """A weft.Error that is a SyntaxError, too, as numexpr's."""

    def __init__(self, *fields):
        Error.__init__(self, *fields)
        self.msg = self.message

    def __str__(self):
        return self.args[0]


def fail(source, place, message, status=Status.TYPE_ERROR, kind=Error):
    """Raises a weft.Error that points at a node of Python's tree."""
    if place is None:
        raise kind(f"<expr>: error: {message}", "", status, message)
    lines = source.split("\n")
    line = lines[place.lineno - 1]
    start = sum(len(each.encode()) + 1 for each in lines[:place.lineno - 1])
    first, one_line = place.col_offset, place.end_lineno == place.lineno
    last = place.end_col_offset if one_line else len(line.encode())
    column = len(line.encode()[:first].decode(errors="replace"))
    width = max(len(line.encode()[first:last].decode(errors="replace")), 1)
    text = f"<expr>:{place.lineno}:{column + 1}: error: {message}\n{line}\n{' ' * column}{'^' * width}"
    raise kind(text, "", status, message, (start + first, start + last), place.lineno, column + 1)


def parse(source):
    """Python's tree of a text, and the names in it that are values, in numexpr's order."""
    if not isinstance(source, str):
        raise Error(f"the expression is of type {type(source).__name__}; it has to be a str", "",
                    Status.INVALID_ARGUMENT, "the expression has to be a str")
    try:
        tree = ast.parse(source, "<expr>", "eval").body
    except SyntaxError as error:
        end = error.end_offset if error.end_lineno == error.lineno else None
        line, first = error.lineno or 1, max((error.offset or 1) - 1, 0)
        place = ast.Pass(lineno=line, end_lineno=line, col_offset=first, end_col_offset=max((end or 0) - 1, first + 1))
        known = line <= source.count("\n") + 1
        fail(source, place if known else None, f"this is no expression: {error.msg}", Status.SYNTAX_ERROR,
             NoExpression)
    except (MemoryError, RecursionError):
        fail(source, None, "this expression is nested too deeply", Status.LIMIT_ERROR)
    except ValueError as error:
        fail(source, None, f"this is no expression: {error}", Status.SYNTAX_ERROR, NoExpression)
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in functions}
    return tree, sorted(names)


def kind_of_dtype(dtype, name):
    """What numexpr computes in for an array: integers of fewer than 32 bits are int, float16 is float."""
    if dtype.kind == "b":
        return "bool"
    if dtype.kind in "iu":
        return "int" if dtype.itemsize < 4 or dtype.kind == "i" and dtype.itemsize == 4 else "long"
    if dtype.kind == "f":
        return "float" if dtype.itemsize <= 4 else "double"
    what = {"c": "complex numbers", "S": "strings", "U": "strings"}.get(dtype.kind, f"arrays of {dtype}")
    fail("", None, f"input {name!r} is of dtype {dtype}: {what} are not there; weft.numexpr computes bool, integers "
                   "and floats")


def kind_of_constant(value):
    if isinstance(value, (bool, numpy.bool_)):
        return "bool"
    if isinstance(value, numpy.int64):
        return "long"
    if isinstance(value, (int, numpy.integer)):
        return "int" if -2**31 <= value < 2**31 else "long"
    if isinstance(value, (numpy.float16, numpy.float32)):  # numpy.sqrt(True) is a float16
        return "float"
    return "double" if isinstance(value, float) else None


def common(*nodes):
    return KINDS[max(KINDS.index(node.kind) for node in nodes)]


def at_least(kind, least):
    return KINDS[max(KINDS.index(kind), KINDS.index(least))]


def literal(value, kind):
    if kind == "bool":
        return "true" if value else "false"
    if kind in INTEGERS:
        return f"{DTYPES[kind]}({int(value)})"
    return f"{DTYPES[kind]}({float(value)!r})"


def convert(node, kind):
    """The text of a node in another kind."""
    if node.constant:
        return literal(node.value, kind)
    return node.text if node.kind == kind else f"{DTYPES[kind]}({node.text})"


class Translator:
    """Makes the text for arrays of certain dtypes."""

    def __init__(self, source, dtypes, optimization):
        self.source, self.optimization = source, optimization
        self.statements, self.taken, self.names = [], set(dtypes), {}
        self.wide = []
        self.kinds = {name: kind_of_dtype(dtype, name) for name, dtype in dtypes.items()}
        self.inputs = {name: self.input(name, dtype) for name, dtype in dtypes.items()}
        self.reduces = False

    # ---- names and statements ----

    def new_name(self, name):
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def input(self, name, dtype):
        own = name
        if not NAME.match(name) or name in NO_NAMES:
            own = self.new_name(f"{name}_" if name.isascii() else "v_")
        self.names[own] = name
        kind = self.kinds[name]
        if dtype == DTYPES[kind] or dtype.kind == "f" and dtype.itemsize > 8:  # long doubles are converted before
            return Node(kind, own)
        return Node(kind, f"wrap({own}, int64)" if dtype == "uint64" else f"{DTYPES[kind]}({own})")

    def share(self, node):
        """The same value as a name, to be used more than once."""
        if node.constant or NAME.match(node.text):
            return node
        name = self.new_name(f"t{len(self.statements)}")
        self.statements.append(f"{name} = {node.text}")
        return Node(node.kind, name)

    def make(self, kind, text, *operands, computed=None):
        """`computed`: the kind in which it is computed; floats hold constants that integers do not."""
        if computed not in ("float", "double"):
            self.check_wide(*operands)
        node = Node(kind, text, 1 + max((each.depth for each in operands), default=0))
        return self.share(node) if node.depth > MOST_DEPTH else node

    def infix(self, kind, sign, a, b, result=None):
        return self.make(result or kind, f"({convert(a, kind)} {sign} {convert(b, kind)})", a, b, computed=kind)

    def call(self, kind, name, *operands):
        return self.make(kind, f"{name}({', '.join(convert(each, kind) for each in operands)})", *operands)

    def fail(self, place, message, status=Status.TYPE_ERROR):
        fail(self.source, place, message, status)

    # ---- constants ----

    def constant(self, value, place):
        if isinstance(value, numpy.ndarray) and value.ndim == 0:
            value = value[()]
        kind = kind_of_constant(value)
        if kind is None:
            what = ("complex numbers" if isinstance(value, (complex, numpy.complexfloating)) else
                    "strings" if isinstance(value, (str, bytes)) else f"constants such as {value!r}")
            self.fail(place, f"{what} are not there; weft.numexpr computes bool, integers and floats")
        node = Node(kind, literal(value, kind), 0, True, value)
        if kind == "long" and not -2**63 <= value < 2**63:
            self.wide.append((node, place))
        return node

    def check_wide(self, *nodes):
        """A constant may be beyond int64 on the way to one that is not, as 2**63 in -2**63."""
        for node, place in self.wide:
            if any(node is each for each in nodes):
                self.fail(place, "this integer does not fit int64")

    def fold(self, function, nodes, place):
        values = [node.value for node in nodes]
        if function in (operator.pow, operator.lshift) and all(isinstance(value, int) for value in values):
            bits = values[1] * (values[0].bit_length() if function is operator.pow else 1)
            if bits > MOST_BITS:
                self.fail(place, "this constant is too large")
        try:
            with numpy.errstate(all="ignore"):
                return self.constant(function(*values), place)
        except (ArithmeticError, TypeError) as error:
            self.fail(place, f"this constant cannot be computed: {error}")

    # ---- the tree ----

    def node(self, tree):
        handler = HANDLERS.get(type(tree))
        if handler is None:
            word = type(tree).__name__
            self.fail(tree, f"numexpr's expressions have operators, calls, names and numbers only; this is a {word}",
                      Status.SYNTAX_ERROR)
        return handler(self, tree)

    def of_constant(self, tree):
        return self.constant(tree.value, tree)

    def of_name(self, tree):
        return self.inputs[tree.id]

    def of_attribute(self, tree):
        self.fail(tree, f"there are no attributes; .{tree.attr} " +
                  ("is for complex numbers, which are not there" if tree.attr in COMPLEX else "has no meaning"))

    def of_words(self, tree):
        self.fail(tree, "numexpr has no 'and', 'or', 'not', 'if'; write &, |, ~ with parentheses, or "
                        "where(condition, a, b)")

    def of_unary(self, tree):
        if type(tree.op) not in PREFIX:
            self.of_words(tree)
        sign, function = PREFIX[type(tree.op)]
        a = self.node(tree.operand)
        if a.constant:
            return self.fold(function, [a], tree)
        if sign == "+":
            return a
        if a.kind not in (NUMBERS if sign == "-" else BITS):
            self.fail(tree, f"numexpr has no unary {sign} for {DTYPES[a.kind]}")
        return self.make(a.kind, f"({sign}{a.text})", a)

    def of_comparison(self, tree):
        if len(tree.ops) > 1:
            self.fail(tree, "comparisons do not chain; write (a < b) & (b < c)")
        if type(tree.ops[0]) not in COMPARISONS:
            self.fail(tree, "numexpr compares with == != < <= > >= only")
        sign, function = COMPARISONS[type(tree.ops[0])]
        a, b = self.node(tree.left), self.node(tree.comparators[0])
        if a.constant and b.constant:
            return self.fold(function, [a, b], tree)
        least = "bool" if sign in ("==", "!=") else "int"
        return self.infix(at_least(common(a, b), least), sign, a, b, "bool")

    def of_binary(self, tree):
        """From the left: a sum of a thousand terms is as deep on that side."""
        spine = [tree]
        while isinstance(spine[-1].left, ast.BinOp):
            spine.append(spine[-1].left)
        node = self.node(spine[-1].left)
        for each in reversed(spine):
            node = self.binary(each, node)
        return node

    def binary(self, tree, a):
        if type(tree.op) not in INFIX:
            self.fail(tree, "there is no matrix product in numexpr")
        sign, function = INFIX[type(tree.op)]
        b = self.node(tree.right)
        if a.constant and b.constant:
            return self.fold(function, [a, b], tree)
        if sign == "/":
            return self.quotient(a, b)
        if sign == "**":
            return self.power(a, b, tree)
        kind = common(a, b)
        if kind not in OPERANDS[sign]:
            self.fail(tree, f"numexpr has no {sign} for {DTYPES[a.kind]} and {DTYPES[b.kind]}")
        if kind == "bool":
            return self.infix(kind, OF_BOOLS.get(sign, sign), a, b)
        if sign in ("//", "%"):
            return self.floor(kind, sign, a, b)
        return self.infix(kind, sign, a, b)

    def floor(self, kind, sign, a, b):
        """Integers: 0 for a division by 0, without Weft's remark. Floats: by way of the rounded quotient."""
        a, b = self.share(a), self.share(b)
        left, right = convert(a, kind), convert(b, kind)
        if kind in INTEGERS:
            zero = literal(0, kind)
            return self.make(kind, f"where({right} != {zero}, {left} {sign} {right}, {zero})", a, b)
        floor = f"floor({left} / {right})"
        return self.make(kind, floor if sign == "//" else f"({left} - {floor} * {right})", a, b)

    def quotient(self, a, b):
        kind = common(a, b)
        if self.optimization != "none" and b.constant and a.kind == b.kind == kind in ("float", "double") and b.value:
            inverse = 1.0 / b.value
            return self.infix(kind, "*", a, Node(kind, literal(inverse, kind), 0, True, inverse))
        return self.infix(kind if kind in ("float", "double") else "double", "/", a, b)

    def power(self, a, b, place):
        if b.constant:
            if a.kind in INTEGERS and b.kind in INTEGERS and b.value < 0:
                self.fail(place, "integers to negative integer powers are not allowed in numexpr; give a float")
            special = self.constant_power(a, b.value, place)
            if special:
                return special
        kind = common(a, b)
        if kind == "bool":
            self.fail(place, "numexpr has no ** for bool and bool")
        if kind not in INTEGERS:
            return self.infix(kind, "**", a, b)
        if b.constant:
            return self.infix(kind, "**", a, b)
        a, b = self.share(a), self.share(b)
        base, exponent = convert(a, kind), convert(b, kind)
        one, zero = literal(1, kind), literal(0, kind)
        inverse = f"where({base} != {zero}, truncdiv({one}, {base}), {zero})"
        return self.make(kind, f"where({exponent} < {zero}, {inverse}, {base} ** {exponent})", a, b)

    def constant_power(self, a, power, place):
        """What numexpr makes of some powers by their value; their type is the base's, whatever the exponent's is."""
        if self.optimization == "aggressive" and numpy.isfinite(power) and 2 * power == int(2 * power) and \
                abs(power) <= MOST_POWER:
            return self.products(a, power, place)
        if self.optimization == "none":
            return None
        if power == 0:
            return self.ones(a, place)
        if power == 0.5:
            kind = "double" if a.kind in INTEGERS else at_least(a.kind, "float")
            return self.call(kind, "sqrt", a)
        if power == 1:
            return a
        if power == 2:
            a = self.share(a)
            return self.infix(a.kind, "&" if a.kind == "bool" else "*", a, a)
        if power == -1:
            one = Node("int", literal(1, "int"), 0, True, 1)
            kind = common(one, a)
            return self.infix(kind, "/", one, a) if kind not in INTEGERS else self.inverse(kind, a)
        return None

    def inverse(self, kind, a):
        a = self.share(a)
        text, zero = convert(a, kind), literal(0, kind)
        return self.make(kind, f"where({text} != {zero}, truncdiv({literal(1, kind)}, {text}), {zero})", a)

    def products(self, a, power, place):
        """By squaring, from the least bit on, as numexpr multiplies: the bits are its bits."""
        whole, half = int(abs(power)), int(2 * abs(power)) % 2
        result, square, sign = None, self.share(a), "&" if a.kind == "bool" else "*"
        while whole:
            if whole & 1:
                result = square if result is None else self.infix(common(result, square), sign, result, square)
            whole >>= 1
            if whole:
                square = self.share(self.infix(square.kind, sign, square, square))
        if half:
            if a.kind == "bool":
                self.fail(place, "numexpr has no root of bool as a power; write sqrt(..)")
            root = self.call("double" if a.kind in INTEGERS else a.kind, "sqrt", a)
            result = root if result is None else self.infix(common(result, root), "*", result, root)
        if result is None:
            result = self.ones(a, place)
        if power < 0:
            one = Node("int", literal(1, "int"), 0, True, 1)
            result = self.quotient(one, result)
        return result

    def ones(self, a, place):
        if a.kind == "bool":
            self.fail(place, "numexpr has no ones_like for bool")
        a, one = self.share(a), literal(1, a.kind)
        return self.make(a.kind, f"where({a.text} == {a.text}, {one}, {one})", a)

    # ---- calls ----

    def of_call(self, tree):
        if not isinstance(tree.func, ast.Name):
            self.fail(tree.func, "only numexpr's own functions can be called, by their names", Status.NAME_ERROR)
        name = tree.func.id
        if name in REDUCTIONS:
            return self.reduction(name, tree)
        if tree.keywords:
            self.fail(tree.keywords[0].value, f"{name} takes its arguments by position")
        for argument in tree.args:
            if isinstance(argument, ast.Starred):
                self.fail(argument, "arguments are written one by one")
        if name == "where":
            return self.where(tree)
        if name in COMPLEX or name == "contains":
            what = "strings" if name == "contains" else "complex numbers"
            self.fail(tree, f"{name} is for {what}, which are not there")
        if name == "nextafter":
            self.fail(tree, "nextafter is not there")
        if name not in FUNCTIONS and name not in TESTS:
            self.fail(tree.func, f"there is no function {name!r} in numexpr", Status.NAME_ERROR)
        return self.function(name, tree)

    def arguments(self, name, count, tree):
        if len(tree.args) != count:
            self.fail(tree, f"{name} takes {count} argument{'s' * (count > 1)}, {len(tree.args)} are given")
        return [self.node(argument) for argument in tree.args]

    def where(self, tree):
        condition, a, b = self.arguments("where", 3, tree)
        if condition.constant:
            return a if condition.value else b
        if condition.kind != "bool":
            self.fail(tree.args[0], f"the condition of where is of type {DTYPES[condition.kind]}; it has to be bool, "
                                    "write (..) != 0")
        kind = common(condition, a, b)
        text = f"where({condition.text}, {convert(a, kind)}, {convert(b, kind)})"
        return self.make(kind, text, condition, a, b)

    def function(self, name, tree):
        count, least = FUNCTIONS.get(name, (1, "double"))
        operands = self.arguments(name, count, tree)
        if all(each.constant for each in operands):
            return self.fold(getattr(numpy, name), operands, tree)
        if name in TESTS:
            return self.test(name, operands[0])
        kind = common(*operands)
        if kind in INTEGERS:
            kind = kind if name in KEEP_INTEGERS else "double"
        else:
            kind = at_least(kind, least)
        if name == "ones_like":
            return self.ones(operands[0], tree)
        if name == "copy" or name == "round" and kind in INTEGERS:
            return operands[0]
        if name == "sign" and kind not in INTEGERS:  # of -0 it is 0
            return self.make(kind, f"(sign({convert(operands[0], kind)}) + {literal(0, kind)})", *operands)
        return self.call(kind, name, *operands)

    def test(self, name, a):
        kind = at_least(a.kind, "float")
        if name == "signbit":
            return self.make("bool", f"(copysign({literal(1, kind)}, {convert(a, kind)}) < {literal(0, kind)})", a)
        return self.make("bool", f"{name}({convert(a, kind)})", a)

    def axis(self, name, tree):
        given = tree.args[1:] + [each.value for each in tree.keywords if each.arg == "axis"]
        others = [each for each in tree.keywords if each.arg != "axis"]
        if others or len(tree.args) < 1 or len(given) > 1 or isinstance(tree.args[0], ast.Starred):
            self.fail(tree, f"{name} takes a value and perhaps an axis")
        if not given or isinstance(given[0], ast.Constant) and given[0].value is None:
            return ""
        axis = self.node(given[0])
        if not axis.constant or not isinstance(axis.value, int) or axis.value < 0:
            self.fail(given[0], "the axis is a constant integer that is not negative, or None")
        return f", axes={int(axis.value)}"

    def reduction(self, name, tree):
        axis = self.axis(name, tree)
        a = self.node(tree.args[0])
        if a.constant:
            return a
        self.reduces = True
        if a.kind == "bool":
            self.fail(tree, f"numexpr has no {name} of bool; write {name}(where(.., 1, 0))")
        if name in ("sum", "prod"):
            text = f"{name}({a.text}{axis})"
            return self.make(a.kind, f"wrap({text}, int32)" if a.kind == "int" else text, a)
        if a.kind in INTEGERS:
            return self.make(a.kind, f"{name}({a.text}{axis})", a)
        a = self.share(a)  # a NaN counts only where there is nothing else
        worst, nan = literal(numpy.inf if name == "min" else -numpy.inf, a.kind), literal(numpy.nan, a.kind)
        rest = f"{name}(where(isnan({a.text}), {worst}, {a.text}){axis})"
        return self.make(a.kind, f"where(all(isnan({a.text}){axis}), {nan}, {rest})", a)


HANDLERS = {ast.Constant: Translator.of_constant, ast.Name: Translator.of_name, ast.Attribute: Translator.of_attribute,
            ast.BoolOp: Translator.of_words, ast.IfExp: Translator.of_words, ast.UnaryOp: Translator.of_unary,
            ast.Compare: Translator.of_comparison, ast.BinOp: Translator.of_binary, ast.Call: Translator.of_call}


class Translation:
    """Weft's text; the kind of its result; the inputs' names there, and the user's for each; whether it reduces."""

    def __init__(self, source, tree, dtypes, optimization, wanted=None):
        translator = Translator(source, dtypes, optimization)
        try:
            result = translator.node(tree)
            translator.check_wide(result)
        except RecursionError:
            fail(source, None, "this expression is nested too deeply", Status.LIMIT_ERROR)
        self.kind, self.names, self.reduces = result.kind, translator.names, translator.reduces
        text = result.text if wanted in (None, DTYPES[result.kind]) else cast(result.text, result.kind, wanted)
        self.statements = [*translator.statements, f"(+{text})" if NAME.match(text) else text]
        self.text = "\n".join(self.statements)


def cast(text, kind, wanted):
    """To the dtype of an output, as NumPy converts: to integers toward zero, and between them the low bits."""
    if wanted == "bool" or kind == "bool" or wanted.startswith("float"):
        return f"{wanted}({text})"
    if kind in INTEGERS:
        return f"wrap({text}, {wanted})"
    return f"{wanted}(trunc({text}))"
