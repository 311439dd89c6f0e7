"""GridSearchCV(SVC()) on given folds; prints seconds and the misclassified rows of each setting as JSON.

    python scikit_learn.py FILE C,C,... gamma,gamma,...

FILE is a CSV with a header whose last columns are the class and the fold. Settings are gamma-major, C as given.
"""

import json
import sys
import time

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.svm import SVC


def main() -> None:
    path, costs_text, gammas_text = sys.argv[1:]
    costs = [float(text) for text in costs_text.split(",")]
    gammas = [float(text) for text in gammas_text.split(",")]
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    features, labels, folds = table[:, :-2], table[:, -2].astype(int), table[:, -1].astype(int)

    search = GridSearchCV(
        SVC(kernel="rbf", tol=1e-3, cache_size=200, shrinking=True),
        {"C": costs, "gamma": gammas},
        cv=PredefinedSplit(folds),
        scoring="accuracy",
        refit=False,
        n_jobs=1,
    )
    wall, cpu = time.perf_counter(), time.process_time()
    search.fit(features, labels)
    seconds = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}

    sizes = np.bincount(folds)
    errors = np.zeros(len(search.cv_results_["params"]))
    for fold, size in enumerate(sizes):
        errors += size * (1 - search.cv_results_[f"split{fold}_test_score"])
    settings = {(p["gamma"], p["C"]): int(round(e)) for p, e in zip(search.cv_results_["params"], errors)}
    json.dump(
        {
            "seconds": seconds,
            "errors": [settings[gamma, cost] for gamma in gammas for cost in costs],
            "version": sklearn.__version__,
            "python": sys.version.split()[0],
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
