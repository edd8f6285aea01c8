"""The pytest plugin: ``equivalence`` asserts that a migrated program trains as its original does.

    def test_migration(equivalence):
        equivalence("original.py", "train.py", args=["--model_dir", "{out}"], replicas=2)

Paths are relative to the test's folder. The programs are executed. A stored trace replaces running
the original where there is one (``--equivalence-update`` records it). Without one the original runs
on ``--equivalence-reference-python`` or else on the legacy runtime. pytest loads this file in every
run, so modules that need NumPy are imported only when a test uses the fixture.

The marker ``equivalence`` sets options for all tests of a module or a class. Every test that uses
the fixture has the marker: ``-m "not equivalence"`` deselects them.
"""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import pytest

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tfmigrate_runtime.verify import Report, VerifyRequest

_STORED = "equivalence-stored"  # a property of tests, also in JUnit's XML
_REFERENCE_VARIABLE = "TFMIGRATE_REFERENCE_PYTHON"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of ``pytest --help``."""
    group = parser.getgroup("equivalence", "tfmigrate: programs train as their originals do")
    group.addoption(
        "--equivalence-devices",
        metavar="DEVICES",
        help="run programs on cpu:N, gpu or gpu:N, overriding the tests; without a GPU, tests that "
        "need one are skipped",
    )
    group.addoption(
        "--equivalence-require-gpu",
        action="store_true",
        help="fail tests that need a GPU instead of skipping them, for runners with a GPU",
    )
    group.addoption(
        "--equivalence-reference-python",
        metavar="PATH",
        default=os.environ.get(_REFERENCE_VARIABLE),
        help="run originals on this interpreter with TensorFlow 1.x, even if there is a trace "
        f"(default: ${_REFERENCE_VARIABLE})",
    )
    group.addoption(
        "--equivalence-update", action="store_true", help="run originals and store their traces"
    )
    group.addoption(
        "--equivalence-report",
        metavar="DIR",
        help="write an HTML report of each comparison to this folder",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "equivalence(**options): default options of comparisons (args, replicas, devices, timeout, "
        "...), which calls of the fixture may override; tests that use the fixture have it",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that compare programs."""
    for item in items:
        is_marked = item.get_closest_marker("equivalence") is not None
        if "equivalence" in getattr(item, "fixturenames", ()) and not is_marked:
            item.add_marker("equivalence")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the traces that were stored."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    stored = [
        text
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, text in report.user_properties
        if name == _STORED
    ]
    if stored:
        terminalreporter.section("stored traces of originals")
        for text in stored:
            terminalreporter.line(str(text))


class Options(TypedDict, total=False):
    """How programs are run and compared.

    Attributes:
        args: arguments of both; ``{out}`` in them is a fresh folder.
        replicas: towers or replicas, on as many CPU devices.
        devices: the devices instead: "cpu:N", "gpu", "gpu:N".
        cluster: jobs to run them as, "ps=1,worker=2".
        turns: whether asynchronous workers take turns.
        every: steps between compared variables.
        loss_tolerance: largest absolute difference of a loss; by default that of the command.
        variable_tolerance: of a variable's element.
        metric_tolerance: of a metric or prediction.
        loose: exceptions for variables, "PATTERN=TOLERANCE".
        trace: the stored trace of the original; by default equivalence/<module>-<test>.npz next to
            the test.
        timeout: seconds for each program, 600 by default.
    """

    args: Sequence[str]
    replicas: int | None
    devices: str | None
    cluster: str | None
    turns: bool
    every: int
    loss_tolerance: float | None
    variable_tolerance: float | None
    metric_tolerance: float | None
    loose: Sequence[str]
    trace: str | os.PathLike[str] | None
    timeout: float


_AS_REQUESTED = (
    *("cluster", "every", "turns"),
    *("loss_tolerance", "variable_tolerance", "metric_tolerance"),
)


