import numpy as np
import pytest
from credence import RVC, SVC, SVCSearchCV
from scipy.sparse import csr_matrix
from scipy.stats import norm
from sklearn import svm as their_svm
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import QuantileTransformer, StandardScaler

KERNELS = [
    {"kernel": "rbf", "gamma": 0.05},
    {"kernel": "rbf", "gamma": "scale"},
    {"kernel": "rbf", "gamma": "auto"},
    {"kernel": "linear"},
    {"kernel": "polynomial", "degree": 3, "gamma": 0.1, "coef0": 1.0},
    {"kernel": "polynomial", "degree": 2, "gamma": 0.1, "coef0": 0.5},
    {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.1},
]
THEIR_NAME = {"polynomial": "poly"}


def kernel_name(kernel):
    return "-".join(str(value) for value in kernel.values())


@pytest.fixture(scope="module", params=["two", "three"])
def rows(request, breast_cancer):
    """Return scaled rows for training and for prediction, with two or with three classes."""
    X, y = breast_cancer if request.param == "two" else load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return X[::2], y[::2], X[1::2]


def pair(kernel, **options):
    """Return our machine and scikit-learn's; nu makes theirs a NuSVC."""
    ours = SVC(**kernel, **options, tol=1e-10, scale="none")
    theirs = {**kernel, "kernel": THEIR_NAME.get(kernel["kernel"], kernel["kernel"])}
    kind = their_svm.NuSVC if "nu" in options else their_svm.SVC
    return ours, kind(**theirs, **options, tol=1e-10, cache_size=500)


def their_machines(theirs):
    """Return the coefficients of each of scikit-learn's machines, which LIBSVM packs into n_classes - 1 rows."""
    packed = theirs.dual_coef_.toarray() if hasattr(theirs.dual_coef_, "toarray") else theirs.dual_coef_
    count = len(theirs.classes_)
    if count == 2:
        return packed
    ends = np.concatenate([[0], np.cumsum(theirs.n_support_)])
    machines = []
    for i in range(count):
        for j in range(i + 1, count):
            row = np.zeros(packed.shape[1])
            row[ends[i] : ends[i + 1]] = packed[j - 1, ends[i] : ends[i + 1]]
            row[ends[j] : ends[j + 1]] = packed[i, ends[j] : ends[j + 1]]
            machines.append(row)
    return np.array(machines)


def dense(machines, support, rows):
    """Return the coefficients of all training rows."""
    full = np.zeros((len(machines), rows))
    full[:, support] = machines
    return full


def assert_same_machine(ours, theirs, X, new, rtol=1e-5):
    assert np.array_equal(ours.classes_, theirs.classes_)
    assert np.array_equal(ours.predict(new), theirs.predict(new))
    scale = np.abs(theirs.decision_function(new)).max()
    assert np.allclose(ours.decision_function(new), theirs.decision_function(new), atol=rtol * scale)
    our_dual = dense(ours.dual_coef_, ours.support_, len(X))
    their_dual = dense(their_machines(theirs), theirs.support_, len(X))
    size = np.abs(their_dual).max()
    assert np.allclose(our_dual, their_dual, atol=1e-4 * size)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=rtol * scale)
    only_one = np.setxor1d(ours.support_, theirs.support_)
    assert np.abs(our_dual[:, only_one]).max(initial=0) < 1e-6 * size
    assert np.abs(their_dual[:, only_one]).max(initial=0) < 1e-6 * size
    if theirs.kernel != "precomputed":
        assert np.array_equal(ours.support_vectors_, X[ours.support_])


@pytest.mark.parametrize("kernel", KERNELS, ids=kernel_name)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_c_svc_vs_sklearn(rows, kernel, C):
    X, y, new = rows
    ours, theirs = (one.fit(X, y) for one in pair(kernel, C=C))
    assert_same_machine(ours, theirs, X, new)


