"""On-line conformal prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from credence import _core
from credence._arguments import OnlineConformalClassifierArguments
from credence._base import offered_unless, random_seed
from credence._data import classes_given, codes_among, known_labels, rows_of
from credence._sets import PredictionSets
from credence._text import documented


@documented
class OnlineConformalClassifier(OnlineConformalClassifierArguments, PredictionSets, BaseEstimator):
    """On-line conformal prediction with nearest neighbours: each example is predicted, then learnt.

    With smoothed p-values the errors at confidence level c are independent, each with probability 1 - c, if the
    examples are exchangeable.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, which the first call of `partial_fit` or `fit` fixes.
    n_seen_ : int
        Examples learnt.

    References
    ----------
    V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World" (2005).

    {breast_cancer}
    >>> model = credence.OnlineConformalClassifier()
    >>> model = model.learn_one(X[0], y[0], classes=["benign", "malignant"])  # the first call names all classes
    >>> for x, label in zip(X[1:20], y[1:20]):
    ...     p = model.predict_p([x])
    ...     model = model.learn_one(x, label)
    >>> model.n_seen_
    20
    """

    def fit(self, X: Any, y: Any, groups: Any = None) -> OnlineConformalClassifier:
        """Forget all examples, and learn these.

        Parameters
        ----------
        {any_rows}
        {classes}
        groups : None
            On-line, rows are compared one by one; a ValueError says what compares groups.

        {fitted}
        """
        if groups is not None:
            raise ValueError(f"groups: {_core.online_groups_sentence}")
        self.__dict__.pop("_learner", None)
        return self._learn(X, y, None, reset=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> OnlineConformalClassifier:
        """Learn further examples.

        Parameters
        ----------
        {any_rows}
        {classes}
        classes : array-like, default=None
            All classes, in the first call; without them those of y.

        {fitted}
        """
        return self._learn(X, y, classes, reset="_learner" not in self.__dict__)

    def learn_one(self, x: Any, y: Any, classes: Any = None) -> OnlineConformalClassifier:
        """Learn one example.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row.
        y : label
            Its class.
        classes : array-like, default=None
            All classes; needed where this is the first call.

        {fitted}
        """
        return self.partial_fit(np.asarray(x, dtype=np.float64).reshape(1, -1), np.asarray([y]), classes)

    def _learn(self, X: Any, y: Any, classes: Any, *, reset: bool) -> OnlineConformalClassifier:
        if self.weights is not None:
            raise ValueError(f"weights: {_core.online_weights_sentence}")
        y = classes_given(self, y)[0]
        rows = rows_of(self, X, reset=reset)
        if len(y) != rows.rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.rows}, {len(y)}]")
        if classes is not None:
            known_labels(classes, noun="name", name="classes")
        if reset:
            self.classes_ = np.unique(y if classes is None else np.asarray(classes))
            if len(self.classes_) < 2:
                raise ValueError(
                    "all rows have one class; name at least two classes in the first call: "
                    "partial_fit(X, y, classes=['yes', 'no']) or learn_one(x, y, classes=['yes', 'no'])"
                )
            self._class_counts = np.zeros(len(self.classes_), dtype=np.int64)
            self._seed = random_seed(self.random_state)
            self._learner = _core.OnlineNeighbours(rows.columns, *self._made_of())
            self._known = None
            if self.metric != "cosine":  # angles know no distances along columns
                self._known = _core.OnlineNeighbours(rows.columns, *self._known_by())
        fixed = f"is none of the classes {self.classes_.tolist()}; the first call fixes them"
        codes = codes_among(self.classes_, y, lambda label: f"{label!r} {fixed}")
        self._learner.learn(rows, codes)
        self._class_counts += np.bincount(codes, minlength=len(self.classes_))
        if self._known is not None:
            self._known.learn(rows, np.zeros(rows.rows, dtype=np.int32))
        self.n_seen_ = self._learner.size
        return self

    def _made_of(self) -> tuple:
        options = _core.PValueOptions(bool(self.label_conditional), bool(self.smoothed), self._seed)
        return len(self.classes_), self.measure, self.n_neighbors, self.metric, options

    def _known_by(self) -> tuple:
        options = _core.PValueOptions(False, bool(self.smoothed), self._seed)
        return 1, "nn-own", _core.familiar_neighbours, "euclidean", options

    def _lacks_familiarity(self) -> str:
        if not self.__sklearn_is_fitted__() or self._known is not None:
            return ""
        return "the metric cosine knows angles alone, and familiarity needs distances along columns"

    @offered_unless(lambda self: self._lacks_familiarity())
    def familiarity(self, X: Any) -> np.ndarray:
        """Return how familiar each row is: a p-value of the hypothesis that it is like the examples learnt.

        The p-value comes from Euclidean distances alone, without the classes. Smoothed p-values of a stream that is
        learnt row by row are independent and uniform, if its rows are exchangeable.

        Parameters
        ----------
        {any_rows}

        {familiarity}
        """
        check_is_fitted(self)
        known: Any = self._known
        return known.p_values(rows_of(self, X, reset=False))[:, 0]

    def __sklearn_is_fitted__(self) -> bool:
        return "_learner" in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self):
        inherited: Any = super().__getstate__()
        state = dict(inherited)
        if "_learner" in state:
            state["_learner"] = state["_learner"].state
            state["_known"] = None if state["_known"] is None else state["_known"].state
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_learner" in self.__dict__:
            kept: Any = self._learner
            self._learner = _core.OnlineNeighbours.restored(kept, *self._made_of())
            known: Any = self._known
            if known is not None:
                self._known = _core.OnlineNeighbours.restored(known, *self._known_by())

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class, of rows that are all predicted before any is learnt.

        Parameters
        ----------
        {any_rows}

        {p_values}
        """
        check_is_fitted(self)
        return self._learner.p_values(rows_of(self, X, reset=False))

    def _compared_with(self) -> list[int]:
        return self._class_counts.tolist()

    def _guarantee(self) -> str:
        condition = f"if new rows and the {self.n_seen_} that were learnt are exchangeable"
        return _core.set_guarantee(bool(self.label_conditional), False, False, condition)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the largest p-value.

        Parameters
        ----------
        {any_rows}

        {predicted_classes}
        """
        return self.predict_with_confidence(X)[0]
