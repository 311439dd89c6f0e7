"""Rows that come again, in searches over arrays and frames."""

import warnings

import numpy as np
import pytest

import credence

GRID = {"C": [1, 100], "gamma": [0.1, 1000]}


def noise(seed, rows=100, columns=3):
    """Distinct rows whose labels are coins."""
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, columns)), random.integers(0, 2, rows)


def searched(X, y, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return credence.SVCSearchCV(**GRID, **arguments).fit(X, y)


def of_copies(sentences):
    return [sentence for sentence in sentences if "are copies of" in sentence]


def test_noise_entered_four_times_is_estimated_as_coins():
    missed = 0
    for seed in range(10):
        X, y = noise(seed)
        search = searched(np.tile(X, (4, 1)), np.tile(y, 4), random_state=seed)
        assert of_copies(search.warnings_)
        assert abs(search.honest_error_ - 0.5) < 0.25
        missed += not search.honest_error_.lower <= 0.5 <= search.honest_error_.upper
    assert missed <= 3  # of intervals at 95 %; without the treatment all miss


def test_the_caller_is_warned():
    X, y = noise(1)
    with pytest.warns(UserWarning, match="300 of 400 rows are copies of other rows"):
        credence.SVCSearchCV(**GRID).fit(np.tile(X, (4, 1)), np.tile(y, 4))


def test_dropped_copies_leave_the_search_of_the_distinct_rows():
    X, y = noise(2)
    dropped = searched(np.tile(X, (4, 1)), np.tile(y, 4), copies="drop")
    plain = searched(X, y)
    assert dropped.honest_error_ == plain.honest_error_
    assert dropped.best_params_ == plain.best_params_
    np.testing.assert_array_equal(dropped.decision_function(X), plain.decision_function(X))
    kept = searched(np.tile(X, (4, 1)), np.tile(y, 4), copies="keep")
    assert kept.honest_error_ < 0.1


def test_splits_and_groups_of_the_caller_go_first():
    from sklearn.model_selection import KFold

    X, y = noise(3)
    X, y = np.tile(X, (2, 1)), np.tile(y, 2)
    split = searched(X, y, cv=KFold(5))
    assert not of_copies(split.warnings_)
    assert of_copies(split.result_["notes"])


def test_few_values_give_a_note_alone():
    random = np.random.default_rng(4)
    X = random.integers(0, 2, (300, 6)).astype(float)
    y = (X[:, 0] + random.normal(size=300) > 0.5).astype(int)
    search = searched(X, y)
    assert not of_copies(search.warnings_)
    assert of_copies(search.result_["notes"])
    assert "are copies of" in search.summary()
    assert search.honest_error_ == searched(X, y, copies="keep").honest_error_


def subjects(seed=5):
    X, y = noise(seed, columns=4)
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)
    X += 0.05 * np.random.default_rng(9).normal(size=X.shape)
    X[:, 0] = np.tile(np.arange(1, 101), 4)
    return X, y


def test_columns_that_name_subjects_give_a_warning_with_both_errors():
    X, y = subjects()
    search = searched(X, y)
    assert any("whole subjects" in sentence for sentence in search.warnings_)
    assert any("groups=x1" in sentence for sentence in search.warnings_)
    assert "if so, give groups=x1" in " ".join(search.summary().split())
    grouped = credence.SVCSearchCV(**GRID).fit(X, y, groups=X[:, 0].astype(int))
    assert not any("whole subjects" in sentence for sentence in grouped.warnings_)
    assert grouped.honest_error_ > 0.35


def test_frames_have_the_name_of_the_column():
    pandas = pytest.importorskip("pandas")
    X, y = subjects()
    frame = pandas.DataFrame(X, columns=["who", "a", "b", "c"])
    frame["who"] = [f"P{int(number):03}" for number in frame["who"]]
    search = searched(frame, y)
    assert any("'who'" in sentence for sentence in search.result_["notes"])
    assert any("column 'who'" in sentence for sentence in search.warnings_)
