"""Split conformal prediction around any regressor."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin, clone, is_regressor
from sklearn.model_selection import cross_val_predict
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from credence import _core
from credence._arguments import SplitConformalRegressorArguments
from credence._data import sound, targets_given
from credence._report import IntervalEvaluation
from credence._run import warn_caller
from credence._sets import per_level, significance_levels
from credence._text import documented
from credence.conformal._shared import Kept, _SplitConformal, weights_of
from credence.rvm import RVR


@documented
class SplitConformalRegressor(SplitConformalRegressorArguments, RegressorMixin, _SplitConformal):
    """Split (inductive) conformal prediction around any regressor: intervals for targets.

    An interval at confidence level c misses the target with probability at most 1 - c, on average over the rows held
    out, whatever the regressor, if all rows are exchangeable. `miss_limit` says what one model may miss.

    {parameters}

    Attributes
    ----------
    estimator_ : regressor
        The fitted regressor.
    {n_calibration}
    {n_effective}

    References
    ----------
    H. Papadopoulos, K. Proedrou, V. Vovk, A. Gammerman, "Inductive confidence machines for regression", ECML 2002.

    Examples
    --------
    >>> import credence
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = credence.SplitConformalRegressor(Ridge()).fit(X[::2], y[::2])
    >>> model.predict_interval(X[1:4], confidence_level=0.9).shape
    (3, 2)
    """

    def _wanted(self) -> Any:
        return RVR() if self.estimator is None else self.estimator

    def _check_wanted(self) -> None:
        if not is_regressor(self._wanted()):
            raise ValueError(f"estimator must be a regressor, and {self.estimator!r} is none")

    def _labels(self, y: Any) -> np.ndarray:
        return targets_given(self, y)[0]

    def _note_fit(self, X: Any, y: np.ndarray, train: np.ndarray) -> None:
        self.difficulty_ = None
        if self.difficulty is not None:
            residuals = np.abs(y[train] - cross_val_predict(self._fresh(), X, y[train], cv=5))
            fresh: Any = clone(self.difficulty)
            self.difficulty_ = fresh.fit(X, residuals)

    def _difficulties(self, X: Any) -> np.ndarray | None:
        difficulty: Any = getattr(self, "difficulty_", None)
        if difficulty is None:
            return None
        return np.ascontiguousarray(np.maximum(difficulty.predict(X), 0), dtype=np.float64)

    def _take_fitted(self) -> None:
        super()._take_fitted()
        self.difficulty_ = self.difficulty

    def _calibrate(self, X: Any, y: np.ndarray, groups: Any) -> None:
        if not self.beta > 0:
            raise ValueError(f"beta must be above 0, not {self.beta!r}")
        means = self._means(X)
        codes = self._category_codes(X, reset=True)
        counted = self._counted(X, groups)
        self._calibration = Kept(
            _core.ResidualConformal, y, means, self._difficulties(X), codes, float(self.beta), *counted
        )
        self.n_calibration_ = len(y)
        self._kept_by_fit = False

    def _means(self, X: Any) -> np.ndarray:
        return np.ascontiguousarray(self.estimator_.predict(sound(X)), dtype=np.float64)

    def predict(self, X: Any) -> np.ndarray:
        """Return the regressor's own prediction.

        Parameters
        ----------
        {any_rows}

        Returns
        -------
        ndarray of shape (n_samples,)
            Targets.
        """
        check_is_fitted(self)
        return self.estimator_.predict(sound(X))

    def predict_interval(self, X: Any, confidence_level: Any = 0.95) -> np.ndarray:
        """Return an interval for each target.

        Parameters
        ----------
        {any_rows}
        {levels_of_intervals}

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, 2, n_levels)
            Ends; infinite where there are too few rows to compare with.
        """
        check_is_fitted(self)
        warn_caller(self._level_warnings(significance_levels(confidence_level)))
        return self._ends(X, confidence_level)

    def _level_warnings(self, levels: np.ndarray) -> list[str]:
        alike = self.categories is None and not self._groups_kept
        return _core.interval_warnings(self.n_calibration_, levels) if alike else []

    def _ends(self, X: Any, confidence_level: Any) -> np.ndarray:
        means, difficulties, codes = self._means(X), self._difficulties(X), self._category_codes(X, reset=False)
        weights = weights_of(X, self.weights)
        levels = significance_levels(confidence_level)
        if not (levels > 0).all():
            raise ValueError(f"confidence_level must lie between 0 and 1 for intervals, not {confidence_level!r}")
        ends = [self._calibration.made.intervals(means, difficulties, codes, weights, level) for level in levels]
        return ends[0] if np.ndim(confidence_level) == 0 else np.stack(ends, axis=2)

    def predict_p(self, X: Any, y: Any) -> np.ndarray:
        """Return the p-value of a target for each row.

        Parameters
        ----------
        {any_rows}
        y : array-like of shape (n_samples,)
            The targets.

        Returns
        -------
        ndarray of shape (n_samples,)
            P-values.
        """
        check_is_fitted(self)
        return self._calibration.made.p_values(
            self._labels(y),
            self._means(X),
            self._difficulties(X),
            self._category_codes(X, reset=False),
            weights_of(X, self.weights),
            self._keys(X),
            self._p_value_options(),
        )

    def evaluate(self, X: Any, y: Any, confidence_level: Any = 0.95) -> IntervalEvaluation:
        """Return how many targets the intervals hold on these rows, and how wide the intervals are.

        Parameters
        ----------
        {any_rows}
        {targets}
        {levels_of_intervals}

        Returns
        -------
        IntervalEvaluation
            A dict with the keys of crepes: ``error``, ``eff_mean`` and ``eff_med`` (mean and median width),
            ``ks_test``, ``time_fit``, ``time_evaluate``. Of several levels, the first three are lists, a value for
            each level. Its ``report()`` is the page of the evaluation, its ``charts()`` are the charts of the page.
        """
        start = time.perf_counter()
        X, y = indexable(sound(X), self._labels(y))
        levels = significance_levels(confidence_level)
        if not len(levels):
            raise ValueError("confidence_level: at least one level is needed")
        check_is_fitted(self)
        ends = self._ends(X, confidence_level).reshape(len(y), 2, len(levels))
        each = [np.ascontiguousarray(ends[:, :, level]) for level in range(len(levels))]
        widths = [one[:, 1] - one[:, 0] for one in each]
        p_values = self.predict_p(X, y)
        seconds = time.perf_counter() - start
        missed = [float(np.mean((y < one[:, 0]) | (y > one[:, 1]))) for one in each]
        found = {
            "error": per_level(missed, confidence_level),
            "eff_mean": per_level([float(np.mean(one)) for one in widths], confidence_level),
            "eff_med": per_level([float(np.median(one)) for one in widths], confidence_level),
            "ks_test": _core.uniformity(p_values, bool(self.smoothed)),
            "time_fit": getattr(self, "fit_time_", 0.0),
            "time_evaluate": seconds,
        }
        familiarity, known_rows = self._familiar(X)
        of_rows = self._level_warnings(levels)
        if familiarity is not None:
            of_rows += _core.familiarity_warnings(familiarity, known_rows)
        parts = {
            "targets": y,
            "means": self._means(X),
            "p_values": p_values,
            "ends": each,
            "levels": levels,
            "origin": {
                "model": type(self).__name__,
                "guarantee": _core.interval_guarantee(
                    self.categories is not None, bool(self._groups_kept), self._condition()
                ),
                "trained_on": self._trained_on(X),
                "warnings": of_rows,
                "familiarity": familiarity,
                "known_rows": known_rows,
                "outside": [],
                "review": None,
                "seconds": seconds,
                "threads": 0,
            },
        }
        warn_caller(json.loads(_core.regression_document(parts, figures=True)[0])["warnings"])
        return IntervalEvaluation(found, **parts)
