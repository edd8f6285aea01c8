"""How much work a program makes grows with its size, however its functions call each other.

Calls of Python functions are counted, not seconds: they are the same on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from long_tail import one_in
from support import source

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile

Calls = Callable[[int, int], Iterator[int]]
SIZE = 30
MOST = 5_000_000  # calls of a program of one file; what never ends is ended here
HEAD = """\
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
cluster = tf.train.ClusterSpec({'ps': ps, 'worker': workers})
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
"""
LAST = """\
def f{i}(x, flag):
  opt = tf.train.GradientDescentOptimizer(0.1)
  if FLAGS.sync:
    opt = tf.train.SyncReplicasOptimizer(opt, 2, total_num_replicas=2)
  return opt.minimize(tf.layers.dense(x, 1))
"""
START = """\
def main(_):
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    f0(1, 2)

if __name__ == '__main__':
  tf.app.run()
"""
GRAPHS: dict[str, Calls] = {
    "chain": lambda i, n: iter([i + 1]),
    "diamonds": lambda i, n: iter([min(i + 1, n), min(i + 2, n)]),
    "twice": lambda i, n: iter([i + 1, i + 1]),
    "wide": lambda i, n: iter([n] * 4 + [i + 1]),
    "recursion": lambda i, n: iter([i, i + 1]),
    "cycle": lambda i, n: iter([i + 1, 0]),
    "back": lambda i, n: iter([i + 1, max(i - 1, 0), max(i - 3, 0)]),
}


def function(i: int, calls: Iterator[int], conditions: bool) -> str:
    lines = [f"def f{i}(x, flag):"]
    for number, other in enumerate(calls):
        lines.append(f"  if flag > {number} and FLAGS.a{i}:" if conditions else "  if True:")
        lines.append(f"    x = f{other}(tf.nn.relu(x), flag)")
    return "\n".join([*lines, "  return x\n"])


def program(graph: Calls, size: int, conditions: bool) -> str:
    functions = [function(i, graph(i, size), conditions) for i in range(size)]
    return "\n".join([HEAD, *functions, LAST.format(i=size), START])


class TooMuchError(Exception):
    """More work than any program may make."""


def work(files: list[SourceFile]) -> int:
    """Returns how many calls of Python functions a migration makes."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"
        if count > MOST:
            raise TooMuchError

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        migrate(files, Options())
    finally:
        sys.setprofile(before)
    return count


def file(text: str, name: str = "program.py") -> SourceFile:
    return source(Path("/nowhere") / name, text)


@pytest.mark.parametrize("conditions", [False, True], ids=["free", "conditions"])
@pytest.mark.parametrize("graph", one_in(4, GRAPHS))
def test_twice_the_functions_are_twice_the_work(graph: str, conditions: bool) -> None:
    small, large = (
        work([file(program(GRAPHS[graph], size, conditions))]) for size in (SIZE, 2 * SIZE)
    )
    assert large < 3 * small


def test_many_files_that_import_each_other() -> None:
    def files(count: int) -> list[SourceFile]:
        texts = [
            "".join(f"from m{other} import f{other}\n" for other in range(max(0, i - 3), i))
            + program(GRAPHS["diamonds"], 5, True)
            for i in range(count)
        ]
        return [file(text, f"m{i}.py") for i, text in enumerate(texts)]

    small, large = work(files(8)), work(files(16))
    assert large < 4 * small
