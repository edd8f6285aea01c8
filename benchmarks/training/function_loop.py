"""A training loop written by hand: a tf.function of one step under strategy.run."""

import keras
import tensorflow as tf
from keras_networks import make_model
from on_devices import dataset, make_strategy, split_the_cpu
from rows import BATCH, STEPS, WARM_UP, Clock


def main():
    split_the_cpu()
    strategy = make_strategy()
    with strategy.scope():
        model = make_model()
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="sum")
        optimizer = keras.optimizers.Adam(0.01)
        optimizer.build(model.trainable_variables)

    def step(features, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(features, training=True)) / BATCH
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    @tf.function
    def train_step(iterator):
        losses = strategy.run(step, next(iterator))
        return strategy.reduce("SUM", losses, axis=None)

    iterator = iter(strategy.experimental_distribute_dataset(dataset()))
    for _ in range(WARM_UP):
        train_step(iterator)
    clock = Clock()
    clock.start()
    for _ in range(STEPS):
        loss = train_step(iterator)
    float(loss)
    clock.print_rate()


if __name__ == "__main__":
    main()
