"""Every python block of the pages runs and prints what its comments `# prints ...` say."""

import os
import re
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("CREDENCE_SOURCE", ""))
#: Pages whose sections stand alone; in other pages a block may use names of every block before it.
BY_SECTION = ("docs/migration.md",)
PAGES = ("README.md", "docs/python.md", "docs/distributed.md", *BY_SECTION)
PEERS = ("mapie", "crepes", "pandas", "distributed")


def sections(page):
    """Return the title and the blocks of each section, of a page as a whole where its blocks belong together."""
    text = (SOURCE / page).read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.MULTILINE) if page in BY_SECTION else [page + "\n" + text]
    found = []
    for part in parts:
        blocks = [
            (text[: text.index(match.group(0))].count("\n") + 2, match.group(1))
            for match in re.finditer(r"^```python\n(.*?)^```$", part, flags=re.MULTILINE | re.DOTALL)
        ]
        if blocks:
            found.append((part.splitlines()[0], blocks))
    return found


def all_sections():
    if not os.environ.get("CREDENCE_SOURCE"):
        return [pytest.param("", [], marks=pytest.mark.skip(reason="CREDENCE_SOURCE does not name the sources"))]
    return [
        pytest.param(page, blocks, id=f"{page}: {title}" if title != page else page)
        for page in PAGES
        for title, blocks in sections(page)
    ]


def promised(block):
    """Return the lines that the block says it prints."""
    return re.findall(r"# prints (.*)$", block, flags=re.MULTILINE)


@pytest.mark.parametrize(("page", "blocks"), all_sections())
def test_blocks_print_what_they_say(page, blocks, tmp_path, monkeypatch, capsys):
    for peer in PEERS:
        if any(re.search(rf"^(from|import) {peer}\b", block, flags=re.MULTILINE) for _, block in blocks):
            pytest.importorskip(peer)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for line, block in blocks:
        # Line numbers of tracebacks are those of the page.
        exec(compile("\n" * (line - 1) + block, str(SOURCE / page), "exec"), names)
        assert capsys.readouterr().out.splitlines() == promised(block), f"{page}, line {line}"


def test_a_block_that_prints_something_else_is_found(tmp_path, monkeypatch, capsys):
    with pytest.raises(AssertionError):
        test_blocks_print_what_they_say("README.md", [(1, "print(1)  # prints 2\n")], tmp_path, monkeypatch, capsys)


def test_migration_shows_every_peer_in_a_section_of_its_own():
    if not os.environ.get("CREDENCE_SOURCE"):
        pytest.skip("CREDENCE_SOURCE does not name the sources")
    titles = [title for title, _ in sections("docs/migration.md")]
    assert titles == ["GridSearchCV over SVC", "SVC", "LIBSVM", "MAPIE", "crepes"]
