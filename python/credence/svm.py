"""Support vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np

from credence._arguments import SVCArguments
from credence._base import CredenceClassifier, shown
from credence._text import documented


@documented
class SVC(SVCArguments, CredenceClassifier):
    """Support vector classification: a C-SVC, or with ``nu`` a nu-SVC; one against one for more than two classes.

    Columns are scaled by default (``scale="standard"``), as fitted on the training rows; ``scale="none"`` gives
    scikit-learn's ``SVC``. A sample weight of 2 is the same as two copies of the row, and a weight of 0 leaves the row
    out.

    {parameters}

    Attributes
    ----------
    {fitted_classes}
    support_ : ndarray of shape (n_SV,)
        Training rows of the support vectors.
    support_vectors_ : ndarray of shape (n_SV, n_columns)
        Scaled support vectors.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    dual_coef_ : ndarray of shape (n_svms, n_SV)
        Coefficients y_i alpha_i of each binary SVM.
    intercept_ : ndarray of shape (n_svms,)
        The bias of each binary SVM.
    coef_ : ndarray of shape (n_svms, n_columns)
        Weights of scaled columns; of linear kernels only.
    predictor_ : object
        The model of the library.

    References
    ----------
    C. Cortes, V. Vapnik, "Support-vector networks", Machine Learning 20 (1995).

    {breast_cancer}
    >>> model = credence.SVC(C=10, gamma=0.01).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVC:
        """Train the binary SVMs, one for each pair of classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows. C-ordered float64 arrays are read where they are; training makes one scaled copy.
        {classes}
        {weights}

        {fitted}
        """
        kept = self._train("svm", X, y, sample_weight)
        self._kept = None if kept.all() else np.flatnonzero(kept)
        return self

    def _lacks_probabilities(self) -> str:
        problem = super()._lacks_probabilities()
        if self.cv is None and (problem or not self.__sklearn_is_fitted__()):
            return "probabilities are made of scores of rows left out, which cv=5 keeps: SVC(cv=5).fit(X, y)"
        return problem

    support_vectors_: np.ndarray = shown("svm", "support_vectors", "Scaled support vectors.")
    dual_coef_: np.ndarray = shown("svm", "coefficients", "Coefficients of the support vectors in each binary SVM.")
    intercept_: np.ndarray = shown("svm", "bias", "The bias of each binary SVM.")

    @property
    def support_(self) -> np.ndarray:
        """Training rows of the support vectors."""
        rows = self.predictor_.svm["support_rows"]
        return rows if self._kept is None else self._kept[rows]

    @property
    def n_support_(self) -> np.ndarray:
        """Support vectors of each class."""
        return np.bincount(self.predictor_.svm["support_classes"], minlength=len(self.classes_)).astype(np.int32)

    @property
    def coef_(self) -> np.ndarray:
        """Weights of each binary SVM over scaled columns, of linear kernels only."""
        if getattr(self, "kernel", None) != "linear":
            raise AttributeError("only a linear kernel has coef_")
        return self.predictor_.svm["weights"]
