"""The folders of exports, which are named after the second: a new one, and old ones to delete."""

# A model_dir may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118

import os
import time
from typing import Any

import tensorflow.compat.v1 as tf

MAX_DIRECTORY_CREATION_ATTEMPTS = 10
_DIGITS = 10


def get_timestamped_export_dir(export_dir_base: Any) -> bytes:
    """Returns a folder that does not exist, named by the time in seconds.

    Raises:
        RuntimeError: there was one already, ten seconds in a row.
    """
    for attempt in range(1, MAX_DIRECTORY_CREATION_ATTEMPTS + 1):
        name = tf.compat.as_bytes(str(int(time.time())))
        folder: bytes = os.path.join(os.fsencode(export_dir_base), name)
        if not tf.gfile.Exists(folder):
            return folder
        time.sleep(1)
        tf.logging.warning("Export directory %s already exists (attempt %d)", folder, attempt)
    raise RuntimeError(
        "Failed to obtain a unique export directory name after "
        f"{MAX_DIRECTORY_CREATION_ATTEMPTS} attempts."
    )


def exports(export_dir_base: Any) -> list[str]:
    """Returns the names of the exports in a folder, the oldest first."""
    names = [tf.compat.as_str_any(n).rstrip("/") for n in tf.gfile.ListDirectory(export_dir_base)]
    return sorted(name for name in names if len(name) == _DIGITS and name.isdigit())


def garbage_collect_exports(export_dir_base: Any, exports_to_keep: int | None) -> None:
    """Deletes all but the latest exports below a folder; None keeps all."""
    if exports_to_keep is None:
        return
    names = exports(export_dir_base)
    for name in names[: max(0, len(names) - exports_to_keep)]:
        folder = os.path.join(tf.compat.as_str_any(export_dir_base), name)
        try:
            tf.gfile.DeleteRecursively(folder)
        except tf.errors.NotFoundError as error:  # another process may have been faster
            tf.logging.warning("Can not delete %s recursively: %s", folder, error)
