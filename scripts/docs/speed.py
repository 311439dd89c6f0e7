"""Tables of speed, from the JSON of `make bench` (docs/results/bench.json)."""

from __future__ import annotations

from math import exp, log
from statistics import median

from papers import table


def seconds(value: float | None) -> str:
    """Return a number of seconds with three digits."""
    if value is None:
        return ""
    return f"{value:.3f}" if value < 1 else f"{value:.3g}"


def cpu(runs: list[dict]) -> float | None:
    return median(run["cpu_seconds"] for run in runs) if runs else None


def machine(document: dict) -> str:
    of = document["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in of["versions"].items())
    return (
        f"{document['processor']}; Credence's kernels for {of['simd_target']}; {versions}. Seconds are those of the processor, on "
        "one thread, so other work on the machine changes them little; they are medians of the runs."
    )


def geometric_mean(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))
PARTS: dict = {}
