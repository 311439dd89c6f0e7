"""`honest_error` and `from_predictions` against NumPy, SciPy, scikit-learn's scores and the command."""

import json

import credence
import numpy as np
import pytest
from scipy import stats
from sklearn import metrics


def errors(rows=90, candidates=6, seed=0, gaps=0.0):
    random = np.random.default_rng(seed)
    losses = (random.random((rows, candidates)) < 0.3).astype(float)
    losses[random.random(losses.shape) < gaps] = np.nan
    return losses


def naive_bootstrap(losses, resamples, seed):
    """Choose on drawn rows, judge on the others, by NumPy's own draws."""
    random = np.random.default_rng(seed)
    judged = []
    while len(judged) < resamples:
        drawn = random.integers(0, len(losses), len(losses))
        left_out = np.setdiff1d(np.arange(len(losses)), drawn)
        if len(left_out):
            judged.append(np.nanmean(losses[left_out, np.nanargmin(np.nanmean(losses[drawn], axis=0))]))
    return np.mean(judged), np.std(judged) / np.sqrt(resamples)


@pytest.mark.filterwarnings("ignore:'candidate 2' was chosen on")
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_estimate_vs_a_loop_with_draws_of_its_own(gaps):
    losses = errors(gaps=gaps)
    found = credence.honest_error(losses, resamples=4000)
    expected, deviation = naive_bootstrap(losses, 4000, 1)
    assert abs(found.estimate - expected) < 5 * np.sqrt(2) * deviation
    means = np.nanmean(losses, axis=0)
    assert found["selected"] == pytest.approx(means.min())
    assert found["chosen"] == f"candidate {means.argmin() + 1}"


def test_standard_errors_one_se_and_tests_vs_scipy():
    losses = errors()
    found = credence.honest_error(losses)
    means, spread = losses.mean(axis=0), losses.std(axis=0, ddof=1) / np.sqrt(len(losses))
    best = means.argmin()
    assert [one["standard_error"] for one in found["candidates"]] == pytest.approx(spread)
    close = [f"candidate {k + 1}" for k in range(6) if means[k] <= means[best] + spread[best]]
    assert found["one_se"] == close
    for k, one in enumerate(found["candidates"]):
        if k == best:
            assert one["p_value"] is None
            continue
        plain = stats.ttest_rel(losses[:, k], losses[:, best])
        n = len(losses)
        t = plain.statistic * np.sqrt((1 / n) / (1 / n + 1 / (n - 1)))  # the correction of Nadeau and Bengio
        assert one["t"] == pytest.approx(t)
        assert one["p_value"] == pytest.approx(2 * stats.t.sf(abs(t), n - 1))


def test_frames_mappings_and_arrays_say_the_same():
    pd = pytest.importorskip("pandas")
    losses = errors()
    names = list("abcdef")
    frame = credence.honest_error(pd.DataFrame(losses, columns=names))
    mapping = credence.honest_error(dict(zip(names, losses.T, strict=True)))
    array = credence.honest_error(losses)
    assert frame["honest"]["error"] == mapping["honest"]["error"] == array["honest"]["error"]
    assert [one["name"] for one in frame["candidates"]] == names
    table = array.to_frame()
    assert table["loss"].to_list() == pytest.approx(losses.mean(axis=0))
    assert "optimistic" in repr(array) and "Result of an honest error" in repr(array)


@pytest.mark.command
def test_same_json_as_the_command(command, tmp_path):
    losses = errors(seed=5)
    groups = np.arange(len(losses)) // 4
    lines = ["g," + ",".join("abcdef")]
    lines += [f"{group}," + ",".join(f"{one:g}" for one in row) for group, row in zip(groups, losses, strict=True)]
    (tmp_path / "losses.csv").write_text("\n".join(lines) + "\n")
    command("honest", tmp_path / "losses.csv", "--groups", "g", "--seed", "3", "--json", tmp_path / "found.json")
    wanted = json.loads((tmp_path / "found.json").read_text())
    found = credence.honest_error(dict(zip("abcdef", losses.T, strict=True)), groups, random_state=3)
    for key in ("chosen", "selected", "one_se", "candidates", "n", "groups", "options", "warnings"):
        assert found[key] == wanted[key], key
    assert {**found["honest"], "seconds": 0} == {**wanted["honest"], "seconds": 0}


