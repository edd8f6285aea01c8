"""Divisions of Python 2, which drop the remainder where both sides are integers.

Python 3's ``/`` does not, so each division of a converted file is one of three kinds: between
integers (it becomes ``//``), with a float (it stays), or unknown. Of an unknown kind whose result
has to be an integer, integers are divided: Python 2 took no float there either.
"""

import ast
import enum
import io
import tokenize
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.resolve.names import Names
from tfmigrate.resolve.scopes import AssignBinding

_INTEGER_FUNCTIONS = frozenset({"int", "len", "ord"})
# Functions that always return a float in Python 2, or arrays of them.
_FLOAT_FUNCTIONS = (
    frozenset({"float", "time.time", "time.clock", "random.random"})
    | {
        f"{module}.{name}"
        for module in ("math", "numpy")
        for name in ("ceil", "cos", "e", "exp", "floor", "log", "log10", "pi", "sin", "sqrt")
    }
    | {"math.pow", "numpy.linalg.norm"}
    | {f"numpy.{name}" for name in ("average", "mean", "median", "percentile", "std", "var")}
    | {f"numpy.{name}" for name in ("hamming", "hanning", "log2", "tan", "tanh")}
    | {f"numpy.random.{name}" for name in ("normal", "rand", "randn", "uniform")}
    | {f"{module}.float{size}" for module in ("numpy", "tensorflow") for size in (16, 32, 64)}
    | {"tensorflow.to_float"}
)
# What astype and dtype= take for them.
_FLOAT_TYPES = frozenset({"float", "float16", "float32", "float64", "f", "d"})
_RANGES = frozenset({"range", "xrange", "six.moves.range", "six.moves.xrange", "builtins.range"})
_FOLLOWED = 8  # names and operators that are followed into one side of a division
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


class Kind(enum.Enum):
    """What a side of a division is."""

    INTEGER = "integer"
    FLOAT = "float"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Division:
    """One ``/`` or ``/=``.

    Attributes:
        node: the operation.
        kind: INTEGER where both sides are integers, FLOAT where one is a float.
    """

    node: ast.BinOp | ast.AugAssign
    kind: Kind


def divisions(tree: ast.Module) -> list[Division]:
    """Returns the divisions of a file in Python 2's meaning, none where it imports Python 3's."""
    if any(
        isinstance(statement, ast.ImportFrom)
        and statement.module == "__future__"
        and any(alias.name == "division" for alias in statement.names)
        for statement in tree.body
    ):
        return []
    names = Names(tree)
    integers = set(_integers(tree, names))
    all_divisions = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            kind = _kind_of(names, node.left, node.right)
            is_integer = kind is Kind.UNKNOWN and node in integers
            all_divisions.append(Division(node, Kind.INTEGER if is_integer else kind))
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            all_divisions.append(Division(node, _kind_of(names, node.target, node.value)))
    return sorted(all_divisions, key=lambda d: (d.node.lineno, d.node.col_offset))


def _integers(tree: ast.Module, names: Names) -> Iterator[ast.expr]:
    """Yields bounds of slices and of ``range``, and the values of names that are such bounds."""
    for node in ast.walk(tree):
        bounds: list[ast.expr | None] = []
        if isinstance(node, ast.Slice):
            bounds = [node.lower, node.upper]
        elif isinstance(node, ast.Call) and _spelled(names, node.func) in _RANGES:
            bounds = [*node.args]
        for bound in bounds:
            if bound and (bindings := names.variable(bound)[1]):
                values = [b.value for b in bindings if isinstance(b, AssignBinding)]
                yield from values if len(values) == len(bindings) else ()
            elif bound:
                yield bound


def with_floor_divisions(text: str, wanted: list[Division]) -> str:
    """Returns a text with ``//`` instead of ``/`` in the given divisions."""
    if not wanted:
        return text
    lines = io.StringIO(text, newline="").readlines()
    operators = [
        token.start
        for token in tokenize.generate_tokens(iter([*lines, ""]).__next__)
        if token.type == tokenize.OP and token.string in ("/", "/=")
    ]
    places = {operators[bisect_left(operators, _end(lines, d.node))] for d in wanted}
    for line, column in sorted(places, reverse=True):
        old = lines[line - 1]
        lines[line - 1] = old[:column] + "/" + old[column:]
    return "".join(lines)


