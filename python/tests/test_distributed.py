"""Selections and comparisons in shards, against those of one process: the same bits, whoever dies meanwhile."""

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import credence
import joblib
import numpy as np
import pytest
from credence import distributed
from credence._executors import is_loss, run_calls, threads_of_shard
from sklearn.model_selection import RepeatedStratifiedKFold

TIMES = {"seconds", "threads", "relative_seconds"}


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


@pytest.fixture(autouse=True)
def every_shard_alone(monkeypatch):
    """Send small shards about one by one."""
    monkeypatch.setattr(distributed, "_LEAST_ROWS", 0)


def search(**changes):
    return credence.SVCSearchCV(**{"C": [1, 10, 100], "gamma": [0.01, 0.1, 1, "scale"], "cv": 4, **changes})


EXECUTORS = {
    "this process": lambda: None,
    "loky": lambda: 2,
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": lambda: ProcessPoolExecutor(2),
    "maker of processes": lambda: lambda: ProcessPoolExecutor(2),
}


@pytest.mark.parametrize("kind", EXECUTORS)
def test_gammas_and_outer_folds_vs_one_process(clouds, kind):
    one = search(estimate="nested", random_state=5).fit(*clouds)
    found = distributed.fit(search(estimate="nested", random_state=5), *clouds, executor=EXECUTORS[kind]())
    expect_same(found, one, clouds[0])


def test_the_backend_of_parallel_config_is_taken(clouds):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        found = distributed.fit(search(), *clouds)
    expect_same(found, search().fit(*clouds), clouds[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"scoring": "roc_auc"},
        {"scoring": "neg_log_loss"},
        {"rule": "one_se"},
        {"class_weight": "balanced"},
        {"kernel": "linear", "gamma": None},
        {"kernel": ["linear", "rbf", "laplacian"], "scale": ["quantile", "standard"], "estimate": "nested"},
        {"cv": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)},
        {"method": "holdout", "cv": None, "estimate": "nested"},
    ],
    ids=str,
)
def test_options_vs_one_process(clouds, changes):
    expect_same(
        distributed.fit(search(**changes), *clouds, executor=ThreadPoolExecutor(2)),
        search(**changes).fit(*clouds),
        clouds[0],
    )


def test_three_classes_weights_and_groups_vs_one_process(clouds):
    X, _ = clouds
    y = np.digitize(X[:, 0], [-0.5, 0.5]).astype(str)
    given = {"sample_weight": 1.0 + np.arange(400) % 3, "groups": np.arange(400) // 4}
    found = distributed.fit(search(), X, y, executor=ThreadPoolExecutor(2), **given)
    expect_same(found, search().fit(X, y, **given), X)
    assert found.best_estimator_.predict(X[:5]).tolist() == found.predict(X[:5]).tolist()


def test_generators_of_splits_and_of_random_numbers_are_used_once(clouds):
    X, y = clouds
    pairs = [(np.arange(200), np.arange(200, 400)), (np.arange(200, 400), np.arange(200))]
    found = distributed.fit(search(cv=iter(pairs)), X, y, executor=ThreadPoolExecutor(2))
    expect_same(found, search(cv=pairs).fit(X, y), X)
    state = np.random.RandomState(1)
    found = distributed.fit(search(random_state=state), X, y, executor=ThreadPoolExecutor(2))
    expect_same(found, search(random_state=np.random.RandomState(1)).fit(X, y), X)


def test_regressions_of_relevance_vector_machines_vs_one_process():
    x = np.linspace(-10, 10, 120).reshape(-1, 1)
    y = np.sinc(x.ravel() / np.pi)
    one = credence.RVRSearchCV(method="cv", cv=3).fit(x, y)
    found = distributed.fit(
        credence.RVRSearchCV(method="cv", cv=3), x, y, executor=ThreadPoolExecutor(2)
    )
    assert without_times(found.result_) == without_times(one.result_)
    assert found.predictor_.__getstate__() == one.predictor_.__getstate__()


@pytest.mark.parametrize("classes", [2, 3])
def test_cells_of_the_feature_space_vs_one_process(clouds, classes):
    X, y = clouds
    y = y if classes == 2 else np.digitize(X[:, 0], [-0.5, 0.5])
    one = search(cells=100, class_weight="balanced").fit(X, y)
    expected = without_times(one.result_)
    for executor in (ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2)):
        found = distributed.fit(search(cells=100, class_weight="balanced"), X, y, executor=executor)
        assert without_times(found.result_) == expected
        assert found.predictor_.__getstate__() == one.predictor_.__getstate__()
        assert np.array_equal(found.predict_p(X), one.predict_p(X))


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "neg_log_loss", "cost"])
def test_cells_that_choose_by_another_score_vs_one_process(clouds, scoring):
    X, y = clouds
    costs = {"cost": f"{y.min()}:{y.max()}=3"} if scoring == "cost" else {}
    one = search(cells=100, scoring=scoring, **costs).fit(X, y)
    assert one.result_["honest"]["score"] != "error"
    expected = without_times(one.result_)
    found = distributed.fit(search(cells=100, scoring=scoring, **costs), X, y, executor=ThreadPoolExecutor(2))
    assert without_times(found.result_) == expected
    assert found.predictor_.__getstate__() == one.predictor_.__getstate__()


