"""Split conformal classification against its definition, written out in plain loops."""

import pickle
import warnings

import credence
import numpy as np
import pytest
from credence import SplitConformalClassifier
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits, load_wine, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC


class Columns(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are the columns themselves; it remembers the rows that it was trained on."""

    def fit(self, X, y):
        self.classes_, self.rows_ = np.unique(y), np.asarray(X)
        return self

    def decision_function(self, X):
        return np.asarray(X)

    def predict(self, X):
        return self.classes_[np.argmax(X, axis=1)]


def columns(classes):
    """Return that classifier, fitted; its classes are 0, 1, ..."""
    return Columns().fit(np.zeros((classes, classes)), np.arange(classes))


def naive_p_values(scores, y, new_scores, *, conditional=False, groups=None, new_groups=None):
    """Return (#{alpha_i >= alpha} + 1) / (#{i} + 1), i over the rows compared with, alpha minus the score."""
    p = np.empty(new_scores.shape)
    for row in range(len(new_scores)):
        for label in range(new_scores.shape[1]):
            own = [
                -scores[i, y[i]]
                for i in range(len(y))
                if (not conditional or y[i] == label) and (groups is None or groups[i] == new_groups[row])
            ]
            stranger = sum(alpha >= -new_scores[row, label] for alpha in own)
            p[row, label] = (stranger + 1) / (len(own) + 1)
    return p


def scores_of(estimator, X, classes):
    """Return a score for each class; -inf for a class that the estimator has not seen."""
    method = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
    values = getattr(estimator, method)(X)
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    table = np.full((len(values), len(classes)), -np.inf)
    for j, label in enumerate(estimator.classes_):
        table[:, list(classes).index(label)] = values[:, j]
    return table


def random_scores(seed, rows, classes, decimals=1):
    """Return scores with many ties, and classes."""
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, classes)).round(decimals), random.integers(classes, size=rows)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    train, rest, y_train, y_rest = train_test_split(X, y, train_size=300, random_state=0)
    return train, rest[:200], rest[200:260], y_train, y_rest[:200], y_rest[200:260]


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 19, 60])
def test_p_values_with_ties_vs_naive(rows, conditional):
    X, y = random_scores(rows, rows, 3)
    new, _ = random_scores(rows + 1000, 40, 3)
    machine = SplitConformalClassifier(columns(3), prefit=True, label_conditional=conditional).conformalize(X, y)
    assert machine.n_calibration_ == rows
    np.testing.assert_array_equal(machine.predict_p(new), naive_p_values(X, y, new, conditional=conditional))


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(20, random_state=0),
        LinearSVC(random_state=0, max_iter=200),
        RidgeClassifier(),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=50)),
    ],
    ids=["forest", "linear_svc", "ridge", "pipeline"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_estimator_vs_naive(estimator, digits):
    train, kept, new, y_train, y_kept, _ = digits
    machine = SplitConformalClassifier(estimator, calibration_size=None).fit(train, y_train)
    machine.conformalize(kept, y_kept)
    one = machine.estimator_
    expected = naive_p_values(scores_of(one, kept, range(10)), y_kept, scores_of(one, new, range(10)))
    np.testing.assert_array_equal(machine.predict_p(new), expected)
    np.testing.assert_array_equal(machine.predict(new), one.predict(new))


def test_two_classes_by_decision_function_vs_naive():
    X, y = make_classification(300, random_state=1)
    machine = SplitConformalClassifier(LinearSVC(random_state=0), calibration_size=None).fit(X[:100], y[:100])
    machine.conformalize(X[100:200], y[100:200])
    one = machine.estimator_
    expected = naive_p_values(scores_of(one, X[100:200], [0, 1]), y[100:200], scores_of(one, X[200:], [0, 1]))
    np.testing.assert_array_equal(machine.predict_p(X[200:]), expected)


def test_response_method_is_the_one_asked_for():
    X, y = make_classification(300, random_state=2)
    estimator = LogisticRegression().fit(X[:100], y[:100])
    machine = SplitConformalClassifier(estimator, prefit=True, response_method="decision_function")
    values = estimator.decision_function(X[100:])
    scores = np.column_stack([-values, values])
    machine.conformalize(X[100:200], y[100:200])
    np.testing.assert_array_equal(machine.predict_p(X[200:]), naive_p_values(scores[:100], y[100:200], scores[100:]))
    with pytest.raises(ValueError, match="response_method must be"):
        machine.set_params(response_method="scores").conformalize(X[100:200], y[100:200])


def frame_with_texts(rows=240):
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"colour": random.choice(["red", "green", "blue"], rows), "size": random.normal(size=rows)})
    y = np.where((frame["colour"] == "red") ^ (frame["size"] > 0) ^ (random.random(rows) < 0.1), "yes", "no")
    return frame, y


