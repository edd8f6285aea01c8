"""How a graph with several replicas differs: losses, variables, hooks."""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

# What one replica puts there is not for the others: towers shared them by accident
# (semantics.md, 1.10 and 1.11).
_PER_REPLICA_COLLECTIONS = frozenset(
    [tf.GraphKeys.LOSSES, tf.GraphKeys.UPDATE_OPS, tf.GraphKeys.REGULARIZATION_LOSSES]
)
_HANDLE = "VarHandleOp"
CHIEFS = ("chief", "master")
_SCOPE_OF_REPLICA = re.compile(r"(^|/)replica_\d+/")
_GLOBAL_STEP_READ = "global_step_read_op_cache"


class ReplicaGraph(tf.Graph):  # type: ignore[misc]
    """A graph in which several replicas build their model.

    Each replica sees its own update ops only, its own losses where it represents a tower, and of
    the variables those that it has asked for itself; the scale of the loss is decided by the
    RunConfig where that says so.
    """

    def __init__(
        self, loss_reduction: str | None = None, for_train_distribute: bool = False
    ) -> None:
        """Makes an empty graph.

        Args:
            loss_reduction: what optimizers shall take for the reduction of the loss, whatever
                ``tf.losses`` calls the model makes; None to let the last such call decide.
            for_train_distribute: whether losses are those of ``train_distribute`` of tf.estimator:
                regularisers of variables give gradients on the first replica only, and a replica
                finds the losses of those before it (contrib_distribute.md, "Regularizers").
        """
        self.first_replica = 0  # its index among the replicas of all workers
        self._first_replica_regularizes = for_train_distribute
        self._per_replica = _PER_REPLICA_COLLECTIONS
        if for_train_distribute:
            self._per_replica -= {tf.GraphKeys.LOSSES}
        self._fixed_reduction = loss_reduction
        self._seen_reduction: str | None = None
        self._owners: dict[tuple[str, int], int | None] = {}
        self._holder: dict[Any, int | None] = {}
        self._seen_by: dict[int, set[int]] = {}
        self._is_built = False
        self.swapped_classes: set[tuple[type, type, type]] = set()  # those of keras_models
        super().__init__()

    def model_is_built(self) -> None:
        """From now on names are those that hooks and programs fetch."""
        self._is_built = True

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Returns what is meant by a name: for that of a variable its value, as in TensorFlow 1.x.

        There ``session.run("global_step:0")`` gave a number; on TensorFlow 2 it gives a handle.
        """
        element = super().as_graph_element(obj, allow_tensor, allow_operation)
        is_handle = getattr(element, "dtype", None) == tf.resource
        if self._is_built and isinstance(obj, str) and is_handle and element.op.type == _HANDLE:
            return super().as_graph_element(f"{element.op.name}/Read/ReadVariableOp:0")
        return element

    def scale_of_gradients(self, count: int) -> float:
        """Returns what the RunConfig has N replicas scale their losses by: 1/N for the mean."""
        summed = self._fixed_reduction in (None, tf.losses.Reduction.SUM)
        return 1.0 if summed else 1.0 / count

    @property
    def _last_loss_reduction(self) -> str | None:
        return self._fixed_reduction or self._seen_reduction

    @_last_loss_reduction.setter
    def _last_loss_reduction(self, reduction: str | None) -> None:
        self._seen_reduction = reduction

    def _colocate_with_for_gradient(self, op: Any, *arguments: Any, **options: Any) -> Any:
        """Places ops next to the first copy of a variable that is on all replicas.

        Outside of replicas such a variable is nowhere: AdagradDAOptimizer and
        ProximalAdagradOptimizer failed on making their slots.
        """
        if tf.distribute.has_strategy() and tf.distribute.in_cross_replica_context():
            op = tf.distribute.get_strategy().experimental_local_results(op)[0]
        return super()._colocate_with_for_gradient(op, *arguments, **options)

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Stores a value, and which replica it is from."""
        self._claim(name)
        super().add_to_collection(name, value)
        if name in self._per_replica:
            self._own(name, value, replica_id())

    def get_collection_ref(self, name: Any) -> list[Any]:
        """Returns the collection itself: what is appended to it is from the replica that asks."""
        self._claim(name)
        self._holder[name] = replica_id()
        values: list[Any] = super().get_collection_ref(name)
        return values

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """Returns the values of a collection that are not another replica's."""
        self._claim(name)
        values: list[Any] = super().get_collection(name, scope)
        if (replica := replica_id()) is None:
            return values
        if name == tf.GraphKeys.GLOBAL_VARIABLES:
            # tf.layers registers a regulariser when a variable is new: each replica needs one, as
            # the gradient of another replica's does not reach its copy of the variable.
            return [v for v in values if replica in self._seen_by.get(id(v), (replica,))]
        own = [v for v in values if self._owners.get((name, id(v))) in (None, replica)]
        regularizers = name == tf.GraphKeys.REGULARIZATION_LOSSES
        if regularizers and self._first_replica_regularizes and replica != self.first_replica:
            return [_without_gradient(v) for v in own]
        return own

    def _own(self, name: str, value: Any, replica: int | None) -> None:
        # The regularisers of tf.get_variable are no tensors yet: each replica that reads them
        # computes its own, and the variable registers them only once.
        shared = name == tf.GraphKeys.REGULARIZATION_LOSSES and not isinstance(value, tf.Tensor)
        self._owners.setdefault((name, id(value)), None if shared else replica)

    def _claim(self, name: Any) -> None:
        """Gives what was appended to a collection itself to the replica that had asked for it."""
        if name in self._holder and name in self._per_replica:
            for value in super().get_collection(name):
                self._own(name, value, self._holder[name])

    def noting_variables(self, replica: int) -> Any:
        """Returns a variable scope that notes which variables a replica asks for."""

        def noted(getter: Callable[..., Any], name: str, *arguments: Any, **options: Any) -> Any:
            # The average of a tensor is named after it, and it is after its replica.
            variable = getter(_SCOPE_OF_REPLICA.sub(r"\1", name), *arguments, **options)
            # What is not one variable is a partitioned one.
            for part in [variable] if isinstance(variable, tf2.Variable) else variable:
                self._seen_by.setdefault(id(part), set()).add(replica)
            return variable

        scope = tf.get_variable_scope()
        return tf.variable_scope(scope, custom_getter=noted, auxiliary_name_scope=False)


