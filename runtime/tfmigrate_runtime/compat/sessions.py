"""Sessions of tf.compat.v1."""

# Its _extend_graph is the last chance to set the device of an op, and _do_call waits for the
# cluster. No public way.
from tensorflow.python.client.session import BaseSession as BaseSession

# The module in which session managers look for the class of the sessions that they make. Their
# methods that make one do more, and a new session is made where one is lost.
from tensorflow.python.training import session_manager as session_manager

# The module in which supervisors look for the function that reads the step.
from tensorflow.python.training import training_util as training_util
