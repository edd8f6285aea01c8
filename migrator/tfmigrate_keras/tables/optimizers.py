"""Optimizers of tf.train and the schedules of their learning rates."""

import struct

from tfmigrate_keras.tables.entry import Entry, entry


def in_single_precision(number: float) -> str:
    """Returns the code of the float32 next to a number.

    TensorFlow 1.x subtracted Adam's beta2 from 1 in float32. Keras does in float64, and its steps
    are 6.4e-6 shorter where the beta2 is 0.999.
    """
    (rounded,) = struct.unpack("f", struct.pack("f", number))
    return f"{rounded:.9g}"


_COMMON = "use_locking- name-"
OPTIMIZERS: dict[str, Entry] = {
    "tensorflow.train.GradientDescentOptimizer": entry(
        "keras.optimizers.SGD", f"learning_rate! {_COMMON}"
    ),
    "tensorflow.train.MomentumOptimizer": entry(
        "keras.optimizers.SGD", f"learning_rate! momentum {_COMMON} use_nesterov:nesterov"
    ),
    "tensorflow.train.AdamOptimizer": entry(
        "keras.optimizers.Adam",
        f"learning_rate! beta1:beta_1 beta2:beta_2 epsilon {_COMMON}",
        learning_rate="0.001",
        beta_2=in_single_precision(0.999),
        epsilon="1e-8",
    ),
    "tensorflow.train.AdagradOptimizer": entry(
        "keras.optimizers.Adagrad",
        f"learning_rate! initial_accumulator_value {_COMMON}",
        "epsilon=0.0",
        initial_accumulator_value="0.1",
    ),
    "tensorflow.train.RMSPropOptimizer": entry(
        "RMSprop",
        "learning_rate! decay:rho momentum epsilon use_locking- centered=False name-",
        rho="0.9",
        epsilon="1e-10",
    ),
    "tensorflow.train.AdadeltaOptimizer": entry(
        "keras.optimizers.Adadelta",
        f"learning_rate! rho epsilon {_COMMON}",
        learning_rate="0.001",
        epsilon="1e-8",
    ),
    "tensorflow.train.FtrlOptimizer": entry(
        "keras.optimizers.Ftrl",
        "learning_rate! learning_rate_power initial_accumulator_value "
        "l1_regularization_strength l2_regularization_strength use_locking- name- "
        "accum_name- linear_name- l2_shrinkage_regularization_strength",
    ),
}
"""By the name of a class; a target without ``keras`` is a class that is written out."""

MOMENTUM = "tensorflow.train.MomentumOptimizer"
CONSTANT_RATE_ONLY = frozenset({MOMENTUM})
"""Optimizers that Keras computes otherwise when the learning rate changes.

Keras accumulates steps, learning rate included; TensorFlow 1.x accumulates gradients.
"""

SUMS_ROWS_FIRST = frozenset({"tensorflow.train.AdamOptimizer", "tensorflow.train.AdagradOptimizer"})
"""Optimizers that add up the gradients of a row of an embedding first; Keras takes each."""

DIFFERENT_IF_SPARSE = frozenset(
    f"tensorflow.train.{name}Optimizer" for name in ("Adadelta", "Ftrl", "RMSProp")
)
"""Optimizers that change only the rows of an embedding that have a gradient."""

SCHEDULES: dict[str, Entry] = {
    "tensorflow.train.exponential_decay": entry(
        "keras.optimizers.schedules.ExponentialDecay",
        "learning_rate! global_step- decay_steps! decay_rate! staircase name-",
    ),
    "tensorflow.train.piecewise_constant": entry(
        "keras.optimizers.schedules.PiecewiseConstantDecay", "x- boundaries! values! name-"
    ),
    "tensorflow.train.polynomial_decay": entry(
        "keras.optimizers.schedules.PolynomialDecay",
        "learning_rate! global_step- decay_steps! end_learning_rate power cycle name-",
    ),
    "tensorflow.train.inverse_time_decay": entry(
        "keras.optimizers.schedules.InverseTimeDecay",
        "learning_rate! global_step- decay_steps! decay_rate! staircase name-",
    ),
    "tensorflow.train.cosine_decay": entry(
        "keras.optimizers.schedules.CosineDecay",
        "learning_rate! global_step- decay_steps! alpha name-",
    ),
    "tensorflow.train.cosine_decay_restarts": entry(
        "keras.optimizers.schedules.CosineDecayRestarts",
        "learning_rate! global_step- first_decay_steps! t_mul m_mul alpha name-",
    ),
}
"""By the name of a function of the global step."""
SCHEDULES["tensorflow.train.piecewise_constant_decay"] = SCHEDULES[
    "tensorflow.train.piecewise_constant"
]
