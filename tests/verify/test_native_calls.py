"""Calls of a Keras program are compared with those of an Estimator by their steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfmigrate_runtime.verify.rungs.compare_exports import _folder_of, _other_places
from tfmigrate_runtime.verify.rungs.compare_native import _with_whole_predictions, in_order_of_steps
from tfmigrate_runtime.verify.traces.trace import Trace


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


def predicting(*sizes: int) -> Trace:
    """Returns a trace with predictions of so many rows, which count on."""
    ends = np.cumsum(sizes)
    rows = [{"row": np.arange(end - size, end)} for size, end in zip(sizes, ends, strict=True)]
    none = np.zeros(0)
    return Trace({}, none, none, none, {}, {}, [], list(rows))


def test_batches_of_one_prediction_are_joined() -> None:
    joined = _with_whole_predictions(predicting(20, 3), predicting(8, 8, 4, 3))
    assert [list(rows["row"]) for rows in joined.predictions] == [[*range(20)], [20, 21, 22]]
    assert joined.meta["prediction_rows"] == [20, 3]


@pytest.mark.parametrize("sizes", [(8, 8, 3), (8, 8, 5), (8, 8, 4, 1), ()])
def test_other_numbers_of_rows_stay_as_they_are(sizes: tuple[int, ...]) -> None:
    migrated = predicting(*sizes)
    assert _with_whole_predictions(predicting(20), migrated) is migrated


@pytest.mark.parametrize(
    ("recorded", "folder"),
    [("a/export/<time>", "a/export"), ("<time>", "."), ("a/export", "a/export"), (None, None)],
)
def test_the_folder_of_an_export_has_no_time(recorded: str | None, folder: str | None) -> None:
    assert _folder_of({"folder": recorded}) == folder


def written_to(folder: str, kept: bool = True) -> dict[str, object]:
    return {"folder": folder, "kept": kept}


@pytest.mark.parametrize(
    ("folder", "kept", "lines"),
    [
        ("letters/export/Servo", True, 0),
        ("export/Servo", True, 0),
        ("letters/export/Servo", False, 1),
        ("letters/export/Other", True, 1),
        ("letters_export/Servo", True, 1),
    ],
)
def test_a_keras_program_has_the_model_dir_in_the_place_of_an_export(
    folder: str, kept: bool, lines: int
) -> None:
    exported = [written_to("export/Servo/<time>")], [written_to(folder, kept)]
    assert len(list(_other_places(*exported, True))) == lines
    assert len(list(_other_places(*exported, False))) == (folder != "export/Servo")
