import numpy as np
import pytest
from credence import RVC, RVR, RVRSearchCV, SearchCV, _core
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel


@pytest.fixture(scope="module")
def sinc():
    rng = np.random.default_rng(0)
    x = np.linspace(-10, 10, 120).reshape(-1, 1)
    truth = np.sinc(x.ravel() / np.pi)
    return x, truth, truth + rng.normal(0, 0.1, len(x))


def test_regression_finds_the_noise_and_few_kernels(sinc):
    x, truth, y = sinc
    machine = RVR(sigma=1.6, scale="none").fit(x, y)
    assert machine.noise_ == pytest.approx(0.1, rel=0.25)
    assert 2 <= len(machine.relevance_) <= 20
    assert np.abs(machine.predict(x) - truth).max() < 0.15
    assert np.array_equal(machine.relevance_vectors_, x[machine.relevance_])


def test_regression_in_other_units(sinc):
    x, _, y = sinc
    machine, larger = RVR(sigma=1.6, scale="none").fit(x, y), RVR(sigma=1.6, scale="none").fit(x, 1000 * y)
    assert larger.noise_ == pytest.approx(1000 * machine.noise_, rel=0.1)
    assert np.allclose(larger.predict(x), 1000 * machine.predict(x), atol=30)


def test_prediction_is_the_sum_of_kernels(sinc):
    x, _, y = sinc
    machine = RVR(sigma=2.0, scale="none").fit(x, y)
    (parts,) = machine.rvms_
    kernels = rbf_kernel(x, machine.relevance_vectors_, gamma=1 / 8)
    assert np.allclose(kernels[:, parts["centres"]] @ parts["weights"] + parts["bias"], machine.predict(x), atol=1e-8)


def test_weights_are_the_posterior_mean_by_hand(sinc):
    x, _, y = sinc
    machine = RVR(sigma=2.0, scale="none").fit(x, y)
    mean, std = machine.predict(x, return_std=True)
    assert (std >= machine.noise_ * (1 - 1e-9)).all()
    assert np.abs((y - mean) / std).std() < 1.5
    far = machine.predict([[100.0]], return_std=True)[1]
    assert far >= machine.noise_ * (1 - 1e-9)


def test_standard_deviations_cover(sinc):
    x, _, y = sinc
    mean, std = RVR(sigma=1.6, scale="none").fit(x[::2], y[::2]).predict(x[1::2], return_std=True)
    inside = np.abs(y[1::2] - mean) < 1.96 * std
    assert 0.85 <= inside.mean() <= 1


def test_fixed_noise(sinc):
    x, _, y = sinc
    assert RVR(sigma=1.6, scale="none", noise=0.2).fit(x, y).noise_ == pytest.approx(0.2)
    assert RVR(sigma=1.6, scale="none", noise_variance=0.09).fit(x, y).noise_ == pytest.approx(0.3)


def test_intervals_need_rows_left_out_and_cover(sinc):
    x, _, y = sinc
    machine = RVR(sigma=1.6, scale="none", cv=5).fit(x[::2], y[::2])
    ends = machine.predict_interval(x[1::2], 0.9)
    assert ends.shape == (60, 2)
    assert ((ends[:, 0] <= y[1::2]) & (y[1::2] <= ends[:, 1])).mean() > 0.8
    wide = machine.predict_interval(x[1::2], 0.95)
    assert (wide[:, 0] <= ends[:, 0]).all() and (wide[:, 1] >= ends[:, 1]).all()
    with pytest.raises(AttributeError, match="cv=5"):
        RVR(sigma=1.6).fit(x, y).predict_interval(x)


