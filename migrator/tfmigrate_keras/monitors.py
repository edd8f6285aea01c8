"""Monitors of tf.contrib.learn that evaluate in training, as callbacks of Keras.

A monitor evaluates at steps that it is given, of the last checkpoint, and may end the training. The
callbacks do the same; ``validation_data`` of Keras would evaluate the weights of each epoch.
"""

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none
from tfmigrate_keras.arguments import as_text
from tfmigrate_keras.conversion import Conversion, arguments_of, literal, refuse
from tfmigrate_keras.datasets import Params, dataset_of
from tfmigrate_keras.tensors import source

_MONITOR = "tensorflow.contrib.learn.monitors.ValidationMonitor"
_PARAMETERS = (
    *("x", "y", "input_fn", "batch_size", "eval_steps", "every_n_steps", "metrics", "hooks"),
    *("early_stopping_rounds", "early_stopping_metric", "early_stopping_metric_minimize"),
    *("name", "check_interval_secs"),
)
_KEPT = ("eval_steps", "every_n_steps")
_STOPPING = (*("early_stopping_rounds", "early_stopping_metric"), "early_stopping_metric_minimize")


def monitors_in(module: Module, node: ast.expr) -> list[tuple[ast.expr, ast.Call]]:
    """Returns the elements of a list that are monitors, with the calls that make them."""
    held = source(module, node)
    if not isinstance(held, (ast.List, ast.Tuple)):
        return []
    pairs = [(element, source(module, element)) for element in held.elts]
    return [
        (element, call)
        for element, call in pairs
        if isinstance(call, ast.Call) and called(module, call) == _MONITOR
    ]


def convert_monitor(
    plan: Conversion,
    module: Module,
    call: ast.Call,
    params: Params,
    save_steps: str,
    train_steps: str,
) -> None:
    """Plans the edits of a call that makes a ValidationMonitor.

    Args:
        params: those that the Estimator passes to its input functions.
        save_steps: the code of the steps between two checkpoints; "" where only the clock decides.
        train_steps: the code of the last step of the training; "" where it is not given.

    Raises:
        Refusal: it does something that has no equivalent.
    """
    passed = arguments_of(call, _PARAMETERS, "the ValidationMonitor")
    for name in ("x", "y", "batch_size", "metrics", "hooks"):
        if name in passed and not is_none(passed[name]):
            refuse(passed[name], f"`{name}` of the ValidationMonitor")
    if "input_fn" not in passed:
        refuse(call, "the ValidationMonitor has no `input_fn`")
    rounds = passed.get("early_stopping_rounds")
    if stops := rounds is not None and not is_none(rounds):
        _check_stopping(plan, module, call, passed, save_steps)
    dataset = dataset_of(plan, module, passed["input_fn"], params)
    parts, texts = [*dataset.parts], [as_text(dataset)]
    for name in (*_KEPT, *(_STOPPING if stops else ())):
        if name in passed:
            texts.append(f"{name}={{{len(parts)}}}")
            parts.append(passed[name])
    texts += [f"save_steps={save_steps}"] if save_steps else []
    texts += [f"train_steps={train_steps}"] if train_steps else []
    kind = "EarlyStoppingMonitor" if stops else "ValidationMonitor"
    plan.write_out(module, kind)
    plan.replace(module, call, Code(kind, tuple(parts), tuple(texts)))


def _check_stopping(
    plan: Conversion, module: Module, call: ast.Call, passed: dict[str, ast.expr], save_steps: str
) -> None:
    """Refuses an end of the training that the clock decides, or that is between two calls."""
    every = literal(passed.get("every_n_steps", ast.Constant(100)))
    saved = literal(ast.parse(save_steps, mode="eval").body) if save_steps else None
    if not isinstance(every, int) or not isinstance(saved, int) or every % saved:
        reason = "early stopping at steps that are not those of checkpoints"
        refuse(call, reason, "Set `save_checkpoints_steps` and `every_n_steps` to one number.")
    if literal(passed.get("check_interval_secs", ast.Constant(5))) not in (None, 0):
        text = "early stopping looks at each checkpoint, whatever `check_interval_secs` says"
        plan.unsafe.append((module, call, text))
