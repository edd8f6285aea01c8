"""The command ``tfmigrate verify`` on an original and a changed copy of its Keras program."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from changed_program import Said
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE, Program, run_recorded

FIXTURES = Path(__file__).parents[2] / "fixtures"
_recorded: dict[str, Path] = {}

Native = Callable[..., Said]


@pytest.fixture
def native(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Native:
    """Verifies a fixture, or a program that is recorded once, against a Keras program."""
    # A fixture's arguments are in its stored trace.
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)

    def verify(
        original: str,
        program: str,
        *replaced: tuple[str, str],
        options: Sequence[str] = (),
        arguments: Sequence[str] | None = None,
        recorded: Sequence[str] = (),
    ) -> Said:
        text = (PROGRAMS / program).read_text()
        for old, new in replaced:
            assert old in text
            text = text.replace(old, new)
        copy = tmp_path / program
        copy.write_text(text)
        given = [str(FIXTURES / original / "original.py"), str(copy)]
        if original.endswith(".py"):
            stored = PROGRAMS.parent / f"{Path(original).stem}_of_tensorflow_1_15.npz"
            key = " ".join([original, *recorded])
            if stored.exists():
                _recorded[key] = stored
            if key not in _recorded:
                trace = tmp_path_factory.mktemp("recorded") / "trace.npz"
                run_recorded(Program(PROGRAMS / original, recorded), trace, TIMEOUT)
                _recorded[key] = trace
            given = [str(PROGRAMS / original), str(copy), "--force-trace"]
            given += ["--trace", str(_recorded[key])]
        capsys.readouterr()
        end = [] if arguments is None else ["--", *arguments]
        code = main([*given, "-q", "--format", "json", *options, *end])
        said = capsys.readouterr()
        return Said(code, json.loads(said.out))

    return verify
