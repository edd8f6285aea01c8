"""tf.contrib.distributions: those that tf.distributions has."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

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
NOT_REPARAMETERIZED = tf.distributions.NOT_REPARAMETERIZED
Normal = tf.distributions.Normal
RegisterKL = tf.distributions.RegisterKL
ReparameterizationType = tf.distributions.ReparameterizationType
StudentT = tf.distributions.StudentT
Uniform = tf.distributions.Uniform
kl_divergence = tf.distributions.kl_divergence
