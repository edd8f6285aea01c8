"""A name that TensorFlow 2.21 does not have, and that no other rule knows.

What it does:
    Looks every name of TensorFlow, Keras and tfmigrate_runtime up that a file uses once it is
    migrated, and reports the first place of each that is not there. What a program only does on
    another TensorFlow (behind a test of the version, `hasattr` or `except ImportError`) is left
    out, and so is what another rule reports.

Why:
    The file fails where it comes to the name, so the migration must not be called complete.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.python.ops import rnn_cell_impl

        def project(inputs, size):
          logger = tf.logging._logger
          return rnn_cell_impl._linear(inputs, size, True)

What is left to you:
    Use what the message names. A name of `tensorflow.python` without a successor was never public:
    copy its code from TensorFlow 1.x into the program.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.renamed_package import CONTRIB
from tfmigrate.families.tf1.symbols import symbol
from tfmigrate.model.findings import Severity
from tfmigrate.model.statuses import Status
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.names import canonical
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft
from tfmigrate.tables.keras_names import keras_advice
from tfmigrate.tables.runtime_modules import RUNTIME

CODE = "TFM720"
NAME = "missing-name"
SEVERITY = Severity.MANUAL
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True

_COPY = "copy its code from TensorFlow 1.x into the program, or use a public name"
_MISSPELLED = "correct the name: TensorFlow 1.15 does not have it either"
_PRIVATE = ("tensorflow.python", "tensorflow.core", "tensorflow.contrib", "tensorflow.examples")
_OF = {"keras": "Keras 3", "tf_keras": "tf-keras 2.21", RUNTIME: "tfmigrate_runtime"}


def check(program: Program) -> Iterator[Draft]:
    """Yields nothing: the names of the new texts are looked up once all other rules decided."""
    yield from ()


def draft_of_missing(
    module: Module, node: ast.AST, qualified: str, part: str, rebound: str, line: int
) -> Draft:
    """Returns the draft of a name that is not there.

    Args:
        module: the file.
        node: the place.
        qualified: the whole name, as it is reached.
        part: the part of it that is not there.
        rebound: the variable, where the file binds it to something else too; else "".
        line: where it does.
    """
    is_contrib = canonical(part) == CONTRIB
    shown = _shown(canonical(qualified) if is_contrib else part)
    return Draft(
        code=CODE,
        module=module,
        node=node,
        severity=SEVERITY,
        message=f"{shown} is not in {_OF.get(part.partition('.')[0], 'TensorFlow 2.21')}",
        action=_rename(rebound, line) if rebound else _action(qualified, part),
    )


def _rename(name: str, line: int) -> str:
    return f"rename the variable `{name}` of line {line}, then run tfmigrate again"


def _shown(name: str) -> str:
    """Returns a name as people write it: internal modules in full, public ones below ``tf``."""
    if name.startswith(_PRIVATE[:2]):
        return name
    for root in ("tensorflow.compat.v1.", "tensorflow.compat.v2.", "tensorflow."):
        if name.startswith(root):
            return "tf." + name.removeprefix(root)
    return name


def _action(qualified: str, part: str) -> str:
    if canonical(qualified) == CONTRIB:
        return "write each name of tf.contrib out where it is used, then run tfmigrate again"
    advice = keras_advice(part) or keras_advice(qualified)
    if advice:
        return advice
    known = symbol(qualified)
    if known is not None and known.status is Status.KERAS_2:
        return (
            "it is in Keras 2 alone: install tf-keras, and set TF_USE_LEGACY_KERAS=1 in the "
            "environment before the program starts"
        )
    if known is not None and known.advice:
        return known.advice
    if known is not None and known.equivalent:
        return f"use {known.equivalent.replace('tensorflow.compat.v1.', 'tf.compat.v1.', 1)}"
    return _COPY if known is not None or not _is_public(part) else _MISSPELLED


def _is_public(name: str) -> bool:
    return name.startswith("tensorflow.") and not name.startswith(_PRIVATE) and "._" not in name
