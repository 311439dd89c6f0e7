import csv
import json
import struct
import zlib

import credence
import numpy as np
import pytest
from credence import RVC, RVR, SVC, RVRSearchCV, SearchCV, SVCSearchCV
from sklearn.base import clone

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

GRID = {"C": [1, 10], "gamma": [0.01, 0.1]}
GRID_FLAGS = ["--C", "1,10", "--gamma", "0.01,0.1"]
SVM_FLAGS = ["--scale", "standard", "--rule", "best", *GRID_FLAGS]  # SVCSearchCV, which chooses one SVM
LIBSVM_FLAGS = ["--kernel", "rbf", "--gamma", "2^-15:2^3:x4", "--C", "2^-5:2^15:x4", *SVM_FLAGS[:4]]
MODELS = {
    "select as it comes": (["select", "--seed", "3"], SearchCV(random_state=3)),
    "select best": (["select", "--rule", "best", "--folds", "4"], SearchCV(rule="best", cv=4)),
    "select lists": (
        ["select", "--kernel", "linear,laplacian", "--scale", "minmax,quantile", *GRID_FLAGS],
        SearchCV(kernel=["linear", "laplacian"], scale=["minmax", "quantile"], **GRID),
    ),
    "select one svm": (["select", *LIBSVM_FLAGS], SVCSearchCV()),
    "select": (["select", *SVM_FLAGS, "--seed", "3"], SVCSearchCV(**GRID, random_state=3)),
    "select folds": (["select", *SVM_FLAGS, "--folds", "4"], SVCSearchCV(**GRID, cv=4)),
    "select nonconformity": (
        ["select", *GRID_FLAGS, "--method", "nonconformity"],
        SVCSearchCV(**GRID, method="nonconformity"),
    ),
    "select max-margin": (["select", *GRID_FLAGS, "--method", "max-margin"], SVCSearchCV(**GRID, method="max_margin")),
    "select holdout": (["select", *GRID_FLAGS, "--method", "holdout"], SVCSearchCV(**GRID, method="holdout")),
    "select bootstrap": (
        ["select", *GRID_FLAGS, "--method", "bootstrap", "--resamples", "5"],
        SVCSearchCV(**GRID, method="bootstrap", resamples=5),
    ),
    "select score": (["select", *SVM_FLAGS, "--score", "f1_macro"], SVCSearchCV(**GRID, scoring="f1_macro")),
    "select one_se": (
        ["select", *GRID_FLAGS, "--scale", "standard", "--rule", "one_se"],
        SVCSearchCV(**GRID, rule="one_se"),
    ),
    "select average": (["select", *GRID_FLAGS, "--scale", "standard"], SVCSearchCV(**GRID, rule="average")),
    "train": (["train", "--C", "10", "--folds", "5", "--tolerance", "1e-9"], SVC(C=10, cv=5)),
    "train nu": (["train", "--nu", "0.1", "--tolerance", "1e-6"], SVC(nu=0.1, tol=1e-6)),
    "train weights": (
        ["train", "--class-weight", "benign:1,malignant:3", "--tolerance", "1e-9"],
        SVC(class_weight={"benign": 1, "malignant": 3}),
    ),
    "rvm": (["train", "--model", "rvm", "--sigma", "1"], RVC(sigma=1)),
    "kernel-validity": (
        ["select", "--method", "kernel-validity", "--sigma", "0.5,1"],
        SearchCV(method="kernel_validity", model="rvm", sigma=[0.5, 1]),
    ),
}


@pytest.fixture(scope="module")
def cancer(tmp_path_factory):
    """Return a file and the frame of every third row in it."""
    X, y = credence.datasets.load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X[::3].reset_index(drop=True), y[::3].reset_index(drop=True)
    path = tmp_path_factory.mktemp("cancer") / "cancer.csv"
    pd.concat([X, y], axis=1).to_csv(path, index=False)
    return path, X, y


def bytes_without_file(path, data):
    """Return the bytes of a model of the command as if its rows had come from memory, which has no name of a file."""
    model = path.read_bytes()
    named = b"ddata" + bytes([0x60 + len(data)]) + data.encode()  # a key and a value of CBOR
    assert model.count(named) == 1
    document = model[24:].replace(named, b"ddata\x60")
    return model[:12] + struct.pack("<QI", len(document), zlib.crc32(document)) + document


def frames(X, y):
    yield "pandas", X, y
    yield "polars", pl.from_pandas(X), pl.Series(y.name, y.tolist())
    yield "pyarrow", pa.Table.from_pandas(X), y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_same_bytes(command, cancer, tmp_path, name):
    path, X, y = cancer
    (verb, *flags), estimator = MODELS[name]
    command(verb, path, "-o", tmp_path / "command.credence", *flags)
    wanted = bytes_without_file(tmp_path / "command.credence", path.name)
    for library, rows, labels in frames(X, y):
        estimator.fit(rows, labels).save(tmp_path / "python.credence")
        assert (tmp_path / "python.credence").read_bytes() == wanted, library


@pytest.mark.filterwarnings("ignore")
def test_same_bytes_with_any_number_of_threads(cancer, tmp_path):
    _, X, y = cancer
    written = []
    for threads in (1, 2, 3):
        SVCSearchCV(**GRID, n_jobs=threads).fit(X, y).save(tmp_path / "model")
        written.append((tmp_path / "model").read_bytes())
    assert written[0] == written[1] == written[2]


