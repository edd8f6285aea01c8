"""Arguments of Keras 1 become those of tf.keras.

What it does:
    Where TFM723 replaces standalone Keras with `tf.keras`, renames the arguments of Keras 1 that
    Keras 2.0 to 2.3 took as well: `border_mode`, `nb_filter`, `subsample`, `init`, `output_dim`,
    `nb_epoch` and others. The integers of `Convolution2D(16, 3, 3)` become the tuple of the kernel
    size. Arguments without an effect (`consume_less`) are removed.

Why:
    `tf.keras` raises TypeError for these names. It takes the second 3 of `Conv2D(16, 3, 3)` for
    the strides: the model would be a different one.

Example:
    Before::

        import tensorflow as tf
        from keras.layers import Convolution2D

        def model(images):
          with tf.Session():
            return Convolution2D(16, 3, 3, border_mode='same')(images)

    After::

        import os

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

        import tensorflow.compat.v1 as tf
        from tensorflow.keras.layers import Convolution2D

        def model(images):
          with tf.Session():
            return Convolution2D(16, (3, 3), padding='same')(images)

What is left to you:
    Arguments whose meaning changed are reported: `samples_per_epoch` counted samples in Keras 1 and
    batches in Keras 2. So are convolutions whose third argument may be an integer.

Safety:
    Safe: Keras 2.0 to 2.3 did the same.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_objects import keras_name
from tfmigrate.families.tf1.is_tf1 import is_kept_off
from tfmigrate.families.tf1.migrated_files import file_draft
from tfmigrate.families.tf1.standalone_keras import PACKAGE, of_tensorflow_1
from tfmigrate.model.edits import ArrangeArguments, Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import has_star_arguments, written_arguments
from tfmigrate.resolve.module import star_imports
from tfmigrate.resolve.origins import origins
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted
from tfmigrate.tables.keras_1_arguments import (
    NONE,
    OF_SEQUENCES,
    OTHER,
    SIZE_NAMES,
    SIZES,
    keras_1_arguments,
    new_argument,
)

SEVERITY = Severity.FIXED
_FORMATS = {"tf": "'channels_last'", "th": "'channels_first'", "default": "None"}
# With these, Keras 2 takes no integers for the size of a kernel.
_OF_KERAS_2 = {"padding", "strides", "data_format"}
_DIMENSIONS = ("input_length", "input_dim")
_BATCHES = "pass {}: the number of batches, not of samples"
_ACTIONS = {
    "samples_per_epoch": _BATCHES.format("steps_per_epoch"),
    "nb_val_samples": _BATCHES.format("validation_steps"),
    "val_samples": _BATCHES.format("steps"),
    "dim_ordering": "pass data_format, 'channels_last' for 'tf' and 'channels_first' for 'th'",
    "dropout": "put a SpatialDropout1D after the layer",
    "init": "pass depthwise_initializer and pointwise_initializer",
    "mode": "use layers with mode 0, or other layers for the normalization",
}


@dataclass
class _Change:
    """What becomes of the arguments of one call.

    Attributes:
        arguments: the keyword ("" for none) and the value of each that stays.
        values: the edits of values.
        added: further arguments, as text.
        left: what stays: the place, the message, and what to do.
    """

    arguments: list[tuple[str, ast.expr]]
    values: list[Edit] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    left: list[tuple[ast.expr, str, str]] = field(default_factory=list)

    def edits(self, call: ast.Call) -> list[Edit]:
        """Returns the edits of the call."""
        if self.arguments == written_arguments(call) and not self.added:
            return []
        arranged = ArrangeArguments(call, tuple(self.arguments), tuple(self.added))
        return [arranged, *self.values]


def check(program: Program) -> Drafts:
    """Yields a draft for the calls of a file that change, and one for each argument that stays."""
    migrated = program.once(of_tensorflow_1)
    for module in sorted(migrated, key=program.modules.index):
        places: list[ast.AST] = []
        edits: list[Edit] = []
        for call, name in _calls(program, module):
            change = _change(module, call, name)
            for node, message, action in change.left:
                yield drafted(module, node, message, action)
            if changed := change.edits(call):
                places.append(call)
                edits += changed
        if places:
            message = "arguments of Keras 1 -> tf.keras"
            yield file_draft(program, module, places, edits, message)
    for module in program.once(keras_3_modules):  # what has other names there is TFM519's
        if module not in migrated:
            for call, name in _calls(program, module):
                # In Keras 3, the third argument of a Conv2D is often meant.
                is_old = name.startswith("Convolution") or _has_old_names(call, name)
                if len(call.args) > 2 and is_old and _sizes(module, call, name):
                    place, message, action = _unclear(call, name, "Keras 3")
                    yield drafted(module, place, message, action)


def _calls(program: Program, module: Module) -> Iterator[tuple[ast.Call, str]]:
    """Yields the calls of what took arguments of Keras 1, with the name in the table."""
    stars = [s for s in star_imports(module, PACKAGE) if not program.is_own(module, s.module or "")]
    for call in module.all(ast.Call):
        function = call.func
        if isinstance(function, ast.Attribute) and f".{function.attr}" in keras_1_arguments():
            name = f".{function.attr}"
        elif (module.resolve(function) or "").startswith(f"{PACKAGE}."):
            name = keras_name(program, module, function).rpartition(".")[2]
        elif stars and isinstance(function, ast.Name) and module.scope(function) is None:
            name = function.id
        else:
            continue
        is_whole = name in keras_1_arguments() and not has_star_arguments(call)
        if is_whole and not is_kept_off(program, module, call):
            yield call, name


def _change(module: Module, call: ast.Call, name: str) -> _Change:
    """Returns what becomes of the arguments of a call."""
    sizes = _sizes(module, call, name)
    change = _Change([])
    if sizes:
        places = ", ".join(f"{{{index}}}" for index in range(len(sizes)))
        # The last one, because the others have to be known by then.
        change.values.append(ReplaceExpression(sizes[-1], Code(f"({places})", tuple(sizes))))
    elif _may_be_sizes(module, call, name):
        change.left.append(_unclear(call, name, "tf.keras"))
    for value in call.args:
        if value not in sizes:
            change.arguments.append(("", value))
        elif value is sizes[0]:
            change.arguments.append(("", sizes[-1]))
    for keyword in call.keywords:
        if keyword.value not in sizes:
            _rename(change, name, keyword)
        elif keyword.value is sizes[0]:
            change.arguments.append(("kernel_size", sizes[-1]))
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in OF_SEQUENCES and "input_dim" in named:
        change.arguments = [(k, v) for k, v in change.arguments if k not in _DIMENSIONS]
        shape = [module.code(named[k]) if k in named else "None" for k in _DIMENSIONS]
        change.added.append(f"input_shape=({', '.join(shape)})")
    return change


def _rename(change: _Change, name: str, keyword: ast.keyword) -> None:
    """Adds a keyword by the name that it has now."""
    value, old = keyword.value, keyword.arg or ""
    new = keras_1_arguments()[name].get(old, old)
    if old == "mode" and getattr(value, "value", None) != 0:
        new = OTHER
    if new == NONE:
        return
    if old == "dim_ordering":
        if (format_ := _FORMATS.get(getattr(value, "value", ""))) is None:
            new = OTHER
        else:
            change.values.append(ReplaceExpression(value, Code(format_)))
    change.arguments.append((old if new == OTHER else new, value))
    if new == OTHER:
        message = f"{name.lstrip('.')} of tf.keras has no argument {old}, which Keras 1 had"
        change.left.append((value, message, _ACTIONS.get(old, "express it in another way")))


def _sizes(module: Module, call: ast.Call, name: str) -> list[ast.expr]:
    """Returns the integers that are the size of a kernel together; [] for none."""
    names = SIZE_NAMES.get(SIZES.get(name, 0), ())
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    values = [*call.args[1:], *(named[n] for n in names[len(call.args[1:]) :] if n in named)]
    if not names or len(values) != len(names):
        return []
    kinds = {_kind(module, value) for value in values}
    return values if kinds == {int} or (_has_old_names(call, name) and kinds <= {int, None}) else []


def _has_old_names(call: ast.Call, name: str) -> bool:
    return any(new_argument(name, keyword.arg or "") for keyword in call.keywords)


def _may_be_sizes(module: Module, call: ast.Call, name: str) -> bool:
    """Returns whether arguments may be integers that Keras 2 takes for the size of a kernel."""
    values = call.args[1:]
    return (
        len(values) > 1
        and len(values) == SIZES.get(name, 0)
        and {_kind(module, value) for value in values} <= {int, None}
        and _OF_KERAS_2.isdisjoint(str(keyword.arg) for keyword in call.keywords)
    )


def _kind(module: Module, node: ast.expr) -> type | None:
    """Returns the type of a value: int, or tuple for any other one; None where it is unknown."""
    known = origins(module, node)
    if known is None or not all(isinstance(o, (ast.Constant, ast.Tuple, ast.List)) for o in known):
        return None
    return int if all(isinstance(getattr(o, "value", None), int) for o in known) else tuple


def _unclear(call: ast.Call, name: str, version: str) -> tuple[ast.expr, str, str]:
    message = f"argument 3 of keras.layers.{name} is strides in {version}; Keras before 2.4 takes "
    message += "integers there for the size of the kernel"
    return call.args[2], message, "pass a tuple as kernel_size, and strides by name"
