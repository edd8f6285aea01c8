"""A `tf.image` function whose behavior changed becomes the runtime's.

What it does:
    Replaces `tf.image.crop_to_bounding_box` where a position or size is not a constant, and
    `tf.image.flip_left_right`, `flip_up_down`, `random_flip_left_right`, `random_flip_up_down` and
    `rot90` of an image from `tf.image.decode_image`.

Why:
    TensorFlow 1.x accepted int64 positions, the type that examples in files have; TensorFlow 2
    raises TypeError. TensorFlow 1.x treated an image of unknown rank as a single image and returned
    three dimensions. TensorFlow 2 decides the rank in the graph, and a later
    `tf.image.resize_images` raises ValueError. changed_functions.md lists the functions that
    were compared.

Example:
    Before::

        import tensorflow as tf

        def input_fn():
          example = tf.parse_single_example(read(), FEATURES)
          box = [example[name] for name in ('top', 'left', 'height', 'width')]
          image = tf.image.decode_png(example['image'])
          return tf.image.crop_to_bounding_box(image, *box)

        def main(model_fn):
          tf.estimator.Estimator(model_fn).train(input_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator
        from tfmigrate_runtime import image_ops

        def input_fn():
          example = tf.parse_single_example(read(), FEATURES)
          box = [example[name] for name in ('top', 'left', 'height', 'width')]
          image = tf.image.decode_png(example['image'])
          return image_ops.crop_to_bounding_box(image, *box)

        def main(model_fn):
          estimator.Estimator(model_fn).train(input_fn)

What is left to you:
    Nothing.

Safety:
    Safe: with int32 and Python numbers both compute the same.
"""

import ast

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.scopes import AssignBinding
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Use
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import IMAGE_OPS

SEVERITY = Severity.FIXED

_IMAGE = "tensorflow.image."
_CROP = "crop_to_bounding_box"
_OF_ANY_RANK = (
    "flip_left_right", "flip_up_down", "random_flip_left_right", "random_flip_up_down", "rot90",
)  # fmt: skip
_UNKNOWN_RANK = f"{_IMAGE}decode_image"


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a training program that calls such functions."""
    for module in migrated(program, _CROP, "decode_image"):
        uses = [use for use in module.uses if _is_changed(module, use)]
        if not uses:
            continue
        name = runtime_name(module, IMAGE_OPS)
        edits: list[Edit] = [
            ReplaceExpression(use.node, Code(f"{name}.{use.qualified.removeprefix(_IMAGE)}"))
            for use in uses
        ]
        message = "changed tf.image functions -> tfmigrate_runtime.image_ops"
        edits += runtime_import(module, IMAGE_OPS, *(use.node for use in uses))
        yield file_draft(program, module, [use.node for use in uses], edits, message)


def _is_changed(module: Module, use: Use) -> bool:
    """Returns whether a call may behave differently on TensorFlow 2."""
    if (call := module.call_of(use.node)) is None:
        return False
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    if use.qualified == _IMAGE + _CROP:
        return not all(_is_number(argument) for argument in arguments[1:])
    name = use.qualified.removeprefix(_IMAGE)
    return name != use.qualified and name in _OF_ANY_RANK and _has_no_rank(module, arguments[:1])


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _has_no_rank(module: Module, images: list[ast.expr]) -> bool:
    """Returns whether an image is what decode_image returned, or a name that holds nothing else."""
    if not images:
        return False
    node = images[0]
    if isinstance(node, ast.Name):
        bindings = module.bindings(node)
        return (
            _keeps_its_shape(module, node)
            and bool(bindings)
            and all(
                isinstance(b, AssignBinding) and _decodes(module, b.value) for b in bindings[:1]
            )
        )
    return _decodes(module, node)


def _decodes(module: Module, node: ast.AST | None) -> bool:
    return called(module, node) == _UNKNOWN_RANK


def _keeps_its_shape(module: Module, name: ast.Name) -> bool:
    """Returns whether no set_shape gives the name's image a rank."""
    return not any(
        isinstance(node.value, ast.Name) and node.value.id == name.id and node.attr == "set_shape"
        for node in module.all(ast.Attribute)
    )
