"""The parser of ``tfmigrate PATH...``."""

import argparse
import functools

from tfmigrate import __version__
from tfmigrate.commands.arguments import Parser, add_color
from tfmigrate.commands.speed_options import add_speed_options
from tfmigrate.model.targets import DEFAULT, TARGETS

FORMATS = ("text", "json", "sarif", "github")

_USAGE = """tfmigrate [OPTIONS] PATH...
       tfmigrate verify ORIGINAL [MIGRATED] [OPTIONS] [-- PROGRAM ARGS]
       tfmigrate checkpoint convert OLD NEW --program FILE [OPTIONS] [-- PROGRAM ARGS]
       tfmigrate doctor PATH... [OPTIONS]
       tfmigrate explain CODE...
       tfmigrate rules
       tfmigrate mcp
       tfmigrate completion SHELL"""

_DESCRIPTION = """\
Migrates TensorFlow 1.x distributed training code to tf.distribute on current
TensorFlow. Files are rewritten in place; comments, formatting and code that is
unrelated to distributed training stay as they are."""

_EPILOG = """\
commands:
  tfmigrate verify      Run the original and the migrated program and compare their training.
  tfmigrate checkpoint  Convert checkpoints of TensorFlow 1.x for converted programs, and back.
  tfmigrate doctor      List the TensorFlow names that the installed TensorFlow does not have.
  tfmigrate explain     Explain rules: what each does and why, and what is left to you.
  tfmigrate rules       List all rules.
  tfmigrate mcp         Serve migrate, explain and verify to agents (Model Context Protocol).
  tfmigrate completion  Print the completion script for bash, zsh or fish.
                        To migrate a file or folder with such a name, write ./verify.

settings:
  [tool.tfmigrate] in the nearest pyproject.toml; the command line takes precedence.
  "# tfmigrate: ignore[TFM201]" on a line suppresses that rule on the line,
  "# tfmigrate: ignore-file[TFM201]" in the whole file.

examples:
  tfmigrate .                        Migrate the current folder.
  tfmigrate --check src tests        Report what would change, for CI.
  tfmigrate --diff train.py          Show the changes without writing them.
  tfmigrate --diff . | git apply     Apply the changes as a patch.
  tfmigrate --check --report plan.html .   Write a migration plan.
  tfmigrate - < old.py > new.py      Migrate standard input.
  tfmigrate --unsafe train.py        Also make changes that may affect training.
  tfmigrate explain TFM201           Explain a finding.

exit codes:
  0    Nothing is left to do.
  1    Something would change (--check, --diff) or needs manual work.
  2    The command line is wrong, a file could not be read or written, or tfmigrate failed.
  130  Interrupted; no file is half-written."""


