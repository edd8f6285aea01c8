"""The command line. Everything but argparse is imported where it is used: help comes at once."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from tfmigrate import __version__

if TYPE_CHECKING:
    from tfmigrate.terminal import Printer

OK, LEFT, FAILED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

_STATE_OF_FILES = "every file holds its old text or its new one"

_USAGE = """tfmigrate [OPTIONS] PATH...
       tfmigrate verify ORIGINAL MIGRATED [OPTIONS] [-- PROGRAM ARGS]
       tfmigrate doctor PATH... [OPTIONS]
       tfmigrate explain CODE...
       tfmigrate rules"""

_DESCRIPTION = """\
Rewrites TensorFlow 1.x distributed training code so that it trains under
tf.distribute on current TensorFlow. Files are rewritten in place; comments,
formatting and everything that is not distributed training stay as they are."""

_EPILOG = """\
commands:
  tfmigrate verify      Run the original and the migrated program and show that they train the same.
  tfmigrate doctor      List the TensorFlow names that the installed TensorFlow does not have.
  tfmigrate explain     Print what a rule does, why, and what is left to you.
  tfmigrate rules       List the rules.
                        A file or folder of one of these names is given as ./verify.

examples:
  tfmigrate .                        Migrate the current folder.
  tfmigrate --check src tests        Tell what would change, for CI.
  tfmigrate --diff train.py          Look at the changes first ...
  tfmigrate --diff . | git apply     ... or apply them as a patch.
  tfmigrate - < old.py > new.py      Migrate the standard input.
  tfmigrate --unsafe train.py        Make the risky changes too.
  tfmigrate explain TFM201           Read about a finding.

exit codes:
  0    Nothing is left to do.
  1    Something would change (--check, --diff) or is left for you.
  2    The command line is wrong, a file could not be read or written, or tfmigrate failed.
  130  Interrupted; every file holds its old text or its new one."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs tfmigrate.

    Args:
        arguments: What stands after ``tfmigrate``; None for those of this process.

    Returns:
        The exit code: 0 nothing left to do, 1 something would change or is left, 2 failed, 130
        interrupted, 141 the reader of the output went away.

    Raises:
        SystemExit: After ``--help``, ``--version`` and usage errors, as argparse does.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = _COMMANDS.get(given[0]) if given else None
    for stream in (sys.stdout, sys.stderr):
        _never_fail_to_print(stream)
    try:
        code = command(given[1:]) if command else _migrate(given)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        _complain("interrupted" if command else f"interrupted: {_STATE_OF_FILES}")
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered must not fail again when the interpreter closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        _internal_error(error, given)
        return FAILED


def _migrate(arguments: list[str]) -> int:
    """``tfmigrate PATH...``."""
    parser = _parser()
    options = parser.parse_intermixed_args(arguments)
    if not options.paths:
        parser.error("no path given: `tfmigrate .` migrates the current folder")

    from tfmigrate.discover import UsageError
    from tfmigrate.engine import Options
    from tfmigrate.run import STREAM, run, run_stream
    from tfmigrate.speed_options import driving

    selected = _codes(parser, "--select", options.select)
    ignored = _codes(parser, "--ignore", options.ignore)
    dry_run = options.diff or options.check
    if options.py2:
        from tfmigrate import python2

        if not python2.is_available():
            parser.error("--py2 needs fissix: pip install 'tfmigrate[py2]'")
    wanted = Options(options.unsafe, selected, ignored, options.coordinator, options.py2)
    streams = STREAM in options.paths
    if streams and len(options.paths) > 1:
        parser.error("- is the standard input and stands alone")
    if streams and options.vendor:
        parser.error("--vendor copies modules next to a file: give its path")
    text = b""
    try:
        if streams:
            outcome, text = run_stream(sys.stdin.buffer.read(), wanted, dry_run)
        else:
            how = driving(options, sys.stderr)
            outcome = run(options.paths, options.exclude, wanted, dry_run, options.vendor, how)
    except UsageError as error:
        misplaced = [path for path in options.paths if path in _COMMANDS]
        hint = f" (a command stands first: tfmigrate {misplaced[0]} ...)" if misplaced else ""
        parser.error(f"{error}{hint}")

    from tfmigrate import report

    # A diff or a migrated text is for another program to read: everything else goes past it.
    talk = _printer(sys.stderr if options.diff or streams else sys.stdout, options.color)
    if options.diff:
        report.print_diffs(outcome, _printer(sys.stdout, options.color))
    elif streams and not dry_run:
        sys.stdout.buffer.write(text)
    if not options.quiet:
        report.print_findings(outcome, talk)
    sys.stdout.flush()
    for note in outcome.notes:
        _complain(note)
    report.print_errors(outcome.errors, _printer(sys.stderr, options.color))
    if options.verbose:
        sys.stderr.writelines(outcome.tracebacks)
        report.print_details(outcome, talk)
    if not options.quiet:
        report.print_copies(outcome, talk)
        report.print_summary(outcome, talk)
    return outcome.exit_code


