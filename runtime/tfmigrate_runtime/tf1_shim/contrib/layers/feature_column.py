"""The columns of tf.contrib.layers, those classes included that had no public name."""

from tfmigrate_runtime.contrib.columns import (
    column_base,
    crossed_columns,
    embedding_columns,
    feature_inputs,
    real_valued_columns,
    sparse_columns,
)
from tfmigrate_runtime.tf1_shim.names_of import names_of

__getattr__, __all__ = names_of(
    __name__,
    crossed_columns,
    embedding_columns,
    real_valued_columns,
    sparse_columns,
    feature_inputs,
    column_base,
)
