"""What scripts/docs needs around the generator of the site:

    pages.py stage DIR    puts the pages, and the files that they link to, into DIR/pages, and DIR/mkdocs.yml beside
    pages.py check SITE   fails if a link of a page in SITE leads nowhere there, be it of HTML in a page

The pages are the repository's, in their places, so that their links hold. What is changed is what the generator reads
otherwise than CommonMark: the words behind a fence's language, and paragraphs of list items that are indented by less
than four. A folder that a page links to becomes a list of its files, but docs/design is docs/design.md."""
import html.parser
import pathlib
import re
import shutil
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "NEWS.md", "CONTRIBUTING.md", "examples/README.md", "bench/kernels/NOTES.md"]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
FENCE = re.compile(r"^```(\w+)(?: +file=(\S+))?(?: +needs=\S+)?\s*$")
LEXERS = {"weft": "python"}


def pages():
    return PAGES + sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))


def adapted(text):
    lines, fenced, item = [], False, False
    for line in text.splitlines():
        if not fenced and (found := FENCE.match(line)):
            title = f' title="{found[2]}"' if found[2] else ""
            line = f"```{LEXERS.get(found[1], found[1])}{title}"
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            if re.match(r"([*-]|\d+\.) ", line):
                if lines and lines[-1] and not item:
                    lines.append("")
                item = True
            elif line and not line.startswith("  "):
                item = False
            elif item and not lines[-1]:
                line = "    " + line.lstrip()
        lines.append(line)
    return "\n".join(lines) + "\n"


def files(folder):
    """Names below the folder, but those of its own page."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")
                  if path.is_file() and path.parent.name != "__pycache__" and path != folder / "README.md")


def listing(folder):
    """A page for a folder: its README.md, and the names of its files."""
    lines = [f"# {folder.relative_to(ROOT).as_posix()}", ""]
    if (folder / "README.md").exists():
        lines = adapted((folder / "README.md").read_text(encoding="utf-8")).splitlines() + ["", "## Files", ""]
    lines += [f"* [{name}]({name})" for name in files(folder)]
    return "\n".join(lines) + "\n"


def stage(place):
    """Copies the pages, then what they link to; a folder's list is index.md there, and links to it get that name."""
    out = place / "pages"
    if out.exists():
        shutil.rmtree(out)
    folders, known = set(), set(pages())
    for name in pages():
        page, target = ROOT / name, out / name
        text = adapted(page.read_text(encoding="utf-8"))
        for link in set(LINK.findall(text)):
            at = (page.parent / link).resolve()
            if ROOT not in at.parents or not at.exists() or ":" in link:
                continue
            inside = at.relative_to(ROOT).as_posix()
            if at.is_dir():
                bare, own = link.rstrip("/"), f"{inside}/README.md" in known
                if f"{inside}.md" in known:
                    text = text.replace(f"]({link})", f"]({bare}.md)")
                    continue
                text = text.replace(f"]({link})", f"]({bare}/{'README' if own else 'index'}.md)")
                folders |= set() if own else {at}
            elif inside not in known:
                copy(at, out / inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "docs/images", out / "docs/images", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("*.md"))
    for folder in folders:
        inside = folder.relative_to(ROOT).as_posix()
        (out / inside).mkdir(parents=True, exist_ok=True)
        (out / inside / "index.md").write_text(listing(folder), encoding="utf-8")
        known.add(inside + "/index.md")
        for name in files(folder):
            copy(folder / name, out / inside / name)
    copy(ROOT / "scripts/site.css", out / "site.css")
    configure(place, known)


def copy(path, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def configure(place, known):
    """mkdocs.yml with the pages that it does not name: those of docs/design below its last title, others behind it."""
    text = (ROOT / "scripts/mkdocs.yml").read_text(encoding="utf-8")
    others = [name for name in sorted(known) if not re.search(rf": {re.escape(name)}$", text, re.M)]
    rest = "".join(f"      - {name}\n" for name in others if name.startswith("docs/design/"))
    files_of = "".join(f"      - {name.removesuffix('/index.md')}: {name}\n" for name in others
                       if not name.startswith("docs/design/"))
    (place / "mkdocs.yml").write_text(f"{text}{rest}  - Files:\n{files_of}", encoding="utf-8")


class Links(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("href", "src", "srcset") and value:
                self.links.append(value)
            elif key in ("id", "name") and value:
                self.names.add(value)


def check(site):
    """Every link of every page but those to other sites: the file is there, and so is the place in it."""
    found = {path: Links(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    wrong = []
    for path, page in found.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            fragment = urllib.parse.unquote(parts.fragment)
            if not target.exists() or fragment and target in found and fragment not in found[target].names:
                wrong.append(f"{path.relative_to(site)}: {link} leads nowhere")
    print("\n".join(wrong + [f"{sum(len(page.links) for page in found.values())} links in {len(found)} pages, "
                             f"{len(wrong)} wrong"]))
    return 1 if wrong or not found else 0


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("stage", "check"):
        sys.exit(__doc__)
    sys.exit(stage(pathlib.Path(sys.argv[2])) if sys.argv[1] == "stage" else check(pathlib.Path(sys.argv[2]).resolve()))


main()
