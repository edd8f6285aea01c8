"""Mistakes in what an optimizer is given, what it is, and what becomes of the gradients."""

from __future__ import annotations

import ast

from source_edits import (
    Found,
    argument,
    calls,
    is_none,
    keyword,
    last_name,
    source,
    with_keyword,
)

_CANNED = (
    "DNNClassifier",
    "DNNRegressor",
    "LinearClassifier",
    "LinearRegressor",
    "DNNLinearCombinedClassifier",
)
_SETTINGS = {
    "AdamOptimizer": ("epsilon", "1e-3"),
    "AdagradOptimizer": ("initial_accumulator_value", "0.2"),
    "RMSPropOptimizer": ("decay", "0.8"),
    "MomentumOptimizer": ("momentum", "0.5"),
    "FtrlOptimizer": ("l2_regularization_strength", "0.01"),
}
_OPTIMIZERS = (*_SETTINGS, "GradientDescentOptimizer")
_FORGETS_SLOTS = (
    "[type('ForgetsSlots', (tf.train.SessionRunHook,), {'begin': lambda self: setattr(self, 'ops', "
    "[v.initializer for v in tf.global_variables() if v.name.split(':')[0]"
    ".endswith(('/Momentum', '/Adam', '/Adam_1', '/Adagrad', '/RMSProp'))]), "
    "'after_create_session': lambda self, session, coordinator: session.run(self.ops)})()]"
)


def batch_per_replica(tree: ast.AST, text: str) -> Found:
    del text
    for call in calls(tree, "RunConfig"):
        value = keyword(call, "global_batch")
        if value is not None:
            yield value, "False"


def sum_for_mean_of_replicas(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "RunConfig"):
        if keyword(call, "global_batch") is None:
            continue
        reduction = keyword(call, "loss_reduction")
        if reduction is None:
            yield call, with_keyword(call, "loss_reduction", "'weighted_sum'")
        else:
            yield reduction, "'weighted_sum_by_nonzero_weights'"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("SUM", "MEAN"):
            base = source(node.value, text)
            if base.endswith("ReduceOp"):
                yield node, f"{base}.{'MEAN' if node.attr == 'SUM' else 'SUM'}"
    for call in calls(tree, *_CANNED):
        if keyword(call, "loss_reduction") is None:
            yield call, with_keyword(call, "loss_reduction", "'weighted_sum_over_batch_size'")


def sum_for_mean_of_towers(tree: ast.AST, text: str) -> Found:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and "average" in function.name:
            yield from sum_for_mean(function, text)


def sum_for_mean(tree: ast.AST, text: str) -> Found:
    del text
    other = {"reduce_mean": "reduce_sum", "reduce_sum": "reduce_mean"}
    for call in calls(tree, *other):
        if isinstance(call.func, ast.Attribute):
            changed = ast.Attribute(call.func.value, other[call.func.attr], ast.Load())
            yield call.func, ast.unparse(changed)


