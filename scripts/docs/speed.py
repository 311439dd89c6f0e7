"""Tables of speed, from the JSON of `make bench` (docs/results/bench.json)."""

from __future__ import annotations

from math import exp, log, log2, log10
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


NARROW = ["data set", "rows", "LIBSVM", "scikit-learn", "Credence", "times as fast as LIBSVM"]
WIDE = [*NARROW, "times as fast as scikit-learn", "scaled in each fold", "largest difference, rows"]


def mean_line(mean: float) -> str:
    return f"In the geometric mean Credence is {mean:.0f} times as fast as LIBSVM."


def readme(document: dict) -> str:
    rows = document["grids"]
    mean = geometric_mean([row["ratio"] for row in rows])
    one_core = {
        entry["name"].removeprefix("hardoon_"): entry["scikit-learn-intelex"]["cpu"]
        for entry in document["intelex"]["entries"]
        if entry["work"] == "grid" and entry["cores"] == 1
    }
    lines = grid_rows(rows, wide=False)
    for line in lines:
        line.insert(4, seconds(one_core.get(line[0])))
    heads = [*NARROW[:4], "scikit-learn-intelex", *NARROW[4:]]
    return "\n\n".join([table(heads, lines), mean_line(mean)])


def grids(document: dict) -> str:
    of = document["settings"]
    rows = document["grids"]
    mean = geometric_mean([row["ratio"] for row in rows])
    other = geometric_mean([row["ratio_scikit_learn"] for row in rows])
    return "\n\n".join(
        [
            machine(document),
            f"{of['cells']} settings x {of['folds']} folds, tolerance {of['tolerance']:g}, "
            f"{of['libsvm_cache_megabytes']:.0f} MB of "
            "cache for LIBSVM; both sides have the same standardised numbers and the same folds.",
            table(WIDE, grid_rows(rows, wide=True)),
            f"In the geometric mean Credence is {mean:.0f} times as fast as LIBSVM and {other:.0f} times as fast as "
            "scikit-learn's `GridSearchCV(SVC())`. *Scaled in each "
            "fold* is Credence's default, which needs a kernel matrix of its own for each fold. The last "
            "column is the largest difference "
            "between the cross-validation errors of a setting by LIBSVM and by Credence, counted in rows.",
        ]
    )


def many(document: dict) -> str:
    rows = document["many_classes"]["grids"]
    mean = geometric_mean([row["ratio"] for row in rows])
    return "\n\n".join([table(WIDE, grid_rows(rows, wide=True)), mean_line(mean)])


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
    return table(["data set", "rows", "settings", "LIBSVM, n trainings", "Credence", "ratio"], rows) + f"\n\n{note}"


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


def wall(runs: list[dict]) -> float | None:
    return median(run["wall"] for run in runs) if runs else None


def times(value: float | None, sampled: bool = False) -> str:
    """Return a ratio; ~ before one whose peer went through a sample."""
    if value is None:
        return ""
    return ("~" if sampled else "") + (f"{value:,.0f}" if value >= 10 else f"{value:.1f}")


def power_of_two(value: float) -> str:
    return f"2^{round(log2(value))}"


def training(document: dict) -> str:
    rows = [
        [
            row["name"],
            f"{row['rows']:,}",
            power_of_two(row["C"]),
            power_of_two(row["gamma"]),
            str(row["budget_megabytes"]),
            seconds(cpu(row["libsvm_seconds"])),
            seconds(cpu(row["credence_seconds"])),
            times(row["ratio"]),
            f"{row['credence_peak_megabytes']:.0f}",
        ]
        for row in document["training"]
    ]
    head = [
        "data set",
        "rows",
        "C",
        "gamma",
        "memory budget, MB",
        "LIBSVM",
        "Credence",
        "ratio",
        "peak MB above the data",
    ]
    return table(head, rows)


