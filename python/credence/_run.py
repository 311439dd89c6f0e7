"""Threads, progress and time of long calls."""

from __future__ import annotations

import numbers
import os
import sys
import warnings
from typing import Any

import joblib
from sklearn.exceptions import ConvergenceWarning

from credence import _core


class CredenceWarning(UserWarning):
    """A warning of this package: one filter of this category silences or raises all of them."""


class _NotConverged(CredenceWarning, ConvergenceWarning):
    """A training that did not converge, for filters of this package and of scikit-learn."""


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` asks for.

    None takes ``OMP_NUM_THREADS`` if that is set, as it is in the workers of loky and Dask, else the cores that the
    process may use (affinity, cgroup). Negative numbers count from these cores: -1 takes all, -2 all but one.

    Raises
    ------
    ValueError
        For 0, or a value that is no whole number.
    """
    if n_jobs is None:
        wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
        return int(wanted) if wanted.isdigit() and int(wanted) > 0 else max(1, joblib.cpu_count())
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + int(n_jobs))


class ProgressLine:
    """One line on stderr that is written over again; notebooks show it too."""

    width = 30

    def __init__(self, title: str):
        self.title = title
        self.shown = 0
        self.share = 0.0

    def __call__(self, done: int, total: int, seconds: float) -> None:
        """Show how far the work is."""
        if total == 0:
            return
        # Work that is found later makes the share fall, but not the bar.
        self.share = max(self.share, min(done / total, 0.99))
        filled = int(self.width * self.share)
        line = (
            f"{self.title}: |{'#' * filled}{'.' * (self.width - filled)}| {int(100 * self.share)} % [{seconds:.0f} s]"
        )
        sys.stderr.write("\r" + line.ljust(self.shown))
        sys.stderr.flush()
        self.shown = len(line)

    def __enter__(self) -> ProgressLine:
        """Begin without a line."""
        return self

    def __exit__(self, *_: Any) -> None:
        """End the line, if there is one."""
        if self.shown:
            sys.stderr.write("\n")
            sys.stderr.flush()


def warn_caller(sentences: list[str]) -> None:
    """Warn at the line that called the package."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "credence":
        frame = frame.f_back
        level += 1
    for sentence in sentences:
        category = _NotConverged if "converge" in sentence else CredenceWarning
        warnings.warn(_core.in_python(sentence), category, stacklevel=level)


def foretell(place: Any, forecast: dict[str, str]) -> None:
    """Show what a run will cost where progress is shown, and otherwise warn of one that takes long."""
    if getattr(place, "verbose", 0):
        sys.stderr.write(forecast["text"])
        sys.stderr.flush()
    elif forecast["warning"]:
        warn_caller([forecast["warning"]])


def running(estimator: Any, progress: ProgressLine | None = None) -> _core.RunOptions:
    """Return how calls of an estimator run; its time limit begins now, and holds for all of them together."""
    shows = progress is not None and getattr(estimator, "verbose", 0)
    return _core.RunOptions(
        threads=thread_count(getattr(estimator, "n_jobs", None)),
        time_limit=getattr(estimator, "time_limit", None),
        progress=progress if shows else None,
    )
