"""What a report says about the cause, for training whose fault is known: a model in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from traces import trace

from tfmigrate_runtime.verify.diagnosis import diagnose
from tfmigrate_runtime.verify.ladder import climb
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Array, Trace

STEPS = 6
Values = dict[str, Array]
Gradients = Callable[[int, Values], Values]


def gradients(step: int, values: Values) -> Values:
    """Least squares on other data in every step; two variables."""
    data = np.random.RandomState(step).normal(size=(8, 3))
    error = data @ values["a"] + values["b"] - data.sum(axis=1)
    return {"a": 2 * data.T @ error / 8, "b": 2 * error.mean(keepdims=True)}


def trained(
    gradient: Gradients = gradients,
    rate: Callable[[int], float] = lambda step: 0.1,
    momentum: float = 0.9,
) -> Trace:
    """Trains with momentum; slots have the names that TensorFlow gives them."""
    values = {"a": np.array([0.5, -0.3, 0.2]), "b": np.array([0.1])}
    slots = {name: np.zeros_like(value) for name, value in values.items()}
    initial = {name: value.astype(np.float32) for name, value in values.items()}
    initial |= {f"{name}/Momentum": np.zeros_like(initial[name]) for name in values}
    recorded: dict[str, list[Array]] = {name: [] for name in initial}
    for step in range(1, STEPS + 1):
        found = gradient(step, values)
        for name in values:
            slots[name] = momentum * slots[name] + found[name]
            values[name] = values[name] - rate(step) * slots[name]
            recorded[name].append(values[name].astype(np.float32))
            recorded[f"{name}/Momentum"].append(slots[name].astype(np.float32))
    made = trace(
        step=np.arange(1, STEPS + 1),
        loss=np.linspace(2.0, 1.0, STEPS),
        variable_step=np.arange(1, STEPS + 1),
        initial=initial,
        variables={name: np.stack(rows) for name, rows in recorded.items()},
    )
    variables = [
        {"name": name, "shape": list(v.shape), "dtype": "float32", "trainable": "/" not in name}
        for name, v in initial.items()
    ]
    return replace(made, meta={**made.meta, "variables": variables})


def scaled(factor: float) -> Gradients:
    return lambda step, values: {n: factor * g for n, g in gradients(step, values).items()}


def said(migrated: Trace) -> str:
    return " ".join(diagnose(trained(), migrated, Tolerance()))


def test_nothing_is_said_about_what_is_the_same() -> None:
    assert diagnose(trained(), trained(), Tolerance()) == ()


def test_a_loss_that_is_not_divided_by_the_replicas() -> None:
    text = said(trained(scaled(2.0)))
    assert "The updates of step 1 are 2 times the original's (= 2, with 2 replicas)" in text
    assert "Check loss_reduction and global_batch (tfmigrate explain TFM201)" in text
    assert "The optimizer's slots differ too" in text
    assert "1/2, with 2 replicas" in said(trained(scaled(0.5)))


def test_another_learning_rate() -> None:
    text = said(trained(rate=lambda step: 0.11))
    assert "The updates of step 1 are 1.1 times the original's. Check the learning rate" in text
    assert "slots are the same, so the gradients are the same" in text


def test_a_boundary_of_the_learning_rate_that_moved() -> None:
    text = said(trained(rate=lambda step: 0.1 if step < 4 else 0.01))
    assert "The updates of step 4 are 0.1 times the original's" in text
    assert "All variables are the same up to step 3. " in text
    assert "slots are the same" in text


def test_a_regulariser_on_one_variable() -> None:
    def regularised(step: int, values: Values) -> Values:
        found = gradients(step, values)
        return {**found, "a": found["a"] + 0.5 * values["a"]}

    text = said(trained(regularised))
    assert "At step 1 only 1 of 2 trainable variables differ (a). Look for what treats" in text
    assert "a different direction than the original's" in text


def test_another_batch() -> None:
    text = said(trained(lambda step, values: gradients(step + 100, values)))
    assert "a different direction than the original's: the batch" in text
    assert "only" not in text


def test_clipping_to_another_norm_changes_lengths() -> None:
    def clipped(step: int, values: Values) -> Values:
        found = gradients(step, values)
        return {**found, "a": found["a"] * 0.7}

    text = said(trained(clipped))
    assert "only 1 of 2" in text
    assert "0.7 times the original's" in text


def test_lost_momentum_shows_from_the_second_step() -> None:
    text = said(trained(momentum=0.0))
    assert "All variables are the same up to step 1. " in text
    assert "how they are accumulated" in text


def test_the_rung_that_fails_carries_it() -> None:
    verdict = climb(trained(), trained(scaled(2.0)), Tolerance())
    assert verdict.failed is not None and verdict.failed.outcome is not None
    assert verdict.failed.name == "same variables and slots"
    assert any("2 times the original's" in line for line in verdict.failed.outcome.details)


def test_a_variable_that_stops_moving_or_is_no_number() -> None:
    still = trained(lambda step, values: {n: 0 * g for n, g in gradients(step, values).items()})
    assert "a different direction" in said(still)
    broken = trained()
    broken.variables["a"][2:] = np.nan
    assert "All variables are the same up to step 2. " in said(broken)
