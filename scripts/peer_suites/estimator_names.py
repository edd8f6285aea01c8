"""The runtime under the names of tensorflow_estimator's modules, for its own tests.

A name that is private to tf.estimator has no counterpart: whoever uses it gets an error that says
so, by which a test is known to be not applicable.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

from run_file import NO_COUNTERPART

_PACKAGE = "tensorflow_estimator.python.estimator"
_PACKAGES = ("", "canned", "canned.v1", "export", "head", "hooks", "inputs", "tools", "tpu")


class _Module(ModuleType):
    """A module of tensorflow_estimator that has the runtime's objects."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        short = self.__name__.removeprefix(f"{_PACKAGE}.")
        message = f"{NO_COUNTERPART}{short}.{name}"
        if not name.startswith("_"):
            raise AttributeError(message)
        return _absent(name, message)


def _absent(name: str, message: str) -> type:
    """Returns a class that cannot be made: tests name private ones where they are defined."""

    def __init__(self: Any, *_: Any, **__: Any) -> None:  # noqa: N807
        raise AttributeError(message)

    return type(name, (), {"__init__": __init__})


class _Finder:
    """Finds the modules of tensorflow_estimator.python.estimator."""

    def __init__(self, modules: dict[str, dict[str, Any]]) -> None:
        self._modules = modules

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Returns the spec of a module of tensorflow_estimator."""
        if f"{_PACKAGE}.".startswith(f"{name}."):
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        below = name.removeprefix(f"{_PACKAGE}.")
        if below == name:
            return None
        is_package = below in _PACKAGES
        return ModuleSpec(name, self, is_package=is_package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns an empty module."""
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Gives a module the runtime's objects."""
        below = module.__name__.removeprefix(f"{_PACKAGE}.")
        module.__dict__.update(self._modules.get(below, {}))


def _public(module: Any) -> dict[str, Any]:
    return {name: getattr(module, name) for name in dir(module) if not name.startswith("__")}


def _of_version_2(names: dict[str, Any], *kinds: str) -> dict[str, Any]:
    """Returns classes under their names and those of version 2, which reduced losses otherwise."""
    import tensorflow.compat.v1 as tf

    mean = tf.losses.Reduction.SUM_OVER_BATCH_SIZE

    def version_2(kind: Callable[..., Any], takes_reduction: bool) -> Callable[..., Any]:
        return functools.partial(kind, loss_reduction=mean) if takes_reduction else kind

    classes = {kind: names[kind] for kind in kinds}
    return classes | {
        f"{name}V2": version_2(kind, not name.endswith("Estimator"))
        for name, kind in classes.items()
    }


def _canned(names: dict[str, Any], experimental: Any, heads: Any) -> dict[str, dict[str, Any]]:
    def kinds(prefix: str) -> dict[str, Any]:
        return _of_version_2(
            names, *(f"{prefix}{x}" for x in ("Classifier", "Regressor", "Estimator"))
        )

    dnn_logits = experimental.dnn_logit_fn_builder
    linear_logits = experimental.linear_logit_fn_builder
    return {
        "canned.baseline": kinds("Baseline"),
        "canned.dnn": kinds("DNN")
        | {"dnn_logit_fn_builder": dnn_logits, "_dnn_logit_fn_builder": dnn_logits},
        "canned.dnn_linear_combined": kinds("DNNLinearCombined"),
        "canned.linear": kinds("Linear")
        | {"linear_logit_fn_builder": linear_logits, "_linear_logit_fn_builder": linear_logits},
        "canned.parsing_utils": {
            f"{name}{version}": names[name]
            for name in ("classifier_parse_example_spec", "regressor_parse_example_spec")
            for version in ("", "_v2")
        },
        "canned.head": {name: getattr(heads, name) for name in heads.__all__},
    }


def modules() -> dict[str, dict[str, Any]]:
    """Returns what each module of tensorflow_estimator has, by its name below the package."""
    import tf_keras
    from tf_keras.api._v1 import keras as tf_keras_v1
    from tf_keras.api._v2 import keras as tf_keras_v2

    from tfmigrate_runtime import estimator
    from tfmigrate_runtime.estimator import heads, task

    names = {name: getattr(estimator, name) for name in estimator.__all__}
    experimental = _public(estimator.experimental)
    whole = names | {"EstimatorV1": estimator.Estimator, "EstimatorV2": estimator.Estimator}
    whole["_write_dict_to_summary"] = _write_events
    inputs, export = _public(estimator.inputs), _public(estimator.export)
    raw_supervised = "build_raw_supervised_input_receiver_fn"
    export[raw_supervised] = experimental[raw_supervised]
    task_types = {"MASTER": "master", "PS": task.PS, "WORKER": task.WORKER, "CHIEF": "chief"}
    return {
        "": {},
        "early_stopping": experimental,
        "estimator": whole,
        "estimator_lib": whole,
        "export.export": export,
        "export.export_lib": export,
        "export.export_output": export,
        "exporter": names,
        "extenders": names,
        "head.base_head": names,
        "head.binary_class_head": names,
        "head.multi_class_head": names,
        "head.multi_head": names,
        "head.multi_label_head": names,
        "head.regression_head": names,
        "hooks.basic_session_run_hooks": names,
        "hooks.hooks": experimental,
        "hooks.session_run_hook": names,
        "inputs.inputs": inputs,
        "inputs.numpy_io": inputs,
        "inputs.pandas_io": inputs,
        "keras_lib": names,
        "mode_keys": names,
        "model_fn": names
        | {"call_logit_fn": estimator.experimental.call_logit_fn}
        | {"LOSS_METRIC_KEY": "loss", "AVERAGE_LOSS_METRIC_KEY": "average_loss"},
        "run_config": names | {"TaskType": SimpleNamespace(**task_types, EVALUATOR=task.EVALUATOR)},
        "training": names,
        "util": {"tf_keras": tf_keras, "tf_keras_v1": tf_keras_v1, "tf_keras_v2": tf_keras_v2},
        **_canned(names, estimator.experimental, heads),
    }


def _write_events(output_dir: str, dictionary: dict[str, Any], current_global_step: int) -> None:
    """Writes the event files that tests begin with, as a private function of tf.estimator did."""
    import tensorflow.compat.v1 as tf

    summary = tf.Summary()
    for name, value in dictionary.items():
        if name != "global_step":
            summary.value.add(tag=name, simple_value=float(value))
    writer = tf.summary.FileWriterCache.get(output_dir)
    writer.add_summary(summary, current_global_step)
    writer.flush()


def install(version_1: bool) -> None:
    """Lets this process import tensorflow_estimator's modules from the runtime.

    Args:
        version_1: whether TensorFlow behaves as version 1, which some methods ask for.
    """
    import tensorflow as tf

    if version_1:
        tf.compat.v1.disable_v2_behavior()
    from tfmigrate_runtime import estimator

    finder: Any = _Finder(modules())
    sys.meta_path.insert(0, finder)
    tf.estimator = estimator
    tf.compat.v1.estimator = estimator
