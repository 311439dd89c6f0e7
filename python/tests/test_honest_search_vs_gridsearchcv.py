"""`HonestSearchCV` against GridSearchCV, cross_val_predict and CrossConformalClassifier with the same folds."""

import pickle
import warnings

import credence
import joblib
import numpy as np
import pytest
import sklearn
from credence import HonestSearchCV
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, Y = load_wine(return_X_y=True)
KNN = {"n_neighbors": [1, 5, 15]}
SPLITTERS = {
    "int": 4,
    "shuffled": StratifiedKFold(3, shuffle=True, random_state=2),
    "repeated": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
    "incomplete": ShuffleSplit(3, test_size=0.2, random_state=0),
    "list": list(StratifiedKFold(3).split(X, Y)),
}


def same(ours, theirs):
    """All that a search has, but for times."""
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == theirs.best_score_
    assert ours.n_splits_ == theirs.n_splits_
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    for name, column in theirs.cv_results_.items():
        if "time" not in name and not name.startswith("param"):
            assert np.array_equal(ours.cv_results_[name], column, equal_nan=True), name


@pytest.mark.filterwarnings("ignore:the mean over folds")
@pytest.mark.parametrize("cv", SPLITTERS.values(), ids=SPLITTERS)
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "neg_log_loss"])
def test_same_search_as_scikit_learns(cv, scoring):
    options = {"cv": cv, "scoring": scoring, "return_train_score": True}
    ours = HonestSearchCV(KNeighborsClassifier(), KNN, **options).fit(X, Y)
    theirs = GridSearchCV(KNeighborsClassifier(), KNN, **options).fit(X, Y)
    same(ours, theirs)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, Y) == theirs.score(X, Y)


def test_losses_vs_cross_val_predict():
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    search = HonestSearchCV(KNeighborsClassifier(), KNN, cv=cv).fit(X, Y)
    for place, one in enumerate(search.cv_results_["params"]):
        said = cross_val_predict(KNeighborsClassifier(**one), X, Y, cv=cv)
        assert np.array_equal(search.losses_[:, place], (said != Y).astype(float))
    expected = credence.honest_error(search.losses_)
    assert float(search.honest_error_) == float(expected.estimate)
    assert search.result_["candidates"][1]["name"] == "n_neighbors=5"
    assert search.one_se_ == [
        one
        for one, found in zip(search.cv_results_["params"], expected["candidates"], strict=True)
        if found["within_one_se"]
    ]


def test_rows_held_out_several_times_count_once():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=1)
    search = HonestSearchCV(KNeighborsClassifier(), KNN, cv=cv).fit(X, Y)
    times, wrong = np.zeros(len(Y)), np.zeros(len(Y))
    for train, rest in cv.split(X, Y):
        times[rest] += 1
        wrong[rest] += KNeighborsClassifier(1).fit(X[train], Y[train]).predict(X[rest]) != Y[rest]
    assert search.losses_[:, 0] == pytest.approx(wrong / times)
    assert search.result_["n"] == len(Y)


def test_regression_with_r2_chooses_by_squared_errors():
    X, y = load_diabetes(return_X_y=True)
    search = HonestSearchCV(Ridge(), {"alpha": [0.01, 1, 100]}, cv=5).fit(X, y)
    same(search, GridSearchCV(Ridge(), {"alpha": [0.01, 1, 100]}, cv=5).fit(X, y))
    said = cross_val_predict(Ridge(alpha=0.01), X, y, cv=5)
    assert search.losses_[:, 0] == pytest.approx((said - y) ** 2)
    assert search.result_["score"] == "squared error" and is_regressor(search)


