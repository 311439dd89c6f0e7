import numpy as np
import pytest
from credence import RVC, SVC, FullConformalKNeighborsClassifier, SVCSearchCV
from sklearn import svm as their_svm
from sklearn.calibration import CalibratedClassifierCV, _SigmoidCalibration
from sklearn.datasets import load_digits, load_wine, make_classification
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SPLITTER = StratifiedKFold(4, shuffle=True, random_state=0)
MAPS = ["sigmoid", "isotonic", "venn_abers"]


def noisy(classes, rows=600, seed=0):
    options = {"n_informative": 5, "n_clusters_per_class": 1, "class_sep": 0.6, "flip_y": 0.15}
    return make_classification(rows, 8, n_classes=classes, **options, random_state=seed)


@pytest.mark.parametrize("calibration", [None, *MAPS])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["svc", "nu", "search", "linear"])
def test_the_most_probable_class_is_the_predicted_one(calibration, classes, kind):
    X, y = noisy(classes)
    machine = {
        "svc": SVC(C=5, cv=3),
        "nu": SVC(nu=0.3, cv=3),
        "linear": SVC(kernel="linear", cv=3),
        "search": SVCSearchCV(C=[1], gamma=[0.1, 1], cv=3),
    }[kind].fit(X[:200], y[:200])
    proba = machine.predict_proba(X, calibration)
    assert proba.shape == (len(X), classes)
    assert np.allclose(proba.sum(axis=1), 1, atol=1e-12)
    assert (proba >= 0).all() and (proba <= 1).all()
    assert np.array_equal(machine.classes_[proba.argmax(axis=1)], machine.predict(X))


def test_weighed_classes_have_the_probabilities_of_their_shares():
    """A rare class that weighs more is named long before it is likely: its mean probability is its share all the same."""
    X, y = noisy(2, rows=2000)
    keep = (y == 0) | (np.arange(len(y)) % 8 == 0)
    X, y = X[keep], y[keep]
    machine = SVC(C=1, cv=3, class_weight="balanced").fit(X[::2], y[::2])
    proba = machine.predict_proba(X[1::2])[:, 1]
    assert abs(proba.mean() - y.mean()) < 0.03
    assert (machine.predict(X[1::2]) == 1).mean() > 1.5 * (proba > 0.5).mean()


@pytest.mark.parametrize("kind", [RVC(sigma=1.0), RVC(sigma=1.0, cv=3)], ids=str)
def test_the_most_probable_class_of_relevance_vectors_is_the_predicted_one(kind):
    X, y = noisy(3, rows=300)
    machine = kind.fit(X[:90], y[:90])
    proba = machine.predict_proba(X)
    assert np.array_equal(machine.classes_[proba.argmax(axis=1)], machine.predict(X))
    for each in (proba, machine.predict_proba_moderated(X)):
        assert np.allclose(each.sum(axis=1), 1, atol=1e-9)


@pytest.fixture(scope="module")
def left_out():
    """Return a machine, the margins of its training rows left out, their labels, and margins of new rows."""
    X, y = noisy(2)
    # Machines of folds have the width and the scaling of the machine that was trained on all rows.
    alike = {"C": 5, "gamma": 1 / (X.shape[1] * X[:200].var()), "scale": "none"}
    machine = SVC(cv=SPLITTER, **alike).fit(X[:200], y[:200])
    left_out_by = SVC(**alike)
    margins = cross_val_predict(left_out_by, X[:200], y[:200], cv=SPLITTER, method="decision_function")
    return machine, margins, y[:200], X[200:], machine.decision_function(X[200:])


def agreeing(machine, proba, new):
    """Return which rows' probabilities need no correction to agree with the label."""
    return (proba > 0.5) == (machine.predict(new) == machine.classes_[1])


def test_sigmoid_vs_sklearn(left_out):
    machine, margins, y, new, decision = left_out
    theirs = _SigmoidCalibration().fit(margins, y).predict(decision)
    ours = machine.predict_proba(new, "sigmoid")[:, 1]
    same = agreeing(machine, theirs, new)
    assert same.mean() > 0.9
    assert np.allclose(ours[same], theirs[same], atol=1e-5)
    assert np.array_equal(machine.predict_proba(new), machine.predict_proba(new, "sigmoid"))


def test_isotonic_vs_sklearn(left_out):
    machine, margins, y, new, decision = left_out
    theirs = IsotonicRegression(out_of_bounds="clip").fit(margins, y).predict(decision)
    ours = machine.predict_proba(new, "isotonic")[:, 1]
    same = agreeing(machine, theirs, new)
    assert same.mean() > 0.9
    assert np.allclose(ours[same], theirs[same], atol=0.02)


