"""The rule `average` within regions of the feature space, beside the best setting of each region.

Rows are split into regions as the method `regions` splits them: at medians along the line through two centres, anew for
each partition. In each region the package chooses an rbf SVM from 110 settings by five folds twice, with the rule `best` and with the rule
`average`. Both take the whole grid in every partition, so that the average has all its members. Their scores of the test
rows are averaged over the partitions. Seconds and bytes are those of all regions of all partitions.

    python benchmarks/regions_average.py --data DATA --json found.json
"""

import argparse
import json
import math
import tempfile
import time
import warnings
from pathlib import Path

import credence
import numpy as np
import pandas
from regions import write_rows
from sklearn.cluster import KMeans

SETS = {  # training rows and test rows
    "satellite": ("satellite.train", "satellite.test"),
    "usps": ("usps.train", "usps.test"),
    "generated": (None, None),
    "ijcnn1": ("large/ijcnn1.train", "large/ijcnn1.test"),
    "adult": ("large/adult.train", "large/adult.test"),
}
RULES = ("best", "average")
CENTRE_ROWS = 1_000
GENERATED_ROWS = 20_000


def rows_of(data: Path, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the scaled training rows and their classes as 0, 1, ..., and the same of the test rows."""
    training, test = SETS[name]
    if training is None:
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / "rows.csv", Path(folder) / "further.csv"]
            for seed, path in enumerate(paths, start=1):
                write_rows(path, GENERATED_ROWS, seed)
            tables = [pandas.read_csv(path) for path in paths]
    else:
        tables = [pandas.read_csv(data / f"{file}.csv.gz") for file in (training, test)]
    parts = [(table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].astype(str).to_numpy()) for table in tables]
    (x, y), (queries, truth) = parts
    classes = np.unique(y)
    mean, width = x.mean(axis=0), x.std(axis=0)
    width[width == 0] = 1.0
    place = np.searchsorted(classes, y), np.searchsorted(classes, truth)
    return (x - mean) / width, place[0], (queries - mean) / width, place[1]


def centres_of(x: np.ndarray, most: int, random: np.random.Generator) -> list[np.ndarray]:
    """Return the means of sets of at most so many rows."""
    if len(x) <= most:
        return [x.mean(axis=0)]
    sample = x[random.choice(len(x), min(len(x), CENTRE_ROWS), replace=False)]
    two = KMeans(2, n_init=1, random_state=int(random.integers(2**31))).fit(sample).cluster_centers_
    along = x @ (two[1] - two[0])
    upper = along > np.median(along)
    if upper.all() or not upper.any():
        return [x.mean(axis=0)]
    return centres_of(x[~upper], most, random) + centres_of(x[upper], most, random)


def nearest(x: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return the nearest centre of each row."""
    return (np.square(centres).sum(axis=1) - 2 * x @ centres.T).argmin(axis=1)


def region_scores(rule: str, x: np.ndarray, y: np.ndarray, queries: np.ndarray, classes: int, cost: dict) -> np.ndarray:
    """Return the scores of all classes that one region gives, as selection/partition.hpp has them."""
    counts = np.bincount(y, minlength=classes)
    known = np.flatnonzero(counts >= 2)
    if len(known) < 2:
        scores = np.full((len(queries), classes), -1.0)
        scores[:, counts.argmax()] = 1.0
        return scores
    rows = np.isin(y, known)
    begin = time.process_time()
    search = credence.SVCSearchCV(
        method="cv", rule=rule, cv=5, estimate="none", scale="none", race="no", n_jobs=1, random_state=0
    ).fit(x[rows], y[rows])
    cost["seconds"] += time.process_time() - begin
    cost["bytes"] += len(search.predictor_.to_bytes())
    cost["members"].append(search.predictor_.capabilities["models"] if rule == "average" else 1)
    own = search._predicted(queries)["score"] if len(queries) else np.empty((0, len(known)))
    scores = np.repeat(own.min(axis=1, keepdims=True) - 1, classes, axis=1)
    scores[:, known] = own
    return scores


def run_of(data: Path, name: str, partitions: int, most: int, seed: int) -> dict:
    """Return the labels' errors by rule and number of partitions, with what each rule costs."""
    x, y, queries, truth = rows_of(data, name)
    classes = y.max() + 1
    cost = {rule: {"seconds": 0.0, "bytes": 0, "members": []} for rule in RULES}
    total = {way: np.zeros((len(queries), classes)) for way in (*RULES, "best, clipped")}
    wrong = {way: [] for way in total}
    single = {way: [] for way in total}
    for partition in range(partitions):
        random = np.random.default_rng([seed, partition])
        centres = np.array(centres_of(x, most, random))
        own, asked = nearest(x, centres), nearest(queries, centres)
        scores = {way: np.empty((len(queries), classes)) for way in total}
        for region in range(len(centres)):
            rows, rows_asked = own == region, asked == region
            if not rows.any():
                continue
            for rule in RULES:
                found = region_scores(rule, x[rows], y[rows], queries[rows_asked], classes, cost[rule])
                scores[rule][rows_asked] = found
                if rule == "best":
                    scores["best, clipped"][rows_asked] = np.clip(found, -1, 1)
        for way in total:
            total[way] += scores[way]
            wrong[way].append(total[way].argmax(axis=1) != truth)
            single[way].append(scores[way].argmax(axis=1) != truth)
    found = {"set": name, "rows": len(y), "region_size": most, "seed": seed, "test_rows": len(truth)}
    found["curve"] = {way: [float(w.mean()) for w in wrong[way]] for way in wrong}
    found["single"] = {way: [float(w.mean()) for w in single[way]] for way in single}
    difference = wrong["average"][-1].astype(float) - wrong["best"][-1]
    found["difference"] = [float(difference.mean()), float(difference.std(ddof=1) / math.sqrt(len(truth)))]
    for rule in RULES:
        found[rule] = {**cost[rule], "members": float(np.mean(cost[rule]["members"]))}
    return found


HEAD = (
    "| set | members | one partition: best, % | average | {0} partitions: best, % | best, clipped | average "
    "| average less best, points | seconds, best | average | MB, best | average |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def line(run: dict) -> str:
    """Return the line of a run; an error of one partition is the mean over the partitions."""
    one = [f"{100 * np.mean(run['single'][rule]):.2f}" for rule in RULES]
    all_of = [f"{100 * run['curve'][way][-1]:.2f}" for way in ("best", "best, clipped", "average")]
    mean, error = run["difference"]
    cost = [f"{run[rule]['seconds']:.0f}" for rule in RULES] + [f"{run[rule]['bytes'] / 1e6:.1f}" for rule in RULES]
    return (
        f"| {run['set']}, {run['rows']:,} | {run['average']['members']:.0f} | {' | '.join(one)} | {' | '.join(all_of)} "
        f"| {100 * mean:+.2f} ± {100 * error:.2f} | {' | '.join(cost)} |"
    )


def main() -> None:
    """Print a line for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets; not needed for generated rows")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--region-size", type=int, default=1_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--json", type=Path, help="a file for all runs")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of columns that are constant in a region, and of rare classes
    runs = []
    print(HEAD.format(given.partitions), flush=True)
    for name in given.sets:
        for seed in given.seeds:
            runs.append(run_of(given.data, name, given.partitions, given.region_size, seed))
            print(line(runs[-1]), flush=True)
            if given.json:
                given.json.write_text(json.dumps({"version": credence.__version__, "runs": runs}) + "\n")


if __name__ == "__main__":
    main()
