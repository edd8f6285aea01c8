"""The recording of an original is used again while nothing that it depends on has changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from simulated import Simulated, Simulation

from tfmigrate_runtime.verify import VerifyRequest, verify
from tfmigrate_runtime.verify.running import kept_recordings, runner
from tfmigrate_runtime.verify.running.program import Program
from tfmigrate_runtime.verify.running.programs import start_of

REQUEST = VerifyRequest(Path("original.py"), Path("migrated.py"), ())


@pytest.fixture
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Simulated:
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv(kept_recordings.FOLDER_VARIABLE, str(tmp_path / "kept"))
    programs = Simulated(folder, monkeypatch)
    programs.programs.update({name: Simulation().run for name in ("original.py", "migrated.py")})
    return programs


def test_a_recording_is_used_again_and_the_progress_says_so(simulated: Simulated) -> None:
    lines: list[str] = []
    assert [verify(REQUEST, lines.append).exit_code for _ in range(2)] == [0, 0]
    assert simulated.made == ["original.py", "migrated.py", "migrated.py"]
    used = [line for line in lines if line.startswith("using the recording of ")]
    assert len(used) == 1 and used[0].endswith(" s ago (--fresh records it again)")


def test_what_is_kept_is_compared_as_what_is_made(simulated: Simulated) -> None:
    assert verify(REQUEST).exit_code == 0
    simulated.programs["migrated.py"] = Simulation(rate=0.051).run
    assert verify(REQUEST).exit_code == 1


def test_what_an_equal_checkpoint_restores_is_used_again(
    simulated: Simulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, content = runner.run_recorded, "first"

    def with_checkpoint(program: Program, target: Path, *others: Any) -> None:
        record(program, target, *others)
        if program.script.name == "migrated.py" and program.checkpoint is not None:
            path = program.checkpoint
            path.with_name(f"{path.name}.index").write_text(content)

    monkeypatch.setattr(runner, "run_recorded", with_checkpoint)
    assert [verify(REQUEST).exit_code for _ in range(2)] == [0, 0]
    assert simulated.made == ["original.py", "migrated.py", "original.py", "migrated.py"]
    content = "second"
    assert verify(REQUEST).exit_code == 0
    assert simulated.made[4:] == ["migrated.py", "original.py"]


def test_fresh_records_it_again_and_keeps_that(simulated: Simulated) -> None:
    assert verify(REQUEST).exit_code == 0
    assert verify(replace(REQUEST, fresh=True)).exit_code == 0
    assert simulated.made.count("original.py") == 2
    assert verify(REQUEST).exit_code == 0
    assert simulated.made.count("original.py") == 2


def test_what_no_file_shows_is_no_difference(simulated: Simulated) -> None:
    assert verify(REQUEST).exit_code == 0
    simulated.programs.update(
        {name: Simulation(rate=0.06).run for name in ("original.py", "migrated.py")}
    )
    lines: list[str] = []
    assert verify(REQUEST, lines.append).exit_code == 0
    assert "recording the original again, to be sure of the difference" in lines
    assert len(verify(REQUEST).verdict.rungs) == 9


def _source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "module.py").write_text("rate = 0.2")


def _data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "rows.csv").write_text("2,1")


def _argument_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.parent / "data.txt").write_text("other")


def _variable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CUDNN_DETERMINISTIC", "1")


def _named_variable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_PROGRAM", "1")


def _packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(folder.parent / "env" / "lib" / "python3.7" / "site-packages", (1, 1))


def _folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)


@pytest.mark.parametrize(
    "change",
    [_source, _data, _argument_file, _variable, _named_variable, _packages, _folder],
    ids=lambda change: change.__name__,
)
def test_what_a_recording_depends_on_changes_its_place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, pytest.MonkeyPatch], None],
) -> None:
    monkeypatch.setenv(kept_recordings.FOLDER_VARIABLE, str(tmp_path / "kept"))
    folder = tmp_path / "programs"
    python = tmp_path / "env" / "bin" / "python"
    for path in (folder, python.parent, tmp_path / "env" / "lib" / "python3.7" / "site-packages"):
        path.mkdir(parents=True)
    (folder / "original.py").write_text("import os; os.environ.get('OF_THE_PROGRAM')")
    (folder / "module.py").write_text("rate = 0.1")
    (folder / "rows.csv").write_text("1,2")
    (tmp_path / "data.txt").write_text("one")
    argument = f"--data={tmp_path / 'data.txt'}"
    program = Program(folder / "original.py", (argument, "{out}"), str(python))
    before = kept_recordings.place_of(program)
    assert before is not None and before == kept_recordings.place_of(program)
    monkeypatch.setenv("OF_NOBODY", "1")
    assert kept_recordings.place_of(program) == before
    change(folder, monkeypatch)
    assert kept_recordings.place_of(program) != before


def test_what_is_no_file_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kept_recordings.FOLDER_VARIABLE, str(tmp_path / "kept"))
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "original.py").write_text("if __name__ == '__main__': pass")
    os.mkfifo(folder / "pipe.py")
    (folder / "nowhere.py").symlink_to(folder / "missing")
    (folder / "through_a_file.py").symlink_to(folder / "original.py" / "module.py")
    (folder / "in_a_circle.py").symlink_to(folder / "in_a_circle.py")
    places = [kept_recordings.place_of(Program(folder / "original.py", ()))]
    assert start_of(folder) == folder / "original.py"
    (folder / "nowhere.py").unlink()
    (folder / "nowhere.py").symlink_to(folder / "elsewhere")
    places.append(kept_recordings.place_of(Program(folder / "original.py", ())))
    assert None not in places and places[0] != places[1]


def test_other_arguments_and_devices_have_their_own(tmp_path: Path) -> None:
    (tmp_path / "original.py").write_text("")
    os.environ[kept_recordings.FOLDER_VARIABLE] = str(tmp_path / "kept")
    try:
        program = Program(tmp_path / "original.py", ())
        others = [{"arguments": ("a",)}, {"replicas": 2}, {"every": 2}, {"legacy": True}]
        places = {kept_recordings.place_of(replace(program, **each)) for each in ({}, *others)}
        assert len(places) == 5
    finally:
        os.environ[kept_recordings.FOLDER_VARIABLE] = ""


def test_few_are_kept(tmp_path: Path) -> None:
    target = tmp_path / "run" / "original.npz"
    target.parent.mkdir()
    for number in range(kept_recordings.MOST_KEPT + 2):
        target.write_text(str(number))
        target.with_name("original.checkpoint.index").write_text("checkpoint")
        place = tmp_path / "kept" / f"{number:064x}.npz"
        kept_recordings.keep(place, target)
        os.utime(place.with_suffix(""), (number, number))
    assert len(list((tmp_path / "kept").iterdir())) == kept_recordings.MOST_KEPT
    again = tmp_path / "again.npz"
    assert kept_recordings.fetch(place, again) is not None
    assert again.read_text() == str(number)
    assert (tmp_path / "again.checkpoint.index").read_text() == "checkpoint"
    assert kept_recordings.fetch(tmp_path / "kept" / f"{0:064x}.npz", again) is None
