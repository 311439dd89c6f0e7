"""Signatures that are made of the descriptions of the C++ options; written by scripts/python_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

class SVCArguments:
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed']
    """The kernel function."""
    degree: int
    """Degree of the polynomial kernel."""
    coef0: float
    """Constant of the polynomial and sigmoid kernels."""
    gamma: float | str
    """Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)"""
    sigma: float | str | None
    """Widths of rbf kernels: gamma = 1/(2 sigma^2)"""
    C: float | str
    """Costs of errors."""
    nu: float | str | None
    """Nu-SVCs with these nu instead of C."""
    class_weight: Any
    """Balanced, or factors on C: name:w,name:w; the errors by which cv, loo and holdout choose count by them too."""
    tol: float
    """The solver stops where the KKT conditions hold this closely."""
    max_steps: int
    """SMO steps of one solve; 0 means the larger of 10^7 and 100 n."""
    scale: Literal['standard', 'minmax', 'none'] | None
    """How columns are scaled (by default minmax where relevance vector machines take part, none for a precomputed kernel, else standard)"""
    random_state: Any
    """Of all random choices."""
    cells: int | bool | None
    """SVMs in regions of the feature space of so many rows."""
    cv: Any
    """Folds by which rows are left out once more (their number, a splitter, or an iterable of pairs (train, test)), so that the model keeps scores of rows that it had not seen: p-values, intervals and probabilities are made of them. None keeps none."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most frequent level)"""
    unseen: Literal['error', 'missing', 'other']
    """What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with `missing='impute'`), or none of the texts."""
    n_jobs: int | None
    """Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which is what -1 takes. Results do not depend on it."""
    verbose: int
    """1 shows the progress of long calls."""
    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] = 'rbf',
        degree: int = 3,
        coef0: float = 0.0,
        gamma: float | str = 'scale',
        sigma: float | str | None = None,
        C: float | str = 1.0,
        nu: float | str | None = None,
        class_weight: Any = None,
        tol: float = 1e-09,
        max_steps: int = 0,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        random_state: Any = 0,
        cells: int | bool | None = None,
        cv: Any = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        unseen: Literal['error', 'missing', 'other'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class SVCSearchCVArguments:
    method: Any
    """How to choose (cv: the cell with the smallest cross-validation error; nonconformity: all models; for each row the one that is surest of it; max_margin: all models; for each row the one with the largest margin; holdout: the cell with the smallest error on rows held out once; holdout_vote: the vote of all models with the smallest error on rows held out once; kfold_nested: cross-validation that chooses within cross-validation that judges, with bounds on the error; loo: the cell with the smallest leave-one-out error; rademacher: the norm with the smallest bound by Rademacher complexity, from the training rows alone; maximal_discrepancy: the norm with the smallest bound by maximal discrepancy, from the training rows alone; bootstrap: the cell with the smallest error on rows that bootstrap samples leave out; kernel_validity: the kernel whose relevance vector machine is likely and stays so when its centres move; evidence: the kernel whose relevance vector machine has the largest evidence; regions: cross-validation in each region of the feature space)"""
    model: Any
    """The kind of models to choose from: svm (support vector machines), knn (nearest neighbours), rvm (relevance vector machines)"""
    loss: Literal['hard', 'soft'] | None
    """The loss by which a cell is chosen; None stands for 'hard'."""
    scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None
    """The score by which a cell is chosen and judged; roc_auc and f1 are of two classes, the second of which is positive, and log_loss is of models with probabilities and of SVMs of two classes; None stands for 'accuracy'."""
    rule: Literal['best', 'one_se'] | None
    """Which cell is chosen: the best one, or the most regularised one within a standard error of the best; None stands for 'best'."""
    race: Literal['auto', 'yes', 'no'] | bool | None
    """Judge the cells on growing subsets of the rows, and drop most of those that are more than two standard errors worse than the best; auto races where the exact grid would cost more than 2e11 updates, which are some minutes; None stands for 'auto'."""
    region_rows: int | None
    """Rows in a region of the feature space: every region has a choice and SVMs of its own, so that the cost grows like the rows; None stands for 2000."""
    cells: int | bool | None
    """The method regions, with so many rows in a region."""
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None
    """The kernel function; None stands for 'rbf'."""
    degree: int | None
    """Degree of the polynomial kernel; None stands for 3."""
    coef0: float | None
    """Constant of the polynomial and sigmoid kernels; None stands for 0.0."""
    gamma: float | str | Sequence[float | str] | None
    """Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)"""
    sigma: float | str | Sequence[float | str] | None
    """Widths of rbf kernels: gamma = 1/(2 sigma^2)"""
    C: float | str | Sequence[float | str] | None
    """Costs of errors."""
    nu: float | str | Sequence[float | str] | None
    """Nu-SVCs with these nu instead of C."""
    class_weight: Any
    """Balanced, or factors on C: name:w,name:w; the errors by which cv, loo and holdout choose count by them too."""
    tol: float | None
    """The solver stops where the KKT conditions hold this closely; None stands for 0.001."""
    max_steps: int | None
    """SMO steps of one solve; 0 means the larger of 10^7 and 100 n; None stands for 0."""
    give_up: int | None
    """SMO steps for each training row that all C of one gamma and fold may take before larger C are given up, where they do clearly worse than a smaller one or meet the step limit; 0 means never (by default 10 above 5000 rows, else 0)"""
    validation: int | None
    """Rows held out (by default a fifth of up to 500 rows, but at most 50, and a tenth of more, but at most 10000)"""
    tie: Literal['validation_error', 'random', 'vote'] | None
    """Which of the tied models decides; random is the paper's; None stands for 'validation_error'."""
    p_value: Literal['paper', 'conformal'] | None
    """P-values as in the paper, or conformal ones; None stands for 'paper'."""
    margin: Literal['functional', 'geometric'] | None
    """The margin that is compared; None stands for 'functional'."""
    refit: Literal['all', 'training'] | None
    """Train the chosen cell on all rows, or keep the model that was judged; None stands for 'all'."""
    final: Literal['retrained', 'random'] | None
    """What is handed over: the chosen cell retrained on all rows, or one of the resamples' classifiers, drawn at random for each row, which the bounds are about; None stands for 'retrained'."""
    union: bool | None
    """The bounds hold for all cells or resamples at once: delta is divided; None stands for False."""
    hint: float | None
    """Share of the rows that train a first classifier, around which the others search."""
    trials: int | None
    """Label vectors (by default 4000 / rows, at least 30)"""
    all_rhos: bool | None
    """Go on where no larger rho can win; None stands for False."""
    enumerate: bool | None
    """Exact minima, for at most 14 rows (the default up to 8 rows)"""
    peel: bool | None
    """Minimise by giving up one row at a time; None stands for False."""
    bias: bool | None
    """Classifiers have a bias; None stands for True."""
    term: Literal['exact', 'trials'] | None
    """The confidence term: as in the paper's tables, or one that allows for the error of the mean over trials; None stands for 'exact'."""
    rho: float | str | Sequence[float | str] | None
    """Limits of |w|^2."""
    resamples: int | None
    """Bootstrap samples; None stands for 50."""
    bootstrap: Literal['oob', '632', '632+'] | None
    """The error of a cell: out of bag, or one of the 0.632 rules; None stands for 'oob'."""
    nested: bool | None
    """A second sample in each sample chooses, and the rows out of bag only judge; None stands for False."""
    literal: bool | None
    """The index as the paper prints it; None stands for False."""
    cap: bool | None
    """The ranges of the features limit the index; None stands for True."""
    null_margin: float | None
    """A kernel may win only if its log evidence is above that of the bias alone by this; None stands for 0.5."""
    guard: bool | None
    """Only kernels above the null model may win; None stands for True."""
    algorithm: Literal['batch', 'sequential'] | None
    """How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null model; None stands for 'batch'."""
    starts: int | None
    """Starts of the batch algorithm; the fit with the largest evidence is kept; None stands for 1."""
    noise_variance: float | None
    """Fixed variance of the noise of a regression."""
    noise: float | None
    """Fixed standard deviation of the noise of a regression."""
    centres: int | None
    """Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)"""
    further: int | None
    """Widths that may be added beyond an end of the list at which the best lies (by default 6 beyond the default list, else none)"""
    k: float | str | Sequence[float | str] | None
    """Numbers of nearest neighbours."""
    scale: Literal['standard', 'minmax', 'none'] | None
    """How columns are scaled (by default minmax where relevance vector machines take part, none for a precomputed kernel, else standard)"""
    scale_scope: Literal['fold', 'all'] | None
    """The rows that the scaling is fitted on: those of each resample, or all (the default of loo)"""
    estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None
    """The honest error beside the selected score: bootstrap correction, nested cross-validation, rows held out, or none (by default bbc; holdout from 20000 rows on, with regions from five times their rows on, for methods that train the chosen cell on all rows)"""
    estimate_samples: int | None
    """Samples of the bootstrap correction; None stands for 1000."""
    delta: float | None
    """Bounds and intervals hold with probability 1 - delta; None stands for 0.05."""
    random_state: Any
    """Of all random choices."""
    cv: Any
    """Folds of the rows: their number (drawn by the seed, stratified by class), a splitter of scikit-learn, or an iterable of pairs (train, test). None takes the method's own number."""
    time_limit: Any
    """Seconds after which the fit ends, with a warning: the best setting of those judged by then is trained on all rows where that fits into the time; TimeoutError where no setting was judged."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most frequent level)"""
    unseen: Literal['error', 'missing', 'other']
    """What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with `missing='impute'`), or none of the texts."""
    n_jobs: int | None
    """Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which is what -1 takes. Results do not depend on it."""
    verbose: int
    """1 shows the progress of long calls."""
    def __init__(
        self,
        *,
        method: Any = 'cv',
        model: Any = 'svm',
        loss: Literal['hard', 'soft'] | None = None,
        scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None = None,
        rule: Literal['best', 'one_se'] | None = None,
        race: Literal['auto', 'yes', 'no'] | bool | None = None,
        region_rows: int | None = None,
        cells: int | bool | None = None,
        kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None = None,
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
        validation: int | None = None,
        tie: Literal['validation_error', 'random', 'vote'] | None = None,
        p_value: Literal['paper', 'conformal'] | None = None,
        margin: Literal['functional', 'geometric'] | None = None,
        refit: Literal['all', 'training'] | None = None,
        final: Literal['retrained', 'random'] | None = None,
        union: bool | None = None,
        hint: float | None = None,
        trials: int | None = None,
        all_rhos: bool | None = None,
        enumerate: bool | None = None,
        peel: bool | None = None,
        bias: bool | None = None,
        term: Literal['exact', 'trials'] | None = None,
        rho: float | str | Sequence[float | str] | None = None,
        resamples: int | None = None,
        bootstrap: Literal['oob', '632', '632+'] | None = None,
        nested: bool | None = None,
        literal: bool | None = None,
        cap: bool | None = None,
        null_margin: float | None = None,
        guard: bool | None = None,
        algorithm: Literal['batch', 'sequential'] | None = None,
        starts: int | None = None,
        noise_variance: float | None = None,
        noise: float | None = None,
        centres: int | None = None,
        further: int | None = None,
        k: float | str | Sequence[float | str] | None = None,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        scale_scope: Literal['fold', 'all'] | None = None,
        estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None = None,
        estimate_samples: int | None = None,
        delta: float | None = None,
        random_state: Any = 0,
        cv: Any = None,
        time_limit: Any = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        unseen: Literal['error', 'missing', 'other'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class RVCArguments:
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed']
    """The kernel function."""
    degree: int
    """Degree of the polynomial kernel."""
    coef0: float
    """Constant of the polynomial and sigmoid kernels."""
    gamma: float | str
    """Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)"""
    sigma: float | str | None
    """Widths of rbf kernels: gamma = 1/(2 sigma^2)"""
    algorithm: Literal['batch', 'sequential']
    """How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null model."""
    starts: int
    """Starts of the batch algorithm; the fit with the largest evidence is kept."""
    centres: int | None
    """Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)"""
    scale: Literal['standard', 'minmax', 'none'] | None
    """How columns are scaled (by default minmax where relevance vector machines take part, none for a precomputed kernel, else standard)"""
    random_state: Any
    """Of all random choices."""
    literal: bool
    """The index as the paper prints it."""
    cap: bool
    """The ranges of the features limit the index."""
    cv: Any
    """Folds by which rows are left out once more (their number, a splitter, or an iterable of pairs (train, test)), so that the model keeps scores of rows that it had not seen: p-values, intervals and probabilities are made of them. None keeps none."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most frequent level)"""
    unseen: Literal['error', 'missing', 'other']
    """What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with `missing='impute'`), or none of the texts."""
    n_jobs: int | None
    """Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which is what -1 takes. Results do not depend on it."""
    verbose: int
    """1 shows the progress of long calls."""
    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] = 'rbf',
        degree: int = 3,
        coef0: float = 0.0,
        gamma: float | str = 'scale',
        sigma: float | str | None = None,
        algorithm: Literal['batch', 'sequential'] = 'batch',
        starts: int = 1,
        centres: int | None = None,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        random_state: Any = 0,
        literal: bool = False,
        cap: bool = True,
        cv: Any = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        unseen: Literal['error', 'missing', 'other'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class RVRArguments:
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed']
    """The kernel function."""
    degree: int
    """Degree of the polynomial kernel."""
    coef0: float
    """Constant of the polynomial and sigmoid kernels."""
    gamma: float | str
    """Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)"""
    sigma: float | str | None
    """Widths of rbf kernels: gamma = 1/(2 sigma^2)"""
    algorithm: Literal['batch', 'sequential']
    """How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null model."""
    starts: int
    """Starts of the batch algorithm; the fit with the largest evidence is kept."""
    noise_variance: float | None
    """Fixed variance of the noise of a regression."""
    noise: float | None
    """Fixed standard deviation of the noise of a regression."""
    centres: int | None
    """Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)"""
    scale: Literal['standard', 'minmax', 'none'] | None
    """How columns are scaled (by default minmax where relevance vector machines take part, none for a precomputed kernel, else standard)"""
    random_state: Any
    """Of all random choices."""
    literal: bool
    """The index as the paper prints it."""
    cap: bool
    """The ranges of the features limit the index."""
    cv: Any
    """Folds by which rows are left out once more (their number, a splitter, or an iterable of pairs (train, test)), so that the model keeps scores of rows that it had not seen: p-values, intervals and probabilities are made of them. None keeps none."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most frequent level)"""
    unseen: Literal['error', 'missing', 'other']
    """What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with `missing='impute'`), or none of the texts."""
    n_jobs: int | None
    """Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which is what -1 takes. Results do not depend on it."""
    verbose: int
    """1 shows the progress of long calls."""
    def __init__(
        self,
        *,
        kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] = 'rbf',
        degree: int = 3,
        coef0: float = 0.0,
        gamma: float | str = 'scale',
        sigma: float | str | None = None,
        algorithm: Literal['batch', 'sequential'] = 'batch',
        starts: int = 1,
        noise_variance: float | None = None,
        noise: float | None = None,
        centres: int | None = None,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        random_state: Any = 0,
        literal: bool = False,
        cap: bool = True,
        cv: Any = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        unseen: Literal['error', 'missing', 'other'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class KernelValiditySearchArguments:
    method: Any
    """How to choose (kernel_validity: the kernel whose relevance vector machine is likely and stays so when its centres move; evidence: the kernel whose relevance vector machine has the largest evidence; cv: the cell with the smallest cross-validation error)"""
    literal: bool | None
    """The index as the paper prints it; None stands for False."""
    cap: bool | None
    """The ranges of the features limit the index; None stands for True."""
    null_margin: float | None
    """A kernel may win only if its log evidence is above that of the bias alone by this; None stands for 0.5."""
    guard: bool | None
    """Only kernels above the null model may win; None stands for True."""
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None
    """The kernel function; None stands for 'rbf'."""
    degree: int | None
    """Degree of the polynomial kernel; None stands for 3."""
    coef0: float | None
    """Constant of the polynomial and sigmoid kernels; None stands for 0.0."""
    gamma: float | str | Sequence[float | str] | None
    """Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)"""
    sigma: float | str | Sequence[float | str] | None
    """Widths of rbf kernels: gamma = 1/(2 sigma^2)"""
    algorithm: Literal['batch', 'sequential'] | None
    """How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null model; None stands for 'batch'."""
    starts: int | None
    """Starts of the batch algorithm; the fit with the largest evidence is kept; None stands for 1."""
    noise_variance: float | None
    """Fixed variance of the noise of a regression."""
    noise: float | None
    """Fixed standard deviation of the noise of a regression."""
    centres: int | None
    """Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)"""
    further: int | None
    """Widths that may be added beyond an end of the list at which the best lies (by default 6 beyond the default list, else none)"""
    loss: Literal['hard', 'soft'] | None
    """The loss by which a cell is chosen; None stands for 'hard'."""
    scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None
    """The score by which a cell is chosen and judged; roc_auc and f1 are of two classes, the second of which is positive, and log_loss is of models with probabilities and of SVMs of two classes; None stands for 'accuracy'."""
    rule: Literal['best', 'one_se'] | None
    """Which cell is chosen: the best one, or the most regularised one within a standard error of the best; None stands for 'best'."""
    race: Literal['auto', 'yes', 'no'] | bool | None
    """Judge the cells on growing subsets of the rows, and drop most of those that are more than two standard errors worse than the best; auto races where the exact grid would cost more than 2e11 updates, which are some minutes; None stands for 'auto'."""
    scale: Literal['standard', 'minmax', 'none'] | None
    """How columns are scaled (by default minmax where relevance vector machines take part, none for a precomputed kernel, else standard)"""
    scale_scope: Literal['fold', 'all'] | None
    """The rows that the scaling is fitted on: those of each resample, or all (the default of loo)"""
    estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None
    """The honest error beside the selected score: bootstrap correction, nested cross-validation, rows held out, or none (by default bbc; holdout from 20000 rows on, with regions from five times their rows on, for methods that train the chosen cell on all rows)"""
    estimate_samples: int | None
    """Samples of the bootstrap correction; None stands for 1000."""
    delta: float | None
    """Bounds and intervals hold with probability 1 - delta; None stands for 0.05."""
    random_state: Any
    """Of all random choices."""
    cv: Any
    """Folds of the rows: their number (drawn by the seed, stratified by class), a splitter of scikit-learn, or an iterable of pairs (train, test). None takes the method's own number."""
    time_limit: Any
    """Seconds after which the fit ends, with a warning: the best setting of those judged by then is trained on all rows where that fits into the time; TimeoutError where no setting was judged."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most frequent level)"""
    unseen: Literal['error', 'missing', 'other']
    """What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with `missing='impute'`), or none of the texts."""
    n_jobs: int | None
    """Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which is what -1 takes. Results do not depend on it."""
    verbose: int
    """1 shows the progress of long calls."""
    def __init__(
        self,
        *,
        method: Any = 'kernel_validity',
        literal: bool | None = None,
        cap: bool | None = None,
        null_margin: float | None = None,
        guard: bool | None = None,
        kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None = None,
        degree: int | None = None,
        coef0: float | None = None,
        gamma: float | str | Sequence[float | str] | None = None,
        sigma: float | str | Sequence[float | str] | None = None,
        algorithm: Literal['batch', 'sequential'] | None = None,
        starts: int | None = None,
        noise_variance: float | None = None,
        noise: float | None = None,
        centres: int | None = None,
        further: int | None = None,
        loss: Literal['hard', 'soft'] | None = None,
        scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None = None,
        rule: Literal['best', 'one_se'] | None = None,
        race: Literal['auto', 'yes', 'no'] | bool | None = None,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        scale_scope: Literal['fold', 'all'] | None = None,
        estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None = None,
        estimate_samples: int | None = None,
        delta: float | None = None,
        random_state: Any = 0,
        cv: Any = None,
        time_limit: Any = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        unseen: Literal['error', 'missing', 'other'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class KernelValiditySearchRegressorArguments:
    method: Any
    """How to choose (kernel_validity: the kernel whose relevance vector machine is likely and stays so when its centres move; evidence: the kernel whose relevance vector machine has the largest evidence; cv: the cell with the smallest cross-validation error)"""
    literal: bool | None
    """The index as the paper prints it; None stands for False."""
    cap: bool | None
    """The ranges of the features limit the index; None stands for True."""
    null_margin: float | None
    """A kernel may win only if its log evidence is above that of the bias alone by this; None stands for 0.5."""
    guard: bool | None
    """Only kernels above the null model may win; None stands for True."""
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None
    """The kernel function; None stands for 'rbf'."""
    degree: int | None
    """Degree of the polynomial kernel; None stands for 3."""
    coef0: float | None
    """Constant of the polynomial and sigmoid kernels; None stands for 0.0."""
    gamma: float | str | Sequence[float | str] | None
    """Kernel widths: numbers, or the words scale = 1/(d var), auto = 1/d, median (distance)"""
    sigma: float | str | Sequence[float | str] | None
    """Widths of rbf kernels: gamma = 1/(2 sigma^2)"""
    algorithm: Literal['batch', 'sequential'] | None
    """How relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null model; None stands for 'batch'."""
    starts: int | None
    """Starts of the batch algorithm; the fit with the largest evidence is kept; None stands for 1."""
    noise_variance: float | None
    """Fixed variance of the noise of a regression."""
    noise: float | None
    """Fixed standard deviation of the noise of a regression."""
    centres: int | None
    """Rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)"""
    further: int | None
    """Widths that may be added beyond an end of the list at which the best lies (by default 6 beyond the default list, else none)"""
    loss: Literal['hard', 'soft'] | None
    """The loss by which a cell is chosen; None stands for 'hard'."""
    scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None
    """The score by which a cell is chosen and judged; roc_auc and f1 are of two classes, the second of which is positive, and log_loss is of models with probabilities and of SVMs of two classes; None stands for 'accuracy'."""
    rule: Literal['best', 'one_se'] | None
    """Which cell is chosen: the best one, or the most regularised one within a standard error of the best; None stands for 'best'."""
    race: Literal['auto', 'yes', 'no'] | bool | None
    """Judge the cells on growing subsets of the rows, and drop most of those that are more than two standard errors worse than the best; auto races where the exact grid would cost more than 2e11 updates, which are some minutes; None stands for 'auto'."""
    scale: Literal['standard', 'minmax', 'none'] | None
    """How columns are scaled (by default minmax where relevance vector machines take part, none for a precomputed kernel, else standard)"""
    scale_scope: Literal['fold', 'all'] | None
    """The rows that the scaling is fitted on: those of each resample, or all (the default of loo)"""
    estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None
    """The honest error beside the selected score: bootstrap correction, nested cross-validation, rows held out, or none (by default bbc; holdout from 20000 rows on, with regions from five times their rows on, for methods that train the chosen cell on all rows)"""
    estimate_samples: int | None
    """Samples of the bootstrap correction; None stands for 1000."""
    delta: float | None
    """Bounds and intervals hold with probability 1 - delta; None stands for 0.05."""
    random_state: Any
    """Of all random choices."""
    cv: Any
    """Folds of the rows: their number (drawn by the seed, stratified by class), a splitter of scikit-learn, or an iterable of pairs (train, test). None takes the method's own number."""
    time_limit: Any
    """Seconds after which the fit ends, with a warning: the best setting of those judged by then is trained on all rows where that fits into the time; TimeoutError where no setting was judged."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most frequent level)"""
    unseen: Literal['error', 'missing', 'other']
    """What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with `missing='impute'`), or none of the texts."""
    n_jobs: int | None
    """Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which is what -1 takes. Results do not depend on it."""
    verbose: int
    """1 shows the progress of long calls."""
    def __init__(
        self,
        *,
        method: Any = 'kernel_validity',
        literal: bool | None = None,
        cap: bool | None = None,
        null_margin: float | None = None,
        guard: bool | None = None,
        kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None = None,
        degree: int | None = None,
        coef0: float | None = None,
        gamma: float | str | Sequence[float | str] | None = None,
        sigma: float | str | Sequence[float | str] | None = None,
        algorithm: Literal['batch', 'sequential'] | None = None,
        starts: int | None = None,
        noise_variance: float | None = None,
        noise: float | None = None,
        centres: int | None = None,
        further: int | None = None,
        loss: Literal['hard', 'soft'] | None = None,
        scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None = None,
        rule: Literal['best', 'one_se'] | None = None,
        race: Literal['auto', 'yes', 'no'] | bool | None = None,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        scale_scope: Literal['fold', 'all'] | None = None,
        estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None = None,
        estimate_samples: int | None = None,
        delta: float | None = None,
        random_state: Any = 0,
        cv: Any = None,
        time_limit: Any = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        unseen: Literal['error', 'missing', 'other'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class FullConformalKNeighborsClassifierArguments:
    measure: str
    """The strangeness of a row: the ratio of its distances to the nearest rows of its own class and of the others, or the distance to those of its own class."""
    n_neighbors: int
    """Nearest neighbours that are looked at."""
    metric: Literal['euclidean', 'manhattan', 'cosine', 'precomputed']
    """The distance between two rows."""
    apart: float
    """Share of the rows that scaling and medians are fitted on, and that nothing is compared with; 0 fits them on all rows, and nothing is proved."""
    scale: Literal['standard', 'minmax', 'none'] | None
    """How columns are scaled (by default minmax for relevance vector machines, none for the metrics cosine and precomputed, else standard)"""
    label_conditional: bool
    """Compare with rows of the assumed class only, so that errors are below eps in each class; hold-outs and folds are then stratified."""
    smoothed: bool
    """Settle ties at random: errors are exactly eps."""
    random_state: Any
    """Of all random choices."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most frequent level)"""
    unseen: Literal['error', 'missing', 'other']
    """What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with `missing='impute'`), or none of the texts."""
    n_jobs: int | None
    """Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which is what -1 takes. Results do not depend on it."""
    verbose: int
    """1 shows the progress of long calls."""
    def __init__(
        self,
        *,
        measure: str = 'nn-ratio',
        n_neighbors: int = 1,
        metric: Literal['euclidean', 'manhattan', 'cosine', 'precomputed'] = 'euclidean',
        apart: float = 0.1,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        label_conditional: bool = False,
        smoothed: bool = False,
        random_state: Any = 0,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        unseen: Literal['error', 'missing', 'other'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class FullConformalSVCArguments:
    C: float
    """Cost of errors."""
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed']
    """The kernel function."""
    degree: int
    """Degree of the polynomial kernel."""
    coef0: float
    """Constant of the polynomial and sigmoid kernels."""
    gamma: float | str
    """Kernel width: a number, or the word scale = 1/(d var), auto = 1/d, median (distance)"""
    sigma: float | None
    """Width of the rbf kernel: gamma = 1/(2 sigma^2)"""
    tol: float
    """The solver stops where the KKT conditions hold this closely."""
    max_steps: int
    """SMO steps of one solve; 0 means the larger of 10^7 and 100 n."""
    apart: float
    """Share of the rows that scaling and medians are fitted on, and that nothing is compared with; 0 fits them on all rows, and nothing is proved."""
    scale: Literal['standard', 'minmax', 'none'] | None
    """How columns are scaled (by default minmax for relevance vector machines, none for the metrics cosine and precomputed, else standard)"""
    label_conditional: bool
    """Compare with rows of the assumed class only, so that errors are below eps in each class; hold-outs and folds are then stratified."""
    smoothed: bool
    """Settle ties at random: errors are exactly eps."""
    random_state: Any
    """Of all random choices."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most frequent level)"""
    unseen: Literal['error', 'missing', 'other']
    """What a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with `missing='impute'`), or none of the texts."""
    n_jobs: int | None
    """Threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which is what -1 takes. Results do not depend on it."""
    verbose: int
    """1 shows the progress of long calls."""
    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] = 'rbf',
        degree: int = 3,
        coef0: float = 0.0,
        gamma: float | str = 'scale',
        sigma: float | None = None,
        tol: float = 0.001,
        max_steps: int = 0,
        apart: float = 0.1,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        label_conditional: bool = False,
        smoothed: bool = False,
        random_state: Any = 0,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        unseen: Literal['error', 'missing', 'other'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class ReadArguments:
    format: Literal['auto', 'csv', 'svmlight']
    """Csv or svmlight text; auto goes by the name and the content."""
    delimiter: str
    """Between the cells of a CSV row: one character, tab, or auto, which finds a comma, semicolon or tab."""
    decimal: Literal['auto', 'point', 'comma']
    """What numbers of a CSV file have before their fraction; auto finds commas where they do not part cells."""
    header: Literal['auto', 'yes', 'no']
    """Whether the first row of a CSV file names the columns."""
    encoding: Literal['utf-8', 'latin1']
    """How letters beyond ASCII are written; latin1 is also what Windows calls 1252."""
    task: Literal['classification', 'regression']
    """Whether the label is a class or a number."""
    label: str | None
    """Column of the label, its name or position; otherwise label, target, class or y, else the last column."""
    missing: Literal['error', 'drop', 'impute']
    """What becomes of cells that are empty, NA, ? or nan: an error, drop the row, or impute (median, most frequent level)"""
    categorical: Sequence[str] | None
    """A column of numbers that are names; may be repeated, or name several: A,B."""
    drop: Sequence[str] | None
    """A column to leave out, of row numbers for example; may be repeated, or name several: A,B; CSV only."""
    def __init__(
        self,
        *,
        format: Literal['auto', 'csv', 'svmlight'] = 'auto',
        delimiter: str = 'auto',
        decimal: Literal['auto', 'point', 'comma'] = 'auto',
        header: Literal['auto', 'yes', 'no'] = 'auto',
        encoding: Literal['utf-8', 'latin1'] = 'utf-8',
        task: Literal['classification', 'regression'] = 'classification',
        label: str | None = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        categorical: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
    ) -> None: ...
