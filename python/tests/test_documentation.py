"""Every block of README.md and docs/ runs and prints what the page says; links lead somewhere; generated parts are new."""

import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from functools import lru_cache
from pathlib import Path

import pytest
from credence import _core

SOURCE = Path(os.environ.get("CREDENCE_SOURCE", ""))
COMMAND = os.environ.get("CREDENCE_COMMAND", "")
SCRIPTS = SOURCE / "scripts" / "docs"
#: Pages that are run with the oldest packages too: the ways of scikit-learn that users copy.
WITH_OLDEST = ("README.md", "docs/python.md", "docs/migration.md")
#: Pages whose sections stand alone; in other pages a block may use names of every block before it.
BY_SECTION = ("docs/migration.md",)
PEERS = ("altair", "vl_convert", "mapie", "crepes", "pandas", "polars", "pyarrow", "distributed")

pytestmark = pytest.mark.skipif(
    not os.environ.get("CREDENCE_SOURCE"), reason="CREDENCE_SOURCE does not name the sources"
)


def script(name):
    """Import one of scripts/docs/."""
    if str(SCRIPTS) not in sys.path:
        sys.path.insert(0, str(SCRIPTS))
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


examples = script("examples") if os.environ.get("CREDENCE_SOURCE") else None


def pages():
    if examples is None:
        return []
    found = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]
    return [path.relative_to(SOURCE).as_posix() for path in found]


def text_of(page):
    return (SOURCE / page).read_text(encoding="utf-8")


def runs():
    """Return the pages, or their sections, that have blocks to run."""
    found = []
    for page in pages():
        blocks = [block for block in examples.blocks_of(text_of(page)) if block.runs]
        blocks = [block for block in blocks if block.language in ("python", "console", "sh")]
        for section in dict.fromkeys(block.section if page in BY_SECTION else "" for block in blocks):
            own = [block for block in blocks if page not in BY_SECTION or block.section == section]
            marks = () if page in WITH_OLDEST else pytest.mark.page
            if not any(block.language == "python" for block in own):
                marks = pytest.mark.command
            found.append(pytest.param(page, own, id=f"{page}: {section}" if section else page, marks=marks))
    return found


def promised(code):
    """Return the lines that a block of Python says it prints."""
    return re.findall(r"# prints (.*)$", code, flags=re.MULTILINE)


def run_blocks(page, blocks, folder, monkeypatch, capsys):
    """Run the blocks one after the other; a page that needs a peer which is missing is skipped."""
    code = "\n".join(block.code for block in blocks if block.language == "python")
    for peer in PEERS:
        if re.search(rf"^(from|import) {peer}\b", code, flags=re.MULTILINE):
            pytest.importorskip(peer)
    if ".report(" in code and not _core.pages_are_built_in():
        pytest.skip("report pages are not built into the module")
    if not COMMAND and any(block.language != "python" for block in blocks):
        pytest.skip("CREDENCE_COMMAND does not name the command")
    environment = examples.place_for(folder, SOURCE, COMMAND or "credence")
    monkeypatch.chdir(folder)
    names = {"__name__": "__main__"}
    for block in blocks:
        where = f"{page}, line {block.line}"
        if block.language == "python":
            # Line numbers of tracebacks are those of the page.
            exec(compile("\n" * (block.line - 1) + block.code, str(SOURCE / page), "exec"), names)
            assert capsys.readouterr().out.splitlines() == promised(block.code), where
            continue
        for command, expected in examples.commands_of(block):
            problem = examples.check(command, expected, folder, environment, compare=block.is_compared)
            assert not problem, f"{where}: {problem}"


@pytest.mark.parametrize(("page", "blocks"), runs())
def test_blocks_print_what_they_say(page, blocks, tmp_path, monkeypatch, capsys):
    run_blocks(page, blocks, tmp_path, monkeypatch, capsys)


