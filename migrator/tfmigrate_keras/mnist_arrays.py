"""MNIST, which functions of TensorFlow 1.x read from its files, as arrays."""

import ast
from collections.abc import Sequence

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
_OF_BATCHES = (*_ARRAYS, "next_batch", "epochs_completed")
_SEEDS = ("tensorflow.set_random_seed", "tensorflow.random.set_random_seed")
_WRITTEN_OUT = "read_mnist"
_WITH_BATCHES = "mnist_batches"


def convert_mnist(plan: Conversion, batches: bool = False) -> None:
    """Plans the edits of calls that read MNIST.

    Raises:
        Refusal: more than its arrays is used, and its batches.
    """
    for module in plan.program.modules:
        for name in (*_READERS, _BY_NAME):
            for call in module.calls_of(name):
                if not plan.is_removed(call):
                    known = _OF_BATCHES if batches else _ARRAYS
                    takes = _check_uses(plan, module, call, known)
                    code = _code(module, call, name == _BY_NAME)
                    if takes:
                        code = _with_batches(module, call, code)
                    plan.replace(module, call, code)
                    plan.write_out(module, _WITH_BATCHES if takes else _WRITTEN_OUT)
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


def _with_batches(module: Module, call: ast.Call, code: Code) -> Code:
    """Returns the call of the function whose sets have batches, in the order of TensorFlow 1.x."""
    own_seed = argument(call, 6, "seed")
    texts, parts = list(code.arguments), list(code.parts)
    if own_seed is not None:
        texts.append(f"seed={{{len(parts)}}}")
        return Code(_WITH_BATCHES, (*parts, own_seed), tuple(texts))
    seeds = list(module.calls_of(*_SEEDS))
    home = module.function(call)
    above = [
        seed
        for seed in seeds
        if module.position(seed) < module.position(call) and module.function(seed) is home
    ]
    if seeds and (above != seeds or len(seeds) != 1 or len(seeds[0].args) != 1):
        refuse(seeds[0], "which seed the order of MNIST's batches has")
    if seeds:
        texts.append(f"seed={{{len(parts)}}}")
        parts.append(seeds[0].args[0])
    return Code(_WITH_BATCHES, tuple(parts), tuple(texts))


def _check_uses(plan: Conversion, module: Module, call: ast.Call, known: Sequence[str]) -> bool:
    """Refuses uses of the data sets other than of some names; says whether batches are taken."""
    takes = False
    statement = module.parent(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Name):
        refuse(call, "MNIST is not assigned to a variable")
    target = targets[0]
    scope = (module.names.scope_of[target].lookup(target.id) or (None,))[0]
    if module.function(statement) is module.tree:
        for other in plan.program.modules:
            if other is not module and module in plan.program.reachable(other):
                refuse(call, f"other files may use `{target.id}`")
    for node in module.all(ast.Name):
        if node.id != target.id or not isinstance(node.ctx, ast.Load):
            continue
        if (module.names.scope_of[node].lookup(node.id) or (None,))[0] is not scope:
            continue
        one = module.parent(node)
        array = module.parent(one)
        part = isinstance(one, ast.Attribute) and one.attr in _SETS
        if not (part and isinstance(array, ast.Attribute) and array.attr in known):
            refuse(node, f"more of `{node.id}` than its images and labels is used")
        takes = takes or array.attr not in _ARRAYS
        taken = module.parent(array)
        if array.attr == "next_batch" and not (
            isinstance(taken, ast.Call)
            and taken.func is array
            and all(k.arg in ("batch_size", "shuffle") for k in taken.keywords)
            and len(taken.args) <= 1
        ):
            refuse(array, "the arguments of `next_batch`")
    return takes
