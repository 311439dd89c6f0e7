"""The table of decisions beside MAPIE's risk control and nproc's rule, from the result of benchmarks/decisions.py."""

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
