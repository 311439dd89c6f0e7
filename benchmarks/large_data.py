"""The exact grid, the race and regions of the feature space beside peers, on the same generated rows.

Every run is a process of its own, which reads the CSV, chooses, trains and writes the model; its seconds and its peak
memory are those of the process. The test error is that of 200,000 further rows. A run that takes longer than the limit
is ended. Exact grid, race and one partition choose one rbf SVM (of each region) on standardised columns, from 110
settings of C and gamma; `regions` chooses among kernels and scalings, as by default. With repeats a way runs again while all its runs fit into the limit; the median run counts, with half the
range of the seconds as noise.

    python benchmarks/large_data.py --command build/credence --rows 5000 20000 50000 140000 1000000 --limit 100
    python benchmarks/large_data.py --command build/credence --rows 20000 --limit 200 --repeats 3

The rows are those of regions.py. Peers of scikit-learn:
- Nystroem (1,000 components) with LinearSVC: gamma and C from a grid of 4 x 4 by three folds on at most 20,000 rows.
- HistGradientBoostingClassifier with its defaults.
- The same, tuned: learning rate and leaves from a grid of 3 x 3 by three folds on at most 20,000 rows. A tenth of the
  rows stops the trees, at 1,000 at most.
- SVC (LIBSVM) with the C and gamma that Credence's race chose.
"""

import argparse
import json
import os
import pickle
import sys
import tempfile
from pathlib import Path

from regions import TEST_ROWS, write_rows
from measured import BEST_RBF, LIBSVM_GRID, measured_run


def read_rows(path: str):
    """Return the features and the labels of a CSV."""
    import pandas as pd

    table = pd.read_csv(path)
    return table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].to_numpy()


