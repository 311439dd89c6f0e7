"""How often sets miss the truth, and how much p-values and sets say."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from credence import _core
from credence._data import known_labels
from credence._options import known
from credence._sets import significance_levels

__all__ = ["evaluate_p_values", "predict_set"]


def __dir__() -> list[str]:
    return __all__


@known
def evaluate_p_values(
    p_values: Any, labels: Any, confidence_levels: Any = (0.8, 0.9, 0.95, 0.99), *, smoothed: bool = False
) -> dict[str, Any]:
    """Return the ten criteria of efficiency, the errors of sets at several levels, and a test of uniformity.

    Parameters
    ----------
    p_values : array-like of shape (n_samples, n_classes)
        In [0, 1].
    labels : array-like of int of shape (n_samples,)
        Column of each row's class; -1 for a class without a column.
    confidence_levels : sequence of floats
        In (0, 1].
    smoothed : bool
        Whether the p-values are smoothed: the test of uniformity is then two-sided. The test assumes independent rows.

    Returns
    -------
    dict
        ``criteria`` (S, U, F, OU, OF), ``prediction_sets`` (a dict for each level, with N, M, E, OM, OE),
        ``calibration``, ``uniformity``, ``mean_confidence``, ``mean_credibility``, ``rows``.

    Raises
    ------
    ValueError
        For sizes, p-values, labels or levels that do not fit.

    References
    ----------
    V. Vovk, I. Nouretdinov, V. Fedorova, I. Petej, A. Gammerman, "Criteria of efficiency for set-valued
    classification", Annals of Mathematics and Artificial Intelligence 81 (2017).

    Examples
    --------
    >>> from credence import metrics
    >>> found = metrics.evaluate_p_values([[0.9, 0.1], [0.2, 0.7]], [0, 1], [0.8])
    >>> found["prediction_sets"][0]["errors"], round(found["criteria"]["S"], 3)
    (0, 0.95)
    """
    known_labels(labels, noun="class", name="labels", remedy="-1 stands for a class without a column")
    matrix = np.ascontiguousarray(p_values, dtype=np.float64)
    levels = significance_levels(confidence_levels)
    codes = np.ascontiguousarray(labels, dtype=np.int32)
    return json.loads(_core.evaluate_p_values(matrix, codes, levels, smoothed))


@known
def predict_set(p_values: Any, confidence_level: float = 0.95) -> np.ndarray:
    """Return which classes have a p-value above 1 - confidence_level, as a comparison of counts.

    Parameters
    ----------
    p_values : array-like of shape (n_samples, n_classes)
        In [0, 1].
    confidence_level : float
        In (0, 1].

    Returns
    -------
    ndarray of bool of shape (n_samples, n_classes)
        Whether the class belongs to the set.

    Examples
    --------
    >>> from credence import metrics
    >>> metrics.predict_set([[0.05, 0.1]], 0.95)
    array([[False,  True]])
    """
    matrix = np.ascontiguousarray(p_values, dtype=np.float64)
    return _core.prediction_sets(matrix, significance_levels(float(confidence_level)))[:, :, 0].astype(bool)
