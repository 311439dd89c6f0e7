"""The report page and the charts of results in Python: beside the command, Altair, vl-convert and a real browser."""

import csv
import json
import pickle
import re
import struct
import sys

import credence
import numpy as np
import pytest
from credence import _core
from credence._run import foretell
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

HOSTILE = ["<script>alert(1)</script>", "\"quotes\" & 'more'", "x" * 10000, "שלום \u202e עולם", "var(--ink)"]
GRID = {"C": [1, 10, 100], "gamma": [0.01, 0.1]}
GRID_FLAGS = ["--C", "1,10,100", "--gamma", "0.01,0.1", "--scale", "standard", "--rule", "best"]
#: What no two runs share, and what Python has no files and no command line for.
OF_THE_RUN = {"seconds", "threads", "command", "checksum", "source", "model", "took", "subtitle"}

pages = pytest.mark.skipif(not _core.pages_are_built_in(), reason="report pages are not built into the module")


@pytest.fixture(scope="module")
def search(breast_cancer):
    X, y = breast_cancer
    return credence.SVCSearchCV(**GRID, cv=5).fit(X[:400], y[:400])


@pytest.fixture(scope="module")
def regression():
    x = np.random.default_rng(0).normal(size=(300, 3))
    y = x @ [1, 2, 3] + np.random.default_rng(1).normal(size=300)
    machine = credence.SplitConformalRegressor(Ridge(), random_state=0).fit(x[:200], y[:200])
    return machine, x[200:], y[200:]


@pytest.fixture(scope="module")
def results(search, breast_cancer, regression):
    """Return a result of each kind."""
    X, y = breast_cancer
    split = credence.SplitConformalClassifier(random_state=0).fit(X[:400], y[:400])
    full = credence.FullConformalKNeighborsClassifier(scale="standard").fit(X[:400], y[:400])
    machine, rows, targets = regression
    shuffled = np.random.default_rng(0).permutation(len(y))
    return {
        "select": search,
        "plane": credence.SVCSearchCV(**GRID).fit(X[shuffled][:150, :2], y[shuffled][:150]),
        "relevance": credence.SearchCV(method="kernel_validity", model="rvm", sigma=[0.5, 1.0]).fit(X[:150], y[:150]),
        "numbers": credence.RVRSearchCV().fit(rows[:60], targets[:60]),
        "compare": credence.compare(X, y, ["cv", "holdout"], outer_folds=3, C=[1, 10], gamma=[0.01]),
        "evaluate": search.evaluate(X[400:], y[400:]),
        "split": split.evaluate(X[400:], y[400:]),
        "full": full.evaluate(X[400:], y[400:]),
        "intervals": machine.evaluate(rows, targets, confidence_level=0.9),
    }


KINDS = ["select", "plane", "relevance", "numbers", "compare", "evaluate", "split", "full", "intervals"]
CHARTS = {
    "select": ["confusion", "roc-curve", "scores", "heat-map", "set-sizes", "rejection", "confidence"],
    "compare": ["methods", "claims", "differences", "time"],
    "evaluate": ["confusion", "roc-curve", "level-error", "set-sizes", "rejection", "confidence"],
    "split": ["confusion", "roc-curve", "level-error", "set-sizes", "rejection", "confidence"],
    "full": ["confusion", "roc-curve", "level-error", "set-sizes", "rejection", "confidence"],
    "intervals": ["predicted", "coverage"],
}


def lasting(document):
    """Return the document without what differs between two equal runs."""
    if isinstance(document, dict):
        return {key: lasting(value) for key, value in document.items() if key not in OF_THE_RUN}
    if not isinstance(document, list):
        return document
    facts_of_files = ("data", "label", "model", "rows")
    return [lasting(one) for one in document if not (isinstance(one, dict) and one.get("label") in facts_of_files)]


def test_a_selection_has_the_document_of_the_command(command, search, breast_cancer, tmp_path):
    X, y = breast_cancer
    path, out = tmp_path / "rows.csv", tmp_path / "result.json"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{j + 1}" for j in range(X.shape[1])), "label"])
        writer.writerows([*map(float, row), label] for row, label in zip(X[:400], y[:400], strict=True))
    command("select", path, *GRID_FLAGS, "--folds", "5", "--json", out)
    wanted, found = json.loads(out.read_text()), json.loads(search._document())
    assert wanted.pop("label") == "'label' (the last column)"
    assert not found.pop("label"), "labels of an array have no name"
    assert lasting(found) == lasting(wanted)
    charts = [_core.charts(json.dumps(document), "a test") for document in (found, wanted)]
    assert charts[0] == charts[1]
    assert [chart["id"] for chart in charts[0]] == CHARTS["select"]


