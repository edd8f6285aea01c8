"""The fixture replicate_model_fn/embedding_adagrad in Keras 3: two replicas, fit, evaluate."""

import argparse

import keras
import numpy as np
import tensorflow as tf

VOCABULARY, LENGTH, BATCH = 30, 6, 64


def reviews(count, seed):
    rng = np.random.RandomState(seed)
    words = np.minimum(rng.geometric(0.12, size=(count, LENGTH)), VOCABULARY - 1)
    lengths = rng.randint(2, LENGTH + 1, size=(count, 1))
    words = np.where(np.arange(LENGTH) < lengths, words, 0)
    sentiment = np.where(words % 3 == 1, 1, 0) - np.where(words % 4 == 2, 1, 0)
    labels = (sentiment.sum(axis=1) > 0).astype(np.float32).reshape([-1, 1])
    return tf.data.Dataset.from_tensor_slices(({"words": words.astype(np.int64)}, labels))


class Adagrad(keras.optimizers.Adagrad):
    """Adds up the gradients of a row before they are squared, as TensorFlow 1.x does."""

    def apply(self, grads, trainable_variables=None):
        super().apply([tf.convert_to_tensor(one) for one in grads], trainable_variables)


def compiled():
    words = keras.Input([LENGTH], dtype="int64", name="words")
    uniform = keras.initializers.RandomUniform(-0.1, 0.1)
    vectors = keras.layers.Embedding(
        VOCABULARY, 4, embeddings_initializer=uniform, name="embeddings"
    )(words)
    mask = keras.ops.expand_dims(keras.ops.cast(keras.ops.not_equal(words, 0), "float32"), axis=2)
    bag = keras.ops.sum(vectors * mask, axis=1) / keras.ops.sum(mask, axis=1)
    hidden = keras.layers.Dense(8, activation="relu", name="hidden")(bag)
    model = keras.Model({"words": words}, keras.layers.Dense(1, name="logits")(hidden))
    model.compile(
        optimizer=Adagrad(0.15, initial_accumulator_value=0.1, epsilon=0.0),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[
            keras.metrics.BinaryAccuracy("accuracy", threshold=0.0),
            keras.metrics.AUC(from_logits=True, name="auc"),
        ],
        steps_per_execution=20,
    )
    return model


parser = argparse.ArgumentParser()
parser.add_argument("--model_dir")
parser.add_argument("--train_steps", type=int)
options = parser.parse_args()
strategy = tf.distribute.MirroredStrategy(
    ["CPU:0", "CPU:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
)
with strategy.scope():
    model = compiled()
    model.optimizer.build(model.trainable_variables)
training = reviews(1280, 21).repeat().batch(BATCH)
model.fit(training, steps_per_epoch=options.train_steps, verbose=0)
model.evaluate(reviews(512, 22).batch(BATCH), verbose=0)
