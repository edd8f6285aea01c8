"""The tolerance that is used is the one that is shown, and one that was asked for is used."""

from __future__ import annotations

import json

import numpy as np
import pytest
from made_command import exit_code
from traces import STEPS, trace

from tfmigrate_runtime.verify.trace import Trace


def moved_by(way: float, factor: float = 1.0) -> Trace:
    """A kernel that trains by so much in all, times a factor."""
    start = np.zeros((2, 3), np.float32)
    path = np.linspace(0, way, STEPS + 1, dtype=np.float32)[1:, np.newaxis, np.newaxis]
    base = trace()
    kernel = start + path * np.float32(factor)
    return trace(
        initial={**base.initial, "dense/kernel": start},
        variables={**base.variables, "dense/kernel": kernel},
        checkpoint={**base.checkpoint, "dense/kernel": kernel[0]},
        restored={**base.restored, "dense/kernel": kernel[0]},
    )


def rung_of_variables(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    rung: dict[str, object] = json.loads(capsys.readouterr().out)["rungs"][4]
    return rung


def test_what_moves_little_has_the_tolerance_that_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pair = moved_by(4e-4), moved_by(4e-4, 1.02)  # apart by 8e-6
    assert exit_code(*pair) == 1
    rung = rung_of_variables(capsys)
    assert rung["tolerance"] == "4e-06"
    assert (
        "The tolerance of dense/kernel is 4e-06, 1 % of how far it moves, instead of 1e-05. Pass "
        "--variable-tolerance to use one tolerance for all variables."
    ) in rung["details"]  # type: ignore[operator]
    assert exit_code(pair[0], pair[0]) == 0
    rung = rung_of_variables(capsys)
    assert rung["tolerance"] == "≤ 1e-05"
    assert any("was used for 1 variable that hardly moved" in str(x) for x in rung["details"])  # type: ignore[attr-defined]


def test_a_tolerance_of_the_command_line_is_not_lowered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pair = moved_by(4e-3), moved_by(4e-3, 1.5)  # apart by 2e-3
    assert exit_code(*pair, "--variable-tolerance", "1e-2") == 0
    assert rung_of_variables(capsys)["tolerance"] == "1e-02"
    assert exit_code(*pair, "--variable-tolerance", "1e-3") == 1
    assert rung_of_variables(capsys)["tolerance"] == "1e-03"
    losses = trace(loss=trace().loss * 1e-4), trace(loss=trace().loss * 1.5e-4)
    assert exit_code(*losses, "--loss-tolerance", "1e-3") == 0
    assert exit_code(*losses) == 1
