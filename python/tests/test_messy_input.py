"""Labels that are no classes, letters that are no UTF-8, unknown levels, and names with blanks."""

import gzip
import re
import subprocess
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
            "name": [f"n{i * i % 61 % 30}" for i in range(200)],
            "kind": [f"k{i % 3}" for i in range(200)],
        }
    )
    y = np.arange(200) % 2
    with pytest.warns(UserWarning, match="is left out|becomes a column of its own") as caught:
        credence.SVC(kernel="linear").fit(frame, y)
    said = [str(warning.message) for warning in caught]
    assert len(said) == 2
    assert said[0].startswith("column 'day' holds 84 different dates and is left out")
    assert caught[0].filename == __file__
    frame.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.warns(UserWarning, match="is left out|becomes a column") as noted:
        credence.read(tmp_path / "rows.csv")
    assert str(noted[1].message).endswith(said[1])
    assert str(noted[0].message).endswith(said[0])
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
        assert not [one for one in said_of(lambda kind=kind: kind.fit(frame.to_numpy(), y))[1] if "so far" in one]
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


NO_BREAK, NARROW = "\u00a0", "\u202f"
DIFFER = "; write them alike if they mean the same"
LEFT_OUT = " and is left out; "


def lines(header, row, ending="\n"):
    """Return a file of sixty rows, of which ``row`` gives the cells."""
    return ending.join([header, *(row(i) for i in range(60))]) + ending


