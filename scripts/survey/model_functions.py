"""Counts the model functions of public code that --target keras knows, and what blocks the others.

    python scripts/survey/model_functions.py FOLDER [--page]

FOLDER has one repository in each folder. A model function is one that returns an EstimatorSpec. It
is converted without the program around it; with ``--unsafe``, so that summaries do not count.
``--page`` writes the section of docs/explanation/coverage.md.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.files.source import UnreadableFile
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate_keras.conversion import Conversion
from tfmigrate_keras.model_builder import ModelBuilder
from tfmigrate_keras.model_function import read_model_function
from tfmigrate_keras.strategies import Replication

PAGE = Path(__file__).parents[2] / "docs/explanation/coverage.md"
BEGIN = "<!-- model functions: made by scripts/survey/model_functions.py --page -->\n"
END = "<!-- end of model functions -->\n"
SPECS = ("tensorflow.estimator.EstimatorSpec", "tensorflow.contrib.learn.ModelFnOps")
SHOWN = 15


@dataclass(frozen=True)
class Answer:
    """What became of one model function.

    Attributes:
        place: its file and line, beginning with the repository.
        reason: what blocks it; "" if nothing does.
    """

    place: str
    reason: str


def modules(repository: Path) -> list[Module]:
    """Returns the files of a repository that import TensorFlow and parse."""
    found = []
    for path in sorted(repository.rglob("*.py")):
        try:
            source = decode_source(read_bytes(path), path, str(path.relative_to(repository.parent)))
            if "tensorflow" in source.text:
                found.append(Module(source))
        except (UnreadableFile, OSError, SyntaxError, ValueError, RecursionError):
            continue
    return found


def model_functions(module: Module) -> Iterator[ast.FunctionDef]:
    """Yields the functions of a file that return an EstimatorSpec."""
    found = {
        module.function(statement): None
        for statement in module.all(ast.Return)
        if called(module, statement.value) in SPECS
    }
    yield from (function for function in found if isinstance(function, ast.FunctionDef))


def answers(repository: Path) -> Iterator[Answer]:
    """Yields what becomes of each model function of a repository."""
    files = modules(repository)
    for module in files:
        for function in model_functions(module):
            plan = Conversion(Program(files))
            try:
                model = read_model_function(plan, module, function)
                ModelBuilder(plan, model, Replication(module, ast.Name(function.name)))
                reason = ""
            except Refusal as refusal:
                reason = refusal.reason
            yield Answer(f"{module.source.display}:{function.lineno}", reason)


def kind(reason: str) -> str:
    """Returns a reason without the code that it names, but for names of TensorFlow."""
    text = re.sub(r"`(?!tf\.)[^`]*`", "...", reason)
    return text.replace(" in a model function is not in the vocabulary of --target keras", "")


def section(found: list[Answer]) -> str:
    """Returns the section of the page."""
    known = sum(not answer.reason for answer in found)
    repositories = {answer.place.partition("/")[0] for answer in found}
    lines = [
        f"{known} of {len(found)} model functions of {len(repositories)} repositories are inside "
        "the vocabulary.",
        "",
        "| what comes first in the way of a model function | model functions |",
        "|---|---|",
    ]
    counts = Counter(kind(answer.reason) for answer in found if answer.reason)
    lines += [f"| {reason} | {count} |" for reason, count in counts.most_common(SHOWN)]
    others = len(found) - known - sum(count for _, count in counts.most_common(SHOWN))
    lines += [f"| {len(counts) - SHOWN} other reasons | {others} |"] if others else []
    return "\n".join(lines) + "\n"


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    folders = sorted(path for path in options.folder.iterdir() if path.is_dir())
    found = [answer for folder in folders for answer in answers(folder)]
    for answer in found:
        print(answer.place, answer.reason or "inside the vocabulary")
    print(section(found))
    if options.page:
        head, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}\n{section(found)}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
