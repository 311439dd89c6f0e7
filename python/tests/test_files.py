import pickle
import stat

import credence
import numpy as np
import pytest
from credence import RVC, RVR, SVC, SVCSearchCV
from sklearn.linear_model import LogisticRegression


@pytest.fixture(scope="module")
def saved(breast_cancer, tmp_path_factory):
    X, y = breast_cancer
    machine = SVC(C=10, gamma=0.01, cv=3).fit(X[:150], y[:150])
    path = tmp_path_factory.mktemp("files") / "machine.credence"
    machine.save(path)
    return machine, path, path.read_bytes()


def test_a_file_gives_the_estimator_back(saved, breast_cancer):
    X, _ = breast_cancer
    machine, path, _ = saved
    for loaded in (credence.load(path), credence.load(str(path))):
        assert loaded.classes_.tolist() == machine.classes_.tolist()
        for method in ("predict", "decision_function", "predict_proba", "predict_p"):
            assert np.array_equal(getattr(loaded, method)(X), getattr(machine, method)(X)), method
        assert loaded.n_features_in_ == 30
        assert np.array_equal(pickle.loads(pickle.dumps(loaded)).predict(X), machine.predict(X))
    with pytest.raises(TypeError, match="file"):
        loaded.fit(X)


def test_a_loaded_model_knows_its_honest_error(breast_cancer, saved, tmp_path):
    X, y = breast_cancer
    search = SVCSearchCV(C=[1, 10], gamma=[0.01], cv=3).fit(X[:150], y[:150])
    search.save(tmp_path / "model")
    loaded = credence.load(tmp_path / "model")
    assert float(loaded.honest_error_) == float(search.honest_error_)
    assert (loaded.honest_error_.lower, loaded.honest_error_.upper) == (
        search.honest_error_.lower,
        search.honest_error_.upper,
    )
    assert repr(search.honest_error_) in repr(loaded)
    assert "benign, malignant" in repr(loaded)
    assert repr(pickle.loads(pickle.dumps(loaded))) == repr(loaded)
    trained = credence.load(saved[1])
    assert trained.honest_error_ is None
    assert "no honest error recorded" in repr(trained)


def test_files_of_other_models(breast_cancer, tmp_path):
    X, y = breast_cancer
    X, y = X[:100], y[:100]
    estimators = [RVC(sigma=1.0), SVCSearchCV(method="nonconformity", C=[1, 10], gamma=[0.01]), SVC(nu=0.1)]
    for estimator in estimators:
        credence.save(estimator.fit(X, y), tmp_path / "model")
        assert np.array_equal(credence.load(tmp_path / "model").predict(X), estimator.predict(X))
    machine = RVR(sigma=1.0).fit(X, X[:, 0])
    machine.save(tmp_path / "model")
    assert np.array_equal(credence.load(tmp_path / "model").predict(X), machine.predict(X))


def test_codes_of_the_training_file_are_missing_in_frames(command, tmp_path):
    pandas = pytest.importorskip("pandas")
    x = np.where(np.arange(60) % 6 == 0, -99, np.arange(60) % 7)
    table = pandas.DataFrame({"x": x, "z": np.arange(60) % 5 - 99, "y": np.where(x > 3, "b", "a")})
    table.to_csv(tmp_path / "t.csv", index=False)
    command("train", tmp_path / "t.csv", "--missing", "impute", "--na", "x=-99", "-o", tmp_path / "m", "--quiet")
    loaded = credence.load(tmp_path / "m")
    rows = table[["x", "z"]]
    missing = rows.assign(x=rows["x"].where(rows["x"] != -99))
    assert np.array_equal(loaded.decision_function(rows), loaded.decision_function(missing))
    assert (rows["x"] == -99).sum() == 10


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], ["b", "a"], [1.0, 2.0], [False, True]], ids=str)
def test_labels_come_back_with_their_type(breast_cancer, tmp_path, labels):
    X, y = breast_cancer
    y = np.asarray(labels)[(y[:80] == "benign").astype(int)]
    machine = SVC().fit(X[:80], y)
    machine.save(tmp_path / "model")
    loaded = credence.load(tmp_path / "model")
    if isinstance(labels[0], bool):
        assert loaded.predict(X[:80]).tolist() == [str(label) for label in machine.predict(X[:80])]
    else:
        assert np.array_equal(loaded.predict(X[:80]), machine.predict(X[:80]))


