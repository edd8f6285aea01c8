"""The programs of docs/how_to/piece_by_piece.md train as the original."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from converted import eager

from tfmigrate_runtime.verify.cli import main

PIECES = Path(__file__).parent / "pieces"
PAGE = Path(__file__).parents[2] / "docs/how_to/piece_by_piece.md"
FORMS = ("eager", "head_in_keras", "all_in_keras")


def text_of(form: str) -> str:
    original = (PIECES / "original.py").read_text("utf-8")
    return eager(original) if form == "eager" else (PIECES / f"{form}.py").read_text("utf-8")


@pytest.mark.parametrize(
    "form",
    [pytest.param(f, marks=() if f == "head_in_keras" else pytest.mark.long) for f in FORMS],
)
def test_each_step_trains_the_same(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    migrated = tmp_path / "train.py"
    migrated.write_text(text_of(form), "utf-8")
    assert main([str(PIECES / "original.py"), str(migrated)]) == 0, "".join(capsys.readouterr())


def test_another_initializer_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = text_of("all_in_keras").replace("kernel_initializer=initializer, ", "")
    migrated = tmp_path / "train.py"
    migrated.write_text(wrong, "utf-8")
    assert main([str(PIECES / "original.py"), str(migrated)]) == 1
    assert "drawn from a different distribution" in capsys.readouterr().out


def test_the_page_shows_these_programs() -> None:
    programs = [path.read_text("utf-8") for path in PIECES.glob("*.py")]
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        assert any(block in program for program in programs), block
