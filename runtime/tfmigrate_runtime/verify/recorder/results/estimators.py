"""The calls of Estimators, and their results."""

import functools
import inspect
import os
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np

from ..program import imports, wrapping
from . import checkpoints

PREDICTION_BYTES = 1 << 24  # of the rows of one prediction that are kept

_ESTIMATOR_MODULES = (
    "tensorflow_estimator.python.estimator.estimator",
    "tensorflow.python.estimator.estimator",
    "tensorflow.contrib.learn.python.learn.estimators.estimator",
    "tfmigrate_runtime.estimator",
    "tfmigrate_runtime.learn",
    "tfmigrate_vendored.train.estimator",
    "tfmigrate_vendored.contrib.learn",
    "tfmigrate_vendored.estimator",  # copies of before train/ and contrib/
    "tfmigrate_vendored.learn",
    "tfmigrate_runtime.tf1_shim.contrib.learn.estimator",
)
# Where ``InMemoryEvaluatorHook`` is, which does not call the ``evaluate`` of its Estimator.
_HOOK_MODULES = (
    "tfmigrate_runtime.estimator.in_memory_evaluator",
    "tfmigrate_vendored.estimator.in_memory_evaluator",
    "tensorflow_estimator.python.estimator.hooks.hooks",
    "tensorflow_estimator.contrib.estimator.python.estimator.hooks",
    "tensorflow.contrib.estimator.python.estimator.hooks",
)
# The calls of an Estimator that are recorded, by the methods that make them.
_KINDS = {
    "train": "train",
    "fit": "train",
    "evaluate": "evaluate",
    "export_savedmodel": "export",
    "export_saved_model": "export",
}


def install(trace: Any) -> None:
    """Wraps Estimators of loaded modules, and of those loaded later."""
    imports.when_loaded(_ESTIMATOR_MODULES, functools.partial(observe_estimator, trace))
    imports.when_loaded(_HOOK_MODULES, functools.partial(_observe_hook, trace))


def observe_estimator(trace: Any, module: Any) -> None:
    """Wraps the recorded methods of a module's Estimator, in the classes that define them."""
    estimator = getattr(module, "Estimator", None)
    if estimator is None:
        return
    for name in list(_KINDS) + ["predict"]:
        owner = next((kind for kind in estimator.__mro__ if name in vars(kind)), None)
        if owner is None or hasattr(vars(owner)[name], "_tfmigrate_observed"):
            continue  # this Estimator has no such method, or another one shares it
        by = functools.partial(_observed_call, trace, _KINDS.get(name, ""))
        if name == "predict":
            by = functools.partial(_observed_predict, trace)
        wrapping.wrap(owner, name, by)
        vars(owner)[name]._tfmigrate_observed = True


def _observed_call(
    trace: Any, kind: str, original: Any, this: Any, *arguments: Any, **options: Any
) -> Any:
    run = functools.partial(original, this, *arguments, **options)
    if trace.under_way[-1:] == [kind]:
        return run()
    try:
        bound = inspect.signature(original).bind(this, *arguments, **options).arguments
    except TypeError:
        return run()  # raises the error about the arguments
    return _recorded_call(trace, kind, this, bound, run)


def _observe_hook(trace: Any, module: Any) -> None:
    hook = getattr(module, "InMemoryEvaluatorHook", None)
    if hook is not None:
        wrapping.wrap(hook, "_evaluate", functools.partial(_observed_in_memory, trace))


def _observed_in_memory(trace: Any, original: Any, this: Any, session: Any) -> None:
    """Records an evaluation in memory as a call of ``evaluate``."""
    estimator = this._estimator
    results: List[Any] = []

    def evaluate() -> Any:
        run = estimator._evaluate_run
        with wrapping.setting(
            estimator, "_evaluate_run", lambda **passed: results.append(run(**passed))
        ):
            original(this, session)
        return results[-1]

    _recorded_call(
        trace, "evaluate", estimator, {"steps": this._steps, "name": this._name}, evaluate
    )


def _recorded_call(
    trace: Any, kind: str, this: Any, bound: Dict[str, Any], run: Callable[[], Any]
) -> Any:
    call: Dict[str, Any] = {"kind": kind}
    position = len(trace.calls)
    trace.calls.append(call)
    trace.open_calls.append(call)
    trace.under_way.append(kind)
    try:
        result = _made_call(trace, call, this, bound, run)
    except BaseException:
        del trace.calls[position]
        raise
    finally:
        trace.under_way.pop()
        trace.open_calls.pop()
    return result


