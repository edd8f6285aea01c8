"""The program's own optimizers that override ``apply_gradients``, on several replicas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32, W0, X, Y, config, linear_model, train, two_cpus, variables

from tfmigrate_runtime import estimator

RATE, DECAY, LIMIT = 0.1, 0.9, 0.5


class Scaled(tf.train.Optimizer):  # type: ignore[misc]
    """Updates the variables itself, like the AdamWeightDecayOptimizer of BERT."""

    def __init__(self) -> None:
        super().__init__(False, "Scaled")

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        updates = []
        for gradient, variable in grads_and_vars:
            if gradient is None:
                continue
            square = tf.get_variable(
                f"{variable.op.name}/square",
                variable.shape,
                initializer=tf.zeros_initializer(),
                trainable=False,
            )
            new = DECAY * square + tf.multiply(1 - DECAY, tf.square(gradient))
            step = tf.multiply(RATE, gradient) / (tf.sqrt(new) + 1e-6)
            updates += [variable.assign(variable - step), square.assign(new)]
        if global_step is not None:
            updates.append(global_step.assign_add(1))
        return tf.group(*updates, name=name)


class Clipped(tf.train.GradientDescentOptimizer):  # type: ignore[misc]
    """Clips what it is given."""

    def __init__(self) -> None:
        super().__init__(RATE)

    def apply_gradients(self, grads_and_vars: Any, *arguments: Any, **options: Any) -> Any:
        gradients, trained = zip(*grads_and_vars, strict=True)
        clipped, _ = tf.clip_by_global_norm(gradients, LIMIT)
        return super().apply_gradients(zip(clipped, trained, strict=True), *arguments, **options)


class Passing(tf.train.Optimizer):  # type: ignore[misc]
    """Has another optimizer apply the gradients."""

    def __init__(self, optimizer: Any) -> None:
        super().__init__(False, "Passing")
        self._optimizer = optimizer

    def apply_gradients(self, *arguments: Any, **options: Any) -> Any:
        return self._optimizer.apply_gradients(*arguments, **options)


class Reduced(Scaled):
    """Sums the gradients of the replicas itself."""

    def apply_gradients(self, grads_and_vars: Any, *arguments: Any, **options: Any) -> Any:
        pairs = list(grads_and_vars)
        sums = tf.distribute.get_replica_context().merge_call(self._sums, args=(pairs,))
        reduced = [(total, variable) for total, (_, variable) in zip(sums, pairs, strict=True)]
        return super().apply_gradients(reduced, *arguments, **options)

    def _sums(self, strategy: Any, pairs: Any) -> Any:
        return strategy.extended.batch_reduce_to(tf.distribute.ReduceOp.SUM, pairs)


class ByHand(tf.train.GradientDescentOptimizer):  # type: ignore[misc]
    """Computes the gradients without the method of TensorFlow."""

    def __init__(self) -> None:
        super().__init__(RATE)

    def compute_gradients(self, loss: Any, var_list: Any = None, **options: Any) -> Any:
        trained = var_list or tf.trainable_variables()
        return list(zip(tf.gradients(loss, trained), trained, strict=True))


class Regularized(ByHand):
    """Adds to the loss that it is given."""

    def compute_gradients(self, loss: Any, var_list: Any = None, **options: Any) -> Any:
        norm = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
        return tf.train.GradientDescentOptimizer.compute_gradients(self, loss + norm, var_list)


class Doubled(tf.train.GradientDescentOptimizer):  # type: ignore[misc]
    """Minimizes another loss."""

    def __init__(self) -> None:
        super().__init__(RATE)

    def minimize(self, loss: Any, *arguments: Any, **options: Any) -> Any:
        return super().minimize(2 * loss, *arguments, **options)


class Assigning(Scaled):
    """Updates the variables in ``minimize``."""

    def minimize(self, loss: Any, global_step: Any = None, **options: Any) -> Any:
        trained = tf.trainable_variables()
        gradients = tf.gradients(loss, trained)
        updates = [v.assign_sub(g) for g, v in zip(gradients, trained, strict=True)]
        return tf.group(*updates, global_step.assign_add(1))


def gradient(w: Any) -> Any:
    return 2 / len(X) * X.T @ (X @ w - Y)


def scaled(steps: int) -> Any:
    w, square = W0, np.zeros_like(W0)
    for _ in range(steps):
        square = DECAY * square + (1 - DECAY) * gradient(w) ** 2
        w = w - RATE * gradient(w) / (np.sqrt(square) + 1e-6)
    return w


def clipped(steps: int) -> Any:
    w = W0
    for _ in range(steps):
        norm = np.linalg.norm(gradient(w))
        w = w - RATE * gradient(w) * min(1, LIMIT / norm)
    return w


def descended(steps: int) -> Any:
    w = W0
    for _ in range(steps):
        w = w - RATE * gradient(w)
    return w


# The loss is scaled before the optimizer of a tower adds to it.
@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        (ByHand, lambda replicas: descended(1)),
        (Regularized, lambda replicas: descended(1) - RATE * replicas * W0),
        (Doubled, lambda replicas: descended(1)),
    ],
)
def test_optimizers_of_towers_get_the_scaled_loss_and_do_not_minimize(
    optimizer: Any, expected: Any, replicas: int, tmp_path: Path
) -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"]) if replicas == 1 else two_cpus()
    run_config = config(replicas, train_distribute=strategy)
    trained, _ = train(linear_model(optimizer=optimizer), tmp_path, run_config, steps=1)
    assert variables(trained)["w"] == pytest.approx(expected(replicas), rel=5 * FLOAT32)


def test_without_a_strategy_optimizers_minimize(tmp_path: Path) -> None:
    trained, _ = train(linear_model(optimizer=Doubled), tmp_path, config(1), steps=1)
    assert variables(trained)["w"] == pytest.approx(W0 - 2 * RATE * gradient(W0), rel=5 * FLOAT32)


@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        (Scaled, scaled),
        (Clipped, clipped),
        (lambda: Passing(Scaled()), scaled),
        (lambda: Passing(Clipped()), clipped),
    ],
)
def test_optimizers_of_towers_get_the_sum_of_the_gradients(
    optimizer: Any, expected: Any, replicas: int, tmp_path: Path
) -> None:
    trained, _ = train(linear_model(optimizer=optimizer), tmp_path, config(replicas), steps=3)
    assert variables(trained)["w"] == pytest.approx(expected(3), rel=5 * FLOAT32)
    assert variables(trained)["global_step"] == 3


@pytest.mark.parametrize("replicas", [1, 2])
def test_rows_of_an_embedding_and_variables_without_gradients(
    replicas: int, tmp_path: Path
) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        table = tf.get_variable("table", initializer=tf.ones([4, 1]))
        unused = tf.get_variable("unused", initializer=tf.ones([2]))
        ids = tf.cast(tf.argmax(features["x"], 1), tf.int32)
        loss = tf.losses.mean_squared_error(labels, tf.nn.embedding_lookup(table, ids))
        optimizer = Scaled()
        pairs = optimizer.compute_gradients(loss, [unused, table])
        step = optimizer.apply_gradients(pairs, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    trained, _ = train(model_fn, tmp_path, config(replicas), steps=1)
    ids = X.argmax(1)
    error = 2 / len(X) * (1 - Y[:, 0])
    sums = np.array([error[ids == row].sum() for row in range(4)])[:, np.newaxis]
    step = RATE * sums / (np.sqrt((1 - DECAY) * sums**2) + 1e-6)
    assert variables(trained)["table"] == pytest.approx(1 - step, rel=5 * FLOAT32)
    assert variables(trained)["unused"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("optimizer", "method"), [(Scaled, "Scaled.apply_gradients"), (Assigning, "Assigning.minimize")]
)
def test_train_distribute_trains_no_copies_that_differ(
    optimizer: Any, method: str, tmp_path: Path
) -> None:
    run_config = config(train_distribute=two_cpus(), global_batch=False)
    with pytest.raises(ValueError, match=f"{method} updates variables itself"):
        train(linear_model(optimizer=optimizer), tmp_path, run_config)


@pytest.mark.parametrize("optimizer", [Reduced, Clipped, ByHand, Doubled])
def test_train_distribute_with_reduced_gradients(optimizer: Any, tmp_path: Path) -> None:
    run_config = config(train_distribute=two_cpus(), global_batch=False)
    trained, _ = train(linear_model(optimizer=optimizer), tmp_path, run_config, steps=2)
    assert variables(trained)["global_step"] == 2


def test_predictions_and_evaluations_make_no_steps(tmp_path: Path) -> None:
    trained, _ = train(linear_model(optimizer=Scaled), tmp_path, steps=1)
    assert trained.evaluate(lambda: tf.data.Dataset.from_tensors(({"x": X}, Y)))["global_step"] == 1
