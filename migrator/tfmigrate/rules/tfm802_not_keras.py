"""A program that cannot become a Keras 3 model or training steps gets its default form.

What it does:
    With `--target keras`, reports the first line of a program of Estimators or of a session that
    has no equivalent in Keras. The program is migrated as without the option.

Why:
    A program is converted whole or not at all: a model that trains differently is worse than none.

Example:
    Before (with --target keras)::

        import tensorflow as tf
        from model import input_fn, model_fn

        tf.estimator.Estimator(model_fn).train(input_fn, steps=100)

What is left to you:
    Nothing, unless you want a Keras model: then change the line that is reported.

Safety:
    Safe: the default form runs and is verified as before.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.model.findings import Severity
from tfmigrate.model.refusals import Refusal
from tfmigrate.model.targets import KERAS
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM802"
NAME = "not-a-keras-model"
SEVERITY = Severity.KEPT
TARGET = KERAS

_ACTION = "no action needed: the program gets its default form"


def check(program: Program) -> Iterator[Draft]:
    """Yields the draft of the line that keeps a program from becoming a Keras model."""
    # Imported here, not at the start of every run: the conversion is 125 modules.
    from tfmigrate.families.native.conversion import Conversion
    from tfmigrate.families.native.whole_program import conversion
    from tfmigrate.families.native_steps.whole_program import step_conversion

    found = program.once(conversion) or program.once(step_conversion)
    if isinstance(found, Refusal):
        action = f"{_ACTION}; for a Keras model, {found.action}" if found.action else _ACTION
        message = f"not converted to Keras: {found.reason}"
        module = program.module_of(found.node)
        yield Draft(CODE, module, found.node, SEVERITY, message, action)
    elif isinstance(found, Conversion) and found.unsafe:
        _, node, message = found.unsafe[0]
        module = program.module_of(node)
        action = f"{_ACTION}; pass `--unsafe` for a Keras model without it"
        yield Draft(CODE, module, node, SEVERITY, f"not converted to Keras: {message}", action)
