"""Originals with replica_device_setter, Supervisor and SyncReplicasOptimizer train as on 1.15."""

from __future__ import annotations

from pathlib import Path

import pytest
from long_tail import one_in
from originals import assert_trains_as_on_tensorflow_1, programs_of


@pytest.mark.parametrize(
    "folder", one_in(4, programs_of("replica_device_setter")), ids=lambda path: path.name
)
def test_original_trains_as_on_tensorflow_1(folder: Path, tmp_path: Path) -> None:
    assert_trains_as_on_tensorflow_1(folder, tmp_path)
