"""What synchronous workers have to have in common: variables, reductions, and those of each step.

A reduction waits for all workers, and TensorFlow for ever: where one worker's graph or step has
others than those of its peers, all end with an error that says which.
"""

import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from textwrap import shorten
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

_FIRST_KEY = 2**30  # of no strategy, which count up
_BYTES = 2**18  # of what a worker describes, compressed: thousands of variables
_SECONDS_TO_TELL = 2.0  # until all have the result of a reduction, before one of them ends
_LONGEST_LIST = 200  # characters
_ONE = "Collective"  # what types of operations begin with that wait for all workers

Run = Callable[..., Any]


class VersionsDifferError(RuntimeError):
    """The workers run programs with different variables, or make different steps."""


class Agreement:
    """Compares what the workers have."""

    def __init__(self, task: Any, number: int, workers: int) -> None:
        """Adds to the graph what is run later.

        The strategy's reductions are numbered as they are built: those of different programs do
        not meet, so that these have numbers of their own.

        Args:
            task: this worker.
            number: its number among the workers.
            workers: how many there are.
        """
        self._number, self._workers = number, workers
        reductions = filter(is_reduction, tf.get_default_graph().get_operations())
        self._reductions = {operation: number for number, operation in enumerate(reductions)}
        with tf.device(f"/job:{task.type}/task:{task.index}/device:CPU:0"):
            self._checksum = tf.placeholder(tf.float64, [workers], "checksum")
            self._checksums = self._sum(self._checksum, _FIRST_KEY)
            self._text = tf.placeholder(tf.int32, [workers, _BYTES], "text")
            self._texts = self._sum(self._text, _FIRST_KEY + 1)

    def _sum(self, value: Any, key: int) -> Any:
        return tf.raw_ops.CollectiveReduce(
            input=tf.identity(value),
            group_size=self._workers,
            group_key=key,
            instance_key=key,
            merge_op="Add",
            final_op="Id",
            subdiv_offsets=[0],
        )

    def check_graph(self, run: Run, variables: Iterable[Any]) -> None:
        """Compares the variables and reductions of the workers' graphs.

        Args:
            run: as ``tf.Session.run``.
            variables: those that are one for all workers.

        Raises:
            VersionsDifferError: they differ.
        """
        trained = {variable.op.name for variable in tf.trainable_variables()}
        lines = [
            f"{v.op.name} {v.dtype.base_dtype.name} {v.shape}"
            f"{'' if v.op.name in trained else ' (not trained)'}"
            for v in variables
        ]
        reductions = _described(self._reductions)
        mine = np.zeros(self._workers)
        mine[self._number] = zlib.crc32("\n".join([*lines, *reductions]).encode())
        if len(set(run(self._checksums, {self._checksum: mine}))) == 1:
            return
        other, differences = self._differences(run, lines, reductions)
        time.sleep(_SECONDS_TO_TELL)
        raise VersionsDifferError(
            f"worker {other} runs another version of the program than worker {self._number}: "
            f"{differences}. Start all workers with one version, and make all variables and their "
            "updates on each of them, with one shape: none under a condition such as `if is_chief`"
        )

    def numbers_of(self, operations: Iterable[Any]) -> list[int]:
        """Returns the numbers of the reductions among operations."""
        return sorted(self._reductions[op] for op in operations if op in self._reductions)

    def check_step(self, run: Run, when: str, written: Sequence[str], waits: Sequence[int]) -> None:
        """Ends the training, as the workers would wait for each other in different steps.

        Args:
            run: as ``tf.Session.run``.
            when: which step it is, for the message.
            written: the names of the variables that this worker writes in it.
            waits: the numbers of its reductions.

        Raises:
            VersionsDifferError: always.
        """
        reductions = [operation for operation, n in self._reductions.items() if n in waits]
        _, differences = self._differences(run, _numbered(written), _described(reductions))
        time.sleep(_SECONDS_TO_TELL)
        raise VersionsDifferError(
            f"the workers update different variables {when}, and would wait for each other: "
            f"{differences}. Let all workers run the same training operations and updates (such "
            "as UPDATE_OPS), none under a condition such as `if is_chief`"
        )

    def _differences(self, run: Run, *descriptions: list[str]) -> tuple[int, str]:
        """Returns the first worker with other lines, and what each of the two has alone.

        Args:
            run: as ``tf.Session.run``.
            *descriptions: lines of this worker; of the first that differ are the results.
        """
        for lines in descriptions:
            mine = np.zeros([self._workers, _BYTES], np.int32)
            data = zlib.compress("\n".join(lines).encode())[:_BYTES]
            mine[self._number, : len(data)] = list(data)
            texts = [_text(row) for row in run(self._texts, {self._text: mine})]
            for number, others in enumerate(texts):
                if others != texts[self._number]:
                    own = _only(self._number, lines, others)
                    all_lines = [*own, *_only(number, others, lines)]
                    return number, "; ".join(all_lines) or "the same, in a different order"
        return self._number, ""


def _only(worker: int, lines: Sequence[str], others: Sequence[str]) -> list[str]:
    alone = [line for line in lines if line and line not in others]
    listed = shorten(", ".join(alone), _LONGEST_LIST, placeholder=" ...")
    return [f"only worker {worker} has {listed}"] if alone else []


def _text(compressed: Any) -> list[str]:
    """Returns the lines of a worker."""
    data = zlib.decompressobj().decompress(bytes(compressed.astype(np.uint8)))
    return data.decode(errors="replace").split("\n")


def is_reduction(operation: Any) -> bool:
    """Returns whether an operation waits for all workers."""
    return bool(operation.type.startswith(_ONE))


def _described(reductions: Iterable[Any]) -> list[str]:
    """Returns lines for reductions; their names may differ from worker to worker."""
    tensors = [tensor for operation in reductions for tensor in operation.outputs]
    return _numbered(f"a reduction of {t.dtype.base_dtype.name} {t.shape}" for t in tensors)


def _numbered(lines: Iterable[str]) -> list[str]:
    """Returns lines of which none occurs twice."""
    seen: dict[str, int] = {}
    numbered = []
    for line in lines:
        seen[line] = seen.get(line, 0) + 1
        numbered.append(line if seen[line] == 1 else f"{line} ({seen[line]})")
    return numbered
