"""The calls of Keras models, and the steps of its optimizers.

Modules are wrapped once the program has loaded them. ``fit`` is a training call, and each
validation in it an evaluation between two; ``evaluate`` gives metrics by name, with the step as
``global_step``.

Private names of Keras that are touched, and why no public one does:

======================================================== =====================================
name                                                     what for
======================================================== =====================================
keras.src.optimizers.base_optimizer.BaseOptimizer        every step; what all optimizers come from
keras.src.backend.tensorflow.trainer.TensorFlowTrainer   calls of models
keras.src.backend.common.variables.Variable              variables (``native/created_variables.py``)
keras.src.metrics.metric.Metric                          results (``keras/metric_results.py``)
keras.src.layers.layer.Layer._maybe_build                when a model has its variables, and is
                                                         about to compute something of them
keras.src.backend.common.global_state                    the scopes that name what is made in a call
keras.src.backend.common.stateless_scope                 whether variables have values now
keras.src.random.seed_generator.python_random            seeds of initializers and dropouts
======================================================== =====================================
"""

import contextlib
import functools
import random
import sys
import weakref
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np

from ..draws import pinned_randomness
from ..pairing import stored_differently
from ..program import imports, wrapping
from ..results import estimators
from . import backend, metric_results

_OPTIMIZERS = "keras.src.optimizers.base_optimizer"
_TRAINER = "keras.src.backend.tensorflow.trainer"
_VARIABLES = "keras.src.backend.common.variables"
_SEEDS = "keras.src.random.seed_generator"
_LAYERS = "keras.src.layers.layer"
_NAMES = "keras.src.backend.common.global_state"
_NAME_SCOPES = "name_scope_stack"
_MODULES = (_OPTIMIZERS, _TRAINER, _VARIABLES, _SEEDS, _LAYERS, metric_results.MODULE)
_alive: List[Any] = []  # weak references to optimizers


def optimizers() -> List[Any]:
    """Returns the optimizers that make steps by themselves."""
    return [each for each in _of_program() if not hasattr(each, "inner_optimizer")]


def _of_program() -> List[Any]:
    referents = [reference() for reference in _alive]
    return [optimizer for optimizer in referents if optimizer is not None]


def note_optimizer(optimizer: Any) -> None:
    """Notes an optimizer that may make steps."""
    _alive.append(weakref.ref(optimizer))


@contextlib.contextmanager
def scope_of(optimizer: Any) -> Iterator[None]:
    """Enters the scopes in which an optimizer makes its slots: its strategy's, and no layer's."""
    import tensorflow as tf

    strategy = getattr(optimizer, "_distribution_strategy", None)
    # A model that predicts names what is made there: `sequential/sgd/...`.
    names = sys.modules.get(_NAMES)
    names_around = names and names.get_global_attribute(_NAME_SCOPES)
    with contextlib.ExitStack() as stack:
        if strategy is not None and not tf.distribute.has_strategy():
            stack.enter_context(strategy.scope())
        if names is not None:
            stack.callback(names.set_global_attribute, _NAME_SCOPES, names_around)
            names.set_global_attribute(_NAME_SCOPES, [])
        yield


def loss_scale_of(optimizer: Any) -> Any:
    """Returns what an optimizer scales losses by; None for 1.

    LossScaleOptimizer passes the gradients that it divides by its scale to an optimizer within it.
    """
    for outer in _of_program():
        if getattr(outer, "inner_optimizer", None) is optimizer:
            return outer.dynamic_scale
    return getattr(optimizer, "loss_scale_factor", None)


def trained_by(optimizer: Any) -> Optional[List[Any]]:
    """Returns what Keras builds an optimizer with: what its model trains; None if it has none."""
    reference = getattr(optimizer, "_tfmigrate_model", None)
    model = None if reference is None else reference()
    return None if model is None else list(model.trainable_variables)


def _note_model(_result: Any, model: Any, *_arguments: Any, **_options: Any) -> None:
    # An optimizer of Keras refuses to be given a model as its attribute, not a reference.
    object.__setattr__(model.optimizer, "_tfmigrate_model", weakref.ref(model))


class KerasImports:
    """Wraps the classes of Keras' modules once they are loaded."""

    def __init__(self, native: Any, trace: Any) -> None:
        """Takes the observer.Native and the trace."""
        self._native = native
        self.calls = Calls(trace, native)
        self.metrics = metric_results.LoopMetrics(trace, self.calls.is_running)

    def install(self) -> None:
        """Wraps what is loaded, and what will be."""
        imports.when_loaded(_MODULES, self._observe)

    def _observe(self, module: Any) -> None:
        if module.__name__ == _VARIABLES:
            self._native.created.of_keras(module)
        elif module.__name__ == metric_results.MODULE:
            self.metrics.observe(module.Metric)
        elif module.__name__ == _SEEDS:
            # Keras draws a seed for each layer from the numbers that the program has seeded for
            # itself: an agent that draws its actions from them took other ones.
            module.python_random = random.Random(pinned_randomness.PINNED_SEED)
        elif module.__name__ == _OPTIMIZERS:
            self._observe_optimizers(module.BaseOptimizer)
        elif module.__name__ == _LAYERS:
            wrapping.wrap(module.Layer, "_maybe_build", self._building)
        else:
            self.calls.observe(module.TensorFlowTrainer)

    def _building(self, build: Any, layer: Any, *arguments: Any, **options: Any) -> Any:
        from keras.src.backend.common import stateless_scope

        was_built = layer.built
        result = build(layer, *arguments, **options)
        # What is made in such a scope has no value: as where ``fit`` finds the shapes of
        # metrics that are not built yet.
        if not stateless_scope.in_stateless_scope():
            self._native.before_layer(layer, was_built)
        return result

    def _observe_optimizers(self, kind: Any) -> None:
        native = self._native

        def noting_start(_result: Any, this: Any, variables: Any) -> None:
            import tensorflow as tf

            if tf.executing_eagerly():
                native.tape_opened(is_early=True)

        def noting_step(
            original: Any, this: Any, grads: Any, trainable_variables: Any = None
        ) -> Any:
            grads = list(grads)
            passed_variables = trainable_variables
            passed_variables = None if passed_variables is None else list(passed_variables)
            variables = passed_variables or list(getattr(this, "_trainable_variables", None) or ())
            if not grads or not variables:
                return original(this, grads, passed_variables)
            rate = native.before_step(this, variables)
            result = original(this, grads, passed_variables)
            native.step_made(this, variables, rate)
            return result

        def noting_slot(
            slot: Any, this: Any, reference_variable: Any, name: Any = None, *_: Any, **__: Any
        ) -> None:
            stored_differently.note(this, reference_variable, slot, name)

        wrapping.on_creation(kind, note_optimizer)
        wrapping.before(kind, "__init__", lambda *_, **__: backend.check(native))
        wrapping.after(kind, "build", noting_start)
        wrapping.wrap(kind, "apply", noting_step)
        wrapping.after(kind, "add_variable_from_reference", noting_slot)


