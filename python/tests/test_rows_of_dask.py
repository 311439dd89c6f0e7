"""Rows that stay on the workers of Dask, against one process on the same rows: the same bits, whoever dies meanwhile."""

import os
import signal
import threading
import time

import credence
import numpy as np
import pytest
from credence import _dask, distributed
from sklearn.exceptions import NotFittedError

dask = pytest.importorskip("dask")
dask_distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

TIMES = {"seconds", "threads", "relative_seconds", "took"}


def without_times(document):
    if isinstance(document, dict):
        return {k: without_times(value) for k, value in document.items() if k not in TIMES}
    if not isinstance(document, list):
        return document
    return [without_times(value) for value in document if not is_map(value)]


def is_map(block):
    """Whether it is the picture of two columns, which needs all rows in one process."""
    return isinstance(block, dict) and block.get("chart", {}).get("kind") == "decision"


def expect_same(found, one):
    assert without_times(found.result_) == without_times(one.result_)
    assert found.predictor_.__getstate__() == one.predictor_.__getstate__()
    assert found.classes_.tolist() == one.classes_.tolist()
    assert found.n_features_in_ == one.n_features_in_
    assert found.warnings_ == one.warnings_


@pytest.fixture(scope="module")
def client():
    """Return the client of two processes."""
    cluster = dask_distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, dask_distributed.Client(cluster) as client:
        yield client


def search(**changes):
    options = {"C": [1, 10, 100], "gamma": [0.01, 0.1, 1], "cv": 4, "region_size": 150, "partitions": 2, **changes}
    return credence.SVCSearchCV(**options)


def clouds(rows, columns=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    value = X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=rows)
    return X, (value > 0).astype(int) if classes == 2 else np.digitize(value, [-0.5, 0.5])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("block", [1200, 500, 77])
def test_blocks_of_an_array_vs_one_process(client, classes, block):
    X, y = clouds(1200, classes=classes)
    one = search(class_weight="balanced").fit(X, y)
    assert one.result_["set_aside"] == 120
    found = distributed.fit(search(class_weight="balanced"), da.from_array(X, chunks=(block, 2)), y, executor=client)
    expect_same(found, one)
    rows = da.from_array(X, chunks=(block, 4))
    methods = ["predict", "predict_proba", "predict_p", "familiarity"]
    for method in methods + ["decision_function"] * (classes == 2):
        lazy = distributed.predict(found, rows, method)
        assert isinstance(lazy, da.Array)
        said = lazy.compute()
        expected = getattr(one, method)(X)
        assert said.dtype == expected.dtype
        assert np.array_equal(said, expected)


@pytest.mark.parametrize(
    "changes",
    [
        {"estimate": "bbc", "partitions": 1},
        {"estimate": "none", "scale": "minmax"},
        {"p_values": "split"},
        {"scoring": "balanced_accuracy", "partitions": 2},
        {"region_size": None, "method": "regions", "partitions": 1, "loss": "soft", "random_state": 5},
    ],
    ids=str,
)
def test_options_vs_one_process(client, changes):
    X, y = clouds(1000)
    labels = np.where(y == 1, "yes", "no")
    found = distributed.fit(search(**changes), da.from_array(X, chunks=(300, -1)), labels, executor=client)
    expect_same(found, search(**changes).fit(X, labels))


