"""SplitConformalClassifier and SplitConformalRegressor beside MAPIE and crepes: seconds and equality.

    python split.py [--calibration 5000] [--test 5000] [--repeats 5]

The estimators give out their input, so that only conformal prediction is timed.
"""

import warnings

import numpy as np
from side_by_side import arguments, head, interleaved, table
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import credence

LEVELS = [0.8, 0.9, 0.95]


class GivenProbabilities(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.arange(X.shape[1]), X.shape[1]
        return self

    def predict_proba(self, X):
        return X

    def predict(self, X):
        return X.argmax(axis=1)


class GivenMeans(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return X[:, 0]


def drawn(random, rows, classes):
    """Return probabilities, and classes drawn from them."""
    probabilities = random.dirichlet(np.full(classes, 0.3), size=rows)
    return probabilities, np.array([random.choice(classes, p=p) for p in probabilities])


def classification(options, classes):
    from crepes import WrapClassifier
    from mapie.classification import SplitConformalClassifier

    random = np.random.default_rng(0)
    kept, y = drawn(random, options.calibration, classes)
    new, _ = drawn(random, options.test, classes)
    estimator = GivenProbabilities().fit(kept, y)

    def ours():
        return credence.SplitConformalClassifier(estimator, prefit=True).conformalize(kept, y)

    def crepes():
        peer = WrapClassifier(estimator)
        peer.calibrate(kept, y)
        return peer

    def mapie():
        peer = SplitConformalClassifier(estimator, confidence_level=LEVELS, conformity_score="lac", prefit=True)
        return peer.conformalize(kept, y)

    by_p, p = interleaved(
        {"Credence": lambda: ours().predict_p(new), "peer": lambda: crepes().predict_p(new, smoothing=False)},
        options.repeats,
    )
    by_set, sets = interleaved(
        {"Credence": lambda: ours().predict_set(new, LEVELS), "peer": lambda: mapie().predict_set(new)[1]},
        options.repeats,
    )
    return [
        [
            f"p-values, {classes} classes",
            "crepes",
            *line(by_p),
            int((p["Credence"] != p["peer"]).sum()),
            p["peer"].size,
        ],
        [
            f"sets at 3 levels, {classes} classes",
            "MAPIE",
            *line(by_set),
            int((sets["Credence"] != sets["peer"]).sum()),
            sets["peer"].size,
        ],
    ]


def regression(options):
    from crepes import WrapRegressor
    from mapie.regression import SplitConformalRegressor

    random = np.random.default_rng(1)
    kept, new = random.normal(size=(options.calibration, 1)), random.normal(size=(options.test, 1))
    y = kept[:, 0] + random.standard_t(3, size=options.calibration)
    estimator = GivenMeans().fit(kept, y)

    def ours():
        machine = credence.SplitConformalRegressor(estimator, prefit=True).conformalize(kept, y)
        return machine.predict_interval(new, 0.95)

    def crepes():
        peer = WrapRegressor(estimator)
        peer.calibrate(kept, y)
        return peer.predict_int(new, confidence=0.95)

    def mapie():
        peer = SplitConformalRegressor(estimator, confidence_level=0.95, prefit=True).conformalize(kept, y)
        return peer.predict_interval(new)[1][:, :, 0]

    seconds, ends = interleaved({"Credence": ours, "crepes": crepes, "MAPIE": mapie}, options.repeats)
    lines = []
    for name in ("crepes", "MAPIE"):
        differ = int((~np.isclose(ends["Credence"], ends[name], rtol=1e-14, atol=0)).sum())
        pair = {"Credence": seconds["Credence"], "peer": seconds[name]}
        lines.append(["intervals at 0.95", name, *line(pair), differ, ends[name].size])
    return lines


def line(seconds):
    return [seconds["peer"], seconds["Credence"], seconds["peer"] / seconds["Credence"]]


def main():
    parser = arguments(__doc__)
    parser.add_argument("--calibration", type=int, default=5000, help="rows to compare with")
    parser.add_argument("--test", type=int, default=5000, help="rows that are predicted")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    title = f"Split conformal prediction, {options.calibration} rows to compare with, {options.test} new rows"
    head(title, "mapie", "crepes", "scikit-learn")
    lines = classification(options, 3) + classification(options, 10) + regression(options)
    table(["what", "peer", "peer, s", "Credence, s", "ratio", "numbers that differ", "of"], lines)


if __name__ == "__main__":
    main()
