"""The calls of models of Keras before 3: of TensorFlow 1.x, and of the legacy Keras.

Their steps are runs of a session (``results/callables.py``), or of functions in eager programs
(``eager/loops.py``); here are ``fit``, ``evaluate`` and ``predict``, which are recorded as those of
Keras 3 are (``keras/calls.py``). On TensorFlow 2 it is the legacy Keras that still builds graphs,
in programs with ``disable_v2_behavior()``.

The variables of the metrics that a model computes are not recorded: which there are depends on the
version, and what they come to is a result of the call.

Private names of Keras that are touched: ``Model`` of the modules below, in which each of its
methods is defined, and the functions of their loops that validate, which alone know that they do.
"""

import functools
import sys
from typing import Any, Callable, Dict

from ..program import imports, wrapping
from . import calls, fit_shuffles

_MODELS = (
    "tensorflow.python.keras.engine.training",
    "tf_keras.src.engine.training",
    "tf_keras.src.engine.training_v1",
)
_METRICS = ("tensorflow.python.keras.metrics", "tf_keras.src.metrics.base_metric")
_EAGER_LOOP = "tensorflow.python.keras.engine.training_v2"  # of eager programs in 1.15
_LOOPS = (
    "tensorflow.python.keras.engine.training_arrays",
    "tensorflow.python.keras.engine.training_generator",
    "tf_keras.src.engine.training_arrays_v1",
    "tf_keras.src.engine.training_generator_v1",
)
# What the loop of `fit` validates by: one function since 1.13, by kind of input before.
_VALIDATIONS = ("model_iteration", "test_loop", "evaluate_generator")
_OTHER_KERAS = "keras.engine.training"  # the package keras 2.x
_REFUSED = (
    "the package keras %s trains this program, which verify does not follow: import tf.keras of "
    "TensorFlow 1.x instead"
)
# TensorFlow 1.x names a metric as it is written; since 2.0 it has the name of its function.
_LATER_NAMES = {"acc": "accuracy"}


class GraphModels(calls.Calls):
    """Records what is called on models in graphs, and what they return."""

    def __init__(self, trace: Any) -> None:
        """Takes where to record it."""
        super().__init__(trace, None)
        self._shuffles = fit_shuffles.Shuffles()
        trace.parts.append(self._shuffles)
        self._is_compiling, self._is_in_metric = False, False

    def computes_metric(self) -> bool:
        """Returns whether a model is creating the variables of a metric."""
        return self._is_in_metric and (self._is_compiling or self.is_running())

    def install(self) -> None:
        """Wraps what is loaded, and what will be."""
        imports.when_loaded(_MODELS, lambda module: self._observe_model(module.Model))
        imports.when_loaded(_LOOPS, self._observe_loop)
        imports.when_loaded([_EAGER_LOOP], self._observe_eager_loop)
        imports.when_loaded(_METRICS, self._observe_metric)
        imports.when_loaded([_OTHER_KERAS], self._refuse)

    def _refuse(self, module: Any) -> None:
        """Refuses to train a model of another package, all variables of which are trainable."""

        def refuse(*_: Any, **__: Any) -> None:
            self._trace.refuse(_REFUSED % getattr(sys.modules["keras"], "__version__", "2"))

        module.Model._make_train_function = refuse

    def _observe_metric(self, module: Any) -> None:
        setting = functools.partial(self._setting, "_is_in_metric")
        wrapping.wrap(module.Metric, "add_weight", setting)

    def _setting(self, flag: str, original: Any, *arguments: Any, **options: Any) -> Any:
        """Calls a method: while it runs, an attribute of this object is True."""
        with wrapping.setting(self, flag):
            return original(*arguments, **options)

    def _observe_model(self, kind: Any) -> None:
        wrapping.wrap(kind, "compile", functools.partial(self._setting, "_is_compiling"))
        for names, noting in (
            (("fit", "fit_generator", "train_on_batch"), self._noting_training),
            (("evaluate", "evaluate_generator", "test_on_batch"), self._noting_evaluation),
            (("predict", "predict_generator", "predict_on_batch"), self._noting_prediction),
        ):
            for name in names:
                if hasattr(kind, name):
                    wrapping.wrap(kind, name, noting)

    def _observe_loop(self, module: Any) -> None:
        self._shuffles.record(module, lambda: not self._is_inside)
        name = next(name for name in _VALIDATIONS if hasattr(module, name))
        # The loop of `fit` calls it by this name: others bind it earlier, or are evaluations.
        wrapping.wrap(module, name, functools.partial(self._noting_validation, lambda _: True))

    def _observe_eager_loop(self, module: Any) -> None:
        def is_one(options: Dict[str, Any]) -> bool:
            return bool(options.get("mode") == module.ModeKeys.TEST)

        wrapping.wrap(module, "run_one_epoch", functools.partial(self._noting_validation, is_one))

    def _noting_validation(
        self,
        is_one: Callable[..., bool],
        original: Any,
        model: Any,
        *arguments: Any,
        **options: Any,
    ) -> Any:
        run = functools.partial(original, model, *arguments, **options)
        if not is_one(options):
            return run()
        return self._evaluated(model, run, self._training is not None)

    def _step(self, model: Any) -> int:
        return int(self._trace.step_count)

    def _metrics(self, model: Any, result: Any) -> Dict[str, Any]:
        if isinstance(result, dict):
            return result
        values = result if isinstance(result, (list, tuple)) else [result]
        names = (_LATER_NAMES.get(name, name) for name in model.metrics_names)
        return dict(zip(names, values))
