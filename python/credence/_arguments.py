"""Arguments of the estimators, from the descriptions in C++; written by scripts/python_arguments.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal


class SVCArguments:
    """Of SVC."""

    def __init__(
        self,
        *,
        kernel: Literal["rbf", "linear", "polynomial", "sigmoid", "laplacian", "precomputed"] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        gamma: float | str = "scale",
        sigma: float | str | None = None,
        C: float | str = 1.0,
        nu: float | str | None = None,
        class_weight: Any = None,
        tol: float = 1e-09,
        max_steps: int = 0,
        scale: Literal["standard", "minmax", "none"] | None = None,
        random_state: Any = 0,
        cells: int | bool | None = None,
        cv: Any = None,
        missing: Literal["error", "drop", "impute"] = "error",
        unseen: Literal["error", "missing", "other"] = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        kernel : {'rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'}, default='rbf'
            The kernel function.
        degree : int from 1 to 1000, default=3
            Degree of the polynomial kernel.
        coef0 : float, default=0.0
            Constant of the polynomial and sigmoid kernels.
        gamma : float or str, default='scale'
            Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)
        sigma : float or str or None, default=None
            Widths of rbf kernels: gamma = 1/(2 sigma^2)
        C : float or str, default=1.0
            Costs of errors.
        nu : float or str or None, default=None
            Nu-SVCs with these nu instead of C.
        class_weight : str or None, default=None
            Balanced, or factors on C: name:w,name:w; the errors by which cv, loo and holdout choose count by
            them too.
        tol : float above 0, default=1e-09
            The solver stops where the KKT conditions hold this closely.
        max_steps : int, default=0
            SMO steps of one solve; 0 means the larger of 10^7 and 100 n.
        scale : {'standard', 'minmax', 'none'} or None, default=None
            How columns are scaled (by default minmax where relevance vector machines take part, none for a
            precomputed kernel, else standard)
        random_state : int, default=0
            Of all random choices.
        cells : int at least 20 or True (1000) or None, default=None
            SVMs in regions of the feature space of so many rows.
        cv : int at least 2, splitter, iterable or None, default=None
            Cross-validation after the fit (a number of folds, a splitter, or an iterable of pairs (train,
            test)): the model keeps the scores of the rows left out. P-values, intervals and probabilities need
            these scores. With None they are not available.
        missing : {'error', 'drop', 'impute'}, default='error'
            What becomes of missing values: an error, their rows are dropped in `fit`, or they are imputed
            (median, most frequent level)
        unseen : {'error', 'missing', 'other'}, default='error'
            What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing value
            (with `missing='impute'`), or none of the texts.
        n_jobs : int or None, default=None
            Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use,
            which is what -1 takes. Results do not depend on it.
        verbose : int, default=0
            1 shows the progress of long calls.
        """
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma
        self.sigma = sigma
        self.C = C
        self.nu = nu
        self.class_weight = class_weight
        self.tol = tol
        self.max_steps = max_steps
        self.scale = scale
        self.random_state = random_state
        self.cells = cells
        self.cv = cv
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose


