"""Writes the generated parts of pages: what stands between `<!-- generated: NAME -->` and `<!-- end -->`.

    python scripts/docs/write_pages.py            rewrites README.md and docs/
    python scripts/docs/write_pages.py --check    names the pages that are out of date, and ends with 1

Tables of options come from docs/options.md, which the program's own descriptions make; numbers of rows from
`credence bound`; tables of papers and of speed from docs/results/.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import accuracy
import decisions
import dependencies
import guarantees
import papers
import platforms
import schema
import speed

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(^ *<!-- generated: ([^\n]*?) -->\n)(.*?)(^ *<!-- end -->$)", flags=re.MULTILINE | re.DOTALL)


def result(name: str) -> dict:
    return json.loads((ROOT / "docs" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def options(name: str, command: str) -> str:
    """Return the table of options of a method or of candidates."""
    text = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(name)}$\n.*?(^\|.*?)(?=^[^|\n]|\Z)", text, flags=re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"docs/options.md has no table of {name}")
    return found.group(1).strip()


@cache
def bound(command: str, arguments: tuple[str, ...]) -> dict:
    done = subprocess.run(
        [command, "bound", *arguments, "--json", "-", "--quiet"], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def upper(command: str, name: str, *arguments: str) -> float:
    return next(each["upper"] for each in bound(command, arguments)["bounds"] if each["name"] == name)


def first_below(limit: float, of, start: int = 1) -> int | None:
    """Return the smallest n with of(n) < limit, of a function that falls; nothing up to 10 million."""
    high = start
    while of(high) >= limit:
        high *= 2
        if high > 10_000_000:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if of(middle) < limit else (middle, high)
    return high


def limits(_: str, command: str) -> str:
    """Return from how many rows on a bound is below 100, 50 and 10 %, at the very best."""

    def held_out(errors):
        def of(m):
            wrong = math.floor(errors * m)
            return upper(command, "clopper_pearson", "--errors", str(wrong), "--n", str(m))

        return of

    def by_complexity(n):
        floor = bound(command, ("--loss", "0", "--complexity", "0", "--n", str(n)))["rademacher_floor"]
        return 2 * upper(command, "complexity", "--loss", "0", "--n", str(n), "--complexity", repr(floor))

    def deviation(n):
        return 2 * upper(command, "complexity", "--loss", "0", "--n", str(n), "--complexity", "0")

    thresholds = (1.0, 0.5, 0.1, 0.05)
    rows = []

    def line(name, what, of, rows_for_judging=lambda m: m):
        found = [first_below(limit, of) for limit in thresholds]
        shown = ["never" if each is None else f"{rows_for_judging(each):,}" for each in found]
        rows.append([name, what, *shown])

    line("rows held out, `evaluate`", "no error among them", held_out(0))
    line("`kfold-nested`, ten folds", "no error in any fold", held_out(0), lambda m: 10 * m)
    line("`bootstrap`, out of bag", "no error out of bag", held_out(0), lambda m: math.ceil(m / math.exp(-1)))
    rows.append(["`loo`", "no error: each limit rests on one row", "1", *["never"] * 3])
    line("`rademacher`, functions with a bias term", "no training loss, the least complexity", by_complexity)
    line("`maximal-discrepancy`, also with `--no-bias`", "no training loss, no complexity", deviation)
    head = ["bound of the error rate from", "at best, that is with", "below 100 %", "50 %", "10 %", "5 %"]
    return papers.table(head, rows, 2)


def kept_apart(_: str, command: str) -> str:
    """Return the exact limits of an error, by rows held out and share of errors."""
    shares = (0, 0.02, 0.05, 0.1, 0.2)
    rows = []
    for n in (50, 100, 200, 500, 1000, 5000, 10000):
        cells = []
        for share in shares:
            value = upper(command, "clopper_pearson", "--errors", str(round(share * n)), "--n", str(n))
            cells.append(f"{100 * value:.2g} %" if value < 0.1 else f"{100 * value:.1f} %")
        rows.append([f"{n:,}", *cells])
    return papers.table(["rows held out", *[f"{100 * share:g} % wrong" for share in shares]], rows, 0)


def source(argument: str, _: str) -> str:
    """Return a struct of a header, with the comment above it: `PATH struct NAME`."""
    path, _, declaration = argument.partition(" ")
    text = (ROOT / path).read_text(encoding="utf-8")
    found = re.search(rf"(?:^///[^\n]*\n)*^{re.escape(declaration)} \{{.*?^\}};$", text, flags=re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"{path} has no {declaration}")
    return f"```cpp\n{found.group(0)}\n```"


PARTS = {
    "source": source,
    "options": options,
    "limits": limits,
    "kept-apart": kept_apart,
    "nonconformity": lambda *_: papers.nonconformity(result("nonconformity")),
    "tcm-nn": lambda *_: papers.tcm_nn(result("tcm-nn")),
    "in-sample": lambda *_: papers.in_sample(result("in-sample")),
    "kernel-validity": lambda *_: papers.kernel_validity(result("kernel-validity")),
    "guarantees": lambda part, _: guarantees.guarantees(result("selfcheck"), part),
    "speed": lambda part, _: speed.PARTS[part]({**result("bench"), "intelex": result("intelex")}),
    "watch": lambda *_: papers.watch(result("watch")),
    "honest": lambda *_: papers.honest(result("honest")),
    "large-data": lambda *_: speed.large_data(result("large-data")),
    "accuracy": lambda part, _: accuracy.PARTS[part](result("accuracy")),
    "decisions": lambda *_: decisions.decisions(result("decisions")),
    "review": lambda *_: decisions.review(result("review")),
    "intelex": lambda *_: speed.intelex(result("intelex")),
    "libsvm-versions": lambda *_: speed.libsvm_versions(result("libsvm-versions")),
    "instructions": lambda *_: speed.instructions(
        json.loads((ROOT / "benchmarks" / "instructions.json").read_text(encoding="utf-8"))
    ),
    "platforms": lambda *_: platforms.platforms(result("platforms")),
    "dependencies": lambda part, _: dependencies.PARTS[part](),
}


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def written(text: str, command: str) -> str:
    """Return the page with its generated parts made anew."""

    def made(match):
        kind, _, argument = match.group(2).partition(" ")
        return f"{match.group(1)}\n{PARTS[kind](argument, command)}\n\n{match.group(4)}"

    return BLOCK.sub(made, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and end with 1 if a page is out of date")
    parser.add_argument("--command", default=str(ROOT / "build" / "credence"), help="the command (build/credence)")
    arguments = parser.parse_args()
    stale = []
    result_file = ROOT / "docs" / "result-file.md"
    for page in [*pages(), ROOT / "docs" / "result.schema.json"]:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        is_page = page.suffix == ".md"
        new = written(text, arguments.command) if is_page else schema.text(result_file.read_text(encoding="utf-8"))
        if new == text:
            continue
        stale.append(page.relative_to(ROOT).as_posix())
        if not arguments.check:
            page.write_text(new, encoding="utf-8")
    if stale:
        print(("out of date: " if arguments.check else "written: ") + ", ".join(stale))
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
