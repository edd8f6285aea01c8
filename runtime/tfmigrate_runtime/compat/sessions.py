"""Sessions of tf.compat.v1."""

# Its _extend_graph is the last chance to set the device of an op, and _do_call waits for the
# cluster. No public way.
from tensorflow.python.client.session import BaseSession as BaseSession
