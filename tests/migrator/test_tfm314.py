"""TFM314: SyncReplicasOptimizerV2 has a different name in compat.v1."""

from __future__ import annotations

import pytest
from support import found, migrated

from tfmigrate.rulekit.registry import rules

CODE = "TFM314"
HEAD = "import tensorflow as tf\n\n"


@pytest.mark.parametrize(
    "line",
    [
        "opt = tf.train.SyncReplicasOptimizer(opt, 2)",
        "# opt = tf.train.SyncReplicasOptimizerV2(opt, 2)",
        "opt = own.SyncReplicasOptimizerV2(opt, 2)",
    ],
)
def test_no_old_name(line: str) -> None:
    assert found(f"{HEAD}def f(opt):\n  {line}\n  return opt\n", CODE) == []


@pytest.mark.parametrize(
    ("imported", "name"),
    [
        ("import tensorflow as tf", "tf.train."),
        ("import tensorflow", "tensorflow.train."),
        ("import tensorflow as tf\nfrom tensorflow import train", "train."),
    ],
)
def test_an_optimizer_that_stays_gets_the_new_name(imported: str, name: str) -> None:
    text = f"{imported}\n\ndef wrap(opt, n):\n  return {name}SyncReplicasOptimizerV2(opt, n)\n"
    (finding,) = found(text, CODE)
    assert (finding.severity.value, finding.applied) == ("fixed", True)
    assert ".train.SyncReplicasOptimizer(opt, n)" in migrated(text)


def test_a_program_that_becomes_a_strategy_has_none_left() -> None:
    (rule,) = (rule for rule in rules() if rule.code == "TFM303")
    text = rule.examples[0].before.replace("SyncReplicasOptimizer(", "SyncReplicasOptimizerV2(")
    assert "V2" in text
    assert found(text, CODE) == []
    assert "SyncReplicasOptimizerV2" not in migrated(text)
