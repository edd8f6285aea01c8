"""What programs write is compared, through the whole command."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from changed_program import Changed

from tfmigrate_runtime.verify.recorder.program import scripts

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM, RUNG = "writes.py", "same files and hooks"
ARGUMENTS = ("{out}",)


def test_the_same_program_is_the_same(changed: Changed) -> None:
    said = changed(PROGRAM, arguments=ARGUMENTS)
    assert (said.code, said.failed) == (0, [])
    assert said.details(RUNG) == ""


@pytest.mark.parametrize(
    ("replaced", "told"),
    [
        (
            ("    CountingHook(),\n", ""),
            "Hook CountingHook: called 7 times in the original",
        ),
        (
            ('scalar("error", loss)', 'scalar("cost", loss)'),
            "'error' (scalar) in . is written by the original only",
        ),
        (('scalar("error", loss)', 'scalar("error", 2 * loss)'), "differs by up to "),
        (
            ('tf.summary.histogram("weights", weights)', ""),
            "(histo) in . is written by the original only",
        ),
        (('image("picture"', 'image("photo"'), "(image) in . is written by the original only"),
        (("StepCounterHook(2,", "StepCounterHook(None, 1e-4,"), "'global_step/sec' (scalar)"),
        (("_EVERY, KEPT = 2, 3, 5", "_EVERY, KEPT = 3, 3, 5"), "is written at steps "),
        (("_EVERY, KEPT = 2, 3, 5", "_EVERY, KEPT = 2, 4, 5"), "writes checkpoints model.ckpt"),
        (("_EVERY, KEPT = 2, 3, 5", "_EVERY, KEPT = 2, 3, 2"), "at the end: "),
        (("    raw.run(swap.op)\n", ""), "Checkpoint averaged after step 7: weights differs by"),
        (('"/averaged")', '"/last")'), "Only the original writes checkpoints averaged after"),
        (("writer.add_summary(raw", "(raw"), "in by_hand/<time> is written by the original only"),
    ],
)
def test_another_file_is_seen(changed: Changed, replaced: tuple[str, str], told: str) -> None:
    said = changed(PROGRAM, replaced, arguments=ARGUMENTS)
    assert (said.code, said.failed) == (1, [RUNG])
    assert told in said.details(RUNG)


def test_what_a_clock_decides_is_not_compared(changed: Changed) -> None:
    """One summary every thousand seconds, against one at each step."""
    said = changed(PROGRAM, ("Hook(None, 1000,", "Hook(None, 1e-6,"), arguments=ARGUMENTS)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("run/out", "."),
        ("run/out/eval", "eval"),
        ("run/out_eval/a", "../out_eval/a"),
        ("run", ".."),
        ("runs/b", "{tmp}/runs/b"),
    ],
)
def test_the_name_of_a_folder_is_that_of_every_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, place: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "run" / "tmp"))
    given = scripts.place_of(tmp_path / path, str(tmp_path / "run" / "out"))
    assert given == place.format(tmp=tmp_path.resolve())
    assert scripts.place_of(tmp_path / "run/tmp/x", str(tmp_path / "run/out")) == (
        "a temporary folder"
    )
