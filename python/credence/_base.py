"""What all estimators share: how they run, predict, are saved and pickled."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from itertools import combinations
from types import MethodType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from credence import _core
from credence._data import codes_among, is_precomputed, known_labels, labelled_rows, left_out, rows_of, target_rows
from credence._options import Named, give, known, path_text
from credence._run import ProgressLine, running, warn_caller
from credence._sets import Judged, PredictionSets, significance_levels
from credence._text import documented


def random_seed(random_state: Any) -> int:
    """Return the seed of a whole number, of a generator, or a fresh one for None."""
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise ValueError(f"random_state must be at least 0, not {random_state}")
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(0, 2**31 - 1))


def votes_with_margins(decision: np.ndarray, count: int) -> np.ndarray:
    """Return the votes of models of two classes each, and between ties their margins, as scikit-learn's SVC does."""
    votes, margins = np.zeros((len(decision), count)), np.zeros((len(decision), count))
    for pair, (first, second) in enumerate(combinations(range(count), 2)):
        votes[:, first] += decision[:, pair] >= 0
        votes[:, second] += decision[:, pair] < 0
        margins[:, first] += decision[:, pair]
        margins[:, second] -= decision[:, pair]
    return votes + margins / (3 * (np.abs(margins) + 1))  # less than half a vote


def shown(kind: str, name: str, text: str) -> Any:
    """Return a property with this docstring: a part of the SVM or the RVM of an estimator."""
    return property(lambda estimator: getattr(estimator.predictor_, kind)[name], doc=text)


class _Offered:
    """A method that some estimators lack; the text of the AttributeError itself says why it is missing."""

    def __init__(self, method: Callable[..., Any], lack: Callable[[Any], str]):
        self.method, self.lack = known(method), lack
        itself: Any = self
        functools.update_wrapper(itself, method)

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        """Return the method of an estimator that has it."""
        if estimator is None:
            return self.method
        reason = self.lack(estimator)
        if reason:
            raise AttributeError(f"this {type(estimator).__name__} has no {self.method.__name__}: {reason}")
        return MethodType(self.method, estimator)


