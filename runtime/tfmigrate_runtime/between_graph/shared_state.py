"""What one worker alone does to variables reaches the copies of all workers.

On TensorFlow 1.x a variable was one, on a parameter server: what the chief restored, or one hook
assigned, was there for every worker's next step. Here each worker has a copy. So the workers report
which variables one of them alone has written since the last step, and copy what was written.

Before each of the first steps they report in a reduction of their own, so that steps begin with
the same variables everywhere. That takes as long as a small step. So later they report in the step,
with its gradients, and what was written reaches the others after it, as if they had begun the step
before it was written, which TensorFlow 1.x left to chance. Once that has happened, or where the
program has made operations for it that no step has run, they report before each step again.

That the copies are one is checked, too: before the first step, every hundredth, after a checkpoint,
after a step that wrote more on one worker than on others, and at the end.
"""

import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph import step_reports
from tfmigrate_runtime.between_graph.agreement import Agreement, Run

_SUMMED_AS = {tf.bool: tf.int32, tf.int8: tf.int32, tf.uint8: tf.int32, tf.int16: tf.int32}
_SUMMED = (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64)
_STEPS_BETWEEN_CHECKS = 100
# A program that writes variables on one worker at each step, or soon, is known by then.
_STEPS_WITH_EARLY_REPORTS = 10
# Copies that got the same updates differ by the rounding of their processors at most: by 6e-8 a
# step, in either direction. A step of another length is far more.
_ROUNDING = 1e-5
_READS = (
    "IsVariableInitialized", "ReadVariableOp", "ResourceGather", "ResourceGatherNd",
    "VarIsInitializedOp", "VariableShape",
)  # fmt: skip
_ADDS = ("AssignAddVariableOp", "AssignSubVariableOp", "ResourceScatterAdd", "ResourceScatterSub")
_PASSES_ON = ("Enter", "Identity", "Switch")
_SET, _ADDED = 1, 2  # how a variable was written
# What a worker reports.
_WRITTEN, _STEP_WRITES, _WANTS_CHECK, _MAY_WRITE, _STEP_WAITS = range(step_reports.NUMBERS)
_HOW, _SUM, _SIZE = range(3)  # what the workers exchange of each variable

Writes = Mapping[int, Sequence[int]]  # how each variable, by its number, was written, by each op


class CopiesDifferError(RuntimeError):
    """The workers' copies of a variable are not one variable any more."""


