"""Cross-conformal prediction against the plain sum over folds."""

import numpy as np
import pytest
from credence import CrossConformalClassifier
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC


def shuffled(load):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def naive_cross_p_values(estimator, folds, X, y, new, *, conditional=False):
    """Return (sum over folds of #{i in the fold: alpha_i >= alpha by the fold's classifier} + 1) / (n + 1)."""
    classes = np.unique(y)
    counts, sizes = np.zeros((len(new), len(classes))), np.zeros(len(classes))
    for train, rest in folds:
        one = estimator.fit(X[train], y[train])
        scores = getattr(one, "predict_proba", getattr(one, "decision_function", None))
        kept, asked = scores(X[rest]), scores(new)
        for c, label in enumerate(classes):
            own = [
                -kept[i, list(classes).index(y[row])]
                for i, row in enumerate(rest)
                if not conditional or y[row] == label
            ]
            sizes[c] += len(own)
            for row in range(len(new)):
                counts[row, c] += sum(alpha >= -asked[row, c] for alpha in own)
    return (counts + 1) / (sizes + 1)


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize(
    "estimator",
    [GaussianNB(), KNeighborsClassifier(3), LinearSVC(random_state=0, dual=False)],
    ids=lambda e: type(e).__name__,
)
def test_p_values_vs_naive_sum(estimator, conditional):
    X, y = shuffled(load_iris)
    X, new, y = X[:110], X[110:], y[:110]
    splitter = StratifiedKFold(4, shuffle=True, random_state=1)
    machine = CrossConformalClassifier(estimator, cv=splitter, label_conditional=conditional).fit(X, y)
    expected = naive_cross_p_values(estimator, splitter.split(X, y), X, y, new, conditional=conditional)
    np.testing.assert_array_equal(machine.predict_p(new), expected)
    assert len(machine.estimators_) == 4


def test_number_of_folds_is_that_of_scikit_learn():
    X, y = shuffled(load_wine)
    by_number = CrossConformalClassifier(GaussianNB(), cv=3).fit(X[:120], y[:120])
    expected = naive_cross_p_values(GaussianNB(), StratifiedKFold(3).split(X[:120], y[:120]), X[:120], y[:120], X[120:])
    np.testing.assert_array_equal(by_number.predict_p(X[120:]), expected)


def test_iterable_of_folds_equals_its_splitter():
    X, y = shuffled(load_wine)
    folds = list(KFold(5).split(X[:120]))
    by_list = CrossConformalClassifier(GaussianNB(), cv=folds).fit(X[:120], y[:120])
    by_splitter = CrossConformalClassifier(GaussianNB(), cv=KFold(5)).fit(X[:120], y[:120])
    np.testing.assert_array_equal(by_list.predict_p(X[120:]), by_splitter.predict_p(X[120:]))


def test_fit_twice_equals_fit_once():
    X, y = shuffled(load_wine)
    twice = CrossConformalClassifier(GaussianNB()).fit(X[:60], y[:60]).fit(X[:120], y[:120])
    once = CrossConformalClassifier(GaussianNB()).fit(X[:120], y[:120])
    np.testing.assert_array_equal(twice.predict_p(X[120:]), once.predict_p(X[120:]))


def test_fold_that_has_not_seen_a_class():
    """Rows of a class that a fold's classifier has not seen are infinitely strange to it."""
    X, y = shuffled(load_iris)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    machine = CrossConformalClassifier(GaussianNB(), cv=KFold(3)).fit(X, y)
    p = machine.predict_p(X)
    assert ((p > 0) & (p <= 1)).all()
    assert machine.predict_set(X, 0.95)[np.arange(150), y].all()


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two classes"):
        CrossConformalClassifier(GaussianNB()).fit(np.zeros((10, 2)), np.zeros(10))


def test_parts_that_overlap_are_refused():
    X, y = shuffled(load_iris)
    with pytest.raises(ValueError, match="overlap"):
        CrossConformalClassifier(GaussianNB(), cv=ShuffleSplit(8, test_size=0.5, random_state=0)).fit(X, y)