@pytest.mark.parametrize("kernel", KERNELS, ids=kernel_name)
@pytest.mark.parametrize("nu", [0.1, 0.3])
def test_nu_svc_vs_sklearn(rows, kernel, nu):
    X, y, new = rows
    ours, theirs = (one.fit(X, y) for one in pair(kernel, nu=nu))
    assert_same_machine(ours, theirs, X, new, rtol=1e-4)


def test_precomputed_kernel_vs_sklearn(rows):
    X, y, new = rows
    ours = SVC(kernel="precomputed", C=3.0, tol=1e-10).fit(rbf_kernel(X, gamma=0.05), y)
    theirs = their_svm.SVC(kernel="precomputed", C=3.0, tol=1e-10).fit(rbf_kernel(X, gamma=0.05), y)
    assert_same_machine(ours, theirs, X, rbf_kernel(new, X, gamma=0.05))
    direct = SVC(gamma=0.05, C=3.0, tol=1e-10, scale="none").fit(X, y)
    assert np.allclose(direct.decision_function(new), ours.decision_function(rbf_kernel(new, X, gamma=0.05)), atol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_left_out_of_a_precomputed_kernel_vs_sklearn(rows, sparse):
    """Oracle: scikit-learn on the kernel of the other rows alone."""
    X, y, new = rows
    kept = np.arange(len(X)) % 7 != 3
    values, of_new = rbf_kernel(X, gamma=0.05), rbf_kernel(new, X, gamma=0.05)
    theirs = their_svm.SVC(kernel="precomputed", tol=1e-10).fit(values[np.ix_(kept, kept)], y[kept])
    unknown = [label if stays else None for label, stays in zip(y.tolist(), kept, strict=True)]
    form = csr_matrix if sparse else np.asarray
    weighed = SVC(kernel="precomputed", tol=1e-10).fit(form(values), y, sample_weight=kept.astype(float))
    dropped = SVC(kernel="precomputed", tol=1e-10, missing="drop").fit(form(values), unknown)
    for ours in (weighed, dropped):
        assert ours.n_features_in_ == len(X)
        np.testing.assert_allclose(
            ours.decision_function(form(of_new)), theirs.decision_function(of_new[:, kept]), atol=1e-6
        )
        assert np.array_equal(ours.support_, np.flatnonzero(kept)[np.sort(theirs.support_)])


def test_what_a_precomputed_kernel_does_not_look_at_is_refused(rows):
    X, y, _ = rows
    values = rbf_kernel(X)
    for kind in (SVC, SVCSearchCV, RVC):
        with pytest.raises(ValueError, match="scale: a precomputed kernel is not scaled"):
            kind(kernel="precomputed", scale="standard").fit(values, y)
    for wrong in (SVC(kernel="precomputed", gamma=0.1), SVCSearchCV(kernel="precomputed", gamma=[0.1])):
        with pytest.raises(ValueError, match="gamma: a precomputed kernel has none"):
            wrong.fit(values, y)
    values[3, 4] += 0.5
    with pytest.raises(ValueError, match=r"row 5, column 4 .*\(counted from 1\)"):
        SVC(kernel="precomputed").fit(values, y)
    values[3, 4] = np.nan
    with pytest.raises(ValueError, match="a value for each pair of rows"):
        SVC(kernel="precomputed", missing="drop").fit(values, y)


@pytest.mark.parametrize("kernel", KERNELS[:1] + KERNELS[3:5], ids=kernel_name)
def test_balanced_classes_vs_sklearn(rows, kernel):
    X, y, new = rows
    ours, theirs = (one.fit(X, y) for one in pair(kernel, class_weight="balanced"))
    assert_same_machine(ours, theirs, X, new)


def test_class_weights_vs_sklearn(rows):
    X, y, new = rows
    weights = dict(zip(np.unique(y).tolist(), (0.3, 4.0, 1.5), strict=False))
    ours, theirs = (one.fit(X, y) for one in pair(KERNELS[0], class_weight=weights, C=0.5))
    assert_same_machine(ours, theirs, X, new)


def test_two_weights_of_a_class_are_refused(rows):
    X, y, _ = rows
    with pytest.raises(ValueError, match="class 'a' has two weights"):
        SVC(class_weight="a:1,a:9").fit(X, y)


def test_the_nu_that_a_refusal_names_is_possible():
    """Oracle: 2 * 8 / 60 = 0.26667, which rounding to four digits puts out of reach."""
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) < 8
    with pytest.raises(ValueError, match="largest possible value is 0.2666$"):
        SVC(nu=0.27).fit(X, y)
    assert SVC(nu=0.2666).fit(X, y).n_support_.sum() > 0


