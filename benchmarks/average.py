"""The average of the settings that the data cannot tell apart, beside the one best setting of the same grid.

A draw trains on some rows of a set and judges on the others (at most 5,000). The default grid runs with ten folds.
The members are the ten best settings whose error is at most the smallest plus a standard error; variants take another
tolerance or number. LIBSVM trains each member on all training rows. The decision values of a member's pairs are clipped
to [-1, 1] and averaged over the members.

    python benchmarks/average.py --data DATA --json average.json
    python benchmarks/average.py --data DATA --sets pima glass --draws 5
    python benchmarks/average.py --data DATA --model knn
    python benchmarks/average.py --table average.json

Columns with more than a tenth of empty cells are left out, then rows with empty cells, then classes of fewer than ten
rows or a thousandth of all. The draws of a small set share most of their rows: the standard error of its mean
difference is then too small.
Where the installed package has rule="average", the column "rule" is its test error; else the prototype stands alone.

Nearest neighbours (k on rows held out) and relevance vector machines (ten folds) run on two classes. In the place of a
clipped decision value stands the difference of the two probabilities: shares of neighbours, or the logistic function.
The package hands over the neighbours that it judged; here all training rows are neighbours.
"""

import argparse
import json
import math
import tempfile
import time
import warnings
from pathlib import Path

import corners
import credence
import numpy as np
import pandas
from regions import write_rows
from race import fine_detail
from scipy.spatial.distance import cdist
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

TEST_ROWS = 5_000
GENERATED_ROWS = 20_000
MOST_ROWS = 16_000

SETS = {  # file or maker, the class that stands against the rest, numbers of training rows
    "bupa": ("bupa", None, [60, 230]),
    "pima": ("pima", None, [60, 200, 510]),
    "haberman": ("haberman", None, [200]),
    "breastw": ("breastw", None, [60, 450]),
    "ionosphere": ("ionosphere", None, [60, 230]),
    "australian": ("australian", None, [60, 460]),
    "cleveland, healthy": ("cleveland", "0", [200]),
    "hungary": ("hungary", None, [180]),
    "hepatitis": ("hepatitis", None, [90]),
    "glass, float": ("hardoon_glass", None, [110]),
    "votes": ("hardoon_votes", None, [150]),
    "colon": ("colon", None, [42]),
    "prostate": ("prostate_tumor", None, [68]),
    "dlbcl": ("dlbcl", None, [52]),
    "segment, cement": ("segment", "4", [400]),
    "satellite, grey": ("satellite.train satellite.test", "4", [400, 1500]),
    "usps, eight": ("usps.train usps.test", "8", [400, 1500]),
    "adult": ("large/adult.train", None, [400, 1500, 5000]),
    "ijcnn1": ("large/ijcnn1.train", None, [400, 1500, 5000]),
    "clouds": ("clouds", None, [60, 300, 1500]),
    "surface": ("surface", None, [300, 1500]),
    "fine detail": ("fine detail", None, [400, 1500]),
    "glass": ("glass", None, [140]),
    "cleveland": ("cleveland", None, [200]),
    "switzerland": ("switzerland", None, [80]),
    "leukemia": ("leukemia2", None, [48]),
    "brain tumours": ("brain_tumor1", None, [54]),
    "segment": ("segment", None, [150, 500, 1500]),
    "satellite": ("satellite.train satellite.test", None, [150, 800]),
    "usps": ("usps.train usps.test", None, [300, 800]),
    "shuttle": ("shuttle.train shuttle.test", None, [800]),
    "three clouds": ("three clouds", None, [60, 300, 1500]),
}
JOINS = {
    "least": "the mean over the members of the least pair that speaks for a class",
    "least mean": "the least mean pair that speaks for a class",
    "votes": "the votes of the mean pairs, ties to the first class",
    "votes, sum": "the votes of the mean pairs, ties by the sum of the mean pairs",
    "sum": "the sum of the mean pairs",
    "majority": "the votes of the members' labels, ties by the mean least pair",
}
MAIN, JOIN = "ten best within 1 s.e.", "least"
MOST_MEMBERS = 10


