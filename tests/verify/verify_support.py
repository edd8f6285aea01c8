"""Synthetic traces, and programs to record."""

from pathlib import Path

import numpy as np

from tfmigrate_runtime.verify.ladder import climb
from tfmigrate_runtime.verify.run_program import Program, run_recorded
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace, load_trace

PROGRAMS = Path(__file__).parent / "programs"
STEPS = 5
# A tiny program takes about 4 s; a loaded machine may need a multiple of that.
TIMEOUT = 120.0


def make_trace(replicas=2):
    """Returns a trace of five steps: a matrix, its momentum, a moving mean and a step count."""
    rng = np.random.RandomState(0)
    shapes = {"net/w": (3, 2), "net/w/Momentum": (3, 2), "net/bn/moving_mean": (2,)}
    return Trace(
        meta={
            "tensorflow": "1.15.5",
            "python": "3.7.9",
            "replicas": replicas,
            "devices": {"replicas": ["/device:CPU:0", "/device:CPU:1"], "mapped": {}},
            "transferred": [],
            "variables": [
                {"name": name, "shape": list(shape), "dtype": "float32", "trainable": index == 0}
                for index, (name, shape) in enumerate(shapes.items())
            ],
        },
        step=np.arange(1, STEPS + 1),
        loss=np.array([1.0, 0.8, 0.5, 0.4, 0.25]),
        variable_step=np.arange(1, STEPS + 1),
        initial={n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()},
        variables={n: rng.normal(size=(STEPS, *s)).astype(np.float32) for n, s in shapes.items()},
        evaluations=[{"accuracy": np.float32(0.75), "loss": np.float32(0.5)}],
        predictions=[{"class": np.array([b"cat", b"dog"]), "p": np.array([0.25, 0.5])}],
    )


def changed(arrays, name, index, value):
    """Returns a copy of a dict of arrays with one element set."""
    copy = {key: np.array(array) for key, array in arrays.items()}
    copy[name][index] = value
    return copy


def verdicts(original, migrated, **tolerances):
    """Returns the verdict of each rung."""
    return [rung.verdict for rung in climb(original, migrated, Tolerance(**tolerances)).rungs]


def failed_at(number):
    """Returns the verdicts of a ladder whose rung `number` is the one that differs."""
    return ["same"] * (number - 1) + ["different"] + ["not reached"] * (6 - number)


def details(original, migrated, **tolerances):
    """Returns all remarks of the rung that differs, in one text."""
    failed = climb(original, migrated, Tolerance(**tolerances)).failed
    assert failed is not None
    return "\n".join(failed.outcome.details)


def record(script, target, *arguments, initial_values=None, timeout=TIMEOUT, **options):
    """Records a program with this interpreter and returns its trace."""
    run_recorded(Program(script, arguments, **options), target, timeout, initial_values)
    return load_trace(target)
