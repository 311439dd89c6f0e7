"""Validity by simulation with a fixed seed: errors of smoothed p-values are exactly eps, those of plain ones at most.

A trial draws the rows to compare with and one new row, so that trials are independent.
"""

import numpy as np
import pytest
from credence import CrossConformalClassifier, SplitConformalClassifier, SplitConformalRegressor
from scipy.stats import kstest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

TRIALS = 2000
CLASSES = 3


class Columns(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are the first columns."""

    def fit(self, X, y):
        self.classes_ = np.arange(CLASSES)
        return self

    def decision_function(self, X):
        return X[:, :CLASSES]


class FirstColumn(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0]


def drawn(random, rows, ties):
    """Return scores that know something of the class, and a last column with one of two groups."""
    y = random.choice(CLASSES, size=rows, p=[0.6, 0.3, 0.1])
    X = random.normal(size=(rows, CLASSES + 1))
    X[np.arange(rows), y] += 1
    X = X.round(0) if ties else X
    X[:, -1] = random.integers(2, size=rows)
    # Columns of a group have a scale of their own, so that pooled p-values would not hold in each.
    X[:, :CLASSES] *= 1 + 3 * X[:, -1:]
    return X, y


def p_values_of_the_truth(options, *, rows=19, ties=False, seed=0):
    """Return the p-value of the true class of the new row of each trial, its class and its group."""
    random = np.random.default_rng(seed)
    found, columns = np.empty((TRIALS, 3)), Columns().fit(None, None)
    for trial in range(TRIALS):
        X, y = drawn(random, rows + 1, ties)
        machine = SplitConformalClassifier(columns, prefit=True, random_state=trial, **options)
        p = machine.conformalize(X[:-1], y[:-1]).predict_p(X[-1:])[0, y[-1]]
        found[trial] = p, y[-1], X[-1, -1]
    return found


def within(errors, n, level):
    """Return whether a binomial count lies within 3.3 standard deviations."""
    return abs(errors - level * n) < 3.3 * np.sqrt(n * level * (1 - level))


@pytest.mark.core
@pytest.mark.parametrize("ties", [False, True], ids=["without_ties", "with_ties"])
@pytest.mark.parametrize(
    "options",
    [{}, {"label_conditional": True}, {"categories": -1}],
    ids=["marginal", "label_conditional", "categories"],
)
def test_smoothed_errors_are_exactly_eps(options, ties):
    found = p_values_of_the_truth({"smoothed": True, **options}, ties=ties)
    parts = {"label_conditional": 1, "categories": 2}
    column = next((parts[name] for name in options), None)
    values = [None] if column is None else np.unique(found[:, column])
    for value in values:
        p = found[:, 0] if column is None else found[found[:, column] == value, 0]
        assert kstest(p, "uniform").pvalue > 0.001
        for level in (0.05, 0.2):
            assert within((p <= level).sum(), len(p), level)


@pytest.mark.core
@pytest.mark.parametrize("ties", [False, True], ids=["without_ties", "with_ties"])
def test_plain_errors_are_at_most_eps(ties):
    p = p_values_of_the_truth({}, ties=ties)[:, 0]
    for level in (0.05, 0.1, 0.2, 0.5):
        errors = (p <= level + 1e-12).sum()
        assert errors < level * TRIALS + 3.3 * np.sqrt(TRIALS * level * (1 - level))
        # Without ties and with 19 rows these levels are p-values: errors are exactly eps.
        assert ties or within(errors, TRIALS, level)


@pytest.mark.core
def test_intervals_miss_exactly_eps():
    random = np.random.default_rng(3)
    misses, column = np.zeros(2), FirstColumn().fit(None, None)
    for _ in range(TRIALS):
        X = random.normal(size=(20, 1))
        y = X[:, 0] + random.standard_t(2, size=20)
        machine = SplitConformalRegressor(column, prefit=True).conformalize(X[:-1], y[:-1])
        ends = machine.predict_interval(X[-1:], [0.9, 0.8])[0]
        misses += (y[-1] < ends[0]) | (y[-1] > ends[1])
    assert within(misses[0], TRIALS, 0.1)
    assert within(misses[1], TRIALS, 0.2)


@pytest.mark.core
def test_split_of_fit_is_valid():
    """The rows that `fit` holds out are drawn without a look at the classes: errors of whole fits are at most eps."""
    random = np.random.default_rng(4)
    errors, trials = 0, 700
    for trial in range(trials):
        X, y = drawn(random, 80, False)
        y[:3] = [0, 1, 2]
        order = random.permutation(80)
        X, y = X[order], y[order]
        machine = SplitConformalClassifier(DecisionTreeClassifier(max_depth=2), random_state=trial)
        machine.fit(X[:-1], y[:-1])
        errors += not machine.predict_set(X[-1:], 0.8)[0, list(machine.classes_).index(y[-1])]
    assert errors < 0.2 * trials + 3.3 * np.sqrt(trials * 0.2 * 0.8)


def one_call_and_many(machine, X):
    at_once = machine.predict_p(X)
    one_by_one = np.vstack([machine.predict_p(X[i : i + 1]) for i in range(len(X))])
    return at_once, one_by_one


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400], X[400:600], y[400:600], X[600:700]


@pytest.mark.parametrize("conditional", [False, True])
def test_ten_rows_in_one_call_equal_ten_calls(digits, conditional):
    X, y, kept, y_kept, new = digits
    tree = DecisionTreeClassifier(random_state=0, min_samples_leaf=5).fit(X, y)
    machine = SplitConformalClassifier(tree, prefit=True, smoothed=True, label_conditional=conditional)
    at_once, one_by_one = one_call_and_many(machine.conformalize(kept, y_kept), new)
    np.testing.assert_array_equal(at_once, one_by_one)
    np.testing.assert_array_equal(machine.predict_p(new[::-1]), at_once[::-1])
    plain = SplitConformalClassifier(tree, prefit=True, label_conditional=conditional).conformalize(kept, y_kept)
    assert (at_once <= plain.predict_p(new)).all()
    other = machine.set_params(random_state=1).predict_p(new)
    assert (other != at_once).any()
    np.testing.assert_array_equal(machine.set_params(random_state=0).predict_p(new), at_once)


def test_ten_rows_in_one_call_equal_ten_calls_of_a_classifier_with_products(digits):
    """A product of matrices rounds a row alone otherwise than among others: only tau must not depend on that."""
    X, y, kept, y_kept, new = digits
    estimator = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)).fit(X, y)
    machine = SplitConformalClassifier(estimator, prefit=True, smoothed=True).conformalize(kept, y_kept)
    at_once, one_by_one = one_call_and_many(machine, new)
    np.testing.assert_allclose(at_once, one_by_one, atol=1e-12)


def test_cross_conformal_rows_in_one_call_equal_ten_calls(digits):
    X, y, _, _, new = digits
    machine = CrossConformalClassifier(DecisionTreeClassifier(random_state=0, max_depth=5), smoothed=True).fit(X, y)
    np.testing.assert_array_equal(*one_call_and_many(machine, new))


def test_rows_with_equal_scores_have_taus_of_their_own(digits):
    """A tree gives the rows of a leaf equal scores, but they are other rows: taus are keyed by the rows."""
    X, y, kept, y_kept, new = digits
    tree = DecisionTreeClassifier(random_state=0, max_depth=2).fit(X, y)
    machine = SplitConformalClassifier(tree, prefit=True, smoothed=True).conformalize(kept, y_kept)
    assert len(np.unique(machine.predict_p(new)[:, 0])) > 50