def test_regression(command, tmp_path):
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X, y = X[:120], y[:120].rename("y")
    path = tmp_path / "diabetes.csv"
    pd.concat([X, y], axis=1).to_csv(path, index=False)
    cases = [
        (["train", "--sigma", "1", "--folds", "3"], RVR(sigma=1, cv=3)),
        (
            ["select", "--method", "kernel-validity", "--sigma", "0.5,1"],
            RVRSearchCV(sigma=[0.5, 1]),
        ),
    ]
    for (verb, *flags), estimator in cases:
        command(verb, path, "--task", "regression", "-o", tmp_path / "command.credence", *flags)
        wanted = bytes_without_file(tmp_path / "command.credence", path.name)
        for library, rows, targets in frames(X, y):
            estimator.fit(rows, targets).save(tmp_path / "python.credence")
            assert (tmp_path / "python.credence").read_bytes() == wanted, (verb, library)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Return a file and a frame with categorical columns and missing values."""
    rng = np.random.default_rng(0)
    n = 150
    y = pd.Series(np.where(rng.random(n) < 0.5, "ill", "well"), name="state")
    shift = (y == "ill").to_numpy()
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n) + 8 * shift,
            "dose": rng.integers(0, 9, n).astype(float),
            "town": rng.choice(["Bern", "Basel", "Chur"], n),
            "grade": np.where(shift, rng.choice(["a", "b"], n), rng.choice(["b", "c"], n)),
        }
    )
    X.loc[rng.choice(n, 10, replace=False), "age"] = np.nan
    X.loc[rng.choice(n, 10, replace=False), "town"] = None
    path = tmp_path_factory.mktemp("mixed") / "mixed.csv"
    pd.concat([X, y], axis=1).to_csv(path, index=False)
    return path, X, y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("missing", ["impute", "drop"])
def test_categorical_columns_and_missing_cells(command, mixed, tmp_path, missing):
    path, X, y = mixed
    flags = ["--C", "10", "--folds", "3", "--tolerance", "1e-9", "--missing", missing]
    command("train", path, "-o", tmp_path / "command.credence", *flags)
    wanted = bytes_without_file(tmp_path / "command.credence", path.name)
    as_category = X.astype({"town": "category", "grade": "category"})
    for library, rows, labels in [*frames(X, y), ("category", as_category, y)]:
        machine = SVC(C=10, cv=3, missing=missing).fit(rows, labels)
        machine.save(tmp_path / "python.credence")
        assert (tmp_path / "python.credence").read_bytes() == wanted, library
    assert machine.score(X.dropna(), y[X.notna().all(axis=1)]) > 0.7


def predictions_of(command, model, path, out):
    command("predict", model, path, "-o", out)
    with open(out, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["select", "select as it comes", "select nonconformity", "train", "rvm"])
def test_python_loads_what_the_command_saved(command, cancer, tmp_path, name):
    path, X, y = cancer
    (verb, *flags), _ = MODELS[name]
    model = tmp_path / "command.credence"
    command(verb, path, "-o", model, *flags)
    loaded = credence.load(model)
    rows = predictions_of(command, model, path, tmp_path / "out.csv")
    label = next(column for column in rows[0] if "label" in column or column == "diagnosis")
    assert loaded.classes_.tolist() == ["benign", "malignant"]
    assert loaded.feature_names_in_.tolist() == X.columns.tolist()
    assert loaded.predict(X).tolist() == [row[label] for row in rows]
    decision = next((column for column in rows[0] if column.startswith("decision")), None)
    if decision is not None:
        assert np.allclose(loaded.decision_function(X), [float(row[decision]) for row in rows], rtol=1e-5, atol=1e-6)
    assert loaded.score(X, y) > 0.9


@pytest.mark.parametrize(
    "estimator", [SVC(C=10, gamma=0.01, cv=3), SVCSearchCV(**GRID), SearchCV(), RVC(sigma=1)], ids=str
)
def test_the_command_predicts_with_what_python_saved(command, cancer, tmp_path, estimator):
    path, X, y = cancer
    estimator.fit(X, y).save(tmp_path / "python.credence")
    rows = predictions_of(command, tmp_path / "python.credence", path, tmp_path / "out.csv")
    label = next(column for column in rows[0] if "label" in column or column == "diagnosis")
    assert estimator.predict(X).tolist() == [row[label] for row in rows]


@pytest.mark.parametrize(
    ("flags", "search"), [(SVM_FLAGS, SVCSearchCV(**GRID)), ([], SearchCV())], ids=["one", "default"]
)
def test_result_is_the_commands_json(command, cancer, tmp_path, flags, search):
    path, X, y = cancer
    command("select", path, *flags, "--json", tmp_path / "result.json")
    wanted = json.loads((tmp_path / "result.json").read_text())
    search = clone(search).fit(X, y)
    for result in (search.result_, wanted):
        del result["honest"]["seconds"]
    for key in (
        "method",
        "best",
        "runner_up",
        "average",
        "honest",
        "n",
        "features",
        "classes",
        "resamples",
        "seed",
        "options",
    ):
        assert search.result_[key] == wanted[key], key
    assert [setting["error"] for setting in search.result_["grid"]] == [setting["error"] for setting in wanted["grid"]]


def test_weights(command, cancer, tmp_path):
    _, X, y = cancer
    weight = np.random.default_rng(0).integers(1, 4, len(y)) / 2
    path = tmp_path / "weighted.csv"
    pd.concat([X, pd.Series(weight, name="w"), y], axis=1).to_csv(path, index=False)
    command("train", path, "--weights", "w", "--tolerance", "1e-9", "-o", tmp_path / "command.credence")
    machine, loaded = SVC().fit(X, y, sample_weight=weight), credence.load(tmp_path / "command.credence")
    assert np.array_equal(machine.decision_function(X), loaded.decision_function(X))
