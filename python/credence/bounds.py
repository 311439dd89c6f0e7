"""Bounds of an error or a mean loss, by name."""

from __future__ import annotations

from typing import Any

from credence import _core
from credence._sets import significance_levels

__all__ = ["evaluate", "names", "quantities", "split_miss_limit"]


def __dir__() -> list[str]:
    return __all__


def names() -> dict[str, dict[str, Any]]:
    """Return every bound: its title and the quantities that it needs.

    Returns
    -------
    dict
        From the name of the bound to ``title`` and ``needs``.

    Examples
    --------
    >>> from credence import bounds
    >>> bounds.names()["clopper_pearson"]["needs"]
    ['n', 'delta', 'errors']
    """
    return {bound["name"]: {"title": bound["title"], "needs": bound["needs"]} for bound in _core.all_bounds()}


def quantities() -> dict[str, str]:
    """Return what bounds are computed from: each quantity and its meaning.

    Returns
    -------
    dict
        From the name of the quantity to a sentence.
    """
    return {quantity["name"]: quantity["meaning"] for quantity in _core.quantities()}


def evaluate(**given: float) -> dict[str, Any]:
    """Return every bound that has all that it needs, and the one to use.

    Parameters
    ----------
    **given : float
        Quantities by name, see :func:`quantities`: ``errors`` and ``n``, or ``loss`` and ``n``; ``delta``, by default
        0.05; and others.

    Returns
    -------
    dict
        ``bounds``: from the name to ``lower``, ``upper`` and ``vacuous``; ``use``: the name of the best one;
        ``upper``: its upper limit.

    Raises
    ------
    ValueError
        If no bound has what it needs, a name is unknown, or a value lies outside its range.

    Examples
    --------
    >>> from credence import bounds
    >>> found = bounds.evaluate(errors=3, n=100)
    >>> found["use"], round(found["upper"], 4)
    ('clopper_pearson', 0.0757)
    """
    found = _core.bounds_of({name: float(value) for name, value in given.items()})
    found["upper"] = found["bounds"][found["use"]]["upper"]
    return found


def split_miss_limit(m: int, confidence_level: float, delta: float = 0.05, *, smoothed: bool = False) -> float:
    """Return the share of new rows that one split conformal predictor misses at most, with probability 1 - delta.

    A promise is an average over all draws of the rows held out. One model has one draw of m rows. With e = 1 -
    confidence_level, the share that its sets miss follows Beta(k, m + 1 - k), k = floor(e (m + 1)), if rows are
    independent and their nonconformity scores have no ties. With ties, plain p-values miss no more than that.

    Parameters
    ----------
    m : int
        Rows held out to compare with; with label-conditional p-values those of the class.
    confidence_level : float
        Of the sets, above 0 and at most 1.
    delta : float, default=0.05
        The share of draws that may miss more, in (0, 1).
    smoothed : bool, default=False
        Whether p-values are smoothed; k is then rounded up.

    Returns
    -------
    float
        The quantile of the Beta distribution at 1 - delta; 0 where e < 1 / (m + 1).

    Raises
    ------
    ValueError
        For values outside these ranges.

    References
    ----------
    V. Vovk, "Conditional validity of inductive conformal predictors", Machine Learning 92 (2013).

    Examples
    --------
    >>> from credence import bounds
    >>> round(bounds.split_miss_limit(100, 0.9), 3)
    0.152
    """
    return _core.split_miss_limit(m, float(significance_levels(float(confidence_level))[0]), delta, smoothed)
