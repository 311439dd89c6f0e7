import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from credence import RVC, RVR, SVC, OnlineConformalClassifier, SVCSearchCV
from credence._data import rows_of


@pytest.fixture(scope="module")
def fitted(breast_cancer):
    X, y = breast_cancer
    X, y = X[:150], y[:150]
    return X, y, SVC(C=10, gamma=0.01).fit(X, y)


def strided(X):
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, ::3] = X
    return wide[::2, ::3]


def mapped(X):
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"credence_{os.getpid()}.npy")
    np.save(path, X)
    rows = np.load(path, mmap_mode="r")
    os.unlink(path)
    assert not rows.flags.writeable
    return rows


SAME_NUMBERS = {
    "fortran": np.asfortranarray,
    "list": lambda X: X.tolist(),
    "strided": strided,
    "reversed": lambda X: X[::-1].copy()[::-1],
    "memory map": mapped,
    "big endian": lambda X: X.astype(">f8"),
    "object": lambda X: X.astype(object),
    "csr array": sp.csr_array,
    "csr matrix": sp.csr_matrix,
    "csc array": sp.csc_array,
    "coo array": sp.coo_array,
    "long double": lambda X: X.astype(np.longdouble),
}


@pytest.mark.parametrize("change", SAME_NUMBERS.values(), ids=SAME_NUMBERS)
def test_same_numbers_in_another_form(fitted, change):
    X, y, machine = fitted
    same = change(X)
    again = SVC(C=10, gamma=0.01).fit(same, y)
    assert np.allclose(again.decision_function(same), machine.decision_function(X), atol=1e-9)
    assert np.array_equal(machine.predict(same), machine.predict(X))
    assert np.array_equal(again.predict(X), machine.predict(X))


def test_float32_rows_are_their_float64_values(fitted):
    X, y, _ = fitted
    small = X.astype(np.float32)
    first, second = SVC().fit(small, y), SVC().fit(small.astype(np.float64), y)
    assert np.array_equal(first.decision_function(small), second.decision_function(small.astype(np.float64)))


def test_integer_rows(fitted):
    X, y, _ = fitted
    whole = (X * 10).astype(np.int64)
    assert np.array_equal(SVC().fit(whole, y).predict(whole), SVC().fit(whole.astype(float), y).predict(whole))


def untidy(X):
    """Return a CSR array with unsorted columns, duplicates that add up, and stored zeros."""
    tidy = sp.csr_array(X)
    indptr, indices, data = [0], [], []
    for i in range(tidy.shape[0]):
        for j, value in reversed([*zip(range(X.shape[1]), X[i], strict=True)]):
            indices += [j, j]
            data += [value / 2, value / 2]
        indptr.append(len(data))
    return sp.csr_array((data, indices, indptr), shape=X.shape)


def test_untidy_sparse_rows_are_neither_misread_nor_changed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12)) * (rng.random((80, 12)) < 0.4)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    rows = untidy(X)
    before = rows.data.copy(), rows.indices.copy(), rows.indptr.copy()
    machine = SVC(scale="none", gamma=0.1).fit(rows, y)
    dense = SVC(scale="none", gamma=0.1).fit(X, y)
    assert np.allclose(machine.decision_function(rows), dense.decision_function(X), atol=1e-9)
    assert all(np.array_equal(a, b) for a, b in zip(before, (rows.data, rows.indices, rows.indptr), strict=True))


def test_sparse_and_dense_searches_agree():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 10)) * (rng.random((90, 10)) < 0.5)
    y = (X[:, 0] + 0.5 * rng.normal(size=90) > 0).astype(int)
    grid = {"C": [1, 10], "gamma": [0.1, 1], "cv": 3}
    dense, sparse = SVCSearchCV(**grid).fit(X, y), SVCSearchCV(**grid).fit(sp.csr_array(X), y)
    assert np.array_equal(dense.cv_results_["mean_test_score"], sparse.cv_results_["mean_test_score"])
    assert np.array_equal(dense.predict(X), sparse.predict(sp.csr_array(X)))


