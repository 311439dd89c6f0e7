"""Data files as frames: CSV and svmlight text as the command reads them, Parquet and Arrow through other packages."""

from __future__ import annotations

import csv
import difflib
import importlib
import inspect
import json
import mmap
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse
from sklearn.utils import Bunch

from credence import _core
from credence._data import _plain_labels
from credence._frames import frame_of, notes_on, row_numbers
from credence._options import known
from credence._run import warn_caller
from credence.files import _classes_of

#: Files of columns, and what reads them: the package, its module and the function.
COLUMNAR = {
    ".parquet": [("pyarrow", "pyarrow.parquet", "ParquetFile"), ("polars", "polars", "read_parquet")],
    ".feather": [("pyarrow", "pyarrow.feather", "read_table"), ("polars", "polars", "read_ipc")],
    ".arrow": [("pyarrow", "pyarrow.feather", "read_table"), ("polars", "polars", "read_ipc")],
}
#: Options of files of columns.
OF_COLUMNAR = ("task", "label", "missing", "na", "drop", "keep")
LABEL_WORDS = ("label", "target", "class", "y")


@known
def read(
    path: Any,
    *,
    sheet: str | int | None = None,
    # From the description in C++, by scripts/python_arguments.py:
    format: Literal["auto", "csv", "svmlight"] = "auto",
    delimiter: str = "auto",
    decimal: Literal["auto", "point", "comma"] = "auto",
    header: Literal["auto", "yes", "no"] = "auto",
    encoding: Literal["auto", "utf-8", "latin1", "windows-1252"] = "auto",
    index_base: Literal["auto", "0", "1"] = "auto",
    features: int | None = None,
    task: Literal["classification", "regression"] = "classification",
    label: str | None = None,
    missing: Literal["error", "drop", "impute"] = "error",
    na: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
) -> Bunch:
    r"""Return the rows of a file, ready for ``fit(data, target)``.

    CSV and svmlight text, plain, packed by gzip or alone in a zip archive, is read as the command reads it. Files that
    end in ``.parquet``, ``.feather`` or ``.arrow`` are read by pyarrow or polars, whichever is installed, and a sheet
    of a file that ends in ``.xlsx`` by openpyxl, as if it had been saved as CSV. The index of a pandas frame that
    such a file has is left out. A warning tells what ``read`` guessed or left out.

    Parameters
    ----------
    path : path-like
        The file.
    sheet : str, int or None, default=None
        Of a spreadsheet, its name or its number from 0 on; by default the first.
    format : {'auto', 'csv', 'svmlight'}, default='auto'
        Csv or svmlight text; auto goes by the name and the content.
    delimiter : str, default='auto'
        Separates the values of a CSV row: one character, tab, or auto, which finds a comma, semicolon, tab or |.
    decimal : {'auto', 'point', 'comma'}, default='auto'
        The decimal sign of numbers in a CSV file; auto finds decimal commas where commas do not separate values.
    header : {'auto', 'yes', 'no'}, default='auto'
        Whether the first row of a CSV file names the columns.
    encoding : {'auto', 'utf-8', 'latin1', 'windows-1252'}, default='auto'
        The encoding of the file; latin1 and windows-1252 are the same; auto takes UTF-8, or that of the model's
        training file.
    index_base : {'auto', '0', '1'}, default='auto'
        Whether the indices of svmlight text count from 0 or 1; auto takes that of the model's training file, else 1
        unless a 0 occurs.
    features : int from 1 to 16777216 or None, default=None
        Number of features of svmlight text; a higher index is an error; by default the highest index decides.
    task : {'classification', 'regression'}, default='classification'
        Whether the label is a class or a number.
    label : str or None, default=None
        Column of the label, its name or position; otherwise label, target, class or y, else the last column.
    missing : {'error', 'drop', 'impute'}, default='error'
        What becomes of missing values: an error, drop the row, or impute (median, most frequent level)
    na : list of str or None, default=None
        Further texts for a missing value, such as n/a,-99 in all columns, or COL=-99 in one; may be repeated. Empty
        cells, NA, N/A, NULL, NaN, None and ? are always missing.
    categorical : list of str or None, default=None
        A column whose numbers stand for categories; may be repeated, or name several: A,B.
    drop : list of str or None, default=None
        A column to leave out, such as row numbers; may be repeated, or name several: A,B; CSV only.
    keep : list of str or None, default=None
        A column to keep that would be left out, such as row numbers; may be repeated, or name several: A,B.

    Returns
    -------
    Bunch
        ``data``, a frame of pandas, polars or pyarrow, the first of these that is installed, or an array if all
        features are numbers and none of the three is; of svmlight text a sparse array; of files of columns the frame
        of the package that reads the file. ``target``, an array of classes or numbers; ``target_name``;
        ``feature_names``; ``notes``, the sentences of the warnings.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        For a file that is no table of numbers and texts, with the line and column, and for options that are not
        allowed.
    ImportError
        If a package is missing that the file needs.

    Examples
    --------
    >>> import os, tempfile, warnings, credence
    >>> path = os.path.join(tempfile.mkdtemp(), "trees.csv")
    >>> _ = open(path, "w").write("height;age;kind\n12,5;30;oak\n9,0;20;fir\n")
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     trees = credence.read(path)
    >>> trees.target.tolist(), trees.feature_names
    (['oak', 'fir'], ['height', 'age'])
    """
    usual = inspect.signature(read).parameters
    given = {name: value for name, value in locals().items() if name in usual and name != "path"}
    given = {name: value for name, value in given.items() if value is not None and value is not usual[name].default}
    for name in ("label", "index_base"):
        if name in given:
            given[name] = str(given[name])
    for name in ("drop", "keep", "categorical", "na"):
        if isinstance(given.get(name), dict):
            given[name] = [f"{column}={value}" for column, values in given[name].items() for value in _listed(values)]
        elif name in given:
            given[name] = [str(value) for value in _listed(given[name])]
    if Path(os.fspath(path)).suffix.lower() in (".xlsx", ".xlsm"):
        found = _read_sheet(path, given)
        return _warned(path, found)
    if "sheet" in given:
        raise ValueError(f"sheet: {os.fspath(path)} is no spreadsheet")
    readers = COLUMNAR.get(Path(os.fspath(path)).suffix.lower())
    found = _read_text(path, given) if readers is None else _read_columns(path, readers, given)
    return _warned(path, found)


