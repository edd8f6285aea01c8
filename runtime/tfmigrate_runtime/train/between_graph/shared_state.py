"""What one worker alone does to variables reaches the copies of all workers.

On TensorFlow 1.x a variable was one, on a parameter server: what the chief restored, or one hook
assigned, was there for every worker's next step. Here each worker has a copy. So before each step
the workers tell each other which variables one of them has written since the last one, outside of
a step or in it, and take over what was written. None is in a step meanwhile, and steps begin with
the same variables everywhere. It costs one reduction of a few numbers a step.

That the copies are one is checked, too: before the first step and every hundredth, and before the
one that follows a checkpoint or a step that wrote more on one worker than on others.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

_SUMMED_AS = {tf.bool: tf.int32, tf.int8: tf.int32, tf.uint8: tf.int32, tf.int16: tf.int32}
_SUMMED = (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64)
_STEPS_BETWEEN_CHECKS = 100
# Copies that got the same updates differ by the rounding of their processors at most: by 6e-8 a
# step, in either direction. A step of another length is far more.
_ROUNDING = 1e-5
_READS = (
    "IsVariableInitialized",
    "ReadVariableOp",
    "ResourceGather",
    "ResourceGatherNd",
    "VarIsInitializedOp",
    "VariableShape",
)
_ADDS = (
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "ResourceScatterAdd",
    "ResourceScatterSub",
)
_PASSES_ON = ("Enter", "Identity", "Switch")
_SET, _ADDED = 1, 2  # how a variable was written
_WRITTEN, _STEP_WRITES, _WANTS_CHECK = range(3)  # what a worker says before a step

Run = Callable[..., Any]
Writes = Mapping[int, int]  # how each variable, by its number, was written


class CopiesDifferError(RuntimeError):
    """The workers' copies of a variable are not one variable any more."""


