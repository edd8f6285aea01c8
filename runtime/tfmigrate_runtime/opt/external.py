"""Optimizers of SciPy, such as L-BFGS-B.

The source of the meaning is contrib/opt/python/training/external_optimizer.py of TensorFlow 1.15.
"""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

Evaluated = Callable[[Any], list[Any]]
_GIVEN = ("jac", "callback", "constraints", "bounds")


class ExternalOptimizerInterface:
    """What evaluates a loss and its gradients for another library.

    Subclasses have ``_minimize``, which is called with the values of all variables and with
    functions of such, and returns the values that were found.
    """

    def __init__(
        self,
        loss: Any,
        var_list: Any = None,
        equalities: Any = None,
        inequalities: Any = None,
        var_to_bounds: Any = None,
        **optimizer_kwargs: Any,
    ) -> None:
        """Makes the operations.

        Args:
            loss: what is minimized, [].
            var_list: the variables, all that are trained by default.
            equalities: tensors that shall be 0.
            inequalities: tensors that shall not be negative.
            var_to_bounds: (lower, upper) by the variable.
            optimizer_kwargs: what the library is given.
        """
        self._loss = loss
        self._vars = tf.trainable_variables() if var_list is None else list(var_list)
        self._shapes = [tuple(variable.shape.as_list()) for variable in self._vars]
        self._equalities, self._inequalities = list(equalities or []), list(inequalities or [])
        self._bounds = None if var_to_bounds is None else self._packed_bounds(var_to_bounds)
        self._placeholders = [tf.placeholder(v.dtype.base_dtype, v.shape) for v in self._vars]
        self._updates = [
            variable.assign(placeholder)
            for variable, placeholder in zip(self._vars, self._placeholders, strict=True)
        ]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_vars = _flat(self._vars)
        self._loss_gradient = self._gradient(loss)
        self._equality_gradients = [self._gradient(part) for part in self._equalities]
        self._inequality_gradients = [self._gradient(part) for part in self._inequalities]
        self._ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])[:-1]

    def minimize(
        self,
        session: Any = None,
        feed_dict: Any = None,
        fetches: Any = None,
        step_callback: Callable[..., Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes the loss, and assigns what is found to the variables.

        Variables are assigned while it looks for it, too: only so all operations that depend on
        them see the values that are tried.

        Args:
            session: the session, that of the context by default.
            feed_dict: what it is fed with.
            fetches: what is fetched with every loss.
            step_callback: called with the values of every step.
            loss_callback: called with what was fetched.
            run_kwargs: what else session.run is given at the end.
        """
        session = session or tf.get_default_session()
        more = list(fetches or [])

        def assign(values: Any, **kwargs: Any) -> None:
            session.run(self._updates, feed_dict=self._fed(values), **kwargs)

        def evaluated(tensors: list[Any], callback: Any = None) -> Evaluated:
            def function(values: Any) -> list[Any]:
                assign(values)
                fetched = session.run(tensors + more, feed_dict=feed_dict)
                if callback is not None:
                    callback(*fetched[len(tensors) :])
                return list(fetched[: len(tensors)])

            return function

        def each(tensors: list[Any]) -> list[Evaluated]:
            return [evaluated([tensor]) for tensor in tensors]

        minimum = self._minimize(
            initial_val=session.run(self._packed_vars),
            loss_grad_func=evaluated([self._loss, self._loss_gradient], loss_callback),
            equality_funcs=each(self._equalities),
            equality_grad_funcs=each(self._equality_gradients),
            inequality_funcs=each(self._inequalities),
            inequality_grad_funcs=each(self._inequality_gradients),
            packed_bounds=self._bounds,
            step_callback=step_callback or (lambda values: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        assign(minimum, **run_kwargs)

    def _minimize(self, **problem: Any) -> Any:
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() "
            "method."
        )

    def _fed(self, values: Any) -> dict[Any, Any]:
        parts = zip(self._placeholders, np.split(values, self._ends), self._shapes, strict=True)
        return {placeholder: part.reshape(shape) for placeholder, part, shape in parts}

    def _gradient(self, tensor: Any) -> Any:
        pairs = zip(tf.gradients(tensor, self._vars), self._vars, strict=True)
        return _flat([tf.zeros_like(v) if grad is None else grad for grad, v in pairs])

    def _packed_bounds(self, bounds: Any) -> list[tuple[float, float]]:
        bounds_by_name = {variable.name: pair for variable, pair in bounds.items()}
        packed: list[tuple[float, float]] = []
        for variable, shape in zip(self._vars, self._shapes, strict=True):
            lower, upper = bounds_by_name.get(variable.name, (-np.inf, np.inf))
            both = np.broadcast_to(lower, shape).flat, np.broadcast_to(upper, shape).flat
            packed += zip(*both, strict=True)
        return packed


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Optimization by scipy.optimize.minimize, with L-BFGS-B unless ``method`` says another."""

    def _minimize(self, **problem: Any) -> Any:
        kwargs = dict(problem["optimizer_kwargs"])
        for name in _GIVEN:
            if name == "bounds" and name in kwargs:
                raise ValueError("Bounds must be set using the var_to_bounds argument")
            if name in kwargs:
                raise ValueError(
                    f"Optimizer keyword arg '{name}' is set automatically and cannot be injected "
                    "manually"
                )

        def loss_and_gradient(values: Any) -> tuple[Any, Any]:
            loss, gradient = problem["loss_grad_func"](values)
            return loss, gradient.astype("float64")

        constraints = [
            {"type": kind, "fun": _first(function), "jac": _first(gradient)}
            for kind, name in (("eq", "equality"), ("ineq", "inequality"))
            for function, gradient in zip(
                problem[f"{name}_funcs"], problem[f"{name}_grad_funcs"], strict=True
            )
        ]
        solution = importlib.import_module("scipy.optimize").minimize(
            loss_and_gradient,
            problem["initial_val"],
            method=kwargs.pop("method", "L-BFGS-B"),
            jac=True,
            callback=problem["step_callback"],
            constraints=constraints,
            bounds=problem["packed_bounds"],
            **kwargs,
        )
        tf.logging.info(
            "Optimization terminated with:\n  Message: %s\n  Objective function value: %f",
            solution.message,
            solution.fun,
        )
        return solution["x"]


def _first(function: Evaluated) -> Callable[[Any], Any]:
    """Returns a function of the only value, in the precision that SciPy computes with."""
    return lambda values: np.asarray(function(values)[0], np.float64)


def _flat(tensors: list[Any]) -> Any:
    return tf.concat([tf.reshape(tensor, [-1]) for tensor in tensors], 0)
