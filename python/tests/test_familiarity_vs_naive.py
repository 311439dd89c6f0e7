"""Familiarity against its definition, written out with NumPy: distances to the rows of the training alone."""

import pickle

import credence
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from credence import _core
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

pytestmark = pytest.mark.filterwarnings("ignore:.*unlike the training rows")


def naive_familiarity(known, rows, *, scales=True):
    """Return p-values of rows: every row joins the known ones, and all mean distances are taken anew.

    With scales a known row is as far from the others as the deviations of these others say, a new row from a known one
    as those of all known rows.
    """
    units = [np.delete(known, i, axis=0).std(axis=0) if scales else 1 for i in range(len(known))]
    between = np.array([cdist(known[[i]] / unit, known / unit)[0] for i, unit in enumerate(units)])
    np.fill_diagonal(between, np.inf)
    p = []
    for row in rows:
        unit = known.std(axis=0) if scales else 1
        to_known = cdist(row[None] / unit, known / unit)[0]
        nonconformity = np.sort(np.column_stack([between, to_known]), axis=1)[:, :5].mean(axis=1)
        p.append((1 + (nonconformity >= np.sort(to_known)[:5].mean()).sum()) / (len(known) + 1))
    return np.array(p)


@pytest.fixture(scope="module")
def cancer():
    X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    return X[:300], y[:300], X[300:360], y[300:360]


def strange_rows(X):
    """Return the three rows that a linear machine is sure of, and the most ordinary one."""
    mean, sd = X.mean(axis=0), X.std(axis=0)
    return np.vstack([1000 * X[0], mean + 6 * sd, mean - 6 * sd, mean])


@pytest.mark.parametrize(
    "estimator",
    [
        credence.SVC(kernel="linear"),
        credence.SVC(cv=3),
        credence.SVCSearchCV(C=[1, 8], gamma=[0.01], estimate="none"),
        credence.FullConformalKNeighborsClassifier(apart=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimators_vs_definition(estimator, cancer):
    X, y, X_new, _ = cancer
    model = clone(estimator).fit(X, y)
    expected = naive_familiarity(X, X_new)
    found = model.familiarity(X_new)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).familiarity(X_new), found)
    p = model.familiarity(strange_rows(X))
    assert (p[:3] == 1 / 301).all()
    assert p[3] > 0.2


@pytest.mark.parametrize("wrapper", [credence.SplitConformalClassifier, credence.CrossConformalClassifier])
def test_any_learner_vs_definition(wrapper, cancer):
    X, y, X_new, _ = cancer
    model = wrapper(RandomForestClassifier(20, random_state=0), random_state=0).fit(X, y)
    expected = naive_familiarity(X, X_new)
    found = model.familiarity(X_new)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).familiarity(X_new), found)
    assert (model.familiarity(strange_rows(X))[:3] == 1 / 301).all()


def test_regressors(cancer):
    X, y = load_diabetes(return_X_y=True)
    for model in (credence.RVR(), credence.SplitConformalRegressor(Ridge(), random_state=0)):
        model.fit(X[:200], y[:200])
        assert (model.familiarity(1000 * X[200:205]) == 1 / 201).all()
        assert 0.3 < model.familiarity(X[200:]).mean() < 0.7
    found = model.evaluate(1000 * X[200:240], y[200:240])
    assert "Rows unlike anything in training" in found.report() or not _core.pages_are_built_in()


def test_sparse_rows_frames_and_missing_values(cancer):
    X, y, X_new, _ = cancer
    dense = credence.SplitConformalClassifier(LogisticRegression(solver="newton-cholesky"), random_state=0).fit(X, y)
    sparse = credence.SplitConformalClassifier(LogisticRegression(solver="newton-cholesky"), random_state=0)
    sparse.fit(scipy.sparse.csr_matrix(X), y)
    found = dense.familiarity(X_new)
    np.testing.assert_allclose(sparse.familiarity(scipy.sparse.csr_matrix(X_new)), found, atol=0.02)
    frame = pd.DataFrame({"size": X[:, 0], "kind": np.where(X[:, 1] > 19, "a", "b")})
    trees = make_pipeline(ByColumns())
    model = credence.SplitConformalClassifier(trees, random_state=0).fit(frame, y)
    new = pd.DataFrame({"size": [X[:, 0].mean(), 1e6, np.nan], "kind": ["a", "b", "c"]})
    p = model.familiarity(new)
    assert p[1] == 1 / 301
    assert p[0] > 0.05


