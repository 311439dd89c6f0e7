import copy
import pickle

import credence
import joblib
import numpy as np
import pytest
import sklearn
from credence import SVC, RVRSearchCV, SearchCV, SVCSearchCV
from expected_failed_checks import EXPECTED_FAILED_CHECKS, expected_failed_checks
from sklearn import svm as their_svm
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    check_cv,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PowerTransformer
from sklearn.utils.estimator_checks import check_estimator, check_sample_weight_equivalence_on_dense_data

GRID = {"C": [1, 10], "gamma": [0.1, 1]}
SEARCHES = [
    SVCSearchCV(**GRID, cv=3),
    SVCSearchCV(method="holdout", **GRID),
    SVCSearchCV(method="holdout_vote", **GRID),
    SVCSearchCV(method="nonconformity", **GRID),
    SVCSearchCV(method="max_margin", **GRID),
    SVCSearchCV(method="loo", **GRID),
    SVCSearchCV(method="bootstrap", **GRID, resamples=5),
    SVCSearchCV(method="nested", **GRID, cv=3),
    SVCSearchCV(method="rademacher", rho=[100], gamma=[0.1], trials=2),
    SVCSearchCV(method="maximal_discrepancy", rho=[100], gamma=[0.1], trials=2),
]
# Every estimator of the package, as it is constructed without arguments.
DEFAULTS = [
    kind()
    for name in credence.__all__
    if isinstance(kind := getattr(credence, name), type) and issubclass(kind, BaseEstimator)
    if not name.startswith("Loaded")  # made by credence.load
    if kind is not credence.HonestSearchCV  # needs an estimator, as GridSearchCV does
]
CHECKED = [
    *DEFAULTS,
    SVC(cv=3),
    SVC(nu=0.1),
    *SEARCHES,
    credence.SplitConformalClassifier(LogisticRegression()),
    credence.SplitConformalRegressor(Ridge()),
    credence.HonestSearchCV(LogisticRegression(), {"C": [0.1, 1]}),
    credence.HonestSearchCV(Ridge(), {"alpha": [0.1, 1]}),
    credence.HonestSearchCV([LogisticRegression(), LogisticRegression(C=0.1)]),
]
FITTED = [
    SVC(C=2, cv=3),
    SVC(nu=0.1),
    SVC(kernel="linear"),
    *SEARCHES,
    credence.RVC(sigma=1.0),
    credence.RVC(sigma=1.0, cv=3),
    SearchCV(method="kernel_validity", model="rvm", sigma=[1.0]),
    credence.RVR(sigma=1.0, cv=3),
    RVRSearchCV(sigma=[1.0]),
]


def name_of(estimator):
    parameters = estimator.get_params(deep=False)
    words = [f"{name}={parameters.get(name)}" for name in ("method", "cv", "nu")]
    return f"{type(estimator).__name__}({', '.join(word for word in words if not word.endswith('=None'))})"


def rows_for(estimator, breast_cancer):
    if is_regressor(estimator):
        X, y = load_diabetes(return_X_y=True)
        return X[:80], y[:80]
    X, y = breast_cancer
    return X[:80], y[:80]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", CHECKED, ids=name_of)
def test_scikit_learns_checks(estimator):
    expected = expected_failed_checks(estimator)
    results = check_estimator(estimator, on_fail=None, on_skip=None, expected_failed_checks=expected)
    failed = {done["check_name"]: str(done["exception"])[:300] for done in results if done["status"] == "failed"}
    assert not failed
    assert len(results) > 45
    ran = {done["check_name"] for done in results} & set(expected)
    still_failing = {done["check_name"] for done in results if done["status"] == "xfail"}
    assert ran == still_failing, "an exception is no longer needed"


def test_all_kinds_of_estimators_are_checked_by_default():
    kinds = {type(one) for one in DEFAULTS}
    assert {type(one) for one in CHECKED} == kinds | {credence.HonestSearchCV}
    assert len(kinds) == len(DEFAULTS) == 12


def test_every_exception_belongs_to_an_estimator_that_is_checked():
    for (kind, word), checks in EXPECTED_FAILED_CHECKS.items():
        assert checks and all(len(reason) > 20 for reason in checks.values())
        assert any(type(one) is kind and expected_failed_checks(one).items() >= checks.items() for one in CHECKED), word


def test_plain_svc_has_no_exceptions():
    assert expected_failed_checks(SVC()) == {}


@pytest.mark.filterwarnings("ignore")
def test_weight_equivalence_holds_here_and_fails_in_scikit_learn():
    check_sample_weight_equivalence_on_dense_data("SVC", SVC())
    with pytest.raises(AssertionError):
        check_sample_weight_equivalence_on_dense_data("SVC", their_svm.SVC())


