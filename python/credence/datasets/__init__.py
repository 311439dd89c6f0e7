"""Data that come with the package."""

from __future__ import annotations

import csv
from importlib import resources
from typing import Any

import numpy as np
from sklearn.utils import Bunch

__all__ = ["load_breast_cancer"]


def __dir__() -> list[str]:
    return __all__


def load_breast_cancer(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Return the breast cancer data of Wisconsin: 569 rows, 30 features, benign or malignant.

    Parameters
    ----------
    return_X_y : bool
        Whether the pair (data, target) is returned instead of a Bunch.
    as_frame : bool
        Whether data and target are of pandas.

    Returns
    -------
    Bunch or (data, target)
        ``data`` of shape (569, 30), ``target`` of shape (569,) with the names of the classes, ``feature_names``,
        ``target_names``, ``filename``.

    References
    ----------
    W. Street, W. Wolberg, O. Mangasarian, "Nuclear feature extraction for breast tumor diagnosis" (1993).

    Examples
    --------
    >>> from credence.datasets import load_breast_cancer
    >>> load_breast_cancer().data.shape
    (569, 30)
    """
    path = resources.files("credence") / "data" / "breast_cancer.csv"
    with path.open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = rows[0][:-1]
    data: Any = np.array([[float(cell) for cell in row[:-1]] for row in rows[1:]])
    target: Any = np.array([row[-1] for row in rows[1:]])
    target_names = np.unique(target)
    if as_frame:
        import pandas as pd

        data = pd.DataFrame(data, columns=names)
        target = pd.Series(target, name=rows[0][-1])
    if return_X_y:
        return data, target
    return Bunch(data=data, target=target, feature_names=names, target_names=target_names, filename=str(path))
