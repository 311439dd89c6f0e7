"""Measures of validity and efficiency against their formulas."""

import numpy as np
import pytest
from credence import SplitConformalClassifier, SplitConformalRegressor, metrics
from scipy.stats import kstest
from sklearn.datasets import load_diabetes, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge


def ten_criteria(p, y, eps):
    """Return the criteria of Vovk et al. (2017), each a mean over rows."""
    rows = []
    for values, truth in zip(p, y, strict=True):
        ordered = sorted(values, reverse=True)
        others = [value for c, value in enumerate(values) if c != truth]
        size = sum(value > eps + 1e-12 for value in values)
        false = sum(value > eps + 1e-12 for value in others)
        rows.append(
            {
                "S": sum(values),
                "U": ordered[1],
                "F": sum(values) - ordered[0],
                "OU": max(others),
                "OF": sum(others),
                "N": size,
                "M": size > 1,
                "E": max(size - 1, 0),
                "OM": false > 0,
                "OE": false,
            }
        )
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "smoothed"])
def machine_and_rows(request):
    X, y = load_digits(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0)
    machine = SplitConformalClassifier(forest, calibration_size=0.5, smoothed=request.param)
    return machine.fit(X[:800], y[:800]), X[800:1100], y[800:1100]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_evaluate_vs_formulas(machine_and_rows, level):
    machine, X, y = machine_and_rows
    p, found = machine.predict_p(X), machine.evaluate(X, y, confidence_level=level)
    for name, value in ten_criteria(p, y, 1 - level).items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
    sets = machine.predict_set(X, level)
    assert found["error"] == pytest.approx(1 - sets[np.arange(300), y].mean(), abs=1e-12)
    assert found["avg_c"] == pytest.approx(sets.sum(axis=1).mean(), abs=1e-12)
    assert found["one_c"] == pytest.approx((sets.sum(axis=1) == 1).mean(), abs=1e-12)
    assert found["empty"] == pytest.approx((sets.sum(axis=1) == 0).mean(), abs=1e-12)
    label, confidence, credibility = machine.predict_with_confidence(X)
    assert found["accuracy"] == pytest.approx((label == y).mean(), abs=1e-12)
    assert found["mean_confidence"] == pytest.approx(confidence.mean(), abs=1e-12)
    assert found["mean_credibility"] == pytest.approx(credibility.mean(), abs=1e-12)
    assert found["time_fit"] > 0
    assert found["time_evaluate"] > 0


def test_uniformity_vs_scipy(machine_and_rows):
    machine, X, y = machine_and_rows
    truth = machine.predict_p(X)[np.arange(300), y]
    side = "two-sided" if machine.smoothed else "greater"
    expected = kstest(truth, "uniform", alternative=side).pvalue
    assert machine.evaluate(X, y)["ks_test"] == pytest.approx(expected, abs=0.02)


def test_metrics_equal_evaluate(machine_and_rows):
    machine, X, y = machine_and_rows
    found = metrics.evaluate_p_values(machine.predict_p(X), y, [0.8, 0.95], smoothed=machine.smoothed)
    assert found["rows"] == 300
    assert [one["confidence_level"] for one in found["prediction_sets"]] == [0.8, 0.95]
    for one, level in zip(found["prediction_sets"], (0.8, 0.95), strict=True):
        expected = machine.evaluate(X, y, confidence_level=level)
        for name in ("N", "M", "E", "OM", "OE"):
            assert one[name] == expected[name]
        assert one["errors"] / 300 == expected["error"]
        for name in ("S", "U", "F", "OU", "OF"):
            assert found["criteria"][name] == expected[name]


def test_class_without_a_column_is_an_error_of_every_set():
    found = metrics.evaluate_p_values([[0.9, 0.8], [0.7, 0.6]], [0, -1], [0.5])
    assert found["prediction_sets"][0]["errors"] == 1


def test_rows_of_an_unknown_class_are_errors_in_evaluate(machine_and_rows):
    machine, X, _ = machine_and_rows
    assert machine.evaluate(X[:10], np.full(10, 77))["error"] == 1
    assert machine.evaluate(X[:10], ["seven"] * 10)["error"] == 1


@pytest.mark.parametrize(
    ("p", "y", "levels"),
    [
        ([[0.5, 1.2]], [0], [0.9]),
        ([[0.5, float("nan")]], [0], [0.9]),
        ([[0.5, 0.2]], [0, 1], [0.9]),
        ([[0.5, 0.2]], [2], [0.9]),
        ([[0.5, 0.2]], [0], [1.5]),
    ],
    ids=["above_one", "nan", "sizes", "label", "level"],
)
def test_bad_input_is_refused(p, y, levels):
    with pytest.raises(ValueError):
        metrics.evaluate_p_values(p, y, levels)


def test_regression_has_the_keys_of_crepes():
    X, y = load_diabetes(return_X_y=True)
    found = SplitConformalRegressor(Ridge()).fit(X[:300], y[:300]).evaluate(X[300:], y[300:])
    assert {"error", "eff_mean", "eff_med", "ks_test", "time_fit", "time_evaluate"} <= set(found)
