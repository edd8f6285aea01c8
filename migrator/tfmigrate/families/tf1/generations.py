"""Which TensorFlow a program is written for, where its names alone do not show it."""

import ast
from collections.abc import Collection, Iterable

from tfmigrate.resolve.module import Module, asked_once, imports
from tfmigrate.tables.keras_1_arguments import new_argument

# Names that fail at once in eager mode, even outside model functions.
GRAPH_MODE_ONLY = (
    "tensorflow.placeholder", "tensorflow.placeholder_with_default", "tensorflow.Session",
    "tensorflow.InteractiveSession", "tensorflow.train.replica_device_setter",
    "tensorflow.keras.backend.get_session", "keras.backend.get_session",
    "keras.backend.tensorflow_backend.get_session",
)  # fmt: skip
# Names that return input as tensors of a queue.
INPUT_QUEUES = tuple(
    f"tensorflow.train.{name}"
    for name in (
        "batch", "batch_join", "input_producer", "maybe_batch", "maybe_batch_join",
        "maybe_shuffle_batch", "maybe_shuffle_batch_join", "shuffle_batch", "shuffle_batch_join",
        "slice_input_producer", "string_input_producer",
    )
)  # fmt: skip
# Names that only TensorFlow 1.x has and that do the same in both modes.
SAME_IN_BOTH_MODES = (
    "FixedLenFeature", "FixedLenSequenceFeature", "SparseFeature", "VarLenFeature", "VERSION",
    "app", "examples", "flags", "gfile", "logging", "python_io", "resource_loader",
    "set_random_seed", "sysconfig",
)  # fmt: skip
_EAGER_SWITCHES = (
    "tensorflow.enable_eager_execution",
    "tensorflow.enable_v2_behavior",
    "tensorflow.contrib.eager.enable_eager_execution",
)
# TensorFlow 1.15 has them too, for programs that switch eager execution on.
_EAGER_STYLE = ("tensorflow.function", "tensorflow.GradientTape")
# Names that build and train Keras models; programs with a session use the other names too.
_OF_MODELS = tuple(
    f"tensorflow.keras.{name}"
    for name in (
        "Input", "Model", "Sequential", "applications", "callbacks", "layers", "losses", "metrics",
        "models", "optimizers",
    )
)  # fmt: skip


@asked_once
def is_eager_style(module: Module) -> bool:
    """Returns whether a file is written for eager execution and does not enable it itself."""
    switched = module.uses_of(*_EAGER_SWITCHES)
    return not switched and bool(module.uses_of(*_EAGER_STYLE) or needs_eager(module))


@asked_once
def needs_eager(module: Module) -> list[ast.AST]:
    """Returns what a file of TensorFlow 1.x uses only if it enables eager execution.

    That is ``assert tf.executing_eagerly()``, and ``tf.function``: no program traces in a session.
    """
    if module.uses_of(*_EAGER_SWITCHES):
        return []
    around = [module.parent(call) for call in module.calls_of("tensorflow.executing_eagerly")]
    asserted = [node for node in around if isinstance(node, ast.Assert)]
    if len(asserted) < len(around):
        asserted = []  # the file asks for the mode elsewhere: it is written for both
    return [*asserted, *(use.node for use in module.uses_of("tensorflow.function"))]


@asked_once
def has_keras_models(module: Module) -> bool:
    """Returns whether a file builds or trains Keras models."""
    if not module.mentions("keras"):
        return False
    if any((b.qualified + ".").startswith("keras.") for b in imports(module)):
        return True
    prefixes = tuple(f"{name}." for name in _OF_MODELS)
    return any((use.qualified + ".").startswith(prefixes) for use in module.uses)


def _is_of_keras_1(module: Module) -> bool:
    """Returns whether a file passes arguments that standalone Keras took before TensorFlow 2."""
    return any(
        new_argument(use.qualified.rpartition(".")[2], keyword.arg or "")
        for use in module.keras_uses
        if use.qualified.startswith("keras.") and (call := module.call_of(use.node)) is not None
        for keyword in call.keywords
    )


def is_modern(
    start: Module, parts: Collection[Module], old: Iterable[Module], modern: Collection[Module]
) -> bool:
    """Returns whether a program is written for TensorFlow 2.

    Keras is in both: where something needs a session, a program with Keras is of TensorFlow 1.x,
    and where a file of TensorFlow 1.x has its models, too, and none has names of TensorFlow 2.

    Args:
        start: the file that it starts with, which has no name of TensorFlow 1.x alone.
        parts: that file, and what it imports in addition to files of TensorFlow 1.x.
        old: the files of TensorFlow 1.x that it imports, directly or not.
        modern: files with names that only TensorFlow 2 has.
    """
    if is_eager_style(start):
        return True
    if any(map(_is_of_keras_1, parts)):
        return False
    written = any(is_eager_style(m) or has_keras_models(m) for m in parts)
    is_named = any(m in modern for m in parts)
    return written and not any(
        m.uses_of(*GRAPH_MODE_ONLY) or (has_keras_models(m) and not is_named) for m in old
    )
