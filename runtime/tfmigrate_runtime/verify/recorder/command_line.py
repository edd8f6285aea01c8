"""The command line of the recorder."""

import argparse
import functools
from typing import Sequence

from .. import shared


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="record.py",
        description="Runs a TensorFlow program and records its training.",
        allow_abbrev=False,
    )
    flag = functools.partial(parser.add_argument, action="store_true")
    parser.add_argument(
        "--out", required=True, metavar="TRACE.npz", help="where to write the trace"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--replicas", type=int, metavar="N", help="run on N CPU devices")
    where.add_argument("--devices", metavar="DEVICES", help=shared.HELP)
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="K",
        help="record variables at every K-th step (losses: at every step)",
    )
    parser.add_argument("--steps", type=int, metavar="N", help="end the program after N steps")
    flag(
        "--fail-fast",
        help="end the program after the first step that differs from that of --follow",
    )
    parser.add_argument(
        "--initial-values", metavar="TRACE0.npz", help="start from the initial values of this trace"
    )
    parser.add_argument(
        "--follow",
        metavar="TRACE0.npz",
        help="start every step from the state in this trace (its initial values, then its steps)",
    )
    flag("--all-batches", help="record the batch of every step, for a port to be fed")
    flag(
        "--assigns-first",
        help="assign variables before a step's updates read them, where it leaves the order open",
    )
    parser.add_argument(
        "--checkpoint", metavar="PATH", help="write a checkpoint after the first step to PATH"
    )
    parser.add_argument(
        "--restore",
        metavar="PATH",
        help="restore this checkpoint, or the one in this trace (.npz), before training",
    )
    flag("--stop-after-restore", help="end the program after --restore")
    parser.add_argument(
        "--restore-later",
        metavar="FILE",
        help="wait after the program until FILE names a checkpoint to restore and a second trace",
    )
    parser.add_argument(
        "--scratch",
        metavar="DIR",
        help="replaces {out} in the script's arguments (default: a temporary directory)",
    )
    flag("--legacy", help="run the program on tfmigrate_runtime.tf1_shim, which must be installed")
    parser.add_argument(
        "--module", metavar="NAME", help="run the script as this module, as python -m NAME"
    )
    parser.add_argument(
        "--map", metavar="FILE", help="pairs variables of a Keras program with those of the trace"
    )
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments, after --")
    return parser


def parse_arguments(
    arguments: Sequence[str], parser: argparse.ArgumentParser
) -> argparse.Namespace:
    """Parses the command line."""
    options = parser.parse_args(arguments)
    options.initial_values = options.initial_values or options.follow
    if options.arguments[:1] == ["--"]:
        del options.arguments[0]
    return options
