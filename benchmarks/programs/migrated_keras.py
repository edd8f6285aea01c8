"""What `tfmigrate --target keras` makes of without_hook.py."""

import os
import sys
import tempfile

import keras
import tensorflow as tf
from benchmark_data import BATCH, CLASSES, Clock, rows

MODEL, STEPS = sys.argv[1], int(sys.argv[2])
KIND = sys.argv[3] if len(sys.argv) > 3 else "CPU"  # of the devices
DEVICES = int(sys.argv[4]) if len(sys.argv) > 4 else 2
WARM_UP = 100


class BatchNormalization(keras.layers.BatchNormalization):
    """Batch normalization with the moving statistics of TensorFlow 1.x.

    Each replica moves the averages, of images by the unbiased variance of its part of the batch.
    """

    def call(self, inputs, training=None, mask=None):
        if not training:
            return super().call(inputs, training=False)
        mean, variance = self._moments(inputs, mask)
        replica = tf.distribute.get_replica_context()
        moved = variance
        if len(inputs.shape) == 4:
            size = tf.cast(tf.size(inputs) / tf.size(mean), variance.dtype)
            moved = variance * size / (size - 1)
        statistics = replica.all_reduce("MEAN", [mean, moved])
        momentum = self.momentum ** replica.num_replicas_in_sync
        for average, value in zip([self.moving_mean, self.moving_variance], statistics):
            average.assign(average * momentum + value * (1 - momentum))
        return keras.ops.batch_normalization(
                inputs, mean, variance, self.axis, self.beta, self.gamma, self.epsilon)


def inputs_of(dataset):
    """Returns a keras.Input for each feature of a dataset of (features, labels)."""
    features, _ = dataset.element_spec
    if isinstance(features, dict):
        return {name: keras.Input(spec.shape[1:], dtype=spec.dtype.name, name=name)
                for name, spec in features.items()}
    return keras.tree.map_structure(
            lambda spec: keras.Input(spec.shape[1:], dtype=spec.dtype.name), features)


def steps_of(model):
    """Returns the number of steps that a model was trained for."""
    return int(keras.ops.convert_to_numpy(model.optimizer.iterations))


def checkpoint_of(model_dir):
    """Returns the file of the last checkpoint: weights, slots and steps."""
    return os.path.join(model_dir, "model.weights.h5")


def save_weights(model, model_dir):
    """Saves a model; a program that is killed leaves a whole checkpoint."""
    part = os.path.join(model_dir, "part.weights.h5")
    os.makedirs(model_dir, exist_ok=True)
    model.save_weights(part)
    os.replace(part, checkpoint_of(model_dir))


def restore_weights(model, model_dir):
    """Loads the last checkpoint of a model, if model_dir has one."""
    if model_dir and os.path.exists(checkpoint_of(model_dir)):
        model.load_weights(checkpoint_of(model_dir))
    elif model_dir and tf.train.latest_checkpoint(model_dir):
        raise ValueError(f"{model_dir} is of TensorFlow 1.x: run `checkpoint convert`")


class SaveCheckpoints(keras.callbacks.Callback):
    """Saves a model in training every save_steps steps, or else every ten minutes."""

    def __init__(self, model_dir, save_steps=None):
        super().__init__()
        self.model_dir, self.save_steps = model_dir, save_steps
        self.saved_at = float(tf.timestamp())

    def on_train_batch_end(self, batch, logs=None):
        now = float(tf.timestamp())
        late = now - self.saved_at >= 600
        if (batch + 1) % self.save_steps == 0 if self.save_steps else late:
            save_weights(self.model, self.model_dir)
            self.saved_at = now


def write_scalars(writer, scalars, step):
    """Writes numbers as tf.summary.scalar does, which needs tensorboard."""
    with writer.as_default(step):
        for tag, value in scalars.items():
            tf.summary.write(tag, float(value), metadata=bytes([10, 9, 10, 7]) + b"scalars")
    writer.flush()


class WriteSummaries(keras.callbacks.Callback):
    """Writes the speed, and means of the loss and of metrics, of every 100 steps."""

    def on_train_begin(self, logs=None):
        self.start, self.steps, self.written_at = steps_of(self.model), 0, float(tf.timestamp())
        self.writer = tf.summary.create_file_writer(self.model.model_dir)

    def on_train_batch_end(self, batch, logs=None):
        steps, now = batch + 1 - self.steps, float(tf.timestamp())
        if self.steps and steps < 100:
            return
        rate = keras.ops.convert_to_numpy(self.model.optimizer.learning_rate)
        values = {**logs, "learning_rate": rate}
        tags = getattr(self.model, "summaries", {"loss": "loss"})
        scalars = {tag: values[name] for tag, name in tags.items()}
        if self.steps:
            scalars["global_step/sec"] = steps / (now - self.written_at)
        write_scalars(self.writer, scalars, self.start + batch + 1)
        self.model.reset_metrics()
        self.steps, self.written_at = batch + 1, now


def train_model(
        model, dataset, model_dir=None, steps=None, max_steps=None, save_steps=None,
        callbacks=()):
    """Trains a model from its last checkpoint in model_dir, and saves it there.

    Makes `steps` steps, or as many as are missing to `max_steps`, or those of one pass.
    """
    restore_weights(model, model_dir)
    if save_steps:  # Keras calls back between executions
        divisors = [n for n in range(1, model.steps_per_execution + 1) if save_steps % n == 0]
        model.steps_per_execution = max(divisors)
    if model_dir:
        model.model_dir = model_dir
        callbacks = [*callbacks, WriteSummaries(), SaveCheckpoints(model_dir, save_steps)]
    if max_steps is not None:
        steps = max_steps - steps_of(model)
    if steps is None or steps > 0:
        model.fit(dataset if steps is None else dataset.take(steps), callbacks=list(callbacks))
    if model_dir:
        save_weights(model, model_dir)


def network(features):
    if MODEL == "dense":
        net = keras.layers.Dense(64, activation="relu")(features)
    else:
        net = keras.layers.Conv2D(8, 3, padding="same", use_bias=False)(features)
        net = BatchNormalization(momentum=0.9)(net)
        net = keras.layers.Flatten()(keras.layers.MaxPooling2D(2, strides=2)(keras.ops.relu(net)))
    return keras.layers.Dense(CLASSES)(net)


def model_fn(features):
    logits = network(features)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(
        0.01, beta_2=0.999000013, epsilon=1e-8)
    model = keras.Model(features, logits)
    model.compile(optimizer=optimizer, loss=loss, steps_per_execution=20)
    model.optimizer.build(model.trainable_variables)  # for checkpoints
    return model


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(rows(MODEL))
    return data.repeat().batch(BATCH, drop_remainder=True).prefetch(8)


def main():
    devices = ["/device:%s:%d" % (KIND, index) for index in range(DEVICES)]
    strategy = tf.distribute.MirroredStrategy(
        devices, cross_device_ops=tf.distribute.ReductionToOneDevice())
    model_dir = tempfile.mkdtemp()
    with strategy.scope():
        classifier = model_fn(inputs_of(input_fn()))
    train_model(classifier, input_fn(), model_dir, steps=WARM_UP)
    clock = Clock()
    clock.start()
    train_model(classifier, input_fn(), model_dir, steps=STEPS)
    clock.print_rate(STEPS)


if __name__ == "__main__":
    main()
