"""What the site shows otherwise than the files do: marks for the tests are not shown, links have names of pages."""

from __future__ import annotations

import re

from examples import NOT_RUN

#: A block's mark for the tests; other titles are for readers.
MARK = re.compile(rf'^( *```[a-z]+) title="{NOT_RUN}: [^"]*"', flags=re.MULTILINE)


def without_marks(markdown: str) -> str:
    """Return the page without the titles that say why tests do not run a block."""
    return MARK.sub(r"\1", markdown)


def titles_of(navigation: list) -> dict[str, str]:
    """Return the title of each page of the navigation, in the form of mkdocs.yml."""
    found: dict[str, str] = {}
    for entry in navigation:
        for title, inside in entry.items():
            found |= titles_of(inside) if isinstance(inside, list) else {inside: title}
    return found


def link_text(text: str, page: str, titles: dict[str, str]) -> str:
    """Return the words of a link to a page: its title where the file's name stands, as GitHub shows it."""
    is_file = re.fullmatch(r"`?[\w/-]+\.md`?", text) is not None
    return f"*{titles[page]}*" if is_file and page in titles else text
