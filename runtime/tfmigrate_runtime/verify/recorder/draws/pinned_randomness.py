"""Random numbers that are the same in every version of TensorFlow."""

import importlib.util
import numbers
import random
import sys
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from ..sessions import graph_variables, step_order
from . import order, queues

PINNED_SEED = 87654321  # TensorFlow's own DEFAULT_GRAPH_SEED: ops with a seed keep their stream

_BITS_OF_NUMBER = 20  # of a seed; the others tell the replica
_QUEUES = (".python.ops.data_flow_ops", ".python.training.input")  # string_input_producer too
_ON_THE_WAY = (".ops.random_ops", ".util.dispatch", ".util.traceback_utils", ".util.deprecation")
_CONTROL_FLOW_GRAPHS = ("CondBranchFuncGraph", "WhileCondFuncGraph", "WhileBodyFuncGraph")


class _Given:
    """A seed that was given for an operation to be made."""

    def __init__(self, graph: Any, seed: int) -> None:
        self._graph, self._seed = graph, seed
        self._is_kept = _keeps_operations(graph)
        self._made = len(graph.get_operations()) if self._is_kept else 0

    def is_taken(self) -> bool:
        """Returns whether an operation has it; of eager ones nobody knows."""
        if not self._is_kept:
            return True
        later = self._graph.get_operations()[self._made :]
        return any(op.node_def.attr["seed2"].i == self._seed for op in later if _is_random(op))


def _keeps_operations(graph: Any) -> bool:
    from tensorflow.python.eager import context

    return not context.executing_eagerly() or type(graph).__name__ == "FuncGraph"


def _is_random(operation: Any) -> bool:
    return "seed2" in operation.node_def.attr


def graph_seeds(graph: Any) -> Dict[str, Dict[str, int]]:
    """Returns the graph-level seeds that a program gave its random operations (pinned here).

    By ``own`` and ``other``, operations with a seed of their own and those without, how many have
    each seed, as text; "" is none.
    """
    counts: Dict[str, Dict[str, int]] = {"own": {}, "other": {}}
    last = getattr(graph, "_tfmigrate_seeds", {})
    for key, seed in getattr(graph, "_tfmigrate_graph_seeds", {}).items():
        kind = "own" if key[0] == "own" else "other"
        stream, number = key
        is_last = kind == "other" and number == graph._tfmigrate_operations[stream]
        if is_last and not last[stream].is_taken():
            continue  # requested for an operation that was not made
        text = "" if seed is None else str(seed)
        counts[kind][text] = counts[kind].get(text, 0) + 1
    return counts


def own_seeds(graph: Any) -> Dict[str, int]:
    """Returns the seeds that a program gave operations of a graph themselves, by their names."""
    seeds = {}
    operations = graph.get_operations()
    for op_count, seed in getattr(graph, "_tfmigrate_own", ()):
        operation = next(((op for op in operations[op_count:] if _is_random(op))), None)
        if operation is not None and operation.node_def.attr["seed2"].i == seed:
            seeds[operation.name] = seed
    return seeds


def replica_of(operation: Any) -> int:
    """Returns the replica that an op was seeded for; 0 where the program gave its seed."""
    stream, number = divmod(int(operation.node_def.attr["seed2"].i), 1 << _BITS_OF_NUMBER)
    counts = getattr(operation.graph, "_tfmigrate_operations", {})
    return stream // 2 if 1 <= number <= counts.get(stream, 0) else 0


def _is_of_input(frame: Any) -> bool:
    """Whether tf.data or a queue asks for a seed, itself or by an op of ``random_ops``."""
    name = str(frame.f_globals.get("__name__"))
    if ".python.data." in name:
        return True
    while frame.f_back is not None and name.endswith(_ON_THE_WAY):
        frame = frame.f_back
        name = str(frame.f_globals.get("__name__"))
    return name.endswith(_QUEUES)


class _Eager:
    """Has what a graph has of its numbers, for operations of no graph."""