class SharedState:
    """The variables of a worker in lockstep that all workers share.

    Attributes:
        lock: held while the workers compare and copy what they have written.
    """

    def __init__(self, strategy: Any, is_chief: bool) -> None:
        """Adds to the graph what is run later, when it may be finalized.

        All that writes variables in the graph by then, the program or a hook may run.

        Args:
            strategy: the MultiWorkerMirroredStrategy.
            is_chief: whether this worker is the chief, whose variables are those of the beginning.
        """
        self.lock = threading.RLock()
        self._is_chief = is_chief
        self._number = int(strategy.task.number)
        self._workers = int(strategy.num_replicas_in_sync)
        every = {id(v): v for v in (*tf.global_variables(), *tf.trainable_variables())}
        shared = [variable for variable in every.values() if _can_be_summed(variable)]
        self._names = [variable.op.name for variable in shared]
        self._own = [strategy.experimental_local_results(variable)[0] for variable in shared]
        handles = ((own.handle, number) for number, own in enumerate(self._own))
        self._numbers = {handle.op: number for handle, number in handles}
        self._averaged = np.array([_is_averaged(variable) for variable in shared], bool)
        trained = {id(variable) for variable in tf.trainable_variables()}
        self._trained = {number for number, v in enumerate(shared) if id(v) in trained}
        self._pending: dict[int, int] = {}
        self._not_run = {op for op in tf.get_default_graph().get_operations() if self._written(op)}
        self._not_run -= {own.initializer for own in self._own}
        self._steps, self._wants_check, self._reports_early = 0, False, False
        with tf.name_scope("take_over"):
            self._agreement = Agreement(strategy.task, self._number, self._workers)
            self._gives = tf.placeholder(tf.float64, [len(shared)], "gives")
            self._takes = tf.placeholder(tf.bool, [len(shared)], "takes")
            self._report = tf.placeholder(
                step_reports.KIND, [self._workers, step_reports.NUMBERS], "report"
            )
            self._how = tf.placeholder(tf.float64, [len(shared)], "how")
            self._take_over = tf.group(strategy.run(self._of_givers))
            self._reports = strategy.run(lambda: _total(self._report))
            self._table = strategy.run(lambda: _total(self._own_row()))

    def _own_row(self) -> Any:
        """Returns the numbers of this worker's variables among zeros, [workers, variables, 3]."""
        sums = tf.reshape(tf.concat([_sums(own) for own in self._own], axis=0), [-1, 2])
        row = tf.concat([self._how[:, tf.newaxis], sums], axis=1)
        others = [self._number, self._workers - 1 - self._number]
        return tf.pad(row[tf.newaxis], [others, [0, 0], [0, 0]])

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
        """Returns a part of the giver's variable, and zeros elsewhere: the sum is the value."""
        own, part = self._own[number], self._gives[number]
        return tf.cond(
            part > 0,
            lambda: tf.cast(tf.identity(own), kind) * tf.cast(part, kind),
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

        Raises:
            VersionsDifferError: the workers run programs with different variables or updates.
        """
        self._agreement.check_graph(run, self._own)
        every = np.ones(len(self._own), bool)
        run(self._take_over, {self._gives: every & self._is_chief, self._takes: every})

    def writes_of(self, operations: Sequence[Any]) -> Writes:
        """Returns which variables a session call writes, by all that it runs."""
        self._not_run.difference_update(operations)
        writes: dict[int, list[int]] = {}
        for operation in operations:
            how = _ADDED if operation.type in _ADDS else _SET
            for number in self._written(operation):
                writes.setdefault(number, []).append(how)
        return writes

    def _written(self, operation: Any) -> list[int]:
        """Returns the variables that an operation writes."""
        if operation.type in (*_READS, *_PASSES_ON):
            return []
        numbers = (self._numbers.get(_source(tensor)) for tensor in operation.inputs)
        return [number for number in numbers if number is not None]

    def trains(self, operations: Collection[Any]) -> bool:
        """Returns whether a session call writes variables that are trained."""
        return any(not self._trained.isdisjoint(self._written(op)) for op in operations)

    def waits_of(self, operations: Sequence[Any]) -> list[int]:
        """Returns what a session call has that waits for the others, by numbers."""
        return self._agreement.numbers_of(operations)

    def note(self, writes: Writes, *, saves: bool = False) -> None:
        """Notes what this worker alone has written, before all others may read it.

        Args:
            writes: the variables.
            saves: whether it wrote a checkpoint, which has the copies compared.
        """
        with self.lock:
            for number, ways in writes.items():
                self._pending[number] = max(*ways, self._pending.get(number, 0))
            self._wants_check |= saves

    def step(self, run: Run, make: Run, fetches: Any, feeds: Any, call: step_reports.Call) -> Any:
        """Makes a step, which all workers make together; returns what is fetched.

        Args:
            run: as ``tf.Session.run``.
            make: makes the step: the same, with the program's options.
            fetches: of the step.
            feeds: of the step, or None.
            call: what this worker does in the step.

        Raises:
            CopiesDifferError: several workers wrote a variable, each its own value, or the copies
                of a variable differ.
            VersionsDifferError: this step of another worker waits for other operations.
        """
        if call.reports is None or self._reports_early or self._steps < _STEPS_WITH_EARLY_REPORTS:
            with self.lock:
                all_reports = self._begin_step(run, call)
            result = make(fetches, feeds)
        else:
            own, of_all = call.reports
            with self.lock:
                mine = self._report_of(call)
            result, all_reports = make([fetches, of_all], {**(feeds or {}), own: mine})
            with self.lock:
                if all_reports[:, _WRITTEN].any():
                    self._share_late(run)
                    self._reports_early = True
                self._check_if_due(run, all_reports, f"after step {self._steps + 1}")
        self._steps += 1
        if len(set(all_reports[:, _STEP_WRITES])) > 1:
            with self.lock:
                self._note_step(run, call.writes)
        return result

    def _report_of(self, call: step_reports.Call) -> Any:
        """Returns what this worker reports before a step, [workers, numbers]."""
        mine = np.zeros([self._workers, step_reports.NUMBERS], np.float32)
        mine[self._number, _WRITTEN] = bool(self._pending)
        ordered_writes = sorted((number, sorted(ways)) for number, ways in call.writes.items())
        mine[self._number, _STEP_WRITES] = step_reports.number_for(ordered_writes)
        mine[self._number, _STEP_WAITS] = step_reports.number_for(call.waits)
        mine[self._number, _WANTS_CHECK] = self._wants_check
        self._wants_check = False
        mine[self._number, _MAY_WRITE] = bool(self._not_run)
        return mine

    def _begin_step(self, run: Run, call: step_reports.Call) -> Any:
        """Has all workers begin a step with the same variables; returns what they report."""
        all_reports = run(self._reports, {self._report: self._report_of(call)})
        if len(set(all_reports[:, _STEP_WAITS])) > 1:
            names = [self._names[number] for number, ways in call.writes.items() for _ in ways]
            self._agreement.check_step(run, f"in step {self._steps + 1}", names, call.waits)
        if all_reports[:, _WRITTEN].any():
            self._share_written(run)
            self._reports_early |= self._steps > 0
        if self._steps == _STEPS_WITH_EARLY_REPORTS - 1:
            self._reports_early |= bool(all_reports[:, _MAY_WRITE].any())
        self._check_if_due(run, all_reports, f"before step {self._steps + 1}")
        return all_reports

    def _note_step(self, run: Run, writes: Writes) -> None:
        """Notes what this worker's step alone has written, which the step may have read there."""
        self._wants_check = True
        # The optimizer writes it, too, so that what counts is how often each does.
        times = {number: len(ways) for number, ways in writes.items()}
        fewest = self._exchanged(run, times)[:, :, _HOW].min(axis=0)
        self.note({n: ways for n, ways in writes.items() if times[n] > fewest[n]})

    def end(self, run: Run) -> None:
        """Checks that the copies are one after the last step; all workers call it.

        Args:
            run: as ``tf.Session.run``.

        Raises:
            CopiesDifferError: they are not.
        """
        if self._steps:
            self._check(run, f"after step {self._steps}")

    def _exchanged(self, run: Run, numbers: Mapping[int, int]) -> Any:
        """Returns a number of each worker for each variable, and sums, [workers, variables, 3]."""
        how = np.zeros(len(self._own))
        how[list(numbers)] = list(numbers.values())
        return run(self._table, {self._how: how})

    def _share_written(self, run: Run) -> None:
        """Has all workers copy what one of them has written, before a step."""
        table = self._exchanged(run, self._pending)
        by_worker = table[:, :, _HOW]
        several = (by_worker > 0).sum(axis=0) > 1
        for number in np.flatnonzero(several & ~self._averaged):
            values = table[by_worker[:, number] > 0, number]
            if (values[:, _HOW] == _ADDED).any() or not _same(values).all():
                raise self._written_by_several(int(number), by_worker)
        self._copy(run, by_worker, by_worker.any(axis=0))
        self._pending.clear()

    def _share_late(self, run: Run) -> None:
        """Has all workers copy the variables of the one that had written some before a step.

        All of them: what the others computed in the step with the ones they had is of no use.
        Where several wrote some they all have what they need, or none has.
        """
        table = self._exchanged(run, self._pending)
        by_worker = table[:, :, _HOW]
        writers = by_worker.any(axis=1)
        if writers.sum() == 1:
            every = np.ones(len(self._own), bool)
            self._copy(run, writers[:, np.newaxis] & every, every)
        else:
            written = by_worker.any(axis=0) & ~self._averaged
            wrong = written & ((by_worker == _ADDED).any(axis=0) | ~_same(table).all(axis=-1))
            if wrong.any():
                raise self._written_by_several(int(wrong.argmax()), by_worker)
            self._copy(run, by_worker, by_worker.any(axis=0) & self._averaged)
            self._pending.clear()
            self._check(run, f"after step {self._steps + 1}")
        self._pending.clear()

    def _copy(self, run: Run, by_worker: Any, copied: Any) -> None:
        """Has all workers copy variables, of means over workers the mean of those that wrote them.

        Args:
            run: as ``tf.Session.run``.
            by_worker: which worker wrote which variable, [workers, variables].
            copied: which variables.
        """
        writers = by_worker > 0
        first = writers.argmax(axis=0) == np.arange(self._workers)[:, np.newaxis]
        givers = writers & (first | self._averaged)
        gives = givers[self._number] / np.maximum(givers.sum(axis=0), 1)
        run(self._take_over, {self._gives: gives * copied, self._takes: copied})

    def _written_by_several(self, number: int, by_worker: Any) -> CopiesDifferError:
        writers = np.flatnonzero(by_worker.any(axis=1))
        workers = " and ".join(str(worker) for worker in writers)
        return CopiesDifferError(
            f"workers {workers} each changed the variable {self._names[number]} before step "
            f"{self._steps + 1}, by themselves: on a parameter server that was one variable, here "
            "each worker has a copy. Let one worker change it, or all in the step"
        )

    def _check_if_due(self, run: Run, reports: Any, when: str) -> None:
        if self._steps % _STEPS_BETWEEN_CHECKS == 0 or reports[:, _WANTS_CHECK].any():
            self._check(run, when)

    def _check(self, run: Run, when: str) -> None:
        table = self._exchanged(run, self._pending)
        table[:, table[:, :, _HOW].any(axis=0)] = 0  # written since then, which no step has read
        differ = ~_same(table).all(axis=-1)
        if differ.any():
            number = int(differ.argmax())
            sums = table[:, number, _SUM]
            by_worker = ", ".join(f"worker {i}: {value:.7g}" for i, value in enumerate(sums))
            raise CopiesDifferError(
                f"the workers' copies of the variable {self._names[number]} differ {when} of this "
                f"session (sums of elements: {by_worker}): one of them was changed on one worker "
                "only"
            )


def _same(table: Any) -> Any:
    """Returns whether copies have the same sums, by variable: [...] of [workers, ..., 3]."""
    sums = table[..., _SUM:]
    sizes = np.maximum(table[..., _SIZE:].max(axis=0), np.finfo(np.float64).tiny)
    with np.errstate(invalid="ignore"):  # of infinite ones, which are the same where they are equal
        near = np.ptp(sums, axis=0) <= _ROUNDING * sizes
    return near | (sums == sums[:1]).all(axis=0) | np.isnan(sums).all(axis=0)


def _can_be_summed(variable: Any) -> bool:
    return bool(variable.dtype.base_dtype in (*_SUMMED, *_SUMMED_AS))


def _is_averaged(variable: Any) -> bool:
    """Returns whether a variable is the mean of what the workers make of it."""
    is_mean = getattr(variable, "aggregation", None) == tf.VariableAggregation.MEAN
    return is_mean and bool(variable.dtype.base_dtype.is_floating)


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
