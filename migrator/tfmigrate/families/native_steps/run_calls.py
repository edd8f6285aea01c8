"""Calls of ``session.run`` become calls of the training step and of functions that compute."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native.steady import changed
from tfmigrate.families.native_steps.callees import Callee
from tfmigrate.families.native_steps.graph import Kind
from tfmigrate.families.native_steps.late import need
from tfmigrate.families.native_steps.runs import Run
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.model.edits import Code

_COMPARED = (ast.Compare,)
_WRITES = ("add_summary", "summary_computed", "SummaryComputed")


def convert_run(plan: Conversion, steps: Steps, run: Run) -> None:
    """Plans the edits of one run.

    Raises:
        Refusal: its results are used in a way that is not followed.
    """
    module = steps.graph.module
    statement = module.statement(run.call)
    if run.inline is not None:
        refuse(
            run.inline,
            f"`{ast.unparse(run.inline)[:60]}` is fetched, which is no tensor of the graph",
        )
    if run.initializes:
        if run.fetches or run.trains or not isinstance(statement, ast.Expr):
            refuse(run.call, "a run that initializes and does something else")
        plan.remove(module, statement)
        return
    names = [n.id for n in run.fetches if isinstance(n, ast.Name)]
    if not run.trains and any(_kind(steps, n) is Kind.GRADIENT for n in names):
        refuse(run.call, "a run that computes gradients and does not train")
    alone = not run.trains and run.call not in steps.callees
    if not names and not run.trains:
        _remove_summary(plan, steps, run, statement)
        return
    if alone:
        _convert_variables(plan, steps, run, names)
        return
    callee = steps.callees[run.call]
    code = call_of(plan, steps, run, callee)
    _write(plan, steps, run, statement, code, names, callee.returned)


def _kind(steps: Steps, name: str) -> Kind:
    return steps.graph.names.get(name, Kind.PLAIN)


def _remove_summary(plan: Conversion, steps: Steps, run: Run, statement: ast.stmt) -> None:
    """Removes a run that only computes summaries, or the assignment of what it returns."""
    if plan.is_removed(run.call):
        return
    if _is_given_to_writer(statement, run.call):
        plan.unsafe.append((steps.graph.module, statement, plan.unwritten))
        plan.remove(steps.graph.module, statement)
        return
    if not isinstance(statement, (ast.Assign, ast.Expr)) or statement.value is not run.call:
        refuse(run.call, "a summary that is used in another way than to write it")
    plan.remove(steps.graph.module, statement)


def _is_given_to_writer(statement: ast.stmt, run: ast.Call) -> bool:
    """Says whether a statement only writes the summary of a run."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    writes = isinstance(function, ast.Attribute) and function.attr in _WRITES
    return writes and isinstance(call, ast.Call) and any(run is given for given in call.args)


def _convert_variables(plan: Conversion, steps: Steps, run: Run, names: Sequence[str]) -> None:
    """Replaces a run that reads variables alone."""
    if run.several:
        refuse(run.call, "a list of variables is fetched")
    (name,) = names
    held = f"{steps.optimizer}.iterations" if _kind(steps, name) is Kind.STEP else name
    plan.replace(steps.graph.module, run.call, Code(f"{held}.numpy()"))


def call_of(plan: Conversion, steps: Steps, run: Run, callee: Callee) -> Code:
    """Returns the call of the function that does what a run does.

    Raises:
        Refusal: the run feeds something else.
    """
    function = callee.name
    if steps.batches:
        if run.feeds:
            refuse(run.call, "a run that feeds something, and reads the Dataset")
        if not run.trains and not _reads_batches(steps, run):
            refuse(run.call, "a run of tensors that do not depend on the batch")
        index = steps.index if steps.workers else ""
        return Code(f"{function}({steps.batches.taken(index)})")
    missing = [name for name in callee.parameters if name not in run.feeds]
    unused = [name for name in run.feeds if name not in callee.parameters]
    acts = any(_may_act(run.feeds[name]) for name in unused)
    if missing or acts or (unused and run.held is not None):
        refuse(run.call, "this run feeds other placeholders than the training step")
    values = [run.feeds[name] for name in callee.parameters]
    order = [name for name in run.feeds if name not in unused]
    if order != list(callee.parameters) and any(_may_act(value) for value in values):
        refuse(run.call, "this run feeds its placeholders in a different order")
    if run.held is not None:
        if plan.first_time(run.held):
            places = ", ".join(f"{{{i}}}" for i in range(len(values)))
            comma = "," if len(values) == 1 else ""
            plan.replace(steps.graph.module, run.held, Code(f"({places}{comma})", tuple(values)))
        feed = next(
            a
            for a in (*run.call.args[1:], *(k.value for k in run.call.keywords))
            if isinstance(a, ast.Name)
        )
        return Code(f"{function}(*{{0}})", (feed,))
    texts = tuple(f"{{{i}}}" for i in range(len(values)))
    return Code(function, tuple(values), texts) if texts else Code(f"{function}()")


