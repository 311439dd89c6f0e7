"""What conformal predictors share: sets, categories, groups, weights, scores of an estimator."""

from __future__ import annotations

import numbers
import time
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from credence import _core
from credence._base import offered_unless, random_seed
from credence._data import (
    classes_given,
    codes_among,
    columns_at,
    parameters_at,
    row_count,
    row_keys,
    rows_at,
    rows_of,
    sound,
)
from credence._options import Named
from credence._run import thread_count
from credence._sets import Judged, PredictionSets, per_level, significance_levels
from credence._text import documented
from credence.svm import SVC

OfRows = str | int | Callable[[Any], Any] | None


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


class KnownTable(BaseEstimator):
    """Rows of an estimator's training as a table of the library, which checks the columns of new rows."""

    def __init__(self, rows: Any):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what columns are worth is for the estimator to say
            self.known = _core.FamiliarRows(rows_of(self, rows, reset=True, missing="impute"))

    def p_values(self, X: Any) -> np.ndarray:
        """Return the p-value of each row being like the rows of the table."""
        rows = rows_of(self, X, reset=False, missing="impute")
        return self.known.p_values(rows, _core.RunOptions(threads=thread_count(None)))


@documented
class _Wrapper(Named, MetaEstimatorMixin, BaseEstimator):
    """What predictors around an estimator of anyone share; unlike CredenceEstimator they have no ``predictor_``."""

    estimator: Any
    weights: OfRows
    smoothed: bool
    random_state: Any
    _table: Any  # a Kept table of rows of fit; None where they are no table

    def _wanted(self) -> Any:
        """Return the unfitted estimator."""
        raise NotImplementedError

    def _check_wanted(self) -> None:
        """Refuse an estimator of another kind."""
        raise NotImplementedError

    def _labels(self, y: Any) -> np.ndarray:
        """Return the classes or targets."""
        raise NotImplementedError

    def _fresh(self) -> Any:
        """Return a clone of the estimator, to be fitted."""
        return clone(self._wanted())

    def _draw_seed(self) -> int:
        """Draw the seed of the split and the smoothing, once for a fit."""
        self._seed = random_seed(self.random_state)
        return self._seed

    def _note_rows(self, X: Any) -> None:
        """Note the keys by which training rows are recognised, and keep some of them for familiarity."""
        self._known_rows = (row_count(X), _core.smallest_keys(row_keys(X)))
        width = X.nnz / max(1, X.shape[0]) if issparse(X) else getattr(X, "shape", (0, 1))[-1]
        chosen = _core.known_row_numbers(row_count(X), width, self._seed)
        try:
            self._table = Kept(KnownTable, rows_at(X, chosen))
        except (TypeError, ValueError):  # texts, images, lists of lists: no table, so no distances
            self._table = None

    def _lacks_familiarity(self) -> str:
        """Return why a fitted object cannot say which rows are like those of `fit`; nothing if it can."""
        if "_calibration" not in self.__dict__ or getattr(self, "_table", None) is not None:
            return ""
        return "it keeps no rows of its training as a table of numbers and texts; fit keeps them, where X is one"

    @offered_unless(lambda self: self._lacks_familiarity())
    def familiarity(self, X: Any) -> np.ndarray:
        """Return how familiar each row is: a p-value of the hypothesis that it is like the rows of `fit`.

        The p-value comes from distances to rows of `fit` alone, and does not depend on the predictions. Columns are in
        units of their standard deviation. About 1 in 100 rows like those of `fit` has at most 0.01. A row far from
        all of them has the smallest p-value.

        Parameters
        ----------
        {any_rows}

        {familiarity}
        """
        check_is_fitted(self)
        return self._table.made.p_values(X)

    def _familiar(self, X: Any) -> tuple[np.ndarray | None, int]:
        """Return the familiarity of rows, and with how many rows they were compared."""
        if getattr(self, "_table", None) is None:
            return None, 0
        return self.familiarity(X), self._table.made.known.size

    def _trained_on(self, X: Any) -> str:
        """Return what to say if the rows trained the model; empty if not, or where that is not known."""
        known = getattr(self, "_known_rows", None)
        return "" if known is None else _core.seen_rows_sentence(known[0], known[1], row_keys(X))

    def _counted(self, X: Any, groups: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Note how many groups there are that new rows are compared with; return weights and codes of groups."""
        weights, codes = weights_of(X, self.weights), group_codes(groups, row_count(X))
        if weights is not None and codes is not None:
            raise ValueError("rows count by weights or by groups, not by both")
        self._groups_kept = 0 if codes is None else int(codes.max()) + 1
        return weights, codes

    def _keys(self, X: Any) -> np.ndarray | None:
        """Return the keys of rows, which smoothing takes."""
        return row_keys(X) if self.smoothed else None

    def _p_value_options(self) -> _core.PValueOptions:
        return _core.PValueOptions(
            label_conditional=bool(getattr(self, "label_conditional", False)),
            smoothed=bool(self.smoothed),
            seed=self._seed if not isinstance(self.random_state, numbers.Integral) else random_seed(self.random_state),
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


@documented
class _SplitConformal(_Wrapper):
    """What predictors share that hold rows out: how these rows are compared with, and what one model may miss."""

    categories: OfRows
    calibration_size: Any
    prefit: bool
    smoothed: Any
    n_calibration_: int
    _seed: int
    _kept_by_fit: bool

    def __sklearn_is_fitted__(self) -> bool:
        return "_calibration" in self.__dict__

    def _is_fitted_before(self) -> bool:
        """Return whether the estimator was fitted by the user, and is to stay as it is."""
        return bool(self.prefit) or isinstance(self.estimator, FrozenEstimator)

    def _for_fit(self, fit_params: dict[str, Any]) -> dict[str, Any]:
        """Return what goes to the estimator's ``fit``: what it requested where scikit-learn routes metadata, else all.

        Raises
        ------
        ValueError
            With ``prefit=True``.
        """
        if self.prefit:
            raise ValueError("the estimator is fitted already (prefit=True): call conformalize")
        if not (fit_params and get_config()["enable_metadata_routing"]):
            return fit_params
        return dict(process_routing(self, "fit", **fit_params).estimator.fit)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata go: ``groups`` to this object if it requests them, the rest to the estimator's ``fit``.

        Returns
        -------
        MetadataRouter
            As scikit-learn's metadata routing takes it.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=self._wanted(), method_mapping=mapping)

    def fit(self, X: Any, y: Any, groups: Any = None, **fit_params: Any) -> Self:
        """Train the estimator, and conformalize on the rows that are kept from training.

        Parameters
        ----------
        {any_training_rows}
        y : array-like of shape (n_samples,)
            What is predicted: the class of each row, or with ``SplitConformalRegressor`` a number.
        {new_groups}
        {fit_params}

        {fitted}
        """
        start = time.perf_counter()
        fit_params = self._for_fit(fit_params)
        self._check_wanted()
        X, y = indexable(sound(X), self._labels(y))
        strata, codes = self._strata(y), group_codes(groups, len(y))
        self._draw_seed()
        none = np.zeros(len(y), dtype=bool)
        held = none if self.calibration_size is None else self._held_out(len(y), codes, strata)
        train, rest = np.flatnonzero(~held), np.flatnonzero(held)
        rows = rows_at(X, train) if len(rest) else X
        self.estimator_ = self._fresh().fit(rows, y[train], **parameters_at(fit_params, train, len(y)))
        self._note_fit(rows, y, train)
        self.__dict__.pop("_calibration", None)
        if len(rest):
            self._calibrate(rows_at(X, rest), y[rest], None if codes is None else codes[rest])
            self._kept_by_fit = True
        self._note_rows(X)
        self.fit_time_ = time.perf_counter() - start
        return self

    def conformalize(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Take rows that the estimator was not trained on to compare new rows with.

        A further call replaces these rows.

        Parameters
        ----------
        {any_rows}
        y : array-like of shape (n_samples,)
            What is predicted: their classes, all known to the classifier, or with ``SplitConformalRegressor`` numbers.
        {new_groups}

        {fitted}
        """
        if self._is_fitted_before():
            self._take_fitted()
            self._draw_seed()
        check_is_fitted(self, "estimator_")
        self._calibrate(X, self._labels(y), groups)
        return self

    def _strata(self, y: np.ndarray) -> np.ndarray | None:
        """Return the codes of the classes of which a share each is held out; None: of all rows together."""
        return None

    def _take_fitted(self) -> None:
        """Take the estimator that the user fitted, and note what else there is of it."""
        self._check_wanted()
        check_is_fitted(self._wanted())
        self.estimator_ = self._wanted()

    def _note_fit(self, X: Any, y: np.ndarray, train: np.ndarray) -> None:
        """Note what else is learnt of the rows that trained the estimator, whose places in ``y`` are given."""
        raise NotImplementedError

    def _calibrate(self, X: Any, y: np.ndarray, groups: Any) -> None:
        """Compare new rows with these."""
        raise NotImplementedError

    def _held_out(self, rows: int, groups: np.ndarray | None, classes: np.ndarray | None = None) -> np.ndarray:
        """Return which rows are held out: a share of the groups, or of the rows, or of those of each class."""
        if rows < 4:
            raise ValueError(f"Found array with {rows} sample(s) while a minimum of 4 is required.")
        if not 0 < self.calibration_size < 1:
            raise ValueError(f"calibration_size must lie between 0 and 1 or be None, not {self.calibration_size!r}")
        share = float(self.calibration_size)
        if groups is None:
            codes = np.zeros(rows, dtype=np.int32) if classes is None else classes
            return _core.held_out(codes, share, classes is not None, self._seed)
        count = int(groups.max()) + 1
        if count < 2:
            raise ValueError("all rows are of one group, so that none can be held out")
        return _core.held_out(np.zeros(count, dtype=np.int32), share, False, self._seed)[groups]

    def miss_limit(self, confidence_level: Any = 0.95, *, delta: float = 0.05) -> Any:
        """Return the share of new rows that this one model misses at most, with probability 1 - delta.

        The promise of sets and intervals is an average over draws of the rows held out; this model has one draw. The
        limit needs independent rows; see `credence.bounds.split_miss_limit`.

        Parameters
        ----------
        {levels}
        delta : float
            The share of such draws whose model may miss more.

        Returns
        -------
        float, list or dict
            The limit; with several levels a list. With ``label_conditional`` a dict, from each class to its own limit.

        Raises
        ------
        ValueError
            With ``categories``: call `credence.bounds.split_miss_limit` with the number of rows of each category. With
            ``weights`` or groups, for which no limit is known.
        """
        check_is_fitted(self)
        if self.categories is not None:
            raise ValueError(
                "categories have rows of their own: take credence.bounds.split_miss_limit for one category"
            )
        if self.weights is not None or self._groups_kept:
            raise ValueError("the limit is of rows that count alike, and these count by weights or groups")
        counts = self._kept_by_class()
        if counts is None:
            return self._miss_limits(self.n_calibration_, confidence_level, delta)
        return {label: self._miss_limits(count, confidence_level, delta) for label, count in counts if count}

    def _miss_limits(self, rows: int, confidence_level: Any, delta: float) -> Any:
        levels = significance_levels(confidence_level)
        limits = [_core.split_miss_limit(rows, level, delta, bool(self.smoothed)) for level in levels]
        return per_level(limits, confidence_level)

    def _counted(self, X: Any, groups: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
        weights, codes = super()._counted(X, groups)
        self.n_effective_ = float(row_count(X)) if weights is None else _core.effective_rows(weights)
        return weights, codes

    def _category_codes(self, X: Any, *, reset: bool) -> np.ndarray | None:
        """Return the code of each row's category; a category that was not seen has a code of its own."""
        values = values_of(X, self.categories, "categories")
        if values is None:
            return None
        if reset:
            self._category_places = {}
        codes = np.empty(len(values), dtype=np.int32)
        for i, value in enumerate(values.tolist()):
            value = "nan" if isinstance(value, float) and np.isnan(value) else value  # one category
            if reset:
                self._category_places.setdefault(value, len(self._category_places))
            codes[i] = self._category_places.get(value, -1)
        return codes

    def _condition(self) -> str:
        """Return what the promise of sets and intervals rests on."""
        unit, count = ("group", self._groups_kept) if self._groups_kept else ("row", self.n_calibration_)
        kept = f"{count} {unit}{'' if count == 1 else 's'}"
        alike = "differ from new rows by their weights alone"
        if not self._kept_by_fit:
            alike = alike if self.weights is not None else f"are exchangeable with new {unit}s"
            return f"if the {kept} given to conformalize were not used in training and {alike}"
        kept += " that fit kept from training"
        return f"if new {unit}s and the {kept} are exchangeable" if self.weights is None else f"if the {kept} {alike}"

    def _kept_by_class(self) -> Any:
        """Return each class and its rows held out, where each class has a promise of its own."""
        return None


def without_column(X: Any, column: OfRows) -> Any:
    """Return the rows without ``column``, a name or a number; all of them for None or a function of the rows."""
    if column is None or callable(column):
        return X
    X = sound(X)
    place = list(X.columns).index(column) if isinstance(column, str) else range(X.shape[1])[column]
    return columns_at(X, [j for j in range(X.shape[1]) if j != place])


def group_codes(groups: Any, rows: int) -> np.ndarray | None:
    """Return the code of each row's group, from 0 on; None without groups.

    Raises
    ------
    ValueError
        For another number of groups than of rows.
    """
    if groups is None:
        return None
    if row_count(groups) != rows:
        raise ValueError(f"there are {rows} rows, but groups of {row_count(groups)}")
    return np.unique(np.asarray(groups), return_inverse=True)[1].ravel().astype(np.int32)


def values_of(X: Any, given: OfRows, name: str) -> np.ndarray | None:
    """Return the values of rows in a column, or under a function; None where none is given.

    Raises
    ------
    ValueError
        If there is no such column, or the function has another number of values.
    """
    if given is None:
        return None
    try:
        values = np.asarray(given(X) if callable(given) else _column(X, given))
    except (KeyError, IndexError) as problem:
        raise ValueError(f"{name}: the rows have no column {given!r}") from problem
    values = values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values
    if values.ndim != 1:
        raise ValueError(
            f"{name} needs one value for each row, not values of the shape {values.shape}; join them to one"
        )
    if len(values) != row_count(X):
        raise ValueError(f"{name} gives {len(values)} values for {row_count(X)} rows")
    return values


def weights_of(X: Any, weights: OfRows) -> np.ndarray | None:
    """Return the known weight of each row; None where none is given."""
    values = values_of(X, weights, "weights")
    return None if values is None else np.ascontiguousarray(values, dtype=np.float64).ravel()


def _column(X: Any, name: str | int) -> Any:
    if isinstance(name, str):
        return np.asarray(X[name])
    column = columns_at(sound(X), [name])
    return np.asarray(column.toarray() if issparse(column) else column).ravel()


def _scores(estimator: Any, X: Any, classes: np.ndarray, which: str) -> np.ndarray:
    """Return the scores of all classes, the larger the better the class fits."""
    if which == "auto":
        which = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
    if which not in ("predict_proba", "decision_function"):
        raise ValueError(f"response_method must be 'auto', 'predict_proba' or 'decision_function', not {which!r}")
    values = np.asarray(getattr(estimator, which)(sound(X)), dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    scores = np.full((len(values), len(classes)), -np.inf)
    scores[:, np.searchsorted(classes, estimator.classes_)] = values
    return np.ascontiguousarray(scores)


@documented
class _Classifier(PredictionSets, _Wrapper):
    """What classifiers around an estimator share."""

    def _judged(self, X: Any, levels: np.ndarray) -> Judged:
        judged = super()._judged(X, levels)
        judged.trained_on = self._trained_on(X)
        judged.familiarity, judged.known_rows = self._familiar(X)
        if judged.familiarity is not None:
            judged.warnings += _core.familiarity_warnings(judged.familiarity, judged.known_rows)
        return judged

    def _labels(self, y: Any) -> np.ndarray:
        return classes_given(self, y)[0]

    def _codes_of(self, y: Any) -> np.ndarray:
        return codes_among(
            self.classes_, self._labels(y), lambda label: f"the estimator does not know the class {label!r}"
        )

    def _wanted(self) -> Any:
        """Return the unfitted estimator."""
        return SVC() if self.estimator is None else self.estimator

    def _check_wanted(self) -> None:
        if not is_classifier(self._wanted()):
            raise ValueError(f"estimator must be a classifier, and {self.estimator!r} is none")

    def predict(self, X: Any) -> np.ndarray:
        """Return the estimator's own prediction.

        Parameters
        ----------
        {any_rows}

        {predicted_classes}
        """
        check_is_fitted(self)
        return self._point(X)

    def _point(self, X: Any) -> np.ndarray:
        return self.predict_with_confidence(X)[0]
