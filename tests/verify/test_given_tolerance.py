"""The tolerance that is used is the one that is shown, and one that was asked for is used."""

from __future__ import annotations

import json

import numpy as np
import pytest
from made_command import exit_code
from traces import STEPS, trace

from tfmigrate_runtime.verify.traces.trace import Trace


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


def test_what_moves_little_is_held_to_a_share_of_that(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pair = moved_by(4e-4), moved_by(4e-4, 1.02)  # apart by 8e-6
    assert exit_code(*pair) == 1
    rung = rung_of_variables(capsys)
    assert rung["tolerance"] == "1e-04"
    assert "Its update differs by 0.02 of its size, 0.0001 is allowed" in str(rung["details"])
    assert exit_code(pair[0], pair[0]) == 0
    assert rung_of_variables(capsys)["figure"] == "0.0e+00"


def test_a_tolerance_of_the_command_line_is_not_lowered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pair = moved_by(4e-3), moved_by(4e-3, 1.5)  # apart by 2e-3
    assert exit_code(*pair, "--variable-tolerance", "1e-2") == 0
    assert exit_code(*pair, "--variable-tolerance", "1e-3") == 1
    assert exit_code(pair[0], pair[0], "--variable-tolerance", "0") == 0
    losses = trace(loss=trace().loss * 1e-4), trace(loss=trace().loss * 1.5e-4)
    assert exit_code(*losses, "--loss-tolerance", "1e-3") == 0
    assert exit_code(*losses) == 1
