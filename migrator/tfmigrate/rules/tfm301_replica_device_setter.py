"""The block under a replica_device_setter becomes a replica function of a strategy.

What it does:
    `tf.train.replica_device_setter(...)` becomes `between_graph.parameter_server_strategy(...)`
    with the same arguments, and the block under `with tf.device(...)` becomes a function that
    `strategy.run` calls. Names that later code reads are returned, names that the block both reads
    and reassigns become parameters, and names that it assigns only on some paths are None on the
    others. If the block also creates a session, only the graph before the session becomes the
    function; the rest stays in place under `with strategy.scope():`.

Why:
    The setter placed variables on parameter servers and everything else on the worker. The
    tf.distribute strategy does the same, in the same order. The session loop is unchanged: every
    worker still trains independently.

Example:
    Before::

        import tensorflow as tf

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
          server = tf.train.Server(cluster, job_name=job_name, task_index=task_index)
          if job_name == 'ps':
            server.join()
          else:
            with tf.device(tf.train.replica_device_setter(
                worker_device='/job:worker/task:%d' % task_index,
                cluster=cluster)):
              x = tf.placeholder(tf.float32, [None, 10])
              loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
              global_step = tf.train.get_or_create_global_step()
              train_op = tf.train.AdagradOptimizer(0.01).minimize(loss, global_step=global_step)

            hooks = [tf.train.StopAtStepHook(last_step=1000)]
            with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=task_index == 0, hooks=hooks) as sess:
              while not sess.should_stop():
                sess.run(train_op, feed_dict={x: next_batch()})

        if __name__ == '__main__':
          tf.app.run()

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import between_graph

        tf.disable_v2_behavior()

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
          server = between_graph.Server(cluster, job_name=job_name, task_index=task_index)
          if job_name == 'ps':
            server.join()
          else:
            strategy = between_graph.parameter_server_strategy(
                worker_device='/job:worker/task:%d' % task_index,
                cluster=cluster)

            def replica_fn():
              x = tf.placeholder(tf.float32, [None, 10])
              loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
              global_step = tf.train.get_or_create_global_step()
              train_op = tf.train.AdagradOptimizer(0.01).minimize(loss, global_step=global_step)
              return x, train_op

            x, train_op = strategy.run(replica_fn)

            hooks = [tf.train.StopAtStepHook(last_step=1000)]
            with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=task_index == 0, hooks=hooks) as sess:
              while not sess.should_stop():
                sess.run(train_op, feed_dict={x: next_batch()})

        if __name__ == '__main__':
          tf.app.run()

What is left to you:
    Nothing. A program stays as it is if one of its blocks cannot become a function; TFM304 reports
    why. Programs with a SyncReplicasOptimizer get a different strategy (TFM303).

Safety:
    Safe: every variable and op stays on its device.
"""

import ast

from tfmigrate.families.device_setter.coordinator import runs_on_coordinator
from tfmigrate.families.device_setter.plan import Conversion, Outcome, PlannedBlock, conversions
from tfmigrate.families.device_setter.replica_calls import replica_call
from tfmigrate.families.device_setter.setters import is_kept_in_variable, uses_device_setter
from tfmigrate.families.device_setter.synchrony import Synchrony, synchrony
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.edits import AddKeywords, BlockToFunction, Code, Edit, ReplaceExpression
from tfmigrate.rulekit.basics import Draft, Drafts, Module, Program, Severity, drafted
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name
from tfmigrate.tables.runtime_api import BETWEEN_GRAPH, COORDINATOR

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True

_STRATEGIES = {
    Synchrony.NEVER: "parameter_server_strategy",
    Synchrony.ALWAYS: "multi_worker_mirrored_strategy",
    Synchrony.FLAG: "strategy",
}


def check(program: Program) -> Drafts:
    """Yields one draft for every device setter whose blocks become replica functions."""
    for module in program.mentioning("replica_device_setter"):
        if not uses_device_setter(module):
            continue
        file_conversions = program.once(conversions, module)
        if any(conversion.problems for conversion in file_conversions):
            continue
        for conversion in file_conversions:
            if conversion.outcome is Outcome.STRATEGY:
                yield _draft(program, conversion)


def _draft(program: Program, conversion: Conversion) -> Draft:
    module, call = conversion.module, conversion.setter.call
    plan = program.once(synchrony, module)
    package = COORDINATOR if runs_on_coordinator(program, module) else BETWEEN_GRAPH
    runtime = runtime_name(module, package)
    name = f"{runtime}.{_STRATEGIES[plan.synchrony]}"
    keywords = (f"sync_replicas={plan.condition}",) if plan.condition else ()
    edits: list[Edit] = [*runtime_import(module, package, call)]
    inline = [b for b in conversion.blocks if b.block.setter is call]
    flat = _laid_out_anew(module, call)
    if inline and flat:
        (block,) = inline
        arguments = (*flat, *keywords)
        edits.append(_edit(module, block, Code(f"{block.strategy} = {name}", (), arguments)))
    else:
        edits.append(ReplaceExpression(call.func, Code(name)))
        edits += [AddKeywords(call, keywords)] if keywords else []
        edits += [_edit(module, block, None) for block in conversion.blocks]
    nothing = f"{tensorflow_name(module, call.func)}.distribute.get_strategy()"
    edits += [ReplaceExpression(node, Code(nothing)) for node in conversion.setter.nothings]
    if conversion.setter.nothings:
        edits += tensorflow_import(module, call.func)
    return drafted(
        module,
        call,
        f"replica_device_setter -> {name}, its block -> a replica function",
        edits=edits,
        group=group_of(program, module),
        construct=group_of(program, module),
    )


def _laid_out_anew(module: Module, call: ast.Call) -> tuple[str, ...]:
    """Returns the arguments of a call whose lines need not stay, none for other calls.

    Those stay that begin where the statement does, or that have comments. Below `with tf.device(`
    they are indented for two calls, of which one is left.
    """
    values: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    codes = tuple(module.code(value) for value in values)
    lines = module.lines[call.lineno - 1 : call.end_lineno]
    if len(lines) == 1:
        return codes
    stays = call.lineno == module.statement(call).lineno
    if stays or any("#" in line for line in lines) or any("\n" in code for code in codes):
        return ()
    return codes


def _edit(module: Module, planned: PlannedBlock, before: Code | None) -> BlockToFunction:
    """Returns the edit of one block; ``before`` None for a setter that keeps its own layout."""
    block, plan, strategy = planned.block, planned.plan, planned.strategy
    statement = block.statement
    if before is None and not is_kept_in_variable(module, block.setter):
        before = Code(f"{strategy} = {{0}}", (block.setter,))
    has_tail = plan.size < len(statement.body)
    inner = module.indentation(statement.body[0])
    outer = inner if has_tail else module.indentation(statement)
    code = replica_call(plan, strategy, planned.function, inner, outer)
    return BlockToFunction(
        statement=statement,
        item=block.item,
        before=before,
        head=code.head,
        size=plan.size,
        results=code.results,
        call=Code(code.call),
        scope=f"with {strategy}.scope():" if has_tail else "",
        unset=tuple(plan.unset),
    )
