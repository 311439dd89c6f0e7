"""Probabilities of Credence beside scikit-learn's CalibratedClassifierCV(SVC): the table of docs/probability.md.

    python probabilities.py --build build --data ../shared/data [--draws 10] [--rows 1000] NAME...

Each draw splits a set into two halves at random (the first of `rows` rows at most). `credence select` chooses C and
gamma on the first half; scikit-learn trains pipelines of StandardScaler and SVC with the same C and gamma. Log loss and
Brier score on the other half, mean over the draws; a probability counts as 1e-15 at least.
"""

import argparse
import json
import os
import subprocess
import tempfile

import numpy as np
import pandas
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

MAPS = ["sigmoid", "isotonic", "venn_abers"]


def scores(probability, labels, classes):
    truth = labels[:, None] == classes[None, :]
    own = np.maximum(probability[truth], 1e-15)
    return [-np.log(own).mean(), ((probability - truth) ** 2).sum(axis=1).mean()]


def credence(build, folder, train, test):
    paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv")]
    for table, path in zip((train, test), paths):
        table.to_csv(path, index=False)
    model, report = os.path.join(folder, "m"), os.path.join(folder, "m.json")
    subprocess.run([os.path.join(build, "credence"), "select", paths[0], "--label", "label", "--estimate", "none", "-o",
                    model, "--json", report, "--quiet"], check=True)
    with open(report) as file:
        best = json.load(file)["best"]
    line = subprocess.run([os.path.join(build, "probability_scores"), model, paths[1]], check=True, capture_output=True)
    return best, json.loads(line.stdout)


def peers(train, test, best):
    features = [name for name in train.columns if name != "label"]
    x, y = train[features].to_numpy(float), train["label"].to_numpy()
    machine = make_pipeline(StandardScaler(), SVC(C=best["C"], gamma=best["gamma"]))
    result = {}
    for method in ("sigmoid", "isotonic"):
        for ensemble in (True, False):
            model = CalibratedClassifierCV(machine, method=method, cv=5, ensemble=ensemble).fit(x, y)
            probability = model.predict_proba(test[features].to_numpy(float))
            disagree = (model.classes_[probability.argmax(axis=1)] != machine.fit(x, y).predict(
                test[features].to_numpy(float))).mean()
            name = f"scikit-learn {method}{'' if ensemble else ', ensemble=False'}"
            result[name] = scores(probability, test["label"].to_numpy(), model.classes_) + [disagree]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    for name in options.names:
        table = pandas.read_csv(os.path.join(options.data, name + ".csv.gz")).dropna()
        rows = {}
        for draw in range(options.draws):
            order = np.random.default_rng(draw).permutation(len(table))
            first = order[:min(options.rows, len(table) // 2)]
            train, test = table.iloc[first], table.iloc[order[len(table) // 2:]]
            with tempfile.TemporaryDirectory() as folder:
                best, ours = credence(options.build, folder, train, test)
            for each in MAPS:
                for kind in ("agreed", "raw"):
                    moved = ours[each]["moved"] if kind == "raw" else 0
                    rows.setdefault(f"{each}, {kind}", []).append(ours[each][kind] + [moved])
            for peer, values in peers(train, test, best).items():
                rows.setdefault(peer, []).append(values)
        print(f"\n{name}: {len(train)} rows train, {len(test)} judge, {options.draws} draws")
        for row, values in rows.items():
            log_loss, brier, disagree = np.mean(values, axis=0)
            print(f"  {row:<40} log loss {log_loss:.4f}   Brier {brier:.4f}   disagree {100 * disagree:.1f} %", flush=True)


if __name__ == "__main__":
    main()