def pipeline_of_texts():
    encoder = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    return make_pipeline(encoder, RandomForestClassifier(20, random_state=0))


def test_pipeline_over_a_frame_with_texts_vs_naive():
    frame, y = frame_with_texts()
    machine = SplitConformalClassifier(pipeline_of_texts(), calibration_size=None).fit(frame[:100], y[:100])
    machine.conformalize(frame[100:200], y[100:200])
    one = machine.estimator_
    codes = np.searchsorted(machine.classes_, y[100:200])
    scores = [scores_of(one, part, machine.classes_) for part in (frame[100:200], frame[200:])]
    np.testing.assert_array_equal(machine.predict_p(frame[200:]), naive_p_values(scores[0], codes, scores[1]))
    assert list(machine.feature_names_in_) == ["colour", "size"]


def test_fit_splits_a_frame_with_texts():
    frame, y = frame_with_texts()
    machine = SplitConformalClassifier(pipeline_of_texts(), calibration_size=0.5).fit(frame[:200], y[:200])
    assert machine.n_calibration_ == 100
    assert machine.evaluate(frame[200:], y[200:], 0.8)["error"] < 0.5


def test_classifier_that_has_not_seen_all_classes_vs_naive():
    """The class without training rows has the score -inf: no row is stranger, and it joins every set by its ties."""
    X, y = load_wine(return_X_y=True)

    class WithoutTwo(GaussianNB):
        def fit(self, X, y):
            return super().fit(X[y != 2], y[y != 2])

    machine = SplitConformalClassifier(WithoutTwo(), calibration_size=0.5).fit(X, y)
    assert list(machine.classes_) == [0, 1, 2]
    p = machine.predict_p(X)
    assert np.unique(p[:, 2]).size == 1
    assert 0 < p[0, 2] < 0.6
    sets = machine.predict_set(X[y == 2], 0.95)
    assert sets[:, 2].all()


def test_classes_that_a_prefit_classifier_does_not_know_are_refused():
    machine = SplitConformalClassifier(columns(2), prefit=True)
    with pytest.raises(ValueError, match="does not know the class 7"):
        machine.conformalize(np.zeros((3, 2)), [0, 1, 7])


@pytest.mark.parametrize("conditional", [False, True])
def test_fit_compares_with_the_rows_that_the_estimator_did_not_see(conditional):
    X, y = random_scores(5, 80, 3, decimals=6)
    new, _ = random_scores(6, 30, 3, decimals=6)
    machine = SplitConformalClassifier(Columns(), label_conditional=conditional, random_state=4).fit(X, y)
    seen = {tuple(row) for row in machine.estimator_.rows_}
    held = np.array([tuple(row) not in seen for row in X])
    assert held.sum() == 20
    expected = naive_p_values(X[held], y[held], new, conditional=conditional)
    np.testing.assert_array_equal(machine.predict_p(new), expected)


