"""Calls whose arguments had a different order before TensorFlow 1.0.

The functions are still there, so a call is only taken for an early one where TensorFlow 1.15 would
refuse it: an axis is never a list, and what is concatenated never a number. The old signatures are
those of TensorFlow 0.12; what became of them is in the release notes of 1.0.
"""

import ast
from collections.abc import Callable

from tfmigrate.model.edits import ArrangeArguments, Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import (
    has_star_arguments,
    method_calls,
    named_arguments,
    written_arguments,
)
from tfmigrate.resolve.module import Module, Use
from tfmigrate.resolve.origins import places_of_definitions
from tfmigrate.resolve.scopes import is_none

Named = dict[str, ast.expr]


def early_call(module: Module, use: Use) -> list[Edit]:
    """Returns the edits of a call that is written as before TensorFlow 1.0; [] for others."""
    call = module.call_of(use.node)
    change = _CHANGES.get(use.qualified.removeprefix("tensorflow."))
    if call is None or change is None or has_star_arguments(call):
        return []
    return change(call)


def is_early_call(module: Module, use: Use) -> bool:
    """Returns whether a name is called in a way that only TensorFlow before 1.0 accepts."""
    return not is_ambiguous_call(module, use) and bool(early_call(module, use))


def is_ambiguous_call(module: Module, use: Use) -> bool:
    """Returns whether a name is called in a way that TensorFlow before 1.0 and 2 read differently.

    The cross entropies took ``logits, labels`` before 1.0, take names only in 1.x, and take
    ``labels, logits`` in TensorFlow 2.
    """
    call = module.call_of(use.node)
    if call is None or use.qualified.removeprefix("tensorflow.") not in _ENTROPIES:
        return False
    if _has_sentinel(call):
        return False
    return len(call.args) > 1 and all(k.arg != "targets" for k in call.keywords)


def is_sentinel_call(module: Module, use: Use) -> bool:
    """Returns whether a cross entropy is called with the first parameter of TensorFlow 1.x."""
    call = module.call_of(use.node)
    is_entropy = use.qualified.rpartition(".")[2].endswith(_OF_ENTROPIES)
    return call is not None and is_entropy and _has_sentinel(call)


def swapped_call(module: Module, use: Use) -> list[Edit]:
    """Returns the edits of a call whose order of arguments TensorFlow 1.x accepts, and reads anew.

    Only other names or calls show that a program is from before 1.0.
    """
    call = module.call_of(use.node)
    if call is None or use.qualified.removeprefix("tensorflow.") not in _SWAPPED:
        return []
    if len(call.args) < 3 or has_star_arguments(call):
        return []
    return _arranged(call, _by_name(call, _OF_SAMPLED), (), {})


def early_methods(module: Module) -> list[tuple[ast.Attribute, Edit]]:
    """Returns the methods of TensorArrays that 1.0 renamed, in a file that makes some."""
    if not module.mentions("TensorArray"):
        return []
    methods: list[tuple[ast.Attribute, Edit]] = []
    for call, method in method_calls(module, *_METHODS):
        new, count = _METHODS[method.attr]
        plain = not call.keywords and len(call.args) == count
        if plain and module.resolve(method) is None:
            methods.append(
                (method, ReplaceExpression(method, Code(f"{{0}}.{new}", (method.value,))))
            )
    return methods


def early_losses(module: Module) -> list[tuple[ast.expr, Edit]]:
    """Returns where a file hands over a sampled loss that seq2seq calls with names since 1.0.

    TensorFlow before 1.0 called ``softmax_loss_function(inputs, labels)``, by position.
    """
    passed = [use for use in module.uses if "seq2seq." in use.qualified]
    calls = [call for use in passed if (call := module.call_of(use.node))]
    if not any(k.arg == _LOSS_FUNCTION for call in calls for k in call.keywords):
        return []
    losses: list[tuple[ast.expr, Edit]] = []
    for use in module.uses_of(*(f"tensorflow.{name}" for name in _SWAPPED)):
        function = next((a for a in module.ancestors(use.node) if isinstance(a, _FUNCTIONS)), None)
        names = [a.arg for a in function.args.args] if function else []
        if function is None or len(names) != 2 or "labels" not in names or "logits" in names:
            continue
        order = ", ".join("labels" if name == "labels" else "logits" for name in names)
        for place in places_of_definitions(module).get(function, ()):
            around = module.parent(place)
            if not isinstance(around, ast.Call) or around.func is not place:
                code = Code(f"lambda labels, logits: {{0}}({order})", (place,))
                losses.append((place, ReplaceExpression(place, code)))
    return losses


