"""Full conformal prediction with nearest neighbours and with support vector machines."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from credence import _core
from credence._arguments import FullConformalKNeighborsClassifierArguments, FullConformalSVCArguments
from credence._base import CredenceClassifier
from credence._options import give
from credence._run import ProgressLine, running
from credence._sets import Judged, PredictionSets
from credence._text import documented
from credence.conformal._shared import OfRows, weights_of, without_column


@documented
class _Full(CredenceClassifier):
    """Full (transductive) conformal predictors of the library."""

    weights: OfRows

    def _scored_by(self) -> tuple[str, str]:
        """Return the nonconformity measure, and its model."""
        return "margin", "svm"

    def _lacks_decision(self) -> str:
        return "the model makes p-values of classes; predict_p returns them"

    def _lacks_probabilities(self) -> str:
        return "the model makes p-values of classes and no probabilities; predict_p returns the p-values"

    def fit(self, X: Any, y: Any, groups: Any = None) -> Any:
        """Learn the rows that new rows are compared with.

        Parameters
        ----------
        {training_rows}
        {classes}
        groups : array-like of shape (n_samples,), default=None
            Group of each row. New rows are then compared with one row of each group, drawn by the seed. The promise of
            sets is then for a row of a new group, if groups are exchangeable.

        {fitted}
        """
        start = time.perf_counter()
        dataset, options = self._problem(X, y, groups)
        with ProgressLine(type(self).__name__) as progress:
            self.predictor_ = _core.fit_conformal(dataset, options, running(self, progress))
        self.fit_time_ = time.perf_counter() - start
        return self

    def _problem(self, X: Any, y: Any, groups: Any = None) -> tuple[_core.Dataset, _core.ConformalOptions]:
        """Return what the library learns, and how."""
        measure, model = self._scored_by()
        options = _core.ConformalOptions(measure, "transductive", model)
        give(options, self._arguments(), self._defaults())
        options.set_missing(self.missing)
        weights = weights_of(X, self.weights)
        dataset, kept = self._labelled(without_column(X, self.weights), y, groups=groups)
        if weights is not None:
            options.set("weight_column", "weights", "weights")
            dataset.set_weights(np.ascontiguousarray(weights[kept]))
        return dataset, options

    def _rows(self, X: Any) -> _core.Dataset:
        rows = super()._rows(without_column(X, self.weights))
        weights = weights_of(X, self.weights)
        if weights is not None:
            rows.set_weights(weights)
        return rows

    predict_with_confidence: Any = PredictionSets.predict_with_confidence

    def _judged(self, X: Any, levels: np.ndarray) -> Judged:
        """Return what the rows are judged by."""
        rows, run = self._rows(X), running(self)
        columns = self.predictor_.judge(rows, {}, levels, run)
        columns["label"] = _core.conclusions(columns["p_value"])[0]
        return self._judged_by(columns, self.predictor_.p_value_options, rows, run)

    def _made(self) -> dict[str, Any]:
        return self.predictor_.p_value_options

    def predict_p(self, X: Any) -> np.ndarray:
        """Return the p-value of each class.

        Parameters
        ----------
        {rows}

        {p_values}
        """
        return self._predicted(X)["p_value"]


@documented
class FullConformalKNeighborsClassifier(FullConformalKNeighborsClassifierArguments, _Full):
    """Full conformal prediction with nearest neighbours (TCM-NN): each new row is ranked among all rows.

    A set at confidence level c misses the true class with probability at most 1 - c, if all rows are exchangeable. The
    probability is an average over the rows of `fit`. With ``apart=0`` and scaling this is not proved. A prediction
    takes one nearest-neighbour query a row, whatever the number of classes.

    {parameters}

    Attributes
    ----------
    {fitted_classes}

    References
    ----------
    K. Proedrou, I. Nouretdinov, V. Vovk, A. Gammerman, "Transductive confidence machines for pattern recognition",
    ECML 2002.

    {breast_cancer}
    >>> model = credence.FullConformalKNeighborsClassifier().fit(X[:400], y[:400])
    >>> model.predict_set(X[400:403], confidence_level=0.95, as_labels=True)
    [['malignant'], ['benign'], ['benign']]
    """

    def _scored_by(self) -> tuple[str, str]:
        return str(self.measure), ""

    def _arguments(self) -> dict[str, Any]:
        arguments = super()._arguments()
        arguments["k"] = arguments.pop("n_neighbors")
        return arguments

    def _defaults(self) -> dict[str, Any]:
        return {**super()._defaults(), "k": 1}


@documented
class FullConformalSVC(FullConformalSVCArguments, _Full):
    """Full conformal prediction with support vector machines: each new row is among the rows that train.

    The nonconformity score of a row is minus its margin in the SVM of all rows, the new one included; each extended
    problem is solved from the solution of the training rows. A set at confidence level c misses the true class with
    probability at most 1 - c, if all rows are exchangeable, and if neither scaling nor gamma was fitted on the rows
    compared with.

    {parameters}

    Attributes
    ----------
    {fitted_classes}

    References
    ----------
    C. Saunders, A. Gammerman, V. Vovk, "Transduction with confidence and credibility", IJCAI 1999.

    {breast_cancer}
    >>> model = credence.FullConformalSVC(gamma=0.01).fit(X[:200], y[:200])
    >>> model.predict_p(X[200:202]).shape
    (2, 2)
    """
