"""Texts of Python 2 that are decoded, or encoded where text is needed: one type in Python 2."""

import ast
import codecs

from tfmigrate.resolve.calls import argument, called_builtin, method_calls
from tfmigrate.resolve.last_bindings import last_binding
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.python_2_files import OF_TEXT, STRIPS, is_open, is_string, is_text_mode
from tfmigrate.resolve.scopes import AssignBinding, Binding, OtherBinding

_LINES = frozenset(("read", "readline"))
_LISTS = frozenset(("readlines", "rsplit", "split", "splitlines"))
_TO_TEXT = STRIPS | {"capitalize", "format", "join", "lower", "replace", "title", "upper"}
_BASE_64 = tuple(
    f"base64.{name}encode" for name in ("b16", "b32", "b64", "standard_b64", "urlsafe_b64")
)
_STANDARD = ("sys.stderr", "sys.stdin", "sys.stdout")


@asked_once
def decoded_texts(module: Module) -> list[ast.Call]:
    """Returns the calls of ``decode`` of what is text in Python 3, an AttributeError."""
    return [
        call
        for call, method in method_calls(module, "decode")
        if _is_text(module, method.value) and not _is_asked_for(module, method.value)
    ]


def encoded_texts(module: Module) -> list[ast.Call]:
    """Returns the calls that make bytes that are taken for text: printed, joined to it, in JSON.

    They are those of ``encode`` and of base64.
    """
    calls = [
        (call, method.value)
        for call, method in method_calls(module, "encode")
        if _is_encoding(call)
    ]
    calls += [(call, call.args[0]) for call in module.calls_of(*_BASE_64) if call.args]
    in_json = _in_json(module) if calls else set()
    return [
        call
        for call, value in calls
        if (call in in_json or _needs_text(module, call)) and not _is_asked_for(module, value)
    ]


def _in_json(module: Module) -> set[ast.expr]:
    """Returns what becomes JSON, as far as the file shows, in lists and dicts, too."""
    waiting = [c.args[0] for c in module.calls_of("json.dump", "json.dumps") if c.args]
    found: set[ast.expr] = set()
    while waiting:
        if (node := waiting.pop()) in found:
            continue
        found.add(node)
        if isinstance(node, ast.Dict):
            waiting += node.values
        elif isinstance(node, (ast.List, ast.Tuple)):
            waiting += node.elts
        elif isinstance(node, ast.ListComp):
            waiting.append(node.elt)
        else:
            waiting += origins(module, node) or ()
    return found


def _is_encoding(call: ast.Call) -> bool:
    """Returns whether a call names an encoding of text: others encode with models, and the like."""
    first = argument(call, 0, "encoding")
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return False
    try:
        return bool(codecs.lookup(first.value).encode("")[0] == b"")
    except (LookupError, TypeError, ValueError):
        return False


def _is_asked_for(module: Module, value: ast.expr) -> bool:
    """Returns whether a test around a value asks what type it has: ``isinstance(x, bytes)``."""
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    tests = [a.test for a in module.ancestors(value) if isinstance(a, (ast.If, ast.IfExp))]
    calls = [node for test in tests for node in ast.walk(test) if isinstance(node, ast.Call)]
    return any(
        isinstance(call.func, ast.Name)
        and call.func.id in ("hasattr", "isinstance", "type")
        and any(isinstance(a, ast.Name) and a.id in names for a in call.args)
        for call in calls
    )


def _needs_text(module: Module, call: ast.Call) -> bool:
    around = module.parent(call)
    if isinstance(around, ast.Call):
        return call in around.args and _takes_text(module, around, call)
    if isinstance(around, ast.BinOp):
        if isinstance(around.op, ast.Add):
            return _is_text(module, around.left if around.right is call else around.right)
        return isinstance(around.op, ast.Mod) and around.right is call and is_string(around.left)
    if isinstance(around, ast.Tuple):
        mod = module.parent(around)
        if isinstance(mod, ast.BinOp) and isinstance(mod.op, ast.Mod) and is_string(mod.left):
            return mod.right is around
        # dict((key.encode("utf-8"), value) for key, value in ...)
        passed = module.parent(module.parent(around))
        is_pair = isinstance(module.parent(around), (ast.GeneratorExp, ast.ListComp))
        return is_pair and around.elts[0] is call and called_builtin(module, passed) == "dict"
    if isinstance(around, ast.Attribute):
        method = module.parent(around)
        if not isinstance(method, ast.Call) or method.func is not around:
            return False
        return around.attr in OF_TEXT and is_string(argument(method, 0))
    return isinstance(around, ast.DictComp) and around.key is call


def _takes_text(module: Module, function: ast.Call, value: ast.Call) -> bool:
    if called_builtin(module, function) == "print":
        return True
    method = function.func
    if not isinstance(method, ast.Attribute):
        return False
    if method.attr == "write":
        return _is_text_file(module, method.value)
    return method.attr == "format" and is_string(method.value)


@asked_once
def _is_text(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is text in Python 3 for certain."""
    if isinstance(node, ast.JoinedStr) or is_string(node):
        return True
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Add):
            return _is_text(module, node.left) or _is_text(module, node.right)
        return isinstance(node.op, ast.Mod) and _is_text(module, node.left)
    if isinstance(node, ast.Subscript):
        return _is_text(module, node.value) or _are_texts(module, node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method, owner = node.func.attr, node.func.value
        if method in _LINES and _is_text_file(module, owner):
            return True
        return method in _TO_TEXT and _is_text(module, owner)
    if isinstance(node, ast.Name):
        binding = last_binding(module, node)
        if isinstance(binding, AssignBinding):
            return _is_text(module, binding.value)
        loop = _place(module, binding)
        if isinstance(loop, (ast.For, ast.comprehension)) and isinstance(loop.target, ast.Name):
            return _are_texts(module, loop.iter)
    return False


@asked_once
def _are_texts(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is a file of text, or a list of texts."""
    if isinstance(node, ast.Subscript):
        return _are_texts(module, node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method, owner = node.func.attr, node.func.value
        if method == "readlines" and _is_text_file(module, owner):
            return True
        return method in _LISTS and _is_text(module, owner)
    if isinstance(node, ast.Name):
        binding = last_binding(module, node)
        if isinstance(binding, AssignBinding) and _are_texts(module, binding.value):
            return True
    return module.resolve(node) == "sys.argv" or _is_text_file(module, node)


@asked_once
def _is_text_file(module: Module, node: ast.expr) -> bool:
    if module.resolve(node) in _STANDARD:
        return True
    if isinstance(node, ast.Name):
        binding = last_binding(module, node)
        if isinstance(binding, AssignBinding):
            return _is_text_file(module, binding.value)
        place = _place(module, binding)
        return isinstance(place, ast.withitem) and _is_text_file(module, place.context_expr)
    return isinstance(node, ast.Call) and is_open(module, node) and is_text_mode(node)


def _place(module: Module, binding: Binding | None) -> ast.AST | None:
    return module.parent(binding.node) if isinstance(binding, OtherBinding) else None
