"""A member or an argument of Keras 2 is used that Keras 3 lacks.

What it does:
    Reports methods, attributes and arguments of Keras objects that Keras 3 does not have: of
    models, layers, optimizers, metrics, callbacks and the program's own subclasses of them, in
    programs of `tf.keras` and of the package `keras`. Methods that a subclass overrides and that
    Keras 3 never calls are reported at the method. So are arguments without a name where Keras 3
    has another order: the third of `compile`, a list of metrics, is `loss_weights` there, and the
    third of SGD was the decay up to Keras 2.2. In programs of TensorFlow 1.x, which keep
    Keras 2, it reports what Keras 2 lost since TensorFlow 1.15.

Why:
    `model.fit_generator` raises AttributeError, and so does every argument that is gone. Others
    fail without an error: Keras 3 ignores `decay=` of an optimizer, sets `optimizer.lr` as an
    attribute of no effect, and never calls `reset_states` of a metric.

Example:
    Before::

        import tensorflow as tf

        def train(batches):
          model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
          model.compile(tf.keras.optimizers.SGD(0.1, decay=1e-6), loss='mse')
          model.fit_generator(batches, steps_per_epoch=10)

What is left to you:
    What the message suggests. Objects whose class is unknown, as those of parameters that no call
    in the file gives, are not looked at.

Safety:
    Nothing is changed.
"""

import ast
from collections.abc import Collection, Iterator, Mapping

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_objects import (
    KerasObject,
    derived_from,
    is_model,
    keras_name,
    keras_objects,
)
from tfmigrate.families.tf1.generations import is_eager_style
from tfmigrate.families.tf1.is_tf1 import legacy_modules
from tfmigrate.families.tf1.mode_calls import EAGER, mode_calls
from tfmigrate.families.tf1.standalone_keras import of_tensorflow_1
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.origins import is_self
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted
from tfmigrate.tables.keras_1_arguments import new_argument
from tfmigrate.tables.keras_members import (
    Lost,
    advice,
    lost_members,
    moved_arguments,
    taken_arguments,
)

SEVERITY = Severity.MANUAL
KEPT_FOR_ESTIMATOR = True

# TFM512 and TFM513 are about these.
_RENAMED_CALL, _RENAMED = "reset_states", "lr"


def check(program: Program) -> Drafts:
    """Yields a draft for every place that uses what is lost."""
    of_keras_2 = {*program.once(legacy_modules), *program.once(of_tensorflow_1)}
    of_keras_3 = set(program.once(keras_3_modules)) - of_keras_2
    eager = [m for m in program.modules if mode_calls(m, *EAGER) or is_eager_style(m)]
    for module in program.mentioning("keras"):
        if module in of_keras_3 or (module in of_keras_2 and not program.estimator):
            in_keras_2 = "lost-in-2" if program.connected(module, eager) else "lost-in-graphs"
            lost = lost_members("lost" if module in of_keras_3 else in_keras_2)
            version = "Keras 3" if module in of_keras_3 else "tf.compat.v1.keras"
            for node, message, action in _found(program, module, lost, version):
                if not is_guarded(module, node):
                    yield drafted(module, node, message, action)


_Found = Iterator[tuple[ast.AST, str, str]]


def _found(program: Program, module: Module, lost: Mapping[str, Lost], version: str) -> _Found:
    members = {name for of in lost.values() for name in of.members}
    asked = _asked_for(module)
    for node in module.all(ast.Attribute):
        if node.attr in members and node.attr not in asked:
            yield from _lost(program, module, node, lost, version)
    for owner in module.all(ast.ClassDef):
        yield from _overridden(program, module, owner, lost, version)
    keras_3 = version == "Keras 3"
    taken = taken_arguments() if keras_3 else {}
    moved, of_package = moved_arguments(keras_3), moved_arguments(keras_3, True)
    methods = {name.rpartition(".")[2] for name in (*taken, *moved)}
    for call in module.all(ast.Call):
        names = _names_of(program, module, call, methods)
        if names and call.args:  # most calls are of other names, and are not resolved once more
            is_package = (module.resolve(call.func) or "").startswith("keras.")
            yield from _positions(call, names, of_package if is_package else moved, version)
        if keras_3:
            yield from _arguments(call, names, taken)
            yield from _losses(program, module, call)


def _asked_for(module: Module) -> set[object]:
    """Returns the attributes that a file looks for before it uses them."""
    calls = [call for call in module.all(ast.Call) if len(call.args) > 1]
    names = [call.args[1] for call in calls if getattr(call.func, "id", "") == "hasattr"]
    return {getattr(name, "value", None) for name in names}


