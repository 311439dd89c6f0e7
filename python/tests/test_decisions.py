"""Decisions with limits, class shares of another data set, local rows and errors by group, vs loops over p-values."""

import warnings

import credence
import numpy as np
import pytest
from credence import SVC, SVCSearchCV, SplitConformalClassifier
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(400, 5, n_informative=3, class_sep=0.8, random_state=0)
    return X, np.where(y == 1, "sick", "well")


@pytest.fixture(scope="module")
def search(rows):
    X, y = rows
    return SVCSearchCV(C=[1.0], gamma=[0.1], p_values="split").fit(X[:250], y[:250])


LIMITS = {"sick": 0.05, "well": 0.2}


def naive_decisions(p, classes, limits):
    decided = []
    for row in p:
        left = [label for label, value in zip(classes, row) if value - limits[label] > 1e-12]
        decided.append(left[0] if len(left) == 1 else None)
    return decided


def test_decisions_are_those_of_a_loop(rows, search):
    X, _ = rows
    p = search.predict_p(X[250:], label_conditional=True)
    expected = naive_decisions(p, search.classes_, LIMITS)
    assert search.decide(X[250:], LIMITS).tolist() == expected
    assert None in expected and "sick" in expected and "well" in expected
    sets = search.predict_set(X[250:], limits=LIMITS)
    assert np.array_equal(sets, p - np.array([0.05, 0.2]) > 1e-12)
    assert search.predict_set(X[250:], limits=0.1).shape == (150, 2)
    assert search.decide(X[250:], 0.1).tolist() == naive_decisions(p, search.classes_, {"sick": 0.1, "well": 0.1})


def test_a_review_marks_the_least_probable_labels(rows, search):
    X, _ = rows
    probability = search.predict_proba(X[250:]).max(axis=1)  # of the label, as no class has a weight
    reasons = search.review(X[250:], 0.1)
    assert np.flatnonzero(reasons != "").tolist() == sorted(np.argsort(probability, kind="stable")[:15].tolist())
    asked = [one is None for one in search.decide(X[250:], LIMITS)]
    assert (search.review(X[250:], limits=LIMITS) != "").tolist() == asked
    empty = (search.predict_p(X[250:]) <= 0.05 + 1e-12).all(axis=1)
    unlike = search.familiarity(X[250:]) <= 0.01
    expected = np.where(unlike, "unlike the training rows", np.where(empty, "fits no class", "between classes"))
    assert (reasons[reasons != ""] == expected[reasons != ""]).all()
    with pytest.raises(ValueError, match="at most 1, not 2"):
        search.review(X[250:], 2)
    with pytest.raises(AttributeError, match="this SVC has no review"):
        SVC().fit(*rows).review(X)


def test_wrappers_decide_with_p_values_of_each_class(rows):
    X, y = rows
    wrapper = SplitConformalClassifier(KNeighborsClassifier(), label_conditional=True, random_state=0).fit(
        X[:250], y[:250]
    )
    expected = naive_decisions(wrapper.predict_p(X[250:]), wrapper.classes_, LIMITS)
    assert wrapper.decide(X[250:], LIMITS).tolist() == expected
    alike = SplitConformalClassifier(KNeighborsClassifier(), random_state=0).fit(X[:250], y[:250])
    with pytest.raises(ValueError, match="label_conditional=True"):
        alike.decide(X[250:], LIMITS)
    with pytest.raises(ValueError, match="certainty"):
        wrapper.decide(X[250:], LIMITS, certainty=0.95)


def test_a_certainty_strikes_out_less(rows, search):
    X, y = rows
    levels = search.predictor_.levels_of_limits([0.05, 0.2], 0.95)
    for level, limit, compared in zip(levels, [0.05, 0.2], search.predictor_.compared_with):
        from scipy.stats import binom

        k = max((k for k in range(1, compared + 1) if binom.cdf(k - 1, compared, limit) <= 0.05 + 1e-12), default=0)
        assert level == pytest.approx(k / (compared + 1))
    asked = [one is None for one in search.decide(X[250:], LIMITS, certainty=0.95)]
    assert sum(asked) >= sum(one is None for one in search.decide(X[250:], LIMITS))
    measured = SVC(C=1.0, gamma=0.1, cv=5).fit(X[:250], y[:250])
    with pytest.raises(ValueError, match="set aside"):
        measured.decide(X[250:], LIMITS, certainty=0.95)