def test_fit_twice_equals_fit_once():
    X, y = random_scores(7, 90, 3, decimals=6)
    new = X[:10] + 0.01
    twice = SplitConformalClassifier(Columns(), smoothed=True).fit(X[:45], y[:45]).fit(X, y)
    once = SplitConformalClassifier(Columns(), smoothed=True).fit(X, y)
    np.testing.assert_array_equal(twice.predict_p(new), once.predict_p(new))
    conformalized_twice = once.conformalize(X[:50], y[:50]).conformalize(X[50:], y[50:]).predict_p(new)
    fresh = clone(once).fit(X, y).conformalize(X[50:], y[50:]).predict_p(new)
    np.testing.assert_array_equal(conformalized_twice, fresh)


def test_fit_without_calibration_forgets_an_earlier_one():
    X, y = random_scores(7, 90, 3)
    machine = SplitConformalClassifier(Columns()).fit(X, y).set_params(calibration_size=None).fit(X, y)
    with pytest.raises(ValueError, match="not fitted"):
        machine.predict_p(X)


def test_calibrate_is_conformalize():
    X, y = random_scores(8, 60, 2)
    by_one = SplitConformalClassifier(columns(2), prefit=True).conformalize(X[:30], y[:30]).predict_p(X[30:])
    by_other = SplitConformalClassifier(columns(2), prefit=True).conformalize(X[:30], y[:30]).predict_p(X[30:])
    np.testing.assert_array_equal(by_one, by_other)


def test_prefit_keeps_the_very_estimator_and_refuses_fit():
    estimator = columns(2)
    X, y = random_scores(9, 30, 2)
    machine = SplitConformalClassifier(estimator, prefit=True)
    with pytest.raises(ValueError, match="call conformalize"):
        machine.fit(X, y)
    assert machine.conformalize(X, y).estimator_ is estimator
    with pytest.raises(ValueError, match="not fitted"):
        SplitConformalClassifier(GaussianNB(), prefit=True).conformalize(X, y)


def test_frozen_estimator_equals_prefit(digits):
    train, kept, new, y_train, y_kept, _ = digits
    forest = RandomForestClassifier(20, random_state=0).fit(train, y_train)
    frozen = SplitConformalClassifier(FrozenEstimator(forest), calibration_size=None).fit(kept, y_kept)
    frozen.conformalize(kept, y_kept)
    prefit = SplitConformalClassifier(forest, prefit=True).conformalize(kept, y_kept)
    np.testing.assert_array_equal(frozen.predict_p(new), prefit.predict_p(new))


def test_default_estimator_is_the_svc():
    X, y = load_wine(return_X_y=True)
    machine = SplitConformalClassifier().fit(X, y)
    assert isinstance(machine.estimator_, credence.SVC)
    assert machine.predict_p(X).shape == (178, 3)


def test_pickle_and_clone(digits):
    train, kept, new, y_train, y_kept, _ = digits
    machine = (
        SplitConformalClassifier(GaussianNB(), calibration_size=None).fit(train, y_train).conformalize(kept, y_kept)
    )
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.predict_p(new), machine.predict_p(new))
    assert "_calibration" not in vars(clone(machine))


def test_regressors_and_small_data_are_refused():
    from sklearn.linear_model import Ridge

    with pytest.raises(ValueError, match="must be a classifier"):
        SplitConformalClassifier(Ridge()).fit(np.zeros((8, 2)), [0, 1] * 4)
    with pytest.raises(ValueError, match="minimum of 4"):
        SplitConformalClassifier(GaussianNB()).fit(np.zeros((3, 2)), [0, 1, 0])
    with pytest.raises(ValueError, match="confidence_level"):
        machine = SplitConformalClassifier(columns(2), prefit=True).conformalize(np.zeros((3, 2)), [0, 1, 0])
        machine.predict_set(np.zeros((3, 2)), 1.5)


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("where", ["position", "callable"])
def test_groups_of_an_array_vs_naive(where, conditional):
    X, y = random_scores(11, 100, 3)
    X[:, 2] = np.arange(100) % 4
    groups = 2 if where == "position" else lambda rows: rows[:, 2].astype(int)
    machine = SplitConformalClassifier(columns(3), prefit=True, categories=groups, label_conditional=conditional)
    machine.conformalize(X[:70], y[:70])
    expected = naive_p_values(X[:70], y[:70], X[70:], conditional=conditional, groups=X[:70, 2], new_groups=X[70:, 2])
    np.testing.assert_array_equal(machine.predict_p(X[70:]), expected)


