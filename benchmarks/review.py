"""Which rows should a person look at? The share of all errors among the rows that each rule marks, on ten sets.

Each set is divided into training rows and test rows, several times. `credence select` with its defaults chooses and
trains. Each rule puts the predictions for the test rows in order, the most doubtful row first. Rows of equal doubt
stand in the order of the test rows, which is random.

    python benchmarks/review.py --command build/credence --data ../shared/data --output docs/results/review.json
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import random
import subprocess
import tempfile
from pathlib import Path

#: File, and training rows at most; half of the rows train where that is less. The first one ships with Credence.
SETS = {
    "breast_cancer": ("breast_cancer.csv", 1000),
    "pima": ("pima.csv.gz", 1000),
    "credit": ("credit.csv.gz", 1000),
    "hungary": ("hungary.csv.gz", 1000),
    "ionosphere": ("ionosphere.csv.gz", 1000),
    "votes": ("votes.csv.gz", 1000),
    "glass": ("glass.csv.gz", 1000),
    "segment": ("segment.csv.gz", 1000),
    "usps": ("usps.train.csv.gz", 1000),
    "adult": ("large/adult.train.csv.gz", 1000),
}
MOST_TESTED = 5000
BUDGETS = [0.05, 0.1, 0.2]
DRAWS = 5


def read(path: Path) -> tuple[list[str], list[list[str]]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def predicted(command: str, place: Path, calibration: str) -> list[dict[str, str]]:
    words = ["--probability", "--calibration", calibration, "--unseen", "other", "--quiet", "-o", place / "out.csv"]
    subprocess.run([command, "predict", place / "model", place / "test.csv", *words], check=True, capture_output=True)
    with (place / "out.csv").open() as file:
        return list(csv.DictReader(file))


def of_label(row: dict[str, str], prefix: str) -> float:
    return float(row[f"{prefix}{row['label']}"])


def trust_of(row: dict[str, str], other: dict[str, str]) -> dict[str, float]:
    """Return what each rule thinks of a row; the row of the least trust comes first.

    `row` has the probabilities of the sigmoid, `other` those of Venn-Abers.
    """
    lower = of_label(other, "probability_lower_")
    confidence, credibility = float(row["confidence"]), float(row["credibility"])
    return {
        "probability of the label": of_label(row, "probability_"),
        "probability, Venn-Abers": of_label(other, "probability_"),
        "probability, lower end of Venn-Abers": lower,
        "width of the Venn-Abers interval": lower - of_label(other, "probability_upper_"),
        "confidence": confidence,
        "credibility": credibility,
        "credibility + confidence": credibility + confidence,
        "familiarity": float(row["familiarity"]),
    }


def errors_found(trust: list[float], wrong: list[bool]) -> list[int]:
    order = sorted(range(len(trust)), key=trust.__getitem__)
    return [sum(wrong[row] for row in order[: math.ceil(share * len(order) - 1e-9)]) for share in BUDGETS]


def judged(command: str, source: Path, most: int, place: Path) -> dict:
    """Return the mean error, and for each rule the share of all errors that each budget finds."""
    header, rows = read(source)
    errors = tested = 0
    found: dict[str, list[int]] = {}
    for draw in range(DRAWS):
        random.Random(draw).shuffle(rows)
        count = min(most, len(rows) // 2)
        test = rows[count : count + MOST_TESTED]
        write(place / "train.csv", header, rows[:count])
        write(place / "test.csv", header, test)
        words = ["--missing", "impute", "--seed", str(draw), "--quiet", "-o", place / "model"]
        subprocess.run([command, "select", place / "train.csv", *words], check=True, capture_output=True)
        both = [predicted(command, place, calibration) for calibration in ("sigmoid", "venn_abers")]
        wrong = [row["label"] != truth[-1].strip() for row, truth in zip(both[0], test, strict=True)]
        trust = [trust_of(*pair) for pair in zip(*both, strict=True)]
        for rule in trust[0]:
            counts = errors_found([one[rule] for one in trust], wrong)
            found[rule] = [a + b for a, b in zip(found.get(rule, [0, 0, 0]), counts, strict=True)]
        errors, tested = errors + sum(wrong), tested + len(test)
    return {
        "tested": tested,
        "error": round(errors / tested, 4),
        "found": {rule: [round(count / errors, 4) for count in counts] for rule, counts in found.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data sets")
    parser.add_argument("--output", type=Path, default=Path("docs/results/review.json"))
    arguments = parser.parse_args()
    shipped = Path(__file__).parents[1] / "data"
    sets = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (file, most) in SETS.items():
            source = shipped / file if (shipped / file).exists() else arguments.data / file
            sets[name] = judged(arguments.command, source, most, Path(folder))
            print(name, sets[name], flush=True)
    document = {"draws": DRAWS, "budgets": BUDGETS, "sets": sets}
    arguments.output.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
