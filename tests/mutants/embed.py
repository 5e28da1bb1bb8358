"""Takes the place of the compiler's embed.py in a tree with mutants: embed.py OUTPUT NAME=FILE ...

The texts of templates can be written to. A process whose active mutant is one of a text changes it before anything else
runs, and copies of a text tell which mutants they hold. The mutants stand in templates.json, in this file's folder:
FILE's name below templates/ -> [[id, offset, length, what it becomes], ...]."""
import json
import pathlib
import sys

HEAD = """/* Made by the build from the files of templates/ and their mutants. */
#include "tests/mutants/mutant.h"

#include <string.h>

struct text_mutant {
    int id;
    char *text;
    size_t offset, length;
    const char *mutated;
};

void weft_mutant_read(const char *text, size_t length);
"""

TAIL = """
enum { COUNT = sizeof mutants / sizeof mutants[0] - 1 };

static __attribute__((constructor(102), no_sanitize_address)) void change_text(void)
{
    weft_mutant_start();
    for (int i = 0; i < COUNT; i++) {
        const struct text_mutant *m = &mutants[i];
        char *at = m->text + m->offset;
        const size_t length = strlen(m->mutated);
        if (m->id != weft_mutant_active)
            continue;
        memmove(at + length, at + m->length, strlen(at + m->length) + 1);
        memcpy(at, m->mutated, length);
    }
}

void weft_mutant_read(const char *text, size_t length)
{
    for (int i = 0; weft_mutant_map && i < COUNT; i++) {
        const char *at = mutants[i].text + mutants[i].offset;
        if (text < at + mutants[i].length && at < text + length)
            weft_mutant(mutants[i].id);
    }
}
"""


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?").replace("\n", "\\n") + '"'


def main():
    pairs = [pair.split("=", 1) for pair in sys.argv[2:]]
    changes = json.loads((pathlib.Path(__file__).resolve().parent / "templates.json").read_text(encoding="utf-8"))
    rows = []
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write(HEAD)
        for name, path in pairs:
            path = pathlib.Path(path).resolve()
            text, mine = path.read_text(encoding="ascii"), changes.get(path.as_posix().rpartition("/templates/")[2], [])
            room = len(text) + 1 + max([len(change[3]) for change in mine], default=0)
            lines = "\n".join("    " + quoted(line) for line in text.splitlines(keepends=True)) or '    ""'
            out.write(f"\nchar weft_template_{name}[{room}] =\n{lines};\n")
            rows += [f"    {{{number}, weft_template_{name}, {offset}, {length}, {quoted(mutated)}}},\n"
                     for number, offset, length, mutated in mine]
        rows.append("    {-1, NULL, 0, 0, NULL},\n")
        out.write("\nstatic const struct text_mutant mutants[] = {\n" + "".join(rows) + "};\n")
        out.write(TAIL)


main()
