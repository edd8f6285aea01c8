"""tf.contrib.tpu's Estimator without TPUs: batch sizes, metrics, host calls, exports."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import tpu as tpu_config, tpu as tpu_estimator

tf.disable_eager_execution()

USE_TPU = False
sizes = []


def metric_fn(labels, outputs):
    return {"mae": tf.metrics.mean_absolute_error(labels, outputs)}


def model_fn(features, labels, mode, params):
    sizes.append((mode, params.get("batch_size", 0), params["use_tpu"], params["rate"]))
    with tf.tpu.bfloat16_scope():
        w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    outputs = tf.matmul(features["x"], w)
    if mode == estimator.ModeKeys.PREDICT:
        export = {"serving_default": estimator.export.PredictOutput({"y": outputs})}
        return estimator.tpu.TPUEstimatorSpec(
            mode, predictions={"y": outputs}, export_outputs=export
        )
    loss = tf.losses.mean_squared_error(labels, outputs)
    optimizer = tf.train.MomentumOptimizer(params["rate"], 0.9)
    if USE_TPU:
        optimizer = tf.tpu.CrossShardOptimizer(optimizer)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())

    def host_call(losses):
        seen = tf.get_variable("seen", [], initializer=tf.zeros_initializer(), trainable=False)
        return [tf.assign_add(seen, tf.reduce_sum(losses))]

    return estimator.tpu.TPUEstimatorSpec(
        mode=mode,
        loss=loss,
        train_op=train_op,
        eval_metrics=(metric_fn, [labels, outputs]),
        host_call=(host_call, [tf.ones([1])]) if mode == estimator.ModeKeys.TRAIN else None,
        scaffold_fn=tf.train.Scaffold,
    )


def input_fn(params):
    size = params["batch_size"]
    x = tf.reshape(tf.range(24.0) / 10.0, [12, 2])
    examples = tf.data.Dataset.from_tensor_slices(({"x": x}, tf.reshape(tf.range(12.0), [12, 1])))
    return examples.repeat().batch(size, drop_remainder=True)


def few(params):
    return input_fn(params).take(1)


config = tpu_config.RunConfig(
    model_dir="model",
    tf_random_seed=1,
    save_checkpoints_steps=4,
    master="",
    tpu_config=estimator.tpu.TPUConfig(
        iterations_per_loop=2,
        num_shards=8,
        per_host_input_for_training=estimator.tpu.InputPipelineConfig.PER_HOST_V2,
    ),
)
model = tpu_estimator.TPUEstimator(
    use_tpu=USE_TPU,
    model_fn=model_fn,
    config=config,
    params={"rate": 0.05},
    train_batch_size=4,
    eval_batch_size=3,
    predict_batch_size=2,
    export_to_tpu=False,
)
model.train(input_fn=input_fn, max_steps=7)
found = model.evaluate(input_fn=input_fn, steps=3)
predictions = [p["y"] for p in model.predict(input_fn=few)]


def receiver():
    x = tf.placeholder(tf.float32, [None, 2])
    return estimator.export.ServingInputReceiver({"x": x}, {"x": x})


exported = model.export_savedmodel("exported", receiver)
result = {"evaluated " + name: value for name, value in found.items()}
result["weights"] = model.get_variable_value("w")
result["host calls"] = model.get_variable_value("seen")
result["predictions"] = predictions
result["calls"] = [str(size) for size in sizes]
result["exported"] = len(tf.gfile.ListDirectory(exported)) > 0
result["config"] = [config.tpu_config.iterations_per_loop, config.tpu_config.num_shards]
config = config.replace(tpu_config=estimator.tpu.TPUConfig("30s"), save_summary_steps=5)
result["replaced"] = [str(config.tpu_config.iterations_per_loop), str(config.save_summary_steps)]
result["of a bool"] = estimator.tpu.TPUConfig(
    per_host_input_for_training=False
).per_host_input_for_training
