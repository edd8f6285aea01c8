"""Fixes the order of random numbers where it depends on chance or on the version.

* A ``Dataset.map`` with ``num_parallel_calls``, whose function draws random numbers, takes elements
  one after the other: else the calls that run at a time draw in any order, and no two runs of the
  same program are the same. So do ``interleave``, ``map_and_batch`` and ``parallel_interleave``.
  A function draws that makes an op with a seed, or calls Python, which may draw. What it computes,
  and in which order elements come, does not depend on it. Its function is traced twice.
* Iterations of a loop (``while_loop``, ``map_fn``, ``scan``) run one after the other: random ops of
  iterations that run at a time would draw in any order too.
* A queue that several threads fill from the same tensors (``tf.train.batch(num_threads=4)``) is
  filled by one of them: else batches change places. Those that shuffle: ``draws/queues.py``.
* Ops that take their seed from the clock where they are given none (those of ``_SEEDED_BY_CLOCK``)
  get one as all others do.
* ``parallel_interleave(sloppy=True)`` gives elements in the order in which files have them.
* Keras gives its ops no seeds from NumPy's global generator, of which versions draw
  different amounts: they get theirs where all ops do.

Private names of TensorFlow that are touched, and why no public one does:

======================================================== =====================================
name (module tensorflow.python...)                       what for
======================================================== =====================================
data.experimental.ops.batching._MapAndBatchDataset       what map_and_batch makes, under each of
data.ops.readers.ParallelInterleaveDataset               its public names; so parallel_interleave
ops.control_flow_ops.WhileContext.__init__,              what all loops are made by
ops.while_v2.while_loop
ops.gen_image_ops, ops.gen_nn_ops                        ops that take their seed from the clock
training.queue_runner_impl.QueueRunner.__init__          what all queues are filled by
ops.script_ops._internal_py_func                         the one way of all py_funcs
keras.backend.np, tf_keras.src.backend.np                where seeds of Keras are drawn
======================================================== =====================================
"""

import functools
import importlib
import inspect
import sys
from typing import Any, Callable, Dict, List

import numpy as np

from ..program import wrapping

# By module; programs call them under other names, which call these.
_SEEDED_BY_CLOCK = {
    "tensorflow.python.ops.gen_image_ops": (
        "sample_distorted_bounding_box",
        "sample_distorted_bounding_box_v2",
    ),
    "tensorflow.python.ops.gen_nn_ops": ("fractional_max_pool", "fractional_avg_pool"),
}
_KERAS_BACKENDS = ("tensorflow.python.keras.backend", "tf_keras.src.backend")


class Draws:
    """Counts what may draw random numbers, as it is built.

    Attributes:
        count: so far.
    """

    def __init__(self) -> None:
        self.count = 0

    def install(self) -> None:
        """Counts calls into Python, and keeps input pipelines in order."""
        from tensorflow.python.data.experimental.ops import batching
        from tensorflow.python.data.ops import dataset_ops, readers
        from tensorflow.python.ops import script_ops

        wrapping.before(script_ops, "_internal_py_func", self._count)
        for kind in _dataset_classes(dataset_ops):
            for name in ("map", "interleave"):
                if name in vars(kind):
                    wrapping.wrap(kind, name, self._one_at_a_time)
        parallel = readers.ParallelInterleaveDataset
        wrapping.change_arguments(parallel, "__init__", lambda bound: bound.update(sloppy=False))
        self._put_in_place(parallel, _interleave)
        self._put_in_place(batching._MapAndBatchDataset, _map_then_batch)

    def _count(self, *_arguments: Any, **_options: Any) -> None:
        self.count += 1

    def _one_at_a_time(self, original: Any, *arguments: Any, **options: Any) -> Any:
        before = self.count
        result = original(*arguments, **options)
        bound = inspect.signature(original).bind(*arguments, **options)
        if self.count == before or bound.arguments.get("num_parallel_calls") is None:
            return result
        bound.arguments["num_parallel_calls"] = None
        if "deterministic" in bound.arguments:
            bound.arguments["deterministic"] = None  # else a warning that it has no effect
        return original(*bound.args, **bound.kwargs)

    def _put_in_place(self, kind: Any, in_order: Callable[..., Any]) -> None:
        """Makes a class create the result of ``in_order`` where that draws.

        The class itself stays: its methods name it.
        """

        def make(this: Any, *arguments: Any, **options: Any) -> Any:
            before = self.count
            ordered = in_order(*arguments, **options)
            return object.__new__(this) if self.count == before else ordered

        kind.__new__ = staticmethod(make)


def _map_then_batch(
    dataset: Any,
    map_func: Any,
    batch_size: Any,
    num_parallel_calls: Any,
    drop_remainder: Any,
    use_legacy_function: bool = False,
) -> Any:
    """Returns what ``map_and_batch`` does, one element after the other."""
    mapped = dataset.map_with_legacy_function if use_legacy_function else dataset.map
    return mapped(map_func).batch(batch_size, drop_remainder)


