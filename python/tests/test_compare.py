import json
import sys

import credence
import numpy as np
import pytest
from scipy import stats

OPTIONS = {"C": [1, 10], "gamma": [0.01]}
FLAGS = ["--C", "1,10", "--gamma", "0.01"]


@pytest.fixture(scope="module")
def cancer(tmp_path_factory):
    pd = pytest.importorskip("pandas")
    X, y = credence.datasets.load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X[::3], y[::3]
    path = tmp_path_factory.mktemp("compare") / "cancer.csv"
    pd.concat([X, y], axis=1).to_csv(path, index=False)
    return path, X, y


def timeless(value):
    """Return a result without what differs from run to run."""
    if isinstance(value, dict):
        gone = ("seconds", "relative_seconds", "threads", "source", "report")
        return {name: timeless(one) for name, one in value.items() if name not in gone}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def test_mean_costs_are_those_of_the_command(command, cancer, tmp_path):
    path, X, y = cancer
    flags = ["--methods", "cv,holdout", "--outer-folds", "3", "--score", "cost", "--cost", "malignant:benign=50.0", *FLAGS]
    command("compare", path, *flags, "--json", tmp_path / "result.json")
    wanted = timeless(json.loads((tmp_path / "result.json").read_text()))
    costs = {("malignant", "benign"): 50}
    found = timeless(credence.compare(X, y, ["cv", "holdout"], outer_folds=3, scoring="cost", cost=costs, **OPTIONS))
    assert (found["score"], found["score_kind"]) == ("mean cost", "cost")
    assert found["methods"] == wanted["methods"]
    with pytest.raises(ValueError, match="costs of labels make the score cost, and the score is accuracy"):
        credence.compare(X, y, ["cv"], cost=costs, **OPTIONS)


@pytest.mark.parametrize("methods", [["cv", "holdout"], ["cv", "nonconformity", "max-margin"]], ids=str)
def test_same_json_as_the_command(command, cancer, tmp_path, methods):
    path, X, y = cancer
    flags = ["--methods", ",".join(methods), "--outer-folds", "3", "--seed", "5", *FLAGS]
    command("compare", path, *flags, "--json", tmp_path / "result.json")
    wanted = timeless(json.loads((tmp_path / "result.json").read_text()))
    found = timeless(credence.compare(X, y, methods, outer_folds=3, random_state=5, **OPTIONS))
    assert found["methods"] == wanted["methods"]
    assert {name: found[name] for name in found} == {name: wanted[name] for name in found}


def test_methods_are_judged_on_the_same_rows(cancer):
    _, X, y = cancer
    found = credence.compare(X, y, ["cv", "holdout"], outer_folds=4, **OPTIONS)
    first, second = ([fold["rows"] for fold in method["folds"]] for method in found["methods"])
    assert first == second and sum(first) == len(y)
    for method in found["methods"]:
        folds = method["folds"]
        assert method["mean_error"] == pytest.approx(np.mean([fold["error"] for fold in folds]))
        assert all(fold["error"] == pytest.approx(fold["errors"] / fold["rows"]) for fold in folds)


def test_corrected_t_test_vs_its_formula(cancer):
    _, X, y = cancer
    rows = {"a": {"method": "holdout", "C": [0.01]}, "b": {"method": "holdout", "C": [10]}}
    found = credence.compare(X, y, rows, outer_folds=5, gamma=[0.01])
    errors = np.array([[fold["error"] for fold in method["folds"]] for method in found["methods"]])
    (test,) = found["tests"]
    difference = errors[0] - errors[1]
    spread = np.sqrt((1 / 5 + 1 / 4) * difference.var(ddof=1))
    p_value = 2 * stats.t.sf(abs(difference.mean()) / spread, 4)
    stated = next(value for name, value in test.items() if name in ("p", "p_value"))
    assert stated == pytest.approx(p_value, rel=0.02)


def test_repeats_vs_comparisons_with_the_next_seeds(cancer):
    _, X, y = cancer
    rows = {"a": {"method": "holdout", "C": [0.01]}, "b": {"method": "holdout", "C": [10]}}
    found = credence.compare(X, y, rows, outer_folds=5, repeats=2, random_state=7, gamma=[0.01])
    assert found["options"]["repeats"] == 2 and "5 outer folds, drawn 2 times" in str(found)
    errors = np.array([[fold["error"] for fold in method["folds"]] for method in found["methods"]])
    for repeat in range(2):
        one = credence.compare(X, y, rows, outer_folds=5, random_state=7 + repeat, gamma=[0.01])
        own = [fold["error"] for fold in one["methods"][1]["folds"]]
        assert list(errors[1, 5 * repeat : 5 * repeat + 5]) == own
    difference = errors[0] - errors[1]
    spread = np.sqrt((1 / 10 + 1 / 4) * difference.var(ddof=1))
    p_value = 2 * stats.t.sf(abs(difference.mean()) / spread, 9)
    assert found["tests"][0]["p_value"] == pytest.approx(p_value, rel=0.02)


def test_names_and_options_of_each_row(cancer):
    _, X, y = cancer
    rows = {"small": {"method": "cv", "C": [0.1]}, "large": {"method": "cv", "C": [10]}}
    found = credence.compare(X, y, rows, outer_folds=3, gamma=[0.01])
    assert [method["name"] for method in found["methods"]] == ["small", "large"]
    assert found["methods"][0]["mean_error"] > found["methods"][1]["mean_error"]


@pytest.mark.parametrize(
    ("methods", "options", "sentence"),
    [
        (["cv"], {"resamples": 3}, "resamples"),
        (["cv", "guess"], {}, "guess"),
        (["cv"], {"outer_folds": 1}, "fold"),
        (["cv"], {"repeats": 0}, "repeats: 0 is not at least 1"),
        (["cv"], {"C": [-1]}, "C"),
        (["cv"], {"wrong": 1}, "wrong"),
        ([], {}, "method"),
    ],
    ids=str,
)
def test_bad_comparisons(cancer, methods, options, sentence):
    _, X, y = cancer
    with pytest.raises(ValueError, match=sentence):
        credence.compare(X, y, methods, **options)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_row_of_the_frame_for_each_method(cancer, monkeypatch, library):
    """Oracle: the dict. The first library that is installed makes the frame, as for ``selection_`` of a search."""
    nw = pytest.importorskip("narwhals")
    pytest.importorskip(library)
    _, X, y = cancer
    found = credence.compare(X, y, ["cv", "max-margin"], outer_folds=3, **OPTIONS)
    for earlier in ["pandas", "polars"][: ["pandas", "polars"].index(library)]:
        monkeypatch.setitem(sys.modules, earlier, None)
    frame = found.to_frame()
    assert type(frame).__module__.split(".")[0] == library
    table = nw.from_native(frame, eager_only=True)
    assert {"name", "mean_error", "error_std", "mean_honest", "seconds"} <= set(table.columns)
    for name in table.columns:
        wanted = [np.nan if method[name] is None else method[name] for method in found["methods"]]
        assert all(a == b or (a != a and b != b) for a, b in zip(table[name].to_list(), wanted, strict=True)), name
    assert not {"folds", "options", "warnings"} & set(table.columns)


def test_frames_need_a_library(cancer, monkeypatch):
    _, X, y = cancer
    found = credence.compare(X, y, ["cv"], outer_folds=2, **OPTIONS)
    for library in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match="a frame needs pandas, polars or pyarrow; install one"):
        found.to_frame()