@pytest.mark.filterwarnings("ignore:the preprocessing")
@pytest.mark.parametrize("estimator", FITTED, ids=name_of)
def test_copies_of_a_fitted_estimator_predict_the_same(estimator, breast_cancer, tmp_path):
    X, y = rows_for(estimator, breast_cancer)
    fitted = clone(estimator).fit(X, y)
    joblib.dump(fitted, tmp_path / "fitted.joblib")
    copies = [pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), joblib.load(tmp_path / "fitted.joblib")]
    for one in copies:
        for method in ("predict", "decision_function", "predict_proba", "predict_p"):
            assert hasattr(one, method) == hasattr(fitted, method)
            if hasattr(fitted, method):
                try:
                    wanted = getattr(fitted, method)(X)
                except AttributeError:  # no p-values without folds
                    continue
                assert np.array_equal(getattr(one, method)(X), wanted), method
        for attribute in ("best_params_", "honest_error_", "n_features_in_", "n_splits_"):
            assert getattr(one, attribute, None) == getattr(fitted, attribute, None)


@pytest.mark.filterwarnings("ignore:the preprocessing")
@pytest.mark.parametrize("estimator", FITTED, ids=name_of)
def test_clones_forget_the_fit_and_keep_the_parameters(estimator, breast_cancer):
    X, y = rows_for(estimator, breast_cancer)
    fitted = clone(estimator).fit(X, y)
    again = clone(fitted)
    assert again.get_params() == estimator.get_params()
    assert not hasattr(again, "predictor_")
    assert np.array_equal(again.fit(X, y).predict(X), fitted.predict(X))


def test_set_params(breast_cancer):
    X, y = breast_cancer
    machine = SVC().set_params(C=100, gamma=0.01).fit(X, y)
    assert machine.get_params()["C"] == 100
    assert np.array_equal(machine.decision_function(X), SVC(C=100, gamma=0.01).fit(X, y).decision_function(X))
    with pytest.raises(ValueError, match="bogus"):
        SVC().set_params(bogus=1)
    with pytest.raises(TypeError, match="bogus"):
        SVC(bogus=1)


@pytest.mark.parametrize("estimator", CHECKED, ids=name_of)
def test_representations(estimator):
    assert type(estimator).__name__ in repr(estimator)
    with sklearn.config_context(display="diagram"):
        assert type(estimator).__name__ in estimator._repr_html_()


def test_a_fitted_search_shows_itself_in_a_notebook(breast_cancer):
    X, y = breast_cancer
    search = SVCSearchCV(**GRID, cv=3).fit(X[:100], y[:100])
    assert "SVCSearchCV" in search._repr_html_()
    assert "fitted" in search._repr_html_()


def test_types_of_estimators():
    assert is_classifier(SVC()) and is_classifier(SVCSearchCV()) and is_classifier(credence.RVC())
    assert is_regressor(credence.RVR()) and is_regressor(RVRSearchCV())


def test_pipeline_with_a_transformer(breast_cancer):
    X, y = breast_cancer
    pipeline = make_pipeline(PowerTransformer(), SVC(C=10, gamma=0.01, cv=3))
    pipeline.fit(X[::2], y[::2])
    by_hand = PowerTransformer().fit(X[::2])
    machine = SVC(C=10, gamma=0.01, cv=3).fit(by_hand.transform(X[::2]), y[::2])
    assert np.array_equal(pipeline.predict(X[1::2]), machine.predict(by_hand.transform(X[1::2])))
    assert pipeline.predict_proba(X[1::2]).shape == (len(X[1::2]), 2)
    assert pipeline.score(X[1::2], y[1::2]) > 0.95


def test_cross_val_score_and_cross_validate(breast_cancer):
    X, y = breast_cancer
    scores = cross_val_score(SVC(C=10, gamma=0.01), X, y, cv=4)
    assert scores.shape == (4,) and scores.min() > 0.93
    scores = ["roc_auc", "neg_log_loss"]
    found = cross_validate(SVCSearchCV(**GRID, cv=3), X, y, cv=3, scoring=scores, return_estimator=True)
    assert found["test_roc_auc"].min() > 0.9
    assert len({id(one) for one in found["estimator"]}) == 3
    assert cross_val_score(credence.RVR(sigma=1.0), *rows_for(credence.RVR(), breast_cancer), cv=3).shape == (3,)