def estimates(document: dict) -> str:
    rows = [
        [
            row["name"],
            *[seconds(cpu(row[f"{name}_seconds"])) for name in ("none", "bbc", "nested")],
            f"{100 * (row['bbc_over_none'] - 1):.0f} %",
            times(row["nested_over_bbc"]),
        ]
        for row in document["honest_estimate"]
    ]
    return table(["data set", "no estimate", "`bbc`", "`nested`", "`bbc` adds", "`nested` over `bbc`"], rows)


def prediction(document: dict) -> str:
    rows = [
        [
            f"{row['rows']:,} x {row['features']}",
            str(row["models"]),
            f"{row['mean_support_vectors']:,.0f}",
            f"~{seconds(row['libsvm_seconds_scaled_up'])}",
            seconds(cpu(row["credence_seconds"])),
            times(row["ratio"], True),
            f"{row['rows_per_second_and_core']:,.0f}",
        ]
        for row in document["prediction"]
    ]
    head = ["rows", "SVMs", "support vectors of each", "LIBSVM", "Credence", "ratio", "rows a second and core"]
    return table(head, rows)


def methods(document: dict) -> str:
    rows = [
        [f"`{row['method']}`", seconds(cpu(row["seconds"])), seconds(cpu(row["with_bbc_seconds"]))]
        for row in document["methods"]["rows"]
    ]
    name = document["methods"]["data_set"]
    return table(["method", "Credence", "with the honest estimate"], rows) + f"\n\nThe data set is {name}."


def plain_queries(document: dict) -> str:
    """Return nearest-neighbour conformal prediction beside a query for the nearest neighbour; on the clock."""
    rows = []
    for row in document["conformal"]["plain_query"]:
        found = [[peer["name"], seconds(wall(peer["seconds"]))] for peer in row["plain_queries"]]
        training_time, ranking = wall(row["training_seconds"]), wall(row["ranking_seconds"])
        found.append(["Credence, training and p-values", f"{seconds(training_time)} + {seconds(ranking)}"])
        rows += [[f"{row['name']}, {row['rows']:,} x {row['test_rows']:,}", *line] for line in found]
    for row in document["conformal"]["shuttle"]:
        training_time, ranking = wall(row["training_seconds"]), wall(row["ranking_seconds"])
        rows.append(
            [
                f"{row['name']}, {row['rows']:,} x {row['test_rows']:,}",
                f"Credence, training and p-values ({row['peak_megabytes']:.0f} MB)",
                f"{seconds(training_time)} + {seconds(ranking)}",
            ]
        )
    return table(["rows x test rows", "program", "seconds on the clock"], rows, 2)


def neighbours(document: dict) -> str:
    rows = [
        [f"{row['rows']:,}", seconds(cpu(row["training_seconds"])), f"{row['milliseconds_per_row']:.3f}"]
        for row in document["conformal"]["gaussians"]
    ]
    of = document["conformal"]
    note = (
        f"\n\nThe time of training grows like rows^{of['exponent_training']:.2f}, that of a new row like "
        f"rows^{of['exponent_ranking']:.2f}."
        if of["exponent_training"] is not None
        else ""
    )
    return table(["rows", "training, s", "a new row, ms on the clock"], rows, 0) + note


def conformal_peers(document: dict) -> str:
    rows = [
        [
            row["name"],
            f"{row['rows']:,} x {row['test_rows']:,}",
            str(row["classes"]),
            seconds(cpu(row["peer_seconds"])),
            seconds(cpu(row["credence_seconds"])),
            times(row["ratio"]),
            str(row["differing_p_values"]),
        ]
        for row in document["conformal"]["peers"]
    ]
    for row in document["conformal"]["transductive_svm"]:
        rows.append(
            [
                f"transductive SVM, {row['name']}, beside LIBSVM trained anew",
                f"{row['rows']:,} x {row['test_rows']:,}",
                str(row["classes"]),
                seconds(cpu(row["libsvm_seconds"])),
                seconds(cpu(row["credence_seconds"])),
                times(row["ratio"]),
                "",
            ]
        )
    return table(["what", "rows x test rows", "classes", "peer", "Credence", "ratio", "p-values that differ"], rows)


