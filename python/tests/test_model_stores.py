"""Stores and reports of other packages vs the estimator itself: skops, MLflow and skore; skipped where they are not."""

import credence
import numpy as np
import pytest


@pytest.fixture(scope="module")
def fitted():
    X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    return X, y, credence.SearchCV(C=[1.0], gamma=[0.01]).fit(X[:300], y[:300])


def is_the_same(one, X, search):
    assert np.array_equal(one.predict(X), search.predict(X))
    assert np.array_equal(one.predict_proba(X), search.predict_proba(X))
    assert one.result_["honest"] == search.result_["honest"]


def test_skops_loads_what_it_dumped(fitted, tmp_path):
    skops = pytest.importorskip("skops.io")
    X, _, search = fitted
    skops.dump(search, tmp_path / "model.skops")
    untrusted = skops.get_untrusted_types(file=tmp_path / "model.skops")
    assert all(name.startswith("credence.") for name in untrusted)
    is_the_same(skops.load(tmp_path / "model.skops", trusted=untrusted), X, search)


@pytest.mark.filterwarnings("ignore")
def test_mlflow_loads_what_it_saved(fitted, tmp_path):
    mlflow = pytest.importorskip("mlflow.sklearn")
    X, _, search = fitted
    trusted = ["credence._report.Result", "credence.search.SearchCV", "credence.svm.SVC"]
    mlflow.save_model(search, tmp_path / "model", skops_trusted_types=trusted)
    is_the_same(mlflow.load_model(str(tmp_path / "model")), X, search)


@pytest.mark.filterwarnings("ignore")
def test_skore_reports_the_same_accuracy(fitted):
    skore = pytest.importorskip("skore")
    X, y, search = fitted
    report = skore.EstimatorReport(search, X_test=X[300:], y_test=y[300:])
    assert report.metrics.accuracy() == search.score(X[300:], y[300:])