def _reads_batches(steps: Steps, run: Run) -> bool:
    """Says whether what a run fetches depends on a batch, which it took from the Dataset then."""
    needs = {name: {name} for name in steps.parameters}
    for leaf in steps.graph.of(Kind.TENSOR, Kind.COLLECTED):
        held = need(steps.graph, leaf, needs)
        for name in changed(steps.graph.module, leaf):  # such as a list that it appends to
            needs[name.id] = needs.get(name.id, set()) | held
    return any(needs.get(node.id) for node in run.fetches if isinstance(node, ast.Name))


def _may_act(value: ast.expr) -> bool:
    return any(isinstance(node, (ast.Call, ast.Await, ast.NamedExpr)) for node in ast.walk(value))


def _write(
    plan: Conversion,
    steps: Steps,
    run: Run,
    statement: ast.stmt,
    code: Code,
    names: Sequence[str],
    returned: Sequence[str],
) -> None:
    """Puts a call in the place of a run, and takes its results apart as the program did."""
    module = steps.graph.module
    whole = isinstance(statement, (ast.Assign, ast.Expr)) and statement.value is run.call
    if whole and isinstance(statement, ast.Expr):
        plan.replace(module, run.call, code)
        return
    if not run.several:
        if not names:
            refuse(run.call, "the result of the training operation is used")
        tail = ".numpy()" if len(returned) == 1 else f"[{returned.index(names[0])}].numpy()"
        plan.replace(
            module,
            run.call,
            Code(code.template, code.parts, code.arguments, code.tail + tail)
            if code.arguments
            else Code(code.template + tail, code.parts),
        )
        return
    target = statement.targets[0] if whole and isinstance(statement, ast.Assign) else None
    if (
        isinstance(target, ast.Name)
        and len(run.fetches) == run.count
        and list(returned) == list(names)
    ):
        if len(names) == 1:
            refuse(run.call, "a list of one tensor is fetched")
        plan.replace(module, run.call, _as_arrays(code, len(names)))
        return
    if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != run.count:
        refuse(run.call, "the results of this run are not assigned to as many names")
    assert isinstance(statement, ast.Assign)
    if len(statement.targets) != 1:
        refuse(run.call, "the results of this run are assigned several times")
    dropped = [t for i, t in enumerate(target.elts) if i not in run.positions]
    _check_dropped(plan, steps, statement, dropped)
    kept = {name: target.elts[i] for name, i in zip(names, run.positions, strict=True)}
    if len(kept) != len(names):
        refuse(run.call, "a tensor is fetched twice")
    left = [ast.unparse(kept[name]) if name in kept else "_" for name in returned]
    arrays = not all(_is_formatted(steps, kept[name]) for name in kept)
    if not kept:
        plan.replace_statement(module, statement, code)
        return
    if arrays:
        code = _as_arrays(code, len(returned))
    head = ", ".join(left)
    plan.replace_statement(
        module, statement, Code(f"{head} = {code.template}", code.parts, code.arguments, code.tail)
    )


def _as_arrays(code: Code, count: int) -> Code:
    """Returns the results of a call as NumPy arrays; of one result itself."""
    inner = f"{code.template}({', '.join(code.arguments)})" if code.arguments else code.template
    if count == 1:
        return Code(f"{inner}.numpy()", code.parts)
    return Code(f"[value.numpy() for value in {inner}]", code.parts)


def _check_dropped(
    plan: Conversion, steps: Steps, statement: ast.stmt, dropped: Sequence[ast.expr]
) -> None:
    """Refuses to leave out a result that the program uses: that of an operation, or a summary."""
    module = steps.graph.module
    names = {n.id for n in dropped if isinstance(n, ast.Name)}
    if len(names) != len({ast.unparse(d) for d in dropped}):
        refuse(statement, "the result of an operation is kept")
    for node in module.all(ast.Name, steps.graph.home):
        if node.id not in names or not isinstance(node.ctx, ast.Load) or plan.is_removed(node):
            continue
        user = module.statement(node)
        if node.id == "_" or _writes(user):
            continue
        refuse(node, f"`{node.id}` is the result of an operation or a summary")


def _writes(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "add_summary"


def _is_formatted(steps: Steps, target: ast.expr) -> bool:
    """Says whether the value of a name is only formatted and compared, as tensors can be."""
    if not isinstance(target, ast.Name):
        return False
    module = steps.graph.module
    for node in module.all(ast.Name, steps.graph.home):
        if node.id != target.id or not isinstance(node.ctx, ast.Load):
            continue
        parent = module.parent(node)
        if isinstance(parent, ast.Tuple):
            parent = module.parent(parent)
        formatted = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod)
        if formatted and isinstance(parent, ast.BinOp):
            left = parent.left
            if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
                return False
            if "%s" in left.value or "%r" in left.value:
                return False
        elif not isinstance(parent, ast.Compare) and not _writes(module.statement(node)):
            return False
    return True