def parser() -> Parser:
    """Returns the parser; an option that a pyproject.toml may set defaults to None."""
    command_parser = Parser(
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
    _add_paths(command_parser.add_argument_group("paths"))
    _add_modes(command_parser.add_argument_group("what to do"))
    _add_output(command_parser.add_argument_group("output"))
    add_speed_options(command_parser)
    about = command_parser.add_argument_group("about")
    about.add_argument("-h", "--help", action="help", help="Show this help and exit.")
    about.add_argument(
        "--version",
        action="version",
        version=f"tfmigrate {__version__}",
        help="Show the version and exit.",
    )
    return command_parser


def _add_paths(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="Python files, notebooks, and folders to search for *.py and *.ipynb files. A "
        "search skips files that git ignores, hidden folders, virtual environments, build "
        "output and submodules. - reads standard input and writes the result to standard "
        "output.",
    )
    group.add_argument(
        "--exclude",
        metavar="GLOB",
        action="append",
        help="Skip files and folders that match, in .gitignore syntax; may be repeated. Replaces "
        "exclude of pyproject.toml.",
    )
    group.add_argument(
        "--extend-exclude",
        metavar="GLOB",
        action="append",
        help="Skip files and folders that match, in addition to other excludes.",
    )
    group.add_argument(
        "--force-exclude",
        action=argparse.BooleanOptionalAction,
        help="Apply excludes to files named on the command line too, as git hooks name them.",
    )
    group.add_argument(
        "--stdin-filename",
        metavar="FILE",
        help="With -: the file name of standard input. It is shown in findings, and its folder "
        "is searched for imports and settings; .ipynb for a notebook.",
    )
    settings = group.add_mutually_exclusive_group()
    settings.add_argument(
        "--config", metavar="FILE", help="Read [tool.tfmigrate] from this TOML file."
    )
    settings.add_argument("--isolated", action="store_true", help="Ignore every pyproject.toml.")


def _add_modes(group: argparse._ArgumentGroup) -> None:
    several = functools.partial(group.add_argument, action="append")
    toggle = functools.partial(group.add_argument, action=argparse.BooleanOptionalAction)
    flag = functools.partial(group.add_argument, action="store_true")
    flag("--diff", help="Print the changes as a unified diff; write nothing.")
    flag("--check", help="Report what would change; write nothing.")
    flag("--watch", help="With --check: check again whenever a file changes.")
    flag("-i", "--interactive", help="Show the diff of each file and ask whether to write it.")
    group.add_argument(
        "--output-dir",
        metavar="DIR",
        help="Write to DIR, which is created, and leave the files of PATH as they are. Python "
        "files and notebooks that do not change are copied.",
    )
    flag("--allow-dirty", help="Do not warn about uncommitted changes in the files.")
    toggle("--unsafe", help="Also make changes that may affect training; each finding says how.")
    toggle(
        "--coordinator",
        help="Migrate an asynchronous parameter server program to TensorFlow 2's "
        "ClusterCoordinator: one process runs the training loop, instead of every worker.",
    )
    toggle(
        "--py2",
        help="Convert Python 2 files to Python 3 and migrate them, as one change; needs "
        "tfmigrate[py2].",
    )
    toggle(
        "--vendor",
        help="Copy the modules of tfmigrate_runtime that the programs use next to them, so that "
        "they depend on TensorFlow but not on tfmigrate.",
    )
    group.add_argument(
        "--target",
        metavar="VERSION",
        choices=tuple(TARGETS),
        help="The oldest TensorFlow version to support: "
        f"{', '.join(TARGETS)} (default: {DEFAULT}). `estimator` keeps tf.estimator, for "
        "TensorFlow 1.15 to 2.15; `keras` turns Estimators into Keras 3 models, `eager` "
        "programs of sessions into eager programs.",
    )
    several(
        "--select",
        metavar="CODES",
        help="Apply only these rules: codes or prefixes, separated by commas (TFM201,TFM6).",
    )
    several("--ignore", metavar="CODES", help="Do not apply these rules.")
    several(
        "--per-file-ignores",
        metavar="GLOB:CODES",
        help="Do not apply these rules to files that match; may be repeated (tests/:TFM7). "
        "Replaces per-file-ignores of pyproject.toml.",
    )
    baseline = group.add_mutually_exclusive_group()
    baseline.add_argument(
        "--baseline", metavar="FILE", help="Do not report the findings that FILE lists."
    )
    baseline.add_argument(
        "--write-baseline",
        metavar="FILE",
        help="With --check: write the findings to FILE, for --baseline, and exit with 0.",
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--format",
        choices=FORMATS,
        help="The format of the findings: text (the default), json (docs/reference/output.md), "
        "sarif (2.1.0, for code scanning) or github (workflow annotations).",
    )
    group.add_argument(
        "--report",
        metavar="FILE",
        action="append",
        default=[],
        help="Also write a report: a migration plan (.html, .md) or the findings (.json, .sarif); "
        "may be repeated.",
    )
    group.add_argument(
        "--statistics",
        action=argparse.BooleanOptionalAction,
        help="Print the number of findings of each rule instead of the findings.",
    )
    group.add_argument(
        "--exit-zero",
        action="store_true",
        help="Exit with 0 even if something would change or needs manual work.",
    )
    volume = group.add_mutually_exclusive_group()
    volume.add_argument(
        "-q", "--quiet", action="store_true", help="Print only errors, and the diff with --diff."
    )
    volume.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="Also list the migrated files, the number of parsed files, and tracebacks.",
    )
    add_color(group)
