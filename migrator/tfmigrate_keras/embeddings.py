"""``tf.get_variable`` with ``tf.nn.embedding_lookup`` becomes an Embedding layer.

Keras has no lookup of a variable of the program. The layer that holds the variable is the lookup,
so that a table which is read in any other way has no equivalent.
"""

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import converted_value
from tfmigrate_keras.conversion import LOOPS, Conversion, local_values, reads, refuse
from tfmigrate_keras.quotes import quoted
from tfmigrate_keras.tables.columns import EMBEDDING
from tfmigrate_keras.tensors import source

_LOOKUP = "tensorflow.nn.embedding_lookup"
_VARIABLE = "tensorflow.get_variable"
# What tf.get_variable uses if it is given no initializer.
_DEFAULT = "keras.initializers.GlorotUniform()"


def has_embeddings(plan: Conversion) -> bool:
    """Returns whether a program looks up embeddings."""
    return any(
        module.calls_of(name) for module in plan.program.modules for name in (_LOOKUP, EMBEDDING)
    )


def convert_embeddings(
    plan: Conversion, module: Module, function: ast.FunctionDef, once: bool
) -> None:
    """Plans the edits of the embeddings in a function that builds a model.

    Args:
        once: whether it is called once only.

    Raises:
        Refusal: an embedding is used in another way.
    """
    for call in module.calls_of(_LOOKUP):
        if module.function(call) is function and not plan.is_removed(call):
            variable_call = _convert(plan, module, call)
            name = argument(variable_call, 0, "name")
            named = str(name.value) if isinstance(name, ast.Constant) else ""
            several = not once or any(isinstance(a, LOOPS) for a in module.ancestors(variable_call))
            if named and plan.layer_names.setdefault(named, variable_call) is not variable_call:
                several = True
            if several and (named or plan.reuses):
                refuse(variable_call, "embeddings of one name, which may share their variable")


def _convert(plan: Conversion, module: Module, call: ast.Call) -> ast.Call:
    table = argument(call, 0, "params")
    ids = argument(call, 1, "ids")
    if not isinstance(table, ast.Name) or ids is None or len(call.args) + len(call.keywords) > 2:
        refuse(call, "the embedding is not a single variable that is looked up by its name")
    variable_call = source(module, table)
    if called(module, variable_call) != _VARIABLE or not isinstance(variable_call, ast.Call):
        refuse(table, f"`{table.id}` is not created by `tf.get_variable`")
    if (
        len(reads(module, module.tree, table.id)) != 1
        or len(local_values(module, table) or ()) != 1
    ):
        refuse(variable_call, f"the variable `{table.id}` is used for more than the lookup")
    plan.replace(module, variable_call, _layer(plan, module, variable_call))
    plan.replace(module, call, Code("{0}({1})", (table, ids)))
    return variable_call


def _layer(plan: Conversion, module: Module, get_variable: ast.Call) -> Code:
    shape = argument(get_variable, 1, "shape")
    if not isinstance(shape, (ast.List, ast.Tuple)) or len(shape.elts) != 2:
        refuse(get_variable, "the shape of the embedding is not a literal")
    name = argument(get_variable, 0, "name")
    initializer = argument(get_variable, 3, "initializer")
    known = ("name", "shape", "initializer", "dtype", "trainable")
    for keyword in get_variable.keywords:
        if keyword.arg not in known:
            refuse(keyword.value, f"`{keyword.arg}` of `tf.get_variable`")
    text = _DEFAULT
    parts = list(shape.elts)
    arguments = ["{0}", "{1}"]
    if initializer is not None:
        converted = converted_value(plan, module, "embeddings_initializer", initializer)
        if converted is None:
            refuse(initializer, f"the initializer `{ast.unparse(initializer)}`")
        text = converted
    arguments.append(f"embeddings_initializer={text}")
    if isinstance(name, ast.Constant):
        arguments.append(f"name={quoted(module, str(name.value).replace('/', '_'))}")
    plan.needs(module, "keras")
    return Code("keras.layers.Embedding", tuple(parts), tuple(arguments))
