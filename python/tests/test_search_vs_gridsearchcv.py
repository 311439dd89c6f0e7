import pickle
import time

import numpy as np
import pytest
from credence import SVC, CredenceWarning, CrossConformalClassifier, SVCSearchCV
from scipy import stats
from sklearn import svm as their_svm
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.001, 0.01, 0.1]}
SCORES = ["accuracy", "balanced_accuracy", "roc_auc", "f1", "f1_macro"]
SPLITTER = StratifiedKFold(4, shuffle=True, random_state=1)


def their_search(cv, scoring="accuracy", positive=None, **options):
    if scoring == "f1":
        scoring = make_scorer(f1_score, pos_label=positive)
    grid = {f"svc__{name}": values for name, values in GRID.items()}
    pipeline = make_pipeline(StandardScaler(), their_svm.SVC(tol=1e-9))
    return GridSearchCV(pipeline, grid, cv=cv, scoring=scoring, **options)


def our_search(cv, scoring=None, **options):
    return SVCSearchCV(**{**GRID, **options}, cv=cv, scoring=scoring, tol=1e-9)


def settings(search):
    """Return the places of the settings in one order: by C, then by gamma."""
    where = {
        tuple(sorted((name.removeprefix("svc__"), float(value)) for name, value in setting.items())): i
        for i, setting in enumerate(search.cv_results_["params"])
    }
    return [where[key] for key in sorted(where)]


def splits(search):
    columns = [search.cv_results_[f"split{i}_test_score"] for i in range(search.n_splits_)]
    return np.array(columns)[:, settings(search)]


def column(search, name):
    return np.asarray(search.cv_results_[name])[settings(search)]


def pooled_f1(search, X, y, average):
    """Return the F1 of the out-of-fold predictions of all folds together, for each setting."""
    found = []
    for i in settings(search):
        said = cross_val_predict(
            clone(search.estimator).set_params(**search.cv_results_["params"][i]), X, y, cv=SPLITTER
        )
        labels = {"pos_label": "malignant"} if average == "binary" else {}
        found.append(f1_score(y, said, average=average, **labels))
    return np.array(found)


@pytest.fixture(scope="module", params=["all rows", "imbalanced"])
def rows(request, breast_cancer, imbalanced):
    """Return rows whose classes divide by 4, so that the means over rows and over folds agree."""
    if request.param == "imbalanced":
        return imbalanced
    X, y = breast_cancer
    first_benign = np.flatnonzero(y == "benign")[0]
    keep = np.arange(len(y)) != first_benign
    return X[keep], y[keep]


@pytest.mark.parametrize("scoring", SCORES)
def test_every_score_of_every_setting(rows, scoring):
    X, y = rows
    ours = our_search(SPLITTER, scoring).fit(X, y)
    theirs = their_search(SPLITTER, scoring, positive="malignant").fit(X, y)
    assert ours.n_splits_ == theirs.n_splits_ == 4
    assert np.allclose(splits(ours), splits(theirs), atol=1e-12)
    assert np.allclose(column(ours, "std_test_score"), column(theirs, "std_test_score"), atol=1e-12)
    mean = column(theirs, "mean_test_score")
    if scoring.startswith("f1"):  # of all predictions together, which is no mean over folds
        mean = pooled_f1(theirs, X, y, "binary" if scoring == "f1" else "macro")
    assert np.allclose(column(ours, "mean_test_score"), mean, atol=1e-12)
    mean = mean.round(10)
    assert np.array_equal(column(ours, "rank_test_score"), [1 + (mean > value).sum() for value in mean])
    assert ours.best_score_ == pytest.approx(mean.max(), abs=1e-9)
    assert ours.cv_results_["rank_test_score"][ours.best_index_] == 1
    assert ours.cv_results_["params"][ours.best_index_] == ours.best_params_
    if not scoring.startswith("f1") and (column(theirs, "rank_test_score") == 1).sum() == 1:
        assert ours.best_params_ == {name.removeprefix("svc__"): value for name, value in theirs.best_params_.items()}


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_refitted_machine_predicts_the_same(rows, scoring):
    X, y = rows
    ours = our_search(SPLITTER, scoring).fit(X[::2], y[::2])
    best = {f"svc__{name}": value for name, value in ours.best_params_.items()}
    theirs = make_pipeline(StandardScaler(), their_svm.SVC(tol=1e-9)).set_params(**best).fit(X[::2], y[::2])
    assert np.array_equal(ours.predict(X[1::2]), theirs.predict(X[1::2]))
    assert np.allclose(ours.decision_function(X[1::2]), theirs.decision_function(X[1::2]), atol=3e-5)
    for method in ("predict", "decision_function", "predict_proba"):
        assert np.array_equal(getattr(ours.best_estimator_, method)(X), getattr(ours, method)(X))


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1_macro"])
def test_three_classes(scoring):
    X, y = load_wine(return_X_y=True)
    ours, theirs = our_search(SPLITTER, scoring).fit(X, y), their_search(SPLITTER, scoring).fit(X, y)
    assert np.allclose(splits(ours), splits(theirs), atol=1e-12)


