"""Relevance vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np

from credence._arguments import RVCArguments, RVRArguments
from credence._base import CredenceClassifier, CredenceRegressor, shown
from credence._text import documented


class _RelevanceVectors:
    """What a relevance vector machine shows of itself."""

    predictor_: Any

    relevance_: np.ndarray = shown("rvm", "centre_rows", "Training rows that became kernels.")
    relevance_vectors_: np.ndarray = shown("rvm", "centres", "The kernels' centres, in scaled columns.")
    rvms_: list[dict[str, Any]] = shown(
        "rvm", "rvms", "Weights, bias, evidence and status of each RVM: one against the rest for more than two classes."
    )

    @property
    def log_evidence_(self) -> float:
        """Log evidence, summed over RVMs."""
        return float(sum(one["log_evidence"] for one in self.rvms_))


@documented
class RVC(RVCArguments, _RelevanceVectors, CredenceClassifier):
    """Relevance vector classification: a sparse Bayesian kernel classifier with probabilities.

    Columns are scaled to [0, 1] by default. The cost grows with the cube of the rows up to 2,000 candidate centres.

    {parameters}

    Attributes
    ----------
    {fitted_classes}
    relevance_ : ndarray of shape (n_kernels,)
        Training rows that became kernels.
    relevance_vectors_ : ndarray of shape (n_kernels, n_columns)
        These rows, scaled.
    rvms_ : list of dict
        Weights, bias, evidence and status of each RVM.
    log_evidence_ : float
        Summed over RVMs.

    References
    ----------
    M. Tipping, "Sparse Bayesian learning and the relevance vector machine", JMLR 1 (2001).

    {breast_cancer}
    >>> model = credence.RVC(sigma=1.0).fit(X[:200], y[:200])
    >>> bool(model.score(X[200:], y[200:]) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any) -> RVC:
        """Train the RVMs.

        Parameters
        ----------
        {training_rows}
        {classes}

        {fitted}
        """
        self._train("rvm", X, y)
        return self

    def predict_proba_moderated(self, X: Any) -> np.ndarray:
        """Return probabilities nearer to equal ones where the weights are uncertain (MacKay, 1992).

        Parameters
        ----------
        {rows}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1.
        """
        return self._predicted(X)["moderated"]


@documented
class RVR(RVRArguments, _RelevanceVectors, CredenceRegressor):
    """Relevance vector regression: a sparse Bayesian kernel regression with standard deviations.

    {parameters}

    Attributes
    ----------
    relevance_, relevance_vectors_, rvms_, log_evidence_
        As those of :class:`RVC`; one RVM.
    noise_ : float
        Standard deviation of the noise.

    References
    ----------
    M. Tipping, "Sparse Bayesian learning and the relevance vector machine", JMLR 1 (2001).

    Examples
    --------
    >>> import credence, numpy as np
    >>> x = np.linspace(-10, 10, 80).reshape(-1, 1)
    >>> y = np.sinc(x.ravel() / np.pi)
    >>> model = credence.RVR(sigma=0.1, scale="minmax").fit(x, y)
    >>> mean, std = model.predict(x, return_std=True)
    >>> bool(abs(mean - y).max() < 0.1)
    True
    """

    def fit(self, X: Any, y: Any) -> RVR:
        """Train the RVM.

        Parameters
        ----------
        {training_rows}
        {targets}

        {fitted}
        """
        self._train("rvm", X, y)
        return self

    @property
    def noise_(self) -> float:
        """Standard deviation of the noise."""
        return float(np.sqrt(self.rvms_[0]["noise_variance"]))
