"""Functions of TensorFlow 2, as the recorder needs them: without XLA, calling Python.

Private names of TensorFlow that are touched, and why no public one does:

======================================================== =====================================
name (module tensorflow.python...)                       what for
======================================================== =====================================
eager.polymorphic_function.polymorphic_function.Function ``jit_compile``; when variables are
                                                         initialised that it makes
framework.func_graph.FuncGraph._watched_variables        what a function reads that is being built
autograph.core.config.CONVERSION_RULES                   a decorator would reach one function, and
                                                         not what that calls
======================================================== =====================================
"""

from typing import Any, Callable, List, Sequence, Set

import numpy as np

from ..program import wrapping
from .created_variables import tensorflow_variable

here: List[str] = []  # the devices of this process, where others of a cluster run functions


def change_functions(note_xla: Callable[[], None]) -> None:
    """Disables XLA, and initializes variables that functions create before these are run.

    Args:
        note_xla: called where a function requests XLA.
    """
    from tensorflow.python.eager.polymorphic_function import polymorphic_function

    kind = polymorphic_function.Function

    def initialize(original: Any, this: Any, *arguments: Any, **options: Any) -> None:
        if options.get("jit_compile"):
            options["jit_compile"] = None
            note_xla()
        original(this, *arguments, **options)

    wrapping.wrap(kind, "__init__", initialize)
    wrapping.wrap(kind, "_initialize_uninitialized_variables", _first_copies_first)


def keep_from_autograph() -> None:
    """Has AutoGraph leave the recorder as it is, as it leaves Keras.

    It would convert whatever a training step calls: half the processor time of a loop of 25 steps.
    The program's own functions are converted as ever, also where the recorder calls them.
    """
    from tensorflow.python.autograph.core import config

    package = __name__.rpartition(".recorder.")[0]
    if hasattr(config, "CONVERSION_RULES"):
        config.CONVERSION_RULES = (config.DoNotConvert(package),) + config.CONVERSION_RULES
    else:  # before 1.15
        config.DEFAULT_UNCOMPILED_MODULES.add((package,))


def _first_copies_first(original: Any, this: Any, initializers: Any) -> Any:
    """Initializes variables that a function creates, copies on other replicas from the first.

    TensorFlow would initialise these in the first run of the function.
    """
    from tensorflow.python.ops import op_selector

    try:
        return original(this, initializers)
    except op_selector.UnliftableError:
        firsts = {id(v): _first_copy(v) for v, _ in initializers}
        own = [pair for pair in initializers if firsts[id(pair[0])] is pair[0]]
        if len(own) == len(initializers):
            raise
        original(this, own)
        for variable, _ in initializers:
            if firsts[id(variable)] is not variable:
                variable.assign(firsts[id(variable)].read_value())
    return None


def _first_copy(variable: Any) -> Any:
    copies = getattr(tensorflow_variable(variable), "values", None)
    return copies[0] if isinstance(copies, tuple) else variable


def used_variables() -> Set[int]:
    """Returns the ids of the variables that the function being built reads."""
    from tensorflow.python.framework import ops

    # Its public property is empty until it is built.
    watched = getattr(ops.get_default_graph(), "_watched_variables", ())
    return {id(tensorflow_variable(variable)) for variable in watched}


def in_session_graph() -> bool:
    """Whether ops are being made for a session, which the recorder follows by itself."""
    from tensorflow.python.framework import ops

    return not ops.executing_eagerly_outside_functions()


def graphs_around(graph: Any) -> List[Any]:
    """Returns a graph and those of the functions around it, the default graph of all last."""
    graphs = []
    while graph is not None:
        graphs.append(graph)
        graph = getattr(graph, "outer_graph", None)
    return graphs


def across_replicas(function: Callable[[Any], None]) -> None:
    """Calls a function with the strategy: once for all replicas, also where one of them runs."""
    import tensorflow as tf

    context = tf.distribute.get_replica_context()
    if context is None:
        function(tf.distribute.get_strategy())
    else:
        context.merge_call(function)


def assigned_by_python(
    function: Callable[..., List[Any]],
    tensors: Sequence[Any],
    copies: Sequence[Any],
    after: Sequence[Any] = (),
) -> None:
    """Gives variables what a function returns: now, or whenever the graph is run.

    Args:
        function: returns a value for each of the copies.
        tensors: what it is given the values of.
        copies: of variables on the replicas.
        after: what ``to_python`` returned of calls that come before.
    """
    import tensorflow as tf

    if tf.executing_eagerly():
        for copy, value in zip(copies, function(*[tensor.numpy() for tensor in tensors])):
            copy.assign(value)
        return
    kinds = [copy.dtype.base_dtype for copy in copies]
    for copy, value in zip(copies, _called(function, tensors, after, kinds)):
        value.set_shape(copy.shape)
        with tf.device(copy.device):
            copy.assign(value)


def to_python(
    function: Callable[..., Any], tensors: Sequence[Any], after: Sequence[Any] = ()
) -> Any:
    """Calls a function with the values of tensors: now, or whenever the graph is run.

    Args:
        function: what is called.
        tensors: what it is given the values of.
        after: what this returned of calls that come before.

    Returns:
        A tensor that is there once it has been called; None where that was now.
    """
    import tensorflow as tf

    if tf.executing_eagerly():
        function(*[tensor.numpy() for tensor in tensors])
        return None

    def call(*values: Any) -> Any:
        function(*values)
        return np.int32(0)

    (called,) = _called(call, tensors, after, [tf.int32])
    return called


def _called(
    function: Callable[..., Any], tensors: Sequence[Any], after: Sequence[Any], kinds: Sequence[Any]
) -> List[Any]:
    """Returns what a function gives in a graph.

    It waits for what comes before: TensorFlow keeps the order of calls in one graph, but computes
    the branch of a ``cond`` (in which Keras' LossScaleOptimizer makes its step) when it has its
    inputs.
    """
    import tensorflow as tf

    # What is computed in other functions is passed to none.
    reachable = graphs_around(tf.compat.v1.get_default_graph())
    before = [each for each in after if any(each.graph is graph for graph in reachable)]
    count = len(tensors)

    def call(*values: Any) -> Any:
        return function(*values[:count])

    with tf.device("".join(here) + "/device:CPU:0"):
        results: List[Any] = tf.numpy_function(call, [*tensors, *before], kinds)
    return results
