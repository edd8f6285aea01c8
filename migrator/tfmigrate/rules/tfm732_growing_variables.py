"""A variable that changes its shape under an Estimator is created without one.

What it does:
    Adds `validate_shape=False` to the creation of a variable that the same file assigns with
    `tf.assign(..., validate_shape=False)`, in programs with an Estimator, and
    `shape=tf.TensorShape(None)` to one that is created with `validate_shape=False`. Reports such
    assignments where the creation is not in the file, or has an argument against it.

Why:
    The variables of an Estimator of TensorFlow 1.15 took values of any shape. Those of migrated
    Estimators are resource variables, which keep the shape that they were created with: the first
    assignment of another shape fails, and `tf.size` of a variable that was created without a shape
    is the size of its initial value. A program that switches to TensorFlow 1.x behavior keeps its
    variables.

Example:
    Before::

        import tensorflow as tf

        def kept_values(values):
          kept = tf.Variable([], trainable=False, collections=['local_variables'])
          update = tf.assign(kept, tf.concat([kept, values], 0), validate_shape=False)
          return kept, update

        def model_fn(features, labels, mode):
          metrics = {'kept': kept_values(features)}
          return tf.estimator.EstimatorSpec(mode, loss=labels, eval_metric_ops=metrics)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def kept_values(values):
          kept = tf.Variable(
              [],
              trainable=False,
              collections=['local_variables'],
              validate_shape=False)
          update = tf.assign(kept, tf.concat([kept, values], 0), validate_shape=False)
          return kept, update

        def model_fn(features, labels, mode):
          metrics = {'kept': kept_values(features)}
          return estimator.EstimatorSpec(mode, loss=labels, eval_metric_ops=metrics)

What is left to you:
    A value read before an assignment is the old one, also where it was used after it;
    TensorFlow 1.15 may have used the new one.

Safety:
    Safe: the initial value and all assignments are the same.
"""

import ast

from tfmigrate.families.tf1.is_tf1 import group_of, legacy_modules, uses_estimator, uses_family
from tfmigrate.model.edits import AddKeywords
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.origins import keys_of, origins
from tfmigrate.rulekit.basics import Draft, Drafts, Module, Program, Severity, drafted
from tfmigrate.rulekit.tensorflow_import import tensorflow_name

SEVERITY = Severity.FIXED

_OPS = "tensorflow.python.ops"
_ASSIGN = (
    "tensorflow.assign",
    "tensorflow.raw_ops.Assign",
    f"{_OPS}.gen_state_ops.assign",
    f"{_OPS}.state_ops.assign",
)
_CHECKED = "validate_shape"
# At which position they take validate_shape; get_variable has it behind many others.
_CREATED = {
    "tensorflow.Variable": 3,
    "tensorflow.get_variable": 11,
    "tensorflow.get_local_variable": 11,
    "tensorflow.contrib.framework.local_variable": 1,
    "tensorflow.contrib.slim.local_variable": 1,
    f"{_OPS}.variable_scope.get_local_variable": 11,
    f"{_OPS}.variable_scope.get_variable": 11,
    f"{_OPS}.variables.Variable": 3,
    f"{_OPS}.variables.VariableV1": 3,
}


def check(program: Program) -> Drafts:
    """Yields a draft for every variable that grows, and for every assignment to an unknown one."""
    legacy = program.once(legacy_modules)
    estimators = [m for m in program.modules if uses_estimator(m) or uses_family(m)]
    for module in legacy if estimators else ():
        grown = [c for c in module.calls_of(*_ASSIGN) if _changes_shape(module, c)]
        grown += [c for c in _bound_arguments(module) if _changes_shape(module, c)]
        loose = [call for call in module.calls_of(*_CREATED) if _has_no_shape(module, call)]
        if not (grown or loose) or not program.connected(module, estimators):
            continue
        yield from (_without_shape(program, module, call) for call in loose)
        created: dict[ast.Call, None] = {}
        for call in grown:
            if (creations := _creations(module, call)) is None:
                yield _unknown(program, module, call)
            created.update(dict.fromkeys(creations or ()))
        for creation in created:
            yield drafted(
                module,
                creation,
                "a variable that changes its shape -> created without one",
                edits=(AddKeywords(creation, (f"{_CHECKED}=False",)),),
                group=group_of(program, module),
            )


def _has_no_shape(module: Module, call: ast.Call) -> bool:
    """Returns whether TensorFlow 1.15 created a variable without a static shape."""
    name = module.resolve(call.func) or ""
    checked = argument(call, _CREATED[name], _CHECKED)
    shaped = argument(call, 1, "shape") if "get_" in name else None
    shaped = shaped or next((k.value for k in call.keywords if k.arg == "shape"), None)
    return isinstance(checked, ast.Constant) and checked.value is False and shaped is None


def _without_shape(program: Program, module: Module, call: ast.Call) -> Draft:
    """Returns the draft of a variable that resource variables would give its first shape."""
    plain = "get_" not in (name := module.resolve(call.func) or "") and "local" not in name
    internal = name.startswith("tensorflow.python.")
    shape = f"shape={tensorflow_name(module, None if internal else call.func)}.TensorShape(None)"
    text = "a variable without a shape"
    return drafted(
        module,
        call,
        f"{text} -> {shape}" if plain else f"{text} gets that of its initial value",
        "" if plain else f"create it with tf.Variable(..., {shape})",
        edits=(AddKeywords(call, (shape,)),) if plain else (),
        group=group_of(program, module),
    )


def _bound_arguments(module: Module) -> list[ast.Call]:
    """Returns the ``functools.partial`` calls that give an assignment some of its arguments."""
    parents = [module.parent(use.node) for use in module.uses_of(*_ASSIGN)]
    calls = [parent for parent in parents if isinstance(parent, ast.Call)]
    return [call for call in calls if module.resolve(call.func) == "functools.partial"]


def _changes_shape(module: Module, call: ast.Call) -> bool:
    """Returns whether an assignment may change the shape of its variable."""
    for keyword in call.keywords:
        if keyword.arg is None and (
            (keys := keys_of(module, keyword.value)) is None or _CHECKED in keys
        ):
            return True
    position = 2 if module.resolve(call.func) in _ASSIGN else 3  # behind what partial is given
    checked = argument(call, position, _CHECKED)
    always = isinstance(checked, ast.Constant) and bool(checked.value)
    return checked is not None and not always


def _creations(module: Module, assign: ast.Call) -> list[ast.Call] | None:
    """Returns the calls that create a variable with a shape; None where they are unknown."""
    variable = argument(assign, 0, "ref")
    variable_origins = origins(module, variable) if variable is not None else None
    created: list[ast.Call] = []
    for origin in variable_origins or ():
        name = module.resolve(origin.func) if isinstance(origin, ast.Call) else None
        if not isinstance(origin, ast.Call) or name not in _CREATED or has_star_arguments(origin):
            return None
        if (checked := argument(origin, _CREATED[name], _CHECKED)) is None:
            created.append(origin)
        elif not isinstance(checked, ast.Constant) or checked.value:
            return None
    return created if variable_origins else None


def _unknown(program: Program, module: Module, call: ast.Call) -> Draft:
    message = "this assignment may change the shape of its variable, which fails on TensorFlow 2"
    action = f"create the variable with {_CHECKED}=False"
    return drafted(module, call, message, action, group=group_of(program, module))
