"""Normal distributions over vectors: what is drawn, densities, entropy, divergence, gradients."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import distributions

tf.disable_v2_behavior()

ds = distributions

random = np.random.RandomState(5)
mean = tf.constant(random.normal(size=[4, 3]).astype(np.float32))
wide = tf.constant(random.uniform(0.5, 2.0, size=[4, 3]).astype(np.float32))
narrow = tf.constant([0.5, 1.0, 1.5])
points = tf.constant(random.normal(size=[4, 3]).astype(np.float32))
policy = ds.MultivariateNormalDiag(mean, wide)
old = distributions.MultivariateNormalDiag(loc=mean * 0.5, scale_diag=narrow)
soft = ds.MultivariateNormalDiagWithSoftplusScale(mean, wide - 1.0)
unit = ds.MultivariateNormalDiag(loc=mean[0], scale_identity_multiplier=2.0)
both = ds.MultivariateNormalDiag(scale_diag=narrow, scale_identity_multiplier=0.25)
log_prob = policy.log_prob(points)
divergence = tf.distributions.kl_divergence(policy, old)
drawn = policy.sample(2000, seed=3)
found = {
    "log_prob": log_prob,
    "prob": policy.prob(points),
    "of_mean": tf.gradients(log_prob, mean)[0],
    "of_wide": tf.gradients(log_prob, wide)[0],
    "entropy": policy.entropy(),
    "entropy_of_unit": unit.entropy(),
    "divergence": divergence,
    "of_divergence": tf.gradients(divergence, wide)[0],
    "mean": old.mean(),
    "mode": soft.mode(),
    "stddev": soft.stddev(),
    "variance": both.variance(),
    "covariance": both.covariance(),
    "unit": unit.log_prob(points),
    "both": both.log_prob(points),
    "both_mean": both.mean(),
    "batch": policy.batch_shape_tensor(),
    "event": both.event_shape_tensor(),
}
with tf.Session() as session:
    result = session.run(found)
    samples = session.run(drawn)
result["samples"] = samples[:5]
result["shape"] = list(samples.shape)
result["sizes"] = policy.batch_shape.as_list() + both.event_shape.as_list()
result["one"] = policy.sample(seed=7).shape.as_list()