def peer(name: str, train: str, C: float, gamma: float):
    """Return a peer that was fitted in this process."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.kernel_approximation import Nystroem
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, LinearSVC

    X, y = read_rows(train)
    if name == "boosting":
        model = HistGradientBoostingClassifier(random_state=0).fit(X, y)
    elif name == "tuned":
        trees = HistGradientBoostingClassifier(max_iter=1000, early_stopping=True, random_state=0)
        grid = {"learning_rate": [0.03, 0.1, 0.3], "max_leaf_nodes": [15, 31, 63]}
        search = GridSearchCV(trees, grid, cv=3, refit=False).fit(X[:20_000], y[:20_000])
        model = trees.set_params(**search.best_params_).fit(X, y)
    elif name == "libsvm":
        model = make_pipeline(StandardScaler(), SVC(C=C, gamma=gamma, cache_size=1000)).fit(X, y)
    else:
        pipeline = make_pipeline(
            StandardScaler(), Nystroem(n_components=1000, random_state=0), LinearSVC(dual=False, max_iter=2000)
        )
        grid = {"nystroem__gamma": [0.003, 0.01, 0.03, 0.1], "linearsvc__C": [0.01, 0.1, 1.0, 10.0]}
        search = GridSearchCV(pipeline, grid, cv=3, n_jobs=-1, refit=False).fit(X[:20_000], y[:20_000])
        model = pipeline.set_params(**search.best_params_).fit(X, y)
    return model


def peer_error(model, test: str) -> dict:
    """Return the share of the test rows that a fitted peer gets wrong, as `credence evaluate` does."""
    X, y = read_rows(test)
    return {"error": float((model.predict(X) != y).mean())}


def repeated_run(words: list[str], limit: float, repeats: int) -> dict | None:
    """Run a command up to so many times; return the cost of the median run, with the number of runs and their noise.

    None if the limit ended the first run. A further run begins only if it fits into the limit beside those before.
    """
    costs: list[dict] = []
    while len(costs) < repeats:
        if costs and sum(cost["wall"] for cost in costs) + costs[-1]["wall"] > limit:
            break
        cost = measured_run(words, limit)
        if cost is None:
            break
        costs.append(cost)
    if not costs:
        return None
    walls = sorted(cost["wall"] for cost in costs)
    median = sorted(costs, key=lambda cost: cost["wall"])[(len(costs) - 1) // 2]
    return {**median, "runs": len(costs), "noise": (walls[-1] - walls[0]) / 2}


def main() -> None:
    """Print a line for each way and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--rows", type=int, nargs="+", default=[5_000, 20_000, 50_000])
    parser.add_argument("--limit", type=float, default=100.0, help="seconds of a run; ten times as many for regions")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each way, while they fit into the limit")
    parser.add_argument("--json", type=Path, help="a file for the lines of the table (docs/results/large-data.json)")
    parser.add_argument("--peer", nargs=5, help=argparse.SUPPRESS)
    parser.add_argument("--peer-error", nargs=3, help=argparse.SUPPRESS)
    own = {
        "exact grid": ["--race", "no", *BEST_RBF, *LIBSVM_GRID],
        "race": ["--race", "yes", *BEST_RBF, *LIBSVM_GRID],
        "regions": ["--method", "regions"],
        "regions, one partition": ["--region-size", "2000", "--partitions", "1"],
    }
    ways = [*own, "Nystroem + LinearSVC", "boosting", "tuned boosting", "LIBSVM, given setting"]
    parser.add_argument(
        "--ways", nargs="+", default=ways, choices=ways, help="the file keeps its lines of other ways and rows"
    )
    given = parser.parse_args()
    if given.peer:
        name, train, C, gamma, fitted = given.peer
        Path(fitted).write_bytes(pickle.dumps(peer(name, train, float(C), float(gamma))))
        return
    if given.peer_error:
        fitted, test, out = given.peer_error
        Path(out).write_text(json.dumps(peer_error(pickle.loads(Path(fitted).read_bytes()), test)))
        return
    table = Table(given.json, given.limit)
    print("| rows | way | seconds | processor s | peak MB | test error |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        test, model, found = str(place / "test.csv"), str(place / "m.credence"), place / "found.json"
        write_rows(place / "test.csv", TEST_ROWS, 2)
        ended: set[str] = set()  # what took too long at fewer rows takes longer at more
        setting = (2.0, 0.03)
        for rows in given.rows:
            train = str(place / "train.csv")
            write_rows(place / "train.csv", rows, 1)
            for name, words in own.items():
                if name in ended or name not in given.ways or (name == "race" and rows < 4000):
                    continue
                chosen_file = str(place / "chosen.json")
                command = [given.command, "select", train, "-o", model, "--estimate", "none", "--quiet"]
                limit = given.limit * (10 if name.startswith("regions") else 1)
                cost = repeated_run([*command, "--json", chosen_file, *words], limit, given.repeats)
                if cost is None:
                    ended.add(name)
                    table.add(rows, name, limit)
                    continue
                measured_run([given.command, "evaluate", model, test, "--json", str(found), "--quiet"])
                error = json.loads(found.read_text())["error"]
                if name == "race":
                    best = json.loads(Path(chosen_file).read_text())["best"]
                    setting = (best["C"], best["gamma"])
                table.add(rows, name, limit, cost, error)
            for name in ways[len(own) :]:
                if name in ended or name not in given.ways:
                    continue
                words = [sys.executable, __file__, "--peer", name.split()[0].lower().rstrip(","), train]
                cost = repeated_run([*words, str(setting[0]), str(setting[1]), model], given.limit, given.repeats)
                if cost is None:
                    ended.add(name)
                    table.add(rows, name, given.limit)
                    continue
                measured_run([sys.executable, __file__, "--peer-error", model, test, str(found)])
                table.add(rows, name, given.limit, cost, json.loads(found.read_text())["error"])


class Table:
    """The lines, printed as they come and written as JSON where a file is given."""

    def __init__(self, path: Path | None, limit: float):
        self.path = path
        self.document = {"limit": limit, "cores": os.cpu_count(), "runs": []}
        if path and path.exists():
            self.document["runs"] = json.loads(path.read_text())["runs"]

    def add(self, rows: int, name: str, limit: float, cost: dict | None = None, error: float | None = None) -> None:
        """Add a run; one without cost was ended by its limit."""
        if cost is None:
            print(f"| {rows:,} | {name} | over {limit:.0f} | | | |", flush=True)
        else:
            seconds = f"{cost['wall']:.1f} ± {cost['noise']:.1f} ({cost['runs']})"
            used = f"{cost['cpu']:.1f} | {cost['megabytes']:.0f}"
            print(f"| {rows:,} | {name} | {seconds} | {used} | {100 * error:.2f} % |", flush=True)
        runs = self.document["runs"]
        runs[:] = [run for run in runs if (run["rows"], run["way"]) != (rows, name)]
        runs.append({"rows": rows, "way": name, "limit": limit, "cost": cost, "error": error})
        if self.path:
            self.path.write_text(json.dumps(self.document, indent=1) + "\n")


if __name__ == "__main__":
    main()