def test_a_list_of_estimators():
    learners = [
        GaussianNB(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        KNeighborsClassifier(),
        GaussianNB(),
    ]
    search = HonestSearchCV(learners, cv=4).fit(X, Y)
    names = [one["name"] for one in search.result_["candidates"]]
    assert names == ["GaussianNB", "Pipeline", "KNeighborsClassifier", "GaussianNB (2)"]
    assert type(search.best_estimator_).__name__ == search.result_["chosen"].split(" ")[0]
    assert search.best_params_["estimator"] is learners[names.index(search.result_["chosen"])]
    assert is_classifier(search) and search.predict(X).shape == Y.shape
    with pytest.raises(ValueError, match="a list of estimators has at least one, and no param_grid"):
        HonestSearchCV(learners, KNN).fit(X, Y)


def test_several_scores():
    options = {"scoring": ["accuracy", "roc_auc_ovr"], "refit": "accuracy", "cv": 3}
    search = HonestSearchCV(KNeighborsClassifier(), KNN, **options).fit(X, Y)
    same(search, GridSearchCV(KNeighborsClassifier(), KNN, **options).fit(X, Y))
    assert set(search.scorer_) == {"accuracy", "roc_auc_ovr"}
    with pytest.raises(ValueError, match="refit: name the score that chooses"):
        HonestSearchCV(KNeighborsClassifier(), KNN, scoring=["accuracy", "f1_macro"]).fit(X, Y)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_backends_of_joblib_agree(backend):
    one = HonestSearchCV(KNeighborsClassifier(), KNN, cv=3, keep_folds=True).fit(X, Y)
    with joblib.parallel_backend(backend):
        two = HonestSearchCV(KNeighborsClassifier(), KNN, cv=3, keep_folds=True, n_jobs=2).fit(X, Y)
    assert np.array_equal(one.losses_, two.losses_)
    assert np.array_equal(one.conformal_.predict_p(X[:9]), two.conformal_.predict_p(X[:9]))


def test_p_values_come_from_the_very_same_folds():
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    forest = RandomForestClassifier(20, random_state=0)
    search = HonestSearchCV(forest, {"max_depth": [1, 4]}, cv=cv, keep_folds=True).fit(X[::2], Y[::2])
    alone = credence.CrossConformalClassifier(search.best_estimator_, cv=cv).fit(X[::2], Y[::2])
    assert np.array_equal(search.conformal_.predict_p(X), alone.predict_p(X))
    assert len(search.fold_estimators_) == 4
    assert "nothing is proved, as the setting was chosen on all rows" in search.conformal_._guarantee()
    assert not hasattr(HonestSearchCV(forest, {"max_depth": [1]}).fit(X, Y), "conformal_")


def test_no_p_values_where_rows_are_held_out_twice():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    with pytest.warns(UserWarning, match="there are no p-values .* each row may be held out once"):
        search = HonestSearchCV(KNeighborsClassifier(), KNN, cv=cv, keep_folds=True).fit(X, Y)
    assert len(search.fold_estimators_) == 6 and not hasattr(search, "conformal_")


def test_groups_are_kept_and_drawn_together():
    groups = np.arange(len(Y)) % 40
    search = HonestSearchCV(KNeighborsClassifier(), KNN, cv=GroupKFold(4)).fit(X, Y, groups=groups)
    same(search, GridSearchCV(KNeighborsClassifier(), KNN, cv=GroupKFold(4)).fit(X, Y, groups=groups))
    assert search.result_["groups"] == 40
    assert float(search.honest_error_) == float(credence.honest_error(search.losses_, groups).estimate)
    with pytest.warns(UserWarning) as told:
        HonestSearchCV(KNeighborsClassifier(), KNN, cv=ShuffleSplit(3, random_state=0)).fit(X, Y, groups=groups)
    assert any("cv parts groups" in str(one.message) for one in told)


def test_sample_weights_count_where_the_score_counts_them():
    weight = np.where(Y == 0, 3.0, 1.0)
    options = {"param_grid": {"C": [0.01, 1]}, "cv": 3}
    machine = make_pipeline(StandardScaler(), LogisticRegression())
    options["param_grid"] = {"logisticregression__C": [0.001, 1]}
    search = HonestSearchCV(machine, **options).fit(X, Y, logisticregression__sample_weight=weight)
    same(search, GridSearchCV(machine, **options).fit(X, Y, logisticregression__sample_weight=weight))
    tree = HonestSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree.fit(X, Y, sample_weight=weight)
        same(tree, GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, cv=3).fit(X, Y, sample_weight=weight))


