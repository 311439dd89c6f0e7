"""One rbf SVM on all rows beside the average of regions, on 2,000 to 20,000 rows of eight data sets.

Every run is a process of its own, which reads a CSV, chooses without an honest estimate, and trains. Regions choose as
by default, among kernels and scalings. The one SVM has standardised columns and the best of 110 settings of C and gamma:
by the exact grid up to 5,000 rows, and by the race above, whose errors are those of the grid (docs/large-data.md). Both are judged on the same further rows. Seconds are those of the processor. With several
seeds, the error of regions is the median over the seeds, with half the range behind it, and their seconds are the median.

    python benchmarks/middle.py --command build/credence --data DATA
    python benchmarks/middle.py --command build/credence --data DATA --sets adult --rows 32561 --seeds 5
"""

import argparse
import gzip
import json
import math
import random
import statistics
import tempfile
from pathlib import Path

from regions import write_rows
from measured import BEST_RBF, LIBSVM_GRID, measured_run

SETS = {  # training rows, further rows, the class that stands against the rest
    "ijcnn1": ("large/ijcnn1.train", "large/ijcnn1.test", None),
    "adult": ("large/adult.train", "large/adult.test", None),
    "shuttle": ("shuttle.train", "shuttle.test", None),
    "shuttle, first class": ("shuttle.train", "shuttle.test", "1"),
    "satellite": ("satellite.train", "satellite.test", None),
    "usps": ("usps.train", "usps.test", None),
    "mnist01": ("mnist01.train", "mnist01.test", None),
    "generated": (None, None, None),
}
EXACT_UP_TO = 5_000


def rows_of(path: Path, positive: str | None) -> tuple[str, list[str]]:
    """Return the header and the rows of a file, with one class against the rest where it is named."""
    with gzip.open(path, "rt") as file:
        header, *rows = file.read().splitlines()
    if positive is not None:
        cut = [row.rsplit(",", 1) for row in rows]
        rows = [f"{cells},{'one' if label == positive else 'rest'}" for cells, label in cut]
    return header, rows


def write(path: Path, header: str, rows: list[str]) -> None:
    """Write a CSV."""
    path.write_text("\n".join([header, *rows]) + "\n")


def keep_known(folder: Path, training: list[str]) -> None:
    """Keep the further rows whose class some training row has, as `evaluate` asks."""
    known = {row.rsplit(",", 1)[1] for row in training}
    header, *rows = (folder / "further.csv").read_text().splitlines()
    write(folder / "test.csv", header, [row for row in rows if row.rsplit(",", 1)[1] in known])


def judged(command: str, words: list[str], folder: Path) -> tuple[float, float, int]:
    """Select and evaluate; return the processor seconds of the selection, the test error and the rows of the test."""
    model, found = str(folder / "m.credence"), folder / "found.json"
    chosen = measured_run(
        [command, "select", str(folder / "train.csv"), "--estimate", "none", "-o", model, "--quiet", *words]
    )
    measured_run([command, "evaluate", model, str(folder / "test.csv"), "--json", str(found), "--quiet"])
    result = json.loads(found.read_text())
    return chosen["cpu"], result["error"], sum(map(sum, result["confusion"]))


def main() -> None:
    """Print a line for each data set and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, nargs="+", default=[2_000, 5_000, 10_000, 20_000])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--seed", type=int, default=0, help="of the order of the rows")
    parser.add_argument("--seeds", type=int, default=1, help="runs of regions, each with a seed of its own")
    given = parser.parse_args()
    print("| data | rows | one machine, s | test error | regions, s | test error | difference, s.e. |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for data in given.sets:
            training, test, positive = SETS[data]
            if training is None:
                write_rows(folder / "all.csv", max(given.rows), 1)
                write_rows(folder / "further.csv", 20_000, 2)
                header, *rows = (folder / "all.csv").read_text().splitlines()
            else:
                header, rows = rows_of(given.data / f"{training}.csv.gz", positive)
                write(folder / "further.csv", *rows_of(given.data / f"{test}.csv.gz", positive))
                random.Random(given.seed).shuffle(rows)
            for count in given.rows:
                if count > len(rows):
                    break
                write(folder / "train.csv", header, rows[:count])
                keep_known(folder, rows[:count])
                whole = ["--race", "no"] if count <= EXACT_UP_TO else ["--race"]
                one_seconds, one, judges = judged(given.command, [*whole, *BEST_RBF, *LIBSVM_GRID], folder)
                words = ["--method", "regions", "--seed"]
                runs = [judged(given.command, [*words, str(seed)], folder) for seed in range(given.seeds)]
                regions_seconds = statistics.median(seconds for seconds, _, _ in runs)
                regions = statistics.median(error for _, error, _ in runs)
                noise = (max(error for _, error, _ in runs) - min(error for _, error, _ in runs)) / 2
                said = f" ± {100 * noise:.2f}" if given.seeds > 1 else ""
                spread = math.sqrt((one * (1 - one) + regions * (1 - regions)) / judges)  # of unpaired errors, at most
                difference = (regions - one) / spread if spread > 0 else 0.0
                print(
                    f"| {data} | {count:,} | {one_seconds:.1f} | {100 * one:.2f} % "
                    f"| {regions_seconds:.1f} | {100 * regions:.2f} %{said} | {difference:+.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
