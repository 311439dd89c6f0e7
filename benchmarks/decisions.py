"""Decisions with a limit for each class, beside MAPIE's risk control and nproc's rule, on four sets of two classes.

Each set is divided into training rows and test rows, several times. Every method gets the same training rows and the
same limits. MAPIE and nproc's rule set three tenths of the training rows aside, as `--p-values split` does, and decide by
the support vector machine of scikit-learn that a grid search chooses on the other rows. A class is ruled out by a
threshold of the decision value:

- MAPIE: a BinaryClassificationController for each class, recall for one and the false positive rate for the other, by
  fixed sequence testing along 201 thresholds, from the strictest one.
- nproc's rule: the binomial rank of Tong, Feng, Li (2018), proposition 1, among the rows of the class set aside.

A row is decided where one class is left, and goes to a person otherwise; a row is missed where its class is ruled out.

    python benchmarks/decisions.py --command build/credence --data ../shared/data --output docs/results/decisions.json
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import statistics
import subprocess
import tempfile
import warnings
from pathlib import Path

import mapie
import numpy as np
import scipy
import sklearn
from mapie.risk_control import BinaryClassificationController
from mapie.risk_control.methods import compute_hoeffding_bentkus_p_value
from scipy.stats import binom
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

#: File, the class that must not be missed, the other one, training rows, test rows at most.
SETS = {
    "pima": ("pima.csv.gz", "1", "0", 460, 308),
    "breastw": ("hardoon_breastw.csv.gz", "+1", "-1", 410, 273),
    "credit": ("hardoon_credit.csv.gz", "+1", "-1", 390, 263),
    "ijcnn1": ("large/ijcnn1.train.csv.gz", "1", "-1", 2400, 4000),
}
LIMITS = [(0.05, 0.10), (0.10, 0.20)]
CERTAINTY = 0.95
SET_ASIDE = 0.3
C, GAMMA = [1, 8, 64], [0.01, 0.1]


def read(path: Path) -> tuple[list[str], list[list[str]]]:
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def run(words: list) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


def of_credence(command: str, place: Path, names: tuple[str, str], seed: int) -> list[dict]:
    """Return what models of all rows, and of rows of which three tenths are set aside, come to with each pair of limits."""
    grid = ["--C", ",".join(map(str, C)), "--gamma", ",".join(map(str, GAMMA)), "--seed", seed]
    common = ["--threads", 1, "--quiet"]
    run([command, "select", place / "train.csv", *grid, *common, "-o", place / "all"])
    run([command, "select", place / "train.csv", *grid, *common, "--p-values", "split", "-o", place / "split"])
    found = []
    for limits in LIMITS:
        text = ",".join(f"{name}={limit}" for name, limit in zip(names, limits, strict=True))
        for method, model, more in (
            ("credence, all rows", "all", []),
            ("credence, rows set aside", "split", []),
            ("credence, rows set aside, certainty", "split", ["--certainty", CERTAINTY]),
        ):
            out = place / "out.json"
            run([command, "evaluate", place / model, place / "test.csv", "--limit", text, *more, *common, "--json", out])
            limited = json.loads(out.read_text())["limits"]
            each = {one["class"]: one for one in limited["per_class"]}
            found.append(
                {
                    "method": method,
                    "limits": limits,
                    "decided": limited["decided"] / limited["n"],
                    "wrong": limited["wrong"],
                    "missed": [each[name]["missed"] / each[name]["n"] for name in names],
                    "compared": [each[name]["compared_with"] for name in names],
                }
            )
    return found


def rank_of(rows: int, limit: float) -> int:
    """Return how many of the strangest rows set aside may be ruled out: the largest k with P(Bin < k) <= 1 - certainty."""
    k = 0
    while k < rows and binom.cdf(k, rows, limit) <= 1 - CERTAINTY:
        k += 1
    return k


def by_rank(own: np.ndarray, limit: float) -> float:
    """Return the threshold below which a class is ruled out. `own`: values of its rows, small where they are strange."""
    k = rank_of(len(own), limit)
    return -np.inf if k == 0 else np.sort(own)[k - 1]


def by_mapie(values: np.ndarray, truth: np.ndarray, risk: str, level: float, thresholds: np.ndarray) -> np.ndarray:
    """Return the thresholds that MAPIE finds valid."""
    controller = BinaryClassificationController(
        predict_function=lambda x: np.column_stack([1 - x, x]),
        risk=risk,
        target_level=level,
        confidence_level=CERTAINTY,
        list_predict_params=thresholds,
        fwer_method="fixed_sequence",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where no threshold is valid
        controller.calibrate(values, truth)
    return np.asarray(controller.valid_predict_params, dtype=float)


def judged(struck: np.ndarray, truth: np.ndarray) -> dict:
    """`struck`: for each row whether the wanted class and whether the other one is ruled out."""
    decided = struck.sum(axis=1) == 1
    own = np.where(truth == 1, struck[:, 0], struck[:, 1])
    return {
        "decided": float(decided.mean()),
        "wrong": int((decided & own).sum()),
        "missed": [float(struck[truth == label, column].mean()) for column, label in ((0, 1), (1, 0))],
    }


def of_peers(train: tuple, test: tuple, seed: int) -> list[dict]:
    x, aside_x, y, aside_y = train_test_split(*train, test_size=SET_ASIDE, stratify=train[1], random_state=seed)
    machine = GridSearchCV(
        make_pipeline(StandardScaler(), SVC()), {"svc__C": C, "svc__gamma": GAMMA}, cv=5
    ).fit(x, y)
    aside, fresh = machine.decision_function(aside_x), machine.decision_function(test[0])
    compared = [int((aside_y == 1).sum()), int((aside_y == 0).sum())]
    found = []
    for limits in LIMITS:
        low = by_rank(aside[aside_y == 1], limits[0])
        high = -by_rank(-aside[aside_y == 0], limits[1])
        struck = np.column_stack([fresh < low, fresh > high])
        found.append({"method": "nproc's rule", "limits": limits, "compared": compared, **judged(struck, test[1])})
        between = np.linspace(0, 1, 201)
        values, new = (1 / (1 + np.exp(-2 * v)) for v in (aside, fresh))
        lows = by_mapie(values, aside_y, "recall", 1 - limits[0], between)
        highs = by_mapie(values, aside_y, "fpr", limits[1], between[::-1])
        struck = np.column_stack(
            [new < (lows.max() if lows.size else -np.inf), new >= (highs.min() if highs.size else np.inf)]
        )
        found.append({"method": "MAPIE", "limits": limits, "compared": compared, **judged(struck, test[1])})
    return found


def needed(method: str, limit: float) -> int:
    """Return the fewest rows of a class among which some row can be ruled out at this limit."""
    rows = 1
    if method == "MAPIE":
        while compute_hoeffding_bentkus_p_value(np.array([0.0]), rows, limit, True)[0][0] > 1 - CERTAINTY:
            rows += 1
    elif "certainty" in method or "nproc" in method:
        while rank_of(rows, limit) == 0:
            rows += 1
    else:
        while 1 / (rows + 1) > limit + 1e-12:
            rows += 1
    return rows


def of_set(command: str, data: Path, name: str, draws: int) -> list[dict]:
    file, wanted, other, training, testing = SETS[name]
    header, rows = read(data / file)
    rows = [row for row in rows if row[-1] in (wanted, other)]
    found = []
    for draw in range(draws):
        order = np.random.default_rng(draw).permutation(len(rows))
        parts = [[rows[i] for i in order[:training]], [rows[i] for i in order[training : training + testing]]]
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            write(place / "train.csv", header, parts[0])
            write(place / "test.csv", header, parts[1])
            found += of_credence(command, place, (wanted, other), draw)
        arrays = [
            (np.array([row[:-1] for row in part], dtype=float), np.array([int(row[-1] == wanted) for row in part]))
            for part in parts
        ]
        found += of_peers(*arrays, draw)
        print(f"{name}: draw {draw + 1} of {draws}", flush=True)
    lines = []
    for limits in LIMITS:
        for method in dict.fromkeys(one["method"] for one in found):
            own = [one for one in found if one["method"] == method and one["limits"] == limits]
            lines.append(
                {
                    "set": name,
                    "training_rows": training,
                    "limits": list(limits),
                    "method": method,
                    "draws": draws,
                    "decided": round(statistics.fmean(one["decided"] for one in own), 5),
                    "missed": [statistics.fmean(one["missed"][k] for one in own) for k in range(2)],
                    "draws_above": [sum(one["missed"][k] > limits[k] for one in own) for k in range(2)],
                    "compared": [round(statistics.fmean(one["compared"][k] for one in own)) for k in range(2)],
                    "needed": [needed(method, limit) for limit in limits],
                }
            )
    return lines


def text_of(document: dict) -> str:
    """Return JSON with a line for each key and each line of the table, numbers of five digits."""
    lines = [
        json.dumps({key: [round(one, 5) for one in value] if key == "missed" else value for key, value in line.items()})
        for line in document["lines"]
    ]
    head = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items() if key != "lines"]
    return "{\n" + ",\n".join([*head, ' "lines": [\n  ' + ",\n  ".join(lines) + "\n ]"]) + "\n}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    lines = [line for name in given.sets for line in of_set(given.command, given.data, name, given.draws)]
    said = subprocess.run([given.command, "--version"], check=True, capture_output=True, text=True).stdout.split()
    document = {
        "kind": "decisions",
        "certainty": CERTAINTY,
        "set_aside": SET_ASIDE,
        "draws": given.draws,
        "versions": {
            "credence": said[-1],
            "mapie": mapie.__version__,
            "scikit-learn": sklearn.__version__,
            "scipy": scipy.__version__,
        },
        "lines": lines,
    }
    given.output.write_text(text_of(document) + "\n")


if __name__ == "__main__":
    main()
