"""Calls of the recorder in functions of eager programs: ``tf.function``, and ``defun`` before it.

Functions stay graphs. Running their Python at each call would be simpler, and hide faults: what a
program counts in Python while a function is traced (a rate that an attribute decays) is a constant
of its graph.

Private names of TensorFlow that are touched, and why no public one does:

==================================================== =============================================
name (module tensorflow.python...)                   what for
==================================================== =============================================
eager.def_function, eager.polymorphic_function.      variables that functions create, once they
polymorphic_function.UnliftedInitializerVariable,    have their values
Function._initialize_uninitialized_variables
ops.script_ops.py_func                               takes handles of variables, which order it
==================================================== =============================================
"""

from typing import Any, Callable, List, Sequence

from ..program import wrapping


def are_eager_outside() -> bool:
    """Returns whether the program executes eagerly, outside of the function being built if any."""
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops

    with ops.init_scope():
        return bool(context.executing_eagerly())


def can_call() -> bool:
    """Returns whether functions can call the recorder: before 1.15 the handles end the process."""
    import tensorflow as tf

    return tuple(int(part) for part in tf.__version__.split(".")[:2]) >= (1, 15)


def call_when_run(
    function: Callable[..., None],
    tensors: Sequence[Any],
    handles: Sequence[Any] = (),
    after: Sequence[Any] = (),
) -> Any:
    """Adds an operation to the function being built, and returns it.

    Args:
        function: is called with the values of the tensors whenever the graph runs.
        tensors: of the graph.
        handles: of variables; what the function reads or writes of them later waits for the call.
        after: operations of the graph that run before it.
    """
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import script_ops

    def call(*values: Any) -> None:
        function(*values[: len(tensors)])

    with ops.control_dependencies(after), ops.device("/CPU:0"):
        return script_ops.py_func(call, [*tensors, *handles], [])


def on_creation(act: Callable[[Any], None], is_hidden: Callable[[], bool]) -> None:
    """Acts on each variable that a function creates, once it has its initial value.

    Args:
        act: is given the variable.
        is_hidden: whether what is created now is not acted on.
    """
    try:
        from tensorflow.python.eager.polymorphic_function import polymorphic_function as module
    except ImportError:
        from tensorflow.python.eager import def_function as module
    created: List[Any] = []
    kind: Any = module.UnliftedInitializerVariable
    function: Any = getattr(module, "Function", None)
    if not hasattr(function, "_initialize_uninitialized_variables"):
        return  # 1.12 has defun alone, whose variables are created outside of it

    def create(this: Any) -> None:
        if not is_hidden():
            created.append(this)

    def act_on_all(*_arguments: Any, **_options: Any) -> None:
        while created:
            act(created.pop(0))

    wrapping.on_creation(kind, create)
    wrapping.after(function, "_initialize_uninitialized_variables", act_on_all)
