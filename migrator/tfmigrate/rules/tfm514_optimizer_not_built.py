"""A Keras optimizer is created and built inside the strategy's scope.

What it does:
    In a custom training loop, adds `optimizer.build(model.trainable_variables)` after the statement
    that creates the model. Moves an optimizer that is created outside `strategy.scope()` into the
    scope.

Why:
    A Keras 3 optimizer creates its variables in the first step. In a replica, within a
    `tf.function`, that fails with "cond/Placeholder". An optimizer that was created outside the
    scope fails with "Mixing different tf.distribute.Strategy objects". tf.keras of TensorFlow 2.0
    to 2.15 allowed both.

Example:
    Before::

        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy()
        optimizer = tf.keras.optimizers.Adam()

        with strategy.scope():
          model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])

        def step(x, y):
          with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(model(x) - y)) / 64
          gradients = tape.gradient(loss, model.trainable_variables)
          optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    After::

        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy()

        with strategy.scope():
          model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
          optimizer = tf.keras.optimizers.Adam()
          optimizer.build(model.trainable_variables)

        def step(x, y):
          with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(model(x) - y)) / 64
          gradients = tape.gradient(loss, model.trainable_variables)
          optimizer.apply_gradients(zip(gradients, model.trainable_variables))

What is left to you:
    Models whose input shape is unknown when they are created; TFM515 reports them.

Safety:
    Safe: the optimizer's variables start from zero, as they did with the first step.
"""

import ast

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_loops import KerasLoop, keras_loops, knows_its_input
from tfmigrate.model.edits import Code, Edit, InsertAfter, ReplaceStatement
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Drafts:
    """Yields a draft for every optimizer that can be built where the model is created."""
    for module in program.once(keras_3_modules):
        for loop in keras_loops(module):
            if edits := edits_of(module, loop):
                outside = loop.scopes[0] is None
                message = (
                    "Keras optimizer -> "
                    + "created in the strategy's scope, " * outside
                    + "built before the first step"
                )
                yield drafted(module, loop.optimizer, message, edits=edits)


def edits_of(module: Module, loop: KerasLoop) -> tuple[Edit, ...]:
    """Returns the edits that build an optimizer; () where that is not possible."""
    model, optimizer = loop.model, loop.optimizer
    if model is None or loop.scopes[1] is None or not knows_its_input(module, model):
        return ()
    if module.function(model) is not module.function(optimizer):
        return ()
    name, trained = optimizer.targets[0], model.targets[0]
    build = Code("{0}.build({1}.trainable_variables)", (name, trained))
    if loop.scopes[0] is not None:
        return (InsertAfter(max(optimizer, model, key=module.position), build),)
    if module.position(optimizer) > module.position(model) or _is_used_between(
        module, optimizer, model
    ):
        return ()
    moved = Code("{0} = {1}", (name, optimizer.value))
    return (ReplaceStatement(optimizer), InsertAfter(model, moved), InsertAfter(model, build))


def _is_used_between(module: Module, creation: ast.Assign, model: ast.Assign) -> bool:
    """Returns whether code at the same level uses the optimizer before the model is made."""
    target = creation.targets[0]
    assert isinstance(target, ast.Name)
    return any(
        isinstance(node.ctx, ast.Load)
        and node.id == target.id
        and module.function(node) is module.function(creation)
        and module.position(creation) < module.position(node) < module.position(model)
        for node in module.all(ast.Name)
    )