def _without_gradient(loss: Any) -> Any:
    """Returns a loss as it is, and without a gradient if it is that of a variable's regulariser.

    TensorFlow names those after the variable, and one of tf.get_variable is not a tensor yet.
    """
    if isinstance(loss, tf.Tensor) and "/Regularizer/" not in loss.name:
        return loss
    return tf.stop_gradient(tf.convert_to_tensor(loss))


def whole_variables() -> Any:
    """Returns a variable scope in which variables are not partitioned.

    tf.distribute makes no partitioned variables on several replicas. Their graphs for one device,
    those of predictions and exports, must not make them either: ``tf.nn.embedding_lookup`` finds
    the rows of a partitioned table in a different order (its partition_strategy is "mod").
    """

    def whole(getter: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if options.pop("partitioner", None) is not None:
            tf.logging.log_first_n(
                tf.logging.WARN,
                "Variables are not partitioned with several replicas. An embedding that was "
                'trained partitioned, with the default partition_strategy="mod", is restored '
                "with its rows in the wrong order.",
                1,
            )
        return getter(*arguments, **options)

    scope = tf.get_variable_scope()
    return tf.variable_scope(scope, custom_getter=whole, auxiliary_name_scope=False)


def replica_id() -> int | None:
    """Returns the index of the replica whose code is running, None outside of replicas."""
    context = tf.distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return None
    identifier = context.replica_id_in_sync_group
    return int(identifier if isinstance(identifier, int) else tf.get_static_value(identifier))


def replica_count(strategy: Any) -> int:
    """Returns the number of replicas of a strategy, 1 for None."""
    return 1 if strategy is None else int(strategy.num_replicas_in_sync)


def local_replica_count(strategy: Any) -> int:
    """Returns the number of replicas of a strategy that this process has."""
    return 1 if strategy is None else len(strategy.extended.worker_devices)


def first_replica(strategy: Any) -> int:
    """Returns the index, among those of all workers, of the first replica of this process."""
    if replica_count(strategy) == local_replica_count(strategy):
        return 0
    resolver = strategy.cluster_resolver
    has_chief = any(job in resolver.cluster_spec().jobs for job in CHIEFS)
    before = resolver.task_id + (1 if has_chief and resolver.task_type not in CHIEFS else 0)
    return int(before) * local_replica_count(strategy)


def sum_over_workers(strategy: Any, value: Any) -> Any:
    """Returns the sum over all workers of a value that each of them computes."""
    if replica_count(strategy) == local_replica_count(strategy):
        return value
    share = value / float(local_replica_count(strategy))

    def reduce() -> Any:
        context = tf.distribute.get_replica_context()
        # The reduction goes by the device of what it gets: that of the replica.
        return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.identity(share))

    reduced = strategy.extended.call_for_each_replica(
        tf.autograph.experimental.do_not_convert(reduce)
    )
    return tf.identity(strategy.experimental_local_results(reduced)[0])


