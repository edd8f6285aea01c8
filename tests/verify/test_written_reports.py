"""Reports in files: a page, Markdown, JSON; and what GitHub Actions shows."""

from __future__ import annotations

import html.parser
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import made_reports
import numpy as np
import pytest

from tfmigrate_runtime.verify.reports.charts import Curve, bar_chart, line_chart
from tfmigrate_runtime.verify.reports.written_reports import (
    Report,
    ReportError,
    annotation,
    github_annotations,
    write_report,
)
from tfmigrate_runtime.verify.traces.trace import load_trace


@pytest.fixture(scope="module")
def same() -> Report:
    return made_reports.same()


@pytest.fixture(scope="module")
def different() -> Report:
    return made_reports.different()


class Page(html.parser.HTMLParser):
    """Counts the elements of a page and keeps what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.open: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(same: Report) -> None:
    text = same.html()
    page = Page(text)
    assert page.open == []
    assert page.links == [] and "url(" not in text and "@import" not in text
    assert page.elements["script"] == 0
    assert page.elements["svg"] == 2  # the losses, and bars of variables
    assert "None: the losses are equal as float32 at all 120 steps." in text
    assert "All are equal in their type after each of 120 compared steps." in text
    assert '<h1 class="same">The programs train the same.</h1>' in text
    assert "<p>7 of 9 rungs compared; not compared: restoring" in text
    assert "old &lt;b&gt;.py" in text and "<b>.py" not in text
    assert "TensorFlow 1.15.5" in text
    verdicts = Counter(rung.verdict for rung in same.verdict.rungs)
    assert verdicts["same"] >= 5
    for verdict, count in verdicts.items():
        assert text.count(f'<tr class="{verdict}">') == count


def test_the_page_shows_every_variable(same: Report) -> None:
    page = same.html()
    for name in load_trace(made_reports.TRACE).variables:
        assert f"<code>{name}</code>" in page


@pytest.mark.parametrize("made", made_reports.KINDS.values(), ids=made_reports.KINDS.keys())
def test_the_page_of_every_kind_is_whole(made: Callable[[], Report]) -> None:
    report = made()
    text = report.html()
    page = Page(text)
    assert page.open == [] and page.links == [] and page.elements["script"] == 0
    assert "default-src 'none'" in text
    assert text.count("<tr class=") == len(report.verdict.rungs)
    charts = [ElementTree.fromstring(svg) for svg in re.findall("<svg.*?</svg>", text, re.DOTALL)]
    losses = [chart for chart in charts if (chart.get("aria-label") or "").startswith("Loss")]
    assert len(losses) == len(report.compared)
    for chart in charts:
        _left, _top, width, height = map(float, (chart.get("viewBox") or "").split())
        for path in chart.findall("path"):
            points = [point.split() for point in re.split("[ML]", path.get("d", ""))[1:]]
            assert points
            assert all(0 < float(x) < width and 0 < float(y) < height for x, y in points)
    for chart in losses:
        styles = [path.get("class") for path in chart.findall("path")]
        assert styles == ["original", "migrated"]


def test_the_first_step_that_differs_is_pointed_out() -> None:
    page = made_reports.different_later().html()
    assert page.count(">differs from step 11</text>") == 2  # in the losses and their difference
    assert "differs from step" not in made_reports.close().html()


def test_what_was_left_to_chance_is_not_judged_in_colour() -> None:
    page = made_reports.free().html()
    assert "* rungs 4, 5, 6, 8, 9: The" in made_reports.free().markdown()
    assert "Rungs 4, 5, 6" in page and page.count("these values depend on chance") == 1
    assert page.count('class="original dot"') == page.count('class="migrated dot"') == 5
    assert '<rect class="beyond"' not in page and '<rect class="unjudged"' in page


def test_what_became_of_random_numbers_is_in_every_report() -> None:
    for report in (made_reports.free(), made_reports.cluster(), made_reports.close()):
        page, markdown = report.html(), report.markdown()
        chance = report.as_json["randomness"]["free"]
        row = "<th>random numbers that are not pinned</th><td>"
        told = "yes: runs of a program differ" if chance else "none found"
        assert f"{row}{told}</td>" in page
        assert "some not pinned" in markdown if chance else "none found unpinned" in markdown
    assert made_reports.free().as_json["randomness"]["free"]


def test_warnings_are_shown_as_text() -> None:
    assert "<li>a &lt;warning&gt;</li>" in made_reports.close().html()


def test_what_is_wrong_is_marked(different: Report) -> None:
    page = different.html()
    assert "Rung 4 fails" in page
    assert '<tr class="different"><td>4</td>' in page
    assert "ratio 2 = 2, with 2 replicas" in page
    assert '<rect class="beyond"' in page and '<rect class="within"' not in page


def test_reports_are_written_by_suffix(different: Report, tmp_path: Path) -> None:
    for suffix in (".html", ".md", ".json"):
        write_report(different, tmp_path / f"report{suffix}")
    assert json.loads((tmp_path / "report.json").read_text())["same"] is False
    markdown = (tmp_path / "report.md").read_text()
    assert markdown.startswith("### ❌ The programs do not train the same")
    rows = [line for line in markdown.splitlines() if re.match(r"\| \d ", line)]
    assert len(rows) == 9
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}
    assert "**different**" in rows[3]
    assert "original loss" in markdown and "migrated loss" in markdown
    with pytest.raises(ReportError, match=r"report\.html: Is a directory"):
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "report.html").mkdir()
        write_report(different, tmp_path / "folder" / "report.html")


def test_github_gets_an_annotation_and_a_summary(
    same: Report, different: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    notice = (
        "::notice title=tfmigrate verify::The programs train the same.%0A7 of 9 rungs compared; "
    )
    assert github_annotations(same).startswith(notice)
    annotation = github_annotations(different)
    assert annotation.startswith(
        "::error title=tfmigrate verify::The programs do not train the same"
    )
    assert "\n" not in annotation and "%0AThe loss first differs at step 1" in annotation
    text = summary.read_text()
    assert text.startswith("before\n### ✅ The programs train the same.\n\n7 of 9 rungs compared; ")
    assert "### ❌ The programs do not train the same" in text
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert github_annotations(same).startswith("::notice")


def test_warnings_and_the_file_are_annotated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.chdir(tmp_path)
    report = made_reports.close()
    Path("a,b:c.py").touch()
    told = github_annotations(replace(report, names=("old.py", "a,b:c.py"))).splitlines()
    assert told[0] == "::warning title=tfmigrate verify::a <warning>"
    assert told[1].startswith(
        "::notice file=a%2Cb%3Ac.py,line=1,title=tfmigrate verify::The programs train the same.%0A7"
    )
    assert annotation("error", "50%\nof it") == "::error title=tfmigrate verify::50%25%0Aof it"


def heights(chart: str, style: str) -> list[float]:
    root = ElementTree.fromstring(chart)
    path = root.find(f"path[@class='{style}']")
    assert path is not None
    return [float(point.split()[1]) for point in re.split("[ML]", path.get("d", ""))[1:]]


def test_curves_lie_where_their_values_are() -> None:
    steps = np.arange(1, 5)
    curves = [
        Curve("a", "original", steps, np.array([1.0, 2.0, 3.0, 4.0])),
        Curve("b", "migrated", steps, np.array([4.0, np.nan, np.inf, 4.0])),
    ]
    chart = line_chart(curves, "title")
    rising = heights(chart, "original")
    assert rising == sorted(rising, reverse=True)  # up is less
    gaps = np.diff(rising)
    assert gaps == pytest.approx(gaps[0], abs=0.11)  # written with one decimal
    assert heights(chart, "migrated") == [rising[-1], rising[-1]]  # with a gap
    logarithmic = line_chart(
        [Curve("c", "error", steps, np.array([0.0, 1e-6, 1e-4, 1e-2]))], "title", True, 1e-5
    )
    down = np.diff(heights(logarithmic, "error"))
    assert down[1] == pytest.approx(down[2], abs=0.11)
    assert "tolerance 1e-05" in logarithmic


def test_long_curves_keep_their_peaks() -> None:
    values = np.ones(50_000)
    values[31_234] = 9.0
    chart = line_chart([Curve("a", "original", np.arange(50_000), values)], "title")
    found = heights(chart, "original")
    assert len(found) <= 600
    assert found.count(min(found)) == 1 and min(found) < max(found) - 100


def test_bars_end_before_the_limit_only_if_within_it() -> None:
    chart = ElementTree.fromstring(
        bar_chart([("a", 1e-7, 1e-5), ("b", 1e-3, 1e-5), ("c", 0.0, 0.0), ("d", 1.0, 0.0)], "x")
    )
    line = chart.find("line[@class='limit']")
    assert line is not None
    limit = float(line.get("x1", ""))
    ends = [float(r.get("x", "")) + float(r.get("width", "")) for r in chart.findall("rect")]
    styles = [r.get("class") for r in chart.findall("rect")]
    assert styles == ["within", "beyond", "within", "beyond"]
    assert [end > limit for end in ends] == [False, True, False, True]
