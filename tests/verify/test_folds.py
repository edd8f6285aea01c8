"""Programs that train one model after another, alike but for their numbers: cross-validations."""

from __future__ import annotations

from pathlib import Path

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PAIR = ("folds.py", "folds_native.py")


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def test_each_fold_is_a_model(native: Native) -> None:
    said = native(*PAIR)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "6 steps, 2 further models"


@pytest.mark.parametrize(
    ("before", "after"),
    one_in(
        2,
        [
            ("fold + 1", "fold + 1 + (fold == 2)"),
            ("% 3 != fold", "% 3 != max(fold, 1)"),
            ("range(3)", "range(2)"),
            ("Dropout(0.1)", "Dropout(0.1 + 0.1 * (fold == 1))"),
            ("epochs=6", "epochs=6 - (fold == 1)"),
        ],
    ),
)
def test_another_fold_is_found(native: Native, before: str, after: str) -> None:
    assert native(*PAIR, (before, after)).code == 1
