"""``tfmigrate PATH...``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from tfmigrate.commands.arguments import (
    COMMANDS,
    FAILED,
    OK,
    Parser,
    complain,
    printer_to,
)
from tfmigrate.commands.migrate_options import FORMATS, parser
from tfmigrate.model.targets import DEFAULT, TARGETS

if TYPE_CHECKING:
    from tfmigrate.commands.settings import Settings
    from tfmigrate.engine.run import Outcome
    from tfmigrate.files.discover import Exclusions


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate`` with its arguments, which begin with no command."""
    own = parser()
    options = own.parse_intermixed_args(arguments)
    _check(own, options)

    from tfmigrate.files.discover import UsageError

    try:
        settings = _settings(options)
        _settle(options, settings)
        _check_together(own, options)
        outcome, text = _run(own, options, settings)
    except UsageError as error:
        misplaced = [path for path in options.paths if path in COMMANDS]
        hint = f" (put the command first: tfmigrate {misplaced[0]} ...)" if misplaced else ""
        own.error(f"{error}{hint}")
    code = max(outcome.exit_code, _write_reports(options.report, outcome))
    _print(options, outcome, text)
    return code


def _check(own: Parser, options: argparse.Namespace) -> None:
    """Rejects a command line that makes no sense."""
    if not options.paths:
        own.error("no path given; use `tfmigrate .` to migrate the current folder")
    if "-" in options.paths and len(options.paths) > 1:
        own.error("- (standard input) cannot be combined with other paths")
    if options.stdin_filename and "-" not in options.paths:
        own.error("--stdin-filename needs - (standard input) as the path")
    if options.report:
        from tfmigrate.report.documents import SUFFIXES

        for file in options.report:
            if _suffix(file) not in SUFFIXES:
                own.error(f"--report: the name {file} must end in one of {', '.join(SUFFIXES)}")


def _check_together(own: Parser, options: argparse.Namespace) -> None:
    """Rejects options that cannot be combined, after the settings were read."""
    if options.py2:
        from tfmigrate.py2 import convert

        if not convert.is_available():
            own.error("--py2 needs fissix; run: pip install 'tfmigrate[py2]'")
    if options.vendor and "-" in options.paths:
        own.error("--vendor cannot be used with - (standard input); give the path of the file")
    if options.format == "text":
        return
    if options.diff:
        own.error(f"--diff cannot be combined with --format {options.format}")
    if "-" in options.paths and not options.check:
        own.error(f"- (standard input) with --format {options.format} needs --check")


def _settings(options: argparse.Namespace) -> Settings:
    """Returns what the project's file sets.

    Raises:
        UsageError: The file has an unknown key or a wrong value, or cannot be read.
    """
    from pathlib import Path

    from tfmigrate.commands import settings

    if options.isolated:
        return settings.Settings()
    paths = [options.stdin_filename or "."] if "-" in options.paths else options.paths
    file = Path(options.config) if options.config else settings.nearest(paths)
    if file is None:
        return settings.Settings()
    choices = {"format": FORMATS, "target": tuple(TARGETS)}
    return settings.read(file.absolute(), choices)


def _settle(options: argparse.Namespace, settings: Settings) -> None:
    """Gives every option that was not given the value of the settings, or the default."""
    defaults: dict[str, Any] = {
        "select": [],
        "ignore": [],
        "unsafe": False,
        "coordinator": False,
        "py2": False,
        "vendor": False,
        "force_exclude": False,
        "statistics": False,
        "format": "text",
        "target": DEFAULT,
        "jobs": None,
    }
    # A diff and a migrated text have the standard output for themselves.
    has_text = options.diff or ("-" in options.paths and not options.check)
    for name, default in defaults.items():
        if getattr(options, name) is None:
            value = settings.values.get(name.replace("_", "-"), default)
            setattr(options, name, default if name == "format" and has_text else value)
    if options.check and options.cache_dir is None and "cache-dir" in settings.values:
        options.cache_dir = str(settings.folder / settings.values["cache-dir"])


