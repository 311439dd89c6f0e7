"""Labels and targets that are missing: every estimator and function refuses them and names the row."""

from concurrent.futures import ThreadPoolExecutor

import credence
import numpy as np
import pytest
from sklearn.svm import SVC as ScikitSVC

ROW = 5
GRID = {"C": [1], "gamma": [0.1], "cv": 2}
COMPARED = {"methods": ["cv"], "outer_folds": 2, "C": [1], "gamma": [0.1]}


def holes(value, of=("a", "b")):
    """Return labels as a list, two of which are missing."""
    return [value if i in (ROW, 9) else of[i % 2] for i in range(40)]


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[:, 0] += 3 * (np.arange(40) % 2)
    return X


def forms():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    days = [pd.Timestamp(2020, 1, 1), pd.Timestamp(2020, 1, 2)]
    return {
        "list of nan": holes(float("nan")),
        "list of None": holes(None),
        "objects of nan": np.array(holes(np.nan), dtype=object),
        "objects of None": np.array(holes(None), dtype=object),
        "objects of NA": np.array(holes(pd.NA), dtype=object),
        "objects of a small nan": np.array(holes(np.float32("nan")), dtype=object),
        "floats": np.array(holes(np.nan, of=(0, 1))),
        "a column": np.array(holes(None), dtype=object).reshape(-1, 1),
        "pandas": pd.Series(holes(np.nan)),
        "pandas objects": pd.Series(holes(None), dtype=object),
        "pandas texts": pd.Series(holes(pd.NA), dtype="string"),
        "pandas categories": pd.Series(holes(None)).astype("category"),
        "pandas whole numbers": pd.Series(holes(None, of=(0, 1)), dtype="Int64"),
        "pandas flags": pd.Series(holes(None, of=(False, True)), dtype="boolean"),
        "pandas times": pd.Series(holes(pd.NaT, of=days)),
        "pandas frame": pd.DataFrame({"y": holes(None)}),
        "polars": pl.Series(holes(None)),
        "polars whole numbers": pl.Series(holes(None, of=(0, 1))),
        "pyarrow": pa.chunked_array([holes(None)]),
        "pyarrow array": pa.array(holes(None)),
    }


def fits():
    made = (
        credence.SVC(),
        credence.SVCSearchCV(**GRID),
        credence.RVC(),
        credence.SearchCV(method="kernel_validity", model="rvm", sigma=[1.0]),
        credence.FullConformalKNeighborsClassifier(),
        credence.FullConformalSVC(),
        credence.OnlineConformalClassifier(),
        credence.SplitConformalClassifier(),
        credence.SplitConformalClassifier(ScikitSVC()),
        credence.CrossConformalClassifier(cv=2),
    )
    calls = {f"{type(one).__name__} {i}": one.fit for i, one in enumerate(made)}
    calls["compare"] = lambda X, y: credence.compare(X, y, **COMPARED)
    nested, pool = credence.SVCSearchCV(**GRID, estimate="nested"), ThreadPoolExecutor(1)
    calls["distributed.fit"] = lambda X, y: credence.distributed.fit(nested, X, y, executor=pool)
    return calls


def judgements(X):
    labels = np.array(holes("a"))
    single = credence.SVC(cv=2).fit(X, labels)
    split = credence.SplitConformalClassifier(calibration_size=None).fit(X, labels).conformalize(X, labels)
    search = credence.SVCSearchCV(**GRID, scoring="balanced_accuracy").fit(X, labels)
    return [
        *(single.score, single.evaluate, split.conformalize, split.score, split.evaluate, search.score),
        lambda _, y: credence.metrics.evaluate_p_values(np.full((40, 2), 0.5), y),
    ]


SENTENCE = rf"contains (NaN|None|NaT|<NA>): row {ROW}, counted from 0, and 1 more row have no (label|class); .+\.$"


@pytest.mark.parametrize("call", fits())
def test_rows_without_a_label_are_refused_in_fit(rows, call):
    for form, y in forms().items():
        with pytest.raises(ValueError, match=f"^Input y {SENTENCE}") as refused:
            fits()[call](rows, y)
        assert "Unknown label type" not in str(refused.value), form


