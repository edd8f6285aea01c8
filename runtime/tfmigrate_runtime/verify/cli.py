"""``tfmigrate verify``: runs two programs and says whether they train the same."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console

from tfmigrate_runtime.verify.options import parse
from tfmigrate_runtime.verify.pipeline import REFUSED, verify
from tfmigrate_runtime.verify.telling import Teller
from tfmigrate_runtime.verify.written_reports import (
    COULD_NOT_RUN,
    annotation,
    tell_github,
    write_report,
)


def main(arguments: Sequence[str]) -> int:
    """Runs ``tfmigrate verify``; returns its exit code."""
    options = parse(arguments)
    errors = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        request = options.request()
        with Teller(options.quiet, not request.show_output, request.limits.seconds) as tell:
            report = verify(request, tell)
        for path in options.reports:
            write_report(report, path)
        if options.format == "github":
            print(tell_github(report))
    except REFUSED as error:
        errors.print(f"tfmigrate verify: {error}", markup=False)
        if options.format == "github":
            print(annotation("error", f"could not be verified: {error}"))
        return COULD_NOT_RUN
    if options.format == "json":
        print(report.json(), end="")
    elif options.format == "text":
        report.show(Console(highlight=False))
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
