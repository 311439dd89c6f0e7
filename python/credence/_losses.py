"""The losses of single rows whose mean is a score of scikit-learn, or orders candidates as that score does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import get_scorer


def _errors(y: Any, said: Any, classes: Any) -> np.ndarray:
    wrong = np.asarray(said) != np.asarray(y)
    return (wrong if wrong.ndim == 1 else wrong.any(axis=1)).astype(float)


def _of_true_class(y: Any, said: Any, classes: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities, and whether each is of the row's class."""
    said = np.asarray(said, dtype=float)
    if said.ndim != 2 or said.shape[1] != len(classes):
        raise ValueError(f"probabilities must have a column for each of the {len(classes)} classes")
    return said, np.asarray(y)[:, None] == np.asarray(classes)[None, :]


def _log_losses(y: Any, said: Any, classes: Any) -> np.ndarray:
    said, true = _of_true_class(y, said, classes)
    least = np.finfo(said.dtype).eps
    with np.errstate(divide="ignore", invalid="ignore"):
        of_class = np.clip((said * true).sum(axis=1) / said.sum(axis=1), least, 1 - least)
    return -np.log(of_class)


def _brier_losses(y: Any, said: Any, classes: Any) -> np.ndarray:
    said, true = _of_true_class(y, said, classes)
    return ((said - true) ** 2).sum(axis=1) / (2 if len(classes) == 2 else 1)


def _over_outputs(values: np.ndarray) -> np.ndarray:
    return values if values.ndim == 1 else values.mean(axis=1)


def _squared_errors(y: Any, said: Any, classes: Any) -> np.ndarray:
    return _over_outputs((np.asarray(said, dtype=float) - np.asarray(y, dtype=float)) ** 2)


def _absolute_errors(y: Any, said: Any, classes: Any) -> np.ndarray:
    return _over_outputs(np.abs(np.asarray(said, dtype=float) - np.asarray(y, dtype=float)))


@dataclass(frozen=True)
class Losses:
    """The losses of single rows of one score."""

    name: str
    of_rows: Callable[[Any, Any, Any], np.ndarray]
    probabilities: bool = False  # of classes, instead of predictions
    balanced: bool = False  # each class counts alike

    def __call__(self, y: Any, said: Any, classes: Any, weights: np.ndarray) -> np.ndarray:
        """Return the loss of each row."""
        return self.of_rows(y, said, classes) * weights

    @property
    def of_labels(self) -> bool:
        """Whether predictions are labels."""
        return self.of_rows is _errors

    def weights(self, y: Any) -> np.ndarray:
        """Return what a row counts: with balanced accuracy n / (k n_class) for k classes, otherwise 1."""
        if not self.balanced:
            return np.ones(len(y))
        _, codes, counts = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
        return (len(codes) / (len(counts) * counts))[codes.ravel()]


_SQUARED = Losses("squared error", _squared_errors)
KINDS = {
    "accuracy": Losses("error", _errors),
    "balanced_accuracy": Losses("1 - balanced accuracy", _errors, balanced=True),
    "neg_log_loss": Losses("log loss", _log_losses, probabilities=True),
    "neg_brier_score": Losses("Brier score", _brier_losses, probabilities=True),
    "neg_mean_squared_error": _SQUARED,
    "neg_root_mean_squared_error": _SQUARED,
    "r2": _SQUARED,
    "neg_mean_absolute_error": Losses("absolute error", _absolute_errors),
}


def losses_of(scoring: Any, estimator: Any = None) -> Losses:
    """Return the losses of a score: a name, a scorer of scikit-learn, or None for the one of the estimator.

    Raises
    ------
    ValueError
        For a score that is no mean over rows, such as an area under a curve.
    """
    if scoring is None and is_classifier(estimator):
        return KINDS["accuracy"]
    if scoring is None and is_regressor(estimator):
        return KINDS["r2"]
    if isinstance(scoring, str) and scoring in KINDS:
        return KINDS[scoring]
    function = getattr(scoring, "_score_func", None)
    for name, kind in KINDS.items():
        known: Any = get_scorer(name)
        if (
            function is not None
            and function is known._score_func
            and getattr(scoring, "_kwargs", None) == known._kwargs
        ):
            return kind
    raise ValueError(
        f"scoring: {scoring!r} is no mean of losses of single rows, of which an honest error could be made; "
        f"choose by one of {', '.join(KINDS)}"
    )