def test_class_weights_as_text(rows):
    X, y, new = rows
    names = [str(name) for name in np.unique(y)]
    weights = dict(zip(np.unique(y).tolist(), (0.3, 4.0, 1.5), strict=False))
    text = ",".join(f"{name}:{weight}" for name, weight in zip(names, weights.values(), strict=True))
    as_text, as_dict = (SVC(class_weight=one).fit(X, y) for one in (text, weights))
    assert np.array_equal(as_text.decision_function(new), as_dict.decision_function(new))


@pytest.mark.parametrize("kernel", KERNELS[:1] + KERNELS[3:5], ids=kernel_name)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_sample_weights_vs_sklearn(rows, kernel, class_weight):
    X, y, new = rows
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(y))
    ours, theirs = (one.fit(X, y, sample_weight=weight) for one in pair(kernel, class_weight=class_weight))
    if class_weight is None:  # scikit-learn balances counts of rows, we balance weights of rows
        assert_same_machine(ours, theirs, X, new)
    classes, codes = np.unique(y, return_inverse=True)
    total = np.bincount(codes, weights=weight)
    by_hand = weight * (total.sum() / (len(classes) * total))[codes] if class_weight else weight
    assert_same_machine(ours, pair(kernel)[1].fit(X, y, sample_weight=by_hand), X, new)


def test_whole_weights_are_copies_of_rows(rows):
    X, y, new = rows
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = SVC(tol=1e-10).fit(X, y, sample_weight=weight)
    repeated = SVC(tol=1e-10).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert np.allclose(weighted.decision_function(new), repeated.decision_function(new), atol=1e-7)
    assert (weight[weighted.support_] > 0).all()


def test_coef_of_linear_kernels_vs_sklearn(rows):
    X, y, new = rows
    ours, theirs = (one.fit(X, y) for one in pair({"kernel": "linear"}))
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    if len(ours.classes_) == 2:
        assert np.allclose(new @ ours.coef_.T + ours.intercept_, ours.decision_function(new)[:, None], atol=1e-9)
    with pytest.raises(AttributeError, match="linear"):
        _ = SVC().fit(X, y).coef_


def test_decision_is_made_of_its_parts(rows):
    X, y, new = rows
    machine = SVC(gamma=0.05, C=2.0, tol=1e-10, scale="none").fit(X, y)
    values = rbf_kernel(new, machine.support_vectors_, gamma=0.05) @ machine.dual_coef_.T + machine.intercept_
    if values.shape[1] == 1:
        assert np.allclose(values[:, 0], machine.decision_function(new), atol=1e-10)
    theirs = their_svm.SVC(gamma=0.05, C=2.0, tol=1e-10, decision_function_shape="ovo").fit(X, y)
    assert np.allclose(values, theirs.decision_function(new).reshape(len(new), -1), atol=1e-5)


def test_default_scaling_is_a_standard_scaler(rows):
    X, y, new = rows
    stretch = np.geomspace(0.001, 1000, X.shape[1])
    raw, raw_new = X * stretch + 7, new * stretch + 7
    scaler = StandardScaler().fit(raw)
    ours = SVC(C=3.0, gamma=0.05, tol=1e-10).fit(raw, y)
    theirs = their_svm.SVC(C=3.0, gamma=0.05, tol=1e-10).fit(scaler.transform(raw), y)
    assert np.allclose(ours.support_vectors_, scaler.transform(raw)[ours.support_], atol=1e-8)
    assert np.allclose(ours.decision_function(raw_new), theirs.decision_function(scaler.transform(raw_new)), atol=1e-5)