class Fails(ClassifierMixin, BaseEstimator):
    """Refuses to be fitted if it is told so."""

    def __init__(self, fails=False):
        self.fails = fails

    def fit(self, X, y):
        if self.fails:
            raise RuntimeError("it fails")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.filterwarnings("ignore")
def test_failed_fits_are_never_chosen():
    search = HonestSearchCV(Fails(), {"fails": [True, False]}, cv=3).fit(X, Y)
    assert np.isnan(search.losses_[:, 0]).all()
    assert search.result_["chosen"] == "fails=False"
    with pytest.raises(RuntimeError, match="it fails"):
        HonestSearchCV(Fails(), {"fails": [True, False]}, cv=3, error_score="raise").fit(X, Y)


def test_refused_scores_and_no_target():
    for scoring in ("roc_auc_ovr", "f1_macro", lambda estimator, X, y: 0.5):
        with pytest.raises(ValueError, match="no mean of losses of single rows"):
            HonestSearchCV(KNeighborsClassifier(), KNN, scoring=scoring).fit(X, Y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        HonestSearchCV(KNeighborsClassifier(), KNN).fit(X)


class Says(ClassifierMixin, BaseEstimator):
    """Always predicts one class."""

    def __init__(self, one=0):
        self.one = one

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.one)


def test_the_choice_by_folds_of_different_sizes_is_told_apart():
    y = np.array([0] * 5 + [1] * 14 + [0] * 3)
    large, small = np.arange(19), np.arange(19, 22)
    with pytest.warns(UserWarning, match="the mean over folds chose 'one=0', the mean over rows chooses 'one=1'"):
        search = HonestSearchCV(Says(), {"one": [0, 1]}, cv=[(small, large), (large, small)]).fit(y[:, None], y)
    assert search.best_params_ == {"one": 0}
    assert search.result_["selected"] == pytest.approx(8 / 22)


@pytest.mark.parametrize("keep_folds", [False, True])
@pytest.mark.parametrize("estimator", [LogisticRegression(solver="newton-cholesky"), [GaussianNB(), KNeighborsClassifier()]])
@pytest.mark.filterwarnings("ignore:the mean over folds")
def test_losses_are_the_same_where_a_search_does_not_hand_out_what_was_recorded(monkeypatch, estimator, keep_folds):
    """Oracle: the search whose private method hands it out; without that, models are trained anew."""
    grid = None if isinstance(estimator, list) else {"C": [0.01, 1]}
    groups = np.arange(len(Y)) % 30
    wanted = HonestSearchCV(estimator, grid, cv=GroupKFold(3), keep_folds=keep_folds).fit(X, Y, groups=groups)
    monkeypatch.delattr(credence.honest_search._Search, "_format_results")
    found = HonestSearchCV(estimator, grid, cv=GroupKFold(3), keep_folds=keep_folds).fit(X, Y, groups=groups)
    assert np.array_equal(found.losses_, wanted.losses_)
    assert found.honest_error_ == wanted.honest_error_
    assert not keep_folds or np.array_equal(found.conformal_.predict_p(X), wanted.conformal_.predict_p(X))


@pytest.mark.filterwarnings("ignore:the mean over folds")
def test_page_copies_and_routing():
    search = HonestSearchCV(KNeighborsClassifier(), KNN, cv=3).fit(X, Y)
    assert "How good is each candidate?" in search.report()
    assert pickle.loads(pickle.dumps(search)).honest_error_ == search.honest_error_
    with sklearn.config_context(enable_metadata_routing=True):
        groups = np.arange(len(Y)) % 30
        routed = HonestSearchCV(KNeighborsClassifier(), KNN, cv=GroupKFold(3)).fit(X, Y, groups=groups)
        assert routed.result_["groups"] == 30
