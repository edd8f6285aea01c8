"""tf.contrib.seq2seq."""

from tfmigrate_runtime import seq2seq
from tfmigrate_runtime.tf1_shim.names_of import names_of

__getattr__, __all__ = names_of(__name__, seq2seq)
