"""Networks that turn rounding into a difference, through the whole command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import Simulated, Simulation
from traces import trace
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.ladder import climb
from tfmigrate_runtime.verify.run_program import REFERENCE_VARIABLE
from tfmigrate_runtime.verify.sensitivity import Moved, _allowed, judged
from tfmigrate_runtime.verify.structure import with_saves_in_order
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace

IMAGES = PROGRAMS / "image_network.py"


def verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *changes: tuple[str, str]
) -> tuple[int, dict[str, Any]]:
    """Verifies the image network against a migration that adds in another order, and changes."""
    text = IMAGES.read_text()
    backwards = ("-1 if flags.backwards else 1", "-1")
    for old, new in (backwards, *changes):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "migrated.py").write_text(text)
    line = [str(IMAGES), str(tmp_path / "migrated.py"), "--legacy", "-q", "--format", "json"]
    code = main([*line, "--", "--steps=25"])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, report


def text(report: dict[str, Any]) -> str:
    return "\n".join(line for found in report["rungs"] for line in found["details"])


@pytest.fixture(autouse=True)
def no_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)


@pytest.mark.usefixtures("tensorflow_installed")
def test_what_the_original_does_by_rounding_is_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = verified(tmp_path, capsys)
    assert code == 0
    rung = report["rungs"][4]
    assert (rung["verdict"], rung["tolerance"]) == ("same", "10 x its own")
    assert "Rounding alone changes the original by up to " in text(report)
    assert "one unit in the last place); the migrated program differs by up to" in text(report)


@pytest.mark.usefixtures("tensorflow_installed")
@pytest.mark.parametrize(
    "change",
    [
        ("AdamOptimizer(flags.rate)", "AdamOptimizer(flags.rate * 1.01)"),
        (
            "AdamOptimizer(flags.rate)",
            "AdamOptimizer(tf.where(global_step < 15, flags.rate, 1.05 * flags.rate))",
        ),
        ("flags.decay * tf.add_n", "0.9 * flags.decay * tf.add_n"),
    ],
)
def test_rounding_explains_no_wrong_migration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str]
) -> None:
    code, report = verified(tmp_path, capsys, change)
    assert code == 1
    assert report["conclusion"].startswith("The programs do not train the same: rung 4 fails")


def test_where_the_original_cannot_be_run_the_migrated_program_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every run of the simulation with another rounding is off by as much as the trace."""
    from simulated import write

    command = Simulated(tmp_path, monkeypatch)
    noise = iter([0.0, 0.0, 1e-5, 2e-5, 3e-5, 4e-5])

    def migrated() -> Any:
        return Simulation(noise=next(noise)).run()

    def fails() -> Any:
        from tfmigrate_runtime.verify.run_program import ProgramFailed

        raise ProgramFailed("no more")

    write(Simulation(noise=5e-5).run(), Path("trace.npz"))
    code, report = command.verified(fails, migrated, capsys)
    assert code == 0
    assert "Rounding alone changes the migrated program by up to" in text(report)


@pytest.mark.usefixtures("tensorflow_installed")
def test_a_stored_trace_of_every_few_steps_is_judged_by_its_own_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "original.py").write_text(IMAGES.read_text())
    (tmp_path / "migrated.py").write_text(
        IMAGES.read_text().replace("-1 if flags.backwards else 1", "-1")
    )
    stored = tmp_path / "trace.npz"
    record(tmp_path / "original.py", stored, "--steps=20", every=5)
    line = [str(tmp_path / "original.py"), str(tmp_path / "migrated.py"), "-q"]
    assert main([*line, "--trace", str(stored)]) == 0
    assert "Rounding alone changes the original by up to" in capsys.readouterr().out


def test_other_models_of_a_program_are_judged_by_their_own_movement() -> None:
    base = trace()
    moved, near, far = (trace(loss=base.loss * factor) for factor in (1.001, 1.005, 1.05))
    for migrated, same in ((near, True), (far, False)):
        (found,) = _allowed([base], [migrated], [[base], [moved]], False)
        assert np.array_equal(found.loss, base.loss) is same


