"""A learning rate and the increment of its step have no order.

What it does:
    Reports `tf.assign_add(step, 1)` and `tf.assign(step, step + 1)` that are run together with
    training, without an order between them, where a learning rate is computed from `step` by
    `tf.cast` or one of the decays of `tf.train`, which cast it.

Why:
    Threads decide whether the learning rate is that of this step or of the next one. In TensorFlow
    1.15, on CPUs, it was that of the next in 239 of 240 updates; in TensorFlow 2.21, that of this
    step in all with `assign_add` and in 11 of 120 with `assign`; with a migrated Estimator, always.
    So updates have the rate of the step before. Conditions (`step % 3 == 0`) were read before the
    increment, and still are (semantics.md, section 3).

Example:
    Before::

        import tensorflow as tf

        def train(loss):
          step = tf.Variable(0, trainable=False)
          rate = tf.train.exponential_decay(0.1, step, 1000, 0.96)
          train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
          train_op = tf.group(train_op, tf.assign_add(step, 1))
          with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train_op)

What is left to you:
    Give them an order: pass the step to `minimize(loss, global_step=step)`, or increment it in
    `with tf.control_dependencies([train_op])`. The rate is then that of this step. To train as
    TensorFlow 1.15 mostly did, compute it from `step + 1`. Only the run that migrates the file
    reports it. `tfmigrate verify` accepts a program in either order, with a warning.

Safety:
    Nothing is changed.
"""

import ast
from collections.abc import Hashable, Iterator
from itertools import pairwise

from tfmigrate.families.tf1.is_tf1 import groups_of_device_setters, legacy_modules
from tfmigrate.resolve.calls import argument, called, called_on, last_name, written_arguments
from tfmigrate.resolve.module import asked_once
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.value_flow import computed_from, holders
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.MANUAL

_ASSIGNS = tuple(
    f"{package}.{name}"
    for package in ("tensorflow", "tensorflow.python.ops.state_ops")
    for name in ("assign", "assign_add")
)
_GROUPS = ("tensorflow.group", "tensorflow.tuple")
_DEPENDENCIES = "tensorflow.control_dependencies"
_COLLECTION = "tensorflow.get_collection"
_DECAYS = (
    ".exponential_decay",
    ".natural_exp_decay",
    ".inverse_time_decay",
    ".polynomial_decay",
    ".cosine_decay",
    ".cosine_decay_restarts",
    ".linear_cosine_decay",
    ".noisy_linear_cosine_decay",
)
_COMPARING = (".piecewise_constant", ".piecewise_constant_decay")
_CASTS = ("tensorflow.cast", "tensorflow.to_double", "tensorflow.to_float", "tensorflow.to_int32")
_STEPS = ("get_global_step", "get_or_create_global_step", "create_global_step")


def check(program: Program) -> Drafts:
    """Yields a draft for every such increment."""
    legacy = program.once(legacy_modules)
    # On parameter servers, threads decide in both versions.
    clusters = program.once(groups_of_device_setters)
    for module in legacy:
        if module in clusters or not module.mentions("assign"):
            continue
        for call, step in _increments(module):
            rate = _rates(module, _adds(call)).get(_identity(module, step))
            if rate is None:
                continue
            if _is_run_with_others(module, call) and not _is_ordered(module, call, rate):
                yield drafted(
                    module,
                    call,
                    "threads decide whether the learning rate is computed before or after this: "
                    "TensorFlow 1.15 mostly did it after, TensorFlow 2 mostly does it before",
                    "order them with tf.control_dependencies([train_op]), and compute the rate "
                    "from step + 1 to train as before",
                )


