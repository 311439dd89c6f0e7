"""docs/result-file.md against documents that the command writes: each page section has every key, and no other."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.command
SOURCE = Path(os.environ.get("CREDENCE_SOURCE", Path(__file__).parents[2]))
COMMAND = os.environ.get("CREDENCE_COMMAND", str(SOURCE / "build" / "credence"))
DATA = str(SOURCE / "data" / "breast_cancer.csv")
SOMETIMES = {"regions", "kernel_validity", "unknown", "baseline_rmse", "importance", "dependence", "report"}  # of some documents of their kind


def keys_of(section: str) -> set[str]:
    """The names in the first column of the table of a section."""
    page = (SOURCE / "docs" / "result-file.md").read_text(encoding="utf-8")
    text = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """One document of each kind."""
    if not Path(COMMAND).exists():
        pytest.skip("the command is not built")
    folder = tmp_path_factory.mktemp("documents")
    words = {
        "description": ["describe", DATA],
        "selection": ["select", DATA, "-o", "selected.credence"],
        "comparison": ["compare", DATA, "--methods", "cv,loo", "--outer-folds", "3"],
        "honest error": ["honest", "losses.csv"],
        "watch": ["watch", "selected.credence", DATA, "--state", "seen.watch", "--label", "diagnosis"],
        "evaluation": [
            *["evaluate", "selected.credence", DATA, "--limit", "0.1", "--by", "mean_radius"],
            *["--prior", "malignant=0.1"],
        ],
        "limits": ["limits", "selected.credence", DATA],
        "update": ["update", "selected.credence", DATA],
        "model": ["info", "selected.credence"],
        "conformal fit": ["conformal", "fit", DATA, "-o", "fitted.credence"],
        "conformal online": ["conformal", "online", DATA, "--limit", "0.1"],
        "conformal intervals": ["conformal", "intervals", "kept.csv", "new.csv", "-o", "intervals.csv"],
    }
    (folder / "kept.csv").write_text("target,prediction\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(30)))
    (folder / "losses.csv").write_text("a,b\n" + "".join(f"{i % 2},{i % 3 == 0:d}\n" for i in range(30)))
    (folder / "new.csv").write_text("target,prediction\n" + "".join(f"{i % 6},{i % 5}\n" for i in range(20)))
    found = {}
    for kind, command in words.items():
        file = folder / "document.json"
        quiet = [] if kind == "model" else ["--quiet"]  # info has no progress or notes
        done = subprocess.run([COMMAND, *command, *quiet, "--json", str(file)], cwd=folder, capture_output=True)
        assert done.returncode in (0, 7), done.stderr  # a watch of the training rows may give an alarm
        found[kind] = json.loads(file.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    "kind",
    [
        *["description", "selection", "comparison", "honest error", "watch", "evaluation", "limits", "update"],
        *["model", "conformal fit", "conformal online", "conformal intervals"],
    ],
)
def test_page_names_every_key(documents: dict[str, dict], kind: str) -> None:
    """The keys of the page are those of a document."""
    document = documents[kind]
    assert document["kind"] == kind
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(document, json.loads((SOURCE / "docs" / "result.schema.json").read_text(encoding="utf-8")))
    assert set(document) - SOMETIMES == (keys_of("Every document") | keys_of(kind)) - SOMETIMES
