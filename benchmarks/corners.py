"""Where the SMO steps of a whole grid go: their shares by how far a setting's error lies above the smallest one.

Generated rows of ten columns: two overlapping normal classes, whose best possible error is 13.6 %. The default grid is
judged on a tenth of the rows, held out once. This method gives no setting up.

    python benchmarks/corners.py --command build/credence --rows 7200 19020
"""

import argparse
import json
import math
import tempfile
from pathlib import Path

import numpy as np
from measured import measured_run

COLUMNS = 10
SHIFT = 1.1  # of each class's mean from 0, in the first column: the best possible error is Phi(-1.1)
STEPS = [1, 2, 3, 5, math.inf]  # standard errors above the smallest error


def write_rows(path: Path, rows: int) -> None:
    """Write a CSV of so many rows, drawn by a fixed seed."""
    random = np.random.default_rng(16)
    label = random.integers(0, 2, size=rows)
    x = random.normal(size=(rows, COLUMNS))
    x[:, 0] += SHIFT * (2 * label - 1)
    header = ",".join([*(f"x{j + 1}" for j in range(COLUMNS)), "label"])
    np.savetxt(
        path, np.column_stack([x, label]), ["%.5f"] * COLUMNS + ["%d"], delimiter=",", header=header, comments=""
    )


def judged_grid(command: str, data: Path) -> tuple[dict, float]:
    """Return the document of a selection on rows held out once, and its processor seconds."""
    found = data.with_suffix(".json")
    words = [command, "select", str(data), "--method", "holdout", "--refit", "training", "--scale", "none"]
    run = measured_run([*words, "--estimate", "none", "--quiet", "--json", str(found)])
    return json.loads(found.read_text()), run["cpu"]


def main() -> None:
    """Print a table for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--rows", type=int, nargs="+", default=[7_200, 19_020])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "rows.csv"
        for rows in given.rows:
            write_rows(data, rows)
            whole, seconds = judged_grid(given.command, data)
            settings = [setting for setting in whole["grid"] if setting["error"] is not None]
            least = min(setting["error"] for setting in settings)
            unit = math.sqrt(least * (1 - least) / whole["validation_rows"])
            total = sum(setting["steps"] for setting in settings)
            print(f"{rows:,} rows: {total / 1e6:.1f} million steps, {seconds:.0f} CPU s,")
            print(f"least error {100 * least:.2f} %, one standard error {100 * unit:.2f} points\n")
            print("| error above the best, in standard errors | settings | share of the steps |\n| --- | ---: | ---: |")
            before = -1.0
            for step in STEPS:
                some = [setting for setting in settings if before < (setting["error"] - least) / unit <= step]
                share = sum(setting["steps"] for setting in some) / total
                print(f"| {max(before, 0):g} to {step:g} | {len(some)} | {100 * share:.1f} % |")
                before = step
            most = sorted(settings, key=lambda setting: -setting["steps"])[:12]
            share = sum(setting["steps"] for setting in most) / total
            print(f"\nThe twelve settings with most steps take {100 * share:.0f} % of all:")
            for setting in most:
                above = (setting["error"] - least) / unit
                name = f"C 2^{math.log2(setting['C']):g}, gamma 2^{math.log2(setting['gamma']):g}"
                print(f"  {name}: {setting['steps']:,} steps, {above:.1f} standard errors above")
            print(flush=True)


if __name__ == "__main__":
    main()