def _interleave(
    dataset: Any, map_func: Any, cycle_length: Any, block_length: Any, *_: Any, **_options: Any
) -> Any:
    """Returns what ``parallel_interleave`` does, one element after the other."""
    return dataset.interleave(map_func, cycle_length, block_length)


def run_loops_in_order() -> None:
    """Makes the iterations of every loop run one after the other."""
    from tensorflow.python.ops import control_flow_ops

    def one_at_a_time(bound: Dict[str, Any]) -> None:
        bound["parallel_iterations"] = 1

    wrapping.change_arguments(control_flow_ops.WhileContext, "__init__", one_at_a_time)
    try:
        from tensorflow.python.ops import while_v2
    except ImportError:
        return  # before 1.13
    wrapping.change_arguments(while_v2, "while_loop", one_at_a_time)


def fill_queues_by_one_thread() -> None:
    """Limits a queue to one thread for each source that fills it."""
    from tensorflow.python.training import queue_runner_impl

    kind = queue_runner_impl.QueueRunner

    def init(
        original: Any, this: Any, queue: Any = None, enqueue_ops: Any = None, *more: Any, **by: Any
    ) -> None:
        original(this, queue, _one_of_each_source(enqueue_ops), *more, **by)
        if queue is not None:
            queue._tfmigrate_filled = True
            queue._tfmigrate_is_fed = type(this).__name__ == "_FeedingQueueRunner"

    wrapping.wrap(kind, "__init__", init)


def _one_of_each_source(enqueue_ops: Any) -> Any:
    """Returns the first of those ops that put the same tensors into the same queue."""
    by_source: Dict[Any, Any] = {}
    for enqueue_op in enqueue_ops or ():
        operation = getattr(enqueue_op, "op", enqueue_op)
        source = (operation.type, tuple(tensor.name for tensor in operation.inputs))
        by_source.setdefault(source, enqueue_op)
    return list(by_source.values()) or enqueue_ops


def _dataset_classes(dataset_ops: Any) -> List[Any]:
    """Returns the classes that programs know as ``tf.data.Dataset``, each once."""
    names = ("Dataset", "DatasetV1", "DatasetV2")
    classes = [getattr(dataset_ops, name) for name in names if hasattr(dataset_ops, name)]
    return [kind for index, kind in enumerate(classes) if kind not in classes[:index]]


def _shuffle_then_repeat(
    dataset: Any, buffer_size: Any, count: Any = None, seed: Any = None
) -> Any:
    """Stands in for ``_ShuffleAndRepeatDataset`` of tf.data.experimental.shuffle_and_repeat."""
    return dataset.shuffle(buffer_size, seed).repeat(count)


def keep_shuffle_order() -> None:
    """Keeps shuffle and repeat two ops, which TensorFlow 1.13 to 2.3 fuse.

    The fused op draws rows in a different order than the two, and each version in its own.
    """
    from tensorflow.python.data.experimental.ops import shuffle_ops

    shuffle_ops._ShuffleAndRepeatDataset = _shuffle_then_repeat
    module = sys.modules.get("tensorflow.python.data.experimental.ops.optimization_options")
    options: Any = getattr(module, "OptimizationOptions", None)
    original = getattr(options, "_static_optimizations", None)
    if original is None:
        return  # this TensorFlow chooses in C++ (from 2.4), or fuses only on request (1.12)

    def static_optimizations(this: Any) -> List[str]:
        return [name for name in original(this) if name != "shuffle_and_repeat_fusion"]

    options._static_optimizations = static_optimizations


def seed_what_the_clock_would(get_seed: Callable[[Any], Any]) -> None:
    """Gives those ops seeds that would take theirs from the clock.

    Args:
        get_seed: returns the seed of the graph and that of an op that has none.
    """
    for module_name, names in _SEEDED_BY_CLOCK.items():
        module = importlib.import_module(module_name)
        for name in names:
            if hasattr(module, name):
                parameters = inspect.signature(getattr(module, name)).parameters
                # The op refuses seeds if it is not deterministic, where it can be.
                fixed = {"deterministic": True} if "deterministic" in parameters else {}
                seed = functools.partial(_seed, get_seed, fixed)
                wrapping.change_arguments(module, name, seed)


def _seed(get_seed: Callable[[Any], Any], fixed: Dict[str, Any], bound: Dict[str, Any]) -> None:
    """Gives an op the next seeds, if it has none."""
    if not bound.get("seed") and not bound.get("seed2"):
        seeds = get_seed(None)
        bound.update(fixed, seed=seeds[0], seed2=seeds[1])


def leave_seeds_of_keras_open() -> None:
    """Makes the ops of Keras get their seeds where all ops do."""
    import tensorflow as tf

    # The copy of Keras in TensorFlow 2.x is used by no program.
    for name in _KERAS_BACKENDS[0 if tf.__version__.startswith("1.") else 1 :]:
        try:
            backend: Any = sys.modules.get(name) or importlib.import_module(name)
        except ImportError:
            continue  # not there, or not made for this TensorFlow: programs cannot use it either
        # None, which to an op is not a seed.
        backend.np = wrapping.with_random(np, "randint", lambda *_, **__: None)
