"""The page in headless Chromium: what a reader sees of it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import headless_chromium
import made_reports
import numpy as np
import pytest
from headless_chromium import Browser
from PIL import Image

# Each channel of a drawn colour is blended with the background at the edges of lines.
_COLOUR_TOLERANCE = 40


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = headless_chromium.find()
    if path is None:
        pytest.skip("needs Chromium or Chrome: install one, or `make browser`, or set CHROME_BIN")
    with Browser(path) as opened:
        yield opened


@pytest.fixture
def page(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text(made_reports.KINDS[request.param]().html(), "utf-8")
    return path


def boxes(browser: Browser, selector: str) -> list[dict[str, float]]:
    """Returns where elements are drawn: x, y, width and height in pixels."""
    found: list[dict[str, float]] = browser.evaluate(
        f"[...document.querySelectorAll({selector!r})].map(e => e.getBoundingClientRect().toJSON())"
    )
    return found


def picture(browser: Browser, **clip: float) -> Any:
    """Returns the pixels of a rectangle of the page: int [height, width, 3], up to 255."""
    opened = Image.open(io.BytesIO(browser.screenshot(**clip)))
    return np.asarray(opened.convert("RGB")).astype(int)


def colour(browser: Browser, name: str) -> Any:
    """Returns a colour of the page's style, three numbers up to 255."""
    text = browser.evaluate(
        f"getComputedStyle(document.documentElement).getPropertyValue({name!r})"
    )
    return np.array([int(text.strip()[at : at + 2], 16) for at in (1, 3, 5)])


def looks_like(pixels: Any, wanted: Any) -> Any:
    return np.abs(pixels - wanted).max(axis=-1) <= _COLOUR_TOLERANCE


@pytest.mark.parametrize("page", made_reports.KINDS, indirect=True)
def test_table_and_curves_are_there(browser: Browser, page: Path) -> None:
    browser.requests.clear()
    browser.open(page, 390, dark=True)
    assert browser.evaluate("document.documentElement.scrollWidth") == 390
    browser.open(page)
    assert browser.requests == [page.as_uri()] * 2
    rows = boxes(browser, "#rungs tbody tr")
    assert len(rows) >= 5
    assert all(row["height"] > 15 and 0 < row["width"] < 1000 for row in rows)
    for style in ("original", "migrated"):
        outside = browser.evaluate(
            f"""[...document.querySelectorAll('#curves path.{style}')].filter(path => {{
                const box = path.getBBox(), plot = path.ownerSVGElement.viewBox.baseVal;
                return path.getTotalLength() < 100 || box.x < 78 || box.y < 34
                    || box.x + box.width > plot.width - 15 || box.y + box.height > plot.height - 37;
            }}).length"""
        )
        assert boxes(browser, f"#curves path.{style}") and outside == 0
    texts = browser.evaluate("[...document.querySelectorAll('svg text')].map(t => t.textContent)")
    assert "global step" in texts and "NaN" not in "".join(texts)


@pytest.mark.parametrize(
    ("page", "dark"), [("close", False), ("different", True)], indirect=["page"]
)
def test_the_screenshot_has_both_curves(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, 1000, dark=dark)
    first_screen = picture(browser, x=0, y=0, width=1000, height=900)
    background = colour(browser, "--paper")
    assert (background.mean() < 60) == dark
    assert looks_like(first_screen, background).mean() > 0.7
    chart = boxes(browser, "#curves svg")[0]
    drawn = picture(browser, **{name: chart[name] for name in ("x", "y", "width", "height")})
    legend = int(drawn.shape[0] * 0.07)  # its samples of the lines lie above the plot
    for name in ("--old", "--new"):
        plot = drawn[legend:]
        line = colour(browser, name)
        # The original's line is drawn at 55 % over the background.
        blended = 0.55 * line + 0.45 * background if name == "--old" else line
        columns = looks_like(plot, blended).any(axis=0)
        assert columns.sum() > 0.2 * plot.shape[1], f"{name} is not drawn across the chart"
    title = boxes(browser, "h1")[0]
    heading = picture(browser, **{name: title[name] for name in ("x", "y", "width", "height")})
    wanted = "--bad" if page.read_text("utf-8").count('<h1 class="different">') else "--good"
    assert looks_like(heading, colour(browser, wanted)).sum() > 500


@pytest.mark.parametrize("page", ["different_later"], indirect=True)
def test_the_table_of_variables_opens(browser: Browser, page: Path) -> None:
    browser.open(page)
    shown = "document.querySelector('details table').checkVisibility()"
    assert not browser.evaluate(shown)
    browser.evaluate("document.querySelector('details summary').click()")
    assert browser.evaluate(shown)
    rows = boxes(browser, "details tbody tr")
    assert len(rows) == 13 and all(row["height"] > 15 for row in rows)


@pytest.mark.parametrize("page", ["free"], indirect=True)
def test_runs_are_dots_that_can_be_seen(browser: Browser, page: Path) -> None:
    browser.open(page)
    for style in ("original", "migrated"):
        dots = boxes(browser, f"circle.dot.{style}")
        assert len(dots) == 5 and all(dot["width"] > 8 for dot in dots)
        opacity = f"getComputedStyle(document.querySelector('circle.dot.{style}')).opacity"
        assert float(browser.evaluate(opacity)) > 0.5