def block(language, code, title=""):
    return examples.Block(language, title, code, 1, "")


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "print(1)  # prints 2\n"),
        ("console", "$ echo one two\none three\n"),
        ("console", "$ echo 3.06\n3.16\n"),
        ("console", "$ printf 'one\\ntwo\\n'\none\n"),
        ("console", "$ echo one\none\ntwo\n"),
        ("console", "$ echo one\n...\ntwo\n"),
        ("console", "$ credence select no-file.csv\n"),
        ("sh", "credence select data.csv --no-option 1\n"),
    ],
)
def test_a_block_that_prints_something_else_is_found(language, code, tmp_path, monkeypatch, capsys):
    if language != "python" and not COMMAND:
        pytest.skip("CREDENCE_COMMAND does not name the command")
    with pytest.raises(AssertionError):
        run_blocks("README.md", [block(language, code)], tmp_path, monkeypatch, capsys)


def test_excerpts_and_times_are_allowed(tmp_path, monkeypatch, capsys):
    if not COMMAND:
        pytest.skip("CREDENCE_COMMAND does not name the command")
    code = "$ printf 'one\\ntwo\\nthree 0.42 s\\n'\none\n...\nthree 0.05 s\n$ echo 4.80784\n4.80785\n"
    run_blocks("README.md", [block("console", code)], tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("expected", "got", "is_same"),
    [
        ("0.6342105263157894", "0.6368421052631579", True),  # 241/380 and 242/380
        ("0.002631578947368421", "0.005263157894736842", True),  # 1/380 and 2/380
        ("0.9973684210526316", "1", True),
        ("0.6473684210526316", "0.65", True),  # 246/380 and 247/380
        ("0.6342105263157894", "0.6394736842105263", False),  # two ranks
        ("0.3333333333333333", "0.5", False),  # one rank of six scores is no rounding
        ("0.002631578947368421", "0", False),  # no p-value is 0
        ("0.6342105263157894", "0.6371234567891234", False),  # no rank
        ("0.6342105263157894", "malignant", False),
        ("0.6342105263157894", "nan", False),
    ],
)
def test_a_p_value_may_differ_by_one_rank(expected, got, is_same):
    assert examples.same_p_value(expected, got) is is_same
    assert examples.same_p_value(got, expected) is is_same


@pytest.mark.parametrize(
    ("expected", "got", "is_same"),
    [
        ("4.80784", "4.80785", True),
        ("inf", "inf", True),
        ("0.020100502512562814", "0.022613065326633167", False),  # an error of 8 and of 9 rows in 398
        ("0.58", "0.59", False),
        ("0.5789473684210527", "0.58", False),
        ("63.42105263157894%", "62.1%", False),
        ("inf", "3", False),
        ("-inf", "inf", False),
        ("nan", "0.5", False),
    ],
)
def test_other_numbers_may_differ_by_a_thousandth(expected, got, is_same):
    assert examples.same_word(expected, got) is is_same
    assert examples.same_word(got, expected) is is_same


@pytest.mark.parametrize(("column", "is_same"), [("p_malignant", True), ("confidence", True), ("decision_value", False)])
def test_ranks_are_those_of_columns_of_p_values(column, is_same):
    page = [f"row,label,{column}", "1,malignant,0.6342105263157894"]
    assert (not examples.difference(page, [page[0], "1,malignant,0.6368421052631579"])) is is_same
    assert examples.difference(page, [page[0], "1,benign,0.6342105263157894"])


@lru_cache(maxsize=None)
def help_of(command):
    """Return the whole help of a command; nothing if there is no such command."""
    for flag in ("--help-all", "--help"):
        done = subprocess.run([COMMAND, *command, flag], capture_output=True, text=True, check=False)
        if done.returncode == 0 and (not command or f"Usage: credence {' '.join(command)} " in done.stdout):
            return done.stdout
    return ""


@pytest.mark.parametrize("page", pages())
def test_commands_that_are_not_run_have_options_that_exist(page):
    if not COMMAND:
        pytest.skip("CREDENCE_COMMAND does not name the command")
    make = text_of("Makefile")
    for one in examples.blocks_of(text_of(page)):
        if one.language not in ("console", "sh") or one.runs:
            continue
        where = f"{page}, line {one.line}"
        assert re.match(rf"{examples.NOT_RUN}: \w+", one.title), f"{where}: the title gives no reason"
        for command, _ in examples.commands_of(one):
            for words in examples.calls_of(command):
                assert not examples.unknown_options(words, help_of), f"{where}: {words}"
        for target in re.findall(r"^make ([a-z0-9-]+)", one.code, flags=re.MULTILINE):
            assert re.search(rf"^{target}:", make, flags=re.MULTILINE), f"{where}: make {target}"


