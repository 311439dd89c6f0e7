import numpy as np
import pytest
from credence import SVC, bounds, metrics
from scipy import stats
from scipy.optimize import brentq

CASES = [(0, 10), (3, 100), (1, 7), (50, 100), (999, 1000), (10, 10), (2, 100_000)]


@pytest.mark.parametrize(("errors", "n"), CASES)
@pytest.mark.parametrize("delta", [0.05, 0.001])
def test_clopper_pearson_vs_scipy(errors, n, delta):
    found = bounds.evaluate(errors=errors, n=n, delta=delta)["bounds"]
    upper = 1.0 if errors == n else stats.beta.ppf(1 - delta, errors + 1, n - errors)
    assert found["clopper_pearson"]["upper"] == pytest.approx(upper, rel=1e-9)
    if errors < n:
        assert stats.binom.cdf(errors, n, found["clopper_pearson"]["upper"]) == pytest.approx(delta, rel=1e-6)
    both = stats.binomtest(errors, n).proportion_ci(1 - delta, method="exact")
    assert found["clopper_pearson_two_sided"]["upper"] == pytest.approx(both.high, rel=1e-9)
    assert found["clopper_pearson_two_sided"]["lower"] == pytest.approx(both.low, rel=1e-6)


def relative_entropy(q, p):
    return sum(a * np.log(a / b) for a, b in ((q, p), (1 - q, 1 - p)) if a > 0)


@pytest.mark.parametrize("loss", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("n", [50, 1000])
@pytest.mark.parametrize("delta", [0.05, 0.01])
def test_bounds_of_a_loss_vs_their_formulas(loss, n, delta):
    found = bounds.evaluate(loss=loss, n=n, delta=delta)["bounds"]
    deviation = np.sqrt(np.log(1 / delta) / (2 * n))
    assert found["hoeffding_deviation"]["upper"] == pytest.approx(loss + deviation)
    by_entropy = brentq(lambda p: relative_entropy(loss, p) - np.log(1 / delta) / n, loss + 1e-12, 1 - 1e-12)
    assert found["hoeffding"]["upper"] == pytest.approx(by_entropy, rel=1e-6)
    assert found["hoeffding"]["upper"] <= found["hoeffding_deviation"]["upper"]


def test_the_best_bound_is_used():
    found = bounds.evaluate(errors=3, n=100)
    assert found["use"] == "clopper_pearson"
    assert found["upper"] == found["bounds"][found["use"]]["upper"]
    assert found["upper"] == min(one["upper"] for one in found["bounds"].values())
    assert bounds.evaluate(errors=3, n=100, delta=0.05) == found


def test_bounds_say_what_they_need():
    names, quantities = bounds.names(), bounds.quantities()
    assert {need for one in names.values() for need in one["needs"]} <= set(quantities)
    assert set(bounds.evaluate(errors=3, n=100)["bounds"]) <= set(names)
    assert "complexity" in bounds.evaluate(loss=0.1, n=100, complexity=0.2)["bounds"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "no bound"),
        ({"errors": 3}, "no bound"),
        ({"errors": 5, "n": 3}, "between 0"),
        ({"errors": -1, "n": 3}, "between 0"),
        ({"errors": 3, "n": 10, "delta": 2}, "delta"),
        ({"loss": 1.5, "n": 10}, "loss"),
        ({"wrong": 1}, "wrong"),
    ],
    ids=str,
)
def test_bad_quantities(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        bounds.evaluate(**given)


def test_a_share_of_an_error_is_refused():
    with pytest.raises(ValueError, match="errors"):
        bounds.evaluate(errors=1.5, n=10)


def test_simulated_coverage_of_clopper_pearson():
    rng = np.random.default_rng(0)
    errors = rng.binomial(40, 0.15, 2000)
    upper = {k: bounds.evaluate(errors=int(k), n=40, delta=0.1)["upper"] for k in np.unique(errors)}
    failed = np.mean([upper[k] < 0.15 for k in errors])
    assert failed <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 2000)


