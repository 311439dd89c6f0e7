r"""The race of one rbf SVM beside its exact grid: regret, factor of work, and forecast, on seeded subsets of real data.

Both choose the best of 110 settings of C and gamma, on standardised columns, unless `--grid` names others.
For each data set and each subset the exact grid runs once, and the race several times on the same ten folds with other
seeds, hence other rungs. The regret of a race is the exact grid's error of the setting that the race chose, minus the grid's
smallest error; its unit is the standard error of that smallest error. The factor compares processor seconds, reading included.
The forecast is that of the exact grid, which the command prints, divided by the seconds that it then took.

    python benchmarks/race.py --command build/credence --data DATA --rows 8000 --subsets 3 --races 7

The set "fine detail" is generated anew for each subset. A quarter of its rows is a board of small squares, which the first
rungs are too small to learn: there gamma 8 is clearly worse than gamma 0.125, and with all rows clearly better.

    python benchmarks/race.py --sets "fine detail" --rows 4500 --folds 5 --subsets 20 --races 1 \
        --grid --C 0.5,2,8,32 --gamma 2^-5:2^3:x4
    python benchmarks/race.py --sets "fine detail" --rows 8000 --squares 9 --folds 5 --subsets 20 --races 1 \
        --grid --C 0.5,2,8,32 --gamma 2^-5:2^3:x4
"""

import argparse
import gzip
import json
import math
import os
import random
import re
import subprocess
import tempfile
from pathlib import Path

from measured import BEST_RBF, LIBSVM_GRID

SETS = {  # file, further file, the class that stands against the rest
    "ijcnn1": ("large/ijcnn1.train.csv.gz", None, None),
    "shuttle": ("shuttle.train.csv.gz", "shuttle.test.csv.gz", "1"),
    "satellite": ("satellite.train.csv.gz", "satellite.test.csv.gz", "4"),
    "usps": ("usps.train.csv.gz", "usps.test.csv.gz", "8"),
    "adult": ("large/adult.train.csv.gz", None, None),
    "mnist01": ("mnist01.train.csv.gz", "mnist01.test.csv.gz", None),
    "satellite, six classes": ("satellite.train.csv.gz", "satellite.test.csv.gz", None),
    "usps, ten classes": ("usps.train.csv.gz", "usps.test.csv.gz", None),
}


FINE_DETAIL = "fine detail"


def fine_detail(count: int, seed: int, squares: int) -> tuple[str, list[str]]:
    """Return header and rows of a board of squares x squares fields beside a smooth boundary, with 3 % of the labels turned."""
    rows, draw = [], random.Random(seed)
    for _ in range(count):
        a, b, z = draw.random(), draw.random(), draw.gauss(0, 1)
        on_board = draw.random() < 0.25
        label = (int(squares * a) + int(squares * b)) % 2 == 0 if on_board else z + 2 * (a - 0.5) > 0
        if draw.random() < 0.03:
            label = not label
        rows.append(f"{a:.6g},{b:.6g},{z:.6g},{3 * on_board + draw.random():.6g},{'one' if label else 'other'}")
    return "a,b,z,place,label", rows


def rows_of(data: Path, name: str) -> tuple[str, list[str]]:
    """Return the header and the rows of a data set."""
    first, second, positive = SETS[name]
    header, rows = "", []
    for file in (first, second):
        if file is None:
            continue
        with gzip.open(data / file, "rt") as lines:
            header, *more = lines.read().splitlines()
        rows += more
    if positive is not None:
        parts = (row.rsplit(",", 1) for row in rows)
        rows = [f"{values},{'one' if label == positive else 'rest'}" for values, label in parts]
    return header, rows


UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "days": 86400.0}


def select(command: list[str]) -> tuple[dict, float, float]:
    """Run a selection; return its document, the processor seconds of the process, and forecast over seconds."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        document = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(command)} ended with status {status}")
        errors.seek(0)
        said = re.search(r"about ([0-9.]+) (\w+) \(this run\)", errors.read())
    forecast = float(said[1]) * UNITS[said[2]] / document["seconds"] if said else math.nan
    return document, usage.ru_utime + usage.ru_stime, forecast


def main() -> None:
    """Print a line for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--data", type=Path, help="folder of the data sets; not needed for generated rows")
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--subsets", type=int, default=3)
    parser.add_argument("--races", type=int, default=7)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--first-subset", type=int, default=0, help="seed of the first of the subsets")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--squares", type=int, default=7, help='of the board of "fine detail", along each side')
    parser.add_argument("--grid", nargs=argparse.REMAINDER, default=LIBSVM_GRID, help="options of the grid; the last argument")
    given = parser.parse_args()
    print(
        "| data | exact, CPU s | race, CPU s | factor | races within one s.e. | median regret, points | largest, s.e. "
        "| forecast of the grid / seconds |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in given.sets:
        header, rows = ("", []) if name == FINE_DETAIL else rows_of(given.data, name)
        regrets, units, exact_seconds, race_seconds, forecasts = [], [], [], [], []
        for subset in range(given.first_subset, given.first_subset + given.subsets):
            if name == FINE_DETAIL:
                header, drawn = fine_detail(given.rows, subset, given.squares)
            else:
                drawn = random.Random(subset).sample(rows, min(given.rows, len(rows)))
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "rows.csv"
                folds = [str(k % given.folds) for k in range(len(drawn))]
                lines = (f"{fold},{row}" for fold, row in zip(folds, drawn, strict=True))
                path.write_text("\n".join([f"fold,{header}", *lines]) + "\n")
                words = [given.command, "select", str(path), "--estimate", "none", "--json", "-"]
                words += ["--fold-column", "fold", *BEST_RBF, *given.grid, "--race"]
                exact, seconds, forecast = select([*words, "no"])
                exact_seconds.append(seconds)
                forecasts.append(forecast)
                errors = {(setting["C"], setting["gamma"]): setting["error"] for setting in exact["grid"]}
                least = min(error for error in errors.values() if error is not None)
                se = math.sqrt(max(least, 1 / len(drawn)) * (1 - least) / len(drawn))
                for seed in range(given.races):
                    raced, seconds, _ = select([*words, "yes", "--seed", str(1 + seed)])
                    race_seconds.append(seconds)
                    error = errors[raced["best"]["C"], raced["best"]["gamma"]]
                    error = 1.0 if error is None else error  # given up in the exact grid
                    regrets.append(100 * (error - least))
                    units.append((error - least) / se)
        mean = [sum(seconds) / len(seconds) for seconds in (exact_seconds, race_seconds)]
        within = sum(unit <= 1 for unit in units)
        print(
            f"| {name}, {len(drawn)} | {mean[0]:.1f} | {mean[1]:.1f} | {mean[0] / mean[1]:.1f} "
            f"| {within} of {len(units)} | {sorted(regrets)[len(regrets) // 2]:.3f} | {max(units):.2f} "
            f"| {min(forecasts):.2f} to {max(forecasts):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