def test_venn_abers_interval_vs_two_isotonic_fits(left_out):
    machine, margins, y, new, decision = left_out
    interval = machine.predict_proba_interval(new)
    assert interval.shape == (len(new), 2, 2)
    for i in range(0, len(new), 13):
        ends = []
        for label in (0, 1):
            fitted = IsotonicRegression().fit(np.append(margins, decision[i]), np.append(y, label))
            ends.append(fitted.predict([decision[i]])[0])
        assert interval[i, 1] == pytest.approx(ends, abs=1e-6)
    assert np.allclose(interval[:, 0, 0], 1 - interval[:, 1, 1])
    assert np.allclose(interval[:, 0, 1], 1 - interval[:, 1, 0])


def test_venn_abers_probability_lies_in_its_interval(left_out):
    machine, _, _, new, _ = left_out
    interval = machine.predict_proba_interval(new)
    proba = machine.predict_proba(new, "venn_abers")
    same = agreeing(machine, proba[:, 1], new)
    assert (interval[..., 0] <= interval[..., 1]).all()
    lower, upper = interval[same, :, 0], interval[same, :, 1]
    halves = np.isclose(proba[same].max(axis=1), 0.5, atol=1e-6)
    assert ((lower - 1e-9 <= proba[same]) & (proba[same] <= upper + 1e-9))[~halves].all()


@pytest.mark.parametrize("data", ["noisy", "wine", "digits"])
def test_log_loss_on_held_back_rows_beside_calibratedclassifiercv(data):
    if data == "noisy":
        X, y = noisy(2, rows=800, seed=2)
    else:
        X, y = load_wine(return_X_y=True) if data == "wine" else load_digits(n_class=4, return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))[:800]
    X, y = X[order], y[order]
    half = len(y) // 2
    machine = make_pipeline(StandardScaler(), their_svm.SVC(C=2))
    theirs = CalibratedClassifierCV(machine, cv=5, ensemble=False).fit(X[:half], y[:half])
    ours = SVC(C=2, cv=5).fit(X[:half], y[:half])
    wanted = log_loss(y[half:], theirs.predict_proba(X[half:]))
    assert log_loss(y[half:], ours.predict_proba(X[half:])) < 1.15 * wanted + 0.02


def test_mean_of_probabilities_is_the_share_of_the_class():
    X, y = noisy(2, rows=2000, seed=3)
    machine = SVC(C=2, cv=5).fit(X[:500], y[:500])
    for calibration in MAPS:
        proba = machine.predict_proba(X[500:], calibration)[:, 1]
        assert proba.mean() == pytest.approx(y[500:].mean(), abs=0.05)
        sure = proba > 0.8
        assert y[500:][sure].mean() == pytest.approx(proba[sure].mean(), abs=0.07)


def test_probabilities_need_rows_left_out():
    X, y = noisy(2, rows=80)
    assert not hasattr(SVC(), "predict_proba")
    assert hasattr(SVC(cv=3), "predict_proba")
    machine = SVC().fit(X, y)
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        machine.predict_proba(X)
    with pytest.raises(ValueError, match="sigmoid, isotonic, venn_abers"):
        SVC(cv=3).fit(X, y).predict_proba(X, "guess")


def test_the_error_itself_says_what_probabilities_need():
    """hasattr stays False; scikit-learn's ``available_if`` would keep the reason in the cause of its error."""
    X, y = noisy(2)
    for machine in (SVC(), SVC().fit(X, y)):
        for name in ("predict_proba", "predict_proba_interval"):
            assert not hasattr(machine, name)
            with pytest.raises(AttributeError, match=rf"^this SVC has no {name}: .* which cv=5 keeps: SVC\(cv=5\)"):
                getattr(machine, name)
    full = FullConformalKNeighborsClassifier().fit(X, y)
    for name in ("predict_proba", "decision_function"):
        assert not hasattr(full, name)
        with pytest.raises(AttributeError, match=rf"^this FullConformalKN\w+ has no {name}: .* predict_p returns"):
            getattr(full, name)
    for search in (SVCSearchCV(method="rademacher"), SVCSearchCV(method="max_margin", C=[1], gamma=[1]).fit(X, y)):
        assert not hasattr(search, "predict_proba")
        with pytest.raises(AttributeError, match="^this SVCSearchCV has no predict_proba: .*scores of rows left out"):
            search.predict_proba(X)
    with pytest.raises(AttributeError, match="^'SVCSearchCV' object has no attribute 'predict_prob'"):
        SVCSearchCV().predict_prob(X)


def test_the_chosen_machine_has_probabilities_though_its_cv_is_none():
    X, y = noisy(2)
    search = SVCSearchCV(C=[1], gamma=[0.1], cv=3).fit(X, y)
    assert search.best_estimator_.cv is None
    assert np.array_equal(search.best_estimator_.predict_proba(X), search.predict_proba(X))
