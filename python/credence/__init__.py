"""Credence chooses a kernel classifier, bounds its error, and says how far to trust each prediction."""

from __future__ import annotations

from credence import _core, bounds, datasets, distributed, metrics
from credence._report import Comparison, Result
from credence._results import Estimate
from credence._run import CredenceWarning
from credence.comparison import compare
from credence.conformal import (
    CrossConformalClassifier,
    FullConformalKNeighborsClassifier,
    FullConformalSVC,
    OnlineConformalClassifier,
    SplitConformalClassifier,
    SplitConformalRegressor,
)
from credence.description import describe
from credence.files import LoadedClassifier, LoadedRegressor, load, save
from credence.honest import HonestError, from_predictions, honest_error
from credence.honest_search import HonestSearchCV
from credence.importance import partial_dependence, permutation_importance
from credence.reading import read
from credence.rvm import RVC, RVR
from credence.search import RVRSearchCV, SearchCV, SVCSearchCV
from credence.svm import SVC
from credence.watch import Watch

__version__ = _core.__version__
__all__ = [
    "RVC",
    "RVR",
    "SVC",
    "Comparison",
    "CredenceWarning",
    "CrossConformalClassifier",
    "Estimate",
    "FullConformalKNeighborsClassifier",
    "FullConformalSVC",
    "HonestError",
    "HonestSearchCV",
    "LoadedClassifier",
    "LoadedRegressor",
    "OnlineConformalClassifier",
    "RVRSearchCV",
    "Result",
    "SVCSearchCV",
    "SearchCV",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
    "Watch",
    "bounds",
    "compare",
    "datasets",
    "describe",
    "distributed",
    "from_predictions",
    "honest_error",
    "load",
    "metrics",
    "partial_dependence",
    "permutation_importance",
    "read",
    "save",
]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