def _lost(
    program: Program, module: Module, node: ast.Attribute, lost: Mapping[str, Lost], version: str
) -> _Found:
    """Yields an attribute that no class which its object may be of has."""
    owners = keras_objects(program, module, node.value)
    own = is_self(module, node.value)
    if not owners or not all(
        node.attr in getattr(lost.get(owner.name), "members", ()) and node.attr not in owner.own
        for owner in owners
    ):
        return
    if node.attr == _RENAMED_CALL and all(o.name.startswith("metrics.") for o in owners):
        return
    if own and isinstance(node.ctx, ast.Store):
        return
    name = min(owner.name for owner in owners)
    shown = f"{node.attr} of keras.{name}"
    effect = ", where setting it has no effect" * isinstance(node.ctx, ast.Store)
    yield node, f"{shown} is not in {version}{effect}", advice(name, node.attr)


def _overridden(
    program: Program, module: Module, owner: ast.ClassDef, lost: Mapping[str, Lost], version: str
) -> _Found:
    """Yields a class for each method that it overrides and that is never called."""
    methods = {s.name: s for s in owner.body if isinstance(s, ast.FunctionDef)}
    hooks: dict[str, KerasObject] = {}
    for base in derived_from(program, module, owner):
        for name in methods.keys() & getattr(lost.get(base.name), "hooks", frozenset()):
            hooks.setdefault(name, base)
    for name, base in sorted(hooks.items()):
        message = f"{owner.name} overrides {name} of keras.{base.name}, which {version} never calls"
        yield methods[name], message, advice(base.name, name)


def _names_of(
    program: Program, module: Module, call: ast.Call, methods: Collection[str]
) -> list[str]:
    """Returns what is called, below Keras; several methods where the object may be of several."""
    if not call.keywords and not call.args:
        return []
    if name := keras_name(program, module, call.func):
        return [name]
    # Whose method it is takes long to find out, and most calls are of no such name.
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in methods:
        return []
    owners = keras_objects(program, module, call.func.value)
    return [f"{o.name}.{call.func.attr}" for o in owners if call.func.attr not in o.own]


def _positions(
    call: ast.Call,
    names: Collection[str],
    moved: Mapping[str, Mapping[int, tuple[str, str]]],
    version: str,
) -> _Found:
    """Yields the arguments without a name whose position is another argument's now."""
    places = [moved.get(name, {}) for name in names]
    for position, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            return
        pairs = {place.get(position) for place in places}
        pair = pairs.pop() if len(pairs) == 1 else None
        # Of SGD(0.1, 0.9, 1e-6) the last is the decay of Keras 2.2; True is Nesterov's momentum.
        if pair is None or any(getattr(argument, "value", ...) is v for v in (None, True, False)):
            continue
        old, new = pair
        shown = f"argument {position + 1} of keras.{min(names)}"
        message = f"{shown} was {old} in earlier versions and is {new} in {version}"
        yield argument, message, f"pass it by name, {old}=... if that is meant"


def _arguments(
    call: ast.Call, names: Collection[str], taken_by: Mapping[str, Collection[str]]
) -> _Found:
    """Yields the keywords of a call that Keras 3 does not take."""
    taken = [taken_by.get(of) for of in names]
    for keyword in call.keywords:
        argument = keyword.arg
        if argument is None or not taken or any(t is None or argument in t for t in taken):
            continue
        nothing = isinstance(keyword.value, ast.Constant) and not keyword.value.value
        is_optimizer = all(name.startswith("optimizers.") for name in names)
        if (argument == _RENAMED and is_optimizer) or (argument == "decay" and nothing):
            continue
        shown = f"keras.{min(names)}"
        new = new_argument(min(names).rpartition(".")[2], argument)
        action = f"name it {new}" if new else advice("", argument)
        yield keyword.value, f"{shown} of Keras 3 has no argument {argument}", action


def _losses(program: Program, module: Module, call: ast.Call) -> _Found:
    """Yields a call of ``add_loss`` outside of ``call``, or with a function."""
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr != "add_loss" or not call.args:
        return
    owners = keras_objects(program, module, method.value)
    if not owners or any("add_loss" in owner.own for owner in owners):
        return
    outside = all(map(is_model, owners)) and not is_self(module, method.value)
    if outside or isinstance(call.args[0], ast.Lambda):
        message = "add_loss of Keras 3 takes a tensor, in call() or build() of a layer or model"
        yield call, message, "call it in a layer that returns its inputs"
