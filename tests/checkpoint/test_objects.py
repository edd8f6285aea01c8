"""Programs with a ``tf.train.Checkpoint``: where they end, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from original_checkpoints import tensors_of, write_graph

from tfmigrate.cli import main
from tfmigrate_runtime.checkpoint import tensors
from tfmigrate_runtime.checkpoint.paired import PairedProgram
from tfmigrate_runtime.checkpoint.targets import Objects
from tfmigrate_runtime.verify.map_file import RefusedError
from tfmigrate_runtime.verify.recorder.native.created_variables import Created

Values = dict[str, Any]
W, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones([3], np.float32)
ADAM = {"w/Adam": W * 2, "w/Adam_1": W * 3}


def checkpoint(folder: Path, values: Values, *unsaved: str) -> tensors.Checkpoint:
    path = folder / "model.ckpt-7"
    tensors.write(str(path), values)
    names = [*values, *unsaved]
    write_graph(path, [{"name": name, "trainable": name in ("w", "b")} for name in names])
    return tensors.Checkpoint(str(path))


def objects(optimizer: Any, *names: str, created: Created | None = None, **others: Any) -> Objects:
    shapes = {"w": [2, 3], "b": [3]}
    variables = [tf.Variable(tf.zeros(shapes[name]), name=name) for name in names]
    optimizer.build(variables)
    held = tf.train.Checkpoint(optimizer=optimizer, variables=variables, **others)
    return Objects(held, "ckpt", created or Created(), tf.train.Checkpoint.restore)


def paired(target: Objects, found: tensors.Checkpoint, in_order: bool = False) -> PairedProgram:
    return PairedProgram(target.program(), target.holds, found, {}, "map.json", in_order)


def test_steps_follow_from_the_powers_of_adam_without_a_global_step(tmp_path: Path) -> None:
    for step in (0, 7, 12_000):
        powers = {
            "beta1_power": np.float32(0.9 ** (step + 1)),
            "beta2_power": np.float32(0.999 ** (step + 1)),
        }
        found = checkpoint(tmp_path, {"w": W, **powers, **ADAM})
        target = objects(keras.optimizers.Adam(), "w")
        paired(target, found).load()
        (optimizer,) = target.optimizers
        assert int(optimizer.iterations.numpy()) == step


def test_a_counter_of_another_name_needs_a_map(tmp_path: Path) -> None:
    found = checkpoint(tmp_path, {"w": W, "counter": np.int32(7)})
    target = objects(keras.optimizers.SGD(0.1), "w")
    with pytest.raises(RefusedError, match=r"no counterpart of sgd.*/iteration of"):
        paired(target, found)


def test_slots_of_variables_without_gradients_stay_as_they_are(tmp_path: Path) -> None:
    values = {"w": W, "b": B, "w/Adagrad": W, "global_step": np.int64(7)}
    target = objects(keras.optimizers.Adagrad(0.1), "w", "b")
    whole = paired(target, checkpoint(tmp_path, values))
    assert [name.rpartition("/")[2] for name in whole.as_made] == ["b_0_accumulator"]
    with pytest.raises(RefusedError, match=r"no counterpart of .*/b_0_accumulator"):
        paired(target, checkpoint(tmp_path, values, "b/Adagrad"))


def test_values_that_the_program_does_not_save_must_be_those_it_starts_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mean = tf.Variable(tf.zeros([4]), trainable=False, name="mean")
    created = Created()
    monkeypatch.setattr(created, "of_models", lambda others: [mean])
    target = objects(keras.optimizers.SGD(0.1), "w", created=created)
    values = {"w": W, "global_step": np.int64(7), "mean": np.zeros([4], np.float32)}
    whole = paired(target, checkpoint(tmp_path, values))
    whole.load()
    assert whole.left_out == ["mean"]
    found = checkpoint(tmp_path, {**values, "mean": np.ones([4], np.float32)})
    with pytest.raises(RefusedError, match="starts mean with another value than that of mean"):
        paired(target, found).load()


def test_one_optimizer_is_needed(tmp_path: Path) -> None:
    target = objects(keras.optimizers.SGD(0.1), "w", other=keras.optimizers.SGD(0.2))
    with pytest.raises(RefusedError, match="has several optimizers"):
        target.program()


def test_a_checkpoint_of_other_objects_is_refused(tmp_path: Path) -> None:
    other = tf.train.Checkpoint(w=tf.Variable(W)).write(str(tmp_path / "other"))
    with pytest.raises(RefusedError, match="is of other objects than the program"):
        objects(keras.optimizers.SGD(0.1), "w").read(other)


PROGRAM = """
import sys, keras, tensorflow as tf

