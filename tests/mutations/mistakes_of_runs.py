"""Mistakes in the input, in how long a program trains, and in when and what it evaluates."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from source_edits import Found, calls, is_none, keyword, source, with_keyword

_STEPS = ("max_steps", "steps", "last_step", "num_steps", "train_steps")
_EVALUATES_AT_CHECKPOINTS = ("ExperimentSchedule", "Experiment(", "train_and_evaluate")


def half_a_batch(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "batch", "numpy_input_fn"):
        size = keyword(call, "batch_size")
        first = call.args[0] if call.args and isinstance(call.func, ast.Attribute) else None
        if size is None and not isinstance(first, (ast.List, ast.Tuple, type(None))):
            size = first
        if size is not None:
            yield size, f"({source(size, text)}) // 2"
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id.lower(), node.value
            if name in ("batch", "batch_size") and isinstance(value, ast.Constant):
                yield value, f"{ast.unparse(value)} // 2"
    for call in calls(tree, "DEFINE_integer"):
        if isinstance(call.args[0], ast.Constant) and "batch" in str(call.args[0].value):
            yield call.args[1], f"{source(call.args[1], text)} // 2"


def no_shuffle(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "shuffle"):
        if isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Name):
            yield call, source(call.func.value, text)


def first_example_lost(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "from_tensor_slices"):
        yield call, f"{source(call, text)}.skip(1)"


def labels_of_others(tree: ast.AST, text: str) -> Found:
    """What is fed as labels is that of other examples."""
    for fed in _fed(tree):
        values = [value for key, value in zip(fed.keys, fed.values, strict=True) if key is not None]
        if len(values) > 1:
            yield values[-1], f"np.roll({source(values[-1], text)}, 1, axis=0)"


def _fed(tree: ast.AST) -> Iterator[ast.Dict]:
    """Returns dictionaries by which a session is fed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "feed_dict":
            value: ast.expr = node.value
        elif isinstance(node, ast.Assign) and "feed" in ast.unparse(node.targets[0]):
            value = node.value
        else:
            continue
        if isinstance(value, ast.Dict):
            yield value


def one_step_less(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "train", "fit", "TrainSpec", "StopAtStepHook", "Experiment"):
        for name in _STEPS:
            value = keyword(call, name)
            if value is not None and not is_none(value):
                yield value, f"({source(value, text)}) - 1"
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For) and any(True for _ in calls(loop, "run")):
            counted = next(calls(loop.iter, "range", "xrange"), None)
            if counted is not None and len(counted.args) < 3:
                yield counted.args[-1], f"({source(counted.args[-1], text)}) - 1"


def fewer_evaluations(tree: ast.AST, text: str) -> Found:
    del text
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            for call in calls(node, "evaluate"):
                if isinstance(call.func, ast.Attribute):
                    yield call, "{'loss': 0.0, 'accuracy': 0.0, 'global_step': 0}"


def shorter_evaluation(tree: ast.AST, text: str) -> Found:
    """An evaluation takes a batch less, or only one where it took all."""
    for call in calls(tree, "EvalSpec", "evaluate", "Experiment", "ValidationMonitor"):
        steps = keyword(call, "steps", "eval_steps")
        if steps is not None:
            yield steps, "1" if is_none(steps) else f"max(({source(steps, text)}) - 1, 1)"


def other_checkpoints(tree: ast.AST, text: str) -> Found:
    """Checkpoints at other steps, where evaluations follow them."""
    if any(mark in text for mark in _EVALUATES_AT_CHECKPOINTS):
        for call in calls(tree, "RunConfig", "replace"):
            steps = keyword(call, "save_checkpoints_steps")
            if steps is not None:
                yield steps, f"({source(steps, text)}) + 1"


def other_end(tree: ast.AST, text: str) -> Found:
    """Early stopping asks for something else."""
    for call in calls(tree, "ValidationMonitor"):
        for name in ("early_stopping_rounds", "every_n_steps"):
            value = keyword(call, name)
            if value is not None and not is_none(value):
                yield value, f"({source(value, text)}) + 2"
        minimize = keyword(call, "early_stopping_metric_minimize")
        if minimize is not None:
            yield minimize, "False"


def other_frequency(tree: ast.AST, text: str) -> Found:
    """Evaluations come more seldom."""
    for call in calls(tree, "Experiment", "ExperimentSchedule"):
        for name in ("min_eval_frequency", "local_eval_frequency", "train_steps_per_iteration"):
            value = keyword(call, name)
            if value is not None and not is_none(value):
                yield value, f"({source(value, text)}) + 1"


def no_export(tree: ast.AST, text: str) -> Found:
    """What was exported after an evaluation is not."""
    del text
    for call in calls(tree, "EvalSpec"):
        if keyword(call, "exporters") is not None:
            yield call, with_keyword(call, "exporters", "None")
    for call in calls(tree, "Experiment"):
        if keyword(call, "export_strategies") is not None:
            yield call, with_keyword(call, "export_strategies", "None")


def no_hook(tree: ast.AST, text: str) -> Found:
    """The optimizer's hook or another is not passed on."""
    del text
    for call in calls(tree, "TrainSpec", "Experiment"):
        hooks = keyword(call, "hooks", "train_monitors")
        if hooks is not None and not is_none(hooks):
            yield hooks, "[]"
