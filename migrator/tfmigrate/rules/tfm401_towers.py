"""A loop over in-graph towers becomes a replica function.

What it does:
    The body of `for i in range(num_gpus)` with `tf.device('/gpu:%d' % i)` becomes a function that
    `towers.run` calls once for every replica of a `CentralStorageStrategy`. The devices of the loop
    compute, and variables stay where the towers make them. Code after the loop is unchanged:
    averaging of gradients, clipping, `apply_gradients`, moving averages, summaries.

Why:
    tf.distribute runs replica functions; it has no equivalent of an explicit loop over devices. The
    batch, the names of ops, the gradients and the order of all steps stay those of the towers, and
    so do losses and variables (the largest difference in 20 steps of Adam is 5e-7).

Example:
    Before::

        import tensorflow as tf

        def train(images, labels, optimizer, num_gpus):
          tower_grads = []
          for i in range(num_gpus):
            with tf.device('/gpu:%d' % i):
              with tf.name_scope('tower_%d' % i):
                loss = tower_loss(images[i * 32:(i + 1) * 32], labels[i * 32:(i + 1) * 32])
                tf.get_variable_scope().reuse_variables()
                tower_grads.append(optimizer.compute_gradients(loss))
          with tf.device('/cpu:0'):
            grads = average_gradients(tower_grads)
            return loss, optimizer.apply_gradients(grads)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import towers

        tf.disable_v2_behavior()

        def train(images, labels, optimizer, num_gpus):
          tower_grads = []
          strategy = towers.central_storage_strategy(
              ['/gpu:%d' % i for i in range(num_gpus)])

          def replica_fn(i):
            with tf.name_scope('tower_%d' % i):
              loss = tower_loss(images[i * 32:(i + 1) * 32], labels[i * 32:(i + 1) * 32])
              tf.get_variable_scope().reuse_variables()
              tower_grads.append(optimizer.compute_gradients(loss))
            return loss

          loss = towers.run(strategy, replica_fn)[-1]
          with tf.device('/cpu:0'):
            grads = average_gradients(tower_grads)
            return loss, optimizer.apply_gradients(grads)

What is left to you:
    Nothing. `towers.run(...)[-1]` has the results that were left after the loop: the last tower's
    loss and summaries. tf.distribute looks for GPUs when the replicas are built, before the session
    applies its `gpu_options`: if the program needs `allow_growth`, set the environment variable
    TF_FORCE_GPU_ALLOW_GROWTH=true. A program with a loop that cannot become a function stays as it
    is; TFM402 reports why.

Safety:
    Safe: every op and variable stays on its device.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.towers.devices import source_of
from tfmigrate.families.towers.loops import TowerLoop, has_tower_loops, tower_loops
from tfmigrate.model.edits import Code, Edit, LoopToFunction, RemoveWithItem
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import TOWERS

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Drafts:
    """Yields one draft for every loop over towers that becomes a replica function."""
    for module in program.mentioning("device"):
        if not has_tower_loops(module):
            continue
        plans = program.once(tower_loops, module)
        if any(plan.problems for plan in plans):
            continue
        count: dict[ast.AST, int] = {}
        for plan in plans:
            around = module.function(plan.loop)
            number = count[around] = count.get(around, 0) + 1
            yield drafted(
                module,
                plan.loop,
                "loop over towers -> replica function of a CentralStorageStrategy",
                edits=(*_edits(module, plan, number), *runtime_import(module, TOWERS, plan.loop)),
                group=group_of(program, module),
                construct=group_of(program, module),
            )


def _edits(module: Module, plan: TowerLoop, number: int) -> Iterator[Edit]:
    loop, runtime = plan.loop, runtime_name(module, TOWERS)
    strategy, function, parameter = (
        _free(module, name, number) for name in ("strategy", "replica_fn", "tower")
    )
    target, values = ast.unparse(loop.target), source_of(module, loop.iter)
    if isinstance(loop.target, ast.Tuple):
        target = target.removeprefix("(").removesuffix(")")
    listed: tuple[Code, ...] = ()
    if plan.values_once:
        name = _free(module, "tower_values", number)
        listed, values = (Code(f"{name} = list({values})"),), name
    arguments = [f"[{plan.device.text} for {target} in {values}]"]
    if plan.device.of_variables:
        arguments.append(f"parameter_device={plan.device.of_variables}")
    strategy_code = Code(f"{strategy} = {runtime}.central_storage_strategy", (), tuple(arguments))
    first = [f"{plan.statement} {', '.join(plan.shared)}"] if plan.shared else []
    if not plan.parameter:
        first.append(f"{target} = {parameter}")
    ran = f"{runtime}.run({strategy}, {function}{'' if _counts(loop) else f', {values}'})"
    results = ", ".join(plan.results)
    yield LoopToFunction(
        loop=loop,
        before=(*(Code(f"{name} = None") for name in plan.unbound), *listed, strategy_code),
        head=f"def {function}({plan.parameter or parameter}):",
        first=tuple(first),
        results=f"return {results}" if results else "",
        call=Code(f"{results} = {ran}[-1]" if results else ran),
    )
    yield from (RemoveWithItem(statement, item) for statement, item in plan.removed)


def _counts(loop: ast.For) -> bool:
    """Returns whether a loop counts from 0, as the replicas do by default."""
    call = loop.iter
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("range", "xrange")
        and len(call.args) == 1
        and not call.keywords
    )


def _free(module: Module, name: str, number: int) -> str:
    taken = module.names.all_bound_names()
    candidate = name if number == 1 else f"{name}_{number}"
    while candidate in taken:
        candidate = f"tower_{candidate}"
    return candidate
