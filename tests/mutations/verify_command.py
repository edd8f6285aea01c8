"""``tfmigrate verify`` on a fixture, as a user would run it: what the scripts measure.

The command runs in this process, so that its traces can be looked at; programs run as always.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from recorded_cases import Case

from tfmigrate_runtime.verify import cli
from tfmigrate_runtime.verify.reports.html_figures import Compared
from tfmigrate_runtime.verify.reports.written_reports import COULD_NOT_RUN, Report
from tfmigrate_runtime.verify.rungs.ladder import Rung

TIMEOUT_SECONDS = 600.0


@dataclass(frozen=True)
class Ended:
    """How the command ended.

    Attributes:
        code: its exit code.
        rung: the rung that fails or is not decided, None where there is none.
        error: what it wrote where it could not run a program.
        compared: the traces.
    """

    code: int
    rung: Rung | None
    error: str
    compared: Sequence[Compared]

    @property
    def told(self) -> str:
        """The rung's name, or "could not be run"; "" where the programs are the same."""
        if self.code == COULD_NOT_RUN:
            return "could not be run"
        return self.rung.name if self.rung is not None else ""

    @property
    def details(self) -> str:
        """What the rung, or the error, says."""
        outcome = self.rung.outcome if self.rung is not None else None
        return self.error if outcome is None else " ".join(outcome.details)


def command_line(case: Case, migrated: Path, legacy: bool = False) -> list[str]:
    """Returns the arguments of ``tfmigrate verify`` for a fixture.

    Args:
        case: the fixture.
        migrated: what takes the place of its migrated program.
        legacy: whether the original is run by the legacy runtime; else its trace is used.
    """
    line = [str(case.original), str(migrated), "--quiet", "--every", str(case.every)]
    line += ["--timeout", str(TIMEOUT_SECONDS)]
    line += ["--legacy"] if legacy else ["--trace", str(case.trace)]
    if case.cluster is not None:
        line += ["--cluster", str(case.cluster)] + (["--turns"] if case.turns else [])
    else:
        line += ["--replicas", str(case.replicas)]
    return [*line, "--", *case.arguments]


def run_command(line: Sequence[str], python: str) -> Ended:
    """Runs ``tfmigrate verify``.

    Args:
        line: its arguments.
        python: the interpreter that runs the programs, in the place of this one.
    """
    reports: list[Report] = []
    original = cli.verify

    def verify(*arguments: object) -> Report:
        reports.append(original(*arguments))  # type: ignore[arg-type]
        return reports[-1]

    errors = io.StringIO()
    with (
        mock.patch.object(cli, "verify", verify),
        mock.patch("sys.executable", python),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(errors),
    ):
        code = cli.main(line)
    if not reports:
        return Ended(code, None, errors.getvalue(), ())
    verdict = reports[0].verdict
    return Ended(code, verdict.failed or verdict.undecided, "", reports[0].compared)
