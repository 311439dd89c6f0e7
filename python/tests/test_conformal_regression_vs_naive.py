"""Split conformal regression against its definition: the ceil((1 - eps) (m + 1))-th smallest residual."""

import pickle
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from credence import RVR, SplitConformalRegressor
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor

BETA = 1e-6


class FirstColumn(RegressorMixin, BaseEstimator):
    """A regressor that predicts the first column; it remembers the rows that it was trained on."""

    def fit(self, X, y):
        self.rows_ = np.asarray(X)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def first_column():
    return FirstColumn().fit(np.zeros((1, 1)), [0.0])


def naive_intervals(y, means, new_means, eps, *, difficulty=None, new_difficulty=None, groups=None, new_groups=None):
    """Return the intervals; eps is a Fraction, so that the rank is a whole number without rounding."""
    scale = np.ones(len(y)) if difficulty is None else difficulty + BETA
    new_scale = np.ones(len(new_means)) if new_difficulty is None else new_difficulty + BETA
    ends = []
    for row, mean in enumerate(new_means):
        own = [i for i in range(len(y)) if groups is None or groups[i] == new_groups[row]]
        alphas = sorted(abs(y[i] - means[i]) / scale[i] for i in own)
        rank = ceil((1 - eps) * (len(own) + 1))
        width = alphas[rank - 1] * new_scale[row] if rank <= len(own) else np.inf
        ends.append((mean - width, mean + width))
    return np.array(ends)


