"""Files as frames: text as the command reads it, and as pandas does; Parquet and Arrow."""

import gzip
import json
import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import credence
import numpy as np
import pytest
import scipy.sparse as sp

SOURCE = Path(os.environ.get("CREDENCE_SOURCE", Path(__file__).parents[2]))
COMMAND = os.environ.get("CREDENCE_COMMAND", str(SOURCE / "build" / "credence"))
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
    with pytest.raises(TypeError, match="read has no 'sep'; it is called delimiter"):
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
    pl.DataFrame(
        {**{name: text.data[name].tolist() for name in text.feature_names}, "kind": text.target}
    ).write_parquet(path)
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


def indexed(pd, kind):
    """Return a frame whose index tells its class, shuffled, and the names that its index has in files."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "z": rng.normal(size=60), "sick": np.repeat(["no", "yes"], 30)})
    if kind == "range":
        return frame, []
    if kind == "named":
        frame.index = pd.Index(np.arange(60) * 7 + 3, name="patient")
    elif kind == "texts":
        frame.index = pd.Index([f"p{i}" for i in range(60)], name="patient")
    elif kind == "days":
        frame.index = pd.date_range("2024-01-01", periods=60, name="patient")
    elif kind == "two":
        frame.index = pd.MultiIndex.from_arrays([np.arange(60), np.arange(60) % 4], names=["patient", None])
    elif kind == "repeated":
        frame.index = np.arange(60) % 30
    frame = frame.sample(frac=1, random_state=0)
    unnamed = {"shuffled": ["__index_level_0__"], "repeated": ["__index_level_0__"]}
    return frame, unnamed.get(kind, ["patient", "__index_level_1__"] if kind == "two" else ["patient"])


def write_table(frame, path):
    feather = pytest.importorskip("pyarrow.feather")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = frame if not hasattr(frame, "index") else feather.Table.from_pandas(frame)
    (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(table, path)


def read_by(package, monkeypatch):
    pytest.importorskip(package)
    if package == "polars":
        for name in ("pyarrow.parquet", "pyarrow.feather"):
            monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("package", ["pyarrow", "polars"])
@pytest.mark.parametrize("name", ["rows.parquet", "rows.feather", "rows.arrow"])
@pytest.mark.parametrize("kind", ["shuffled", "repeated", "named", "texts", "days", "two", "range"])
def test_the_index_of_a_frame_vs_the_columns_of_the_frame(tmp_path, monkeypatch, kind, name, package):
    pd = pytest.importorskip("pandas")
    frame, index = indexed(pd, kind)
    path = tmp_path / name
    write_table(frame, path)
    read_by(package, monkeypatch)
    found = quietly(path)
    assert (found.feature_names, found.target_name) == (["x", "z"], "sick")
    assert found.notes == [
        f"column {column!r} is the index of a frame of pandas, so it is left out; otherwise keep the column"
        for column in index
    ]
    assert list(found.data.columns if package == "polars" else found.data.column_names) == ["x", "z"]
    for column in index:
        assert quietly(path, keep=column).feature_names == ["x", "z", column]
        assert quietly(path, keep=column, label="sick").target_name == "sick"
        assert quietly(path, label=column).target_name == column
        assert quietly(path, drop=column).notes == [note for note in found.notes if repr(column) not in note]


@pytest.mark.parametrize("package", ["pyarrow", "polars"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.feather"])
@pytest.mark.parametrize("column", ["", "Unnamed: 0", "index", "level_0", "__index_level_0__"])
def test_row_numbers_vs_the_file_without(tmp_path, monkeypatch, column, name, package):
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    frame, _ = indexed(pd, "shuffled")
    numbered = frame.reset_index(names=column)
    path = tmp_path / name
    if name == "rows.csv":
        numbered.to_csv(path, index=False)
    else:
        write_table(pa.table({n: numbered[n].tolist() for n in numbered.columns}), path)  # nothing is known of pandas
    read_by(package, monkeypatch)
    found = quietly(path)
    assert (found.feature_names, found.target_name) == (["x", "z"], "sick")
    why = "no name" if column == "" else "the name of an index"
    called = column or "column 1"
    assert found.notes == [
        f"{f'column {called!r}' if column else called} has a different whole number in each row and {why}, so it is "
        "left out; otherwise keep the column"
    ]
    assert quietly(path, keep=called).feature_names == [called, "x", "z"]
    assert quietly(path, keep=1).feature_names == [called, "x", "z"]
    with pytest.raises(ValueError, match="the kept column"):
        quietly(path, keep="who")


def test_columns_of_a_file_get_the_notes_of_text(tmp_path):
    pd = pytest.importorskip("pandas")
    frame, _ = indexed(pd, "shuffled")
    frame = frame.assign(patient_id=np.arange(60) * 11 % 61, town=[f"t{i % 25}" for i in range(60)])[
        ["patient_id", "x", "town", "z", "sick"]
    ]
    frame.iloc[4, 3] = 1e300
    frame.to_csv(tmp_path / "rows.csv", index=False)
    write_table(frame.reset_index(drop=True), tmp_path / "rows.parquet")
    text, columns = (quietly(tmp_path / name).notes for name in ("rows.csv", "rows.parquet"))
    assert columns == [note.replace("in line 6", "in row 4, counted from 0") for note in text] and len(text) == 3
    with pytest.raises(ValueError, match="no column is left for features; column 'index'"):
        write_table(frame.reset_index()[["index", "sick"]], tmp_path / "few.parquet")
        quietly(tmp_path / "few.parquet")


def test_a_header_with_numbers(tmp_path):
    path = tmp_path / "rows.csv"
    rows = "".join(f"{i % 7}.5,{i * 3 % 11},{'high' if i % 3 else 'low'}\n" for i in range(60))
    path.write_text("2019,2020,income\n" + rows)
    found = quietly(path)
    assert (found.feature_names, found.target_name, len(found.target)) == (["2019", "2020"], "income", 60)
    assert found.notes[0].startswith("the first row, with the number 2019, is taken for a header")
    path.write_text("2019,2020,income\n" + rows[:30])
    assert quietly(path, label="income").feature_names == ["2019", "2020"]
    with pytest.raises(ValueError, match=r'say that it is a header \(header="yes"\)'):
        quietly(path, label="incom")


def test_codes_of_missing_values_vs_pandas(tmp_path):
    """Oracle: pandas with na_values, and the same rows as Parquet."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.csv"
    rows = [
        f"{'.' if i == 3 else i % 7},{-99 if i % 9 == 4 else i % 5},{'n/a' if i == 8 else 'ab'[i % 2]},{'uv'[i % 3 > 1]}"
        for i in range(40)
    ]
    path.write_text("\n".join(["a,crp,t,y", *rows]) + "\n")
    expected = pd.read_csv(path, na_values={"a": ["."], "crp": [-99]})
    raw = pd.read_csv(path, na_values={"a": ["."]}, dtype={"t": str}, keep_default_na=False)
    raw.to_parquet(tmp_path / "rows.parquet", index=False)
    for na in ({"a": ".", "crp": [-99]}, [".", "crp=-99"], [".,n/a,-99"], [".", -99]):
        found = quietly(path, missing="impute", na=na)
        stored = quietly(tmp_path / "rows.parquet", missing="impute", na=na).data.to_pandas()
        for name in ("a", "crp"):
            assert np.array_equal(found.data[name], expected[name].astype(float), equal_nan=True)
            assert np.array_equal(stored[name].astype(float), expected[name].astype(float), equal_nan=True)
        assert found.data["t"].isna().tolist() == expected["t"].isna().tolist()
    with pytest.raises(ValueError, match=r"name what means missing \(na=\[\"...\"\]"):
        quietly(path)
    frame = pd.DataFrame({"a": ["1", ".", "2"], "b": ["1", "x", "2"]})
    with pytest.raises(ValueError, match=r"column 'a': the text \".\".*column 'b': the text \"x\""):
        credence.SVC().fit(frame, ["u", "v", "u"])