def no_loss_scale(tree: ast.AST, text: str) -> Found:
    """The loss of an optimizer is not divided by the number of replicas, or twice too large."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            divisor = source(node.right, text)
            if divisor.endswith(("num_replicas_in_sync", "num_gpus", "num_towers")):
                yield node, f"({source(node.left, text)})"
    for call in calls(tree, "minimize", "compute_gradients", "optimize_loss"):
        loss = argument(call, 0, "loss")
        if loss is not None:
            yield loss, f"2.0 * ({source(loss, text)})"


def global_step_twice(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "minimize", "apply_gradients", "optimize_loss"):
        step = argument(call, 1, "global_step")
        if step is not None and not isinstance(step, ast.Constant):
            yield call, f"tf.group({source(call, text)}, tf.assign_add({source(step, text)}, 1))"


def setting_of_optimizer(tree: ast.AST, text: str) -> Found:
    """Another epsilon, momentum, decay or first value of an accumulator."""
    del text
    for name, (setting, value) in _SETTINGS.items():
        for call in calls(tree, name):
            positions = 1 if setting == "momentum" else None
            changed = with_keyword(call, setting, value, positions)
            if changed != ast.unparse(call):
                yield call, changed


def another_optimizer(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, *_OPTIMIZERS):
        rate = argument(call, 0, "learning_rate")
        if rate is None or not isinstance(call.func, ast.Attribute):
            continue
        other = "AdamOptimizer" if call.func.attr != "AdamOptimizer" else "RMSPropOptimizer"
        yield call, f"{source(call.func.value, text)}.{other}({source(rate, text)})"
    for call in calls(tree, "optimize_loss"):
        optimizer = keyword(call, "optimizer")
        if isinstance(optimizer, ast.Constant):
            yield optimizer, "'RMSProp'" if optimizer.value != "RMSProp" else "'Adam'"
        elif optimizer is not None and last_name(optimizer) in _OPTIMIZERS:
            yield optimizer, "tf.train.RMSPropOptimizer"
    for call in calls(tree, *_CANNED):
        if keyword(call, "optimizer") is None:
            yield call, with_keyword(call, "optimizer", "tf.train.AdamOptimizer(0.1)")


def learning_rate(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, *_OPTIMIZERS):
        rate = argument(call, 0, "learning_rate")
        if rate is not None:
            yield rate, f"1.02 * ({source(rate, text)})"
    for call in calls(tree, "optimize_loss"):
        rate = keyword(call, "learning_rate")
        if rate is not None:
            yield rate, f"1.02 * ({source(rate, text)})"


def no_clipping(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "clip_by_global_norm", "clip_by_norm", "clip_by_average_norm"):
        norm = argument(call, 1, "clip_norm")
        if norm is not None:
            yield norm, f"1e6 * ({source(norm, text)})"
    for call in calls(tree, "clip_by_value"):
        if call.args:
            yield call, source(call.args[0], text)
    for call in calls(tree, "optimize_loss"):
        clipped = keyword(call, "clip_gradients")
        if clipped is not None and not is_none(clipped):
            yield clipped, "None"


def no_gradient_multipliers(tree: ast.AST, text: str) -> Found:
    del text
    for call in calls(tree, "optimize_loss"):
        multipliers = keyword(call, "gradient_multipliers")
        if multipliers is not None and not is_none(multipliers):
            yield multipliers, "None"


def no_regulariser(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "dense", "conv2d", "fully_connected", "get_variable", "variable_scope"):
        regulariser = keyword(
            call, "kernel_regularizer", "regularizer", "weights_regularizer", "bias_regularizer"
        )
        if regulariser is not None and not is_none(regulariser):
            yield regulariser, "None"
    for call in calls(tree, "l2_loss", "get_regularization_loss"):
        yield call, f"0.0 * {source(call, text)}"


def moved_boundary(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "piecewise_constant", "piecewise_constant_decay"):
        boundaries = argument(call, 1, "boundaries")
        if boundaries is not None:
            yield boundaries, f"[b + 1 for b in {source(boundaries, text)}]"
    for call in calls(tree, "exponential_decay", "polynomial_decay", "inverse_time_decay"):
        steps = argument(call, 2, "decay_steps")
        if steps is not None:
            yield steps, f"2 * ({source(steps, text)})"


def another_schedule(tree: ast.AST, text: str) -> Found:
    del text
    for call in calls(tree, "exponential_decay", "inverse_time_decay"):
        staircase = keyword(call, "staircase")
        is_stepped = isinstance(staircase, ast.Constant) and staircase.value is True
        yield call, with_keyword(call, "staircase", str(not is_stepped))


def lost_momentum(tree: ast.AST, text: str) -> Found:
    """Slots begin anew where a training goes on from a checkpoint."""
    if not any(True for _ in calls(tree, *_SETTINGS)):
        return
    for call in calls(tree, "EstimatorSpec"):
        operation = argument(call, 3, "train_op")
        has_one = operation is not None and not is_none(operation)
        if has_one and keyword(call, "training_hooks") is None:
            yield call, with_keyword(call, "training_hooks", _FORGETS_SLOTS)
    del text


def no_moving_averages(tree: ast.AST, text: str) -> Found:
    """What batch normalisation and moving averages update is not updated."""
    for call in calls(tree, "get_collection"):
        if call.args and source(call.args[0], text).endswith("UPDATE_OPS"):
            yield call, "[]"
    for call in calls(tree, "ExponentialMovingAverage"):
        decay = argument(call, 0, "decay")
        if decay is not None:
            yield decay, f"0.9 * ({source(decay, text)})"
