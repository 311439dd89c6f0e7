"""From arrays, sparse matrices and frames to data sets of the library."""

from __future__ import annotations

import hashlib
import numbers
import warnings
from collections.abc import Callable
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from credence import _core
from credence._frames import fill_column, is_categorical, is_frame, is_missing, reason_to_leave_out
from credence._run import warn_caller


def spelling(label: Any) -> str:
    """Return a class label as the command would read it from a file: 1 for 1.0, else the text of the label."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label).strip()


def sound(X: Any) -> Any:
    """Return a sparse matrix as rows (CSR), and anything else as it is. Every sparse matrix passes here.

    SciPy takes any indices, and compiled code, scikit-learn's too, follows them into memory that is not theirs.

    Raises
    ------
    ValueError
        For a matrix whose parts do not fit each other.
    """
    if not scipy.sparse.issparse(X):
        return X
    X = X if X.format in ("csr", "csc", "bsr", "coo") else X.tocsr()
    if damage := _damage(X):
        raise ValueError(f"the sparse matrix X is damaged: {damage}")
    return X.tocsr()


def row_count(X: Any) -> int:
    """Return how many rows there are in an array, a sparse matrix, a frame or a list."""
    shape = getattr(X, "shape", None)
    if shape is None and hasattr(X, "__len__") and not hasattr(X, "fit"):
        return len(X)
    if not shape:
        raise TypeError(f"Expected sequence or array-like, got {type(X)}")
    return int(shape[0])


def rows_at(X: Any, rows: np.ndarray) -> Any:
    """Return some rows of an array, a sparse matrix, a frame, a column or a list, as the same kind of thing."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    table: Any = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(table, nw.DataFrame | nw.Series):
        return table[rows].to_native()
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


def columns_at(X: Any, columns: list[int]) -> Any:
    """Return some columns of the same."""
    if hasattr(X, "iloc"):
        return X.iloc[:, columns]
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[:, columns].to_native()
    return (X if hasattr(X, "shape") else np.asarray(X))[:, columns]


def parameters_at(parameters: dict[str, Any], rows: np.ndarray, count: int) -> dict[str, Any]:
    """Return what goes to a ``fit`` on some of ``count`` rows: of what has a value for each row, these values."""

    def has_rows(value: Any) -> bool:
        sized = hasattr(value, "shape") or isinstance(value, list | tuple) or hasattr(value, "__array__")
        return sized and np.shape(value) != () and row_count(value) == count

    return {name: rows_at(sound(value), rows) if has_rows(value) else value for name, value in parameters.items()}