def _listed(values: Any) -> Any:
    return [values] if isinstance(values, (str, int, float)) else values


def _warned(path: Any, found: Bunch) -> Bunch:
    warn_caller([f"{os.fspath(path)}: {sentence}" for sentence in found.notes])
    return found


def _read_sheet(path: Any, options: dict[str, Any]) -> Bunch:
    """Return what the reader of CSV makes of a sheet."""
    for name in ("format", "delimiter", "decimal", "encoding", "index_base", "features"):
        if name in options:
            raise ValueError(f"{name}: it is about files of text, and {os.fspath(path)} is none")
    with open(path, "rb"):  # an absent file is the same error, whatever reads it
        pass
    try:
        openpyxl: Any = importlib.import_module("openpyxl")
    except ImportError:
        raise ImportError(
            f"reading {os.fspath(path)} needs openpyxl: pip install openpyxl, or save the table as CSV"
        ) from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception as problem:
        raise ValueError(f"{os.fspath(path)}: openpyxl cannot read the file: {problem}") from problem
    wanted, names = options.pop("sheet", 0), book.sheetnames
    if wanted not in (range(len(names)) if isinstance(wanted, int) else names):
        raise ValueError(
            f"sheet: {wanted!r} is none of the {len(names)} sheets, which are {', '.join(map(repr, names))}"
        )
    rows = list(book[names[wanted] if isinstance(wanted, int) else wanted].iter_rows(values_only=True))
    book.close()
    while rows and not any(cell is not None for cell in rows[0]):
        del rows[0]
    width = max(map(len, rows), default=0)
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table.csv")
        with open(table, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([*row, *[None] * (width - len(row))] for row in rows)
        try:
            found = _read_text(table, {**options, "format": "csv", "delimiter": ",", "decimal": "point"})
        except ValueError as problem:
            raise ValueError(str(problem).replace(table, os.fspath(path))) from None
    found.filename = os.fspath(path)
    return found


def _without_codes(frame: Any, options: dict[str, Any]) -> Any:
    """Return a frame of columns without the values that mean a missing one."""
    for text in options.get("na", []):
        named: list[str] = []
        for part in text.split(","):
            column, _, code = part.rpartition("=")
            if column:
                named = _named(frame, column, "na")
            code = (code if column else part).strip().lower()
            for name in named or frame.columns:
                if frame.schema[name].is_numeric():
                    try:
                        same = nw.col(name) == float(code)
                    except ValueError:
                        continue
                elif frame.schema[name] == nw.String:
                    same = nw.col(name).str.strip_chars().str.to_lowercase() == code
                else:
                    continue
                frame = frame.with_columns(nw.when(~same).then(nw.col(name)).alias(name))
    return frame


def _read_text(path: Any, options: dict[str, Any]) -> Bunch:
    dataset = _core.read(os.fspath(path), options)
    schema = dataset.schema
    names = schema.names or [f"x{j + 1}" for j in range(schema.columns)]
    if schema.regression:
        target = np.asarray(_core.targets(dataset))
    else:
        target = _classes_of(schema.classes)[np.asarray(dataset.labels)]
    data: Any
    if _core.is_sparse(dataset):
        offsets, indices, values = _core.sparse_parts(dataset)
        data = scipy.sparse.csr_array((values, indices, offsets), shape=(dataset.rows, dataset.columns))
    else:
        data = _frame(np.asarray(_core.dense_values(dataset)), names, _core.levels(dataset))
    return Bunch(
        data=data,
        target=target,
        target_name=_core.label_name(dataset),
        feature_names=list(names),
        filename=os.fspath(path),
        notes=_core.notes(dataset),
    )


def _frame(values: np.ndarray, names: list[str], levels: list[list[str] | None]) -> Any:
    columns: dict[str, Any] = {}
    for j, (name, texts) in enumerate(zip(names, levels, strict=True)):
        cells = values[:, j]
        columns[name] = cells if texts is None else [None if np.isnan(cell) else texts[int(cell)] for cell in cells]
    made = frame_of(columns)
    if made is not None:
        return made
    if all(texts is None for texts in levels):
        return values
    raise ImportError("columns of text need a frame: install pandas, polars or pyarrow")


def _read_columns(path: Any, readers: list[tuple[str, str, str]], options: dict[str, Any]) -> Bunch:
    for name in options:
        if name not in OF_COLUMNAR:
            raise ValueError(f"{name}: it is about files of text, and {os.fspath(path)} is none")
    frame = nw.from_native(_read_with(readers, path), eager_only=True)
    names = dict(zip(frame.columns, _trimmed(frame.columns), strict=True))
    reasons = {
        names[name]: row_numbers(name, j, frame[name].cast(nw.Float64).to_numpy())
        for j, (name, kind) in enumerate(frame.schema.items())
        if kind.is_numeric()
    }
    reasons |= {names[name]: "is the index of a frame of pandas" for name in _index_of(path) if name in names}
    reasons = {name: reason for name, reason in reasons.items() if reason}
    frame = _without_codes(frame.rename(names), options)
    kept = [name for text in options.get("keep", []) for name in _named(frame, text, "kept")]
    frame = frame.drop([name for text in options.get("drop", []) for name in _named(frame, text, "dropped")])
    label = _label_of(frame, options.get("label"), reasons)
    left_out = [name for name in reasons if name in frame.columns and name not in (*kept, label)]
    phrases = {name: name if re.fullmatch(r"column \d+", name) else f"column {name!r}" for name in left_out}
    notes = [f"{phrases[name]} {reasons[name]}, so it is left out; otherwise keep the column" for name in left_out]
    frame = frame.drop(left_out)
    if frame.columns == [label]:
        raise ValueError("; ".join([f"{os.fspath(path)}: no column is left for features", *notes[-1:]]))
    missing = options.get("missing", "error")
    if missing not in ("error", "drop", "impute"):
        raise ValueError(f"missing: {missing!r} is none of error, drop and impute")
    if missing == "drop":
        frame = frame.drop_nulls()
    for name in frame.columns:
        if (missing == "error" or name == label) and frame[name].null_count():
            remedy = "missing='drop' leaves the row out" if name == label else "take missing='drop' or 'impute'"
            raise ValueError(f"{os.fspath(path)}, column {name!r}: a value is missing; {remedy}")
    series = frame[label]
    if options.get("task", "classification") == "regression":
        target = series.cast(nw.Float64).to_numpy()
    else:
        target = np.asarray(_plain_labels(series.to_list()))
    data = frame.drop(label)
    plain = data.drop([name for name, kind in data.schema.items() if kind.is_temporal()])
    return Bunch(
        data=data.to_native(),
        target=target,
        target_name=label,
        feature_names=list(data.columns),
        filename=os.fspath(path),
        notes=notes + notes_on(plain),
    )


def _trimmed(names: list[str]) -> list[str]:
    """Return the names as the header of a CSV file gives them: without blanks around them, and each name once."""
    plain = [name.strip() or f"column {j + 1}" for j, name in enumerate(names)]
    found: list[str] = []
    for name in plain:
        own, count = name, 0
        while own in found or (count and own in plain):
            count += 1
            own = f"{name}.{count}"
        found.append(own)
    return found


def _read_with(readers: list[tuple[str, str, str]], path: Any) -> Any:
    with open(path, "rb"):  # an absent file is the same error, whatever reads it
        pass
    for package, name, function in readers:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        try:
            opened = getattr(module, function)(os.fspath(path))
            return _of_row_groups(opened) if function == "ParquetFile" else opened
        except Exception as problem:
            raise ValueError(f"{os.fspath(path)}: {package} cannot read the file: {problem}") from problem
    raise ImportError(f"reading {os.fspath(path)} needs pyarrow or polars; install one: pip install pyarrow")


def _of_row_groups(file: Any) -> Any:
    """Return the table of a Parquet file, of which one row group at a time is decoded."""
    groups = [file.read_row_group(number) for number in range(file.num_row_groups)]
    return importlib.import_module("pyarrow").concat_tables(groups) if groups else file.read()


def _named(frame: Any, text: str, what: str) -> list[str]:
    """Return the columns of a name, or of a position from 1 on, or of several of these separated by commas."""
    if text.strip() in frame.columns:
        return [text.strip()]
    found = []
    for part in text.split(","):
        name = part.strip()
        position = int(name) if name.isdecimal() else 0
        if name not in frame.columns and not 1 <= position <= len(frame.columns):
            nearest = difflib.get_close_matches(name, frame.columns, n=5, cutoff=0)
            known = [column for column in frame.columns if column in nearest]
            raise ValueError(
                f"the {what} column {name!r} is neither a name in the file nor a position from 1 to "
                f"{len(frame.columns)}; the names are {', '.join(map(repr, known))}"
                + (f" and {len(frame.columns) - 5} more" if len(frame.columns) > 5 else "")
            )
        found.append(name if name in frame.columns else frame.columns[position - 1])
    return found


def _label_of(frame: Any, label: str | None, index: dict[str, str]) -> str:
    if label is not None:
        return _named(frame, label, "label")[0]
    names = [name for name in frame.columns if name not in index and not name.startswith("__index_level_")]
    for word in LABEL_WORDS:
        for name in names:
            if name.lower() == word:
                return name
    return (names or frame.columns)[-1]


def _index_of(path: Any) -> list[str]:
    """Return the columns that are the index of a pandas frame, as the end of a Parquet or Arrow file names them."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        end = content[-10:]
        length = int.from_bytes(end[-8:-4] if end.endswith(b"PAR1") else end[:4], "little")
        footer = content[-10 - length :]
    found = re.search(rb'"index_columns": *(?=\[)', footer)
    columns = json.JSONDecoder().raw_decode(footer[found.end() :].decode(errors="replace"))[0] if found else []
    return [name for name in columns if isinstance(name, str)]
