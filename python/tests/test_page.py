"""The report page in a real browser: Debian's Chromium, driven by Playwright, without network.

Every page is made by the command, of real runs. A test fails if the browser says anything at all on its console, which
is where breaches of the page's Content-Security-Policy show.
"""

import csv
import itertools
import json
import math
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ.get("CREDENCE_COMMAND", "")
DATA = Path(os.environ.get("CREDENCE_SOURCE", "")) / "data" / "breast_cancer.csv"
HOSTILE = ["<script>alert(1)</script>", "\"quotes\" & 'more'", "x" * 10000, "שלום \u202e עולם"]

pytestmark = [
    pytest.mark.command,
    pytest.mark.skipif(not Path(COMMAND).is_file(), reason="CREDENCE_COMMAND names no command"),
    pytest.mark.skipif(not DATA.is_file(), reason="CREDENCE_SOURCE names no sources with the data set"),
]


def run(folder, *arguments):
    """Runs the command in the folder; a report that it cannot make because pages are not built in skips the test."""
    done = subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True)
    if "report pages are not built in" in done.stderr:
        pytest.skip("report pages are not built into the command")
    return done


@pytest.fixture(scope="module")
def rows():
    with DATA.open(newline="") as file:
        head, *body = csv.reader(file)
    random.Random(1).shuffle(body)
    return head, body


@pytest.fixture(scope="module")
def folder(tmp_path_factory, rows):
    """Data files, and a page with its document for each kind of run."""
    folder = tmp_path_factory.mktemp("pages")
    head, body = rows
    write(folder / "train.csv", head, body[:380])
    write(folder / "test.csv", head, body[380:])
    label = head.index("diagnosis")
    write(folder / "two.csv", ["a", "b", "label"], [[row[0], row[1], row[label]] for row in body])
    draws = random.Random(2)
    waves = [(x / 10, math.sin(x / 10) + draws.gauss(0, 0.1)) for x in range(-60, 60)]
    write(folder / "wave.csv", ["x", "y"], waves)
    spread = [(x, x + draws.gauss(0, 1 + abs(x)), 1 + abs(x)) for x in (draws.gauss(0, 1) for _ in range(260))]
    write(folder / "kept.csv", ["prediction", "target", "difficulty"], spread[:110])
    write(folder / "new.csv", ["prediction", "target", "difficulty"], spread[110:])
    one_svm = ["--scale", "standard", "--rule", "best"]
    runs = {
        "select": ["select", "train.csv", "-o", "svm.credence"],
        "plane": ["select", "two.csv", "--C", "1,4", "--gamma", "0.1,1"],
        "one": ["select", "train.csv", "--gamma", "2^-9:2^1:x4", *one_svm],
        "curve": ["select", "train.csv", "--kernel", "linear", *one_svm],
        "relevance": ["select", "train.csv", "--method", "kernel-validity"],
        "bounds": ["select", "train.csv", "--method", "rademacher", "--kernel", "linear"],
        "regression": ["select", "wave.csv", "--task", "regression", "-o", "wave.credence"],
        "compare": ["compare", "train.csv", "--methods", "cv,holdout", "--outer-folds", "3", "--C", "1,4"],
        "evaluate": ["evaluate", "svm.credence", "test.csv"],
        "numbers": ["evaluate", "wave.credence", "wave.csv"],
        "fit": ["conformal", "fit", "train.csv", "-o", "conformal.credence"],
        "conformal": ["evaluate", "conformal.credence", "test.csv"],
        "online": ["conformal", "online", "train.csv", "--shuffle"],
        "intervals": ["conformal", "intervals", "kept.csv", "new.csv", "--confidence-level", "0.999,0.9,0.7", "-o", "intervals.csv"],
        "sinc": ["reproduce", "kernel-validity", "--sets", "sinc", "--splits", "1"],
    }
    for name, arguments in runs.items():
        done = run(folder, *arguments, "--quiet", "--report", f"{name}.html", "--json", f"{name}.json")
        assert done.returncode == 0, done.stderr
    return folder


KINDS = [
    "select",
    "one",
    "plane",
    "curve",
    "relevance",
    "bounds",
    "regression",
    "compare",
    "evaluate",
    "numbers",
    "fit",
    "conformal",
    "online",
    "intervals",
    "sinc",
]


def write(path, head, body):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *body])


def document_of(folder, name):
    return json.loads((folder / f"{name}.json").read_text())


def marks(page, chart, mark):
    return page.locator(f"[data-chart='{chart}'] svg .mark-{mark} > *").count()


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_drawn_in_silence(folder, visit, name):
    page = visit(folder / f"{name}.html")
    assert not scrolls_sideways(page, 1000)
    charts = page.locator("[data-chart]")
    assert page.locator("h1").count() == 1
    assert page.locator("[data-chart] svg").count() == charts.count()
    assert charts.count() > 0 or name == "fit"
    assert (folder / f"{name}.html").stat().st_size < 1_500_000
    for chart in charts.all():
        assert chart.get_attribute("aria-label")
        assert chart.bounding_box()["height"] > 50


