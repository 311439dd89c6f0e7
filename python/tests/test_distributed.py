"""Selections in shards, against those of one process: the same bits, whoever dies meanwhile."""

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import credence
import numpy as np
import pytest
from credence import distributed
from credence._executors import refuse_lost_shards, run_calls, threads_of_shard

TIMES = {"seconds", "threads", "relative_seconds", "took"}


def without_times(document):
    if isinstance(document, dict):
        return {name: without_times(value) for name, value in document.items() if name not in TIMES}
    return [without_times(value) for value in document] if isinstance(document, list) else document


def expect_same(found, one, X):
    assert without_times(found.result_) == without_times(one.result_)
    assert found.predictor_.__getstate__() == one.predictor_.__getstate__()
    assert np.array_equal(found.predict_p(X), one.predict_p(X))
    assert found.best_params_ == one.best_params_
    assert found.warnings_ == one.warnings_


@pytest.fixture(scope="module")
def clouds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=400) > 0).astype(int)


def search(**changes):
    return credence.SVCSearchCV(**{"C": [1, 10, 100], "gamma": [0.01, 0.1, 1, "scale"], "cv": 4, **changes})


def nested(**changes):
    """Return a search whose outer folds are shards."""
    return search(**{"estimate": "nested", **changes})


EXECUTORS = {
    "this process": lambda: None,
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": lambda: ProcessPoolExecutor(2),
}


@pytest.mark.parametrize("kind", EXECUTORS)
def test_outer_folds_vs_one_process(clouds, kind):
    one = nested(random_state=5).fit(*clouds)
    found = distributed.fit(nested(random_state=5), *clouds, executor=EXECUTORS[kind]())
    expect_same(found, one, clouds[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"scoring": "roc_auc"},
        {"scoring": "neg_log_loss"},
        {"rule": "one_se"},
        {"class_weight": "balanced"},
        {"kernel": "linear", "gamma": None},
        {"kernel": ["linear", "rbf", "laplacian"], "scale": ["quantile", "standard"]},
        {"method": "holdout", "cv": None},
        {"method": "loo", "cv": None, "C": [1, 10], "gamma": [0.1]},
    ],
    ids=str,
)
def test_options_vs_one_process(clouds, changes):
    expect_same(
        distributed.fit(nested(**changes), *clouds, executor=ThreadPoolExecutor(2)),
        nested(**changes).fit(*clouds),
        clouds[0],
    )


def test_three_classes_weights_and_groups_vs_one_process(clouds):
    X, _ = clouds
    y = np.digitize(X[:, 0], [-0.5, 0.5]).astype(str)
    given = {"sample_weight": 1.0 + np.arange(400) % 3, "groups": np.arange(400) // 4}
    found = distributed.fit(nested(), X, y, executor=ThreadPoolExecutor(2), **given)
    expect_same(found, nested().fit(X, y, **given), X)
    assert found.best_estimator_.predict(X[:5]).tolist() == found.predict(X[:5]).tolist()


def test_generators_of_splits_and_of_random_numbers_are_used_once(clouds):
    X, y = clouds
    pairs = [(np.setdiff1d(np.arange(400), test), test) for test in np.arange(400).reshape(4, 100)]
    found = distributed.fit(nested(cv=iter(pairs)), X, y, executor=ThreadPoolExecutor(2))
    expect_same(found, nested(cv=pairs).fit(X, y), X)
    assert any("outer folds are drawn anew" in sentence for sentence in found.warnings_)
    state = np.random.RandomState(1)
    found = distributed.fit(nested(random_state=state), X, y, executor=ThreadPoolExecutor(2))
    expect_same(found, nested(random_state=np.random.RandomState(1)).fit(X, y), X)


@pytest.mark.parametrize("classes", [2, 3])
def test_regions_of_the_feature_space_vs_one_process(clouds, classes):
    X, y = clouds
    y = y if classes == 2 else np.digitize(X[:, 0], [-0.5, 0.5])
    one = search(region_size=100, class_weight="balanced").fit(X, y)
    expected = without_times(one.result_)
    for executor in (ThreadPoolExecutor(2), ProcessPoolExecutor(2)):
        found = distributed.fit(search(region_size=100, class_weight="balanced"), X, y, executor=executor)
        assert without_times(found.result_) == expected
        assert found.predictor_.__getstate__() == one.predictor_.__getstate__()
        assert np.array_equal(found.predict_p(X), one.predict_p(X))


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "neg_log_loss", "cost"])
def test_regions_that_choose_by_another_score_vs_one_process(clouds, scoring):
    X, y = clouds
    costs = {"cost": f"{y.min()}:{y.max()}=3"} if scoring == "cost" else {}
    one = search(region_size=100, scoring=scoring, **costs).fit(X, y)
    assert one.result_["honest"]["score"] != "error"
    expected = without_times(one.result_)
    found = distributed.fit(search(region_size=100, scoring=scoring, **costs), X, y, executor=ThreadPoolExecutor(2))
    assert without_times(found.result_) == expected
    assert found.predictor_.__getstate__() == one.predictor_.__getstate__()


