"""Steps of an original that change nothing, where its port makes none: the others are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from native_program import Native
from trainer import Trainer

from tfmigrate_runtime.verify.running.unchanging_steps import without_unchanging_steps
from tfmigrate_runtime.verify.traces.recording import Recording

PROGRAM, NATIVE = "skipping.py", "skipping_native.py"
VARIABLES = "same variables and slots"


@pytest.mark.usefixtures("tensorflow_installed")
def test_a_port_that_calls_its_optimizer_in_an_if(native: Native) -> None:
    said = native(PROGRAM, NATIVE)
    assert (said.code, said.failed) == (0, [])
    assert "the original changes nothing that it trains in 3 of its 8 steps" in said.warnings


@pytest.mark.usefixtures("tensorflow_installed")
@pytest.mark.parametrize(
    ("old", "new", "rung"),
    [
        ("< 9.0", "< 90.0", VARIABLES),  # none is skipped: as many steps as the original's
        ("< 9.0", "< 1.0", "both train the same steps"),
        ("momentum=0.8", "momentum=0.9", VARIABLES),  # averages of two steps, in one update
        ("momentum=0.9)", "momentum=0.8)", VARIABLES),
    ],
    ids=["none", "others", "averages", "momentum"],
)
def test_wrong_ports(native: Native, old: str, new: str, rung: str) -> None:
    said = native(PROGRAM, NATIVE, (old, new))
    assert (said.code, said.failed) == (1, [rung])


def test_what_is_left_is_numbered_as_if_it_were_all() -> None:
    trace = Trainer("momentum").run()
    values = {name: np.repeat(each, 2, axis=0) for name, each in trace.variables.items()}
    steps = np.arange(1, 2 * len(trace.step) + 1)
    twice = replace(
        trace,
        step=steps,
        variable_step=steps,
        variables={**values, "global_step": steps},
        loss=np.repeat(trace.loss, 2),
    )
    reduced = without_unchanging_steps(Recording.of(twice))
    assert reduced is not None
    chief = reduced.chief
    assert chief.step.tolist() == trace.step.tolist() == chief.variables["global_step"].tolist()
    assert all(np.array_equal(chief.variables[name], v) for name, v in trace.variables.items())
    # The first step changes something; the second one of each pair is a part of the next.
    expected = [trace.loss[0], *(trace.loss[:-1] + trace.loss[1:]) / 2]
    assert np.allclose(chief.loss, expected, rtol=1e-12)
    assert without_unchanging_steps(Recording.of(trace)) is None
