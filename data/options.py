"""Fills in a template from the table of the command's options:

    options.py OPTIONS.DEF TEMPLATE OUTPUT

Each line `@NAME@` of the template is replaced by the lines of that name, each word `@NAME@` by its text. What
there is depends on the template: the manual page (.1.in), or the completion of a shell (.bash.in, .fish.in, _weft.in).
The table's rows are calls of literals and names, so Python reads them as C does."""
import pathlib
import re
import sys
import types


class Names(dict):
    """A name that is nothing else stands for itself."""
    def __missing__(self, name):
        return name


def read(path):
    """The commands, each with a list of its options, and the notes."""
    commands, notes = [], []

    def command(_, name, brief, *texts):
        commands.append(types.SimpleNamespace(name=name, brief=brief, options=[]))

    def option(_, of, letter, *columns):
        row = types.SimpleNamespace(letter=letter)
        row.name, row.word, row.values, row.takes, row.many, row.brief, row.text = columns
        for item in commands:
            if of in (item.name.upper(), "ALL"):
                item.options.append(row)

    def note(of, head, text):
        notes.append((of.lower(), head.strip(), text))

    text = re.sub(r"^/\*.*?\*/|^#[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    exec(text, {}, Names(COMMAND=command, OPTION=option, NOTE=note, NULL=None, true=True, false=False))
    return commands, notes


# ---- the manual page ----

def troff(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("\n", " ")


def sentence(row):
    """The text as a sentence, which begins with a small letter where that is a value's."""
    value = row.text.split()[0].strip(":,") in (row.values or "").split()
    return troff(row.text if value else row.text[0].upper() + row.text[1:]) + "."


def manual(commands, notes):
    """An entry for each spelling, with what it means to each command."""
    entries = {}
    for command in commands:
        for row in command.options:
            entries.setdefault(row.name, []).append((command.name, row))
    lines, common = [], []
    for name, rows in entries.items():
        first = rows[0][1]
        letter = f"\\-{first.letter}, " if first.letter else ""
        word = f" \\fI{troff(first.word)}\\fR" if first.word else ""
        head = [".TP", f".B {letter}\\-\\-{name}{word}"]
        if len(rows) == len(commands):
            common += head + [troff(first.brief[0].upper() + first.brief[1:]) + "."]
            continue
        lines += head
        for command, row in rows:
            lines += [f".RB ( {command} )", sentence(row)]
    for command, head, text in notes:
        row = types.SimpleNamespace(text=text, values=None)
        lines += [".TP", f".B {troff(head)}", f".RB ( {command} )", sentence(row)]
    lines += common
    return {"OPTIONS": lines}


# ---- completions ----

def bash(commands, _):
    words = [f"    '') echo --help --version {' '.join(c.name for c in commands)} ;;"]
    for command in commands:
        options = " ".join(f"--{row.name}" for row in command.options)
        words.append(f"    {command.name}) echo {options} ;;")
        for row in command.options:
            if row.values:
                spellings = [f"'{command.name} --{row.name}'"] + [f"'{command.name} -{row.letter}'"] * bool(row.letter)
                words.append(f"    {' | '.join(spellings)}) echo {row.values} ;;")
    return {"WORDS": words}


def zsh(commands, _):
    lines = {"commands": [f"  '{c.name}:{c.brief}'" for c in commands]}
    files = {"PATH": ":_files", "DIR": ":_files -/"}
    for command in commands:
        lines[command.name] = rows = []
        for row in command.options:
            value = f":({row.values})" if row.values else files.get(row.word, "")
            value = f":{(row.word or '').lower()}{value}" if row.word else ""
            spelling = f"{{-{row.letter},--{row.name}}}" if row.letter else f"--{row.name}"
            spelling = ("'*'" if row.many else f"'(-{row.letter} --{row.name})'") + spelling + "'" if row.letter \
                else ("'*" if row.many else "'") + spelling
            rows.append(f"      {spelling}[{row.brief}]{value}' \\")
    return lines


def fish(commands, _):
    lines = [f'complete -c weft -n "not __fish_seen_subcommand_from $commands" -a {c.name} -d "{c.brief}"'
             for c in commands]
    for command in commands:
        for row in command.options:
            letter = f" -s {row.letter}" if row.letter else ""
            value = f' -x -a "{row.values}"' if row.values else " -r" if row.word in ("PATH", "DIR") \
                else " -x" if row.word else ""
            lines.append(f'complete -c weft -n "__fish_seen_subcommand_from {command.name}"{letter} -l {row.name}'
                         f'{value} -d "{row.brief}"')
    return {"OPTIONS": lines, "NAMES": [" ".join(c.name for c in commands)]}


def main(table, template, output):
    kinds = {".1": manual, ".bash": bash, ".fish": fish, "": zsh}
    template = pathlib.Path(template)
    made = kinds[pathlib.Path(template.stem).suffix](*read(pathlib.Path(table)))
    text = template.read_text(encoding="utf-8")
    text = re.sub(r"@(\w+)@", lambda name: "\n".join(made[name[1]]), text)
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
