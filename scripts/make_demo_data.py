"""Writes data/breast_cancer.csv from the copy that scikit-learn distributes.

Needs scikit-learn:  python3 scripts/make_demo_data.py data/breast_cancer.csv
The digits of every value are those of the distributed file; only the header and the class names are added.
"""

import csv
import sys
from pathlib import Path

import sklearn.datasets
from sklearn.datasets import load_breast_cancer


def main(target: str) -> None:
    """Write the file, and check each value and label against the loaded copy."""
    bunch = load_breast_cancer()
    source = Path(sklearn.datasets.__file__).parent / "data" / "breast_cancer.csv"
    rows = list(csv.reader(source.open(newline="")))[1:]
    assert len(rows) == len(bunch.data)

    with open(target, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([name.replace(" ", "_") for name in bunch.feature_names] + ["diagnosis"])
        for cells, values, label in zip(rows, bunch.data, bunch.target, strict=True):
            assert [float(cell) for cell in cells[:-1]] == list(values) and int(cells[-1]) == label
            writer.writerow([*cells[:-1], bunch.target_names[label]])


if __name__ == "__main__":
    main(sys.argv[1])