def _exclusions(options: argparse.Namespace, settings: Settings) -> list[Exclusions]:
    from pathlib import Path

    from tfmigrate.files.discover import Exclusions

    here = Path.cwd()
    found = [Exclusions(tuple(options.extend_exclude or ()), here, "--extend-exclude")]
    if options.exclude is not None:
        found.append(Exclusions(tuple(options.exclude), here))
    for key in ("exclude", "extend-exclude"):
        if key in settings.values and (key != "exclude" or options.exclude is None):
            patterns = tuple(settings.values[key])
            found.append(Exclusions(patterns, settings.folder, f"{settings.file}: {key}"))
    return found


def _run(own: Parser, options: argparse.Namespace, settings: Settings) -> tuple[Outcome, bytes]:
    """Migrates; returns the outcome and, of the standard input, the new text.

    Raises:
        UsageError: A path or a pattern cannot be used.
    """
    from dataclasses import replace

    from tfmigrate.commands.speed_options import driving
    from tfmigrate.engine.options import Options
    from tfmigrate.engine.run import run, run_stream
    from tfmigrate.report.documents import PLANS

    wanted = Options(
        unsafe=options.unsafe,
        select=_codes(own, "--select", options.select),
        ignore=_codes(own, "--ignore", options.ignore),
        coordinator=options.coordinator,
        py2=options.py2,
        target=TARGETS[options.target],
    )
    dry_run = options.diff or options.check
    keep = any(_suffix(file) in PLANS for file in options.report)
    if "-" in options.paths:
        data, name = sys.stdin.buffer.read(), options.stdin_filename or ""
        return run_stream(data, wanted, dry_run, file_name=name, keep_texts=keep)
    how = replace(driving(options, sys.stderr), keep_texts=keep)
    exclusions = _exclusions(options, settings)
    force = options.force_exclude
    return run(options.paths, (), wanted, dry_run, options.vendor, how, exclusions, force), b""


def _suffix(file: str) -> str:
    return os.path.splitext(file)[1]  # noqa: PTH122 - --help has no need of pathlib


def _codes(own: Parser, option: str, given: list[str]) -> tuple[str, ...]:
    """Returns the codes and prefixes of an option; one that no rule has is a usage error."""
    if not given:
        return ()
    from tfmigrate.rulekit.registry import selectable_codes

    known = selectable_codes()
    codes = tuple(code.strip().upper() for text in given for code in text.split(","))
    for code in codes:
        if not code or not any(one.startswith(code) for one in known):
            own.error(
                f"{option}: unknown code {code or repr('')}; `tfmigrate rules` lists all codes"
            )
    return codes


def _write_reports(files: list[str], outcome: Outcome) -> int:
    """Writes the reports; returns 2 where one could not be written, else 0."""
    from pathlib import Path

    code = OK
    for file in files:
        from tfmigrate.report.documents import report_of  # few runs write one

        try:
            Path(file).write_text(report_of(outcome, _suffix(file)), encoding="utf-8")
        except OSError as error:
            complain(f"--report: {file} cannot be written: {error.strerror or error}")
            code = FAILED
    return code


def _print(options: argparse.Namespace, outcome: Outcome, text: bytes) -> None:
    """Prints what was found and done."""
    from tfmigrate.report import text as report

    streams = "-" in options.paths
    machine = options.format != "text"
    # A diff, a migrated text or a document is for another program: all else is printed to stderr.
    past = options.diff or streams or machine
    talk = printer_to(sys.stderr if past else sys.stdout, options.color)
    if options.diff:
        report.print_diffs(outcome, printer_to(sys.stdout, options.color))
    elif machine:
        from tfmigrate.report.documents import document

        sys.stdout.write(document(outcome, options.format))
    elif streams and not options.check:
        sys.stdout.buffer.write(text)
    if not options.quiet and not machine:
        if options.statistics:
            report.print_statistics(outcome, talk)
        else:
            report.print_findings(outcome, talk)
    sys.stdout.flush()
    errors = printer_to(sys.stderr, options.color)
    for note in outcome.notes:
        complain(note)
    report.print_errors(outcome.errors, errors)
    if options.verbose:
        sys.stderr.writelines(outcome.tracebacks)
        report.print_details(outcome, talk)
    if not options.quiet:
        report.print_copies(outcome, talk)
        report.print_summary(outcome, talk)
