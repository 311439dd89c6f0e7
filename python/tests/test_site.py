"""The site of the documentation: its plain pages, two tools that build it, and its search in a real browser."""

import functools
import http.server
import os
import re
import sys
import threading
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("CREDENCE_SOURCE", ""))
SCRIPTS = SOURCE / "scripts" / "docs"
SITE = SOURCE / "build" / "site"

pytestmark = [
    pytest.mark.command,
    pytest.mark.skipif(not SCRIPTS.is_dir(), reason="CREDENCE_SOURCE names no sources with the pages"),
]

#: What readers type, and the page that answers it.
SEARCHES = {
    "ROC curve": "python.html#roc-curve",
    "feature importance": "python.html#feature-importance",
    "calibration": "probability.html#calibration-three-functions",
    "sensitivity": "cases/screening.html",
    "xlsx": "data.html#spreadsheets-xlsx",
    "imbalanced": "selection.html#imbalanced-classes-and-other-scores",
    "save model": "python.html#save-and-load-a-model",
    "confidence interval": "selection.html#the-confidence-interval-of-the-error",
    "GridSearchCV": "migration.html#gridsearchcv-over-svc",
    "unseen category": "data.html#rows-for-a-model",
}


def script(name):
    """Return a module of scripts/docs."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the folder of plain pages."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    script("pages").write(folder)
    return folder


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    """Return the address of a server of the built site, on this machine's own interface."""
    if not (SITE / "index.html").is_file():
        pytest.skip("the site is not built (scripts/docs/build.sh)")
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=SITE))
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}/"
    served.shutdown()


@pytest.mark.parametrize("words", SEARCHES)
def test_a_search_finds_the_right_page_first(browser, server, words):
    page = browser.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server + "index.html")
    typed = page.get_by_placeholder("Search")
    for _ in range(40):  # until the script of the page listens
        page.keyboard.press("/")
        page.wait_for_timeout(250)
        if typed.count() and typed.first.is_visible():
            break
    typed.first.fill(words)
    # Results of the whole query, not of its first letters.
    first = page.locator(f"a[href*='?h={words.replace(' ', '+')}']").first
    first.wait_for(timeout=20000)
    found = first.get_attribute("href").removeprefix(server)
    page.close()
    assert re.sub(r"\?h=[^#]*", "", found) == SEARCHES[words]
    assert asked
    assert [address for address in asked if not re.match(r"(http://127\.0\.0\.1:|blob:|data:)", address)] == []


def test_pages_are_plain(pages):
    """Nothing is left for a hook: links lead to pages that exist, or to anchors of the references."""
    for path in pages.rglob("*.md"):
        text = re.sub(r"^ *```.*?^ *```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert "Not run by the tests" not in path.read_text(encoding="utf-8") or path.name == "contributing.md"
        for link in re.findall(r"\]\(([^)\s#]+)[^)\s]*\)", text):
            if not re.match(r"[a-z]+:|<", link):
                assert (path.parent / link).exists(), f"{path.name}: {link}"


def test_llms_text_has_each_page_with_a_sentence(pages):
    text = (pages / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# Credence\n\n> ")
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\.html\): (\S.*)$", text, flags=re.MULTILINE)
    assert sorted(f"{place}.md" for place, _ in listed) == sorted(
        path.relative_to(pages).as_posix() for path in pages.rglob("*.md")
    )
    assert "(methods/cv.html): Which kernel, scaling, C and gamma should I take" in text


def test_a_page_that_the_navigation_lacks_is_refused(tmp_path, monkeypatch):
    made = script("pages")
    monkeypatch.setattr(made, "sources", lambda: {"index.md": "# Start\n"})
    with pytest.raises(ValueError, match="differ in"):
        made.write(tmp_path / "pages")


PAGE = """<html><head><title>Start - Credence</title></head><body>
<nav><a class="md-nav__link" href="tour.html">Tour</a></nav>
<article class="md-content__inner"><h1 id="start">Start<a class="headerlink" href="#start">&para;</a></h1>
<p>Three <b>words</b> and a <a href="data.html#rows">link</a>.</p><img src="a.png" alt="a"></article></body></html>"""


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ("Start - Credence", "Begin - Credence", "title"),
        ('id="start"', 'id="begin"', "anchors"),
        (">Start<", ">Begin<", "headings"),
        ("Three", "Four", "words"),
        ("#rows", "#columns", "links"),
        ('src="a.png"', 'src="b.png"', "pictures"),
        ("tour.html", "gone.html", "navigation"),
        ("<b>words</b>", "<strong>words</strong>", None),
        ("&para;", "#", None),
        ("<head>", '<head><script src="https://elsewhere.org/a.js"></script>', "loads something from elsewhere"),
    ],
)
def test_a_difference_of_two_sites_is_found(tmp_path, before, after, difference):
    for name, text, known in (("one", PAGE, "index.html#a"), ("other", PAGE.replace(before, after), "index.html#a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(text, encoding="utf-8")
        (tmp_path / name / "search.json").write_text(f'{{"items": [{{"location": "{known}"}}]}}', encoding="utf-8")
    found = script("compare_sites").differences(tmp_path / "one", tmp_path / "other")
    assert any(difference in line for line in found) if difference else found == []


def test_a_section_that_a_search_does_not_know_is_found(tmp_path):
    for name, known in (("one", "index.html"), ("other", "index.html#b")):
        (tmp_path / name / "search").mkdir(parents=True)
        index = f'{{"docs": [{{"location": "{known}"}}]}}'
        (tmp_path / name / "search" / "search_index.json").write_text(index, encoding="utf-8")
    found = script("compare_sites").differences(tmp_path / "one", tmp_path / "other")
    assert [line.split(":")[0] for line in found] == ["search", "search"]
