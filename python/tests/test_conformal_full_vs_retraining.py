"""Full conformal prediction against machines that are retrained for each new row and class."""

import re

import numpy as np
import pandas as pd
import pytest
from credence import FullConformalKNeighborsClassifier, FullConformalSVC
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.svm import SVC

METRICS = {
    "euclidean": lambda x, z: np.sqrt(((x - z) ** 2).sum()),
    "manhattan": lambda x, z: np.abs(x - z).sum(),
    "cosine": lambda x, z: 1 - (x @ z) / np.sqrt((x @ x) * (z @ z)),
}


def nearest(values, k):
    """Return the mean of the k smallest values, of all if there are fewer; None of none."""
    return np.mean(sorted(values)[:k]) if len(values) else None


def naive_nonconformity(distances, y, i, k, measure):
    own = nearest([distances[i, j] for j in range(len(y)) if j != i and y[j] == y[i]], k)
    other = nearest([distances[i, j] for j in range(len(y)) if y[j] != y[i]], k)
    if own is None:
        return np.inf
    if measure == "nn-own":
        return own
    if other is None:
        return 0.0
    if other == 0:
        return 1.0 if own == 0 else np.inf
    return own / other


def naive_tcm(X, y, new, *, k=1, measure="nn-ratio", metric="euclidean", conditional=False, weights=None, own=None):
    """Return the p-values of a transductive machine: every nonconformity score of every extended set from scratch.

    Known rows count by ``weights`` and new ones by ``own``; each counts 1 without.
    """
    weights = np.ones(len(X)) if weights is None else weights
    own = np.ones(len(new)) if own is None else own
    classes = np.unique(y)
    p = np.empty((len(new), len(classes)))
    for row, x in enumerate(new):
        extended = np.vstack([X, x])
        distances = np.array([[METRICS[metric](a, b) for b in extended] for a in extended])
        for c, label in enumerate(classes):
            labels = np.append(y, label)
            alphas = [naive_nonconformity(distances, labels, i, k, measure) for i in range(len(labels))]
            counted = np.array([not conditional or known == label for known in y])
            # Two orders of the same sum differ by rounding; nonconformity scores that differ by less are ties.
            ties = [a >= alphas[-1] or np.isclose(a, alphas[-1], rtol=1e-12, atol=0) for a in alphas[:-1]]
            total = weights[counted].sum() + own[row]
            p[row, c] = (weights[counted & np.array(ties)].sum() + own[row]) / total
    return p


def shuffled_iris(rows, seed=0):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(y))[:rows]
    return X[order], y[order]


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("measure", ["nn-ratio", "nn-own"])
@pytest.mark.parametrize("k", [1, 3])
def test_neighbours_vs_retrained_tcm(k, measure, conditional):
    X, y = make_blobs(50, 4, centers=3, cluster_std=4.0, random_state=k)
    machine = FullConformalKNeighborsClassifier(scale="none", n_neighbors=k, measure=measure, label_conditional=conditional)
    p = machine.fit(X[:40], y[:40]).predict_p(X[40:])
    np.testing.assert_allclose(
        p, naive_tcm(X[:40], y[:40], X[40:], k=k, measure=measure, conditional=conditional), rtol=1e-14
    )


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_neighbours_with_ties_and_duplicates_vs_retrained_tcm(metric):
    """Whole numbers give equal distances, and rows that lie on each other: 0 / 0 is 1."""
    random = np.random.default_rng(2)
    X, y = random.integers(3, size=(50, 2)).astype(float), random.integers(2, size=50)
    p = FullConformalKNeighborsClassifier(scale="none", metric=metric).fit(X[:40], y[:40]).predict_p(X[40:])
    np.testing.assert_allclose(p, naive_tcm(X[:40], y[:40], X[40:], metric=metric), rtol=1e-14)


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("weights", [4, "weight", lambda rows: np.asarray(rows)[:, 4]])
def test_known_weights_vs_retrained_tcm(weights, conditional):
    X, y = shuffled_iris(60)
    random = np.random.default_rng(3)
    X = X + random.normal(scale=0.01, size=X.shape)  # no ties, which two orders of a sum would part
    known = random.uniform(0.1, 4, size=60).round(2)
    rows = np.column_stack([X, known])
    if isinstance(weights, str):
        rows = pd.DataFrame(rows, columns=["a", "b", "c", "d", "weight"])
    machine = FullConformalKNeighborsClassifier(scale="none", weights=weights, label_conditional=conditional)
    machine.fit(rows[:45], y[:45])
    features = np.column_stack([X, known]) if callable(weights) else X
    expected = naive_tcm(
        features[:45], y[:45], features[45:], conditional=conditional, weights=known[:45], own=known[45:]
    )
    np.testing.assert_allclose(machine.predict_p(rows[45:]), expected, atol=1e-12)
    np.testing.assert_array_equal(machine.predict_p(rows[45:50]), machine.predict_p(rows[45:])[:5])
    said = machine.evaluate(rows[45:], y[45:], confidence_level=0.8).report()
    assert "if new rows differ from these by their weights alone" in said
    with pytest.raises(ValueError, match="above 0"):
        machine.predict_p(np.column_stack([X, -known]) if not isinstance(weights, str) else rows.assign(weight=-1.0))


def test_equal_weights_are_counts_and_svc_weighs_too():
    X, y = make_moons(60, noise=0.3, random_state=1)
    for full in (FullConformalKNeighborsClassifier, lambda **with_: FullConformalSVC(gamma=0.5, **with_)):
        alike = full().fit(X[:40], y[:40]).predict_p(X[40:])
        weighed = full(weights=lambda rows: np.full(len(rows), 3.5)).fit(X[:40], y[:40])
        np.testing.assert_allclose(weighed.predict_p(X[40:]), alike, atol=1e-12)
    with pytest.raises(ValueError, match="groups or weights, not both"):
        weighed.fit(X, y, groups=np.arange(60) % 7)


