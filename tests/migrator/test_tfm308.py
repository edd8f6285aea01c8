"""TFM308: SyncReplicasOptimizer in programs without a device setter."""

from __future__ import annotations

from support import check_unchanged, found, migrate_tree
from sync_support import WRAPPED, program

HELPER = """\
import tensorflow.compat.v1 as tf

def wrap(opt, workers):
  return tf.train.SyncReplicasOptimizer(opt, workers)
"""


def test_program_with_a_setter_is_no_finding() -> None:
    assert found(program(WRAPPED), "TFM308") == []


def test_optimizer_alone() -> None:
    check_unchanged(HELPER)
    (finding,) = found(HELPER, "TFM308")
    assert (finding.line, finding.severity.value, finding.applied) == (4, "kept", False)


def test_optimizer_of_a_file_that_the_setter_imports() -> None:
    text = program("opt = helper.wrap(opt, 2)\n").replace("\n", "\nimport helper\n", 1)
    _, reported = migrate_tree({"train.py": text, "helper.py": HELPER})
    assert "TFM308" not in {f.code for f in reported}


def test_optimizer_beside_a_program_without_it() -> None:
    changed, reported = migrate_tree({"train.py": program(""), "helper.py": HELPER})
    assert sorted(changed) == ["train.py"]
    assert [f.path for f in reported if f.code == "TFM308"] == ["helper.py"]