SPLITTERS = {
    "KFold": KFold(3, shuffle=True, random_state=0),
    "StratifiedKFold": StratifiedKFold(5),
    "ShuffleSplit": ShuffleSplit(6, test_size=0.2, random_state=0),
    "RepeatedStratifiedKFold": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
}


@pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS)
def test_splitters_and_means_over_rows(breast_cancer, splitter):
    X, y = breast_cancer
    ours, theirs = our_search(splitter).fit(X, y), their_search(splitter).fit(X, y)
    assert np.allclose(splits(ours), splits(theirs), atol=1e-12)
    rows_of_splits = [len(test) for _, test in splitter.split(X, y)]
    by_rows = np.average(splits(theirs), axis=0, weights=rows_of_splits)
    assert np.allclose(column(ours, "mean_test_score"), by_rows, atol=1e-12)
    assert ours.best_score_ == pytest.approx(by_rows.max(), abs=1e-12)


def test_an_iterable_of_pairs(breast_cancer):
    X, y = breast_cancer
    pairs = list(KFold(3, shuffle=True, random_state=0).split(X, y))
    pairs[0] = (pairs[0][0][:100], pairs[0][1][:50])
    ours, theirs = our_search(pairs).fit(X, y), their_search(pairs).fit(X, y)
    assert np.allclose(splits(ours), splits(theirs), atol=1e-12)
    assert np.array_equal(splits(our_search(iter(pairs)).fit(X, y)), splits(ours))


@pytest.mark.filterwarnings("ignore:what is kept")
@pytest.mark.parametrize("splitter", [GroupKFold(4), StratifiedGroupKFold(4)], ids=["plain", "stratified"])
def test_groups_given_to_a_splitter(breast_cancer, splitter):
    X, y = breast_cancer
    groups = np.arange(len(y)) // 7
    ours = our_search(splitter).fit(X, y, groups=groups)
    theirs = their_search(splitter).fit(X, y, groups=groups)
    assert np.allclose(splits(ours), splits(theirs), atol=1e-12)


@pytest.mark.filterwarnings("ignore:what is kept")
def test_groups_with_a_number_of_folds(breast_cancer):
    X, y = breast_cancer
    copies = np.concatenate([X, X]), np.concatenate([y, y])
    grid = {"C": [100.0], "gamma": [10.0]}
    leaking = SVCSearchCV(**grid, cv=4, copies="keep").fit(*copies)
    honest = SVCSearchCV(**grid, cv=4).fit(*copies, groups=np.tile(np.arange(len(y)), 2))
    assert leaking.best_score_ > honest.best_score_ + 0.1


