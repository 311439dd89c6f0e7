"""The checks of scikit-learn that an estimator of this package fails by its nature, each with the reason.

The key is a class and what has to be set for the exception: a parameter, a method of selection, or NAME=None.
"""

import credence

WEIGHTED_CALIBRATION = (
    "probabilities are made of scores of rows left out, and a weighted row has one such score, where its copies would "
    "have several, in other folds perhaps"
)
NO_FOLDS = "the check gives folds (cv=...), and this method does not hold out folds, so it refuses them by name"
NO_WEIGHTS = "the bound is one of rows that count alike, so the method refuses sample weights"
NO_CLASS_WEIGHTS = "the check sets class_weight, which a method that limits the norm does not look at"
NU_TOO_LARGE = "class weights make one class so light that no nu-SVC with this nu exists"
NU_WITHOUT_MARGIN = "the rows are noise, and a nu-SVC with so small a nu has no margin between such classes"
VOTES = (
    "the votes of the machines tie in a few rows; predict takes the first class, as scikit-learn's SVC with "
    "break_ties=False, and decision_function adds the margins"
)

WEIGHT_EQUIVALENCE = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
WEIGHTS = ("check_sample_weights_list", "check_sample_weights_not_overwritten")

EXPECTED_FAILED_CHECKS = {
    (credence.SVC, "cv"): dict.fromkeys(WEIGHT_EQUIVALENCE, WEIGHTED_CALIBRATION),
    (credence.SVC, "nu"): {
        "check_class_weight_classifiers": NU_TOO_LARGE,
        "check_estimator_sparse_tag": NU_WITHOUT_MARGIN,
        "check_estimator_sparse_array": NU_WITHOUT_MARGIN,
        "check_estimator_sparse_matrix": NU_WITHOUT_MARGIN,
        "check_classifiers_train": VOTES,
    },
    (credence.SearchCV, "cv"): dict.fromkeys(WEIGHT_EQUIVALENCE, WEIGHTED_CALIBRATION),
    (credence.SVCSearchCV, "cv"): dict.fromkeys(WEIGHT_EQUIVALENCE, WEIGHTED_CALIBRATION),
    (credence.SVCSearchCV, "nested"): dict.fromkeys(WEIGHT_EQUIVALENCE, WEIGHTED_CALIBRATION),
    **{
        (credence.SVCSearchCV, method): dict.fromkeys(WEIGHT_EQUIVALENCE, NO_FOLDS)
        for method in ("holdout", "holdout_vote", "nonconformity", "max_margin", "loo", "bootstrap")
    },
    **{
        (credence.SVCSearchCV, method): {
            **dict.fromkeys(WEIGHT_EQUIVALENCE, NO_FOLDS),
            **dict.fromkeys(WEIGHTS, NO_WEIGHTS),
            "check_class_weight_classifiers": NO_CLASS_WEIGHTS,
        }
        for method in ("rademacher", "maximal_discrepancy")
    },
}


def expected_failed_checks(estimator):
    """Return the exceptions of an estimator, as ``check_estimator`` and ``parametrize_with_checks`` take them."""
    parameters = estimator.get_params(deep=False)
    is_set = {f"{name}=None" if value is None else name for name, value in parameters.items()}
    is_set.add(parameters.get("method"))
    found = {}
    for (kind, wanted), checks in EXPECTED_FAILED_CHECKS.items():
        if type(estimator) is kind and wanted in is_set:
            found.update(checks)
    return found