def for_each_replica(strategy: Any, function: Callable[[int], Any]) -> list[Any]:
    """Calls a function once for every replica, in its context and on its device.

    Args:
        strategy: the strategy, whose scope must be entered; the default graph is a ReplicaGraph.
        function: gets the index of the replica among those of this process.

    Returns:
        What the function returned, by replica of this process.
    """
    results: dict[int, Any] = {}
    first = first_replica(strategy)
    tf.get_default_graph().first_replica = first

    def replica() -> None:
        index = (replica_id() or 0) - first
        graph = tf.get_default_graph()
        with graph.noting_variables(index):
            results[index] = function(index)

    # AutoGraph would rewrite the user's model function, which TensorFlow 1.x took as it is.
    strategy.extended.call_for_each_replica(tf.autograph.experimental.do_not_convert(replica))
    return [results[index] for index in sorted(results)]


@contextlib.contextmanager
def loss_scaled_by_optimizers(strategy: Any) -> Iterator[None]:
    """Lets compat.v1 optimizers scale the loss by 1/N, as TowerOptimizer did (1.3)."""
    with strategy._scale_loss_for_estimator_enabled():
        yield


def was_loss_scaled(graph: Any) -> bool:
    """Returns whether an optimizer scaled the loss of the model by 1/N."""
    return bool(graph._is_loss_scaled_by_optimizer)


def read_step_before_increment(global_step: Any) -> Any:
    """Returns a tensor of the global step at the beginning of a session call.

    It is the one that TensorFlow's hooks read. Without an order between it and the increment they
    may take a step for the next one, and write its summaries under another number.

    Args:
        global_step: the global step variable, whose increments are in the graph.
    """
    copies = getattr(global_step, "values", (global_step,))
    if not (cached := tf.get_collection_ref(_GLOBAL_STEP_READ)):
        # The program may be in a block of control dependencies, which no hook's read has.
        with tf.control_dependencies(None):
            cached.append(tf.identity(copies[0], name="global_step_of_replicas"))
    for copy in copies:
        for op in copy.handle.consumers() if hasattr(copy, "handle") else ():
            if op.type == "AssignAddVariableOp":
                op._add_control_input(cached[0].op)
    return cached[0]


def add_saving_listeners(hook: Any, listeners: Sequence[Any]) -> None:
    """Adds listeners to a ``CheckpointSaverHook`` that the program made, as tf.estimator did.

    Raises:
        ValueError: there are listeners, and the hook has no list of them that can be extended.
    """
    if not listeners:
        return
    known = getattr(hook, "_listeners", None)
    if not isinstance(known, list):
        raise ValueError(
            f"saving_listeners cannot be added to the given {type(hook).__name__}: "
            "pass them to the hook, as listeners=[...]"
        )
    for listener in listeners:
        if listener not in known:
            known.append(listener)
