"""Originals with replicate_model_fn, and with towers by hand, train as on TensorFlow 1.15."""

from __future__ import annotations

from pathlib import Path

import originals
import pytest

FOLDERS = originals.programs_of("replicate_model_fn") + originals.programs_of("towers")


@pytest.mark.parametrize(
    "folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}"
)
def test_original_trains_as_on_tensorflow_1(folder: Path, tmp_path: Path) -> None:
    originals.assert_trains_as_on_tensorflow_1(folder, tmp_path)


def test_there_are_fixtures() -> None:
    assert len(FOLDERS) > 10
