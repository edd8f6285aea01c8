"""Functions that run in other processes, where the modes of the starting script do not apply.

An executor (Spark, Ray, Dask, joblib) sends a function to processes that load TensorFlow anew. What
multiprocessing and concurrent.futures start is a copy of the program, or executes its start again.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.is_tf1 import names_of_v1
from tfmigrate.families.tf1.mode_place import Root, roots_at_once, roots_in
from tfmigrate.model.edits import Code, Edit, InsertAfter, InsertBefore
from tfmigrate.resolve.scopes import OtherBinding
from tfmigrate.resolve.starts import called_by
from tfmigrate.rulekit.basics import Module, Program

_EXECUTORS = (
    "celery.", "dask.", "distributed.", "horovod.spark.", "joblib.", "loky.", "mpi4py.futures.",
    "pathos.", "pyspark.", "ray.", "sparkdl.", "tensorflowonspark.",
)  # fmt: skip
# Methods that only the data sets of Spark have.
_OF_SPARK = frozenset(
    {
        "foreachPartition", "foreachPartitionAsync", "mapPartitions", "mapPartitionsWithIndex",
        "mapPartitionsWithSplit",
    }
)  # fmt: skip
_SWITCH = "disable_v2_behavior"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def shipped_switches(program: Program, module: Module, legacy: set[Module]) -> tuple[Edit, ...]:
    """Returns the edits that switch the functions of a file which an executor runs elsewhere.

    Args:
        module: a file of TensorFlow 1.x.
        legacy: all files of TensorFlow 1.x.
    """
    functions = dict.fromkeys(_shipped(module))
    edits: list[Edit] = []
    for function in functions:
        if _builds(program, module, function, legacy):
            edits += _switched(module, function)
    return tuple(edits)


def _shipped(module: Module) -> Iterator[Function]:
    """Yields the functions that a file gives to an executor."""
    for call in module.all(ast.Call):
        if _is_executor(module, call.func):
            for value in (*call.args, *(k.value for k in call.keywords)):
                if (function := _function(module, value)) is not None:
                    yield function
    for function in module.all(ast.FunctionDef):
        for decorator in function.decorator_list:
            if _is_executor(
                module, decorator.func if isinstance(decorator, ast.Call) else decorator
            ):
                yield function


def _is_executor(module: Module, function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute) and function.attr in _OF_SPARK:
        return True
    return ((module.resolve(function) or "") + ".").startswith(_EXECUTORS)


def _function(module: Module, value: ast.expr) -> Function | None:
    """Returns the function of the file that an expression names."""
    if isinstance(value, ast.Call):  # functools.partial(f, ...), or a function that returns one
        return next((f for a in value.args if (f := _function(module, a))), None)
    nodes = [b.node for b in module.bindings(value) if isinstance(b, OtherBinding)]
    return next((n for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))), None)


def _builds(program: Program, module: Module, function: Function, legacy: set[Module]) -> bool:
    """Returns whether a function uses TensorFlow 1.x, itself or in functions that it calls."""
    parts = {function, *called_by(module, module.all(ast.Call, function))}
    if any(a in parts for n in names_of_v1(module) for a in module.ancestors(n)):
        return True
    names = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]
    imports = {binding for name in names if (binding := module.names.root_import(name))}
    return any(program.loaded_by(module, b.statement) & (legacy - {module}) for b in imports)


def _switched(module: Module, function: Function) -> Iterator[Edit]:
    """Yields the edits that make a function switch before it builds anything."""
    if inner := roots_in(module, function, migrated=True):
        yield InsertAfter(inner[0].statement, Code(f"{inner[0].v1}.{_SWITCH}()"))
        return
    outer = roots_at_once(module, migrated=True)
    root = outer[0] if outer else Root(function, "tf", "tf")
    body = function.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if documented and len(body) > 1 else body[0]
    yield InsertBefore(first, Code(f"{root.v1}.{_SWITCH}()"))
    if not outer:
        yield InsertBefore(first, Code("import tensorflow.compat.v1 as tf"))
