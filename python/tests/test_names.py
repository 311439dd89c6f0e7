"""What the package shows of itself: public names alone, and extras that exist."""

import re
import tomllib
import types
from pathlib import Path

import credence
import pytest
from credence import bounds, conformal, datasets, distributed, metrics

#: Modules that a user types a dot after.
MODULES = [credence, bounds, conformal, datasets, distributed, metrics]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_dir_shows_public_names_alone(module):
    shown = set(dir(module)) - {"__version__"}
    assert shown == set(module.__all__)
    for name, one in vars(module).items():
        own = getattr(one, "__module__", "") == module.__name__ and not name.startswith("_")
        assert not own or not callable(one) or name in shown, f"{name} is public, and __all__ lacks it"
    for name in shown:
        one = getattr(module, name)
        assert isinstance(one, types.ModuleType) or one.__module__.startswith("credence"), name
        assert one.__doc__, name


def test_extras_in_messages_and_docs_are_those_of_the_package(source):
    """Oracle: pyproject.toml."""
    extras = set(tomllib.loads((source / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    texts = [*Path(credence.__file__).parent.rglob("*.py"), source / "README.md", *(source / "docs").rglob("*.md")]
    named = {name for path in texts for name in re.findall(r"credence\[(\w+)\]", path.read_text(encoding="utf-8"))}
    assert named and named <= extras
    install = (source / "docs" / "python.md").read_text(encoding="utf-8").split("## Five minutes")[0]
    assert extras <= set(re.findall(r"`(\w+)`", install))


def test_a_search_of_svms_refuses_other_models():
    search = credence.SVCSearchCV(model="knn")
    with pytest.raises(ValueError, match=r"take SearchCV\(model='knn'\)"):
        search.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
