"""The original's trace, as a port needs it: states, losses, random numbers, the first batch.

It is read with NumPy alone. ``docs/reference/trace.md`` has the keys.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tfmigrate_runtime.verify.shared import FORMAT_VERSION

Array = npt.NDArray[Any]


class TraceError(Exception):
    """A file is not a trace, or one that a port cannot follow; the text is one line."""


class Original:
    """The training of the original's first model.

    Attributes:
        meta: the entry ``meta`` of the trace.
        initial: what each variable started from, by name.
        steps: the global step of each recorded state.
    """

    def __init__(self, path: Path | str) -> None:
        """Reads a trace.

        Raises:
            TraceError: it is missing, damaged, of another format, or of a cluster.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {key: stored[key] for key in stored.files}
            self.meta: dict[str, Any] = json.loads(str(arrays["meta"]))
        except FileNotFoundError as error:
            raise TraceError(f"{path}: no such trace") from error
        except Exception as error:  # what damaged archives raise depends on where they are cut off
            raise TraceError(f"{path}: not a trace ({error})") from error
        if self.meta.get("format") != FORMAT_VERSION:
            raise TraceError(
                f"{path} has trace format {self.meta.get('format')}, not {FORMAT_VERSION}"
            )
        if "cluster" in self.meta:
            raise TraceError(f"{path} is the trace of a cluster, which a port cannot follow")
        self.initial = _below(arrays, "initial/")
        self.steps = [int(step) for step in arrays["variable_step"]]
        self._states = _below(arrays, "variable/")
        self._losses = dict(zip(arrays["step"].tolist(), arrays["loss"].tolist(), strict=True))
        self._arrays = arrays

    @property
    def variables(self) -> list[dict[str, Any]]:
        """Name, shape, dtype and ``trainable`` of each variable, in order of creation."""
        forms: list[dict[str, Any]] = self.meta["variables"]
        return forms

    def state(self, row: int) -> dict[str, Array]:
        """Returns the variables after the row-th recorded step, before the first for -1.

        Raises:
            IndexError: the original made fewer steps.
        """
        if row < 0:
            return dict(self.initial)
        return {name: values[row] for name, values in self._states.items()}

    def loss(self, step: int) -> float:
        """Returns the loss of the step that led to this global step; NaN where it is unknown."""
        return float(self._losses.get(step, float("nan")))

    def rounding_of_powers(self) -> float:
        """Returns to what share Adam's corrections are known: sqrt(1 - beta2^t) / (1 - beta1^t).

        TensorFlow multiplies the powers in float32, of which 1 - 0.999 has four digits; PyTorch and
        optax compute them in float64.
        """
        known = 0.0
        for name, values in self._states.items():
            if "_power" in name and values.dtype == np.float32 and values.ndim == 1:
                left = 1 - np.concatenate([[self.initial[name]], values[:-1]]).astype(np.float64)
                steps = np.arange(1, len(values) + 1)
                share = 0.5 if "beta2" in name else 1.0
                if (left > 0).all():
                    known += float(np.max(share * steps * np.finfo(np.float32).eps / 2 / left))
        return known

    def draws(self, step: int) -> list[tuple[str, Array]]:
        """Returns what the step-th step (from 0) drew: the kind of each operation, and its numbers.

        Of towers, those of one follow those of another.
        """
        kinds: dict[str, str] = self.meta.get("step_draws", {}).get("kinds", {})
        drawn = []
        keys = [key for key in kinds if ":" not in key]  # of draws/samplers.py
        for key in sorted(keys, key=lambda key: [int(part) for part in key.split("/")]):
            shapes = self._arrays.get(f"random_shape/{key}")
            if shapes is None or step >= len(shapes):
                continue
            ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
            start = ends[step] - int(np.prod(shapes[step]))
            numbers = self._arrays[f"random/{key}"][start : ends[step]]
            drawn.append((kinds[key], numbers.reshape(shapes[step])))
        return drawn

    def batch(self, step: int) -> dict[str, Array]:
        """Returns what the step-th step (from 0) was fed, by source and component.

        All steps have it where the original was recorded with ``--batches``, else only the first.
        {} where it is not recorded.
        """
        return _below(self._arrays, f"batches/{step}/") or (
            _below(self._arrays, "batch/") if step == 0 else {}
        )


def _below(arrays: dict[str, Array], prefix: str) -> dict[str, Array]:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
