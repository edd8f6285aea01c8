"""Classes of feature columns."""

# Columns of tf.contrib.layers are used in tf.feature_column functions. No public way.
from tensorflow.python.feature_column.feature_column import _CategoricalColumn as _CategoricalColumn

# As above.
from tensorflow.python.feature_column.feature_column import _DenseColumn as _DenseColumn