def test_decision_regions_are_those_of_the_command(command, results, breast_cancer, chart_of, tmp_path):
    X, y = breast_cancer
    shuffled = np.random.default_rng(0).permutation(len(y))[:150]
    path, out = tmp_path / "rows.csv", tmp_path / "result.json"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x1", "x2", "label"])
        writer.writerows([*map(float, X[i, :2]), y[i]] for i in shuffled)
    command("select", path, *GRID_FLAGS, "--json", out)
    found, wanted = (
        chart_of(one, "decision-regions") for one in (results["plane"].result_, json.loads(out.read_text()))
    )
    assert found == wanted
    fields = found["more"]["fields"]
    width = (fields[-1]["x2"] - fields[0]["x"]) / len({field["y"] for field in fields})  # as many columns as lines
    first = [[field["x"] + width / 2, (field["y"] + field["y2"]) / 2] for field in fields]
    assert results["plane"].predict(first).tolist() == [field["class"] for field in fields]
    assert "decision-regions" in [chart["id"] for chart in _core.charts(results["plane"]._document(), "a test")]


def test_an_evaluation_has_the_document_of_the_command(command, search, results, breast_cancer, tmp_path):
    X, y = breast_cancer
    path, model, out = tmp_path / "rows.csv", tmp_path / "svm.credence", tmp_path / "result.json"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{j + 1}" for j in range(X.shape[1])), "label"])
        writer.writerows([*map(float, row), label] for row, label in zip(X[400:], y[400:], strict=True))
    search.save(model)
    command("evaluate", model, path, "--label", "label", "--confidence-level", "0.95", "--json", out)
    wanted, found = lasting(json.loads(out.read_text())), lasting(json.loads(results["evaluate"]._document()))
    # 1 - 0.95 is 0.05 but for the last bit.
    for document in (wanted, found):
        assert document["prediction_sets"][0].pop("confidence_level") == 0.95
    assert found == wanted
    assert json.loads(results["evaluate"]._document())["seconds"] > 0
    assert json.loads(results["evaluate"]._document())["threads"] >= 1


def test_an_evaluation_of_numbers_vs_scikit_learn(regression, results):
    machine, rows, targets = regression
    document = json.loads(results["intervals"]._document())
    predicted, ends = machine.predict(rows), machine.predict_interval(rows, 0.9)
    assert document["rmse"] == pytest.approx(root_mean_squared_error(targets, predicted))
    assert document["mean_absolute_error"] == pytest.approx(mean_absolute_error(targets, predicted))
    assert document["r_squared"] == pytest.approx(r2_score(targets, predicted))
    level = document["intervals"]["levels"][0]
    assert level["covered"] == np.sum((targets >= ends[:, 0]) & (targets <= ends[:, 1]))
    assert level["mean_width"] == pytest.approx(np.mean(ends[:, 1] - ends[:, 0]))
    assert "coverage" not in document  # there are no standard deviations


@pages
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_the_one_of_the_command(command, results, tmp_path, kind):
    result = results[kind]
    (tmp_path / "result.json").write_text(result._document())
    command("report", tmp_path / "result.json", "-o", tmp_path / "command.html")
    text = result.report(tmp_path / "python.html")
    assert (tmp_path / "python.html").read_bytes() == (tmp_path / "command.html").read_bytes()
    assert (tmp_path / "python.html").read_text(encoding="utf-8") == text
    assert len(text.encode()) < 1_500_000


@pages
@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_drawn_in_silence(visit, results, tmp_path, kind):
    results[kind].report(tmp_path / "page.html")
    page = visit(tmp_path / "page.html")
    assert "rows from memory" in page.locator("header p").text_content()
    charts = page.locator("[data-chart]").count()
    assert charts == page.locator("[data-chart] svg").count() == len(_core.charts(results[kind]._document(), "a test"))
    assert charts > 0


@pages
@pytest.mark.parametrize("kind", ["select", "compare"])
def test_notebooks_show_the_page_in_a_frame(visit, results, tmp_path, kind):
    result = results[kind].result_ if kind == "select" else results[kind]
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{result._repr_html_()}<p>below")
    page = visit(tmp_path / "notebook.html", drawn=False)
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached", timeout=30000)
    assert frame.locator("[data-chart] svg").count() == len(CHARTS[kind])
    assert page.locator("body > p").text_content() == "below"


