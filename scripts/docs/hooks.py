"""What MkDocs does beyond the files of docs/: pages made of other files, and links to files outside docs/."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
import cpp_reference
import python_reference
import site_text

ROOT = Path(__file__).resolve().parents[2]

#: Pages of the site that are files elsewhere.
OUTSIDE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}


def on_files(files, config):
    """Add the pages that are no files of docs/."""
    pages = {name: (ROOT / path).read_text(encoding="utf-8") for name, path in OUTSIDE.items()}
    pages |= cpp_reference.pages(ROOT / "include")
    pages["python-reference.md"] = python_reference.page(ROOT / "python")
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Point links at the page that shows the file, name files that the site does not show, and hide marks of blocks."""
    markdown = site_text.without_marks(markdown)
    titles = site_text.titles_of(config["nav"])
    place = page.file.src_uri
    up = "../" * place.count("/")

    def target(link):
        path, _, anchor = link.partition("#")
        anchor = f"#{anchor}" if anchor else ""
        at_root = place in OUTSIDE
        resolved = (ROOT / path if at_root else (ROOT / "docs" / place).parent / path).resolve()
        try:
            inside = resolved.relative_to(ROOT).as_posix()
        except ValueError:
            return link
        for name, source in OUTSIDE.items():
            if inside == source:
                return up + name + anchor
        if inside.startswith("docs/") and at_root:
            return inside.removeprefix("docs/") + anchor
        if inside.startswith("include/credence"):
            return up + cpp_reference.link_to(inside)
        if not inside.startswith("docs/"):
            return None
        return link

    def replaced(match):
        text, link = match.groups()
        if re.match(r"[a-z]+:|#|<", link):
            return match.group(0)
        to = target(link)
        if to is None:
            return f"`{text.strip('`')}`"
        shown = posixpath.normpath(posixpath.join(posixpath.dirname(place), to.partition("#")[0]))
        return f"[{site_text.link_text(text, shown, titles)}]({to})"

    parts = re.split(r"(^ *```.*?^ *```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if i % 2 else re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)", replaced, part) for i, part in enumerate(parts)
    )
