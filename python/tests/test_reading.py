"""Files as frames: text as the command reads it, and as pandas does; Parquet and Arrow."""

import gzip
import os
import subprocess
import sys
import textwrap
import warnings

import credence
import numpy as np
import pytest
import scipy.sparse as sp

TREES = "nr;height;age;soil;kind\n" + "".join(
    f"{i};{10 + i % 7},5;{'' if i == 4 else 20 + i % 5};{'sand' if i % 3 else 'loam'};{'oak' if i % 7 > 3 else 'fir'}\n"
    for i in range(40)
)


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "trees.csv"
    path.write_text(TREES)
    return path


def quietly(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return credence.read(path, **options)


def test_text_vs_pandas(trees):
    pd = pytest.importorskip("pandas")
    expected = pd.read_csv(trees, sep=";", decimal=",")
    found = quietly(trees, missing="impute")
    assert found.feature_names == ["nr", "height", "age", "soil"] and found.target_name == "kind"
    assert found.target.tolist() == expected["kind"].tolist()
    for name in ("nr", "height", "age"):
        assert np.array_equal(found.data[name], expected[name].astype(float), equal_nan=True)
    assert found.data["soil"].tolist() == expected["soil"].tolist()


def test_names_that_stand_twice_vs_pandas(tmp_path):
    pd = pytest.importorskip("pandas")
    path = tmp_path / "twice.csv"
    path.write_text("a,b,a,a.1,a,label\n1,2,3,4,5,x\n6,7,8,9,10,y\n")
    assert quietly(path).feature_names == [name for name in pd.read_csv(path).columns if name != "label"]


def test_warnings_say_what_was_found(trees):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = credence.read(trees, missing="impute")
    said = [str(warning.message) for warning in caught]
    assert [sentence.split(": ", 1)[1] for sentence in said] == found.notes
    for part in ("separated by semicolons", "decimal commas", "'nr' counts the rows"):
        assert any(part in sentence for sentence in said), part
    assert all(warning.filename == __file__ for warning in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        credence.read(trees, missing="impute", drop=["nr"], delimiter=";", decimal="comma")


def test_options_are_those_of_the_command(trees):
    assert quietly(trees, missing="drop", drop="nr,soil").data.shape == (39, 2)
    assert quietly(trees, missing="impute", label=2, task="regression").target[:2].tolist() == [10.5, 11.5]
    with pytest.raises(ValueError, match="missing"):
        quietly(trees)
    with pytest.raises(ValueError, match="decimal: .*point"):
        quietly(trees, decimal="dot")
    with pytest.raises(ValueError, match="the dropped column"):
        quietly(trees, drop="who")
    with pytest.raises(TypeError, match="unexpected keyword argument 'sep'"):
        quietly(trees, sep=";")
    with pytest.raises(OSError):
        quietly(trees.parent / "nowhere.csv")


def test_models_are_those_of_the_command(trees, tmp_path):
    command = os.environ.get("CREDENCE_COMMAND")
    if not command:
        pytest.skip("CREDENCE_COMMAND does not name the command")
    model = tmp_path / "trees.credence"
    how = ["--missing", "impute", "--drop", "nr", "--C", "8", "--gamma", "0.1", "--quiet"]
    subprocess.run([command, "train", str(trees), *how, "-o", str(model)], check=True)
    found = quietly(trees, missing="impute", drop="nr")
    machine = credence.SVC(C=8, gamma=0.1, missing="impute").fit(found.data, found.target)
    loaded = credence.load(model)
    assert np.array_equal(loaded.decision_function(found.data), machine.decision_function(found.data))


def test_sparse_text(tmp_path):
    path = tmp_path / "rows.svm.gz"
    path.write_bytes(gzip.compress(b"+1 1:0.5 3:2\n-1 2:1\n"))
    found = credence.read(path)
    assert sp.issparse(found.data) and found.data.toarray().tolist() == [[0.5, 0, 2], [0, 1, 0]]
    assert found.target.tolist() == ["+1", "-1"] or found.target.tolist() == [1, -1]


@pytest.mark.parametrize("name", ["trees.parquet", "trees.feather", "trees.arrow"])
def test_files_of_columns(trees, tmp_path, name):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    text = quietly(trees, missing="impute")
    frame = text.data.assign(kind=text.target)
    path = tmp_path / name
    (frame.to_parquet if name.endswith("parquet") else frame.to_feather)(path)
    found = credence.read(path, missing="impute", drop="nr")
    assert found.feature_names == ["height", "age", "soil"] and found.target.tolist() == text.target.tolist()
    machine = credence.SVC(missing="impute").fit(found.data, found.target)
    same = credence.SVC(missing="impute").fit(text.data.drop(columns="nr"), text.target)
    assert np.array_equal(machine.decision_function(found.data), same.decision_function(text.data.drop(columns="nr")))
    assert credence.read(path, missing="drop").data.shape[0] == 39
    assert credence.read(path, missing="drop", label="age", task="regression").target.dtype == float
    with pytest.raises(ValueError, match="column 'age': a value is missing"):
        credence.read(path)
    with pytest.raises(ValueError, match="decimal: it is about files of text"):
        credence.read(path, decimal="comma")
    with pytest.raises(ValueError, match="the label column 'who'"):
        credence.read(path, label="who")


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.feather"])
def test_names_have_no_blanks_around_them_vs_text(tmp_path, name):
    """Oracle: the same table as text, whose names the command trims."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({" age": [1.0, 2.0, 3.0], "height\t": [4.5, 5.5, 6.5], "My Diagnosis ": ["a", "b", "a"]})
    path = tmp_path / name
    {"csv": lambda: frame.to_csv(path, index=False), "parquet": lambda: frame.to_parquet(path)}.get(
        path.suffix[1:], lambda: frame.to_feather(path)
    )()
    for label in ("My Diagnosis", " My Diagnosis ", None):
        found = quietly(path, label=label)
        assert (found.target_name, found.feature_names) == ("My Diagnosis", ["age", "height"])
        assert list(found.data.columns if name == "rows.csv" else found.data.column_names) == ["age", "height"]
        assert found.target.tolist() == ["a", "b", "a"]
    assert quietly(path, drop=" age ").feature_names == ["height"]


def test_names_that_differ_in_blanks_alone_vs_text(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1.0, 2.0], "a ": [2.0, 3.0], "label": ["x", "y"]})
    frame.to_parquet(tmp_path / "rows.parquet")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    found = [quietly(tmp_path / name).feature_names for name in ("rows.parquet", "rows.csv")]
    assert found == [["a", "a.1"]] * 2


def test_a_missing_label_of_a_file_of_columns_is_not_to_be_imputed(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"a": [1.0, 2.0], "label": ["x", None]}).to_parquet(path)
    with pytest.raises(ValueError, match="column 'label': a value is missing; missing='drop' leaves the row out$"):
        credence.read(path, missing="impute")


def test_polars_reads_what_pyarrow_does_not(trees, tmp_path, monkeypatch):
    pl = pytest.importorskip("polars")
    pytest.importorskip("pandas")
    path = tmp_path / "trees.parquet"
    text = quietly(trees, missing="drop")
    pl.DataFrame({**{name: text.data[name].tolist() for name in text.feature_names}, "kind": text.target}).write_parquet(
        path
    )
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    found = credence.read(path)
    assert isinstance(found.data, pl.DataFrame) and found.target.tolist() == text.target.tolist()
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"needs pyarrow or polars; install one: pip install pyarrow"):
        credence.read(path)


def test_broken_and_absent_files_of_columns(tmp_path):
    pytest.importorskip("pyarrow")
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="cannot read the file"):
        credence.read(broken)
    with pytest.raises(FileNotFoundError):
        credence.read(tmp_path / "nowhere.parquet")


def test_without_frames_numbers_are_an_array(trees):
    program = """
        import sys, warnings
        for name in ("pandas", "polars", "pyarrow"):
            sys.modules[name] = None
        warnings.simplefilter("ignore")
        import credence
        print(type(credence.read(sys.argv[1], missing="drop", drop=["nr", "soil"]).data).__name__)
        try:
            credence.read(sys.argv[1], missing="drop")
        except ImportError as problem:
            print(problem)
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(trees)], capture_output=True, text=True, check=True
    )
    assert result.stdout == "ndarray\ncolumns of text need a frame: install pandas, polars or pyarrow\n"
