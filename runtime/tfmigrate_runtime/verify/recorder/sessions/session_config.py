"""Changes the configuration of every session of a program."""

from typing import Any, Callable, Dict

from ..program import wrapping


def change_config(owner: Any, change: Callable[[Any], None]) -> None:
    """Changes the configuration of all sessions.

    Args:
        owner: tensorflow.python.client.session.BaseSession.
        change: is given a copy of each session's ConfigProto.
    """
    from tensorflow.core.protobuf import config_pb2

    def change_copy(bound: Dict[str, Any]) -> None:
        config, bound["config"] = bound.get("config"), config_pb2.ConfigProto()
        if config is not None:
            bound["config"].CopyFrom(config)
        change(bound["config"])

    wrapping.change_arguments(owner, "__init__", change_copy)
