"""The JSON Schema of ``tfmigrate verify --format json``, which the package carries."""

import argparse
from collections.abc import Sequence
from importlib import resources
from typing import Any

from tfmigrate_runtime.verify.causes import CAUSES

FORMAT = 1  # of the JSON object; a key that is added leaves it as it is


def schema_text() -> str:
    """Returns the schema (draft 2020-12)."""
    schema_file = resources.files("tfmigrate_runtime.verify").joinpath("data/report.schema.json")
    return schema_file.read_text("utf-8")


class PrintCause(argparse.Action):
    """Prints what a code of ``cause`` means and ends the program, as ``--help`` does."""

    def __call__(self, parser: argparse.ArgumentParser, _: Any, code: Any, *__: Any) -> None:
        """Prints it."""
        if code not in CAUSES:
            parser.error(f"--explain {code}: expected one of {', '.join(CAUSES)}")
        print(f"{CAUSES[code].meaning}\n{CAUSES[code].advice}")
        parser.exit()


class PrintSchema(argparse.Action):
    """Prints the schema and ends the program, as ``--help`` does."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        """Takes what ``add_argument`` gives."""
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Prints it."""
        print(schema_text(), end="")
        parser.exit()
