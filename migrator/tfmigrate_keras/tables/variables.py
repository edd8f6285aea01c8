"""Variables that a program creates itself, and values that they start with."""

from tfmigrate_keras.tables.entry import Entry, entries

VARIABLE = "Variable"
"""The layer of ``data/written_out`` that holds one variable."""

VARIABLES: dict[str, Entry] = entries("variables")
"""By the name of the function."""

STARTS: dict[str, Entry] = entries("values that variables start with")
"""By the name of a function that makes what a ``tf.Variable`` starts with: an initializer."""