def _increments(module: Module) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yields the calls that add to a variable, each with the variable."""
    for call in module.all(ast.Call):
        if called(module, call) in _ASSIGNS:
            variable, value = argument(call, 0, "ref"), argument(call, 1, "value")
        else:
            variable, value = called_on(call, "assign", "assign_add"), argument(call, 0, "value")
        if variable is None or value is None:
            continue
        step = _identity(module, variable)
        sources = (_identity(module, source) for source in computed_from(module, value))
        if _adds(call) or step in sources:
            yield call, variable


def _adds(call: ast.Call) -> bool:
    return last_name(call.func) == "assign_add"


@asked_once
def _rates(module: Module, adds: bool) -> dict[Hashable, ast.expr]:
    """Returns the variables that learning rates are computed from, each with the code that does.

    What compares the step reads it before ``assign_add`` in all versions, but after ``assign`` in
    TensorFlow 1.15 alone.

    Args:
        adds: whether the variables are incremented by ``assign_add``.
    """
    schedules = _DECAYS if adds else (*_DECAYS, *_COMPARING)
    calls = [c for c in module.all(ast.Call) if called(module, c).startswith("tensorflow.")]
    rates = [call for call in calls if called(module, call).endswith(schedules)]
    for call in calls:
        rate = argument(call, 0, "learning_rate")
        if rate is not None and called(module, call).endswith("Optimizer"):
            values = computed_from(module, rate)
            rates += [v for v in values if isinstance(v, ast.Call) and called(module, v) in _CASTS]
    read: dict[Hashable, ast.expr] = {}
    for rate in rates:
        for start in _arguments(rate):
            for value in computed_from(module, start):
                read.setdefault(_identity(module, value), rate)
    read.pop(None, None)
    return read


def _arguments(call: ast.expr) -> list[ast.expr]:
    return [value for _, value in written_arguments(call)] if isinstance(call, ast.Call) else []


def _identity(module: Module, node: ast.expr) -> Hashable:
    """Returns what two expressions of one variable have in common; None of what is no name."""
    values = origins(module, node)
    if values is not None:
        calls = [value for value in values if isinstance(value, ast.Call)]
        if calls and all(called(module, each).endswith(_STEPS) for each in calls):
            return "the global step"
        return frozenset(calls) or None
    parameters = (getattr(binding, "node", None) for binding in module.bindings(node))
    return frozenset(p for p in parameters if isinstance(p, ast.arg)) or None


def _is_run_with_others(module: Module, call: ast.Call) -> bool:
    """Returns whether what a call returns is run together with other ops."""
    is_several = False
    for value in holders(module, call):
        elements = getattr(value, "elts", getattr(value, "values", ()))
        is_several |= len(elements) > 1 or isinstance(value, ast.Starred)
        use = module.parent(value)
        if not isinstance(use, ast.Call):
            continue
        name = called(module, use)
        if name == _DEPENDENCIES or (name in _GROUPS and (is_several or len(use.args) > 1)):
            return True
        if is_several and called_on(use, "run") is not None and value in use.args[:1]:
            return True
    return False


def _is_ordered(module: Module, call: ast.Call, rate: ast.expr) -> bool:
    """Returns whether an increment waits for training, or the learning rate for it."""
    return any(_may_train(module, awaited) for awaited in _awaited(module, call)) or any(
        call in computed_from(module, awaited) for awaited in _awaited(module, rate)
    )


def _awaited(module: Module, node: ast.AST) -> Iterator[ast.expr]:
    """Yields what the code around a node waits for."""
    around = list(module.ancestors(node))
    for inner, block in pairwise(around):
        if not isinstance(block, ast.With) or isinstance(inner, ast.withitem):
            continue
        for item in block.items:
            if called(module, item.context_expr) == _DEPENDENCIES:
                yield from _arguments(item.context_expr)


def _may_train(module: Module, awaited: ast.expr) -> bool:
    """Returns whether ops may be more than those of a collection, such as UPDATE_OPS."""
    for value in computed_from(module, awaited):
        if isinstance(value, ast.Call) and called(module, value) != _COLLECTION:
            return True
        is_own = isinstance(value, ast.Name) and module.resolve(value) is None
        if is_own and origins(module, value) is None:
            return True
    return False