class Net(tf.Module):
  def __init__(self):
    self.w, self.b = tf.Variable(tf.zeros([2, 3])), tf.Variable(tf.zeros([3]))

net, optimizer = Net(), keras.optimizers.SGD(0.1)
{before}

@tf.function
def step():
  with tf.GradientTape() as tape:
    loss = tf.reduce_sum(net.w + net.b)
  variables = net.trainable_variables
  optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

try:
  {step}
except BaseException:
  pass
open(sys.argv[1], "w").close()
"""
MADE = """
manager = tf.train.CheckpointManager(
    tf.train.Checkpoint(net=net, optimizer=optimizer), sys.argv[2], 3, checkpoint_name="net")
manager.restore_or_initialize()
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    found = checkpoint(tmp_path / "old", {"w": W, "b": B, "global_step": np.int64(7)})
    return Path(found.path)


def run(
    tmp_path: Path, before: str, old: Path, new: str, *options: str, step: str = "step()"
) -> int:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(before=before, step=step))
    command = ["checkpoint", "convert", str(old), new, "--program", str(program), *options]
    return main([*command, "--", str(tmp_path / "ended"), str(tmp_path / "made")])


def test_a_program_ends_at_its_first_step(
    tmp_path: Path, old: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    new = f"{tmp_path / 'new'}/"  # restored before the optimizer is built: nothing to convert yet
    assert run(tmp_path, MADE, old, new, "--verbose") == 0
    assert capfd.readouterr().out == (
        f"3 variables of step 7 written to {new}net-7\n"
        "  w -> Variable#2 (shape)\n"
        "  b -> Variable (shape)\n"
        "  global_step -> sgd/iteration (steps)\n"
    )
    assert tf.train.latest_checkpoint(new) == f"{new}net-7"
    assert not (tmp_path / "ended").exists()
    assert not (tmp_path / "made").exists()
    back = tmp_path / "back" / "model.ckpt-7"
    assert run(tmp_path, MADE, Path(new), str(back), "--like", str(old)) == 0
    np.testing.assert_array_equal(tensors_of(back)["w"], W)
    assert run(tmp_path, MADE, Path(new), str(back)) == 2
    assert "--like CHECKPOINT is needed" in capfd.readouterr().err
    assert run(tmp_path, MADE, old, str(tmp_path / "again"), "--like", str(old)) == 2
    assert "--like is for the way back" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("before", "step", "reason"),
    [
        ("", "step()", "trains before it makes a tf.train.Checkpoint with its optimizer"),
        (MADE, "pass", "never restores or saves a tf.train.Checkpoint with an optimizer"),
        (
            "server = tf.distribute.Server({'worker': ['a:1', 'a:2']}, 'worker', 1)",
            "step()",
            "Pass the arguments of the first worker",
        ),
    ],
)
def test_a_program_without_a_checkpoint_is_an_error(
    tmp_path: Path,
    old: Path,
    capfd: pytest.CaptureFixture[str],
    before: str,
    step: str,
    reason: str,
) -> None:
    new = tmp_path / "new" / "ckpt-7"
    assert run(tmp_path, before, old, str(new), step=step) == 2
    assert reason in capfd.readouterr().err
    assert not new.parent.exists()


def test_a_checkpoint_is_not_overwritten_with_its_conversion(
    tmp_path: Path, old: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, MADE, old, str(old)) == 2
    assert f"{old} would be overwritten: choose another name for NEW" in capfd.readouterr().err
    np.testing.assert_array_equal(tensors.Checkpoint(str(old)).value("w"), W)