def _diverging(at: int, by: float = 1e-3) -> Trace:
    """A run that a ReLU or a pooling changes from this step on, where rounding decides on it."""
    made = Simulation().run()
    loss, kernel = made.loss.copy(), made.variables["kernel"].copy()
    loss[max(at, 1) :] *= 1 + by
    kernel[at:] *= np.float32(1 + by)
    return replace(made, loss=loss, variables={"kernel": kernel})


@pytest.mark.parametrize(
    ("at", "by", "code", "runs"), [(20, 2e-3, 0, 5), (20, 0.1, 1, 11), (0, 5e-4, 1, 4)]
)
def test_what_few_runs_show_is_looked_for_in_more(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    at: int,
    by: float,
    code: int,
    runs: int,
) -> None:
    """Neither the run with one thread nor the first from other values diverges, but the second."""
    original = iter([40, 40, 40, 40, 15, *[40] * 6])
    simulated = Simulated(tmp_path, monkeypatch)
    found, _ = simulated.verified(
        lambda: _diverging(next(original)), lambda: _diverging(at, by), capsys
    )
    assert found == code
    assert simulated.made.count("original.py") == runs


def test_what_is_no_matter_of_numbers_is_not_run_again_with_another_rounding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A lost hook: whether the programs are the same twice is asked, nothing else."""

    def with_hooks(hooks: dict[str, int]) -> Callable[[], Trace]:
        written = {"events": [], "saves": [], "left_out": 0, "kept": {}, "hooks": hooks}
        run = Simulation().run()
        return lambda: replace(run, meta={**run.meta, "written": written})

    programs = with_hooks({"Logger": 40}), with_hooks({})
    simulated = Simulated(tmp_path, monkeypatch)
    code, report = simulated.verified(*programs, capsys)
    assert code == 1
    assert report["rungs"][8]["details"][0].startswith("Hook Logger")
    assert simulated.made == ["original.py", "migrated.py"] * 2


def _saving(shift: float, timed: bool = False) -> Trace:
    """A run that saves an average at its end, and perhaps before that when a clock says so."""
    run = trace(loss=trace().loss * (1 + shift))
    kernel = trace().variables["dense/kernel"].mean(axis=0) * np.float32(1 + shift)
    save = {"folder": ".", "name": "average", "steps": len(run.step), "tensors": ["dense/kernel"]}
    first = {**save, "name": "model", "timed": True}
    saves = [first] * timed + [{**save, "timed": False}]
    written = {"events": [], "saves": saves, "left_out": 0, "kept": {}, "hooks": {}}
    saved = {f"saved/{int(timed)}/dense/kernel": kernel}
    nothing = np.zeros(0)
    return replace(run, meta={**run.meta, "written": written}, saved=saved, event_values=nothing)


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize(("shift", "explained"), [(5e-3, True), (5e-2, False)])
def test_contents_of_checkpoints_may_move_too(timed: bool, shift: float, explained: bool) -> None:
    """Whether or not a clock had one run write another checkpoint before."""
    original, migrated = _saving(0.0), _saving(shift)
    own = Moved("original", original, (_saving(1e-3, timed),), "run with 1 thread")
    strict = climb(original, migrated, Tolerance())
    assert strict.failed is not None
    verdict = judged(strict, original, migrated, Tolerance(), own)
    assert (verdict.failed is None) == explained


def test_a_checkpoint_of_a_variable_is_compared_as_the_variable_is() -> None:
    """Of some sessions the recorder keeps the content although the variables have it too."""
    run = _saving(1e-3, timed=True)
    assert with_saves_in_order(run).saved.keys() == {"saved/0/dense/kernel"}
    last = {"saved/1/dense/kernel": run.variables["dense/kernel"][-1]}
    assert with_saves_in_order(replace(run, saved=last)).saved == {}
