"""A search of scikit-learn, over any estimator, with the error to expect of its choice."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import process_routing

from credence._data import _plain_labels, parameters_at, rows_at, sound
from credence._losses import Losses, losses_of
from credence._options import known
from credence._report import Reports
from credence._run import warn_caller
from credence._text import documented
from credence.conformal.split import CrossConformalClassifier
from credence.honest import judged

#: The step of a pipeline that a list of estimators is searched in.
_STEP = "estimator"


class _Scored(float):
    """A score with the losses of its rows, and the model that was scored."""

    losses: np.ndarray
    model: Any
    weighted: bool  #: whether the score was given weights of rows

    @classmethod
    def of(cls, score: float, losses: np.ndarray, model: Any, weighted: bool) -> _Scored:
        """Make the number that carries these."""
        made = cls(score)
        made.losses, made.model, made.weighted = losses, model, weighted
        return made

    def __reduce__(self):
        return _Scored.of, (float(self), self.losses, self.model, self.weighted)


class _Recorder:
    """A scorer that gives the losses of single rows along with the score."""

    def __init__(self, scorer: Any, metric: str | None, kind: Losses, classes: Any, keep: bool):
        self.scorer, self.metric, self.kind, self.classes, self.keep = scorer, metric, kind, classes, keep

    def __getattr__(self, name: str) -> Any:
        """Look at the scorer for what a search asks of one."""
        if name.startswith("__") or name == "scorer":
            raise AttributeError(name)
        return getattr(self.scorer, name)

    def __call__(self, estimator: Any, X: Any, y: Any, **parameters: Any) -> Any:
        """Score the estimator."""
        scores = self.scorer(estimator, X, y, **parameters)
        said = self._probabilities(estimator, X) if self.kind.probabilities else estimator.predict(X)
        losses = self.kind(y, said, self.classes, np.ones(len(said)))
        kept = (losses, estimator if self.keep else None, parameters.get("sample_weight") is not None)
        if not isinstance(scores, dict):
            return _Scored.of(scores, *kept)
        return {**scores, self.metric: _Scored.of(scores[self.metric], *kept)}

    def _probabilities(self, estimator: Any, X: Any) -> np.ndarray:
        """Return the probabilities of all classes, 0 of those that the fold did not train on."""
        said = estimator.predict_proba(X)
        spread = np.zeros((len(said), len(self.classes)))
        spread[:, np.searchsorted(self.classes, estimator.classes_)] = said
        return spread


class _Search(GridSearchCV):
    """The search itself, which keeps what the scorer recorded."""

    _recorded: list[Any] | None = None

    def _format_results(self, candidate_params, n_splits, out, more_results=None):
        self._recorded = [one["test_scores"] for one in out]
        return super()._format_results(candidate_params, n_splits, out, more_results)


@documented
class HonestSearchCV(Reports, GridSearchCV):
    """scikit-learn's ``GridSearchCV``, with the error to expect of what it chose.

    The search, its arguments and its attributes are those of ``GridSearchCV``, for any estimator and any splitter. The
    losses of single rows are kept on the way: one number a row and candidate. The corrected estimate repeats the choice
    on drawn rows (see :func:`credence.honest_error`), so it needs no further training. Nothing is proved of its
    interval.

    Parameters
    ----------
    estimator : estimator or list of estimators
        What is searched; each estimator of a list is a candidate of its own.
    param_grid : dict or list of dicts, default=None
        As of ``GridSearchCV``. None, or an estimator list, has no grid.
    scoring : str, scorer, list, tuple or dict, default=None
        As of ``GridSearchCV``. The score that chooses must be a mean over rows, or rank candidates as such a mean does:
        ``"accuracy"``, ``"balanced_accuracy"``, ``"neg_log_loss"``, ``"neg_brier_score"``,
        ``"neg_mean_squared_error"``, ``"neg_root_mean_squared_error"``, ``"r2"``, ``"neg_mean_absolute_error"``.
    n_jobs : int, default=None
        As of ``GridSearchCV``, with all backends of joblib.
    refit : bool, str or callable, default=True
        As of ``GridSearchCV``. With several scores the name of the one that chooses.
    cv : int, cross-validation generator or iterable, default=None
        As of ``GridSearchCV``. A row that is held out several times counts by the mean of its losses.
    verbose, pre_dispatch, error_score, return_train_score
        As of ``GridSearchCV``.
    keep_folds : bool, default=False
        Keeps the models of the chosen candidate that were trained without each fold. For a classifier they make
        p-values of classes, ``conformal_``. All models are held until the choice is made.
    {interval}
    {resamples}
    random_state : int, RandomState instance or None
        Of these draws; the search itself has the seeds of ``cv`` and of the estimator.

    Attributes
    ----------
    best_estimator_, best_params_, best_index_, best_score_, cv_results_, scorer_, n_splits_, refit_time_
        As of ``GridSearchCV``. ``best_score_`` is optimistic.
    honest_error_ : Estimate
        The loss to expect of the choice: a float with ``lower`` and ``upper``. ``honest_error_.details`` has the rest.
    one_se_ : list of dicts
        The parameters of the candidates whose mean loss is within one standard error of the smallest.
    result_ : HonestError
        What :func:`credence.honest_error` returns: candidates, tests against the chosen one, the page. The choice by
        the mean over all rows can differ from ``best_index_``, which goes by the mean over folds; a warning says so.
    losses_ : ndarray of shape (n_samples, n_candidates)
        Mean loss of each row under each candidate; NaN where none judged it, and for a candidate with a failed fit.
    fold_estimators_ : list of estimators
        With ``keep_folds``: the chosen candidate, trained without each fold.
    conformal_ : CrossConformalClassifier
        With ``keep_folds``, of a classifier whose ``cv`` holds out each row once: p-values and sets from the folds'
        models (``conformal_.predict_p(X)``). Nothing is proved of them, because the candidate was chosen on all rows.

    {breast_cancer}
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> grid = {"n_neighbors": [1, 3, 5, 9, 15]}
    >>> search = credence.HonestSearchCV(KNeighborsClassifier(), grid, cv=5).fit(X[::2], y[::2])
    >>> search.honest_error_.lower < 1 - search.score(X[1::2], y[1::2]) < search.honest_error_.upper
    True
    """

    @known
    def __init__(
        self,
        estimator: Any,
        param_grid: Any = None,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        keep_folds: bool = False,
        confidence: float = 0.95,
        resamples: int = 1000,
        random_state: Any = 0,
    ):
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.keep_folds = keep_folds
        self.confidence = confidence
        self.resamples = resamples
        self.random_state = random_state

    def _plain(self) -> GridSearchCV:
        """Return the search of scikit-learn: of a list, over the one step of a pipeline."""
        estimator, grid = self.estimator, {} if self.param_grid is None else self.param_grid
        if isinstance(estimator, list | tuple):
            if not estimator or self.param_grid is not None:
                raise ValueError("a list of estimators has at least one, and no param_grid")
            estimator, grid = Pipeline([(_STEP, estimator[0])]), {_STEP: list(estimator)}
        return GridSearchCV(estimator, grid, scoring=self.scoring, refit=self.refit, cv=self.cv)

    def _score_that_chooses(self) -> Any:
        """Return the one of several scores by which the best candidate is taken."""
        if self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring):
            return self.scoring
        if not isinstance(self.refit, str) or self.refit not in self.scoring:
            raise ValueError(
                f"refit: name the score that chooses, one of {', '.join(self.scoring)}; not {self.refit!r}"
            )
        return self.scoring[self.refit] if isinstance(self.scoring, dict) else self.refit

    def fit(self, X: Any, y: Any = None, **params: Any) -> HonestSearchCV:
        """Search, and judge the choice.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows, of whatever kind the estimator takes.
        y : array-like of shape (n_samples,)
            Their classes or targets.
        **params : dict
            As for ``fit`` of ``GridSearchCV``. ``groups`` go to the splitter, and rows of one group are drawn together.
            With ``sample_weight`` the loss of a row is weighted if the score is.

        Returns
        -------
        HonestSearchCV
            The fitted search.

        Raises
        ------
        ValueError
            For a score that is no mean over rows, and whatever ``GridSearchCV`` refuses.
        """
        if y is None:
            raise ValueError("HonestSearchCV requires y to be passed, but the target y is None")
        plain: Any = self._plain()
        kind = losses_of(self._score_that_chooses(), plain.estimator)
        X, y = indexable(sound(X), _plain_labels(y))
        of_splitter, of_score = _routed(plain, params)
        cv: Any = self.cv
        splitter: Any = check_cv(cv, y, classifier=is_classifier(plain.estimator))
        splits = list(splitter.split(X, y, **of_splitter))
        scorers, metric = self._scorers(plain)
        classes = np.unique(np.asarray(y)) if kind.probabilities or kind.balanced else None
        settings = {name: value for name, value in GridSearchCV.get_params(self, deep=False).items() if name in _SHARED}
        recorder = _Recorder(scorers, metric, kind, classes, self.keep_folds)
        inner = _Search(plain.estimator, plain.param_grid, **settings, scoring=recorder, cv=splits)
        listed = isinstance(self.estimator, list | tuple)
        own = {name: value for name, value in params.items() if name != "groups"}
        if listed and not get_config()["enable_metadata_routing"]:
            own = {f"{_STEP}__{name}": value for name, value in own.items()}
        inner.fit(X, y, **own)
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        for name, value in vars(inner).items():
            if name.endswith("_"):
                setattr(self, name, value)
        self.scorer_ = getattr(scorers, "_scorers", scorers)
        if listed and hasattr(self, "best_estimator_"):
            self.best_estimator_ = self.best_estimator_[_STEP]
        scored = inner._recorded or _scored_again(
            plain.estimator, inner.cv_results_["params"], recorder, splits, X, y, own
        )
        recorded = [one[metric] if isinstance(one, dict) else one for one in scored]
        groups = of_splitter.get("groups")
        weights = kind.weights(y)
        if any(one.weighted for one in recorded if isinstance(one, _Scored)):
            weights = weights * np.asarray(of_score, dtype=float) / np.mean(of_score)
        self.losses_ = _table(recorded, splits, weights)
        self._judge(kind.name, groups, splits)
        if self.keep_folds and hasattr(self, "best_index_"):
            first = int(self.best_index_) * len(splits)
            models = [one.model for one in recorded[first : first + len(splits)]]
            self.fold_estimators_ = [one[_STEP] for one in models] if listed else models
            self._compare(X, y, groups, splits, splitter)
        return self

    def _scorers(self, plain: GridSearchCV) -> tuple[Any, Any]:
        """Return what scores, and of several scores the name of the one that chooses."""
        if callable(self.scoring):
            return self.scoring, "score"
        several = self.scoring is not None and not isinstance(self.scoring, str)
        scorers = check_scoring(plain.estimator, scoring=self.scoring, raise_exc=self.error_score == "raise")
        return scorers, self.refit if several else "score"

    def _judge(self, score: str, groups: Any, splits: list[Any]) -> None:
        """Set what the losses say of the choice."""
        candidates = self.cv_results_["params"]
        names = _names(candidates)
        self.result_ = judged(
            self.losses_, names, groups, score, self.confidence, self.resamples, self.random_state, self.n_jobs
        )
        chosen = names.index(self.result_["chosen"])
        if groups is not None and _parts_a_group(groups, splits):
            self.result_["warnings"].append(
                "cv parts groups: models are judged on rows of groups that they were trained on, so the losses are too "
                "small for new groups"
            )
        if getattr(self, "best_index_", chosen) != chosen:
            self.result_["warnings"].append(
                f"the mean over folds chose '{names[self.best_index_]}', the mean over rows chooses "
                f"'{names[chosen]}': the estimate is of the latter choice"
            )
        self.honest_error_ = self.result_.estimate
        self.one_se_ = [
            one
            for one, judgement in zip(candidates, self.result_["candidates"], strict=True)
            if judgement["within_one_se"]
        ]
        warn_caller(self.result_["warnings"])

    def _compare(self, X: Any, y: Any, groups: Any, splits: list[Any], splitter: Any) -> None:
        """Make p-values of the folds' models, where each row was held out once."""
        if not is_classifier(self.best_estimator_ if self.refit else self.fold_estimators_[0]):
            return
        machine = CrossConformalClassifier(self.fold_estimators_[0], cv=splitter, random_state=self.random_state)
        try:
            self.conformal_ = machine._take_folds(X, y, groups, splits, self.fold_estimators_)
        except ValueError as problem:
            warn_caller([f"there are no p-values (conformal_): {problem}"])

    def _document(self) -> str:
        return json.dumps(self.result_)

    def get_metadata_routing(self) -> Any:
        """Return where metadata go, as ``GridSearchCV`` does."""
        return (
            super().get_metadata_routing() if hasattr(self.estimator, "fit") else self._plain().get_metadata_routing()
        )

    def __sklearn_tags__(self):
        plain = self._plain()
        tags = plain.__sklearn_tags__()
        tags.target_tags.multi_output = get_tags(plain.estimator).target_tags.multi_output
        return tags


