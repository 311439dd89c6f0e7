"""The JSON Schema of results, from the tables of docs/result-file.md, which a test holds against documents."""

from __future__ import annotations

import json
import re

URL = "https://json-schema.org/draft/2020-12/schema"
EVERY = "Every document"
#: Keys that only some documents of their kind have.
SOMETIMES = {"regions", "kernel_validity", "unknown", "baseline_rmse", "importance", "dependence", "report", "checksum"}

TEXT = {"type": "string"}


def item(properties: dict, *required: str) -> dict:
    """Return an object that has no other properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def texts(*names: str) -> dict:
    return dict.fromkeys(names, TEXT)


def story() -> dict:
    """Return the definitions of what terminal and page show (report/story.hpp)."""

    def list_of(name: str) -> dict:
        return {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}

    column = item({**texts("field", "title"), "format": {"enum": [0, 1, 2, 3]}}, "format")
    column["description"] = "format: 0 text, 1 number, 2 share, 3 yes or no; a column without a title is not shown"
    rows = {"type": "array", "items": {"type": "array"}}
    table = item({"caption": TEXT, "columns": list_of("column"), "rows": rows}, "caption", "columns", "rows")
    chart = item(
        {
            **texts("kind", "id", "title", "caption", "alternative"),
            "data": {"$ref": "#/$defs/table"},
            "words": {"type": "object"},
            "more": {"type": "object"},
        },
        *("kind", "id", "title", "data", "words", "more"),
    )
    blocks = {
        **texts("headline", "paragraph", "warning"),
        "facts": list_of("fact"),
        "table": {"$ref": "#/$defs/table"},
        "chart": {"$ref": "#/$defs/chart"},
        "code": item(texts("title", "text"), "text"),
    }
    return {
        "fact": item(texts("label", "value", "note"), "value"),
        "column": column,
        "table": table,
        "chart": chart,
        "block": {"oneOf": [item({kind: content}, kind) for kind, content in blocks.items()]},
        "section": item({**texts("id", "title"), "blocks": list_of("block")}, "id", "title", "blocks"),
        "story": item(
            {
                **texts("title", "subtitle"),
                "sections": list_of("section"),
                "took": {"anyOf": [{"$ref": "#/$defs/section"}, {"type": "null"}]},
            },
            *("title", "subtitle", "sections", "took"),
        ),
    }


def keys_of(page: str, section: str) -> dict[str, str]:
    """Return the keys of the table of a section, with what they hold."""
    text = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", text, flags=re.MULTILINE)
    return {name: said for cell, said in rows for name in re.findall(r"`(\w+)`", cell)}


def schema(page: str) -> dict:
    """Return the schema of each kind of document that the page has a section of."""
    every = keys_of(page, EVERY)
    kinds = []
    for kind in [name for name in re.findall(r"^## (.+)$", page, flags=re.MULTILINE) if name != EVERY]:
        own = {**every, **keys_of(page, kind)}
        properties: dict = {name: {"description": said} for name, said in own.items()}
        properties["kind"] |= {"const": kind}
        properties["version"] |= TEXT
        properties["report"] |= {"$ref": "#/$defs/story"}
        required = [name for name in own if name not in SOMETIMES]
        kinds.append({"title": kind, "type": "object", "properties": properties, "required": required})
    return {"$schema": URL, "title": "A result of Credence", "oneOf": kinds, "$defs": story()}


def text(page: str) -> str:
    return json.dumps(schema(page), indent=1, ensure_ascii=False) + "\n"
