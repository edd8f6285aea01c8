"""Calls with arguments that what replaces their function takes differently, or not at all."""

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.model.edits import ArrangeArguments, Code, ReplaceExpression
from tfmigrate.resolve.calls import (
    argument,
    called,
    called_on,
    has_star_arguments,
    written_arguments,
)
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.origins import keys_of, origins
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.basics import Module, Program, Refusal, Use
from tfmigrate.rulekit.tensorflow_import import tensorflow_name
from tfmigrate.tables.lost_arguments import Following, Lost, lost_arguments, lost_by_method

Argument = tuple[str, ast.expr]
Changed = tuple[ArrangeArguments | ReplaceExpression, ...]
# Of tf.contrib.data's Dataset alone.
_OLD_METHODS = {
    "dense_to_sparse_batch": "call .apply(tf.data.experimental.dense_to_sparse_batch(...))",
    "make_dataset_resource": "use the iterator of the dataset",
}
_THREADS, _BUFFER = "num_threads", "output_buffer_size"
_PARALLEL, _INT64 = "num_parallel_calls", "tensorflow.int64"
_FUSED = "tensorflow.nn.fused_batch_norm"
_EPSILON_AT = {
    _FUSED: 5,
    "tensorflow.layers.batch_normalization": 3,
    "tensorflow.layers.BatchNormalization": 2,
}
_LEAST = 1.001e-5  # in TensorFlow 1.x


def of_function(module: Module, use: Use) -> Iterator[Changed | Refusal]:
    """Yields what becomes of a call of a function in the table: its edits, or why it stays."""
    lost = lost_arguments().get(use.qualified)
    call = module.parent(use.node)
    if lost is None or not isinstance(call, ast.Call):
        return
    shown = use.qualified.replace("tensorflow.", "tf.", 1)
    if call.func is not use.node or has_star_arguments(call):
        is_call = call.func is use.node
        is_call |= call.args[:1] == [use.node] and _is_partial(module, call)
        changed = (
            sorted(_names(module, call) & (lost.gone | lost.renamed.keys())) if is_call else []
        )
        if changed:
            text = f"what replaces {shown} has no argument {', '.join(changed)}"
            yield Refusal(call, text, "remove it, or express it in another way")
        return
    first = len(call.args) if lost.same is None else lost.same
    trailing = call.args[first:]
    passed = {k.arg for k in call.keywords if k.arg}
    if len(lost.after) == 1:  # by position in each version
        passed.update(lost.after[0].names[: len(trailing)])
    if gone := sorted(passed & lost.gone):
        text = f"what replaces {shown} has no argument {', '.join(gone)}"
        yield Refusal(call, text, "remove it, or express it in another way")
        return
    following = (
        _following(call, lost, len(trailing)) if trailing else Following((), by_position=True)
    )
    if following is None:
        text = f"argument {first + 1} of {shown} means another thing in TensorFlow 2"
        if len(lost.after) > 1:
            text = f"what argument {first + 1} of {shown} means depends on the TensorFlow it is for"
        yield Refusal(call, text, "pass it by keyword")
        return
    arguments = [("", value) for value in call.args]
    if not following.by_position:
        names = [lost.renamed.get(name, name) for name in following.names]
        arguments[first:] = zip(names, trailing, strict=False)
    arguments += [(lost.renamed.get(k.arg or "", k.arg or ""), k.value) for k in call.keywords]
    if change := arranged(call, arguments):
        yield change


def _is_partial(module: Module, call: ast.Call) -> bool:
    return module.resolve(call.func) == "functools.partial"


def _names(module: Module, call: ast.Call) -> set[str]:
    """Returns the names of a call's arguments, those of dictionaries after ``**`` too."""
    names = {keyword.arg for keyword in call.keywords if keyword.arg}
    for keyword in call.keywords:
        if keyword.arg is None:
            names |= keys_of(module, keyword.value) or set()
    return names


def _following(call: ast.Call, lost: Lost, count: int) -> Following | None:
    """Returns what the last arguments by position are; None where that depends on the version.

    Args:
        lost: what changed.
        count: how many arguments follow those that mean the same in all versions.
    """
    keywords = {k.arg for k in call.keywords}
    accepting = [
        version
        for version in lost.after
        if count <= len(version.names) and keywords <= {*version.names[count:]}
    ]
    meanings = {tuple(lost.renamed.get(n, n) for n in v.names[:count]) for v in accepting}
    if len(meanings) != 1:
        return None
    chosen = next((version for version in accepting if version.by_position), accepting[0])
    return chosen if chosen.by_position or lost.gone.isdisjoint(chosen.names[:count]) else None


def arranged(call: ast.Call, arguments: Sequence[Argument]) -> tuple[ArrangeArguments, ...]:
    """Returns the edit that gives a call some arguments; () where it has them already."""
    is_new = list(arguments) != written_arguments(call)
    return (ArrangeArguments(call, tuple(arguments)),) if is_new else ()


def call_of(edits: Changed) -> ast.expr:
    """Returns the call that some edits change."""
    return edits[0].call if isinstance(edits[0], ArrangeArguments) else edits[0].node


