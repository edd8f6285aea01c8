"""What migrated programs are run with: requirements that are too old, and what to install."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tfmigrate.engine.options import Options
from tfmigrate.files.discover import Candidate, shown
from tfmigrate.files.environments import Kind, in_cell, included, kind_of, outdated
from tfmigrate.files.notebook_json import NotNotebookError, code_cells
from tfmigrate.files.requirement_specs import Form, Requirement
from tfmigrate.model.findings import OUTDATED_REQUIREMENT, Finding, Severity
from tfmigrate.model.tensorflow_versions import bounds
from tfmigrate.tables.runtime_modules import RUNTIME, VENDORED

_NOTEBOOK = ".ipynb"
_LARGEST = 1_000_000  # bytes; larger ones are data
_INSTALLS = (b"install", b"%tensorflow_version")


def findings(
    others: Sequence[Path], candidates: Sequence[Candidate], options: Options
) -> Iterator[Finding]:
    """Yields a finding for each requirement of a TensorFlow that is too old for the result.

    Args:
        others: The files of the searched folders that are no programs.
        candidates: The Python files and notebooks of the run. Of those that were searched for,
            setup.py is read, and the cells of notebooks.
        options: What the user asked for. Nothing is too old for ``--target estimator``.
    """
    if options.target.estimator:
        return
    searched = [candidate.path for candidate in candidates if not candidate.named]
    left = {path: kind_of(path) for path in reversed([*others, *searched])}
    seen: set[Path] = set()
    while left:
        path, kind = left.popitem()
        seen.add(path)
        if not (kind or path.suffix == _NOTEBOOK):
            continue
        try:
            data = path.read_bytes()
        except OSError:
            continue  # reported where it is a Python file; no other is needed
        if path.suffix == _NOTEBOOK:
            places = _in_notebook(path, data, options)
        elif len(data) > _LARGEST:
            continue
        else:
            assert kind is not None
            text = data.decode("utf-8-sig", "replace")
            if kind is Kind.LINES:
                named = (Path(os.path.normpath(path.parent / name)) for name in included(text))
                left.update({each: kind for each in named if each not in seen})
            old = outdated(text, options.target.version, kind)
            places = (_finding(path, requirement, options) for requirement in old)
        if options.selects(OUTDATED_REQUIREMENT, path):
            yield from places


def _in_notebook(path: Path, data: bytes, options: Options) -> Iterator[Finding]:
    if not any(word in data for word in _INSTALLS):
        return
    try:
        _, cells = code_cells(data.decode("utf-8"))
    except (NotNotebookError, UnicodeDecodeError):
        return  # reported as a notebook
    for cell in cells:
        for requirement in in_cell(cell.text, options.target.version):
            yield replace(_finding(path, requirement, options), cell=cell.number)


def _finding(path: Path, requirement: Requirement, options: Options) -> Finding:
    if requirement.ended:
        reason = "has no version that migrated programs run on"
    else:
        reason = "is too old for migrated programs"
    return Finding(
        path=shown(path),
        line=requirement.line,
        column=requirement.column,
        code=OUTDATED_REQUIREMENT,
        severity=Severity.MANUAL,
        message=f"{requirement.text} {reason}",
        action=_action(requirement, options),
        applied=False,
    )


def _action(requirement: Requirement, options: Options) -> str:
    """Returns what to write instead, in the form that the requirement has."""
    versions = _versions(options)
    extra = "[and-cuda]" if requirement.gpu else ""
    match requirement.form:
        case Form.MAGIC:
            return "remove it: Colab has TensorFlow 2 only"
        case Form.IMAGE:
            version = "{}.{}".format(*options.target.version)
            return f"use an image with TensorFlow {version} or newer"
        case Form.CONDA:
            return f"write {'tensorflow-gpu' if requirement.gpu else 'tensorflow'} {versions}"
        case Form.TABLE if extra:
            return f'write tensorflow = {{version = "{versions}", extras = ["and-cuda"]}}'
        case Form.TABLE:
            return f'write tensorflow = "{versions}"'
    return f"write tensorflow{extra}{versions}"


def _versions(options: Options) -> str:
    """Returns the versions that migrated programs run on, as pip and conda take them."""
    return bounds("{}.{}".format(*options.target.version))


def to_install(texts: Sequence[str], options: Options) -> str:
    """Returns what to install for migrated programs, as arguments of pip.

    Args:
        texts: The new texts of the files that change.
    """
    if options.target.estimator:
        return ""
    if any(RUNTIME in text and VENDORED not in text for text in texts):
        return "'tfmigrate-runtime[tensorflow]'"
    needed = ["tensorflow"]
    if any(word in text for text in texts for word in ("TF_USE_LEGACY_KERAS", "tf_keras")):
        needed.append("tf-keras")
    return " ".join(f"'{name}{_versions(options)}'" for name in needed)
