"""A picture of what compare.py --sizes measured: for each case a panel, elements along, time for an element up,
both logarithmic; a line for each contender, dashed on several threads. Plain SVG, written by hand."""
import html
import math

COLOURS = ("#d62728", "#7f7f7f", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b")
WIDTH, HEIGHT, LEFT, TOP, GAP = 360, 240, 60, 40, 30


def lines(entries):
    """(contender, threads) -> points (elements, nanoseconds for an element), in their order."""
    found = {}
    for entry in entries:
        for name, ms in entry["ms"].items():
            found.setdefault((name, entry["threads"]), []).append((entry["elements"], ms * 1e6 / entry["elements"]))
    return found


def span(values):
    """The powers of ten around the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def place(value, low, high, length):
    return (math.log10(value) - low) / (high - low) * length


def panel(title, entries, colours):
    drawn = lines(entries)
    points = [point for line in drawn.values() for point in line]
    across, up = span([x for x, _ in points]), span([y for _, y in points])
    yield f'<text x="0" y="-8" font-weight="bold">{html.escape(title)}</text>'
    for k in range(across[0], across[1] + 1):
        x = place(10.0 ** k, *across, WIDTH)
        yield f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{HEIGHT}" stroke="#ddd"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT + 14}" text-anchor="middle">1e{k}</text>'
    for k in range(up[0], up[1] + 1):
        y = HEIGHT - place(10.0 ** k, *up, HEIGHT)
        yield f'<line x1="0" y1="{y:.1f}" x2="{WIDTH}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{10.0 ** k:g} ns</text>'
    for (name, threads), line in drawn.items():
        path = " ".join(f"{place(x, *across, WIDTH):.1f},{HEIGHT - place(y, *up, HEIGHT):.1f}" for x, y in sorted(line))
        dash = ' stroke-dasharray="5 3"' if threads > 1 else ""
        yield f'<polyline points="{path}" fill="none" stroke="{colours[name]}" stroke-width="1.8"{dash}/>'


def legend(colours, threads):
    for i, (name, colour) in enumerate(colours.items()):
        yield f'<line x1="{i * 130}" y1="0" x2="{i * 130 + 24}" y2="0" stroke="{colour}" stroke-width="2"/>'
        yield f'<text x="{i * 130 + 30}" y="4">{html.escape(name)}</text>'
    if len(threads) > 1:
        yield f'<text x="0" y="22">solid: {threads[0]} thread; dashed: {", ".join(map(str, threads[1:]))}</text>'


def svg(entries, machine):
    """The whole picture as a text."""
    cases = list(dict.fromkeys(entry["case"] for entry in entries))
    names = list(dict.fromkeys(name for entry in entries for name in entry["ms"]))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    columns = min(3, len(cases))
    rows = (len(cases) + columns - 1) // columns
    width = max(columns * (WIDTH + LEFT + GAP), len(names) * 130 + LEFT)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{rows * (HEIGHT + TOP + GAP) + 90}" '
             'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{LEFT}" y="18">time for an element by elements; {html.escape(machine)}</text>']
    for i, case in enumerate(cases):
        x, y = LEFT + i % columns * (WIDTH + LEFT + GAP), 30 + TOP + i // columns * (HEIGHT + TOP + GAP)
        own = [entry for entry in entries if entry["case"] == case]
        parts += [f'<g transform="translate({x},{y})">', *panel(case, own, colours), "</g>"]
    parts += [f'<g transform="translate({LEFT},{rows * (HEIGHT + TOP + GAP) + 60})">',
              *legend(colours, sorted({entry["threads"] for entry in entries})), "</g>", "</svg>"]
    return "\n".join(parts) + "\n"
