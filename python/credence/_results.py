"""What a selection found, as users of scikit-learn know it."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Kinds of scores that are shares of rows, which are shown in per cent.
_SHARES = ("error", "weighted_error", "soft_loss", "loss_bound")


class Estimate(float):
    """An error with its interval.

    Parameters
    ----------
    details : dict
        With ``error``, ``lower``, ``upper`` and ``method``.

    Attributes
    ----------
    lower, upper : float
        Ends of the interval at confidence 1 - delta; NaN where there is none.
    method : str
        "bbc" (bootstrap bias correction), "nested" or "hold-out".
    details : dict
        All that is known of the estimate.
    """

    lower: float
    upper: float
    method: str
    details: dict[str, Any]

    def __new__(cls, details: dict[str, Any]) -> Estimate:
        """Make the number that has these details."""
        made = super().__new__(cls, np.nan if details["error"] is None else details["error"])
        made.lower, made.upper = (np.nan if details[end] is None else details[end] for end in ("lower", "upper"))
        made.method, made.details = details["method"], details
        return made

    def __reduce__(self):
        return Estimate, (self.details,)

    def __repr__(self) -> str:
        """Return the number with its interval, as the report of the command has them."""
        score, level = self.details.get("score", "error"), self.details.get("delta", 0.05)
        per_cent = self.details.get("score_kind") in _SHARES
        text, lower, upper = (
            "none" if np.isnan(value) else f"{100 * value:.2f} %" if per_cent else f"{value:.4g}"
            for value in (float(self), self.lower, self.upper)
        )
        interval = "" if np.isnan(self.lower) else f", {100 * (1 - level):.4g} % interval {lower} to {upper}"
        named = "" if score == "error" else f"{score}, "
        return f"{text}{interval} ({named}{self.method})"


def results_of(chosen: Any, parameters: list[str]) -> dict[str, Any]:
    """Return ``cv_results_`` as GridSearchCV has it, with these parameters of each setting."""
    settings = chosen.settings
    complete = settings["complete"]
    table: dict[str, Any] = {}
    for name in ("fit", "score"):
        seconds = settings.get(f"{name}_seconds")
        if seconds is not None and seconds.size:
            table[f"mean_{name}_time"] = seconds.mean(axis=1)
            table[f"std_{name}_time"] = seconds.std(axis=1)
    for name in parameters:
        words = isinstance(settings[name], list)
        table[f"param_{name}"] = np.ma.MaskedArray(settings[name], mask=False, dtype=object if words else None)
    columns = {name: np.asarray(settings[name]).tolist() for name in parameters}
    table["params"] = [{name: column[i] for name, column in columns.items()} for i in range(len(complete))]
    splits = settings.get("split_scores")
    if splits is not None and splits.size:
        for fold in range(splits.shape[1]):
            table[f"split{fold}_test_score"] = splits[:, fold]
        table["std_test_score"] = splits.std(axis=1)
    table["mean_test_score"] = np.where(complete, settings["test_score"], np.nan)
    order = np.where(complete, -settings["test_score"], np.inf)
    table["rank_test_score"] = (1 + np.searchsorted(np.sort(order), order, side="left")).astype(np.int32)
    table["n_sv"] = settings["n_sv"]
    return table
