"""A removed NumPy alias becomes its replacement.

What it does:
    Replaces `np.float`, `np.int`, `np.bool`, `np.object`, `np.str` and `np.long` with the built-in
    types; `np.Inf`, `np.NaN`, `np.product`, `np.float_` and similar aliases with the remaining
    names; `np.asscalar(x)` with `x.item()`; `np.asfarray(x)` with `np.asarray(x, dtype=float)`;
    `np.cast[type](x)` with `np.array(x, dtype=type)`; `.tostring()` of an array with `.tobytes()`;
    and `np.fromstring` of bytes with `np.frombuffer(...).copy()`. Gives `newshape` of `np.reshape`
    by position, arrays of lists that are written out with different lengths `dtype=object`, and
    `np.load` of Python objects (`np.load(path, encoding='latin1').item()`) `allow_pickle=True`.
    Reports all other names that NumPy removed, and `.tostring()` and `np.fromstring` of values
    whose type the file does not show.

Why:
    TensorFlow 2.16 needs NumPy 1.26 or later. NumPy 1.16.3 loads no pickles unless it is asked to,
    1.24 removed the types and makes no arrays of
    objects of ragged lists unless it is asked to, 2.0 removed the other names,
    2.3 tostring and the binary mode of fromstring, and 2.4 `newshape`. The program fails at their
    first use.

Example:
    Before::

        import numpy as np
        import tensorflow as tf

        def feature(image):
          raw = image.astype(np.float).tostring()
          return tf.train.Feature(bytes_list=tf.train.BytesList(value=[raw]))

        record = next(tf.python_io.tf_record_iterator(path))
        values = np.fromstring(record, np.uint8)

    After::

        import numpy as np
        import tensorflow.compat.v1 as tf

        def feature(image):
          raw = image.astype(float).tobytes()
          return tf.train.Feature(bytes_list=tf.train.BytesList(value=[raw]))

        record = next(tf.python_io.tf_record_iterator(path))
        values = np.frombuffer(record, np.uint8).copy()

What is left to you:
    Names whose replacement takes different arguments (np.in1d, np.trapz): each is reported.

Safety:
    Safe: each replacement is the same object, or does the same, in every NumPy since 1.10. A value
    counts as an array if a function of NumPy, OpenCV or SciPy or a session returns it, or if the
    file uses an attribute of it that arrays have (`.shape`, `.astype`).
"""

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import AddKeywords, ArrangeArguments, Code, Edit, ReplaceExpression
from tfmigrate.resolve.arrays import is_array, is_bytes
from tfmigrate.resolve.calls import argument, has_star_arguments, method_calls
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import asked_once
from tfmigrate.resolve.origins import origins
from tfmigrate.rulekit.basics import Drafts, Joins, Module, Program, Refusal, Severity, refused
from tfmigrate.tables.numpy_names import BUILT_IN, IN_LIB, REMOVED, RENAMED

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES

Change = tuple[ast.expr, str, tuple[Edit, ...]]  # a place, what it is called, its edits
_RENAMED_ARGUMENTS = {"string": "buffer"}
_LIB = "numpy.lib"
_METHOD = "tostring"
_FROM_STRING = "numpy.fromstring"
_SCALAR, _SORT = "numpy.asscalar", "numpy.msort"
_FLOATS = "numpy.asfarray"
_CAST = "numpy.cast"
_RESHAPE, _SHAPE = "numpy.reshape", "newshape"
_LOAD = "numpy.load"
_ARRAYS = ("numpy.array", "numpy.asarray")


def check(program: Program) -> Drafts:
    """Yields a draft for every file of a migrated program, and one for each place that stays."""
    for module in migrated(program, "numpy", _METHOD):
        shown: dict[str, None] = {}
        edits: list[Edit] = []
        places: list[ast.expr] = []
        for change in (*_names(module), *_names_in_lib(module), *_calls(module)):
            if isinstance(change, Refusal):
                yield refused(module, change, group_of(program, module))
            else:
                node, name, new = change
                places.append(node)
                shown[name] = None
                edits += new
        if edits:
            message = f"removed from NumPy: {', '.join(shown)} -> replacements"
            yield file_draft(program, module, places, edits, message)


