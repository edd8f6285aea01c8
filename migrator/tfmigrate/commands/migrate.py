"""``tfmigrate PATH...``."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from tfmigrate.commands.arguments import COMMANDS, FAILED, LEFT, OK, Parser, complain, printer_to
from tfmigrate.commands.migrate_options import FORMATS, parser
from tfmigrate.model.targets import DEFAULT, KERAS, TARGETS

if TYPE_CHECKING:
    from tfmigrate.commands.settings import Settings
    from tfmigrate.engine.options import FileIgnore
    from tfmigrate.engine.outcome import Outcome
    from tfmigrate.files.discover import Exclusions


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate`` with its arguments, which begin with no command."""
    own = parser()
    # argparse forgets that what follows -- are paths when options may stand between paths.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = own.parse_intermixed_args(arguments[:end])
    options.paths += arguments[end + 1 :]
    _check(own, options)

    from tfmigrate.files.discover import UsageError

    try:
        settings = _settings(options)
        _settle(options, settings)
        _check_together(own, options)
        if options.watch:
            from tfmigrate.commands.watch import watch

            exclusions = _exclusions(options, settings)
            again = partial(_once, own, options, settings)
            return watch(again, options.paths, exclusions, partial(print, file=sys.stderr))
        return _once(own, options, settings)
    except UsageError as error:
        own.error(f"{error}{_hint(options.paths)}")


def _once(own: Parser, options: argparse.Namespace, settings: Settings) -> int:
    """Runs the engine, and prints what it found; returns the exit code.

    Raises:
        UsageError: A path, a pattern or another file cannot be used.
    """
    from pathlib import Path

    outcome, text = _run(own, options, settings)
    if options.baseline or options.write_baseline:
        from tfmigrate.commands import baseline

        if options.baseline:
            baseline.subtract(Path(options.baseline), outcome, options.paths)
        else:
            baseline.write(Path(options.write_baseline), outcome)
    if (code := outcome.exit_code) == LEFT and (options.exit_zero or options.write_baseline):
        code = OK
    code = max(code, _write_reports(options.report, outcome))
    _print(options, outcome, text)
    return code


def _hint(paths: list[str]) -> str:
    """Returns what to do about a command that was taken for a path."""
    from difflib import get_close_matches

    if misplaced := [path for path in paths if path in COMMANDS]:
        return f" (put the command first: tfmigrate {misplaced[0]} ...)"
    close = get_close_matches(paths[0], COMMANDS, n=1)
    if close and not os.path.exists(paths[0]):  # noqa: PTH110 - --help has no need of pathlib
        return f"; did you mean tfmigrate {close[0]}?"
    return ""


def _check(own: Parser, options: argparse.Namespace) -> None:
    """Rejects a command line that makes no sense."""
    if not options.paths:
        own.error("no path given; use `tfmigrate .` to migrate the current folder")
    if "-" in options.paths and len(options.paths) > 1:
        own.error("- (standard input) cannot be combined with other paths")
    if options.stdin_filename and "-" not in options.paths:
        own.error("--stdin-filename needs - (standard input) as the path")
    writes = not options.diff and not options.check and "-" not in options.paths
    for name in ("interactive", "output_dir"):
        if getattr(options, name) and not writes:
            own.error(f"--{name.replace('_', '-')} cannot be used with --check, --diff or -")
    for name in ("watch", "write_baseline"):
        if getattr(options, name) and not options.check:
            own.error(f"--{name.replace('_', '-')} needs --check")
    if options.watch and "-" in options.paths:
        own.error("--watch cannot be used with - (standard input)")
    if options.output_dir and len(options.paths) > 1:
        own.error("--output-dir takes one path; run tfmigrate once for each")
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
    if options.vendor and options.output_dir:
        own.error("--vendor cannot be used with --output-dir; run it on the new folder")
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
        "select": [], "ignore": [], "unsafe": False, "coordinator": False, "py2": False,
        "vendor": False, "force_exclude": False, "statistics": False, "format": "text",
        "target": DEFAULT, "jobs": None,
    }  # fmt: skip
    # A diff and a migrated text have the standard output for themselves.
    has_text = options.diff or ("-" in options.paths and not options.check)
    for name, default in defaults.items():
        if getattr(options, name) is None:
            value = settings.values.get(name.replace("_", "-"), default)
            setattr(options, name, default if name == "format" and has_text else value)
    if (
        options.baseline is None
        and options.write_baseline is None
        and "baseline" in settings.values
    ):
        options.baseline = str(settings.folder / settings.values["baseline"])
    if options.check and options.cache_dir is None and "cache-dir" in settings.values:
        options.cache_dir = str(settings.folder / settings.values["cache-dir"])


