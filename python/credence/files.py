"""Model files, which the command and Python share."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from credence import _core
from credence._base import CredenceClassifier, CredenceRegressor
from credence._options import path_text
from credence._results import Estimate
from credence._text import documented


def _classes_of(spellings: list[str]) -> np.ndarray:
    """Return whole numbers or numbers if all classes are spelled as such, else texts."""
    for kind in (int, float):
        try:
            values = [kind(text) for text in spellings]
        except ValueError:
            continue
        if kind is float or [str(value) for value in values] == spellings:
            return np.asarray(values)
    return np.asarray(spellings)


class _Loaded:
    """What models of files share."""

    def __init__(self, *, unseen: str = "error", n_jobs: int | None = None, verbose: int = 0):
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _take(self, predictor: _core.Predictor) -> Any:
        self.predictor_ = predictor
        self.missing = "impute" if predictor.missing == "impute" else "error"
        self._about = json.loads(predictor.about)
        honest = self._about["honest"]
        self.honest_error_ = None if honest is None else Estimate(honest)
        schema = predictor.schema
        self.n_features_in_ = schema.columns
        self._text_columns, self._known_columns = schema.categorical, schema.names
        if not schema.regression:
            self.classes_ = _classes_of(schema.classes)
        if schema.names is not None:
            self.feature_names_in_ = np.asarray(schema.names, dtype=object)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """Return what the model is, and its honest error."""
        if not hasattr(self, "predictor_"):
            unfitted: Any = super()
            return unfitted.__repr__(N_CHAR_MAX)
        parts = [self._about["description"]]
        if classes := self._about["classes"]:
            parts.append(f"classes {', '.join(classes[:10])}{', ...' if len(classes) > 10 else ''}")
        honest = self.honest_error_
        parts.append("no honest error recorded" if honest is None else f"honest error {honest!r}")
        return f"{type(self).__name__}({'; '.join(parts)})"

    def fit(self, X: Any, y: Any = None) -> Any:
        """Raise: the model comes from a file.

        Parameters
        ----------
        X, y : array-like
            Ignored.

        Raises
        ------
        TypeError
            Always.
        """
        raise TypeError("this model was loaded from a file; fit an estimator such as SVC instead")


@documented
class LoadedClassifier(_Loaded, CredenceClassifier):
    """A classifier that :func:`load` read from a file of the command or of Python.

    {loaded}
    """


@documented
class LoadedRegressor(_Loaded, CredenceRegressor):
    """A regressor that :func:`load` read from a file of the command or of Python.

    {loaded}
    """


def load(path: Any) -> LoadedClassifier | LoadedRegressor:
    """Return the model of a file: Credence's, written by the command or by Python, or one of LIBSVM.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    LoadedClassifier or LoadedRegressor
        A fitted estimator. Classes are whole numbers or numbers if all are spelled as such, else texts.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If the file is no model, or is damaged.
    """
    predictor = _core.load(path_text(path))
    kind = LoadedRegressor if predictor.schema.regression else LoadedClassifier
    return kind()._take(predictor)


@documented
def save(estimator: Any, path: Any) -> None:
    """Save a fitted estimator of this package in a file that the command reads.

    Parameters
    ----------
    estimator : estimator
        With a model of the library, ``predictor_``.
    {written}
    TypeError
        For estimators that are no models of the library, such as wrappers; pickle them.
    """
    if not hasattr(type(estimator), "save"):
        steps = isinstance(estimator, Pipeline)
        last = ", or save its last step, pipe[-1], which takes pipe[:-1].transform(X)" if steps else ""
        raise TypeError(f"{type(estimator).__name__} has no model file; pickle it{last}")
    check_is_fitted(estimator)
    estimator.save(path)
