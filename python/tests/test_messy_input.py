"""Labels that are no classes, letters that are no UTF-8, unknown levels, and names with blanks."""

import gzip
import warnings

import credence
import numpy as np
import pytest
import scipy.sparse
import sklearn.base


@pytest.mark.parametrize("estimator", [credence.SVC(), credence.SVCSearchCV(), credence.RVC()])
def test_labels_that_differ_in_most_rows_are_refused_at_once(estimator):
    rows = np.random.default_rng(0).normal(size=(120, 2))
    with warnings.catch_warnings(record=True) as caught, pytest.raises(ValueError) as refused:
        warnings.simplefilter("always")
        estimator.fit(rows, np.arange(120))
    assert "the label has 120 different values in 120 rows, so it looks like a number" in str(refused.value)
    assert len(caught) <= 1  # scikit-learn's own
    estimator.fit(rows, np.arange(120) % 3)


@pytest.mark.parametrize(
    "estimator",
    [credence.SVC(), credence.SVCSearchCV(), credence.SplitConformalClassifier(), credence.CrossConformalClassifier()],
)
def test_ages_are_refused_as_the_command_refuses_them(estimator):
    rows = np.random.default_rng(0).normal(size=(320, 2))
    ages = 20 + np.arange(320) % 40
    for labels in (ages, ages.astype(float)):
        with warnings.catch_warnings(), pytest.raises(ValueError, match=r"40 different numbers in 320 rows.*astype\(str"):
            warnings.simplefilter("ignore")
            estimator.fit(rows, labels)
    with warnings.catch_warnings(), pytest.raises(ValueError, match="the label has 120 different values in 120 rows"):
        warnings.simplefilter("ignore")
        estimator.fit(rows[:120], np.arange(120))


def test_ages_that_are_texts_are_names():
    rows = np.random.default_rng(0).normal(size=(320, 2))
    ages = (20 + np.arange(320) % 40).astype(str)
    assert len(credence.SVC(kernel="linear").fit(rows, ages).classes_) == 40


