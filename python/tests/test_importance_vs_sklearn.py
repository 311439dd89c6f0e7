import json
import subprocess
import warnings

import credence
import numpy as np
import pytest
from credence import RVC, RVR, SVC, SearchCV
from sklearn import inspection


@pytest.fixture(scope="module")
def split(breast_cancer):
    X, y = breast_cancer
    return X[:300, :6], y[:300], X[300:450, :6], y[300:450]


def same_importances(estimator, X, y, **given):
    ours = credence.permutation_importance(estimator, X, y, n_repeats=3, random_state=5, **given)
    theirs = inspection.permutation_importance(estimator, X, y, n_repeats=3, random_state=5, **given)
    for name in ("importances", "importances_mean", "importances_std"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=1e-10)
    return ours


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(C=10, gamma=0.1),
        SVC(C=10, gamma=0.1, cv=5),
        RVC(sigma=2.0),
        SearchCV(cv=3),
        *(SearchCV(cv=3, C=[1, 10], gamma=[0.1], scoring=score) for score in ("roc_auc", "balanced_accuracy", "f1")),
        SearchCV(cv=3, C=[1, 10], gamma=[0.1], scoring="neg_log_loss"),
    ],
    ids=str,
)
def test_importances_of_classifiers_vs_sklearn(split, estimator):
    X, y, new, labels = split
    found = same_importances(estimator.fit(X, y), new, labels)
    assert found.importances_se.shape == (6,) and (found.importances_se >= 0).all()


def test_importances_with_weights_of_three_classes_and_of_numbers_vs_sklearn(split):
    X, _, new, _ = split
    level = np.digitize(X[:, 0], [12, 15])
    weights = np.linspace(0.5, 2, len(new))
    model = SVC(C=10, gamma=0.1).fit(X, level)
    same_importances(model, new, np.digitize(new[:, 0], [12, 15]), sample_weight=weights)
    numbers = RVR(sigma=3.0).fit(X[:, 1:], X[:, 0])
    same_importances(numbers, new[:, 1:], new[:, 0], sample_weight=weights)


def test_columns_of_a_group_move_together_vs_loops(split):
    X, y, new, labels = split
    model = SVC(C=10, gamma=0.1).fit(X, y)
    ours = credence.permutation_importance(model, new, labels, n_repeats=1, random_state=2, correlated=0.98)
    order = np.arange(len(new))
    np.random.RandomState(np.random.RandomState(2).randint(np.iinfo(np.int32).max + 1)).shuffle(order)
    shuffled = new.copy()
    shuffled[:, [0, 2, 3]] = new[order][:, [0, 2, 3]]  # radius, perimeter and area
    assert ours.names == ["x1 + x3 + x4", "x2", "x5", "x6"]
    assert ours.importances[0, 0] == pytest.approx(model.score(new, labels) - model.score(shuffled, labels), abs=1e-12)


def test_rows_left_out_need_fold_models(split):
    X, y, *_ = split
    search = SearchCV(cv=3, C=[1, 10], gamma=[0.1], rule="best").fit(X, y)
    found = credence.permutation_importance(search, X, y, random_state=0, left_out=True)
    again = credence.permutation_importance(search, X, y, random_state=0, left_out=True)
    assert np.array_equal(found.importances, again.importances) and found.importances.max() > 0.01
    with pytest.raises(ValueError, match="keeps no fold models"):
        credence.permutation_importance(SVC().fit(X, y), X, y, left_out=True)
    with pytest.raises(ValueError, match="the model does not know the class"):
        credence.permutation_importance(search, X, np.full(len(X), "none"))


@pytest.mark.parametrize(
    "estimator", [SVC(C=10, gamma=0.1), SVC(C=10, gamma=0.1, cv=5), RVC(sigma=2.0), SearchCV(cv=3)], ids=str
)
def test_dependence_of_classifiers_vs_sklearn(split, estimator):
    X, y, new, _ = split
    estimator.fit(X, y)
    for column in (0, 4):
        ours = credence.partial_dependence(estimator, new, column)
        theirs = inspection.partial_dependence(estimator, new, [column], kind="average")
        np.testing.assert_allclose(ours.grid_values[0], theirs["grid_values"][0], rtol=1e-12)
        np.testing.assert_allclose(ours.average, theirs["average"], rtol=0, atol=1e-9)


def test_dependence_of_three_classes_of_numbers_and_of_few_values_vs_sklearn(split):
    X, _, new, _ = split
    level = np.digitize(X[:, 0], [12, 15])
    models = [(RVR(sigma=3.0).fit(X[:, 1:], X[:, 0]), new[:, 1:]), (SVC(C=10, gamma=0.1, cv=5).fit(X, level), new[:60])]
    for model, rows in models:
        ours = credence.partial_dependence(model, rows, 1)
        theirs = inspection.partial_dependence(model, rows, [1], kind="average")
        np.testing.assert_allclose(ours.grid_values[0], theirs["grid_values"][0], rtol=1e-12)
        np.testing.assert_allclose(ours.average, theirs["average"], rtol=0, atol=1e-9)


def test_command_says_why_not(split, command, tmp_path):
    X, y, *_ = split
    table = np.column_stack([X[:60].astype(str), y[:60]])
    np.savetxt(tmp_path / "train.csv", table, fmt="%s", delimiter=",", header="a,b,c,d,e,f,label", comments="")
    given = ["select", tmp_path / "train.csv", "--method", "max-margin", "--importance"]
    done = subprocess.run([command.path, *map(str, given)], capture_output=True, text=True, check=True)
    assert "warning: --importance: the model keeps no fold models" in done.stderr
    assert "\nnext " in done.stdout and "rise in" not in done.stdout


def test_command_says_the_same(split, command, tmp_path, chart_of):
    X, y, new, labels = split
    for name, rows, classes in (("train", X, y), ("test", new, labels)):
        table = np.column_stack([rows.astype(str), classes])
        header = ",".join([*(f"x{j + 1}" for j in range(6)), "label"])
        np.savetxt(tmp_path / f"{name}.csv", table, fmt="%s", delimiter=",", header=header, comments="")
    model = tmp_path / "m.credence"
    command("select", tmp_path / "train.csv", "--quiet", "-o", model)
    told = command("evaluate", model, tmp_path / "test.csv", "--importance", "--dependence", "x1", "--json", "-")
    document = json.loads(told)
    columns = {one["name"]: one for one in document["importance"]["columns"]}
    drawn = {row["column"]: row for row in chart_of(document, "importance")["rows"]}
    for name, one in columns.items():
        assert one["rise"] == pytest.approx(np.mean(one["rises"]))
        assert drawn[name]["rise"] == pytest.approx(100 * one["rise"])
        assert drawn[name]["upper"] == pytest.approx(100 * (one["rise"] + 2 * one["standard_error"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = inspection.partial_dependence(credence.load(model), new, [0], kind="average")
    curve = document["dependence"][0]
    np.testing.assert_allclose(curve["values"], theirs["grid_values"][0], rtol=1e-12)
    np.testing.assert_allclose(curve["curves"][0]["average"], theirs["average"][0], rtol=0, atol=1e-9)