class ByColumns(ClassifierMixin, BaseEstimator):
    """A classifier that takes any rows, by their number alone."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


def test_what_has_no_familiarity_says_why(cancer):
    X, y, X_new, _ = cancer
    texts = ["good film", "bad film", "good plot", "bad plot"] * 10
    words = credence.SplitConformalClassifier(make_pipeline(CountVectorizer(), MultinomialNB()), random_state=0)
    words.fit(texts, ["g", "b", "g", "b"] * 10)
    assert not hasattr(words, "familiarity")
    with pytest.raises(AttributeError, match="table of numbers"):
        words.familiarity(texts)
    assert words.evaluate(texts, ["g", "b", "g", "b"] * 10, confidence_level=0.8)["error"] <= 1
    fitted = FrozenEstimator(LogisticRegression(solver="newton-cholesky").fit(X, y))
    prefit = credence.SplitConformalClassifier(fitted, prefit=True).conformalize(X_new, y[:60])
    assert not hasattr(prefit, "familiarity")
    gram = credence.SVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(AttributeError, match="keeps no rows"):
        gram.familiarity(X_new @ X.T)
    assert hasattr(credence.SVC(), "familiarity"), "before fit nothing is known"


def test_rows_unlike_the_training_are_warned_of_and_listed(cancer):
    X, y, X_new, y_new = cancer
    rows = np.vstack([X_new, 1000 * X_new[:10]])
    labels = np.concatenate([y_new, y_new[:10]])
    for model in (
        credence.SVC(cv=3).fit(X, y),
        credence.SplitConformalClassifier(RandomForestClassifier(20, random_state=0), random_state=0).fit(X, y),
    ):
        with pytest.warns(UserWarning, match="of these 70 rows are unlike the training rows"):
            found = model.evaluate(rows, labels)
        if _core.pages_are_built_in():
            assert "Rows unlike anything in training" in found.report()
    with pytest.warns(UserWarning, match="unlike the training rows"):
        credence.SVC(cv=3).fit(X, y).predict_with_confidence(rows)


def test_same_as_the_command(cancer, tmp_path, command):
    X, y, X_new, _ = cancer
    model = credence.SVC().fit(X, y)
    model.save(tmp_path / "m")
    np.savetxt(tmp_path / "new.csv", X_new, delimiter=",", fmt="%.17g")
    output = command("predict", tmp_path / "m", tmp_path / "new.csv", "--quiet")
    lines = [line.split(",") for line in output.splitlines()]
    place = lines[0].index("familiarity")
    assert [float(line[place]) for line in lines[1:]] == model.familiarity(X_new).tolist()


def test_on_line_familiarity_is_that_among_the_examples_learnt(cancer):
    X, y, new, _ = cancer
    machine = credence.OnlineConformalClassifier(smoothed=False).fit(X[:80, :4], y[:80])
    expected = naive_familiarity(X[:80, :4], new[:, :4], scales=False)
    np.testing.assert_allclose(machine.familiarity(new[:, :4]), expected, atol=1e-12)
    machine.learn_one(X[80, :4], y[80])
    again = pickle.loads(pickle.dumps(machine))
    expected = naive_familiarity(X[:81, :4], new[:, :4], scales=False)
    np.testing.assert_allclose(again.familiarity(new[:, :4]), expected, atol=1e-12)
    angles = credence.OnlineConformalClassifier(metric="cosine").fit(X[:80, :4], y[:80])
    with pytest.raises(AttributeError, match="angles"):
        angles.familiarity(new[:, :4])
