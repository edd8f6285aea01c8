"""tf.contrib.distributions: those that tf.distributions has, and normal ones over vectors."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import distributions
from tfmigrate_runtime.tf1_shim.names_of import taken

_NAMES = taken(
    tf.distributions,
    """
    FULLY_REPARAMETERIZED NOT_REPARAMETERIZED Bernoulli Beta Categorical Dirichlet
    DirichletMultinomial Distribution Exponential Gamma Laplace Multinomial Normal RegisterKL
    ReparameterizationType StudentT Uniform kl_divergence
    """,
) | taken(distributions, "MultivariateNormalDiag MultivariateNormalDiagWithSoftplusScale")
globals().update(_NAMES)
__all__ = [*_NAMES]