def test_a_limit_below_what_the_rows_allow_is_warned_of(rows, search):
    X, _ = rows
    counts = search.predictor_.compared_with
    fewest = min(counts)
    allowed = 1 / (fewest + 1)
    with pytest.warns(credence.CredenceWarning, match=f"is never ruled out: its limit .* needs {fewest + 1} rows"):
        decided = search.decide(X[250:], allowed - 1e-4)
    assert set(decided) <= {None, search.classes_[counts.index(fewest)]}  # no row is sure to be of another class
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.decide(X[250:], allowed)


def test_a_class_without_a_limit_has_the_smallest_one(rows, search):
    X, _ = rows
    assert np.array_equal(search.decide(X[250:], {"sick": 0.1}), search.decide(X[250:], {"sick": 0.1, "well": 0.1}))


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"ill": 0.1, "well": 0.1}, "is no class"),
        (1.0, r"\[0, 1\)"),
        (-0.1, r"\[0, 1\)"),
    ],
)
def test_limits_that_are_none(rows, search, limits, words):
    with pytest.raises(ValueError, match=words):
        search.decide(rows[0][:3], limits)


def test_probabilities_at_other_class_shares(rows, search):
    X, _ = rows
    p = search.predict_proba(X[250:])
    kept = np.array(search.predictor_.compared_with, dtype=float)
    kept /= kept.sum()
    there = np.array([0.02, 0.98])
    expected = p * there / kept
    expected /= expected.sum(axis=1, keepdims=True)
    assert np.allclose(search.predict_proba(X[250:], prior={"sick": 0.02}), expected, atol=1e-12)
    estimated = search.predict_proba(X[250:], prior="estimate")
    shares = estimated.mean(axis=0)  # the fixed point of the estimate
    again = p * shares / kept
    assert np.allclose(again / again.sum(axis=1, keepdims=True), estimated, atol=1e-6)
    with pytest.raises(ValueError, match="estimate"):
        search.predict_proba(X[250:], prior="guess")
    with pytest.raises(ValueError, match="between 0 and 1"):
        search.predict_proba(X[250:], prior={"sick": 1.5})


def test_local_rows_take_the_place_of_the_kept_ones(rows, search):
    X, y = rows
    local = search.update(X[250:330], y[250:330])
    assert np.array_equal(local.predict(X[330:]), search.predict(X[330:]))
    assert np.array_equal(local.decision_function(X[330:]), search.decision_function(X[330:]))
    margins = search.decision_function(X)  # positive for the second class
    p = local.predict_p(X[330:], label_conditional=True)
    for c, name in enumerate(search.classes_):
        sign = 1 if c == 1 else -1
        kept = -sign * margins[250:330][y[250:330] == name]
        for row in range(70):
            nonconformity = -sign * margins[330 + row]
            assert p[row, c] == pytest.approx((np.sum(kept >= nonconformity) + 1) / (len(kept) + 1), abs=1e-12)
    assert local.local_test_["proved"] is True
    assert local.local_test_["local"] == [int((y[250:330] == name).sum()) for name in search.classes_]
    assert local.local_test_["p_value"] > 0.01
    shifted = search.update(X[250:330] + 3.0, y[250:330])
    assert shifted.local_test_["p_value"] == pytest.approx(1e-4)
    with pytest.warns(UserWarning, match="no local row is of class 'sick', so that the class is never ruled out"):
        search.update(X[250:330][y[250:330] == "well"], y[250:330][y[250:330] == "well"])
    with pytest.raises(ValueError, match="does not know the class"):
        search.update(X[250:252], ["ill", "well"])