class RVCArguments:
    """Of RVC."""

    def __init__(
        self,
        *,
        kernel: Literal["rbf", "linear", "polynomial", "sigmoid", "laplacian", "precomputed"] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        gamma: float | str = "scale",
        sigma: float | str | None = None,
        algorithm: Literal["batch", "sequential"] = "batch",
        starts: int = 1,
        centres: int | None = None,
        scale: Literal["standard", "minmax", "none"] | None = None,
        random_state: Any = 0,
        literal: bool = False,
        cap: bool = True,
        cv: Any = None,
        missing: Literal["error", "drop", "impute"] = "error",
        unseen: Literal["error", "missing", "other"] = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        kernel : {'rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'}, default='rbf'
            The kernel function.
        degree : int from 1 to 1000, default=3
            Degree of the polynomial kernel.
        coef0 : float, default=0.0
            Constant of the polynomial and sigmoid kernels.
        gamma : float or str, default='scale'
            Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)
        sigma : float or str or None, default=None
            Widths of rbf kernels: gamma = 1/(2 sigma^2)
        algorithm : {'batch', 'sequential'}, default='batch'
            How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null
            model.
        starts : int from 1 to 3, default=1
            Starts of the batch algorithm; the fit with the largest evidence is kept.
        centres : int at least 1 or None, default=None
            Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)
        scale : {'standard', 'minmax', 'none'} or None, default=None
            How columns are scaled (by default minmax where relevance vector machines take part, none for a
            precomputed kernel, else standard)
        random_state : int, default=0
            Of all random choices.
        literal : bool, default=False
            The index as the paper prints it.
        cap : bool, default=True
            The ranges of the features limit the index.
        cv : int at least 2, splitter, iterable or None, default=None
            Cross-validation after the fit (a number of folds, a splitter, or an iterable of pairs (train,
            test)): the model keeps the scores of the rows left out. P-values, intervals and probabilities need
            these scores. With None they are not available.
        missing : {'error', 'drop', 'impute'}, default='error'
            What becomes of missing values: an error, their rows are dropped in `fit`, or they are imputed
            (median, most frequent level)
        unseen : {'error', 'missing', 'other'}, default='error'
            What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing value
            (with `missing='impute'`), or none of the texts.
        n_jobs : int or None, default=None
            Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use,
            which is what -1 takes. Results do not depend on it.
        verbose : int, default=0
            1 shows the progress of long calls.
        """
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma
        self.sigma = sigma
        self.algorithm = algorithm
        self.starts = starts
        self.centres = centres
        self.scale = scale
        self.random_state = random_state
        self.literal = literal
        self.cap = cap
        self.cv = cv
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose


class RVRArguments:
    """Of RVR."""

    def __init__(
        self,
        *,
        kernel: Literal["rbf", "linear", "polynomial", "sigmoid", "laplacian", "precomputed"] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        gamma: float | str = "scale",
        sigma: float | str | None = None,
        algorithm: Literal["batch", "sequential"] = "batch",
        starts: int = 1,
        noise_variance: float | None = None,
        noise: float | None = None,
        centres: int | None = None,
        scale: Literal["standard", "minmax", "none"] | None = None,
        random_state: Any = 0,
        literal: bool = False,
        cap: bool = True,
        cv: Any = None,
        missing: Literal["error", "drop", "impute"] = "error",
        unseen: Literal["error", "missing", "other"] = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        kernel : {'rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'}, default='rbf'
            The kernel function.
        degree : int from 1 to 1000, default=3
            Degree of the polynomial kernel.
        coef0 : float, default=0.0
            Constant of the polynomial and sigmoid kernels.
        gamma : float or str, default='scale'
            Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)
        sigma : float or str or None, default=None
            Widths of rbf kernels: gamma = 1/(2 sigma^2)
        algorithm : {'batch', 'sequential'}, default='batch'
            How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null
            model.
        starts : int from 1 to 3, default=1
            Starts of the batch algorithm; the fit with the largest evidence is kept.
        noise_variance : float above 0 or None, default=None
            Fixed variance of the noise of a regression.
        noise : float or None, default=None
            Fixed standard deviation of the noise of a regression.
        centres : int at least 1 or None, default=None
            Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)
        scale : {'standard', 'minmax', 'none'} or None, default=None
            How columns are scaled (by default minmax where relevance vector machines take part, none for a
            precomputed kernel, else standard)
        random_state : int, default=0
            Of all random choices.
        literal : bool, default=False
            The index as the paper prints it.
        cap : bool, default=True
            The ranges of the features limit the index.
        cv : int at least 2, splitter, iterable or None, default=None
            Cross-validation after the fit (a number of folds, a splitter, or an iterable of pairs (train,
            test)): the model keeps the scores of the rows left out. P-values, intervals and probabilities need
            these scores. With None they are not available.
        missing : {'error', 'drop', 'impute'}, default='error'
            What becomes of missing values: an error, their rows are dropped in `fit`, or they are imputed
            (median, most frequent level)
        unseen : {'error', 'missing', 'other'}, default='error'
            What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing value
            (with `missing='impute'`), or none of the texts.
        n_jobs : int or None, default=None
            Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use,
            which is what -1 takes. Results do not depend on it.
        verbose : int, default=0
            1 shows the progress of long calls.
        """
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma
        self.sigma = sigma
        self.algorithm = algorithm
        self.starts = starts
        self.noise_variance = noise_variance
        self.noise = noise
        self.centres = centres
        self.scale = scale
        self.random_state = random_state
        self.literal = literal
        self.cap = cap
        self.cv = cv
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose


