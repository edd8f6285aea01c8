"""The site's configuration: what is broken fails the build, and every command has its section."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="Sphinx is not installed (the extra docs)")
CONFIGURATION = Path(__file__).parents[2] / "docs"


def build(folder: Path, **pages: str) -> subprocess.CompletedProcess[str]:
    """Builds a site of some pages with this project's configuration."""
    source = folder / "docs"
    source.mkdir()
    for name, text in pages.items():
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    options = ("-q", "-W", "--keep-going", "-c", str(CONFIGURATION))
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(source), str(folder / "html")],
        capture_output=True,
        text=True,
    )


def test_broken_links_and_lost_pages_fail_the_build(tmp_path: Path) -> None:
    result = build(
        tmp_path,
        index="# Home\n\n[no page](gone.md), [no heading](#nowhere)\n",
        lost="# A page that no menu has\n",
    )
    assert result.returncode == 1
    for cause in ("gone.md", "nowhere", "lost.md"):
        assert cause in result.stderr


def test_command_help_is_that_of_the_commands(tmp_path: Path) -> None:
    result = build(tmp_path, index="# Home\n\n```{command-help} tfmigrate\n```\n")
    assert (result.returncode, result.stderr) == (0, "")
    html = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    for text in ("--diff", 'id="tfmigrate-explain"', 'id="tfmigrate-verify"', "--replicas"):
        assert text in html
    found_by_search = (tmp_path / "html" / "searchindex.js").read_text(encoding="utf-8")
    assert "tfmigrate explain" in found_by_search
