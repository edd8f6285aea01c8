"""MNIST, which functions of TensorFlow 1.x read from its files, as arrays.

TensorFlow 2 has ``keras.datasets.mnist``, with other shapes and types and without a validation set.
The files are read as before, so that the first batch has the same images.
"""

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, literal, refuse
from tfmigrate_keras.quotes import quoted

_READERS = tuple(
    f"tensorflow.{package}.read_data_sets"
    for package in (
        "examples.tutorials.mnist.input_data",
        "contrib.learn.datasets.mnist",
        "contrib.learn.python.learn.datasets.mnist",
    )
)
_BY_NAME = "tensorflow.contrib.learn.datasets.load_dataset"
_FOLDER = "MNIST-data"  # of load_dataset
_KEPT = ("train_dir", "one_hot", "validation_size")
_WITHOUT_EFFECT = ("seed",)  # of the order of batches, which only next_batch has
_SETS = ("train", "validation", "test")
_ARRAYS = ("images", "labels", "num_examples")
_WRITTEN_OUT = "read_mnist"


def convert_mnist(plan: Conversion) -> None:
    """Plans the edits of calls that read MNIST.

    Raises:
        Refusal: more than its arrays is used.
    """
    for module in plan.program.modules:
        for name in (*_READERS, _BY_NAME):
            for call in plan.left(module.calls_of(name)):
                _check_uses(plan, module, call)
                plan.replace(module, call, _code(module, call, name == _BY_NAME))
                plan.write_out(module, _WRITTEN_OUT)
                plan.needs(module, "gzip", "keras", "os", "types")


def _code(module: Module, call: ast.Call, by_name: bool) -> Code:
    """Returns the call of the function that is written out."""
    if by_name:
        if literal(argument(call, 0, "name")) != "mnist" or len(call.args) + len(call.keywords) > 1:
            refuse(call, "a data set other than MNIST")
        return Code(_WRITTEN_OUT, (), (quoted(module, _FOLDER),))
    if has_star_arguments(call) or len(call.args) > 1:
        refuse(call, "the arguments of `read_data_sets` are not passed by keyword")
    parts = list(call.args)
    texts = [f"{{{i}}}" for i in range(len(parts))]
    for keyword in call.keywords:
        if keyword.arg in _WITHOUT_EFFECT:
            continue
        if keyword.arg not in _KEPT:
            refuse(keyword.value, f"`{keyword.arg}` of `read_data_sets`")
        name = keyword.arg.replace("train_dir", "folder")
        texts.append(f"{name}={{{len(parts)}}}")
        parts.append(keyword.value)
    return Code(_WRITTEN_OUT, tuple(parts), tuple(texts))


def _check_uses(plan: Conversion, module: Module, call: ast.Call) -> None:
    """Refuses uses of the data sets other than of their arrays."""
    statement = module.parent(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Name):
        refuse(call, "MNIST is not assigned to a variable")
    target = targets[0]
    if module.function(statement) is module.tree:
        for other in plan.program.modules:
            if other is not module and module in plan.program.reachable(other):
                refuse(call, f"other files may use `{target.id}`")
    for node in module.reads(target.id, module.scope(target)):
        one = module.parent(node)
        array = module.parent(one)
        part = isinstance(one, ast.Attribute) and one.attr in _SETS
        if not (part and isinstance(array, ast.Attribute) and array.attr in _ARRAYS):
            refuse(node, f"more of `{node.id}` than its images and labels is used")
