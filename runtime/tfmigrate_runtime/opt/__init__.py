"""Optimizers of tf.contrib.opt, and one of tf.contrib.estimator, on TensorFlow 2.

``from tfmigrate_runtime import opt`` instead of ``tf.contrib.opt``.
"""

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow
from tfmigrate_runtime.opt.adam import AdaMaxOptimizer, LazyAdamOptimizer, NadamOptimizer
from tfmigrate_runtime.opt.clipped import clip_gradients_by_norm
from tfmigrate_runtime.opt.external import ExternalOptimizerInterface, ScipyOptimizerInterface
from tfmigrate_runtime.opt.lars import LARSOptimizer
from tfmigrate_runtime.opt.moving_average import MovingAverageOptimizer
from tfmigrate_runtime.opt.weight_decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)

__all__ = [
    "AdaMaxOptimizer", "AdamWOptimizer", "DecoupledWeightDecayExtension",
    "ExternalOptimizerInterface", "LARSOptimizer", "LazyAdamOptimizer", "MomentumWOptimizer",
    "MovingAverageOptimizer", "NadamOptimizer", "ScipyOptimizerInterface",
    "clip_gradients_by_norm", "extend_with_decoupled_weight_decay",
]  # fmt: skip