def test_rows_without_a_label_are_refused_in_judgements(rows):
    for call in judgements(rows):
        for y in forms().values():
            with pytest.raises(ValueError, match=SENTENCE):
                call(rows, y)


def test_a_splitter_does_not_speak_first(rows):
    from sklearn.model_selection import StratifiedKFold

    for fit in (credence.SVCSearchCV(cv=StratifiedKFold(2)).fit, credence.SVC(cv=StratifiedKFold(2)).fit):
        with pytest.raises(ValueError, match=SENTENCE):
            fit(rows, holes(None))
    with pytest.raises(ValueError, match=SENTENCE):
        credence.distributed.fit(
            credence.SVCSearchCV(cv=StratifiedKFold(2)), rows, holes(None), executor=ThreadPoolExecutor(1)
        )


def test_one_example_without_a_label_is_refused(rows):
    learner = credence.OnlineConformalClassifier().fit(rows, holes("a"))
    for label in (None, np.nan):
        with pytest.raises(ValueError, match="row 0, counted from 0, has no label"):
            learner.learn_one(rows[0], label)
    assert learner.n_seen_ == 40
    with pytest.raises(ValueError, match=r"Input classes contains None: row 1, counted from 0, has no name"):
        credence.OnlineConformalClassifier().partial_fit(rows, holes("a"), classes=["a", None, "b"])


@pytest.mark.parametrize(
    "estimator", [credence.RVR(), credence.SplitConformalRegressor(), credence.RVRSearchCV()], ids=str
)
def test_rows_without_a_target_are_refused(rows, estimator):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    numbers = (1.5, 2.5)
    absent = holes(None, of=numbers)
    for y in (absent, holes(np.nan, of=numbers), pd.Series(absent, dtype="Float64"), pl.Series(absent)):
        with pytest.raises(ValueError, match=rf"row {ROW}, counted from 0, and 1 more row have no target"):
            estimator.fit(rows, y)
    with pytest.raises(ValueError, match=rf"contains infinity .* row {ROW}, counted from 0, is infinite"):
        estimator.fit(rows, holes(np.inf, of=numbers))


def test_drop_leaves_them_out_vs_rows_that_are_not_there(rows):
    """Oracle: the same rows without those; the command does so with --missing drop."""
    keep = np.setdiff1d(np.arange(40), [ROW, 9])
    for form, y in forms().items():
        if "times" in form:  # no labels of scikit-learn
            continue
        there = [label for i, label in enumerate(np.asarray(y, dtype=object).ravel()) if i in keep]
        machine = credence.SVC(missing="drop").fit(rows, y)
        same = credence.SVC().fit(rows[keep], np.array(there))
        assert machine.classes_.tolist() == same.classes_.tolist(), form
        assert np.array_equal(machine.decision_function(rows), same.decision_function(rows)), form
        assert set(machine.support_) <= set(keep), form
    targets = holes(None, of=(1.5, 2.5))
    machine = credence.RVR(missing="drop").fit(rows, targets)
    same = credence.RVR().fit(rows[keep], [targets[i] for i in keep])
    assert np.array_equal(machine.predict(rows), same.predict(rows))


def test_the_command_drops_such_rows_too(command, rows, tmp_path):
    path, model = tmp_path / "rows.csv", tmp_path / "model.credence"
    lines = [f"{a!r},{b!r},{c!r},{label}" for (a, b, c), label in zip(rows.tolist(), holes(""), strict=True)]
    path.write_text("\n".join(["x,y,z,label", *lines]) + "\n")
    command("train", path, "--missing", "drop", "--C", "1", "--gamma", "0.5", "--quiet", "-o", model)
    machine = credence.SVC(C=1, gamma=0.5, missing="drop").fit(rows, holes(None))
    assert np.array_equal(credence.load(model).decision_function(rows), machine.decision_function(rows))


def test_texts_that_look_missing_are_labels(rows):
    assert credence.SVC().fit(rows, holes("nan", of=("a", "a"))).classes_.tolist() == ["a", "nan"]
