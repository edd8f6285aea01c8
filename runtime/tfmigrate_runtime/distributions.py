"""Distributions of tf.contrib.distributions that tf.distributions lacks: normal ones over vectors.

Programs of reinforcement learning draw actions from ``MultivariateNormalDiag``. TensorFlow
Probability has it, but for TensorFlow 2.16 and later only with Keras 2 beside it, so the class is
written here, on TensorFlow's own ``tf.distributions.Distribution``. What it computes is read from
contrib/distributions/python/ops/mvn_diag.py and mvn_linear_operator.py of TensorFlow 1.15.
"""

import math
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = ["MultivariateNormalDiag", "MultivariateNormalDiagWithSoftplusScale"]

_Distribution: Any = tf.distributions.Distribution


class MultivariateNormalDiag(_Distribution):  # type: ignore[misc]
    """The normal distribution over vectors whose covariance is diagonal.

    Args:
        loc: the mean, float [..., k]; None for zeros.
        scale_diag: the standard deviations, float [..., k]; None for ones.
        scale_identity_multiplier: what is added to each of them, float [...]; alone, it is all of
            them.
        validate_args: taken for its place; nothing is checked.
        allow_nan_stats: as in TensorFlow 1.15.
        name: of the scope of its ops.

    Raises:
        ValueError: neither a mean nor standard deviations tell how long a vector is.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        parameters = dict(locals())
        del parameters["self"], parameters["__class__"]
        with tf.name_scope(name) as scope:
            self._loc = None if loc is None else tf.convert_to_tensor(loc, name="loc")
            diagonal = _diagonal(self._loc, scale_diag, scale_identity_multiplier)
            self._scale = tf.linalg.LinearOperatorDiag(
                diagonal, is_non_singular=True, is_self_adjoint=True
            )
        super().__init__(
            dtype=diagonal.dtype,
            reparameterization_type=tf.distributions.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[tensor for tensor in (self._loc, diagonal) if tensor is not None],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """The mean as it was passed, [..., k]; None for zeros."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The standard deviations, as a LinearOperatorDiag [..., k, k]."""
        return self._scale

    @property
    def _deviations(self) -> Any:
        return self._scale.diag_part()

    def _batch_event(self) -> Any:
        """Returns the shape of one vector of each member of the batch, as a tensor."""
        shape = tf.shape(self._deviations)
        return (
            shape if self._loc is None else tf.broadcast_dynamic_shape(shape, tf.shape(self._loc))
        )

    def _static_shape(self) -> Any:
        shape = self._deviations.shape
        return shape if self._loc is None else tf.broadcast_static_shape(shape, self._loc.shape)

    def _batch_shape_tensor(self) -> Any:
        return self._batch_event()[:-1]

    def _batch_shape(self) -> Any:
        return self._static_shape()[:-1]

    def _event_shape_tensor(self) -> Any:
        return self._batch_event()[-1:]

    def _event_shape(self) -> Any:
        return self._static_shape()[-1:]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], self._batch_event()], 0)
        # In one row, as TensorFlow 1.15 draws them.
        drawn = tf.random_normal([tf.reduce_prod(shape)], dtype=self.dtype, seed=seed)
        samples = tf.reshape(drawn, shape) * self._deviations
        return samples if self._loc is None else samples + self._loc

    def _log_prob(self, x: Any) -> Any:
        away = x if self._loc is None else x - self._loc
        each = -0.5 * tf.square(away / self._deviations) - 0.5 * math.log(2.0 * math.pi)
        return tf.reduce_sum(each, -1) - self._scale.log_abs_determinant()

    def _entropy(self) -> Any:
        size = tf.cast(self._batch_event()[-1], self.dtype)
        entropy = 0.5 * (1.0 + math.log(2.0 * math.pi)) * size + self._scale.log_abs_determinant()
        return entropy + tf.zeros(self._batch_shape_tensor(), self.dtype)

    def _mean(self) -> Any:
        zeros = tf.zeros(self._batch_event(), self.dtype)
        return zeros if self._loc is None else self._loc + zeros

    def _mode(self) -> Any:
        return self._mean()

    def _variance(self) -> Any:
        return tf.square(self._deviations)

    def _stddev(self) -> Any:
        return tf.abs(self._deviations)

    def _covariance(self) -> Any:
        return tf.matrix_diag(self._variance())


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """``MultivariateNormalDiag`` whose standard deviations are softplus of what is passed.

    Args:
        loc: the mean, float [..., k].
        scale_diag: what softplus is taken of, float [..., k].
        validate_args: taken for its place; nothing is checked.
        allow_nan_stats: as in TensorFlow 1.15.
        name: of the scope of its ops.
    """

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        super().__init__(
            loc,
            tf.nn.softplus(scale_diag),
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=name,
        )


def _diagonal(loc: Any, scale_diag: Any, multiplier: Any) -> Any:
    """Returns the standard deviations, [..., k]."""
    if multiplier is not None:
        multiplier = tf.convert_to_tensor(multiplier, name="scale_identity_multiplier")[..., None]
    if scale_diag is not None:
        scale_diag = tf.convert_to_tensor(scale_diag, name="scale_diag")
        return scale_diag if multiplier is None else scale_diag + multiplier
    if loc is None:
        raise ValueError("Cannot infer `event_shape` unless `loc` or `scale_diag` is specified.")
    ones = tf.ones(tf.shape(loc)[-1:], loc.dtype)
    return ones if multiplier is None else multiplier * ones


@tf.distributions.RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)  # type: ignore[untyped-decorator]
def _kl(a: Any, b: Any, name: str | None = None) -> Any:
    """Returns KL(a || b) of each member of the batch, as mvn_linear_operator.py computes it."""
    with tf.name_scope(name or "kl_mvn"):
        size = tf.cast(tf.shape(a.scale.diag_part())[-1], a.dtype)
        ratios = tf.reduce_sum(tf.square(a.stddev() / b.stddev()), -1)
        distances = tf.reduce_sum(tf.square((b.mean() - a.mean()) / b.scale.diag_part()), -1)
        determinants = b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
        return determinants + 0.5 * (ratios + distances - size)
