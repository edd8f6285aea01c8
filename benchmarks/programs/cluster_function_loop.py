"""A loop written by hand for workers in lock step: a tf.function under MultiWorkerMirroredStrategy.

Keras 3 cannot `fit` under this strategy. The flags are those of the originals; parameter servers
end at once.
"""

import argparse
import json
import os
import sys
import time

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--meeting_place")
parser.add_argument("--steps", type=int)
flags = parser.parse_args()

BATCH = 100
WARM_UP = 200


def dataset(tf):
    """Returns batches of this worker without end."""
    random = np.random.RandomState(flags.task_index)
    images = random.rand(50 * BATCH, 784).astype(np.float32)
    labels = np.eye(10, dtype=np.float32)[random.randint(0, 10, 50 * BATCH)]
    return tf.data.Dataset.from_tensor_slices((images, labels)).repeat().batch(BATCH).prefetch(8)


def main():
    workers = flags.worker_hosts.split(",")
    task = {"type": "worker", "index": flags.task_index}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
    import keras  # TensorFlow reads TF_CONFIG
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        model = keras.Sequential(
            [keras.Input((784,)), keras.layers.Dense(100, "relu"), keras.layers.Dense(10)]
        )
        optimizer = keras.optimizers.Adam(0.001)
        optimizer.build(model.trainable_variables)
    loss_of = keras.losses.CategoricalCrossentropy(from_logits=True, reduction="sum")

    def step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True)) / (BATCH * len(workers))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    @tf.function
    def train_step(iterator):
        losses = strategy.run(step, next(iterator))
        return strategy.reduce("SUM", losses, axis=None)

    iterator = iter(strategy.distribute_datasets_from_function(lambda context: dataset(tf)))
    for _ in range(WARM_UP):
        train_step(iterator)
    started = time.time()
    for _ in range(flags.steps):
        loss = train_step(iterator)
    float(loss)
    print(f"examples a second: {flags.steps * BATCH / (time.time() - started):.1f}", flush=True)


if __name__ == "__main__":
    if flags.job_name == "ps":
        sys.exit()
    main()
