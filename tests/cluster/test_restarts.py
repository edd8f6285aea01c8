"""A training that is killed loses the steps since its last checkpoint, and nothing else."""

from __future__ import annotations

import random
import resource
import signal
from pathlib import Path

import pytest
import tensorflow.compat.v1 as tf
from cluster_support import assert_same_variables, start_alone, variables

from tfmigrate_runtime.estimator import checkpoints

STEPS = 120


def options_for(folder: Path) -> dict[str, object]:
    return {
        "strategy": "mirrored",
        "steps": STEPS,
        "same_rows": True,  # a resumed input begins anew: every step has to have the same rows
        "save_steps": 10,
        "model_dir": str(folder),
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    start_alone(options_for(folder / "model"), folder).losses()
    return folder / "model"


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_any_moment(tmp_path: Path, undisturbed: Path, seed: int) -> None:
    options = options_for(tmp_path / "model")
    moment = random.Random(seed).randrange(1, 9) * 10
    slow = {**options, "seconds_a_step": 0.02}
    task = start_alone(slow, tmp_path / "killed")
    task.wait_for(f"Saving checkpoints for {moment}")
    task.kill()
    listed = int(variables(tmp_path / "model")["global_step"])
    losses = start_alone(options, tmp_path / "again").losses()
    # The list of checkpoints may lack one that was whole when the program was killed.
    reached = STEPS - len(losses)
    assert moment - 10 <= listed <= reached < STEPS
    # The optimizer's slots and powers are among the variables.
    assert_same_variables(tmp_path / "model", undisturbed, 1e-6)


def test_half_written_checkpoint_is_not_chosen(
    tmp_path: Path, undisturbed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for path in undisturbed.iterdir():
        if path.is_file():
            text = path.read_bytes()
            (folder / path.name).write_bytes(text)
    assert checkpoints.latest_whole_checkpoint(str(folder)) == str(folder / f"model.ckpt-{STEPS}")
    (data,) = folder.glob(f"model.ckpt-{STEPS}.data*")
    data.write_bytes(data.read_bytes()[:-10])
    found = checkpoints.latest_whole_checkpoint(str(folder))
    assert found == str(folder / f"model.ckpt-{STEPS - 10}")
    assert "Skipping the incomplete checkpoint" in caplog.text
    (folder / f"model.ckpt-{STEPS - 10}.index").unlink()
    losses = start_alone(options_for(folder), tmp_path / "again").losses()
    assert len(losses) == 20, "training went on from the newest checkpoint that is whole"
    assert_same_variables(folder, undisturbed, 1e-6)


def test_slots_of_parts_that_are_no_whole_tensor(tmp_path: Path) -> None:
    """TensorFlow 1.15 and 2.21 name the slots of each part differently; each part is restored."""
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("emb", partitioner=tf.fixed_size_partitioner(2)):
            parts = tf.get_variable("t", [4, 2])
        with tf.variable_scope("OptimizeLoss"):
            step = tf.train.AdamOptimizer().minimize(tf.nn.l2_loss(tf.convert_to_tensor(parts)))
        session.run(tf.global_variables_initializer())
        session.run(step)
        path = tf.train.Saver().save(session, str(tmp_path / "model.ckpt"))
    with pytest.raises(ValueError, match="sufficient slices"):
        tf.train.load_checkpoint(path).get_tensor("emb/t/emb/t/part_0/Adam")
    assert checkpoints.latest_whole_checkpoint(str(tmp_path)) == path


def test_no_whole_checkpoint_is_an_error(tmp_path: Path) -> None:
    tf.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "model.ckpt-5"))
    assert checkpoints.latest_whole_checkpoint(str(tmp_path)) is None
    with pytest.raises(ValueError, match=r"no checkpoint in .* can be read"):
        checkpoints.choose_whole_checkpoint(str(tmp_path))


def test_full_disk_names_the_folder(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: the system call fails likewise."""
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("large", [100_000])
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
        try:
            with (
                pytest.raises(OSError, match="training cannot be saved") as error,
                checkpoints.naming_full_disks(str(tmp_path)),
            ):
                saver.save(session, str(tmp_path / "model.ckpt"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, before)
    assert error.value.filename == str(tmp_path)
