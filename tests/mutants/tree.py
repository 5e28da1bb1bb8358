"""A copy of the sources in which every mutant is a site that an environment variable switches."""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess

import sites

LAYERS = ["compiler", "runtime", "templates", "dialect"]
INCLUDE = '#include "tests/mutants/mutant.h"\n#line 1\n'
COMPILED = "tests/mutants/compiled"     # the templates that C files include, with their sites
LEAST = 0.05                            # of the mutants, for each layer
READS = re.compile(r"^(?:void|char \*|const char \*)\s*\w+\([^;{)]*const char \*text, size_t length\)\n\{",
                   re.MULTILINE)         # functions that copy text, of templates, too
INCLUDED = re.compile(r'^\s*#\s*include "templates/(\S+)"', re.MULTILINE)
PLACE = re.compile(r"([^\s:]+):(\d+):\d+: (error|warning|note): (.*)")
BAD = re.compile(r"-Wint-conversion|-Wincompatible-pointer-types|comparison between pointer and integer|"
                 r"pointer type mismatch|pointer/integer type mismatch")


def layer_of(path):
    """The layer of a file of the repository, None outside of them."""
    if path.parts[0] not in ("compiler", "runtime", "templates") or path.suffix not in (".c", ".h", ".inc", ".cu"):
        return None
    return "dialect" if path.name == "dialect.h" else path.parts[0]


def files(root):
    return [path for path in sorted(p.relative_to(root) for p in root.rglob("*")
                                    if p.is_file() and p.relative_to(root).parts[0] in LAYERS) if layer_of(path)]


def inner(path):
    """The name of a template below templates/."""
    return path.relative_to("templates").as_posix()


def included(root):
    """Templates that the C files include: only a text that C compiles may hold what C must check."""
    found = set()
    for path in files(root):
        found.update(INCLUDED.findall((root / path).read_text(encoding="utf-8")))
    return found


