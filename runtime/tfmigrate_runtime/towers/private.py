"""What towers did and tf.distribute does not: their scopes and devices, and what they merge."""

import contextlib
from collections.abc import Iterator

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.graphs import get_variable_scope_store


class VariableScopes:
    """The variable scope, its counts, the makers of variables and the devices at one place.

    Replicas take it over from the code around them, and from each other: as the turns of a loop
    do. A tower thereby reuses the variables that ``tf.get_variable`` finds, after
    ``reuse_variables()`` or under ``reuse=``, and makes those of ``tf.Variable`` for itself.
    """

    def __init__(self) -> None:
        """Notes what holds where it is called, outside of the strategy's scope."""
        store = get_variable_scope_store()
        self._scope = store.current_scope
        self._counts = store.variable_scopes_count
        graph = tf.get_default_graph()
        self._creators = list(graph._variable_creator_stack)
        self._devices = graph._device_function_stack.copy()

    @contextlib.contextmanager
    def in_replica(self) -> Iterator[None]:
        """Puts a replica where it was called, and hides the strategy from what it builds.

        Under a strategy, TensorFlow's own library merges what replicas do: optimizers apply the
        mean of all gradients, moving averages and metrics wait for all replicas (and raise
        ValueError where variables are not the strategy's), all summaries but the first replica's
        are dropped. Towers knew none of this: slim.batch_norm in a tower updated its averages from
        that tower's batch. Its device is hidden too: tf.distribute adds a task to its name.
        """
        store = get_variable_scope_store()
        graph = tf.get_default_graph()
        before = (store.current_scope, store.variable_scopes_count)
        creators, strategies = graph._variable_creator_stack, graph._distribution_strategy_stack
        devices = graph._device_function_stack
        store.current_scope, store.variable_scopes_count = self._scope, self._counts
        graph._variable_creator_stack = list(self._creators)
        graph._distribution_strategy_stack = []
        graph._device_function_stack = self._devices.copy()
        try:
            yield
            self._counts = store.variable_scopes_count
        finally:
            store.current_scope, store.variable_scopes_count = before
            graph._variable_creator_stack = creators
            graph._distribution_strategy_stack = strategies
            graph._device_function_stack = devices

    def leave_behind(self) -> None:
        """Lets the code after the replicas see what they left behind."""
        get_variable_scope_store().variable_scopes_count = self._counts