SCORES = {
    "accuracy": lambda y, said, classes: 1 - metrics.accuracy_score(y, said),
    "balanced_accuracy": lambda y, said, classes: 1 - metrics.balanced_accuracy_score(y, said),
    "neg_log_loss": lambda y, said, classes: metrics.log_loss(y, said, labels=classes),
    "neg_mean_squared_error": lambda y, said, classes: metrics.mean_squared_error(y, said),
    "neg_mean_absolute_error": lambda y, said, classes: metrics.mean_absolute_error(y, said),
}


@pytest.mark.parametrize("scoring", SCORES)
def test_losses_have_the_means_of_scikit_learns_scores(scoring):
    random = np.random.default_rng(2)
    y, classes = random.choice(3, 60, p=[0.6, 0.3, 0.1]), np.arange(3)
    if scoring == "neg_log_loss":
        said = random.dirichlet([1, 1, 1], 60)
    else:
        said = random.choice(3, 60) if "accuracy" in scoring else random.normal(size=60)
    found = credence.from_predictions(y, {"one": said, "none": np.full(said.shape, np.nan)}, scoring=scoring)
    assert found["selected"] == pytest.approx(SCORES[scoring](y, said, classes), rel=1e-6)
    assert found["candidates"][1]["rows"] == 0


def test_brier_losses_of_two_classes():
    random = np.random.default_rng(2)
    y, said = random.choice(2, 60), random.random(60)
    found = credence.from_predictions(y, {"one": np.column_stack([1 - said, said])}, scoring="neg_brier_score")
    assert found["selected"] == pytest.approx(metrics.brier_score_loss(y, said), rel=1e-6)


def test_predictions_may_lack_rows():
    y = np.array(["a", "b", "a", "b"])
    with pytest.warns(UserWarning, match="chosen on 3 of the 4 rows"):
        found = credence.from_predictions(y, {"x": ["a", None, "a", "a"], "y": ["b", "b", "b", "b"]})
    assert [one["rows"] for one in found["candidates"]] == [3, 4]
    assert found["chosen"] == "x"


@pytest.mark.parametrize(
    ("losses", "options", "sentence"),
    [
        ([1, 0, 1], {}, "2 dimensions, rows x candidates, not 1"),
        ([["a", "b"]], {}, "losses must be numbers"),
        (np.zeros((0, 3)), {}, "no candidate has a loss on any row"),
        (np.zeros((3, 0)), {}, "there is no candidate"),
        ({}, {}, "2 dimensions"),
        ([[0, np.inf], [1, 0]], {}, "candidate 'candidate 2', row 1: the loss is not a finite number"),
        (np.zeros((4, 2)), {"groups": [1, 2]}, "there are 4 rows, but groups of 2"),
        (np.zeros((4, 2)), {"groups": [1, 1, 1, 1]}, "at least 2 groups"),
        (np.zeros((4, 2)), {"confidence": 0}, "confidence: 0 is not between 0 and 1"),
        (np.zeros((4, 2)), {"resamples": 1}, "resamples: 1 is not"),
        (np.full((4, 2), np.nan), {}, "no candidate has a loss"),
    ],
    ids=str,
)
def test_nonsense_is_refused(losses, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        credence.honest_error(losses, **options)


def test_nonsense_of_predictions_is_refused():
    with pytest.raises(ValueError, match="'x' has 2 rows, y has 3"):
        credence.from_predictions([1, 2, 1], {"x": [1, 2]})
    with pytest.raises(ValueError, match="there is no candidate"):
        credence.from_predictions([1, 2, 1], {})
    with pytest.raises(ValueError, match="'roc_auc' is no mean of losses"):
        credence.from_predictions([1, 2, 1], {"x": [1, 2, 1]}, scoring="roc_auc")
    for row in ([0.5, np.nan], [-0.5, 1.5], [60, 40], [-2, 3]):
        for scoring in ("neg_log_loss", "neg_brier_score"):
            with pytest.raises(ValueError, match="row 1 of 'x', counted from 0, .* probabilities are at least 0 and sum"):
                credence.from_predictions([1, 2, 1], {"x": [[0.5, 0.5], row, [0.1, 0.9]]}, scoring=scoring)
    with pytest.raises(ValueError, match=r"the shape \(3, 2\), y has \(3,\); of probabilities take the labels"):
        credence.from_predictions([1, 2, 1], {"x": [[0.5, 0.5]] * 3})
    with pytest.raises(ValueError, match="a column for each of the 2 classes"):
        credence.from_predictions([1, 2, 1], {"x": [0.1, 0.2, 0.3]}, scoring="neg_log_loss")
