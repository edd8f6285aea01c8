"""tf.contrib.lookup."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.lookup"
# Each was the class that is in tf.lookup (contrib/lookup/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    "KeyValueTensorInitializer": Equivalent("lookup.KeyValueTensorInitializer"),
    "MutableDenseHashTable": Equivalent("lookup.experimental.DenseHashTable"),
    "MutableHashTable": Equivalent("lookup.experimental.MutableHashTable"),
    "TextFileIndex": Equivalent("lookup.TextFileIndex"),
    "TextFileInitializer": Equivalent("lookup.TextFileInitializer"),
}
MISSING: Mapping[str, Missing] = {}
