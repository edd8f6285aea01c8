"""Keras fit: python keras_fit.py STEPS_PER_EXECUTION."""

import sys

import keras
from keras_networks import make_model
from on_devices import dataset, make_strategy, split_the_cpu
from rows import STEPS, WARM_UP, Clock


def main():
    split_the_cpu()
    with make_strategy().scope():
        model = make_model()
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.01), loss, steps_per_execution=int(sys.argv[1]))
    data = dataset()
    model.fit(data, epochs=1, steps_per_epoch=WARM_UP, verbose=0)
    clock = Clock()
    clock.start()
    model.fit(data, epochs=1, steps_per_epoch=STEPS, verbose=0)
    clock.print_rate()


if __name__ == "__main__":
    main()
