"""Every entry of tables/ has a line that TensorFlow 1.15 ran."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import native_cases as cases
import native_training_cases as training
import pytest

from tfmigrate_keras.tables.batch_losses import LOSSES_OF_BATCHES
from tfmigrate_keras.tables.columns import COLUMNS
from tfmigrate_keras.tables.initializers import ACTIVATIONS, INITIALIZERS, REGULARIZERS
from tfmigrate_keras.tables.layers import CLASSES, FUNCTIONS
from tfmigrate_keras.tables.losses import LOSSES
from tfmigrate_keras.tables.metrics import METRICS, STREAMING
from tfmigrate_keras.tables.operations import COMPOSED, OPERATIONS
from tfmigrate_keras.tables.optimizers import OPTIMIZERS, SCHEDULES

LINES = "\n".join(
    (
        *(*cases.forward(), *cases.LAWS, *cases.DROPOUT, *training.SCHEDULES),
        *(*training.OPTIMIZERS, *training.LOSSES, *training.METRICS),
    )
)
ENTRIES = [
    *(*FUNCTIONS, *CLASSES, *OPERATIONS, *INITIALIZERS, *REGULARIZERS, *ACTIVATIONS),
    *(*COMPOSED, *LOSSES_OF_BATCHES, *LOSSES, *METRICS, *STREAMING, *OPTIMIZERS, *SCHEDULES),
    *COLUMNS,
]


@pytest.mark.parametrize("entry", ENTRIES)
def test_entry_has_a_line(entry: str) -> None:
    name = entry.replace("tensorflow.", "tf.", 1)
    assert f"{name}(" in LINES or f"={name})" in LINES


def test_the_page_is_that_of_the_tables() -> None:
    root = Path(__file__).parents[2]
    spec = importlib.util.spec_from_file_location(
        "native_vocabulary", root / "scripts/pages/native_vocabulary.py"
    )
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    text = (root / "docs/reference/native_vocabulary.md").read_text()
    assert text == script.page(), "run python scripts/pages/native_vocabulary.py"
