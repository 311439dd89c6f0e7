"""SVCSearchCV beside GridSearchCV over a pipeline, and beside the command: seconds and differences of errors.

    python search.py [--only pima,bupa] [--repeats 3] [--command build/credence]

Both sides get the same rows, grid (110 settings) and ten folds, scale inside each fold, refit the best setting, and use all
cores. The command reads its file and starts as a process; both choose as `credence select` does without options.
"""

import json
import os
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
from side_by_side import SOURCE, arguments, cores, head, interleaved, read, table
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import credence

COSTS = [2.0**power for power in range(-5, 16, 2)]
GAMMAS = [2.0**power for power in range(-15, 4, 2)]
#: File, classes against the rest (none: as they are), and rows drawn at random (0: all).
DATA_SETS = {
    "pima": ("pima.csv.gz", (), 0),
    "bupa": ("bupa.csv.gz", (), 0),
    "ionosphere": ("ionosphere.csv.gz", (), 0),
    "breastw": ("breastw.csv.gz", (), 0),
    "australian": ("australian.csv.gz", (), 0),
    "credit": ("hardoon_credit.csv.gz", (), 0),
    "shuttle, two classes": ("shuttle.train.csv.gz", ("1",), 1800),
    "satellite, two classes": ("satellite.train.csv.gz", ("1", "2", "5"), 1800),
}


def load(folder, name):
    """Return rows and classes of a data set; subsets are drawn with the seed 0 of NumPy."""
    file, positive, rows = DATA_SETS[name]
    X, y = read(folder / file)
    if positive:
        y = np.isin(y, positive).astype(int)
    if rows:
        chosen = np.sort(np.random.default_rng(0).permutation(len(y))[:rows])
        X, y = X[chosen], y[chosen]
    return X, y


def largest_difference(ours, theirs, folds):
    """Return by how many rows the cross-validation errors of a setting differ at most."""
    place = {(setting["C"], setting["gamma"]): i for i, setting in enumerate(ours["params"])}
    order = [place[setting["svc__C"], setting["svc__gamma"]] for setting in theirs["params"]]
    rows = np.zeros(len(order))
    for k, (_, test) in enumerate(folds):
        rows += len(test) * (ours[f"split{k}_test_score"][order] - theirs[f"split{k}_test_score"])
    return int(np.abs(np.round(rows)).max())


def beside_grid_search(name, X, y, repeats):
    """Return one line of the table."""
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    pipeline = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": COSTS, "svc__gamma": GAMMAS}
    sides = {
        "GridSearchCV": lambda: GridSearchCV(pipeline, grid, cv=folds, n_jobs=-1).fit(X, y),
        "Credence": lambda: credence.SVCSearchCV(C=COSTS, gamma=GAMMAS, cv=folds).fit(X, y),
    }
    seconds, found = interleaved(sides, repeats, warm=False)
    theirs, ours = found["GridSearchCV"], found["Credence"]
    return [
        name,
        len(y),
        seconds["GridSearchCV"],
        seconds["Credence"],
        seconds["GridSearchCV"] / seconds["Credence"],
        largest_difference(ours.cv_results_, theirs.cv_results_, folds),
        f"{theirs.best_score_:.4f}, {ours.best_score_:.4f}",
    ]


def beside_command(command, path, repeats):
    """Print the seconds of the command on pima, its own and those of its process, beside the seconds of `fit`."""
    X, y = read(path)
    folder = Path(tempfile.mkdtemp())
    own = []

    def run():
        files = ["-o", str(folder / "model.credence"), "--json", str(folder / "result.json")]
        limits = ["--threads", str(cores())]
        subprocess.run([command, "select", str(path), "--quiet", *limits, *files], check=True, capture_output=True)
        own.append(json.loads((folder / "result.json").read_text())["seconds"])

    sides = {"command": run, "fit": lambda: credence.SVCSearchCV(n_jobs=cores()).fit(X, y)}
    seconds, found = interleaved(sides, repeats)
    selection = float(np.median(own))
    best = json.loads((folder / "result.json").read_text())["best"]
    same = (best["C"], best["gamma"]) == tuple(found["fit"].best_params_[name] for name in ("C", "gamma"))
    table(
        ["pima", "seconds", "fit, in per cent of it"],
        [
            ["SVCSearchCV.fit", seconds["fit"], 100.0],
            ["the selection of the command, by its own clock", selection, 100 * seconds["fit"] / selection],
            ["the whole process of the command", seconds["command"], 100 * seconds["fit"] / seconds["command"]],
        ],
    )
    print(f"same setting: {same}; {repeats} runs of each, in turn\n")


def main():
    parser = arguments(__doc__, repeats=3)
    parser.add_argument("--only", default="", help="names of data sets, with commas")
    parser.add_argument("--command", default=os.environ.get("CREDENCE_COMMAND", str(SOURCE / "build" / "credence")))
    options = parser.parse_args()
    head(
        "SVCSearchCV beside GridSearchCV(make_pipeline(StandardScaler(), SVC())), 110 settings x 10 folds", "scikit-learn"
    )
    warnings.simplefilter("ignore")  # a constant column of ionosphere
    X, y = load(options.data, "bupa")
    credence.SVCSearchCV(C=[1.0], gamma=[0.1]).fit(X, y)
    GridSearchCV(SVC(), {"C": [1.0, 2.0]}, n_jobs=-1).fit(X, y)  # starts its workers
    names = [name for name in DATA_SETS if not options.only or name.split(",")[0] in options.only.split(",")]
    lines = [beside_grid_search(name, *load(options.data, name), options.repeats) for name in names]
    table(
        ["data set", "rows", "GridSearchCV, s", "Credence, s", "ratio", "rows by which a setting differs", "best scores"],
        lines,
    )
    ratios = [line[4] for line in lines]
    print(f"geometric mean of the ratios: {np.exp(np.mean(np.log(ratios))):.3g}\n")
    if Path(options.command).exists():
        beside_command(options.command, options.data / "pima.csv.gz", max(9, options.repeats))
    else:
        print(f"{options.command} is not built; no comparison with the command")


if __name__ == "__main__":
    main()
