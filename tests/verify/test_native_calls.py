"""Calls of a Keras program are compared with those of an Estimator by their steps."""

from __future__ import annotations

from typing import Any

from tfmigrate_runtime.verify.compare_native import in_order_of_steps


def train(before: int, after: int) -> dict[str, Any]:
    return {"kind": "train", "before": before, "after": after}


def evaluate(step: int) -> dict[str, Any]:
    return {"kind": "evaluate", "step": step}


def test_an_evaluation_in_training_divides_it() -> None:
    calls = [train(0, 20), evaluate(4), evaluate(12), evaluate(20)]
    divided = [train(0, 4), evaluate(4), train(4, 12), evaluate(12), train(12, 20), evaluate(20)]
    assert in_order_of_steps(calls) == divided
    assert in_order_of_steps(divided) == divided


def test_an_evaluation_of_the_first_checkpoint_comes_first() -> None:
    calls = [train(0, 12), evaluate(0), evaluate(12), train(12, 30), evaluate(12), evaluate(30)]
    assert in_order_of_steps(calls) == [
        *(evaluate(0), train(0, 12), evaluate(12)),
        *(evaluate(12), train(12, 30), evaluate(30)),
    ]


def test_an_evaluation_without_training_stays() -> None:
    assert in_order_of_steps([evaluate(5), train(5, 6)]) == [evaluate(5), train(5, 6)]