def problem(seed, rows):
    """Return rows whose noise grows with the second column, and targets."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 2))
    return X, X[:, 0] + random.normal(size=rows) * (0.1 + np.abs(X[:, 1]))


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X, y


@pytest.mark.parametrize("rows", [1, 4, 9, 19, 39, 100])
def test_intervals_at_all_levels_vs_naive(rows):
    X, y = problem(rows, rows + 5)
    machine = SplitConformalRegressor(first_column(), prefit=True).conformalize(X[:rows], y[:rows])
    assert machine.n_calibration_ == rows
    for k in range(1, 20):
        expected = naive_intervals(y[:rows], X[:rows, 0], X[rows:, 0], Fraction(k, 20))
        for level in (1 - k / 20, (20 - k) / 20):
            np.testing.assert_allclose(machine.predict_interval(X[rows:], level), expected, rtol=1e-14)


def test_few_rows_give_infinite_ends():
    X, y = problem(1, 30)
    machine = SplitConformalRegressor(first_column(), prefit=True).conformalize(X[:18], y[:18])
    assert np.isinf(machine.predict_interval(X[18:], 0.95)).all()
    assert machine.evaluate(X[18:], y[18:], 0.95)["error"] == 0
    assert np.isfinite(machine.predict_interval(X[18:], 0.94)).all()
    machine.conformalize(X[:19], y[:19])
    ends = machine.predict_interval(X[19:], 0.95)
    np.testing.assert_allclose(ends[:, 1] - X[19:, 0], np.abs(y[:19] - X[:19, 0]).max(), rtol=1e-12)


def test_several_levels():
    X, y = problem(2, 60)
    machine = SplitConformalRegressor(first_column(), prefit=True).conformalize(X[:50], y[:50])
    levels = [0.5, 0.8, 0.95]
    ends = machine.predict_interval(X[50:], levels)
    assert ends.shape == (10, 2, 3)
    for j, level in enumerate(levels):
        np.testing.assert_array_equal(ends[:, :, j], machine.predict_interval(X[50:], level))
    assert machine.predict_interval(X[50:], [0.9]).shape == (10, 2, 1)
    assert machine.predict_interval(X[50:], 0.9).shape == (10, 2)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_difficulty_and_groups_vs_naive(k):
    X, y = problem(3, 90)
    X[:, 1] = np.abs(X[:, 1])
    difficulty = KNeighborsRegressor(5).fit(X[:80], np.abs(y[:80] - X[:80, 0]))
    group = np.digitize(X[:, 1], [0.5, 1.2])
    machine = SplitConformalRegressor(
        first_column(), prefit=True, difficulty=difficulty, categories=lambda rows: np.digitize(rows[:, 1], [0.5, 1.2])
    ).conformalize(X[:80], y[:80])
    expected = naive_intervals(
        y[:80],
        X[:80, 0],
        X[80:, 0],
        Fraction(k, 10),
        difficulty=difficulty.predict(X[:80]),
        new_difficulty=difficulty.predict(X[80:]),
        groups=group[:80],
        new_groups=group[80:],
    )
    np.testing.assert_allclose(machine.predict_interval(X[80:], 1 - k / 10), expected, rtol=1e-12)


def test_group_that_was_not_seen_has_the_whole_line():
    X, y = problem(4, 40)
    X[:, 1] = 0
    machine = SplitConformalRegressor(first_column(), prefit=True, categories=1).conformalize(X[:30], y[:30])
    X[30, 1] = 5
    ends = machine.predict_interval(X[30:], 0.8)
    np.testing.assert_array_equal(ends[0], [-np.inf, np.inf])
    assert np.isfinite(ends[1:]).all()
    assert machine.predict_p(X[30:], y[30:])[0] == 1


def test_groups_by_name_of_a_column():
    pd = pytest.importorskip("pandas")
    X, y = problem(5, 80)
    frame = pd.DataFrame({"x": X[:, 0], "site": np.where(X[:, 1] > 0, "north", "south")})

    class FromFrame(FirstColumn):
        def predict(self, X):
            return X["x"].to_numpy()

    machine = SplitConformalRegressor(FromFrame().fit(frame, y), prefit=True, categories="site")
    ends = machine.conformalize(frame[:60], y[:60]).predict_interval(frame[60:], 0.8)
    north = X[:, 1] > 0
    expected = naive_intervals(y[:60], X[:60, 0], X[60:, 0], Fraction(1, 5), groups=north[:60], new_groups=north[60:])
    np.testing.assert_allclose(ends, expected, rtol=1e-14)


@pytest.mark.parametrize("eps", [0.05, 0.1, 0.5])
def test_interval_holds_exactly_the_targets_with_larger_p_values(eps):
    X, y = problem(6, 60)
    machine = SplitConformalRegressor(first_column(), prefit=True).conformalize(X[:39], y[:39])
    new = X[39:]
    ends = machine.predict_interval(new, 1 - eps)
    for target in np.linspace(-6, 6, 41):
        inside = (ends[:, 0] <= target) & (target <= ends[:, 1])
        np.testing.assert_array_equal(machine.predict_p(new, np.full(21, target)) > eps + 1e-12, inside)


def test_p_values_of_targets_vs_naive():
    X, y = problem(7, 70)
    machine = SplitConformalRegressor(first_column(), prefit=True).conformalize(X[:50], y[:50])
    alphas = np.abs(y - X[:, 0])
    expected = [((alphas[:50] >= alpha).sum() + 1) / 51 for alpha in alphas[50:]]
    np.testing.assert_array_equal(machine.predict_p(X[50:], y[50:]), expected)


def test_smoothed_p_values_of_targets():
    X, y = problem(8, 70)
    plain = SplitConformalRegressor(first_column(), prefit=True).conformalize(X[:50], y[:50])
    machine = SplitConformalRegressor(first_column(), prefit=True, smoothed=True).conformalize(X[:50], y[:50])
    p, at_once = plain.predict_p(X[50:], y[50:]), machine.predict_p(X[50:], y[50:])
    assert ((p - 1 / 51 - 1e-12 < at_once) & (at_once <= p)).all()
    one_by_one = [machine.predict_p(X[i : i + 1], y[i : i + 1])[0] for i in range(50, 70)]
    np.testing.assert_array_equal(at_once, one_by_one)


@pytest.mark.parametrize(
    "estimator", [Ridge(), RandomForestRegressor(10, random_state=0), RVR(sigma=3.0)], ids=lambda e: type(e).__name__
)
def test_any_regressor_covers(estimator, diabetes):
    X, y = diabetes
    machine = SplitConformalRegressor(estimator, calibration_size=0.4).fit(X[:300], y[:300])
    assert machine.n_calibration_ == 120
    found = machine.evaluate(X[300:], y[300:], 0.8)
    # Of 142 rows 28 are expected outside; the calibration's own spread is counted in.
    assert 0.1 < found["error"] < 0.3
    ends = machine.predict_interval(X[300:], 0.8)
    assert found["error"] == np.mean((y[300:] < ends[:, 0]) | (y[300:] > ends[:, 1]))
    assert found["eff_mean"] == pytest.approx(np.mean(ends[:, 1] - ends[:, 0]))
    assert found["eff_med"] == pytest.approx(np.median(ends[:, 1] - ends[:, 0]))


def test_fit_compares_with_the_rows_that_the_estimator_did_not_see():
    X, y = problem(9, 80)
    machine = SplitConformalRegressor(FirstColumn(), calibration_size=0.25, random_state=3).fit(X[:70], y[:70])
    seen = {tuple(row) for row in machine.estimator_.rows_}
    held = np.array([i for i in range(70) if tuple(X[i]) not in seen])
    assert len(held) == machine.n_calibration_ == 18
    expected = naive_intervals(y[held], X[held, 0], X[70:, 0], Fraction(1, 5))
    np.testing.assert_allclose(machine.predict_interval(X[70:], 0.8), expected, rtol=1e-14)


def test_difficulty_is_trained_on_residuals_of_rows_left_out():
    """Rows in the middle are easy and rows outside are hard: intervals follow."""
    random = np.random.default_rng(10)
    X = random.uniform(-2, 2, size=(900, 1))
    y = X[:, 0] + random.normal(size=900) * np.where(np.abs(X[:, 0]) < 1, 0.1, 2)
    machine = SplitConformalRegressor(LinearRegression(), difficulty=KNeighborsRegressor(30)).fit(X[:600], y[:600])
    ends = machine.predict_interval(X[600:], 0.9)
    widths, easy = ends[:, 1] - ends[:, 0], np.abs(X[600:, 0]) < 0.9
    assert widths[easy].mean() * 4 < widths[~easy].mean()
    plain = SplitConformalRegressor(LinearRegression()).fit(X[:600], y[:600])
    assert machine.evaluate(X[600:], y[600:], 0.9)["eff_mean"] < plain.evaluate(X[600:], y[600:], 0.9)["eff_mean"]


def test_fit_twice_equals_fit_once_and_calibrate_is_conformalize(diabetes):
    X, y = diabetes
    twice = SplitConformalRegressor(Ridge()).fit(X[:100], y[:100]).fit(X[:300], y[:300])
    once = SplitConformalRegressor(Ridge()).fit(X[:300], y[:300])
    np.testing.assert_array_equal(twice.predict_interval(X[300:]), once.predict_interval(X[300:]))
    replaced = once.conformalize(X[:50], y[:50]).conformalize(X[300:400], y[300:400])
    fresh = clone(once).fit(X[:300], y[:300]).conformalize(X[300:400], y[300:400])
    np.testing.assert_array_equal(replaced.predict_interval(X[400:]), fresh.predict_interval(X[400:]))
    again = pickle.loads(pickle.dumps(fresh))
    np.testing.assert_array_equal(again.predict_interval(X[400:]), fresh.predict_interval(X[400:]))


def test_prefit_and_frozen(diabetes):
    X, y = diabetes
    ridge = Ridge().fit(X[:200], y[:200])
    prefit = SplitConformalRegressor(ridge, prefit=True).conformalize(X[200:300], y[200:300])
    frozen = SplitConformalRegressor(FrozenEstimator(ridge), calibration_size=None).fit(X[200:300], y[200:300])
    frozen.conformalize(X[200:300], y[200:300])
    np.testing.assert_array_equal(prefit.predict_interval(X[300:]), frozen.predict_interval(X[300:]))
    np.testing.assert_array_equal(prefit.predict(X[300:]), ridge.predict(X[300:]))
    assert prefit.estimator_ is ridge
    with pytest.raises(ValueError, match="call conformalize"):
        prefit.fit(X, y)


def test_bad_input_is_refused(diabetes):
    X, y = diabetes
    with pytest.raises(ValueError, match="must be a regressor"):
        SplitConformalRegressor(GaussianNB()).fit(X, y)
    with pytest.raises(ValueError, match="minimum of 4"):
        SplitConformalRegressor(Ridge()).fit(X[:3], y[:3])
    with pytest.raises(ValueError, match="not fitted"):
        SplitConformalRegressor(Ridge()).predict_interval(X)
    machine = SplitConformalRegressor(Ridge()).fit(X, y)
    for level in (0, -0.1, 1.2, float("nan")):
        with pytest.raises(ValueError, match="confidence_level"):
            machine.predict_interval(X, level)
    with pytest.raises(ValueError, match="beta must be above 0"):
        SplitConformalRegressor(Ridge(), difficulty=Ridge(), beta=-1).fit(X, y).predict_interval(X)
