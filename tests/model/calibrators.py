"""Calibrates margins with scikit-learn: calibrators.py PROBLEM.json RESULT.json

The problem is a list of objects with margins, labels and queries; the result has for each of them what scikit-learn's
sigmoid and isotonic regression say at the queries.
"""

import json
import sys

import numpy as np
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression


def calibrated(problem):
    margins = np.array(problem["margins"])
    labels = np.array(problem["labels"])
    queries = np.array(problem["queries"])
    return {
        "sigmoid": _SigmoidCalibration().fit(margins, labels).predict(queries).tolist(),
        "isotonic": IsotonicRegression(out_of_bounds="clip").fit(margins, labels).predict(queries).tolist(),
    }


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        problems = json.load(file)
    with open(sys.argv[2], "w") as file:
        json.dump([calibrated(problem) for problem in problems], file)
