"""The RunConfig of an Estimator: what of it Keras has, and the code that makes it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native.tensors import source
from tfmigrate.resolve.calls import has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.names import is_none
from tfmigrate.resolve.settled_values import Settled

_CONFIGS = ("tensorflow.estimator.RunConfig", "tensorflow.contrib.learn.RunConfig")
_MADE = frozenset(
    (*_CONFIGS, "tensorflow.ConfigProto", "tensorflow.GPUOptions", "tensorflow.OptimizerOptions")
)
# About sessions, logs and old checkpoints: they do not change what is trained.
_WITHOUT_EFFECT = (
    "session_config",
    "log_step_count_steps",
    "save_summary_steps",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "save_checkpoints_secs",
)


@dataclass(frozen=True)
class RunConfig:
    """What Keras needs of a RunConfig.

    Attributes:
        model_dir: the code of the folder; "" where it is not given.
        save_steps: the code of the steps between two checkpoints; "" where it is not given.
        strategy: the call that makes ``train_distribute``; None for none.
        seed: the code of ``tf_random_seed``; "" where it is not given.
    """

    model_dir: str = ""
    save_steps: str = ""
    strategy: ast.expr | None = None
    seed: str = ""


def read_config(plan: Conversion, module: Module, node: ast.expr | None) -> RunConfig:
    """Returns what a RunConfig asks for, and removes the code that makes it.

    Args:
        plan: the conversion.
        module: the file of the Estimator.
        node: its argument ``config``; None if it is not given.

    Raises:
        Refusal: it cannot be followed, or asks for something that Keras does not have.
    """
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return RunConfig()
    call = source(module, node)
    home = module
    if isinstance(call, ast.Call) and called(module, call) not in _CONFIGS:
        found = definition(plan, module, call.func)
        if found is None:
            refuse(node, "cannot find the RunConfig")
        home, function = found
        call = _returned(home, function)
        _remove_function(plan, home, function)
    if not isinstance(call, ast.Call) or called(home, call) not in _CONFIGS:
        refuse(node, "cannot find the RunConfig")
    if isinstance(node, ast.Name):
        plan.remove(module, module.statement(source(module, node)))
    return _read(plan, home, call, node)


def _returned(module: Module, function: ast.FunctionDef) -> ast.expr:
    found = [
        s.value
        for s in module.all(ast.Return, function)
        if module.function(s) is function and s.value is not None
    ]
    if len(found) != 1:
        refuse(function, f"`{function.name}` does not return one RunConfig")
    return source(module, found[0])


def _read(plan: Conversion, module: Module, call: ast.Call, site: ast.AST) -> RunConfig:
    if call.args or has_star_arguments(call):
        refuse(call, "the arguments of the RunConfig are not given by name")
    settled = Settled(module, plan.program.modules)
    texts: dict[str, str] = {}
    strategy = None
    for keyword in call.keywords:
        name = keyword.arg or ""
        if name in _WITHOUT_EFFECT or is_none(keyword.value):
            continue
        if name in ("train_distribute", "eval_distribute"):
            strategy = strategy or keyword.value
        elif name in ("model_dir", "save_checkpoints_steps", "tf_random_seed"):
            texts[name] = ast.unparse(settled.carried(keyword.value, site))
        else:
            refuse(keyword.value, f"`{name}` of the RunConfig")
    return RunConfig(
        texts.get("model_dir", ""),
        texts.get("save_checkpoints_steps", ""),
        strategy,
        texts.get("tf_random_seed", ""),
    )


def _remove_function(plan: Conversion, module: Module, function: ast.FunctionDef) -> None:
    """Removes a function that makes a RunConfig and does nothing else."""
    for statement in function.body:
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not (text or isinstance(statement, ast.Return) or _is_config(module, statement)):
            refuse(statement, f"`{function.name}` does more than make a RunConfig")
    plan.remove(module, function)


def remove_configs(plan: Conversion, module: Module) -> None:
    """Removes the statements that make configurations of sessions, which Keras does not have."""
    for statement in module.all(ast.stmt):
        if not plan.is_removed(statement) and _is_config(module, statement):
            plan.remove(module, statement)


def _is_config(module: Module, statement: ast.stmt) -> bool:
    """Says whether a statement makes or changes a configuration."""
    if not isinstance(statement, ast.Assign):
        return False
    (target, *others) = statement.targets
    if others:
        return False
    if isinstance(target, ast.Name):
        return called(module, statement.value) in _MADE
    root: ast.expr = target
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(target, ast.Attribute) and called(module, source(module, root)) in _MADE