def test_an_option_that_does_not_exist_is_found():
    if not COMMAND:
        pytest.skip("CREDENCE_COMMAND does not name the command")
    assert examples.unknown_options(["select", "x.csv", "--gama", "1"], help_of) == ["--gama"]
    assert examples.unknown_options(["choose", "x.csv"], help_of) == ["no command choose"]
    assert examples.unknown_options(["conformal", "fit", "x.csv", "--measure", "margin", "-o", "m"], help_of) == []


@pytest.mark.parametrize("page", pages())
def test_every_block_says_what_it_is(page):
    """A block without a language would neither be run nor be marked."""
    known = {"console", "sh", "python", "c", "cpp", "cmake", "csv", "dockerfile", "json", "text"}
    for one in examples.blocks_of(text_of(page)):
        assert one.language in known, f"{page}, line {one.line}: the language is '{one.language}'"


def anchor_of(heading):
    """Return the anchor that the site and GitHub give a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


@pytest.mark.parametrize("page", pages())
def test_links_lead_to_files_and_headings(page):
    text = re.sub(r"^ *```.*?^ *```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    generated = ("python-reference.md", "cpp-reference/", "contributing.md", "changelog.md", *script("figures").FIGURES)
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (SOURCE / page).parent / path if path else SOURCE / page
        inside = os.path.relpath(target, SOURCE / "docs")
        if inside.startswith(generated):
            continue
        assert target.exists(), f"{page}: {link}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert anchor in map(anchor_of, headings), f"{page}: {link}"


@pytest.mark.page
def test_generated_parts_are_up_to_date():
    """Oracle: the generator, run on options.md, docs/results/ and the command of today."""
    if not COMMAND:
        pytest.skip("CREDENCE_COMMAND does not name the command")
    arguments = [sys.executable, str(SCRIPTS / "write_pages.py"), "--check", "--command", COMMAND]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run scripts/docs/write_pages.py: {done.stdout}{done.stderr[-2000:]}"


def test_figures_are_drawn_and_shown():
    shown = "".join(text_of(page) for page in pages())
    for place, draw in script("figures").FIGURES.items():
        assert ElementTree.fromstring(draw()).tag.endswith("svg")
        assert f"({place})" in shown


def test_ways_are_short_and_each_page_names_the_next():
    site = script("pages")
    sections = dict(script("site_text").sections_of(text_of("mkdocs.yml")))
    ways = {name: places for name, places in sections.items() if name not in ("Start", "Reference")}
    assert list(ways) == ["Analyst", "Python", "Statistician", "C++", "Contributor"]
    for name, places in ways.items():
        assert len(places) <= 8, name
        files = [SOURCE / site.OUTSIDE.get(place, f"docs/{place}") for _, place in places]
        for file, following, (title, _) in zip(files, [*files[1:], None], [*places[1:], ("", "")], strict=True):
            link = f"Next: [{title}]({os.path.relpath(following, file.parent)})." if following else None
            named = re.findall(r"^Next: .*$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert named == ([link] if link else []), file
            assert link is None or file.read_text(encoding="utf-8").endswith(f"\n\n{link}\n"), file


def test_generated_parts_are_compared(tmp_path):
    """A page whose generated part was edited by hand is out of date."""
    if not COMMAND:
        pytest.skip("CREDENCE_COMMAND does not name the command")
    generator = script("write_pages")
    page = text_of("docs/methods/cv.md")
    assert generator.written(page, COMMAND) == page
    assert generator.written(page.replace("| `folds` |", "| `fold` |"), COMMAND) == page


def test_every_method_has_a_page_a_header_and_a_line():
    """The pattern of docs/add-a-method.md, for all methods that docs/options.md names."""
    options = text_of("docs/options.md").split("# Candidates")[0]
    methods = re.findall(r"^## (\S+)$", options, flags=re.MULTILINE)
    assert len(methods) >= 12
    headers = (SOURCE / "include/credence/selection/methods.hpp").read_text()
    variant = text_of("include/credence/selection/options.hpp")
    navigation = text_of("mkdocs.yml")
    for method in methods:
        page = text_of(f"docs/methods/{method}.md")
        for heading in ("What it does", "An example", "Options", "Cost", "When it fails", "Source"):
            assert f"\n## {heading}\n" in page, f"docs/methods/{method}.md has no section {heading}"
        assert f"<!-- generated: options {method} -->" in page
        assert f"methods/{method}.md" in navigation
        name = re.search(rf'struct (\w+)[^{{;]*\{{\s*static constexpr const char\* name = "{method}";', headers)
        assert name, f"no header has a method {method}"
        assert re.search(rf"\b{name.group(1)}\b", variant), f"{name.group(1)} is not in the variant"


@pytest.mark.parametrize("page", ["docs/add-a-method.md", "CONTRIBUTING.md"])
def test_files_that_the_guides_name_exist(page):
    for path in re.findall(r"`((?:include|src|tests|docs|scripts|cli|python|report)/[\w./-]+)`", text_of(page)):
        if "NAME" not in path:
            assert (SOURCE / path).exists(), f"{page}: {path}"


def test_migration_shows_every_peer_in_a_section_of_its_own():
    blocks = examples.blocks_of(text_of("docs/migration.md"))
    titles = list(dict.fromkeys(one.section for one in blocks if one.language == "python"))
    assert titles == ["GridSearchCV over SVC", "SVC", "LIBSVM", "MAPIE", "crepes"]


def test_what_migration_names_of_peers_exists():
    """The dotted names of MAPIE and crepes in the section on where they are the better choice."""
    text = text_of("docs/migration.md").split("## Where the other program is the better choice")[1]
    named = re.findall(r"`((?:mapie|crepes)\.[\w.]+)`", text)
    assert len(named) >= 8
    for name in named:
        module, _, attribute = name.rpartition(".")
        assert hasattr(pytest.importorskip(module), attribute), name


def test_readme_is_short():
    assert len(text_of("README.md").splitlines()) <= 150
    assert (SOURCE / "docs/images/page.png").stat().st_size < 200_000


@pytest.mark.parametrize("page", pages())
def test_names_of_cpp_blocks_are_declared(page):
    """docs/cpp.md is a program that the package's test compiles; other blocks name what the headers declare."""
    headers = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "include").rglob("*.hpp"))
    for one in examples.blocks_of(text_of(page)):
        if one.language == "cpp":
            for name in re.findall(r"\b(?!std\b)[a-z_]+::([A-Za-z_]\w*)", one.code):
                assert re.search(rf"\b{name}\b", headers), f"{page}, line {one.line}: {name}"