def _names(module: Module) -> Iterator[Change | Refusal]:
    for use in module.uses_of(*(f"numpy.{name}" for name in (*BUILT_IN, *RENAMED, *REMOVED))):
        name = use.qualified.removeprefix("numpy.")
        node = use.node
        shown = f"np.{name}"
        if use.qualified in (_SCALAR, _SORT, _FLOATS) and _is_called(module, node):
            continue
        if use.qualified == _CAST and _is_called(module, module.parent(node)):
            continue
        if name in BUILT_IN and module.names.scope_of[node].lookup(BUILT_IN[name]) is None:
            yield node, shown, (ReplaceExpression(node, Code(BUILT_IN[name])),)
        elif name in RENAMED and isinstance(node, ast.Attribute):
            yield (
                node,
                shown,
                (ReplaceExpression(node, Code(f"{{0}}.{RENAMED[name]}", (node.value,))),),
            )
        elif not is_guarded(module, node):
            new = REMOVED.get(name) or f"use {BUILT_IN.get(name) or 'np.' + RENAMED[name]}"
            yield Refusal(node, f"{shown} was removed from NumPy", new)


def _names_in_lib(module: Module) -> Iterator[Change | Refusal]:
    for use in module.uses_of(*(f"{_LIB}.{name}" for name in IN_LIB)):
        node, name = use.node, use.qualified.removeprefix(f"{_LIB}.")
        package = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(package, ast.Attribute):
            new = ReplaceExpression(node, Code(f"{{0}}.{name}", (package.value,)))
            yield node, f"np.lib.{name}", (new,)
        elif not is_guarded(module, node):
            yield Refusal(node, f"np.lib.{name} was removed from NumPy", f"use np.{name}")


def _is_called(module: Module, node: ast.AST | None) -> bool:
    """Returns whether a function is called with one argument, by position."""
    call = module.call_of(node) if node is not None else None
    if call is None or has_star_arguments(call):
        return False
    return len(call.args) == 1 and not call.keywords


def _calls(module: Module) -> Iterator[Change | Refusal]:
    for call in module.all(ast.Call):
        function = call.func
        name = module.resolve(function)
        if isinstance(function, ast.Attribute) and function.attr == _METHOD and name is None:
            if not call.args and not call.keywords:
                yield from _to_string(module, function)
        elif name == _FROM_STRING:
            yield from _from_string(module, call)
        elif name == _SCALAR and _is_called(module, function):
            new = ReplaceExpression(call, Code("{0}.item()", (call.args[0],)))
            yield call, "np.asscalar", (new,)
        elif name == _SORT and _is_called(module, function) and isinstance(function, ast.Attribute):
            sort = ReplaceExpression(function, Code("{0}.sort", (function.value,)))
            yield call, "np.msort", (sort, AddKeywords(call, ("axis=0",)))
        elif (
            name == _FLOATS and _is_called(module, function) and isinstance(function, ast.Attribute)
        ):
            floats = ReplaceExpression(function, Code("{0}.asarray", (function.value,)))
            yield call, "np.asfarray", (floats, AddKeywords(call, ("dtype=float",)))
        elif _is_cast(module, call):
            yield call, "np.cast", (ReplaceExpression(call, _cast(call)),)
        elif name == _RESHAPE and any(k.arg == _SHAPE for k in call.keywords):
            yield from _by_position(call)
        elif name == _LOAD and _is_pickle(module, call):
            yield call, "pickles in np.load", (AddKeywords(call, ("allow_pickle=True",)),)
        elif name in _ARRAYS and _is_ragged(call.args[:1]) and not _has_type(call):
            yield call, "arrays of ragged lists", (AddKeywords(call, ("dtype=object",)),)


def _is_cast(module: Module, call: ast.Call) -> bool:
    """Returns whether a call is ``np.cast[TYPE](VALUE)``."""
    of_type = call.func
    return (
        isinstance(of_type, ast.Subscript)
        and isinstance(of_type.value, ast.Attribute)
        and module.resolve(of_type.value) == _CAST
        and _is_called(module, of_type)
    )


def _cast(call: ast.Call) -> Code:
    """Returns the array, a copy of the value as ``np.cast`` made it."""
    of_type = call.func
    assert isinstance(of_type, ast.Subscript) and isinstance(of_type.value, ast.Attribute)
    parts = (of_type.value.value, call.args[0], of_type.slice)
    return Code("{0}.array({1}, dtype={2})", parts)


