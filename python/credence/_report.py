"""What results show: the report page, charts, pictures."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any

from credence import _core
from credence._frames import needed_frame
from credence._options import Named, path_text

#: How results are named in messages.
_SOURCE = "this result"
#: The version that the charts are written in, of those that vl-convert knows.
_VEGA_LITE = "6.4"


#: What Altair takes of a whole chart alone, and refuses of the parts of one.
_OF_THE_WHOLE = ("$schema", "config", "autosize", "background", "padding")


def _with_tables(part: Any, tables: dict[str, Any]) -> Any:
    """Return a specification with its tables in place: Altair mixes up or refuses named tables of parts of a chart."""
    if isinstance(part, list):
        return [_with_tables(one, tables) for one in part]
    if not isinstance(part, dict):
        return part
    filled = {key: _with_tables(one, tables) for key, one in part.items()}
    if isinstance(part.get("data"), dict) and "name" in part["data"]:
        filled["data"] = {"values": tables[part["data"]["name"]]}
    return filled


def _specifications(document: str) -> dict[str, str]:
    return {chart["id"]: chart["specification"] for chart in _core.charts(document, _SOURCE)}


def _framed(page: str) -> str:
    """Return a page in a frame of its own, which cannot touch the notebook."""
    return (
        f'<iframe title="Report of Credence" sandbox="allow-scripts" srcdoc="{html.escape(page)}" '
        'style="width: 100%; height: 600px; border: 1px solid gray"></iframe>'
    )


class Page(str):
    """A report page as text, which notebooks show and prompts do not print."""

    def __repr__(self) -> str:
        """Return what the page is, and how to look at it."""
        return f"<report page of {len(self) / 1e6:.1f} MB: .report(FILE) writes it, notebooks show it>"

    def _repr_html_(self) -> str:
        return _framed(self)


class Reports(Named):
    """Objects with a document, which can be looked at."""

    def _document(self) -> str:
        """Return the document that the command writes as JSON."""
        raise NotImplementedError

    def report(self, path: str | os.PathLike[str] | None = None) -> Page:
        """Return the report page: one HTML file of charts, tables and plain words, which needs no network.

        Parameters
        ----------
        path : path-like or None
            The file that the page is written to, atomically; None writes no file.

        Returns
        -------
        Page
            The page, a str that notebooks show; a prompt shows its size alone.

        Raises
        ------
        ValueError
            If pages are not built in, or there is no page for this result.
        OSError
            If the file cannot be written.
        """
        text = Page(_core.page(self._document(), _SOURCE))
        if path is not None:
            _core.write_atomically(path_text(path), text.encode())
        return text

    def sentence(self) -> str:
        """Return sentences for a paper: what was done, what was found, and the references.

        Returns
        -------
        str
            The text, which the page has under "For a paper"; empty where the result has none.
        """
        for section in json.loads(self._document()).get("report", {}).get("sections", []):
            if section["id"] == "sentence":
                return section["blocks"][0]["code"]["text"]
        return ""

    def charts(self, *, configured: bool = True) -> dict[str, Any]:
        """Return the charts of the report page for Altair.

        Parameters
        ----------
        configured : bool
            Whether each chart has its configuration: colours, fonts and styles. Altair puts charts together (``|``,
            ``&``) that have none; the whole may then take the ``config`` of one that has it.

        Returns
        -------
        dict from a name to an altair.Chart
            In the order of the page.

        Raises
        ------
        ImportError
            If Altair is not installed; ``pip install 'credence[charts]'`` installs it.
        """
        try:
            import altair
        except ImportError as missing:
            raise ImportError("charts need the package Altair: pip install 'credence[charts]'") from missing
        charts = {}
        for name, text in _specifications(self._document()).items():
            specification = json.loads(text)
            tables, table = specification.pop("datasets"), specification.pop("data")["name"]
            specification = _with_tables(specification, tables) | {"data": {"values": []}}
            if not configured:
                specification = {key: value for key, value in specification.items() if key not in _OF_THE_WHOLE}
            charts[name] = altair.Chart.from_dict(specification)
            charts[name].data = altair.InlineData(values=tables[table])  # to check every row takes long
        return charts

    def save_chart(self, name: str, path: str | os.PathLike[str], *, scale: float = 2) -> None:
        """Write one chart of the report page as a picture.

        Parameters
        ----------
        name : str
            A name that :meth:`charts` gives, such as ``"heat-map"``.
        path : path-like
            A file that ends in .png or .svg, which is written atomically.
        scale : float
            For a PNG: pixels of the picture for each pixel of the chart.

        Raises
        ------
        ValueError
            For another ending, or a name that the result has no chart of.
        ImportError
            If vl-convert-python is not installed; ``pip install 'credence[charts]'`` installs it.
        OSError
            If the file cannot be written.
        """
        kind = Path(path).suffix.lower()
        if kind not in (".png", ".svg"):
            raise ValueError(f"a chart is saved as .png or .svg, not as {os.fspath(path)!r}")
        specifications = _specifications(self._document())
        if name not in specifications:
            known = ", ".join(specifications) or "none"
            raise ValueError(f"this result has no chart {name!r}; its charts are: {known}")
        try:
            import vl_convert
        except ImportError as missing:
            raise ImportError(
                "pictures need the package vl-convert-python: pip install 'credence[charts]'"
            ) from missing
        if kind == ".svg":
            content = vl_convert.vegalite_to_svg(specifications[name], vl_version=_VEGA_LITE).encode()
        else:
            content = vl_convert.vegalite_to_png(specifications[name], vl_version=_VEGA_LITE, scale=scale)
        _core.write_atomically(path_text(path), content)


class Result(Reports, dict[str, Any]):
    """A result as a dict with the keys that the command writes as JSON; notebooks show its report page.

    A prompt shows what the command prints of the result; ``dict(result)`` is the whole of it.
    """

    _kind = "run"

    def __init__(self, found: Any = (), text: str = ""):  # skops makes an empty one first, and no text
        super().__init__(found)
        self._text = text  # that the command prints

    def __repr__(self) -> str:
        """Return what the command prints: the dict is too long to read."""
        kind = self.get("kind", self._kind)
        article = "" if kind == "limits" else "an " if kind.startswith(("honest", "eval")) else "a "
        title = f"Result of {article}{kind}"
        text = self._printed().rstrip() or f"keys: {', '.join(self)}"
        return f"{title}\n\n{text}\n\ndict(...) has every number; .report(FILE) writes the page"

    def _printed(self) -> str:
        """Return what the command prints."""
        return self._text

    def _document(self) -> str:
        return json.dumps(self)

    def _repr_html_(self) -> str | None:
        """Return the page in a frame; None where pages are not built in."""
        return _framed(self.report()) if _core.pages_are_built_in() else None


class Comparison(Result):
    """A comparison of methods, as :func:`credence.compare` returns it: a dict with the table of its methods."""

    def to_frame(self) -> Any:
        """Return a row for each method, with its errors, times and estimates.

        Returns
        -------
        DataFrame
            Of pandas, polars or pyarrow, the first of these that is installed. Its columns are the numbers that
            ``self["methods"]`` has of each method; NaN stands for a number that a method does not have.

        Raises
        ------
        ImportError
            If none of the three is installed.

        Examples
        --------
        >>> import credence
        >>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)
        >>> found = credence.compare(X, y, ["cv", "holdout"], outer_folds=3, C=[1, 10], gamma=[0.01])
        >>> found.to_frame()["name"].tolist()
        ['cv', 'holdout']
        """
        methods = self["methods"]
        names = [name for name in methods[0] if not any(isinstance(method[name], list | dict) for method in methods)]
        return needed_frame(
            {name: [float("nan") if method[name] is None else method[name] for method in methods] for name in names}
        )


class Evaluation(Result):
    """What an evaluation on labelled rows found, with what its page is made of."""

    _kind = "evaluation"

    def __init__(self, found: dict[str, Any], **parts: Any):
        super().__init__(found)
        self._parts = parts

    #: Returns of the parts the document, and what the command prints.
    _told: Any

    def _document(self) -> str:
        return self._told(self._parts)[0]

    def _printed(self) -> str:
        return self._told(self._parts)[1]

    def __reduce__(self) -> Any:
        return _evaluation, (type(self), dict(self), self._parts)


class ClassEvaluation(Evaluation):
    """An evaluation of p-values of classes."""

    _told = staticmethod(_core.evaluation_document)

    def displays(self) -> dict[str, Any]:
        """Return scikit-learn's displays of the rows; ``displays()[name].plot()`` draws one with matplotlib.

        Returns
        -------
        dict
            ``ConfusionMatrixDisplay``; of two classes also ``RocCurveDisplay``, and where there are probabilities
            ``CalibrationDisplay`` with ten bins. Rows of classes that the model does not know are left out.

        """
        from sklearn import metrics
        from sklearn.calibration import CalibrationDisplay, calibration_curve

        known = self._parts["labels"] >= 0
        labels, given, classes = self._parts["labels"][known], self._parts["given"][known], self._parts["classes"]
        counts = metrics.confusion_matrix(labels, given, labels=range(len(classes)))
        displays: dict[str, Any] = {
            "ConfusionMatrixDisplay": metrics.ConfusionMatrixDisplay(counts, display_labels=classes)
        }
        if len(classes) != 2:
            return displays
        positive = classes.index(self["numbers"]["positive"])
        is_positive = labels == positive
        scores, probability = self._parts["scores"], self._parts["probability"]
        order = next(one for one in (scores, probability, self._parts["p_values"]) if one is not None)[known]
        false, true, _ = metrics.roc_curve(is_positive, order[:, positive] - order[:, 1 - positive])
        displays["RocCurveDisplay"] = metrics.RocCurveDisplay(
            fpr=false, tpr=true, roc_auc=self["numbers"]["auc"]["value"]
        )
        if probability is not None:
            of_class = probability[known][:, positive]
            shares, means = calibration_curve(is_positive, of_class, n_bins=10)
            displays["CalibrationDisplay"] = CalibrationDisplay(shares, means, of_class)
        return displays


class IntervalEvaluation(Evaluation):
    """An evaluation of intervals."""

    _told = staticmethod(_core.regression_document)


def _evaluation(kind: type[Evaluation], found: dict[str, Any], parts: dict[str, Any]) -> Evaluation:
    return kind(found, **parts)
