"""scikit-learn, scikit-learn-intelex and Credence's Python package, by the same calls: one fit, and a grid.

    python benchmarks/intelex.py [--folder DATA] [--quick] [-o FILE.json]

The interpreter needs credence, scikit-learn, scikit-learn-intelex and pandas. Each side runs in a process of its own,
on one core and on two, with the same numbers (columns of text as 0 and 1, all standardised once), the same folds, the
same settings and the same tolerance. Seconds of the processor, and of the clock, are those of `fit`; the peak of memory is that
of the process above what it had before the fit. Two sides agree where they give the same labels.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

COSTS = [2.0**e for e in range(-5, 16, 2)]
GAMMAS = [2.0**e for e in range(-15, 4, 2)]
SIDES = ["scikit-learn-intelex", "credence"]
GRIDS = ["pima", "bupa", "ionosphere", "hardoon_breastw", "australian", "hardoon_credit"]
FITS = [("satellite", 4435), ("adult", 5000), ("adult", 15000), ("adult", 32561), ("ijcnn1", 39000)]


def read(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return standardised numbers and codes of classes, without rows that miss a value."""
    import pandas

    files = [f"{place}{name}{ending}" for place in ("", "large/") for ending in (".csv.gz", ".train.csv.gz")]
    path = next(folder / file for file in files if (folder / file).exists())
    table = pandas.read_csv(path).dropna()
    labels = np.unique(table.pop("label"), return_inverse=True)[1]
    numbers = pandas.get_dummies(table).to_numpy(dtype=float)
    numbers = numbers[:, numbers.std(axis=0) > 0]
    return (numbers - numbers.mean(axis=0)) / numbers.std(axis=0), labels


def model_of(side: str, cores: int, folds: np.ndarray | None):
    """Return an estimator that has not been fitted: of one setting, or of a grid over the folds."""
    from sklearn.model_selection import GridSearchCV, PredefinedSplit

    if side == "credence":
        import credence

        if folds is None:
            return credence.SVC(C=100, gamma="scale", scale="none", n_jobs=cores)
        return credence.SearchCV(
            method="cv",
            kernel="rbf",
            scale="none",
            C=COSTS,
            gamma=GAMMAS,
            cv=PredefinedSplit(folds),
            rule="best",
            estimate="none",
            n_jobs=cores,
        )
    if side == "scikit-learn-intelex":
        import sklearnex

        sklearnex.patch_sklearn(verbose=False)
    from sklearn.svm import SVC

    if folds is None:
        return SVC(C=100, gamma="scale", tol=1e-3)
    return GridSearchCV(SVC(tol=1e-3), {"C": COSTS, "gamma": GAMMAS}, cv=PredefinedSplit(folds), n_jobs=cores)


def errors_of(search, sizes: np.ndarray) -> dict:
    """Return the wrong rows of each setting."""
    found = search.cv_results_
    wrong = sum(size * (1 - found[f"split{fold}_test_score"]) for fold, size in enumerate(sizes))
    names = [f"{one['C']:g} {one['gamma']:g}" for one in found["params"]]
    return {name: round(float(count)) for name, count in zip(names, wrong, strict=True)}


def run_side(side: str, cores: int, path: str) -> dict:
    """Fit, in this process."""
    table = np.load(path)
    numbers, labels = table["numbers"], table["labels"]
    folds = table["folds"] if "folds" in table else None
    model = model_of(side, cores, folds)
    some = np.linspace(0, len(labels) - 1, 200).astype(int)
    model_of(side, cores, None).fit(numbers[some], labels[some])  # code is loaded, threads have started
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), os.times()
    model.fit(numbers, labels)
    after = os.times()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    spent = sum(after[:4]) - sum(cpu[:4])  # of this process and of those that it waited for
    said = {"cpu": spent, "wall": time.perf_counter() - wall, "peak_megabytes": peak / 1024}
    if folds is None:
        return said | {"labels": np.asarray(model.predict(numbers[:5000])).tolist()}
    return said | {"errors": errors_of(model, np.bincount(folds))}


def both(path: str, cores: int, runs: int) -> dict:
    """Run each side, in turns, and return its medians with how far the sides agree."""
    found: dict = {side: [] for side in SIDES}
    for _ in range(runs):
        for side in SIDES:
            command = ["taskset", "-c", ",".join(map(str, range(cores))), sys.executable, __file__]
            done = subprocess.run([*command, "--side", side, str(cores), path], stdout=subprocess.PIPE, check=True)
            found[side].append(json.loads(done.stdout.splitlines()[-1]))
    one, other = (found[side][0] for side in SIDES)
    if "labels" in one:
        agree = {"same_labels": float(np.mean(np.array(one["labels"]) == np.array(other["labels"])))}
    else:
        agree = {
            "largest_difference_rows": max(abs(one["errors"][name] - other["errors"][name]) for name in one["errors"])
        }
    keys = ("cpu", "wall", "peak_megabytes")
    return {side: {key: float(np.median([run[key] for run in found[side]])) for key in keys} for side in SIDES} | agree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("../shared/data"))
    parser.add_argument("--quick", action="store_true", help="two grids and two fits")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--side", nargs=3, metavar=("SIDE", "CORES", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.side:
        side, cores, path = options.side
        print(json.dumps(run_side(side, int(cores), path)))
        return
    some = 2 if options.quick else None
    work = [("grid", name, None) for name in GRIDS[:some]] + [("fit", *one) for one in FITS[:some]]
    entries = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, name, rows in work:
            numbers, labels = read(options.folder, name)
            numbers, labels = numbers[:rows], labels[:rows]
            path = f"{folder}/{name}.npz"
            folds = {"folds": np.random.default_rng(1).permutation(len(labels)) % 10} if kind == "grid" else {}
            np.savez(path, numbers=numbers, labels=labels, **folds)
            for cores in (1, 2):
                entry = {"work": kind, "name": name, "rows": len(labels), "cores": cores}
                entry |= both(path, cores, options.runs)
                print(json.dumps(entry), file=sys.stderr, flush=True)
                entries.append(entry)
    packages = ("scikit-learn-intelex", "scikit-learn", "credence")
    document = {"versions": {name: version(name) for name in packages}, "runs": options.runs, "entries": entries}
    text = json.dumps(document, indent=1) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