def in_sample(document: dict) -> str:
    of = document["methods_with_bounds"]
    rows = [
        [
            row["method"] + (" with a hint" if row["hint"] else ""),
            f"{row['rows']:,}",
            seconds(cpu(row["one_thread_seconds"])),
            seconds(row["paper_seconds"]),
        ]
        for row in of["in_sample"] + [{**row, "hint": None} for row in of["held_out"]]
    ]
    return table(["method", "rows", "Credence", "the paper's machine, 2012"], rows)


def convex_steps(document: dict) -> str:
    of = document["methods_with_bounds"]
    rows = [
        [
            row["method"],
            f"{row['rows']:,}",
            seconds(cpu(row["libsvm_seconds"])),
            seconds(cpu(row["credence_seconds"])),
            times(row["ratio"]),
        ]
        for row in of["convex_steps"]
        if "libsvm_seconds" in row
    ]
    rows += [
        [
            row["method"],
            f"{row['rows']:,}",
            "~" if row["libsvm_extrapolated"] else "",
            seconds(cpu(row["one_thread_seconds"])),
            times(row["ratio"], row["libsvm_extrapolated"]),
        ]
        for row in of["held_out"]
        if "ratio" in row
    ]
    for line, row in zip(rows[-len(of["held_out"]) :], of["held_out"], strict=False):
        if "libsvm_seconds_scaled_up" in row:
            line[2] += seconds(row["libsvm_seconds_scaled_up"])
    return table(["method", "rows", "LIBSVM through the same steps", "Credence", "ratio"], rows)


def relevance(document: dict) -> str:
    rows = []
    for row in document["relevance_vector_machines"]["fits"]:
        for side in row["sides"]:
            what = f"{row['name']}, sigma {row['sigma']:g}"
            if "failure" in side:
                rows.append([what, f"{row['rows']:,}", side["name"], side["failure"], "", "", ""])
                continue
            star = "" if side["log_evidence_at_own_alpha"] else "*"
            rows.append(
                [
                    what,
                    f"{row['rows']:,}",
                    side["name"],
                    seconds(cpu(side["one_thread_seconds"])),
                    f"{side['log_evidence']:.1f}{star}",
                    str(side["kernels"]),
                    f"{side['test_error']:.3f}",
                ]
            )
    head = ["problem", "rows", "program", "seconds", "log evidence", "kernels", "error on fresh rows"]
    note = "*: the best evidence that we find for the peer's kernels, which favours the peer."
    selections = [
        f"Choosing one of ten widths for {row['rows']:,} rows of {row['name']} by the kernel validity index takes "
        f"{seconds(cpu(row['index_seconds']))} s; by 5-fold cross-validation {row['ratio']:.1f} times as long."
        for row in document["relevance_vector_machines"]["selections"]
    ]
    return (
        table(head, rows, 3)
        + f"\n\n{note} The error of a regression is the root of its mean square.\n\n"
        + "\n".join(selections)
    )


def reading(document: dict) -> str:
    rows = [
        [row["name"], f"{row['cells']:,}", f"{row['cells_per_second_and_core'] / 1e6:.0f}"]
        for row in document["reading"]
    ]
    return table(["file", "cells", "million cells a second and core"], rows)


LARGE_DATA_HEADS = {
    "exact grid": "exact grid",
    "race": "race",
    "regions": "regions, averaged",
    "Nystroem + LinearSVC": "`Nystroem` + `LinearSVC`",
    "boosting": "`HistGradientBoostingClassifier`",
    "tuned boosting": "HistGradientBoosting, tuned",
    "LIBSVM, given setting": "LIBSVM, one given setting",
}


