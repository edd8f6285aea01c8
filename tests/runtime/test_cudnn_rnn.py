"""cuDNN's networks against the cells that compute the same on CPUs, by a checkpoint.

tests/symbols compares those cells with TensorFlow 1.15.5. The names of the checkpoints are those
that its networks wrote, which have no kernel for CPUs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import cudnn_rnn, rnn

LAYERS, UNITS, TIME, BATCH, INPUTS = 2, 3, 5, 4, 2
LENGTHS = [5, 3, 1, 4]
CELLS: dict[str, Any] = {
    "CudnnLSTM": cudnn_rnn.CudnnCompatibleLSTMCell,
    "CudnnGRU": cudnn_rnn.CudnnCompatibleGRUCell,
    "CudnnRNNTanh": tf.nn.rnn_cell.BasicRNNCell,
    "CudnnRNNRelu": lambda units: tf.nn.rnn_cell.BasicRNNCell(units, activation=tf.nn.relu),
}
SCOPES = {
    "CudnnLSTM": "cudnn_lstm",
    "CudnnGRU": "cudnn_gru",
    "CudnnRNNTanh": "cudnn_rnn_tanh",
    "CudnnRNNRelu": "cudnn_rnn_relu",
}
NAMES = Path(__file__).with_name("cudnn_rnn_names.txt").read_text().split()


def inputs_and_states(states: int, directions: int) -> tuple[Any, tuple[Any, ...]]:
    random = np.random.RandomState(3)
    shape = [LAYERS * directions, BATCH, UNITS]
    inputs = random.normal(size=[TIME, BATCH, INPUTS]).astype(np.float32)
    return inputs, tuple(random.normal(size=shape).astype(np.float32) for _ in range(states))


def by_cells(kind: str, bidirectional: bool, lengths: Any, folder: Path) -> list[np.ndarray]:
    """Saves cells with random weights and returns outputs, gradients of inputs, and states."""
    directions = 2 if bidirectional else 1
    inputs, first = inputs_and_states(2 if kind == "CudnnLSTM" else 1, directions)
    with tf.Graph().as_default():
        cells = [[CELLS[kind](UNITS) for _ in range(LAYERS)] for _ in range(directions)]
        fed = tf.constant(inputs)

        def state(index: int) -> Any:
            if kind == "CudnnLSTM":  # the output is the second one of a cell
                return tf.nn.rnn_cell.LSTMStateTuple(first[1][index], first[0][index])
            return tf.constant(first[0][index])

        states = [
            [state(layer * directions + d) for layer in range(LAYERS)] for d in range(directions)
        ]
        with tf.variable_scope(SCOPES[kind]):
            if bidirectional:
                outputs, *last = rnn.stack_bidirectional_dynamic_rnn(
                    *cells, fed, *states, sequence_length=lengths, time_major=True
                )
                last = [one for pair in zip(*last, strict=True) for one in pair]
            else:
                outputs, last = tf.nn.dynamic_rnn(
                    tf.nn.rnn_cell.MultiRNNCell(cells[0]),
                    fed,
                    lengths,
                    initial_state=tuple(states[0]),
                    time_major=True,
                )
        stacked = (
            [tf.stack([one.h for one in last]), tf.stack([one.c for one in last])]
            if kind == "CudnnLSTM"
            else [tf.stack(list(last))]
        )
        found = [outputs, tf.gradients(tf.square(outputs), fed)[0], *stacked]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            random = np.random.RandomState(8)
            for variable in tf.global_variables():
                variable.load(random.normal(size=variable.shape) * 0.5, session)
            tf.train.Saver().save(session, str(folder / "cells"))
            return session.run(found)


@pytest.mark.parametrize(
    ("bidirectional", "lengths"), [(False, None), (True, LENGTHS)], ids=["whole", "lengths"]
)
@pytest.mark.parametrize("kind", list(CELLS))
def test_same_as_cells(
    kind: str, bidirectional: bool, lengths: list[int] | None, tmp_path: Path
) -> None:
    expected = by_cells(kind, bidirectional, lengths, tmp_path)
    with tf.Graph().as_default():
        network = getattr(cudnn_rnn, kind)(
            LAYERS, UNITS, direction="bidirectional" if bidirectional else "unidirectional"
        )
        inputs, first = inputs_and_states(2 if kind == "CudnnLSTM" else 1, network.num_dirs)
        fed = tf.constant(inputs)
        outputs, last = network(fed, first, lengths)
        swapped = [np.swapaxes(one, 0, 1) for one in (inputs, *first)]
        by_batch, last_by_batch = network(swapped[0], tuple(swapped[1:]), lengths, time_major=False)
        found = [outputs, tf.gradients(tf.square(outputs), fed)[0], *last]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver([network.saveable]).restore(session, str(tmp_path / "cells"))
            values = session.run(found)
            others = session.run([by_batch, *last_by_batch])
            tf.train.Saver().save(session, str(tmp_path / "network"))
            # The parts of cells and the variable itself are in checkpoints; both are restored.
            session.run(tf.assign(network.kernel, tf.zeros_like(network.kernel)))
            tf.train.Saver().restore(session, str(tmp_path / "network"))
            restored = session.run(found)
    for one, other in zip(values, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    for one, other in zip(restored, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    for one, other in zip(others, [values[0], *values[2:]], strict=True):
        np.testing.assert_allclose(np.swapaxes(one, 0, 1), other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize("kind", list(CELLS))
def test_names_of_checkpoints(kind: str, direction: str) -> None:
    """cudnn_rnn_names.txt is what TensorFlow 1.15.5 writes in this place."""
    with tf.Graph().as_default(), tf.variable_scope("outer"):
        network = getattr(cudnn_rnn, kind)(2, 3, direction=direction)
        network(tf.zeros([4, 2, 5]))
        network(tf.zeros([4, 2, 5]), training=False)
        (saveable,) = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)
        assert [variable.op.name for variable in tf.global_variables()] == [
            f"outer/{SCOPES[kind]}/opaque_kernel"
        ]
    start = NAMES.index(f"{kind}/{direction}") + 1
    names = [spec.name for spec in saveable.specs]
    assert names == NAMES[start : start + len(names)]
    assert start + len(names) == len(NAMES) or NAMES[start + len(names)].startswith("Cudnn")


def test_two_biases_move_the_sum_twice() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        network = cudnn_rnn.CudnnRNNTanh(1, 1)
        outputs, _ = network(tf.zeros([1, 1, 1]))
        gradients = tf.gradients(outputs, network.kernel)
        session.run(tf.global_variables_initializer())
        (gradient,) = session.run(gradients)
    assert gradient.tolist() == [0, 0, 1, 1]


def test_dropout_is_between_layers_in_training() -> None:
    ones = tf.ones_initializer()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        network = cudnn_rnn.CudnnRNNRelu(2, 50, dropout=0.4, kernel_initializer=ones)
        fed = tf.ones([1, 1, 1])
        training, evaluation = network(fed)[0], network(fed, training=False)[0]
        session.run(tf.global_variables_initializer())
        assert np.all(session.run(evaluation) == 50)
        kept = session.run(training)[0, 0, 0] / (1 / 0.6)
    assert kept == pytest.approx(round(float(kept)), abs=1e-4)
    assert 15 < kept < 45


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"direction": "both"}, "Invalid direction"),
        ({"input_mode": 5}, "Invalid input_mode"),
        ({"dtype": tf.int32}, "Only support"),
    ],
)
def test_refuses_other_settings(arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        cudnn_rnn.CudnnLSTM(1, 2, **arguments)


@pytest.mark.parametrize(("mode", "inputs"), [("skip_input", 2), ("auto_select", 2)])
def test_does_not_skip_the_matrix(mode: str, inputs: int) -> None:
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match="without a matrix"):
        cudnn_rnn.CudnnGRU(1, 2, input_mode=mode)(tf.zeros([1, 1, inputs]))
