"""tf.contrib.training: train ops, a whole training, evaluations."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import training
from tfmigrate_runtime import training as evaluation

tf.disable_v2_behavior()


def model():
    inputs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    weights = tf.get_variable("weights", initializer=[[1.0], [2.0]])
    output = tf.matmul(inputs, weights)
    return output, tf.reduce_mean(tf.square(output - [[1.0], [0.0]]))


with tf.Graph().as_default():
    tf.train.get_or_create_global_step()
    _, loss = model()
    train_op = training.create_train_op(
        loss,
        tf.train.MomentumOptimizer(0.01, 0.9),
        transform_grads_fn=training.clip_gradient_norms_fn(5.0),
        summarize_gradients=True,
    )
    final = training.train(
        train_op,
        "logs",
        hooks=[tf.train.StopAtStepHook(num_steps=4)],
        save_summaries_steps=1,
        save_checkpoint_secs=600,
    )

with tf.Graph().as_default():
    tf.train.get_or_create_global_step()
    output, _ = model()
    mean, update = tf.metrics.mean(output)
    tf.summary.scalar("mean", mean)
    evaluated = training.evaluate_once(
        tf.train.latest_checkpoint("logs"),
        eval_ops=update,
        final_ops={"mean": mean, "output": output},
        hooks=[
            training.StopAfterNEvalsHook(2),
            training.SummaryAtEndHook("evaluation"),
        ],
    )
    times = 0
    for path in evaluation.checkpoints_iterator("logs", timeout=0):
        times += path.endswith("model.ckpt-4")

with tf.Graph().as_default(), tf.Session() as session:
    x = tf.Variable([3.0, 4.0])
    gradients = tf.train.GradientDescentOptimizer(1.0).compute_gradients(tf.reduce_sum(x * x))
    clipped = training.clip_gradient_norms(gradients, 1.0)
    doubled = training.multiply_gradients(gradients, {x: 2.0})
    session.run(tf.global_variables_initializer())
    result = {
        "final": final,
        "mean": evaluated["mean"],
        "output": evaluated["output"],
        "summaries": len(tf.gfile.Glob("evaluation/events*")),
        "found": training.wait_for_new_checkpoint("logs", timeout=1).split("/")[-1],
        "times": times,
        "clipped": session.run(clipped[0][0]),
        "doubled": session.run(doubled[0][0]),
    }
