"""TFM736: generated code that creates descriptors directly."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import found

from tfmigrate.cli import main

HEAD = "from google.protobuf import descriptor as _descriptor\n"
FIELD = "NAME = _descriptor.FieldDescriptor(name='name', full_name='Item.name', index=0)\n"
NEW = (
    "from google.protobuf import descriptor_pool as _pool\n"
    "DESCRIPTOR = _pool.Default().AddSerializedFile(b'')\n"
)
TRAIN = "import tensorflow as tf\nimport item_pb2\n\nx = tf.placeholder(tf.float32)\n"


def _migrated(folder: Path, messages: str) -> int:
    (folder / "train.py").write_text(TRAIN)
    (folder / "item_pb2.py").write_text(messages)
    return main([str(folder)])


def test_old_generated_code_of_a_program_is_reported_once_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # It does not name TensorFlow, but its program does.
    assert _migrated(tmp_path, HEAD + FIELD + FIELD) == 1
    out = capsys.readouterr().out
    assert out.count("older than 3.19") == 1
    assert "item_pb2.py:2:8  TFM736  manual" in out
    assert (tmp_path / "item_pb2.py").read_text() == HEAD + FIELD + FIELD
    assert main([str(tmp_path)]) == 1  # the migrated program still cannot start
    assert capsys.readouterr().out.count("older than 3.19") == 1


@pytest.mark.parametrize("text", [NEW, f"{HEAD}def f(x: _descriptor.FieldDescriptor): pass\n"])
def test_other_code_with_messages(tmp_path: Path, text: str) -> None:
    assert _migrated(tmp_path, text) == 0


def test_programs_of_tensorflow_2_are_left_alone() -> None:
    assert not found(f"import tensorflow as tf\n{HEAD}{FIELD}tf.function(print)\n", "TFM736")
