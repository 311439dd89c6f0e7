"""Credence chooses a kernel classifier, bounds its error, and says how far to trust each prediction."""

from __future__ import annotations

from credence import _core, datasets
from credence.rvm import RVC, RVR
from credence.search import Estimate, KernelValiditySearch, KernelValiditySearchRegressor, SVCSearchCV
from credence.svm import SVC

__version__ = _core.__version__
__all__ = [
    "RVC",
    "RVR",
    "SVC",
    "Estimate",
    "KernelValiditySearch",
    "KernelValiditySearchRegressor",
    "SVCSearchCV",
    "datasets",
]
