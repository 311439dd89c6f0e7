"""Draws the figures of docs/paper.md and docs/speed.md from docs/results/, as SVG, when pages.py writes the pages.

Nothing but the standard library is needed, so that the same results give the same bytes.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import guarantees
import speed

ROOT = Path(__file__).resolve().parents[2]

WIDTH, LEFT, RIGHT = 640, 170, 20
COLOURS = ("#9aa5b1", "#e3a857", "#3f51b5")


class Drawing:
    """An SVG of fixed width, written line by line."""

    def __init__(self, height: int, what: str) -> None:
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            f'role="img" aria-label="{what}" font-family="sans-serif" font-size="12">',
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        ]

    def text(self, x: float, y: float, words: str, anchor: str = "start") -> None:
        self.lines.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>')

    def bar(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        self.lines.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" fill="{colour}"/>')

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str = "#ccd2d9") -> None:
        self.lines.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}"/>')

    def dot(self, x: float, y: float, colour: str) -> None:
        self.lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')

    def done(self) -> str:
        return "\n".join([*self.lines, "</svg>\n"])


def logarithmic(low: float, high: float):
    """Return the place of a number on a logarithmic axis, and its marks at powers of ten."""
    span = math.log10(high / low)

    def place(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(value / low) / span

    marks = [10.0**e for e in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    return place, marks


def grids() -> str:
    """Return processor seconds of the whole choice, by LIBSVM, scikit-learn and Credence, of each data set."""
    rows = json.loads((ROOT / "docs/results/bench.json").read_text(encoding="utf-8"))["grids"]
    names = ("LIBSVM", "scikit-learn", "Credence")
    keys = ("libsvm_seconds", "scikit_learn_seconds", "credence_seconds")
    place, marks = logarithmic(0.03, 100)
    height = 46 * len(rows) + 60
    drawing = Drawing(height, "Seconds of the whole choice by three programs, logarithmic")
    for k, (name, colour) in enumerate(zip(names, COLOURS, strict=True)):
        drawing.bar(LEFT + 110 * k, 8, 12, 12, colour)
        drawing.text(LEFT + 110 * k + 17, 18, name)
    for mark in marks:
        drawing.line(place(mark), 28, place(mark), height - 30)
        drawing.text(place(mark), height - 14, f"{mark:g} s", "middle")
    for i, row in enumerate(rows):
        top = 34 + 46 * i
        drawing.text(LEFT - 8, top + 23, f"{row['name']}, {row['rows']:,} rows", "end")
        for k, (key, colour) in enumerate(zip(keys, COLOURS, strict=True)):
            end = place(speed.cpu(row[key]))
            drawing.bar(LEFT, top + 12 * k, end - LEFT, 11, colour)
    return drawing.done()


def promises() -> str:
    """Return how often each promise that trials hold was broken, beside how often it may be, at the level 0.1."""
    document = json.loads((ROOT / "docs/results/selfcheck.json").read_text(encoding="utf-8"))
    checks = [check for check in document["checks"] if check["promise"] in ("conservative", "exact")]
    shares = [
        [level["share"] for line in check["lines"] if (level := guarantees.at(line, 0.1)) is not None]
        for check in checks
    ]
    shown = [(check, of) for check, of in zip(checks, shares, strict=True) if of]
    height = 13 * len(shown) + 60
    left, high = 300, 0.15
    drawing = Drawing(height, "How often promises at the level 0.1 were broken in simulation")

    def place(share: float) -> float:
        return left + (WIDTH - left - RIGHT) * min(share, high) / high

    for mark in (0, 0.05, 0.1, 0.15):
        drawing.line(place(mark), 20, place(mark), height - 30, "#c0392b" if mark == 0.1 else "#ccd2d9")
        drawing.text(place(mark), height - 14, f"{100 * mark:g} %", "middle")
    for i, (check, of) in enumerate(shown):
        drawing.text(left - 8, 32 + 13 * i, check["name"], "end")
        for share in of:
            drawing.dot(place(share), 28 + 13 * i, COLOURS[2])
    return drawing.done()


def ratios() -> dict[str, dict[str, float]]:
    """Return of each release, oldest first, how many times LIBSVM each data set was, and their geometric mean."""
    found = {}
    kept = (ROOT / "docs/results/bench").glob("*.json")
    for path in sorted(kept, key=lambda path: [int(part) for part in path.stem.split(".")]):
        rows = json.loads(path.read_text(encoding="utf-8"))["grids"]
        of = {row["name"]: row["ratio"] for row in rows}
        found[path.stem] = of | {"geometric mean": speed.geometric_mean(list(of.values()))}
    return found


def releases() -> str:
    """Return the ratios to LIBSVM's time of all releases whose measurements are kept, a line for each data set."""
    found = ratios()
    left, right, top, bottom = 60, 170, 20, 300
    drawing = Drawing(bottom + 40, "Times LIBSVM of each data set, from release to release, logarithmic")
    low, high = 10, 200

    def across(i: int) -> float:
        return left + (WIDTH - left - right) * (i + 0.5) / len(found)

    def up(ratio: float) -> float:
        return bottom - (bottom - top) * math.log(ratio / low) / math.log(high / low)

    for mark in (10, 20, 50, 100, 200):
        drawing.line(left, up(mark), WIDTH - right, up(mark))
        drawing.text(left - 8, up(mark) + 4, f"{mark} x", "end")
    for i, release in enumerate(found):
        drawing.text(across(i), bottom + 20, release, "middle")
    last = list(found.values())[-1]
    place = bottom + 30.0
    for name, ratio in sorted(last.items(), key=lambda item: item[1]):
        colour = COLOURS[2] if name == "geometric mean" else COLOURS[0]
        points = [(across(i), up(of[name])) for i, of in enumerate(found.values()) if name in of]
        for one, next_one in itertools.pairwise(points):
            drawing.line(*one, *next_one, colour)
        for point in points:
            drawing.dot(*point, colour)
        place = min(up(ratio) + 4, place - 14)  # names of neighbours do not overlap
        drawing.text(WIDTH - right + 8, place, f"{name}, {ratio:.0f} x")
    return drawing.done()


#: Of each figure: its place beside the pages, and what draws it.
FIGURES = {"images/grids.svg": grids, "images/promises.svg": promises, "images/releases.svg": releases}