@pytest.mark.parametrize("measure", ["nn-ratio", "nn-own"])
def test_blocks_of_nearest_neighbours_vs_one_process(clouds, measure, monkeypatch):
    monkeypatch.setattr(distributed, "_BLOCKS", {"block_rows": 150, "query_rows": 90})
    machine = credence.FullConformalKNeighborsClassifier(measure=measure, n_neighbors=2, scale="standard")
    one = machine.fit(*clouds).predictor_.__getstate__()
    for executor in (ThreadPoolExecutor(2), None):
        found = credence.FullConformalKNeighborsClassifier(measure=measure, n_neighbors=2, scale="standard")
        assert distributed.fit(found, *clouds, executor=executor) is found
        assert found.predictor_.__getstate__() == one


def test_comparisons_vs_one_process(clouds):
    X, y = clouds
    options = {"outer_folds": 3, "repeats": 2, "C": [1, 10], "gamma": [0.1, 1], "random_state": 2}
    one = credence.compare(X, y, ["cv", "holdout"], **options)
    found = distributed.compare(X, y, ["cv", "holdout"], executor=ThreadPoolExecutor(2), **options)
    assert without_times(found) == without_times(one)
    sets = {"whole": (X, y), "one class": (X[:20], np.zeros(20)), "half": (X[:200], y[:200])}
    several = distributed.compare_sets(sets, ["cv", "holdout"], executor=ThreadPoolExecutor(2), **options)
    assert list(several) == list(sets)
    assert without_times(several["whole"]) == without_times(one)
    half = credence.compare(X[:200], y[:200], ["cv", "holdout"], **options)
    assert without_times(several["half"]) == without_times(half)
    assert several["one class"]["status"] == "failed"
    assert "a classifier needs at least two classes" in several["one class"]["error"]


def test_a_set_that_fails_within_a_shard_does_not_end_the_others(clouds):
    X, y = clouds
    lonely = np.r_[np.zeros(29), 1]  # the outer fold that holds out the only row of a class leaves one class to train
    options = {"outer_folds": 3, "C": [1], "gamma": [0.1], "executor": ThreadPoolExecutor(2)}
    several = distributed.compare_sets({"lonely": (X[:30], lonely), "fine": (X, y)}, ["cv"], **options)
    assert several["fine"]["status"] == "complete"
    assert several["lonely"]["status"] == "failed"
    assert several["lonely"]["error"].startswith("fold ")


def test_bad_input_is_a_sentence(clouds):
    with pytest.raises(ValueError, match="the rule average needs the scores of all settings in one place.*rule best"):
        distributed.fit(credence.SearchCV(), *clouds)
    with pytest.raises(ValueError, match="loo has no shards of its own"):
        distributed.fit(credence.SVCSearchCV(method="loo"), *clouds, executor=2)
    with pytest.raises(TypeError, match="executor must be None, a number of workers"):
        distributed.fit(search(), *clouds, executor="dask")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        distributed.fit(search(), clouds[0], clouds[1][:-1], executor=2)


def test_the_time_limit_holds_in_shards(clouds):
    with pytest.raises(TimeoutError):
        distributed.fit(search(time_limit=1e-6), *clouds, executor=ThreadPoolExecutor(2))


def test_threads_of_a_shard(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert threads_of_shard(None) == 1
    assert threads_of_shard(3) == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert threads_of_shard(None) == 2


def double_unless_first(folder, number):
    """Double the number; the process of the first call of number 3 dies."""
    if number == 3:
        try:
            (Path(folder) / "died").touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def die(folder, number):
    os.kill(os.getpid(), signal.SIGKILL)


CALLS = [(0, number) for number in range(6)]


@pytest.mark.parametrize("executor", [lambda: ProcessPoolExecutor(2), 2], ids=["processes", "loky"])
def test_what_died_with_a_worker_is_sent_again(tmp_path, executor):
    assert run_calls(double_unless_first, [str(tmp_path)], CALLS, executor, 3) == [0, 2, 4, 6, 8, 10]
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("executor", [lambda: ProcessPoolExecutor(1), 2], ids=["processes", "loky"])
def test_shards_that_always_kill_their_worker_end_in_a_sentence(tmp_path, executor):
    with pytest.raises(distributed.LostShardsError, match="a shard was sent 2 times"):
        run_calls(die, [str(tmp_path)], CALLS[:1], executor, 1)


def test_a_broken_executor_that_cannot_be_made_anew_is_a_sentence(tmp_path):
    with (
        ProcessPoolExecutor(2) as executor,
        pytest.raises(distributed.LostShardsError, match="give a function that makes an executor"),
    ):
        run_calls(double_unless_first, [str(tmp_path)], CALLS, executor, 3)


@pytest.fixture(scope="module")
def cluster():
    """Return a Dask cluster of two processes, and its client."""
    dask = pytest.importorskip("distributed")
    cluster = dask.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, dask.Client(cluster) as client:
        yield client


def test_dask_vs_one_process(cluster, clouds):
    one = search(estimate="nested").fit(*clouds)
    for executor in (cluster, cluster.get_executor()):
        expect_same(distributed.fit(search(estimate="nested"), *clouds, executor=executor), one, clouds[0])


def test_threads_of_the_workers_of_dask(cluster):
    assert set(cluster.run(threads_of_shard, None).values()) == {1}


def test_dask_with_a_worker_killed_in_the_middle_vs_one_process(cluster, clouds):
    """The worker dies while it computes a gamma, and takes with it what it has of the data and of other results."""
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

    one = search().fit(X, y)
    killer = threading.Thread(target=kill_a_busy_worker)
    killer.start()
    found = distributed.fit(search(), X, y, executor=cluster)
    killer.join()
    assert killed, "no worker was killed"
    expect_same(found, one, X)


def test_losses_of_dask_are_known():
    dask = pytest.importorskip("distributed")
    problem = dask.KilledWorker("task", None, 3)
    assert is_loss(problem)
    assert not is_loss(ValueError("a sentence"))