class SearchCVArguments:
    """Of SearchCV."""

    def __init__(
        self,
        *,
        method: str = "cv",
        model: str = "svm",
        loss: Literal["hard", "soft"] | None = None,
        scoring: Literal["accuracy", "balanced_accuracy", "roc_auc", "f1", "f1_macro", "log_loss", "cost"] | None = None,
        cost: Any = None,
        rule: Literal["best", "one_se", "average"] | None = None,
        race: Literal["auto", "yes", "no"] | bool | None = None,
        exact: bool | None = None,
        kernel: Literal["rbf", "linear", "polynomial", "sigmoid", "laplacian", "precomputed"] | None = None,
        degree: int | None = None,
        coef0: float | None = None,
        gamma: float | str | Sequence[float | str] | None = None,
        sigma: float | str | Sequence[float | str] | None = None,
        C: float | str | Sequence[float | str] | None = None,
        nu: float | str | Sequence[float | str] | None = None,
        class_weight: Any = None,
        tol: float | None = None,
        max_steps: int | None = None,
        give_up: int | None = None,
        trust: Literal["measured", "proved", "split"] | None = None,
        validation: int | None = None,
        tie: Literal["validation_error", "random", "vote"] | None = None,
        p_value: Literal["paper", "conformal"] | None = None,
        margin: Literal["functional", "geometric"] | None = None,
        refit: Literal["all", "training"] | None = None,
        final: Literal["retrained", "random"] | None = None,
        union: bool | None = None,
        hint: float | None = None,
        trials: int | None = None,
        all_rhos: bool | None = None,
        enumerate: bool | None = None,
        peel: bool | None = None,
        bias: bool | None = None,
        term: Literal["exact", "trials"] | None = None,
        rho: float | str | Sequence[float | str] | None = None,
        resamples: int | None = None,
        bootstrap: Literal["oob", "632", "632+"] | None = None,
        nested: bool | None = None,
        literal: bool | None = None,
        cap: bool | None = None,
        null_margin: float | None = None,
        guard: bool | None = None,
        algorithm: Literal["batch", "sequential"] | None = None,
        starts: int | None = None,
        noise_variance: float | None = None,
        noise: float | None = None,
        centres: int | None = None,
        further: int | None = None,
        region_rows: int | None = None,
        cells: int | bool | None = None,
        partitions: int | None = None,
        k: float | str | Sequence[float | str] | None = None,
        scale: Literal["standard", "minmax", "none"] | None = None,
        scale_scope: Literal["fold", "all"] | None = None,
        estimate: Literal["bbc", "nested", "holdout", "none"] | None = None,
        estimate_samples: int | None = None,
        copies: Literal["fold", "keep", "drop"] | None = None,
        delta: float | None = None,
        random_state: Any = 0,
        cv: Any = None,
        time_limit: float | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        unseen: Literal["error", "missing", "other"] = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        method : {'cv', 'nonconformity', 'max_margin', 'holdout', 'holdout_vote', 'kfold_nested', 'loo', 'rademacher', 'maximal_discrepancy', 'bootstrap', 'kernel_validity', 'evidence', 'regions'}, default='cv'
            How to choose (cv: the cell with the smallest cross-validation error; nonconformity: all models; for
            each row the one that is surest of it; max_margin: all models; for each row the one with the largest
            margin; holdout: the cell with the smallest error on rows held out once; holdout_vote: the vote of
            all models with the smallest error on rows held out once; kfold_nested: cross-validation that
            chooses within cross-validation that judges, with bounds on the error; loo: the cell with the
            smallest leave-one-out error; rademacher: the norm with the smallest bound by Rademacher complexity,
            from the training rows alone; maximal_discrepancy: the norm with the smallest bound by maximal
            discrepancy, from the training rows alone; bootstrap: the cell with the smallest error on rows that
            bootstrap samples leave out; kernel_validity: the kernel whose relevance vector machine is likely
            and stays so when its centres move; evidence: the kernel whose relevance vector machine has the
            largest evidence; regions: cross-validation in each region of the feature space)
        model : {'svm', 'knn', 'rvm'}, default='svm'
            The kind of models to choose from: svm (support vector machines), knn (nearest neighbours), rvm
            (relevance vector machines)
        loss : {'hard', 'soft'} or None, default=None
            The loss by which a cell is chosen; None stands for 'hard'.
        scoring : {'accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss', 'cost'} or None, default=None
            The score by which a cell is chosen and judged; roc_auc and f1 are of two classes, the second of
            which is positive, log_loss is of models with probabilities and of SVMs of two classes, and cost is
            the mean cost of a label; None stands for 'accuracy'.
        cost : str or None, default=None
            What a wrong label costs, with the score cost: sick:well=50,well:sick=1 (truth:label; a pair that is
            not named costs 1)
        rule : {'best', 'one_se', 'average'} or None, default=None
            Which cell is chosen: the best one, the most regularised one within a standard error of the best, or
            the average of the ten best within a standard error; None stands for 'best'.
        race : {'auto', 'yes', 'no'} or True (yes) or None, default=None
            Judge the cells on growing subsets of the rows, and drop most of those that are more than two
            standard errors worse than the best; auto races where the exact grid would cost more than 1e11
            updates, which are about a minute (cv of SVMs takes regions of the feature space there, from 20000
            rows on); None stands for 'auto'.
        exact : bool or None, default=None
            Every setting judged on all rows, however long: race = no.
        kernel : {'rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'} or None, default=None
            The kernel function; None stands for 'rbf'.
        degree : int from 1 to 1000 or None, default=None
            Degree of the polynomial kernel; None stands for 3.
        coef0 : float or None, default=None
            Constant of the polynomial and sigmoid kernels; None stands for 0.0.
        gamma : float, str or list of these or None, default=None
            Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)
        sigma : float, str or list of these or None, default=None
            Widths of rbf kernels: gamma = 1/(2 sigma^2)
        C : float, str or list of these above 0 or None, default=None
            Costs of errors.
        nu : float, str or list of these above 0 and at most 1 or None, default=None
            Nu-SVCs with these nu instead of C.
        class_weight : str or None, default=None
            Balanced, or factors on C: name:w,name:w; the errors by which cv, loo and holdout choose count by
            them too.
        tol : float above 0 or None, default=None
            The solver stops where the KKT conditions hold this closely; None stands for 0.001.
        max_steps : int or None, default=None
            SMO steps of one solve; 0 means the larger of 10^7 and 100 n; None stands for 0.
        give_up : int at least 0 or None, default=None
            SMO steps for each training row that all C of one gamma and fold may take before larger C are given
            up, where they do clearly worse than a smaller one or meet the step limit; 0 means never (by default
            10 above 5000 rows, else 0)
        trust : {'measured', 'proved', 'split'} or None, default=None
            What stands behind p-values and intervals. measured: regions and intervals miss with probability
            near eps, by simulation; nothing is proved, as the cell was chosen on all rows. proved, by kfold-
            nested: if rows are exchangeable, regions and intervals miss with probability at most about 2 eps:
            each fold's machine was chosen without the fold. split, of three tenths of the rows: if rows are
            exchangeable, regions and intervals miss with probability at most eps, on average over the rows set
            aside; None stands for 'measured'.
        validation : int at least 1 or None, default=None
            Rows held out (by default a fifth of up to 500 rows, but at most 50, and a tenth of more, but at
            most 10000)
        tie : {'validation_error', 'random', 'vote'} or None, default=None
            Which of the tied models decides; random is the paper's; None stands for 'validation_error'.
        p_value : {'paper', 'conformal'} or None, default=None
            P-values as in the paper, or conformal ones; None stands for 'paper'.
        margin : {'functional', 'geometric'} or None, default=None
            The margin that is compared; None stands for 'functional'.
        refit : {'all', 'training'} or None, default=None
            Train the chosen cell on all rows, or keep the model that was judged; None stands for 'all'.
        final : {'retrained', 'random'} or None, default=None
            What is handed over: the chosen cell retrained on all rows, or one of the resamples' classifiers,
            drawn at random for each row, which the bounds are about; None stands for 'retrained'.
        union : bool or None, default=None
            The bounds hold for all cells or resamples at once: delta is divided; None stands for False.
        hint : float between 0 and 1 or None, default=None
            Share of the rows that train a first classifier, around which the others search.
        trials : int from 2 to 100000 or None, default=None
            Label vectors (by default 4000 / rows, at least 30)
        all_rhos : bool or None, default=None
            Go on where no larger rho can win; None stands for False.
        enumerate : bool or None, default=None
            Exact minima, for at most 14 rows (the default up to 8 rows)
        peel : bool or None, default=None
            Minimise by giving up one row at a time; None stands for False.
        bias : bool or None, default=None
            Classifiers have a bias; None stands for True.
        term : {'exact', 'trials'} or None, default=None
            The confidence term: as in the paper's tables, or one that allows for the error of the mean over
            trials; None stands for 'exact'.
        rho : float, str or list of these at least 0 or None, default=None
            Limits of |w|^2.
        resamples : int at least 2 or None, default=None
            Bootstrap samples; None stands for 50.
        bootstrap : {'oob', '632', '632+'} or None, default=None
            The error of a cell: out of bag, or one of the 0.632 rules; None stands for 'oob'.
        nested : bool or None, default=None
            A second sample in each sample chooses, and the rows out of bag only judge; None stands for False.
        literal : bool or None, default=None
            The index as the paper prints it; None stands for False.
        cap : bool or None, default=None
            The ranges of the features limit the index; None stands for True.
        null_margin : float or None, default=None
            A kernel may win only if its log evidence is above that of the bias alone by this; None stands for
            0.5.
        guard : bool or None, default=None
            Only kernels above the null model may win; None stands for True.
        algorithm : {'batch', 'sequential'} or None, default=None
            How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null
            model; None stands for 'batch'.
        starts : int from 1 to 3 or None, default=None
            Starts of the batch algorithm; the fit with the largest evidence is kept; None stands for 1.
        noise_variance : float above 0 or None, default=None
            Fixed variance of the noise of a regression.
        noise : float or None, default=None
            Fixed standard deviation of the noise of a regression.
        centres : int at least 1 or None, default=None
            Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)
        further : int at least 0 or None, default=None
            Widths that may be added beyond an end of the list at which the best lies (by default 6 beyond the
            default list, else none)
        region_rows : int at least 20 or None, default=None
            Rows in a region of the feature space: every region has a choice and SVMs of its own, so that the
            cost grows like the rows (by default chosen among 500 to 4000 by the soft loss on a tenth of the
            rows)
        cells : int at least 20 or True (1000) or None, default=None
            The method regions, with so many rows in a region.
        partitions : int at least 1 or None, default=None
            Partitions of the feature space, whose scores are averaged (by default as many as lower the loss by
            more than chance, at most 8)
        k : float, str or list of these from 1 to 1000000 or None, default=None
            Numbers of nearest neighbours.
        scale : {'standard', 'minmax', 'none'} or None, default=None
            How columns are scaled (by default minmax where relevance vector machines take part, none for a
            precomputed kernel, else standard)
        scale_scope : {'fold', 'all'} or None, default=None
            The rows that the scaling is fitted on: those of each resample, or all (the default of loo)
        estimate : {'bbc', 'nested', 'holdout', 'none'} or None, default=None
            The honest error beside the selected score: bootstrap correction, nested cross-validation, rows held
            out, or none (by default bbc; holdout from 20000 rows on, with regions on any number of rows, for
            methods that train the chosen cell on all rows)
        estimate_samples : int at least 2 or None, default=None
            Samples of the bootstrap correction; None stands for 1000.
        copies : {'fold', 'keep', 'drop'} or None, default=None
            Rows that are equal in all features and the label: they share a fold, are kept as rows of their own,
            or all but the first of each are dropped (by default fold where they are 1 % of a table of
            continuous numbers or more, else keep)
        delta : float between 0 and 1 or None, default=None
            Bounds and intervals hold with probability 1 - delta; None stands for 0.05.
        random_state : int, default=0
            Of all random choices.
        cv : int, splitter, iterable or None, default=None
            Folds of the rows: their number (drawn by the seed, stratified by class), a splitter of scikit-
            learn, or an iterable of pairs (train, test). None takes the method's own number.
        time_limit : float or None, default=None
            Seconds after which the fit ends, with a warning: the best setting of those judged by then is
            trained on all rows where that fits into the time; TimeoutError where no setting was judged.
        missing : {'error', 'drop', 'impute'}, default='error'
            What becomes of missing values: an error, their rows are dropped in `fit`, or they are imputed
            (median, most frequent level)
        unseen : {'error', 'missing', 'other'}, default='error'
            What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing value
            (with `missing='impute'`), or none of the texts.
        n_jobs : int or None, default=None
            Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use,
            which is what -1 takes. Results do not depend on it.
        verbose : int, default=0
            1 shows the progress of long calls.
        """
        self.method = method
        self.model = model
        self.loss = loss
        self.scoring = scoring
        self.cost = cost
        self.rule = rule
        self.race = race
        self.exact = exact
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma
        self.sigma = sigma
        self.C = C
        self.nu = nu
        self.class_weight = class_weight
        self.tol = tol
        self.max_steps = max_steps
        self.give_up = give_up
        self.trust = trust
        self.validation = validation
        self.tie = tie
        self.p_value = p_value
        self.margin = margin
        self.refit = refit
        self.final = final
        self.union = union
        self.hint = hint
        self.trials = trials
        self.all_rhos = all_rhos
        self.enumerate = enumerate
        self.peel = peel
        self.bias = bias
        self.term = term
        self.rho = rho
        self.resamples = resamples
        self.bootstrap = bootstrap
        self.nested = nested
        self.literal = literal
        self.cap = cap
        self.null_margin = null_margin
        self.guard = guard
        self.algorithm = algorithm
        self.starts = starts
        self.noise_variance = noise_variance
        self.noise = noise
        self.centres = centres
        self.further = further
        self.region_rows = region_rows
        self.cells = cells
        self.partitions = partitions
        self.k = k
        self.scale = scale
        self.scale_scope = scale_scope
        self.estimate = estimate
        self.estimate_samples = estimate_samples
        self.copies = copies
        self.delta = delta
        self.random_state = random_state
        self.cv = cv
        self.time_limit = time_limit
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose


class RVRSearchCVArguments:
    """Of RVRSearchCV."""

    def __init__(
        self,
        *,
        method: str = "kernel_validity",
        literal: bool | None = None,
        cap: bool | None = None,
        null_margin: float | None = None,
        guard: bool | None = None,
        kernel: Literal["rbf", "linear", "polynomial", "sigmoid", "laplacian", "precomputed"] | None = None,
        degree: int | None = None,
        coef0: float | None = None,
        gamma: float | str | Sequence[float | str] | None = None,
        sigma: float | str | Sequence[float | str] | None = None,
        algorithm: Literal["batch", "sequential"] | None = None,
        starts: int | None = None,
        noise_variance: float | None = None,
        noise: float | None = None,
        centres: int | None = None,
        further: int | None = None,
        trust: Literal["measured", "proved", "split"] | None = None,
        loss: Literal["hard", "soft"] | None = None,
        scoring: Literal["accuracy", "balanced_accuracy", "roc_auc", "f1", "f1_macro", "log_loss", "cost"] | None = None,
        cost: Any = None,
        rule: Literal["best", "one_se", "average"] | None = None,
        race: Literal["auto", "yes", "no"] | bool | None = None,
        exact: bool | None = None,
        scale: Literal["standard", "minmax", "none"] | None = None,
        scale_scope: Literal["fold", "all"] | None = None,
        estimate: Literal["bbc", "nested", "holdout", "none"] | None = None,
        estimate_samples: int | None = None,
        copies: Literal["fold", "keep", "drop"] | None = None,
        delta: float | None = None,
        random_state: Any = 0,
        cv: Any = None,
        time_limit: float | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        unseen: Literal["error", "missing", "other"] = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        method : {'kernel_validity', 'evidence', 'cv'}, default='kernel_validity'
            How to choose (kernel_validity: the kernel whose relevance vector machine is likely and stays so
            when its centres move; evidence: the kernel whose relevance vector machine has the largest evidence;
            cv: the cell with the smallest cross-validation error)
        literal : bool or None, default=None
            The index as the paper prints it; None stands for False.
        cap : bool or None, default=None
            The ranges of the features limit the index; None stands for True.
        null_margin : float or None, default=None
            A kernel may win only if its log evidence is above that of the bias alone by this; None stands for
            0.5.
        guard : bool or None, default=None
            Only kernels above the null model may win; None stands for True.
        kernel : {'rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'} or None, default=None
            The kernel function; None stands for 'rbf'.
        degree : int from 1 to 1000 or None, default=None
            Degree of the polynomial kernel; None stands for 3.
        coef0 : float or None, default=None
            Constant of the polynomial and sigmoid kernels; None stands for 0.0.
        gamma : float, str or list of these or None, default=None
            Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)
        sigma : float, str or list of these or None, default=None
            Widths of rbf kernels: gamma = 1/(2 sigma^2)
        algorithm : {'batch', 'sequential'} or None, default=None
            How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null
            model; None stands for 'batch'.
        starts : int from 1 to 3 or None, default=None
            Starts of the batch algorithm; the fit with the largest evidence is kept; None stands for 1.
        noise_variance : float above 0 or None, default=None
            Fixed variance of the noise of a regression.
        noise : float or None, default=None
            Fixed standard deviation of the noise of a regression.
        centres : int at least 1 or None, default=None
            Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)
        further : int at least 0 or None, default=None
            Widths that may be added beyond an end of the list at which the best lies (by default 6 beyond the
            default list, else none)
        trust : {'measured', 'proved', 'split'} or None, default=None
            What stands behind p-values and intervals. measured: regions and intervals miss with probability
            near eps, by simulation; nothing is proved, as the cell was chosen on all rows. proved, by kfold-
            nested: if rows are exchangeable, regions and intervals miss with probability at most about 2 eps:
            each fold's machine was chosen without the fold. split, of three tenths of the rows: if rows are
            exchangeable, regions and intervals miss with probability at most eps, on average over the rows set
            aside; None stands for 'measured'.
        loss : {'hard', 'soft'} or None, default=None
            The loss by which a cell is chosen; None stands for 'hard'.
        scoring : {'accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss', 'cost'} or None, default=None
            The score by which a cell is chosen and judged; roc_auc and f1 are of two classes, the second of
            which is positive, log_loss is of models with probabilities and of SVMs of two classes, and cost is
            the mean cost of a label; None stands for 'accuracy'.
        cost : str or None, default=None
            What a wrong label costs, with the score cost: sick:well=50,well:sick=1 (truth:label; a pair that is
            not named costs 1)
        rule : {'best', 'one_se', 'average'} or None, default=None
            Which cell is chosen: the best one, the most regularised one within a standard error of the best, or
            the average of the ten best within a standard error; None stands for 'best'.
        race : {'auto', 'yes', 'no'} or True (yes) or None, default=None
            Judge the cells on growing subsets of the rows, and drop most of those that are more than two
            standard errors worse than the best; auto races where the exact grid would cost more than 1e11
            updates, which are about a minute (cv of SVMs takes regions of the feature space there, from 20000
            rows on); None stands for 'auto'.
        exact : bool or None, default=None
            Every setting judged on all rows, however long: race = no.
        scale : {'standard', 'minmax', 'none'} or None, default=None
            How columns are scaled (by default minmax where relevance vector machines take part, none for a
            precomputed kernel, else standard)
        scale_scope : {'fold', 'all'} or None, default=None
            The rows that the scaling is fitted on: those of each resample, or all (the default of loo)
        estimate : {'bbc', 'nested', 'holdout', 'none'} or None, default=None
            The honest error beside the selected score: bootstrap correction, nested cross-validation, rows held
            out, or none (by default bbc; holdout from 20000 rows on, with regions on any number of rows, for
            methods that train the chosen cell on all rows)
        estimate_samples : int at least 2 or None, default=None
            Samples of the bootstrap correction; None stands for 1000.
        copies : {'fold', 'keep', 'drop'} or None, default=None
            Rows that are equal in all features and the label: they share a fold, are kept as rows of their own,
            or all but the first of each are dropped (by default fold where they are 1 % of a table of
            continuous numbers or more, else keep)
        delta : float between 0 and 1 or None, default=None
            Bounds and intervals hold with probability 1 - delta; None stands for 0.05.
        random_state : int, default=0
            Of all random choices.
        cv : int, splitter, iterable or None, default=None
            Folds of the rows: their number (drawn by the seed, stratified by class), a splitter of scikit-
            learn, or an iterable of pairs (train, test). None takes the method's own number.
        time_limit : float or None, default=None
            Seconds after which the fit ends, with a warning: the best setting of those judged by then is
            trained on all rows where that fits into the time; TimeoutError where no setting was judged.
        missing : {'error', 'drop', 'impute'}, default='error'
            What becomes of missing values: an error, their rows are dropped in `fit`, or they are imputed
            (median, most frequent level)
        unseen : {'error', 'missing', 'other'}, default='error'
            What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing value
            (with `missing='impute'`), or none of the texts.
        n_jobs : int or None, default=None
            Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use,
            which is what -1 takes. Results do not depend on it.
        verbose : int, default=0
            1 shows the progress of long calls.
        """
        self.method = method
        self.literal = literal
        self.cap = cap
        self.null_margin = null_margin
        self.guard = guard
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma
        self.sigma = sigma
        self.algorithm = algorithm
        self.starts = starts
        self.noise_variance = noise_variance
        self.noise = noise
        self.centres = centres
        self.further = further
        self.trust = trust
        self.loss = loss
        self.scoring = scoring
        self.cost = cost
        self.rule = rule
        self.race = race
        self.exact = exact
        self.scale = scale
        self.scale_scope = scale_scope
        self.estimate = estimate
        self.estimate_samples = estimate_samples
        self.copies = copies
        self.delta = delta
        self.random_state = random_state
        self.cv = cv
        self.time_limit = time_limit
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose


