"""``tf.train.SyncReplicasOptimizer``, for workers in lockstep."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.mean_gradients import means_over_workers
from tfmigrate_runtime.between_graph.strategies import is_synchronous
from tfmigrate_runtime.estimator.replicas import read_step_before_increment

_PASSES_ON = "PlaceholderWithDefault"


class SyncReplicasOptimizer(tf.train.Optimizer):  # type: ignore[misc]
    """Applies the mean over the workers of the gradients that each of them gives.

    There are no tokens and no queue: a step begins when the one before it has ended on all
    workers. What handled the queue is still here, does nothing, and need not be called.
    """

    def __init__(
        self,
        opt: Any,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        """Wraps an optimizer.

        Args:
            opt: computes and applies the gradients.
            replicas_to_aggregate: the number of workers.
            total_num_replicas: the number of workers; None for the same.
            variable_averages: an ``ExponentialMovingAverage`` that every step updates, or None.
            variables_to_average: of which variables.
            use_locking: without effect.
            name: of the operations.

        Raises:
            ValueError: the numbers are not that of the workers: every worker gives one gradient
                to every step, and none is left out.
        """
        super().__init__(use_locking, name)
        self._opt, self._variable_averages = opt, variable_averages
        self._variables_to_average = variables_to_average
        self._workers = _number_of_workers()
        self._was_applied = False
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        if not int(replicas_to_aggregate) == int(total_num_replicas) == self._workers:
            raise ValueError(
                f"SyncReplicasOptimizer: replicas_to_aggregate is {replicas_to_aggregate} and "
                f"total_num_replicas {total_num_replicas}, but {self._workers} worker(s) train: "
                "pass the number of workers for both. tf.distribute has no backup replicas, so "
                "every worker contributes one gradient to each step"
            )

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients of this worker: what the wrapped optimizer computes."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies the mean of the workers' gradients.

        Of IndexedSlices every row is the mean over those workers whose gradient has that row, as
        ``SparseConditionalAccumulator`` averaged them; repeated rows of one worker are summed.

        Args:
            grads_and_vars: pairs of a gradient, which may be None, and a variable.
            global_step: the variable that counts steps.
            name: of the operation.

        Returns:
            The operation that makes the step.

        Raises:
            ValueError: there are no gradients, or no global step.
        """
        if not (pairs := list(grads_and_vars)):
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        # What a session call reads of the step is that before it, on every worker: programs whose
        # loops end by it must end after the same step.
        read = tf.get_default_graph().as_graph_element(global_step)
        with tf.control_dependencies([read.op]):
            gradients = means_over_workers([gradient for gradient, _ in pairs])
        variables = [variable for _, variable in pairs]
        strategy = tf.distribute.get_strategy()
        known = strategy.gradients_are_means() if is_synchronous(strategy) else nullcontext()
        if is_synchronous(strategy):
            feed_nothing(self._opt)
        # TensorFlow 1.x made both outside of the name scopes of the program: variables such as
        # beta1_power have no scope in a checkpoint.
        with known, tf.name_scope(""):
            step = self._opt.apply_gradients(
                zip(gradients, variables, strict=True), global_step, name
            )
        if global_step is tf.train.get_global_step():
            read_step_before_increment(global_step)
        if self._variable_averages is not None:
            with tf.control_dependencies([step]), tf.name_scope(""):
                step = self._variable_averages.apply(self._variables_to_average)
        self._was_applied = True
        return step

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the wrapped optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def variables(self) -> Any:
        """Returns the variables of the wrapped optimizer."""
        return self._opt.variables()

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the names of the wrapped optimizer's slots."""
        return self._opt.get_slot_names(*args, **kwargs)

    @property
    def local_step_init_op(self) -> Any:
        """An operation that does nothing: there is no local step."""
        return tf.no_op("local_step_init_of_sync_replicas")

    @property
    def chief_init_op(self) -> Any:
        """An operation that does nothing: there is no queue."""
        return tf.no_op("chief_init_of_sync_replicas")

    @property
    def ready_for_local_init_op(self) -> Any:
        """The names of the variables that are not initialized."""
        return tf.report_uninitialized_variables(tf.global_variables())

    def get_chief_queue_runner(self) -> Any:
        """Returns a queue runner that runs nothing.

        Raises:
            ValueError: apply_gradients was not called.
        """
        self._check_applied("get_chief_queue_runner()")
        return IdleQueueRunner()

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Returns an operation that does nothing: steps need no tokens.

        Args:
            num_tokens: without effect.

        Raises:
            ValueError: apply_gradients was not called.
        """
        self._check_applied("get_init_tokens_op()")
        return tf.no_op("no_init_tokens")

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> Any:
        """Returns a hook that does nothing.

        Args:
            is_chief: without effect.
            num_tokens: without effect.
        """
        return tf.train.SessionRunHook()

    def _check_applied(self, what: str) -> None:
        if not self._was_applied:
            raise ValueError(f"{what} should be called after apply_gradients().")


class IdleQueueRunner(tf.train.QueueRunner):  # type: ignore[misc]
    """What can be given wherever the chief's queue runner was, and starts no thread."""

    def __init__(self) -> None:
        """Makes a queue runner without a queue."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return "sync_replicas"

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> Sequence[Any]:
        """Returns no threads."""
        return []

    def to_proto(self, export_scope: str | None = None) -> None:
        """Returns None: it is not written to meta graphs."""


def _number_of_workers() -> int:
    strategy = tf.distribute.get_strategy()
    if is_synchronous(strategy):
        return int(strategy.num_replicas_in_sync)
    if tf.distribute.has_strategy():
        raise ValueError(
            "SyncReplicasOptimizer needs between_graph.multi_worker_mirrored_strategy, not "
            f"{type(strategy).__name__}"
        )
    return 1


def feed_nothing(optimizer: Any) -> None:
    """Has an optimizer compute with its learning rate, its momentum ... as no feed changes them.

    On TensorFlow 1.x the chief's queue runner applied the gradients of synchronous workers, in
    session calls of its own, without feeds: a rate that the program fed had no effect on training
    (measured on 1.15). Here every worker applies them in the call that has its feeds.

    Args:
        optimizer: a ``tf.train.Optimizer``, whose tensors become copies of what they are.
    """
    for name, value in vars(optimizer).items():
        if tf.is_tensor(value) and hasattr(value, "op"):
            setattr(optimizer, name, _copy(value, {}))
        elif callable(value) and name in ("_lr", "_learning_rate"):
            setattr(optimizer, name, lambda rate=value: _copy(rate(), {}))


def _copy(tensor: Any, copies: dict[Any, Any]) -> Any:
    """Returns a tensor of new operations; those with a state, as of variables, are not copied."""
    if not isinstance(tensor, tf.Tensor):
        return tensor
    operation = tensor.op
    if operation.type == _PASSES_ON:
        return _copy(operation.inputs[0], copies)
    if operation.type == "Placeholder" or operation.op_def.is_stateful:
        return tensor
    if any(
        item.dtype == tf.resource or item.dtype != item.dtype.base_dtype
        for item in operation.inputs
    ):
        return tensor
    if operation not in copies:
        inputs = [_copy(item, copies) for item in operation.inputs]
        with tf.control_dependencies(None), tf.device(operation.device):
            copies[operation] = operation.graph.create_op(
                operation.type,
                inputs,
                [output.dtype for output in operation.outputs],
                name=f"{operation.name}_without_feeds",
                attrs=dict(operation.node_def.attr),
            )
    return copies[operation].outputs[tensor.value_index]
