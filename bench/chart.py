"""The documents' bar charts from bench/results, as plain SVG for a light and for a dark page:

    chart.py [--check] [DIRECTORY]

writes speed-light.svg, speed-dark.svg, processor-*.svg and gpu-*.svg into docs/images or DIRECTORY; --check writes
nothing and fails where one of them there is not what the results say. sizes.svg is plot.py's, of peers_sizes.json."""
import html
import importlib.util
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
THEMES = {
    "light": {"text": "#1f2328", "faint": "#59636e", "line": "#d1d9e0", "Weft": "#0969da"},
    "dark": {"text": "#f0f6fc", "faint": "#9198a1", "line": "#3d444d", "Weft": "#4493f8"},
}
PEERS = {"JAX": "#8250df", "torch.compile": "#d4722c", "numexpr": "#bf3989", "NumPy": "#8c959f",
         "PyTorch": "#b5651d", "CuPy": "#3fa34d", "OpenCV": "#3fa34d"}
# The names in the results' files
LABELS = {"numpy": "NumPy", "jax": "JAX", "torch": "PyTorch", "PyTorch compiled": "torch.compile",
          "PyTorch compile": "torch.compile", "JAX jit": "JAX"}
WIDTH, LEFT, RIGHT, BAR, GAP = 760, 12, 70, 15, 16


def load(name):
    return json.loads((ROOT / f"bench/results/{name}.json").read_text(encoding="utf-8"))


def rates(case, shown):
    """Contender -> GB/s, of those shown."""
    found = {LABELS.get(name, name): case["bytes"] / ms / 1e6 for name, ms in case.get("ms", {}).items()}
    found.update({LABELS.get(name, name): case["bytes"] / us / 1e3 for name, us in case.get("best_us", {}).items()})
    return {name: found[name] for name in shown if name in found}


def case_of(file, start):
    return next((case for case in load(file)["cases"] if case["case"].startswith(start)), None)


def bars(title, subtitle, groups, foot, theme):
    """groups: (label, {contender: GB/s}); one scale for all."""
    colours = {**PEERS, **THEMES[theme]}
    largest = max(rate for _, group in groups for rate in group.values())
    scale = (WIDTH - LEFT - RIGHT - 110) / largest
    parts, y = [], 62
    for label, group in groups:
        parts.append(f'<text x="{LEFT}" y="{y}" font-weight="600" fill="{colours["text"]}">{html.escape(label)}</text>')
        y += 8
        for name, rate in group.items():
            length = max(1.0, rate * scale)
            parts += [
                f'<text x="{LEFT + 102}" y="{y + 12}" text-anchor="end" fill="{colours["faint"]}">{name}</text>',
                f'<rect x="{LEFT + 110}" y="{y + 1}" width="{length:.1f}" height="{BAR - 2}" rx="2" '
                f'fill="{colours[name]}"/>',
                f'<text x="{LEFT + 116 + length:.1f}" y="{y + 12}" fill="{colours["text"]}">{shown(rate)}</text>']
            y += BAR
        y += GAP + 6
    for line in foot:
        parts.append(f'<text x="{LEFT}" y="{y}" font-size="11" fill="{colours["faint"]}">{html.escape(line)}</text>')
        y += 15
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" '
            'font-family="system-ui, -apple-system, \'Segoe UI\', sans-serif" font-size="12" role="img">',
            f'<title>{html.escape(title)}</title>',
            f'<text x="{LEFT}" y="20" font-size="15" font-weight="600" fill="{colours["text"]}">{html.escape(title)}'
            f'</text><text x="{LEFT}" y="38" fill="{colours["faint"]}">{html.escape(subtitle)}</text>']
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def shown(rate):
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.1f}"


def machine(result):
    return ", ".join(result["machine"].split(", ")[:2])


def speed(theme):
    """README.md's: what people do with pictures and rows. Only of runs in which nobody but JAX allocates results, or
    results are small: reduce.json's softmax is none of these, that of peers.json is, once it has one."""
    names = ("Weft", "JAX", "torch.compile", "numexpr", "NumPy")
    wanted = [("clamp: uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))", "peers", "picture"),
              ("gray: uint8(0.299 * img[..., 0] + 0.587 * img[..., 1] + 0.114 * img[..., 2])", "peers", "gray"),
              ("gray: uint8(0.299 * img[..., 0] + 0.587 * img[..., 1] + 0.114 * img[..., 2])", "selections", "gray"),
              ("normalize: (img - [123.7, 116.3, 103.5]) * [1/58.4, 1/57.1, 1/57.4]", "peers", "normalize"),
              ("softmax(x), rows of 1,000", "peers", "softmax"),
              ("sqrt(x * x + y * y)", "peers", "length"),
              ("mean((x - y) ** 2)", "reduce", "mse")]
    groups = {}
    for label, file, start in wanted:
        case = case_of(file, start)
        if case and label not in groups:
            groups[label] = rates(case, names)
    result = load("peers")
    foot = (f"{machine(result)}, {result['date']}; docs/performance.md has more, and the versions. Pictures are uint8, "
            "the rest float32.",
            "JAX, and torch.compile in gray, return a new array each time; the others write into the same one. numexpr",
            "has neither 8-bit types nor selections.")
    return bars("Gigabytes a second on one thread", "read and written once, by the time taken; more is better",
                list(groups.items()), foot, theme)


def processor(theme):
    """docs/performance.md's: every case of peers.json beside the best of the peers."""
    result = load("peers")
    names = ("Weft", "JAX", "torch.compile", "numexpr", "NumPy")
    groups = [(case["text"] if len(case["text"]) < 80 else case["case"], rates(case, names))
              for case in result["cases"]]
    return bars("Gigabytes a second on one thread", "read and written once, by the time taken; more is better", groups,
                (f"{machine(result)}, {result['date']}.",), theme)


def gpu(theme):
    result = load("gpu")
    names = ("Weft", "JAX", "torch.compile")
    groups = [(case["text"] + ", " + case["case"], rates(case, names)) for case in result["cases"]
              if len(case.get("best_us", {})) > 1]
    return bars(f"Gigabytes a second on one {result['gpu']['name']}",
                "read and written once, by the time taken; more is better", groups, (f"{result['date']}.",), theme)


def sizes():
    spec = importlib.util.spec_from_file_location("plot", ROOT / "bench/kernels/plot.py")
    plot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plot)
    result = load("peers_sizes")
    return plot.svg(result["cases"], f"{machine(result)}, {result['date']}")


def pictures():
    for draw in (speed, processor, gpu):
        for theme in THEMES:
            yield f"{draw.__name__}-{theme}.svg", draw(theme)
    yield "sizes.svg", sizes()


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    directory = pathlib.Path(arguments[0]) if arguments else ROOT / "docs/images"
    stale = []
    for name, text in pictures():
        path = directory / name
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.exit(f"not drawn from bench/results: {' '.join(stale)}; run bench/chart.py")


if __name__ == "__main__":
    main()