def _made_call(
    trace: Any,
    call: Dict[str, Any],
    estimator: Any,
    passed: Dict[str, Any],
    run: Callable[[], Any],
) -> Any:
    """Makes the call and records its arguments and results."""
    folder = estimator.model_dir
    if call["kind"] == "train":
        call.update(steps=_number(passed.get("steps")), max_steps=_number(passed.get("max_steps")))
        restored_step = step_of_checkpoint(folder)
        if restored_step and trace.checkpoints is not None:
            import tensorflow as tf

            trace.checkpoints.restored_from = tf.train.latest_checkpoint(folder)
        trace.steps_seen = []
        result = run()
        # There was no session if the last step was reached before.
        seen = trace.steps_seen or [restored_step or 0]
        call.update(before=seen[0], after=seen[-1])
    elif call["kind"] == "evaluate":
        call.update(steps=_number(passed.get("steps")), name=passed.get("name"))
        result = run()
        metrics = dict(result or {})
        call.update(step=_number(metrics.get("global_step")))
        trace.evaluations.append(metrics)
    else:
        call.update(
            step=step_of_checkpoint(folder, passed.get("checkpoint_path")),
            folder=_folder_below(folder, passed["export_dir_base"]),
        )
        result = run()
        if trace.exports is not None:
            trace.exports.moved(result)
    return result


def _number(value: Any) -> Optional[int]:
    return None if value is None else int(value)


def _folder_below(folder: Any, path: Any) -> Optional[str]:
    """Returns ``path`` relative to ``folder``; None if it is not below it."""
    texts = [item.decode() if isinstance(item, bytes) else str(item) for item in (path, folder)]
    relative = os.path.relpath(*texts).replace(os.sep, "/")
    return None if relative.startswith("..") else relative


def step_of_checkpoint(folder: Any, path: Any = None) -> Optional[int]:
    """Returns the global step in a checkpoint, by default the latest; None if there is none."""
    import tensorflow as tf

    path = path or (folder and tf.train.latest_checkpoint(folder))
    return checkpoints.step_of(path) if path else None


def _observed_predict(trace: Any, original: Any, this: Any, *arguments: Any, **options: Any) -> Any:
    if trace.under_way[-1:] == ["predict"]:
        return original(this, *arguments, **options)
    trace.under_way.append("predict")
    try:
        result = original(this, *arguments, **options)
    finally:
        trace.under_way.pop()
    single = options.get("yield_single_examples", len(arguments) < 5 or arguments[4])
    if hasattr(result, "__next__"):
        return _recorded_rows(trace, result, single and not options.get("iterate_batches"))
    add_rows(trace, result)
    return result


def add_rows(trace: Any, predictions: Any) -> None:
    """Records a prediction that was returned as a whole: an array, or several by name."""
    rows = _rows_of(_named(predictions))
    trace.predictions.append(rows[: _rows_kept(rows[0])] if rows else [])
    trace.prediction_rows.append(len(rows))


def _recorded_rows(trace: Any, predictions: Iterator[Any], single: Any) -> Iterator[Any]:
    rows: List[Any] = []
    position = len(trace.predictions)
    trace.predictions.append(rows)
    trace.prediction_rows.append(0)
    while True:
        trace.under_way.append("predict")  # a generator in it would record the same again
        try:
            prediction = next(predictions)
        except StopIteration:
            return
        finally:
            trace.under_way.pop()
        for row in [_named(prediction)] if single else _rows_of(_named(prediction)):
            trace.prediction_rows[position] += 1
            if not rows or len(rows) < _rows_kept(rows[0]):
                rows.append(row)
        yield prediction


def _rows_kept(row: Dict[str, Any]) -> int:
    """Returns how many rows like this one are kept."""
    return max(1, PREDICTION_BYTES // max(1, sum(np.asarray(v).nbytes for v in row.values())))


def _named(prediction: Any) -> Dict[str, Any]:
    return prediction if isinstance(prediction, dict) else {"predictions": prediction}


def _rows_of(batch: Dict[str, Any]) -> List[Dict[str, Any]]:
    length = min(len(values) for values in batch.values())
    return [{name: values[i] for name, values in batch.items()} for i in range(length)]