class FullConformalKNeighborsClassifierArguments:
    """Of FullConformalKNeighborsClassifier."""

    def __init__(
        self,
        *,
        measure: str = "nn-ratio",
        n_neighbors: int = 1,
        metric: Literal["euclidean", "manhattan", "cosine", "precomputed"] = "euclidean",
        apart: float = 0.1,
        scale: Literal["standard", "minmax", "none"] | None = None,
        label_conditional: bool = False,
        smoothed: bool = False,
        random_state: Any = 0,
        weights: str | int | Callable[[Any], Any] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        unseen: Literal["error", "missing", "other"] = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        measure : {'nn-ratio', 'nn-own'}, default='nn-ratio'
            The strangeness of a row: the ratio of its distances to the nearest rows of its own class and of the
            others, or the distance to those of its own class.
        n_neighbors : int at least 1, default=1
            Nearest neighbours that are looked at.
        metric : {'euclidean', 'manhattan', 'cosine', 'precomputed'}, default='euclidean'
            The distance between two rows.
        apart : float from 0 to 0.9, default=0.1
            Share of the rows that scaling and medians are fitted on, and that nothing is compared with; 0 fits
            them on all rows, and nothing is proved.
        scale : {'standard', 'minmax', 'none'} or None, default=None
            How columns are scaled (by default minmax for relevance vector machines, none for the metrics cosine
            and precomputed, else standard)
        label_conditional : bool, default=False
            Compare with rows of the assumed class only, so that regions miss each class with probability at
            most eps, if its rows are exchangeable; hold-outs and folds are then stratified.
        smoothed : bool, default=False
            Settle ties at random: regions miss with probability eps, if rows are exchangeable.
        random_state : int, default=0
            Of all random choices.
        weights : str, int or callable, default=None
            A column (name or position) or a function of X whose values are known weights above 0: how much
            likelier a row is among new rows than among those compared with, times any constant. P-values then
            hold for new rows, if these differ from the others by their weights alone. A column of weights is no
            feature.
        missing : {'error', 'drop', 'impute'}, default='error'
            What becomes of missing values: an error, their rows are dropped in `fit`, or they are imputed
            (median, most frequent level)
        unseen : {'error', 'missing', 'other'}, default='error'
            What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing value
            (with `missing='impute'`), or none of the texts.
        n_jobs : int or None, default=None
            Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use,
            which is what -1 takes. Results do not depend on it.
        verbose : int, default=0
            1 shows the progress of long calls.
        """
        self.measure = measure
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.apart = apart
        self.scale = scale
        self.label_conditional = label_conditional
        self.smoothed = smoothed
        self.random_state = random_state
        self.weights = weights
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose


class FullConformalSVCArguments:
    """Of FullConformalSVC."""

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Literal["rbf", "linear", "polynomial", "sigmoid", "laplacian", "precomputed"] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        gamma: float | str = "scale",
        sigma: float | None = None,
        tol: float = 0.001,
        max_steps: int = 0,
        apart: float = 0.1,
        scale: Literal["standard", "minmax", "none"] | None = None,
        label_conditional: bool = False,
        smoothed: bool = False,
        random_state: Any = 0,
        weights: str | int | Callable[[Any], Any] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        unseen: Literal["error", "missing", "other"] = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        C : float above 0, default=1.0
            Cost of errors.
        kernel : {'rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'}, default='rbf'
            The kernel function.
        degree : int from 1 to 1000, default=3
            Degree of the polynomial kernel.
        coef0 : float, default=0.0
            Constant of the polynomial and sigmoid kernels.
        gamma : float or str, default='scale'
            Kernel width: a number, or the word scale = 1/(d var), auto = 1/d, median (distance)
        sigma : float or None, default=None
            Width of the rbf kernel: gamma = 1/(2 sigma^2)
        tol : float above 0, default=0.001
            The solver stops where the KKT conditions hold this closely.
        max_steps : int, default=0
            SMO steps of one solve; 0 means the larger of 10^7 and 100 n.
        apart : float from 0 to 0.9, default=0.1
            Share of the rows that scaling and medians are fitted on, and that nothing is compared with; 0 fits
            them on all rows, and nothing is proved.
        scale : {'standard', 'minmax', 'none'} or None, default=None
            How columns are scaled (by default minmax for relevance vector machines, none for the metrics cosine
            and precomputed, else standard)
        label_conditional : bool, default=False
            Compare with rows of the assumed class only, so that regions miss each class with probability at
            most eps, if its rows are exchangeable; hold-outs and folds are then stratified.
        smoothed : bool, default=False
            Settle ties at random: regions miss with probability eps, if rows are exchangeable.
        random_state : int, default=0
            Of all random choices.
        weights : str, int or callable, default=None
            A column (name or position) or a function of X whose values are known weights above 0: how much
            likelier a row is among new rows than among those compared with, times any constant. P-values then
            hold for new rows, if these differ from the others by their weights alone. A column of weights is no
            feature.
        missing : {'error', 'drop', 'impute'}, default='error'
            What becomes of missing values: an error, their rows are dropped in `fit`, or they are imputed
            (median, most frequent level)
        unseen : {'error', 'missing', 'other'}, default='error'
            What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing value
            (with `missing='impute'`), or none of the texts.
        n_jobs : int or None, default=None
            Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use,
            which is what -1 takes. Results do not depend on it.
        verbose : int, default=0
            1 shows the progress of long calls.
        """
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma
        self.sigma = sigma
        self.tol = tol
        self.max_steps = max_steps
        self.apart = apart
        self.scale = scale
        self.label_conditional = label_conditional
        self.smoothed = smoothed
        self.random_state = random_state
        self.weights = weights
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose


class SplitConformalClassifierArguments:
    """Of SplitConformalClassifier."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        calibration_size: float | None = 0.25,
        prefit: bool = False,
        response_method: str = "auto",
        label_conditional: bool = False,
        categories: str | int | Callable[[Any], Any] | None = None,
        weights: str | int | Callable[[Any], Any] | None = None,
        smoothed: bool = False,
        random_state: Any = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        estimator : classifier, default=None
            Anything with ``predict_proba`` or ``decision_function``; None stands for :class:`credence.SVC`.
        calibration_size : float or None, default=0.25
            Share of the rows that ``fit`` keeps from training and conformalizes on; None leaves that to
            `conformalize`.
        prefit : bool, default=False
            Whether the estimator is fitted already; `conformalize` is then all that is called.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            What says how well a class fits; strangeness is minus the score, as "lac" of MAPIE and "hinge" of
            crepes.
        label_conditional : bool, default=False
            Compare with rows of the assumed class only, so that regions miss each class with probability at
            most eps, if its rows are exchangeable; hold-outs and folds are then stratified.
        categories : str, int or callable, default=None
            A column (name or position) or a function of X whose values are categories: a row is compared with
            those of its category (Mondrian). A set then misses with probability at most 1 - c in each category,
            on average over the rows compared with, if the rows of the category are exchangeable.
        weights : str, int or callable, default=None
            A column (name or position) or a function of X whose values are known weights above 0: how much
            likelier a row is among new rows than among those compared with, times any constant. P-values then
            hold for new rows, if these differ from the others by their weights alone.
        smoothed : bool, default=False
            Settle ties at random: regions miss with probability eps, if rows are exchangeable.
        random_state : int, default=0
            Of all random choices.
        """
        self.estimator = estimator
        self.calibration_size = calibration_size
        self.prefit = prefit
        self.response_method = response_method
        self.label_conditional = label_conditional
        self.categories = categories
        self.weights = weights
        self.smoothed = smoothed
        self.random_state = random_state


class CrossConformalClassifierArguments:
    """Of CrossConformalClassifier."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = 5,
        response_method: str = "auto",
        label_conditional: bool = False,
        weights: str | int | Callable[[Any], Any] | None = None,
        smoothed: bool = False,
        random_state: Any = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        estimator : classifier, default=None
            Anything with ``predict_proba`` or ``decision_function``; None stands for :class:`credence.SVC`.
        cv : int, splitter or iterable, default=5
            Folds: parts that do not overlap.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            What says how well a class fits; strangeness is minus the score, as "lac" of MAPIE and "hinge" of
            crepes.
        label_conditional : bool, default=False
            Compare with rows of the assumed class only, so that regions miss each class with probability at
            most eps, if its rows are exchangeable; hold-outs and folds are then stratified.
        weights : str, int or callable, default=None
            A column (name or position) or a function of X whose values are known weights above 0: how much
            likelier a row is among new rows than among those compared with, times any constant. P-values then
            hold for new rows, if these differ from the others by their weights alone.
        smoothed : bool, default=False
            Settle ties at random: regions miss with probability eps, if rows are exchangeable.
        random_state : int, default=0
            Of all random choices.
        """
        self.estimator = estimator
        self.cv = cv
        self.response_method = response_method
        self.label_conditional = label_conditional
        self.weights = weights
        self.smoothed = smoothed
        self.random_state = random_state


class SplitConformalRegressorArguments:
    """Of SplitConformalRegressor."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        difficulty: Any = None,
        calibration_size: float | None = 0.25,
        prefit: bool = False,
        categories: str | int | Callable[[Any], Any] | None = None,
        weights: str | int | Callable[[Any], Any] | None = None,
        beta: float = 1e-06,
        smoothed: bool = False,
        random_state: Any = 0,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        estimator : regressor, default=None
            Any regressor; None stands for :class:`credence.RVR`.
        difficulty : regressor, default=None
            A regressor that is trained on the absolute residuals of the training rows, left out fold by fold:
            intervals are then wide where it expects large residuals. None gives all intervals one width.
        calibration_size : float or None, default=0.25
            Share of the rows that ``fit`` keeps from training and conformalizes on; None leaves that to
            `conformalize`.
        prefit : bool, default=False
            Whether the estimator is fitted already; `conformalize` is then all that is called.
        categories : str, int or callable, default=None
            A column (name or position) or a function of X whose values are categories: a row is compared with
            those of its category (Mondrian). A set then misses with probability at most 1 - c in each category,
            on average over the rows compared with, if the rows of the category are exchangeable.
        weights : str, int or callable, default=None
            A column (name or position) or a function of X whose values are known weights above 0: how much
            likelier a row is among new rows than among those compared with, times any constant. P-values then
            hold for new rows, if these differ from the others by their weights alone.
        beta : float above 0, default=1e-06
            Added to each difficulty.
        smoothed : bool, default=False
            Settle ties at random: regions miss with probability eps, if rows are exchangeable.
        random_state : int, default=0
            Of all random choices.
        """
        self.estimator = estimator
        self.difficulty = difficulty
        self.calibration_size = calibration_size
        self.prefit = prefit
        self.categories = categories
        self.weights = weights
        self.beta = beta
        self.smoothed = smoothed
        self.random_state = random_state


class OnlineConformalClassifierArguments:
    """Of OnlineConformalClassifier."""

    def __init__(
        self,
        *,
        n_neighbors: int = 1,
        metric: Literal["euclidean", "manhattan", "cosine", "precomputed"] = "euclidean",
        measure: str = "nn-ratio",
        label_conditional: bool = False,
        smoothed: bool = True,
        random_state: Any = 0,
        weights: Any = None,
    ) -> None:
        """Keep the arguments.

        Parameters
        ----------
        n_neighbors : int at least 1, default=1
            Nearest neighbours that are looked at.
        metric : {'euclidean', 'manhattan', 'cosine', 'precomputed'}, default='euclidean'
            The distance between two rows.
        measure : {'nn-ratio', 'nn-own'}, default='nn-ratio'
            The strangeness of a row: the ratio of its distances to the nearest rows of its own class and of the
            others, or the distance to those of its own class.
        label_conditional : bool, default=False
            Compare with rows of the assumed class only, so that regions miss each class with probability at
            most eps, if its rows are exchangeable; hold-outs and folds are then stratified.
        smoothed : bool, default=True
            Settle ties at random: regions miss with probability eps, if rows are exchangeable.
        random_state : int, default=0
            Of all random choices.
        weights : None, default=None
            On-line, no known weight of a row stays true; ``fit`` says what weighs rows.
        """
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.measure = measure
        self.label_conditional = label_conditional
        self.smoothed = smoothed
        self.random_state = random_state
        self.weights = weights
