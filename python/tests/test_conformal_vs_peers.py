"""Split conformal prediction against MAPIE and crepes, which are skipped where they are not installed."""

import math

import numpy as np
import pytest
from credence import CrossConformalClassifier, SplitConformalClassifier, SplitConformalRegressor
from sklearn.datasets import load_diabetes, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
CLASSIFIERS = {
    "forest": RandomForestClassifier(30, random_state=0),
    "logistic": LogisticRegression(tol=0.1, max_iter=500),
    "tree": DecisionTreeClassifier(random_state=0),
    "neighbours": KNeighborsClassifier(),
}


@pytest.fixture(scope="module")
def digits():
    """Train, calibration and test rows."""
    X, y = load_digits(return_X_y=True)
    return X[:500], y[:500], X[500:750], y[500:750], X[750:1000], y[750:1000]


@pytest.fixture(scope="module", params=list(CLASSIFIERS))
def classifier(request, digits):
    return CLASSIFIERS[request.param].fit(*digits[:2])


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return Ridge().fit(X[:200], y[:200]), X[200:320], y[200:320], X[320:], y[320:]


def on_the_boundary(p, level):
    """Return which p-values equal 1 - level: crepes has them inside, Credence outside."""
    return np.abs(p - (1 - level)) < 1e-12


@pytest.mark.parametrize("conditional", [False, True])
def test_p_values_and_sets_vs_crepes(classifier, digits, conditional):
    crepes = pytest.importorskip("crepes")
    from crepes.extras import hinge

    _, _, kept, y_kept, new, _ = digits
    peer = crepes.WrapClassifier(classifier)
    peer.calibrate(kept, y_kept, nc=hinge, class_cond=conditional)
    ours = SplitConformalClassifier(classifier, prefit=True, label_conditional=conditional).conformalize(kept, y_kept)
    p = peer.predict_p(new, smoothing=False)
    np.testing.assert_array_equal(ours.predict_p(new), p)
    for level in LEVELS:
        theirs = peer.predict_set(new, smoothing=False, labels=False, confidence=level).astype(bool)
        np.testing.assert_array_equal(ours.predict_set(new, level), theirs & ~on_the_boundary(p, level))


def test_mondrian_p_values_vs_crepes(classifier, digits):
    crepes = pytest.importorskip("crepes")
    from crepes.extras import hinge

    _, _, kept, y_kept, new, _ = digits

    def group(rows):
        return (rows.sum(axis=1) > 310).astype(int)

    peer = crepes.WrapClassifier(classifier)
    peer.calibrate(kept, y_kept, nc=hinge, mc=group)
    ours = SplitConformalClassifier(classifier, prefit=True, categories=group).conformalize(kept, y_kept)
    np.testing.assert_array_equal(ours.predict_p(new), peer.predict_p(new, smoothing=False))


def test_crepes_rounds_small_probabilities():
    """1 - p is 1 for every p below 1e-16: crepes has ties where Credence, which compares -p, has an order."""
    crepes = pytest.importorskip("crepes")
    scores = np.array([[1e-20, 1.0], [1e-30, 1.0], [0.5, 0.5]])
    codes = np.zeros(3, dtype=int)
    peer = crepes.ConformalClassifier().fit(1 - scores[:, 0])
    np.testing.assert_array_equal(peer.predict_p(1 - np.array([[1e-25]]), smoothing=False), [[0.75]])
    from credence import _core

    ours = _core.ScoreConformal(scores, codes, None, None, None)
    p = ours.p_values(np.array([[1e-25, 1.0]]), None, None, None, _core.PValueOptions(False, False, 0))
    assert p[0, 0] == 0.5


@pytest.mark.parametrize("level", LEVELS)
def test_evaluate_vs_crepes(classifier, digits, level):
    crepes = pytest.importorskip("crepes")
    from crepes.extras import hinge

    _, _, kept, y_kept, new, y_new = digits
    peer = crepes.WrapClassifier(classifier)
    peer.calibrate(kept, y_kept, nc=hinge)
    if on_the_boundary(peer.predict_p(new, smoothing=False), level).any():
        level += 1e-9
    theirs = peer.evaluate(new, y_new, confidence=level, smoothing=False)
    ours = SplitConformalClassifier(classifier, prefit=True).conformalize(kept, y_kept)
    found = ours.evaluate(new, y_new, confidence_level=level)
    assert set(theirs) <= set(found)
    for key in ("error", "avg_c", "one_c", "empty"):
        assert found[key] == pytest.approx(theirs[key], abs=1e-12), key
    # Theirs is two-sided, and so rejects plain p-values with ties, which are larger than uniform ones.
    assert found["ks_test"] >= theirs["ks_test"] / 2