@pytest.mark.parametrize("name", KINDS)
def test_a_phone_does_not_scroll_sideways(folder, visit, name):
    assert not scrolls_sideways(visit(folder / f"{name}.html", width=375), 375)


def scrolls_sideways(page, width):
    ends = [box["x"] + box["width"] for box in (svg.bounding_box() for svg in page.locator("[data-chart] svg").all())]
    return max([page.evaluate("document.documentElement.scrollWidth"), *ends]) > width + 0.5


@pytest.mark.parametrize("width", [400, 1000])
def test_each_kernel_and_scaling_has_a_map_with_the_members_of_the_average(folder, visit, width):
    document = document_of(folder, "select")
    page = visit(folder / "select.html", width=width)
    names = list(dict.fromkeys(f"{one['kernel']} kernel, {one['scale']} scaling" for one in document["grid"]))
    assert len(names) == 4 and marks(page, "heat-map", "rect.role-mark") == len(document["grid"]) == 144
    chart = page.locator("[data-chart='heat-map'] svg")
    headings = [chart.get_by_text(name, exact=True) for name in names]
    places = [heading.bounding_box() for heading in headings]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width and box["height"] > 8 for box in places)
    tops = [box["y"] for box in places]
    assert tops == sorted(tops)
    symbols = [box["y"] for box in (one.bounding_box() for one in chart.locator(".mark-symbol.role-mark > *").all())]
    members = [document["grid"][k] for k in document["average"]["members"]]
    for name, top, end in zip(names, tops, [*tops[1:], float("inf")], strict=True):
        own = [one for one in members if f"{one['kernel']} kernel, {one['scale']} scaling" == name]
        assert sum(top < y < end for y in symbols) == len(own)
        assert (f"{len(own)} with {name}" in page.locator("#sure").text_content()) == (len(own) > 0)
    assert len(symbols) == len(members) == 10
    colours = chart.locator(".mark-rect.role-mark > *").evaluate_all("all => all.map(e => getComputedStyle(e).fill)")
    table = page.locator("#heat-map details table tbody tr")
    errors = [f"{100 * one['error']:.2f} %" for one in document["grid"]]
    assert all(error in text for error, text in zip(errors, table.all_text_contents(), strict=True))
    of_errors = {}
    for one, colour in zip(document["grid"], colours, strict=True):  # one scale: equal errors, equal colours
        assert of_errors.setdefault(one["error"], colour) == colour
    assert len(set(of_errors.values())) > 5


def test_the_heat_map_has_a_mark_for_each_setting(folder, visit):
    document = document_of(folder, "one")
    page = visit(folder / "one.html")
    settings = [setting for setting in document["grid"] if setting["error"] is not None]
    assert marks(page, "heat-map", "rect.role-mark") == len(settings)
    best = min(settings, key=lambda setting: setting["error"])
    close = [setting for setting in settings if setting["error"] <= best["error"] + best["error_se"]]
    chosen = [
        setting
        for setting in close
        if (setting["C"], setting["gamma"]) == (document["best"]["C"], document["best"]["gamma"])
    ]
    assert len(chosen) == 1
    symbols = page.locator("[data-chart='heat-map'] svg .mark-symbol.role-mark > *").count()
    assert symbols == len(close)


def test_charts_of_an_evaluation_have_a_mark_for_each_row(folder, visit, chart_of):
    document = document_of(folder, "evaluate")
    page = visit(folder / "evaluate.html")
    assert marks(page, "confidence", "symbol.role-mark") == document["n"] == 189
    assert marks(page, "confusion", "rect.role-mark") == 4
    assert marks(page, "set-sizes", "area.role-mark") + marks(page, "set-sizes", "group.role-scope") >= 1
    wrong = [row for row in chart_of(document, "confidence")["rows"] if row["label"] != row["truth"]]
    assert len(wrong) == document["errors"]


def test_charts_of_a_comparison_have_a_mark_for_each_fold(folder, visit):
    document = document_of(folder, "compare")
    page = visit(folder / "compare.html")
    folds = sum(len(method["folds"]) for method in document["methods"])
    assert marks(page, "methods", "symbol.role-mark") == folds == 6
    assert marks(page, "methods", "rect.role-mark") == 2
    assert marks(page, "differences", "symbol.role-mark") == 1
    assert marks(page, "time", "rect.role-mark") == 2


def test_the_page_of_intervals_shows_each_row_and_says_what_is_infinite(folder, visit):
    page = visit(folder / "intervals.html")
    assert marks(page, "intervals", "symbol.role-mark") == marks(page, "intervals", "rule.role-mark") == 150
    assert marks(page, "interval-widths", "rect.role-mark") == 2 * 2  # the middle half and the median, of two levels
    said = page.locator("#chosen").text_content()
    assert "At confidence level 0.999, 150 of 150 intervals are infinite" in said
    assert "An interval holds the target with a probability of at least 90 %; the intervals are" in said
    assert "if the rows of kept.csv were not used in training" in page.locator("#trust").text_content()