def test_a_sheet_vs_the_same_table_as_csv(tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    import datetime

    book = openpyxl.Workbook()
    rows = [["day", "a", "t", "y"]]
    rows += [[datetime.date(2024, 1, 1 + i % 28), i % 7 / 2, None if i == 4 else "red", "uv"[i % 2]] for i in range(40)]
    for row in [*rows, [None, None, None, None]]:
        book.active.append(row)
    book.create_sheet("other").append(["a", "y"])
    book.save(tmp_path / "t.xlsx")
    text = "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in rows)
    (tmp_path / "t.csv").write_text(text + "\n")
    found, twin = (quietly(tmp_path / name, missing="impute") for name in ("t.xlsx", "t.csv"))
    assert found.data.equals(twin.data) and found.feature_names == twin.feature_names == ["a", "t"]
    assert found.target.tolist() == twin.target.tolist()
    assert quietly(tmp_path / "t.xlsx", missing="drop", sheet="Sheet").data.shape == (39, 2)
    with pytest.raises(ValueError, match="t.xlsx: the file has a header but no rows of data"):
        credence.read(tmp_path / "t.xlsx", sheet=1, header="yes")
    with pytest.raises(ValueError, match="'third' is none of the 2 sheets, which are 'Sheet', 'other'"):
        credence.read(tmp_path / "t.xlsx", sheet="third")
    with pytest.raises(ValueError, match="is no spreadsheet"):
        credence.read(tmp_path / "t.csv", sheet=0)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match="needs openpyxl: pip install openpyxl, or save the table as CSV"):
        credence.read(tmp_path / "t.xlsx")