def large_data(document: dict) -> str:
    """Return the table of ways to fit many rows, from the JSON of benchmarks/large_data.py."""
    runs = {(run["rows"], run["way"]): run for run in document["runs"]}

    def entry(rows: int, way: str) -> str:
        run = runs.get((rows, way))
        if run is None:
            return "not tried"
        if run["cost"] is None:
            return f"over {run['limit']:.0f} s"
        cost = run["cost"]
        noise = f" ± {cost['noise']:.1f}" if cost.get("runs", 1) > 1 else ""
        return f"{cost['wall']:.1f}{noise} s, {cost['megabytes']:,.0f} MB, {100 * run['error']:.2f} %"

    heads = {way: head for way, head in LARGE_DATA_HEADS.items() if any(run["way"] == way for run in document["runs"])}
    rows = [[f"{n:,}", *(entry(n, way) for way in heads)] for n in sorted({run["rows"] for run in document["runs"]})]
    return table(["rows", *heads.values()], rows)


def libsvm_versions(document: dict) -> str:
    """Return the table of two versions of LIBSVM, from the JSON of benchmarks/libsvm_versions.py."""
    debian, newest = document["versions"]
    rows = [
        [
            one["name"],
            f"{one['rows']:,}",
            *map(seconds, one["seconds"]),
            f"{one['seconds'][0] / one['seconds'][1]:.2f}",
            str(one["largest_difference_rows"]),
        ]
        for one in document["sets"]
    ]
    head = ["data set", "rows", f"LIBSVM {debian}", f"LIBSVM {newest}", "ratio", "largest difference, rows"]
    return table(head, rows)


def instructions(document: dict) -> str:
    """Return the table of counted cases, a column for each set of versions, from benchmarks/instructions.json."""
    of = list(document.values())
    rows = [[case, *(f"{counts[case] / 1e6:.1f}" if case in counts else "" for counts in of)] for case in of[0]]
    heads = [f"million instructions, {compiler_of(key)}" for key in document]
    return table(["case", *heads], rows)


def compiler_of(key: str) -> str:
    """Return compiler and OpenBLAS of a set of versions."""
    compiler, _, openblas, *_ = key.split("; ")
    return f"{compiler.split(',')[0]}, {openblas}"


PARTS = {
    "work": work,
    "readme": readme,
    "grids": grids,
    "many": many,
    "left-out": left_out,
    "training": training,
    "estimates": estimates,
    "prediction": prediction,
    "methods": methods,
    "plain-queries": plain_queries,
    "neighbours": neighbours,
    "conformal-peers": conformal_peers,
    "in-sample": in_sample,
    "convex-steps": convex_steps,
    "relevance": relevance,
    "reading": reading,
}


def intelex(document: dict) -> str:
    """Return the table of scikit-learn-intelex, from the JSON of benchmarks/intelex.py."""
    peer, own = "scikit-learn-intelex", "credence"

    def line(entry: dict, kind: str) -> list[str]:
        key = "cpu" if entry["cores"] == 1 else "wall"
        sides = [entry[peer][key], entry[own][key]]
        agree = str(entry["largest_difference_rows"]) if kind == "grid" else f"{100 * entry['same_labels']:.2f} %"
        memory = [] if kind == "grid" else [f"{entry[side]['peak_megabytes']:,.0f}" for side in (peer, own)]
        name = entry["name"].removeprefix("hardoon_")
        cores = "one" if entry["cores"] == 1 else "two"
        return [name, f"{entry['rows']:,}", cores, *map(seconds, sides), f"{sides[0] / sides[1]:.1f}", *memory, agree]

    head = ["data set", "rows", "cores", "intelex, s", "Credence, s", "times as fast"]
    heads = {
        "grid": [*head, "largest difference, rows"],
        "fit": [*head, "intelex, peak MB", "Credence, peak MB", "same labels"],
    }
    versions = ", ".join(f"{name} {of}" for name, of in document["versions"].items())
    parts = [f"{versions}. Of one core the seconds are those of the processor, of two cores those of the clock."]
    for kind, said in (("grid", "110 settings x 10 folds:"), ("fit", "One fit, C = 100, gamma = `scale`:")):
        rows = [line(entry, kind) for entry in document["entries"] if entry["work"] == kind]
        parts += [said, table(heads[kind], rows)]
    return "\n\n".join(parts)
