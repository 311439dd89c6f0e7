"""The default of SearchCV: settings of two kernels and two scalings, of which the best, at most ten, are averaged."""

import pickle

import credence
import numpy as np
import pytest
from credence import SearchCV, SVCSearchCV
from scipy.stats import norm, rankdata
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

KERNELS = {"rbf": rbf_kernel, "laplacian": laplacian_kernel}
MEDIANS = "median*2^-5,median*2^-3,median*2^-1.5,median,median*2^1.5,median*2^3"
SETTINGS = {
    "kernel": ["rbf", "laplacian"],
    "scale": ["standard", "quantile"],
    "gamma": MEDIANS,
    "C": "2^-5,2^-2,1,4,32,512",
    "rule": "average",
}
LIBSVM = {"kernel": "rbf", "scale": "standard", "gamma": "2^-15:2^3:x4", "C": "2^-5:2^15:x4", "rule": "best"}


@pytest.fixture(scope="module")
def halves(breast_cancer):
    """Return rows that train, with their classes, and new rows."""
    X, y = breast_cancer
    return X[::3, :4], y[::3], X[1::3, :4]


@pytest.fixture(scope="module")
def search(halves):
    X, y, _ = halves
    return SearchCV(tol=1e-8).fit(X, y)


def normal_scores(known, rows):
    """Return the normal scores of ranks among the known rows, linear between known values."""
    columns = []
    for column, values in zip(known.T, rows.T, strict=True):
        places, first = np.unique(column, return_index=True)
        columns.append(np.interp(values, places, norm.ppf((rankdata(column) - 0.5) / len(column))[first]))
    return np.array(columns).T


def scaled(scale, known, rows):
    if scale == "quantile":
        known, rows = normal_scores(known, known), normal_scores(known, rows)
    scaler = StandardScaler().fit(known)
    return scaler.transform(known), scaler.transform(rows)


def test_every_setting_of_each_kernel_and_scaling_once(search):
    results = search.cv_results_
    names = [(one["kernel"], one["scale"]) for one in results["params"]]
    assert len(names) == 144 and len({(*name, one["gamma"]) for name, one in zip(names, results["params"])}) == 24
    for kernel in KERNELS:
        for scale in ("standard", "quantile"):
            assert names.count((kernel, scale)) == 36
    for name in ("kernel", "scale", "C", "gamma"):
        column = results[f"param_{name}"]
        assert isinstance(column, np.ma.MaskedArray) and not column.mask.any()
        assert column.dtype == (object if name in ("kernel", "scale") else float)
        assert column.tolist() == [one[name] for one in results["params"]]


def test_gammas_are_multiples_of_those_of_the_median_distance(search, halves):
    X, _, _ = halves
    for scale in ("standard", "quantile"):
        rows, _ = scaled(scale, X, X)
        apart = np.triu_indices(len(rows), 1)
        for kernel, power in (("rbf", 2), ("laplacian", 1)):
            differences = np.abs(rows[:, None] - rows[None]) ** power
            median = np.median(differences.sum(axis=2)[apart])
            of_both = [one for one in search.cv_results_["params"] if (one["kernel"], one["scale"]) == (kernel, scale)]
            wanted = np.repeat(2.0 ** np.array([-5, -3, -1.5, 0, 1.5, 3]), 6) / median
            assert np.allclose([one["gamma"] for one in of_both], wanted, rtol=0.02)  # a sample of pairs


def test_members_are_the_ten_best_within_one_standard_error(search):
    results = search.cv_results_
    error = 1 - results["mean_test_score"]
    folds = np.array([results[f"split{k}_test_score"] for k in range(10)])
    at_best = folds[:, search.best_index_]
    limit = error.min() + at_best.std(ddof=1) / np.sqrt(10)
    near = np.flatnonzero(error <= limit + 1e-12)
    assert len(near) > 10
    params = results["params"]
    first = {(one["kernel"], one["scale"]): place for place, one in reversed(list(enumerate(params)))}

    def order(k):  # of equal errors the most regularised setting, then the first kernel and scaling
        return round(error[k], 12), params[k]["C"], first[params[k]["kernel"], params[k]["scale"]], params[k]["gamma"]

    assert search.members_.tolist() == sorted(sorted(near, key=order)[:10])
    assert search.members_.tolist() == search.result_["average"]["members"]
    assert search.best_index_ == min(near, key=order)
    assert search.best_params_ == params[search.best_index_]
    assert search.best_score_ == results["mean_test_score"][search.best_index_]
    assert len({(params[k]["kernel"], params[k]["scale"]) for k in search.members_}) > 1


