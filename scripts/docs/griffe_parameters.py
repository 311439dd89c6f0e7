"""Writes the Parameters of estimators where their docstrings have `{parameters}`, as the package does when imported.

The names, types, defaults and sentences are those of the stub python/credence/_signatures.pyi, which
scripts/python_stubs.py makes of the descriptions of the options.
"""

from __future__ import annotations

import griffe


class Parameters(griffe.Extension):
    """Replaces `{parameters}` in the docstrings of classes and functions."""

    def on_package(self, *, pkg, **_) -> None:
        arguments = pkg["_signatures"]
        for module in [pkg, *self._modules(pkg)]:
            for name, found in {**module.classes, **module.functions}.items():
                if found.is_alias or not found.docstring or "{parameters}" not in found.docstring.value.splitlines():
                    continue
                section = self._section(arguments[f"{name[0].upper()}{name[1:]}Arguments"])
                found.docstring.value = found.docstring.value.replace("{parameters}", section)
        # The sentences stand in the tables now; as members of every estimator they would stand there once more.
        for estimator in arguments.classes.values():
            for attribute in estimator.attributes.values():
                attribute.docstring = None

    def _modules(self, package):
        for module in package.modules.values():
            if not module.is_alias:
                yield module
                yield from self._modules(module)

    def _section(self, arguments) -> str:
        lines = ["Parameters", "----------"]
        for name, attribute in arguments.attributes.items():
            default = next((each.default for each in arguments["__init__"].parameters if each.name == name), None)
            lines.append(f"{name} : {attribute.annotation}, default={default}")
            lines.append(f"    {attribute.docstring.value if attribute.docstring else ''}")
        return "\n".join(lines)
