"""The same networks written for Keras 3, as somebody would who does not migrate."""

import keras
from keras import layers
from rows import CLASSES, MODEL, SHAPES, WIDTH, WORDS


def dense(features):
    return layers.Dense(WIDTH, activation="relu")(features)


def conv(features):
    net = layers.Conv2D(8, 3, padding="same", use_bias=False)(features)
    net = layers.ReLU()(layers.BatchNormalization(momentum=0.9)(net))
    return layers.Flatten()(layers.MaxPooling2D(2, 2)(net))


def embedding(features):
    return layers.GlobalAveragePooling1D()(layers.Embedding(WORDS, 32)(features))


def recurrent(features):
    return layers.LSTM(32)(features)


def block(net, filters, strides):
    shortcut = net
    if strides == 2:
        shortcut = layers.Conv2D(filters, 1, strides=strides, use_bias=False)(net)
    net = layers.Conv2D(filters, 3, strides=strides, padding="same", use_bias=False)(net)
    net = layers.ReLU()(layers.BatchNormalization(momentum=0.9)(net))
    net = layers.Conv2D(filters, 3, padding="same", use_bias=False)(net)
    net = layers.BatchNormalization(momentum=0.9)(net)
    return layers.ReLU()(layers.Add()([net, shortcut]))


def resnet(features):
    net = layers.Conv2D(16, 3, padding="same", use_bias=False)(features)
    net = layers.ReLU()(layers.BatchNormalization(momentum=0.9)(net))
    for filters in (16, 32, 64):
        net = block(net, filters, 1 if filters == 16 else 2)
        net = block(block(net, filters, 1), filters, 1)
    return layers.GlobalAveragePooling2D()(net)


def make_model():
    """Returns the functional model that BENCHMARK_MODEL names."""
    features = keras.Input(SHAPES[MODEL], dtype="int64" if MODEL == "embedding" else "float32")
    net = {
        "dense": dense,
        "conv": conv,
        "embedding": embedding,
        "recurrent": recurrent,
        "resnet": resnet,
    }[MODEL](features)
    return keras.Model(features, layers.Dense(CLASSES)(net))
