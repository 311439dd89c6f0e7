"""Tables of what bounds and p-values promise, from the result of `credence selfcheck`."""

from __future__ import annotations

import papers

LEVELS = (0.01, 0.05, 0.1, 0.2, 0.5)


def percent(share: float) -> str:
    return f"{100 * share:.2f}"


def at(line: dict, level: float) -> dict | None:
    return next((each for each in line["levels"] if abs(each["level"] - level) < 1e-9), None)


def shown(line: dict) -> dict:
    """Return the level whose interval the tables show: 0.1, or else the first."""
    return at(line, 0.1) or line["levels"][0]


def cells(check: dict, line: dict, first: bool) -> list[str]:
    if not line["levels"]:
        name = f"`{check['name']}`" if first else ""
        return [name, line["problem"], str(line["n"]), *[""] * (len(LEVELS) + 2), line["error"]]
    level = shown(line)
    measured = [percent(each["share"]) if (each := at(line, value)) else "" for value in LEVELS]
    interval = f"{percent(level['lower'])} to {percent(level['upper'])}"
    name = f"`{check['name']}`" if first else ""
    return [
        name,
        line["problem"],
        str(line["n"]),
        f"{line['values']:,}",
        *measured,
        percent(level["nominal"]),
        interval,
    ]


def table_of(checks: list[dict]) -> str:
    head = [
        "check",
        "problem",
        "n",
        "values",
        *[f"at {100 * level:g} %" for level in LEVELS],
        "nominal",
        "95 % interval",
    ]
    rows = []
    for check in checks:
        for place, line in enumerate(check["lines"]):
            row = cells(check, line, place == 0)
            if line["verdict"] == "BROKEN":
                row = [f"**{cell}**" if cell else cell for cell in row]
            rows.append(row)
    return papers.table(head, rows, 2)


def sources_of(checks: list[dict]) -> str:
    rows = [[f"`{check['name']}`", check["what"], check["promise"], check["source"]] for check in checks]
    return papers.table(["check", "what", "promise", "where it is made"], rows, 4)


def summary(document: dict) -> str:
    proved = [line for check in document["checks"] if check["promise"] != "approximate" for line in check["lines"]]
    values = sum(line["values"] for check in document["checks"] for line in check["lines"])
    command = f"credence selfcheck{' --quick' if document['quick'] else ''} --seed {document['seed']}"
    found = (
        f"All {len(proved)} lines of proved promises hold."
        if document["broken"] == 0
        else f"**{document['broken']} lines are broken**, in bold below."
    )
    return (
        f"`{command}`, version {document['version']}, {document['threads']} threads of {document['processor']}: "
        f"{values:,} values in all. {found} They are judged together by {document['tests']:,} tests."
    )


def guarantees(document: dict, part: str) -> str:
    checks = document["checks"]
    proved = [check for check in checks if check["promise"] != "approximate"]
    measured = [check for check in checks if check["promise"] == "approximate"]
    limits = [check for check in proved if not check["what"].startswith("p-value")]
    p_values = [check for check in proved if check["what"].startswith("p-value")]
    return {
        "summary": lambda: summary(document),
        "sources": lambda: sources_of(checks),
        "limits": lambda: table_of(limits),
        "p-values": lambda: table_of(p_values),
        "approximate": lambda: table_of(measured),
    }[part]()
