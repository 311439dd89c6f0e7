"""Compares two builds of the site by different tools: what a reader meets, not the markup around it.

    python scripts/docs/compare_sites.py SITE OTHER [--browser CHROMIUM]

Compared are the pages, and of each page the title, the headings, the anchors, the words, the links, the pictures, and
the links of the navigation; of the search, the sections that it knows; of all files, whether they load anything from
elsewhere. The script prints a line for each difference and ends with 1 if there is one.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import posixpath
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_site

#: What a tool adds to the words of a page: signs beside headings, and the note under a page.
ADDED_CLASSES = {"headerlink", "md-source-file", "md-content__button", "md-feedback"}

#: Elements without an end.
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

#: Elements around which a reader sees a gap between words.
BLOCKS = re.compile(r"h[1-6]|p|li|ul|ol|div|table|thead|tbody|tr|td|th|pre|label|details|summary|span|dt|dd|dl|br")


@dataclasses.dataclass
class Page:
    """What a reader meets on one page."""

    title: str = ""
    headings: list[str] = dataclasses.field(default_factory=list)
    anchors: list[str] = dataclasses.field(default_factory=list)
    words: list[str] = dataclasses.field(default_factory=list)
    links: list[str] = dataclasses.field(default_factory=list)
    pictures: list[str] = dataclasses.field(default_factory=list)
    navigation: list[str] = dataclasses.field(default_factory=list)


class Reader(HTMLParser):
    """Reads one page; only what stands in its article counts as content."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.place, self.page = place, Page()
        self.open: list[tuple[str, bool, bool]] = []  # tag, whether the article has begun, whether it is an addition
        self.text: list[str] = []
        self.heading: list[str] | None = None
        self.in_title = False

    @property
    def in_article(self) -> bool:
        """Whether the parser is in the content, and in nothing that the tool added there."""
        return bool(self.open) and self.open[-1][1] and not self.open[-1][2]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        classes = set(found.get("class", "").split())
        inside = (self.open[-1][1] if self.open else False) or (tag == "article" and "md-content__inner" in classes)
        added = (self.open[-1][2] if self.open else False) or bool(classes & ADDED_CLASSES)
        if tag not in VOID:
            self.open.append((tag, inside, added))
        self.in_title = self.in_title or (tag == "title" and not inside)
        if not inside:
            if tag == "a" and "md-nav__link" in classes and not found.get("href", "").startswith("#"):
                self.page.navigation.append(self.at(found.get("href", "")))
            return
        if added:
            return
        if BLOCKS.fullmatch(tag):
            self.text.append(" ")
        # Anchors of lines of code, tabs and of the theme start with two strokes, and no page links to them.
        if found.get("id") and not found["id"].startswith("__"):
            self.page.anchors.append(found["id"])
        if re.fullmatch("h[1-6]", tag):
            self.heading = []
        if tag == "a" and "href" in found and not found["href"].startswith("#__"):
            self.page.links.append(self.at(found["href"]))
        if tag == "img":
            self.page.pictures.append(f"{self.at(found.get('src', ''))} {found.get('alt', '')}")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self.in_title = False
        if self.in_article and re.fullmatch("h[1-6]", tag) and self.heading is not None:
            self.page.headings.append(" ".join("".join(self.heading).split()))
            self.heading = None
        if self.in_article and BLOCKS.fullmatch(tag):
            self.text.append(" ")
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.page.title += data
        if self.in_article:
            self.text.append(data)
            if self.heading is not None:
                self.heading.append(data)

    def at(self, link: str) -> str:
        """Return a link from the root of the site."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(self.place), path)) if path else self.place
        return f"{target}#{anchor}" if anchor else target


def pages_of(site: Path) -> dict[str, Page]:
    """Return the pages of a site by their places."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        place = path.relative_to(site).as_posix()
        if place == "404.html":
            continue
        reader = Reader(place)
        reader.feed(path.read_text(encoding="utf-8"))
        reader.page.title = reader.page.title.strip()
        reader.page.words = "".join(reader.text).split()
        reader.page.anchors.sort()
        reader.page.navigation = list(dict.fromkeys(reader.page.navigation))
        found[place] = reader.page
    return found


def sections_of_search(site: Path) -> list[str]:
    """Return the places that the search of a site knows, whichever of the two tools built it."""
    of_zensical, of_mkdocs = site / "search.json", site / "search" / "search_index.json"
    if of_zensical.is_file():
        return sorted(one["location"] for one in json.loads(of_zensical.read_text(encoding="utf-8"))["items"])
    return sorted(one["location"] for one in json.loads(of_mkdocs.read_text(encoding="utf-8"))["docs"])


def of_lists(what: str, one: list[str], other: list[str]) -> list[str]:
    """Return the first difference of two lists as a line."""
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            around = slice(max(0, i - 3), i + 4)
            return [f"{what}: {' '.join(one[around])!r} and {' '.join(other[around])!r}"]
    return [f"{what}: {len(one)} and {len(other)}"] if len(one) != len(other) else []


def differences(site: Path, other: Path) -> list[str]:
    """Return a line for each difference of two sites."""
    first, second = pages_of(site), pages_of(other)
    found = [f"only in {site}: {place}" for place in first.keys() - second.keys()]
    found += [f"only in {other}: {place}" for place in second.keys() - first.keys()]
    for place in sorted(first.keys() & second.keys()):
        a, b = first[place], second[place]
        if a.title != b.title:
            found.append(f"{place}: title: {a.title!r} and {b.title!r}")
        for field in ("headings", "anchors", "words", "links", "pictures", "navigation"):
            found += [f"{place}: {line}" for line in of_lists(field, getattr(a, field), getattr(b, field))]
    # The overview of a page may be its bare address or that of its first heading.
    known, known_too = sections_of_search(site), sections_of_search(other)
    found += [f"search: only in {site}: {place}" for place in sorted(set(known) - set(known_too))]
    found += [f"search: only in {other}: {place}" for place in sorted(set(known_too) - set(known))]
    for folder in (site, other):
        found += [f"{folder}: {place} loads something from elsewhere" for place in check_site.outside(folder)]
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("other", type=Path)
    options = parser.parse_args()
    lines = differences(options.site, options.other)
    print("\n".join(lines) if lines else f"no difference in {len(pages_of(options.site))} pages")
    sys.exit(1 if lines else 0)