def _damage(X: Any) -> str:
    """Return what is wrong with the parts of a sparse matrix; nothing if it is sound."""
    if X.format == "coo":
        axes = [*zip(getattr(X, "coords", None) or (X.row, X.col), X.shape, strict=True)]
    else:
        height, width = (1, *X.shape)[-2:]
        blocks = X.blocksize if X.format == "bsr" else (1, 1)
        major, minor = (width, height) if X.format == "csc" else (height // blocks[0], width // blocks[1])
        starts, count = X.indptr, len(X.indices)
        whole = starts.dtype.kind in "iu" and starts.shape == (major + 1,)
        if not whole or starts[0] != 0 or starts[-1] != count or (starts[1:] < starts[:-1]).any():
            return f"its indptr must be {major + 1} whole numbers that ascend from 0 to the number of indices, {count}"
        axes = [(X.indices, minor)]
    for places, length in axes:
        if places.dtype.kind not in "iu" or places.shape != X.data.shape[:1] or X.data.dtype.kind not in "biufc":
            return "its indices are no whole numbers, its values no numbers, or there are more of one than of the other"
        if len(places) and not (places.min() >= 0 and places.max() < length):
            return f"its indices go from {places.min()} to {places.max()}, and may go from 0 to {length - 1}"
    return ""


def rows_of(estimator: Any, X: Any, *, reset: bool, missing: str = "error", least: int = 1) -> _core.Dataset:
    """Return the rows of X.

    Parameters
    ----------
    estimator : estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set, or X is checked against them. Columns of row numbers,
        which a frame of ``fit`` has, are among these, and left out of the rows.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        C-ordered float64 arrays, read-only memory maps too, are read where they are.
    reset : bool
        Whether the estimator is being fitted.
    missing : {"error", "drop", "impute"}
        Whether missing values are allowed: they are for the last two.
    least : int
        Rows that there must be.

    Raises
    ------
    ValueError
        For anything that is no table of finite numbers and texts.
    """
    if reset:
        estimator._left_out, estimator._text_columns = np.zeros(0, dtype=np.int64), None
    if is_frame(X):
        return _rows_of_frame(estimator, X, reset=reset, missing=missing, least=least)
    finite: Any = "allow-nan"
    checked: Any = validate_data(
        estimator,
        sound(X),
        reset=reset,
        accept_sparse="csr",
        dtype=np.float64,
        order="C",
        ensure_all_finite=finite,
        ensure_min_samples=least,
    )
    if len(left_out := getattr(estimator, "_left_out", ())):
        checked = checked[:, np.setdiff1d(np.arange(checked.shape[1]), left_out)]
    if missing == "error" or is_precomputed(estimator):
        _refuse_missing_cells(estimator, checked, reset=reset)
    sparse = scipy.sparse.issparse(checked)
    dataset = _sparse_rows(checked) if sparse else _core.Dataset.dense(np.ascontiguousarray(checked))
    if reset and not is_precomputed(estimator):
        warn_caller(_core.column_notes(dataset, [], None))
    return dataset


def is_precomputed(estimator: Any) -> bool:
    """Return whether the estimator takes kernel values in place of rows."""
    kernel: Any = getattr(estimator, "kernel", None)
    return "precomputed" in np.ravel(kernel)


def _sparse_rows(matrix: Any) -> _core.Dataset:
    ascends = matrix.indices[1:] > matrix.indices[:-1]
    starts = matrix.indptr[1:-1]
    ascends[starts[(starts > 0) & (starts < len(matrix.indices))] - 1] = True
    if not ascends.all():  # whatever the flags of the matrix say, which outlive changes of its parts
        matrix = type(matrix)((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape, copy=True)
        matrix.sum_duplicates()
    if (matrix.data == 0).any():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return _core.Dataset.sparse(
        np.ascontiguousarray(matrix.indptr, dtype=np.int64),
        np.ascontiguousarray(matrix.indices, dtype=np.int64),
        np.ascontiguousarray(matrix.data, dtype=np.float64),
        matrix.shape[1],
    )


def _rows_of_frame(
    estimator: Any, X: Any, *, reset: bool, missing: str, least: int, keep_all: bool = False
) -> _core.Dataset:
    """Return the rows of a frame; ``keep_all`` keeps columns that say nothing about new rows."""
    frame = nw.from_native(X, eager_only=True)
    known = getattr(estimator, "_known_columns", None)  # of a model from a file, which looks at no others
    if known and set(known) <= set(frame.columns):
        X = (frame := frame.select(known)).to_native()
    _check_names(estimator, X, list(frame.columns), reset=reset)
    if len(frame) < least:
        raise ValueError(f"Found array with {len(frame)} sample(s) while a minimum of {least} is required.")
    if frame.shape[1] == 0:
        raise ValueError("Found array with 0 feature(s) while a minimum of 1 is required.")
    values = np.empty((len(frame), frame.shape[1]), dtype=np.float64)
    levels: list[list[str] | None] = []
    names: list[Any] = []
    declared: list[bool] = []
    sentences: list[str] = []
    problems: list[str] = []
    left_out: list[int] = [] if reset else list(getattr(estimator, "_left_out", ()))
    texts = None if reset else getattr(estimator, "_text_columns", None)
    for j, name in enumerate(frame.columns):
        if j in left_out:
            continue
        cells, series = values[:, len(names)], frame[:, j]
        try:
            own = fill_column(cells, series, texts is not None and texts[len(names)])
        except ValueError as problem:
            problems.append(str(problem))
            names.append(name)  # for the columns that follow
            continue
        categorical = is_categorical(series)
        reason = reason_to_leave_out(name, j, cells, own, categorical) if reset and not keep_all else ""
        if reason:
            left_out.append(j)
            sentences.append(f"column {name!r} {reason}")
            continue
        if own is None and np.isinf(cells).any():
            raise ValueError(f"Input X contains infinity in column {name!r}.")
        names.append(name)
        levels.append(own)
        declared.append(categorical)
    if problems:
        more = f"; and {len(problems) - 10} more columns" if len(problems) > 10 else ""
        raise ValueError("; ".join(problems[:10]) + more)
    if not names:
        raise ValueError(f"no column is left for features: {sentences[-1]}")
    if reset:
        estimator._left_out = np.array(left_out, dtype=np.int64)
        estimator._text_columns = [own is not None for own in levels]
    values = np.ascontiguousarray(values[:, : len(names)])
    if missing == "error" or is_precomputed(estimator):
        _refuse_missing_cells(estimator, values, names, reset=reset)
    named = all(isinstance(name, str) for name in names)
    dataset = _core.Dataset.dense(values, names if named else None, levels)
    if reset and not keep_all:
        warn_caller(sentences + _core.column_notes(dataset, [repr(name) for name in names], declared))
    return dataset


def _check_names(estimator: Any, X: Any, names: list[Any], *, reset: bool) -> None:
    """Check number and names of features as scikit-learn does, also of frames whose names it does not see."""
    texts = all(isinstance(name, str) for name in names)
    with warnings.catch_warnings():
        if texts:
            warnings.filterwarnings("ignore", "X does not have")
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    if not texts:
        return
    if reset:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    elif list(getattr(estimator, "feature_names_in_", names)) != names:
        raise ValueError(
            f"The feature names should match those that were passed during fit: {list(estimator.feature_names_in_)}, "
            f"not {names}."
        )


def _refuse_missing_cells(estimator: Any, values: Any, names: list[Any] | None = None, *, reset: bool) -> None:
    """Refuse rows with a missing value, and say what the estimator could do with such rows."""
    sparse = scipy.sparse.issparse(values)
    cells = values.data if sparse else values
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isnan(np.sum(cells)):  # a mask of all cells would take memory
            return
    found = np.argwhere(np.isnan(cells))
    if not len(found):
        return
    if sparse:
        place = int(found[0, 0])
        i, j = int(np.searchsorted(values.indptr, place, side="right")) - 1, int(values.indices[place])
    else:
        i, j = map(int, found[0])
    raise ValueError(missing_cell(estimator, i, j if names is None else repr(names[j]), reset=reset))


def missing_cell(estimator: Any, row: int, column: Any, *, reset: bool) -> str:
    """Return the sentence that refuses a missing value, and says what the estimator could do with such rows."""
    if is_precomputed(estimator):
        remedy = "a precomputed kernel has a value for each pair of rows"
    elif not hasattr(estimator, "missing"):
        remedy = "fill the cell, or leave the row out"
    elif reset:
        remedy = "missing='impute' fills missing values, missing='drop' leaves their rows out"
    else:
        remedy = "a model that is fitted with missing='impute' fills missing values"
    return f"Input X contains NaN: column {column} is missing in row {row}, counted from 0; {remedy}."


def _name_of(y: Any) -> str:
    name = getattr(y, "name", None)
    return "" if name is None or isinstance(y, np.ndarray) else str(name)


def _dropped(estimator: Any, dataset: _core.Dataset, keep: np.ndarray) -> _core.Dataset:
    """Return the rows that stay; of a precomputed kernel the columns too, and new rows leave out the same columns."""
    if keep.all():
        return dataset
    if not is_precomputed(estimator) or dataset.columns != len(keep):
        return dataset.select_rows(np.flatnonzero(keep).astype(np.int64))
    estimator._left_out = np.flatnonzero(~keep)
    if _core.is_sparse(dataset):
        offsets, places, values = _core.sparse_parts(dataset)
        return _sparse_rows(scipy.sparse.csr_matrix((values, places, offsets), shape=(len(keep),) * 2)[keep][:, keep])
    return _core.Dataset.dense(np.ascontiguousarray(_core.dense_values(dataset)[np.ix_(keep, keep)]))


def _kept_rows(dataset: _core.Dataset, missing: str) -> np.ndarray:
    """Return which rows stay when rows with missing values are dropped."""
    keep = np.ones(dataset.rows, dtype=bool)
    if missing != "drop":
        return keep
    if not _core.is_sparse(dataset):
        return ~np.isnan(_core.dense_values(dataset)).any(axis=1)
    offsets, _, values = _core.sparse_parts(dataset)
    keep[np.repeat(np.arange(dataset.rows), np.diff(offsets))[np.isnan(values)]] = False
    return keep


def _codes(values: Any, n: int, noun: str) -> np.ndarray:
    values = column_or_1d(values)
    if len(values) != n:
        raise ValueError(f"there are {len(values)} {noun} for {n} rows; each row needs one")
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def _kept(may_stay: np.ndarray, sample_weight: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Return which rows stay, and their weights: rows of weight 0 do not."""
    keep = may_stay
    if sample_weight is None:
        return keep, None
    weights = _weights(sample_weight, len(keep))
    keep = keep & (weights > 0)
    if not keep.any():
        raise ValueError("sample_weight leaves no row: all weights are zero")
    kept = np.ascontiguousarray(weights[keep])
    return keep, None if (kept == 1).all() else kept


def _weights(sample_weight: Any, rows: int) -> np.ndarray:
    if np.isscalar(sample_weight):
        return np.full(rows, sample_weight, dtype=np.float64)
    numbers_of: Any = np.float64
    weights = check_array(sample_weight, ensure_2d=False, dtype=numbers_of, input_name="sample_weight")
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight has the shape {weights.shape}, and there are {rows} rows")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    return weights


def _require(estimator: Any, y: Any) -> None:
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )


def _cells_of(y: Any) -> np.ndarray:
    """Return labels as they were given: in an array of objects None, NaN and NA stay what they are."""
    series: Any = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        series = series.to_numpy() if series.dtype.is_numeric() else series.to_list()
    elif is_frame(y):
        series = np.asarray(y)
    return series.ravel() if isinstance(series, np.ndarray) else np.asarray(series, dtype=object).ravel()


def known_labels(
    y: Any, *, noun: str = "label", name: str = "y", missing: str = "error", remedy: str = ""
) -> np.ndarray:
    """Return which rows have a label.

    Raises
    ------
    ValueError
        For rows without a label, unless ``missing`` is "drop".
    """
    cells = _cells_of(y)
    if cells.dtype.kind in "fmM":
        absent = np.isnan(cells) if cells.dtype.kind == "f" else np.isnat(cells)
    elif cells.dtype.kind == "O":
        absent = np.fromiter(map(is_missing, cells), bool, len(cells))
    elif cells.dtype.kind == "U":
        absent = np.char.strip(cells) == ""
    else:
        return np.ones(len(cells), dtype=bool)
    if missing != "drop" and absent.any():
        first, others = int(np.argmax(absent)), int(absent.sum()) - 1
        cell = cells[first]
        what = "NaN" if isinstance(cell, (float, np.floating)) else str(cell).strip() or "an empty text"
        more = "" if not others else f" and {others} more row{'s' if others > 1 else ''}"
        verb = "has" if not others else "have"
        raise ValueError(
            f"Input {name} contains {what}: row {first}, counted from 0,{more} {verb} no {noun}; "
            f"{remedy or 'leave rows without one out'}."
        )
    return ~absent


def _remedy(estimator: Any) -> str:
    return "missing='drop' leaves such rows out" if hasattr(estimator, "missing") else ""


def classes_given(estimator: Any, y: Any, *, missing: str = "error") -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of a classifier's rows, and which rows have one.

    Raises
    ------
    ValueError
        For rows without a label, unless ``missing`` is "drop"; for labels that are numbers of a regression.
    """
    _require(estimator, y)
    labels = column_or_1d(_plain_labels(y), warn=True)
    known = known_labels(y, missing=missing, remedy=_remedy(estimator))
    there = np.asarray(labels[known].tolist()) if labels.dtype == object else labels
    if there is not labels and (there.dtype.kind in "biuf" or not known.all()):  # texts and numbers stay what they are
        labels = np.zeros(len(labels), dtype=there.dtype)
        labels[known] = there
    check_classification_targets(labels[known])
    return labels, known


def targets_given(estimator: Any, y: Any, *, missing: str = "error") -> tuple[np.ndarray, np.ndarray]:
    """Return the targets of a regressor's rows, and which rows have one.

    Raises
    ------
    ValueError
        For rows without a target, unless ``missing`` is "drop"; for targets that are no finite numbers.
    """
    _require(estimator, y)
    known = known_labels(y, noun="target", missing=missing, remedy=_remedy(estimator))
    targets = column_or_1d(np.asarray(_plain_labels(y)), warn=True)
    if not known.all():
        targets = np.where(known, targets, np.nan)
    targets = np.ascontiguousarray(targets, dtype=np.float64)
    if np.isinf(targets).any():
        raise ValueError(
            "Input y contains infinity or a value too large for dtype('float64'): "
            f"the target of row {int(np.argmax(np.isinf(targets)))}, counted from 0, is infinite."
        )
    return targets, known


def codes_among(classes: np.ndarray, y: Any, refusal: Callable[[Any], str] | None = None) -> np.ndarray:
    """Return the place of each label among classes; -1 for a label that is none of them.

    Raises
    ------
    ValueError
        The refusal of the first such label, if one is given.
    """
    places = {label: place for place, label in enumerate(classes.tolist())}
    labels = np.asarray(_plain_labels(y)).tolist()
    codes = np.array([places.get(label, -1) for label in labels], dtype=np.int32)
    if refusal is not None and (codes < 0).any():
        raise ValueError(refusal(labels[int(np.argmin(codes))]))
    return codes


def _check_lengths(dataset: _core.Dataset, y: np.ndarray) -> None:
    if len(y) != dataset.rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{dataset.rows}, {len(y)}]")


def check_classes(labels: Any) -> None:
    """Refuse labels that cannot be classes, such as ages, and warn of names that may mean the same.

    Texts of digits are names.

    Raises
    ------
    ValueError
        As the command refuses such a file.
    """
    classes = np.unique(labels).tolist()
    names = all(isinstance(label, str) for label in classes)
    _core.check_classes([spelling(label) for label in classes], len(labels), names)
    if names:
        warn_caller(_core.notes_on_spellings("the classes", classes))


def labelled_rows(estimator, X, y, *, sample_weight=None, groups=None, missing="error"):
    """Return the data set of a classifier's ``fit``, and which rows of X it has; sets ``classes_``.

    Raises
    ------
    ValueError
        As :func:`rows_of` and :func:`classes_given`; for other numbers of labels or weights.
    """
    _require(estimator, y)
    dataset = rows_of(estimator, X, reset=True, missing=missing, least=2)
    complete = _kept_rows(dataset, missing)
    return give_labels(estimator, dataset, y, complete, sample_weight=sample_weight, groups=groups, missing=missing)


def give_labels(estimator, dataset, y, complete, *, sample_weight=None, groups=None, missing="error"):
    """Return a data set with labels, weights and groups, and which rows of the given one it has; sets ``classes_``.

    Parameters
    ----------
    complete : ndarray of bool
        The rows that may stay; rows with a missing value are not among them if they are refused or dropped.

    Raises
    ------
    ValueError
        As :func:`classes_given`; for other numbers of labels or weights.
    """
    _require(estimator, y)
    name = _name_of(y)
    y, known = classes_given(estimator, y, missing=missing)
    _check_lengths(dataset, y)
    keep, weights = _kept(complete & known, sample_weight)
    groups = None if groups is None else _codes(groups, dataset.rows, "groups")[keep]
    estimator.classes_, codes = np.unique(y[keep], return_inverse=True)
    if len(estimator.classes_) < 2 and sample_weight is not None:
        raise ValueError("sample_weight leaves rows of one class; a classifier needs at least two classes")
    check_classes(y[keep])
    dataset = _dropped(estimator, dataset, keep)
    if groups is not None:
        dataset.set_groups(groups)
    dataset.set_labels(codes.astype(np.int32), [spelling(label) for label in estimator.classes_], name)
    if weights is not None:
        dataset.set_weights(weights)
    return dataset, keep


def target_rows(estimator, X, y, *, missing="error"):
    """Return the data set of a regressor's ``fit``, and which rows of X it has.

    Raises
    ------
    ValueError
        As :func:`rows_of` and :func:`targets_given`; for another number of targets.
    """
    _require(estimator, y)
    dataset = rows_of(estimator, X, reset=True, missing=missing, least=2)
    name = _name_of(y)
    targets, known = targets_given(estimator, y, missing=missing)
    _check_lengths(dataset, targets)
    keep = _kept_rows(dataset, missing) & known
    dataset = _dropped(estimator, dataset, keep)
    dataset.set_targets(np.ascontiguousarray(targets[keep]), name)
    return dataset, keep


def row_keys(X: Any) -> np.ndarray:
    """Return a number for each row that depends on its content alone, whatever the call and the place.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or sequence
        Rows of any kind. Rows of numbers have the keys of the library; others those of the texts of their cells.
    """
    if scipy.sparse.issparse(X):
        return _core.row_keys(_sparse_rows(sound(X).astype(np.float64)))
    if is_frame(X):
        rows: Any = nw.from_native(X, eager_only=True).rows()
    else:
        try:
            matrix = np.ascontiguousarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            rows = X
        else:
            return _core.row_keys(_core.Dataset.dense(matrix.reshape(len(matrix), -1)))
    texts = ("\x1f".join(map(str, row)) if isinstance(row, (tuple, list, np.ndarray)) else str(row) for row in rows)
    digests = [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]
    return np.array([int.from_bytes(digest, "little") for digest in digests], dtype=np.uint64)


def _plain_labels(y: Any) -> Any:
    """Return labels of any library as an array, and texts without white space around them."""
    series = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        y = np.asarray(series.to_list()) if not series.dtype.is_numeric() else series.to_numpy()
    elif is_frame(y):
        y = np.asarray(y)
    if isinstance(y, (list, tuple)):
        return [_stripped(label) for label in y]
    kind = y.dtype.kind if isinstance(y, np.ndarray) else ""
    return np.char.strip(y) if kind == "U" else np.frompyfunc(_stripped, 1, 1)(y) if kind == "O" else y


def _stripped(label: Any) -> Any:
    return label.strip() if isinstance(label, str) else label


def resamples_of(cv: Any, X: Any, y: Any, *, groups: Any, kept: np.ndarray, classifier: bool):
    """Return the rows that train and the rows that are held out, for each resample of a splitter or an iterable.

    Parameters
    ----------
    cv : splitter or iterable
        As scikit-learn takes it.
    X, y, groups : array-like
        What was given to ``fit``.
    kept : ndarray of bool
        The rows that the data set has: rows of weight 0 are left out.
    classifier : bool
        Whether the estimator is a classifier.
    """
    place = np.full(len(kept), -1, dtype=np.int64)
    place[kept] = np.arange(int(kept.sum()))
    parts = []
    splitter: Any = check_cv(cv, y, classifier=classifier)
    for train, test in splitter.split(X, y, groups):
        train, test = (place[np.asarray(rows)] for rows in (train, test))
        parts.append((train[train >= 0], test[test >= 0]))
    return parts


def left_out(estimator: Any, dataset: _core.Dataset, X: Any, y: Any, kept: np.ndarray) -> int:
    """Return the folds that a single model's ``cv`` asks for, 0 for none; resamples go to the data set."""
    if estimator.cv is None:
        return 0
    if isinstance(estimator.cv, numbers.Integral):
        if estimator.cv < 2:
            raise ValueError(f"cv must be None or at least 2, not {estimator.cv}")
        return int(estimator.cv)
    classifier = hasattr(estimator, "classes_")
    dataset.set_splits(resamples_of(estimator.cv, X, y, groups=None, kept=kept, classifier=classifier))
    return 2