def _exclusions(options: argparse.Namespace, settings: Settings) -> list[Exclusions]:
    from pathlib import Path

    from tfmigrate.files.discover import Exclusions

    here = Path.cwd()
    exclusions = [Exclusions(tuple(options.extend_exclude or ()), here, "--extend-exclude")]
    if options.exclude is not None:
        exclusions.append(Exclusions(tuple(options.exclude), here))
    for key in ("exclude", "extend-exclude"):
        if key in settings.values and (key != "exclude" or options.exclude is None):
            patterns = tuple(settings.values[key])
            exclusions.append(Exclusions(patterns, settings.folder, f"{settings.file}: {key}"))
    return exclusions


def _run(own: Parser, options: argparse.Namespace, settings: Settings) -> tuple[Outcome, bytes]:
    """Migrates; returns the outcome and, of the standard input, the new text.

    Raises:
        UsageError: A path or a pattern cannot be used.
    """
    from dataclasses import replace

    from tfmigrate.commands.speed_options import driving
    from tfmigrate.engine.options import Options
    from tfmigrate.engine.run import run, run_stream
    from tfmigrate.files.discover import UsageError
    from tfmigrate.report.documents import PLANS, WITH_EDITS
    from tfmigrate.rulekit.registry import rules

    if options.target == KERAS and all(rule.target != KERAS for rule in rules()):
        raise UsageError("--target keras: tfmigrate_keras is not installed; reinstall tfmigrate")
    wanted = Options(
        unsafe=options.unsafe,
        select=_codes(own, "--select", options.select),
        ignore=_codes(own, "--ignore", options.ignore),
        file_ignores=_file_ignores(own, options, settings),
        coordinator=options.coordinator,
        py2=options.py2,
        target=TARGETS[options.target],
    )
    dry_run = options.diff or options.check
    formats = {*map(_suffix, options.report), f".{options.format}"}
    keep = bool(formats & set(PLANS)) or (dry_run and bool(formats & set(WITH_EDITS)))
    if "-" in options.paths:
        data, name = sys.stdin.buffer.read(), options.stdin_filename or ""
        return run_stream(data, wanted, dry_run, file_name=name, keep_texts=keep)
    how = replace(driving(options, sys.stderr), keep_texts=keep)
    if options.output_dir:
        from pathlib import Path

        from tfmigrate.files.output_folder import OutputFolder

        how = replace(how, output=OutputFolder(Path(options.output_dir), Path(options.paths[0])))
    elif not dry_run and not options.allow_dirty:
        from tfmigrate.commands.uncommitted import warning

        if text := warning(options.paths):
            complain(text)
    if options.interactive:
        from tfmigrate.commands.interactive import Asker

        # A document has the standard output for itself.
        stream = sys.stdout if options.format == "text" else sys.stderr
        how = replace(how, ask=Asker(printer_to(stream, options.color)))
    exclusions = _exclusions(options, settings)
    force = options.force_exclude
    return run(options.paths, (), wanted, dry_run, options.vendor, how, exclusions, force), b""


def _suffix(file: str) -> str:
    return os.path.splitext(file)[1]  # noqa: PTH122 - --help has no need of pathlib


def _file_ignores(
    own: Parser, options: argparse.Namespace, settings: Settings
) -> tuple[FileIgnore, ...]:
    """Returns the rules that are not applied to some files: of the option, or of the settings."""
    from tfmigrate.engine.options import FileIgnore

    option = "--per-file-ignores"
    if options.per_file_ignores is None:
        table = settings.values.get(option.removeprefix("--"), {})
        folder = str(settings.folder)
        return tuple(
            FileIgnore(folder, pattern, tuple(code.upper() for code in codes))
            for pattern, codes in table.items()
        )
    ignores = []
    for text in options.per_file_ignores:
        pairs: list[list[str]] = []
        for part in text.split(","):  # a.py:TFM1,TFM2,b.py:TFM3
            if ":" in part or not pairs:
                pairs.append([])
            pairs[-1].append(part)
        for pair in pairs:
            pattern, colon, codes = ",".join(pair).rpartition(":")
            if not colon or not pattern:
                own.error(f"{option}: {text} is not GLOB:CODES")
            known = _codes(own, option, [codes])
            ignores.append(FileIgnore(os.getcwd(), pattern, known))  # noqa: PTH109
    return tuple(ignores)


def _codes(own: Parser, option: str, option_values: list[str]) -> tuple[str, ...]:
    """Returns the codes and prefixes of an option; one that no rule has is a usage error."""
    if not option_values:
        return ()
    from tfmigrate.rulekit.registry import selectable_codes

    known = selectable_codes()
    codes = tuple(code.strip().upper() for text in option_values for code in text.split(","))
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
