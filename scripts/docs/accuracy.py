"""Tables of errors, seconds and memory beside other learners, from the result of benchmarks/accuracy.py."""

from __future__ import annotations

from papers import table

#: What a column chose its settings among; the others run as they come.
TRIED = {
    "credence": "144 settings, 10 folds",
    "credence-svm": "110 settings, 10 folds",
    "svm-grid": "110 settings, 5 folds",
    "catboost-tuned": "20 settings, 5 folds",
    "lightgbm-tuned": "20 settings, 5 folds",
    "xgboost-tuned": "20 settings, 5 folds",
}


def keel(document: dict, beside: str) -> dict | None:
    """Return the summary of some columns on KEEL's sets, if they were run."""
    return next((one for one in document["groups"] if (one["part"], one["beside"]) == (1, beside)), None)


def named(document: dict, line: dict) -> list[str]:
    return [document["labels"][line["method"]], TRIED.get(line["method"], "none")]


def clear(line: dict) -> str:
    return f"{line['wins']}, {line['losses']}"


def errors(document: dict, beside: str) -> str:
    """Return the table of KEEL's sets."""
    own = keel(document, beside)
    if own is None:
        return "Not run."
    rows = [
        [
            *named(document, one),
            f"{one['rank']:.2f}",
            f"{one['ratio']:.3f}",
            "" if one is own["methods"][0] else f"{one['better']}, {one['worse']}",
            "" if one is own["methods"][0] else clear(one),
            "" if one["log_loss"] is None else f"{one['log_loss']:.3f}",
        ]
        for one in own["methods"]
    ]
    head = ["", "chosen among", "mean rank", "errors", "Credence better, worse", "of these clearly", "log loss"]
    return f"{table(head, rows, 2)}\n\n{own['sets']} sets. {made_by(document)}"


def sizes(document: dict) -> str:
    """Return the table of the other sets, three columns for each number of training rows."""
    groups = [one for one in document["groups"] if one["part"] == 2]
    if not groups:
        return "Not run."
    head, rows = ["", "chosen among"], [named(document, one) for one in groups[0]["methods"]]
    for own in groups:
        head += [f"{own['rows']:,} rows, {own['sets']} sets: mean rank", "errors", "clearly better, worse"]
        for row, one in zip(rows, own["methods"], strict=True):
            row += [f"{one['rank']:.2f}", f"{one['ratio']:.3f}", "" if one is own["methods"][0] else clear(one)]
    return table(head, rows, 2)


def cost(document: dict) -> str:
    """Return seconds and memory on KEEL's sets."""
    lines: dict = {}
    for beside in ("all", "tuned", "grid"):
        for line in (keel(document, beside) or {"methods": []})["methods"]:
            lines.setdefault(line["method"], line)
    rows = [
        [
            document["labels"][one["method"]],
            f"{one['wall']:.3g}",
            f"{one['cpu']:.3g}",
            f"{one['longest']:.3g}",
            f"{1000 * one['predict']:.3g}",
            f"{one['megabytes']:.0f}",
            f"{one['hours']:.2g}",
        ]
        for one in lines.values()
    ]
    head = ["", "fit, s", "processor, s", "longest fit, s", "1,000 predictions, ms", "memory, MB", "all runs, hours"]
    return table(head, rows)


def sets(document: dict) -> str:
    """Return the errors on each of KEEL's sets, first those where boosted trees are furthest ahead."""
    lines = [one for one in document["sets"] if one["part"] == 1]
    trees = ("catboost", "lightgbm", "xgboost")

    def ahead(one: dict) -> float:
        ours = one["errors"]["credence"] * one["of"] + 0.5
        return (min(one["errors"][name] for name in trees) * one["of"] + 0.5) / ours

    rows = []
    for one in sorted(lines, key=ahead):
        least = min(one["errors"].values())
        shown = [f"**{100 * e:.1f}**" if e == least else f"{100 * e:.1f}" for e in one["errors"].values()]
        columns = f"{one['columns']}" + (f" ({one['texts']})" if one["texts"] else "")
        rows.append([f"`{one['set']}`", f"{one['of']:,}", columns, str(one["classes"]), *shown])
    heads = [document["labels"][name] for name in lines[0]["errors"]] if lines else []
    return table(["set", "rows", "columns (of text)", "classes", *heads], rows)


def made_by(document: dict) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    return f"{document['processor']}, one thread. {versions}."


PARTS = {
    "errors": lambda document: errors(document, "all"),
    "tuned": lambda document: errors(document, "tuned"),
    "grid": lambda document: errors(document, "grid"),
    "sizes": sizes,
    "cost": cost,
    "sets": sets,
}