def test_decision_regions_show_the_rows(folder, visit, chart_of):
    page = visit(folder / "plane.html")
    assert marks(page, "decision-regions", "symbol.role-mark") == 500
    fields = chart_of(document_of(folder, "plane"), "decision-regions")["more"]["fields"]
    assert marks(page, "decision-regions", "rect.role-mark") == len(fields)
    for left, right in itertools.pairwise(fields):  # a field ends where the class or the line changes
        if left["y"] == right["y"]:
            assert left["x2"] == pytest.approx(right["x"]) and left["class"] != right["class"]
        else:
            assert left["y2"] == pytest.approx(right["y"]) and right["x"] == pytest.approx(fields[0]["x"])


def test_tables_hold_the_numbers_of_the_document(folder, visit):
    document = document_of(folder, "select")
    page = visit(folder / "select.html")
    table = page.locator("#heat-map details table")
    assert table.locator("tbody tr").count() == len(document["grid"])
    first = document["grid"][0]
    assert f"{100 * first['error']:.2f} %" in table.locator("tbody tr").first.text_content()
    chosen = page.locator("#chosen").text_content()
    assert f"{100 * document['honest']['error']:.2f} %" in chosen
    assert document["checksum"]["sha256"] in page.locator("#repeat").text_content()


def test_dark_and_light_are_readable(folder, visit):
    papers = {}
    for scheme in ["light", "dark"]:
        page = visit(folder / "evaluate.html", color_scheme=scheme)
        paper, ink = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        )
        label = page.evaluate(
            "getComputedStyle(document.querySelector('[data-chart] svg .role-axis-label text')).fill",
        )
        papers[scheme] = paper
        assert contrast(paper, ink) > 7
        assert contrast(paper, label) > 7
        for quiet in page.locator(".quiet, dt, figcaption").all():
            assert contrast(paper, quiet.evaluate("e => getComputedStyle(e).color")) > 4.5
    assert papers["light"] != papers["dark"]


def contrast(first, second):
    """WCAG 2: the ratio of two colours' luminances."""

    def luminance(colour):
        channels = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(first), luminance(second)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["select", "evaluate", "compare"])
def test_without_javascript_the_tables_are_there(folder, visit, name):
    page = visit(folder / f"{name}.html", java_script_enabled=False)
    charts = page.locator("figure").count()
    assert charts > 0
    assert page.locator("figure details table").count() == charts
    assert page.locator("svg").count() == 0
    page.locator("figure summary").first.click()
    assert page.locator("figure details table").first.is_visible()


def test_the_keyboard_opens_a_table(folder, visit):
    page = visit(folder / "select.html")
    page.locator("figure summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("figure details table").first.is_visible()


def test_headings_and_tables_are_marked_up(folder, visit):
    page = visit(folder / "evaluate.html")
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert page.locator("table").count() == page.locator("table > caption").count()
    assert page.locator("figure").count() == page.locator("figure > figcaption").count()
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(ids) == len(set(ids))
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href")).count() == 1


def test_print_shows_every_chart_on_white(folder, visit):
    page = visit(folder / "evaluate.html", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()") == "#ffffff"
    assert not page.locator("nav").is_visible()
    for chart in page.locator("[data-chart] svg").all():
        assert chart.is_visible()
    assert page.pdf()[:5] == b"%PDF-"


@pytest.mark.parametrize("width", [375, 1000])
def test_hostile_names_are_text(folder, rows, visit, width):
    _, body = rows
    names = HOSTILE
    hostile = [[row[0], row[1], names[at % len(names)]] for at, row in enumerate(body[:160])]
    data = folder / "<img src=x onerror=alert(1)>.csv"
    write(data, ["<b>bold</b>", "עברית", "class"], hostile)
    out = ["--quiet", "--report", f"hostile-{width}.html"]
    done = run(folder, "select", data.name, "--C", "1,4", "--gamma", "0.1,1", "-o", "hostile.credence", *out)
    assert done.returncode == 0, done.stderr
    page = visit(folder / f"hostile-{width}.html", width=width)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("b, img").count() == 0
    assert "<script>alert(1)</script>" in page.locator("#chosen").text_content()
    assert "<img src=x" in page.locator("#repeat").text_content()
    assert "x" * 100 not in page.locator("main").text_content()
    done = run(folder, "evaluate", "hostile.credence", data.name, *out)
    assert done.returncode == 0, done.stderr
    page = visit(folder / f"hostile-{width}.html", width=width)
    assert marks(page, "confusion", "rect.role-mark") == 16
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_stored_result_makes_the_same_page(folder):
    done = run(folder, "report", "select.json", "-o", "again.html")
    assert done.returncode == 0, done.stderr
    assert (folder / "again.html").read_bytes() == (folder / "select.html").read_bytes()


def test_what_is_no_result_is_refused_and_nothing_is_written(folder):
    whole = (folder / "select.json").read_text()
    (folder / "cut.json").write_text(whole[: len(whole) // 2])
    for name, part in [("cut.json", "cut off"), ("train.csv", "not JSON"), ("none.json", "cannot be opened")]:
        done = run(folder, "report", name, "-o", "refused.html")
        assert done.returncode == 4
        assert part in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (folder / "refused.html").exists()