def test_the_average_is_the_mean_of_scikit_learns_machines(search, halves):
    X, y, new = halves
    mean, largest = np.zeros(len(new)), 0.0
    for member in search.members_:
        setting = search.cv_results_["params"][member]
        known, rows = scaled(setting["scale"], X, new)
        kernel = KERNELS[setting["kernel"]]
        machine = SVC(C=setting["C"], kernel="precomputed", tol=1e-8).fit(kernel(known, known, setting["gamma"]), y)
        scores = machine.decision_function(kernel(rows, known, setting["gamma"]))
        mean += np.clip(scores, -3, 3) / len(search.members_)
        largest = max(largest, abs(scores).max())
    assert largest > 4
    assert np.allclose(search.decision_function(new), mean, atol=1e-3)  # kernels are floats, and C goes up to 512
    assert np.array_equal(search.predict(new), search.classes_[(mean > 0).astype(int)])


def test_decision_values_of_three_classes_are_mean_scores():
    X, y = load_wine(return_X_y=True)
    search = SearchCV(C=[0.25, 1, 4], cv=3).fit(X[::2], y[::2])
    scores = search.decision_function(X)
    assert scores.shape == (len(y), 3) and abs(scores).max() <= 3
    assert np.array_equal(scores.argmax(axis=1), search.predict(X))
    clipped = [
        np.clip(scores_of_classes(search, setting, X[::2], y[::2], X), -3, 3)
        for setting in (search.cv_results_["params"][k] for k in search.members_)
    ]
    assert np.allclose(scores, np.mean(clipped, axis=0), atol=1e-2)


def scores_of_classes(search, setting, X, y, new):
    """Return for each class the least that its machines against the other classes say."""
    known, rows = scaled(setting["scale"], X, new)
    kernel = KERNELS[setting["kernel"]]
    machine = SVC(C=setting["C"], kernel="precomputed", tol=1e-8, decision_function_shape="ovo")
    machine.fit(kernel(known, known, setting["gamma"]), y)
    pairs = machine.decision_function(kernel(rows, known, setting["gamma"]))
    least = np.full((len(new), 3), np.inf)
    for k, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        least[:, first] = np.minimum(least[:, first], pairs[:, k])
        least[:, second] = np.minimum(least[:, second], -pairs[:, k])
    return least


@pytest.mark.parametrize("rule", ["average", "best"])
def test_what_is_given_is_what_stands_for_nothing_given(halves, search, rule):
    X, y, new = halves
    given = SearchCV(**{**SETTINGS, "rule": rule}, tol=1e-8).fit(X, y)
    assert given.cv_results_["params"] == search.cv_results_["params"]
    assert given.best_params_ == search.best_params_
    if rule == "average":
        assert np.array_equal(given.decision_function(new), search.decision_function(new))
        return
    assert given.members_.tolist() == [given.best_index_]
    assert given.best_estimator_.get_params().items() >= given.best_params_.items()
    assert np.array_equal(given.best_estimator_.predict(new), given.predict(new))
    alone = credence.SVC(**given.best_params_, tol=1e-8).fit(X, y)
    assert np.array_equal(alone.decision_function(new), given.decision_function(new))


@pytest.mark.parametrize(
    ("kernel", "scale"),
    [("rbf,laplacian", "standard"), (("rbf", "laplacian"), ["standard"]), (np.array(["rbf", "laplacian"]), "standard")],
    ids=["text", "tuple", "array"],
)
def test_words_and_lists_of_kernels_and_scalings(halves, kernel, scale):
    X, y, _ = halves
    found = SearchCV(kernel=kernel, scale=scale, gamma=[0.01, 0.1], C=[1, 10], cv=3).fit(X, y)
    names = [(one["kernel"], one["scale"]) for one in found.cv_results_["params"]]
    assert names == [("rbf", "standard")] * 4 + [("laplacian", "standard")] * 4
    assert found.result_["options"]["rule"] == "average"
    assert clone(found).get_params()["kernel"] is not None


def test_one_kernel_and_scaling_are_named_too(halves):
    X, y, _ = halves
    found = SearchCV(kernel="laplacian", scale="minmax", C=[1, 10], cv=3).fit(X, y)
    assert set(found.cv_results_["param_kernel"]) == {"laplacian"}
    assert set(found.cv_results_["param_scale"]) == {"minmax"}
    assert set(found.best_params_) == {"kernel", "scale", "C", "gamma"}
    by_gamma = SearchCV(gamma=[0.01, 0.1], C=[1, 10], cv=3).fit(X, y)
    assert set(by_gamma.cv_results_["param_kernel"]) == {"rbf"}
    assert set(by_gamma.cv_results_["param_scale"]) == {"standard", "quantile"}
    one = SearchCV(gamma=0.01, C=10, cv=3).fit(X, y)
    assert one.members_.tolist() == [0] and one.best_estimator_.kernel == "rbf"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kernel": ["rbf", "cosine"]}, "^kernel: unknown kernel 'cosine'; allowed are rbf, linear"),
        ({"scale": "standard,ranks"}, "^scale: 'ranks' is not one of standard, minmax"),
        ({"kernel": ["rbf", 3]}, "^kernel: "),
        ({"method": "nonconformity", "scale": ["standard", "quantile"]}, "several kernels or scalings"),
        ({"method": "holdout", "model": "knn", "scale": ["standard", "quantile"]}, "several kernels or scalings"),
    ],
    ids=str,
)
def test_words_that_are_none_are_refused(halves, options, sentence):
    X, y, _ = halves
    with pytest.raises(ValueError, match=sentence):
        SearchCV(**options).fit(X, y)