class Equivalence:
    """Compares programs; the fixture ``equivalence`` is one."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        """Takes the request of a test."""
        self._node = request.node
        self._config = request.config
        self._folder = request.path.parent
        # Several modules and classes of a folder may have tests of the same name.
        inside = request.node.nodeid.partition("::")[2]
        self._name = re.sub(r"[^\w.-]+", "-", f"{request.path.stem}-{inside}").strip("-")
        self._made = 0

    def __call__(
        self,
        original: str | os.PathLike[str],
        migrated: str | os.PathLike[str] | None = None,
        **options: Unpack[Options],
    ) -> Report:
        """Runs both programs and fails the test if they do not train the same.

        If the verdict is "not decided", the test is skipped.

        Args:
            original: the TensorFlow 1.x script.
            migrated: the migrated script; None to migrate the original with tfmigrate.
            **options: how they are run and compared, overriding markers.

        Returns:
            The report.

        Raises:
            TypeError: an unknown option.
        """
        from tfmigrate_runtime.verify import REFUSED

        chosen = self._with_markers(options)
        number = self._number()
        stored = self._folder / (chosen.get("trace") or f"equivalence/{number}.npz")
        try:
            report = self._verified(self._request(original, migrated, chosen), stored)
        except REFUSED as error:
            pytest.fail(f"equivalence: {error}", pytrace=False)
        return self._judged(report)

    def _request(
        self,
        original: str | os.PathLike[str],
        migrated: str | os.PathLike[str] | None,
        chosen: Mapping[str, Any],
    ) -> VerifyRequest:
        """Returns the request, without the trace of the original."""
        from tfmigrate_runtime.verify import VerifyRequest
        from tfmigrate_runtime.verify.running.limits import Limits

        attributes = {name: chosen[name] for name in _AS_REQUESTED if chosen.get(name) is not None}
        if chosen.get("timeout") is not None:
            attributes["limits"] = Limits(chosen["timeout"])
        return VerifyRequest(
            self._folder / original,
            None if migrated is None else self._folder / migrated,
            tuple(chosen.get("args", ())),
            loose=tuple(chosen.get("loose", ())),
            reference_python=self._config.getoption("--equivalence-reference-python"),
            **self._where(chosen),
            **attributes,
        )

    def _with_markers(self, options: Options) -> dict[str, Any]:
        """Returns the options of a comparison: its own, else those of the nearest marker.

        Raises:
            TypeError: an unknown option, or a marker with positional arguments.
        """
        chosen: dict[str, Any] = dict(options)
        for marker in self._node.iter_markers("equivalence"):
            if marker.args:
                raise TypeError(
                    "pytest.mark.equivalence takes keyword options only: pass the programs to the "
                    "fixture"
                )
            chosen = {**marker.kwargs, **chosen}
        if unknown := sorted(set(chosen) - set(Options.__annotations__)):
            raise TypeError(f"equivalence: unknown option: {', '.join(unknown)}")
        return chosen

    def _number(self) -> str:
        """Returns the test's name, numbered from its second comparison on."""
        self._made += 1
        return self._name if self._made == 1 else f"{self._name}-{self._made}"

    def _where(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the devices that a comparison is made on."""
        replicas, devices, cluster = (options.get(k) for k in ("replicas", "devices", "cluster"))
        override = self._config.getoption("--equivalence-devices")
        chosen = override if override and cluster is None else devices
        if chosen is None:
            return {"replicas": replicas}
        if chosen.startswith("gpu"):
            if not any(Path("/dev").glob("nvidia[0-9]*")):
                reason = f"--devices {chosen}: this machine has no NVIDIA GPU"
                if self._config.getoption("--equivalence-require-gpu"):
                    pytest.fail(reason, pytrace=False)
                pytest.skip(reason)
            if replicas is not None and ":" not in chosen:
                chosen = f"{chosen}:{replicas}"
        return {"devices": chosen}

    def _verified(self, request: VerifyRequest, stored: Path) -> Report:
        """Compares, with the stored trace where there is one."""
        from tfmigrate_runtime.verify import pipeline
        from tfmigrate_runtime.verify.reports.written_reports import write_report

        if update := self._config.getoption("--equivalence-update"):
            stored.parent.mkdir(parents=True, exist_ok=True)
            pipeline.record_original(request, stored)
            self._note_stored(stored)
        if stored.is_file() and (update or not request.reference_python):
            request = replace(request, trace=stored)
        report = pipeline.verify(request)
        if folder := self._config.getoption("--equivalence-report"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            write_report(report, Path(folder) / f"{stored.stem}.html")
        return report

    def _judged(self, report: Report) -> Report:
        """Fails the test if the programs differ, and skips it if that is not decided."""
        from rich.console import Console

        for warning in report.verdict.warnings:
            warnings.warn(f"equivalence: {warning}", stacklevel=3)
        if report.verdict.undecided is not None:
            pytest.skip(f"equivalence: {report.conclusion}")
        if not report.verdict.same:
            text = io.StringIO()
            report.show(Console(file=text, width=100, highlight=False))
            pytest.fail(text.getvalue(), pytrace=False)
        return report

    def _note_stored(self, stored: Path) -> None:
        from tfmigrate_runtime.verify.reports.report import tensorflow_of
        from tfmigrate_runtime.verify.traces.trace import meta_of

        shown = os.path.relpath(stored, self._config.rootpath)
        size = stored.stat().st_size / 1024
        text = f"{shown} ({size:.0f} KiB, TensorFlow {tensorflow_of(meta_of(stored))})"
        self._node.user_properties.append((_STORED, text))


@pytest.fixture
def equivalence(request: pytest.FixtureRequest) -> Equivalence:
    """Runs an original and a migrated program and fails if they do not train the same."""
    return Equivalence(request)
