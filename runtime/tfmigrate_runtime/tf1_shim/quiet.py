"""Silences log lines that the legacy runtime causes and TensorFlow 1.15 did not print.

A program's own warnings stay, and so do those of names that were deprecated in 1.15 already.
"""

import logging
import warnings

# Parts of what TensorFlow logs, and why 1.15 did not.
_NOT_OF_THE_PROGRAM = (
    "disable_resource_variables (from",  # called by disable_v2_behavior, which prepare() calls
    "_colocate_with (from",  # called by Keras 2's layers
    "Please fix your imports. Module tensorflow.python",  # the modules were there in 1.15
    "/tf_keras/src/",  # Keras 2 calls names of compat.v1 by other names than TensorFlow likes
)
# Keras 2 warns where 1.15 logged once, and of what 1.15 had no objection to.
_OF_KERAS_2 = (
    r"`(tf\.(layers|nn\.rnn_cell|nn)\.|Model\.(state_updates|\w+_generator)` "
    r"|layer\.(add_variable|apply|updates)` )"
)


def silence() -> None:
    """Silences them in this process."""
    logging.getLogger("tensorflow").addFilter(is_of_the_program)
    warnings.filterwarnings("ignore", message=_OF_KERAS_2, category=UserWarning)


def is_of_the_program(record: logging.LogRecord) -> bool:
    """Returns whether a record is none of those that are silenced."""
    if record.levelno != logging.WARNING:
        return True
    message = record.getMessage()
    return not any(part in message for part in _NOT_OF_THE_PROGRAM)
