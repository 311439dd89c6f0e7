"""Signatures that are made of the descriptions of the C++ options; written by scripts/python_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

class SVCArguments:
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed']
    degree: int
    coef0: float
    gamma: float | str
    sigma: float | str | None
    C: float | str
    nu: float | str | None
    class_weight: Any
    tol: float
    max_steps: int
    scale: Literal['standard', 'minmax', 'none'] | None
    random_state: Any
    cells: int | bool | None
    cv: Any
    missing: Literal['error', 'drop', 'impute']
    n_jobs: int | None
    verbose: int
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
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class SVCSearchCVArguments:
    method: Any
    model: Any
    loss: Literal['hard', 'soft'] | None
    scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None
    rule: Literal['best', 'one_se'] | None
    race: Literal['auto', 'yes', 'no'] | bool | None
    cells: int | bool | None
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None
    degree: int | None
    coef0: float | None
    gamma: float | str | Sequence[float | str] | None
    sigma: float | str | Sequence[float | str] | None
    C: float | str | Sequence[float | str] | None
    nu: float | str | Sequence[float | str] | None
    class_weight: Any
    tol: float | None
    max_steps: int | None
    give_up: int | None
    validation: int | None
    tie: Literal['validation_error', 'random', 'vote'] | None
    p_value: Literal['paper', 'conformal'] | None
    margin: Literal['functional', 'geometric'] | None
    refit: Literal['all', 'training'] | None
    final: Literal['retrained', 'random'] | None
    union: bool | None
    hint: float | None
    trials: int | None
    all_rhos: bool | None
    enumerate: bool | None
    peel: bool | None
    bias: bool | None
    term: Literal['exact', 'trials'] | None
    rho: float | str | Sequence[float | str] | None
    resamples: int | None
    bootstrap: Literal['oob', '632', '632+'] | None
    nested: bool | None
    literal: bool | None
    cap: bool | None
    null_margin: float | None
    guard: bool | None
    algorithm: Literal['batch', 'sequential'] | None
    starts: int | None
    noise_variance: float | None
    noise: float | None
    centres: int | None
    further: int | None
    k: float | str | Sequence[float | str] | None
    scale: Literal['standard', 'minmax', 'none'] | None
    scale_scope: Literal['fold', 'all'] | None
    estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None
    estimate_samples: int | None
    delta: float | None
    random_state: Any
    cv: Any
    time_limit: Any
    missing: Literal['error', 'drop', 'impute']
    n_jobs: int | None
    verbose: int
    def __init__(
        self,
        *,
        method: Any = 'cv',
        model: Any = 'svm',
        loss: Literal['hard', 'soft'] | None = None,
        scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None = None,
        rule: Literal['best', 'one_se'] | None = None,
        race: Literal['auto', 'yes', 'no'] | bool | None = None,
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
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class RVCArguments:
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed']
    degree: int
    coef0: float
    gamma: float | str
    sigma: float | str | None
    algorithm: Literal['batch', 'sequential']
    starts: int
    centres: int | None
    scale: Literal['standard', 'minmax', 'none'] | None
    random_state: Any
    literal: bool
    cap: bool
    cv: Any
    missing: Literal['error', 'drop', 'impute']
    n_jobs: int | None
    verbose: int
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
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class RVRArguments:
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed']
    degree: int
    coef0: float
    gamma: float | str
    sigma: float | str | None
    algorithm: Literal['batch', 'sequential']
    starts: int
    noise_variance: float | None
    noise: float | None
    centres: int | None
    scale: Literal['standard', 'minmax', 'none'] | None
    random_state: Any
    literal: bool
    cap: bool
    cv: Any
    missing: Literal['error', 'drop', 'impute']
    n_jobs: int | None
    verbose: int
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
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class KernelValiditySearchArguments:
    method: Any
    literal: bool | None
    cap: bool | None
    null_margin: float | None
    guard: bool | None
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None
    degree: int | None
    coef0: float | None
    gamma: float | str | Sequence[float | str] | None
    sigma: float | str | Sequence[float | str] | None
    algorithm: Literal['batch', 'sequential'] | None
    starts: int | None
    noise_variance: float | None
    noise: float | None
    centres: int | None
    further: int | None
    loss: Literal['hard', 'soft'] | None
    scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None
    rule: Literal['best', 'one_se'] | None
    race: Literal['auto', 'yes', 'no'] | bool | None
    cells: int | bool | None
    scale: Literal['standard', 'minmax', 'none'] | None
    scale_scope: Literal['fold', 'all'] | None
    estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None
    estimate_samples: int | None
    delta: float | None
    random_state: Any
    cv: Any
    time_limit: Any
    missing: Literal['error', 'drop', 'impute']
    n_jobs: int | None
    verbose: int
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
        cells: int | bool | None = None,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        scale_scope: Literal['fold', 'all'] | None = None,
        estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None = None,
        estimate_samples: int | None = None,
        delta: float | None = None,
        random_state: Any = 0,
        cv: Any = None,
        time_limit: Any = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class KernelValiditySearchRegressorArguments:
    method: Any
    literal: bool | None
    cap: bool | None
    null_margin: float | None
    guard: bool | None
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed'] | None
    degree: int | None
    coef0: float | None
    gamma: float | str | Sequence[float | str] | None
    sigma: float | str | Sequence[float | str] | None
    algorithm: Literal['batch', 'sequential'] | None
    starts: int | None
    noise_variance: float | None
    noise: float | None
    centres: int | None
    further: int | None
    loss: Literal['hard', 'soft'] | None
    scoring: Literal['accuracy', 'balanced_accuracy', 'roc_auc', 'f1', 'f1_macro', 'log_loss'] | None
    rule: Literal['best', 'one_se'] | None
    race: Literal['auto', 'yes', 'no'] | bool | None
    cells: int | bool | None
    scale: Literal['standard', 'minmax', 'none'] | None
    scale_scope: Literal['fold', 'all'] | None
    estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None
    estimate_samples: int | None
    delta: float | None
    random_state: Any
    cv: Any
    time_limit: Any
    missing: Literal['error', 'drop', 'impute']
    n_jobs: int | None
    verbose: int
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
        cells: int | bool | None = None,
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        scale_scope: Literal['fold', 'all'] | None = None,
        estimate: Literal['bbc', 'nested', 'holdout', 'none'] | None = None,
        estimate_samples: int | None = None,
        delta: float | None = None,
        random_state: Any = 0,
        cv: Any = None,
        time_limit: Any = None,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class FullConformalKNeighborsClassifierArguments:
    measure: str
    n_neighbors: int
    metric: Literal['euclidean', 'manhattan', 'cosine', 'precomputed']
    scale: Literal['standard', 'minmax', 'none'] | None
    label_conditional: bool
    smoothed: bool
    random_state: Any
    missing: Literal['error', 'drop', 'impute']
    n_jobs: int | None
    verbose: int
    def __init__(
        self,
        *,
        measure: str = 'nn-ratio',
        n_neighbors: int = 1,
        metric: Literal['euclidean', 'manhattan', 'cosine', 'precomputed'] = 'euclidean',
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        label_conditional: bool = False,
        smoothed: bool = False,
        random_state: Any = 0,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class FullConformalSVCArguments:
    C: float
    kernel: Literal['rbf', 'linear', 'polynomial', 'sigmoid', 'laplacian', 'precomputed']
    degree: int
    coef0: float
    gamma: float | str
    sigma: float | None
    tol: float
    max_steps: int
    scale: Literal['standard', 'minmax', 'none'] | None
    label_conditional: bool
    smoothed: bool
    random_state: Any
    missing: Literal['error', 'drop', 'impute']
    n_jobs: int | None
    verbose: int
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
        scale: Literal['standard', 'minmax', 'none'] | None = None,
        label_conditional: bool = False,
        smoothed: bool = False,
        random_state: Any = 0,
        missing: Literal['error', 'drop', 'impute'] = 'error',
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...