def _concat(call: ast.Call) -> list[Edit]:
    named = _by_name(call, ("concat_dim", "values", "name"))
    if "concat_dim" not in {k.arg for k in call.keywords}:
        if named is None or len(call.args) < 1 or "values" not in named:
            return []
        lists = (ast.List, ast.Tuple, ast.ListComp)
        if not is_number(named["concat_dim"]) and not isinstance(named["values"], lists):
            return []
    return _arranged(call, named, ("values", "concat_dim"), {"concat_dim": "axis"})


def _split(call: ast.Call) -> list[Edit]:
    old_keywords = {k.arg for k in call.keywords} & {"split_dim", "num_split"}
    if not old_keywords and not (len(call.args) > 1 and is_number(call.args[0])):
        return []
    named = _by_name(call, ("split_dim", "num_split", "value", "name"))
    names = {"split_dim": "axis", "num_split": "num_or_size_splits"}
    return _arranged(call, named, ("value", "num_split", "split_dim"), names)


def _sparse_split(call: ast.Call) -> list[Edit]:
    """TensorFlow 1.x takes no argument by position, because the order changed."""
    named = _by_name(call, ("split_dim", "num_split", "sp_input", "name"))
    return _arranged(call, named, (), {"split_dim": "axis"}) if call.args else []


def _sparse_tensor(call: ast.Call) -> list[Edit]:
    if all(k.arg != "shape" for k in call.keywords):
        return []
    named = _by_name(call, ("indices", "values", "shape"))
    return _arranged(call, named, ("indices", "values"), {"shape": "dense_shape"})


def _cross_entropy(*parameters: str) -> Callable[[ast.Call], list[Edit]]:
    def changed(call: ast.Call) -> list[Edit]:
        if _has_sentinel(call):
            return _without_sentinel(call, parameters[2:])
        named = _by_name(call, parameters)
        keyword_names = {k.arg for k in call.keywords}
        old = (
            len(call.args) > 1
            or "targets" in keyword_names
            or (call.args and "logits" not in keyword_names)
        )
        return _arranged(call, named, (), {"targets": "labels"}) if old else []

    return changed


def _has_sentinel(call: ast.Call) -> bool:
    """Returns whether TensorFlow 1.x's first parameter is passed, which let none be positional.

    After it, which is None, TensorFlow 1.x takes labels and logits by position, in this order.
    """
    first = call.args[0] if call.args else None
    by_position = is_none(first)
    return by_position or any(k.arg == "_sentinel" for k in call.keywords)


def _without_sentinel(
    call: ast.Call, last_parameters: tuple[str, ...] = ("dim", "name")
) -> list[Edit]:
    named = _by_name(call, ("_sentinel", "labels", "logits", *last_parameters))
    if named is None or not {"labels", "logits"} <= named.keys():
        return []
    arguments = {name: value for name, value in named.items() if name != "_sentinel"}
    return _arranged(call, arguments, (), {})


def _resize_images(call: ast.Call) -> list[Edit]:
    parameters = ("images", "new_height", "new_width", "method", "align_corners")
    named = _by_name(call, parameters)
    if named is None or not {"images", "new_height", "new_width"} <= named.keys():
        return []
    by_name = any(k.arg in ("new_height", "new_width") for k in call.keywords)
    if not by_name and not is_number(named["new_height"]):
        return []
    other_arguments = tuple(
        named[name] for name in named if name not in ("new_height", "new_width")
    )
    other_names = [name for name in named if name not in parameters[:3]]
    text = ", ".join(f"{name}={{{i}}}" for i, name in enumerate(other_names, start=3))
    parts = (
        other_arguments[0],
        named["new_height"],
        named["new_width"],
        *other_arguments[1:],
        call.func,
    )
    template = f"{{{len(parts) - 1}}}({{0}}, [{{1}}, {{2}}]{', ' * bool(text)}{text})"
    return [ReplaceExpression(call, Code(template, parts))]


