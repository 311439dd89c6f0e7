"""`Watch` against the command, SciPy's rank test, and its own promise by simulation."""

import json

import credence
import numpy as np
import pytest
from scipy import stats


@pytest.fixture(scope="module")
def model():
    X, y = rows(400, 1)
    return credence.SVC(C=1, gamma=0.2, cv=5).fit(X, y)


def rows(n, seed, shift=0.0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    X = random.normal(size=(n, 3))
    X[:, 0] += np.where(y == 1, 1.5, -1.5) + shift
    return X, y


def test_quiet_rows_and_a_shift(model):
    watch = credence.Watch(model)
    assert not watch.update(rows(1000, 2)[0]).alarm_
    assert "quiet: no change seen in 1000 rows" in repr(watch)
    assert watch.update(rows(500, 3, 4)[0]).alarm_
    assert watch.evidence_ > 100
    stream = watch.result_["streams"][0]
    assert 1000 < stream["alarm_row"] < 1300 and abs(stream["began_row"] - 1000) < 150
    assert watch.result_["columns"][0]["name"] == "x1"
    assert "The evidence, row after row" in watch.report()


@pytest.mark.command
def test_same_state_as_the_command(command, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = rows(300, 4)
    table = pd.DataFrame(X, columns=["x1", "x2", "x3"]).assign(kind=y, id=[f"r{i}" for i in range(300)])
    table.to_csv(tmp_path / "rows.csv", index=False)
    X0, y0 = rows(400, 1)
    model = credence.SVC(C=1, gamma=0.2, cv=5).fit(pd.DataFrame(X0, columns=["x1", "x2", "x3"]), y0)
    model.save(tmp_path / "m.credence")
    command(
        "watch", tmp_path / "m.credence", tmp_path / "rows.csv", "--state", tmp_path / "command.watch",
        "--label", "kind", "--id", "id", "--json", tmp_path / "found.json",
    )  # fmt: skip
    loaded = credence.load(tmp_path / "m.credence")
    watch = credence.Watch(loaded, labels=True)
    for first in (0, 100, 130):
        last = {0: 100, 100: 130, 130: 300}[first]
        watch.update(table[["x1", "x2", "x3"]][first:last], y[first:last], ids=table.id[first:last])
    watch.save(tmp_path / "python.watch")
    assert (tmp_path / "python.watch").read_bytes() == (tmp_path / "command.watch").read_bytes()
    again = credence.Watch.load(tmp_path / "command.watch", loaded)
    wanted = json.loads((tmp_path / "found.json").read_text())
    assert again.result_["streams"] == wanted["streams"] and again.result_["errors"] == wanted["errors"]


def test_late_labels_and_rows_seen_twice(model):
    X, y = rows(100, 5)
    ids = np.arange(100)
    watch = credence.Watch(model, labels=True)
    watch.update(X, [None] * 100, ids).update(X[:60], y[:60], ids[:60]).update(X[:60], y[:60], ids[:60])
    assert [one["rows"] for one in watch.result_["streams"]] == [100, 60]
    wrong = int((model.predict(X[:60]) != y[:60]).sum())
    assert watch.result_["errors"][0]["errors"] == wrong
    assert watch.result_["errors"][1]["rows"] == int((y[:60] == 0).sum())


def test_worse_labels_give_an_alarm(model):
    X, y = rows(2000, 6)
    y[1000:] = np.where(np.random.default_rng(7).random(1000) < 0.4, 1 - y[1000:], y[1000:])
    watch = credence.Watch(model, labels=True).update(X, y)
    assert watch.result_["streams"][0]["alarm_row"] is None
    assert watch.result_["streams"][1]["alarm_row"] > 1000


def test_moved_columns_vs_scipy(model):
    X = rows(300, 8, 4.0)[0]
    watch = credence.Watch(model).update(X)
    began = watch.result_["streams"][0]["began_row"] - 1
    found = {one["name"]: one for one in watch.result_["columns"]}
    known = rows(400, 1)[0]
    for column, name in enumerate(["x1", "x2", "x3"]):
        test = stats.mannwhitneyu(X[began:, column], known[:, column])
        above = test.statistic / (len(X) - began) / len(known)
        assert found[name]["above"] == pytest.approx(above, abs=0.03)  # of 16 bins


def test_false_alarms_are_rare(model):
    alarms = sum(
        credence.Watch(model, alarm=0.2, random_state=k).update(rows(400, 100 + k)[0]).alarm_ for k in range(60)
    )
    assert alarms <= 12 + 8  # 0.2 of 60, and two standard deviations and more


def test_nonsense_is_refused(model, tmp_path):
    X, y = rows(30, 9)
    with pytest.raises(ValueError, match="alarm: 1 is not between 0 and 1"):
        credence.Watch(model, alarm=1)
    with pytest.raises(Exception, match="no fitted model"):
        credence.Watch(credence.SVC())
    watch = credence.Watch(model)
    with pytest.raises(ValueError, match="begun without labels"):
        watch.update(X, y)
    with pytest.raises(ValueError, match="features"):
        watch.update(X[:, :2])
    with pytest.raises(ValueError, match="labels of 3"):
        credence.Watch(model, labels=True).update(X, y[:3])
    watch.update(X).save(tmp_path / "state")
    other = credence.SVC(C=1, gamma=0.2).fit(*rows(400, 11))
    with pytest.raises(ValueError, match="another model"):
        credence.Watch.load(tmp_path / "state", other)
    with pytest.raises(TypeError, match="path must be a str or a path"):
        watch.save(b"state")
    (tmp_path / "state").write_bytes((tmp_path / "state").read_bytes()[:-9])
    with pytest.raises(ValueError, match="damaged"):
        credence.Watch.load(tmp_path / "state", model)