def test_an_average_has_no_best_estimator_and_says_what_has(search):
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(AttributeError, match=r"average of 10 settings.*no best_estimator_.*rule='best'.*SVCSearchCV"):
        search.best_estimator_  # noqa: B018


def test_pickles_and_clones(search, halves, tmp_path):
    X, y, new = halves
    copied = pickle.loads(pickle.dumps(search))
    assert np.array_equal(copied.predict_p(new), search.predict_p(new))
    assert np.array_equal(copied.members_, search.members_) and copied.best_params_ == search.best_params_
    assert not hasattr(clone(search), "members_")
    again = clone(search).fit(X, y)
    assert np.array_equal(again.predict_p(new), search.predict_p(new))
    search.save(tmp_path / "model.credence")
    loaded = credence.load(tmp_path / "model.credence")
    assert np.array_equal(loaded.predict_p(new), search.predict_p(new))
    best = search.__class__(rule="best", cv=3, C=[1, 10]).fit(X, y)
    assert best.set_params(rule=None).fit(X, y).members_.size > 1 and not hasattr(best, "best_estimator_")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_have_kernel_and_scale(search, library, monkeypatch):
    nw = pytest.importorskip("narwhals")
    pytest.importorskip(library)
    if library == "polars":
        monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    frame = nw.from_native(search.selection_, eager_only=True)
    for name in ("kernel", "scale", "C", "gamma"):
        wanted = [one[name] for one in search.cv_results_["params"]]
        assert frame[f"param_{name}"].to_list() == wanted


def test_one_svm_is_that_of_libsvms_grid(halves):
    X, y, new = halves
    one, given = SVCSearchCV().fit(X, y), SearchCV(**LIBSVM).fit(X, y)
    assert len(one.cv_results_["params"]) == 110
    assert one.best_index_ == given.best_index_ and one.members_.tolist() == [one.best_index_]
    assert one.best_params_ == {name: given.best_params_[name] for name in ("C", "gamma")}
    assert "param_kernel" not in one.cv_results_ and "param_kernel" in given.cv_results_
    assert np.array_equal(one.decision_function(new), given.decision_function(new))
    assert (one.best_estimator_.kernel, one.best_estimator_.scale) == ("rbf", "standard")
    assert one.result_["options"] == given.result_["options"]


def test_one_svm_of_several_kernels_names_its_own(halves):
    X, y, new = halves
    found = SVCSearchCV(kernel=["linear", "rbf"], scale=["minmax", "standard"], C=[1, 10], gamma=[0.01], cv=3).fit(X, y)
    assert set(found.best_params_) == {"kernel", "scale", "C", "gamma"}
    assert found.best_estimator_.kernel == found.best_params_["kernel"]
    assert np.array_equal(found.best_estimator_.predict(new), found.predict(new))
    of_scalings = SVCSearchCV(scale=["minmax", "standard"], C=[1, 10], gamma=[0.01], cv=3).fit(X, y)
    assert set(of_scalings.best_params_) == {"scale", "C", "gamma"}


def test_compared_cv_is_the_default_of_the_search(halves):
    X, y, _ = halves
    rows = {
        "cv": {},
        "given": {"method": "cv", **SETTINGS},
        "cv+best": {"method": "cv", "rule": "best"},
        "one svm": {"method": "cv", **LIBSVM},
    }
    found = credence.compare(X, y, rows, outer_folds=2, cv=4)
    default, given, best, one = ([fold["errors"] for fold in method["folds"]] for method in found["methods"])
    assert default == given
    for k, options in enumerate(({}, SETTINGS, {"rule": "best"}, LIBSVM)):
        chosen = found["methods"][k]["folds"][0]["chosen"]
        assert set(chosen) >= {"kernel", "scale", "C", "gamma"}
        assert found["methods"][k]["options"]["rule"] == options.get("rule", "average")
    assert len(best) == len(one) == 2