def test_intervals_are_those_of_the_machines_of_the_folds(sinc):
    x, _, y = sinc
    n = len(y[::2])
    machine = RVR(sigma=1.6, scale="none", cv=5).fit(x[::2], y[::2])
    folds = _core.folds_of_groups(np.arange(n, dtype=np.int32), n, 5, 0)
    lower, upper = [], []
    for fold in range(5):
        part = RVR(sigma=1.6, scale="none").fit(x[::2][folds != fold], y[::2][folds != fold])
        residuals = np.abs(y[::2][folds == fold] - part.predict(x[::2][folds == fold]))
        lower.append(part.predict(x[1::2])[:, None] - residuals)
        upper.append(part.predict(x[1::2])[:, None] + residuals)
    count = int(0.1 * (n + 1))
    ends = machine.predict_interval(x[1::2], 0.9)
    np.testing.assert_allclose(ends[:, 0], np.sort(np.hstack(lower))[:, count - 1], atol=1e-6)
    np.testing.assert_allclose(ends[:, 1], np.sort(np.hstack(upper))[:, -count], atol=1e-6)


def test_probabilities_are_the_logistic_function_of_the_decision(breast_cancer):
    X, y = breast_cancer
    machine = RVC(sigma=1.0).fit(X[:150], y[:150])
    decision = machine.decision_function(X[150:])
    assert np.allclose(machine.predict_proba(X[150:])[:, 1], 1 / (1 + np.exp(-decision)), atol=1e-9)
    moderated = machine.predict_proba_moderated(X[150:])[:, 1]
    plain = machine.predict_proba(X[150:])[:, 1]
    assert (np.abs(moderated - 0.5) <= np.abs(plain - 0.5) + 1e-9).all()
    assert len(machine.relevance_) < 30
    assert machine.score(X[150:], y[150:]) > 0.9


def test_one_machine_for_each_class():
    X, y = load_iris(return_X_y=True)
    machine = RVC(sigma=1.0).fit(X, y)
    assert len(machine.rvms_) == 3
    assert machine.decision_function(X).shape == (150, 3)
    assert machine.log_evidence_ == pytest.approx(sum(one["log_evidence"] for one in machine.rvms_))
    assert machine.score(X, y) > 0.93


def test_p_values_of_a_machine_with_folds(breast_cancer):
    X, y = breast_cancer
    machine = RVC(sigma=1.0, cv=3).fit(X[:150], y[:150])
    p = machine.predict_p(X[150:])
    assert ((p > 0) & (p <= 1)).all()
    true = p[np.arange(len(p)), np.searchsorted(machine.classes_, y[150:])]
    assert (true <= 0.1).mean() < 0.17
    with pytest.raises(AttributeError, match="cv=5"):
        RVC(sigma=1.0).fit(X[:100], y[:100]).predict_p(X[:5])


@pytest.mark.parametrize("method", ["kernel_validity", "evidence"])
def test_search_takes_the_largest_index(breast_cancer, method):
    X, y = breast_cancer
    search = SearchCV(model="rvm", method=method, sigma=[0.3, 1.0, 3.0]).fit(X[:120], y[:120])
    scores = search.cv_results_["mean_test_score"]
    assert search.best_index_ == scores.argmax()
    assert search.best_score_ == scores.max()
    assert len(search.selection_) == 3
    if method == "evidence":
        each = [
            RVC(gamma=setting["gamma"]).fit(X[:120], y[:120]).log_evidence_ for setting in search.cv_results_["params"]
        ]
        assert np.allclose(scores, each, rtol=1e-6)


def test_search_hands_over_the_machine_of_the_chosen_kernel(breast_cancer):
    X, y = breast_cancer
    search = SearchCV(method="kernel_validity", model="rvm", sigma=[0.3, 1.0]).fit(X[:120], y[:120])
    machine = RVC(gamma=search.best_params_["gamma"]).fit(X[:120], y[:120])
    assert np.array_equal(search.predict(X), machine.predict(X))
    assert np.allclose(search.predict_proba(X), machine.predict_proba(X), atol=1e-6)


def test_search_of_a_regression(sinc):
    x, truth, y = sinc
    search = RVRSearchCV(sigma=[0.2, 1.6, 20.0], scale="none").fit(x, y)
    assert search.best_params_["gamma"] == pytest.approx(1 / (2 * 1.6**2))
    assert np.abs(search.predict(x) - truth).max() < 0.2
    by_cv = RVRSearchCV(method="cv", sigma=[0.2, 1.6, 20.0], scale="none", cv=4).fit(x, y)
    assert by_cv.best_params_["gamma"] == search.best_params_["gamma"]
    assert by_cv.n_splits_ == 4
