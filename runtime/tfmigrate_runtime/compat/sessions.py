"""Sessions of tf.compat.v1."""

# Its _extend_graph is the last moment at which an op can be placed. No public way.
from tensorflow.python.client.session import BaseSession as BaseSession