def _verify(arguments: list[str]) -> int:
    """``tfmigrate verify``: handed over to the package that runs programs."""
    import importlib
    import importlib.util

    needed = ("tfmigrate_runtime", "numpy", "tensorflow")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        _complain("tfmigrate verify needs TensorFlow: pip install 'tfmigrate[runtime]'")
        return FAILED
    # The one place where the migrator reaches over to the runtime.
    hand_over: Callable[[list[str]], int] = importlib.import_module(
        "tfmigrate_runtime.verify.cli"
    ).main
    return hand_over(arguments)


def _doctor(arguments: list[str]) -> int:
    """``tfmigrate doctor PATH...``."""
    parser = _Parser(
        prog="tfmigrate doctor",
        description="Lists the TensorFlow names of Python files that the installed TensorFlow does "
        "not have. Imports TensorFlow in a process of its own, and none of the files.",
        epilog="exit codes: 0 every name is there, 1 some are not, 2 a file could not be read or "
        "TensorFlow is not installed",
        allow_abbrev=False,
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="Python files and folders.")
    parser.add_argument(
        "--exclude", metavar="GLOB", action="append", default=[], help="Leave out what matches."
    )
    parser.add_argument(
        "--python",
        metavar="PYTHON",
        default=sys.executable,
        help="The interpreter whose TensorFlow is meant (default: this one).",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    _add_color(parser)
    options = parser.parse_intermixed_args(arguments)

    from tfmigrate import doctor, doctor_report
    from tfmigrate.discover import UsageError
    from tfmigrate.report import print_errors

    try:
        diagnosis = doctor.diagnose(options.paths, options.exclude, options.python)
    except UsageError as error:
        parser.error(str(error))
    except doctor.DoctorError as error:
        _complain(str(error))
        return FAILED
    if options.format == "json":
        print(doctor_report.as_json(diagnosis))
        return diagnosis.exit_code
    print_errors(diagnosis.errors, _printer(sys.stderr, options.color))
    doctor_report.print_diagnosis(diagnosis, _printer(sys.stdout, options.color))
    return diagnosis.exit_code


def _explain(arguments: list[str]) -> int:
    """``tfmigrate explain CODE...``."""
    parser = _Parser(
        prog="tfmigrate explain",
        description="Prints what a rule does, why, and what is left to you.",
        allow_abbrev=False,
    )
    parser.add_argument("codes", metavar="CODE", nargs="+", help="A code such as TFM201.")
    _add_color(parser)
    options = parser.parse_args(arguments)

    from tfmigrate import explain

    known = {topic.code: topic for topic in explain.topics()}
    wanted = [code.upper() for code in options.codes]
    for code in wanted:
        if code not in known:
            parser.error(f"unknown code {code}: `tfmigrate rules` lists the codes")
    printer = _printer(sys.stdout, options.color)
    for index, code in enumerate(wanted):
        if index:
            printer.line()
        explain.print_topic(known[code], printer)
    return OK


def _rules(arguments: list[str]) -> int:
    """``tfmigrate rules``."""
    parser = _Parser(prog="tfmigrate rules", description="Lists the rules.", allow_abbrev=False)
    _add_color(parser)
    options = parser.parse_args(arguments)

    from tfmigrate import explain

    explain.print_topics(_printer(sys.stdout, options.color))
    return OK


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "verify": _verify,
    "doctor": _doctor,
    "explain": _explain,
    "rules": _rules,
}


class _Parser(argparse.ArgumentParser):
    """A parser whose usage errors are one line and a pointer."""

    def error(self, message: str) -> NoReturn:
        usage = self.format_usage().splitlines()[0]
        self.exit(FAILED, f"{usage}\n{self.prog}: error: {message}\n")