@pytest.mark.parametrize("kind", ["datetime64[ns]", "datetime64[ns, UTC]", "text", "dates"])
def test_days_by_one_rule_vs_the_command(tmp_path, kind):
    """Oracle: the columns that the command keeps of the same table."""
    pd = pytest.importorskip("pandas")
    days = pd.Series(pd.date_range("2024-01-01", periods=40, freq="D")[[(7 * i) % 23 for i in range(40)]])
    made = {"text": lambda: days.astype(str), "dates": lambda: days.dt.date}.get(
        kind, lambda: days.astype("datetime64[ns]").dt.tz_localize("UTC" if "UTC" in kind else None)
    )()
    frame = pd.DataFrame({"day": made, "x": [i % 7 for i in range(40)]})
    y = ["uv"[i % 2] for i in range(40)]
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.warns(UserWarning, match="column 'day' holds 23 different dates and is left out"):
        assert credence.read(tmp_path / "rows.csv").feature_names == ["x"]
    with pytest.warns(UserWarning, match="column 'day' holds 23 different dates and is left out"):
        machine = credence.SVC().fit(frame, y)
    alone = credence.SVC().fit(frame[["x"]], y)
    assert np.array_equal(machine.decision_function(frame), alone.decision_function(frame[["x"]]))


@pytest.mark.command
def test_the_line_of_the_page_makes_csv_of_parquet(tmp_path):
    """Oracle: the frame itself."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    page = (SOURCE / "docs" / "data.md").read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if "read_parquet" in line)
    frame = pandas.DataFrame({"dose": [0.5, 1.25, 3.0] * 4, "kind": ["a", "b", None] * 4, "label": ["x", "y", "y"] * 4})
    frame.to_parquet(tmp_path / "rows.parquet")
    refused = subprocess.run([COMMAND, "describe", "rows.parquet"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 3 and "docs/data.md has the line" in refused.stderr
    subprocess.run(line.replace("python3", sys.executable, 1), shell=True, cwd=tmp_path, check=True)
    found = subprocess.run(
        [COMMAND, "describe", "rows.csv", "--json", "-", "--quiet"], cwd=tmp_path, capture_output=True, text=True
    )
    columns = json.loads(found.stdout)["columns"]
    assert [one["name"] for one in columns] == ["dose", "kind"]
    assert [one["missing"] for one in columns] == [0, 4]
