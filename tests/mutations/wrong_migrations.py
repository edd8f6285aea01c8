"""Makes wrong migrations of a migrated program: each with one mistake that people make.

Every mutation changes what is computed in one place. ``mutations_of`` finds the places by their
meaning (calls, keywords), not by their text, so that it works on programs it does not know.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

START, TRAINABLE, INITIAL, LOSS, VARIABLES, RESULTS, CHECKPOINTS = range(1, 8)
CALLS = RESULTS  # the calls of Estimators and what came of them
# What trains otherwise is told by the loss, or, where a step shows it first, by the variables.
_TRAINING = (LOSS, VARIABLES)


@dataclass(frozen=True)
class Mutation:
    """One wrong migration.

    Attributes:
        kind: the mistake, in a few words.
        line: where it was made.
        text: the whole file.
        rungs: the rungs of the ladder that may tell.
    """

    kind: str
    line: int
    text: str
    rungs: tuple[int, ...]


Found = Iterator[tuple[ast.expr, str]]  # a node, and what stands in its place


def mutations_of(text: str) -> list[Mutation]:
    """Returns all wrong forms of a file that are known, in the order of its lines."""
    tree = ast.parse(text)
    found = []
    for kind, (finder, rungs) in _MISTAKES.items():
        for node, new in finder(tree, text):
            changed = _replaced(text, node, new)
            ast.parse(changed)
            found.append(Mutation(kind, node.lineno, changed, rungs))
    return sorted(found, key=lambda mutation: mutation.line)


def _replaced(text: str, node: ast.expr, new: str) -> str:
    lines = text.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    assert node.end_lineno is not None and node.end_col_offset is not None
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = text.encode()
    return (whole[:start] + new.encode() + whole[end:]).decode()


def _source(node: ast.AST, text: str) -> str:
    return ast.get_source_segment(text, node) or ast.unparse(node)


def _calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Returns calls of functions and methods with these last names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            last = function.attr if isinstance(function, ast.Attribute) else None
            last = function.id if isinstance(function, ast.Name) else last
            if last in names:
                yield node


def _keyword(call: ast.Call, *names: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg in names), None)


def _argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """Returns an argument by its name or, where it has none, its position."""
    named = _keyword(call, *names)
    if named is not None or position >= len(call.args):
        return named
    return call.args[position]


def _with_keyword(call: ast.Call, text: str, name: str, value: str) -> str:
    """Returns a call with one keyword argument more, or another value for it."""
    positional = call.args[:1] if name == "momentum" else call.args
    changed = ast.Call(call.func, list(positional), [k for k in call.keywords if k.arg != name])
    changed.keywords.append(ast.keyword(name, ast.parse(value, mode="eval").body))
    return ast.unparse(changed)


def _batch_per_replica(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "RunConfig"):
        value = _keyword(call, "global_batch")
        if value is not None:
            yield value, "False"


def _sum_for_mean(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "RunConfig"):
        if _keyword(call, "global_batch") is None:
            continue
        reduction = _keyword(call, "loss_reduction")
        if reduction is None:
            yield call, _with_keyword(call, text, "loss_reduction", "'weighted_sum'")
        else:
            yield reduction, "'weighted_sum_by_nonzero_weights'"


def _mean_or_sum(tree: ast.AST, text: str) -> Found:
    other = {"reduce_mean": "reduce_sum", "reduce_sum": "reduce_mean"}
    for call in _calls(tree, *other):
        if isinstance(call.func, ast.Attribute):
            changed = ast.Attribute(call.func.value, other[call.func.attr], ast.Load())
            yield call.func, ast.unparse(changed)


def _global_step_twice(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "minimize", "apply_gradients"):
        step = _argument(call, 1, "global_step")
        if step is not None and not isinstance(step, ast.Constant):
            yield call, f"tf.group({_source(call, text)}, tf.assign_add({_source(step, text)}, 1))"


_SETTINGS = {
    "AdamOptimizer": ("epsilon", "1e-3"),
    "AdagradOptimizer": ("initial_accumulator_value", "0.2"),
    "RMSPropOptimizer": ("decay", "0.8"),
    "MomentumOptimizer": ("momentum", "0.5"),
    "FtrlOptimizer": ("l2_regularization_strength", "0.01"),
}


def _setting_of_optimizer(tree: ast.AST, text: str) -> Found:
    for name, (setting, value) in _SETTINGS.items():
        for call in _calls(tree, name):
            changed = _with_keyword(call, text, setting, value)
            if changed != ast.unparse(call):
                yield call, changed


def _another_optimizer(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, *_SETTINGS, "GradientDescentOptimizer"):
        rate = _argument(call, 0, "learning_rate")
        if rate is None or not isinstance(call.func, ast.Attribute):
            continue
        other = "AdamOptimizer" if call.func.attr != "AdamOptimizer" else "RMSPropOptimizer"
        yield call, f"{_source(call.func.value, text)}.{other}({_source(rate, text)})"


def _learning_rate(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, *_SETTINGS, "GradientDescentOptimizer"):
        rate = _argument(call, 0, "learning_rate")
        if rate is not None:
            yield rate, f"1.02 * ({_source(rate, text)})"


def _no_clip(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "clip_by_global_norm", "clip_by_norm", "clip_by_average_norm"):
        norm = _argument(call, 1, "clip_norm")
        if norm is not None:
            yield norm, f"1e6 * ({_source(norm, text)})"
    for call in _calls(tree, "clip_by_value"):
        if call.args:
            yield call, _source(call.args[0], text)


def _no_regulariser(tree: ast.AST, text: str) -> Found:
    for call in _calls(
        tree, "dense", "conv2d", "fully_connected", "get_variable", "variable_scope"
    ):
        regulariser = _keyword(
            call, "kernel_regularizer", "regularizer", "weights_regularizer", "bias_regularizer"
        )
        if regulariser is not None:
            yield regulariser, "None"
    for call in _calls(tree, "l2_loss", "get_regularization_loss"):
        yield call, f"0.0 * {_source(call, text)}"


def _moved_boundary(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "piecewise_constant", "piecewise_constant_decay"):
        boundaries = _argument(call, 1, "boundaries")
        if boundaries is not None:
            yield boundaries, f"[b + 1 for b in {_source(boundaries, text)}]"
    for call in _calls(tree, "exponential_decay", "polynomial_decay", "inverse_time_decay"):
        steps = _argument(call, 2, "decay_steps")
        if steps is not None:
            yield steps, f"2 * ({_source(steps, text)})"


def _one_step_less(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "train", "TrainSpec", "StopAtStepHook", "Experiment"):
        for name in ("max_steps", "steps", "last_step", "num_steps", "train_steps"):
            value = _keyword(call, name)
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                yield value, f"({_source(value, text)}) - 1"


def _half_a_batch(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "batch"):
        if isinstance(call.func, ast.Attribute) and call.args:
            yield call.args[0], f"({_source(call.args[0], text)}) // 2"
    for call in _calls(tree, "numpy_input_fn"):
        size = _keyword(call, "batch_size")
        if size is not None:
            yield size, f"({_source(size, text)}) // 2"


def _no_shuffle(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "shuffle"):
        if isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Name):
            yield call, _source(call.func.value, text)


def _another_activation(tree: ast.AST, text: str) -> Found:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("relu", "tanh", "sigmoid"):
            other = "elu" if node.attr == "relu" else "relu"
            base = _source(node.value, text)
            if base.endswith("nn") or base == "tf":
                yield node, f"tf.nn.{other}"


def _another_dropout(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "dropout"):
        for name in ("rate", "keep_prob"):
            value = _keyword(call, name)
            if value is not None and not (isinstance(value, ast.Constant) and value.value == 0):
                yield value, f"0.9 * ({_source(value, text)})"


def _another_start(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "zeros_initializer", "ones_initializer", "zeros"):
        if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("initializer"):
            yield call, "tf.constant_initializer(0.01)"
    for call in _calls(tree, "random_uniform_initializer", "truncated_normal_initializer"):
        yield call, "tf.constant_initializer(0.01)"


def _more_units(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "dense"):
        units = _argument(call, 1, "units")
        if isinstance(units, ast.Constant) and isinstance(units.value, int) and units.value > 3:
            yield units, str(units.value + 1)


def _another_name(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "variable_scope"):
        name = _argument(call, 0, "name_or_scope")
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value:
            yield name, repr(name.value + "_1")


def _other_metric(tree: ast.AST, text: str) -> Found:
    for call in _calls(tree, "accuracy", "mean_squared_error", "auc", "root_mean_squared_error"):
        base = _source(call.func, text)
        if ".metrics." in base and len(call.args) >= 2:
            yield call.args[1], f"tf.zeros_like({_source(call.args[1], text)})"


def _another_number(tree: ast.AST, text: str) -> Found:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value:
            yield node, repr(node.value * 1.05)


def _fewer_evaluations(tree: ast.AST, text: str) -> Found:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            for call in _calls(node, "evaluate"):
                if isinstance(call.func, ast.Attribute):
                    yield call, "{'loss': 0.0, 'accuracy': 0.0, 'global_step': 0}"


_MISTAKES: dict[str, tuple[Callable[[ast.AST, str], Found], tuple[int, ...]]] = {
    "batch per replica": (_batch_per_replica, (START, *_TRAINING)),
    "SUM for MEAN, MEAN for SUM": (_sum_for_mean, _TRAINING),
    "sum for mean in the loss": (_mean_or_sum, (*_TRAINING, RESULTS)),
    "global_step counted twice": (_global_step_twice, (START,)),
    "another setting of the optimizer": (_setting_of_optimizer, _TRAINING),
    "another optimizer": (_another_optimizer, _TRAINING),
    "learning rate 2 % too large": (_learning_rate, _TRAINING),
    "no clipping": (_no_clip, _TRAINING),
    "no regulariser": (_no_regulariser, _TRAINING),
    "moved boundary of the learning rate": (_moved_boundary, _TRAINING),
    "one step less": (_one_step_less, (START, CALLS)),
    "half a batch": (_half_a_batch, (START, *_TRAINING, CALLS, RESULTS)),
    "no shuffle": (_no_shuffle, _TRAINING),
    "another activation": (_another_activation, (*_TRAINING, RESULTS)),
    "another dropout": (_another_dropout, _TRAINING),
    "another start": (_another_start, (INITIAL,)),
    "one unit more": (_more_units, (TRAINABLE, INITIAL)),
    "variables of another name": (_another_name, (START, TRAINABLE, INITIAL)),
    "another metric": (_other_metric, (RESULTS,)),
    "a number 5 % too large": (_another_number, (*_TRAINING, INITIAL, RESULTS)),
    "an evaluation less": (_fewer_evaluations, (CALLS, RESULTS)),
}
KINDS = tuple(_MISTAKES)
