"""Cells of ``tf.nn.rnn_cell`` with ``tf.nn.dynamic_rnn`` become an RNN layer.

The cell is written out: Keras has separate kernels for inputs and state, with other initial values,
where a cell of TensorFlow 1.x had one.
"""

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import Arguments
from tfmigrate_keras.conversion import Conversion, local_values, reads, refuse, resolved
from tfmigrate_keras.tables.layers import CELLS
from tfmigrate_keras.tensors import source

_RNN = "tensorflow.nn.dynamic_rnn"
_ARGUMENTS = ("cell", "inputs", "dtype", "scope")


def convert_recurrent(plan: Conversion, module: Module, function: ast.FunctionDef) -> None:
    """Plans the edits of the recurrent layers in a function that builds a model.

    Raises:
        Refusal: a layer is used in another way.
    """
    for call in module.calls_of(_RNN):
        if module.function(call) is function and not plan.is_removed(call):
            _convert(plan, module, call)


def _convert(plan: Conversion, module: Module, call: ast.Call) -> None:
    cell, inputs = argument(call, 0, "cell"), argument(call, 1, "inputs")
    unknown = [k.value for k in call.keywords if k.arg not in _ARGUMENTS]
    if cell is None or inputs is None or unknown or len(call.args) > 2:
        reason = "the arguments of `tf.nn.dynamic_rnn` are not a cell and its inputs alone"
        refuse((*unknown, call)[0], reason)
    if resolved(module, argument(call, 5, "dtype")) != "tensorflow.float32":
        refuse(call, "the type of `tf.nn.dynamic_rnn` is not `tf.float32`")
    statement = module.parent(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Tuple):
        refuse(call, "the result of `tf.nn.dynamic_rnn` is not assigned to two variables")
    outputs, state = target.elts
    if not isinstance(state, ast.Name) or reads(module, module.function(state), state.id):
        refuse(state, "the last state of a recurrent layer is used")
    _convert_cell(plan, module, cell)
    plan.needs(module, "keras")
    layer = Code("{0} = keras.layers.RNN({1}, return_sequences=True)({2})", (outputs, cell, inputs))
    plan.replace_statement(module, statement, layer)


def _convert_cell(plan: Conversion, module: Module, cell: ast.expr) -> None:
    cell_call = source(module, cell)
    entry = CELLS.get(called(module, cell_call))
    if entry is None or not isinstance(cell_call, ast.Call):
        refuse(cell_call, f"the cell `{ast.unparse(cell_call)[:60]}` is not in the vocabulary")
    if isinstance(cell, ast.Name):
        values, uses = local_values(module, cell), reads(module, module.function(cell), cell.id)
        if len(values or ()) != 1 or len(uses) != 1:
            refuse(cell, "the cell is used several times")
    plan.write_out(module, entry.target)
    plan.replace(module, cell_call, Arguments(module, cell_call, entry).code(plan))