def test_a_number_of_folds(breast_cancer):
    X, y = breast_cancer
    first, again, other = (our_search(5, random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert first.n_splits_ == 5
    assert np.array_equal(splits(first), splits(again))
    assert not np.array_equal(splits(first), splits(other))
    assert our_search(None).fit(X, y).n_splits_ == 10


@pytest.mark.parametrize("scoring", [make_scorer(f1_score), ["accuracy", "f1"], {"a": "f1"}])
def test_other_scorers_are_refused_by_name(breast_cancer, scoring):
    X, y = breast_cancer
    with pytest.raises(ValueError, match=r"^scoring: .* no"):
        SVCSearchCV(**GRID, scoring=scoring).fit(X, y)
    for name in ("recall", "average_precision"):
        with pytest.raises(ValueError, match=f"^scoring: '{name}' is not one of accuracy, balanced_accuracy, roc_auc"):
            SVCSearchCV(**GRID, scoring=name).fit(X, y)


@pytest.mark.parametrize("scoring", ["roc_auc", "f1", "log_loss"])
def test_scores_of_two_classes_are_refused_for_three(scoring):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="two classes, and the data have 3"):
        SVCSearchCV(**GRID, scoring=scoring).fit(X, y)


def test_log_loss_is_a_negative_mean(breast_cancer):
    X, y = breast_cancer
    search = our_search(SPLITTER, "log_loss").fit(X, y)
    mean = search.cv_results_["mean_test_score"]
    assert (mean < 0).all() and search.best_score_ == mean.max() > -0.2
    assert search.scorer_(search, X, y) == pytest.approx(-search.honest_error_, abs=0.1)


def test_log_loss_of_rows_of_one_class_vs_its_formula(breast_cancer):
    X, y = breast_cancer
    search = our_search(SPLITTER, "log_loss").fit(X, y)
    rows = X[y == "malignant"][:20]
    expected = np.log(search.predict_proba(rows)[:, 1]).mean()
    assert search.score(rows, ["malignant"] * 20) == pytest.approx(expected)


def test_an_estimate_without_an_interval_has_ends_that_compare(breast_cancer):
    X, y = breast_cancer
    easy = np.c_[X[:, 0], 10.0 * (y == "malignant")]
    weights = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    error = SVCSearchCV(C=[1], gamma=[0.1]).fit(easy, y, sample_weight=weights).honest_error_
    assert error == 0 and np.isnan(error.lower) and not error.lower < error < error.upper
    assert repr(error) == "0.00 % (weighted error, bbc)"


@pytest.mark.parametrize("kind", [SVC, SVCSearchCV, CrossConformalClassifier])
def test_folds_that_do_not_train_on_a_class_are_warned_of(kind):
    """Each fold is one class; of two classes no fold has an AUC."""
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.repeat(["a", "b", "c"], 20)
    folds = [(np.flatnonzero(y != name), np.flatnonzero(y == name)) for name in "abc"]
    with pytest.warns(CredenceWarning, match=r"lack a class \('a', 'b', 'c'\)"):
        kind(cv=folds).fit(X, y)
    halves = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    with pytest.raises(ValueError, match="no setting has a score, as where each fold holds out one class"):
        SVCSearchCV(cv=halves, scoring="roc_auc").fit(X[:40], y[:40])


COSTS = {("malignant", "benign"): 50, ("benign", "malignant"): 2.5}


def naive_cost(truth, labels):
    return np.mean([COSTS.get((t, s), 1.0) if t != s else 0.0 for t, s in zip(truth, labels, strict=True)])


@pytest.mark.parametrize("cost", [COSTS, "malignant:benign=50,benign:malignant=2.5"], ids=["dict", "text"])
def test_mean_costs_are_those_of_gridsearchcv(breast_cancer, cost):
    X, names = breast_cancer
    ours = our_search(SPLITTER, "cost", cost=cost).fit(X, names)
    theirs = their_search(SPLITTER, make_scorer(naive_cost, greater_is_better=False)).fit(X, names)
    assert np.allclose(splits(ours), splits(theirs), atol=1e-9)
    assert ours.best_score_ == ours.cv_results_["mean_test_score"].max() < 0
    assert ours.honest_error_.details["score"] == "mean cost"
    assert ours.honest_error_.lower < ours.honest_error_ < ours.honest_error_.upper
    assert ours.score(X, names) == pytest.approx(-naive_cost(names, ours.predict(X)))
    assert clone(ours).get_params()["cost"] == cost
    stranger = np.where(np.arange(len(names)) == 0, "other", names)
    expected = np.where(ours.predict(X[:1]) == "benign", 50, 2.5)[0]  # the most of the column
    assert ours.score(X[:1], stranger[:1]) == pytest.approx(-expected)


def test_costs_of_numbers_and_of_three_classes():
    X, y = load_wine(return_X_y=True)
    search = SVCSearchCV(**GRID, cv=SPLITTER, scoring="cost", cost={(0, 1): 7, (2.0, 1): 0.5}).fit(X, y)
    assert search.result_["options"]["cost"] == "0:1=7.0,2:1=0.5"
    for options, sentence in [
        ({"scoring": "cost"}, "the score cost needs the costs of labels"),
        ({"cost": {(0, 1): 7}}, "costs of labels make the score cost"),
        ({"scoring": "cost", "cost": {(0, 3): 7}}, "'0:3' is not TRUTH:DECISION of the classes 0, 1, 2"),
        ({"scoring": "cost", "cost": "0:1=7,ask=1"}, "leave ask out"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            SVCSearchCV(**GRID, **options).fit(X, y)


def test_hold_out_estimate_has_the_exact_interval_of_scipy(breast_cancer):
    X, y = breast_cancer
    search = SVCSearchCV(C=[1, 8], gamma=[0.01, 0.1], cv=5, estimate="holdout").fit(X, y)
    estimate, rows = search.honest_error_, len(y) // 10
    assert (estimate.method, estimate.details["rows"]) == ("hold-out", rows)
    exact = stats.binomtest(round(estimate * rows), rows).proportion_ci(method="exact")
    assert (estimate.lower, estimate.upper) == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert SVCSearchCV(C=[1, 8], gamma=[0.01, 0.1], cv=5).fit(X, y).honest_error_.method == "bbc"


def test_scores_other_than_accuracy_have_an_honest_estimate(imbalanced):
    X, y = imbalanced
    accuracy = our_search(SPLITTER).fit(X, y).honest_error_
    for scoring in SCORES[1:]:
        search = our_search(SPLITTER, scoring).fit(X, y)
        assert search.honest_error_ != accuracy, scoring
        assert search.honest_error_.lower <= search.honest_error_ <= search.honest_error_.upper
        assert 1 - search.honest_error_ <= search.best_score_ + 0.02


@pytest.mark.parametrize("scoring", [None, *SCORES])
def test_scorer(breast_cancer, scoring):
    X, y = breast_cancer
    search = our_search(SPLITTER, scoring).fit(X, y == "malignant")
    theirs = their_search(SPLITTER, scoring or "accuracy", positive=True).fit(X, y == "malignant")
    assert search.scorer_(search, X, y == "malignant") == pytest.approx(theirs.score(X, y == "malignant"), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"resamples": 5}, "resamples"),
        ({"trials": 5}, "trials"),
        ({"method": "holdout", "resamples": 5}, "resamples"),
        ({"method": "holdout", "cv": 3}, "cv"),
        ({"method": "loo", "cv": KFold(3)}, "cv"),
        ({"method": "bootstrap", "cv": KFold(3)}, "cv"),
        ({"method": "rademacher", "class_weight": "balanced"}, "class_weight"),
        ({"method": "nonconformity", "rho": [1]}, "rho"),
    ],
    ids=str,
)
def test_options_that_the_method_does_not_look_at_are_refused_by_name(breast_cancer, options, named):
    X, y = breast_cancer
    with pytest.raises(ValueError, match=rf"(?i)\b{named}\b"):
        SVCSearchCV(**options).fit(X, y)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_one_standard_error_rule_by_hand(breast_cancer, scoring):
    X, y = breast_cancer
    grid = {"C": [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0], "gamma": [0.01]}
    best = our_search(SPLITTER, scoring, **grid).fit(X, y)
    simple = our_search(SPLITTER, scoring, **grid, rule="one_se").fit(X, y)
    mean = column(best, "mean_test_score")
    assert np.array_equal(mean, column(simple, "mean_test_score"))
    at_best = splits(best)[:, mean.argmax()]
    near = mean >= mean.max() - at_best.std(ddof=1) / np.sqrt(len(at_best))
    assert simple.best_params_["C"] == grid["C"][near.argmax()] < best.best_params_["C"]
    assert simple.best_score_ == mean[near.argmax()]
    assert simple.best_params_["C"] == simple.best_estimator_.C


