"""Each cause that a report may name, with its number; and faults that have no such cause."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from trainer import Trainer, lockstep

from tfmigrate_runtime.verify.diagnosis.diagnosis import diagnose
from tfmigrate_runtime.verify.rounding.tolerance import Noise, Tolerance
from tfmigrate_runtime.verify.rungs.compare import variables
from tfmigrate_runtime.verify.rungs.compare_losses import losses
from tfmigrate_runtime.verify.traces.trace import Trace, at_common_steps, at_seen_steps

SGD = Trainer("sgd", regularizer=0.0)
MOMENTUM = Trainer("momentum")
ADAM = Trainer("adam")
SMALL = Trainer("adam", epsilon=1e-6)
RMSPROP = Trainer("rmsprop", epsilon=1e-3)
SUMS = Trainer("rmsprop_momentum", epsilon=1e-3)
CENTERED = Trainer("rmsprop_centered", epsilon=1e-3)

RATE = "weights: the update is {} times: the learning rate, or a factor of the loss"
GRADIENT = "slots {}: the gradient is {} times"
CASES: list[tuple[Trainer, dict[str, Any], str]] = [
    (SGD, {"rate": lambda step: 0.11}, RATE.format("1.1")),
    (MOMENTUM, {"rate": lambda step: 0.05}, RATE.format("0.5")),
    (ADAM, {"rate": lambda step: 0.1001}, RATE.format("1.001")),
    (ADAM, {"rate": lambda step: 0.10003}, RATE.format("1.0003")),
    (ADAM, {"rate": lambda step: 0.0}, "weights: do not move: the learning rate is 0"),
    (RMSPROP, {"rate": lambda step: 0.07}, RATE.format("0.7")),
    (SUMS, {"rate": lambda step: 0.07}, RATE.format("0.7").replace("weights", "slots RMSProp_1")),
    (
        CENTERED,
        {"rate": lambda step: 0.07},
        RATE.format("0.7").replace("weights", "slots RMSProp_2"),
    ),
    (CENTERED, {"gradient": 2.0, "regularizer": 0.02}, GRADIENT.format("RMSProp", "2")),
    (
        Trainer("adagrad"),
        {"gradient": 1.2, "regularizer": 0.012},
        GRADIENT.format("Adagrad", "1.2"),
    ),
    (SUMS, {"gradient": 2.0, "regularizer": 0.02}, GRADIENT.format("RMSProp", "2")),
    (MOMENTUM, {"rate": lambda step: 0.1 if step < 5 else 0.01}, RATE.format("0.1")),
    (SGD, {"rate": lambda step: 0.1 / step}, RATE.format("0.125 to 0.5")),
    (SGD, {"gradient": 2.0}, RATE.format("2")),
    (SGD, {"gradient": 0.5}, RATE.format("0.5")),
    (MOMENTUM, {"gradient": 3.0, "regularizer": 0.03}, GRADIENT.format("Momentum", "3")),
    (MOMENTUM, {"gradient": 0.5, "regularizer": 0.005}, GRADIENT.format("Momentum", "0.5")),
    (ADAM, {"gradient": 2.0, "regularizer": 0.02}, GRADIENT.format("Adam", "2")),
    (SMALL, {"epsilon": 1e-5}, "weights: epsilon is greater by about 9e-06"),
    (SMALL, {"epsilon": 1.1e-6}, "weights: epsilon is greater by about 9.9e-08"),
    (SMALL, {"epsilon": 5e-7}, "weights: epsilon is greater by about -5e-07"),
    (SMALL, {"epsilon": 0.3}, "weights: epsilon is greater by about 0.3"),
    (SGD, {"regularizer": 0.005}, "weights: their own value is added -0.0005 times: weight decay"),
    (SGD, {"weight_decay": 1e-3}, "weights: their own value is added -0.001 times: weight decay"),
    (ADAM, {"weight_decay": 1e-3}, "weights: their own value is added -0.001 times: weight decay"),
    (MOMENTUM, {"regularizer": 0.005}, "slots Momentum: the variable is added -0.005 times"),
    (MOMENTUM, {"regularizer": 0.0}, "slots Momentum: the variable is added -0.01 times"),
    (ADAM, {"regularizer": 0.02}, "slots Adam: the variable is added 0.001 times: a regularizer"),
    (MOMENTUM, {"momentum": 0.99}, "slots Momentum: their own value is added 0.09 times"),
    (MOMENTUM, {"momentum": 0.0}, "slots Momentum: their own value is added -0.9 times"),
    (ADAM, {"beta1": 0.95}, "slots Adam: the update is 0.5 times: 1 - the rate of decay"),
    (ADAM, {"beta2": 0.999}, "slots Adam_1: the update is 0.1 times: 1 - the rate of decay"),
    (RMSPROP, {"decay": 0.95}, "slots RMSProp: the update is 0.5 times: 1 - the rate of decay"),
    (ADAM, {"squares_each": True}, "slots Adam_1: the gradients are the same and their squares"),
    (SGD, {"average": 0.9}, "average: the update is 2 times: 1 - the decay"),
    (SGD, {"average": 0.99}, "average: the update is 0.2 times: 1 - the decay"),
    (SGD, {"average": 1.0}, "average: do not move: their updates are lost"),
    (ADAM, {"statistic": 0.99}, "average: the update is 0.1 times: 1 - the decay"),
    (ADAM, {"statistic": 1.0}, "average: do not move: their updates are lost"),
    (MOMENTUM, {"statistic": 0.95}, "average: the update is 0.5 times: 1 - the decay"),
    (MOMENTUM, {"scaled": 1.0667}, "average: what is averaged is 1.067 times: a scale"),
    (ADAM, {"scaled": 0.5}, "average: what is averaged is 0.5 times"),
    (ADAM, {"clip": 0.01}, "slots Adam: the gradient is 0.00143 to 0.00477 times"),
    (MOMENTUM, {"clip": 0.5}, "slots Momentum: the gradient is 0.0"),
    (MOMENTUM, {"nesterov": True}, "weights: the momentum is applied in another way: Nesterov's"),
    (
        replace(MOMENTUM, rate=lambda step: 0.1 if step < 4 else 0.02),
        {"sums_steps": True},
        "weights: the momentum keeps the learning rates of earlier steps",
    ),
    (
        replace(MOMENTUM, rate=lambda step: 0.1 * 0.9**step, nesterov=True),
        {"sums_steps": True},
        "weights: the momentum keeps the learning rates of earlier steps",
    ),
    (
        replace(MOMENTUM, rate=lambda step: 0.1 if step < 4 else 0.02, nesterov=True),
        {"sums_steps": True, "rate": lambda step: 0.1 if step < 3 else 0.02},
        "weights: the gradient is 0.2 times, not the momentum: the learning rate",
    ),
    (MOMENTUM, {"frozen": "one/kernel"}, "slots Momentum: "),
    (
        SGD,
        {"frozen": "one/kernel"},
        "weights: do not move: the learning rate is 0, or their updates are lost (one/kernel)",
    ),
]
# These have no cause in the list; the report must not name one.
OTHERS: list[tuple[Trainer, dict[str, Any]]] = [
    (SGD, {"seed": 1}),
    (MOMENTUM, {"seed": 1}),
    (ADAM, {"seed": 1}),
    (RMSPROP, {"seed": 3}),
]


def said(pair: tuple[Trace, Trace]) -> tuple[str, ...]:
    return tuple(found.line for found in diagnose(*pair, Tolerance()))


@pytest.mark.parametrize(
    ("right", "fault", "cause"),
    CASES,
    ids=lambda v: (
        v.optimizer if isinstance(v, Trainer) else "-".join(v) if isinstance(v, dict) else ""
    ),
)
def test_a_fault_is_named(right: Trainer, fault: dict[str, Any], cause: str) -> None:
    pair = lockstep(right, **fault)
    assert any(line.startswith(cause) for line in said(pair)), said(pair)
    assert not variables(*pair, Tolerance()).same


@pytest.mark.parametrize(
    ("right", "fault"),
    OTHERS,
    ids=lambda v: (
        v.optimizer if isinstance(v, Trainer) else "-".join(v) if isinstance(v, dict) else ""
    ),
)
def test_what_has_no_cause_in_the_list_is_another_direction(
    right: Trainer, fault: dict[str, Any]
) -> None:
    lines = said(lockstep(right, **fault))
    assert lines
    assert all("another direction" in line for line in lines if "average" not in line), lines
    assert len(lines) == len({line.partition(":")[0] for line in lines})  # one of each kind


@pytest.mark.parametrize("right", [MOMENTUM, ADAM], ids=lambda t: t.optimizer)
def test_a_bias_too_small_for_a_cause_is_in_no_other_direction(right: Trainer) -> None:
    lines = said(lockstep(right, gradient=2.0, regularizer=0.02))
    assert any("the gradient is 2 times" in line for line in lines)
    assert not any("another direction" in line for line in lines)


@pytest.mark.parametrize("right", [SGD, MOMENTUM, ADAM, RMSPROP], ids=lambda t: t.optimizer)
def test_nothing_is_said_of_what_is_the_same(right: Trainer) -> None:
    assert said(lockstep(right)) == ()
    assert losses(*lockstep(right), Tolerance()).same
    assert variables(*lockstep(right), Tolerance()).same


def test_what_is_nothing_but_rounding_has_no_cause() -> None:
    original, migrated = lockstep(ADAM, rate=lambda step: 0.05)
    changes = {name: np.zeros_like(values) for name, values in original.variables.items()}
    changes["one/bias"] += np.float32(0.1)
    noise = Noise("original", original, replace(original, variables=changes))
    (found,) = diagnose(original, migrated, Tolerance(noise=noise))
    assert found.code == "learning-rate"
    line = found.line
    assert line.startswith(RATE.format("0.5")) and "one/bias" not in line


def test_a_loss_after_steps_in_one_call_follows_from_the_single_steps_before() -> None:
    original, migrated = lockstep(SMALL, epsilon=0.3)
    freely = replace(SMALL, epsilon=0.3).run()  # steps 5 to 8, given nothing, end elsewhere
    rows = [0, 1, 2, 3, 7]
    values = {name: array[rows].copy() for name, array in migrated.variables.items()}
    for name in values:
        values[name][-1] = freely.variables[name][-1]
    stretch = replace(
        migrated,
        loss=np.concatenate([migrated.loss[:7], freely.loss[7:]]),
        meta={**migrated.meta, "unseen": [5, 6, 7]},
        variable_step=migrated.variable_step[rows],
        variables=values,
    )
    pair = at_common_steps(*at_seen_steps(original, stretch))
    assert np.abs(pair[1].loss[-1] / pair[0].loss[-1] - 1) > 0.01
    assert losses(*pair, Tolerance()).same
    (found,) = diagnose(*pair, Tolerance())
    assert found.code == "epsilon"
    alone = replace(pair[1], variables=pair[0].variables)
    assert not losses(pair[0], alone, Tolerance()).same  # where nothing before it differs


def test_small_updates_in_another_direction_are_not_called_a_rate() -> None:
    original, migrated = lockstep(ADAM, rate=lambda step: 0.05)
    for name in original.trainable:
        # As of plain gradient descent: a thousandth of Adam's step, and its signs where they are.
        start = np.concatenate([original.initial[name][None], original.variables[name][:-1]])
        other = 1e-3 * np.random.default_rng(3).normal(size=start.shape)
        moved = np.abs(original.variables[name] - start).mean() * other
        migrated.variables[name] = (start + moved).astype(np.float32)
    assert all("another direction" in line for line in said((original, migrated)))


def test_the_second_slot_follows_from_the_first() -> None:
    lines = said(lockstep(ADAM, seed=1))
    assert not any("slots Adam_1" in line for line in lines)
    assert any("slots Adam: another direction (cosine " in line for line in lines)


def test_of_a_variance_the_number_of_rows_is_named() -> None:
    def of_variance(trace: Trace) -> Trace:
        name = {"one/moving_mean": "one/moving_variance"}
        return replace(
            trace,
            initial={name.get(n, n): value for n, value in trace.initial.items()},
            variables={name.get(n, n): value for n, value in trace.variables.items()},
        )

    original, migrated = lockstep(MOMENTUM, scaled=1.0667)
    (line,) = said((of_variance(original), of_variance(migrated)))
    assert "1.067 times: a variance over n - 1 in place of n, or a scale" in line


def test_steps_and_variables_that_differ_are_named() -> None:
    (line,) = said(lockstep(MOMENTUM, rate=lambda step: 0.1 if step % 5 else 0.01))
    assert line.endswith("(one/kernel, one/bias, two/kernel, at step 5).")
    (line,) = said(lockstep(MOMENTUM, regularizer=0.0))
    assert line.endswith("(one/kernel/Momentum, two/kernel/Momentum).")


def test_a_factor_of_the_replicas_says_what_to_check() -> None:
    pair = lockstep(SGD, gradient=2.0)
    assert "With 2 replicas, check loss_reduction and global_batch" in said(pair)[0]
    assert "see tfmigrate explain TFM303" in diagnose(*pair, Tolerance(), workers=2)[0].line
    assert "replicas" not in said(lockstep(SGD, gradient=1.5))[0]
    assert "replicas" in said(lockstep(MOMENTUM, gradient=0.5, regularizer=0.005))[0]


@pytest.mark.parametrize(("right", "fault"), [(ADAM, {"beta1": 0.95}), (SGD, {"average": 0.9})])
def test_a_decay_that_is_half_as_long_is_no_matter_of_replicas(
    right: Trainer, fault: dict[str, Any]
) -> None:
    lines = said(lockstep(right, **fault))
    assert "times: 1 - the" in lines[0]
    assert not any("replicas" in line for line in lines)


def test_updates_at_other_steps_are_called_so() -> None:
    original = Trainer("sgd", regularizer=0.0, rate=lambda step: 0.1 * (step % 2))
    lines = said(lockstep(original, rate=lambda step: 0.1 * ((step + 1) % 2)))
    assert lines[0].startswith("weights: move at other steps than the original's")
