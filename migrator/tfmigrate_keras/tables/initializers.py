"""Initializers, regularizers and activations, as values of arguments of layers."""

from tfmigrate_keras.tables.entry import Entry, entries, texts

INITIALIZERS: dict[str, Entry] = entries("initializers")
"""By the name of a function or class; a name alone, without a call, means one without arguments."""

REGULARIZERS = texts("regularizers")
"""Code, with a place for the argument, by the name of a function."""

ACTIVATIONS = texts("activations")
"""By the name of a function, Keras' name of it as an activation."""