def test_average_predicts_as_the_mean_of_scikit_learns_machines(breast_cancer):
    X, y = breast_cancer
    X, X_new, y = X[::4], X[1::4], y[::4]
    search = SVCSearchCV(C=[0.5, 2.0, 8.0, 32.0], gamma=[0.003, 0.01, 0.03], rule="average", tol=1e-8).fit(X, y)
    members = search.result_["average"]["members"]
    assert len(members) > 1
    settings = search.cv_results_
    at_best = np.array([settings[f"split{k}_test_score"][search.best_index_] for k in range(10)])
    limit = search.best_score_ - at_best.std(ddof=1) / np.sqrt(10)
    assert members == list(np.flatnonzero(settings["mean_test_score"] >= limit - 1e-12))
    scaler = StandardScaler().fit(X)
    mean = np.zeros(len(X_new))
    for member in members:
        machine = their_svm.SVC(**settings["params"][member], tol=1e-8).fit(scaler.transform(X), y)
        mean += np.clip(machine.decision_function(scaler.transform(X_new)), -1, 1) / len(members)
    assert np.array_equal(search.predict(X_new), search.classes_[(mean > 0).astype(int)])
    assert search.predict_with_confidence(X_new)[1].shape == mean.shape
    assert not hasattr(search, "best_estimator_")


