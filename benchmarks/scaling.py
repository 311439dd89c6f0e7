r"""Nearest-neighbour conformal predictors with columns scaled by a tenth of the rows (the default) and as they are.

Each data set is split at random into two thirds and a third, many times, by the seed of the split. Both ways are
fitted on the first part and judged on the second: wrong labels, prediction sets at 0.95 of several classes, and
prediction sets at 0.95 that miss.

    python benchmarks/scaling.py --command build/credence --data DATA --splits 100
"""

import argparse
import gzip
import json
import random
import subprocess
import tempfile
from pathlib import Path

SETS = "australian,breast_cancer,breastw,bupa,cleveland,glass,haberman,ionosphere,pima,segment"
WAYS = {"default": [], "none": ["--scale", "none"]}
CONFIDENCE_LEVEL = 0.95


def text_of(data: Path, name: str) -> str:
    """Return a data set of the folder, or the one of the project."""
    own = Path(__file__).parent.parent / "data" / f"{name}.csv"
    return own.read_text() if own.exists() else gzip.decompress((data / f"{name}.csv.gz").read_bytes()).decode()


def judged(command: Path, folder: Path, extra: list[str]) -> dict:
    """Return the evaluation of a predictor, fitted and judged in the folder."""
    fit = [command, "conformal", "fit", folder / "train.csv", *extra, "--missing", "drop", "--quiet"]
    subprocess.run([*fit, "-o", folder / "m"], check=True, capture_output=True)
    call = [command, "evaluate", folder / "m", folder / "test.csv", "--confidence-level", str(CONFIDENCE_LEVEL)]
    return json.loads(subprocess.run([*call, "--quiet", "--json", "-"], check=True, capture_output=True).stdout)


def main() -> None:
    """Measure, and print a line for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=100)
    parser.add_argument("--sets", default=SETS)
    options = parser.parse_args()
    print("| data set | wrong labels | as they are | several classes | as they are | misses | as they are |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in options.sets.split(","):
        header, *rows = text_of(options.data, name).splitlines()
        sums = {way: [0, 0, 0, 0] for way in WAYS}
        for split in range(options.splits):
            random.Random(split).shuffle(rows)
            with tempfile.TemporaryDirectory() as folder:
                third = len(rows) // 3
                for file, part in (("test.csv", rows[:third]), ("train.csv", rows[third:])):
                    Path(folder, file).write_text("\n".join([header, *part]) + "\n")
                for way, extra in WAYS.items():
                    result = judged(options.command.resolve(), Path(folder), extra)
                    sets = result["prediction_sets"][0]
                    counts = (result["n"], result["errors"], sets["multiple"], sets["errors"])
                    sums[way] = [a + b for a, b in zip(sums[way], counts, strict=True)]
        cells = [f"{100 * sums[way][k] / sums[way][0]:.1f} %" for k in (1, 2, 3) for way in WAYS]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
