"""Selection of hyper-parameters with an honest error, over one grid of SVMs or relevance vector machines."""

from __future__ import annotations

import json
import numbers
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.metrics import f1_score, get_scorer, log_loss, make_scorer
from sklearn.utils.validation import check_is_fitted

from credence import _core
from credence._arguments import RVRSearchCVArguments, SearchCVArguments
from credence._base import CredenceClassifier, CredenceEstimator, CredenceRegressor
from credence._data import _plain_labels, known_labels, resamples_of, spelling
from credence._frames import needed_frame
from credence._options import give, plain
from credence._report import Reports, Result
from credence._results import Estimate, results_of
from credence._run import ProgressLine, foretell, running, warn_caller
from credence._text import documented
from credence.rvm import RVC
from credence.svm import SVC

#: Other spellings of methods; an underscore stands for a hyphen everywhere.
_METHOD_ALIASES = {"nested": "kfold-nested"}


def _method_name(method: str) -> str:
    return _METHOD_ALIASES.get(method, str(method).replace("_", "-"))


def _mean_cost(y: Any, labels: Any, *, costs: np.ndarray, names: list[str], sample_weight: Any = None) -> float:
    """Return the mean cost of labels; a row of a class unknown to the search costs the largest cost of its label."""
    places = {name: place for place, name in enumerate(names)}
    truth = [places.get(spelling(label), len(names)) for label in np.asarray(y)]
    said = [places[spelling(label)] for label in np.asarray(labels)]
    return float(np.average(np.vstack([costs, costs.max(axis=0)])[truth, said], weights=sample_weight))


class _Best:
    """A fitted attribute of the best setting; the AttributeError of a search that has none says why."""

    def __set_name__(self, owner: Any, name: str) -> None:
        """Keep the name."""
        self.name = name

    def __get__(self, search: Any, owner: Any = None) -> Any:
        """Say why there is none: where there is one, Python finds it in the search itself."""
        if search is None:
            return self
        raise AttributeError(search._why_no_best(self.name))