def test_truncated_files_are_refused(saved, tmp_path):
    content = saved[2]
    path = tmp_path / "short"
    for size in [0, 1, 7, 8, 15, 16, 20, 24, *range(25, len(content), len(content) // 40), len(content) - 1]:
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            credence.load(path)


def test_files_with_one_changed_byte_are_refused(saved, tmp_path):
    content = saved[2]
    path = tmp_path / "changed"
    rng = np.random.default_rng(0)
    for place in [*range(24), *rng.integers(0, len(content), 60)]:
        changed = bytearray(content)
        changed[place] ^= 0x55
        path.write_bytes(bytes(changed))
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            credence.load(path)


@pytest.mark.parametrize(
    "content",
    [b"hello\n", b"\x89PNG\r\n\x1a\n" + bytes(100), b"svm_type c_svc\nkernel_type rbf\n"],
    ids=["text", "png", "libsvm"],
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        credence.load(path)


def test_changed_pickles_are_refused(saved):
    content = bytearray(pickle.dumps(saved[0]))
    place = content.find(b"CRDNC") + 400
    content[place] ^= 0x55
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        pickle.loads(bytes(content))


def test_missing_files_and_folders(saved, tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        credence.load(tmp_path / "nowhere.credence")
    with pytest.raises(OSError, match=tmp_path.name):
        credence.load(tmp_path)
    with pytest.raises(OSError, match="nowhere"):
        saved[0].save(tmp_path / "nowhere" / "model.credence")


def test_a_save_that_fails_leaves_the_older_file_whole(saved, breast_cancer, tmp_path, monkeypatch):
    X, y = breast_cancer
    older = saved[2]
    folder = tmp_path / "model.credence"
    folder.mkdir()
    with pytest.raises(OSError):
        saved[0].save(folder)
    assert folder.is_dir() and not list(folder.iterdir())

    path = tmp_path / "kept.credence"
    path.write_bytes(older)
    limit = pytest.importorskip("resource")
    soft, hard = limit.getrlimit(limit.RLIMIT_FSIZE)
    import signal

    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    machine = SVC(C=1, cv=3).fit(X, y)
    limit.setrlimit(limit.RLIMIT_FSIZE, (2048, hard))
    try:
        with pytest.raises(OSError, match="kept"):
            machine.save(path)
    finally:
        limit.setrlimit(limit.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == older
    assert sorted(one.name for one in tmp_path.iterdir()) == ["kept.credence", "model.credence"]


def test_a_save_replaces_the_older_file(saved, breast_cancer, tmp_path):
    X, y = breast_cancer
    path = tmp_path / "model.credence"
    path.write_bytes(saved[2])
    machine = SVC(C=1).fit(X, y)
    machine.save(path)
    assert np.array_equal(credence.load(path).predict(X), machine.predict(X))
    assert [one.name for one in tmp_path.iterdir()] == ["model.credence"]
    assert path.stat().st_mode & stat.S_IRUSR


def test_what_has_no_file(tmp_path):
    with pytest.raises(TypeError, match="pickle"):
        credence.save(credence.SplitConformalClassifier(LogisticRegression()), tmp_path / "model")
    with pytest.raises(Exception, match="not fitted"):
        SVC().save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_what_is_no_path_is_refused(saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = list(tmp_path.iterdir())
    for path in (None, 3, b"x", True):
        for use in (saved[0].save, credence.load):
            with pytest.raises(TypeError, match="path must be a str or a path"):
                use(path)
    assert list(tmp_path.iterdir()) == before


@pytest.mark.parametrize("ending", ["c", "h", "model", "libsvm", "txt", "onnx", "pmml", "json"])
def test_an_ending_of_another_format_is_refused(saved, tmp_path, ending):
    path = tmp_path / f"model.{ending}"
    for save in (saved[0].save, lambda where: credence.save(saved[0], where)):
        with pytest.raises(ValueError, match=rf"\.{ending}: save writes \.credence files"):
            save(path)
        with pytest.raises(ValueError, match="save writes"):
            save(str(path))
    assert not path.exists()


def test_names_outside_of_ascii(saved, tmp_path):
    path = tmp_path / "Maß → 1.credence"
    saved[0].save(path)
    assert path.read_bytes() == saved[2]
    credence.load(path)


def test_libsvm_models_vs_their_decision_function(tmp_path):
    lines = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0.5", "label 1 -1", "nr_sv 1 1"]
    lines += ["SV", "0.25 1:1 2:2", "-0.25 1:-1 2:0"]
    path = tmp_path / "libsvm.model"
    path.write_text("\n".join(lines) + "\n")
    loaded = credence.load(path)
    rows = np.array([[3.0, 1.0], [-2.0, 0.5]])
    value = rows @ (0.25 * np.array([1, 2]) - 0.25 * np.array([-1, 0])) - 0.5
    assert loaded.predict(rows).tolist() == np.where(value > 0, 1, -1).tolist()
    assert np.allclose(np.abs(loaded.decision_function(rows)), np.abs(value))