def turn(i, *values):
    """Return one of the values, in an order that no column of numbers follows."""
    return values[(i * i // 7) % len(values)]


#: For each file its text, what pandas and the reader are told of it, its classes and columns, and the notes on columns
#: and labels. `lost` has notes on spellings that pandas does not keep.
MESSY = {
    "blanks": {
        "text": lines("x , town,label", lambda i: f" {i % 7}, {turn(i, 'Graz', ' Graz ', 'Bern')} ,{turn(i, 'ja', 'ja ', 'nein')}"),
        "classes": ["ja", "nein"],
        "columns": ["x", "town"],
    },
    "no-break spaces": {
        "text": lines(
            "x,town,label",
            lambda i: f"{i % 7}{turn(i, '', NO_BREAK)},{turn(i, 'Graz', NO_BREAK + 'Graz', 'Bern')},yes{NARROW}"
            if i % 3
            else f"{i % 5},Bern,{turn(i, 'yes', 'no')}",
        ),
        "classes": ["no", "yes"],
        "columns": ["x", "town"],
    },
    "case": {
        "text": lines("x,town,label", lambda i: f"{i % 7},{turn(i, 'Graz', 'graz')},{turn(i, 'Ja', 'nein', 'ja')}"),
        "classes": ["Ja", "ja", "nein"],
        "columns": ["x", "town"],
        "notes": [
            f"column 'town': the levels \"Graz\" and \"graz\" differ by case alone{DIFFER}",
            f'the classes "Ja" and "ja" differ by case alone{DIFFER}',
        ],
    },
    "equal numbers": {
        "text": lines("x,label", lambda i: f"{i % 7},{turn(i, '1', '-1', '+1', '1.0')}"),
        "classes": ["-1", "1"],
        "columns": ["x"],
        "lost": ['labels that are equal numbers count as one class: "+1" and "1" and "1.0"; names of different classes need a letter'],
    },
    "equal numbers among names": {
        "text": lines("x,label", lambda i: f"{i % 7},{turn(i, '1', 'unknown', '1.0')}"),
        "classes": ["1", "1.0", "unknown"],
        "columns": ["x"],
        "notes": [f'the classes "1" and "1.0" are equal numbers{DIFFER}'],
    },
    "byte order mark": {
        "text": "\ufeff" + lines('"x",label', lambda i: f"{i % 7},{turn(i, 'True', 'true', 'unknown')}", "\r\n"),
        "classes": ["True", "true", "unknown"],
        "columns": ["x"],
        "notes": [f'the classes "True" and "true" differ by case alone{DIFFER}'],
    },
    "semicolons and decimal commas": {
        "text": lines("x;town;label", lambda i: f"{i % 7},{i % 3}5;{turn(i, 'Graz', 'Bern')};{turn(i, 'ja', 'nein')}"),
        "pandas": {"sep": ";", "decimal": ","},
        "classes": ["ja", "nein"],
        "columns": ["x", "town"],
    },
    "dates": {
        "text": lines("day,x,label", lambda i: f"{1 + i % 28:02}.{1 + i % 12:02}.2024,{i % 7},{turn(i, 'a', 'b')}"),
        "classes": ["a", "b"],
        "columns": ["x"],
        "notes": [f"column 'day' holds 60 different dates{LEFT_OUT}write numbers, such as days, or declare the column categorical"],
    },
    "free text": {
        "text": lines("x,remark,label", lambda i: f"{i % 7},remark {i % 50},{turn(i, 'a', 'b')}"),
        "classes": ["a", "b"],
        "columns": ["x"],
        "notes": [f"column 'remark' has 50 different texts in 60 rows{LEFT_OUT}to keep it, declare the column categorical"],
    },
    "numbers among texts": {
        "text": lines("x,potassium,label", lambda i: f"{i % 7},{'.' if i == 31 else i % 9 / 2},{turn(i, 'a', 'b')}"),
        "error": 'column \'potassium\': the text "." stands among 59 numbers; name what means missing',
    },
    "missing codes": {
        "text": lines("x,town,label", lambda i: f"{turn(i, i % 7, '?', 'NA', '')},{turn(i, 'Graz', '?', 'Bern')},{turn(i, 'a', 'b')}"),
        "missing": "impute",
        "classes": ["a", "b"],
        "columns": ["x", "town"],
    },
    "quoted cells": {
        "text": lines("x,town,label", lambda i: f'"{i % 7}"," Graz, {turn(i, "A", "B")} ",{turn(i, chr(34) + " yes" + chr(34), "no")}'),
        "classes": ["no", "yes"],
        "columns": ["x", "town"],
    },
    "counted rows": {
        "text": lines("Nr,x,label", lambda i: f"{i + 1},{i % 7},{turn(i, 'a', 'b')}"),
        "classes": ["a", "b"],
        "columns": ["Nr", "x"],
    },
}


def about_columns(notes):
    """Return the notes on the spelling of labels and levels, and on columns that are left out."""
    return sorted(note for note in notes if LEFT_OUT in note or note.endswith((DIFFER, "need a letter")))


def said_by_command(command, path, model, options):
    done = subprocess.run(
        [command.path, "train", path, "--kernel", "linear", "-o", model, *options], capture_output=True, text=True, check=False
    )
    notes = [line.partition("note: ")[2] for line in done.stderr.splitlines()]
    return done, [note.replace(" (--categorical)", "") for note in notes]


@pytest.mark.parametrize("name", MESSY)
def test_messy_files_of_command_vs_read_vs_fit_on_a_frame(command, tmp_path, name):
    pd = pytest.importorskip("pandas")
    messy, path = MESSY[name], tmp_path / "messy.csv"
    path.write_text(messy["text"], newline="")
    missing = messy.get("missing", "error")
    done, notes = said_by_command(command, path, tmp_path / "command.credence", ["--missing", missing])
    frame = pd.read_csv(path, **messy.get("pandas", {}))
    frame.columns = frame.columns.str.strip()
    rows, labels = frame.drop(columns="label"), frame["label"]
    fitted = credence.SVC(kernel="linear", missing=missing)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if "error" in messy:
            assert messy["error"] in done.stderr.replace(" (--categorical)", "")
            for call in (lambda: credence.read(path), lambda: fitted.fit(rows, labels)):
                with pytest.raises(ValueError, match=re.escape(messy["error"])):
                    call()
            return
        fitted.fit(rows, labels)
    assert done.returncode == 0, done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = credence.read(path, missing=missing)
    of_command = credence.load(tmp_path / "command.credence").predictor_.schema
    of_fit = fitted.predictor_.schema
    assert of_command.classes == of_fit.classes == messy["classes"]
    assert sorted({str(label) for label in found.target}) == sorted(messy["classes"])
    assert of_command.names == of_fit.names == found.feature_names == messy["columns"]
    assert of_command.categorical == of_fit.categorical
    assert about_columns(notes) == about_columns(found.notes) == sorted([*messy.get("notes", []), *messy.get("lost", [])])
    assert about_columns(str(warning.message) for warning in caught) == sorted(messy.get("notes", []))
    assert fitted.feature_names_in_.tolist() == rows.columns.tolist() and fitted.n_features_in_ == rows.shape[1]
    assert len(fitted.predict(rows)) == 60


def diary(pd, year, rows=60):
    """Return rows with a day, a remark and the times of pandas, of which each row has its own."""
    days = [f"{year}-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(rows)]
    return pd.DataFrame(
        {
            "day": days,
            "x": np.arange(rows) % 7.0,
            "remark": [f"{year} {i}" for i in range(rows)],
            "time": pd.to_datetime(days),
            "kind": [f"k{i % 3}" for i in range(rows)],
        }
    )


@pytest.mark.filterwarnings("ignore")
def test_frames_with_new_days_are_predicted_as_those_without_days(tmp_path):
    pd = pytest.importorskip("pandas")
    old, new = diary(pd, 2024), diary(pd, 2025)
    y = np.where(old["x"] > 3, "yes", "no")
    bare = ["x", "kind"]
    model, plain = credence.SVC(cv=3).fit(old, y), credence.SVC(cv=3).fit(old[bare], y)
    assert model.predictor_.schema.names == bare
    assert model.feature_names_in_.tolist() == old.columns.tolist() and model.n_features_in_ == 5
    for method in ("predict", "decision_function", "predict_p", "familiarity"):
        assert np.array_equal(getattr(model, method)(new), getattr(plain, method)(new[bare])), method
    model.save(tmp_path / "model.credence")
    loaded = credence.load(tmp_path / "model.credence")
    assert np.array_equal(loaded.predict(new), model.predict(new))
    assert np.array_equal(loaded.predict(new[bare]), model.predict(new))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(new[["x"]])
    search = credence.SVCSearchCV(C=[1], gamma=[0.1], cv=3).fit(old, y)
    assert np.array_equal(search.best_estimator_.predict(new), search.predict(new))
    for made in (credence.CrossConformalClassifier(cv=3), credence.FullConformalKNeighborsClassifier()):
        assert made.fit(old, y).predict_p(new).shape == (60, 2)
    holes = new.assign(day=None, time=pd.NaT)  # columns that the model does not know
    assert np.array_equal(model.predict(holes), model.predict(new))
    some = old.assign(day=old["day"].where(old["x"] > 2), time=old["time"].where(old["x"] < 5))
    assert np.array_equal(credence.SVC(cv=3, missing="drop").fit(some, y).predict(new), model.predict(new))
    refitted = model.fit(old[bare].assign(kind=1.0).to_numpy(dtype=float), y)
    assert len(refitted.predict(np.zeros((4, 2)))) == 4
    with pytest.raises(ValueError, match="no column is left for features"):
        credence.SVC().fit(old[["day", "remark"]], y)


SPELLED = ["ja", " ja", "ja" + NO_BREAK, "nein", "nein\t", NARROW + "nein"] * 10


def forms_of_labels():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    return {
        "list": SPELLED,
        "texts": np.array(SPELLED),
        "objects": np.array(SPELLED, dtype=object),
        "pandas": pd.Series(SPELLED),
        "pandas categories": pd.Series(SPELLED, dtype="category"),
        "polars": pl.Series(SPELLED),
    }


def test_labels_without_the_blanks_around_them_vs_plain_labels():
    from sklearn.linear_model import LogisticRegression

    plain = [label.strip() for label in SPELLED]
    X = np.random.default_rng(0).normal(size=(60, 2)) + 2 * (np.array(plain) == "ja")[:, None]
    grid = {"C": [1], "gamma": [0.1], "cv": 3}
    made = [
        *(credence.SVC(cv=3), credence.SVCSearchCV(**grid), credence.RVC(), credence.FullConformalKNeighborsClassifier()),
        *(credence.SplitConformalClassifier(LogisticRegression()), credence.CrossConformalClassifier(cv=3)),
        *(credence.OnlineConformalClassifier(), credence.SVCSearchCV(**grid, scoring="balanced_accuracy")),
        credence.HonestSearchCV(LogisticRegression(), {"C": [1.0]}),
    ]
    for estimator in made:
        expected = estimator.fit(X, plain)
        labels, score = expected.predict(X), expected.score(X, plain)
        for form, y in forms_of_labels().items():
            fitted = estimator.fit(X, y)
            assert fitted.classes_.tolist() == ["ja", "nein"], (estimator, form)
            assert np.array_equal(fitted.predict(X), labels)
            if not isinstance(estimator, credence.HonestSearchCV):  # whose score is that of scikit-learn
                assert fitted.score(X, y) == score, (estimator, form)
    model = credence.SVC(cv=3, class_weight={" ja": 2}).fit(X, SPELLED)
    assert model.evaluate(X, SPELLED)["accuracy"] == model.evaluate(X, plain)["accuracy"]
    assert model.update(X, SPELLED).local_test_ == model.update(X, plain).local_test_
    said = {"a": plain, "b": SPELLED}
    assert [one["loss"] for one in credence.from_predictions(SPELLED, said)["candidates"]] == [0, 0]


def test_white_space_is_no_label():
    X = np.random.default_rng(0).normal(size=(40, 2))
    for code in ("", " ", NO_BREAK):
        labels = ["a", "b"] * 19 + [code, "b"]
        for y in (labels, np.array(labels), np.array(labels, dtype=object)):
            with pytest.raises(ValueError, match="row 38, counted from 0, has no label"):
                credence.SVC().fit(X, y)
            assert credence.SVC(missing="drop").fit(X, y).classes_.tolist() == ["a", "b"]


def test_index_base_and_features_of_svmlight_text(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:0.9 2:0.1\n2 1:0.1 2:0.9\n")
    assert credence.read(path).data.toarray().tolist() == [[0.9, 0.1], [0.1, 0.9]]
    for base in ("0", 0):
        assert credence.read(path, index_base=base, features=4).data.toarray().tolist() == [[0, 0.9, 0.1, 0], [0, 0.1, 0.9, 0]]
    with pytest.raises(ValueError, match=r"rows.svm:1: the index 2 is beyond the 1 feature"):
        credence.read(path, features=1)
    with pytest.raises(ValueError, match="index_base: '2' is not one of auto, 0, 1"):
        credence.read(path, index_base=2)


def test_new_rows_that_contradict_the_index_base_of_the_model(command, tmp_path):
    train, new, model = (tmp_path / name for name in ("train.svm", "new.svm", "model.credence"))
    train.write_text("1 1:0.9 2:0.1\n2 1:0.1 2:0.9\n" * 40)
    new.write_text("1 1:0.9\n1 0:0.1 1:0.9\n")
    command("train", train, "-o", model)
    done = subprocess.run([command.path, "predict", model, new], capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "new.svm:2: the index 0 contradicts the model" in done.stderr
    assert "(--index-base 0)" in done.stderr
    command("train", train, "--index-base", "0", "--features", "3", "-o", model)
    assert command("predict", model, new).split() == ["label", "1", "1"] or "label" in command("predict", model, new)
    command("convert", train, tmp_path / "again.svm", "--index-base", "0")
    assert (tmp_path / "again.svm").read_text().startswith("1 0:0 1:0.9 2:0.1\n2 1:0.1")
