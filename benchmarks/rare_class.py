"""Honest estimates of scores where a class is rare: 80 rows, one in eleven of the rare class, by simulation.

Two normal clouds in three features, 1.3 apart in each. Each sample is given to `credence select` with 25 settings, once
with each estimate. The truth of a sample is the score of the chosen model on 4,000 fresh rows.

    python benchmarks/rare_class.py --command build/credence --samples 100
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

ROWS, FRESH, FEATURES, APART, RARE = 80, 4000, 3, 1.3, 1 / 11
GRID = ["--C", "0.125,1,8,64,512", "--gamma", "0.004,0.02,0.1,0.5,2.5"]


def write_rows(path: Path, rows: int, seed: int) -> None:
    """Write a CSV of so many rows; class b is the rare one."""
    draw = random.Random(seed)
    with path.open("w") as file:
        file.write(",".join(f"x{j + 1}" for j in range(FEATURES)) + ",label\n")
        for _ in range(rows):
            label = "b" if draw.random() < RARE else "a"
            x = [draw.gauss(APART if label == "b" else 0, 1) for _ in range(FEATURES)]
            file.write(",".join(f"{value:.6f}" for value in x) + f",{label}\n")


def area(decisions: list[float], labels: list[str]) -> float:
    """Return the share of pairs that the decision values order rightly (no ties are expected)."""
    order = sorted(range(len(labels)), key=decisions.__getitem__)
    ranks = sum(place + 1 for place, row in enumerate(order) if labels[row] == "b")
    positive = labels.count("b")
    return (ranks - positive * (positive + 1) / 2) / (positive * (len(labels) - positive))


def loss_on(fresh: list[str], rows: list[list[str]], header: list[str], score: str) -> float:
    """Return 1 - score of predictions of fresh rows."""
    said = [row[header.index("label")] for row in rows]
    if score == "roc_auc":
        return 1 - area([float(row[header.index("decision_value")]) for row in rows], fresh)
    true = {c: sum(a == b == c for a, b in zip(fresh, said, strict=True)) for c in "ab"}
    if score == "balanced_accuracy":
        return 1 - sum(true[c] / fresh.count(c) for c in "ab") / 2
    if score == "f1":
        return 1 - 2 * true["b"] / (fresh.count("b") + said.count("b"))
    return 1 - (true["a"] + true["b"]) / len(fresh)


def sample(command: str, place: Path, seed: int, score: str, estimates: list[str]) -> dict[str, tuple]:
    """Return truth, selected loss, estimate and interval (NaN where there is none) by each estimate."""
    train, test, model, said = (place / name for name in ("train.csv", "test.csv", "m.credence", "said.csv"))
    write_rows(train, ROWS, seed)
    found, truth = {}, 0.0
    for estimate in estimates:
        result = place / "found.json"
        words = [command, "select", train, "--score", score, "--estimate", estimate, "--seed", str(seed), *GRID]
        words += ["--threads", "1", "--quiet", "--json", result, "-o", model]
        if subprocess.run(words, check=False, capture_output=True).returncode != 0:
            continue
        if not found:
            words = [command, "predict", model, test, "--quiet", "--threads", "1", "-o", said]
            subprocess.run(words, check=True, capture_output=True)
            lines = [line.split(",") for line in said.read_text().splitlines()]
            fresh = [line.rsplit(",", 1)[1] for line in test.read_text().splitlines()[1:]]
            truth = loss_on(fresh, lines[1:], lines[0], score)
        document = json.loads(result.read_text())
        honest = document["honest"] or {}
        ends = [math.nan if honest.get(end) is None else honest[end] for end in ("lower", "upper")]
        error = honest.get("error")
        best = document["best"]["error"]
        found[estimate] = (truth, best, math.nan if error is None else error, *ends)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--estimates", nargs="+", default=["bbc", "nested"])
    parser.add_argument("--scores", nargs="+", default=["accuracy", "balanced_accuracy", "f1", "roc_auc"])
    given = parser.parse_args()
    print("| score | estimate | samples | true | selected | estimated | error of the bias | covered, % | no interval |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_rows(place / "test.csv", FRESH, 0)
        for score in given.scores:
            trials = [sample(given.command, place, seed + 1, score, given.estimates) for seed in range(given.samples)]
            for estimate in given.estimates:
                rows = [trial[estimate] for trial in trials if not math.isnan(trial.get(estimate, (math.nan,) * 5)[2])]
                off = [row[2] - row[0] for row in rows]
                ends = [row for row in rows if not math.isnan(row[3])]
                covered = sum(lower <= truth <= upper for truth, _, _, lower, upper in ends)
                means = [statistics.fmean(row[k] for row in rows) for k in range(3)]
                print(
                    f"| `{score}` | {estimate} | {len(rows)} | {means[0]:.3f} | {means[1]:.3f} | {means[2]:.3f} "
                    f"| {statistics.stdev(off) / math.sqrt(len(off)):.3f} | {100 * covered / max(1, len(ends)):.0f} "
                    f"| {len(rows) - len(ends)} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
