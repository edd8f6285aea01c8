"""The RunConfig of an Estimator: what of it Keras has, and the code that makes it.

Fields that only concern sessions and logs are left out. Everything else has to be carried over or
is refused: a field that is lost would change what is trained, or where.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import called, called_on, has_star_arguments, named_arguments
from tfmigrate.resolve.module import Module, free_name
from tfmigrate.resolve.scopes import is_none, root_of
from tfmigrate.resolve.settled_values import Settled
from tfmigrate.resolve.syntax import is_text
from tfmigrate_keras.conversion import Conversion, literal, refuse
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.tensors import source

CONFIGS = ("tensorflow.estimator.RunConfig", "tensorflow.contrib.learn.RunConfig")
_MADE = frozenset(
    (*CONFIGS, "tensorflow.ConfigProto", "tensorflow.GPUOptions", "tensorflow.OptimizerOptions")
)
_STRATEGIES = ("train_distribute", "eval_distribute")
_OF_TOWERS = ("global_batch", "loss_reduction")  # of the runtime's RunConfig
_DISTRIBUTE = (
    "tensorflow.contrib.distribute.DistributeConfig",
    "tensorflow.distribute.DistributeConfig",
)
# About sessions, logs and old checkpoints: they do not change what is trained.
_WITHOUT_EFFECT = (
    *("session_config", "session_creation_timeout_secs", "num_cores", "gpu_memory_fraction"),
    *("log_device_placement", "log_step_count_steps"), "save_summary_steps", "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours", "save_checkpoints_secs",
)  # fmt: skip


@dataclass(frozen=True)
class RunConfig:
    """What Keras needs of a RunConfig.

    Attributes:
        model_dir: the code of the folder; "" where it is not given.
        save_steps: the code of the steps between two checkpoints; "" where it is not given.
        strategy: the value of ``train_distribute``; None for none.
        home: the file of that value.
        evaluates: whether the strategy is that of the evaluation, too.
        seed: the code of ``tf_random_seed``; "" where it is not given.
        global_batch: whether the replicas share each batch, as towers did.
        loss_reduction: how the losses of these towers are combined; None where it is not given.
    """

    model_dir: str = ""
    save_steps: str = ""
    strategy: ast.expr | None = None
    home: Module | None = None
    evaluates: bool = False
    seed: str = ""
    global_batch: bool = False
    loss_reduction: ast.expr | None = None


def read_config(plan: Conversion, module: Module, node: ast.expr | None) -> RunConfig:
    """Returns what a RunConfig asks for, and removes the code that makes it.

    Args:
        module: the file of the Estimator.
        node: its argument ``config``; None if it is not given.

    Raises:
        Refusal: it cannot be followed, or asks for something that Keras does not have.
    """
    if node is None or is_none(node):
        return RunConfig()
    node, changes = _without_replace(node)
    call = source(module, node)
    home = module
    if isinstance(call, ast.Call) and called(module, call) not in CONFIGS:
        if (callee := definition(plan, module, call.func)) is None:
            refuse(node, "cannot find the RunConfig")
        home, function = callee
        call = _returned(home, function)
        _remove_function(plan, home, function)
    if not isinstance(call, ast.Call) or called(home, call) not in CONFIGS:
        refuse(node, "cannot find the RunConfig")
    if changes and home is not module:
        refuse(node, "a RunConfig of another file is changed")
    found_config = _read(plan, home, call, changes, node)
    if isinstance(node, ast.Name):
        _remove_statement(plan, module, module.statement(source(module, node)), found_config)
    return found_config


def _without_replace(node: ast.expr) -> tuple[ast.expr, list[ast.keyword]]:
    """Returns what ``replace`` is called on, and its arguments; ``node`` itself without it."""
    config = called_on(node, "replace")
    if config is None or not isinstance(node, ast.Call):
        return node, []
    if node.args or has_star_arguments(node):
        refuse(node, "the arguments of `replace` are not passed by keyword")
    inner, earlier = _without_replace(config)
    return inner, _updated(earlier, node.keywords)


def _updated(keywords: list[ast.keyword], changes: list[ast.keyword]) -> list[ast.keyword]:
    names = [keyword.arg for keyword in changes]
    return [*(k for k in keywords if k.arg not in names), *changes]


def _remove_statement(
    plan: Conversion, module: Module, statement: ast.stmt, config: RunConfig
) -> None:
    """Removes the assignment of a RunConfig; a strategy that it makes takes its place."""
    strategy = config.strategy
    here = strategy is not None and strategy in set(module.walk(statement))
    if strategy is None or isinstance(strategy, ast.Name) or not here:
        plan.remove(module, statement)
        return
    name = strategy_name(module)
    plan.replace_statement(module, statement, Code(f"{name} = {{0}}", (strategy,)))


def strategy_name(module: Module) -> str:
    """Returns a free name for a strategy."""
    return free_name(module, "strategy", "keras_strategy")


def _returned(module: Module, function: ast.FunctionDef) -> ast.expr:
    returned = [s.value for s in module.returns(function) if s.value is not None]
    if len(returned) != 1:
        refuse(function, f"`{function.name}` does not return one RunConfig")
    return source(module, returned[0])


def _read(
    plan: Conversion, module: Module, call: ast.Call, changes: list[ast.keyword], site: ast.AST
) -> RunConfig:
    if call.args or has_star_arguments(call):
        refuse(call, "the arguments of the RunConfig are not passed by keyword")
    return read_keywords(plan, module, _updated(call.keywords, changes), site)


def read_keywords(
    plan: Conversion, module: Module, keywords: Sequence[ast.keyword], site: ast.AST
) -> RunConfig:
    """Returns a RunConfig by its arguments.

    Raises:
        Refusal: it asks for something that Keras does not have.
    """
    settled = Settled(module, plan.program.modules)
    texts: dict[str, str] = {}
    strategies: dict[str, ast.expr] = {}
    towers: dict[str, ast.expr] = {}
    for keyword in keywords:
        if (name := keyword.arg or "") in _WITHOUT_EFFECT or is_none(keyword.value):
            continue
        if name in _STRATEGIES:
            strategies[name] = keyword.value
        elif name in _OF_TOWERS:
            towers[name] = keyword.value
        elif name == "experimental_distribute" and called(module, keyword.value) in _DISTRIBUTE:
            strategies |= _of_distribute_config(keyword.value)
        elif name in ("model_dir", "save_checkpoints_steps", "tf_random_seed"):
            texts[name] = ast.unparse(settled.carried(keyword.value, site))
        else:
            refuse(keyword.value, f"`{name}` of the RunConfig")
    train, evaluation = (strategies.get(name) for name in _STRATEGIES)
    if train is None and evaluation is not None:
        refuse(evaluation, "`eval_distribute` without `train_distribute`")
    return RunConfig(
        texts.get("model_dir", ""),
        texts.get("save_checkpoints_steps", ""),
        train,
        module,
        evaluation is not None and _is_same(module, train, evaluation),
        texts.get("tf_random_seed", ""),
        _is_global(towers),
        towers.get("loss_reduction"),
    )


def _is_global(towers: dict[str, ast.expr]) -> bool:
    """Returns whether a RunConfig of the runtime has towers, which share each batch."""
    global_batch = towers.get("global_batch", ast.Constant(False))
    is_global = literal(global_batch)
    if not isinstance(is_global, bool):
        refuse(global_batch, "`global_batch` is not written out")
    if "loss_reduction" in towers and not is_global:
        refuse(towers["loss_reduction"], "`loss_reduction` without `global_batch`")
    return is_global


def _of_distribute_config(node: ast.expr) -> dict[str, ast.expr]:
    """Returns the strategies of a DistributeConfig."""
    assert isinstance(node, ast.Call)
    strategies = named_arguments(node, _STRATEGIES)
    if has_star_arguments(node) or set(strategies) - set(_STRATEGIES):
        refuse(node, "these arguments of a DistributeConfig")
    return {name: value for name, value in strategies.items() if not is_none(value)}


def _is_same(module: Module, train: ast.expr | None, evaluation: ast.expr) -> bool:
    """Returns whether two values of a RunConfig are strategies with the same replicas.

    Raises:
        Refusal: they are not.
    """
    if train is None:
        return False
    one, other = source(module, train), source(module, evaluation)
    same = one is other or ast.dump(train) == ast.dump(evaluation)
    if not same and isinstance(one, ast.Call) and isinstance(other, ast.Call):
        values = [
            sorted(ast.dump(v) for v in (*c.args, *(k.value for k in c.keywords)))
            for c in (one, other)
        ]
        same = called(module, one) == called(module, other) and values[0] == values[1]
    if not same:
        refuse(evaluation, "the strategy of the evaluation is not that of the training")
    return True


def _remove_function(plan: Conversion, module: Module, function: ast.FunctionDef) -> None:
    """Removes a function that makes a RunConfig and does nothing else."""
    for statement in function.body:
        if not (
            is_text(statement) or isinstance(statement, ast.Return) or _is_config(module, statement)
        ):
            refuse(statement, f"`{function.name}` does more than create a RunConfig")
    plan.remove(module, function)


def remove_configs(plan: Conversion) -> None:
    """Removes the statements that make configurations of sessions, which Keras does not have."""
    for module in plan.program.modules:
        for statement in plan.left(module.all(ast.stmt)):
            if _is_config(module, statement):
                plan.remove(module, statement)


def _is_config(module: Module, statement: ast.stmt) -> bool:
    """Returns whether a statement makes or changes a configuration."""
    if not isinstance(statement, ast.Assign):
        return False
    (target, *others) = statement.targets
    if others:
        return False
    if isinstance(target, ast.Name):
        return called(module, statement.value) in _MADE
    root = root_of(target) if isinstance(target, ast.Attribute) else None
    return isinstance(root, ast.expr) and called(module, source(module, root)) in _MADE