def test_groups_by_name_of_a_column_vs_naive():
    frame, y = frame_with_texts()
    estimator = pipeline_of_texts().fit(frame[:100], y[:100])
    machine = SplitConformalClassifier(estimator, prefit=True, categories="colour").conformalize(
        frame[100:200], y[100:200]
    )
    codes = np.searchsorted(machine.classes_, y[100:200])
    expected = naive_p_values(
        estimator.predict_proba(frame[100:200]),
        codes,
        estimator.predict_proba(frame[200:]),
        groups=frame["colour"].to_numpy()[100:200],
        new_groups=frame["colour"].to_numpy()[200:],
    )
    np.testing.assert_array_equal(machine.predict_p(frame[200:]), expected)


def test_group_that_was_not_seen_has_the_p_value_one():
    X, y = random_scores(12, 40, 2)
    X[:, 1] = 0
    machine = SplitConformalClassifier(columns(2), prefit=True, categories=1).conformalize(X, y)
    new = X[:5].copy()
    new[0, 1] = 9
    p = machine.predict_p(new)
    assert (p[0] == 1).all()
    assert (p[1:, 0] < 1).any()
    assert machine.predict_set(new, 0.95)[0].all()


def test_groups_of_another_length_are_refused():
    X, y = random_scores(12, 40, 2)
    machine = SplitConformalClassifier(columns(2), prefit=True, categories=lambda rows: rows[:3, 0])
    with pytest.raises(ValueError, match="3 values for 40 rows"):
        machine.conformalize(X, y)


def test_19_rows_and_the_smallest_p_value():
    """1 - 0.95 is 0.050000000000000044: with 19 rows a class with p = 0.05 is outside, however the level is written."""
    X = np.column_stack([np.arange(19.0), np.zeros(19)])
    machine = SplitConformalClassifier(columns(2), prefit=True).conformalize(X, np.zeros(19, dtype=int))
    new = np.array([[-1.0, -1.0], [0.0, 0.0]])
    p = machine.predict_p(new)
    np.testing.assert_array_equal(p[:, 0], [0.05, 0.1])
    for level in (0.95, 1 - 0.05, 19 / 20, np.float64(0.95), 1 - 1 / 20):
        np.testing.assert_array_equal(machine.predict_set(new, level)[:, 0], [False, True])
    for level in (0.96, 0.9500001, 1.0):
        assert machine.predict_set(new, level).all()
    for level in (0.9, 1 - 0.1, 18 / 20):
        assert not machine.predict_set(new, level).any()


def test_levels_compare_counts_for_all_small_calibrations():
    for rows in range(1, 130):
        p = np.arange(1, rows + 2) / (rows + 1)
        for k in range(1, rows + 1):
            for level in (1 - k / (rows + 1), (rows + 1 - k) / (rows + 1)):
                inside = credence.metrics.predict_set(p.reshape(-1, 1), level).ravel()
                assert inside.sum() == rows + 1 - k, (rows, k, level)


def test_several_levels_and_labels():
    X, y = random_scores(13, 60, 3)
    machine = SplitConformalClassifier(columns(3), prefit=True).conformalize(X[:50], y[:50])
    new = X[50:]
    levels = [0.5, 0.8, 0.95]
    sets = machine.predict_set(new, levels)
    assert sets.shape == (10, 3, 3)
    assert sets.dtype == bool
    lists = machine.predict_set(new, levels, as_labels=True)
    assert [len(rows) for rows in lists] == [10, 10, 10]
    for j, level in enumerate(levels):
        one = machine.predict_set(new, level)
        assert one.shape == (10, 3)
        np.testing.assert_array_equal(sets[:, :, j], one)
        np.testing.assert_array_equal(one, machine.predict_p(new) > 1 - level + 1e-12)
        assert lists[j] == machine.predict_set(new, level, as_labels=True)
        assert lists[j] == [[label for label in range(3) if row[label]] for row in one]
    assert machine.predict_set(new, [0.9]).shape == (10, 3, 1)