def test_bad_input_is_a_sentence(clouds):
    with ThreadPoolExecutor(2) as pool:
        for without_shards in (credence.SearchCV(), search(), credence.SVCSearchCV(method="loo")):
            with pytest.raises(ValueError, match="has no shards of its own: .*; ask for one of these, or fit in one pro"):
                distributed.fit(without_shards, *clouds, executor=pool)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            distributed.fit(nested(), clouds[0], clouds[1][:-1], executor=pool)
        with pytest.raises(TypeError, match="KNeighborsClassifier has no shards; its own fit.X, y. does the work in one"):
            distributed.fit(credence.FullConformalKNeighborsClassifier(), *clouds, executor=pool)
    for executor in ("dask", 2, lambda: ThreadPoolExecutor(2)):
        with pytest.raises(TypeError, match="executor must be None, an Executor of concurrent.futures, such as"):
            distributed.fit(nested(), *clouds, executor=executor)


def test_the_time_limit_holds_in_shards(clouds):
    with pytest.raises(TimeoutError):
        distributed.fit(nested(time_limit=1e-6), *clouds, executor=ThreadPoolExecutor(2))


def test_threads_of_a_shard(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert threads_of_shard(None) == 1
    assert threads_of_shard(3) == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert threads_of_shard(None) == 2


def die(folder, number):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_is_a_sentence():
    with (
        ProcessPoolExecutor(2) as executor,
        pytest.raises(distributed.LostShardsError, match="a worker died under a shard, .* A Client of Dask runs a shard"),
    ):
        run_calls(die, None, range(6), executor)


@pytest.fixture(scope="module")
def cluster():
    """Return a Dask cluster of two processes, and its client."""
    dask = pytest.importorskip("distributed")
    cluster = dask.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, dask.Client(cluster) as client:
        yield client


def test_dask_vs_one_process(cluster, clouds):
    one = nested().fit(*clouds)
    for executor in (cluster, cluster.get_executor()):
        expect_same(distributed.fit(nested(), *clouds, executor=executor), one, clouds[0])


def test_threads_of_the_workers_of_dask(cluster):
    assert set(cluster.run(threads_of_shard, None).values()) == {1}


@pytest.mark.parametrize("changes", [{"estimate": "nested"}, {"region_size": 200}], ids=["outer folds", "regions"])
def test_dask_with_a_worker_killed_in_the_middle_vs_one_process(cluster, changes):
    """The worker dies while it computes a shard, and takes with it what it has of the data and of other results."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1500, 5))
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=1500) > 0).astype(int)
    killed = []

    def kill_a_busy_worker():
        pids = cluster.run(os.getpid)
        deadline = time.monotonic() + 20
        while not killed and time.monotonic() < deadline:
            busy = [worker for worker, shards in cluster.processing().items() if any("_run" in str(t) for t in shards)]
            if busy and busy[0] in pids:
                os.kill(pids[busy[0]], signal.SIGKILL)
                killed.append(busy[0])
            time.sleep(0.01)

    one = search(**changes).fit(X, y)
    killer = threading.Thread(target=kill_a_busy_worker)
    killer.start()
    found = distributed.fit(search(**changes), X, y, executor=cluster)
    killer.join()
    assert killed, "no worker was killed"
    assert without_times(found.result_) == without_times(one.result_)
    assert found.predictor_.__getstate__() == one.predictor_.__getstate__()


def test_losses_of_dask_are_known():
    dask = pytest.importorskip("distributed")
    problem = dask.KilledWorker("task", None, 3)
    with pytest.raises(distributed.LostShardsError):
        refuse_lost_shards(problem)
    refuse_lost_shards(ValueError("a sentence"))  # which is another problem