#: Arguments that the search itself takes as they are.
_SHARED = ("n_jobs", "refit", "verbose", "pre_dispatch", "error_score", "return_train_score")


def _routed(search: Any, params: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return what goes to the splitter, and the weights that may go to the score."""
    if get_config()["enable_metadata_routing"]:
        routed = process_routing(search, "fit", **params)
        return routed.splitter.split, routed.scorer.score.get("sample_weight")
    return {"groups": params.get("groups")}, params.get("sample_weight")


def _scored_again(
    estimator: Any, candidates: list[Any], recorder: _Recorder, splits: list[Any], X: Any, y: Any, params: Any
) -> list[Any]:
    """Return what the recorder says of each candidate and split, by fitting again where a search does not give it."""
    scored: list[Any] = []
    for candidate in candidates:
        for train, rest in splits:
            fresh: Any = clone(estimator)
            one = fresh.set_params(**{name: clone(value, safe=False) for name, value in candidate.items()})
            given = parameters_at(params, train, len(y))
            try:
                scored.append(
                    recorder(one.fit(rows_at(X, train), rows_at(y, train), **given), rows_at(X, rest), rows_at(y, rest))
                )
            except Exception:  # a candidate whose fit failed in the search too
                scored.append(np.nan)
    return scored


def _table(recorded: list[Any], splits: list[Any], weights: np.ndarray) -> np.ndarray:
    """Return the mean loss of each row under each candidate; NaN where a fit failed or none judged the row."""
    rows = np.arange(len(weights))
    count = len(recorded) // len(splits)
    losses, times = np.zeros((len(rows), count)), np.zeros(len(rows))
    for number, (_, rest) in enumerate(splits):
        held = rows[rest]
        times[held] += 1
        for candidate in range(count):
            one = recorded[candidate * len(splits) + number]
            losses[held, candidate] += one.losses if isinstance(one, _Scored) else np.nan
    losses[:, np.isnan(losses).any(axis=0)] = np.nan
    with np.errstate(invalid="ignore"):
        return losses / times[:, None] * weights[:, None]


def _names(candidates: list[dict[str, Any]]) -> list[str]:
    """Return what candidates are called: their parameters, all different."""
    names: list[str] = []
    for one in candidates:
        if list(one) == [_STEP]:
            name = type(one[_STEP]).__name__
        else:
            name = ", ".join(f"{key}={value}" for key, value in one.items()) or "the only candidate"
        same = sum(other == name or other.startswith(name + " (") for other in names)
        names.append(f"{name} ({same + 1})" if same else name)
    return names


def _parts_a_group(groups: Any, splits: list[Any]) -> bool:
    groups = np.asarray(groups)
    return any(np.isin(groups[rest], groups[train]).any() for train, rest in splits)
