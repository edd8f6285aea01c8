"""The RunConfig that ``learn_runner.run`` passes to the function that makes an Experiment.

The function takes a RunConfig that its caller makes, in another function or file. A Keras model has
nothing to do with it, but the folder is needed in both places: it is what is passed on.
"""

import ast
import dataclasses
from dataclasses import dataclass

from tfmigrate.model.edits import Code, ReplaceStatement
from tfmigrate.resolve.calls import argument, called, has_star_arguments
from tfmigrate.resolve.module import Module, free_name
from tfmigrate.resolve.settled_values import Settled
from tfmigrate_keras.conversion import Conversion, local_values, refuse
from tfmigrate_keras.experiment_runs import Runner, Runs
from tfmigrate_keras.logs import remove_log
from tfmigrate_keras.run_config import CONFIGS, RunConfig, read_keywords

_PARAMETER = "run_config"


@dataclass(frozen=True)
class Passed:
    """A RunConfig that is passed as a parameter; of it, the folder alone is passed on.

    Attributes:
        parameter: the parameter.
        config: the RunConfig; its folder is the new name of the parameter.
        folders: the folder in each call of learn_runner.run; None where it is not given.
    """

    parameter: str
    config: RunConfig
    folders: dict[ast.Call, ast.expr | None]


def passed_config(
    plan: Conversion, module: Module, estimator_call: ast.Call, runs: Runs
) -> Passed | None:
    """Returns the RunConfig that an Estimator gets from learn_runner.run; None for none.

    Raises:
        Refusal: it cannot be followed.
    """
    function = runs.function
    names = [a.arg for a in function.args.args] if function else []
    if function is None or _PARAMETER not in names:
        return None
    config = argument(estimator_call, 2, "config")
    if not isinstance(config, ast.Name) or config.id != _PARAMETER:
        refuse(estimator_call, f"the Estimator does not get `{_PARAMETER}`")
    folder = free_name(module, "model_dir", "keras_model_dir")
    inner = _changes(plan, module, function, config, folder)
    keywords: list[ast.keyword] = []
    folders: dict[ast.Call, ast.expr | None] = {}
    for runner in runs.runners:
        config_keywords = _keywords(plan, runner)
        folders[runner.call] = next(
            (k.value for k in config_keywords if k.arg == "model_dir"), None
        )
        others = [k for k in config_keywords if k.arg != "model_dir"]
        if len(runs.runners) > 1 and others:
            refuse(runner.call, "several calls of learn_runner.run with a RunConfig")
        keywords += others
    read = read_keywords(plan, module, [*keywords, *inner], estimator_call)
    return Passed(_PARAMETER, dataclasses.replace(read, model_dir=folder), folders)


def _changes(
    plan: Conversion, module: Module, function: ast.FunctionDef, config: ast.Name, folder: str
) -> list[ast.keyword]:
    """Returns what ``run_config.replace`` changes; converts other uses of the parameter."""
    changed_keywords: list[ast.keyword] = []
    for node in module.all(ast.Name, function):
        if node.id != _PARAMETER or node is config:
            continue
        statement = module.statement(node)
        if (changed := _replaced(statement)) is not None:
            if any(keyword.arg == "model_dir" for keyword in changed.keywords):
                refuse(changed, "the folder of the RunConfig is changed")
            if not plan.is_removed(statement):
                changed_keywords += changed.keywords
                plan.remove(module, statement)
            continue
        user = module.parent(node)
        if remove_log(plan, module, node):
            continue
        if not isinstance(user, ast.Attribute) or user.attr != "model_dir":
            refuse(node, f"`{_PARAMETER}` is used in another way than to make the Estimator")
        plan.replace(module, user, Code(folder))
    return changed_keywords


def _replaced(statement: ast.stmt) -> ast.Call | None:
    """Returns the call in ``config = config.replace(...)``; None for other statements."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return None
    call, function = statement.value, statement.value.func
    if not isinstance(function, ast.Attribute) or function.attr != "replace":
        return None
    (target, *others) = statement.targets
    held = function.value
    named = isinstance(target, ast.Name) and isinstance(held, ast.Name) and target.id == held.id
    return call if named and not others else None


def _keywords(plan: Conversion, runner: Runner) -> list[ast.keyword]:
    """Returns the arguments of the RunConfig in a call of learn_runner.run."""
    module = runner.module
    if (config := runner.arguments.get(_PARAMETER)) is None:
        refuse(runner.call, f"learn_runner.run has no `{_PARAMETER}`")
    calls = [config]
    if isinstance(config, ast.Name):
        calls = local_values(module, config) or []
        _check_uses(plan, module, config)
    keywords: list[ast.keyword] = []
    for call in calls:
        if not isinstance(call, ast.Call) or has_star_arguments(call) or call.args:
            refuse(config, "cannot find the RunConfig")
        statement = module.statement(call)
        first = called(module, call) in CONFIGS
        if not first and _replaced(statement) is not call:
            refuse(config, "cannot find the RunConfig")
        keywords = [k for k in keywords if k.arg not in [n.arg for n in call.keywords]]
        keywords += call.keywords
        if isinstance(config, ast.Name):
            plan.edits[module].append(ReplaceStatement(statement, ()))
            folders = [k.value for k in call.keywords if k.arg == "model_dir"]
            plan.leave_out(module, statement, folders)
            for value in folders if not _is_just_above(module, statement, runner.call) else []:
                Settled(module, plan.program.modules).carried(value, runner.call)
    return keywords


def _is_just_above(module: Module, statement: ast.stmt, call: ast.Call) -> bool:
    """Returns whether only changes of a RunConfig are between it and a call."""
    user = module.statement(call)
    for block in (getattr(module.parent(user), name, []) for name in ("body", "orelse")):
        if isinstance(block, list) and statement in block and user in block:
            between = block[block.index(statement) + 1 : block.index(user)]
            return all(_replaced(other) is not None for other in between)
    return False


def _check_uses(plan: Conversion, module: Module, parameter: ast.Name) -> None:
    """Refuses a RunConfig that is used for something else."""
    scope = module.scope(parameter)
    for node in module.all(ast.Name):
        if node.id != parameter.id or node is parameter or isinstance(node.ctx, ast.Store):
            continue
        if module.scope(node) is not scope:
            continue
        if _replaced(module.statement(node)) is None and not remove_log(plan, module, node):
            refuse(node, f"`{node.id}` is used in another way than as the RunConfig")