def offered_unless(lack: Callable[[Any], str]) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator of methods that an estimator lacks if ``lack`` gives a reason."""
    return lambda method: _Offered(method, lack)


@documented
class CredenceEstimator(Named, BaseEstimator):
    """An estimator around a predictor of the library, ``predictor_``."""

    predictor_: _core.Predictor
    missing: Any

    def _arguments(self) -> dict[str, Any]:
        """Return the options for the library: the parameters that are described there."""
        ours = {"missing", "unseen", "n_jobs", "verbose", "method", "cv", "model", "time_limit", "measure", "weights"}
        arguments = {name: value for name, value in self.get_params(deep=False).items() if name not in ours}
        if "random_state" in arguments:
            arguments["random_state"] = random_seed(arguments["random_state"])
        return arguments

    def _defaults(self) -> dict[str, Any]:
        return {name: argument.default for name, argument in inspect.signature(type(self)).parameters.items()}

    def _labelled(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> tuple[_core.Dataset, Any]:
        """Return the rows with their classes or targets, and which of the given ones they are."""
        if is_regressor(self):
            return target_rows(self, X, y, missing=self.missing)
        return labelled_rows(self, X, y, sample_weight=sample_weight, groups=groups, missing=self.missing)

    def _train(self, model: str, X: Any, y: Any, sample_weight: Any = None) -> np.ndarray:
        """Train one model of a kind of model, and return which rows it was trained on."""
        options = _core.TrainingOptions(model, is_regressor(self))
        give(options, self._arguments(), self._defaults())
        options.set_missing(self.missing)
        dataset, kept = self._labelled(X, y, sample_weight)
        with ProgressLine(type(self).__name__) as progress:
            folds = left_out(self, dataset, X, y, kept)
            self.predictor_, warned = _core.train(dataset, options, folds, running(self, progress))
        warn_caller(warned)
        return kept

    def _why_unfitted(self) -> str:
        """Return why ``fit`` left no model; nothing if it did not come to that."""
        return ""

    def _check_fitted(self) -> None:
        if why := self._why_unfitted():
            raise NotFittedError(f"This {type(self).__name__} has no model: {why}")
        check_is_fitted(self)

    def _rows(self, X: Any) -> _core.Dataset:
        self._check_fitted()
        missing = "impute" if getattr(self, "missing", "error") == "impute" else "error"
        return rows_of(self, X, reset=False, missing=missing).rows_for(
            self.predictor_.schema, getattr(self, "unseen", "error"), missing
        )

    def _predicted(self, X: Any) -> dict[str, np.ndarray]:
        rows = self._rows(X)
        return self.predictor_.predict(rows, running(self))

    def _lacks_familiarity(self) -> str:
        """Return why the fitted model cannot say which rows are like those of the training; nothing if it can."""
        if not self.__sklearn_is_fitted__() or self.predictor_.known_rows:
            return ""
        return "the model keeps no rows of its training to compare with"

    @offered_unless(lambda self: self._lacks_familiarity())
    def familiarity(self, X: Any) -> np.ndarray:
        """Return how familiar each row is: a p-value of the hypothesis that it is like the training rows.

        The p-value comes from distances to training rows alone, and does not depend on the predictions. About 1 in 100
        rows like the training rows has at most 0.01. A row far from all training rows has the smallest p-value.

        Parameters
        ----------
        {rows}

        {familiarity}
        """
        rows = self._rows(X)
        return self.predictor_.familiarity(rows, running(self))

    def save(self, path: Any) -> None:
        """Save the fitted model in a file that the command and :func:`credence.load` read.

        Parameters
        ----------
        {written}
        ValueError
            If the ending is that of another format.
        """
        self._check_fitted()
        path = path_text(path)
        if path.endswith((".c", ".h", ".model", ".libsvm", ".txt", ".onnx", ".pmml", ".json")):
            raise ValueError(f"{path}: save writes .credence files, of which credence convert makes .c, .h or .model")
        self.predictor_.save(path)

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickles and skops keep: the model as the bytes of its file."""
        inherited: Any = super().__getstate__()
        kept = {"predictor_": self.predictor_.to_bytes()} if "predictor_" in inherited else {}
        return inherited | kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was kept."""
        kept = {"predictor_": _core.from_bytes(state["predictor_"])} if "predictor_" in state else {}
        inherited: Any = super()
        inherited.__setstate__(state | kept)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "predictor_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        tags.input_tags.pairwise = is_precomputed(self)
        return tags


@documented
class CredenceClassifier(PredictionSets, CredenceEstimator):
    """A classifier around a predictor of the library."""

    classes_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; with a precomputed kernel the kernel values with the training rows.

        {predicted_classes}
        """
        label = self._predicted(X).get("label", np.empty(0, dtype=np.int32))
        return self.classes_[label]

    def _lacks_decision(self) -> str:
        """Return why there are no decision values; nothing if there are."""
        if not self.__sklearn_is_fitted__() or self.predictor_.decision_names:
            return ""
        return "the model gives labels without decision values"

    @offered_unless(lambda self: self._lacks_decision())
    def decision_function(self, X: Any) -> np.ndarray:
        """Return decision values.

        Parameters
        ----------
        {rows}

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for the second class; log odds of a relevance vector machine. More classes: votes of
            the binary SVMs with their margins, as scikit-learn's ``decision_function_shape="ovr"``; for relevance
            vector machines the log odds of each class against the rest. For an average the mean score of its settings.
        """
        decision = self._predicted(X)["decision"]
        count = len(self.classes_)
        if count == 2:
            return decision[:, 0]
        if all(name.endswith("_vs_rest") for name in self.predictor_.decision_names):
            return decision
        return votes_with_margins(decision, count)

    def _lacks_probabilities(self) -> str:
        """Return why the model cannot give probabilities, before it is fitted why it will not; nothing if it can."""
        return self.predictor_.missing_for_probabilities if self.__sklearn_is_fitted__() else ""

    @offered_unless(lambda self: self._lacks_probabilities())
    def predict_proba(self, X: Any, calibration: str | None = None, *, prior: Any = None) -> np.ndarray:
        """Return the probability of each class.

        The most probable class is the one that ``predict`` returns, except with ``class_weight``: then a rare class can
        be predicted although it is not the most probable one.
        Probabilities of SVMs are fitted to scores of rows left out, from models that had not seen them.

        Parameters
        ----------
        {rows}
        calibration : {'sigmoid', 'isotonic', 'venn_abers'} or None
            How scores become probabilities. None: the probabilities of a relevance vector machine are its own, those
            of other models come from a sigmoid (Platt; Lin, Lin and Weng, 2007).

        prior : dict of class to float or 'estimate', default=None
            Class shares of the population that rows come from, if rows of each class are alike there and in training.
            Classes without a share divide the rest as in training. 'estimate' finds the shares from the probabilities
            of these rows (Saerens, Latinne, Decaestecker, 2002); nothing is proved of the estimate. With a prior the
            most probable class can be another one than that of ``predict``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1.
        """
        probability = self._probabilities(X, calibration)["probability"]
        if prior is None:
            return probability
        if isinstance(prior, str) and prior != "estimate":
            raise ValueError(f"prior must be a dict of class shares or 'estimate', not {prior!r}")
        given = [] if prior == "estimate" else self._numbers_of_classes(prior, "prior").tolist()
        return self.predictor_.at_shares(np.ascontiguousarray(probability), given)[0]

    @offered_unless(lambda self: self._lacks_probabilities())
    def predict_proba_interval(self, X: Any) -> np.ndarray:
        """Return an interval for the probability of each class (inductive Venn-Abers predictor).

        One of the two ends is perfectly calibrated, but it is not known which. A wide interval says that few of the
        rows left out had scores near that of the row.

        Parameters
        ----------
        {rows}

        Returns
        -------
        ndarray of shape (n_samples, n_classes, 2)
            Lower and upper ends.

        References
        ----------
        V. Vovk, I. Petej, V. Fedorova, "Large-scale probabilistic predictors with and without guarantees of validity",
        NIPS 2015.
        """
        columns = self._probabilities(X, "venn_abers")
        return np.stack([columns["probability_lower"], columns["probability_upper"]], axis=2)

    @offered_unless(lambda self: self._lacks_probabilities())
    def review(self, X: Any, share: float | None = None, *, limits: Any = 0.05) -> np.ndarray:
        """Return which rows are most worth a look, with a reason.

        The rows whose labels are least probable are marked: no other number of a row found clearly more errors.

        Parameters
        ----------
        {rows}
        share : float, default=None
            How many of the rows are marked, such as 0.1; None: those that ``decide`` leaves to a person.
        {limits} A row fits no class where all its p-values are at most these.

        Returns
        -------
        ndarray of str of shape (n_samples,)
            ``"between classes"``, ``"fits no class"`` (every class is ruled out) or ``"unlike the training rows"``
            (familiarity of at most 0.01); empty for rows that are not marked.
        """
        text = "limit" if share is None else str(float(share))
        levels = self._limits_of(limits).tolist()
        return np.array(self.predictor_.review(self._rows(X), text, levels, running(self)), dtype=str)

    def _probabilities(self, X: Any, calibration: str | None) -> dict[str, np.ndarray]:
        rows = self._rows(X)
        return self.predictor_.predict_with_probability(rows, calibration, running(self))

    def _has_p_values(self) -> bool:
        if not self.__sklearn_is_fitted__():
            return False
        return self.predictor_.capabilities["p_values"] != "none"

    def predict_p(
        self, X: Any, *, label_conditional: bool = False, smoothed: bool = False, seed: int = 0
    ) -> np.ndarray:
        """Return the p-value of each class.

        A p-value is small if few rows left out fit their own class as badly as the row fits that class.
        In a pipeline call it on the last step: ``pipe[-1].predict_p(pipe[:-1].transform(X))``.

        Parameters
        ----------
        {rows}
        {p_value_options}

        {p_values}
        """
        return self._with_confidence(X, label_conditional, smoothed, seed)["p_value"]

    def predict_with_confidence(
        self, X: Any, *, label_conditional: bool = False, smoothed: bool = False, seed: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return label, confidence and credibility of each row.

        Confidence is 1 minus the largest p-value of the other classes; credibility is the p-value of the label.

        Parameters
        ----------
        {rows}
        {p_value_options}

        {with_confidence}
        """
        columns = self._with_confidence(X, label_conditional, smoothed, seed)
        return self.classes_[columns["label"]], columns["confidence"], columns["credibility"]

    def _levels_of(self, limits: Any, certainty: float | None) -> np.ndarray:
        return self.predictor_.levels_of_limits(self._limits_of(limits).tolist(), certainty)

    def _p_of_classes(self, X: Any) -> np.ndarray:
        return self._with_confidence(X, True, False, 0)["p_value"]

    def update(self, X: Any, y: Any, *, seed: int = 0) -> Any:
        """Return a copy that compares new rows with labelled local rows, and test whether these differ.

        The model, and so every label, stays as it is. P-values and probabilities rest on the local rows alone. Do not
        use the local rows in a later evaluation.

        Parameters
        ----------
        {rows}
        y : array-like of shape (n_samples,)
            Their classes.
        seed : int, default=0
            Seed of the permutations of the test.

        Returns
        -------
        CredenceClassifier
            With ``local_test_``: ``p_value``, which is small if local rows and the rows kept before have different
            nonconformity scores within classes; ``statistic``; ``local`` and ``kept_before``, numbers of rows of each
            class; ``proved``, whether the p-value is valid for exchangeable rows of each class.
        """
        rows = self._rows_for_p_values(X)
        known_labels(y)
        labels = codes_among(self.classes_, y, lambda label: f"the model does not know the class {label!r}")
        updated: Any = copy.deepcopy(self)
        updated.local_test_ = updated.predictor_.calibrate_locally(rows, labels, seed, running(self))
        warn_caller(updated.local_test_.pop("warnings"))
        return updated

    def _judged(self, X: Any, levels: np.ndarray) -> Judged:
        """Return what the rows are judged by."""
        made = self._made()
        rows, run = self._rows_for_p_values(X), running(self)
        return self._judged_by(self.predictor_.judge(rows, made, levels, run), made, rows, run)

    def _p_at(self, X: Any, levels: np.ndarray) -> np.ndarray:
        judged = self._judged(X, levels)
        warn_caller(judged.warnings)
        return judged.p_values

    def _columns(self, rows: _core.Dataset, made: dict[str, Any], run: _core.RunOptions) -> dict[str, Any]:
        columns = self.predictor_.predict_with_confidence(rows, made, run)
        warn_caller(columns["warnings"])
        return columns

    def _judged_by(self, columns: dict[str, Any], made: dict[str, Any], rows: Any, run: Any) -> Judged:
        return Judged(
            columns["p_value"],
            columns["label"],
            made,
            self.predictor_.validity(made),
            columns.get("probability"),
            columns.get("moderated"),
            None if columns["solves"] else rows,
            run,
            columns["warnings"],
            columns["trained_on"],
            columns.get("familiarity"),
            self.predictor_.known_rows,
            columns["outside"],
            columns["review"],
            columns.get("score"),
        )

    def _guarantee(self) -> str:
        return self.predictor_.validity(self._made() | {"label_conditional": True})

    def _compared_with(self) -> list[int] | None:
        return self.predictor_.compared_with

    def _decision(self, judged: Judged, labels: np.ndarray) -> str:
        if judged.rows is None:
            return "null"
        return self.predictor_.decision(judged.rows, labels, judged.run)

    def _rows_for_p_values(self, X: Any) -> _core.Dataset:
        self._check_fitted()
        if not self._has_p_values():
            raise AttributeError(
                f"this {type(self).__name__} keeps no scores of rows left out, so it gives no p-values; "
                "fit it with cv=5, or take SVCSearchCV"
            )
        return self._rows(X)

    def _with_confidence(self, X: Any, label_conditional: bool, smoothed: bool, seed: int) -> dict[str, np.ndarray]:
        rows = self._rows_for_p_values(X)
        options = {"label_conditional": label_conditional, "smoothed": smoothed, "seed": seed}
        return self._columns(rows, options, running(self))


@documented
class CredenceRegressor(RegressorMixin, CredenceEstimator):
    """A regressor around a predictor of the library."""

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean of each row, and if asked the standard deviation of a new observation.

        Parameters
        ----------
        {rows}
        return_std : bool
            Whether the standard deviation is returned too.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            The predictions.
        std : ndarray of shape (n_samples,)
            Only with ``return_std``.
        """
        columns = self._predicted(X)
        mean = columns.get("mean", np.empty(0))
        return (mean, columns.get("sd", np.empty(0))) if return_std else mean

    def predict_interval(self, X: Any, confidence_level: float = 0.95) -> np.ndarray:
        """Return an interval for the target of each row, from the residuals of rows left out.

        Parameters
        ----------
        {rows}
        confidence_level : float
            Between 0 and 1.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Lower and upper ends.
        """
        self._check_fitted()
        levels = significance_levels(confidence_level)
        if not self.predictor_.capabilities["intervals"]:
            raise AttributeError(
                f"this {type(self).__name__} keeps no residuals of rows left out, so it gives no intervals; fit it "
                "with cv=5"
            )
        warn_caller(_core.interval_warnings(self.predictor_.residuals, levels))
        return self.predictor_.intervals(self._rows(X), 1 - confidence_level, running(self))
