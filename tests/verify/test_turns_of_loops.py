"""The loops of a coordinator take turns in the order of their workers."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from tfmigrate_runtime.verify.recorder.native import coordinator
from tfmigrate_runtime.verify.recorder.native.coordinator import Turns


class Clock:
    """The seconds that the module reads."""

    def __init__(self) -> None:
        self.now = 0.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(coordinator, "time", SimpleNamespace(time=made.time))
    return made


class Loops:
    """Two loops that live as long as the test."""

    def __init__(self) -> None:
        self.turns = Turns(2)
        self.steps: list[int] = []

    def step(self, index: int) -> None:
        """Lets a loop schedule its next step."""
        alive = threading.current_thread()
        self.turns.wait(index, alive, lambda: self.steps.append(index))


@pytest.mark.usefixtures("clock")
def test_loops_alternate() -> None:
    loops = Loops()
    for index in (0, 1, 0, 1, 0):
        loops.step(index)
    assert loops.steps == [0, 1, 0, 1]  # the last one waits for the loop of worker 1


def test_the_first_step_may_take_long_to_build(clock: Clock) -> None:
    """One loop builds it while the others wait, for minutes where hosts are far apart."""
    loops = Loops()
    clock.now += 200
    loops.step(1)
    assert loops.steps == []
    clock.now += 1
    loops.step(0)
    assert loops.steps == [0]
    loops.step(0)
    assert loops.steps == [0, 1]


def test_a_loop_that_never_comes_is_not_waited_for(clock: Clock) -> None:
    loops = Loops()
    loops.step(1)
    clock.now += coordinator._PATIENCE_SECONDS + 1
    loops.turns.check()
    assert loops.steps == [1]