def test_label_confidence_and_credibility_vs_naive():
    X, y = random_scores(14, 60, 3, decimals=6)
    machine = SplitConformalClassifier(columns(3), prefit=True).conformalize(X[:50], y[:50])
    label, confidence, credibility = machine.predict_with_confidence(X[50:])
    for row, p in enumerate(machine.predict_p(X[50:])):
        assert label[row] == np.argmax(p)
        assert credibility[row] == max(p)
        assert confidence[row] == 1 - sorted(p)[-2]


def test_sample_weights_go_with_their_rows():
    X, y = make_classification(100, random_state=0)
    weights = np.where(np.arange(100) < 90, 1.0, 1e-9)
    machine = SplitConformalClassifier(GaussianNB()).fit(X, y, sample_weight=weights)
    assert machine.n_calibration_ == 25


def test_negative_calibration_size_is_refused_by_name():
    with pytest.raises(ValueError, match=r"calibration_size .*-0\.5"):
        SplitConformalClassifier(GaussianNB(), calibration_size=-0.5).fit(*random_scores(0, 30, 2))


@pytest.mark.parametrize("groups", [99, "colour"])
def test_missing_group_column_is_refused_in_a_sentence(groups):
    with pytest.raises(ValueError, match="categories"):
        SplitConformalClassifier(GaussianNB(), categories=groups).fit(*random_scores(0, 30, 2))


def test_categories_have_one_value_for_each_row():
    X, y = random_scores(0, 30, 2)
    flat, tall = (
        SplitConformalClassifier(GaussianNB(), categories=lambda X, shape=shape: (X[:, 0] > 0).reshape(shape)).fit(X, y)
        for shape in ((-1,), (-1, 1))
    )
    assert np.array_equal(flat.predict_p(X), tall.predict_p(X))
    with pytest.raises(ValueError, match="categories needs one value for each row, not values of the shape"):
        SplitConformalClassifier(GaussianNB(), categories=lambda X: [(1, 2) for _ in X]).fit(X, y)


def test_levels_that_so_few_rows_cannot_reach_are_warned_of():
    """Oracle: with n rows compared with, no p-value is below 1 / (n + 1); 19 rows reach 0.05 and 18 do not."""
    X, y = random_scores(0, 60, 2)
    numbers = credence.SplitConformalRegressor(LinearRegression(), prefit=True)
    numbers.estimator = LinearRegression().fit(X, X[:, 0])
    for rows in (18, 19):
        machines = [
            SplitConformalClassifier(columns(2), prefit=True).conformalize(X[:rows], y[:rows]),
            credence.CrossConformalClassifier(GaussianNB(), cv=3).fit(X[:rows], y[:rows]),
            credence.FullConformalKNeighborsClassifier(apart=0).fit(X[:rows], y[:rows]),
            credence.OnlineConformalClassifier(smoothed=False).fit(X[:rows], y[:rows]),
            credence.SVC(cv=3).fit(X[:rows], y[:rows]),
            numbers.conformalize(X[:rows], X[:rows, 0]),
        ]
        for machine in machines:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                getattr(machine, "predict_interval" if machine is numbers else "predict_set")(X[50:], 0.95)
            said = any("no p-value can be below" in str(one.message) for one in caught)
            assert said == (rows == 18), (type(machine).__name__, rows)


def test_negative_random_state_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="random_state"):
        SplitConformalClassifier(GaussianNB(), random_state=-1).fit(*random_scores(0, 30, 2))


def test_evaluate_refuses_levels_out_of_range():
    X, y = random_scores(0, 30, 2)
    machine = SplitConformalClassifier(columns(2), prefit=True).conformalize(X, y)
    for levels in (0, 1.5, [], [0.9, 0], [[0.9]]):
        with pytest.raises(ValueError, match="confidence_level"):
            machine.evaluate(X, y, confidence_level=levels)