class Draw:
    """Mutants by seed and count: each layer's share goes by its size."""

    def __init__(self, root, seed, count):
        compiled, self.texts, found = included(root), {}, {layer: [] for layer in LAYERS}
        for path in files(root):
            text = (root / path).read_text(encoding="utf-8")
            self.texts[path] = text
            checked = path.parts[0] != "templates" or inner(path) in compiled
            found[layer_of(path)] += [(path, text, *row) for row in sites.named(path, sites.find(text, checked))]
        self.left = {layer: iter(sites.order(seed, found[layer])) for layer in LAYERS}
        self.shares, self.mutants, self.dropped = self._shares(count), [], []
        self.fill()

    def _shares(self, count):
        size = dict.fromkeys(LAYERS, 0)
        for path, text in self.texts.items():
            size[layer_of(path)] += len(text)
        total, least = sum(size.values()), int(count * LEAST)
        shares = {layer: max(count * size[layer] // total, least) if size[layer] else 0 for layer in LAYERS}
        shares["compiler"] += count - sum(shares.values())
        return shares

    def fill(self):
        """Draws until every layer has its share of mutants, which do not overlap, or no sites are left."""
        for layer in LAYERS:
            have = sum(mutant["layer"] == layer for mutant in self.mutants)
            for path, text, key, site in self.left[layer] if have < self.shares[layer] else ():
                taken = [m["site"] for m in self.mutants + self.dropped if m["path"] == path]
                if sites.overlaps(site, taken):
                    continue
                self.mutants.append(self.mutant(layer, path, text, key, site))
                have += 1
                if have == self.shares[layer]:
                    break

    def mutant(self, layer, path, text, key, site):
        number = len(self.mutants) + len(self.dropped)
        first, last = text.count("\n", 0, site.start) + 1, text.count("\n", 0, site.end) + 1
        return {"id": number, "layer": layer, "path": path, "first": first, "last": last, "site": site,
                "key": hashlib.sha256(key.encode()).hexdigest()[:12]}

    def drop(self, bad):
        """Takes out the mutants that do not compile, given as (path, line), and draws others. False: there are none."""
        wrong = [m for m in self.mutants
                 if any(path == m["path"] and m["first"] <= line <= m["last"] for path, line in bad)]
        self.mutants = [m for m in self.mutants if m not in wrong]
        self.dropped += wrong
        self.fill()
        return bool(wrong)

    def rows(self):
        return [{"id": m["id"], "key": m["key"], "layer": m["layer"], "file": m["path"].as_posix(), "line": m["first"],
                 "function": m["site"].function, "kind": m["site"].kind, "original": m["site"].original,
                 "mutated": m["site"].mutated}
                for m in sorted(self.mutants, key=lambda m: m["id"])]


def switched(text, site, number):
    """A site as the mutated sources have it."""
    original = text[site.start:site.end]
    if site.form == "statement":
        return f"{{ WEFT_MUTANT_DROP({number}) {{ {original} }} }}"
    macro = "WEFT_MUTANT_VALUE" if site.form == "value" else "WEFT_MUTANT"
    return f"({macro}({number}, ({site.mutated}), ({original})))"


def mutate(text, mutants):
    """The text with all of its sites; lines keep their numbers."""
    for mutant in sorted(mutants, key=lambda m: m["site"].start, reverse=True):
        site = mutant["site"]
        text = text[:site.start] + switched(text, site, mutant["id"]) + text[site.end:]
    return (INCLUDE if mutants else "") + text


def write(path, text):
    """Leaves a file alone that has the text already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def redirect(text, compiled):
    """Includes of templates go to the copies that have sites."""
    for name in compiled:
        text = text.replace(f'#include "templates/{name}"', f'#include "{COMPILED}/{name}"')
    return text


def put(draw, root, out):
    """Writes the files that have mutants, or had them."""
    compiled = included(root)
    embed = [path for path in sorted(out.rglob("embed.py")) if "tests" not in path.relative_to(out).parts]
    texts, hooks = {}, 0
    if len(embed) != 1:
        raise SystemExit("there is no one embed.py that makes texts of templates/")
    for path, text in draw.texts.items():
        mine = [m for m in draw.mutants if m["path"] == path]
        if path.parts[0] != "templates":
            body = redirect(mutate(text, mine), compiled)
            if path.parts[0] == "compiler":
                body, count = READS.subn(r"\g<0>    extern void weft_mutant_read(const char *, size_t);"
                                         r" weft_mutant_read(text, length);", body)
                hooks += count
            write(out / path, body)
            continue
        texts[inner(path)] = [[m["id"], m["site"].start, m["site"].end - m["site"].start, m["site"].mutated]
                            for m in mine]
        if inner(path) in compiled:
            write(out / COMPILED / inner(path), mutate(text, mine))
    if not hooks:
        raise SystemExit("no function of the compiler copies `const char *text, size_t length`")
    write(embed[0].parent / "templates.json", json.dumps(texts, indent=1))
    here = pathlib.Path(__file__).parent
    write(out / "tests/mutants/mutant.h", (here / "mutant.h").read_text(encoding="utf-8"))
    embed[0].write_text((here / "embed.py").read_text(encoding="utf-8"), encoding="utf-8")    # anew: so the texts are


def copy(root, out):
    """What git knows of, and what it would take."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, out / name)


def wrong_places(said):
    """Where a compiler's output finds something wrong: in a macro it is where that is used."""
    wrong = False
    for name, line, kind, what in PLACE.findall(said):
        wrong = wrong if kind == "note" else kind == "error" or BAD.search(what) is not None
        if wrong and (kind != "note" or "in expansion of macro" in what):
            yield name, line


def complaints(out, build):
    """Where the compiler finds the mutated sources wrong, as (path, line), and what it said."""
    done = subprocess.run(["ninja", "-C", build, "-k", "0"], capture_output=True, text=True)
    bad = set()
    for name, line in wrong_places(done.stdout):
        path = pathlib.Path(build, name).resolve()
        if path.is_relative_to(out):
            path = path.relative_to(out)
            inside = path.as_posix().startswith(COMPILED + "/")
            bad.add((pathlib.Path("templates", path.relative_to(COMPILED)) if inside else path, int(line)))
    return bad, done.returncode, done.stdout


def commit(out):
    """Some tests make a release, of what is committed."""
    git = ["git", "-C", out, "-c", "user.name=mutants", "-c", "user.email=mutants@localhost"]
    subprocess.run(["git", "init", "-q", out], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "mutants"], check=True)


def make(root, place, seed, count):
    """place/source, a tree with `count` mutants that compile. Returns their rows."""
    out, check = place.resolve() / "source", place.resolve() / "check"
    copy(root, out)
    draw = Draw(root, seed, count)
    put(draw, root, out)
    if not check.exists():
        done = subprocess.run(["meson", "setup", check, out, "-Dtests=false"], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"the tree with mutants cannot be configured:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    while True:
        bad, status, said = complaints(out, check)
        if not draw.drop(bad):
            break
        put(draw, root, out)
    if status:
        raise SystemExit(f"the tree with mutants does not build:\n{said[-4000:]}")
    commit(out)
    return draw.rows()
