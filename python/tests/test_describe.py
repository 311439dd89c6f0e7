"""`describe` against pandas, and the check of single columns against trees of depth one."""

import json
import warnings

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import credence


def table(rows: int = 120) -> str:
    """Numbers with a code of missing values and gaps, levels that name the class, one value."""
    lines = ["age,crp,code,same,sick"]
    for i in range(rows):
        sick = i % 3 == 0
        age = "" if i % 30 == 0 else f"{20 + i % 37 + 0.01 * i}"
        code = f"D{1 + i % 2}" if sick else "D3"
        lines.append(f"{age},{-99 if i % 10 == 1 else 1 + i % 7},{code},7,{'yes' if sick else 'no'}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(table())
    return file


def test_figures_vs_pandas(path):
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(path)
    found = credence.describe(path)
    assert [column["name"] for column in found["columns"]] == list(frame.columns[:-1])
    for column in found["columns"]:
        series = frame[column["name"]]
        assert (column["missing"], column["different"]) == (series.isna().sum(), series.nunique())
        if column["levels"] is None:
            assert [column[key] for key in ("least", "median", "largest")] == [
                series.min(),
                series.median(),
                series.max(),
            ]
        else:
            assert {level["name"]: level["rows"] for level in column["levels"]} == series.value_counts().to_dict()
    assert dict(zip(found["classes"], found["class_counts"], strict=True)) == frame["sick"].value_counts().to_dict()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what is said of the columns is in the result
        same = credence.describe(frame.drop(columns="sick"), frame["sick"])
    assert same["columns"] == found["columns"] and same["warnings"] == found["warnings"]
    assert [note.split(" holds ")[1] for note in same["notes"]] == [note.split(" holds ")[1] for note in found["notes"]]


@pytest.mark.command
def test_same_json_as_the_command(command, path, tmp_path):
    command("describe", path, "--label", "code", "--drop", "same", "--json", tmp_path / "found.json")
    wanted = json.loads((tmp_path / "found.json").read_text())
    found = credence.describe(path, label="code", drop=["same"])
    assert {**found, "command": 0, "checksum": 0} == {**wanted, "command": 0, "checksum": 0}
    assert "Result of a description" in repr(found)


def test_rows_without_labels_regressions_and_sparse_rows():
    rows = np.arange(40.0).reshape(20, 2)
    assert credence.describe(rows)["columns"][1]["median"] == 20
    found = credence.describe(rows, np.linspace(0, 1, 20), task="regression")
    assert (found["target"]["median"], found["warnings"]) == (0.5, [])
    sparse = pytest.importorskip("scipy.sparse").csr_array(rows * (rows % 3 == 0))
    assert credence.describe(sparse)["columns"][0]["largest"] == 36


def errs(x: np.ndarray, y: np.ndarray, folds: np.ndarray) -> int:
    """Rows left out that a tree of depth one gets wrong."""
    wrong = 0
    for fold in np.unique(folds):
        tree = DecisionTreeClassifier(max_depth=1).fit(x[folds != fold, None], y[folds != fold])
        wrong += (tree.predict(x[folds == fold, None]) != y[folds == fold]).sum()
    return wrong


def test_warning_and_note_vs_trees_of_depth_one():
    random = np.random.default_rng(4)
    folds = np.arange(100) % 5
    told = {"warning": 0, "note": 0}
    for overlap in np.linspace(-1, 2, 31):
        y = random.integers(0, 2, 100)
        X = np.round(random.normal(size=(100, 4)), 3)
        X[:, 2] = np.round(y * 4 - 4 + random.random(100) * (4 + overlap), 3)
        wrong = min((errs(X[:, j], y, folds), j) for j in range(4))
        search = credence.SVCSearchCV(cv=[(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(5)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = search.set_params(C=[1], gamma=["scale"]).fit(X, y).result_
        said = [one for one in result["warnings"] if one.startswith("too good to be true? column 'x3' alone")]
        notes = [one for one in result["notes"] if "does nearly as well as what was chosen" in one]
        assert bool(said) == (wrong[0] == 0)
        assert bool(notes) == (0 < wrong[0] <= 125 * result["best"]["error"])
        if notes:
            assert f"'x3' alone does nearly as well as what was chosen: it errs on {wrong[0]} %" in notes[0]
        told["warning"] += bool(said)
        told["note"] += bool(notes)
    assert told["warning"] > 5 and told["note"] > 5


def test_fit_warns_of_a_column_that_tells_the_class(path):
    data = credence.read(path, missing="impute", drop=["crp"])
    with pytest.warns(UserWarning, match=r"column 'code' alone tells .*drop the column"):
        credence.SVCSearchCV(missing="impute", C=[1], gamma=["scale"]).fit(data.data, data.target)
