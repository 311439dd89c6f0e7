"""Data frames of pandas, polars, pyarrow and others: which object is one, its columns, its missing values."""

from __future__ import annotations

import importlib
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from credence import _core


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


def fill_column(cells: np.ndarray, series: Any) -> list[str] | None:
    """Fill the cells with numbers, or with codes of the levels that are returned; NaN where a value is missing."""
    if series.dtype.is_numeric():
        cells[:] = series.cast(nw.Float64).to_numpy() if series.null_count() else series.to_numpy()
        return None
    if series.dtype.is_temporal():
        raise ValueError(f"column {series.name!r} holds times; make numbers of them first")
    texts = [None if is_missing(value) else str(value) for value in series.to_list()]
    numbers = _numbers(texts) if series.dtype == nw.Object else None
    if numbers is not None:
        cells[:] = numbers
        return None
    levels = _core.sorted_spellings(sorted({text for text in texts if text is not None}))
    code = {level: float(i) for i, level in enumerate(levels)}
    cells[:] = [np.nan if text is None else code[text] for text in texts]
    return levels


def table_of(frame: Any) -> tuple[_core.Dataset, np.ndarray]:
    """Return the columns of a frame as a data set of the library, and its numbers and codes of levels."""
    values = np.empty((len(frame), frame.shape[1]), dtype=np.float64)
    levels = [fill_column(values[:, j], frame[:, j]) for j in range(frame.shape[1])]
    for j, name in enumerate(frame.columns):
        if levels[j] is None and np.isinf(values[:, j]).any():
            raise ValueError(f"Input X contains infinity in column {name!r}.")
    named = all(isinstance(name, str) for name in frame.columns)
    return _core.Dataset.dense(values, list(frame.columns) if named else None, levels), values


def row_numbers(dataset: _core.Dataset, values: np.ndarray) -> dict[str, str]:
    """Return the columns of row numbers, and what makes them that."""
    found = {}
    for j, name in enumerate(dataset.schema.names or []):
        if _core.names_index(name, j) and not dataset.schema.categorical[j]:
            found[name] = _core.likeness_of_row_numbers(name, j, values[:, j].tolist())
    return {name: likeness for name, likeness in found.items() if likeness}


def notes_on(dataset: _core.Dataset, frame: Any) -> list[str]:
    """Return what the library notes about the columns of a frame; categorical columns are as they were meant."""
    declared = [kind in (nw.Categorical, nw.Enum) for kind in frame.schema.values()]
    return _core.column_notes(dataset, [repr(name) for name in frame.columns], declared)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or NA."""
    if isinstance(value, (float, np.floating, np.datetime64, np.timedelta64)):
        return bool(value != value)  # NaN and NaT differ from themselves
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _numbers(texts: list[str | None]) -> list[float] | None:
    """Return the numbers that an object column holds; None if any cell is a text."""
    try:
        return [np.nan if text is None else float(text) for text in texts]
    except ValueError:
        return None
