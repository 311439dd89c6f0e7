import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from credence import RVC, RVR, SVC, SplitConformalClassifier, SVCSearchCV  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from sklearn.calibration import CalibrationDisplay  # noqa: E402
from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import (  # noqa: E402
    ConfusionMatrixDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
    confusion_matrix,
    roc_auc_score,
)
from sklearn.model_selection import LearningCurveDisplay  # noqa: E402

ESTIMATORS = [
    SVC(C=10, gamma=0.01, cv=5),
    SVCSearchCV(C=[1, 10], gamma=[0.01], cv=3),
    RVC(sigma=1.0),
]
CONFORMAL = SplitConformalClassifier(LogisticRegression(solver="newton-cholesky"))


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def two_columns(breast_cancer):
    X, y = breast_cancer
    return X[:200, [0, 21]], y[:200]


def name_of(estimator):
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", [*ESTIMATORS, CONFORMAL], ids=name_of)
def test_confusion_matrix(breast_cancer, estimator):
    X, y = breast_cancer
    estimator.fit(X[:200], y[:200])
    shown = ConfusionMatrixDisplay.from_estimator(estimator, X[200:], y[200:])
    assert np.array_equal(shown.confusion_matrix, confusion_matrix(y[200:], estimator.predict(X[200:])))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_roc_and_precision_recall_curves(breast_cancer, estimator):
    X, y = breast_cancer
    estimator.fit(X[:200], y[:200])
    shown = RocCurveDisplay.from_estimator(estimator, X[200:], y[200:])
    area = roc_auc_score(y[200:], estimator.decision_function(X[200:]))
    assert np.allclose(shown.roc_auc, area) and area > 0.95
    PrecisionRecallDisplay.from_estimator(estimator, X[200:], y[200:])


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_calibration_curve(breast_cancer, estimator):
    X, y = breast_cancer
    estimator.fit(X[:200], y[:200])
    shown = CalibrationDisplay.from_estimator(estimator, X[200:], y[200:], n_bins=4)
    assert ((shown.prob_pred >= 0) & (shown.prob_pred <= 1)).all()


@pytest.mark.parametrize("estimator", [*ESTIMATORS, CONFORMAL], ids=name_of)
def test_decision_boundary(two_columns, estimator):
    X, y = two_columns
    estimator.fit(X, y)
    methods = ["predict"] if estimator is CONFORMAL else ["decision_function", "predict_proba", "auto"]
    for method in methods:
        shown = DecisionBoundaryDisplay.from_estimator(estimator, X, response_method=method, grid_resolution=12)
        assert shown.response.shape[:2] == (12, 12)


@pytest.mark.parametrize("estimator", ESTIMATORS[:1], ids=name_of)
def test_partial_dependence_and_learning_curve(two_columns, estimator):
    X, y = two_columns
    PartialDependenceDisplay.from_estimator(estimator.fit(X, y), X, [0], grid_resolution=5)
    LearningCurveDisplay.from_estimator(estimator, X, y, train_sizes=[0.5, 1.0], cv=2)


def test_prediction_errors_of_a_regression():
    x = np.linspace(-10, 10, 60).reshape(-1, 1)
    machine = RVR(sigma=0.1).fit(x, np.sinc(x.ravel() / np.pi))
    PredictionErrorDisplay.from_estimator(machine, x, np.sinc(x.ravel() / np.pi))
