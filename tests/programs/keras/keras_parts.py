"""The layers of standalone.py: a file that names Keras and not TensorFlow."""

from keras.initializers import Constant
from keras.layers import GRU, Input
from keras.layers.core import Dense


def build():
    inputs = Input((5, 3))
    hidden = GRU(6, kernel_initializer="ones", recurrent_initializer=Constant(0.1))(inputs)
    return inputs, Dense(1, kernel_initializer="ones")(hidden)