def test_new_groups_vs_one_row_of_each():
    X, y = shuffled_iris(120)
    groups = np.repeat(np.arange(20), 5)
    machine = FullConformalKNeighborsClassifier(scale="none").fit(X[:100], y[:100], groups=groups)
    p = machine.predict_p(X[100:])
    assert (p >= 1 / 21 - 1e-12).all()
    np.testing.assert_allclose(p * 21, np.rint(p * 21), atol=1e-9)
    assert "of a row of a new group" in machine.evaluate(X[100:], y[100:]).report()
    alone = FullConformalKNeighborsClassifier(scale="none").fit(X[:20], y[:20], groups=np.arange(20))
    np.testing.assert_allclose(alone.predict_p(X[100:]), naive_tcm(X[:20], y[:20], X[100:]), atol=1e-12)


def test_cosine_vs_retrained_tcm():
    X, y = shuffled_iris(48, seed=3)
    p = FullConformalKNeighborsClassifier(metric="cosine").fit(X[:40], y[:40]).predict_p(X[40:])
    np.testing.assert_allclose(p, naive_tcm(X[:40], y[:40], X[40:], metric="cosine"), rtol=1e-14)


def test_class_with_fewer_rows_than_neighbours_vs_retrained_tcm():
    X, y = shuffled_iris(48, seed=4)
    y[:40] = np.where(np.arange(40) < 2, 2, y[:40] % 2)
    p = FullConformalKNeighborsClassifier(scale="none", n_neighbors=4).fit(X[:40], y[:40]).predict_p(X[40:])
    np.testing.assert_allclose(p, naive_tcm(X[:40], y[:40], X[40:], k=4), rtol=1e-14)


def test_labels_confidence_and_sets_follow_from_p_values():
    X, y = shuffled_iris(120)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    machine = FullConformalKNeighborsClassifier(scale="none").fit(X[:90], names[:90])
    p = machine.predict_p(X[90:])
    label, confidence, credibility = machine.predict_with_confidence(X[90:])
    np.testing.assert_array_equal(label, machine.classes_[p.argmax(axis=1)])
    np.testing.assert_array_equal(machine.predict(X[90:]), label)
    np.testing.assert_array_equal(credibility, p.max(axis=1))
    np.testing.assert_array_equal(confidence, 1 - np.sort(p, axis=1)[:, -2])
    np.testing.assert_array_equal(machine.predict_set(X[90:], [0.8, 0.9])[:, :, 1], p > 0.1 + 1e-12)


def test_smoothed_p_values_lie_between_their_limits_and_do_not_depend_on_the_call():
    X, y = shuffled_iris(130)
    plain = FullConformalKNeighborsClassifier(scale="none").fit(X[:100], y[:100]).predict_p(X[100:])
    machine = FullConformalKNeighborsClassifier(scale="none", smoothed=True, random_state=3).fit(X[:100], y[:100])
    smoothed = machine.predict_p(X[100:])
    assert (smoothed <= plain).all()
    assert (smoothed != plain).any()
    one_by_one = np.vstack([machine.predict_p(X[i : i + 1]) for i in range(100, 130)])
    np.testing.assert_array_equal(smoothed, one_by_one)
    np.testing.assert_array_equal(smoothed[::-1], machine.predict_p(X[100:][::-1]))
    other = FullConformalKNeighborsClassifier(scale="none", smoothed=True, random_state=4).fit(X[:100], y[:100]).predict_p(X[100:])
    assert (other != smoothed).any()


def margins_of_the_extended_problem(X, y, x, label, C, gamma):
    """Return -y f(x) of all rows in the machine of all rows, the new one included."""
    rows, labels = np.vstack([X, x]), np.append(y, label)
    machine = SVC(C=C, gamma=gamma, tol=1e-9).fit(rows, labels)
    return -np.where(labels == machine.classes_[1], 1, -1) * machine.decision_function(rows)


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize(("C", "gamma"), [(1.0, 0.5), (10.0, 2.0), (0.1, 0.1)])
def test_svc_vs_retrained_svc(C, gamma, conditional):
    """Free support vectors have the margin 1 exactly, to the solver's tolerance here: margins that near are ties."""
    X, y = make_moons(75, noise=0.25, random_state=0)
    machine = FullConformalSVC(C=C, gamma=gamma, scale="none", tol=1e-9, label_conditional=conditional)
    p = machine.fit(X[:60], y[:60]).predict_p(X[60:])
    unstable = 0
    for row in range(15):
        for label in (0, 1):
            alphas = margins_of_the_extended_problem(X[:60], y[:60], X[60 + row], label, C, gamma)
            own = alphas[:-1][(y[:60] == label) | (not conditional)]
            counts = [int((own >= alphas[-1] + shift).sum()) for shift in (-1e-6, 1e-6)]
            limits = [(count + 1) / (len(own) + 1) for count in counts]
            assert limits[1] - 1e-12 <= p[row, label] <= limits[0] + 1e-12
            unstable += counts[0] != counts[1]
    assert unstable < 20


def test_every_documented_measure_is_accepted():
    words = re.search(r"measure : \{(.*?)\}", FullConformalKNeighborsClassifier.__doc__).group(1)
    X, y = shuffled_iris(40)
    for word in words.replace("'", "").split(", "):
        assert FullConformalKNeighborsClassifier(measure=word).fit(X, y).predict_p(X).shape == (40, 3)