@pytest.fixture(scope="module")
def p_values():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 400)
    p = rng.random((400, 3)) ** 4
    p[np.arange(400), labels] = rng.random(400)
    return p, labels


def test_criteria_by_hand(p_values):
    p, labels = p_values
    found = metrics.evaluate_p_values(p, labels, [0.9], smoothed=True)
    true = p[np.arange(len(p)), labels]
    ordered = np.sort(p, axis=1)
    others = np.where(np.arange(3) == labels[:, None], -np.inf, p)
    assert found["criteria"]["S"] == pytest.approx(p.sum(axis=1).mean())
    assert found["criteria"]["U"] == pytest.approx(ordered[:, -2].mean())
    assert found["criteria"]["F"] == pytest.approx((p.sum(axis=1) - ordered[:, -1]).mean())
    assert found["criteria"]["OF"] == pytest.approx((p.sum(axis=1) - true).mean())
    assert found["criteria"]["OU"] == pytest.approx(others.max(axis=1).mean())
    (one,) = found["prediction_sets"]
    sets = p > 0.1
    wrong = sets.sum(axis=1) - sets[np.arange(len(p)), labels]
    assert one["errors"] == (true <= 0.1).sum()
    assert one["N"] == pytest.approx(sets.sum(axis=1).mean())
    assert one["M"] == pytest.approx((sets.sum(axis=1) > 1).mean())
    assert one["E"] == pytest.approx(np.maximum(sets.sum(axis=1) - 1, 0).mean())
    assert one["OM"] == pytest.approx((wrong > 0).mean())
    assert one["OE"] == pytest.approx(wrong.mean())
    assert found["rows"] == 400
    assert found["mean_confidence"] == pytest.approx((1 - ordered[:, -2]).mean())
    assert found["mean_credibility"] == pytest.approx(ordered[:, -1].mean())


def test_uniformity_vs_scipy(p_values):
    p, labels = p_values
    true = p[np.arange(len(p)), labels]
    two_sided = metrics.evaluate_p_values(p, labels, smoothed=True)["uniformity"]["p_value"]
    assert two_sided == pytest.approx(stats.kstest(true, "uniform").pvalue, rel=0.05, abs=1e-3)
    p[np.arange(len(p)), labels] = true**2
    assert metrics.evaluate_p_values(p, labels, smoothed=True)["uniformity"]["p_value"] < 1e-3


def test_sets_compare_counts():
    p = np.array([[k / 20, 1.0] for k in range(1, 21)])
    for k in range(1, 20):
        inside = metrics.predict_set(p, 1 - k / 20)
        assert np.array_equal(inside[:, 0], np.arange(1, 21) > k), k


def test_sets_of_a_machine_are_its_p_values(breast_cancer):
    X, y = breast_cancer
    machine = SVC(cv=3).fit(X[:150], y[:150])
    p = machine.predict_p(X[150:])
    assert np.array_equal(metrics.predict_set(p, 0.9), p > 0.1 + 1e-12)
    label, confidence, credibility = machine.predict_with_confidence(X[150:])
    assert np.array_equal(label, machine.predict(X[150:]))
    place = np.searchsorted(machine.classes_, label)
    assert np.array_equal(credibility, p[np.arange(len(p)), place])
    assert np.allclose(confidence, 1 - p[np.arange(len(p)), 1 - place])


@pytest.mark.parametrize(
    ("p", "labels", "levels"),
    [([[0.5, 2.0]], [0], [0.9]), ([[0.5, 0.5]], [0, 1], [0.9]), ([[0.5, 0.5]], [5], [0.9]), ([[0.5, 0.5]], [0], [1.5])],
)
def test_bad_p_values(p, labels, levels):
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        metrics.evaluate_p_values(p, labels, levels)