def test_lac_sets_vs_mapie(classifier, digits):
    mapie = pytest.importorskip("mapie.classification")
    _, _, kept, y_kept, new, _ = digits
    peer = mapie.SplitConformalClassifier(
        classifier, confidence_level=list(LEVELS), conformity_score="lac", prefit=True
    ).conformalize(kept, y_kept)
    labels, theirs = peer.predict_set(new)
    ours = SplitConformalClassifier(classifier, prefit=True).conformalize(kept, y_kept)
    np.testing.assert_array_equal(ours.predict_set(new, LEVELS), theirs)
    np.testing.assert_array_equal(ours.predict(new), labels)


@pytest.mark.parametrize("rows", [19, 39, 59, 99, 199])
def test_boundary_of_lac_sets_vs_mapie(rows, digits):
    """With 20 k - 1 rows the level 0.95 falls on a p-value: MAPIE and Credence put that class on the same side."""
    mapie = pytest.importorskip("mapie.classification")
    X, y, kept, y_kept, new, _ = digits
    forest = CLASSIFIERS["forest"].fit(X, y)
    levels = [0.8, 0.9, 0.95] if rows > 19 else [0.8, 0.9]
    peer = mapie.SplitConformalClassifier(forest, confidence_level=levels, conformity_score="lac", prefit=True)
    theirs = peer.conformalize(kept[:rows], y_kept[:rows]).predict_set(new)[1]
    ours = SplitConformalClassifier(forest, prefit=True).conformalize(kept[:rows], y_kept[:rows])
    np.testing.assert_array_equal(ours.predict_set(new, levels), theirs)


def test_mapie_ties_probabilities_that_differ_little(digits):
    """MAPIE compares with a margin of 1e-8: below such probabilities its sets hold every class."""
    mapie = pytest.importorskip("mapie.classification")
    X, y, kept, y_kept, new, _ = digits
    bayes, levels = GaussianNB().fit(X, y), [0.8, 0.85, 0.9, 0.95]
    peer = mapie.SplitConformalClassifier(bayes, confidence_level=levels, conformity_score="lac", prefit=True)
    theirs = peer.conformalize(kept, y_kept).predict_set(new)[1]
    ours = SplitConformalClassifier(bayes, prefit=True).conformalize(kept, y_kept).predict_set(new, levels)
    assert (theirs >= ours).all()
    more = theirs & ~ours
    assert more.any()
    assert bayes.predict_proba(new)[more.any(axis=2)].max() < 1e-8


def test_mapie_refuses_levels_that_its_rows_cannot_reach(digits):
    """With fewer than 1 / (1 - level) rows the honest set holds every class; MAPIE refuses."""
    mapie = pytest.importorskip("mapie.classification")
    X, y, kept, y_kept, new, _ = digits
    bayes = GaussianNB().fit(X, y)
    ours = SplitConformalClassifier(bayes, prefit=True).conformalize(kept[:9], y_kept[:9])
    assert ours.predict_set(new, 0.95).all()
    with pytest.raises(ValueError):
        peer = mapie.SplitConformalClassifier(bayes, confidence_level=0.95, conformity_score="lac", prefit=True)
        peer.conformalize(kept[:9], y_kept[:9]).predict_set(new)


@pytest.mark.parametrize("rows", [500, 510])
def test_cross_conformal_sets_vs_mapie(rows):
    """Both count rows that are at least as strange; Credence asks for more than eps (n + 1) - 1, MAPIE for eps (n - 1).

    With 500 rows no whole number lies between the two at 0.95, with 510 rows 25 does, and Credence's set is larger.
    """
    mapie = pytest.importorskip("mapie.classification")
    X, y = load_digits(return_X_y=True)
    forest, folds = RandomForestClassifier(10, random_state=0), StratifiedKFold(5)
    peer = mapie.CrossConformalClassifier(forest, confidence_level=0.95, conformity_score="lac", cv=folds)
    theirs = peer.fit_conformalize(X[:rows], y[:rows]).predict_set(X[600:], agg_scores="crossval")[1][:, :, 0]
    ours = CrossConformalClassifier(forest, cv=folds).fit(X[:rows], y[:rows])
    counts = np.round(ours.predict_p(X[600:]) * (rows + 1) - 1)
    np.testing.assert_array_equal(theirs, counts >= 0.05 * (rows - 1))
    between = ours.predict_set(X[600:], 0.95) & ~theirs
    np.testing.assert_array_equal(between, (counts == 25) & (rows == 510))
    assert between.any() == (rows == 510)