def test_reference_of_headers_has_every_line():
    """Oracle: the headers. No declaration and no comment is lost on the way to the site."""
    made = script("cpp_reference").pages(SOURCE / "include")
    folder = SOURCE / "include" / "credence"
    headers = [path for path in folder.rglob("*.hpp") if path.parent != folder]
    assert len(headers) > 80
    for path in headers:
        name = path.relative_to(folder).as_posix()
        page = made[f"cpp-reference/{name.split('/')[0]}.md"]
        part = page.split(f"\n## {name} {{")[1].split("\n## ")[0]
        words = set(re.findall(r"[A-Za-z]{3,}", part.replace("\\", "")))
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"#|(inline )?namespace |\} +// namespace", line):
                continue
            if line.startswith("///"):
                # Commands of the comment, such as throws, are words of the page in another spelling.
                lost = set(re.findall(r"(?<!@)\b[A-Za-z]{3,}", line)) - words
                assert not lost, f"{name}: {line}: {lost}"
            else:
                assert line in part, f"{name}: {line}"


def test_reference_of_python_has_every_public_name():
    credence = pytest.importorskip("credence")
    page = script("python_reference").page(SOURCE / "python")
    named = re.findall(r"^::: credence\.(\w+)$", page, flags=re.MULTILINE)
    assert named == [name for name in credence.__all__ if not name.startswith("__")]


