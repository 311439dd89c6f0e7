"""Split and cross-conformal prediction around any classifier."""

from __future__ import annotations

import numbers
import time
from typing import Any

import numpy as np
from sklearn.model_selection import PredefinedSplit, StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from credence import _core
from credence._arguments import CrossConformalClassifierArguments, SplitConformalClassifierArguments
from credence._data import check_classes, rows_at, sound
from credence._run import warn_caller
from credence._text import documented
from credence.conformal._shared import (
    Kept,
    _Classifier,
    _scores,
    _SplitConformal,
    group_codes,
    weights_of,
)


@documented
class SplitConformalClassifier(SplitConformalClassifierArguments, _SplitConformal, _Classifier):
    """Split (inductive) conformal prediction around any classifier.

    A row is compared, under each class, with rows that the classifier was not trained on. A set at confidence level c
    misses the true class with probability at most 1 - c, on average over the rows held out, whatever the classifier,
    if all rows are exchangeable. `miss_limit` says what one model may miss.

    {parameters}

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    {fitted_classes}
    {n_calibration}
    {n_effective}

    References
    ----------
    H. Papadopoulos, K. Proedrou, V. Vovk, A. Gammerman, "Inductive confidence machines for regression", ECML 2002.

    {breast_cancer}
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(random_state=0)
    >>> model = credence.SplitConformalClassifier(forest).fit(X[::2], y[::2])
    >>> model.predict_set(X[1:5:2], confidence_level=0.95).shape
    (2, 2)
    >>> bool(model.evaluate(X[1::2], y[1::2], confidence_level=0.9)["error"] < 0.15)
    True
    """

    def _strata(self, y: np.ndarray) -> np.ndarray | None:
        check_classes(y)
        return np.unique(y, return_inverse=True)[1].astype(np.int32) if self.label_conditional else None

    def _note_fit(self, X: Any, y: np.ndarray, train: np.ndarray) -> None:
        self.classes_ = self.estimator_.classes_ if self.calibration_size is None else np.unique(y)

    def _take_fitted(self) -> None:
        super()._take_fitted()
        self.classes_ = self.estimator_.classes_

    def _calibrate(self, X: Any, y: np.ndarray, groups: Any) -> None:
        scores = _scores(self.estimator_, X, self.classes_, self.response_method)
        codes = self._codes_of(y)
        categories = self._category_codes(X, reset=True)
        self._calibration = Kept(_core.ScoreConformal, scores, codes, categories, *self._counted(X, groups))
        self._class_counts = np.bincount(codes, minlength=len(self.classes_)).tolist()
        self.n_calibration_ = len(scores)
        self._kept_by_fit = False

    def _kept_by_class(self) -> Any:
        return zip(self.classes_.tolist(), self._class_counts, strict=True) if self.label_conditional else None

    def _compared_with(self) -> list[int] | None:
        return None if self.categories is not None or self._groups_kept else self._class_counts

    def _guarantee(self) -> str:
        return _core.set_guarantee(
            bool(self.label_conditional),
            self.categories is not None,
            bool(self._groups_kept),
            self._condition(),
        )

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class.

        Parameters
        ----------
        {any_rows}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P-values, columns as in ``classes_``; 1 for rows of a category without rows to compare
            with.
        """
        check_is_fitted(self)
        scores = _scores(self.estimator_, X, self.classes_, self.response_method)
        return self._calibration.made.p_values(
            scores,
            self._category_codes(X, reset=False),
            weights_of(X, self.weights),
            self._keys(X),
            self._p_value_options(),
        )

    def _point(self, X: Any) -> np.ndarray:
        return self.estimator_.predict(sound(X))


@documented
class CrossConformalClassifier(CrossConformalClassifierArguments, _Classifier):
    """Cross-conformal prediction around any classifier: all rows train, and all rows are compared with.

    K classifiers are trained, each without one fold; counts of stranger rows are summed over folds. Sets at confidence
    level c miss with probability at most 2 (1 - c) + 2 c (K - 1) / (n + K) for n rows in K folds: this is proved where
    the new row and the training rows are exchangeable, and folds are drawn without a look at the rows (Vovk and Wang,
    2020; Barber et al., 2021). In practice sets miss with probability near 1 - c. With ``weights`` the bound depends on
    the largest share that one row has of all weights.

    {parameters}

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each fold.
    {fitted_classes}

    References
    ----------
    V. Vovk, "Cross-conformal predictors", Annals of Mathematics and Artificial Intelligence 74 (2015).

    {breast_cancer}
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = credence.CrossConformalClassifier(GaussianNB(), cv=5).fit(X[::2], y[::2])
    >>> model.predict_p(X[1:4]).shape
    (3, 2)
    """

    def fit(self, X: Any, y: Any, groups: Any = None) -> CrossConformalClassifier:
        """Train a classifier without each fold.

        Parameters
        ----------
        {any_training_rows}
        {classes}
        {new_groups}

        {fitted}
        """
        self._check_wanted()
        self._draw_seed()
        X, y = indexable(sound(X), self._labels(y))
        splitter = self._splitter(y, group_codes(groups, len(y)))
        self._chosen = False

        def trained(train: np.ndarray) -> Any:
            return self._fresh().fit(rows_at(X, train), y[train])

        splits = splitter.split(X, y, None if isinstance(splitter, PredefinedSplit) else groups)
        return self._fit_folds(X, y, groups, splitter, ((train, rest, trained) for train, rest in splits))

    def _take_folds(self, X: Any, y: Any, groups: Any, splits: Any, models: Any) -> CrossConformalClassifier:
        """Compare rows by models that were trained before, one a split, whose setting was chosen by these rows."""
        X, y = indexable(X, self._labels(y))
        self._draw_seed()
        self._chosen = True
        folds = ((train, rest, lambda _, one=one: one) for (train, rest), one in zip(splits, models, strict=True))
        return self._fit_folds(X, y, groups, self.cv, folds)

    def _fit_folds(self, X: Any, y: np.ndarray, groups: Any, splitter: Any, folds: Any) -> CrossConformalClassifier:
        start = time.perf_counter()
        check_classes(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("all rows have one class; a classifier needs at least two classes")
        self.estimators_, parts = [], []
        times_held = np.zeros(len(y), dtype=int)
        lacking: set[Any] = set()
        weights, codes = self._counted(X, groups)
        for train, rest, trained in folds:
            times_held[rest] += 1
            if (times_held > 1).any():
                raise ValueError("cv has parts that overlap: each row may be held out once")
            if codes is not None and np.isin(codes[rest], codes[train]).any():
                raise ValueError("cv parts a group: its rows are in training and held out")
            lacking |= set(self.classes_.tolist()) - set(y[train].tolist())
            one = trained(train)
            scores = _scores(one, rows_at(X, rest), self.classes_, self.response_method)
            counted = [None if known is None else known[rest] for known in (codes, weights)]
            parts.append((scores, self._codes_of(y[rest]), *counted))
            self.estimators_.append(one)
        if lacking:
            names = ", ".join(sorted(map(repr, lacking)))
            warn_caller([f"the training rows of a fold lack a class ({names}): p-values of its rows say little"])
        self._calibration = Kept(_core.CrossConformal, parts)
        self._note_rows(X)
        self._stratified = isinstance(splitter, StratifiedKFold | StratifiedGroupKFold)
        kept = np.concatenate([labels for _, labels, _, _ in parts])
        self._class_counts = np.bincount(kept, minlength=len(self.classes_))
        self._heaviest = None
        if weights is not None:
            of_kept = np.concatenate([own for _, _, _, own in parts])
            lists = [kept == c for c in np.unique(kept)] if self.label_conditional else [slice(None)]
            self._heaviest = max(float(of_kept[own].max() / of_kept[own].sum()) for own in lists)
        self.fit_time_ = time.perf_counter() - start
        return self

    def _splitter(self, y: np.ndarray, groups: np.ndarray | None) -> Any:
        if groups is not None and isinstance(self.cv, numbers.Integral):
            count = int(groups.max()) + 1
            return PredefinedSplit(_core.folds_of_groups(groups, count, int(self.cv), self._seed))
        return check_cv(self.cv, y, classifier=True)

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class.

        Parameters
        ----------
        {any_rows}

        {p_values}
        """
        check_is_fitted(self)
        scores = [_scores(one, X, self.classes_, self.response_method) for one in self.estimators_]
        return self._calibration.made.p_values(
            scores, weights_of(X, self.weights), self._keys(X), self._p_value_options()
        )

    def _compared_with(self) -> list[int] | None:
        return None if self._groups_kept else self._class_counts.tolist()

    def _guarantee(self) -> str:
        groups = bool(self._groups_kept)
        conditional = bool(self.label_conditional)
        if self._heaviest is not None:
            return _core.weighted_cross_guarantee(self._heaviest, len(self.estimators_), conditional, self._stratified)
        rows = [self._groups_kept] if groups and not conditional else self._class_counts.tolist()
        chosen = self._chosen
        return _core.cross_guarantee(rows, len(self.estimators_), conditional, self._stratified, groups, chosen)
