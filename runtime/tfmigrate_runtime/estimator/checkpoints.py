"""Finds the checkpoint to resume from: the latest one that is complete."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf

_known_as_whole: set[Any] = set()  # paths, and sizes and times of their files
_HAS_PARTS = "Does not have sufficient slices for partitioned tensor"
_DISK_ERRORS = {
    "No space left on device": errno.ENOSPC,
    "File too large": errno.EFBIG,
    "Disk quota exceeded": errno.EDQUOT,
}


def _load_global_step_from_checkpoint_dir(checkpoint_dir: str) -> Any:
    """Returns the global step of a folder's newest checkpoint, 0 where that cannot be read.

    It has the name that programs import it by from the inside of tf.estimator.
    """
    try:
        reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(checkpoint_dir))
        return reader.get_tensor(tf.GraphKeys.GLOBAL_STEP)
    except Exception:  # whatever it is, as in TensorFlow 1.15
        return 0


def latest_whole_checkpoint(folder: str) -> str | None:
    """Returns the path of the latest checkpoint that can be read to its end.

    A file system that lost what was written before a power cut, or a copy that was broken off, may
    leave others; each is named in a warning.

    Args:
        folder: the model_dir.

    Returns:
        The checkpoint's path without ".index", None where there is none.
    """
    if (state := tf.train.get_checkpoint_state(folder)) is None:
        return None
    paths = [state.model_checkpoint_path, *reversed(state.all_model_checkpoint_paths)]
    for path in dict.fromkeys(paths):
        if (problem := _problem_of(path)) is None:
            return str(path)
        tf.logging.warning("Skipping the incomplete checkpoint %s: %s", path, problem)
    return None


def choose_whole_checkpoint(folder: str) -> None:
    """Makes the latest whole checkpoint the one that sessions restore.

    Raises:
        ValueError: there are checkpoints, and none is complete: a new start would overwrite them.
    """
    if (state := tf.train.get_checkpoint_state(folder)) is None:
        return
    if (path := latest_whole_checkpoint(folder)) is None:
        raise ValueError(
            f"no checkpoint in {folder} can be read; the warnings give the reasons. Repair them, "
            f"or delete {os.path.join(folder, 'checkpoint')} to start from the initial values."
        )
    if path != state.model_checkpoint_path:
        paths = list(state.all_model_checkpoint_paths)
        whole_paths = paths[: paths.index(path) + 1] if path in paths else [path]
        tf.train.update_checkpoint_state(folder, path, whole_paths)


@contextmanager
def naming_full_disks(folder: str) -> Iterator[None]:
    """Names the folder where TensorFlow could not write.

    Raises:
        OSError: the disk is full, a file or a quota at its limit.
    """
    try:
        yield
    except tf.errors.OpError as error:
        for text, number in _DISK_ERRORS.items():
            if text in str(error.message):
                raise OSError(number, f"{text}: training cannot be saved", folder) from error
        raise


def _problem_of(path: str) -> str | None:
    """Returns what is wrong with a checkpoint, None if nothing is."""
    try:
        files = [path + ".index", *sorted(tf.gfile.Glob(path + ".data-*"))]
        seen = [tf.gfile.Stat(file) for file in files]
        index = (path, *((stat.length, stat.mtime_nsec) for stat in seen))
        if index in _known_as_whole:
            return None
        reader = tf.train.load_checkpoint(path)
        for name in reader.get_variable_to_shape_map():
            _read(reader, name)
    except (tf.errors.OpError, RuntimeError, ValueError, IndexError) as error:
        return str(error).partition("\n")[0]
    _known_as_whole.add(index)
    return None


def _read(reader: Any, name: str) -> None:
    """Reads a tensor of a checkpoint.

    TensorFlow names the slots of a partitioned variable that are made in a scope, as by
    ``optimize_loss``, after their part: no tensor of that name is whole, and each part is restored.
    """
    try:
        reader.get_tensor(name)
    except (tf.errors.InvalidArgumentError, ValueError) as error:
        if _HAS_PARTS not in str(error):
            raise


def log_untrained(model_dir: str, purpose: str) -> None:
    """Logs that initial values are used, in the words of tf.estimator."""
    tf.logging.info(
        "Could not find trained model in model_dir: %s, running initialization to %s.",
        model_dir,
        purpose,
    )