def test_marks_for_the_tests_are_not_shown():
    """The mark of a block goes, a title for readers stays; what a page says about marks is no fence."""
    shown = script("site_text").without_marks
    assert shown('    ```sh title="Not run by the tests: builds"\nmake\n    ```\n') == "    ```sh\nmake\n    ```\n"
    for page in pages():
        before, after = examples.blocks_of(text_of(page)), examples.blocks_of(shown(text_of(page)))
        assert [one.code for one in before] == [one.code for one in after], page
        assert [one.title if one.runs else "" for one in before] == [one.title for one in after], page


def test_links_have_names_of_pages():
    named = script("site_text")
    listed = named.sections_of("a: b\nnav:\n  - Start:\n      - Five minutes: index.md\n  - Large data: large-data.md")
    assert listed == [("Start", [("Five minutes", "index.md")]), ("Large data", [("Large data", "large-data.md")])]
    titles = {page: title for _, pages in listed for title, page in pages}
    assert named.link_text("large-data.md", "large-data.md", titles) == "*Large data*"
    assert named.link_text("`docs/large-data.md`", "large-data.md", titles) == "*Large data*"
    assert named.link_text("many rows", "large-data.md", titles) == "many rows"
    assert named.link_text("elsewhere.md", "elsewhere.md", titles) == "elsewhere.md"


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("imbalanced", "docs/selection.md"),
        ("imbalanced", "docs/which-method.md"),
        ("class_weight", "docs/python.md"),
        ("unseen category", "docs/data.md"),
        ("missing label", "docs/data.md"),
    ],
)
def test_words_that_readers_search_for_stand_where_the_answer_is(words, page):
    text = re.sub(r"\s+", " ", text_of(page).lower())
    assert words in text


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ('<script src="https://elsewhere.org/a.js"></script>', True),
        ('<link rel="stylesheet" href="//elsewhere.org/a.css">', True),
        ('<img alt="" src=https://elsewhere.org/a.png>', True),
        ('<a href="https://elsewhere.org">a link that a reader may follow</a>', False),
        ('<script src="assets/a.js"></script>', False),
    ],
)
def test_a_page_that_loads_from_elsewhere_is_found(text, is_found, tmp_path):
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    assert script("check_site").outside(tmp_path) == (["index.html"] if is_found else [])


def test_promises_are_listed_with_their_condition():
    assert script("promises").problems() == []


def test_a_promise_in_prose_is_found():
    promises = script("promises")
    text = "Words. The bound is **proved**. More.\n\n| a | guaranteed |\n\n```\nexact\n```\n\nThe honest estimate is near.\n"
    assert promises.sentences_of(text) == ["The bound is **proved**.", "| a | guaranteed |"]


@pytest.mark.parametrize(
    ("kind", "source", "sentence"),
    [
        (
            "prose_of_python",
            'def f():\n    """Return it.\n\n    Errors are below 1 - c in each class.\n    """\n',
            "Errors are below 1 - c",
        ),
        (
            "prose_of_python",
            "say(f'in {n} rows this is '\n    'proved for all')\n",
            "in {} rows this is proved for all",
        ),
        (
            "comments_of",
            "/// A region misses with\n/// probability at most eps.\nint f();  // proved\n",
            "with probability at most",
        ),
        ("comments_of", "int n = 0;  ///< a limit that is certified\n", "a limit that is certified"),
        ("literals_of", 'say("these sets miss in "\n    "at most 5 % of rows");  // proved\n', "miss in at most 5 %"),
        ("literals_of", 'constexpr auto text = R"(Regions that are valid for all)";\n', "are valid for all"),
    ],
)
def test_a_promise_in_a_source_is_found(kind, source, sentence):
    promises = script("promises")
    found = promises.promises_in(getattr(promises, kind)(source))
    assert len(found) == 1
    assert sentence in found[0]


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("comments_of", "/// Its `Validity::exact` is a name.\nbool exact = true;  // exact\n"),
        ("literals_of", 'object("exact"_key = 1, "honest"_key = 2);\n#include "credence/rvm/validity.hpp"\n'),
        ("prose_of_python", "name = 'guarantee'\n"),
    ],
)
def test_a_name_is_no_promise(kind, source):
    promises = script("promises")
    assert promises.promises_in(getattr(promises, kind)(source)) == []