SMALL = {"C": [1.0, 10.0], "gamma": [0.01, 0.1]}
METHODS = {
    "cv": {**SMALL, "cv": 3},
    "nested": {**SMALL, "cv": 3},
    "kfold_nested": {**SMALL, "cv": 3},
    "holdout": SMALL,
    "holdout_vote": SMALL,
    "nonconformity": SMALL,
    "max_margin": SMALL,
    "loo": SMALL,
    "bootstrap": {**SMALL, "resamples": 5},
    "rademacher": {"rho": [1.0, 10.0], "gamma": [0.01], "trials": 3},
    "maximal_discrepancy": {"rho": [1.0, 10.0], "gamma": [0.01], "trials": 3},
}
KEEP_SEVERAL = ("nonconformity", "max_margin")
BOUNDS = ("rademacher", "maximal_discrepancy")


@pytest.mark.filterwarnings("ignore:the preprocessing")
@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_what_it_promises(breast_cancer, method):
    X, y = breast_cancer
    search = SVCSearchCV(method=method, **METHODS[method]).fit(X[::3], y[::3])
    assert search.score(X[1::3], y[1::3]) > 0.9
    assert search.refit_time_ >= 0
    if method in BOUNDS:
        assert search.honest_error_ is None
        assert search.error_bound_ > 0
        assert set(search.best_params_) == {"rho", "gamma"}
    else:
        honest = search.honest_error_
        assert 0 <= honest.lower <= honest <= honest.upper <= 1
        assert honest.method in ("bbc", "nested", "hold-out")
        assert " %, 95 % interval " in repr(honest)
        assert pickle.loads(pickle.dumps(honest)).details == honest.details
    if method in KEEP_SEVERAL:
        for name in ("best_params_", "best_score_", "best_index_", "best_estimator_"):
            assert not hasattr(search, name)
    else:
        assert search.best_params_ == search.cv_results_["params"][search.best_index_]
        assert search.best_score_ == search.cv_results_["mean_test_score"][search.best_index_]
    assert len(search.selection_) == len(search.cv_results_["params"])
    assert method.replace("_", "-").removeprefix("kfold-") in search.summary()


@pytest.mark.parametrize("method", KEEP_SEVERAL)
def test_what_a_method_with_several_models_lacks_is_explained(breast_cancer, method):
    X, y = breast_cancer
    search = SVCSearchCV(method=method, **METHODS[method]).fit(X[::3], y[::3])
    for name in ("best_params_", "best_score_", "best_index_", "best_estimator_"):
        with pytest.raises(AttributeError, match="several models"):
            getattr(search, name)


