"""slim.learning.train, and an evaluation of its checkpoint."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import slim
from tfmigrate_runtime.slim.learning import train_step

tf.disable_v2_behavior()


def model():
    inputs = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    labels = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    with slim.arg_scope(
        [slim.fully_connected],
        weights_initializer=tf.constant_initializer(0.1),
        weights_regularizer=slim.l2_regularizer(0.01),
    ):
        net = slim.stack(inputs, slim.fully_connected, [4, 3], scope="fc")
        logits = slim.fully_connected(net, 2, activation_fn=None, scope="logits")
    return logits, labels


def counted(session, *arguments, **keywords):
    return train_step(session, *arguments, **keywords)


with tf.Graph().as_default():
    logits, labels = model()
    slim.losses.softmax_cross_entropy(logits, labels)
    total = slim.losses.get_total_loss()
    train_op = slim.learning.create_train_op(
        total, tf.train.GradientDescentOptimizer(0.1), clip_gradient_norm=4
    )
    last = slim.learning.train(
        train_op,
        "logs",
        train_step_fn=counted,
        number_of_steps=5,
        log_every_n_steps=1,
        save_summaries_secs=600,
        save_interval_secs=0,  # that thread saves at the start: its checkpoint may be the later one
    )

with tf.Graph().as_default():
    logits, labels = model()
    predicted = tf.argmax(logits, 1)
    values, updates = slim.metrics.aggregate_metric_map(
        {
            "accuracy": slim.metrics.streaming_accuracy(predicted, tf.argmax(labels, 1)),
            "error": slim.metrics.streaming_mean_squared_error(logits, labels),
        }
    )
    slim.get_or_create_global_step()
    evaluated = slim.evaluation.evaluate_once(
        "",
        tf.train.latest_checkpoint("logs"),
        "evaluation",
        num_evals=1,
        eval_op=list(updates.values()),
        final_op=[values["accuracy"], values["error"]],
    )
    parameters, _ = slim.model_analyzer.analyze_vars(slim.get_model_variables())

with tf.Graph().as_default(), tf.Session() as session:
    penalty = session.run(slim.l2_regularizer(2.0)(tf.constant([3.0])))

result = {
    "penalty": penalty,
    "last": last,
    "accuracy": evaluated[0],
    "squared": evaluated[1],
    "checkpoint": tf.train.latest_checkpoint("logs").split("/")[-1],
    "parameters": parameters,
}