def _is_pickle(module: Module, call: ast.Call) -> bool:
    """Returns whether np.load reads Python objects, which have to be allowed since NumPy 1.16.3.

    It does where it is told how Python 2 encoded them, and where its result is used as one object.
    """
    if has_star_arguments(call) or argument(call, 2, "allow_pickle") is not None:
        return False
    return argument(call, 4, "encoding") is not None or call in _used_as_objects(module)


@asked_once
def _used_as_objects(module: Module) -> set[ast.expr]:
    """Returns the values that the file takes the only element of: ``x.item()``, ``x[()]``."""
    holders = [method.value for call, method in method_calls(module, "item") if not call.args]
    holders += [
        node.value
        for node in module.all(ast.Subscript)
        if isinstance(node.slice, ast.Tuple) and not node.slice.elts
    ]
    return {value for holder in holders for value in origins(module, holder) or ()}


def _has_type(call: ast.Call) -> bool:
    return has_star_arguments(call) or argument(call, 1, "dtype") is not None


def _is_ragged(level: Sequence[ast.expr]) -> bool:
    """Returns whether lists in lists, as far as they are written out, certainly have no shape."""
    while True:
        lists = [e.elts for e in level if isinstance(e, (ast.List, ast.Tuple))]
        if not lists or any(isinstance(e, ast.Starred) for elements in lists for e in elements):
            return False
        if len(lists) < len(level):
            return any(isinstance(e, ast.Constant) for e in level)
        if len({len(elements) for elements in lists}) > 1:
            return True
        level = [e for elements in lists for e in elements]


def _by_position(call: ast.Call) -> Iterator[Change | Refusal]:
    """Yields the edit of np.reshape with ``newshape``, whose place every NumPy has."""
    array, shape = argument(call, 0, "a"), argument(call, 1, _SHAPE)
    if array is None or shape is None or has_star_arguments(call):
        yield Refusal(call, "NumPy 2.4 removed newshape from np.reshape", "give it by position")
        return
    arguments = [("", array), ("", shape)]
    arguments += [(k.arg, k.value) for k in call.keywords if k.arg and k.arg not in ("a", _SHAPE)]
    yield call, "newshape of np.reshape", (ArrangeArguments(call, tuple(arguments)),)


def _to_string(module: Module, method: ast.Attribute) -> Iterator[Change | Refusal]:
    if known := is_array(module, method.value):
        yield (
            method,
            ".tostring()",
            (ReplaceExpression(method, Code("{0}.tobytes", (method.value,))),),
        )
    elif known is None:
        text = "NumPy 2.3 removed tostring of arrays, and this may be one"
        yield Refusal(method, text, "write .tobytes() if it is an array of NumPy")


def _from_string(module: Module, call: ast.Call) -> Iterator[Change | Refusal]:
    """Yields the edits of np.fromstring of bytes; of a text with a separator it stays."""
    separator = argument(call, 3, "sep")
    is_binary = separator is None or (
        isinstance(separator, ast.Constant) and separator.value in ("", b"")
    )
    text = "np.fromstring without a separator was removed from NumPy"
    if not has_star_arguments(call) and not is_binary and isinstance(separator, ast.Constant):
        return
    content = argument(call, 0, "string")
    if content is None or not is_binary or has_star_arguments(call):
        yield Refusal(call, text, "use np.frombuffer(...).copy() for bytes")
        return
    if not is_bytes(module, content):
        action = "use np.frombuffer(...).copy() if it is bytes, and encode it first if it is a str"
        yield Refusal(call, text, action)
        return
    function = call.func
    name = (
        Code("{0}.frombuffer", (function.value,)) if isinstance(function, ast.Attribute) else None
    )
    if name is None:
        yield Refusal(call, text, "use np.frombuffer(...).copy() for bytes")
        return
    arguments = [("", value) for value in call.args[:3]]
    arguments += [
        (_RENAMED_ARGUMENTS.get(k.arg, k.arg), k.value)
        for k in call.keywords
        if k.arg and k.arg != "sep"
    ]
    edits: list[Edit] = [ReplaceExpression(function, name)]
    if separator is not None or any(k.arg == "string" for k in call.keywords):
        edits.append(ArrangeArguments(call, tuple(arguments)))
    yield call, "np.fromstring", (*edits, ReplaceExpression(call, Code("{0}.copy()", (call,))))