@pytest.mark.filterwarnings("ignore:the preprocessing")
@pytest.mark.parametrize("method", METHODS)
def test_decisions_agree_with_labels_of_three_classes(method):
    X, y = load_wine(return_X_y=True)
    search = SVCSearchCV(method=method, **METHODS[method]).fit(X, y)
    assert search.score(X, y) > 0.9
    if hasattr(search, "decision_function"):
        decision = search.decision_function(X)
        assert decision.shape == (len(y), 3)
        assert np.array_equal(search.classes_[decision.argmax(axis=1)], search.predict(X))


def test_selection_as_a_frame(breast_cancer):
    pd = pytest.importorskip("pandas")
    X, y = breast_cancer
    search = our_search(SPLITTER).fit(X, y)
    frame = search.selection_
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 9
    assert np.array_equal(frame["mean_test_score"], search.cv_results_["mean_test_score"])
    assert frame.loc[search.best_index_, ["param_C", "param_gamma"]].tolist() == list(search.best_params_.values())
    theirs = their_search(SPLITTER).fit(X, y).cv_results_
    assert {name.replace("param_svc__", "param_") for name in theirs} <= set(search.cv_results_)


def test_grids_as_text_and_words(breast_cancer):
    X, y = breast_cancer
    by_text = SVCSearchCV(C="2^-1:2^3:x4", gamma=["scale", 0.01], cv=3).fit(X, y)
    by_list = SVCSearchCV(C=[0.5, 2, 8], gamma=["scale", 0.01], cv=3).fit(X, y)
    assert by_text.cv_results_["params"] == by_list.cv_results_["params"]
    arrays = SVCSearchCV(C=np.array([0.5, 2, 8]), gamma=("scale", 0.01), cv=3).fit(X, y)
    assert arrays.best_params_ == by_list.best_params_
    assert len(SVCSearchCV(C=1, gamma=0.1, cv=3).fit(X, y).cv_results_["params"]) == 1


def test_nu_grid(breast_cancer):
    X, y = breast_cancer
    search = SVCSearchCV(nu=[0.05, 0.1], gamma=[0.01], cv=3).fit(X, y)
    assert set(search.best_params_) == {"nu", "gamma"}
    assert search.best_estimator_.nu == search.best_params_["nu"]


@pytest.mark.parametrize("weight", ["dict", "balanced"])
def test_class_weights_vs_gridsearchcv(imbalanced, weight):
    X, y = imbalanced
    class_weight = {"benign": 1, "malignant": 5} if weight == "dict" else "balanced"
    grid = {"C": [1.0, 10.0]}  # with a smaller C all rows are at their bound, and the bias is not unique
    ours = our_search(SPLITTER, "balanced_accuracy", **grid, class_weight=class_weight).fit(X, y)
    theirs = their_search(SPLITTER, "balanced_accuracy")
    theirs.param_grid["svc__C"] = grid["C"]
    theirs.estimator.set_params(svc__class_weight=class_weight)
    assert np.allclose(splits(ours), splits(theirs.fit(X, y)), atol=1e-12)
    assert ours.best_estimator_.class_weight == class_weight


def test_time_limit(breast_cancer):
    X, y = breast_cancer
    start = time.perf_counter()
    with pytest.raises(TimeoutError):
        SVCSearchCV(C="2^-5:2^15:x1.2", gamma="2^-15:2^3:x1.2", time_limit=1e-6).fit(X, y)
    assert time.perf_counter() - start < 3


def test_fit_twice_is_fit_once(breast_cancer):
    X, y = breast_cancer
    once = SVCSearchCV(**SMALL, cv=3).fit(X[::2], y[::2])
    twice = SVCSearchCV(method="nonconformity", **SMALL).fit(X, y).set_params(method="cv", cv=3).fit(X[::2], y[::2])
    assert twice.best_params_ == once.best_params_
    several = twice.set_params(method="nonconformity", cv=None).fit(X, y)
    assert not hasattr(several, "best_params_")
    assert not hasattr(several, "best_estimator_")
