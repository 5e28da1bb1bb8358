"""Writes the functions of templates/shared/joins.def: joins.py ROWS OUTPUT. joins.c includes them for each level."""
import re
import sys

OPERATIONS = {"ADD": "(a + b)", "MUL": "(a * b)", "LEAST": "(b < a ? b : a)", "GREATEST": "(b > a ? b : a)",
              "OR": "(a | b)", "AND": "(a & b)"}
ABSENT = {"ADD": "0", "MUL": "1", "OR": "0", "AND": "1"}
# What tells the elements that are not zero, as an instruction beside: numbers to compare with, or bits to look at.
TRUE_BITS = {"b1": '"vptestmb", -1', "u8": '"vptestmb", -1', "i32": '"vptestmd", -1', "f32": '"vcmpneqps", 0',
             "f64": '"vcmpneqpd", 0'}
FORMS = "row", "columns"


def is_float(name):
    return name[0] == "f"


def extreme(name, largest):
    if is_float(name):
        return f"key_of({'' if largest else '-'}__builtin_inf{'f' if name == 'f32' else ''}())"
    bits = int(name[1:])
    most = (1 << bits - (name[0] == "i")) - 1
    return str(most) if largest else "0" if name[0] == "u" else f"(-{most} - 1)"


def has_places(op):
    """Whether there are functions for argmin or argmax."""
    return op in ("LEAST", "GREATEST")


def kind(number, op, stage, acc, tree):
    """The text of one row, in both forms."""
    keys = is_float(tree) and op in ("LEAST", "GREATEST")
    ordered = is_float(tree) and not keys
    joined = ["i" + name[1:] if keys else name for name in (acc, tree)]
    absent = "-0.0" if ordered and op == "ADD" else ABSENT.get(op) or extreme(acc, op == "LEAST")
    for form in FORMS:
        row = (16 if ordered else 64) if form == "row" else 0
        yield f"#define KIND {number}_{form}\n#define ROW {row}\n#define ABSENT {absent}"
        yield f"#define NOTHING {'0' if op == 'ADD' else 'ABSENT'}"
        side = 16 if ordered or row else 64
        yield f"enum {{ INNER = 1, MAX_LANES = 64, ORDERED = {int(ordered)}, HALF = 8, SIDE = {side} }};"
        counts = op == "ADD" and stage == "b1" # bools are bytes that are 0 or 1, of which gcc makes better vectors
        yield f"typedef {'u8' if counts else stage}_m stage_t;\ntypedef {tree}_m out_t;"
        for name, dtype in zip(("acc", "tree"), joined):
            yield f"typedef {dtype}_m {name}_t;\nstatic inline {dtype} join_{name}({dtype} a, {dtype} b)\n{{"
            operation = OPERATIONS[op]
            if dtype[0] == "i" and op in ("ADD", "MUL"):
                operation = operation.replace("a", "(u64)a").replace("b", "(u64)b")
            yield f"    return ({dtype}){operation};\n}}"
        if ordered:
            yield "".join(f"typedef {tree} {name}_v VECTORS({tree});\n" for name in ("acc", "tree", "stage")) + \
                f"typedef {tree} half_v HALF_VECTORS({tree});"
            yield f"#define join_acc_v(a, b) ((a) {'+' if op == 'ADD' else '*'} (b))\n#define join_tree_v join_acc_v"
            yield "#define OVER(k, count) for (int k = 0; k < (count) / PER_VECTOR; k++)"
            yield "#define OVER_HALF(k) for (int k = 0; k < (int)(HALF * sizeof(tree_t) / sizeof(half_v)); k++)"
            if row:
                yield f"#define VECTOR_ROW {int(tree[1:]) // 32}"
        else:
            yield "".join(f"typedef {name}_t {name}_v;\n" for name in ("acc", "tree", "stage"))
            yield "typedef tree_t half_v;"
            yield "#define join_acc_v join_acc\n#define join_tree_v join_tree"
            yield "#define OVER(k, count) EACH(k, count)\n#define OVER_HALF(k) EACH(k, HALF)"
        if keys:
            yield f"#define KEYS {1 if op == 'GREATEST' else -1}"
        if tree == "b1":
            yield f"#define BITS(a, b) ((a) {'|' if op == 'OR' else '&'} (b))"
            yield f"#define TRUE_BITS {TRUE_BITS[stage]}"
            yield f"#define TRUE_SIGN {'-0.0' if is_float(stage) else '0'}"
            yield f"#define TRUE_BYTES {1 if stage == 'b1' else int(stage[1:]) // 8}"
            yield f"#define TRUE_TYPE {'u8' if stage == 'b1' else stage}"
        if op == "ADD" and (counts or stage == "u8") and row:
            yield "#define BYTES"
        if tree[1:] in ("32", "64"):
            yield f"#define WORDS {tree[1:]}"
        yield "enum { PER_VECTOR = sizeof(acc_v) / sizeof(acc_t) };"
        if form == "row" and has_places(op):
            yield f"#define BEFORE(a, b) ((a) {'>' if op == 'GREATEST' else '<'} (b))"
            if tree == "u8":
                yield '#define KEYS_OF_BYTES 256 /* of so many at most */\n#include "runtime/kernels/bytes.inc"'
        if row and tree[1:] in ("32", "64") and stage in ("i32", "i64", "u64", "f32", "f64"):
            yield f"#define INTEGERS {int(not is_float(tree))}\n#define LONGER {int(stage[1:] != tree[1:])}"
            yield f"#define SUMS {int(op == 'ADD')}\n#define GREATEST {int(op == 'GREATEST')}"
            yield '#if LEVEL == 32\n#include "runtime/kernels/ymm.inc"\n#endif'
        if row and tree == "b1":
            yield '#if LEVEL == 32\n#include "runtime/kernels/ymm_bits.inc"\n#endif'
        yield '#include "templates/shared/joins.c"'
        if form == "row" and has_places(op):
            yield f"#define IS_NAN(x) {'((x) != (x))' if keys else '0'}"
            yield '#include "runtime/kernels/places.inc"\n#undef BEFORE\n#undef IS_NAN\n#undef KEYS_OF_BYTES'
        yield "".join(f"#undef {name}\n" for name in (
            "KIND", "ROW", "WORDS", "ABSENT", "NOTHING", "KEYS", "VECTOR_ROW", "OVER", "OVER_HALF", "join_acc_v",
            "join_tree_v", "BITS", "TRUE_BITS", "TRUE_SIGN", "TRUE_BYTES", "TRUE_TYPE", "BYTES", "YMM_ROWS", "YMM_BITS",
            "INTEGERS", "LONGER", "SUMS", "GREATEST"))


def main(rows, output):
    found = re.findall(r"^JOINED\((\w+), (\w+), (\w+), (\w+)\)", open(rows).read(), re.M)
    with open(output, "w") as out:
        out.write("#undef VECTORS\n#undef HALF_VECTORS\n#include \"templates/shared/joins.c\"\n")
        for number, row in enumerate(found):
            out.write("\n".join(kind(number, *row)) + "\n")
        out.write("const struct weft_join *const JOINS[] = {\n")
        for number in range(len(found)):
            out.write("".join(f"    &OWN_JOIN({number}_{form}),\n" for form in FORMS))
        out.write("};\nconst struct weft_join *const PLACES[] = {\n")
        for number, row in enumerate(found):
            out.write(f"    &OWN_PLACE({number}_row),\n" if has_places(row[0]) else "    0,\n")
        out.write("};\n")


main(*sys.argv[1:])
