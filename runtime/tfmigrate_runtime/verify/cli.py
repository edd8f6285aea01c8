"""``tfmigrate verify``: runs two programs and reports whether they train the same."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console

from tfmigrate_runtime.verify.options import parse
from tfmigrate_runtime.verify.pipeline import REFUSED, verify
from tfmigrate_runtime.verify.progress import ProgressLines
from tfmigrate_runtime.verify.written_reports import (
    COULD_NOT_RUN,
    annotation,
    github_annotations,
    write_report,
)


def main(arguments: Sequence[str]) -> int:
    """Runs ``tfmigrate verify``; returns its exit code."""
    options = parse(arguments)
    errors = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        request = options.request()
        clock = not request.show_output
        with ProgressLines(options.quiet, clock, request.limits.seconds) as progress:
            report = verify(request, progress)
        for path in options.reports:
            write_report(report, path)
        if options.format == "github":
            print(github_annotations(report))
    except REFUSED as error:
        errors.print(f"tfmigrate verify: {error}", markup=False)
        if options.format == "github":
            print(annotation("error", f"could not verify: {error}"))
        return COULD_NOT_RUN
    if options.format == "json":
        print(report.json(), end="")
    elif options.format == "text":
        report.show(Console(highlight=False))
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
