"""Sets of classes from p-values."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from credence import _core
from credence._data import _plain_labels, codes_among, known_labels, spelling
from credence._options import Named
from credence._report import ClassEvaluation, Result
from credence._run import warn_caller
from credence._text import documented


def significance_levels(confidence_level: Any) -> np.ndarray:
    """Return 1 minus each confidence level, as decimals say it: 0.05 of 0.95.

    Raises
    ------
    ValueError
        For a level that is not above 0 and at most 1.
    """
    levels = np.atleast_1d(np.asarray(confidence_level, dtype=np.float64))
    if levels.ndim != 1 or not ((levels > 0) & (levels <= 1)).all():
        raise ValueError(f"confidence_level must lie above 0 and be at most 1, not {confidence_level!r}")
    return _core.significance_levels(np.ascontiguousarray(levels))


@dataclass
class Judged:
    """Predictions of rows that are to be compared with their classes."""

    p_values: np.ndarray
    label: np.ndarray
    made: dict[str, Any]  #: how the p-values are made
    guarantee: str = ""  #: what sets promise; empty where that is not known
    probability: np.ndarray | None = None
    moderated: np.ndarray | None = None
    rows: Any = None  #: as the library knows them, where a map of two features is cheap
    run: Any = None  #: how the library ran
    warnings: list[str] = field(default_factory=list)  #: of the rows, without a look at their classes
    trained_on: str = ""  #: says that the rows trained the model; empty if not
    familiarity: np.ndarray | None = None  #: p-value of each row being like those of the training
    known_rows: int = 0  #: rows of the training that familiarity compares with
    outside: list[Any] = field(default_factory=list)  #: columns in which unlike rows leave the training's range
    review: Any = None  #: the rows most worth a look, of models with probabilities
    scores: np.ndarray | None = None  #: of the classes, by which an AUC orders the rows; None: the p-values


def per_level(values: list[float], confidence_level: Any) -> Any:
    """Return the only value of one level, and the values of several."""
    return values[0] if np.ndim(confidence_level) == 0 else values


@documented
class PredictionSets(Named, ClassifierMixin):
    """What every classifier of the package offers; ``predict_p`` gives the p-values."""

    classes_: np.ndarray

    def predict_p(self, X: Any, **options: Any) -> np.ndarray:
        """Return the p-value of each class of each row."""
        raise NotImplementedError

    def predict_set(self, X: Any, confidence_level: Any = 0.95, *, limits: Any = None, as_labels: bool = False) -> Any:
        """Return the classes whose p-value is above 1 - confidence_level, or above the limit of the class.

        The comparison is one of counts: with 19 rows to compare with, a class with p = 0.05 is outside at 0.95.
        In a pipeline call it on the last step: ``pipe[-1].predict_set(pipe[:-1].transform(X))``.

        Parameters
        ----------
        {any_rows}
        {levels} Ignored with ``limits``.
        {limits}
        as_labels : bool
            Whether a list of classes is returned for each row.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes) or (n_samples, n_classes, n_levels), or list
            Columns as in ``classes_``. With ``as_labels`` a list for each row, of several levels a list of these lists.
        """
        if limits is not None:
            levels = self._levels_warned(limits, None)
            each_level = _core.prediction_sets(self._p_of_classes(X), levels).astype(bool)
            places = np.arange(len(levels))
            sets = each_level[:, places, places][:, :, np.newaxis]
            confidence_level = 0.95  # one set for each row
        else:
            levels = significance_levels(confidence_level)
            sets = _core.prediction_sets(self._p_at(X, levels), levels).astype(bool)
        if as_labels:
            each = [[self.classes_[row].tolist() for row in sets[:, :, level]] for level in range(sets.shape[2])]
            return each[0] if np.ndim(confidence_level) == 0 else each
        return sets[:, :, 0] if np.ndim(confidence_level) == 0 else sets

    def decide(self, X: Any, limits: Any, *, certainty: float | None = None) -> np.ndarray:
        """Return the one class of each row that is not ruled out at its limit; None if a person is to decide.

        A class is ruled out if its label-conditional p-value is at most its limit. So a row of a class is decided
        wrongly with probability at most the limit of the class, if rows of each class are exchangeable.

        Parameters
        ----------
        {any_rows}
        {limits}
        certainty : float, default=None
            The probability, such as 0.95, with which this model keeps its limits, over draws of the rows compared with;
            only where these rows were set aside. None: the limits hold on average over these rows.

        Returns
        -------
        ndarray of object of shape (n_samples,)
            Classes, and None.

        References
        ----------
        V. Vovk, "Conditional validity of inductive conformal predictors", Machine Learning 92 (2013); with a certainty
        X. Tong, Y. Feng, J. Li, "Neyman-Pearson classification algorithms and NP receiver operating characteristics",
        Science Advances 4 (2018).
        """
        decided = _core.decide(self._p_of_classes(X), self._levels_warned(limits, certainty))
        result = np.full(len(decided), None, dtype=object)
        known = decided >= 0
        result[known] = self.classes_[decided[known]].tolist()
        return result

    def compare_limits(self, X: Any, y: Any, limits: Any = None, *, cost: str | None = None) -> Result:
        """Return what each choice of limits decides on labelled rows, as the command ``limits`` does.

        Parameters
        ----------
        {any_rows} They had no part in the training.
        y : array-like of shape (n_samples,)
            Their classes.
        limits : sequence of floats, default=None
            In [0, 1). Of two classes every pair is tried, of more classes the same limit for all. None: those of the
            command, from 0.005 to 0.5.
        cost : str, default=None
            What a wrong decision costs, and a question: ``"sick:well=50,well:sick=1,ask=5"``. A pair that is not named
            costs 1. With costs the best limits have the least mean cost; without, the fewest rows asked or wrong.

        Returns
        -------
        Result
            A dict with the ``points`` of the limits and the ``best`` of them; ``report()`` is the page, ``sentence()``
            the text for a paper. The best limits were chosen on these rows, so new rows may do a little worse.
        """
        known_labels(y)
        document, text = _core.limits_document(
            self._p_of_classes(X),
            codes_among(self.classes_, y),
            [spelling(label) for label in self.classes_],
            self._compared_with(),
            [float(limit) for limit in (_core.usual_limits.split(",") if limits is None else np.ravel(limits))],
            cost or "",
            self._guarantee(),
            type(self).__name__,
        )
        return Result(json.loads(document), text)

    def errors_by(
        self,
        X: Any,
        y: Any,
        columns: Any,
        divisions: str | None = None,
        confidence_level: float = 0.95,
        *,
        limits: Any = None,
    ) -> dict[str, Any]:
        """Return errors and misses for each value of columns, with exact intervals that hold together.

        They hold together at 95 % for independent rows.

        Parameters
        ----------
        {any_rows}
        y : array-like of shape (n_samples,)
            Their classes.
        columns : DataFrame or dict of array-like
            The columns by which rows are divided; the model need not use them.
        divisions : str, default=None
            Such as ``"sex,age=30:50,sex*age"``: columns, columns with cuts, and combinations of columns. Numbers with
            more than eight different values are cut at the given cuts, or else at quartiles. None: each column by
            itself.
        confidence_level : float, default=0.95
            Of the sets whose misses are counted.
        {limits} With limits, ``decided`` counts the decided rows of a part, and a row of a class is missed if its class
            is ruled out. Without limits it is missed if it has another label.

        Returns
        -------
        dict
            ``divisions``, each with ``parts`` (``value``, ``n``, ``errors``, ``error``, ``interval``, ``per_class``
            with ``n``, ``missed`` and ``interval``, ``set_misses``, ``set_interval``, ``set_size``);
            ``worst_error`` and ``worst_missed``, those with the largest upper ends; ``intervals``: their number.
        """
        known_labels(y)
        named = [(str(name), ["" if cell != cell else str(cell) for cell in columns[name]]) for name in columns]
        judged = self._judged(X, significance_levels(confidence_level))
        labels = codes_among(self.classes_, y)
        for name, cells in named:
            if len(cells) != len(labels):
                raise ValueError(f"the column {name!r} has {len(cells)} values, but there are {len(labels)} rows")
        return json.loads(
            _core.errors_by(
                ",".join(name for name, _ in named) if divisions is None else divisions,
                named,
                [spelling(label) for label in self.classes_],
                judged.p_values if limits is None else self._p_of_classes(X),
                judged.label,
                labels,
                float(1 - confidence_level),
                [] if limits is None else self._levels_warned(limits, None).tolist(),
            )
        )

    def _numbers_of_classes(self, numbers: dict[Any, float], what: str) -> np.ndarray:
        """Return the number of each class; NaN for a class without one."""
        classes = self.classes_.tolist()
        if unknown := [label for label in numbers if label not in classes]:
            raise ValueError(f"{what}: {unknown[0]!r} is no class; the classes are {classes}")
        return np.array([numbers.get(label, np.nan) for label in classes], dtype=np.float64)

    def _limits_of(self, limits: Any) -> np.ndarray:
        """Return the limit of each class."""
        if isinstance(limits, dict):
            levels = self._numbers_of_classes(limits, "limits")
            levels[np.isnan(levels)] = min(limits.values(), default=np.nan)
        else:
            levels = np.full(len(self.classes_), float(limits))
        if not ((levels >= 0) & (levels < 1)).all():
            raise ValueError(f"limits must lie in [0, 1), not {limits!r}")
        return levels

    def _levels_of(self, limits: Any, certainty: float | None) -> np.ndarray:
        """Return the levels at which classes are ruled out so that the limits hold."""
        if certainty is not None:
            raise ValueError("certainty: only models of SVCSearchCV and SVC know which rows were set aside")
        return self._limits_of(limits)

    def _levels_warned(self, limits: Any, certainty: float | None) -> np.ndarray:
        """Return these levels, and warn of classes with too few rows for their limits."""
        levels = self._levels_of(limits, certainty)
        if (counts := self._compared_with()) is not None:
            names = [spelling(label) for label in self.classes_]
            warn_caller(_core.limit_warnings(names, counts, self._limits_of(limits).tolist(), certainty))
        return levels

    def _p_of_classes(self, X: Any) -> np.ndarray:
        """Return label-conditional p-values."""
        if not getattr(self, "label_conditional", False):
            raise ValueError("limits need p-values of each class: set label_conditional=True, and fit again")
        return self.predict_p(X)

    def predict_with_confidence(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the class with the largest p-value, its confidence and its credibility.

        Confidence is 1 minus the second largest p-value. Credibility is the largest p-value, which is small for a row
        that is strange under every class.

        Parameters
        ----------
        {any_rows}

        {with_confidence}
        """
        label, confidence, credibility = _core.conclusions(self.predict_p(X))
        return self.classes_[label], confidence, credibility

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on labelled rows.

        Parameters
        ----------
        {any_rows}
        {classes}
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The share of right labels.
        """
        known_labels(y)
        return super().score(X, _plain_labels(y), sample_weight)

    def _made(self) -> dict[str, Any]:
        """Return how p-values are made."""
        made: dict[str, Any] = {name: bool(getattr(self, name, False)) for name in ("label_conditional", "smoothed")}
        return made | {"seed": getattr(self, "_seed", 0)}

    def _p_at(self, X: Any, levels: np.ndarray) -> np.ndarray:
        """Return p-values, and warn of what sets at these levels need."""
        warn_caller(self._row_warnings(self._made(), levels))
        return self.predict_p(X)

    def _judged(self, X: Any, levels: np.ndarray) -> Judged:
        """Return what the rows are judged by."""
        p_values = self.predict_p(X)
        made = self._made()
        return Judged(
            p_values,
            _core.conclusions(p_values)[0],
            made,
            self._guarantee(),
            warnings=self._row_warnings(made, levels),
        )

    def _row_warnings(self, made: dict[str, Any], levels: np.ndarray) -> list[str]:
        """Return the warnings about sets at these levels, whatever the rows."""
        counts = self._compared_with()
        if counts is None:
            return []
        return _core.p_value_warnings(
            [spelling(label) for label in self.classes_], counts, _core.PValueOptions(**made), levels
        )

    def _compared_with(self) -> list[int] | None:
        """Return how many rows of each class a new row is compared with; None where that is not known."""
        return None

    def _guarantee(self) -> str:
        """Return what sets promise, in a sentence; empty where that is not known."""
        return ""

    def _decision(self, judged: Judged, labels: np.ndarray) -> str:
        """Return the class at each place of a map of two features, as JSON; "null" for other rows."""
        return "null"

    def evaluate(self, X: Any, y: Any, confidence_level: Any = 0.95, *, positive: Any = None) -> ClassEvaluation:
        """Return how often the sets miss on labelled rows, and how many classes they hold.

        Parameters
        ----------
        {any_rows}
        y : array-like of shape (n_samples,)
            Their classes. A class that the model does not know is an error at every level.
        {levels}
        positive : class label, default=None
            The positive one of two classes, for sensitivity, PPV and AUC; None: the second of ``classes_``.

        Returns
        -------
        ClassEvaluation
            A dict, which a prompt shows as the command prints an evaluation. Its keys are those of crepes: ``error``
            (share of sets without the true class; the share of wrong labels is 1 - ``accuracy``), ``avg_c`` (mean
            size), ``one_c`` (share of single classes), ``empty``, ``ks_test`` (p-value of the test that p-values of
            true classes are uniform, or larger if they are not smoothed), ``time_fit``, ``time_evaluate``; ``accuracy``
            of the labels that ``predict`` gives; and the ten criteria of Vovk et al. (2017): ``S``, ``N``, ``U``,
            ``F``, ``M``, ``E``, ``OU``, ``OF``, ``OM``, ``OE``; the smaller, the better. With several levels, the
            numbers that depend on the level (``error``, ``avg_c``, ``one_c``, ``empty``, ``N``, ``M``, ``E``, ``OM``,
            ``OE``) are lists with a value for each level. ``numbers`` holds what a paper prints, each with its
            ``value``, counts and 95 % ``interval``: of two classes ``sensitivity``, ``specificity``, ``ppv``, ``npv``,
            ``accuracy``, ``balanced_accuracy``, ``prevalence`` and ``auc``; of more classes ``per_class`` and
            ``macro``. Its ``report()`` is the page of the evaluation, its ``charts()`` are the charts of the page, its
            ``displays()`` are scikit-learn's.
        """
        start = time.perf_counter()
        levels = significance_levels(confidence_level)
        if not len(levels):
            raise ValueError("confidence_level: at least one level is needed")
        known_labels(y)
        judged = self._judged(X, levels)
        labels = codes_among(self.classes_, y)
        parts: dict[str, Any] = {
            "p_values": judged.p_values,
            "given": judged.label,
            "labels": labels,
            "classes": [spelling(label) for label in self.classes_],
            "levels": levels,
            "made": judged.made,
            "probability": judged.probability,
            "moderated": judged.moderated,
            "compared_with": self._compared_with(),
            "scores": judged.scores,
            "positive": "" if positive is None else spelling(positive),
            "origin": {
                "model": type(self).__name__,
                "guarantee": judged.guarantee,
                "trained_on": judged.trained_on,
                "warnings": judged.warnings,
                "familiarity": judged.familiarity,
                "known_rows": judged.known_rows,
                "outside": judged.outside,
                "review": judged.review,
                "seconds": 0.0,
                "threads": 0 if judged.run is None else judged.run.threads,
            },
        }
        found = json.loads(_core.evaluation_document(parts, figures=True)[0])
        parts["origin"]["seconds"] = seconds = time.perf_counter() - start
        sets, criteria = found["prediction_sets"], found["criteria"]

        def at_levels(name: str, of: float = 1) -> Any:
            return per_level([one[name] / of for one in sets], confidence_level)

        figures = {
            "error": at_levels("errors", found["n"]),
            "avg_c": at_levels("N"),
            "one_c": at_levels("single", found["n"]),
            "empty": at_levels("empty", found["n"]),
            "ks_test": found["uniformity"]["p_value"],
            "time_fit": getattr(self, "fit_time_", 0.0),
            "time_evaluate": seconds,
            "mean_confidence": found["mean_confidence"],
            "mean_credibility": found["mean_credibility"],
            **{name: criteria[name] for name in ("S", "U", "F", "OU", "OF")},
            **{name: at_levels(name) for name in ("N", "M", "E", "OM", "OE")},
            "numbers": found["numbers"],
            "accuracy": 1 - float(np.mean(judged.label != labels)),
        }
        warn_caller(found["warnings"])
        return ClassEvaluation(figures, decision=self._decision(judged, labels), **parts)
