"""Makes docs/residency.md: the share of the FLOPs of real models that runs on the engine, for each chip.

Compiles MiniLM and the models of test/Python/zoo.py (those that are there, or can be made) for all targets at both levels of
strictness, on the in-memory route. Needs the Python of .venv and a build (ANE_BUILD_DIR).

    .venv/bin/python scripts/residency.py [--date 2026-11-21] [NAME...]
"""
import argparse
import datetime
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "Python"))
import matrix  # noqa: E402

PAGE = ROOT / "docs" / "residency.md"
MAIN = ("h16", "h17")  # M4 and M5


def percent(share):
    """Rounded down: 100 % is all of it."""
    return f"{int(share * 1000) / 10:.1f}"


def table(results, level):
    names = list(results)
    rows = [f"| target | tier | {' | '.join(names)} |", "|---|---|" + "---:|" * len(names)]
    for index, target in enumerate(results[names[0]][level]["targets"]):
        cells = [percent(results[name][level]["targets"][index]["engine_share"]) for name in names]
        rows.append(f"| {target['target']} | {target['tier']} | {' | '.join(cells)} |")
    return "\n".join(rows)


def disputes(doubted):
    """A row for each model, a column for each tier: the share if the disputed records are false, and if they are rules."""
    tiers = {target["tier"]: index for index, target in enumerate(next(iter(doubted.values()))[0]["targets"])}
    rows = [f"| model | {' | '.join(tiers)} |", "|---|" + "---:|" * len(tiers)]
    for name, (false, true) in doubted.items():
        cells = [" / ".join(percent(result["targets"][index]["engine_share"]) for result in (false, true)) for index in tiers.values()]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def records(results):
    """For each model what keeps ops on the CPU of M4, and where less than 100 % of the FLOPs are on the engine, what does."""
    lines = []
    for name, levels in results.items():
        for level, result in levels.items():
            target = next(row for row in result["targets"] if row["target"] == MAIN[0])
            ops = Counter((op["constraint"], op["op"]) for op in target["cpu_ops"])
            flops = Counter()
            for op in target["cpu_ops"]:
                flops[op["constraint"]] += op["flops"]
            shown = "; ".join(f"{record} {op}" + (f" x {count}" if count > 1 else "") for (record, op), count in sorted(ops.items()))
            costs = ", ".join(f"{record} {100 * value / target['flops']:.2f} %" for record, value in flops.most_common() if value)
            lines.append(f"| {name} | {level} | {target['programs']} | {shown or 'nothing'} | {costs or 'none'} |")
    return "\n".join(["| model | strictness | programs | on the CPU | FLOPs there |", "|---|---|---:|---|---|", *lines])


def page(results, doubted, date):
    return f"""# Residency

Share of the floating-point operations (percent, rounded down) that runs on the engine: each model, each target, in-memory route,
macOS 15. Made by `scripts/residency.py` on {date}. `ane-compile MODEL --targets=all` prints the same for any model,
`--require-engine=PERCENT` makes a gate of it.

`h11`, `h12`, `m9`, `t0` and the references `u1` to `u3` run no program in MIL (C30): there everything is on the CPU, and they are left out.

## strictness = catalog

{table(results, "catalog")}

## strictness = evidence

{table(results, "evidence")}

## If disputed records are rules

Sources contradict each other about C108, C110, C121, C152, C153 and C224 ([rationale](rationale.md)). The share if they are false, which is
assumed above, and if they are rules (`--keep=disputed`), under `strictness = catalog`:

{disputes(doubted)}

## What stays on the CPU of M4 (h16)

{records(results)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the page (default: today)")
    parser.add_argument("--output", type=Path, default=PAGE)
    parser.add_argument("names", nargs="*", metavar="NAME", help="models (default: all)")
    options = parser.parse_args()
    results, doubted = {}, {}
    for name in options.names or matrix.names():
        model = matrix.find(name)
        if not model:
            print(f"{name}: not here, and it can't be made", file=sys.stderr)
            continue
        print(name, flush=True)
        results[name] = {level: matrix.compile_all(model, level) for level in matrix.LEVELS}
        doubted[name] = results[name]["catalog"], matrix.compile_all(model, "catalog", "--keep=disputed")
    options.output.write_text(page(results, doubted, options.date))


if __name__ == "__main__":
    main()