@pytest.mark.parametrize("level", LEVELS)
def test_intervals_vs_crepes_and_mapie(diabetes, level):
    ridge, kept, y_kept, new, _ = diabetes
    ours = SplitConformalRegressor(ridge, prefit=True).conformalize(kept, y_kept).predict_interval(new, level)
    crepes = pytest.importorskip("crepes")
    mapie = pytest.importorskip("mapie.regression")
    peer = crepes.WrapRegressor(ridge)
    peer.calibrate(kept, y_kept)
    np.testing.assert_allclose(ours, peer.predict_int(new, confidence=level), rtol=1e-14)
    other = mapie.SplitConformalRegressor(ridge, confidence_level=level, prefit=True).conformalize(kept, y_kept)
    np.testing.assert_allclose(ours, other.predict_interval(new)[1][:, :, 0], rtol=1e-14)


def test_targets_p_values_vs_crepes(diabetes):
    crepes = pytest.importorskip("crepes")
    ridge, kept, y_kept, new, y_new = diabetes
    peer = crepes.WrapRegressor(ridge)
    peer.calibrate(kept, y_kept)
    ours = SplitConformalRegressor(ridge, prefit=True).conformalize(kept, y_kept)
    np.testing.assert_array_equal(ours.predict_p(new, y_new), peer.predict_p(new, y_new, smoothing=False))


def test_intervals_with_difficulty_and_groups_vs_crepes(diabetes):
    crepes = pytest.importorskip("crepes")
    ridge, kept, y_kept, new, y_new = diabetes
    difficulty = KNeighborsRegressor(10).fit(kept, np.abs(y_kept - ridge.predict(kept)))
    sigmas = [difficulty.predict(rows) + 1e-6 for rows in (kept, new)]
    bins = [rows[:, 1] > 0 for rows in (kept, new)]
    peer = crepes.ConformalRegressor().fit(y_kept - ridge.predict(kept), sigmas=sigmas[0], bins=bins[0])
    ours = SplitConformalRegressor(ridge, prefit=True, difficulty=difficulty, categories=1).conformalize(kept, y_kept)
    for level in (0.5, 0.85, 0.95):
        theirs = peer.predict_int(ridge.predict(new), sigmas=sigmas[1], bins=bins[1], confidence=level)
        np.testing.assert_allclose(ours.predict_interval(new, level), theirs, rtol=1e-13)
    found, expected = (
        ours.evaluate(new, y_new, 0.85),
        peer.evaluate(ridge.predict(new), y_new, sigmas=sigmas[1], bins=bins[1], confidence=0.85),
    )
    for key in ("error", "eff_mean", "eff_med"):
        assert found[key] == pytest.approx(expected[key], rel=1e-12), key


def test_crepes_loses_a_rank_to_the_rounding_of_its_level(diabetes):
    """int((1 - 0.9) * 40) is 3, as 1 - 0.9 is 0.09999999999999998: with 39 rows its intervals are one rank wider."""
    crepes = pytest.importorskip("crepes")
    mapie = pytest.importorskip("mapie.regression")
    ridge, kept, y_kept, new, _ = diabetes
    kept, y_kept = kept[:39], y_kept[:39]
    alphas = np.sort(np.abs(y_kept - ridge.predict(kept)))
    ours = SplitConformalRegressor(ridge, prefit=True).conformalize(kept, y_kept).predict_interval(new, 0.9)
    other = mapie.SplitConformalRegressor(ridge, confidence_level=0.9, prefit=True).conformalize(kept, y_kept)
    np.testing.assert_allclose(ours, other.predict_interval(new)[1][:, :, 0], rtol=1e-14)
    peer = crepes.WrapRegressor(ridge)
    peer.calibrate(kept, y_kept)
    theirs = peer.predict_int(new, confidence=0.9)
    assert math.isclose(ours[0, 1] - ours[0, 0], 2 * alphas[35], rel_tol=1e-12)
    assert math.isclose(theirs[0, 1] - theirs[0, 0], 2 * alphas[36], rel_tol=1e-12)
