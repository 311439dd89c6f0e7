"""The tables of benchmarks/decisions.py (beside MAPIE's risk control and nproc's rule) and of benchmarks/review.py."""

from __future__ import annotations

import papers


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def decisions(document: dict) -> str:
    """Return the table, and a sentence that says where it comes from."""
    rows = []
    for line in document["lines"]:
        first = line["method"] == document["lines"][0]["method"]
        limits = " and ".join(f"{100 * limit:g}" for limit in line["limits"])
        rows.append(
            [
                f"`{line['set']}`" if first else "",
                limits if first else "",
                line["method"],
                percent(line["decided"]),
                *[percent(share) for share in line["missed"]],
                " and ".join(map(str, line["compared"])),
                " and ".join(map(str, line["needed"])),
            ]
        )
    head = ["set", "limits, %", "method", "decided, %", "first missed, %", "second missed, %", "compared", "needed"]
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    text = f"Means over {document['draws']} divisions of each set into training and test rows. {versions}."
    return f"{papers.table(head, rows, 3)}\n\n{text}"


def review(document: dict) -> str:
    """Return the share of all errors that each rule finds: the mean over the sets for each budget, each set for one."""
    sets, budgets = document["sets"], document["budgets"]
    one = budgets.index(0.1)

    def line(name: str, found: list[list[float]]) -> list[str]:
        means = [percent(sum(each[k] for each in found) / len(found)) for k in range(len(budgets))]
        return [name, *means, *[percent(each[one]) for each in found]]

    rules = next(iter(sets.values()))["found"]
    rows = [line(rule, [each["found"][rule] for each in sets.values()]) for rule in rules]
    rows.sort(key=lambda row: -float(row[1 + one]))
    rows.append(line("chance", [budgets] * len(sets)))
    rows.append(["*rows with a wrong label, %*", "", "", "", *[percent(each["error"]) for each in sets.values()]])
    head = ["errors found, %", *[f"mean at {100 * budget:g} %" for budget in budgets], *[f"`{name}`" for name in sets]]
    return papers.table(head, rows, 1)