def three_clouds(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return three overlapping normal classes in four columns."""
    random = np.random.default_rng(33)
    label = random.integers(0, 3, size=rows)
    x = random.normal(size=(rows, 4))
    angle = 2 * math.pi * label / 3
    x[:, 0] += 1.5 * np.cos(angle)
    x[:, 1] += 1.5 * np.sin(angle)
    return x, label


def generated(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a generated set."""
    if name == "three clouds":
        return three_clouds(GENERATED_ROWS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        if name == "clouds":
            corners.write_rows(path, GENERATED_ROWS)
        elif name == "surface":
            write_rows(path, GENERATED_ROWS, 1)
        else:
            header, rows = fine_detail(GENERATED_ROWS, 0, 5)
            path.write_text("\n".join([header, *rows]) + "\n")
        table = pandas.read_csv(path)
    return table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()


def rows_of(data: Path, source: str, positive: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of a set and its classes as 0, 1, ..."""
    if source in ("clouds", "surface", "fine detail", "three clouds"):
        x, label = generated(source)
    else:
        table = pandas.concat([pandas.read_csv(data / f"{name}.csv.gz") for name in source.split()])
        table = table.loc[:, table.isna().mean() <= 0.1].dropna()
        x, label = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].astype(str).to_numpy()
        if positive is not None:
            label = np.where(label == positive, "one", "rest")
    _, label, counts = np.unique(label, return_inverse=True, return_counts=True)
    common = counts[label] >= max(10, len(label) / 1000)
    return x[common], np.unique(label[common], return_inverse=True)[1]


class Grid:
    """The settings of a finished search: their errors, and their standard errors beside the best setting."""

    def __init__(self, search: credence.SearchCV, names: tuple[str, ...]):
        settings = search.result_["grid"]
        self.params = [tuple(setting[name] for name in names) for setting in settings]
        error = np.array([np.nan if setting["error"] is None else setting["error"] for setting in settings], float)
        self.best = self.params.index(tuple(search.best_params_[name] for name in names))
        self.gap = np.where(np.isnan(error), np.inf, error - error[self.best])
        self.se = settings[self.best]["error_se"]
        self.paired_se = np.zeros(len(settings))
        if search.n_splits_ > 1:
            folds = np.array([search.cv_results_[f"split{k}_test_score"] for k in range(search.n_splits_)])
            difference = folds - folds[:, [self.best]]
            self.paired_se = np.nan_to_num(difference.std(axis=0, ddof=1) / math.sqrt(len(folds)))
        else:
            judged = search.result_["validation_rows"]
            self.se = math.sqrt(error[self.best] * (1 - error[self.best]) / (judged - 1))
        self.order = sorted(range(len(settings)), key=lambda k: (self.gap[k], *self.params[k]))

    def within(self, tolerance: np.ndarray | float) -> list[int]:
        """Return the settings whose error is at most the smallest plus the tolerance, the best first."""
        inside = self.gap <= tolerance + 1e-12
        return [k for k in self.order if inside[k]]


def variants(grid: Grid) -> dict[str, tuple[list[int], np.ndarray, bool]]:
    """Return for each variant its members, their weights, and whether decision values are clipped."""

    def equal(members: list[int], clip: bool = True) -> tuple[list[int], np.ndarray, bool]:
        return members, np.full(len(members), 1 / len(members)), clip

    one, two = grid.within(grid.se), grid.within(2 * grid.se)
    weights = np.exp(-grid.gap[two] / (grid.se or 1.0))
    return {
        "ties": equal(grid.within(0.0)),
        "0.5 s.e.": equal(grid.within(0.5 * grid.se)),
        MAIN: equal(one[:MOST_MEMBERS]),
        "1 s.e.": equal(one),
        "2 s.e.": equal(two),
        "1 paired s.e.": equal(grid.within(grid.paired_se)),
        "2 paired s.e.": equal(grid.within(2 * grid.paired_se)),
        "five best within 1 s.e.": equal(one[:5]),
        "2 s.e., exp(-gap/s.e.)": (two, weights / weights.sum(), True),
        "1 s.e., not clipped": equal(one, clip=False),
    }


def scaled(x: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scale both by the mean and the spread of the training rows."""
    mean, width = x.mean(axis=0), x.std(axis=0)
    width[width == 0] = 1.0
    return (x - mean) / width, (queries - mean) / width


def svm_pairs(params: list[tuple], x: np.ndarray, y: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Train each C and gamma; return decision values (member, row, pair), above 0 for the first class of the pair."""
    x, queries = scaled(x, queries)
    classes = y.max() + 1
    values = np.empty((len(params), len(queries), classes * (classes - 1) // 2), np.float32)
    own, other = cdist(x, x, "sqeuclidean"), cdist(queries, x, "sqeuclidean")
    for gamma in {gamma for _, gamma in params}:
        kernel, further = np.exp(-gamma * own), np.exp(-gamma * other)
        for k, (C, its) in enumerate(params):
            if its == gamma:
                machine = SVC(C=C, kernel="precomputed", decision_function_shape="ovo", cache_size=500).fit(kernel, y)
                found = machine.decision_function(further)
                values[k] = -found[:, None] if classes == 2 else found
    return values


def knn_pairs(params: list[tuple], x: np.ndarray, y: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return the share of the first class less that of the second, for each k."""
    x, queries = scaled(x, queries)
    shares = [KNeighborsClassifier(k).fit(x, y).predict_proba(queries) for (k,) in params]
    return np.stack([share[:, :1] - share[:, 1:] for share in shares])


def rvm_pairs(params: list[tuple], x: np.ndarray, y: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return the probability of the first class less that of the second, for each gamma."""
    values = [credence.RVC(gamma=gamma, n_jobs=1).fit(x, y).decision_function(queries) for (gamma,) in params]
    return np.stack([-np.tanh(np.reshape(value, (-1, 1)) / 2) for value in values])


MODELS = {  # method, names of the settings, members
    "svm": ("cv", ("C", "gamma"), svm_pairs),
    "knn": ("holdout", ("k",), knn_pairs),
    "rvm": ("cv", ("gamma",), rvm_pairs),
}


def by_class(pairs: np.ndarray, classes: int, start: float, join: np.ufunc) -> np.ndarray:
    """Join for each class the pairs that speak for it, along a new last axis in the place of the pairs."""
    scores = np.full((*pairs.shape[:-1], classes), start)
    pairs = [(i, j) for i in range(classes) for j in range(i + 1, classes)]
    for d, (i, j) in enumerate(pairs):
        scores[..., i] = join(scores[..., i], pairs[..., d])
        scores[..., j] = join(scores[..., j], -pairs[..., d])
    return scores


def wins(pairs: np.ndarray, classes: int) -> np.ndarray:
    """Return the number of pairs that each class wins, less those that it loses."""
    return by_class(np.where(pairs > 0, 1.0, -1.0), classes, 0.0, np.add)


def most(counts: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the class of the largest count, ties by the score."""
    first = counts >= counts.max(axis=1, keepdims=True) - 1e-9
    return np.where(first, scores, -np.inf).argmax(axis=1)


def labels_of(pairs: np.ndarray, weights: np.ndarray, classes: int) -> dict[str, np.ndarray]:
    """Return the labels by each way of joining pairs and members."""
    mean = np.tensordot(weights, pairs, axes=1)
    least = np.tensordot(weights, by_class(pairs, classes, np.inf, np.minimum), axes=1)
    count = np.tensordot(weights, np.eye(classes)[wins(pairs, classes).argmax(axis=-1)], axes=1)
    total, won = by_class(mean, classes, 0.0, np.add), wins(mean, classes)
    return {
        "least": least.argmax(axis=1),
        "least mean": by_class(mean, classes, np.inf, np.minimum).argmax(axis=1),
        "votes": won.argmax(axis=1),
        "votes, sum": most(won, total),
        "sum": total.argmax(axis=1),
        "majority": most(count, least),
    }


def draw_of(model: str, x: np.ndarray, y: np.ndarray, rows: int, seed: int) -> dict:
    """Return the test errors of one draw."""
    train, test = train_test_split(np.arange(len(y)), train_size=rows, random_state=seed, stratify=y)
    test = test[:TEST_ROWS]
    method, names, pairs_of = MODELS[model]
    options = {"model": model, "method": method, "estimate": "none", "n_jobs": 1, "random_state": seed}
    if model == "svm":
        options["race"] = "no"
    begin = time.perf_counter()
    search = credence.SearchCV(**options).fit(x[train], y[train])
    searched = time.perf_counter()
    grid, classes = Grid(search, names), y.max() + 1
    ways = variants(grid)
    union = sorted({k for members, _, _ in ways.values() for k in members})
    place = {k: i for i, k in enumerate(union)}
    pairs = pairs_of([grid.params[k] for k in union], x[train], y[train], x[test])
    clipped = np.clip(pairs, -1, 1)
    result = {"errors": {}, "members": {}, "test_rows": len(test)}
    for name, (members, weights, clip) in ways.items():
        some = (clipped if clip else pairs)[[place[k] for k in members]]
        found = labels_of(some, weights, classes)
        if name == MAIN:
            average = found[JOIN]
        result["errors"][name] = {join: float((label != y[test]).mean()) for join, label in found.items()}
        result["members"][name] = len(members)
    found = labels_of(clipped[[place[grid.best]]], np.ones(1), classes)
    result["errors"]["best"] = {join: float((label != y[test]).mean()) for join, label in found.items()}
    result["disagree"] = float((search.predict(x[test]) != found["votes"]).mean())
    result["seconds"] = {"search": searched - begin, "members": time.perf_counter() - searched}
    try:
        begin = time.perf_counter()
        rule = credence.SearchCV(**options, rule="average").fit(x[train], y[train])
        label = rule.predict(x[test])
        result["rule"] = float((label != y[test]).mean())
        result["rule_differs"] = float((label != average).mean())
        result["seconds"]["rule"] = time.perf_counter() - begin
    except ValueError:  # this package has no such rule
        result["rule"] = None
    return result


def paired(values: np.ndarray) -> tuple[float, float]:
    """Return the mean of differences in points, and its standard error."""
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return 100 * values.mean(), 100 * error


def errors_of(run: dict, variant: str, join: str) -> np.ndarray:
    """Return a variant's test error in each draw."""
    return np.array([draw["errors"][variant][join] for draw in run["draws"]])


def difference(run: dict, variant: str, join: str) -> tuple[float, float]:
    """Return the test error of a variant less that of the best setting (by votes), and its standard error."""
    return paired(errors_of(run, variant, join) - errors_of(run, "best", "votes"))


def line(run: dict) -> str:
    """Return the line of the first table."""
    best, average = (100 * errors_of(run, *which).mean() for which in (("best", "votes"), (MAIN, JOIN)))
    members = np.mean([draw["members"][MAIN] for draw in run["draws"]])
    mean, error = difference(run, MAIN, JOIN)
    shares = [f"{difference(run, name, JOIN)[0]:+.2f}" for name in ("0.5 s.e.", "2 s.e.")]
    rule = [draw["rule"] for draw in run["draws"]]
    ruled = f"{100 * np.mean(rule):.2f}" if None not in rule else "-"
    return (
        f"| {run['set']} | {run['rows']:,} | {run['classes']} | {len(run['draws'])} | {members:.0f} | {best:.2f} "
        f"| {average:.2f} | {ruled} | {mean:+.2f} +- {error:.2f} | {' | '.join(shares)} |"
    )


HEAD = (
    "| set | rows | classes | draws | members | best | average | rule | average less best | 0.5 s.e. less best "
    "| 2 s.e. less best |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def spread(values: list[float], digits: str) -> str:
    """Return the mean and its standard error."""
    error = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{np.mean(values):{digits}} +- {error:.3f}"


def verdict(sets: list[list[dict]], variant: str, join: str) -> str:
    """Return how often a variant is better, equal and worse than the best setting, and the means over groups of runs.

    The runs of a group are averaged first.
    """
    means, errors, ratios, beside = [], [], [], []
    for runs in sets:
        found = np.array([difference(run, variant, join) for run in runs])
        means.append(found[:, 0].mean())
        errors.append(math.sqrt((found[:, 1] ** 2).sum()) / len(runs))
        beside.append(means[-1] - np.mean([difference(run, MAIN, JOIN)[0] for run in runs]))
        pairs = [(errors_of(run, variant, join).mean(), errors_of(run, "best", "votes").mean()) for run in runs]
        ratios += [np.mean([own / best for own, best in pairs])] if min(best for _, best in pairs) > 0 else []
    mean, error, small = np.array(means), np.array(errors), 1e-9
    kinds = [mean < -small, abs(mean) <= small, mean > small, mean < -2 * error - small, mean > 2 * error + small]
    counts = " | ".join(str(int(kind.sum())) for kind in kinds)
    return f"{counts} | {mean.mean():+.3f} | {spread(ratios, '.3f')} | {spread(beside, '+.3f')}"


VERDICT = "better | equal | worse | better by 2 s.e. | worse by 2 s.e. | less best | errors over best | less average |"


def print_verdicts(runs: list[dict]) -> None:
    """Print how each variant does over groups of runs, and how each way of joining does with many classes."""
    two = [[run] for run in runs if run["classes"] == 2]
    many = [[run] for run in runs if run["classes"] > 2]
    groups = {
        "sets, all numbers of rows of a set together": [
            [run for run in runs if run["set"] == name] for name in dict.fromkeys(run["set"] for run in runs)
        ],
        "lines of two classes, below 150 rows": [line for line in two if line[0]["rows"] < 150],
        "lines of two classes, 150 to 399 rows": [line for line in two if 150 <= line[0]["rows"] < 400],
        "lines of two classes, 400 rows and more": [line for line in two if line[0]["rows"] >= 400],
        "lines of many classes": many,
    }
    for name, some in groups.items():
        if some:
            print(f"\n{len(some)} {name}\n\n| variant | {VERDICT}\n| --- |{' ---: |' * 8}")
            for variant in runs[0]["draws"][0]["members"]:
                print(f"| {variant} | {verdict(some, variant, JOIN)} |")
            print(f"| {MAIN}, labels of the members vote | {verdict(some, MAIN, 'majority')} |")
    if many:
        print(f"\nHow pairs are joined: {len(many)} lines of many classes")
        print(f"\n| members | join | {VERDICT}\n| --- | --- |{' ---: |' * 8}")
        for variant in ("best", "0.5 s.e.", MAIN, "2 s.e."):
            for join in JOINS:
                print(f"| {variant} | {join} | {verdict(many, variant, join)} |")
        print("\n" + "\n".join(f"{name}: {what}" for name, what in JOINS.items()))
    draws = [draw for run in runs for draw in run["draws"]]
    disagree = np.mean([draw["disagree"] for draw in draws])
    print(f"\nrows where the package and the prototype differ on the best setting: {disagree:.3%}")
    if None not in (draw["rule"] for draw in draws):
        differs = np.mean([draw["rule_differs"] for draw in draws])
        print(f"rows where the rule and the prototype of the average differ: {differs:.3%}")
    print("seconds:", {k: round(sum(d["seconds"].get(k, 0) for d in draws)) for k in ("search", "members", "rule")})


def main() -> None:
    """Print a line for each set and number of rows, then the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets; not needed for generated rows")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--rows", type=int, nargs="+", help="training rows instead of those of the sets")
    parser.add_argument("--draws", type=int, default=20, help=f"at most, and {MOST_ROWS:,} training rows or four draws")
    parser.add_argument("--model", choices=list(MODELS), default="svm")
    parser.add_argument("--quick", action="store_true", help="3 draws, at most 300 rows")
    parser.add_argument("--json", type=Path, help="a file for all test errors")
    parser.add_argument("--table", type=Path, nargs="+", help="print the tables of such files again")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of columns that are constant on a draw, and of rare classes
    runs = []
    if given.table:
        runs = [run for path in given.table for run in json.loads(path.read_text())["runs"]]
        print("\n".join([HEAD, *map(line, runs)]))
        print_verdicts(runs)
        return
    print(HEAD, flush=True)
    for name in given.sets:
        source, positive, sizes = SETS[name]
        x, y = rows_of(given.data, source, positive)
        if given.model != "svm" and y.max() > 1:
            continue
        for rows in given.rows or [size for size in sizes if not given.quick or size <= 300]:
            if rows + 20 > len(y):  # too few rows would judge
                continue
            draws = 3 if given.quick else min(given.draws, max(MOST_ROWS // rows, 4))
            found = [draw_of(given.model, x, y, rows, seed) for seed in range(draws)]
            runs.append({"set": name, "rows": rows, "classes": int(y.max() + 1), "draws": found})
            print(line(runs[-1]), flush=True)
            if given.json:
                document = {"version": credence.__version__, "model": given.model, "runs": runs}
                given.json.write_text(json.dumps(document) + "\n")
    print_verdicts(runs)


if __name__ == "__main__":
    main()
