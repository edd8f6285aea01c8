"""Optimizers of tf.contrib.opt, three steps each, with dense and sparse gradients."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.opt import AdamWOptimizer, MovingAverageOptimizer

random = np.random.RandomState(12)
start = random.normal(size=[4, 3]).astype(np.float32)
inputs = tf.constant(random.normal(size=[5, 4]).astype(np.float32))
descent_with_decay = tf.contrib.opt.extend_with_decoupled_weight_decay(
    tf.train.GradientDescentOptimizer
)
optimizers = {
    "adamax": tf.contrib.opt.AdaMaxOptimizer(0.05),
    "adam_w": AdamWOptimizer(0.1, learning_rate=0.05),
    "clipped": tf.contrib.estimator.clip_gradients_by_norm(tf.train.AdagradOptimizer(0.3), 0.5),
    "average": MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), average_decay=0.6),
    "lars": tf.contrib.opt.LARSOptimizer(0.5, momentum=0.8, skip_list=["table"]),
    "lazy": tf.contrib.opt.LazyAdamOptimizer(0.05),
    "momentum_w": tf.contrib.opt.MomentumWOptimizer(0.05, 0.1, 0.9, use_nesterov=True),
    "nadam": tf.contrib.opt.NadamOptimizer(0.05),
    "decayed": descent_with_decay(weight_decay=0.02, learning_rate=0.1),
}
steps, trained = [], {}
for name in sorted(optimizers):
    with tf.variable_scope(name):
        weights = tf.get_variable("weights", initializer=start)
        table = tf.get_variable("table", initializer=start)
    rows = table if name == "lars" else tf.nn.embedding_lookup(table, [1, 3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(inputs, weights) - 0.5))
    loss += tf.reduce_sum(tf.tanh(rows))
    pairs = optimizers[name].compute_gradients(loss, [weights, table])
    # Weights decayed while gradients were computed, as it happened.
    with tf.control_dependencies([tf.group(*[tf.identity(gradient) for gradient, _ in pairs])]):
        steps.append(optimizers[name].apply_gradients(pairs))
    trained[name + "_weights"] = weights
    trained[name + "_table"] = table
averages = [v for v in tf.global_variables() if v.op.name.endswith("/ExponentialMovingAverage")]
for variable in averages:
    trained[variable.op.name.replace("/", "_")] = variable
saver = optimizers["average"].swapping_saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(steps)
    result = session.run(trained)
result["variables"] = len(tf.global_variables())
