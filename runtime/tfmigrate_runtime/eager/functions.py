"""tf.contrib.eager.defun."""

import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tfmigrate_runtime.compat import eager


class _Function:
    """A function that is traced to a graph for each signature that it is called with.

    Unlike that of tf.function, a trace creates variables as eager code does, each trace its own.
    """

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Sequence[Any] | None,
        autograph: bool,
        autograph_options: Any,
        relax_shapes: bool,
    ) -> None:
        self.python_function = python_function
        traced = python_function
        if autograph:
            traced = eager.py_func_from_autograph(python_function, autograph_options)
        function_type, default_values = eager.make_function_type(python_function, input_signature)
        self._options = eager.TracingOptions(
            traced,
            getattr(python_function, "__name__", "function"),
            polymorphic_type=function_type,
            default_values=default_values,
            autograph=autograph,
            autograph_options=autograph_options,
            reduce_retracing=relax_shapes,
            function_cache=eager.FunctionCache(),
            lock=threading.RLock(),
        )
        functools.update_wrapper(self, python_function)
        # Keras reads the arguments of `call`, as `training`, from this.
        self.__signature__ = inspect.signature(python_function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        options = self._options
        bound = eager.canonicalize_function_inputs(
            args, kwargs, options.polymorphic_type, options.default_values
        )
        return eager.call_function(bound.args, bound.kwargs, options)

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else _Method(self, instance)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the trace for some arguments or their specifications."""
        return eager.trace_function(args, kwargs, self._options)


class _Method:
    """Such a function as a method of one object."""

    def __init__(self, function: _Function, instance: Any) -> None:
        functools.update_wrapper(self, function.python_function)
        self._function, self._instance = function, instance
        self.__signature__ = inspect.signature(function.python_function.__get__(instance))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(self._instance, *args, **kwargs)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the trace for some arguments or their specifications."""
        return self._function.get_concrete_function(self._instance, *args, **kwargs)


def defun(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """Makes a graph of a function, for each signature that it is called with.

    tf.function creates variables in its first trace only, and computes their first values there;
    these functions create them as eager code does, in every trace.

    Args:
        func: the function; without one, what is returned is a decorator.
        input_signature: the specifications of its arguments, if it is to be traced once.
        autograph: whether its Python control flow on tensors becomes that of a graph.
        experimental_autograph_options: features of AutoGraph.
        experimental_relax_shapes: whether later traces are for more shapes than they are called
            with.
    """

    def decorated(function: Callable[..., Any]) -> _Function:
        return _Function(
            function,
            input_signature,
            autograph,
            experimental_autograph_options,
            experimental_relax_shapes,
        )

    return decorated if func is None else decorated(func)
