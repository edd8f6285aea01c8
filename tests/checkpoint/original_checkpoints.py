"""Checkpoints of TensorFlow 1.15 with the values that a stored trace has of a step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate_runtime.checkpoint import tensors
from tfmigrate_runtime.verify.traces.trace import Trace

# Keras' SGD keeps momentum times the learning rate; TensorFlow 1.15 multiplied Adam's powers step
# by step in float32, where Keras computes them anew.
ROUNDED = 1e-6


def write_checkpoint(trace: Trace, step: int, folder: Path) -> Path:
    """Writes the checkpoint of a step, with the lists of variables that a Saver stores."""
    row = int(np.flatnonzero(trace.variable_step == step)[0])
    values = {name: rows[row] for name, rows in trace.variables.items()}
    path = folder / f"model.ckpt-{step}"
    tensors.write(str(path), values)
    write_graph(path, trace.meta["variables"])
    return path


def write_graph(path: Path, forms: list[dict[str, Any]]) -> None:
    """Writes the ``.meta`` of a checkpoint: its variables, without operations."""
    from tensorflow.core.framework.variable_pb2 import VariableDef
    from tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef

    graph = MetaGraphDef()
    for form in forms:
        stored = VariableDef(variable_name=f"{form['name']}:0").SerializeToString()
        kinds = ["variables"] + ["trainable_variables"] * form["trainable"]
        for kind in kinds:
            graph.collection_def[kind].bytes_list.value.append(stored)
    Path(f"{path}.meta").write_bytes(graph.SerializeToString())


def tensors_of(path: Path) -> dict[str, np.ndarray]:
    """Returns the tensors of a checkpoint."""
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(path))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def check_same(old: Path, back: Path) -> None:
    """Checks that a checkpoint that was converted and converted back is the same."""
    first, second = tensors.Checkpoint(str(old)), tensors_of(back)
    assert second.keys() == {form["name"] for form in first.forms}
    for name, value in second.items():
        wanted = first.value(name)
        assert value.dtype == wanted.dtype, name
        is_rounded = name.endswith(("_power", "/Momentum"))
        np.testing.assert_allclose(value, wanted, ROUNDED if is_rounded else 0.0, err_msg=name)
