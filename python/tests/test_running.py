import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from types import SimpleNamespace

import credence
import joblib
import numpy as np
import pytest
from credence import SVC, SVCSearchCV
from credence._run import thread_count
from sklearn.exceptions import ConvergenceWarning, NotFittedError

LONG = {"C": "2^-5:2^15:x1.1", "gamma": "2^-15:2^3:x1.1", "random_state": 0}


def fit_until_the_limit(search, X, y):
    """Fit a search that its limit ends, whether a setting was judged by then or none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            search.fit(X, y)
        except TimeoutError:
            pass


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import credence

# Shells start jobs in the background with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

X = np.random.default_rng(0).normal(size=(3000, 20))
y = np.random.default_rng(1).integers(0, 2, 3000)
estimator, sent = {estimator}, []

def interrupt():
    time.sleep(1.0)
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    estimator.fit(X, y)
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
    sys.exit(0)
sys.exit("the fit ended before the signal")
"""


@pytest.mark.parametrize(
    "estimator",
    [
        "credence.SVCSearchCV(C='2^-5:2^15:x1.5', gamma='2^-15:2^3:x1.5', n_jobs=2)",
        "credence.SVC(C=1e6, gamma=0.01, tol=1e-9)",
        "credence.RVC(sigma=1.0, centres=2000)",
    ],
    ids=["SVCSearchCV", "SVC", "RVC"],
)
def test_ctrl_c_stops_a_fit_within_half_a_second(estimator):
    code = INTERRUPTED.format(estimator=estimator)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.5


USED_AGAIN = """
import os, signal, sys, threading
import credence

signal.signal(signal.SIGINT, signal.default_int_handler)

X, y = credence.datasets.load_breast_cancer(return_X_y=True)
search = credence.SVCSearchCV(C={C!r}, gamma={gamma!r})
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    search.fit(X, y)
    sys.exit("the fit ended before the signal")
except KeyboardInterrupt:
    assert not hasattr(search, "predictor_")
assert search.set_params(C=[1], gamma=[0.01]).fit(X, y).score(X, y) > 0.9
"""


def test_ctrl_c_leaves_the_estimator_unfitted_and_usable():
    """In a process of its own: other packages take hold of the signal too."""
    code = USED_AGAIN.format(**LONG)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_other_threads_go_on_during_a_fit(breast_cancer):
    X, y = breast_cancer
    turns, over = [0], threading.Event()

    def count():
        while not over.wait(0.002):
            turns[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    fit_until_the_limit(SVCSearchCV(**LONG, time_limit=0.5, n_jobs=1), X, y)
    over.set()
    counter.join()
    assert turns[0] > 20


def most_threads(**options):
    """Return how many threads a fit adds to those of the process, the one that works included."""
    X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    most, over = [0], threading.Event()

    def watch():
        while not over.wait(0.002):
            most[0] = max(most[0], len(os.listdir("/proc/self/task")))

    watcher = threading.Thread(target=watch)
    watcher.start()
    before = len(os.listdir("/proc/self/task"))
    try:
        fit_until_the_limit(SVCSearchCV(**LONG, time_limit=0.4, **options), X, y)
    finally:
        over.set()
        watcher.join()
    return most[0] - before


COUNT = """
import sys
sys.path.insert(0, {folder!r})
from test_running import most_threads
print(most_threads({options}))
"""


def threads_of(options, **environment):
    """Return the number in a fresh process, since threads of a pool stay."""
    code = COUNT.format(folder=os.path.dirname(__file__), options=options)
    variables = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**variables, **environment}, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_threads_of_a_fit():
    assert threads_of("", OMP_NUM_THREADS="1") <= 1
    assert threads_of("n_jobs=1", OMP_NUM_THREADS="8") <= 1
    assert threads_of("n_jobs=2", OMP_NUM_THREADS="1") == 2


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_threads_in_the_workers_of_loky():
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(most_threads)() for _ in range(2))
    assert max(found) <= 1


@pytest.mark.parametrize(
    ("n_jobs", "variable", "wanted"),
    [(1, None, 1), (5, None, 5), (None, "3", 3), (None, "3,2", 3), (2, "3", 2), (-1, "1", joblib.cpu_count())],
)
def test_count_of_threads(monkeypatch, n_jobs, variable, wanted):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if variable is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", variable)
    assert thread_count(n_jobs) == wanted


def test_counts_of_threads_may_be_numpys():
    assert thread_count(np.int64(4)) == 4


def test_progress_is_one_line(breast_cancer, capfd):
    X, y = breast_cancer
    fit_until_the_limit(SVCSearchCV(**LONG, time_limit=0.6, verbose=1), X, y)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "SVCSearchCV: |" in shown.err
    assert shown.err.startswith("\r") and shown.err.count("\n") == 1 and shown.err.endswith("\n")


def test_silence_is_the_default(breast_cancer, capfd):
    X, y = breast_cancer
    SVCSearchCV(C=[1, 10], gamma=[0.01], cv=3).fit(X, y).predict(X)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("method", ["cv", "nonconformity", "bootstrap"])
def test_results_do_not_depend_on_n_jobs(breast_cancer, method):
    X, y = breast_cancer
    grid = {"C": [0.1, 1, 10], "gamma": [0.01, 0.1]}
    one, two = (SVCSearchCV(method=method, **grid, n_jobs=n).fit(X[::2], y[::2]) for n in (1, 2))
    assert np.array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    assert one.honest_error_ == two.honest_error_
    assert np.array_equal(one.predict_p(X), two.predict_p(X))


