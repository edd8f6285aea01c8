"""``tfmigrate verify``: runs two programs and reports whether they train the same."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from tfmigrate_runtime.verify.causes import INTERNAL
from tfmigrate_runtime.verify.options import CommandLine, parse, wants_json
from tfmigrate_runtime.verify.pipeline import REFUSED, record_original, verify
from tfmigrate_runtime.verify.progress import ProgressLines
from tfmigrate_runtime.verify.reports import written_reports
from tfmigrate_runtime.verify.reports.report import refusal_as_json
from tfmigrate_runtime.verify.request import UsageError, VerifyRequest


def main(arguments: Sequence[str]) -> int:
    """Runs ``tfmigrate verify``; returns its exit code."""
    try:
        return _run(parse(arguments))
    except REFUSED as error:
        Console(stderr=True, soft_wrap=True, highlight=False).print(
            f"tfmigrate verify: {error}", markup=False
        )
        if wants_json(arguments):
            _print_json(error.cause, str(error))
        return written_reports.COULD_NOT_RUN
    except Exception as error:
        if wants_json(arguments):
            _print_json(INTERNAL, f"{type(error).__name__}: {error}")
        raise


def _run(options: CommandLine) -> int:
    try:
        request = options.request()
        clock = not request.show_output
        with ProgressLines(options.quiet, clock, request.limits.seconds) as progress:
            if options.record is not None:
                return _record(request, options.record, progress)
            report = verify(request, progress)
        if options.written_map is not None:
            _write_map(report, options.written_map)
        for path in options.reports:
            written_reports.write_report(report, path)
        if options.format == "github":
            print(written_reports.github_annotations(report))
    except REFUSED as error:
        if options.format == "github":
            print(written_reports.annotation("error", f"could not verify: {error}"))
        raise
    if options.format == "json":
        print(report.json(), end="")
    elif options.format == "text":
        report.show(Console(highlight=False))
    return report.exit_code


def _record(request: VerifyRequest, target: Path, progress: ProgressLines) -> int:
    """Stores the original's trace."""
    if request.migrated is not None:
        raise UsageError("--record runs the original alone: leave MIGRATED out")
    if not target.parent.is_dir():
        raise UsageError(f"--record {target}: the folder {target.parent} does not exist")
    record_original(replace(request, arguments=request.arguments or ()), target, progress)
    print(f"{target}: the trace of {request.original}")
    return 0


def _write_map(report: written_reports.Report, target: Path) -> None:
    """Stores the map of a port."""
    if (layouts := report.migrated.meta.get("layouts")) is None:
        raise UsageError("--write-map is for ports: other programs' variables keep their layouts")
    try:
        target.write_text(json.dumps(layouts, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(f"--write-map {target}: {error.strerror}") from error


def _print_json(cause: str, message: str) -> None:
    print(json.dumps(refusal_as_json(cause, message), indent=2))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