def test_estimators_keep_the_html_of_scikit_learn(search):
    html = search._repr_html_()
    assert "sk-top-container" in html
    assert "iframe" not in html


def test_a_result_is_the_dict_that_it_was(results):
    found = results["compare"]
    assert isinstance(found, dict)
    assert json.loads(json.dumps(found)) == found
    for result in (found, results["evaluate"], results["intervals"], results["select"].result_):
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result)
        assert again == result
        assert again._document() == result._document()


@pytest.mark.parametrize("kind", KINDS)
def test_altair_takes_every_chart(results, kind):
    altair = pytest.importorskip("altair")
    wanted = {chart["id"]: json.loads(chart["specification"]) for chart in _core.charts(results[kind]._document(), "t")}
    charts = results[kind].charts()
    assert list(charts) == list(wanted)
    assert list(charts) == CHARTS.get(kind, list(charts))
    for name, chart in charts.items():
        assert isinstance(chart, altair.TopLevelMixin)
        made = chart.to_dict()  # is checked against the schema of Vega-Lite
        for rows in wanted[name]["datasets"].values():
            assert json.dumps(rows) in json.dumps(made)
        assert made["title"] == wanted[name]["title"]
        assert "var(--" not in json.dumps(made["config"])


@pytest.mark.parametrize("kind", ["plane", "compare", "intervals"])
def test_charts_without_configuration_can_be_put_together(results, kind):
    altair = pytest.importorskip("altair")
    vl_convert = pytest.importorskip("vl_convert")
    alone, parts = results[kind].charts(), results[kind].charts(configured=False)
    whole = altair.vconcat(*parts.values())
    whole.config = next(iter(alone.values())).config
    made = whole.to_dict()
    assert [part["title"] for part in made["vconcat"]] == [chart.to_dict()["title"] for chart in alone.values()]
    svgs = [vl_convert.vegalite_to_svg(one.to_dict(), vl_version="6.4") for one in (whole, *alone.values())]
    for mark in ("rect", "symbol", "rule"):
        assert marks(svgs[0], mark) == sum(marks(svg, mark) for svg in svgs[1:])


def marks(svg, mark):
    """Return how many marks of a kind a picture has."""
    groups = re.findall(rf'<g class="mark-{mark} role-mark[^>]*>(.*?)</g>', svg, flags=re.DOTALL)
    return sum(group.count("<path") for group in groups)


def test_pictures_have_the_marks_of_the_result(results, breast_cancer, tmp_path):
    pytest.importorskip("vl_convert")
    results["select"].save_chart("heat-map", tmp_path / "map.svg")
    assert marks((tmp_path / "map.svg").read_text(), "rect") == len(GRID["C"]) * len(GRID["gamma"])
    results["evaluate"].save_chart("confidence", tmp_path / "rows.svg")
    assert marks((tmp_path / "rows.svg").read_text(), "symbol") == len(breast_cancer[1]) - 400
    results["compare"].save_chart("time", str(tmp_path / "time.svg"))
    assert marks((tmp_path / "time.svg").read_text(), "rect") == 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_chart_is_a_picture(results, tmp_path, kind):
    pytest.importorskip("vl_convert")
    for chart in _core.charts(results[kind]._document(), "a test"):
        path = tmp_path / "chart.PNG"
        results[kind].save_chart(chart["id"], path, scale=1)
        content = path.read_bytes()
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", content[16:24])
        assert 480 <= width < 800
        assert 60 <= height < 800
        assert len(content) > 3000


def test_a_missing_package_is_said_in_one_sentence(search, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match=r"^charts need the package Altair: pip install 'credence\[charts\]'$"):
        search.charts()
    with pytest.raises(ImportError, match=r"^pictures need the package vl-convert-python: pip install 'credence\[cha"):
        search.save_chart("heat-map", tmp_path / "map.png")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_saved_is_said_in_one_sentence(search, tmp_path):
    with pytest.raises(ValueError, match=r"saved as \.png or \.svg, not as .*map\.pdf"):
        search.save_chart("heat-map", tmp_path / "map.pdf")
    with pytest.raises(ValueError, match=r"no chart 'heat'; its charts are: confusion, roc-curve, scores, "):
        search.save_chart("heat", tmp_path / "map.png")
    assert not list(tmp_path.iterdir())


