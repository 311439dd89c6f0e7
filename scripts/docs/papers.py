"""Tables of the papers beside ours, from the results of `credence reproduce`."""

from __future__ import annotations

from statistics import mean, stdev


def table(head: list[str], rows: list[list[str]], left: int = 1) -> str:
    """Return a Markdown table; columns from `left` on are numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *rows])


def how(document: dict, command: str) -> str:
    """Say where a table comes from."""
    return (
        f"`{command}`, version {document['version']}, seed {document['seed']}, {document['threads']} threads of "
        f"{document['processor']}. {document['paper']}."
    )


def with_spread(value: dict | None, spread: str, digits: int = 3, factor: float = 1.0) -> str:
    if value is None:
        return ""
    main = next(value[key] for key in ("mean", "error") if key in value)
    if main is None:
        return ""
    text = f"{factor * main:.{digits}f}"
    return text if value.get(spread) is None else f"{text} ({factor * value[spread]:.{digits}f})"


def nonconformity(document: dict) -> str:
    columns = document["columns"]
    head = ["data", "", *columns]
    rows = []
    for one in [*document["sets"], *document["overall"]]:
        for who in ("ours", "paper"):
            cells = [with_spread(one["methods"][name][who], "error_std") for name in columns]
            rows.append([one["name"] if who == "ours" else "", who, *cells])
    seconds = [
        [one["name"], f"{one['seconds_cv_to_nonconformity']:.1f}"]
        for one in [*document["sets"], document["overall"][0]]
    ]
    figure = document["figure_2"]
    remarks = [f"- {one['name']}: {', '.join(one['remarks'])}." for one in document["sets"] if one["remarks"]]
    return "\n\n".join(
        [
            how(document, f"credence reproduce nonconformity --data DIR --repeats {document['repeats']}"),
            "**Table 3**: share of wrong labels, in brackets the standard deviation over the folds. Methods "
            "without a line of the "
            "paper are not in the paper.",
            table(head, rows, 2),
            "How many times longer cross-validation takes than nonconformity:",
            table(["data", "cv / nonconformity"], seconds),
            f"Data that differ from the paper's:\n\n{chr(10).join(remarks)}" if remarks else "",
            f"Figure 2 has {figure['models']} models and {figure['validation_rows']} validation rows of "
            f"`{figure['set']}`.",
        ]
    )


def tcm_nn(document: dict) -> str:
    errors, sets = [], []
    for one in document["sets"]:
        found = [each["found"] for each in one["passes"]]

        def spread(values):
            return f"{mean(values):.2f}" + (f" ({stdev(values):.2f})" if len(values) > 1 else "")

        share = [100 * each["errors"] / each["rows"] for each in found]
        plain = [100 * each["plain_errors"] / each["found"]["rows"] for each in one["passes"]]
        paper = one["paper"] or {"error_percent": None, "levels": []}
        printed = "" if paper["error_percent"] is None else f"{paper['error_percent']:g}"
        errors.append([one["name"], spread(share), printed, spread(plain)])
        for level, _ in enumerate(found[0]["levels"]):
            each = [run["levels"][level] for run in found]

            def percent(name, each=each):
                return spread([100 * run[name] / run["rows"] for run in each])

            right = [100 * (1 - run["single_errors"] / run["single"]) for run in each]
            ours = [percent("single"), percent("multiple"), percent("empty"), spread(right), percent("errors")]
            sets.append([one["name"], f"{each[0]['confidence_level']:g}", "ours", *ours])
            if level < len(paper["levels"]):
                names = ("single_percent", "multiple_percent", "empty_percent", "single_correct_percent")
                line = paper["levels"][level]
                sets.append(["", "", "paper", *[f"{line[name]:g}" for name in names], ""])
    return "\n\n".join(
        [
            how(document, f"credence reproduce tcm-nn --data DIR --repeats {document['repeats']}"),
            "**Tables 1 and 2**: wrong labels in per cent; in brackets the deviation of one shuffle, where "
            "there are folds.",
            table(["data", "ours", "paper", "plain nearest neighbour, ours"], errors),
            "**Table 3**: prediction sets in per cent of the rows. *Correct of one*: the share of right labels among "
            "the prediction sets with one class.",
            table(["data", "level", "", "one class", "several", "none", "correct of one", "errors"], sets, 3),
        ]
    )


TITLES = {
    "I": "soft error on the reference rows",
    "III": "hard error on the reference rows",
    "V": "bound on the soft error",
    "VII": "bound on the hard error",
    "X": "soft error on the test rows",
    "XI": "hard error on the test rows",
    "XII": "bound on the soft error",
    "XIII": "bound on the hard error",
    "XIV": "seconds",
}


def in_sample(document: dict) -> str:
    parts = [how(document, "credence reproduce in-sample --data DIR")]
    lines = document["lines"]
    numbers = list(dict.fromkeys(number for line in lines for number in line["tables"]))
    for number in sorted(numbers, key=list(TITLES).index):
        of_table = [line for line in lines if number in line["tables"]]
        columns = list(of_table[0]["tables"][number])
        unit = "seconds" if number == "XIV" else "per cent"
        rows = []
        for line in of_table:
            mnist = "mnist" in line["set"].lower()
            name = str(line["training_rows"]) if mnist else line["name"]
            cells = line["tables"][number]
            ours = [cell(cells[each]["ours"]) for each in columns]
            if TITLES[number].startswith("bound"):
                is_vacuous = [(cells[each]["ours"] or {}).get("mean", 0) >= 100 for each in columns]
                ours = ["vacuous" if vacuous else text for vacuous, text in zip(is_vacuous, ours, strict=True)]
            rows.append([name, "ours", *ours])
            rows.append(["", "paper", *[cell(cells[each]["paper"]) for each in columns]])
        title = TITLES[number] if number == "XIV" else f"{TITLES[number]}, in {unit}"
        first = "rows of MNIST" if "mnist" in of_table[0]["set"].lower() else "data"
        parts += [f"**Table {number}**: {title}.", table([first, "", *columns], rows, 2)]
    parts.append(
        "`*`: a printed figure that a correctly computed bound cannot reach; `!`: printed figures that "
        "contradict each other. "
        "[What is a target](#what-is-a-target-and-what-is-not) has the reasons."
    )
    return "\n\n".join(parts)


def cell(value: dict | None) -> str:
    if value is None or value["mean"] is None:
        return ""
    mark = "" if value.get("reproducible", True) else "\\*"
    mark += "" if value.get("consistent", True) else "!"
    text = f"{mark}{value['mean']:.2f}"
    return f"{text} ({value['half_width']:.2f})" if value.get("half_width") else text


WORDS = {
    "rvm_cv": "RVM CV",
    "svm_cv": "SVM CV",
    "rvm_mv": "RVM MV",
    "svm_mv": "SVM MV",
    "best": "MinTestError",
    "svm_cv_100": "SVM CV, C = 100",
    "svm_mv_100": "SVM MV, C = 100",
}
SCALES = {"minmax": "[0, 1]", "standard": "z-scores"}


def kernel_validity(document: dict) -> str:
    rows = []
    for one in document["sets"]:
        for i, scaled in enumerate(one["scaled"]):
            cells = [with_spread(scaled["table_1"][key]["ours"], "deviation", 1) for key in WORDS]
            rows.append([one["name"] if i == 0 else "", SCALES[scaled["scaling"]], *cells])
        printed = [one["scaled"][0]["table_1"][key].get("paper") for key in WORDS]
        rows.append(["", "paper", *[with_spread(each, "deviation", 1) for each in printed]])
    kinds = ["rvm_cv", "svm_cv", "rvm_mv", "svm_mv"]
    ranks = [["paper", *[str(document["rank_totals"]["paper"][key]) for key in kinds]]]
    ranks += [
        [f"ours, {SCALES[each['scaling']]}, C = {each['C']:g}", *[str(each["totals"][key]) for key in kinds]]
        for each in document["rank_totals"]["ours"]
    ]
    sinc = document["sinc"]
    curve = [
        ["median log validity", *[f"{each['log_validity']:.0f}" for each in sinc["median"]]],
        ["median log evidence", *[f"{each['log_evidence']:.0f}" for each in sinc["median"]]],
    ]
    by = {"index": "the index", "cv": "five-fold cross-validation", "evidence": "the evidence", "best": "the truth"}
    rmse = [[by[key], with_spread(sinc["rmse"][key], "deviation", 4)] for key in by]
    met = sum(target["met"] for target in document["targets"])
    return "\n\n".join(
        [
            how(document, f"credence reproduce kernel-validity --data DIR --splits {document['splits']}"),
            "**Table 1**: wrong labels in per cent, in brackets the deviation over splits.",
            table(["data", "features", *WORDS.values()], rows, 2),
            "**Rank totals** (1 is the least error of a line):",
            table(["", *[WORDS[key] for key in kinds]], ranks),
            "**Figure 2**: sin(x)/x, by the width sigma:",
            table(["sigma", *[f"{each['sigma']:g}" for each in sinc["median"]]], curve),
            "Root mean square distance from sin(x)/x of the widths that are chosen by",
            table(["", "rmse"], rmse),
            f"{met} of {len(document['targets'])} targets are met ([what they are](#what-is-a-target)).",
        ]
    )


def honest(found: dict) -> str:
    """Return the corrected estimate beside nested cross-validation, of `benchmarks/honest.py`, and their means."""
    lines = found["lines"]

    def row(data: str, learner: str, some: list[dict]) -> str:
        runs = sum(one["draws"] for one in some)

        def mean(key: str) -> float:
            return sum(one[key] * one["draws"] for one in some) / runs

        figures = [f"{runs:.0f}", f"{100 * mean('truth'):.1f}", f"{100 * mean('selected_bias'):+.1f}"]
        for estimate in ("honest", "nested"):
            figures += [f"{100 * mean(f'{estimate}_bias'):+.1f}", f"{100 * mean(f'{estimate}_covered'):.0f}"]
            figures += [f"{100 * mean(f'{estimate}_width'):.1f}"]
        figures += [f"{mean(f'{key}_seconds'):.3g}" for key in ("search", "estimate", "nested")]
        return f"| {data} | {learner} | " + " | ".join(figures) + " |"

    head = [
        f"Draws of {found['rows']} rows; seconds are of one processor.",
        "",
        "| data | learner | runs | true error | bias of the best score | honest: bias | covered | width | "
        "nested: bias | covered | width | search, s | honest, s | nested, s |",
        "| --- | --- |" + " ---: |" * 12,
    ]
    rows = [row(one["data"], one["learner"], [one]) for one in lines]
    for name in dict.fromkeys(one["learner"] for one in lines):
        rows.append(row("all", name, [one for one in lines if one["learner"] == name]))
    return "\n".join([*head, *rows, row("all", "all", lines)])


def watch(found: dict) -> str:
    """Return how soon changes are seen, of `benchmarks/watch.py`."""
    changes = list(dict.fromkeys(one["change"] for one in found["lines"]))
    costs = found["seconds_for_1000_rows"]

    def cell(by: str, change: str) -> str:
        one = next(one for one in found["lines"] if (one["by"], one["change"]) == (by, change))
        early = f", {one['early']} early" if one["early"] else ""
        if change == "none":
            return f"{one['early'] + one['seen']} alarms"
        delay = one["median_delay"]
        late = delay is None or delay > found["changed"]
        return ("not seen" if late else f"{delay:.0f}") + f" ({one['seen']} seen{early})"

    lines = [
        f"| {by} | " + " | ".join(cell(by, change) for change in changes) + f" | {costs[by]:.3f} |"
        for by in dict.fromkeys(one["by"] for one in found["lines"])
    ]
    head = [
        f"{found['lines'][0]['draws']} streams of each kind. Seconds are for 1,000 rows; those of online-cp come on "
        f"top of {costs['distances for online-cp']:.3f} s for the distances.",
        "",
        "| by | " + " | ".join(changes) + " | seconds |",
        "| --- |" + " ---: |" * (len(changes) + 1),
    ]
    return "\n".join(head + lines)
