"""A program that cannot become a Keras 3 model gets its default form.

What it does:
    With `--target keras`, reports each program that is started and stays as it is: one finding,
    at the first line that keeps it from becoming a Keras model, with the reasons of further lines
    that have no equivalent in Keras. The program is migrated as without the option.

Why:
    A program is converted whole or not at all: a model that trains differently is worse than none.

Example:
    Before (with --target keras)::

        import tensorflow as tf
        from model import input_fn, model_fn

        tf.estimator.Estimator(model_fn).train(input_fn, steps=100)

What is left to you:
    Nothing, unless you want a Keras model: then change the lines that are reported.

Safety:
    Safe: the default form runs and is verified as before.
"""

from tfmigrate.model.targets import KERAS
from tfmigrate.rulekit.basics import Drafts, Module, Program, Refusal, Severity, drafted

NAME = "not-a-keras-model"
SEVERITY = Severity.KEPT
TARGET = KERAS

_ACTION = "no action needed: the program gets its default form"


def check(program: Program) -> Drafts:
    """Yields a draft for each program that does not become a Keras model, with all obstacles."""
    # Imported here, not at the start of every run: the conversion is 125 modules.
    from tfmigrate_keras.conversion import Conversion
    from tfmigrate_keras.obstacles import obstacles
    from tfmigrate_keras.whole_program import conversion

    for refusals in obstacles(program):
        first, *others = refusals
        module = program.module_of(first.node)
        action = f"{_ACTION}; for a Keras model, {first.action}" if first.action else _ACTION
        reasons = [first.reason, *(_placed(program, module, other) for other in others)]
        message = f"not converted to Keras: {'; '.join(reasons)}"
        yield drafted(module, first.node, message, action)
    outcome = program.once(conversion)
    if isinstance(outcome, Conversion) and outcome.unsafe:
        _, node, message = outcome.unsafe[0]
        module = program.module_of(node)
        action = f"{_ACTION}; pass `--unsafe` for a Keras model without it"
        yield drafted(module, node, f"not converted to Keras: {message}", action)


def _placed(program: Program, module: Module, refusal: Refusal) -> str:
    """Returns the reason of a further place, with its line, and its file where that is another."""
    home = program.module_of(refusal.node)
    place = f"line {home.position(refusal.node)[0]}"
    return f"{refusal.reason} ({place if home is module else f'{home.source.display}, {place}'})"
