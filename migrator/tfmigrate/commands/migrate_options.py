"""The parser of ``tfmigrate PATH...``."""

from __future__ import annotations

import argparse

from tfmigrate import __version__
from tfmigrate.commands.arguments import Parser, add_color
from tfmigrate.commands.speed_options import add_speed_options
from tfmigrate.model.targets import DEFAULT, TARGETS

FORMATS = ("text", "json", "sarif", "github")

_USAGE = """tfmigrate [OPTIONS] PATH...
       tfmigrate verify ORIGINAL MIGRATED [OPTIONS] [-- PROGRAM ARGS]
       tfmigrate doctor PATH... [OPTIONS]
       tfmigrate explain CODE...
       tfmigrate rules
       tfmigrate completion SHELL"""

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
  tfmigrate completion  Print the completion script of a shell: bash, zsh or fish.
                        A file or folder of one of these names is given as ./verify.

settings:
  [tool.tfmigrate] in the nearest pyproject.toml; what is given here wins. A line that says
  "# tfmigrate: ignore[TFM201]" is left alone by that rule, a file with
  "# tfmigrate: ignore-file[TFM201]" as well.

examples:
  tfmigrate .                        Migrate the current folder.
  tfmigrate --check src tests        Tell what would change, for CI.
  tfmigrate --diff train.py          Look at the changes first ...
  tfmigrate --diff . | git apply     ... or apply them as a patch.
  tfmigrate --check --report plan.html .   Write a migration plan to read and share.
  tfmigrate - < old.py > new.py      Migrate the standard input.
  tfmigrate --unsafe train.py        Make the risky changes too.
  tfmigrate explain TFM201           Read about a finding.

exit codes:
  0    Nothing is left to do.
  1    Something would change (--check, --diff) or is left for you.
  2    The command line is wrong, a file could not be read or written, or tfmigrate failed.
  130  Interrupted; every file holds its old text or its new one."""


def parser() -> Parser:
    """Returns the parser; what a pyproject.toml may set is None where it is not given."""
    made = Parser(
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
    _add_paths(made.add_argument_group("paths"))
    _add_modes(made.add_argument_group("what to do"))
    _add_output(made.add_argument_group("output"))
    add_speed_options(made)
    about = made.add_argument_group("about")
    about.add_argument("-h", "--help", action="help", help="Show this text.")
    about.add_argument(
        "--version",
        action="version",
        version=f"tfmigrate {__version__}",
        help="Show the version.",
    )
    return made


def _add_paths(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="Python files and notebooks, which are always taken, and folders, which are searched "
        "for *.py and *.ipynb files except for what git ignores, hidden folders, virtual "
        "environments, build output and submodules; - for the standard input, which goes migrated "
        "to the standard output.",
    )
    group.add_argument(
        "--exclude",
        metavar="GLOB",
        action="append",
        help="Leave out what matches in searched folders, in .gitignore syntax; may be repeated. "
        "Takes the place of exclude in pyproject.toml.",
    )
    group.add_argument(
        "--extend-exclude",
        metavar="GLOB",
        action="append",
        help="Leave out what matches as well as what is excluded already.",
    )
    group.add_argument(
        "--force-exclude",
        action=argparse.BooleanOptionalAction,
        help="Leave out what is excluded also where it is named, as hooks of git name files.",
    )
    group.add_argument(
        "--stdin-filename",
        metavar="FILE",
        help="With -: the name to show for the standard input, whose folder the file's imports and "
        "settings are looked up from; .ipynb for a notebook.",
    )
    settings = group.add_mutually_exclusive_group()
    settings.add_argument(
        "--config", metavar="FILE", help="Take [tool.tfmigrate] from this TOML file."
    )
    settings.add_argument("--isolated", action="store_true", help="Read no pyproject.toml.")


def _add_modes(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--diff", action="store_true", help="Print the changes as a unified diff; write nothing."
    )
    group.add_argument(
        "--check", action="store_true", help="Only tell what would change; write nothing."
    )
    group.add_argument(
        "--unsafe",
        action=argparse.BooleanOptionalAction,
        help="Also make changes after which the program may train differently; each says how.",
    )
    group.add_argument(
        "--coordinator",
        action=argparse.BooleanOptionalAction,
        help="Let one process run the loop of an asynchronous parameter server program, under "
        "TensorFlow 2's ClusterCoordinator, instead of one on every worker.",
    )
    group.add_argument(
        "--py2",
        action=argparse.BooleanOptionalAction,
        help="Turn Python 2 files into Python 3 and migrate them, as one change; needs "
        "tfmigrate[py2].",
    )
    group.add_argument(
        "--vendor",
        action=argparse.BooleanOptionalAction,
        help="Copy what the programs need of tfmigrate_runtime next to them, and let them import "
        "that, so that they need TensorFlow but not tfmigrate.",
    )
    group.add_argument(
        "--target",
        metavar="VERSION",
        choices=tuple(TARGETS),
        help="The oldest TensorFlow that the result is to run on: "
        f"{', '.join(TARGETS)} (default: {DEFAULT}). `estimator` keeps tf.estimator, for "
        "TensorFlow 1.15 to 2.15.",
    )
    group.add_argument(
        "--select",
        metavar="CODES",
        action="append",
        help="Use these rules only: codes or prefixes, separated by commas (TFM201,TFM6).",
    )
    group.add_argument("--ignore", metavar="CODES", action="append", help="Do not use these rules.")


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--format",
        choices=FORMATS,
        help="How to print the findings: text, json (docs/reference/output.md), sarif (2.1.0, for "
        "code scanning) or github (annotations of a workflow). Default: text.",
    )
    group.add_argument(
        "--report",
        metavar="FILE",
        action="append",
        default=[],
        help="Also write a report: a migration plan as .html or .md, or findings as .json or "
        ".sarif; may be repeated.",
    )
    group.add_argument(
        "--statistics",
        action=argparse.BooleanOptionalAction,
        help="Print how often each rule found something in the place of the findings.",
    )
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
    add_color(group)