def test_limits_are_compared_as_by_a_loop(rows, search):
    X, y = rows
    found = search.compare_limits(X[250:], y[250:], [0.05, 0.2], cost="sick:well=50,well:sick=1,ask=5")
    assert found["kind"] == "limits" and len(found["points"]) == 4
    for point in found["points"]:
        decided = search.decide(X[250:], dict(zip(search.classes_, point["limits"])))
        asked = np.array([one is None for one in decided])
        wrong = ~asked & (decided != y[250:])
        assert (point["decided"], point["wrong"]) == ((~asked).sum(), wrong.sum())
        assert point["cost"] == pytest.approx(np.where(asked, 5, wrong * np.where(y[250:] == "sick", 50, 1)).mean())
    best = found["best"]
    assert best["cost"] == min(point["cost"] for point in found["points"])
    assert "conformal p-values [1] of all classes but one" in found.sentence() and "[2]" in found.sentence()
    assert f"{best['decided']} were decided, and {best['wrong']} of these wrongly" in found.sentence()
    assert "What the limits decide" in found.report() and "Result of limits\n" in repr(found)
    assert len(search.compare_limits(X[250:], y[250:])["points"]) == 64  # pairs of the eight limits of the command
    with pytest.raises(ValueError, match=r"a limit must lie in \[0, 1\), not 1.5"):
        search.compare_limits(X[250:], y[250:], [1.5])
    with pytest.raises(ValueError, match="no price of asking"):
        search.compare_limits(X[250:], y[250:], cost="sick:well=50")
    pytest.importorskip("altair")
    assert len(found.charts()) == 1


def test_errors_by_group_are_those_of_a_loop(rows, search):
    X, y = rows
    sex = np.where(np.arange(150) % 3 == 0, "f", "m")
    age = np.arange(150) % 60 + 20
    found = search.errors_by(X[250:], y[250:], {"sex": sex, "age": age}, "sex,age=30:50,sex*age")
    assert [way["by"] for way in found["divisions"]] == ["sex", "age", "sex * age"]
    wrong = search.predict(X[250:]) != y[250:]
    for part in found["divisions"][0]["parts"]:
        assert part["errors"] == wrong[sex == part["value"]].sum()
        assert part["n"] == (sex == part["value"]).sum()
    middle = found["divisions"][1]["parts"][1]
    assert middle["value"] == "30 to 50"
    assert middle["errors"] == wrong[(age >= 30) & (age < 50)].sum()
    from scipy.stats import beta

    def upper_end(count, rows):
        return beta.ppf(1 - delta / 2, count + 1, rows - count) if count < rows else 1.0

    parts = [part for way in found["divisions"] for part in way["parts"]]
    classes = [own for part in parts for own in part["per_class"] if own["n"]]
    assert found["intervals"] == 2 * len(parts) + len(classes)
    delta = 0.05 / found["intervals"]
    held = search.predict_set(X[250:])[np.arange(150), np.searchsorted(search.classes_, y[250:])]
    part = parts[0]
    assert part["interval"]["upper"] == pytest.approx(upper_end(part["errors"], part["n"]), rel=1e-9)
    assert part["set_misses"] == (~held & (sex == part["value"])).sum()
    assert part["set_interval"]["upper"] == pytest.approx(upper_end(part["set_misses"], part["n"]), rel=1e-9)
    for own in part["per_class"]:
        mine = (sex == part["value"]) & (y[250:] == own["class"])
        assert own["n"] == mine.sum()
        assert own["missed"] == (wrong & mine).sum()
        assert own["interval"]["upper"] == pytest.approx(upper_end(own["missed"], own["n"]), rel=1e-9)
    assert found["worst_error"]["upper"] == max(part["interval"]["upper"] for part in parts)
    assert found["worst_missed"]["upper"] == max(own["interval"]["upper"] for own in classes)
    limits = dict.fromkeys(search.classes_, 0.1)
    limited = search.errors_by(X[250:], y[250:], {"sex": sex}, limits=limits)["divisions"][0]["parts"][0]
    left = search.predict_set(X[250:], limits=limits)[np.arange(150), np.searchsorted(search.classes_, y[250:])]
    own = limited["per_class"][1]
    assert own["missed"] == (~left & (sex == limited["value"]) & (y[250:] == own["class"])).sum()
    decided = [choice is not None for choice in search.decide(X[250:], limits)]
    assert limited["decided"] == (np.array(decided) & (sex == limited["value"])).sum()
    with pytest.raises(ValueError, match="150 rows"):
        search.errors_by(X[250:], y[250:], {"sex": sex[:5]})
