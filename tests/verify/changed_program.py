"""The command ``tfmigrate verify`` on a program and a changed copy of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded

_recorded: dict[tuple[str, ...], Path] = {}


class Said:
    """What the command said: its exit code and its JSON report."""

    def __init__(self, code: int, report: dict[str, Any]) -> None:
        """Takes both."""
        self.code = code
        self.error = str(report["conclusion"]) if code == 2 else ""
        self.missing = "; ".join(report.get("not_compared", ()))
        self.warnings = "; ".join(report.get("warnings", ()))
        self.rungs = {rung["name"]: rung for rung in report.get("rungs", ())}
        self.failed = [n for n, rung in self.rungs.items() if rung["verdict"] == "different"]

    def details(self, rung: str) -> str:
        """Returns what a rung says, as one text."""
        return "\n".join(self.rungs[rung]["details"])


Changed = Callable[..., Said]


@pytest.fixture
def changed(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> Changed:
    """Verifies a program against a copy of it in which texts are replaced.

    The original is recorded once for all tests.
    """

    def verify(name: str, *replaced: tuple[str, str], arguments: tuple[str, ...] = ()) -> Said:
        script = PROGRAMS / name
        key = (name, *arguments)
        if key not in _recorded:
            trace = tmp_path_factory.mktemp("recorded") / "trace.npz"
            run_recorded(Program(script, arguments), trace, TIMEOUT)
            _recorded[key] = trace
        text = script.read_text()
        for old, new in replaced:
            assert old in text
            text = text.replace(old, new)
        copy = tmp_path / name
        copy.write_text(text)
        capsys.readouterr()
        given = [str(script), str(copy), "--trace", str(_recorded[key]), "-q", "--format", "json"]
        code = main([*given, "--", *arguments])
        said = capsys.readouterr()
        return Said(code, json.loads(said.out))

    return verify
