"""Shortens a JSON result for docs/results/: what the pages show stays, single folds, splits and draws go.

Use: credence reproduce tcm-nn --data DIR --json full.json
     python scripts/docs/results.py full.json docs/results/tcm-nn.json --processor "AMD EPYC (AVX-512), 2 cores"
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

#: What no page shows, by its key, wherever it stands.
LEFT_OUT = {"shuffles", "splits", "draws", "samples", "folds", "calibration", "figure_1", "points", "uniformity"}


def shortened(value):
    """Return the value without the lists that no page shows; numbers keep eight digits."""
    if isinstance(value, dict):
        return {
            key: shortened(each)
            for key, each in value.items()
            if not (key in LEFT_OUT and isinstance(each, (list, dict)))
        }
    if isinstance(value, list):
        return [shortened(each) for each in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value


def guarantees_shortened(document: dict) -> dict:
    """Return the result of selfcheck with what its page shows: shares at every level, one interval for each line."""
    for check in document["checks"]:
        for line in check["lines"]:
            if not line["levels"]:  # a trial failed
                continue
            usual = next((each for each in line["levels"] if each["level"] == 0.1), line["levels"][0])
            line["levels"] = [
                {key: float(f"{each[key]:.5g}") for key in ("level", "nominal", "share")}
                | ({key: float(f"{each[key]:.5g}") for key in ("lower", "upper")} if each is usual else {})
                for each in line["levels"]
            ]
            line.pop("curve", None)
    return document


def text_of(document: dict) -> str:
    """Return JSON with a line for each key and for each element of its lists, so that differences can be read."""

    def line(value) -> str:
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n  " + ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in value) + "\n ]"
        return json.dumps(value, ensure_ascii=False)

    return "{\n" + ",\n".join(f" {json.dumps(key)}: {line(value)}" for key, value in document.items()) + "\n}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("full", type=Path, nargs="+", help="results; the last path is the file to write")
    parser.add_argument("--processor", help="the processor's family, and the number of cores")
    arguments = parser.parse_args()
    *full, short = arguments.full
    documents = [shortened(json.loads(path.read_text(encoding="utf-8"))) for path in full]
    document = documents[0]
    for other in documents[1:]:  # parts of one benchmark, run one after the other
        for key, value in other.items():
            if isinstance(value, list):
                document[key] = document.get(key, []) + value
            elif isinstance(value, dict) and key not in ("machine", "settings"):
                for part, rows in value.items():
                    own = document[key].get(part)
                    both = isinstance(own, list) and isinstance(rows, list)
                    document[key][part] = own + rows if both else own or rows
    if len(documents) > 1:  # means over one part are none over all
        document.pop("geometric_mean_without_pima", None)
        document.pop("wall_over_processor", None)
    if document.get("kind") == "selfcheck":
        document = guarantees_shortened(document)
    if arguments.processor:
        document["processor"] = arguments.processor
    short.write_text(text_of(document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
