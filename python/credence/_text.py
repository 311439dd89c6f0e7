"""Pieces of docstrings that several classes and functions share.

A line `{rows}` of a docstring stands for the piece of that name. `{parameters}` stands for the arguments of a class, as
its `__init__` lists the arguments. :func:`documented` fills the docstrings that `help` shows. The site fills docstrings
from this file, which therefore imports nothing of the package.
"""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any, TypeVar

T = TypeVar("T")

_ROWS = "X : array-like, sparse matrix or data frame of shape (n_samples, n_features)\n    "
_ANY_ROWS = "X : array-like of shape (n_samples, n_features)\n    "
_LABELS = "y : array-like of shape (n_samples,)\n    "
_FITTED = "Returns\n-------\nself\n    The fitted estimator.\n\nRaises\n------\nValueError\n    "

PIECES = {
    "breast_cancer": "Examples\n--------\n>>> import credence\n"
    ">>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)",
    "rows": _ROWS + "The rows.",
    "training_rows": _ROWS + "Training rows.",
    "any_rows": _ANY_ROWS + "The rows.",
    "any_training_rows": _ANY_ROWS + "Training rows, of whatever kind the estimator takes.",
    "classes": _LABELS + "Class of each row.",
    "targets": _LABELS + "Targets.",
    "groups": "groups : array-like of shape (n_samples,), default=None\n    Rows of one group share a fold.",
    "new_groups": "groups : array-like of shape (n_samples,), default=None\n"
    "    Group of each row. Sets and intervals are then those of a row of a new group, if groups are exchangeable.",
    "n_effective": "n_effective_ : float\n    Effective number of these rows: (sum w)^2 / sum w^2 of ``weights``.",
    "written": "path : path-like\n    The file, which is written atomically.\n\n"
    "Raises\n------\nOSError\n    If the file cannot be written.",
    "p_value_options": "label_conditional : bool\n"
    "    Whether rows are compared with those of the assumed class alone.\n"
    "smoothed : bool\n    Whether ties are broken at random, by the seed and the content of the row.\n"
    "seed : int\n    The seed of the smoothing.",
    "weights": "sample_weight : array-like of shape (n_samples,), default=None\n    Factors on C of each row.",
    "limits": "limits : float or dict of class to float\n    The limit of each class, in [0, 1); one number for all.\n"
    "    A class that is not named has the smallest one.",
    "levels": "confidence_level : float or sequence of floats\n    In (0, 1].",
    "levels_of_intervals": "confidence_level : float or sequence of floats\n    In (0, 1).",
    "fitted": _FITTED + "For data or options that cannot be used.",
    "predicted_classes": "Returns\n-------\nndarray of shape (n_samples,)\n    Classes among ``classes_``.",
    "p_values": "Returns\n-------\nndarray of shape (n_samples, n_classes)\n"
    "    P-values in (0, 1], columns as in ``classes_``.",
    "with_confidence": "Returns\n-------\nlabel, confidence, credibility : ndarrays of shape (n_samples,)\n"
    "    The three columns.",
    "familiarity": "Returns\n-------\nndarray of shape (n_samples,)\n    P-values in (0, 1].",
    "fit_params": "**fit_params : dict\n    For the estimator's ``fit``; with metadata routing, what it requests.",
    "fitted_classes": "classes_ : ndarray of shape (n_classes,)\n    The classes.",
    "n_calibration": "n_calibration_ : int\n    Rows that new rows are compared with.",
    "drawn_groups": "groups : array-like of shape (n_rows,), default=None\n    Rows of one group are drawn together.",
    "interval": "confidence : float above 0 and below 1, default=0.95\n"
    "    Confidence level of the interval around the corrected estimate.",
    "resamples": "resamples : int at least 2, default=1000\n    How often rows are drawn to repeat the choice.",
    "draws": "random_state : int, RandomState instance or None\n    Seed of the draws.\n"
    "n_jobs : int or None\n    Threads; the result does not depend on them.",
    "loaded": "Parameters\n----------\nunseen : {'error', 'missing', 'other'}, default='error'\n"
    '    What a text of a column becomes that no training row had; ``set_params(unseen="other")`` changes it.\n'
    "n_jobs : int or None, default=None\n    Threads.\n"
    "verbose : int, default=0\n    1 shows the progress of long calls.\n\n"
    "Attributes\n----------\nhonest_error_ : Estimate or None\n"
    "    That of the selection that chose the model; None where the file holds none.",
}


def filled(text: str, pieces: dict[str, str]) -> str:
    """Return a docstring with the pieces in the place of their names, which begin a line; more may follow there."""

    def piece(found: re.Match[str]) -> str:
        if found[2] not in pieces:
            return found[0]
        return "\n".join((found[1] + line).rstrip() for line in pieces[found[2]].splitlines())

    return re.sub(r"^( *)\{(\w+)\}", piece, text, flags=re.MULTILINE)


def parameters_of(text: str) -> str:
    """Return the section `Parameters` that ends the docstring of an ``__init__``, without its indent."""
    lines = text[text.index("Parameters\n") :].rstrip().splitlines()
    indent = len(lines[1]) - len(lines[1].lstrip())
    return "\n".join(line if k == 0 else line[indent:] for k, line in enumerate(lines))


def documented(thing: T) -> T:
    """Fill the docstrings of a class and its own methods, or of a function; a decorator."""
    of_class: Any = thing
    pieces = dict(PIECES)
    if isinstance(thing, type):
        for each in vars(thing).values():
            function = getattr(each, "method", each)  # of a method that some estimators lack
            if isinstance(function, FunctionType) and function.__doc__:
                function.__doc__ = filled(function.__doc__, PIECES)
        if "Parameters\n" in (of_class.__init__.__doc__ or ""):
            pieces["parameters"] = parameters_of(of_class.__init__.__doc__)
    if of_class.__doc__:
        of_class.__doc__ = filled(of_class.__doc__, pieces)
    return thing
