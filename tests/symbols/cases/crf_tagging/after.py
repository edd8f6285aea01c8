"""A conditional random field: likelihood, its gradients, and the best tags."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import crf
from tfmigrate_runtime.crf import crf_log_likelihood, viterbi_decode

tf.disable_v2_behavior()

random = np.random.RandomState(11)
scores = random.normal(size=[4, 5, 3]).astype(np.float32)
inputs = tf.constant(scores)
tags = tf.constant(random.randint(0, 3, size=[4, 5]))
lengths = tf.constant([5, 3, 1, 0])
transitions = random.normal(size=[3, 3]).astype(np.float32)
with tf.variable_scope("crf", initializer=tf.constant_initializer(transitions)):
    likelihood, parameters = crf_log_likelihood(inputs, tags, lengths)
best, best_scores = crf.crf_decode(inputs, parameters, lengths)
single, single_scores = crf.crf_decode(inputs[:, :1], parameters, tf.ones([4], tf.int32))
found = {
    "likelihood": likelihood,
    "norm": crf.crf_log_norm(inputs, lengths, parameters),
    "gradient": tf.gradients(likelihood, parameters)[0],
    "of_inputs": tf.gradients(likelihood, inputs)[0],
    "best": best,
    "best_scores": best_scores,
    "single": single,
    "single_scores": single_scores,
    "several": crf.crf_multitag_sequence_score(
        inputs, inputs > -0.5, tf.constant([5, 3, 2, 4]), parameters
    ),
}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    result = session.run(found)
    result["variable"] = len([v for v in tf.global_variables() if v.op.name == "crf/transitions"])
path, score = viterbi_decode(scores[0], transitions)
result["path"] = [int(tag) for tag in path]
result["score"] = score
