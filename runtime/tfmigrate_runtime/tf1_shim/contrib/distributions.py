"""tf.contrib.distributions: those that tf.distributions has, and normal ones over vectors."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import distributions

__all__ = [
    "FULLY_REPARAMETERIZED",
    "NOT_REPARAMETERIZED",
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "Gamma",
    "Laplace",
    "Multinomial",
    "MultivariateNormalDiag",
    "MultivariateNormalDiagWithSoftplusScale",
    "Normal",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "Uniform",
    "kl_divergence",
]

Bernoulli = tf.distributions.Bernoulli
Beta = tf.distributions.Beta
Categorical = tf.distributions.Categorical
Dirichlet = tf.distributions.Dirichlet
DirichletMultinomial = tf.distributions.DirichletMultinomial
Distribution = tf.distributions.Distribution
Exponential = tf.distributions.Exponential
FULLY_REPARAMETERIZED = tf.distributions.FULLY_REPARAMETERIZED
Gamma = tf.distributions.Gamma
Laplace = tf.distributions.Laplace
Multinomial = tf.distributions.Multinomial
MultivariateNormalDiag = distributions.MultivariateNormalDiag
MultivariateNormalDiagWithSoftplusScale = distributions.MultivariateNormalDiagWithSoftplusScale
NOT_REPARAMETERIZED = tf.distributions.NOT_REPARAMETERIZED
Normal = tf.distributions.Normal
RegisterKL = tf.distributions.RegisterKL
ReparameterizationType = tf.distributions.ReparameterizationType
StudentT = tf.distributions.StudentT
Uniform = tf.distributions.Uniform
kl_divergence = tf.distributions.kl_divergence
