"""How close losses must be, through the whole command: a share of those that are above one."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated import Simulated, Simulation


@pytest.mark.parametrize(("noise", "code"), [(0.0, 0), (5.3e-6, 0), (2e-5, 1)])
def test_rounding_of_a_sum_grows_with_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    noise: float,
    code: int,
) -> None:
    """As in a network whose loss of 2.45 differs by 1.29e-5, and whose variables by 1e-7."""
    command = Simulated(tmp_path, monkeypatch)
    original, migrated = Simulation(start=-10), Simulation(start=-10, noise=noise)
    assert original.run().loss[0] > 2
    found, report = command.verified(original.run, migrated.run, capsys)
    assert found == code
    rung = report["rungs"][3]
    assert rung["verdict"] == ("different" if code else "same")
    if not code:  # by the strict comparison: nothing was run again
        assert command.made == ["original.py", "migrated.py"]


def test_a_small_loss_is_held_to_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = Simulated(tmp_path, monkeypatch)
    options = ("--loss-tolerance", "1e-7")
    migrated = Simulation(noise=5.3e-6).run
    assert command.verified(Simulation().run, migrated, capsys, *options)[0] == 1