def test_64_bit_indices():
    X = sp.random_array((60, 20), density=0.3, rng=0, format="csr")
    wide = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    y = np.arange(60) % 2
    assert np.array_equal(SVC().fit(X, y).decision_function(X), SVC().fit(wide, y).decision_function(wide))


def frames(data):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    return {"pandas": pd.DataFrame(data), "polars": pl.DataFrame(data), "pyarrow": pa.table(data)}


LIBRARIES = ["pandas", "polars", "pyarrow"]


def named(library, X):
    return frames({f"column {j}": X[:, j] for j in range(X.shape[1])})[library]


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_are_their_numbers(fitted, library):
    X, y, machine = fitted
    frame = frames({f"column {j}": X[:, j] for j in range(X.shape[1])})[library]
    again = SVC(C=10, gamma=0.01).fit(frame, y)
    assert np.array_equal(again.decision_function(frame), machine.decision_function(X))


@pytest.mark.parametrize("library", LIBRARIES)
def test_names_of_columns_are_kept_and_their_order_is_checked(request, fitted, library):
    X, y, _ = fitted
    frame = named(library, X)
    names = [f"column {j}" for j in range(X.shape[1])]
    machine = SVC().fit(frame, y)
    turned = frame[names[::-1]] if library == "pandas" else frame.select(names[::-1])
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(turned)
    assert machine.feature_names_in_.tolist() == names


def test_labels_as_series(fitted):
    X, y, machine = fitted
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for labels in (pd.Series(y), pd.Series(y, dtype="category"), pl.Series(y.tolist()), pa.chunked_array([y.tolist()])):
        again = SVC(C=10, gamma=0.01).fit(X, labels)
        assert again.classes_.tolist() == machine.classes_.tolist()
        assert np.array_equal(again.predict(X), machine.predict(X))


MIXED = {
    "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    "colour": ["red", "red", "blue", "blue", "red", "green", "green", "blue"],
    "sold": [True, False, True, True, False, False, True, False],
}
MIXED_LABELS = ["a", "b", "a", "a", "b", "b", "a", "b"]


def test_text_and_bool_columns():
    for library, frame in frames(MIXED).items():
        machine = SVC(C=100).fit(frame, MIXED_LABELS)
        assert machine.predict(frame).tolist() == MIXED_LABELS, library


def test_levels_unknown_at_prediction_have_no_level():
    pd = pytest.importorskip("pandas")
    machine = SVC(C=100).fit(pd.DataFrame(MIXED), MIXED_LABELS)
    new = pd.DataFrame({**MIXED, "colour": ["violet"] * 8})
    try:
        assert set(machine.predict(new)) <= {"a", "b"}
    except ValueError as problem:
        assert "violet" in str(problem) and "colour" in str(problem)


def test_levels_do_not_depend_on_the_order_of_rows_nor_on_absent_ones():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(MIXED)
    machine = SVC(C=100).fit(frame, MIXED_LABELS)
    as_category = frame.astype({"colour": pd.CategoricalDtype(["green", "unused", "red", "blue"])})
    assert np.array_equal(machine.decision_function(as_category), machine.decision_function(frame))
    again = SVC(C=100).fit(as_category, MIXED_LABELS)
    assert np.allclose(again.decision_function(frame), machine.decision_function(frame), atol=1e-12)
    one_row = frame.iloc[[2]]
    assert machine.decision_function(one_row)[0] == pytest.approx(machine.decision_function(frame)[2], abs=1e-12)


def test_object_columns_of_numbers_are_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(MIXED)
    as_object = frame.astype({"size": object})
    machine = SVC(C=100).fit(frame, MIXED_LABELS)
    again = SVC(C=100).fit(as_object, MIXED_LABELS)
    assert np.array_equal(again.decision_function(as_object), machine.decision_function(frame))


