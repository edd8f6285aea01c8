"""Made-up traces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.traces.trace import Trace

STEPS = 5


def trace(**changes: Any) -> Trace:
    """A run of five steps of SGD on one kernel, over two replicas."""
    rng = np.random.RandomState(3)
    start = rng.normal(size=(2, 3)).astype(np.float32)
    updates = rng.normal(size=(STEPS, 2, 3)).astype(np.float32) * 0.1
    kernel = start + np.cumsum(updates, axis=0)
    moving = np.linspace(0, 1, STEPS, dtype=np.float32)[:, np.newaxis] * np.ones(2, np.float32)
    variables = [
        {"name": "dense/kernel", "shape": [2, 3], "dtype": "float32", "trainable": True},
        {"name": "bn/moving_mean", "shape": [2], "dtype": "float32", "trainable": False},
    ]
    made = Trace(
        meta={
            "tensorflow": "1.15.5",
            "python": "3.7.16",
            "replicas": 2,
            "variables": variables,
            "devices": {"replicas": ["/device:CPU:0", "/device:CPU:1"], "mapped": {}},
            "transferred": [],
            "sources": {},
            "args": [],
            "calls": [
                {"kind": "train", "before": 0, "after": STEPS, "steps": STEPS, "max_steps": None},
                {"kind": "evaluate", "step": STEPS, "steps": None, "name": None},
            ],
            "batch": {"shapes": {"0/0": [8, 3], "0/1": [8]}, "reason": None},
            "checkpoint": {
                "step": 1,
                "tensors": {v["name"]: [v["dtype"], v["shape"]] for v in variables},
            },
            "restored": {"error": None},
            "prediction_rows": [3],
            "fetches": {"forms": [], "runs": [], "left_out": 0},
            "exports": [{"folder": "export", "kept": True, "assets": {}, "graphs": []}],
            "written": {
                "events": [[".", "loss", "scalar", 1, False]],
                "saves": [],
                "left_out": 0,
                "kept": {},
                "hooks": {},
            },
            "format": 1,
        },
        step=np.arange(1, STEPS + 1),
        loss=np.linspace(2.0, 1.0, STEPS),
        variable_step=np.arange(1, STEPS + 1),
        initial={"dense/kernel": start, "bn/moving_mean": np.zeros(2, np.float32)},
        variables={"dense/kernel": kernel, "bn/moving_mean": moving},
        evaluations=[{"accuracy": np.float32(0.75), "loss": np.float32(1.0)}],
        predictions=[{"classes": np.array([0, 1, 1])}],
        batch={"0/0": rng.normal(size=(8, 3)).astype(np.float32), "0/1": np.arange(8)},
        checkpoint={"dense/kernel": kernel[0], "bn/moving_mean": moving[0]},
        event_values=np.array([2.0]),
        restored={"dense/kernel": kernel[0], "bn/moving_mean": moving[0]},
    )
    return replace(made, **changes)
