"""The numbers of a paper, against scikit-learn's metrics, SciPy's intervals and a plain logistic regression."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

import credence


@pytest.fixture(scope="module")
def two_classes():
    """Return a fitted search, and rows that it has not seen."""
    X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    X = X[:, :4]  # fewer columns, more errors
    search = credence.SVCSearchCV(C=[1], gamma=[0.1]).fit(X[::2], y[::2])
    return search, X[1::2], np.asarray(y)[1::2]


def clopper_pearson(part, whole):
    """Return SciPy's exact interval."""
    found = stats.binomtest(part, whole).proportion_ci(0.95, method="exact")
    return [found.low, found.high]


def test_shares_are_those_of_sklearn_with_intervals_of_scipy(two_classes):
    search, X, y = two_classes
    given = search.predict(X)
    numbers = search.evaluate(X, y)["numbers"]
    (a, b), (c, d) = metrics.confusion_matrix(y, given, labels=search.classes_)
    right = {
        "sensitivity": (d, c + d),
        "specificity": (a, a + b),
        "ppv": (d, b + d),
        "npv": (a, a + c),
        "accuracy": (a + d, a + b + c + d),
        "prevalence": (c + d, a + b + c + d),
    }
    assert numbers["positive"] == search.classes_[1]
    for name, (part, whole) in right.items():
        assert numbers[name]["value"] == part / whole, name
        ends = numbers[name]["interval"]
        np.testing.assert_allclose([ends["lower"], ends["upper"]], clopper_pearson(part, whole), rtol=1e-9)


def test_positive_names_the_other_class(two_classes):
    search, X, y = two_classes
    second, first = search.evaluate(X, y)["numbers"], search.evaluate(X, y, positive=search.classes_[0])["numbers"]
    assert first["positive"] == search.classes_[0]
    for one, other in (("sensitivity", "specificity"), ("ppv", "npv")):
        assert first[one]["value"] == second[other]["value"]
    assert first["auc"]["value"] == pytest.approx(second["auc"]["value"], abs=1e-12)
    with pytest.raises(ValueError, match="no class 'nobody'"):
        search.evaluate(X, y, positive="nobody")


def test_auc_is_that_of_sklearn_by_the_decision_values(two_classes):
    search, X, y = two_classes
    found = search.evaluate(X, y)
    right = metrics.roc_auc_score(y == search.classes_[1], search.decision_function(X))
    assert found["numbers"]["auc"]["value"] == pytest.approx(right, abs=1e-12)
    ends = found["numbers"]["auc"]["interval"]
    assert ends["lower"] < right < ends["upper"]


def test_displays_have_the_numbers_of_sklearn(two_classes):
    search, X, y = two_classes
    found = search.evaluate(X, y)
    displays = found.displays()
    assert list(displays) == ["ConfusionMatrixDisplay", "RocCurveDisplay"]
    counts = metrics.confusion_matrix(y, search.predict(X), labels=search.classes_)
    assert (displays["ConfusionMatrixDisplay"].confusion_matrix == counts).all()
    area = metrics.auc(displays["RocCurveDisplay"].fpr, displays["RocCurveDisplay"].tpr)
    assert area == pytest.approx(found["numbers"]["auc"]["value"], abs=1e-12)


def test_more_classes_have_recall_precision_and_macro_averages_of_sklearn():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 60)
    X = rng.normal(size=(180, 3)) + (y == "b")[:, None] + 1.5 * (y == "c")[:, None]
    model = credence.SVC(C=1, gamma=0.1, cv=3).fit(X[::2], y[::2])
    numbers = model.evaluate(X[1::2], y[1::2])["numbers"]
    precision, recall, _, _ = metrics.precision_recall_fscore_support(y[1::2], model.predict(X[1::2]))
    assert [one["recall"]["value"] for one in numbers["per_class"]] == pytest.approx(list(recall))
    assert [one["precision"]["value"] for one in numbers["per_class"]] == pytest.approx(list(precision))
    macro = metrics.precision_recall_fscore_support(y[1::2], model.predict(X[1::2]), average="macro")[:3]
    assert [numbers["macro"][name] for name in ("precision", "recall", "f1")] == pytest.approx(list(macro))


def test_calibration_line_is_that_of_a_logistic_regression(two_classes):
    _, X, y = two_classes
    model = credence.RVC(gamma=0.1, cv=5).fit(X[::2], y[::2])
    rows, labels = X[1::2], y[1::2] == model.classes_[1]
    found = model.evaluate(rows, y[1::2])
    p = model.predict_proba(rows)[:, 1]
    log_odds = np.log(p / (1 - p))[:, None]
    right = LogisticRegression(C=1e12, tol=1e-10, max_iter=10000).fit(log_odds, labels)
    line = json.loads(found._document())["probability"]["plain"]
    assert line["calibration_slope"]["value"] == pytest.approx(right.coef_[0, 0], rel=1e-4)
    assert set(found.displays()) == {"ConfusionMatrixDisplay", "RocCurveDisplay", "CalibrationDisplay"}


def test_sentence_quotes_the_honest_error_and_cites(two_classes):
    search, X, y = two_classes
    text = search.sentence()
    assert f"{100 * search.honest_error_:.2f} %" in text
    assert "[2] Tsamardinos" in text
    told = search.evaluate(X, y).sentence()
    assert f"{100 * search.evaluate(X, y)['numbers']['sensitivity']['value']:.2f} %" in told
    assert "DeLong" in told
