"""The pytest plugin: ``equivalence`` asserts that a migrated program trains as its original.

    def test_migration(equivalence):
        equivalence("original.py", "train.py", args=["--model_dir", "{out}"], replicas=2)

Paths are relative to the test's folder. The programs are executed. The original is compared by a
stored trace where there is one (``--equivalence-update`` records it), else it is run: by
``--equivalence-reference-python`` or, without, by the legacy runtime. pytest loads this file in
every run, so what needs NumPy is imported only when a test asks for it.
"""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tfmigrate_runtime.verify.written_reports import Report

_REFERENCE_VARIABLE = "TFMIGRATE_REFERENCE_PYTHON"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of ``pytest --help``."""
    group = parser.getgroup("equivalence", "tfmigrate: programs train as their originals do")
    group.addoption(
        "--equivalence-devices",
        metavar="DEVICES",
        help="run programs on cpu:N, gpu or gpu:N, whatever the tests say; tests are skipped where "
        "there is no GPU",
    )
    group.addoption(
        "--equivalence-reference-python",
        metavar="PATH",
        default=os.environ.get(_REFERENCE_VARIABLE),
        help="run originals by this interpreter with TensorFlow 1.x, even where there is a trace "
        f"(default: ${_REFERENCE_VARIABLE})",
    )
    group.addoption(
        "--equivalence-update",
        action="store_true",
        help="run originals and store their traces",
    )
    group.addoption(
        "--equivalence-report",
        metavar="DIR",
        help="write a page for every comparison into this folder",
    )


class Equivalence:
    """Compares programs; the fixture ``equivalence`` is one."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        """Takes the test that asks."""
        self._config = request.config
        self._folder = request.path.parent
        self._name = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
        self._made = 0

    def __call__(
        self,
        original: str | os.PathLike[str],
        migrated: str | os.PathLike[str] | None = None,
        *,
        args: Sequence[str] = (),
        replicas: int | None = None,
        devices: str | None = None,
        cluster: str | None = None,
        turns: bool = False,
        every: int = 1,
        loss_tolerance: float | None = None,
        variable_tolerance: float | None = None,
        metric_tolerance: float | None = None,
        loose: Sequence[str] = (),
        trace: str | os.PathLike[str] | None = None,
        timeout: float = 600.0,
    ) -> Report:
        """Runs both programs and fails the test where they do not train the same.

        Args:
            original: the TensorFlow 1.x script.
            migrated: the migrated script; None for what tfmigrate makes of the original.
            args: arguments of both; ``{out}`` in them is a fresh folder.
            replicas: towers or replicas, on as many CPU devices.
            devices: what they run on instead: "cpu:N", "gpu", "gpu:N".
            cluster: jobs to run them as, "ps=1,worker=2".
            turns: whether asynchronous workers take turns.
            every: steps between compared variables.
            loss_tolerance: largest absolute difference of a loss; None for verify's default.
            variable_tolerance: of a variable's element.
            metric_tolerance: of a metric or prediction.
            loose: exceptions for variables, "PATTERN=TOLERANCE".
            trace: the stored trace of the original; by default equivalence/<test>.npz beside the
                test.
            timeout: seconds for each program.

        Returns:
            What was found.
        """
        options: list[str] = [str(self._folder / original)]
        options += [] if migrated is None else [str(self._folder / migrated)]
        for name, value in (
            ("cluster", cluster),
            ("every", every),
            ("timeout", timeout),
            ("loss-tolerance", loss_tolerance),
            ("variable-tolerance", variable_tolerance),
            ("metric-tolerance", metric_tolerance),
            *(("loose", rule) for rule in loose),
            *self._where(replicas, devices, cluster),
        ):
            options += [] if value is None else [f"--{name}", str(value)]
        options += ["--turns"] if turns else []
        stored = self._folder / (trace or f"equivalence/{self._number()}.npz")
        return self._compare(options, stored, list(args))

    def _number(self) -> str:
        """Returns the test's name, numbered from its second comparison on."""
        self._made += 1
        return self._name if self._made == 1 else f"{self._name}-{self._made}"

    def _where(
        self, replicas: int | None, devices: str | None, cluster: str | None
    ) -> list[tuple[str, Any]]:
        given = self._config.getoption("--equivalence-devices")
        chosen = given if given and cluster is None else devices
        if chosen is None:
            return [("replicas", replicas)]
        if chosen.startswith("gpu"):
            if not any(Path("/dev").glob("nvidia[0-9]*")):
                pytest.skip(f"--devices {chosen}: this machine has no NVIDIA GPU")
            if replicas is not None and ":" not in chosen:
                chosen = f"{chosen}:{replicas}"
        return [("devices", chosen)]

    def _compare(self, options: list[str], stored: Path, args: list[str]) -> Report:
        from rich.console import Console

        from tfmigrate_runtime.verify.cli import REFUSED, record_original, verified
        from tfmigrate_runtime.verify.options import parse
        from tfmigrate_runtime.verify.written_reports import write_report

        python = self._config.getoption("--equivalence-reference-python")
        update = self._config.getoption("--equivalence-update")
        if python:
            options += ["--reference-python", str(python)]
        try:
            if update:
                stored.parent.mkdir(parents=True, exist_ok=True)
                record_original(parse([*options, "--quiet", "--", *args]), stored)
            if stored.is_file() and (update or not python):
                options += ["--trace", str(stored)]
            report = verified(parse([*options, "--quiet", "--", *args]))
            folder = self._config.getoption("--equivalence-report")
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
                write_report(report, Path(folder) / f"{stored.stem}.html")
        except REFUSED as error:
            pytest.fail(f"equivalence: {error}", pytrace=False)
        for warning in report.verdict.warnings:
            warnings.warn(f"equivalence: {warning}", stacklevel=3)
        if not report.verdict.same:
            text = io.StringIO()
            report.show(Console(file=text, width=100, highlight=False))
            pytest.fail(text.getvalue(), pytrace=False)
        return report


@pytest.fixture
def equivalence(request: pytest.FixtureRequest) -> Equivalence:
    """Runs an original and a migrated program and fails where they do not train the same."""
    return Equivalence(request)
