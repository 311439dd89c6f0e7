"""On-line conformal prediction against its definition: each row is ranked among all rows before it."""

import copy
import pickle
import re

import numpy as np
import pytest
from credence import FullConformalKNeighborsClassifier, OnlineConformalClassifier
from scipy.stats import kstest
from sklearn.datasets import load_iris

CLASSES = ["a", "b", "c"]


def stream(rows, seed=0):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(y))[:rows]
    return X[order], np.array(CLASSES)[y[order]]


def naive_p_value(X, y, x, label):
    """Return the share of rows at least as strange as x, by the ratio of nearest distances."""
    rows, labels = np.vstack([X, x]), np.append(y, label)
    distances = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distances, np.inf)
    same = labels[:, None] == labels[None]
    own, other = np.where(same, distances, np.inf).min(axis=1), np.where(same, np.inf, distances).min(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(np.isinf(own), np.inf, np.where(np.isinf(other), 0, own / other))
    ratio[(own == 0) & (other == 0)] = 1
    return (ratio >= ratio[-1]).mean()


def test_every_step_vs_naive():
    X, y = stream(60)
    with pytest.raises(ValueError, match=r"learn_one\(x, y, classes="):
        OnlineConformalClassifier().learn_one(X[0], y[0])
    machine = OnlineConformalClassifier(smoothed=False).learn_one(X[0], y[0], classes=CLASSES)
    for step in range(1, 60):
        expected = [naive_p_value(X[:step], y[:step], X[step], label) for label in CLASSES]
        np.testing.assert_allclose(machine.predict_p(X[step : step + 1])[0], expected, rtol=1e-14)
        assert machine.learn_one(X[step], y[step]).n_seen_ == step + 1


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("measure", ["nn-ratio", "nn-own"])
@pytest.mark.parametrize("conditional", [False, True])
def test_rows_learnt_one_by_one_equal_a_full_fit(k, measure, conditional):
    X, y = stream(120)
    options = {"n_neighbors": k, "measure": measure, "label_conditional": conditional}
    machine = OnlineConformalClassifier(smoothed=False, **options).partial_fit(X[:1], y[:1], classes=CLASSES)
    for step in range(1, 100):
        machine.learn_one(X[step], y[step])
    at_once = OnlineConformalClassifier(smoothed=False, **options).fit(X[:100], y[:100])
    full = FullConformalKNeighborsClassifier(scale="none", **options).fit(X[:100], y[:100])
    np.testing.assert_array_equal(machine.predict_p(X[100:]), full.predict_p(X[100:]))
    np.testing.assert_array_equal(at_once.predict_p(X[100:]), full.predict_p(X[100:]))


def test_partial_fit_in_parts_equals_one_call():
    X, y = stream(100)
    parts = OnlineConformalClassifier(random_state=2).partial_fit(X[:20], y[:20], classes=CLASSES)
    parts.partial_fit(X[20:50], y[20:50]).partial_fit(X[50:90], y[50:90])
    once = OnlineConformalClassifier(random_state=2).partial_fit(X[:90], y[:90], classes=CLASSES)
    np.testing.assert_array_equal(parts.predict_p(X[90:]), once.predict_p(X[90:]))
    assert parts.n_seen_ == once.n_seen_ == 90


def test_fit_forgets_what_was_learnt():
    X, y = stream(120)
    again = OnlineConformalClassifier().fit(X[:50], y[:50]).fit(X[50:100], y[50:100])
    fresh = OnlineConformalClassifier().fit(X[50:100], y[50:100])
    np.testing.assert_array_equal(again.predict_p(X[100:]), fresh.predict_p(X[100:]))
    assert again.n_seen_ == 50


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda machine: pickle.loads(pickle.dumps(machine))])
def test_copies_keep_the_state_and_go_on(copied):
    X, y = stream(120)
    machine = OnlineConformalClassifier(random_state=5).fit(X[:60], y[:60])
    other = copied(machine)
    for step in range(60, 100):
        np.testing.assert_array_equal(other.predict_p(X[step : step + 1]), machine.predict_p(X[step : step + 1]))
        machine.learn_one(X[step], y[step])
        other.learn_one(X[step], y[step])
    assert other.n_seen_ == machine.n_seen_ == 100
    machine.learn_one(X[100], y[100])
    assert other.n_seen_ == 100


def test_groups_and_weights_are_refused_with_what_to_take():
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
    with pytest.raises(ValueError, match="groups: on-line, rows are compared one by one.*transductive, inductive or cross"):
        OnlineConformalClassifier().fit(X, y, groups=y)
    with pytest.raises(ValueError, match="weights: on-line, each new row joins.*transductive, inductive or cross"):
        OnlineConformalClassifier(weights=0).partial_fit(X, y)


def test_classes_are_fixed_by_the_first_call():
    X, y = stream(30)
    machine = OnlineConformalClassifier().partial_fit(X[:5], y[:5], classes=CLASSES)
    assert list(machine.classes_) == CLASSES
    with pytest.raises(ValueError, match="none of the classes"):
        machine.learn_one(X[5], "d")
    with pytest.raises(ValueError, match="features"):
        machine.predict_p(X[:2, :2])


def p_values_of_the_truth(X, y, **options):
    """Return the p-value of the class that then came, step by step."""
    machine = OnlineConformalClassifier(**options).partial_fit(X[:1], y[:1], classes=[0, 1])
    p = []
    for step in range(1, len(y)):
        p.append(machine.predict_p(X[step : step + 1])[0, y[step]])
        machine.learn_one(X[step], y[step])
    return np.array(p)


@pytest.mark.core
@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("decimals", [0, 6], ids=["with_ties", "without_ties"])
def test_smoothed_p_values_are_independent_and_uniform(decimals, conditional):
    random = np.random.default_rng(6)
    X, y = random.normal(size=(2000, 2)), random.integers(2, size=2000)
    X = (X + 1.5 * y[:, None]).round(decimals)
    p = p_values_of_the_truth(X, y, random_state=1, label_conditional=conditional)
    assert kstest(p, "uniform").pvalue > 0.001
    for level in (0.01, 0.05, 0.2):
        errors = (p <= level).sum()
        assert abs(errors - level * len(p)) < 3.3 * np.sqrt(len(p) * level * (1 - level))
    # Independent p-values have a correlation within 3.3 / sqrt(n) from one step to the next.
    assert abs(np.corrcoef(p[:-1], p[1:])[0, 1]) < 3.3 / np.sqrt(len(p))


@pytest.mark.core
def test_plain_p_values_err_no_more_often_than_smoothed_ones():
    random = np.random.default_rng(7)
    X, y = random.integers(4, size=(600, 2)).astype(float), random.integers(2, size=600)
    plain, smoothed = (p_values_of_the_truth(X, y, smoothed=smoothed) for smoothed in (False, True))
    assert (plain >= smoothed).all()
    assert (plain > smoothed).any()


def test_every_documented_measure_is_accepted():
    words = re.search(r"measure : \{(.*?)\}", OnlineConformalClassifier.__doc__).group(1)
    X, y = stream(40)
    for word in words.replace("'", "").split(", "):
        assert OnlineConformalClassifier(measure=word).fit(X, y).predict_p(X).shape == (40, 3)
