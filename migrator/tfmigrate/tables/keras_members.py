"""Members and arguments of Keras 2 that Keras 3 lacks.

The table is data/keras_members.txt, made by scripts/tables/list_keras_members.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

_FIT = "call {}, which takes generators too"
_SLOTS = "override build() and update_step()"
_ADVICE = {
    "Model.fit_generator": _FIT.format("fit"),
    "Model.evaluate_generator": _FIT.format("evaluate"),
    "Model.predict_generator": _FIT.format("predict"),
    "Model.predict_classes": "use predict(x).argmax(axis=-1), or predict(x) > 0.5 of one output",
    "Model.predict_proba": "use predict(x)",
    "Model.to_yaml": "use to_json()",
    "Model.reset_states": "call reset_state() of its recurrent layers",
    "Model._make_predict_function": "remove the call, which prepared predict() for threads",
    "Layer.add_metric": "make the metric in __init__, and call its update_state",
    "Layer.add_update": "assign the variable in call()",
    "Layer.input_shape": "use layer.input.shape",
    "Layer.output_shape": "use layer.output.shape",
    "Layer.inbound_nodes": "use layer.input and layer.output",
    "Metric.reset_states": "name the method reset_state",
    "Optimizer.lr": "use learning_rate",
    "Optimizer.minimize": "use a GradientTape, and apply_gradients",
    "Optimizer.weights": "use variables",
    "Optimizer.get_updates": _SLOTS,
    "Optimizer._resource_apply_dense": _SLOTS,
    "Optimizer._resource_apply_sparse": _SLOTS,
    "Callback.validation_data": "pass the data to the callback when it is made",
}
_BY_ARGUMENT = {
    "decay": "use keras.optimizers.schedules.InverseTimeDecay as the learning rate",
    "lr": "name it learning_rate",
    "nb_epoch": "name it epochs",
    "epsilon": "name it min_delta",
    "period": "use save_freq, which is in batches",
    "batch_input_shape": "put keras.Input(batch_shape=...) before the layer",
    "weights": "call set_weights once the layer is built",
    "workers": "remove it, or pass it to the keras.utils.PyDataset",
    "use_multiprocessing": "remove it, or pass it to the keras.utils.PyDataset",
    "max_queue_size": "remove it, or pass it to the keras.utils.PyDataset",
    "dynamic": "use run_eagerly=True of compile",
}
_KERAS_2 = "express it in another way, or stay with Keras 2 (tf-keras, TF_USE_LEGACY_KERAS=1)"


@dataclass(frozen=True)
class Lost:
    """Members of a class that Keras 3 lacks.

    Attributes:
        members: all of them.
        hooks: those that Keras 2 calls itself, so that subclasses override them.
    """

    members: frozenset[str]
    hooks: frozenset[str]


def lost_members(keras_3: bool) -> Mapping[str, Lost]:
    """Returns the members that are lost, by the name of the class below Keras ("models.Model").

    Args:
        keras_3: whether in Keras 3; in ``tf.compat.v1.keras`` otherwise.
    """
    in_3, in_2, _ = _table()
    return in_3 if keras_3 else in_2


def taken_arguments() -> Mapping[str, frozenset[str]]:
    """Returns all arguments that Keras 3 takes, of those that took others in Keras 2.

    They are found by their names below Keras ("layers.Dense", "Model.fit").
    """
    return _table()[2]


def advice(owner: str, name: str) -> str:
    """Returns what to do about a lost member of a class, or a lost argument (without an owner)."""
    if not owner:
        return _BY_ARGUMENT.get(name, "remove it, or pass what replaced it in Keras 3")
    last = owner.rpartition(".")[2]
    kinds = [last]
    if owner.startswith("callbacks."):
        kinds.append("Callback")
    elif owner.startswith("optimizers."):
        kinds.append("Optimizer")
    elif owner.startswith("metrics."):
        kinds.append("Metric")
    else:
        kinds += ["Model", "Layer"]
    found = (_ADVICE.get(f"{kind}.{name}") for kind in kinds)
    return next(filter(None, found), _KERAS_2)


@cache
def _table() -> tuple[dict[str, Lost], dict[str, Lost], dict[str, frozenset[str]]]:
    text = resources.files("tfmigrate").joinpath("data/keras_members.txt").read_text("utf-8")
    in_3: dict[str, Lost] = {}
    in_2: dict[str, Lost] = {}
    taken: dict[str, frozenset[str]] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        heading, _, words = line.partition(":")
        kind, *names = heading.split()
        listed = words.split()
        if kind == "takes":
            taken.update(dict.fromkeys(names, frozenset(listed)))
            continue
        lost = Lost(
            frozenset(word.lstrip("*") for word in listed),
            frozenset(word[1:] for word in listed if word.startswith("*")),
        )
        (in_3 if kind == "lost" else in_2).update(dict.fromkeys(names, lost))
    return in_3, in_2, taken