def _end(lines: list[str], node: ast.BinOp | ast.AugAssign) -> tuple[int, int]:
    """Returns the line and the column that a division's left side ends at."""
    left = node.left if isinstance(node, ast.BinOp) else node.target
    assert left.end_lineno is not None
    assert left.end_col_offset is not None
    return left.end_lineno, len(lines[left.end_lineno - 1].encode()[: left.end_col_offset].decode())


def _kind_of(names: Names, left: ast.expr, right: ast.expr, depth: int = 0) -> Kind:
    kinds = {_kind(names, left, depth), _kind(names, right, depth)}
    if Kind.FLOAT in kinds:
        return Kind.FLOAT
    return Kind.UNKNOWN if Kind.UNKNOWN in kinds else Kind.INTEGER


def _kind(names: Names, node: ast.expr, depth: int) -> Kind:
    """Returns the kind of a value, as far as the text determines it."""
    if depth > _FOLLOWED:
        return Kind.UNKNOWN
    if isinstance(node, ast.Constant):
        return _kind_of_constant(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return _kind(names, node.operand, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        return _kind_of(names, node.left, node.right, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        kind = _kind_of(names, node.left, node.right, depth + 1)
        return Kind.UNKNOWN if kind is Kind.INTEGER else kind  # 2 ** -1 is a float
    if isinstance(node, ast.Call):
        return Kind.FLOAT if _is_cast(names, node) else _kind_of_name(names, node.func)
    if isinstance(node, ast.Subscript):  # a part of an array of floats
        kind = _kind(names, node.value, depth)
        return kind if kind is Kind.FLOAT else Kind.UNKNOWN
    if isinstance(node, (ast.Name, ast.Attribute)):
        known = _kind_of_name(names, node)
        return known if known is not Kind.UNKNOWN else _kind_of_bindings(names, node, depth)
    return Kind.UNKNOWN


def _is_cast(names: Names, call: ast.Call) -> bool:
    """Returns whether a call is given a type of floats for its result, as ``astype`` is."""
    of_method = isinstance(call.func, ast.Attribute) and call.func.attr == "astype"
    function = _spelled(names, call.func) or ""
    wanted = call.args[:1] if of_method else call.args[1:2] * (function == "tensorflow.cast")
    if of_method or function.startswith(("numpy.", "tensorflow.")):
        wanted += [k.value for k in call.keywords if k.arg == "dtype"]
    return any(
        node.value in _FLOAT_TYPES
        if isinstance(node, ast.Constant)
        else _spelled(names, node) in _FLOAT_FUNCTIONS
        for node in wanted
    )


def _kind_of_constant(value: object) -> Kind:
    if isinstance(value, (float, complex)):
        return Kind.FLOAT
    return Kind.INTEGER if isinstance(value, int) else Kind.UNKNOWN


def _kind_of_name(names: Names, node: ast.expr) -> Kind:
    if (qualified := _spelled(names, node)) in _INTEGER_FUNCTIONS:
        return Kind.INTEGER
    return Kind.FLOAT if qualified in _FLOAT_FUNCTIONS else Kind.UNKNOWN


def _spelled(names: Names, node: ast.expr) -> str | None:
    """Returns the qualified name of a function, built-in ones included."""
    if isinstance(node, ast.Name) and not names.bindings_of(node.id):
        return node.id
    return names.resolve(node)


def _kind_of_bindings(names: Names, node: ast.expr, depth: int) -> Kind:
    """Returns the kind of a name that is only assigned values of one kind."""
    if not (bindings := names.variable(node)[1]):
        return Kind.UNKNOWN
    kinds = {
        _kind(names, binding.value, depth + 1)
        if isinstance(binding, AssignBinding)
        else Kind.UNKNOWN
        for binding in bindings
    }
    return kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN
