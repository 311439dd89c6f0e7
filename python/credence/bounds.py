"""Bounds of an error or a mean loss, by name."""

from __future__ import annotations

from typing import Any

from credence import _core


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