def test_cross_val_predict_with_probabilities(breast_cancer):
    X, y = breast_cancer
    proba = cross_val_predict(SVC(C=10, gamma=0.01, cv=3), X, y, cv=3, method="predict_proba")
    assert proba.shape == (len(y), 2)
    assert np.allclose(proba.sum(axis=1), 1)


def test_scikit_learns_grid_search_around_our_machine(breast_cancer):
    X, y = breast_cancer
    theirs = GridSearchCV(SVC(tol=1e-9), {"C": [1, 10], "gamma": [0.01, 0.1]}, cv=3).fit(X, y)
    splits = check_cv(3, y, classifier=True)
    ours = SVCSearchCV(tol=1e-9, C=[1, 10], gamma=[0.01, 0.1], cv=splits).fit(X, y)
    assert ours.best_params_ == theirs.best_params_


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        (credence.SplitConformalClassifier, LogisticRegression(solver="newton-cholesky")),
        (credence.SplitConformalRegressor, Ridge()),
    ],
)
def test_a_frozen_estimator_is_one_that_is_fitted(kind, model, breast_cancer):
    """Oracle: prefit=True."""
    X, y = breast_cancer[0], (breast_cancer[1] == "benign").astype(int)
    fitted = model.fit(X[::2], y[::2])
    wanted = kind(fitted, prefit=True).conformalize(X[1::4], y[1::4])
    frozen = kind(FrozenEstimator(fitted)).conformalize(X[1::4], y[1::4])
    assert frozen.estimator_.estimator is fitted
    p_values = [
        one.predict_p(X[3::4], *([y[3::4]] if kind is credence.SplitConformalRegressor else []))
        for one in (wanted, frozen)
    ]
    assert np.array_equal(*p_values)


@pytest.mark.parametrize("machine", [credence.SplitConformalClassifier, credence.SplitConformalRegressor])
def test_metadata_routing_through_conformal_predictors(machine, breast_cancer):
    X, y = breast_cancer[0], (breast_cancer[1] == "benign").astype(int)
    weight, groups = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0), np.arange(len(y)) // 3
    model = LogisticRegression(solver="newton-cholesky") if machine is credence.SplitConformalClassifier else Ridge()
    direct = machine(model).fit(X, y, groups=groups, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = machine(clone(model).set_fit_request(sample_weight=True)).set_fit_request(groups=True)
        found = asked.fit(X, y, groups=groups, sample_weight=weight)
        piped = make_pipeline(FunctionTransformer(), asked)
        piped.fit(X, y, groups=groups, sample_weight=weight)
        renamed = machine(clone(model).set_fit_request(sample_weight="cost")).fit(X, y, groups=groups, cost=weight)
        with pytest.raises(Exception, match="sample_weight"):
            machine(model).fit(X, y, sample_weight=weight)
    for one in (found, piped[-1], renamed):
        assert np.array_equal(one.estimator_.coef_, direct.estimator_.coef_)
        assert one.n_calibration_ == direct.n_calibration_
    plain = machine(model).fit(X, y, groups=groups)
    assert not np.array_equal(plain.estimator_.coef_, direct.estimator_.coef_)


@pytest.mark.filterwarnings("ignore:what is kept")
def test_metadata_routing_of_weights_and_groups(breast_cancer):
    X, y = breast_cancer
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0)
    groups = np.arange(len(y)) // 20
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = make_pipeline(PowerTransformer(), SVC(C=10, gamma=0.01).set_fit_request(sample_weight=True))
        weighted.fit(X, y, sample_weight=weight)
        plain = SVC(C=10, gamma=0.01).fit(PowerTransformer().fit(X).transform(X), y, sample_weight=weight)
        assert np.array_equal(weighted[-1].support_, plain.support_)

        search = SVCSearchCV(C=[1, 10], gamma=[0.01], cv=GroupKFold(3)).set_fit_request(groups=True, sample_weight=True)
        routed = make_pipeline(PowerTransformer(), search).fit(X, y, groups=groups, sample_weight=weight)[-1]
        transformed = PowerTransformer().fit(X).transform(X)
        direct = SVCSearchCV(C=[1, 10], gamma=[0.01], cv=GroupKFold(3)).fit(transformed, y, weight, groups)
        assert np.array_equal(routed.cv_results_["mean_test_score"], direct.cv_results_["mean_test_score"])

        machine = SVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_val_score(machine, X, y, cv=3, params={"sample_weight": weight})
        assert found.shape == (3,)
        with pytest.raises(Exception, match="sample_weight"):
            make_pipeline(PowerTransformer(), SVC()).fit(X, y, sample_weight=weight)
