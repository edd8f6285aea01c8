"""Expressions that are fetched where they are written: they take what a function returns."""

from __future__ import annotations

import ast

from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native_steps.graph import Graph
from tfmigrate.families.native_steps.run_calls import call_of
from tfmigrate.families.native_steps.runs import Run
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.families.native_steps.tensor_code import TensorCode
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import has_star_arguments

_OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}


def convert_inline(plan: Conversion, code: TensorCode, steps: Steps, run: Run) -> None:
    """Replaces a run that fetches an expression, such as ``tf.argmax(logits, 1)``.

    Raises:
        Refusal: the expression is not known.
    """
    graph = steps.graph
    assert run.inline is not None
    tensor = run.fetches[0] if run.fetches else None
    code.convert([run.inline])
    called: Code | None = None
    if isinstance(tensor, ast.Name):
        callee = steps.callees[run.call]
        called = call_of(plan, steps, run, callee)
        if called.arguments:
            called = Code(f"{called.template}({', '.join(called.arguments)})", called.parts)
        if len(callee.returned) > 1:
            place = list(callee.returned).index(tensor.id)
            called = Code(f"{called.template}[{place}]", called.parts)
    text, parts = _woven(plan, graph, run.inline, tensor, called)
    if isinstance(run.inline, ast.BinOp):
        text = f"({text})"
    plan.replace(graph.module, run.call, Code(f"{text}.numpy()", tuple(parts)))


def _woven(
    plan: Conversion,
    graph: Graph,
    node: ast.expr,
    tensor: ast.expr | None,
    called: Code | None,
) -> tuple[str, list[ast.expr]]:
    """Returns the code of an expression, with a call instead of a tensor."""
    if called is not None and node is tensor:
        return called.template, list(called.parts)
    if tensor is None or not any(inner is tensor for inner in graph.module.walk(node)):
        return "{0}", [node]
    if plan.is_replaced(node):
        refuse(node, f"`{ast.unparse(node)[:60]}` is fetched, which is written in another way")
    pieces: list[tuple[str, ast.expr]]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        pieces = [
            ("({})", n) if isinstance(n, ast.BinOp) else ("{}", n) for n in (node.left, node.right)
        ]
        joined = f" {_OPERATORS[type(node.op)]} "
        head, tail = "", ""
    elif isinstance(node, ast.Call) and not has_star_arguments(node):
        pieces = [("{}", n) for n in node.args]
        pieces += [(f"{k.arg}={{}}", k.value) for k in node.keywords]
        head, joined, tail = f"{ast.unparse(node.func)}(", ", ", ")"
        if any(inner is tensor for inner in graph.module.walk(node.func)):
            refuse(node, f"`{ast.unparse(node)[:60]}` is fetched, which is no tensor of the graph")
    else:
        refuse(node, f"`{ast.unparse(node)[:60]}` is fetched, which is no tensor of the graph")
    texts: list[str] = []
    parts: list[ast.expr] = []
    for form, inner in pieces:
        text, own = _woven(plan, graph, inner, tensor, called)
        for index in reversed(range(len(own))):
            text = text.replace(f"{{{index}}}", f"{{{index + len(parts)}}}")
        parts += own
        texts.append(form.format(text))
    return head + joined.join(texts) + tail, parts
