"""Importing it silences log lines that a migrated program would print and its original did not.

They are about names that the runtime and TensorFlow call, or that a migrated program keeps on
purpose; its user cannot act on them. Notices about its own calls stay.
"""

import logging
import re
import warnings
from importlib.util import find_spec
from pathlib import Path

_LIBRARIES = ("tensorflow", "tf_keras", "tf_slim", "tensorflow_estimator")
# Where TensorFlow says that a deprecated name was called.
_CALLED_FROM = re.compile(r"From (.+):\d+: .* deprecated")
# TensorFlow 1.x did not deprecate them, and their successors are not for graphs.
_KEPT = "(from tensorflow.python.feature_column."
# What TensorFlow 2 logs around every checkpoint, even without listeners, and about reductions.
_ADDED = ("Calling checkpoint listeners ", "Reduce to /")
# Keras 2 warns at every call; 1.15 logged once. The methods are called inside TensorFlow and Keras.
KERAS_2 = r"`(tf\.(layers|nn\.rnn_cell)\.|layer\.(add_variable|apply|updates)`)"


def _folders() -> tuple[Path, ...]:
    """Returns the folders of the runtime and of the libraries under it."""
    folders = [Path(__file__).parents[1]]
    for name in _LIBRARIES:
        if (spec := find_spec(name)) is not None:
            folders += map(Path, spec.submodule_search_locations or ())
    return tuple(folders)


_FOLDERS = _folders()


def is_of_the_program(record: logging.LogRecord) -> bool:
    """Returns whether a record is about something other than the names that are silenced."""
    message = record.getMessage()
    if record.levelno != logging.WARNING:
        return not message.startswith(_ADDED)
    if (match := _CALLED_FROM.match(message)) is None:
        return True
    caller = Path(match[1])
    return _KEPT not in message and not any(folder in caller.parents for folder in _FOLDERS)


logging.getLogger("tensorflow").addFilter(is_of_the_program)
warnings.filterwarnings("ignore", message=KERAS_2, category=UserWarning)
