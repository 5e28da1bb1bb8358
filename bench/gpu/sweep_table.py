"""What the entries of bench/gpu/sweep.py come to: lines for people, the best setting of each case, and the row for the
table in compiler/loop/tuning.c."""
import math

MEMBERS = ("threads", "elements", "loads", "bounds", "hints", "blocks")
USUAL = {"threads": 256, "elements": 8, "loads": 64, "bounds": 0, "hints": 0, "blocks": 0}  # tuning.c's first row
WORTH = 1.01  # what a setting has to bring over the row before it, in all cases together


def show(entry):
    line = f"{entry['what']}"
    if "of_copy" in entry:
        line += f"   {entry['setting']}: of copy {entry['of_copy']:.3f}, {entry['us']:.1f} us"
        line += f", {entry['registers']} registers" if "registers" in entry else ""
    elif "same_as" in entry:
        line += f"   {entry['setting']}: the same kernel as {entry['same_as']}"
    elif "gb_per_s" in entry:
        line += "   " + "   ".join(f"{name} {speed:.0f} GB/s" for name, speed in entry["gb_per_s"].items())
    elif "state" in entry:
        line += "   " + " | ".join(entry["state"])
    print(line + (f"   FAILED: {entry['failed']}" if entry.get("failed") else ""), flush=True)


def gains(entries):
    """setting to {case: what it gains over the row as it is, in the same turns}; and the cases."""
    found = {}
    for entry in entries:
        if "gain" in entry:
            found.setdefault(entry["setting"], {})[entry["what"]] = entry["gain"]
    for entry in entries:  # what has another's kernel has its time
        if entry["what"] in found.get(entry.get("same_as"), {}):
            found.setdefault(entry["setting"], {})[entry["what"]] = found[entry["same_as"]][entry["what"]]
    return found, {entry["what"] for entry in entries if "gain" in entry}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def best_of(entries):
    """The setting that is best over all cases that it could be measured in, if that are all, and what it brings."""
    found, cases = gains(entries)
    whole = {name: mean(by_case.values()) for name, by_case in found.items()
             if set(by_case) == cases and "without" not in name}
    name = max(whole, key=whole.get, default="as it is")
    return (name, whole[name]) if whole.get(name, 0) >= WORTH else ("as it is", 1.0)


def best_of_cases(entries):
    found = {}
    for entry in entries:
        if "of_copy" in entry and entry["of_copy"] > found.get(entry["what"], {"of_copy": 0})["of_copy"]:
            wanted = ("setting", "of_copy", "us", "registers")
            found[entry["what"]] = {key: entry[key] for key in wanted if key in entry}
    return found


def members_of(setting):
    return {name: int(value) for name, _, value in (word.partition("=") for word in setting.split()) if name in MEMBERS}


def tell(content):
    """Prints and returns the best setting of each case, and the row."""
    steps = {name: step["entries"] for name, step in content["steps"].items()}
    cases, row, gained = {}, dict(USUAL), {}
    for step in ("sweep", "hints", "tails", "ragged"):
        name, gain = best_of(steps.get(step, []))
        row.update(members_of(name) if step != "ragged" else {})
        gained[step] = {"setting": name, "gain": gain}
        for case, best in best_of_cases(steps.get(step, [])).items():
            cases[f"{step}: {case}"] = best
    print("\nThe best of each case:")
    for case, best in cases.items():
        print(f"  {case:70} {best['setting']}: of copy {best['of_copy']:.3f}")
    arch = int(content["gpu"]["arch"].removeprefix("sm_"))
    text = "{.arch = %d, %s}," % (arch, ", ".join(f".{name} = {row[name]}" for name in MEMBERS))
    cut = [name for name, step in content["steps"].items() if step["cut"] or step.get("failed")]
    but = f" (not all was measured: {', '.join(cut)})" if cut else ""
    print(f"\nFor compiler/loop/tuning.c{but}:\n    {text}")
    for step, best in gained.items():
        print(f"  {step}: {best['setting']}, times {best['gain']:.3f}")
    return {"cases": cases, "row": text, "steps": gained, "cut": cut}
