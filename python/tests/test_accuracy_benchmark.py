"""What benchmarks/accuracy.py makes of its runs, against values by hand."""

import importlib.util
import json
import math
import os
from pathlib import Path

import pytest

SCRIPT = Path(os.environ.get("CREDENCE_SOURCE", "")) / "benchmarks" / "accuracy.py"

pytestmark = [
    pytest.mark.command,
    pytest.mark.skipif(not SCRIPT.is_file(), reason="CREDENCE_SOURCE names no sources with the benchmarks"),
]


@pytest.fixture(scope="module")
def accuracy():
    spec = importlib.util.spec_from_file_location("accuracy_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def runs_of(wrong, part=1, rows=0, test=20, **more):
    """Return runs of one set: the wrong labels of each method in each of five draws."""
    facts = {"of": 100, "train": 80, "test": test, "columns": 3, "texts": 1, "classes": 2}
    costs = {"fit": [2.0, 1.0], "predict": 0.5, "megabytes": 7.0}
    lines = [
        {
            "part": part,
            "set": "a",
            "rows": rows,
            "draw": draw,
            "method": method,
            "wrong": each,
            **facts,
            **costs,
            **more,
        }
        for method, draws in wrong.items()
        for draw, each in enumerate(draws)
    ]
    return {(line["part"], line["set"], line["rows"], line["draw"], line["method"]): line for line in lines}


def test_the_corrected_t_test_has_the_value_by_hand(accuracy):
    # Mean 0.03, variance 0.00025, 1/5 + 0.2/0.8 = 0.45: t = 2 sqrt(2) with 4 degrees of freedom.
    by_hand = 1 - 3 / 4 * math.sqrt(8 / 3) * 7 / 9
    assert accuracy.corrected_p([0.01, 0.02, 0.03, 0.04, 0.05], 0.2) == pytest.approx(by_hand, rel=1e-12)
    assert accuracy.corrected_p([-0.05, -0.04, -0.03, -0.02, -0.01], 0.2) == pytest.approx(by_hand, rel=1e-12)
    assert accuracy.corrected_p([0.0] * 5, 0.2) == 1
    assert accuracy.corrected_p([0.1] * 5, 0.2) == 0


def test_ratios_ranks_and_wins_are_those_by_hand(accuracy):
    wrong = {"credence": [0, 0, 0, 0, 0], "forest": [1, 2, 3, 4, 5], "catboost": [0, 0, 0, 0, 0]}
    runs = runs_of(wrong, log_loss=0.25)
    ours, forest, catboost = accuracy.summary(accuracy.complete(runs, 1, 0, list(wrong)), list(wrong))
    assert [ours["rank"], forest["rank"], catboost["rank"]] == [1.5, 3, 1.5]
    assert forest["ratio"] == 15.5 / 0.5  # half an error beside none
    assert catboost["ratio"] == 1
    assert (forest["better"], forest["worse"], forest["wins"], forest["losses"]) == (1, 0, 1, 0)  # p = 0.047
    assert (catboost["better"], catboost["worse"], catboost["wins"], catboost["losses"]) == (0, 0, 0, 0)
    assert forest["log_loss"] == 0.25
    assert (forest["wall"], forest["cpu"], forest["predict"], forest["megabytes"]) == (2, 1, 25, 7)


def test_the_report_leaves_out_sets_that_lack_a_draw(accuracy):
    runs = runs_of({"credence": [1, 1, 1, 1, 1], "forest": [2, 2, 2, 2]})
    assert accuracy.report(runs, ["credence", "forest"])["groups"] == []
    document = accuracy.report(runs, ["credence"])
    assert document["sets"][0]["errors"] == {"credence": 0.05}
    runs[(1, "a", 0, 0, "credence")]["wheel"] = "another"
    with pytest.raises(SystemExit, match="several wheels"):
        accuracy.report(runs, ["credence"])


def test_a_stopped_run_goes_on_where_it_was(accuracy, tmp_path):
    runs = runs_of({"forest": [1, 2], "catboost": [3, 4], "credence": [5]}, wheel="old")
    lines = list(runs.values())
    lines[1] = {**{key: lines[1][key] for key in ("part", "set", "rows", "draw", "method")}, "failed": "MemoryError: "}
    text = "\n".join(json.dumps(line) for line in lines)
    path = tmp_path / "runs.jsonl"
    path.write_text(text + "\n" + text[:40])  # the last line was cut short
    read = accuracy.read_runs(path)
    missing = [key for key in [*runs, (1, "a", 0, 2, "forest")] if accuracy.lacks(read, key, "old")]
    assert missing == [(1, "a", 0, 1, "forest"), (1, "a", 0, 2, "forest")]  # the failure, and what never ran
    assert accuracy.lacks(read, (1, "a", 0, 0, "credence"), "new")  # of another wheel
    assert not accuracy.lacks(read, (1, "a", 0, 0, "catboost"), "new")
    assert accuracy.read_runs(tmp_path / "none.jsonl") == {}
