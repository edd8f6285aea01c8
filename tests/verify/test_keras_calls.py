"""The order in which calls of a Keras model are recorded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tfmigrate_runtime.verify.recorder.keras.calls import Calls


def model_of(evaluations: dict[int, dict[str, Any]], trace: Any) -> Any:
    """Returns a model whose ``fit`` makes 4 steps, and evaluates after some of them."""

    class Model:
        def __init__(self) -> None:
            self.optimizer, self.built = SimpleNamespace(iterations=0), False

        def compile(self) -> None:
            """Does nothing: it has its optimizer."""

        def fit(self) -> None:
            for _ in range(4):
                self.optimizer.iterations += 1
                if self.optimizer.iterations in evaluations:
                    self.evaluate(**evaluations[self.optimizer.iterations])

        def evaluate(self, **options: Any) -> dict[str, float]:
            del options
            return {"loss": 1.0}

        def predict(self) -> None:
            """Is not called."""

        train_on_batch = predict

    Calls(trace, SimpleNamespace(tape_opened=lambda is_early: None)).observe(Model)
    return Model()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [(0, 4), 2]),
        ({"_use_cached_eval_dataset": True}, [(0, 2), 2, (2, 4)]),
    ],
    ids=["a callback", "fit itself"],
)
def test_who_evaluates_during_fit(options: dict[str, Any], expected: list[Any]) -> None:
    trace = SimpleNamespace(calls=[], evaluations=[], models=[])
    model_of({2: options}, trace).fit()
    calls = [
        (call["before"], call["after"]) if call["kind"] == "train" else call["step"]
        for call in trace.calls
    ]
    assert calls == expected
    assert [result["global_step"] for result in trace.evaluations] == [2]
