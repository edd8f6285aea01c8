"""Steps that the legacy Keras (tf_keras, by TF_USE_LEGACY_KERAS) makes outside of graphs.

Its optimizers are those that Keras 3's come from, with the same slots. What they lack of the
attributes by which steps are followed (``native/observer.py``) is added here. Those that it calls
legacy itself (``tf_keras.optimizers.legacy``) are followed by ``native/older_optimizers.py``.

Private names of tf_keras that are touched: ``Optimizer`` of the module below, with its ``_built``,
``_distribution_strategy`` and ``_compute_current_learning_rate``, and the methods of ``_BUILT_BY``.
"""

import functools
from typing import Any

from ..pairing import stored_differently
from ..program import imports, wrapping
from . import calls

_OPTIMIZERS = "tf_keras.src.optimizers.optimizer"
_BUILT_BY = (  # module, class, method
    ("tf_keras.src.engine.base_layer", "Layer", "_maybe_build"),
    ("tf_keras.src.engine.sequential", "Sequential", "_build_graph_network_for_inferred_shape"),
)


def follow(native: Any) -> None:
    """Wraps the optimizers once they are loaded.

    Args:
        native: the observer.Native.
    """
    imports.when_loaded([_OPTIMIZERS], lambda module: _observe(module.Optimizer, native))
    for module_name, kind, method in _BUILT_BY:
        imports.when_loaded(
            [module_name],
            functools.partial(_observe_building, kind=kind, method=method, native=native),
        )


def _observe_building(module: Any, kind: str, method: str, native: Any) -> None:
    def building(build: Any, layer: Any, *arguments: Any, **options: Any) -> Any:
        was_built = layer.built
        result = build(layer, *arguments, **options)
        native.before_layer(layer, was_built)
        return result

    wrapping.wrap(getattr(module, kind), method, building)


def _observe(kind: Any, native: Any) -> None:
    def note_variables(this: Any, variables: Any) -> None:
        # Not by setattr, which makes a list a part of its checkpoints.
        object.__setattr__(this, "_trainable_variables", list(variables))

    def noting_step(
        original: Any, this: Any, grads_and_vars: Any, *arguments: Any, **options: Any
    ) -> Any:
        pairs = list(grads_and_vars)
        variables = [variable for _, variable in pairs]
        if not variables:
            return original(this, pairs, *arguments, **options)
        this._compute_current_learning_rate()  # else that of a schedule is the last step's
        rate = native.before_step(this, variables)
        result = original(this, pairs, *arguments, **options)
        native.step_made(this, variables, rate)
        return result

    def note_slot(
        slot: Any, this: Any, model_variable: Any, variable_name: str, *_: Any, **__: Any
    ) -> None:
        stored_differently.note(this, model_variable, slot, variable_name)

    wrapping.on_creation(kind, calls.note_optimizer)
    wrapping.before(kind, "build", note_variables)
    wrapping.wrap(kind, "apply_gradients", noting_step)
    wrapping.after(kind, "add_variable_from_reference", note_slot)
    kind.built = property(lambda this: bool(getattr(this, "_built", False)))
