"""What ``horovod.tensorflow`` does not define on TensorFlow 2.16 and later.

Source: horovod/tensorflow/__init__.py of Horovod 0.28, whose base class was that of tf.estimator.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = ["BroadcastGlobalVariablesHook"]


class BroadcastGlobalVariablesHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """A hook that gives all processes the global variables of one when a session is made."""

    def __init__(self, root_rank: int, device: str = "") -> None:
        """Makes the hook.

        Args:
            root_rank: the rank of the process whose values all get.
            device: the device that the broadcast runs on.
        """
        super().__init__()
        self.root_rank = root_rank
        self.bcast_op: Any = None
        self.device = device

    def begin(self) -> None:
        """Adds the broadcast to a graph that does not have it."""
        from horovod import tensorflow as horovod  # optional, and not a package of the runtime

        if self.bcast_op is None or self.bcast_op.graph is not tf.get_default_graph():
            with tf.device(self.device):
                self.bcast_op = horovod.broadcast_global_variables(self.root_rank)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs the broadcast."""
        session.run(self.bcast_op)
