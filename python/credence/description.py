"""A look at data before anything is trained on them."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

from credence import _core
from credence._data import labelled_rows, rows_of, target_rows
from credence._report import Result
from credence._run import thread_count
from credence._text import documented
from credence.comparison import _Place
from credence.reading import COLUMNAR, read


@documented
def describe(
    X: Any, y: Any = None, *, task: str = "classification", n_jobs: int | None = None, **reading: Any
) -> Result:
    """Say what data hold, and what to look at before a training. Nothing is trained.

    Parameters
    ----------
    X : path-like, or array-like, sparse matrix or frame of shape (n_samples, n_features)
        A file that :func:`read` reads, or rows.
    y : array-like of shape (n_samples,), default=None
        The classes or targets of rows; of a file, they are a column.
    task : {'classification', 'regression'}, default='classification'
        Whether the label is a class or a number.
    n_jobs : int or None
        Threads; None means one, -1 one for each core.
    **reading
        How the file is read: ``label``, ``drop``, ``categorical`` and the other options of :func:`read`. Missing values
        are counted unless ``missing`` says otherwise.

    Returns
    -------
    Result
        The dict that ``credence describe`` writes as JSON: ``columns`` with kind, missing values, smallest, median and
        largest number or levels of each, ``classes`` with ``class_counts``, ``copies``, ``notes`` and ``warnings``. Its
        ``report()`` is a page with a small histogram of each column.

    Raises
    ------
    OSError, ValueError
        As :func:`read` and ``fit``.

    {breast_cancer}
    >>> found = credence.describe(X, y)
    >>> found["classes"], found["class_counts"], found["columns"][0]["median"]
    (['benign', 'malignant'], [357, 212], 13.37)
    """
    source, notes = "", None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if isinstance(X, (str, os.PathLike)):
            source, reading = os.fspath(X), {"missing": "impute", "task": task} | reading
            if Path(source).suffix.lower() in COLUMNAR:
                table = read(source, **reading)
                X, y, notes = table.data, table.target, table.notes
        if source and notes is None:
            lists = {name: [str(one) for one in value] for name, value in reading.items() if isinstance(value, list)}
            texts = {name: str(reading[name]) for name in ("label", "index_base") if name in reading}
            dataset = _core.read(source, reading | lists | texts)
        elif y is None:
            dataset = rows_of(_Place(n_jobs), X, reset=True, missing="impute")
        else:
            rows = target_rows if task == "regression" else labelled_rows
            dataset = rows(_Place(n_jobs), X, y, missing="impute")[0]
    if notes is None:
        notes = _core.notes(dataset) + [str(one.message) for one in said]
    document, text = _core.describe(dataset, source, notes, _core.RunOptions(threads=thread_count(n_jobs)))
    return Result(json.loads(document), text)
