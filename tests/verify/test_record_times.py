"""Names that hold the time of the run, or what chance chose for it."""

from __future__ import annotations

import tempfile
import time
import uuid
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.recorder.program import run_names, times

# Not the clock's: at 15:04:05, in twelve hours 03:04:05, a name below holds the time of the run.
NOW = time.mktime((2026, 11, 26, 15, 34, 38, 0, 0, -1))


@pytest.fixture(autouse=True)
def running_for_some_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)
    monkeypatch.setattr(times, "_clock", times.Clock(int(NOW) - 400))
    times.without_time.cache_clear()


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("%Y_%m_%d_%H%M%S", "<time>"),
        ("run-%Y%m%d-%H%M%S", "run-<time>"),
        ("%b%d_%H-%M-%S_host", None),
        ("%Y-%m-%dT%H:%M:%S.123456", "<time>"),
        ("%m-%d-%H-%M", "<time>"),
        ("%Y-%m-%d", "<time>"),
        ("%I%M%S", "<time>"),
        ("model3_%H%M%S.ckpt-5", None),
        ("run_%s", "run_<time>"),
    ],
)
@pytest.mark.parametrize("ago", [0, 300])
def test_the_time_of_the_run_is_left_out(form: str, shown: str | None, ago: int) -> None:
    moment = time.localtime(NOW - ago)
    name = time.strftime(form, moment)
    if form.startswith("%b"):
        shown = time.strftime("%b<time>_host", moment)
    assert times.without_time(name) == (shown or "model3_<time>.ckpt-5")


@pytest.mark.parametrize("name", ["model.ckpt-5", "20170102-030405", "eval", "layer12_34", "99"])
def test_other_names_are_kept(name: str) -> None:
    assert times.without_time(name) == name


def test_folders_of_exports_are_named_by_seconds() -> None:
    assert times.without_time("1534567890") == "<time>"
    assert times.without_time("temp-b'1534567890'") == "<time>"


def test_numbers_of_steps_are_no_times_of_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "_clock", times.Clock(int(NOW) - 7200))
    steps = time.strftime("%H%M%S", time.localtime(NOW))
    assert times.without_time(f"model.ckpt-{steps}") == f"model.ckpt-{steps}"
    assert (
        times.without_time(time.strftime("run_%Y%m%d_%H%M%S", time.localtime(NOW))) == "run_<time>"
    )


def test_what_chance_chose_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for owner, name in ((uuid, "uuid1"), (uuid, "uuid4")):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    names = tempfile._RandomNameSequence
    monkeypatch.setattr(names, "__next__", names.__next__)
    run_names.install()
    folder = Path(tempfile.mkdtemp(dir=tmp_path, prefix="run_"))
    assert run_names.lasting(folder.name) == "run_<random>"
    chosen = uuid.uuid4()
    for text in (str(chosen), chosen.hex, str(chosen)[:8]):
        assert run_names.lasting(f"{text}.ckpt-5") == "<random>.ckpt-5"
    assert run_names.lasting(time.strftime("model_%H%M%S", time.localtime(NOW))) == "model_<time>"
    assert run_names.lasting("model.ckpt-5") == "model.ckpt-5"
