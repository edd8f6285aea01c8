"""tf.contrib.eager.metrics: sums in float64, which are read when an evaluation ends.

Those of tf.keras.metrics sum in float32 by default, and their calls return the result so far.
What these compute is read from contrib/eager/python/metrics_impl.py of TensorFlow 1.15.
"""

import re
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import summary
from tfmigrate_runtime.compat.eager import Trackable

__all__ = ["Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "Mean", "Metric"]

_Trackable: Any = Trackable


class Metric(_Trackable):  # type: ignore[misc]
    """A metric, whose variables are made in its first call."""

    def __init__(self, name: str | None = None, use_global_variables: bool = False) -> None:
        """Makes a metric.

        Args:
            name: of the scope of its variables; that of the class by default.
            use_global_variables: whether they are global variables of a graph, and no local ones.
        """
        self._built = False
        self._vars: list[Any] = []
        self._initial_values: list[Any] = []
        self._use_global_variables = use_global_variables
        name = name or type(self).__name__
        scope_name = re.sub("[^A-Za-z0-9.]", "_", name)
        with tf.variable_scope(scope_name, use_resource=True, reuse=False) as scope:
            self._name = name + scope.name[scope.name.rfind(scope_name) + len(scope_name) :]
            self._scope = scope
        self._graph = None if tf.executing_eagerly() else tf.get_default_graph()
        if self._graph is not None:  # one op makes all updates
            self.__dict__["call"] = tf.function(self.call, autograph=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Updates the metric, and returns what ``call`` returns: the arguments."""
        if not self._built:
            where = self._graph.as_default() if self._graph is not None else tf.init_scope()
            with tf.variable_scope(self._scope), where:
                self.build(*args, **kwargs)
            self._built = True
        return self.call(*args, **kwargs)

    @property
    def name(self) -> str:
        """The name, with a number if another metric has it."""
        name: str = self._name
        return name

    @property
    def variables(self) -> list[Any]:
        """The variables, in the order in which they were made."""
        return self._vars

    def init_variables(self) -> Any:
        """Resets the variables; in a graph, returns the op that does."""
        if not tf.executing_eagerly():
            return tf.group([variable.initializer for variable in self._vars])
        for variable, value in zip(self._vars, self._initial_values, strict=True):
            variable.assign(value)
        return None

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Makes the variables.

        Raises:
            NotImplementedError: the class does not say how.
        """
        raise NotImplementedError("Metrics must define a build() member function")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Updates the variables.

        Raises:
            NotImplementedError: the class does not say how.
        """
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Any:
        """Returns the value.

        Raises:
            NotImplementedError: the class does not say how.
        """
        raise NotImplementedError("Metrics must define a result() member function")

    def value(self) -> Any:
        """Returns the result as a tensor of a graph, or the function that returns it."""
        return self.result if tf.executing_eagerly() else self.result()

    def aggregate(self, metrics: Sequence[Any]) -> None:
        """Adds the variables of metrics of the same class to those of this one.

        Raises:
            TypeError: one is of another class.
            ValueError: the variables of one have other names.
        """
        for metric in metrics:
            if type(self) is not type(metric):
                raise TypeError(
                    f"All metrics must be the same type, '{type(self)}' != '{type(metric)}'."
                )
        for index, variable in enumerate(self._vars):
            others = [metric.variables[index] for metric in metrics]
            if any(other.name != variable.name for other in others):
                raise ValueError("All metrics must have variables in the same order.")
            variable.assign_add(tf.add_n(others))

    def add_variable(
        self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None
    ) -> Any:
        """Makes a variable, in ``build``.

        Raises:
            RuntimeError: it is called elsewhere.
        """
        if self._built:
            raise RuntimeError("Can't call add_variable() except in build().")
        collections = None
        if not tf.executing_eagerly():
            keys = tf.GraphKeys
            kind = keys.GLOBAL_VARIABLES if self._use_global_variables else keys.LOCAL_VARIABLES
            collections = [kind, keys.METRIC_VARIABLES]
        variable = self._add_variable_with_custom_getter(
            name=name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=False,
            collections=collections,
            use_resource=True,
            getter=tf.get_variable,
            overwrite=True,
        )
        self._vars.append(variable)
        if tf.executing_eagerly():
            self._initial_values.append(variable.value())
        return variable


class Mean(Metric):
    """The mean of all values, or their weighted mean."""

    def __init__(
        self, name: str | None = None, dtype: Any = tf.float64, use_global_variables: bool = False
    ) -> None:
        """Makes a metric that sums in ``dtype``."""
        super().__init__(name=name, use_global_variables=use_global_variables)
        self.dtype = dtype

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Makes the sums of the values and of the weights."""
        zeros = tf.zeros_initializer
        self.numer = self.add_variable("numer", shape=(), dtype=self.dtype, initializer=zeros)
        self.denom = self.add_variable("denom", shape=(), dtype=self.dtype, initializer=zeros)

    def call(self, values: Any, weights: Any = None) -> Any:
        """Adds values, and returns the arguments."""
        if weights is None:
            self.denom.assign_add(tf.cast(tf.identity(tf.size(values)), self.dtype))
            values = tf.reduce_sum(values)
            self.numer.assign_add(tf.cast(values, self.dtype))
            return values
        weights = tf.cast(weights, self.dtype)
        self.denom.assign_add(tf.reduce_sum(weights))
        values = tf.cast(values, self.dtype) * weights
        self.numer.assign_add(tf.reduce_sum(values))
        return values, weights

    def result(self, write_summary: Any = True) -> Any:
        """Returns the mean."""
        mean = self.numer / self.denom

        def written() -> Any:
            summary.scalar(name=self.name, tensor=mean)
            return mean

        if (is_written := tf.get_static_value(tf.convert_to_tensor(write_summary))) is None:
            return tf.cond(write_summary, written, lambda: mean)
        return written() if is_written else mean


class Accuracy(Mean):
    """How often predictions are the labels."""

    def __init__(self, name: str | None = None, dtype: Any = tf.float64) -> None:
        """Makes a metric that counts in ``dtype``."""
        super().__init__(name=name, dtype=dtype)

    def call(  # type: ignore[override]
        self, labels: Any, predictions: Any, weights: Any = None
    ) -> Any:
        """Adds predictions, and returns the arguments."""
        _check(labels, predictions)
        return self._add(tf.equal(labels, predictions), labels, predictions, weights)

    def _add(self, matches: Any, *arguments: Any) -> Any:
        *compared, weights = arguments
        super().call(tf.cast(matches, self.dtype), weights=weights)
        return tuple(compared) if weights is None else arguments


class CategoricalAccuracy(Accuracy):
    """How often the largest of some scores is that of a one-hot label."""

    def call(  # type: ignore[override]
        self, labels: Any, predictions: Any, weights: Any = None
    ) -> Any:
        """Adds predictions, and returns the classes of the arguments."""
        _check(labels, predictions)
        labels, predictions = tf.argmax(labels, axis=-1), tf.argmax(predictions, axis=-1)
        return self._add(tf.equal(labels, predictions), labels, predictions, weights)


class BinaryAccuracy(Accuracy):
    """How often scores are above a threshold where the label is true."""

    def __init__(self, threshold: float, name: str | None = None, dtype: Any = tf.float64) -> None:
        """Makes a metric; a score is taken for true above ``threshold``."""
        super().__init__(name=name, dtype=dtype)
        self.threshold = threshold

    def call(  # type: ignore[override]
        self, labels: Any, predictions: Any, weights: Any = None
    ) -> Any:
        """Adds predictions, and returns the arguments as they are compared."""
        _check(labels, predictions)
        predictions = tf.convert_to_tensor(predictions) > self.threshold
        labels = tf.cast(labels, tf.bool)
        return self._add(tf.equal(labels, predictions), labels, predictions, weights)


def _check(labels: Any, predictions: Any) -> None:
    message = "Shapes of labels and predictions are unequal"
    tf.assert_equal(tf.shape(labels), tf.shape(predictions), message=message)
