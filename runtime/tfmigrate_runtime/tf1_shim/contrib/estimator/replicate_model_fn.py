"""tf.contrib.estimator.replicate_model_fn: a model function on towers, within one graph.

Written from the numbered facts of semantics.md, section 1, not from what migrated programs
train with: towers are copies of the graph here, replicas of a strategy there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import ModeKeys
from tfmigrate_runtime.compat.shim_ops import device_lib, function_utils
from tfmigrate_runtime.tf1_shim.contrib.estimator.input_shards import split_batch
from tfmigrate_runtime.tf1_shim.contrib.estimator.tower_optimizer import (
    TowerOptimizer,
    clear_graph_state,
    graph_state,
)
from tfmigrate_runtime.tf1_shim.contrib.estimator.tower_specs import (
    eval_spec,
    predict_spec,
    train_spec,
    with_scaled_loss,
)

__all__ = ["TowerOptimizer", "replicate_model_fn"]

_VARIABLE_OPS = ("Variable", "VariableV2", "VarHandleOp")


class _VariableDistributionMode:
    """Where variables are put: all on one device, or on the towers' devices by turns."""

    SHARED_LOCAL_PARAMETER_SERVER = 1
    SHARED_ROUND_ROBIN = 2


def replicate_model_fn(
    model_fn: Callable[..., Any],
    loss_reduction: Any = tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS,
    devices: Sequence[str] | None = None,
) -> Callable[..., Any]:
    """Returns a model function for an Estimator that runs ``model_fn`` once on each device.

    Args:
        model_fn: the model function of one tower.
        loss_reduction: SUM adds up the towers' losses, everything else averages them.
        devices: the devices of the towers; None for all GPUs, or the CPU where there is none.

    Raises:
        ValueError: the reduction is NONE. The function returned raises it for a batch that cannot
            be split, an optimizer that is not a TowerOptimizer, and towers that call other
            optimizers, or that make other metrics.
    """
    return _replicate_model_fn_with_mode(model_fn, loss_reduction, devices)


def _replicate_model_fn_with_mode(
    model_fn: Callable[..., Any],
    loss_reduction: Any,
    devices: Sequence[str] | None = None,
    mode: int = _VariableDistributionMode.SHARED_LOCAL_PARAMETER_SERVER,
) -> Callable[..., Any]:
    """Is replicate_model_fn with a choice of where variables go, as public forks call it."""
    if loss_reduction == tf.losses.Reduction.NONE:
        raise ValueError(
            f"Tower losses need to be reduced in some way, yet {loss_reduction} reduction is "
            "specified."
        )
    towers = list(devices or _local_devices("GPU") or _local_devices("CPU"))
    one_gpu = len(towers) == 1 and "GPU" in towers[0].upper()
    where_joined = towers[0] if one_gpu else "/CPU:0"
    round_robin = mode == _VariableDistributionMode.SHARED_ROUND_ROBIN
    of_variables = towers if round_robin else [where_joined]
    tf.logging.info(
        f"Replicating the `model_fn` across {towers}.  Variables are going to be placed on "
        f"{of_variables}.  Consolidation device is going to be {where_joined}."
    )
    builder = _Towers(model_fn, loss_reduction, towers, of_variables)

    def single_device_model_fn(
        features: Any, labels: Any, mode: str, params: Any = None, config: Any = None
    ) -> Any:
        return builder.build([features], [labels], mode, params, config)[0]

    def replicated_model_fn(
        features: Any, labels: Any, mode: str, params: Any = None, config: Any = None
    ) -> Any:
        of_features, of_labels = split_batch(features, labels, len(towers), where_joined)
        specs = builder.build(of_features, of_labels, mode, params, config)
        return _JOINED[mode](specs, where_joined)

    return single_device_model_fn if len(towers) == 1 else replicated_model_fn


_JOINED = {ModeKeys.TRAIN: train_spec, ModeKeys.EVAL: eval_spec, ModeKeys.PREDICT: predict_spec}


def _local_devices(device_type: str) -> list[str]:
    return [d.name for d in device_lib.list_local_devices() if d.device_type == device_type]


class _Towers:
    """Calls a model function once for each device, in one graph."""

    def __init__(
        self,
        model_fn: Callable[..., Any],
        loss_reduction: Any,
        devices: list[str],
        devices_of_variables: list[str],
    ) -> None:
        self._model_fn, self._loss_reduction = model_fn, loss_reduction
        self._devices = devices
        self._devices_of_variables = devices_of_variables

    def build(
        self, features: list[Any], labels: list[Any] | None, mode: str, params: Any, config: Any
    ) -> list[Any]:
        """Returns the EstimatorSpec of each tower, with its scaled loss.

        Raises:
            ValueError: an optimizer is not a TowerOptimizer, or towers call other optimizers.
        """
        arguments = function_utils.fn_args(self._model_fn)
        offered = {"params": params, "config": config}
        # Copied once, for all towers together (semantics 1.19).
        optional = {name: copy.deepcopy(offered[name]) for name in offered if name in arguments}
        state = graph_state()
        state.loss_reduction, state.towers = self._loss_reduction, len(self._devices)
        turn = count()
        specs = []
        for tower, device in enumerate(self._devices):
            # Tower 0 makes the variables, and its ops have no prefix (semantics 1.14, 1.19).
            with (
                tf.variable_scope("", reuse=tower > 0) as variable_scope,
                tf.name_scope(f"tower_{tower}" if tower else "") as name_scope,
                state.tower(tower, variable_scope, name_scope),
                tf.device(self._placement(device, turn)),
            ):
                spec = self._model_fn(
                    mode=mode,
                    features=features[tower],
                    labels=labels[tower] if labels else None,
                    **optional,
                )
                specs.append(self._checked(spec))
        if not graph_state().towers_called_alike():
            raise ValueError(
                "Each invocation of model_fn was supposed to make the same optimizer calls."
            )
        clear_graph_state()
        return specs

    def _checked(self, spec: Any) -> Any:
        towers = len(self._devices)
        if spec.train_op is not None and towers > 1 and not TowerOptimizer.has_been_used():
            raise ValueError(
                "Please wrap optimizers with TowerOptimizer in order to use replicate_model_fn "
                "with multiple `devices`."
            )
        return with_scaled_loss(spec, self._loss_reduction, towers)

    def _placement(self, device: str, turn: count[int]) -> Callable[[Any], str]:
        """Returns the device function of a tower: variables apart, ops on the tower's device.

        What the model function places itself stays there.
        """

        def chosen(op: Any) -> str:
            default = device or ""
            if (op.op if isinstance(op, tf.NodeDef) else op.type) in _VARIABLE_OPS:
                default = self._devices_of_variables[next(turn) % len(self._devices_of_variables)]
            merged = tf.DeviceSpec.from_string(default)
            merged.merge_from(tf.DeviceSpec.from_string(op.device or ""))
            return str(merged.to_string())

        return chosen
