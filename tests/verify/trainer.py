"""Training in NumPy whose faults are known: two layers, an optimizer with slots, an average."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.traces.trace import Array, Trace

STEPS = 8
Values = dict[str, Array]


@dataclass(frozen=True)
class Trainer:
    """A program.

    Attributes:
        optimizer: "sgd", "momentum", "adam", "adagrad", "rmsprop", "rmsprop_momentum", or
            "rmsprop_centered", which has momentum, too.
        rate: the learning rate of a step, from 1.
        gradient: what each gradient is multiplied by.
        momentum: of momentum; ``beta1`` and ``beta2`` of Adam; ``decay`` of RMSProp.
        epsilon: of Adam and RMSProp.
        regularizer: of the kernels' gradients; ``weight_decay`` of their values.
        average: the decay of averages of the kernels, None for no averages.
        statistic: the decay of a moving mean of the first layer's output; ``scaled`` multiplies
            what is averaged.
        clip: the norm that all gradients are clipped to, None for none.
        seed: of the batches.
        nesterov: whether momentum is Nesterov's.
        sums_steps: whether momentum adds up steps, not gradients: with their rates, as in Keras.
        squares_each: whether Adam squares the parts of a kernel's gradients, of two in each row.
        frozen: a variable that is not trained.
    """

    optimizer: str = "momentum"
    rate: Callable[[int], float] = lambda step: 0.1
    gradient: float = 1.0
    momentum: float = 0.9
    beta1: float = 0.9
    beta2: float = 0.99
    decay: float = 0.9
    epsilon: float = 1e-3
    regularizer: float = 0.01
    weight_decay: float = 0.0
    average: float | None = 0.95
    statistic: float = 0.9
    scaled: float = 1.0
    clip: float | None = None
    seed: int = 0
    nesterov: bool = False
    sums_steps: bool = False
    squares_each: bool = False
    frozen: str = ""

    def run(self, follow: Trace | None = None) -> Trace:
        """Trains, in lock-step with a trace where one is given."""
        rng = np.random.RandomState(7)
        values: Values = {
            "one/kernel": rng.normal(size=(4, 5)),
            "one/bias": np.full(5, 0.1),
            "two/kernel": rng.normal(size=(5, 1)),
            "one/moving_mean": np.zeros(5),
        }
        names = [name for name in values if "moving" not in name]
        for name in names:
            for slot in self._slots():
                values[f"{name}/{slot}"] = np.ones_like(values[name]) * (slot == "RMSProp")
            if self.average is not None and "kernel" in name:
                values[f"{name}/ExponentialMovingAverage"] = values[name].copy()
        values = {name: value.astype(np.float32) for name, value in values.items()}
        initial = {name: value.copy() for name, value in values.items()}
        rows: dict[str, list[Array]] = {name: [] for name in values}
        losses = []
        for step in range(1, STEPS + 1):
            losses.append(self._step(step, values, names))
            for name, value in values.items():
                rows[name].append(value.copy())
                if follow is not None and name in follow.variables:
                    values[name] = follow.variables[name][step - 1].copy()
        variables = {name: np.stack(found) for name, found in rows.items()}
        return _trace(initial, variables, losses, names, follow is not None)

    def _slots(self) -> tuple[str, ...]:
        slots = {
            "momentum": ("Momentum",),
            "adam": ("Adam", "Adam_1"),
            "adagrad": ("Adagrad",),
            "rmsprop": ("RMSProp",),
            "rmsprop_momentum": ("RMSProp", "RMSProp_1"),
            "rmsprop_centered": ("RMSProp", "RMSProp_1", "RMSProp_2"),
        }
        return slots.get(self.optimizer, ())

    def _step(self, step: int, values: Values, names: list[str]) -> float:
        x = np.random.RandomState(1000 * self.seed + step).normal(size=(16, 4)).astype(np.float32)
        y = np.sin(x.sum(axis=1, keepdims=True))
        inner = x @ values["one/kernel"] + values["one/bias"]
        hidden = np.tanh(inner)
        error = hidden @ values["two/kernel"] - y
        out = 2 * error / len(x)
        back = out @ values["two/kernel"].T * (1 - hidden**2)
        found = {"one/kernel": x.T @ back, "one/bias": back.sum(0), "two/kernel": hidden.T @ out}
        for name in names:
            found[name] = found[name] * self.gradient
            if "kernel" in name:
                found[name] = found[name] + self.regularizer * values[name]
        if self.clip is not None:
            norm = np.sqrt(sum(float((value**2).sum()) for value in found.values()))
            found = {name: value * min(1.0, self.clip / norm) for name, value in found.items()}
        mean = values["one/moving_mean"]
        found_mean = self.scaled * inner.mean(0)
        values["one/moving_mean"] = self._f(mean + (1 - self.statistic) * (found_mean - mean))
        for name in names:
            if name != self.frozen:
                self._update(step, name, found[name], values)
            average = f"{name}/ExponentialMovingAverage"
            if average in values and self.average is not None:
                held = values[average]
                values[average] = self._f(held + (1 - self.average) * (values[name] - held))
        return float(np.mean(error**2))

    def _update(self, step: int, name: str, gradient: Array, values: Values) -> None:
        rate = self.rate(step)
        before = values[name]
        if self.optimizer == "sgd":
            move = gradient
        elif self.optimizer == "momentum":
            former = self.momentum * values[f"{name}/Momentum"]
            sums = former + gradient
            values[f"{name}/Momentum"] = self._f(sums)
            if self.sums_steps:
                sums = former * self.rate(max(step - 1, 1)) / rate + gradient
            move = gradient + self.momentum * sums if self.nesterov else sums
        elif self.optimizer == "adagrad":
            square = values[f"{name}/Adagrad"] + gradient**2
            values[f"{name}/Adagrad"] = self._f(square)
            move = gradient / np.sqrt(square + self.epsilon)
        elif self.optimizer.startswith("rmsprop"):
            held = values[f"{name}/RMSProp"]
            square = held + (1 - self.decay) * (gradient**2 - held)
            values[f"{name}/RMSProp"] = self._f(square)
            *means, momentum = self._slots()[1:] or ("",)
            for slot in means:
                mean = values[f"{name}/{slot}"]
                mean = mean + (1 - self.decay) * (gradient - mean)
                values[f"{name}/{slot}"] = self._f(mean)
                square = square - mean**2
            move = gradient / np.sqrt(square + self.epsilon)
            if momentum:  # TensorFlow's sums have the rate in them
                sums = self.momentum * values[f"{name}/{momentum}"] + rate * move
                values[f"{name}/{momentum}"], rate, move = self._f(sums), 1.0, sums
        else:
            first, second = values[f"{name}/Adam"], values[f"{name}/Adam_1"]
            first = first + (1 - self.beta1) * (gradient - first)
            squared = gradient**2
            if self.squares_each and gradient.ndim == 2:
                part = gradient * np.linspace(0.1, 0.9, gradient.size).reshape(gradient.shape)
                squared = part**2 + (gradient - part) ** 2
            second = second + (1 - self.beta2) * (squared - second)
            values[f"{name}/Adam"], values[f"{name}/Adam_1"] = self._f(first), self._f(second)
            rate *= np.sqrt(1 - 0.99**step) / (1 - 0.9**step)
            move = first / (np.sqrt(second) + self.epsilon)
        values[name] = self._f(before - rate * move - self.weight_decay * before)

    @staticmethod
    def _f(value: Any) -> Array:
        return np.asarray(value, np.float32)


def _trace(
    initial: Values, variables: Values, losses: list[float], names: list[str], followed: bool
) -> Trace:
    steps = np.arange(1, STEPS + 1)
    meta: dict[str, Any] = {
        "tensorflow": "2.21.0",
        "replicas": 2,
        "ordered_updates": [],
        "variables": [
            {"name": n, "shape": list(v.shape), "dtype": "float32", "trainable": n in names}
            for n, v in initial.items()
        ],
    }
    if followed:
        meta["follow"] = {"forced": STEPS, "free": [], "missing": []}
    return Trace(meta, steps, np.array(losses), steps, initial, variables, [], [])


def lockstep(right: Trainer, **fault: Any) -> tuple[Trace, Trace]:
    """Returns the traces of a program, and of one with a fault in lock-step with it."""
    original = right.run()
    return original, replace(right, **fault).run(original)