def test_a_prompt_shows_a_comparison_as_the_command_does(results):
    found = results["compare"]
    lines = repr(found).splitlines()
    assert lines[0] == "Result of a comparison"
    assert any("569 rows" in line for line in lines) and any("3 outer folds" in line for line in lines)
    assert len(lines) <= 30
    for method in found["methods"]:
        shown = next(line for line in lines if line.startswith(method["name"] + " "))
        assert f"{100 * method['mean_error']:.2f} %" in shown
    assert len(repr(results["select"].result_)) < 600


def test_evaluations_of_a_plane_and_of_probabilities_have_the_document_of_the_command(
    command, results, breast_cancer, chart_of, tmp_path
):
    X, y = breast_cancer
    kinds = {
        "plane": (2, lambda document: chart_of(document, "decision-regions")),
        "relevance": (X.shape[1], lambda document: document["probability"]),
    }
    for kind, (columns, part_of) in kinds.items():
        model, path, out = tmp_path / "m.credence", tmp_path / "rows.csv", tmp_path / "result.json"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*(f"x{j + 1}" for j in range(columns)), "label"])
            writer.writerows([*map(float, X[i, :columns]), y[i]] for i in range(400, 500))
        machine = results[kind]
        if kind == "relevance":
            machine = credence.RVC(sigma=1.0, cv=5).fit(X[:150], y[:150])
        machine.save(model)
        command("evaluate", model, path, "--label", "label", "--confidence-level", "0.9,0.95", "--json", out)
        found = machine.evaluate(X[400:500, :columns], y[400:500], confidence_level=[0.9, 0.95])
        wanted, made = json.loads(out.read_text()), json.loads(found._document())
        assert part_of(made) == part_of(wanted)
        assert part_of(made)
        sets = wanted["prediction_sets"]
        assert [one["errors"] for one in made["prediction_sets"]] == [one["errors"] for one in sets]
        assert found["error"] == [one["error"] for one in sets]


def test_several_levels_are_those_of_each_alone(regression, search, breast_cancer):
    X, y = breast_cancer
    machine, rows, targets = regression
    levels = [0.8, 0.95]
    for made, given in ((machine, (rows, targets)), (search, (X[400:], y[400:]))):
        several = made.evaluate(*given, confidence_level=levels)
        for at, level in enumerate(levels):
            one = made.evaluate(*given, confidence_level=level)
            for name, value in several.items():
                if isinstance(value, list):
                    assert value[at] == one[name], name
        assert isinstance(several["error"], list)
    with pytest.raises(ValueError, match="at least one level"):
        search.evaluate(X[400:], y[400:], confidence_level=[])


def promise(found):
    """Return what the document of an evaluation promises."""
    document = json.loads(found._document())
    return document["p_values" if "p_values" in document else "intervals"]["guarantee"]


def test_wrapped_estimators_say_what_they_promise(breast_cancer, regression):
    X, y = breast_cancer
    given = X[400:], y[400:]
    split = credence.SplitConformalClassifier(GaussianNB(), random_state=0)
    said = promise(split.fit(X[:400], y[:400]).evaluate(*given))
    assert said.startswith(
        "a prediction set misses the true class with probability at most 1 - confidence level, if new rows and the 100"
    )
    said = promise(split.conformalize(*given).evaluate(*given))
    assert "if the 169 rows given to conformalize were not used in training" in said
    split = credence.SplitConformalClassifier(
        GaussianNB(), label_conditional=True, categories=lambda rows: rows[:, 0] > 14
    )
    said = promise(split.fit(X[:400], y[:400]).evaluate(*given))
    assert "each true class, in each category, with probability at most 1 - confidence level" in said
    cross = credence.CrossConformalClassifier(GaussianNB())
    assert "near 1 - confidence level; nothing is proved" in promise(cross.fit(X[:400], y[:400]).evaluate(*given))
    cross = credence.CrossConformalClassifier(GaussianNB(), cv=KFold(4))
    # By the formula at 0.95: 0.1 + 1.9 (K - 1) / (n + K), K = 4, n = 400.
    said = promise(cross.fit(X[:400], y[:400]).evaluate(*given))
    assert f"{0.1 + 1.9 * 3 / 404:.2g} at 0.95 with 4 folds and 400 rows (" in said
    online = credence.OnlineConformalClassifier().fit(X[:100], y[:100])
    assert "if new rows and the 100 that were learnt are exchangeable" in promise(online.evaluate(*given))
    machine, rows, targets = regression
    assert (
        "an interval misses the target with probability at most 1 - confidence level, if new rows and the 50 rows that fit"
        in (promise(machine.evaluate(rows, targets)))
    )


