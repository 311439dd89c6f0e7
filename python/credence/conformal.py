"""Conformal prediction: p-values, sets and intervals that miss no more often than was asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    clone,
    is_classifier,
    is_regressor,
)
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from credence import _core
from credence._base import CredenceClassifier, random_seed
from credence._data import _plain_labels, labelled_rows, rows_of
from credence._options import RUN_OPTIONS, Option, described, give, option_of, renamed
from credence._run import ProgressLine, running

Groups = str | int | Callable[[Any], Any] | None


def _levels(confidence_level: Any) -> np.ndarray:
    levels = np.atleast_1d(np.asarray(confidence_level, dtype=np.float64))
    if levels.ndim != 1 or not ((levels > 0) & (levels <= 1)).all():
        raise ValueError(f"confidence_level must lie above 0 and be at most 1, not {confidence_level!r}")
    return np.ascontiguousarray(1 - levels)


class Kept:
    """An object of the library that is pickled as what it is made of."""

    def __init__(self, make: Any, *parts: Any):
        self.make, self.parts = make, parts
        self.made = make(*parts)

    def __reduce__(self):
        return Kept, (self.make, *self.parts)

    def __deepcopy__(self, memo: Any) -> Kept:
        """Return the object itself, which nothing changes."""
        return self


class _Sets:
    """What every classifier with p-values offers; ``predict_p`` gives the p-values."""

    classes_: np.ndarray

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class of each row."""
        raise NotImplementedError

    def predict_set(self, X: Any, confidence_level: Any = 0.95, *, as_labels: bool = False) -> Any:
        """Return the classes whose p-value is above 1 - confidence_level.

        The comparison is one of counts: with 19 rows to compare with, a class with p = 0.05 is outside at 0.95.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        confidence_level : float or sequence of floats
            In (0, 1].
        as_labels : bool
            Whether a list of classes is returned for each row.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes) or (n_samples, n_classes, n_levels), or list
            Columns as in ``classes_``. With ``as_labels`` a list for each row, of several levels a list of these lists.
        """
        sets = _core.regions(self.predict_p(X), _levels(confidence_level)).astype(bool)
        if as_labels:
            each = [[self.classes_[row].tolist() for row in sets[:, :, level]] for level in range(sets.shape[2])]
            return each[0] if np.ndim(confidence_level) == 0 else each
        return sets[:, :, 0] if np.ndim(confidence_level) == 0 else sets

    def predict_with_confidence(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the class with the largest p-value, its confidence and its credibility.

        Confidence is 1 minus the second largest p-value; credibility is the largest one: a row that is strange under
        every class has a small credibility.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        label, confidence, credibility : ndarrays of shape (n_samples,)
            The three columns.
        """
        label, confidence, credibility = _core.conclusions(self.predict_p(X))
        return self.classes_[label], confidence, credibility

    def evaluate(self, X: Any, y: Any, confidence_level: float = 0.95) -> dict[str, Any]:
        """Return how valid and how informative the sets are on labelled rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.
        confidence_level : float
            In (0, 1].

        Returns
        -------
        dict
            With the keys of crepes: ``error`` (share of sets without the true class), ``avg_c`` (mean size), ``one_c``
            (share of single classes), ``empty``, ``ks_test`` (p-value of the test that p-values of true classes are
            uniform, or larger if they are not smoothed), ``time_fit``, ``time_evaluate``; ``accuracy`` of the label
            with the largest p-value; and the ten criteria of Vovk et al. (2017): ``S``, ``N``, ``U``, ``F``, ``M``,
            ``E``, ``OU``, ``OF``, ``OM``, ``OE``; the smaller, the better.
        """
        start = time.perf_counter()
        p_values = self.predict_p(X)
        places = {label: i for i, label in enumerate(self.classes_.tolist())}
        labels = np.array([places.get(label, -1) for label in np.asarray(_plain_labels(y)).tolist()], dtype=np.int32)
        found = json.loads(
            _core.evaluate_p_values(p_values, labels, _levels(confidence_level), bool(getattr(self, "smoothed", False)))
        )
        region, criteria = found["regions"][0], found["criteria"]
        rows = found["rows"]
        return {
            "error": region["errors"] / rows,
            "avg_c": region["N"],
            "one_c": region["single"] / rows,
            "empty": region["empty"] / rows,
            "ks_test": found["uniformity"]["p_value"],
            "time_fit": getattr(self, "fit_time_", 0.0),
            "time_evaluate": time.perf_counter() - start,
            "accuracy": 1 - found["errors_of_largest_p_value"] / rows,
            "mean_confidence": found["mean_confidence"],
            "mean_credibility": found["mean_credibility"],
            **{name: criteria[name] for name in ("S", "U", "F", "OU", "OF")},
            **{name: region[name] for name in ("N", "M", "E", "OM", "OE")},
        }


class _Wrapper(MetaEstimatorMixin, BaseEstimator):
    """What predictors around an estimator of anyone share."""

    def _group_codes(self, X: Any, *, reset: bool) -> np.ndarray | None:
        """Return the code of each row's group; a group that was not seen has a code of its own."""
        if self.groups is None:
            return None
        values = np.asarray(self.groups(X) if callable(self.groups) else _column(X, self.groups))
        if len(values) != _num_samples(X):
            raise ValueError(f"groups gives {len(values)} values for {_num_samples(X)} rows")
        if reset:
            self._group_places = {}
        codes = np.empty(len(values), dtype=np.int32)
        for i, value in enumerate(values.tolist()):
            if reset:
                self._group_places.setdefault(value, len(self._group_places))
            codes[i] = self._group_places.get(value, -1)
        return codes

    def _p_value_options(self) -> _core.PValueOptions:
        return _core.PValueOptions(
            label_conditional=bool(getattr(self, "label_conditional", False)),
            smoothed=bool(self.smoothed),
            seed=random_seed(self.random_state),
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._wanted()).input_tags
        return tags

    @property
    def n_features_in_(self) -> int:
        """Features that the estimator was fitted on."""
        return self._inner().n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of these features, of frames."""
        return self._inner().feature_names_in_

    def _inner(self) -> Any:
        for name in ("estimator_", "estimators_"):
            if name in self.__dict__:
                found = self.__dict__[name]
                return found[0] if isinstance(found, list) else found
        raise AttributeError(f"this {type(self).__name__} is not fitted")


def _column(X: Any, name: str | int) -> Any:
    if isinstance(name, str):
        return np.asarray(X[name])
    return np.asarray(_safe_indexing(X, name, axis=1)).ravel()


def _default_classifier() -> Any:
    from credence.svm import SVC

    return SVC()


def _scores(estimator: Any, X: Any, classes: np.ndarray, which: str) -> np.ndarray:
    """Return the scores of all classes, the larger the better the class fits."""
    if which == "auto":
        which = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
    if which not in ("predict_proba", "decision_function"):
        raise ValueError(f"response_method must be 'auto', 'predict_proba' or 'decision_function', not {which!r}")
    values = np.asarray(getattr(estimator, which)(X), dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    scores = np.full((len(values), len(classes)), -np.inf)
    scores[:, np.searchsorted(classes, estimator.classes_)] = values
    return np.ascontiguousarray(scores)


class _Classifier(_Sets, ClassifierMixin, _Wrapper):
    """What classifiers around an estimator share."""

    def _labels(self, y: Any) -> np.ndarray:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        y = column_or_1d(_plain_labels(y), warn=True)
        check_classification_targets(y)
        return y

    def _codes_of(self, y: Any) -> np.ndarray:
        y = self._labels(y)
        places = np.searchsorted(self.classes_, y)
        places[places == len(self.classes_)] = 0
        if not (self.classes_[places] == y).all():
            unknown = np.unique(y[self.classes_[places] != y])
            raise ValueError(f"the estimator does not know the class {unknown.tolist()[0]!r}")
        return places.astype(np.int32)

    def _wanted(self) -> Any:
        """Return the unfitted estimator."""
        return _default_classifier() if self.estimator is None else self.estimator

    def _check_wanted(self) -> None:
        if not is_classifier(self._wanted()):
            raise ValueError(f"estimator must be a classifier, and {self.estimator!r} is none")

    def predict(self, X: Any) -> np.ndarray:
        """Return the estimator's own prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self)
        return self._point(X)

    def _point(self, X: Any) -> np.ndarray:
        return self.predict_with_confidence(X)[0]


class SplitConformalClassifier(_Classifier):
    """Split (inductive) conformal prediction around any classifier.

    Rows that the classifier was not trained on say how strange a row is under each class. A set at confidence level c
    misses the true class with probability at most 1 - c, whatever the classifier and the distribution.

    Parameters
    ----------
    estimator : classifier, default=None
        Anything with ``predict_proba`` or ``decision_function``; None stands for :class:`credence.SVC`.
    calibration_size : float or None, default=0.25
        Share of the rows that ``fit`` keeps from training and conformalizes on; None leaves that to `conformalize`.
    prefit : bool, default=False
        Whether the estimator is fitted already; `conformalize` is then all that is called.
    response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
        What says how well a class fits; strangeness is minus the score, as "lac" of MAPIE and "hinge" of crepes.
    label_conditional : bool, default=False
        Whether a row is compared with those of the assumed class alone: errors are then below 1 - c in each class.
    groups : str, int or callable, default=None
        A column (name or position) or a function of X whose values are groups: a row is compared with those of its
        group (Mondrian), and errors are below 1 - c in each group.
    smoothed : bool, default=False
        Whether ties are settled at random, by the seed and the content of the row: errors are then exactly 1 - c.
    random_state : int, RandomState instance or None, default=0
        Of the split and the smoothing.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_calibration_ : int
        Rows that new rows are compared with.

    References
    ----------
    H. Papadopoulos, K. Proedrou, V. Vovk, A. Gammerman, "Inductive confidence machines for regression", ECML 2002.

    Examples
    --------
    >>> import credence
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0)
    >>> machine = credence.SplitConformalClassifier(forest).fit(X[::2], y[::2])
    >>> machine.predict_set(X[1:5:2], confidence_level=0.95).shape
    (2, 2)
    >>> bool(machine.evaluate(X[1::2], y[1::2], confidence_level=0.9)["error"] < 0.15)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        calibration_size: float | None = 0.25,
        prefit: bool = False,
        response_method: str = "auto",
        label_conditional: bool = False,
        groups: Groups = None,
        smoothed: bool = False,
        random_state: Any = 0,
    ):
        self.estimator = estimator
        self.calibration_size = calibration_size
        self.prefit = prefit
        self.response_method = response_method
        self.label_conditional = label_conditional
        self.groups = groups
        self.smoothed = smoothed
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> SplitConformalClassifier:
        """Train the classifier, and conformalize on the rows that are kept from training.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows, of whatever kind the estimator takes.
        y : array-like of shape (n_samples,)
            Classes.
        **fit_params : dict
            For the estimator's ``fit``.

        Returns
        -------
        SplitConformalClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            For data that cannot be used; with ``prefit``.
        """
        start = time.perf_counter()
        if self.prefit:
            raise ValueError("the estimator is fitted already (prefit=True): call conformalize")
        self._check_wanted()
        y = self._labels(y)
        X, y = indexable(X, y)
        if self.calibration_size is None:
            self.estimator_ = clone(self._wanted()).fit(X, y, **fit_params)
            self.classes_ = self.estimator_.classes_
            self.__dict__.pop("_calibration", None)
        else:
            held = self._held_out(X, y)
            train, rest = np.flatnonzero(~held), np.flatnonzero(held)
            self.estimator_ = clone(self._wanted()).fit(_safe_indexing(X, train), y[train], **fit_params)
            self.classes_ = np.unique(y)
            self._calibrate(_safe_indexing(X, rest), y[rest])
        self.fit_time_ = time.perf_counter() - start
        return self

    def _held_out(self, X: Any, y: np.ndarray) -> np.ndarray:
        n = len(y)
        if n < 4:
            raise ValueError(f"Found array with {n} sample(s) while a minimum of 4 is required.")
        codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
        stratified = bool(self.label_conditional)
        return _core.held_out(codes, float(self.calibration_size), stratified, random_seed(self.random_state))

    def conformalize(self, X: Any, y: Any) -> SplitConformalClassifier:
        """Take rows that the classifier was not trained on to compare new rows with.

        A further call replaces these rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes, all known to the classifier.

        Returns
        -------
        SplitConformalClassifier
            The conformal predictor.
        """
        if self.prefit:
            self._check_wanted()
            check_is_fitted(self._wanted())
            self.estimator_ = self._wanted()
            self.classes_ = self.estimator_.classes_
        check_is_fitted(self, "estimator_")
        self._calibrate(X, self._labels(y))
        return self

    calibrate = conformalize

    def _calibrate(self, X: Any, y: np.ndarray) -> None:
        scores = _scores(self.estimator_, X, self.classes_, self.response_method)
        self._calibration = Kept(_core.ScoreConformal, scores, self._codes_of(y), self._group_codes(X, reset=True))
        self.n_calibration_ = len(scores)

    def __sklearn_is_fitted__(self) -> bool:
        return "_calibration" in self.__dict__

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P-values, columns as in ``classes_``; 1 for rows of a group without rows to compare with.
        """
        check_is_fitted(self)
        scores = _scores(self.estimator_, X, self.classes_, self.response_method)
        return self._calibration.made.p_values(scores, self._group_codes(X, reset=False), self._p_value_options())

    def _point(self, X: Any) -> np.ndarray:
        return self.estimator_.predict(X)


class CrossConformalClassifier(_Classifier):
    """Cross-conformal prediction around any classifier: every row is compared with, and every row is learnt from.

    K classifiers are trained, each without one fold; counts of stranger rows are summed over folds. Sets at confidence
    level c miss with probability at most 2 (1 - c) plus a small term by proof, and near 1 - c in practice.

    Parameters
    ----------
    estimator : classifier, default=None
        Anything with ``predict_proba`` or ``decision_function``; None stands for :class:`credence.SVC`.
    cv : int, splitter or iterable, default=5
        Folds: parts that do not overlap.
    response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
        What says how well a class fits.
    label_conditional : bool, default=False
        Whether a row is compared with those of the assumed class alone.
    smoothed : bool, default=False
        Whether ties are settled at random, by the seed and the content of the row.
    random_state : int, RandomState instance or None, default=0
        Of the smoothing, and of folds that are drawn.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each fold.
    classes_ : ndarray of shape (n_classes,)
        The classes.

    References
    ----------
    V. Vovk, "Cross-conformal predictors", Annals of Mathematics and Artificial Intelligence 74 (2015).

    Examples
    --------
    >>> import credence
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    >>> machine = credence.CrossConformalClassifier(GaussianNB(), cv=5).fit(X[::2], y[::2])
    >>> machine.predict_p(X[1:4]).shape
    (3, 2)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = 5,
        response_method: str = "auto",
        label_conditional: bool = False,
        smoothed: bool = False,
        random_state: Any = 0,
    ):
        self.estimator = estimator
        self.cv = cv
        self.response_method = response_method
        self.label_conditional = label_conditional
        self.smoothed = smoothed
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> CrossConformalClassifier:
        """Train a classifier without each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        CrossConformalClassifier
            The fitted estimator.
        """
        start = time.perf_counter()
        self._check_wanted()
        X, y = indexable(X, self._labels(y))
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("all rows have one class; a classifier needs at least two classes")
        self.estimators_, parts = [], []
        for train, rest in check_cv(self.cv, y, classifier=True).split(X, y):
            one = clone(self._wanted()).fit(_safe_indexing(X, train), y[train])
            scores = _scores(one, _safe_indexing(X, rest), self.classes_, self.response_method)
            parts.append((scores, self._codes_of(y[rest])))
            self.estimators_.append(one)
        self._calibration = Kept(_core.CrossConformal, parts)
        self.fit_time_ = time.perf_counter() - start
        return self

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P-values, columns as in ``classes_``.
        """
        check_is_fitted(self)
        scores = [_scores(one, X, self.classes_, self.response_method) for one in self.estimators_]
        return self._calibration.made.p_values(scores, self._p_value_options())


class SplitConformalRegressor(RegressorMixin, _Wrapper):
    """Split (inductive) conformal prediction around any regressor: intervals for targets.

    An interval at confidence level c misses the target with probability at most 1 - c, whatever the regressor and the
    distribution.

    Parameters
    ----------
    estimator : regressor, default=None
        Any regressor; None stands for :class:`credence.RVR`.
    difficulty : regressor, default=None
        A regressor that is trained on the absolute residuals of the training rows, left out fold by fold: intervals are
        then wide where it expects large residuals. None gives all intervals one width.
    calibration_size : float or None, default=0.25
        Share of the rows that ``fit`` keeps from training and conformalizes on; None leaves that to `conformalize`.
    prefit : bool, default=False
        Whether the estimator is fitted already; `conformalize` is then all that is called.
    groups : str, int or callable, default=None
        A column or a function of X whose values are groups: a row is compared with those of its group (Mondrian).
    beta : float, default=1e-6
        Added to each difficulty, above 0.
    smoothed : bool, default=False
        Whether `predict_p` settles ties at random.
    random_state : int, RandomState instance or None, default=0
        Of the split and the smoothing.

    Attributes
    ----------
    estimator_ : regressor
        The fitted regressor.
    n_calibration_ : int
        Rows that new rows are compared with.

    References
    ----------
    H. Papadopoulos, K. Proedrou, V. Vovk, A. Gammerman, "Inductive confidence machines for regression", ECML 2002.

    Examples
    --------
    >>> import credence
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> machine = credence.SplitConformalRegressor(Ridge()).fit(X[::2], y[::2])
    >>> machine.predict_interval(X[1:4], confidence_level=0.9).shape
    (3, 2)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        difficulty: Any = None,
        calibration_size: float | None = 0.25,
        prefit: bool = False,
        groups: Groups = None,
        beta: float = 1e-6,
        smoothed: bool = False,
        random_state: Any = 0,
    ):
        self.estimator = estimator
        self.difficulty = difficulty
        self.calibration_size = calibration_size
        self.prefit = prefit
        self.groups = groups
        self.beta = beta
        self.smoothed = smoothed
        self.random_state = random_state

    def _wanted(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from credence.rvm import RVR

        return RVR()

    @staticmethod
    def _targets(y: Any) -> np.ndarray:
        if y is None:
            raise ValueError("This SplitConformalRegressor estimator requires y to be passed, but the target y is None.")
        return np.ascontiguousarray(column_or_1d(np.asarray(y, dtype=np.float64), warn=True))

    def fit(self, X: Any, y: Any, **fit_params: Any) -> SplitConformalRegressor:
        """Train the regressor, and conformalize on the rows that are kept from training.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows, of whatever kind the estimator takes.
        y : array-like of shape (n_samples,)
            Targets.
        **fit_params : dict
            For the estimator's ``fit``.

        Returns
        -------
        SplitConformalRegressor
            The fitted estimator.
        """
        start = time.perf_counter()
        if self.prefit:
            raise ValueError("the estimator is fitted already (prefit=True): call conformalize")
        if not is_regressor(self._wanted()):
            raise ValueError(f"estimator must be a regressor, and {self.estimator!r} is none")
        X, y = indexable(X, self._targets(y))
        n = len(y)
        held = np.zeros(n, dtype=bool)
        if self.calibration_size is not None:
            if n < 4:
                raise ValueError(f"Found array with {n} sample(s) while a minimum of 4 is required.")
            seed = random_seed(self.random_state)
            held = _core.held_out(np.zeros(n, dtype=np.int32), float(self.calibration_size), False, seed)
        train, rest = np.flatnonzero(~held), np.flatnonzero(held)
        rows = _safe_indexing(X, train) if len(rest) else X
        self.estimator_ = clone(self._wanted()).fit(rows, y[train], **fit_params)
        self._fit_difficulty(rows, y[train])
        self.__dict__.pop("_calibration", None)
        if len(rest):
            self._calibrate(_safe_indexing(X, rest), y[rest])
        self.fit_time_ = time.perf_counter() - start
        return self

    def _fit_difficulty(self, X: Any, y: np.ndarray) -> None:
        self.difficulty_ = None
        if self.difficulty is not None:
            from sklearn.model_selection import cross_val_predict

            residuals = np.abs(y - cross_val_predict(clone(self._wanted()), X, y, cv=5))
            self.difficulty_ = clone(self.difficulty).fit(X, residuals)

    def _difficulties(self, X: Any) -> np.ndarray | None:
        if getattr(self, "difficulty_", None) is None:
            return None
        return np.ascontiguousarray(np.maximum(self.difficulty_.predict(X), 0), dtype=np.float64)

    def conformalize(self, X: Any, y: Any) -> SplitConformalRegressor:
        """Take rows that the regressor was not trained on to compare new rows with; a further call replaces them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        SplitConformalRegressor
            The conformal predictor.
        """
        if self.prefit:
            check_is_fitted(self._wanted())
            self.estimator_ = self._wanted()
            self.difficulty_ = self.difficulty
        check_is_fitted(self, "estimator_")
        self._calibrate(X, self._targets(y))
        return self

    calibrate = conformalize

    def _calibrate(self, X: Any, y: np.ndarray) -> None:
        means = self._means(X)
        codes = self._group_codes(X, reset=True)
        self._calibration = Kept(_core.ResidualConformal, y, means, self._difficulties(X), codes, float(self.beta))
        self.n_calibration_ = len(y)

    def _means(self, X: Any) -> np.ndarray:
        return np.ascontiguousarray(self.estimator_.predict(X), dtype=np.float64)

    def __sklearn_is_fitted__(self) -> bool:
        return "_calibration" in self.__dict__

    def predict(self, X: Any) -> np.ndarray:
        """Return the regressor's own prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Targets.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def predict_interval(self, X: Any, confidence_level: Any = 0.95) -> np.ndarray:
        """Return an interval for each target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        confidence_level : float or sequence of floats
            In (0, 1).

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, 2, n_levels)
            Ends; infinite where there are too few rows to compare with.
        """
        check_is_fitted(self)
        means, difficulties, codes = self._means(X), self._difficulties(X), self._group_codes(X, reset=False)
        ends = [self._calibration.made.intervals(means, difficulties, codes, eps) for eps in _levels(confidence_level)]
        return ends[0] if np.ndim(confidence_level) == 0 else np.stack(ends, axis=2)

    def predict_p(self, X: Any, y: Any) -> np.ndarray:
        """Return the p-value of a target for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Targets whose strangeness is asked for.

        Returns
        -------
        ndarray of shape (n_samples,)
            P-values.
        """
        check_is_fitted(self)
        return self._calibration.made.p_values(
            self._targets(y), self._means(X), self._difficulties(X), self._group_codes(X, reset=False),
            self._p_value_options(),
        )

    def evaluate(self, X: Any, y: Any, confidence_level: float = 0.95) -> dict[str, float]:
        """Return how valid and how informative the intervals are on rows with targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their targets.
        confidence_level : float
            In (0, 1).

        Returns
        -------
        dict
            With the keys of crepes: ``error``, ``eff_mean`` and ``eff_med`` (mean and median width), ``time_fit``,
            ``time_evaluate``.
        """
        start = time.perf_counter()
        ends, y = self.predict_interval(X, confidence_level), self._targets(y)
        widths = ends[:, 1] - ends[:, 0]
        return {
            "error": float(np.mean((y < ends[:, 0]) | (y > ends[:, 1]))),
            "eff_mean": float(np.mean(widths)),
            "eff_med": float(np.median(widths)),
            "time_fit": getattr(self, "fit_time_", 0.0),
            "time_evaluate": time.perf_counter() - start,
        }


class _Full(_Sets, CredenceClassifier):
    """Full (transductive) conformal predictors of the library."""

    _measure = ""
    _measure_model = ""

    def _full_options(self) -> _core.ConformalOptions:
        return _core.ConformalOptions(self._measure, "transductive", self._measure_model)

    def fit(self, X: Any, y: Any) -> Any:
        """Learn the rows that new rows are compared with.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        estimator
            The fitted estimator.

        Raises
        ------
        ValueError
            For data or options that cannot be used.
        """
        start = time.perf_counter()
        options = self._full_options()
        give(options, self._arguments(), self._defaults())
        options.set_missing(self.missing)
        dataset, _ = labelled_rows(self, X, y, missing=self.missing)
        with ProgressLine(type(self).__name__) as progress:
            self.predictor_ = _core.fit_conformal(dataset, options, running(self, progress))
        self.fit_time_ = time.perf_counter() - start
        return self

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P-values, columns as in ``classes_``.
        """
        return self._predicted(X)["p_value"]


def _full_fields(measure: str, model: str, names: dict[str, str]) -> list[Option]:
    fields = _core.ConformalOptions(measure, "transductive", model).fields()
    fields = [field for field in fields if field["name"] != "class_weight"]  # not in the transductive mode
    options = [option_of(field, single=True) for field in fields]
    return [renamed(option, name=names.get(option.name, option.name)) for option in options]


_MEASURE = Option(
    "measure",
    "the strangeness of a row: the ratio of its distances to the nearest rows of its own class and of the others, or "
    "the distance to those of its own class",
    "{'nn-ratio', 'own-class-distance'}",
    "nn-ratio",
)


@described([_MEASURE, *_full_fields("nn-ratio", "", {"k": "n_neighbors"}), *RUN_OPTIONS])
class FullConformalKNeighborsClassifier(_Full):
    """Full conformal prediction with nearest neighbours (TCM-NN): exact p-values, nothing is held out.

    Sets at confidence level c miss the true class with probability at most 1 - c. A prediction takes one
    nearest-neighbour query a row, whatever the number of classes.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.

    References
    ----------
    K. Proedrou, I. Nouretdinov, V. Vovk, A. Gammerman, "Transductive confidence machines for pattern recognition",
    ECML 2002.

    Examples
    --------
    >>> import credence
    >>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    >>> machine = credence.FullConformalKNeighborsClassifier(scale="standard").fit(X[:400], y[:400])
    >>> machine.predict_set(X[400:403], confidence_level=0.95, as_labels=True)
    [['malignant'], ['benign'], ['benign']]
    """

    def _full_options(self) -> _core.ConformalOptions:
        return _core.ConformalOptions(str(self.measure), "transductive", "")

    def _arguments(self) -> dict[str, Any]:
        arguments = super()._arguments()
        arguments.pop("measure")
        arguments["k"] = arguments.pop("n_neighbors")
        return arguments

    def _defaults(self) -> dict[str, Any]:
        return {**super()._defaults(), "k": 1}


@described([*_full_fields("margin", "svm", {}), *RUN_OPTIONS])
class FullConformalSVC(_Full):
    """Full conformal prediction with support vector machines: exact p-values, nothing is held out.

    The strangeness of a row is minus its margin in the machine of all rows, the new one included; each extended problem
    is solved from the solution of the training rows.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.

    References
    ----------
    C. Saunders, A. Gammerman, V. Vovk, "Transduction with confidence and credibility", IJCAI 1999.

    Examples
    --------
    >>> import credence
    >>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    >>> machine = credence.FullConformalSVC(gamma=0.01).fit(X[:200], y[:200])
    >>> machine.predict_p(X[200:202]).shape
    (2, 2)
    """

    _measure = "margin"
    _measure_model = "svm"


class OnlineConformalClassifier(_Sets, ClassifierMixin, BaseEstimator):
    """On-line conformal prediction with nearest neighbours: each example is predicted, then learnt.

    With smoothed p-values the errors at confidence level c are independent with probability 1 - c.

    Parameters
    ----------
    n_neighbors : int, default=1
        Nearest neighbours that are looked at.
    metric : {'euclidean', 'manhattan', 'cosine'}, default='euclidean'
        The distance between two rows.
    measure : {'nn-ratio', 'own-class-distance'}, default='nn-ratio'
        The strangeness of a row.
    label_conditional : bool, default=False
        Whether a row is compared with those of the assumed class alone.
    smoothed : bool, default=True
        Whether ties are settled at random, by the seed and the number of the step.
    random_state : int, RandomState instance or None, default=0
        Of the smoothing.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, which the first call of `partial_fit` or `fit` fixes.
    n_seen_ : int
        Examples learnt.

    References
    ----------
    V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World" (2005).

    Examples
    --------
    >>> import credence
    >>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    >>> machine = credence.OnlineConformalClassifier()
    >>> machine = machine.partial_fit(X[:20], y[:20], classes=["benign", "malignant"])
    >>> p = machine.predict_p(X[20:21])
    >>> machine.learn_one(X[20], y[20]).n_seen_
    21
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 1,
        metric: str = "euclidean",
        measure: str = "nn-ratio",
        label_conditional: bool = False,
        smoothed: bool = True,
        random_state: Any = 0,
    ):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.measure = measure
        self.label_conditional = label_conditional
        self.smoothed = smoothed
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> OnlineConformalClassifier:
        """Forget all examples, and learn these.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        OnlineConformalClassifier
            The learner.
        """
        self.__dict__.pop("_learner", None)
        return self._learn(X, y, None, reset=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> OnlineConformalClassifier:
        """Learn further examples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like, default=None
            All classes, in the first call; without them those of y.

        Returns
        -------
        OnlineConformalClassifier
            The learner.
        """
        return self._learn(X, y, classes, reset="_learner" not in self.__dict__)

    def learn_one(self, x: Any, y: Any) -> OnlineConformalClassifier:
        """Learn one example.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row.
        y : label
            Its class.

        Returns
        -------
        OnlineConformalClassifier
            The learner.
        """
        return self.partial_fit(np.asarray(x, dtype=np.float64).reshape(1, -1), np.asarray([y]))

    def _learn(self, X: Any, y: Any, classes: Any, *, reset: bool) -> OnlineConformalClassifier:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        rows = rows_of(self, X, reset=reset)
        y = column_or_1d(_plain_labels(y), warn=True)
        check_classification_targets(y)
        if len(y) != rows.rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.rows}, {len(y)}]")
        if reset:
            self.classes_ = np.unique(y if classes is None else np.asarray(classes))
            if len(self.classes_) < 2:
                raise ValueError("all rows have one class; a classifier needs at least two classes")
            self._seed = random_seed(self.random_state)
            self._learner = _core.OnlineNeighbours(rows.columns, *self._made_of())
        places = np.searchsorted(self.classes_, y)
        places[places == len(self.classes_)] = 0
        if not (self.classes_[places] == y).all():
            unknown = np.unique(y[self.classes_[places] != y]).tolist()
            raise ValueError(f"{unknown[0]!r} is none of the classes {self.classes_.tolist()}; the first call fixes them")
        self._learner.learn(rows, places.astype(np.int32))
        self.n_seen_ = self._learner.size
        return self

    def _made_of(self) -> tuple:
        options = _core.PValueOptions(bool(self.label_conditional), bool(self.smoothed), self._seed)
        return len(self.classes_), self.measure, self.n_neighbors, self.metric, options

    def __sklearn_is_fitted__(self) -> bool:
        return "_learner" in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "_learner" in state:
            state["_learner"] = state["_learner"].state
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_learner" in self.__dict__:
            self._learner = _core.OnlineNeighbours.restored(self._learner, *self._made_of())

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class, of rows that are all predicted before any is learnt.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P-values, columns as in ``classes_``.
        """
        check_is_fitted(self)
        return self._learner.p_values(rows_of(self, X, reset=False))

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the largest p-value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        return self.predict_with_confidence(X)[0]
