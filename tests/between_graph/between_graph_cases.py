"""Which clusters are compared with TensorFlow 1.15; ``record_original.py`` stores its numbers."""

from __future__ import annotations

from typing import Any

TWO = {"ps": 1, "worker": 2}
_STEPS = 6

# By name: the options of the program, and the tasks of its cluster.
CASES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "sync_sgd": ({"sync": True}, TWO),
    "sync_momentum_supervisor": (
        {"sync": True, "optimizer": "momentum", "supervisor": True},
        {"ps": 2, "worker": 2},
    ),
    "sync_adam_sparse": ({"sync": True, "optimizer": "adam", "sparse": "ascending"}, TWO),
    "sync_momentum_sparse": ({"sync": True, "optimizer": "momentum", "sparse": "ascending"}, TWO),
    "sync_adagrad_three_workers": (
        {"sync": True, "optimizer": "adagrad", "sparse": "ascending"},
        {"ps": 1, "worker": 3},
    ),
    # Each worker clips its own gradients, before they are averaged.
    "sync_clipped": (
        {"sync": True, "clip": 1.0, "optimizer": "momentum", "supervisor": True, "inside": True},
        TWO,
    ),
    "async_one_worker": ({"optimizer": "adam"}, {"ps": 2, "worker": 1}),
    "async_turns": ({"optimizer": "momentum", "turns": True}, {"ps": 2, "worker": 2}),
    "async_turns_supervisor": (
        {"turns": True, "supervisor": True, "sparse": "repeated", "optimizer": "adam"},
        {"ps": 2, "worker": 2},
    ),
}
for _options, _jobs in CASES.values():
    _options["steps"] = _STEPS