def test_numbers_of_four_bytes_weights_and_groups_vs_one_process(client):
    X, y = clouds(900)
    X = X.astype(np.float32)
    given = {"sample_weight": np.arange(900) % 3 / 2.0, "groups": np.arange(900) // 3}
    one = search(estimate="none").fit(X, y, **given)
    lazy = {name: da.from_array(value, chunks=250) for name, value in given.items()}
    X_lazy, y_lazy = da.from_array(X, chunks=(200, -1)), da.from_array(y, chunks=300)
    expect_same(distributed.fit(search(estimate="none"), X_lazy, y_lazy, executor=client, **lazy), one)


@pytest.mark.parametrize("missing", ["impute", "drop"])
def test_partitions_of_a_frame_vs_one_process(client, missing):
    pandas = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    X, y = clouds(800)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame["kind"] = np.where(X[:, 2] > 1, "rare", np.where(X[:, 2] > 0, "up", "down"))
    frame.loc[790:, "kind"] = "late"  # of the last partition alone
    frame["level"] = pandas.Categorical(np.arange(800) % 3)
    frame.loc[::97, "a"] = np.nan
    frame.loc[5, "kind"] = None
    frame.insert(1, "day", [None if i % 7 == 0 else f"2024-05-{1 + i % 28:02}" for i in range(800)])  # is left out
    labels = pandas.Series(y, index=frame.index, name="answer")
    one = search(missing=missing).fit(frame, labels)
    lazy = dd.from_pandas(frame, npartitions=5)
    found = distributed.fit(search(missing=missing), lazy, dd.from_pandas(labels, npartitions=3), executor=client)
    expect_same(found, one)
    assert found.feature_names_in_.tolist() == one.feature_names_in_.tolist()
    assert one.predictor_.schema.names == [*"abcd", "kind", "level"]
    rows = frame.dropna().assign(day="2025-01-01")
    said = distributed.predict(found, dd.from_pandas(rows, npartitions=4))
    assert isinstance(said, dd.Series)
    assert np.array_equal(said.compute().sort_index(), one.predict(rows))
    shares = distributed.predict(found, dd.from_pandas(rows, npartitions=4), "predict_proba").compute().sort_index()
    assert shares.columns.tolist() == one.classes_.tolist()
    assert np.array_equal(shares, one.predict_proba(rows))


def test_a_column_of_names_is_left_out(client):
    pandas = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    X, y = clouds(300)
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(who=[f"row {i}" for i in range(300)])
    few = search(region_size=100, partitions=1, C=[1], gamma=[1])
    with pytest.warns(UserWarning, match="column 'who' .* is left out") as one:
        few.fit(frame, y)
    with pytest.warns(UserWarning, match="column 'who' .* is left out") as found:
        distributed.fit(few, dd.from_pandas(frame, npartitions=3), y, executor=client)
    assert [str(warning.message) for warning in found] == [str(warning.message) for warning in one]


def test_predictions_compute_nothing_before_they_are_asked(client):
    X, y = clouds(400)
    one = search(partitions=1).fit(X, y)

    def fail(block):
        raise RuntimeError("computed")

    rows = da.from_array(X, chunks=(100, -1)).map_blocks(fail, dtype=float, meta=np.empty((0, 0)))
    lazy = distributed.predict(one, rows)
    assert lazy.shape == (400,)
    with pytest.raises(RuntimeError, match="computed"):
        lazy.compute()


def test_bad_input_is_a_sentence(client):
    X, y = clouds(300)
    rows = da.from_array(X, chunks=(100, -1))
    with pytest.raises(ValueError, match="method='cv' needs all rows in one process; method='regions' leaves"):
        distributed.fit(credence.SVCSearchCV(), rows, y, executor=client)
    with pytest.raises(ValueError, match="give executor=client"):
        distributed.fit(search(), rows, y, executor=2)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        distributed.fit(search(), rows, y[:-1], executor=client)
    X[250, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 is missing in row 250, counted from 0; missing='impute'"):
        distributed.fit(search(), da.from_array(X, chunks=(100, -1)), y, executor=client)
    with pytest.raises(ValueError, match="take model.predict"):
        distributed.predict(search(), X)
    with pytest.raises(NotFittedError):
        distributed.predict(search(), rows)
    with pytest.raises(ValueError, match="method must say what every row gets"):
        distributed.predict(search(), rows, "predict_with_confidence")


def kill_a_busy_worker(client, killed):
    pids = client.run(os.getpid)
    deadline = time.monotonic() + 300
    while not killed and time.monotonic() < deadline:
        busy = [worker for worker, tasks in client.processing().items() if any("_run_group" in str(t) for t in tasks)]
        if busy and busy[0] in pids:
            os.kill(pids[busy[0]], signal.SIGKILL)
            killed.append(busy[0])
        time.sleep(0.01)


def test_a_worker_that_is_killed_changes_nothing(client):
    X, y = clouds(4000)
    one = search(region_size=400).fit(X, y)
    killed = []
    killer = threading.Thread(target=kill_a_busy_worker, args=(client, killed))
    killer.start()
    found = distributed.fit(search(region_size=400), da.from_array(X, chunks=(900, -1)), y, executor=client)
    killer.join()
    assert killed, "no worker was killed"
    expect_same(found, one)


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CREDENCE_SLOW"), reason="takes minutes; CREDENCE_SLOW=1 runs it")
def test_more_rows_than_partitions_are_learnt_from_vs_one_process(client, monkeypatch):
    """Blocks of three sizes, one of them with a worker killed in the middle."""
    rows = 130_000
    X, y = clouds(rows)
    options = {"C": [1, 100], "gamma": [0.1], "region_size": 1000}
    one = search(**options).fit(X, y)
    fetched = []
    some = _dask.RowsOnWorkers.some
    monkeypatch.setattr(
        _dask.RowsOnWorkers, "some", lambda self, wanted: (fetched.append(len(wanted)), some(self, wanted))[1]
    )
    killed = []
    for block in (rows, 40_000, 9_999):
        if block == 40_000:
            killer = threading.Thread(target=kill_a_busy_worker, args=(client, killed))
            killer.start()
        found = distributed.fit(search(**options), da.from_array(X, chunks=(block, -1)), y, executor=client)
        expect_same(found, one)
    killer.join()
    assert killed, "no worker was killed"
    assert max(fetched) < 113_000
    assert np.array_equal(distributed.predict(found, da.from_array(X, chunks=(9_999, -1))).compute(), one.predict(X))