def _parser() -> _Parser:
    from tfmigrate.speed_options import add_speed_options

    parser = _Parser(
        prog="tfmigrate",
        usage=_USAGE,
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
            prog, max_help_position=24, width=100
        ),
        allow_abbrev=False,
        add_help=False,
    )
    where = parser.add_argument_group("paths")
    where.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="Python files and notebooks, which are always taken, and folders, which are searched "
        "for *.py and *.ipynb files except for what git ignores, hidden folders, virtual "
        "environments, build output and submodules; - for the standard input, which goes migrated "
        "to the standard output.",
    )
    where.add_argument(
        "--exclude",
        metavar="GLOB",
        action="append",
        default=[],
        help="Leave out what matches in searched folders, in .gitignore syntax; may be repeated.",
    )
    _add_modes(parser.add_argument_group("what to do"))
    _add_output(parser.add_argument_group("output"))
    add_speed_options(parser)
    about = parser.add_argument_group("about")
    about.add_argument("-h", "--help", action="help", help="Show this text.")
    about.add_argument(
        "--version",
        action="version",
        version=f"tfmigrate {__version__}",
        help="Show the version.",
    )
    return parser


def _add_modes(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--diff", action="store_true", help="Print the changes as a unified diff; write nothing."
    )
    group.add_argument(
        "--check", action="store_true", help="Only tell what would change; write nothing."
    )
    group.add_argument(
        "--unsafe",
        action="store_true",
        help="Also make changes after which the program may train differently; each says how.",
    )
    group.add_argument(
        "--coordinator",
        action="store_true",
        help="Let one process run the loop of an asynchronous parameter server program, under "
        "TensorFlow 2's ClusterCoordinator, instead of one on every worker.",
    )
    group.add_argument(
        "--py2",
        action="store_true",
        help="Turn Python 2 files into Python 3 and migrate them, as one change; needs "
        "tfmigrate[py2].",
    )
    group.add_argument(
        "--vendor",
        action="store_true",
        help="Copy what the programs need of tfmigrate_runtime next to them, and let them import "
        "that, so that they need TensorFlow but not tfmigrate.",
    )
    group.add_argument(
        "--select",
        metavar="CODES",
        action="append",
        help="Use these rules only: codes or prefixes, separated by commas (TFM201,TFM6).",
    )
    group.add_argument("--ignore", metavar="CODES", action="append", help="Do not use these rules.")


def _add_output(group: argparse._ArgumentGroup) -> None:
    volume = group.add_mutually_exclusive_group()
    volume.add_argument(
        "-q", "--quiet", action="store_true", help="Print errors only, and the diff if asked for."
    )
    volume.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="Also name the migrated files, count the parsed ones, and show tracebacks.",
    )
    _add_color(group)


def _add_color(target: argparse._ActionsContainer) -> None:
    target.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        metavar="WHEN",
        help="Use colour: auto (on terminals without NO_COLOR; the default), always or never.",
    )


def _codes(parser: _Parser, option: str, given: list[str] | None) -> tuple[str, ...]:
    """Returns the codes and prefixes of an option; one that no rule has is a usage error."""
    if given is None:
        return ()
    from tfmigrate.registry import rules

    known = [rule.code for rule in rules()]
    codes = tuple(code.strip().upper() for text in given for code in text.split(","))
    for code in codes:
        if not code or not any(rule.startswith(code) for rule in known):
            parser.error(f"{option}: unknown code {code or repr('')}: `tfmigrate rules` lists them")
    return codes


def _printer(stream: TextIO, color: str) -> Printer:
    from tfmigrate.terminal import Printer, wants_colour

    return Printer(stream, wants_colour(stream, color))


def _never_fail_to_print(stream: TextIO) -> None:
    """Escapes what the terminal's encoding lacks instead of failing half-way."""
    import io

    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _internal_error(error: Exception, arguments: list[str]) -> None:
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--verbose" in own or "-v" in own:
        import traceback

        traceback.print_exc()
    what = " ".join(f"{type(error).__name__}: {error}".split())
    _complain(f"internal error: {what}; run with --verbose for the traceback")


def _complain(message: str) -> None:
    print(f"tfmigrate: {message}", file=sys.stderr)