def _reverse(call: ast.Call) -> list[Edit]:
    """``dims`` said of each dimension whether it is reversed; ``axis`` lists those that are."""
    named = _by_name(call, ("tensor", "dims", "name"))
    dims = named.get("dims") if named else None
    if not isinstance(dims, (ast.List, ast.Tuple)) or not dims.elts:
        return []
    flags = [e.value for e in dims.elts if isinstance(e, ast.Constant) and e.value in (True, False)]
    if len(flags) != len(dims.elts) or not all(isinstance(flag, bool) for flag in flags):
        return []
    axes = [index for index, flag in enumerate(flags) if flag]
    edits: list[Edit] = [ReplaceExpression(dims, Code(str(axes)))]
    if any(k.arg == "dims" for k in call.keywords):
        written = [("axis" if n == "dims" else n, v) for n, v in written_arguments(call)]
        edits.append(ArrangeArguments(call, tuple(written)))
    return edits


_ENTROPIES: dict[str, Callable[[ast.Call], list[Edit]]] = {
    "nn.softmax_cross_entropy_with_logits": _cross_entropy("logits", "labels", "dim", "name"),
    "nn.sparse_softmax_cross_entropy_with_logits": _cross_entropy("logits", "labels", "name"),
    "nn.sigmoid_cross_entropy_with_logits": _cross_entropy("logits", "targets", "name"),
}
_OF_ENTROPIES = ("cross_entropy_with_logits", "cross_entropy_with_logits_v2")
_SWAPPED = ("nn.sampled_softmax_loss", "nn.nce_loss")
_OF_SAMPLED = (
    *("weights", "biases", "inputs", "labels", "num_sampled", "num_classes", "num_true"),
    *("sampled_values", "remove_accidental_hits", "partition_strategy", "name"),
)
_LOSS_FUNCTION, _FUNCTIONS = "softmax_loss_function", (ast.FunctionDef,)
# The new name, and how many arguments it takes.
_METHODS = {"pack": ("stack", 0), "unpack": ("unstack", 1)}
_CHANGES: dict[str, Callable[[ast.Call], list[Edit]]] = {
    **_ENTROPIES,
    "nn.softmax_cross_entropy_with_logits_v2": lambda call: (
        _without_sentinel(call) if _has_sentinel(call) else []
    ),
    "concat": _concat,
    "split": _split,
    "sparse_split": _sparse_split,
    "SparseTensor": _sparse_tensor,
    "SparseTensorValue": _sparse_tensor,
    "reverse": _reverse,
    "image.resize_images": _resize_images,
}


def _by_name(call: ast.Call, parameters: tuple[str, ...]) -> Named | None:
    """Returns the arguments by the names of the old parameters.

    Returns:
        None where there are too many, or two for one parameter: no version takes
        ``tf.concat([x, y], concat_dim=1)``.
    """
    named = named_arguments(call, parameters)
    complete = len(named) == len(call.args) + len(call.keywords)
    return named if complete and len(call.args) <= len(parameters) else None


def _arranged(
    call: ast.Call, named: Named | None, order: tuple[str, ...], renamed: dict[str, str]
) -> list[Edit]:
    """Returns the edit that gives a call's arguments their current names.

    Args:
        named: its arguments by their old names.
        order: the old names of those that come first now, and stay without a name where all had
            none.
        renamed: the new names.
    """
    if named is None:
        return []
    positional = {id(value) for value in call.args}
    plain = bool(order) and all(n in named and id(named[n]) in positional for n in order)
    names = [*order, *(n for n in named if n not in order)] if plain else list(named)
    arguments = [
        ("" if plain and name in order else renamed.get(name, name), named[name]) for name in names
    ]
    return [ArrangeArguments(call, tuple(arguments))]


def is_number(node: ast.expr) -> bool:
    """Returns whether an expression is a number, which may be negative."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int
