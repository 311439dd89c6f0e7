"""What the comparisons share: interleaved timing, tables, versions, and the data sets of the benchmarks."""

import argparse
import gzip
import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import numpy as np

SOURCE = Path(__file__).resolve().parents[2]


def cores():
    """Return the cores that this process may use."""
    return len(os.sched_getaffinity(0))


def processor():
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def head(title, *packages):
    """Print what is compared, where and with which versions."""
    found = []
    for name in ("numpy", *packages):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} is not installed")
    try:
        found.insert(0, f"credence {version('credence')}")
    except PackageNotFoundError:
        import credence

        found.insert(0, f"credence {credence.__version__}")
    print(f"{title}\n{cores()} cores, {processor()}; Python {platform.python_version()}, {', '.join(found)}")
    print(f"load before the run: {os.getloadavg()[0]:.2f}\n")


def interleaved(sides, repeats, *, warm=True):
    """Run all sides in turn, `repeats` times; return the medians of their seconds and what each returned last.

    With `warm` each side runs once before, so that imports and threads that start are not counted.
    """
    seconds = {name: [] for name in sides}
    results = {name: side() for name, side in sides.items()} if warm else {}
    for _ in range(repeats):
        for name, side in sides.items():
            start = time.perf_counter()
            results[name] = side()
            seconds[name].append(time.perf_counter() - start)
    return {name: median(values) for name, values in seconds.items()}, results


def table(header, rows):
    """Print a table; numbers are rounded to three digits."""
    print("| " + " | ".join(header) + " |")
    print("| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        cells = [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row]
        print("| " + " | ".join(cells) + " |", flush=True)
    print()


def arguments(about, repeats=5):
    """Return a parser with the options that all comparisons have."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--repeats", type=int, default=repeats, help="runs of each side; medians are shown")
    folder = os.environ.get("CREDENCE_TEST_DATA", SOURCE.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(folder), help="folder of the data sets")
    return parser


def read(path):
    """Return the numbers and the labels of a gzip CSV file without missing values: rows with them are dropped."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(",") for line in file][1:]
    rows = [row for row in rows if all(row)]
    return np.array([row[:-1] for row in rows], dtype=np.float64), np.array([row[-1] for row in rows])
