"""Wrong migrations are caught, and the report says where."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from fixture_cases import FIXTURES

from tfmigrate.cli import main

FAMILY = FIXTURES / "replicate_model_fn"


def verify(original: Path, migrated: Path, *options: str) -> tuple[int, str]:
    arguments = ["verify", str(original), str(migrated), "--replicas", "2", "-q", *options]
    arguments += ["--", "--model_dir", "{out}", "--train_steps", "120"]
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(output):
        code = main(arguments)
    return code, output.getvalue()


def mutated(case: str, old: str, new: str, folder: Path) -> Path:
    text = (FAMILY / case / "migrated.py").read_text()
    assert old in text
    program = folder / "wrong.py"
    program.write_text(text.replace(old, new))
    return program


def test_naive_migration_with_a_batch_per_replica(tmp_path: Path) -> None:
    """What tf.estimator's train_distribute alone would do: twice the batch, silently."""
    case = "embedding_adagrad"
    wrong = mutated(case, ", global_batch=True", "", tmp_path)
    code, output = verify(FAMILY / case / "original.py", wrong)
    assert code == 1
    assert "The loss first differs at step 1: original 0.69" in output
    assert "global_batch" in output
    # The step and the variable are named.
    assert "Variables first differ at step 1" in output
    assert "sentiment/" in output
    assert "The first batch has 128 rows instead of 64: each of 2 replicas reads a batch" in output
    assert "Rung 3 fails" in output


def test_lost_sum_reduction_is_called_a_loss_scale_error(tmp_path: Path) -> None:
    case = "sum_reduction"
    wrong = mutated(case, "loss_reduction=tf.losses.Reduction.SUM", "", tmp_path)
    code, output = verify(FAMILY / case / "original.py", wrong, "--format", "json")
    assert code == 1
    report = json.loads(output)
    assert [rung["verdict"] for rung in report["rungs"]][:4] == ["same"] * 3 + ["different"]
    details = " ".join(report["rungs"][3]["details"])
    assert "ratio 0.5 = 1/2, with 2 replicas: the batch or the loss scale is wrong" in details


@pytest.mark.parametrize(
    ("case", "old", "new", "rung"),
    [
        ("dense_adam", "tf.train.AdamOptimizer(", "tf.train.AdamOptimizer(epsilon=1e-3, ", 5),
        ("momentum_piecewise", "eval_distribute=strategy", "eval_distribute=None", 0),
    ],
)
def test_other_changes(case: str, old: str, new: str, rung: int, tmp_path: Path) -> None:
    """An epsilon is caught; evaluating on one device, which changes nothing, is not."""
    wrong = mutated(case, old, new, tmp_path)
    code, output = verify(FAMILY / case / "original.py", wrong, "--format", "json")
    verdicts = [r["verdict"] for r in json.loads(output)["rungs"]]
    assert code == (1 if rung else 0), output
    if rung:
        assert verdicts.index("different") + 1 == rung
    else:
        assert verdicts == ["same"] * 7 + ["skipped", "same"]  # no export
