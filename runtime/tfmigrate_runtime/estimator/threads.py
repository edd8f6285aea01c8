"""The threads that a session config asks for, where TensorFlow is started before the session."""

from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf


def set_intra_op_threads(session_config: Any) -> None:
    """Gives operations as many threads as a session config says.

    TensorFlow makes these threads once in a process, when it first lists its devices. In TensorFlow
    1.x that was the first session. A strategy lists them as soon as it is made, and the session's
    number then has no effect.

    Args:
        session_config: a ``tf.ConfigProto``, or None.
    """
    count = 0 if session_config is None else int(session_config.intra_op_parallelism_threads)
    if count <= 0:
        return
    try:
        tf2.config.threading.set_intra_op_parallelism_threads(count)
    except RuntimeError:  # TensorFlow has started, with a different number
        tf.logging.log_first_n(
            tf.logging.WARN,
            "intra_op_parallelism_threads=%d has no effect: TensorFlow has already started its "
            "threads, for instance for a tf.distribute strategy. Create the RunConfig before the "
            "strategy, or set the environment variable TF_NUM_INTRAOP_THREADS.",
            1,
            count,
        )
