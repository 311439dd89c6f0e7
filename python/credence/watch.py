"""Whether new rows still come from where the rows of the training came from."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from credence import _core
from credence._base import random_seed
from credence._data import spelling
from credence._frames import is_missing
from credence._options import path_text
from credence._report import Reports, Result
from credence._run import running
from credence._text import documented

#: What the library knows of a label: nothing yet, a class that the model does not know.
_NONE, _OTHER = -2, -1


@documented
class Watch(Reports):
    """Watches a stream of rows for a fitted model of this package, with a stated rate of false alarms.

    The mean distance of a row to training rows is compared with that of other training rows and of all earlier rows. As
    long as rows are exchangeable with the training rows, an alarm ever comes with probability at most ``alarm``,
    however long the stream is. With labels, the nonconformity score of the class of a row is also compared with those
    of all earlier labelled rows; each of the two then has half of ``alarm``.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package with a model of the library: SVC, SearchCV, what :func:`credence.load` gives.
    alarm : float above 0 and below 1, default=0.01
        Largest probability of a false alarm, at any time, in a stream of rows like the training rows.
    labels : bool, default=False
        Whether labels are watched too.
    random_state : int, RandomState instance or None
        Seed of the choice of rows to compare with, and of ties.

    Attributes
    ----------
    alarm_ : bool
        Whether there was an alarm.
    evidence_ : float
        The evidence of the rows against no change; an alarm comes when it reaches 1 / alarm (2 / alarm with labels).
    result_ : Result
        What ``credence watch`` writes as JSON.

    {breast_cancer}
    >>> watch = credence.Watch(credence.SVC(C=10, gamma=0.01).fit(X[:300], y[:300]))
    >>> watch.update(X[300:]).alarm_
    False
    >>> watch.update(X[300:] * 1.5).alarm_
    True
    """

    def __init__(self, model: Any, *, alarm: float = 0.01, labels: bool = False, random_state: Any = 0):
        self._begin(model)
        self._watching = _core.watch(
            model.predictor_, float(alarm), random_seed(random_state), bool(labels), running(model)
        )

    def _begin(self, model: Any) -> None:
        if not hasattr(model, "predictor_"):
            raise NotFittedError(f"{type(model).__name__} has no fitted model of the library to watch for")
        self.model = model

    def update(self, X: Any, y: Any = None, ids: Any = None) -> Watch:
        """Look at further rows, in their order.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            New rows.
        y : array-like of shape (n_samples,), default=None
            Their classes, as far as they are known: None or NaN where not yet.
        ids : array-like of shape (n_samples,), default=None
            Names of the rows: a row that comes again is not counted twice, but its class is taken.

        Returns
        -------
        Watch
            The watch itself.

        Raises
        ------
        ValueError
            For rows that the model cannot take, and classes or ids of another number of rows. The watch is as before.
        """
        if y is not None and not self._watching.watches_labels:
            raise ValueError("y: this watch was begun without labels (labels=True)")
        codes = {spelling(one): code for code, one in enumerate(getattr(self.model, "classes_", []))}
        labels = [_NONE if is_missing(one) else codes.get(spelling(one), _OTHER) for one in ([] if y is None else y)]
        names = [] if ids is None else [spelling(one) for one in ids]
        self._watching.update(self.model._rows(X), np.asarray(labels, dtype=np.int32), names, running(self.model))
        return self

    @property
    def alarm_(self) -> bool:
        """Whether there was an alarm."""
        return self._watching.alarm

    @property
    def result_(self) -> Result:
        """What ``credence watch`` writes as JSON."""
        return Result(json.loads(self._document()), self._watching.text())

    @property
    def evidence_(self) -> float:
        """The evidence of the rows so far."""
        return float(10.0 ** self.result_["streams"][0]["log10_evidence"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state, which ``credence watch`` reads too, atomically.

        Parameters
        ----------
        path : path-like
            The file.
        """
        _core.write_atomically(path_text(path), self._watching.state())

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Any) -> Watch:
        """Go on from a state.

        Parameters
        ----------
        path : path-like
            A file that :meth:`save` or the command wrote.
        model : estimator
            The model that was watched for.

        Returns
        -------
        Watch
            The watch as it was saved.

        Raises
        ------
        ValueError
            For a file that is no state, is damaged, or belongs to another model.
        OSError
            If the file cannot be read.
        """
        watch = cls.__new__(cls)
        watch._begin(model)
        watch._watching = _core.watch_from(model.predictor_, Path(path_text(path)).read_bytes(), running(model))
        return watch

    def __repr__(self) -> str:
        """Return what the command prints."""
        return self._watching.text().rstrip()

    def _document(self) -> str:
        return self._watching.document()
