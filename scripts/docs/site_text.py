"""What the site shows otherwise than the files do: marks for the tests are not shown, links have names of pages."""

from __future__ import annotations

import re

from examples import NOT_RUN

#: A block's mark for the tests; other titles are for readers.
MARK = re.compile(rf'^( *```[a-z]+) title="{NOT_RUN}: [^"]*"', flags=re.MULTILINE)

#: Lines that open no sentence of a page: headings, tables, blocks, pictures, tabs, lists, comments, quotations.
NO_SENTENCE = re.compile(r"\s*(#|\||```|!\[|===|[-*] |<|:::|>|\d+\. |$)")


def without_marks(markdown: str) -> str:
    """Return the page without the titles that say why tests do not run a block."""
    return MARK.sub(r"\1", markdown)


def sections_of(configuration: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the sections of mkdocs.yml's navigation in their order, each with the titles and places of its pages.

    A page that stands in no section is a section of its own. The standard library reads no YAML: the navigation has
    one entry a line, its depth is its indent, and this is all that is read.
    """
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in configuration.split("\nnav:\n")[1].splitlines():
        entry = re.fullmatch(r'( +)- (?:"([^"]+)"|([^":]+)):(?: (\S+\.md))?', line)
        if entry is None:
            raise ValueError(f"mkdocs.yml: no entry of the navigation: {line}")
        title, page = entry[2] or entry[3], entry[4]
        if len(entry[1]) == 2:
            found.append((title, []))
        if page:
            found[-1][1].append((title, page))
    return found


def first_sentence(markdown: str) -> str:
    """Return the first sentence of a page's prose as plain text; "" if the page has none."""
    for paragraph in re.split(r"\n\s*\n", re.sub(r"^ *```.*?^ *```$", "", markdown, flags=re.MULTILINE | re.DOTALL)):
        if NO_SENTENCE.match(paragraph):
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
        # A question in bold letters is the title of its answer.
        text = re.sub(r"^\*\*[^*]+\*\* (?=\S)", "", text)
        text = re.sub(r"\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", text)
        return re.split(r"(?<=[.?!])\s+(?=[A-Z`*])", text)[0].removesuffix(":")
    return ""


def link_text(text: str, page: str, titles: dict[str, str]) -> str:
    """Return the words of a link to a page: its title where the file's name stands, as GitHub shows it."""
    is_file = re.fullmatch(r"`?[\w/-]+\.md`?", text) is not None
    return f"*{titles[page]}*" if is_file and page in titles else text
