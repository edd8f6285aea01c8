"""``tf.train.Saver`` becomes a CheckpointManager, which is made where the Saver was."""

from __future__ import annotations

import ast

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.quotes import quoted
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument
from tfmigrate.tables.native.kept import KEPT
from tfmigrate.tables.native.optimizers import SCHEDULES

_ALL = ("tensorflow.global_variables", "tensorflow.all_variables")
_KNOWN = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context)
_MANAGER = "tf.train.CheckpointManager"


def convert_saver(plan: Conversion, steps: Steps, leaf: ast.stmt, session: str) -> None:
    """Plans the edits of a Saver and of its calls.

    Raises:
        Refusal: its arguments or its calls are not known.
    """
    graph, module = steps.graph, steps.graph.module
    assert isinstance(leaf, ast.Assign) and isinstance(leaf.value, ast.Call)
    made, target = leaf.value, leaf.targets[0]
    if not isinstance(target, ast.Name):
        refuse(leaf, "a Saver that is not held by a variable")
    kept = argument(made, 5, "max_to_keep")
    for keyword in made.keywords:
        if keyword.arg not in ("max_to_keep", "sharded"):
            refuse(keyword.value, f"`{keyword.arg}` of a Saver")
    if made.args and called(module, made.args[0]) not in _ALL:
        refuse(made.args[0], "a Saver of some variables")
    place: tuple[str, str] | None = None
    uses = [
        n
        for n in module.all(ast.Name, graph.home)
        if n.id == target.id and isinstance(n.ctx, ast.Load)
    ]
    for node in uses:
        parent = module.parent(node)
        call = module.parent(parent)
        if plan.is_removed(node) or (isinstance(parent, ast.keyword) and parent.arg == "saver"):
            continue  # of a Supervisor or a Scaffold, which are removed
        if not isinstance(parent, ast.Attribute) or not isinstance(call, ast.Call):
            refuse(node, f"`{target.id}` is used in another way than to save and to restore")
        if parent.attr == "restore":
            _restore(plan, steps, call, target.id)
            continue
        if parent.attr != "save":
            refuse(call, f"`{parent.attr}` of a Saver")
        found = _save(plan, steps, call, target.id)
        if place is not None and found != place:
            refuse(call, "a Saver that saves at several places")
        place = found
    if place is None:
        plan.remove(module, leaf)
        return
    arguments = [
        f"tf.train.Checkpoint(optimizer={steps.optimizer}, variables={steps.saved})",
        place[0],
        "max_to_keep={0}" if kept is not None else "max_to_keep=5",
        f"checkpoint_name={place[1]}",
    ]
    parts = (kept,) if kept is not None else ()
    plan.replace(module, made, Code(_MANAGER, parts, tuple(arguments)))


def _save(plan: Conversion, steps: Steps, call: ast.Call, saver: str) -> tuple[str, str]:
    """Converts one call of ``save``; returns the code of the folder and of the name."""
    module = steps.graph.module
    path, step = argument(call, 1, "save_path"), argument(call, 2, "global_step")
    extra = [k for k in call.keywords if k.arg not in ("sess", "save_path", "global_step")]
    if path is None or extra:
        refuse(call, "the arguments of `save`")
    place = _place(steps, path)
    if step is None:
        plan.replace(module, call, Code(f"{saver}.save()"))
    elif isinstance(step, ast.Name) and steps.value(step.id) != step.id:
        plan.replace(module, call, Code(f"{saver}.save(checkpoint_number={steps.value(step.id)})"))
    else:
        plan.replace(module, call, Code(f"{saver}.save(checkpoint_number={{0}})", (step,)))
    return place


def _place(steps: Steps, path: ast.expr) -> tuple[str, str]:
    """Returns the folder and the name of a path that is written out of both."""
    module = steps.graph.module
    folder: ast.expr | None = None
    name: ast.expr | None = None
    if isinstance(path, ast.Call) and module.resolve(path.func) in (
        "os.path.join",
        "posixpath.join",
    ):
        if len(path.args) == 2:
            folder, name = path.args
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add):
        folder, name = path.left, path.right
    text = name.value if isinstance(name, ast.Constant) else None
    if (
        folder is None
        or not isinstance(text, str)
        or "/" in text.lstrip("/")
        or not text.strip("/")
    ):
        refuse(path, "the path of a checkpoint is not written as a folder and a name")
    for node in ast.walk(folder):
        known = isinstance(node, _KNOWN)
        if not known:
            refuse(path, "the folder of a checkpoint may not be known where its Saver is made")
        if isinstance(node, ast.Name) and steps.graph.is_here(node):
            stores = [
                n
                for n in module.all(ast.Name, steps.graph.home)
                if n.id == node.id and isinstance(n.ctx, ast.Store)
            ]
            late = [n for n in stores if module.position(n) > module.position(steps.training.leaf)]
            if late:
                refuse(path, "the folder of a checkpoint is not known where its Saver is made")
    return ast.unparse(folder), quoted(module, text.lstrip("/"))


def _is_schedule(steps: Steps, rate: ast.expr) -> bool:
    value = steps.graph.value_of(rate)
    return isinstance(value, ast.Constant) or called(steps.graph.module, value) in SCHEDULES


def _restore(plan: Conversion, steps: Steps, call: ast.Call, saver: str) -> None:
    path = argument(call, 1, "save_path")
    if path is None:
        refuse(call, "the arguments of `restore`")
    rate = argument(steps.training.made, 0, "learning_rate")
    if rate is not None and not isinstance(rate, ast.Constant) and not _is_schedule(steps, rate):
        refuse(call, "the checkpoint has the learning rate of the program that wrote it")
    name = called(steps.graph.module, path)
    if name and name not in (*KEPT, "tensorflow.train.latest_checkpoint"):
        refuse(path, "the path of a checkpoint")
    # A checkpoint of TensorFlow 1.x would only restore what has the same name.
    whole = f"{saver}.checkpoint.restore({{0}}).assert_existing_objects_matched()"
    plan.replace(steps.graph.module, call, Code(whole, (path,)))