class PinnedRandomness:
    """Seeds ops by the order in which each replica makes them.

    Towers are built one after the other, replicas alternately: the running number is kept for each
    graph and each replica (semantics.md, 5). Input pipelines count separately: further
    seeds that a version of tf.data requests do not shift those of the model, nor does a queue that
    the migrated program has no more. Operations count, not
    requests: TensorFlow 2 requests a seed for a dropout of rate 0 too, which makes none.
    """

    def __init__(self, get_replica_context: Callable[[], Any]) -> None:
        self._get_replica_context = get_replica_context
        self.operations: Dict[int, int] = {}
        self.draws = order.Draws()
        self._eager = _Eager()  # has the numbers of operations that are executed at once
        self.replicas_are_workers = False  # then each process has one, and it counts from 0
        self.tower: Callable[[], Optional[int]] = lambda: None  # where no scope has its number

    def install(self) -> None:
        """Replaces ``random_seed.get_seed`` and seeds the global generators."""
        from tensorflow.python.framework import random_seed

        random.seed(PINNED_SEED)
        np.random.seed(PINNED_SEED)
        random_seed.get_seed = self.get_seed
        order.keep_shuffle_order()
        order.run_loops_in_order()
        order.fill_queues_by_one_thread()
        queues.shuffle_full_ones()
        step_order.read_step_before_it_counts()
        order.seed_what_the_clock_would(self.get_seed)
        order.leave_seeds_of_keras_open()
        self.draws.install()
        if importlib.util.find_spec("tf_keras") is None:
            return
        try:
            from tf_keras.src import backend
        except ImportError:
            return  # not made for this TensorFlow: a program cannot use it either
        # tf.layers of TensorFlow 2 draws initial values by other ops than that of 1.x.
        generator = backend.RandomGenerator
        generator._set_rng_type = _use_stateful_ops

    def get_seed(self, op_seed: Any) -> Tuple[int, Any]:
        """Returns the graph's and the op's seed, as ``random_seed.get_seed`` does."""
        from tensorflow.python.framework import ops

        self.draws.count += 1
        present = ops.get_default_graph()
        replica, graph = self.place(present)
        if not _keeps_operations(present):
            # Keras 2 may draw eagerly while a program's graph is the default one.
            graph = self._eager
        if not hasattr(graph, "_tfmigrate_graph_seeds"):
            graph._tfmigrate_graph_seeds = {}
        of_graph = getattr(present, "seed", None)
        if op_seed is not None:
            graph._tfmigrate_graph_seeds["own", len(graph._tfmigrate_graph_seeds)] = of_graph
            if isinstance(op_seed, numbers.Integral) and graph is present:
                own = getattr(graph, "_tfmigrate_own", [])
                graph._tfmigrate_own = [*own, (len(present.get_operations()), int(op_seed))]
            return PINNED_SEED, op_seed
        stream = 2 * replica + _is_of_input(sys._getframe(1))
        counts = getattr(graph, "_tfmigrate_operations", None)
        if counts is None:
            counts = graph._tfmigrate_operations = {}
            graph._tfmigrate_seeds = {}
        last = graph._tfmigrate_seeds.get(stream)  # the seed that was given last
        if stream % 2 or last is None or last.is_taken():
            counts[stream] = counts.get(stream, 0) + 1
            self.operations[replica] = self.operations.get(replica, 0) + 1
        seed = (stream << _BITS_OF_NUMBER) + counts[stream]
        graph._tfmigrate_seeds[stream] = _Given(present, seed)
        graph._tfmigrate_graph_seeds[stream, counts[stream]] = of_graph
        return PINNED_SEED, seed

    def place(self, graph: Any) -> Tuple[int, Any]:
        """Returns the replica that is being built and the graph that its ops count in."""
        replica = self._replica_of_strategy()
        while True:
            scope = graph_variables.SCOPE_OF_REPLICA.search(graph.get_name_scope())
            if replica is None and scope:
                replica = int(scope.group(1))
            if type(graph).__name__ not in _CONTROL_FLOW_GRAPHS:
                return (self.tower() or 0) if replica is None else replica, graph
            graph = graph.outer_graph

    def _replica_of_strategy(self) -> Optional[int]:
        if self.replicas_are_workers:
            return 0
        context = self._get_replica_context()
        if context is None or context.strategy.num_replicas_in_sync == 1:
            return None  # one replica, or variables being created for all of them
        replica = context._replica_id_in_sync_group
        return replica if isinstance(replica, int) else None  # a tensor in 1.x: scope decides


def _use_stateful_ops(generator: Any, rng_type: Any = None, **_options: Any) -> None:
    """Stands in for ``RandomGenerator._set_rng_type`` of tf_keras."""
    generator._rng_type = generator.RNG_LEGACY_STATEFUL