def test_unfamiliar_rows_warn_the_line_that_calls(breast_cancer):
    """Rows of another kind, every column times 1,000, are unlike the training rows; the search's own rows are not."""
    X, y = breast_cancer
    search = SVCSearchCV(kernel="linear", C=[1], cv=3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.predict_p(X)
    for call in (search.predict_p, search.predict_with_confidence):
        with pytest.warns(UserWarning, match="unlike the training rows") as caught:
            call(1000 * X)
        assert [warning.filename for warning in caught] == [__file__]


def test_fits_in_threads_at_once(breast_cancer):
    X, y = breast_cancer
    wanted = SVC(C=10, gamma=0.01).fit(X, y).decision_function(X)
    found = joblib.Parallel(n_jobs=4, backend="threading")(
        joblib.delayed(lambda: SVC(C=10, gamma=0.01).fit(X, y).decision_function(X))() for _ in range(8)
    )
    assert all(np.array_equal(one, wanted) for one in found)


def test_time_limit_is_kept(breast_cancer):
    X, y = breast_cancer
    start = time.perf_counter()
    fit_until_the_limit(SVCSearchCV(**LONG, time_limit=0.2), X, y)
    assert time.perf_counter() - start < 2


def test_a_search_that_the_limit_ends_leaves_its_best_setting(breast_cancer):
    X, y = breast_cancer
    with pytest.warns(UserWarning, match="TIME LIMIT: partial result") as caught:
        search = SVCSearchCV(C=[1, 10], gamma="2^-9:2^3:x1.001", cv=10, time_limit=3).fit(X[::3], y[::3])
    judged = np.isfinite(search.cv_results_["mean_test_score"]).sum()
    assert 0 < judged < len(search.cv_results_["params"])
    assert search.result_["reached"]["settings"] == judged
    assert f"partial result, {judged} of " in str(caught[-1].message)
    assert "trained on all rows" in str(caught[-1].message) and search.warnings_[-1] == str(caught[-1].message)
    assert search.result_["warnings"] == search.warnings_
    # What predicts is the setting that is named, trained alone.
    alone = credence.SVC(**search.best_params_).fit(X[::3], y[::3])
    assert (search.predict(X) == alone.predict(X)).mean() > 0.99
    assert "partial result" in search.summary()


def far_from_zero(offset):
    """Return two clean classes, with one column far from 0."""
    random = np.random.default_rng(3)
    y = np.arange(120) % 2
    return np.column_stack([offset + random.normal(size=120), 4 * y + random.normal(size=120)]), y


BEYOND = "C times the largest kernel value is .*scale the columns, or take a smaller C"


@pytest.mark.filterwarnings("ignore:.*(reaches|border|mostly missed|approximate).*")
def test_kernel_values_beyond_single_precision_are_warned_of():
    X, y = far_from_zero(2e5)
    for estimator in (
        SVC(kernel="linear", scale="none"),
        SVC(kernel="polynomial", gamma=1, degree=2, scale="none", max_steps=100000),
        SVCSearchCV(kernel="linear", C=[1, 2], scale="none", cv=3),
    ):
        with pytest.warns(UserWarning, match=BEYOND):
            try:
                estimator.fit(X, y)
            except TimeoutError as stopped:  # no model, and the reason beside
                warnings.warn(str(stopped), UserWarning, stacklevel=1)
    near, y = far_from_zero(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC(kernel="linear").fit(X, y)
        SVC(kernel="linear", scale="none").fit(near, y)
        SVC(C=32768).fit(near, y)


def test_a_training_that_kernel_values_stop_says_so():
    X, y = far_from_zero(2e5)
    with pytest.warns(UserWarning, match=BEYOND), pytest.warns(ConvergenceWarning):
        SVC(kernel="linear", scale="none", max_steps=1).fit(X, y)
    near, y = far_from_zero(5)
    with pytest.warns(ConvergenceWarning) as said:
        SVC(kernel="linear", scale="none", max_steps=1).fit(near, y)
    assert not any("kernel value" in str(warning.message) for warning in said)


def test_all_parts_of_a_fit_share_one_time_limit(breast_cancer, monkeypatch):
    X, y = breast_cancer
    problem = SVCSearchCV._problem

    def slow_problem(*arguments, **parameters):
        time.sleep(3)
        return problem(*arguments, **parameters)

    monkeypatch.setattr(SVCSearchCV, "_problem", slow_problem)
    start = time.perf_counter()
    fit_until_the_limit(SVCSearchCV(**LONG, time_limit=4), X, y)
    assert time.perf_counter() - start < 6  # and not 7, as with a limit for each


def test_a_search_without_time_for_its_model_keeps_what_it_found(breast_cancer, monkeypatch):
    X, y = breast_cancer
    search = SVCSearchCV(C=[1, 10], gamma="2^-9:2^3:x1.001", cv=10, time_limit=2)
    run = credence._core.run

    def without_model(*arguments):
        found = run(*arguments)
        names = ("selection", "document", "training_seconds")
        return SimpleNamespace(model=None, unfinished="TIME LIMIT: no time", **{name: getattr(found, name) for name in names})

    monkeypatch.setattr(credence._core, "run", without_model)
    with pytest.warns(UserWarning, match="TIME LIMIT"):
        search.fit(X[::3], y[::3])
    assert search.best_params_["C"] in (1, 10)
    assert len(search.selection_) == len(search.cv_results_["params"])
    with pytest.raises(NotFittedError, match="has no model: TIME LIMIT: no time"):
        search.predict(X)
