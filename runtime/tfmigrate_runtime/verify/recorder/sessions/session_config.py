"""Changes the configuration of every session of a program."""

import functools
from typing import Any, Callable


def change_config(owner: Any, change: Callable[[Any], None]) -> None:
    """Changes the configuration of all sessions.

    Args:
        owner: tensorflow.python.client.session.BaseSession.
        change: is given a copy of each session's ConfigProto.
    """
    from tensorflow.core.protobuf import config_pb2

    original = owner.__init__

    @functools.wraps(original)
    def initialize(this: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:
        proto = config_pb2.ConfigProto()
        if config is not None:
            proto.CopyFrom(config)
        change(proto)
        original(this, target, graph, proto)

    owner.__init__ = initialize