class Calls:
    """Records what is called on models, and what they return."""

    def __init__(self, trace: Any, native: Any) -> None:
        """Takes where to record it, and what gives variables the values of the original."""
        self._trace, self._native = trace, native
        self._training: Optional[Dict[str, Any]] = None  # the call of ``fit`` that is under way
        self._began = 0  # how many calls had been recorded when it began
        self._is_inside = False
        self._dataset_count = 0  # how many ``fit`` has made: one to train, then one to validate

    def makes_validation(self) -> bool:
        """Returns whether the dataset that is made now is the one that ``fit`` validates on."""
        if self._training is None or self._is_inside:
            return False
        self._dataset_count += 1
        return self._dataset_count > 1

    def is_running(self) -> bool:
        """Whether a method of a model is."""
        return self._is_inside or self._training is not None

    def observe(self, kind: Any) -> None:
        """Wraps the methods of a model."""
        wrapping.after(kind, "compile", _note_model)
        for name in ("fit", "train_on_batch"):
            wrapping.wrap(kind, name, self._noting_training)
        wrapping.wrap(kind, "evaluate", self._noting_evaluation)
        wrapping.wrap(kind, "predict", self._noting_prediction)

    def _noting_training(self, original: Any, this: Any, *arguments: Any, **options: Any) -> Any:
        if self._is_inside or self._training is not None:
            return original(this, *arguments, **options)
        self._begin(this)
        self._dataset_count = 0
        try:
            return original(this, *arguments, **options)
        finally:
            self._end(this)

    def _begin(self, model: Any) -> None:
        self._training = {
            "kind": "train",
            "steps": None,
            "max_steps": None,
            "before": self._step(model),
        }
        self._began = len(self._trace.calls)

    def _end(self, model: Any) -> None:
        training, self._training = self._training, None
        if training is not None and self._step(model) > training["before"]:
            self._trace.calls.insert(self._began, dict(training, after=self._step(model)))

    def _noting_evaluation(self, original: Any, this: Any, *arguments: Any, **options: Any) -> Any:
        # ``fit`` validates between epochs; what a callback evaluates is inside of a training
        validates = self._training is not None and "_use_cached_eval_dataset" in options
        run = functools.partial(original, this, *arguments, **options)
        return self._evaluated(this, run, validates)

    def _evaluated(self, model: Any, run: Callable[[], Any], validates: bool) -> Any:
        """Makes and records an evaluation, which may divide a training in two."""
        if self._is_inside:
            return run()
        self._before_use(model, is_early=False)
        if validates:
            self._end(model)
        with wrapping.setting(self, "_is_inside"):
            result = run()
        metrics = {name: _number(value) for name, value in self._metrics(model, result).items()}
        step = self._step(model)
        self._trace.evaluations.append(dict(metrics, global_step=step))
        self._trace.calls.append({"kind": "evaluate", "step": step, "name": None, "steps": None})
        if validates:
            self._begin(model)
        return result

    def _before_use(self, model: Any, is_early: bool) -> None:
        """Gives a model that computes something before its first step the original's values."""
        if self._native is None:
            return
        optimizer = getattr(model, "optimizer", None)
        variables = model.trainable_variables if model.built else []
        if optimizer is not None and variables and not getattr(optimizer, "built", True):
            optimizer.build(variables)  # as ``fit`` will
        self._native.tape_opened(is_early)

    def _noting_prediction(self, original: Any, this: Any, *arguments: Any, **options: Any) -> Any:
        if self._is_inside:
            return original(this, *arguments, **options)
        self._before_use(this, is_early=True)
        with wrapping.setting(self, "_is_inside"):
            result = original(this, *arguments, **options)
        named = result
        if isinstance(result, (list, tuple)):
            named = {str(number): values for number, values in enumerate(result)}
        estimators.add_rows(self._trace, named)
        return result

    def _step(self, model: Any) -> int:
        """Returns how many steps the model has made; of a GAN, those of both its optimizers."""
        models = self._trace.models
        if len(models) == 1 and models[0].steps:
            return int(models[0].steps[-1])
        optimizer = getattr(model, "optimizer", None)
        return 0 if optimizer is None else int(np.asarray(optimizer.iterations))

    def _metrics(self, model: Any, result: Any) -> Dict[str, Any]:
        """Returns what an evaluation has computed, by name."""
        metrics: Dict[str, Any] = result if isinstance(result, dict) else model.get_metrics_result()
        return metrics


def _number(value: Any) -> Any:
    return np.asarray(value)[()]
