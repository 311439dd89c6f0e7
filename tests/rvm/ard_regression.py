"""Fits scikit-learn's ARDRegression to given basis functions: ard_regression.py FOLDER...

Each folder has phi.csv (rows x basis functions) and targets.csv, and gets result.json. No intercept (a bias is one of
the columns) and no hyperpriors, so that what is maximised is the evidence.
"""

import inspect
import json
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from sklearn.linear_model import ARDRegression  # noqa: E402


def fit(folder):
    phi = np.loadtxt(os.path.join(folder, "phi.csv"), delimiter=",", ndmin=2)
    targets = np.loadtxt(os.path.join(folder, "targets.csv"), ndmin=1)
    # Version 1.3 renamed n_iter.
    limit = "max_iter" if "max_iter" in inspect.signature(ARDRegression).parameters else "n_iter"
    model = ARDRegression(alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, threshold_lambda=1e9, fit_intercept=False,
                          tol=1e-8, **{limit: 5000})
    model.fit(phi, targets)
    kept = np.flatnonzero(model.lambda_ < 1e9)
    result = {
        "columns": kept.tolist(),
        "weights": model.coef_[kept].tolist(),
        "alpha": model.lambda_[kept].tolist(),
        "noise_variance": 1 / float(model.alpha_),
        "variances": np.diag(model.sigma_).tolist(),
    }
    with open(os.path.join(folder, "result.json"), "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        fit(name)
