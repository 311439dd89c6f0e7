"""Data frames of pandas, polars, pyarrow and others: which object is one, its columns, its missing values."""

from __future__ import annotations

import importlib
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from credence import _core
from credence._run import warn_caller


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame of pandas, polars, pyarrow or another library that narwhals knows."""
    return isinstance(nw.from_native(X, pass_through=True), nw.DataFrame)


def frame_of(columns: dict[str, Any]) -> Any:
    """Return a frame of pandas, polars or pyarrow, the first of these that is installed; None if none is."""
    for library in ("pandas", "polars", "pyarrow"):
        try:
            module = importlib.import_module(library)
        except ImportError:
            continue
        return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    return None


def needed_frame(columns: dict[str, Any]) -> Any:
    """Return a frame as :func:`frame_of`, and raise ImportError where there is none."""
    made = frame_of(columns)
    if made is None:
        raise ImportError("a frame needs pandas, polars or pyarrow; install one")
    return made


def fill_column(cells: np.ndarray, series: Any, text: bool = False) -> list[str] | None:
    """Fill the cells with numbers, or with codes of the levels that are returned; NaN where a value is missing.

    Texts are what the reader of files makes of them. ``text`` says that numbers among them are levels, as in a
    categorical column.
    """
    if series.dtype.is_numeric():
        cells[:] = series.cast(nw.Float64).to_numpy() if series.null_count() else series.to_numpy()
        return None
    if series.dtype.is_temporal() and series.dtype not in (nw.Date, nw.Datetime):
        raise ValueError(f"column {series.name!r} holds times; make numbers of them first")
    texts = ["" if is_missing(value) else str(value) for value in series.to_list()]
    cells[:], levels = _core.read_texts(texts, f"column {series.name!r}", text or is_categorical(series))
    return levels


def is_categorical(series: Any) -> bool:
    """Return whether the texts of a column were declared its levels."""
    return series.dtype in (nw.Categorical, nw.Enum)


def leaves_out(name: Any, levels: list[str], rows: int, meant: bool) -> bool:
    """Return whether a column of texts is left out, unless it was meant, and warn of it as the reader of files does."""
    if not meant and (reason := _core.reason_to_leave_out(levels, rows)):
        warn_caller([f"column {name!r} {reason}"])
        return True
    notes = _core.notes_on_spellings(f"column {name!r}: the levels", levels)
    if not meant and (doubt := _core.doubt_about_texts(levels, rows)):
        doubt += ", and each becomes a column of its own; if they say little about new rows, drop the column"
        notes.insert(0, f"column {name!r} {doubt}")
    warn_caller(notes)
    return False


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or NA, or a text of white space alone."""
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, (float, np.floating, np.datetime64, np.timedelta64)):
        return bool(value != value)  # NaN and NaT differ from themselves
    return value is None or type(value).__name__ in ("NAType", "NaTType")