def test_regions_have_settings_of_their_own(breast_cancer):
    X, y = breast_cancer
    search = credence.SVCSearchCV(C=[1, 10], gamma=[0.01, 0.1], cv=3, region_size=200).fit(X, y)
    with pytest.raises(AttributeError, match="each region of the feature space has settings of its own"):
        search.best_params_  # noqa: B018
    assert 0 < 1 - search.best_score_ < 0.1


def test_long_runs_are_foretold(breast_cancer, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2))
    y = X[:, 0] + rng.normal(size=5000) > 0
    grid = {"C": [1], "gamma": [1], "cv": 2, "estimate": "none"}
    credence.SVCSearchCV(verbose=1, region_size=1000, **grid).fit(X, y)
    said = capsys.readouterr().err
    assert said.startswith("forecast for 5000 rows, from a pilot on 1000 rows")
    assert re.search(r"^  region_size=1000 .*\(this run\)$", said, flags=re.MULTILINE)
    assert "--" not in said
    credence.SVCSearchCV(region_size=1000, **grid).fit(X, y)
    assert capsys.readouterr().err == ""
    place = credence.SVCSearchCV()
    forecast = {"text": "", "warning": "this will take about 6 h; --region-size 2000 takes about 3 min; verbose=1 shows"}
    with pytest.warns(UserWarning, match=r"about 6 h; region_size=2000 takes about 3 min; verbose=1 shows"):
        foretell(place, forecast)


@pytest.mark.core
def test_many_rows_that_take_long_are_judged_in_regions():
    # As tests/selection/run/way_of_selections.cpp: classes that overlap cost more than 1e11 updates.
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=20000)
    X = rng.normal(size=(20000, 2)) + 0.3 * y[:, None]
    search = credence.SearchCV(C=[1, 1000, 2000], gamma=[0.5, 8], cv=8, scale="standard")
    with pytest.warns(UserWarning, match=r"the default here.*\(race=\"no\"\).*a race \(race=\"yes\"\) less"):
        search.fit(X, y)
    assert search.result_["method"] == "regions"
    assert search.result_["regions"]["by_default"] is True
    with pytest.raises(AttributeError, match="there is no best_params_; race='no' or race='yes' chooses one"):
        search.best_params_  # noqa: B018


@pages
def test_a_file_that_cannot_be_written_is_an_error(search, tmp_path):
    with pytest.raises(OSError, match="missing"):
        search.report(tmp_path / "missing" / "page.html")


def test_results_without_a_page_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="the key 'kind' is missing"):
        _core.charts("{}", "this result")


def test_without_pages_a_notebook_shows_the_dict(results, monkeypatch):
    monkeypatch.setattr(_core, "pages_are_built_in", lambda: False)
    assert results["compare"]._repr_html_() is None


def test_rows_of_classes_that_the_model_does_not_know_are_errors(search, breast_cancer):
    X, y = breast_cancer
    labels = y[400:].astype(object)
    labels[[3, 5]] = "strange"
    found = search.evaluate(X[400:], labels)
    document = json.loads(found._document())
    wrong = np.sum(search.predict(X[400:]) != labels)
    assert document["errors"] == wrong == round((1 - found["accuracy"]) * len(labels))
    assert document["unknown"] == 2
    assert sum(map(sum, document["confusion"])) == len(labels) - 2
    assert "2 rows are of a class that the model does not know" in document["warnings"][0]
    rows = _core.charts(found._document(), "a test")[-1]["rows"]
    assert sum("another class" in row for row in rows) == 2


def test_an_evaluation_warns_of_what_its_document_lists(breast_cancer):
    X, y = breast_cancer
    search = credence.SVCSearchCV(**GRID, cv=5).fit(X[:100], y[:100])
    split = credence.SplitConformalClassifier(random_state=0).fit(X[:100], y[:100])
    full = credence.FullConformalKNeighborsClassifier().fit(X[:100], y[:100])
    for machine in (search, split, full):
        with pytest.warns(UserWarning, match="these rows trained the model") as caught:
            found = machine.evaluate(X[:100], y[:100], confidence_level=[0.9, 0.999])
        document = json.loads(found._document())
        assert document["trained_on"] is True
        assert document["warnings"] == [str(warning.message) for warning in caught]
        assert any("no p-value can be below" in sentence for sentence in document["warnings"])
        assert {warning.filename for warning in caught} == {__file__}
        assert json.loads(machine.evaluate(X[100:], y[100:])._document())["trained_on"] is False


