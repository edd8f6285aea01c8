"""Embeddings whose rows are updated by one program alone are called so."""

from __future__ import annotations

import numpy as np
import pytest

from tfmigrate_runtime.verify.diagnosis.updated_rows import differing_rows
from tfmigrate_runtime.verify.traces.trace import Array

ROWS, SIZE, DECAY = 6, 3, 0.9
BATCHES = [(0, 2), (2, 3), (0, 1), (4, 5)]
MOVE, STAY = "rows move that the original leaves", "rows that the original moves are left"


def updates(is_dense: bool, decay: float = DECAY, scale: float = 1.0) -> Array:
    """Returns the updates of a mean square, [steps, numbers], each from the sparse one's state."""
    random = np.random.RandomState(0)
    held, changes = np.ones([ROWS, SIZE]), []
    for batch in BATCHES:
        gradient = np.zeros([ROWS, SIZE])
        gradient[list(batch)] = random.normal(size=(len(batch), SIZE))
        used = gradient.any(axis=1, keepdims=True)
        sparse = np.where(used, (1 - DECAY) * (gradient**2 - held), 0)
        change = (1 - decay) * (scale * gradient**2 - held)
        changes.append(np.where(used | is_dense, change, 0).ravel())
        held = held + sparse
    return np.stack(changes)


@pytest.mark.parametrize(
    "new",
    [
        updates(False),
        updates(False, decay=0.8),
        updates(True, decay=0.8),  # the rows of the batch differ, too
        updates(True, scale=2.0),
        np.roll(updates(False), SIZE, axis=1),  # other rows
        np.zeros_like(updates(False)),
        np.random.RandomState(1).normal(size=(len(BATCHES), ROWS * SIZE)),
    ],
)
def test_other_differences(new: Array) -> None:
    assert differing_rows(updates(False), new, (ROWS, SIZE)) == ""


def test_rows_that_only_one_program_updates() -> None:
    assert differing_rows(updates(False), updates(True), (ROWS, SIZE)).startswith(MOVE)
    assert differing_rows(updates(True), updates(False), (ROWS, SIZE)).startswith(STAY)


def test_what_is_no_table_has_no_rows() -> None:
    assert differing_rows(updates(False), updates(True), (ROWS * SIZE,)) == ""
