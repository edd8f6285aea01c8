"""Functions and classes of tf.layers and tf.contrib.layers that become layers of Keras."""

from tfmigrate_keras.tables.entry import Entry, entries

FUNCTIONS: dict[str, Entry] = entries("layers")
"""By the name of a function whose first argument is the layer's input."""

CLASSES: dict[str, Entry] = entries("classes of layers")
"""By the name of a class; of the others, the mode is an argument of each call."""

FUNCTION_OF_DROPOUT = "tensorflow.nn.dropout"
NN_DROPOUT = entries("dropout")[FUNCTION_OF_DROPOUT]
"""It drops in all modes: for what is dropped in training alone (dropouts.py)."""

CELLS: dict[str, Entry] = entries("cells")
"""Cells of tf.nn.rnn_cell, by the name of the class."""

UNNAMED = ("Flatten", "MaxPooling", "AveragePooling", "Dropout")
"""What begins the name of a class without variables: its layers need no name of their own."""
