"""The honest error of four learners beside nested cross-validation, on draws of real rows and of coins.

Each draw takes 200 rows of a data set; the truth is the error of the chosen and refitted model on all others (of coins
1/2). `HonestSearchCV` chooses by five stratified folds; nested cross-validation repeats that search in each of five
outer folds, and has the Clopper-Pearson interval of all its errors. Needs the package and scikit-learn.

    python benchmarks/honest.py --data ../shared/data --draws 50 --json docs/results/honest.json
"""

import argparse
import json
import platform
import time
import warnings
from pathlib import Path

import credence
import numpy as np
import pandas
from scipy.stats import binomtest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ROWS = 200
SETS = ("pima", "australian", "breastw", "satellite", "usps 3 5 8", "coins")


def learners(seed: int) -> dict:
    """Return each learner with its grid."""
    scaled = [0.001, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100, 1000]
    return {
        "boosted trees": (
            GradientBoostingClassifier(n_estimators=20, max_features="sqrt", random_state=seed),
            {"learning_rate": [0.03, 0.1, 0.3, 1.0], "max_depth": [1, 3]},
        ),
        "random forest": (
            RandomForestClassifier(n_estimators=20, random_state=seed),
            {"max_features": [0.1, 0.5], "min_samples_leaf": [1, 3, 8, 20]},
        ),
        "logistic regression": (
            make_pipeline(StandardScaler(), LogisticRegression(max_iter=300, tol=1e-3)),
            {"logisticregression__C": scaled},
        ),
        "k-NN": (
            make_pipeline(StandardScaler(), KNeighborsClassifier()),
            {
                "kneighborsclassifier__n_neighbors": [1, 3, 5, 7, 9, 13, 19, 27, 41],
                "kneighborsclassifier__weights": ["uniform", "distance"],
            },
        ),
    }


def rows_of(name: str, folder: Path, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all rows of a data set; coins are drawn anew for each seed."""
    if name == "coins":
        draw = np.random.default_rng(seed + 1_000_000)
        return draw.normal(size=(ROWS + 1000, 10)), draw.integers(0, 2, ROWS + 1000)
    name, *classes = name.split()
    files = sorted(folder.glob(f"{name}.csv.gz")) or sorted(folder.glob(f"{name}.t*.csv.gz"))
    table = pandas.concat([pandas.read_csv(file) for file in files]).dropna()
    if classes:
        table = table[table["label"].isin([int(one) for one in classes])]
    return table.drop(columns="label").to_numpy(float), table["label"].to_numpy()


def one_draw(X, y, estimator, grid, seed: int) -> dict[str, float]:
    """Return the truth, the score that chose, both estimates with their ends, and processor seconds."""
    order = np.random.default_rng(seed).permutation(len(y))
    drawn, rest = order[:ROWS], order[ROWS:]
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    start = time.process_time()
    search = credence.HonestSearchCV(estimator, grid, cv=folds, n_jobs=1).fit(X[drawn], y[drawn])
    middle = time.process_time()
    errors = 0
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed + 1).split(X[drawn], y[drawn]):
        inner = GridSearchCV(estimator, grid, cv=folds, n_jobs=1).fit(X[drawn[train]], y[drawn[train]])
        errors += int((inner.predict(X[drawn[test]]) != y[drawn[test]]).sum())
    end = time.process_time()
    ends = binomtest(errors, ROWS).proportion_ci(0.95)
    honest = search.honest_error_
    return {
        "truth": float(np.mean(search.predict(X[rest]) != y[rest])),
        "selected": float(search.result_["selected"]),
        "honest": float(honest),
        "honest_lower": honest.lower,
        "honest_upper": honest.upper,
        "nested": errors / ROWS,
        "nested_lower": ends.low,
        "nested_upper": ends.high,
        "search_seconds": middle - start,
        "estimate_seconds": search.result_["seconds"],
        "nested_seconds": end - middle,
    }


def summary(draws: list[dict[str, float]]) -> dict[str, float]:
    """Return means over draws: biases, coverages, widths, seconds."""
    table = pandas.DataFrame(draws)
    found = {"draws": len(table), "truth": table.truth.mean(), "selected_bias": (table.selected - table.truth).mean()}
    for name in ("honest", "nested"):
        lower, upper = table[f"{name}_lower"], table[f"{name}_upper"]
        found[f"{name}_bias"] = (table[name] - table.truth).mean()
        found[f"{name}_covered"] = ((lower <= table.truth) & (table.truth <= upper)).mean()
        found[f"{name}_width"] = (upper - lower).mean()
    for name in ("search_seconds", "estimate_seconds", "nested_seconds"):
        found[name] = table[name].mean()
    return {key: round(float(value), 5) for key, value in found.items()}


def write(found: dict[tuple[str, str], list], path: Path) -> None:
    """Write what there is by now."""
    lines = [{"data": name, "learner": learner, **summary(all_)} for (name, learner), all_ in found.items()]
    result = {"kind": "honest beside nested", "rows": ROWS, "machine": platform.processor() or platform.machine()}
    path.write_text(json.dumps({**result, "version": credence.__version__, "lines": lines}, indent=1) + "\n")


def main() -> None:
    """Run, and write after each draw what there is by then."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--json", type=Path, required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[tuple[str, str], list] = {}
    tables = {name: rows_of(name, arguments.data, 0) for name in SETS}
    for seed in range(arguments.draws):
        for name in SETS:
            X, y = rows_of(name, arguments.data, seed) if name == "coins" else tables[name]
            for learner, (estimator, grid) in learners(seed).items():
                found.setdefault((name, learner), []).append(one_draw(X, y, estimator, grid, seed))
                write(found, arguments.json)
        print(seed + 1, "draws", flush=True)


if __name__ == "__main__":
    main()
