"""Known weights and new groups in conformal prediction, against sums written out in plain loops."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from credence import CrossConformalClassifier, SplitConformalClassifier, SplitConformalRegressor
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB


class Columns(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are the first two columns."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0] * 1.0

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class FirstColumn(RegressorMixin, BaseEstimator):
    """A regression that predicts the first column."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def drawn(seed, rows):
    """Return rows with many ties, classes and groups of unequal sizes."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3)).round(1)
    X[:, 2] = random.uniform(0.1, 3, size=rows)
    return X, random.integers(2, size=rows), random.choice(6, size=rows, p=[0.4, 0.2, 0.2, 0.1, 0.06, 0.04])


def weight_of(rows):
    """Return the last column: the known weight of each row."""
    return rows[:, 2]


def summed_p(X, y, new, weights, own, *, conditional=False):
    """Return (sum w [alpha_i >= alpha] + w(x)) / (sum w + w(x)), where scores are minus and plus the first column."""
    p = np.empty((len(new), 2))
    for row in range(len(new)):
        for label in range(2):
            above = total = own[row]
            for i in range(len(y)):
                if conditional and y[i] != label:
                    continue
                alpha = -X[i, 0] if y[i] else X[i, 0]
                total += weights[i]
                above += weights[i] if alpha >= (-new[row, 0] if label else new[row, 0]) else 0
            p[row, label] = above / total
    return p


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("weights", [2, weight_of])
def test_known_weights_vs_sums(conditional, weights):
    X, y, _ = drawn(0, 90)
    machine = SplitConformalClassifier(
        Columns().fit(X, y), prefit=True, weights=weights, label_conditional=conditional
    ).conformalize(X[:60], y[:60])
    expected = summed_p(X[:60], y[:60], X[60:], X[:60, 2], X[60:, 2], conditional=conditional)
    np.testing.assert_allclose(machine.predict_p(X[60:]), expected, rtol=1e-13)
    w = X[:60, 2]
    assert machine.n_effective_ == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert machine.n_calibration_ == 60
    with pytest.raises(ValueError, match="count by weights or groups"):
        machine.miss_limit(0.9)
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.predict_p(X[60:]), machine.predict_p(X[60:]))


def test_weights_of_one_are_counts():
    X, y, _ = drawn(1, 90)
    plain = SplitConformalClassifier(Columns().fit(X, y), prefit=True)
    weighed = SplitConformalClassifier(Columns().fit(X, y), prefit=True, weights=lambda rows: np.ones(len(rows)))
    ours = weighed.conformalize(X[:60], y[:60]).predict_p(X[60:])
    np.testing.assert_array_equal(ours, plain.conformalize(X[:60], y[:60]).predict_p(X[60:]))
    assert weighed.n_effective_ == plain.n_effective_ == 60


@pytest.mark.parametrize("conditional", [False, True])
def test_new_groups_vs_sums(conditional):
    X, y, groups = drawn(2, 90)
    machine = SplitConformalClassifier(Columns().fit(X, y), prefit=True, label_conditional=conditional)
    machine.conformalize(X[:60], y[:60], groups=[f"site {group}" for group in groups[:60]])
    shares = [1 / np.sum(groups[:60] == group) for group in groups[:60]]
    expected = summed_p(X[:60], y[:60], X[60:], shares, np.ones(30), conditional=conditional)
    np.testing.assert_allclose(machine.predict_p(X[60:]), expected, rtol=1e-13)
    said = machine._guarantee()
    assert "of a row of a new group with probability at most 1 - confidence level" in said
    assert f"the {len(set(groups[:60]))} groups given to conformalize" in said


def test_fit_keeps_whole_groups_from_training():
    X, y, groups = drawn(3, 200)
    machine = SplitConformalClassifier(Columns(), calibration_size=0.5, random_state=4).fit(X, y, groups=groups)
    sizes = np.bincount(groups)
    kept = [subset for subset in range(64) if bin(subset).count("1") == 3]
    possible = {sum(sizes[k] for k in range(6) if subset >> k & 1) for subset in kept}
    assert machine.n_calibration_ in possible
    with pytest.raises(ValueError, match="one group"):
        machine.fit(X, y, groups=np.zeros(200))
    with pytest.raises(ValueError, match="groups of 3"):
        machine.fit(X, y, groups=[1, 2, 3])


@pytest.mark.parametrize("cv", [3, KFold(7)])
def test_cross_groups_vs_sums(cv):
    X, y, groups = drawn(5, 120)
    groups = np.repeat(np.arange(12), [1, 19, 2, 18, 3, 17, 4, 16, 5, 15, 6, 14])
    machine = CrossConformalClassifier(GaussianNB(), cv=cv, random_state=1)
    if cv != 3:
        with pytest.raises(ValueError, match="cv parts a group"):
            machine.fit(X, y, groups=groups)
        return
    machine.fit(X, y, groups=groups)
    new = drawn(6, 20)[0]
    above, total = np.ones((20, 2)), np.ones((20, 2))
    for one in machine.estimators_:
        held = np.flatnonzero(np.isin(groups, held_groups(one, X, y, groups)))
        shares = np.array([1 / np.sum(groups == groups[i]) for i in held])
        own = one.predict_proba(X[held])[np.arange(len(held)), y[held]]
        for row, scores in enumerate(one.predict_proba(new)):
            for label in range(2):
                total[row, label] += shares.sum()
                above[row, label] += shares[own <= scores[label]].sum()
    np.testing.assert_allclose(machine.predict_p(new), above / total, rtol=1e-12)
    assert "if new groups and those of the folds are exchangeable" in machine._guarantee()


def held_groups(estimator, X, y, groups):
    """Return the four groups without which the naive Bayes classifier was trained, as its means tell."""
    for held in combinations(np.unique(groups), 4):
        rows = ~np.isin(groups, held)
        if np.allclose(estimator.theta_, [X[rows & (y == label)].mean(axis=0) for label in (0, 1)], atol=1e-12):
            return held
    raise AssertionError("the classifier was trained on no choice of whole groups")


def test_weighed_intervals_are_the_targets_with_a_large_p_value():
    X, _, groups = drawn(7, 60)
    y = X[:, 0] + np.random.default_rng(8).normal(size=60).round(1)
    by_weight = SplitConformalRegressor(FirstColumn().fit(X, y), prefit=True, weights=2).conformalize(X[:40], y[:40])
    by_group = SplitConformalRegressor(FirstColumn().fit(X, y), prefit=True)
    by_group.conformalize(X[:40], y[:40], groups=groups[:40])
    for machine in (by_weight, by_group):
        ends = machine.predict_interval(X[40:], 0.8)
        for shift in np.linspace(-4.03, 3.97, 41):  # between the residuals, which are tenths
            p = machine.predict_p(X[40:], X[40:, 0] + shift)
            inside = (ends[:, 0] <= X[40:, 0] + shift) & (X[40:, 0] + shift <= ends[:, 1])
            np.testing.assert_array_equal(inside, p > 0.2 + 1e-12)
    residuals = np.abs(y[:40] - X[:40, 0])
    expected = [
        (X[residuals_at_least, 2].sum() + X[40, 2]) / (X[:40, 2].sum() + X[40, 2])
        for residuals_at_least in [np.flatnonzero(residuals >= 0.55)]
    ]
    assert by_weight.predict_p(X[40:41], X[40:41, 0] + 0.55)[0] == pytest.approx(expected[0])
    assert "the target of a row of a new group" in by_group.evaluate(X[40:], y[40:])._document()


def test_known_weights_in_folds_vs_sums():
    X, y, groups = drawn(7, 90)
    known, new = X[:60], X[60:]
    for conditional in (False, True):
        machine = CrossConformalClassifier(
            Columns(), cv=KFold(4, shuffle=True, random_state=1), weights=2, label_conditional=conditional
        ).fit(known, y[:60])
        expected = summed_p(known, y[:60], new, known[:, 2], new[:, 2], conditional=conditional)
        np.testing.assert_allclose(machine.predict_p(new), expected, rtol=1e-13)
        lists = [y[:60] == c for c in (0, 1)] if conditional else [np.ones(60, dtype=bool)]
        share = max(known[own, 2].max() / known[own, 2].sum() for own in lists)
        said = machine._guarantee()
        assert f"with 4 folds, where the heaviest row has the share {share:.2g} of all weights (" in said
        again = pickle.loads(pickle.dumps(machine))
        np.testing.assert_array_equal(again.predict_p(new), machine.predict_p(new))
    assert "drawn class by class" in CrossConformalClassifier(Columns(), weights=2).fit(known, y[:60])._guarantee()
    with pytest.raises(ValueError, match="by weights or by groups"):
        CrossConformalClassifier(Columns(), weights=2).fit(known, y[:60], groups=groups[:60])