def test_quantile_scaling_has_the_ranks_of_a_quantile_transformer():
    """Its rank of value i of n is u = i / (n - 1), ours (i + 1/2) / n = ((n - 1) u + 1/2) / n."""
    draws = np.random.default_rng(5)
    X, y = np.exp(draws.normal(size=(400, 3))), draws.integers(2, size=400)
    n = len(X)
    ranks = QuantileTransformer(n_quantiles=n, output_distribution="uniform").fit_transform(X)
    scores = norm.ppf(((n - 1) * ranks + 0.5) / n)
    expected = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    machine = SVC(scale="quantile").fit(X, y)
    assert len(machine.support_) > 200
    assert np.allclose(machine.support_vectors_, expected[machine.support_], rtol=0, atol=1e-12)


def test_sigma_is_another_word_for_gamma(rows):
    X, y, new = rows
    by_sigma, by_gamma = SVC(sigma=2.0).fit(X, y), SVC(gamma=1 / 8).fit(X, y)
    assert np.allclose(by_sigma.decision_function(new), by_gamma.decision_function(new), atol=1e-12)


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [0.0, 1.0], [False, True], [3, 11]], ids=str)
def test_labels_of_any_type_vs_sklearn(breast_cancer, labels):
    X, y = breast_cancer
    X = StandardScaler().fit_transform(X)[:200]
    y = np.asarray(labels)[(y[:200] == "malignant").astype(int)]
    ours, theirs = SVC(tol=1e-10, scale="none").fit(X, y), their_svm.SVC(tol=1e-10).fit(X, y)
    assert ours.classes_.dtype == theirs.classes_.dtype
    assert ours.predict(X).dtype == theirs.predict(X).dtype
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("labels", [[False, True], [3, 11], [0.0, 1.0]], ids=str)
def test_numbers_in_an_array_of_objects_are_numbers(labels):
    X, y = load_iris(return_X_y=True)
    y = np.asarray(labels)[(y > 0).astype(int)]
    ours, theirs = SVC().fit(X, y.astype(object)), SVC().fit(X, y)
    assert ours.classes_.dtype == y.dtype
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_order_of_rows_does_not_change_the_machine():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    first, second = SVC(tol=1e-10).fit(X, y), SVC(tol=1e-10).fit(X[order], y[order])
    assert np.allclose(first.decision_function(X), second.decision_function(X), atol=1e-6)


def test_ties_of_votes_go_where_scikit_learns_go():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 5, 200)
    ours, theirs = pair(KERNELS[0], C=5.0)
    assert_same_machine(ours.fit(X, y), theirs.fit(X, y), X, rng.normal(size=(500, 4)))


@pytest.mark.parametrize("options", [{"C": 2.0}, {"nu": 0.3}], ids=str)
@pytest.mark.parametrize("kernel", KERNELS[:5], ids=kernel_name)
def test_support_vectors_of_each_class(rows, kernel, options):
    """Oracles: scikit-learn, and the classes of the rows that are support vectors."""
    X, y, _ = rows
    ours, theirs = pair(kernel, **options)
    ours.fit(X, y)
    theirs.fit(X, y)
    assert ours.n_support_.dtype == theirs.n_support_.dtype and ours.n_support_.shape == theirs.n_support_.shape
    assert ours.n_support_.tolist() == [np.sum(y[ours.support_] == label) for label in ours.classes_]
    assert np.abs(ours.n_support_ - theirs.n_support_).max() <= 1  # an alpha of 1e-12 may be 0 in the other


def test_a_machine_that_meets_the_step_limit_is_a_result_with_a_warning(rows):
    """With enough steps the machine is the same; with too few it warns, as scikit-learn's does."""
    X, y, _ = rows
    ours = SVC(gamma=0.05, max_steps=100_000).fit(X, y)
    assert np.array_equal(ours.decision_function(X), SVC(gamma=0.05).fit(X, y).decision_function(X))
    with pytest.warns(ConvergenceWarning, match="violation of .* of the KKT conditions"):
        early = SVC(gamma=0.05, max_steps=3).fit(X, y)
    assert set(early.predict(X)) <= set(ours.classes_)