def test_dates_and_many_texts_of_a_frame_warn_as_the_command_notes(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "x": np.arange(200) % 7.0,
            "day": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(200)],
            "name": [f"n{i % 30}" for i in range(200)],
            "kind": [f"k{i % 3}" for i in range(200)],
        }
    )
    y = np.arange(200) % 2
    with pytest.warns(UserWarning, match="becomes a column of its own") as caught:
        credence.SVC(kernel="linear").fit(frame, y)
    said = [str(warning.message) for warning in caught]
    assert len(said) == 2
    assert said[0].startswith("column 'day' holds 84 different dates")
    assert caught[0].filename == __file__
    frame.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.warns(UserWarning, match="is left out|becomes a column") as noted:
        credence.read(tmp_path / "rows.csv")
    assert str(noted[1].message).endswith(said[1])
    assert said[0].partition(", and")[0] in str(noted[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        credence.SVC(kernel="linear").fit(frame.astype({"day": "category", "name": "category"}), y)


def test_latin1_is_refused_with_its_place_or_read_as_asked(tmp_path):
    text = "gr\u00f6\u00dfe,art\n" + "1.5,s\u00fc\u00df\n2.5,sauer\n" * 5
    content = text.encode("latin1")
    refused = r"csv.*:1, column 1: the byte F6 is no UTF-8 text; save .* encoding latin1"
    for name, written in (("plain.csv", content), ("packed.csv.gz", gzip.compress(content))):
        path = tmp_path / name
        path.write_bytes(written)
        with pytest.raises(ValueError, match=refused):
            credence.read(path)
        found = credence.read(path, encoding="latin1")
        assert found.feature_names == ["gr\u00f6\u00dfe"]
        assert set(found.target) == {"s\u00fc\u00df", "sauer"}


def coloured(pd, colours):
    return pd.DataFrame({"x": np.linspace(-1, 1, len(colours)), "colour": colours})


def test_unknown_levels_vs_rows_without_them(tmp_path):
    pd = pytest.importorskip("pandas")
    rows = coloured(pd, ["red", "green", "red", "blue"] * 15)
    y = np.where(rows["x"] > 0, "yes", "no")
    strange = coloured(pd, ["red", "purple", "green", "black"])
    model = credence.SVC(kernel="linear").fit(rows, y)
    with pytest.raises(ValueError, match='row 1, counted from 0, holds "purple", which is none of the 3 .* \\(unseen="other"\\)'):
        model.predict(strange)
    with pytest.raises(ValueError, match="cannot count as missing, because this model fills no missing values"):
        model.set_params(unseen="missing").predict(strange)
    with pytest.raises(ValueError, match="unseen"):
        model.set_params(unseen="skip").predict(strange)
    imputing = credence.SVC(kernel="linear", missing="impute", unseen="missing").fit(rows, y)
    filled = coloured(pd, ["red", "red", "green", "red"])  # the most frequent level
    assert np.array_equal(imputing.decision_function(strange), imputing.decision_function(filled))
    other = model.set_params(unseen="other").decision_function(strange)
    assert other[1] != model.decision_function(filled)[1]
    # A linear machine: zeros in the columns of all levels lie in one plane with each of the levels.
    assert np.array_equal(other[[0, 2]], model.decision_function(filled)[[0, 2]])
    model.save(tmp_path / "model.credence")
    loaded = credence.load(tmp_path / "model.credence").set_params(unseen="other")
    assert np.array_equal(loaded.decision_function(strange), other)


def test_blanks_around_names_of_columns(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    columns = {" a": [1.0, 2.0], "a": [3.0, 4.0], "My Diagnosis ": ["x", "y"]}
    pa.parquet.write_table(pa.table(columns), tmp_path / "h.parquet")
    (tmp_path / "h.csv").write_text(" a,a,My Diagnosis \n1,3,x\n2,4,y\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, expected = (credence.read(tmp_path / name, label="My Diagnosis") for name in ("h.parquet", "h.csv"))
    assert found.feature_names == expected.feature_names == ["a", "a.1"]
    assert found.target_name == expected.target_name == "My Diagnosis"
    with pytest.raises(ValueError, match="'My Diagnosi' is neither a name .*; the names are 'a', 'a.1', 'My Diagnosis'"):
        credence.read(tmp_path / "h.parquet", label="My Diagnosi")


def test_dates_and_names_are_left_out_with_a_warning(tmp_path):
    rows = "".join(f"2024-05-{1 + i % 28:02},name{i},{i % 7},{'a' if i % 2 else 'b'}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text("day,name,x,label\n" + rows)
    with pytest.warns(UserWarning, match="is left out") as caught:
        found = credence.read(tmp_path / "rows.csv")
    assert found.feature_names == ["x"] and len(caught) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert credence.read(tmp_path / "rows.csv", categorical=["day", "name"]).feature_names == ["day", "name", "x"]


def shuffled_frame(pd, rows=200):
    """Return a table sorted by class once and shuffled then, and its classes: the index tells the class."""
    rng = np.random.default_rng(0)
    label = np.repeat(["no", "yes"], rows // 2)
    frame = pd.DataFrame({"x": rng.normal(size=rows) + (label == "yes"), "z": rng.normal(size=rows)})
    order = rng.permutation(rows)
    return frame.iloc[order], label[order]


def said_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, [str(warning.message) for warning in caught]


ESTIMATORS = [
    credence.SVC(),
    credence.SVC(missing="drop"),
    credence.SVCSearchCV(C=[1.0], gamma=[0.1]),
    credence.CrossConformalClassifier(credence.SVC()),
    credence.OnlineConformalClassifier(),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("name", ["Unnamed: 0", "index", "level_0", "__index_level_0__"])
def test_row_numbers_of_a_frame_vs_the_frame_without(estimator, name):
    pd = pytest.importorskip("pandas")
    frame, y = shuffled_frame(pd)
    numbered = frame.reset_index(names=name)
    if getattr(estimator, "missing", "") == "drop":
        numbered[name] = numbered[name].astype(float)
        numbered.iloc[3, 0] = np.nan  # no reason to leave the row out
    plain, _ = said_of(lambda: sklearn.base.clone(estimator).fit(frame, y))
    model, said = said_of(lambda: sklearn.base.clone(estimator).fit(numbered, y))
    rows = "199 of 200 rows" if getattr(estimator, "missing", "") == "drop" else "each row"
    wanted = f"column '{name}' has a different whole number in {rows} and the name of an index, so it is left out; "
    assert wanted + "to keep it, rename the column" in said
    if hasattr(plain, "feature_names_in_"):
        assert list(model.feature_names_in_) == [name, "x", "z"] and model.n_features_in_ == 3
    assert np.array_equal(model.predict(numbered), plain.predict(frame))
    values = "decision_function" if isinstance(model, credence.SVC) else "predict_p"
    assert np.array_equal(getattr(model, values)(numbered.iloc[:5]), getattr(plain, values)(frame.iloc[:5]))


def test_row_numbers_are_features_where_they_are_renamed_or_an_array(tmp_path):
    pd = pytest.importorskip("pandas")
    frame, y = shuffled_frame(pd)
    numbered = frame.reset_index()
    plain = credence.SVC().fit(frame, y)
    model, _ = said_of(lambda: credence.SVC().fit(numbered, y))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert np.array_equal(model.predict(numbered.to_numpy()), plain.predict(frame))
    with pytest.raises(ValueError, match="index"):
        model.predict(frame)  # as scikit-learn
    model.save(tmp_path / "model.credence")
    loaded = credence.load(tmp_path / "model.credence")
    for rows in (numbered, frame, numbered.iloc[:3]):
        assert np.array_equal(loaded.predict(rows), plain.predict(frame)[: len(rows)])
    kept, said = said_of(lambda: credence.SVC().fit(numbered.rename(columns={"index": "number"}), y))
    assert len(kept.predictor_.schema.names) == 3
    assert said == [
        "column 'number' has a different whole number in each row, so it looks like an identifier, which says nothing "
        "about new rows; drop the column"
    ]
    array, said = said_of(lambda: credence.SVC().fit(numbered.to_numpy(), y))
    assert array.predictor_.schema.columns == 3 and not said
    with pytest.raises(ValueError, match="no column is left for features: column 'index'"):
        credence.SVC().fit(numbered[["index"]], y)
    again, _ = said_of(lambda: model.fit(frame, y))  # nothing is left of the first fit
    assert np.array_equal(again.predict(frame), plain.predict(frame))


def test_numbers_far_from_all_others_are_named(tmp_path):
    pd = pytest.importorskip("pandas")
    frame, y = shuffled_frame(pd)
    for kind in (credence.SVC(), credence.SVCSearchCV(C=[1.0], gamma=[0.1])):
        assert not said_of(lambda kind=kind: kind.fit(frame.to_numpy(), y))[1]
    far = frame.to_numpy().copy()
    far[7, 1] = 1e300
    row = "holds 1e+300 in row 7, counted from 0, so far from the others that these are the same once scaled"
    for rows in (far, scipy.sparse.csr_matrix(far), np.asfortranarray(far)):
        said = said_of(lambda rows=rows: credence.SVC().fit(rows, y))[1]
        assert [sentence for sentence in said if sentence.startswith("column 1 " + row)] == said != []
    named = pd.DataFrame(far, columns=["x", "z"])
    assert any(
        sentence.startswith("column 'z' " + row) for sentence in said_of(lambda: credence.SVC().fit(named, y))[1]
    )
    named.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    _, said = said_of(lambda: credence.read(tmp_path / "rows.csv"))
    assert any("column 'z' holds 1e+300 in line 9, so far" in sentence for sentence in said)
    kernel = np.exp(-50 * (frame.to_numpy()[:, None, 0] - frame.to_numpy()[None, :, 0]) ** 2)
    assert not said_of(lambda: credence.SVC(kernel="precomputed").fit(kernel, y))[1]
