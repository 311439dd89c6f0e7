"""Conformal prediction: p-values, sets and intervals that miss no more often than was asked for."""

from credence.conformal.full import FullConformalKNeighborsClassifier, FullConformalSVC
from credence.conformal.online import OnlineConformalClassifier
from credence.conformal.regression import SplitConformalRegressor
from credence.conformal.split import CrossConformalClassifier, SplitConformalClassifier

__all__ = [
    "CrossConformalClassifier",
    "FullConformalKNeighborsClassifier",
    "FullConformalSVC",
    "OnlineConformalClassifier",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
]


def __dir__() -> list[str]:
    return __all__
