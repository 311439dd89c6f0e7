"""What the package shows of itself: public names alone, and extras that exist."""

import ast
import inspect
import pickle
import re
import tomllib
import types
import warnings
from pathlib import Path

import credence
import numpy as np
import pytest
from credence import bounds, conformal, datasets, distributed, metrics
from sklearn.base import is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

#: Modules that a user types a dot after.
MODULES = [credence, bounds, conformal, datasets, distributed, metrics]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_dir_shows_public_names_alone(module):
    shown = set(dir(module)) - {"__version__"}
    assert shown == set(module.__all__)
    for name, one in vars(module).items():
        own = getattr(one, "__module__", "") == module.__name__ and not name.startswith("_")
        assert not own or not callable(one) or name in shown, f"{name} is public, and __all__ lacks it"
    for name in shown:
        one = getattr(module, name)
        assert isinstance(one, types.ModuleType) or one.__module__.startswith("credence"), name
        assert one.__doc__, name


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_docstrings_have_the_pieces_that_they_name(module):
    shown = [getattr(module, name) for name in module.__all__]
    texts = [one.__doc__ for one in shown if callable(one)]
    texts += [method.__doc__ for one in shown if isinstance(one, type) for _, method in inspect.getmembers(one)]
    for text in texts:
        assert not re.search(r"^ *\{\w+\}", text or "", flags=re.MULTILINE), text


def test_extras_in_messages_and_docs_are_those_of_the_package(source):
    """Oracle: pyproject.toml."""
    extras = set(tomllib.loads((source / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    texts = [*Path(credence.__file__).parent.rglob("*.py"), source / "README.md", *(source / "docs").rglob("*.md")]
    named = {name for path in texts for name in re.findall(r"credence\[(\w+)\]", path.read_text(encoding="utf-8"))}
    assert named and named <= extras
    install = (source / "docs" / "python.md").read_text(encoding="utf-8").split("## Five minutes")[0]
    assert extras <= set(re.findall(r"`(\w+)`", install))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: credence.SVCSearchCV(folds=5), "SVCSearchCV has no 'folds'; it is called cv"),
        (lambda: credence.SVC(probability=True), r"SVC has no 'probability'; write cv=5 in its place"),
        (lambda: credence.SVCSearchCV(probability=True), "'probability'; leave it out: predict_proba is there"),
        (lambda: credence.SVCSearchCV(threads=2), "SVCSearchCV has no 'threads'; it is called n_jobs"),
        (lambda: credence.SVC(n_splits=5), "SVC has no 'n_splits'; it is called cv"),
        (lambda: credence.SplitConformalClassifier(n_folds=5), "'n_folds'; calibration_size=0.25"),
        (lambda: credence.SVCSearchCV(metric="f1"), "'metric'; it is called scoring"),
        (lambda: credence.SVC(scoring="f1"), r"'scoring'; .* SVCSearchCV\(scoring='roc_auc'\)"),
        (lambda: credence.SVC(alpha=0.1), r"'alpha'; predict_set\(X, confidence_level=0.95\) takes it"),
        (lambda: credence.RVR(coverage=0.9), r"'coverage'; predict_interval\(X, confidence_level=0.95\) takes it"),
        (lambda: credence.SVCSearchCV(groups=[1]), r"'groups'; it is an argument of fit: fit\(X, y, groups=...\)"),
        (lambda: credence.HonestSearchCV(None, seed=1), "HonestSearchCV has no 'seed'; it is called random_state"),
        (lambda: credence.honest_error([[0]], alpha=0.1), "honest_error has no 'alpha'; write confidence=0.95 in place"),
        (lambda: credence.read("a.csv", sep=";"), "read has no 'sep'; it is called delimiter"),
        (lambda: credence.SVC().fit([[0]], [0], groups=[1]), r"SVC.fit has no 'groups'; write cv=list\(GroupKFold"),
        (lambda: credence.SVC().fit([[0]], [0], weights=[1]), "SVC.fit has no 'weights'; it is called sample_weight"),
        (lambda: credence.SVC().predict_set([[0]], alpha=0.1), "predict_set has no 'alpha'; write confidence_level=0.95"),
        (lambda: credence.SVC().predict_p([[0]], random_state=1), "SVC.predict_p has no 'random_state'; it is called seed"),
        (lambda: credence.SVCSearchCV().score([[0]], [0], scoring="f1"), "'scoring'; it is an argument of SVCSearchCV"),
        (lambda: credence.RVR().predict([[0]], confidence_level=0.9), "RVR.predict has no .* predict_interval"),
        (lambda: credence.SVC(kernal="rbf"), r"SVC has no 'kernal'; did you mean kernel\?"),
        (lambda: credence.SVC("linear"), r"SVC takes its arguments by name, as in SVC\(kernel='linear'\)"),
        (lambda: credence.SVCSearchCV(param_grid={}), r"SVCSearchCV has no 'param_grid'; .* C=\[1, 10\]"),
        (lambda: credence.RVR(max_iter=5), "RVR has no 'max_iter'$"),
        (lambda: credence.SplitConformalClassifier(None, 0.5), r"\(calibration_size=0.5\)"),
    ],
)
def test_a_wrong_argument_names_the_class_that_was_written(call, said):
    with pytest.raises(TypeError, match=said):
        call()