class SharedState:
    """The variables of a worker in lockstep that all workers share."""

    def __init__(self, strategy: Any, is_chief: bool) -> None:
        """Adds to the graph what is run later, when it may be finalized.

        Args:
            strategy: the MultiWorkerMirroredStrategy.
            is_chief: whether this worker is the chief, whose variables are those of the beginning.
        """
        self._is_chief = is_chief
        self._number = int(strategy.task.number)
        self._workers = int(strategy.num_replicas_in_sync)
        shared = [v for v in tf.global_variables() if _can_be_summed(v)]
        self._names = [variable.op.name for variable in shared]
        self._compared = np.array([_is_one(variable) for variable in shared], bool)
        self._own = [strategy.experimental_local_results(variable)[0] for variable in shared]
        handles = ((own.handle, number) for number, own in enumerate(self._own))
        self._numbers = {handle.op: number for handle, number in handles}
        self._pending: dict[int, int] = {}
        self._steps = 0
        self._wants_check = False
        with tf.name_scope("take_over"):
            self._gives = tf.placeholder(tf.bool, [len(shared)], "gives")
            self._takes = tf.placeholder(tf.bool, [len(shared)], "takes")
            self._says = tf.placeholder(tf.int32, [self._workers, 3], "says")
            self._tells = tf.placeholder(tf.float64, [self._workers, len(shared), 2], "tells")
            self._sums = tf.reshape(
                tf.concat([_sums(own) for own in self._own], axis=0), [len(shared), 2]
            )
            self._take_over = tf.group(strategy.run(self._of_givers))
            self._said = strategy.run(lambda: _total(self._says))
            self._told = strategy.run(lambda: _total(self._tells))

    def _of_givers(self) -> list[Any]:
        by_kind: dict[Any, list[int]] = {}
        for number, own in enumerate(self._own):
            kind = own.dtype.base_dtype
            by_kind.setdefault(_SUMMED_AS.get(kind, kind), []).append(number)
        assigned = []
        for kind, numbers in by_kind.items():
            # One reduction for each kind: they cannot be packed together.
            context = tf.distribute.get_replica_context()
            shares = [self._share(number, kind) for number in numbers]
            values = context.all_reduce(tf.distribute.ReduceOp.SUM, shares)
            for number, value in zip(numbers, values, strict=True):
                assigned.append(self._assign(number, value))
        return assigned

    def _share(self, number: int, kind: Any) -> Any:
        """Returns the value of the giver's variable, and zeros elsewhere: the sum is the value."""
        own = self._own[number]
        return tf.cond(
            self._gives[number],
            lambda: tf.cast(tf.identity(own), kind),
            lambda: tf.zeros(own.shape, kind),
        )

    def _assign(self, number: int, value: Any) -> Any:
        own = self._own[number]
        return tf.cond(
            self._takes[number],
            lambda: tf.group(tf.assign(own, tf.cast(value, own.dtype.base_dtype))),
            tf.no_op,
        )

    def begin(self, run: Run) -> None:
        """Lets all workers take over the variables of the chief.

        Args:
            run: as ``tf.Session.run``.
        """
        every = np.ones(len(self._own), bool)
        run(self._take_over, {self._gives: every & self._is_chief, self._takes: every})

    def writes_of(self, operations: Sequence[Any]) -> Writes:
        """Returns which variables a session call writes, by all that it runs."""
        return {
            number: _ADDED if operation.type in _ADDS else _SET
            for operation in operations
            if operation.type not in (*_READS, *_PASSES_ON)
            for tensor in operation.inputs
            if (number := self._numbers.get(_source(tensor))) is not None
        }

    def note(self, writes: Writes, *, saves: bool = False) -> None:
        """Notes what this worker alone has written, before all others may read it.

        Args:
            writes: the variables.
            saves: whether it wrote a checkpoint, which has the copies compared.
        """
        for number, how in writes.items():
            self._pending[number] = max(how, self._pending.get(number, 0))
        self._wants_check |= saves

    def before_step(self, run: Run, writes: Writes) -> Writes:
        """Shares what was written since the last step; all workers call it before a step.

        Args:
            run: as ``tf.Session.run``.
            writes: what this worker's step will write.

        Returns:
            What it will write that not all workers' steps do, which has to be shared next.

        Raises:
            CopiesDifferError: several workers wrote a variable, each its own value, or the copies
                of a variable differ.
        """
        mine = np.zeros([self._workers, 3], np.int32)
        mine[self._number, _WRITTEN] = bool(self._pending)
        mine[self._number, _STEP_WRITES] = zlib.crc32(repr(sorted(writes)).encode()) >> 1
        mine[self._number, _WANTS_CHECK] = self._wants_check
        self._wants_check = False
        said = run(self._said, {self._says: mine})
        if said[:, _WRITTEN].any():
            self._share_written(run)
        if self._steps % _STEPS_BETWEEN_CHECKS == 0 or said[:, _WANTS_CHECK].any():
            self._check(run)
        self._steps += 1
        if len(set(said[:, _STEP_WRITES])) == 1:
            return {}
        # What only one worker's step writes, that step may have read there.
        self._wants_check = True
        by_worker = self._exchanged(run, writes)
        return {n: how for n, how in writes.items() if not by_worker[:, n].all()}

    def _exchanged(self, run: Run, writes: Writes) -> Any:
        """Returns how each worker wrote each variable, [workers, variables]."""
        mine = np.zeros([self._workers, len(self._own), 2])
        for number, how in writes.items():
            mine[self._number, number, 0] = how
        return run(self._told, {self._tells: mine})[:, :, 0]

    def _share_written(self, run: Run) -> None:
        by_worker = self._exchanged(run, self._pending)
        several = (by_worker > 0).sum(axis=0) > 1
        added = several & (by_worker == _ADDED).any(axis=0)
        if added.any():
            raise self._written_by_several(int(added.argmax()), by_worker)
        written = by_worker.any(axis=0)
        gives = written & ((by_worker > 0).argmax(axis=0) == self._number)
        before = run(self._sums) if several.any() else None
        run(self._take_over, {self._gives: gives, self._takes: written})
        if before is not None:
            mine = several & (by_worker[self._number] > 0)
            changed = mine & (run(self._sums) != before).any(axis=1)
            if changed.any():
                raise self._written_by_several(int(changed.argmax()), by_worker)
        self._pending.clear()

    def _written_by_several(self, number: int, by_worker: Any) -> CopiesDifferError:
        workers = " and ".join(str(worker) for worker in np.flatnonzero(by_worker[:, number]))
        return CopiesDifferError(
            f"workers {workers} each changed the variable {self._names[number]} before step "
            f"{self._steps + 1}, by themselves: on a parameter server that was one variable, here "
            "each worker has a copy. Let one worker change it, or all in the step"
        )

    def _check(self, run: Run) -> None:
        mine = np.zeros([self._workers, len(self._own), 2])
        mine[self._number] = run(self._sums)
        sums = run(self._told, {self._tells: mine})
        sizes = np.maximum(sums[:, :, 1].max(axis=0), np.finfo(np.float64).tiny)
        apart = np.ptp(sums, axis=0).max(axis=1) / sizes
        differ = self._compared & (apart > _ROUNDING)
        if differ.any():
            number = int(differ.argmax())
            found = ", ".join(f"worker {i}: {row[number, 0]:.7g}" for i, row in enumerate(sums))
            raise CopiesDifferError(
                f"the workers' copies of the variable {self._names[number]} differ before step "
                f"{self._steps + 1} of this session (sums of elements: {found}): one of them was "
                "changed on one worker only"
            )


def _can_be_summed(variable: Any) -> bool:
    return bool(variable.dtype.base_dtype in (*_SUMMED, *_SUMMED_AS))


def _is_one(variable: Any) -> bool:
    """Whether all workers see one value; each keeps its own until it is read, otherwise."""
    on_read = tf.VariableSynchronization.ON_READ
    return bool(getattr(variable, "synchronization", None) != on_read)


def _sums(variable: Any) -> Any:
    """Returns the sum of the elements of a variable, and of their sizes, float64 [2]."""
    values = tf.cast(tf.identity(variable), tf.float64)
    return tf.stack([tf.reduce_sum(values), tf.reduce_sum(tf.abs(values))])


def _total(value: Any) -> Any:
    context = tf.distribute.get_replica_context()
    # A copy is on the device of this replica; what is fed is on none, and has no destination.
    return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.identity(value))


def _source(tensor: Any) -> Any:
    """Returns the operation that a resource comes from, by way of control flow."""
    operation = tensor.op
    while operation.type in _PASSES_ON:
        operation = operation.inputs[0].op
    return operation
