"""Tables of speed, from the JSON of `make bench` (docs/results/bench.json)."""

from __future__ import annotations

from math import exp, log, log10
from statistics import median

from papers import table


def seconds(value: float | None) -> str:
    """Return a number of seconds with three digits."""
    if value is None:
        return ""
    if value >= 1000:
        return f"{round(value, 2 - int(log10(value))):,.0f}"
    return f"{value:.3f}" if value < 1 else f"{value:#.3g}".rstrip(".")


def cpu(runs: list[dict]) -> float | None:
    return median(run["cpu"] for run in runs) if runs else None


def machine(document: dict) -> str:
    of = document["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in of["versions"].items())
    return (
        f"{document['processor']}; Credence's kernels for {of['simd_target']}; {versions}. Seconds are those of "
        "the processor, on "
        "one thread, so other work on the machine changes them little; they are medians of the runs."
    )


def geometric_mean(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def grid_rows(rows: list[dict], wide: bool) -> list[list[str]]:
    """Return the lines of a table of grids; without the columns that only the page has."""
    lines = []
    for row in rows:
        line = [row["name"], f"{row['rows']:,}", seconds(cpu(row["libsvm_seconds"]))]
        line += [seconds(cpu(row["scikit_learn_seconds"])), seconds(cpu(row["credence_seconds"]))]
        line.append(f"{row['ratio']:.0f}")
        if wide:
            line += [f"{row['ratio_scikit_learn']:.0f}", seconds(cpu(row["credence_per_fold_scaling_seconds"]))]
            line.append(str(row["largest_difference_rows"]))
        lines.append(line)
    return lines


NARROW = ["data set", "rows", "LIBSVM", "scikit-learn", "Credence", "times LIBSVM"]
WIDE = [*NARROW, "times scikit-learn", "scaled in each fold", "largest difference, rows"]


def readme(document: dict) -> str:
    rows = document["grids"]
    mean = geometric_mean([row["ratio"] for row in rows])
    return table(NARROW, grid_rows(rows, wide=False)) + f"\n\nThe geometric mean is {mean:.0f} times LIBSVM."


def grids(document: dict) -> str:
    of = document["settings"]
    rows = document["grids"]
    mean = geometric_mean([row["ratio"] for row in rows])
    other = geometric_mean([row["ratio_scikit_learn"] for row in rows])
    return "\n\n".join(
        [
            machine(document),
            f"{of['cells']} cells x {of['folds']} folds, tolerance {of['tolerance']:g}, "
            f"{of['libsvm_cache_megabytes']:.0f} MB of "
            "cache for LIBSVM; both sides have the same standardised numbers and the same folds.",
            table(WIDE, grid_rows(rows, wide=True)),
            f"The geometric means are {mean:.0f} times LIBSVM and {other:.0f} times scikit-learn's "
            "`GridSearchCV(SVC())`. *Scaled in each "
            "fold* is Credence's default, which needs a kernel matrix of its own for each fold. The last "
            "column is the largest difference "
            "between the cross-validation errors of a cell by LIBSVM and by Credence, counted in rows.",
        ]
    )


def many(document: dict) -> str:
    rows = document["many_classes"]["grids"]
    mean = geometric_mean([row["ratio"] for row in rows])
    return table(WIDE, grid_rows(rows, wide=True)) + f"\n\nThe geometric mean is {mean:.0f} times LIBSVM."


def left_out(document: dict) -> str:
    rows = [
        [
            row["name"],
            f"{row['rows']:,}",
            str(row["cells"]),
            ("~" if row["libsvm_extrapolated"] else "") + seconds(row["libsvm_seconds_scaled_up"]),
            seconds(cpu(row["credence_seconds"])),
            ("~" if row["libsvm_extrapolated"] else "") + f"{row['ratio']:.0f}",
        ]
        for row in document["leave_one_out"]
    ]
    note = "~: LIBSVM left out a sample of the rows."
    return table(["data set", "rows", "cells", "LIBSVM, n trainings", "Credence", "ratio"], rows) + f"\n\n{note}"


def work(document: dict) -> str:
    rows = [
        [
            row["name"],
            row["work"],
            ("~" if row["libsvm_extrapolated"] else "") + seconds(row["libsvm_seconds_scaled_up"]),
            seconds(cpu(row["credence_seconds"])),
            ("~" if row["libsvm_extrapolated"] else "") + f"{row['ratio']:,.0f}",
        ]
        for row in document["many_classes"]["work"]
    ]
    note = "~: LIBSVM went through a sample of the resamples or of the rows."
    return table(["data set", "work", "LIBSVM", "Credence", "ratio"], rows, 2) + f"\n\n{note}"


PARTS = {"work": work, "readme": readme, "grids": grids, "many": many, "left-out": left_out}