def test_columns_with_numbers_as_names(fitted):
    pd = pytest.importorskip("pandas")
    X, y, machine = fitted
    again = SVC(C=10, gamma=0.01).fit(pd.DataFrame(X), y)
    assert not hasattr(again, "feature_names_in_")
    assert np.array_equal(again.decision_function(pd.DataFrame(X)), machine.decision_function(X))


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_cells_of_frames(library):
    data = {**MIXED, "size": [1.0, None, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "colour": [None, *MIXED["colour"][1:]]}
    frame = frames(data)[library]
    with pytest.raises(ValueError, match=r"'(size|colour)' is missing"):
        SVC().fit(frame, MIXED_LABELS)
    imputed = SVC(missing="impute").fit(frame, MIXED_LABELS)
    assert len(imputed.predict(frame)) == 8
    dropped = SVC(missing="drop").fit(frame, MIXED_LABELS)
    assert dropped.support_.min() >= 2
    whole = frames({name: column[2:] for name, column in MIXED.items()})[library]
    assert np.allclose(
        dropped.decision_function(whole), SVC().fit(whole, MIXED_LABELS[2:]).decision_function(whole), atol=1e-9
    )
    with pytest.raises(ValueError, match="missing"):
        dropped.predict(frame)


def test_missing_cells_of_arrays(fitted):
    X, y, _ = fitted
    holes = X.copy()
    holes[3, 2] = holes[7, 5] = np.nan
    sentence = r"^Input X contains NaN: column 2 is missing in row 3, counted from 0; "
    for rows in (holes, sp.csr_array(holes), holes.tolist()):
        with pytest.raises(ValueError, match=sentence + r"missing='impute' fills missing values, missing='drop' leaves"):
            SVC().fit(rows, y)
        with pytest.raises(ValueError, match=sentence + r"a model that is fitted with missing='impute' fills"):
            SVC().fit(X, y).predict(rows)
        with pytest.raises(ValueError, match=sentence + "fill the cell, or leave the row out"):
            OnlineConformalClassifier().fit(rows, y)
    keep = np.setdiff1d(np.arange(len(y)), [3, 7])
    dropped = SVC(missing="drop").fit(holes, y)
    assert np.allclose(dropped.decision_function(X), SVC().fit(X[keep], y[keep]).decision_function(X), atol=1e-9)
    filled = holes.copy()
    filled[3, 2], filled[7, 5] = np.nanmedian(holes[:, 2]), np.nanmedian(holes[:, 5])
    imputed = SVC(missing="impute").fit(holes, y)
    assert np.allclose(imputed.decision_function(holes), SVC().fit(filled, y).decision_function(filled), atol=1e-9)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_huge_cells_are_no_missing_ones():
    """The sum of these cells is infinite or no number."""
    X = np.array([[1e308, 1e308], [-1e308, -1e308]] * 4)
    for rows in (X, np.abs(X), sp.csr_array(X)):
        assert rows_of(SVC(), rows, reset=True).rows == 8


GOOD = np.arange(40.0).reshape(20, 2)
TWO = np.arange(20) % 2
BAD = {
    "ragged": ([[1.0, 2.0], [3.0]], [0, 1], "inhomogeneous|sequence"),
    "text": (np.array([["a", "b"]] * 20), TWO, "convert"),
    "NaN": (np.full((20, 2), np.nan), TWO, "NaN"),
    "infinity": (np.full((20, 2), np.inf), TWO, "infinity"),
    "one class": (GOOD, np.zeros(20), "class"),
    "no rows": (np.empty((0, 2)), [], "0 sample"),
    "no columns": (np.empty((20, 0)), TWO, "0 feature"),
    "one row": (GOOD[:1], [1], "minimum of 2|1 sample"),
    "lengths": (GOOD, TWO[:5], "inconsistent"),
    "one dimension": (np.arange(20.0), TWO, "2D array"),
    "three dimensions": (np.zeros((20, 2, 2)), TWO, "dim 3|3 dim"),
    "no labels": (GOOD, None, "requires y"),
    "real labels": (GOOD, np.linspace(0, 1, 20), "[Uu]nknown label type|continuous"),
    "NaN labels": (GOOD, np.full(20, np.nan), "NaN"),
    "complex": (GOOD.astype(complex), TWO, "[Cc]omplex"),
    "sparse NaN": (sp.csr_array(np.full((20, 2), np.nan)), TWO, "NaN"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("estimator", [SVC(), SVCSearchCV(C=[1], gamma=[1], cv=2), RVC()], ids=["SVC", "Search", "RVC"])
def test_bad_rows_and_labels(case, estimator):
    X, y, sentence = BAD[case]
    with pytest.raises(ValueError, match=sentence):
        estimator.fit(X, y)


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (SVC(C=0), r"\bC\b.*above 0"),
        (SVC(C=-1), r"\bC\b.*above 0"),
        (SVC(C=float("nan")), r"\bC\b.*finite"),
        (SVC(C="many"), r"\bC\b.*number"),
        (SVC(C=[1, 2]), r"\bC\b.*one value"),
        (SVC(gamma=0), r"\bgamma\b.*above 0"),
        (SVC(gamma="wide"), r"\bgamma\b"),
        (SVC(nu=1.5), r"\bnu\b.*at most 1"),
        (SVC(tol=0), r"\btol\b.*above 0"),
        (SVC(kernel="cubic"), r"\bkernel\b.*rbf"),
        (SVC(degree=2.5), r"\bdegree\b.*whole"),
        (SVC(scale="log"), r"\bscale\b.*minmax"),
        (SVC(cv=1), r"\bcv\b.*at least 2"),
        (SVC(cv=21), r"21 folds.*20"),
        (SVC(class_weight={"x": 2}), r"class 'x'"),
        (SVC(class_weight={0: -1, 1: 1}), r"weight"),
        (SVC(missing="guess"), r"guess"),
        (SVC(n_jobs=0), r"n_jobs"),
        (SVC(random_state=-1), r"\brandom_state\b"),
        (SVCSearchCV(C=[]), r"\bC\b"),
        (SVCSearchCV(C=[1, -1]), r"\bC\b.*above 0"),
        (SVCSearchCV(cv=21), r"21 folds.*20"),
        (SVCSearchCV(cv=1), r"\bcv\b.*at least 2"),
        (SVCSearchCV(method="guess"), r"method.*nonconformity"),
        (SVCSearchCV(rule="two_se"), r"\brule\b.*one_se"),
        (RVC(sigma=-1), r"\bsigma\b"),
        (RVC(starts=0), r"\bstarts\b"),
    ],
    ids=str,
)
def test_bad_options(estimator, sentence):
    with pytest.raises(ValueError, match=sentence):
        estimator.fit(GOOD, TWO)


def test_bad_weights():
    bad = [(np.zeros(20), "leaves no row|all weights|zero"), (-np.ones(20), "[Nn]egative"), (np.ones(3), r"\(3,\)")]
    for weight, sentence in bad:
        with pytest.raises(ValueError, match=sentence):
            SVC().fit(GOOD, TWO, sample_weight=weight)


def test_weights_whose_squares_are_no_numbers_are_refused():
    for weight in (1e200, 1e-200):
        with pytest.raises(ValueError, match="beyond 1e-100 to 1e100"):
            SVC().fit(GOOD, TWO, sample_weight=np.full(20, weight))


def test_bad_targets():
    for y, sentence in [(np.full(20, np.inf), "infinity"), (np.arange(5), "inconsistent"), (["a"] * 20, "convert")]:
        with pytest.raises(ValueError, match=sentence):
            RVR().fit(GOOD, y)


def test_constant_columns_do_no_harm(fitted):
    X, y, machine = fitted
    constant = np.column_stack([X, np.full(len(X), 7.0)])
    assert np.allclose(
        SVC(C=10, gamma=0.01).fit(constant, y).decision_function(constant), machine.decision_function(X), atol=1e-6
    )
    for estimator in (SVC(), RVC()):
        with pytest.raises(ValueError, match="no column varies"):
            estimator.fit(np.ones((20, 3)), TWO)


def test_other_columns_at_prediction_are_refused(fitted):
    X, _, machine = fitted
    with pytest.raises(ValueError, match="30 features"):
        machine.predict(X[:, :5])


@pytest.mark.parametrize("kind", ["list", "array", "sparse", "pandas", "polars", "pyarrow"])
def test_rows_and_columns_of_whatever_kind(kind):
    """Oracle: NumPy's own indices."""
    from credence._data import columns_at, parameters_at, row_count, rows_at

    values = np.arange(12.0).reshape(4, 3)
    columns = {name: values[:, j] for j, name in enumerate("abc")}
    made = {
        "list": lambda: values.tolist(),
        "array": lambda: values,
        "sparse": lambda: sp.csr_array(values),
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(columns, index=list("wxyz")),
        "polars": lambda: pytest.importorskip("polars").DataFrame(columns),
        "pyarrow": lambda: pytest.importorskip("pyarrow").table(columns),
    }[kind]()

    def shown(table):
        return table.toarray() if kind == "sparse" else np.column_stack(list(map(np.asarray, _columns_of(table))))

    def _columns_of(table):
        return [table[name] for name in table.columns] if kind in ("pandas", "polars") else (
            table.columns if kind == "pyarrow" else np.asarray(table).T
        )

    assert row_count(made) == 4
    assert np.array_equal(shown(rows_at(made, np.array([2, 0]))), values[[2, 0]])
    assert np.array_equal(shown(columns_at(made, [2, 0])), values[:, [2, 0]])
    given = parameters_at({"weights": made, "of_all": 3, "word": "text", "short": [1]}, np.array([2, 0]), 4)
    assert np.array_equal(shown(given.pop("weights")), values[[2, 0]])
    assert given == {"of_all": 3, "word": "text", "short": [1]}


def test_what_has_no_rows_is_refused():
    from credence._data import row_count

    for wrong in (5, np.array(5.0), SVC()):
        with pytest.raises(TypeError, match="Expected sequence or array-like"):
            row_count(wrong)


def test_fit_leaves_its_arguments_as_they_are(fitted):
    X, y, _ = fitted
    rows, labels, weight = X.copy(), y.copy(), np.linspace(0, 2, len(y))
    weights = weight.copy()
    SVC(cv=3).fit(rows, labels, sample_weight=weights)
    assert np.array_equal(rows, X) and np.array_equal(labels, y) and np.array_equal(weights, weight)


# RLIMIT_DATA counts memory that the process writes to, not the pages of a read-only map: a copy does not fit.
LIMITED = """
import resource, sys
import numpy as np
import credence

def allow(size):
    with open("/proc/self/status") as status:
        now = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, (now + size, now + size))

rng = np.random.default_rng(0)
rows = np.load(sys.argv[2], mmap_mode="r")
labels = np.where(np.arange(len(rows)) % 2, 1, -1)
machine = credence.SVC(kernel="linear", scale="none", n_jobs=1).fit(rows[:200].copy(), labels[:200])
machine.predict(rows[:1000])
allow(int(float(sys.argv[3]) * rows.nbytes))
if sys.argv[1] == "copy":
    np.array(rows)
elif sys.argv[1] == "predict":
    assert len(machine.predict(rows)) == len(rows)
else:
    machine.fit(rows, labels)
"""


def runs_within(share, call, path):
    """Return whether a call on the memory map of a file succeeds with so much more memory than before."""
    arguments = [sys.executable, "-c", LIMITED, call, str(path), str(share)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "MemoryError" in done.stderr, done.stderr
    return done.returncode == 0


def map_of(path, n, d):
    """Write rows of two classes, all on one line, so that few of them are support vectors."""
    rng = np.random.default_rng(0)
    rows = np.lib.format.open_memmap(path, "w+", dtype=np.float64, shape=(n, d))
    rows[:] = np.outer(np.where(np.arange(n) % 2, 1, -1) * (1 + rng.random(n)), rng.normal(size=d))
    rows.flush()
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA counts this on Linux only")
def test_predict_makes_no_copy_of_a_memory_map(tmp_path):
    path = map_of(tmp_path / "rows.npy", 200_000, 50)
    assert not runs_within(0.5, "copy", path)
    assert runs_within(0.5, "predict", path)


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA counts this on Linux only")
def test_fit_makes_at_most_one_copy_of_a_memory_map(tmp_path):
    path = map_of(tmp_path / "rows.npy", 1000, 10_000)
    assert not runs_within(0.5, "copy", path)
    assert runs_within(1.5, "fit", path)


def spoiled(change, form="csr"):
    """Return a sparse matrix of forty rows and five columns of which one part is changed."""
    rng = np.random.default_rng(0)
    matrix = sp.csr_matrix(rng.normal(size=(40, 5)) * (rng.random((40, 5)) < 0.6))
    matrix = matrix.tobsr(blocksize=(2, 1)) if form == "bsr" else matrix.asformat(form)
    change(matrix)
    return matrix


def set_at(name, place, value):
    def change(matrix):
        getattr(matrix, name)[place] = value

    return change


def replaced(name, make):
    return lambda matrix: setattr(matrix, name, make(getattr(matrix, name)))


def from_one(matrix):
    matrix.indices += 1


DAMAGED = {
    "indices count from 1": lambda: spoiled(from_one),
    "an index far beyond the columns": lambda: spoiled(set_at("indices", 3, 10**8)),
    "an index beyond 32 bits": lambda: spoiled(replaced("indices", lambda own: own.astype(np.int64) + 2**32)),
    "a negative index": lambda: spoiled(set_at("indices", 0, -1)),
    "indptr begins at 1": lambda: spoiled(set_at("indptr", 0, 1)),
    "indptr descends": lambda: spoiled(set_at("indptr", 4, 10**6)),
    "indptr is negative": lambda: spoiled(set_at("indptr", 1, -5)),
    "indptr ends early": lambda: spoiled(set_at("indptr", -1, 3)),
    "indptr ends late": lambda: spoiled(set_at("indptr", -1, 10**6)),
    "indptr is short": lambda: spoiled(replaced("indptr", lambda own: own[:-1])),
    "more indices than values": lambda: spoiled(replaced("data", lambda own: own[:-1])),
    "more values than indices": lambda: spoiled(replaced("indices", lambda own: own[:-1])),
    "indices are no whole numbers": lambda: spoiled(replaced("indices", lambda own: own + 0.5)),
    "indptr is no list of whole numbers": lambda: spoiled(replaced("indptr", lambda own: own.astype(float))),
    "values are no numbers": lambda: spoiled(replaced("data", lambda own: own.astype(str))),
    "columns with a row too many": lambda: spoiled(set_at("indices", 2, 40), "csc"),
    "columns with a negative row": lambda: spoiled(set_at("indices", 2, -40), "csc"),
    "columns whose indptr descends": lambda: spoiled(set_at("indptr", 2, 10**6), "csc"),
    "triples with a column too many": lambda: spoiled(set_at("col", 2, 5), "coo"),
    "triples with a row too many": lambda: spoiled(set_at("row", 2, 10**8), "coo"),
    "triples with a negative row": lambda: spoiled(set_at("row", 2, -1), "coo"),
    "blocks with a column too many": lambda: spoiled(set_at("indices", 2, 5), "bsr"),
}
OF_FORTY = np.arange(40) % 2


def calls_on(rows):
    """Return all that takes rows, each as a function of sparse rows; the fitted are fitted on sound rows."""
    import credence
    from credence.conformal import FullConformalKNeighborsClassifier, FullConformalSVC
    from sklearn.linear_model import LogisticRegression, Ridge

    y, of_numbers = OF_FORTY, np.arange(40.0)
    grid = {"C": [1], "gamma": [0.1], "cv": 2}
    fits = [
        *(SVC(), SVC(kernel="precomputed"), SVC(missing="drop"), SVCSearchCV(**grid), RVC(), OnlineConformalClassifier()),
        *(FullConformalKNeighborsClassifier(), FullConformalSVC(), credence.SplitConformalClassifier()),
        *(credence.SplitConformalClassifier(LogisticRegression()), credence.CrossConformalClassifier(LogisticRegression(), cv=2)),
        credence.HonestSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2),
    ]
    calls = {f"fit of {one}": lambda X, one=one: one.fit(X, y) for one in fits}
    calls |= {f"fit of {one}": lambda X, one=one: one.fit(X, of_numbers) for one in (RVR(), credence.SplitConformalRegressor(Ridge()))}
    given = {"methods": ["cv"], "outer_folds": 2, "C": [1], "gamma": [0.1]}
    calls["compare"] = lambda X: credence.compare(X, y, **given)
    nested = SVCSearchCV(**grid, estimate="nested")
    calls["distributed.fit"] = lambda X: credence.distributed.fit(nested, X, y, executor=ThreadPoolExecutor(1))
    single = SVC(cv=2).fit(rows, y)
    for method in ("predict", "decision_function", "predict_p", "predict_proba", "predict_set", "familiarity"):
        calls[f"{method} of SVC"] = getattr(single, method)
    calls["evaluate of SVC"], calls["score of SVC"] = (lambda X: single.evaluate(X, y)), (lambda X: single.score(X, y))
    calls["update of SVC"] = lambda X: single.update(X, y)
    calls["watch"] = credence.Watch(single).update
    online = OnlineConformalClassifier().fit(rows, y)
    split = credence.SplitConformalClassifier(LogisticRegression()).fit(rows, y)
    cross = credence.CrossConformalClassifier(LogisticRegression(), cv=2).fit(rows, y)
    for name, one in {"online": online, "split": split, "cross": cross}.items():
        calls |= {f"{method} of {name}": getattr(one, method) for method in ("predict", "predict_p", "familiarity")}
    calls["partial_fit"], calls["conformalize"] = (lambda X: online.partial_fit(X, y)), (lambda X: split.conformalize(X, y))
    intervals = credence.SplitConformalRegressor(Ridge()).fit(rows, of_numbers)
    calls |= {f"{name} of intervals": getattr(intervals, name) for name in ("predict", "predict_interval", "familiarity")}
    calls["p-values of intervals"] = lambda X: intervals.predict_p(X, of_numbers)
    calls["evaluate of intervals"] = lambda X: intervals.evaluate(X, of_numbers)
    return calls


@pytest.mark.filterwarnings("ignore")
def test_damaged_sparse_matrices_are_refused_before_any_work():
    calls = calls_on(spoiled(lambda matrix: None))
    for damage, make in DAMAGED.items():
        for name, call in calls.items():
            with pytest.raises(ValueError, match=r"^the sparse matrix X is damaged: [^.]+$"):
                call(make())
                pytest.fail(f"{name}: {damage}")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_sound_sparse_matrices_of_every_kind_are_their_numbers(form):
    X = spoiled(lambda matrix: None)
    machine = SVC(scale="none", gamma=0.1).fit(X.toarray(), OF_FORTY)
    for kind in (X.asformat(form), sp.csr_array(X).asformat(form)):
        again = SVC(scale="none", gamma=0.1).fit(kind, OF_FORTY)
        assert np.allclose(again.decision_function(kind), machine.decision_function(X.toarray()), atol=1e-9)
    empty = sp.csr_matrix((40, 5)).asformat(form)
    assert machine.decision_function(empty).shape == (40,)


def test_flags_of_a_matrix_that_was_changed_are_not_believed():
    X = spoiled(lambda matrix: None)
    assert X.has_canonical_format and X.has_sorted_indices
    wanted = SVC(scale="none", gamma=0.1).fit(X, OF_FORTY).decision_function(X)
    for row in range(40):
        own = slice(X.indptr[row], X.indptr[row + 1])
        X.indices[own], X.data[own] = X.indices[own][::-1].copy(), X.data[own][::-1].copy()
    assert np.allclose(SVC(scale="none", gamma=0.1).fit(X, OF_FORTY).decision_function(X), wanted, atol=1e-9)


def test_the_library_itself_refuses_damaged_rows():
    from credence import _core

    def made(offsets, indices, columns=3):
        values = np.ones(len(indices))
        return _core.Dataset.sparse(np.array(offsets), np.array(indices, dtype=np.int64), values, columns)

    assert made([0, 1, 3], [2, 0, 1]).rows == 2
    for offsets, indices in (([0, 1, 3], [2, 0, 3]), ([0, 1, 3], [2, 0, -1]), ([0, 1, 3], [2, 0, 2**32]), ([0, 1, 3], [2, 1, 0])):
        with pytest.raises(ValueError, match="a row refers to a column that does not exist"):
            made(offsets, indices)
    for offsets in ([1, 1, 3], [0, 4, 3], [0, 1, 2], [0, -1, 3], []):
        with pytest.raises(ValueError, match="the sparse rows are damaged"):
            made(np.array(offsets, dtype=np.int64), [2, 0, 1])
