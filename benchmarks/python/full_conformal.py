"""FullConformalKNeighborsClassifier beside online-cp and nonconformist: seconds for fit and p-values, and equality.

    python full_conformal.py [--rows 200,400,800] [--test 50] [--repeats 3]

All sides take k = 1 and the ratio of distances, and give the p-value of every class of every test row.
"""

import sys

import numpy as np
from side_by_side import SOURCE, arguments, head, interleaved, read, table

import credence

sys.path.append(str(SOURCE / "benchmarks"))


def by_credence(X, y, new):
    return credence.FullConformalKNeighborsClassifier().fit(X, y).predict_p(new)


class One:
    """Draws the tau 1, so that smoothed p-values are plain ones."""

    def uniform(self, low, high):
        return high


def by_online_cp(X, y, new):
    from online_cp import ConformalNearestNeighboursClassifier

    classes = np.unique(y)
    machine = ConformalNearestNeighboursClassifier(k=1, label_space=classes)
    machine.rnd_gen = One()
    machine.learn_initial_training_set(X, y)
    p_values = [machine.predict(row, return_p_values=True)[1] for row in new]
    return np.array([[p[label] for label in classes] for p in p_values])


def by_nonconformist(X, y, new):
    from conformal_peer import NeighbourRatio
    from nonconformist.cp import TcpClassifier

    machine = TcpClassifier(NeighbourRatio(), smoothing=False)
    machine.fit(X, y)
    # It takes a number between 0 and 1 from the count, plus one.
    return np.floor(machine.predict(new) * (len(y) + 1) + 1e-9) / (len(y) + 1)


def main():
    parser = arguments(__doc__, repeats=3)
    parser.add_argument("--rows", default="200,400,800", help="training rows")
    parser.add_argument("--test", type=int, default=50, help="rows that are predicted")
    options = parser.parse_args()
    head(
        "Full conformal prediction with one neighbour, satellite (36 features, 6 classes)", "online-cp", "nonconformist"
    )
    X, labels = read(options.data / "satellite.train.csv.gz")
    order = np.random.default_rng(0).permutation(len(X))
    X, y = X[order], np.unique(labels, return_inverse=True)[1][order]
    lines = []
    for rows in [int(text) for text in options.rows.split(",")]:
        data = X[:rows], y[:rows], X[-options.test :]
        makers = {"Credence": by_credence, "online-cp": by_online_cp, "nonconformist": by_nonconformist}
        sides = {name: (lambda make=make, data=data: make(*data)) for name, make in makers.items()}
        seconds, p_values = interleaved(sides, options.repeats)
        ours = p_values["Credence"]
        for name in ("online-cp", "nonconformist"):
            differences = int((np.abs(p_values[name] - ours) > 1e-9).sum())
            ratio = seconds[name] / seconds["Credence"]
            lines.append(
                [name, rows, options.test, seconds[name], seconds["Credence"], ratio, f"{differences} of {ours.size}"]
            )
    table(["peer", "rows", "test rows", "peer, s", "Credence, s", "ratio", "p-values that differ"], lines)


if __name__ == "__main__":
    main()
