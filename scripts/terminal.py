"""A picture of a terminal, docs/images/error.svg, of what the command really prints:

    terminal.py BUILD [--check]

--check writes nothing, and fails where the picture is not what the command prints now."""
import html
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATH = ROOT / "docs/images/error.svg"
COMMANDS = [
    ["run", "img * gain + 1", "img=[[1, 2, 3], [4, 5, 6]]", "gain=[1.5, 0.5]"],
    ["run", "clmap(x, 0, 255)", "x=[1, 300]"],
]
CHARACTER, LINE, MARGIN, TOP = 7.83, 19, 16, 46  # of a font of 13 pixels


def quoted(word):
    return word if word.isalnum() else f"'{word}'"


def lines(build):
    """(colour, text) of a session."""
    for arguments in COMMANDS:
        done = subprocess.run([f"{build}/cli/weft", *arguments], capture_output=True, text=True, check=False)
        yield "command", "weft " + " ".join(map(quoted, arguments))
        for line in (done.stdout + done.stderr).splitlines():
            yield "output", line


def draw(session):
    width = 2 * MARGIN + CHARACTER * max(len(text) + 2 for _, text in session)
    height = TOP + LINE * len(session) + 8
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
           f'viewBox="0 0 {width:.0f} {height}" role="img">')
    yield "<title>two error messages of weft run</title>"
    yield f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#161b22"/>'
    for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{MARGIN + 6 + 20 * i}" cy="18" r="6" fill="{colour}"/>'
    yield '<g font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="13" ' \
          'xml:space="preserve" fill="#e6edf3">'
    for i, (kind, text) in enumerate(session):
        prompt = '<tspan fill="#7ee787">$ </tspan>' if kind == "command" else ""
        length = f"{CHARACTER * (len(text) + 2 * bool(prompt)):.1f}"
        yield (f'<text x="{MARGIN}" y="{TOP + LINE * i + 8}" textLength="{length}" '
               f'lengthAdjust="spacingAndGlyphs">{prompt}{html.escape(text, quote=False)}</text>')
    yield "</g></svg>"


def main():
    picture = "\n".join(draw(list(lines(sys.argv[1])))) + "\n"
    if "--check" not in sys.argv:
        PATH.write_text(picture, encoding="utf-8")
    elif not PATH.exists() or PATH.read_text(encoding="utf-8") != picture:
        sys.exit("docs/images/error.svg is not what the command prints; run scripts/terminal.py build")


if __name__ == "__main__":
    main()