class _Search(Reports, CredenceEstimator):
    """What searches for classifiers and for regressors share."""

    method: Any
    missing: Any
    cv: Any
    result_: Result
    honest_error_: Any  #: an Estimate; None where no honest estimate was made
    best_index_: Any = _Best()
    best_params_: Any = _Best()
    best_score_: Any = _Best()
    best_estimator_: Any = _Best()
    members_: Any = _Best()

    def _selection_options(self) -> _core.SelectionOptions:
        arguments = self._arguments()
        method = _method_name(self.method)
        if arguments.get("region_size") is not None:
            method = _core.in_regions(method)
        options = _core.SelectionOptions(method, getattr(self, "model", "rvm"), is_regressor(self))
        scoring = arguments.get("scoring")
        if scoring is not None and not isinstance(scoring, str):
            raise ValueError(
                f"scoring: {scoring!r} is no name of a score; scores are computed in C++ from left-out margins"
            )
        if scoring == "neg_log_loss":
            arguments["scoring"] = "log_loss"
        give(options, arguments, self._defaults())
        options.set_missing(self.missing)
        if isinstance(self.cv, numbers.Integral):
            options.set("folds", self.cv, "cv")
        return options

    def _problem(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> tuple[_core.Dataset, _core.SelectionOptions]:
        """Return what the library selects on, and how."""
        options = self._selection_options()
        dataset, kept = self._labelled(X, y, sample_weight, groups)
        if self.cv is not None and not isinstance(self.cv, numbers.Integral):
            options.set("folds", options.get("folds", "cv"), "cv")  # refuses methods that do not hold out folds
            classifier = not is_regressor(self)
            dataset.set_splits(resamples_of(self.cv, X, y, groups=groups, kept=kept, classifier=classifier))
        return dataset, options

    def _fit(self, X: Any, y: Any, **parameters: Any) -> None:
        with ProgressLine(type(self).__name__) as progress:
            run = running(self, progress)
            dataset, options = self._problem(X, y, **parameters)
            found = _core.run(dataset, options, run, partial(foretell, self))
        self._take(found)

    def _why_unfitted(self) -> str:
        return "" if self.__sklearn_is_fitted__() else self.__dict__.get("_stopped", "")

    def _check_searched(self) -> None:
        """Pass where a search ended, even if the time limit left no model."""
        check_is_fitted(self, "result_")

    def _parameters(self, chosen: _core.Selection) -> list[str]:
        """Return what names a setting."""
        return chosen.parameters

    def _document(self) -> str:
        self._check_searched()
        return self.result_._document()

    def _make_best(self) -> None:
        """Make further fitted attributes."""

    def _take(self, found: _core.Run) -> None:
        """Take what a run found."""
        chosen = found.selection
        result = json.loads(found.document)
        self._stopped = found.unfinished
        if chosen.stopped and result["reached"] is None:
            raise TimeoutError(". ".join(reversed(chosen.warnings)))
        for name in ("predictor_", "best_index_", "best_params_", "best_score_", "best_estimator_", "members_"):
            self.__dict__.pop(name, None)
        if found.model is not None:
            self.predictor_ = found.model
        self.result_ = Result(result)
        self.refit_time_ = found.training_seconds
        self.n_splits_ = int(result["resamples"])
        self.scorer_name_ = str(getattr(self, "scoring", None) or "accuracy").removeprefix("neg_")
        self.cv_results_ = results_of(chosen, self._parameters(chosen))
        self.multimetric_ = False
        if chosen.best is not None:
            self.best_index_ = int(chosen.best)
            if best := self.cv_results_["params"][self.best_index_]:  # each region of the feature space has its own
                self.best_params_ = best
                if result["kept"] is None:
                    average = result["average"]
                    self.members_ = np.array([self.best_index_] if average is None else average["members"])
            self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.honest_error_ = None if result["honest"] is None else Estimate(result["honest"])
        self.error_bound_ = chosen.error_bound
        self._summary = chosen.text()
        self.warnings_ = list(chosen.warnings)
        warn_caller(chosen.notes + self.warnings_)
        if found.model is not None:
            self._make_best()

    @property
    def selection_(self) -> Any:
        """Every setting, as a frame of pandas, polars or pyarrow, the first of these that is installed."""
        self._check_searched()
        columns = {
            name: values for name, values in self.cv_results_.items() if name != "params" and np.ndim(values) == 1
        }
        columns = {
            name: np.ma.filled(values, np.nan) if np.ma.isMA(values) else values for name, values in columns.items()
        }
        return needed_frame(columns)

    def _why_no_best(self, name: str) -> str:
        """Return why a fitted search has no single best setting."""
        if "result_" not in self.__dict__:
            return f"this {type(self).__name__} is not fitted, so there is no {name}"
        if self.result_.get("regions") and "best_index_" in self.__dict__:
            exact = "; race='no' or race='yes' chooses one" if self.result_["regions"]["by_default"] else ""
            return f"each region of the feature space has settings of its own, so there is no {name}{exact}"
        if "predictor_" not in self.__dict__:
            return f"no model was trained, so there is no {name}"
        if self.result_.get("average"):
            return (
                f"the average of {len(self.members_)} settings predicts, so there is no {name}; with rule='best' the "
                "best of them predicts alone, as in SVCSearchCV"
            )
        return f"method={self.method!r} keeps several models, so there is no {name}"

    def summary(self) -> str:
        """Return the report that the command prints.

        Returns
        -------
        str
            A table.
        """
        self._check_searched()
        return self._summary


@documented
class SearchCV(SearchCVArguments, _Search, CredenceClassifier):
    """Choice of a classifier's settings, with an honest estimate of the error beside the score that chose.

    ``model`` says what is chosen from: SVMs with a kernel, a scaling of the columns, C and gamma; nearest neighbours
    with k (by a method such as ``"holdout"``); relevance vector machines with the width of their kernel. By default 144
    settings of SVMs are judged: the kernels rbf and laplacian, the scalings standard and quantile, six values of gamma
    and six of C. The best settings, at most ten and each within one standard error of the best, predict together.

    Arguments narrow the grid: ``kernel`` tries these kernels alone (rbf if only ``gamma`` or ``sigma`` is given),
    ``scale`` these scalings alone, and ``rule="best"`` returns the best setting alone. :class:`SVCSearchCV` chooses
    one SVM, as ``GridSearchCV(SVC())`` does.

    Options of other methods are refused by name.

    {parameters}

    Attributes
    ----------
    cv_results_ : dict of ndarrays
        As GridSearchCV has them. Means are over rows: folds count by their rows.
    best_params_, best_score_, best_index_ : dict, float, int
        The best setting, with its kernel and scale, and the score of this setting alone; ``result_["average"]`` has the
        error of the average. Absent where the method keeps several models, as regions of the feature space do. Regions
        are the default from 3,000 rows on if all settings would take longer than about a minute; ``race="no"``,
        ``race="yes"`` or a ``rule`` keep the search from taking regions.
    members_ : ndarray of int
        Which settings of ``cv_results_`` predict: those of the average, or the best one alone.
    best_estimator_ : SVC or RVC
        The best setting trained on all rows; absent where an average predicts, and for nearest neighbours.
    honest_error_ : Estimate
        The error of the whole selection on new rows, with its interval: the best score is optimistic.
    error_bound_ : float or None
        Upper bound of the error rate at confidence 1 - delta; None for methods without a bound.
    selection_ : DataFrame
        All settings.
    result_ : Result
        A dict of all that the command writes as JSON.
    n_splits_, refit_time_, scorer_, classes_, predictor_
        As their names say.

    {breast_cancer}
    >>> search = credence.SearchCV(cv=5).fit(X, y)
    >>> len(search.cv_results_["params"]), 1 < len(search.members_) <= 10
    (144, True)
    >>> 0.01 < search.honest_error_ < 0.05
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> SearchCV:
        """Choose, and train what was chosen on all rows.

        Parameters
        ----------
        {training_rows}
        {classes}
        {weights}
        {groups}

        {fitted}
        TimeoutError
            If the time limit ended the selection.
        """
        self._fit(X, y, sample_weight=sample_weight, groups=groups)
        return self

    def _lacks_probabilities(self) -> str:
        if self.__sklearn_is_fitted__():
            return super()._lacks_probabilities()
        if self.model == "rvm" or _core.calibrates(_method_name(self.method)):
            return ""
        return f"method={self.method!r} keeps no scores of rows left out, of which probabilities are made; 'cv' does"

    def _make_best(self) -> None:
        single = self.predictor_.svm is not None or self.predictor_.rvm is not None
        if not single or not hasattr(self, "best_index_") or "rho" in self.best_params_:
            return
        kind = RVC if self.predictor_.svm is None else SVC
        shared = (set(kind().get_params()) & set(self.get_params())) - {"C", "gamma", "sigma", "nu", "cv"}
        given = {name: getattr(self, name) for name in shared if getattr(self, name) is not None}
        named = {name: self.result_["best"][name] for name in ("kernel", "scale")}
        chosen = {name: value for name, value in self.best_params_.items() if name in kind().get_params()}
        best: Any = kind(**(given | named | chosen))
        best.predictor_, best.classes_, best._kept = self.predictor_, self.classes_, None
        for name in ("n_features_in_", "feature_names_in_", "_left_out", "_text_columns"):
            if hasattr(self, name):
                setattr(best, name, getattr(self, name))
        self.best_estimator_ = best

    @property
    def scorer_(self) -> Any:
        """The scorer of scikit-learn that stands for the score of the selection."""
        self._check_fitted()
        if self.scorer_name_ == "f1":
            return make_scorer(f1_score, pos_label=self.classes_[1])
        if self.scorer_name_ == "cost":
            names = [spelling(label) for label in self.classes_]
            costs = _core.label_costs(plain(self.cost), names)
            return make_scorer(_mean_cost, greater_is_better=False, costs=costs, names=names)
        return get_scorer("neg_log_loss" if self.scorer_name_ == "log_loss" else self.scorer_name_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of `scoring` on labelled rows; the accuracy without it.

        Parameters
        ----------
        {rows}
        {classes}
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The larger, the better.
        """
        if self.scoring is None:
            return super().score(X, y, sample_weight)
        known_labels(y)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if self.scorer_name_ == "log_loss":  # the scorer of scikit-learn takes the classes from y
            return -float(log_loss(_plain_labels(y), self.predict_proba(X), labels=self.classes_, **weights))
        return float(self.scorer_(self, X, _plain_labels(y), **weights))


@documented
class SVCSearchCV(SearchCV):
    """Choice of one SVM, as ``GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=10)`` makes it.

    This is :class:`SearchCV` with other defaults: an rbf kernel on standardised columns, the 110 settings of C and
    gamma of LIBSVM's ``grid.py``, and ``rule="best"``. All C of one gamma and fold share a kernel matrix and
    warm starts, instead of being fitted from scratch. ``best_estimator_`` is the best setting, trained on all rows.

    ``best_params_`` and ``cv_results_["params"]`` name C and gamma. They name kernel and scale too where several of
    these were given. ``SVC(**best_params_)`` takes them, beside the kernel and scale that you gave.

    {parameters}

    {breast_cancer}
    >>> credence.SVCSearchCV(C=[1, 10], gamma=[0.01, 0.1], cv=5).fit(X, y).best_params_
    {'C': 10.0, 'gamma': 0.01}
    """

    def _selection_options(self) -> _core.SelectionOptions:
        if self.model != "svm":
            raise ValueError(f"model: SVCSearchCV chooses among SVMs; take SearchCV(model={self.model!r})")
        options = super()._selection_options()
        options.choose_one_svm()
        return options

    def _parameters(self, chosen: _core.Selection) -> list[str]:
        fixed = {name for name in ("kernel", "scale") if len(set(chosen.settings[name])) == 1}
        return [name for name in chosen.parameters if name not in fixed]


@documented
class RVRSearchCV(RVRSearchCVArguments, _Search, CredenceRegressor):
    """Choice of the kernel of a relevance vector regressor, by the validity index unless ``method`` says otherwise.

    The index is large if the evidence is large and stays so when the centres of the model move. It takes one fit of
    each kernel, and no rows are held out. ``cv`` keeps residuals of rows left out of the chosen kernel's model, for
    intervals.

    {parameters}

    Attributes
    ----------
    cv_results_ : dict of ndarrays
        All kernels; ``mean_test_score`` is the log of the index, or of the evidence.
    best_params_, best_index_ : dict, int
        The chosen kernel.
    honest_error_ : Estimate or None
        The honest estimate; None where none was made.
    result_ : Result
        A dict of all that the command writes as JSON, with every kernel's figures under ``grid``.

    References
    ----------
    D. Kropotov, N. Ptashko, O. Vasiliev, D. Vetrov, "On kernel selection in relevance vector machines using stability
    principle", ICPR 2006.

    Examples
    --------
    >>> import credence, numpy as np
    >>> x = np.linspace(-10, 10, 200).reshape(-1, 1)
    >>> search = credence.RVRSearchCV().fit(x, np.sinc(x.ravel() / np.pi))
    >>> bool(search.score(x, np.sinc(x.ravel() / np.pi)) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any) -> RVRSearchCV:
        """Choose the kernel, and keep its model.

        Parameters
        ----------
        {training_rows}
        {targets}

        {fitted}
        """
        self._fit(X, y)
        return self
