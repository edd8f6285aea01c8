"""The pages that are written from the rules, and the examples of the guide, are up to date."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfmigrate import cli
from tfmigrate.commands import settings
from tfmigrate.commands.migrate_options import FORMATS
from tfmigrate.model.targets import TARGETS
from tfmigrate.report.rule_docs import topics

ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules"


@pytest.mark.parametrize("script", ["rule_pages.py", "guide_examples.py", "api.py"])
def test_written_pages_are_up_to_date(script: str) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "pages" / script), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_every_code_has_a_page_that_the_index_links() -> None:
    index = (RULES / "index.md").read_text(encoding="utf-8")
    codes = [topic.code for topic in topics()]
    assert re.findall(r"^\| \[(\w+)\]\(\1\.md\)", index, re.MULTILINE) == codes
    assert {path.stem for path in RULES.glob("TFM*.md")} == set(codes)


def test_explain_points_to_a_page_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    for color in ("never", "always"):
        assert cli.main(["explain", "TFM205", "--color", color]) == 0
        found = re.search(r"https://\S+/(docs/rules/TFM205\.md)", capsys.readouterr().out)
        assert found
        assert (ROOT / found[1]).is_file()


def test_the_documented_settings_can_be_set_and_are_all_there_are(tmp_path: Path) -> None:
    page = (ROOT / "docs/reference/command_line.md").read_text(encoding="utf-8")
    file = tmp_path / "pyproject.toml"
    file.write_text(page.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    choices = {"format": FORMATS, "target": tuple(TARGETS)}
    assert settings.read(file, choices).values.keys() == set(settings.KEYS)


def test_a_stale_page_is_told(tmp_path: Path) -> None:
    """The check would be worth nothing if it held for any page."""
    (tmp_path / "scripts" / "pages").mkdir(parents=True)
    for folder in ("explanation", "how_to", "reference"):
        shutil.copytree(ROOT / "docs" / folder, tmp_path / "docs" / folder)
    guide = tmp_path / "docs" / "how_to" / "parameter_servers.md"
    guide.write_text(guide.read_text(encoding="utf-8").replace("replica_fn", "other_name"))
    for name, stale in (
        ("rule_pages.py", "rules/TFM205.md"),
        ("guide_examples.py", "parameter_servers.md"),
    ):
        script = tmp_path / "scripts" / "pages" / name
        script.write_bytes((ROOT / "scripts" / "pages" / name).read_bytes())
        command = [sys.executable, str(script), "--check"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        assert done.returncode == 1
        assert stale in done.stdout
