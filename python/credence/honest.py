"""What a choice among candidates of any learner is worth, from losses on rows that they have not seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from credence import _core
from credence._base import random_seed
from credence._data import _plain_labels
from credence._frames import is_missing, needed_frame
from credence._losses import losses_of
from credence._options import known
from credence._report import Result
from credence._results import Estimate
from credence._run import thread_count, warn_caller
from credence._text import documented
from credence.conformal._shared import group_codes


class HonestError(Result):
    """What :func:`honest_error` found: a dict with the keys that ``credence honest`` writes as JSON."""

    @property
    def estimate(self) -> Estimate:
        """The corrected estimate, a float with ``lower`` and ``upper``."""
        return Estimate({name: self[name] for name in ("score", "score_kind")} | self["honest"])

    def to_frame(self) -> Any:
        """Return a row for each candidate: its loss, standard error, and test against the chosen one.

        Returns
        -------
        DataFrame
            Of pandas, polars or pyarrow, the first of these that is installed. NaN stands for a number that a
            candidate does not have.

        Raises
        ------
        ImportError
            If none of the three is installed.
        """
        candidates = self["candidates"]
        return needed_frame(
            {name: [float("nan") if one[name] is None else one[name] for one in candidates] for name in candidates[0]}
        )


def judged(
    losses: Any, names: list[str], groups: Any, score: str, confidence: float, resamples: int, random_state: Any, n_jobs
) -> HonestError:
    """Return what the library says of a table of losses."""
    codes = group_codes(groups, len(losses))
    document, text = _core.honest_choice(
        np.ascontiguousarray(losses, dtype=float),
        names,
        codes,
        score,
        float(confidence),
        int(resamples),
        random_seed(random_state),
        _core.RunOptions(threads=thread_count(n_jobs)),
    )
    return HonestError(json.loads(document), text)


def _table_of(losses: Any) -> tuple[np.ndarray, list[str]]:
    """Return the losses as numbers, and the names of the candidates."""
    names = [str(name) for name in getattr(losses, "columns", getattr(losses, "column_names", []))]
    if isinstance(losses, Mapping):
        names = [str(name) for name in losses]
        losses = np.column_stack([np.asarray(column, dtype=float) for column in losses.values()]) if names else []
    try:
        table = np.asarray(losses, dtype=float)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"losses must be numbers, rows x candidates: {problem}") from None
    if table.ndim != 2:
        raise ValueError(f"losses must have 2 dimensions, rows x candidates, not {table.ndim}")
    return table, names or [f"candidate {k + 1}" for k in range(table.shape[1])]


@known
@documented
def honest_error(
    losses: Any,
    groups: Any = None,
    confidence: float = 0.95,
    *,
    resamples: int = 1000,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> HonestError:
    """Estimate the error to expect of the best of many candidates, from any learners.

    The best score of many is too good, because it was chosen for being good. The corrected estimate repeats the choice
    on drawn rows and judges it on the others (bootstrap bias correction); no model is trained. Nothing is proved of its
    interval; the documentation has its coverage in simulations.

    Parameters
    ----------
    losses : array-like, frame or mapping from names to columns, of shape (n_rows, n_candidates)
        The loss of each candidate on each row, judged by a model that had not seen the row: 0 or 1 for right and wrong
        labels, squared errors, log losses; the smaller the better. NaN where a candidate did not judge a row.
    {drawn_groups}
    {interval}
    {resamples}
    {draws}

    Returns
    -------
    HonestError
        A dict: ``chosen``, its optimistic score ``selected``, the corrected estimate ``honest`` with its interval, the
        candidates within one standard error (``one_se``), and for each candidate the corrected test against the chosen
        one. Its ``estimate`` is a float with ``lower`` and ``upper``, its ``to_frame()`` has a row for each candidate,
        its ``report()`` is the page.

    Raises
    ------
    ValueError
        For losses that are no table of numbers or are infinite, fewer than two rows or groups with a loss, and options
        out of range.

    References
    ----------
    I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the out-of-sample predictions for efficient and
    accurate cross-validation", Machine Learning 107 (2018). C. Nadeau, Y. Bengio, "Inference for the generalization
    error", Machine Learning 52 (2003).

    Examples
    --------
    >>> import credence
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, (100, 50))  # 50 candidates that guess
    >>> found = credence.honest_error(coins)
    >>> found["selected"]
    0.41
    >>> found.estimate.lower < 0.5 < found.estimate.upper
    True
    """
    table, names = _table_of(losses)
    found = judged(table, names, groups, "loss", confidence, resamples, random_state, n_jobs)
    warn_caller(found["warnings"])
    return found


def _check_probabilities(name: Any, said: np.ndarray) -> None:
    """Refuse a row that is neither probabilities nor NaN alone."""
    if said.ndim != 2:
        return
    with np.errstate(invalid="ignore"):
        right = (said >= 0).all(axis=1) & (abs(said.sum(axis=1) - 1) <= 1e-3)
    if len(wrong := np.flatnonzero(~(right | np.isnan(said).all(axis=1)))):
        raise ValueError(
            f"predictions: row {wrong[0]} of {name!r}, counted from 0, is {said[wrong[0]].tolist()}; probabilities are "
            "at least 0 and sum to 1: divide per cent by 100, and turn logits into probabilities"
        )


@known
@documented
def from_predictions(
    y: Any,
    predictions: Mapping[str, Any],
    groups: Any = None,
    confidence: float = 0.95,
    *,
    scoring: str = "accuracy",
    resamples: int = 1000,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> HonestError:
    """Do the same as :func:`honest_error` from out-of-fold predictions, such as those of Optuna's trials.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The true class or number of each row.
    predictions : mapping from a name to an array-like
        Of each candidate the labels or numbers that it predicted, of shape (n_rows,); for ``"neg_log_loss"`` and
        ``"neg_brier_score"`` the probabilities of the sorted classes, of shape (n_rows, n_classes). NaN or None where a
        candidate did not judge a row.
    {drawn_groups}
    {interval}
    scoring : {'accuracy', 'balanced_accuracy', 'neg_log_loss', 'neg_brier_score', 'neg_mean_squared_error', \
'neg_root_mean_squared_error', 'r2', 'neg_mean_absolute_error'}
        The score that chooses, by scikit-learn's name. For ``"r2"`` and ``"neg_root_mean_squared_error"`` the losses
        are squared errors, whose mean ranks candidates in the same way.
    {resamples}
    {draws}

    Returns
    -------
    HonestError
        As :func:`honest_error`.

    Raises
    ------
    ValueError
        For predictions of another number of rows, and what :func:`honest_error` refuses.

    Examples
    --------
    >>> import credence
    >>> y = ["yes", "no", "no", "yes", "no", "yes"]
    >>> trials = {"trial 0": ["yes", "no", "yes", "yes", "no", "no"], "trial 1": ["no", "no", "no", "yes", "no", "yes"]}
    >>> credence.from_predictions(y, trials)["chosen"]
    'trial 1'
    """
    if not predictions:
        raise ValueError("predictions: there is no candidate")
    y = np.asarray(_plain_labels(y))
    kind = losses_of(scoring)
    columns = []
    for name, given in predictions.items():
        said = np.asarray(given, dtype=float) if kind.probabilities else np.asarray(_plain_labels(given))
        if len(said) != len(y):
            raise ValueError(f"predictions: {name!r} has {len(said)} rows, y has {len(y)}")
        if kind.probabilities:
            _check_probabilities(name, said)
        elif said.shape != y.shape:
            labels = "of probabilities take the labels, or choose by 'neg_log_loss'"
            raise ValueError(f"predictions: {name!r} has the shape {said.shape}, y has {y.shape}; {labels}")
        rows = said if said.ndim == 1 else said[:, 0]
        known = np.array([not is_missing(one) for one in rows], dtype=bool)
        column = np.full(len(y), np.nan)
        if known.any():
            column[known] = kind(y[known], said[known], np.unique(y), kind.weights(y)[known])
        columns.append(column)
    names = [str(name) for name in predictions]
    found = judged(np.column_stack(columns), names, groups, kind.name, confidence, resamples, random_state, n_jobs)
    warn_caller(found["warnings"])
    return found
