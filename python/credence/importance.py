"""Which columns matter to a fitted estimator, and how its answer changes with a column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import Bunch, check_random_state

from credence._base import random_seed
from credence._data import codes_among, known_labels, spelling
from credence._options import plain
from credence._run import ProgressLine, running


def _orders(rows: int, repeats: int, random_state: Any) -> np.ndarray:
    """Return the orders in which scikit-learn's function puts the rows: each shuffles the column as it was left."""
    random = np.random.RandomState(check_random_state(random_state).randint(np.iinfo(np.int32).max + 1))
    shuffled, order, orders = np.arange(rows), np.arange(rows), np.empty((repeats, rows), dtype=np.int64)
    for repeat in range(repeats):
        random.shuffle(shuffled)
        orders[repeat] = order = order[shuffled]
    return orders


def permutation_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_repeats: int = 5,
    random_state: Any = None,
    sample_weight: Any = None,
    correlated: float = 0.0,
    left_out: bool = False,
) -> Bunch:
    """Return how much ``estimator.score`` falls where a column is shuffled, with a standard error.

    Importances are those of ``sklearn.inspection.permutation_importance`` with the same ``random_state``. Copies of the
    rows are predicted together, by all threads.

    Parameters
    ----------
    estimator : fitted estimator of this package
        A classifier or a regressor.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows that the model has not seen, or with ``left_out`` those of its training.
    y : array-like of shape (n_samples,)
        Their classes or targets.
    n_repeats : int, default=5
        How often each column is shuffled.
    random_state : int, RandomState or None
        What the orders are drawn by.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    correlated : float, default=0.0
        Columns that correlations of at least this number link are shuffled together; 0: each column alone.
    left_out : bool, default=False
        Whether the rows are those of the training, in their order: each is judged by the fold model that had not seen
        it, and shuffled among the rows that this one left out, in other orders than scikit-learn's.

    Returns
    -------
    Bunch
        ``importances`` of shape (n_columns, n_repeats), ``importances_mean``, ``importances_std`` over the repeats,
        ``importances_se``, the standard error of the mean over rows and repeats, and ``names`` of columns or groups.

    Examples
    --------
    >>> import credence
    >>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    >>> model = credence.SVC(C=10, gamma=0.01).fit(X[:400], y[:400])
    >>> credence.permutation_importance(model, X[400:], y[400:]).importances.shape
    (30, 5)
    """
    rows, score, scale, cost = estimator._rows(X), "accuracy", 1.0, ""
    known_labels(y)
    if is_regressor(estimator):
        targets = np.ascontiguousarray(y, dtype=float)
        rows.set_targets(targets, "")
        scale = np.average((targets - np.average(targets, weights=sample_weight)) ** 2, weights=sample_weight)
    else:
        score = getattr(estimator, "scorer_name_", score)
        cost = plain(estimator.cost) if score == "cost" else ""
        codes = codes_among(estimator.classes_, y, lambda label: f"the model does not know the class {label!r}")
        rows.set_labels(codes, [spelling(label) for label in estimator.classes_])
    weights = np.ascontiguousarray([] if sample_weight is None else sample_weight, dtype=float)
    orders = _orders(rows.rows, 0 if left_out else n_repeats, random_state)
    drawn = (n_repeats, random_seed(random_state) if left_out else 0, float(correlated), left_out)
    with ProgressLine("permutation_importance") as progress:
        run = running(estimator, progress)
        found = estimator.predictor_.permutation_importance(rows, orders, *drawn, score, cost, weights, run)
    importances, errors = found["rises"] / scale, found["standard_error"] / scale
    spread = {"importances_mean": importances.mean(axis=1), "importances_std": importances.std(axis=1)}
    return Bunch(importances=importances, **spread, importances_se=errors, names=found["names"])


def partial_dependence(estimator: Any, X: Any, column: int | str) -> Bunch:
    """Return the mean answer of an estimator where a column has the same value in all rows, for each of its values.

    The numbers are those of ``sklearn.inspection.partial_dependence`` with its defaults.

    Parameters
    ----------
    estimator : fitted estimator of this package
        A classifier or a regressor.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        The rows.
    column : int or str
        Its place, from 0 on, or its name.

    Returns
    -------
    Bunch
        ``grid_values``, a list of one array; ``average`` of shape (n_outputs, n_values), one output for two classes;
        ``response``: probability where the model has one, else decision value or score; prediction of a regression.
    """
    found = estimator.predictor_.partial_dependence(estimator._rows(X), column, running(estimator))
    values = np.array(found["levels"]) if found["levels"] else found["values"]
    return Bunch(grid_values=[values], average=found["average"].T, response=found["response"])
