"""The table of what is equal on two processors, from what scripts/compare_platforms.py wrote."""

from __future__ import annotations

import papers


def share(found: dict | None) -> str:
    if found is None:
        return ""
    if found["others"]:
        return "words differ"
    if found["differing"] == 0:
        return f"every bit ({found['numbers']:,})"
    return f"{found['differing']:,} of {found['numbers']:,} differ, by up to {found['largest']:.1g}"


def decisions(found: dict) -> str:
    differing = found["differing_decisions"]
    if found["decisions"] == 0:
        return ""
    return f"{differing:,} of {found['decisions']:,} differ" if differing else f"all {found['decisions']:,} equal"


def platforms(result: dict) -> str:
    """Return the table of runs, below a line about the two programs."""
    rows = [
        [
            found["run"],
            decisions(found),
            share(found.get("result")),
            share(found.get("predictions")),
            {True: "every byte", False: "differs", None: ""}[found.get("model_equal")],
        ]
        for found in result["runs"]
    ]
    here, there = (
        f"{name} ({each['simd_target']}, {each['compiler'].split(',')[0]}, kernels of OpenBLAS for {each['blas_core']})"
        for name, each in (("x86-64", result["here"]), ("arm64", result["there"]))
    )
    head = [
        "run on `data/breast_cancer.csv`",
        "decisions",
        "numbers of the JSON result",
        "of predictions",
        "model file",
    ]
    return f"{here} beside {there}:\n\n" + papers.table(head, rows, 1)