def test_refused_values_say_what_to_write(breast_cancer):
    for wrong, said in [({"p_values": True}, "one of 'cross', 'nested', 'split', not True"), ({"refit": True}, "leave")]:
        with pytest.raises(ValueError, match=said):
            credence.SVCSearchCV(**wrong).fit(*breast_cancer)
    with pytest.raises(ValueError, match="looks at threads; it is called n_jobs"):
        credence.compare(*breast_cancer, ["cv"], threads=2)


def test_one_filter_has_every_warning(breast_cancer):
    """Oracle: the categories of the warnings."""
    X, y = breast_cancer
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        credence.SVCSearchCV(C=[1], gamma=[8.0], cv=3).fit(X, y)
        credence.SVC(C=1e4, max_steps=3).fit(X, y)
    assert all(issubclass(warning.category, credence.CredenceWarning) for warning in caught)
    assert any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", credence.CredenceWarning)
        cross_val_score(credence.SVCSearchCV(C=[1], gamma=[8.0], cv=3), X, y, cv=3)


def test_options_in_sentences_have_the_names_of_python():
    """Options that the descriptions do not have, and what is no option, stay as they are."""
    for text, expected in [
        ("--region-size 1000 takes about 3 min", "region_size=1000 takes about 3 min"),
        ("(--race no), a race less (--race)", '(race="no"), a race less (race="yes")'),
        ("--method kfold-nested --p-values nested: at most", 'method="kfold_nested", p_values="nested": at most'),
        ("(--groups visit), give --groups 'one more'", "(groups=visit), give groups 'one more'"),
        ("depend on the labels (--fold-column)", "depend on the labels (cv)"),
        ("take --seed 3. Or --json FILE", "take random_state=3. Or --json FILE"),
        ("fewer --outer-folds or --repeats; --C", "fewer outer_folds or repeats; C"),
        ("  --race           how long\n", '  race="yes"       how long\n'),
        ("-- a dash ---", "-- a dash ---"),
    ]:
        assert credence._core.in_python(text) == expected


SINC = np.linspace(-10, 10, 60).reshape(-1, 1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "search",
    [
        credence.SVCSearchCV(C=[1], gamma=[0.01], cv=3),
        credence.SVCSearchCV(C=[1], gamma=[0.01], method="nested", cv=3),
        credence.SVCSearchCV(C=[1], gamma=[0.01], method="bootstrap", resamples=3),
        credence.SVCSearchCV(C=[1], gamma=[0.01], region_size=200, cv=3),
        credence.SearchCV(C=[1, 10], gamma=[0.01], cv=3),
        credence.SearchCV(model="rvm", method="kernel_validity", sigma=[1.0]),
        credence.RVRSearchCV(sigma=[1.0], method="cv", cv=3),
        credence.RVRSearchCV(sigma=[1.0], cv=3),
    ],
    ids=repr,
)
def test_the_report_of_a_search_names_arguments(search, breast_cancer):
    X, y = breast_cancer
    if is_regressor(search):
        search.fit(SINC, np.sinc(SINC.ravel() / np.pi))
    else:
        search.fit(np.column_stack([X, np.arange(len(y)) // 4]), y)  # the last column is as if it named a subject
    assert not re.search("--[a-z]", search.summary())


def test_other_results_name_no_flags(breast_cancer):
    X, y = breast_cancer
    losses = (np.random.default_rng(0).random((60, 40)) < 0.3).astype(float)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shown = repr(credence.honest_error(losses)) + repr(credence.compare(X, y, outer_folds=3, C=[1], gamma=[0.01]))
        credence.SVCSearchCV(C=[1], gamma=[0.01]).fit(np.column_stack([X, np.arange(len(y)) // 4]), y)
    said = [str(one.message) for one in caught]
    assert any(sentence.endswith("if so, give groups=x31") for sentence in said)
    assert not re.search("--[a-z]", "\n".join([shown, *said]))


def test_nothing_private_of_scikit_learn_is_imported():
    """What it may change without notice; HonestSearchCV alone overrides a private method, and does without it too."""
    for path in Path(credence.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                named = [*node.module.split("."), *(alias.name for alias in node.names)]
                assert not any(name.startswith("_") for name in named), f"{path.name}: {named}"


def test_an_estimate_is_written_as_the_report_has_it(breast_cancer):
    X, y = breast_cancer
    search = credence.SVCSearchCV(C=[1, 8], gamma=[0.01], cv=3).fit(X, y)
    shown = repr(search.honest_error_)
    assert re.fullmatch(r"\d\.\d\d %, 95 % interval \d\.\d\d % to \d\.\d\d % \(bbc\)", shown)
    assert shown.removesuffix(" (bbc)") in search.summary()
    losses = np.random.default_rng(0).random((40, 3))
    assert re.fullmatch(r"0\.\d+, 90 % interval 0\.\d+ to 0\.\d+ \(loss, bbc\)", repr(credence.honest_error(losses, confidence=0.9).estimate))
    wrong = credence.honest_error(losses > 0.8).estimate
    assert "%, 95 % interval" in repr(wrong) and wrong == pickle.loads(pickle.dumps(wrong))


def test_a_search_of_svms_refuses_other_models():
    search = credence.SVCSearchCV(model="knn")
    with pytest.raises(ValueError, match=r"take SearchCV\(model='knn'\)"):
        search.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
