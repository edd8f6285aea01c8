"""``numpy_input_fn`` becomes a Dataset of the rows of the arrays.

Shuffled rows come from a buffer of ``queue_capacity``, as they did from a queue of that size.
"""

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, called, literal, refuse

_NUMPY = "tensorflow.estimator.inputs.numpy_input_fn"
_NAMES = ("x", "y", "batch_size", "num_epochs", "shuffle", "queue_capacity", "num_threads")
_DATASET = "numpy_dataset"
_THREADS = _NAMES.index("num_threads")


def dataset_of_arrays(
    plan: Conversion, module: Module, node: ast.expr, numpy_call: ast.expr
) -> Code | None:
    """Returns the code of the Dataset of an input function that ``numpy_input_fn`` makes.

    Args:
        plan: the conversion; the call of ``numpy_input_fn`` is replaced.
        module: the file.
        node: the input function.
        numpy_call: what it got its value from.

    Raises:
        Refusal: the order of the rows depends on threads.
    """
    if called(module, numpy_call) != _NUMPY or not isinstance(numpy_call, ast.Call):
        return None
    if has_star_arguments(numpy_call):
        refuse(numpy_call, "the arguments of `numpy_input_fn` are passed by `*` or `**`")
    arguments = [*zip(_NAMES, numpy_call.args, strict=False)]
    arguments += [(k.arg or "", k.value) for k in numpy_call.keywords]
    texts: list[str] = []
    parts: list[ast.expr] = []
    for position, (name, value) in enumerate(arguments):
        if name == _NAMES[_THREADS]:
            if literal(value) != 1:
                refuse(value, "several threads of `numpy_input_fn`, whose order is not known")
            continue
        plain = position < len(numpy_call.args)
        texts.append(f"{{{len(parts)}}}" if plain else f"{name}={{{len(parts)}}}")
        parts.append(value)
    plan.write_out(module, _DATASET)
    if node is numpy_call:
        return Code(_DATASET, tuple(parts), tuple(texts))
    if plan.first_time(numpy_call):
        plan.needs(module, "functools")
        code = Code("functools.partial", tuple(parts), (_DATASET, *texts))
        plan.replace(module, numpy_call, code)
    return Code("{0}()", (node,))