def test_intervals_warn_of_what_their_document_lists(regression):
    machine, rows, targets = regression
    with pytest.warns(UserWarning) as caught:
        found = machine.evaluate(rows, targets, confidence_level=[0.9, 0.999])
    assert json.loads(found._document())["warnings"] == [str(warning.message) for warning in caught]


def test_a_search_has_one_list_of_warnings():
    draw = np.random.default_rng(3)
    X, y = draw.uniform(size=(317, 4)), draw.integers(0, 2, size=317)
    with pytest.warns(UserWarning, match="remembers its rows one by one") as caught:
        search = credence.SVCSearchCV(method="bootstrap", C=[0.5], gamma=[8]).fit(X, y)
    assert search.warnings_ == search.result_["warnings"] == [str(warning.message) for warning in caught]


def test_evaluations_are_shown_as_the_command_prints_them(command, search, breast_cancer, tmp_path):
    """Oracle: what `credence evaluate` prints, but for what it calls the model and the rows."""
    X, y = breast_cancer
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerow([*(f"x{j + 1}" for j in range(X.shape[1])), "label"])
        csv.writer(file).writerows([*map(float, row), label] for row, label in zip(X[400:], y[400:], strict=True))
    search.save(tmp_path / "model.credence")
    printed = command("evaluate", tmp_path / "model.credence", tmp_path / "rows.csv")
    shown = repr(search.evaluate(X[400:], y[400:], confidence_level=[0.99, 0.95, 0.9]))
    assert shown.startswith("Result of an evaluation\n\nmodel")
    assert printed[printed.index("errors ") : printed.index("\nnext ")] in shown


@pages
def test_a_page_is_a_text_that_prompts_do_not_print(search, tmp_path):
    page = search.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page == str(page)
    assert len(repr(page)) < 100 and repr(page).startswith("<report page of 1.")
    assert page._repr_html_() == search.result_._repr_html_()


def test_what_is_not_fitted_has_no_page():
    with pytest.raises(ValueError, match="not fitted"):
        credence.SVCSearchCV().report()


@pytest.fixture(scope="module")
def hostile(breast_cancer):
    """Return a selection and an evaluation whose classes have hostile names."""
    X, _ = breast_cancer
    X = np.random.default_rng(0).permutation(X)[:150, :2]
    y = np.array(HOSTILE)[np.arange(len(X)) % len(HOSTILE)]
    search = credence.SVCSearchCV(C=[1, 4], gamma=[0.1, 1], cv=5).fit(X, y)
    return search, search.evaluate(X, y)


@pages
def test_hostile_class_names_are_text(hostile, visit, tmp_path):
    for result, marked in zip(hostile, ("decision-regions", "confusion"), strict=True):
        result.report(tmp_path / "page.html")
        page = visit(tmp_path / "page.html")
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        assert page.locator(f"[data-chart='{marked}'] svg").count() == 1
        assert "<script>alert(1)</script>" in page.locator("main").text_content()
        assert "x" * 100 not in page.locator("#chosen").text_content()
    text = hostile[0].result_._repr_html_()
    assert text.count("<") == 2  # the frame alone
    (tmp_path / "notebook.html").write_text("<!doctype html><meta charset=utf-8>" + text, encoding="utf-8")
    page = visit(tmp_path / "notebook.html", drawn=False)
    page.frame_locator("iframe").locator("html[data-ready]").wait_for(state="attached", timeout=30000)


def test_hostile_class_names_are_text_in_charts(hostile, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    _, evaluation = hostile
    cells = evaluation.charts()["confusion"].to_dict()["datasets"]
    (cells,) = cells.values()
    assert len(cells) == len(HOSTILE) ** 2
    assert {HOSTILE[0], HOSTILE[1], HOSTILE[4]} < {re.sub("[\u2066-\u2069]", "", cell["truth"]) for cell in cells}
    evaluation.save_chart("confusion", tmp_path / "confusion.svg")
    svg = (tmp_path / "confusion.svg").read_text(encoding="utf-8")
    assert "<script" not in svg
    assert marks(svg, "rect") == len(HOSTILE) ** 2