def of_datasets(module: Module) -> Iterator[Changed | Refusal]:
    """Yields the edits of ``map`` of tf.contrib.data's Dataset, which had its own prefetching."""
    if not module.mentions(_THREADS, _BUFFER, "contrib"):
        return
    old = any(use.qualified.startswith("tensorflow.contrib.data.") for use in module.uses)
    for call in module.all(ast.Call):
        partly = _is_partial(module, call) and call.args and _is_map(call.args[0])
        named = _names(module, call)
        if partly or (_is_method(module, call, "map") and has_star_arguments(call)):
            if named & {_THREADS, _BUFFER}:
                text = f"map has no argument {_THREADS} or {_BUFFER} in TensorFlow 2"
                yield Refusal(call, text, "pass num_parallel_calls, and call prefetch")
            continue
        method = next((m for m in _OLD_METHODS if old and _is_method(module, call, m)), None)
        if method is not None:
            text = f"tf.data.Dataset has no method {method}"
            yield Refusal(call, text, _OLD_METHODS[method])
        if not _is_method(module, call, "map"):
            continue
        third = old and len(call.args) > 2 and _is_dataset(module, call)
        if not third and not named & {_THREADS, _BUFFER}:
            continue
        buffer = argument(call, 2, _BUFFER)
        arguments = [("", value) for value in call.args[:2]]
        arguments += [
            ("num_parallel_calls" if k.arg == _THREADS else k.arg or "", k.value)
            for k in call.keywords
            if k.arg != _BUFFER
        ]
        edits: list[ArrangeArguments | ReplaceExpression] = [*arranged(call, arguments)]
        if buffer is not None and not is_none(buffer):
            edits.append(ReplaceExpression(call, Code("{0}.prefetch({1})", (call, buffer))))
        yield tuple(edits)


def of_parallel_calls(module: Module) -> Iterator[Changed]:
    """Yields the edits of numbers of parallel calls that are tensors, of int32 up to 1.15.

    A Python number fits both types: TensorFlow 2 converts it to int64, and refuses a tensor.
    """
    if not module.mentions("map"):
        return
    for call in module.all(ast.Call):
        number = argument(call, 1, _PARALLEL) if _is_method(module, call, "map") else None
        if number is None or (number in call.args and not _is_dataset(module, call)):
            continue
        if any(_is_int32(module, value) for value in origins(module, number) or ()):
            tensorflow = tensorflow_name(module, number)
            cast = Code(f"{tensorflow}.cast({{0}}, {tensorflow}.int64)", (number,))
            yield (ReplaceExpression(number, cast),)


def of_fused_norms(module: Module) -> Iterator[Changed]:
    """Yields the edits of an epsilon that the fused batch normalization of 1.x raised silently.

    cuDNN wants 1e-5 at least, and TensorFlow 1.x made sure by giving a little more. Layers that are
    fused only where their input has four dimensions are left as they are.
    """
    for call in module.calls_of(*_EPSILON_AT):
        fused = next((k.value for k in call.keywords if k.arg == "fused"), None)
        is_fused = isinstance(fused, ast.Constant) and fused.value is True
        name = module.resolve(call.func) or ""
        if has_star_arguments(call) or not (is_fused or name == _FUSED):
            continue
        epsilon = argument(call, _EPSILON_AT[name], "epsilon")
        if epsilon is None or (isinstance(epsilon, ast.Call) and _is_max(epsilon)):
            continue
        values = [getattr(value, "value", None) for value in origins(module, epsilon) or (None,)]
        if not all(isinstance(value, float) and value >= _LEAST for value in values):
            least = Code(str(_LEAST)) if isinstance(epsilon, ast.Constant) else None
            yield (ReplaceExpression(epsilon, least or Code(f"max({{0}}, {_LEAST})", (epsilon,))),)


def _is_max(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "max"


def _is_int32(module: Module, value: ast.expr) -> bool:
    """Returns whether a value is a tensor that TensorFlow makes, of no other type that is named."""
    if not isinstance(value, ast.Call) or _INT64 in map(module.resolve, value.args):
        return False
    if _INT64 in (module.resolve(keyword.value) for keyword in value.keywords):
        return False
    return (module.resolve(value.func) or "").rpartition(".")[0] == "tensorflow"


def of_methods(program: Program, module: Module) -> Iterator[Refusal]:
    """Yields the calls of methods of TensorFlow's classes with a keyword that they lost."""
    lost = lost_by_method()
    own = program.once(_own_functions)
    for call in module.all(ast.Call):
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr in own or method.attr == "map":
            continue
        gone = lost.get(method.attr, frozenset()) & {k.arg or "" for k in call.keywords}
        if gone and _is_method(module, call, method.attr):
            text = f"{method.attr} has no argument {', '.join(sorted(gone))} in TensorFlow 2"
            yield Refusal(call, text, "remove it, or express it in another way")


def _own_functions(program: Program) -> set[str]:
    """Returns the names of all functions of a program: a method called so may be one of them."""
    return {f.name for module in program.modules for f in module.all(ast.FunctionDef)}


def _is_method(module: Module, call: ast.Call, name: str) -> bool:
    return called_on(call, name) is not None and not called(module, call)


def _is_map(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "map"


def _is_dataset(module: Module, call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    return kind_of(module, call.func.value) is Kind.DATASET
