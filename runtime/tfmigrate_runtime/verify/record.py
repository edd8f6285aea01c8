"""Runs a TensorFlow program unchanged and records what its training computed.

    python record.py --out TRACE.npz [--replicas N] [--every K] [--initial-values TRACE0.npz]
                     script.py -- script arguments

Nothing of the project is imported but the files beside it (``record_*.py``): it runs inside the
user's interpreter, on Python 3.6 or newer and TensorFlow 1.12 to 2.21. The program is not edited;
TensorFlow is patched around it so that random numbers are the same in every version
(docs/semantics.md, 5), so that it finds N CPU devices where it looks for GPUs (or N GPUs, with
``--devices gpu:N``), and so that every training session is observed.
``{out}`` in the script's arguments becomes a fresh directory.

Exit code 0: the trace is written. 2: the program failed (its own traceback is on stderr) or never
trained; no trace is written.

The trace is an npz archive that needs no pickle: ``meta`` (JSON), ``step`` int64[T] and ``loss``
float64[T] after every training step, ``initial/<variable>``, ``variable_step`` int64[V] and
``variable/<variable>`` [V, ...] after the update, ``evaluation/<i>/<metric>`` and
``prediction/<i>/<key>``; ``drawn/<variable>`` is what a variable started from before it was given
the value of another trace. Variables carry their checkpoint names. ``record_batch.py`` and
``record_checkpoints.py`` have the keys of the first batch and of checkpoints.

``meta["calls"]`` lists what was called on Estimators, in the order in which the calls began:

* ``{"kind": "train", "before": int, "after": int, "steps": int or null, "max_steps": int or null}``
  with the global steps between which it trained; ``fit`` of contrib.learn is one too.
* ``{"kind": "evaluate", "step": int, "steps": int or null, "name": str or null}`` with the global
  step of the evaluated checkpoint.
* ``{"kind": "export", "step": int or null, "folder": str or null}`` with the global step of the
  exported checkpoint and the folder below model_dir, without the time.

A call that another of its kind makes (``export_savedmodel`` calls ``export_saved_model``) is part
of that one; a call that raised is left out.

Private names of TensorFlow that are touched, and why no public one does:

======================================================== =====================================
name (module tensorflow.python...)                       what for
======================================================== =====================================
framework.random_seed.get_seed                           the one place where an op gets its seed
distribute.distribution_strategy_context, distribute_lib which replica is being built:
(2.x) .get_replica_context, ._replica_id_in_sync_group   the public property adds an op
training.monitored_session._MonitoredSession.__init__    base of all monitored sessions
training.basic_session_run_hooks.NanTensorHook           `_loss_tensor`: the loss that is trained
training.basic_session_run_hooks.CheckpointSaverHook     `_get_saver`, `_save_path`: step 0 is saved
                                                         again once initial values were loaded
data.experimental.ops.optimization_options.               shuffle().repeat() is not fused in 1.x:
OptimizationOptions._static_optimizations                the fused op draws in another order
tf_keras.src.backend.RandomGenerator._set_rng_type       initial values of tf.layers on 2.x are
                                                         drawn by the ops of 1.x
framework.func_graph, ops.cond_v2, ops.while_v2          class names of control-flow graphs, whose
                                                         `outer_graph` the ops belong to in 1.x
distributed variables: `values`, `aggregation`           copies of one variable on the replicas
(tensorflow_estimator.python.estimator.estimator,        its calls are recorded: wrapped when the
tensorflow.python.estimator.estimator (1.12),            program imports the module, which is
tensorflow.contrib.learn.python.learn.estimators.        never imported for this
estimator (1.x), tfmigrate_runtime.estimator,
tfmigrate_runtime.learn,
tfmigrate_runtime.legacy.contrib.learn.estimator,
both of tfmigrate_vendored, which is a copy
).Estimator
======================================================== =====================================
"""

import sys

if __name__ == "__main__" and sys.path:
    # The first entry is this file's folder or the working directory: not what `python script.py`
    # would have, and modules beside this file would hide those of the standard library.
    del sys.path[0]

import argparse
import atexit
import functools
import hashlib
import importlib.util
import inspect
import json
import os
import platform
import random
import re
import runpy
import shutil
import tempfile
import traceback
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
)

if TYPE_CHECKING:
    from tfmigrate_runtime.verify import (
        record_batch,
        record_checkpoints,
        record_gpus,
        record_graph_copy,
        record_initial,
        record_order,
        record_threads,
    )
else:

    def _beside(name: str) -> Any:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
        spec = importlib.util.spec_from_file_location("tfmigrate_" + name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    record_batch = _beside("record_batch")
    record_checkpoints = _beside("record_checkpoints")
    record_gpus = _beside("record_gpus")
    record_initial = _beside("record_initial")
    record_graph_copy = record_initial.record_graph_copy
    record_order = _beside("record_order")
    record_threads = _beside("record_threads")

FORMAT_VERSION = 1
PINNED_SEED = 87654321  # TensorFlow's own DEFAULT_GRAPH_SEED: ops with a seed keep their stream
PREDICTION_ROWS = 64
FAILED = 2

_SCOPE_OF_REPLICA = re.compile(r"(?:^|/)(?:tower|replica)_(\d+)(?:/|$)")
_COPY_ON_REPLICA = re.compile(r"/replica_\d+$")
_CONTROL_FLOW_GRAPHS = ("CondBranchFuncGraph", "WhileCondFuncGraph", "WhileBodyFuncGraph")
_ESTIMATOR_MODULES = (
    "tensorflow_estimator.python.estimator.estimator",
    "tensorflow.python.estimator.estimator",
    "tensorflow.contrib.learn.python.learn.estimators.estimator",
    "tfmigrate_runtime.estimator",
    "tfmigrate_runtime.learn",
    "tfmigrate_vendored.estimator",
    "tfmigrate_vendored.learn",
    "tfmigrate_runtime.legacy.contrib.learn.estimator",
)
# The calls of an Estimator that are recorded, by the methods that make them.
_KINDS = {
    "train": "train",
    "fit": "train",
    "evaluate": "evaluate",
    "export_savedmodel": "export",
    "export_saved_model": "export",
}


class PinnedRandomness:
    """Seeds ops by the order in which each replica makes them.

    Towers are built one after the other, replicas in turns, so the running number is kept for each
    graph and each replica (docs/semantics.md, 5). Input pipelines count by themselves: what a
    version of tf.data asks for on the side does not shift the seeds of the model.
    """

    def __init__(self, get_replica_context: Callable[[], Any]) -> None:
        self._get_replica_context = get_replica_context
        self.operations: Dict[int, int] = {}
        self.draws = record_order.Draws()
        self.replicas_are_workers = False  # then each process has one, and it counts from 0
        self.tower: Callable[[], Optional[int]] = lambda: None  # where no scope has its number

    def install(self) -> None:
        """Replaces ``random_seed.get_seed`` and seeds the global generators."""
        import numpy as np
        from tensorflow.python.framework import random_seed

        random.seed(PINNED_SEED)
        np.random.seed(PINNED_SEED)
        random_seed.get_seed = self.get_seed
        record_order.keep_shuffle_order()
        record_order.run_loops_in_order()
        record_order.fill_queues_by_one_thread()
        record_order.seed_what_the_clock_would(self.get_seed)
        record_order.leave_seeds_of_keras_open()
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
        self.draws.count += 1
        if op_seed is not None:
            return PINNED_SEED, op_seed
        from tensorflow.python.framework import ops

        caller = str(sys._getframe(1).f_globals.get("__name__"))
        replica, graph = self._place(ops.get_default_graph())
        stream = 2 * replica + (".python.data." in caller)
        numbers = getattr(graph, "_tfmigrate_operations", None)
        if numbers is None:
            numbers = graph._tfmigrate_operations = {}
        numbers[stream] = numbers.get(stream, 0) + 1
        self.operations[replica] = self.operations.get(replica, 0) + 1
        return PINNED_SEED, (stream << 20) + numbers[stream]

    def _place(self, graph: Any) -> Tuple[int, Any]:
        """Returns the replica that is being built and the graph that its ops count in."""
        replica = self._replica_of_strategy()
        while True:
            scope = _SCOPE_OF_REPLICA.search(graph.get_name_scope())
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


class GraphVariable:
    """One variable of a graph under its checkpoint name, whatever holds it.

    Reads and writes use ops that every variable has, so the graph is not touched.
    """

    def __init__(self, variable: Any, trainable: bool) -> None:
        self.name = variable.name.split(":")[0]
        self.trainable = trainable
        sizes = variable.shape.as_list() if variable.shape.ndims is not None else [None]
        self.shape = [-1 if size is None else int(size) for size in sizes]  # validate_shape=False
        self.dtype = variable.dtype.base_dtype.name
        copies = getattr(variable, "values", None)
        self.copies = list(copies) if isinstance(copies, (list, tuple)) else [variable]
        aggregation = getattr(getattr(variable, "aggregation", None), "name", "NONE")
        on_read = "SyncOnRead" in type(variable).__name__ and len(self.copies) > 1
        # As a checkpoint of it would: copies that are only brought together on reading.
        self.combine = aggregation if on_read and aggregation in ("MEAN", "SUM") else "FIRST"

    @property
    def fetches(self) -> List[Any]:
        """What to fetch for :meth:`value`."""
        return self.copies if self.combine != "FIRST" else self.copies[:1]

    def value(self, fetched: Sequence[Any]) -> Any:
        """Returns the variable's value as an array that needs no pickle."""
        import numpy as np

        if self.combine == "FIRST":
            return storable(fetched[0])
        total = np.sum([np.asarray(copy) for copy in fetched], axis=0, dtype=np.float64)
        if self.combine == "MEAN":
            total = total / len(fetched)
        return total.astype(np.asarray(fetched[0]).dtype)

    def load(self, session: Any, value: Any) -> None:
        """Overwrites the variable, on all replicas."""
        for index, copy in enumerate(self.copies):
            part = value * 0 if self.combine == "SUM" and index else value
            assignment = record_graph_copy.assignment_of(copy)
            if assignment is None:
                raise RuntimeError("variable %s has no op that assigns it" % self.name)
            session.run(assignment, {assignment.inputs[1]: part})

    def initial_value(self) -> Any:
        """Returns the tensor that the initializer assigns, None where there is none."""
        assignment = record_graph_copy.assignment_of(self.copies[0], only_initializer=True)
        return None if assignment is None else assignment.inputs[1]


def storable(value: Any) -> Any:
    """Returns ``value`` as a NumPy array of a dtype that npz holds without pickle."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype == object:
        return np.asarray([bytes(item) for item in array.ravel()]).reshape(array.shape)
    if array.dtype.kind == "V":  # bfloat16 and the like
        return array.astype(np.float32)
    return array.copy()


def variables_of(graph: Any) -> List[GraphVariable]:
    """Returns the global variables of a graph, each once, in order of creation."""
    trainable = {id(variable) for variable in graph.get_collection("trainable_variables")}
    found: Dict[str, GraphVariable] = {}
    for variable in graph.get_collection("variables"):
        entry = GraphVariable(variable, id(variable) in trainable)
        if not _COPY_ON_REPLICA.search(entry.name):
            found.setdefault(entry.name, entry)
    return list(found.values())


def replicas_of(graph: Any) -> int:
    """Returns how many towers or replicas a graph has, by their name scopes."""
    scopes = (_SCOPE_OF_REPLICA.search(operation.name) for operation in graph.get_operations())
    # The first one has none.
    return max([int(scope.group(1)) for scope in scopes if scope], default=0) + 1


def fetch(session: Any, wanted: List[List[Any]]) -> Any:
    """Returns what ``session.run`` does; what it prepares it prepares once for each session.

    That is most of what a read of a small model costs.
    """
    prepared = session.__dict__.setdefault("_tfmigrate_prepared", {})
    key = tuple(id(tensor) for tensors in wanted for tensor in tensors)
    if key not in prepared:
        # Beside the callable what the ids belong to, so that they are not given again.
        prepared[key] = session.make_callable(wanted), wanted
    return prepared[key][0]()


def read(session: Any, variables: Sequence[GraphVariable]) -> Dict[str, Any]:
    """Returns the values of ``variables`` by name, read on the raw session."""
    fetched = fetch(session, [variable.fetches for variable in variables])
    return {entry.name: entry.value(fetched[index]) for index, entry in enumerate(variables)}


class Trace:
    """What one program's training computed."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.variables: List[GraphVariable] = []
        self.sessions: List[Dict[str, Any]] = []
        self.ignored: List[Dict[str, Any]] = []
        self.initial: Dict[str, Any] = {}
        self.steps: List[int] = []
        self.losses: List[float] = []
        self.variable_steps: List[int] = []
        self.values: Dict[str, List[Any]] = {}
        self.evaluations: List[Dict[str, Any]] = []
        self.predictions: List[List[Any]] = []
        self.calls: List[Dict[str, Any]] = []
        self.under_way: List[str] = []  # kinds of the calls that have not returned, outermost first
        self.steps_seen: List[int] = []  # global steps of the training that is under way
        self.origin: Dict[str, List[str]] = {"transferred": [], "pinned": [], "free": []}
        self.drawn: Dict[str, Any] = {}
        self.laws: Dict[str, Any] = {}  # what record_initial keeps of initializers
        self.is_chief = True
        self.tower_losses: List[List[float]] = []  # by step, where one machine trains several
        self.followed: Set[int] = set()  # ids of the sessions that a RecordHook follows
        self.about: Dict[str, Any] = {}  # what else goes into ``meta``
        self.batch: Optional[Dict[str, Any]] = None  # the first one, once a step was made
        self.checkpoints: Any = None  # a record_checkpoints.Checkpoints

    def begin_session(
        self, session: Any, step: int, loss_name: str
    ) -> Optional[Sequence[GraphVariable]]:
        """Takes the initial values in; returns the variables to follow, None for another model."""
        variables = variables_of(session.graph)
        shapes = {entry.name: entry.shape for entry in variables}
        summary: Dict[str, Any] = {
            "first_step": step,
            "loss": loss_name,
            "replicas": replicas_of(session.graph),
        }
        if self.sessions and shapes != {entry.name: entry.shape for entry in self.variables}:
            self.ignored.append(summary)
            return None
        if not self.sessions:
            if self.checkpoints is not None and step == 0:
                self.checkpoints.restore(session, variables, read)
            self.initial = read(session, variables)
            self.values = {name: [] for name in shapes}
            self.examine_initializers(variables)
        self.variables = variables
        self.sessions.append(summary)
        return variables

    def examine_initializers(self, variables: Sequence[GraphVariable]) -> None:
        """Notes what the initializers are, but where the variable starts as it should already."""
        if not self.is_chief:
            return
        found = [variable for variable in variables if variable.name not in self.origin["pinned"]]
        own = {**self.initial, **self.drawn}
        self.about["initializers"], self.laws = record_initial.examine(found, own)

    def add_step(
        self, step: int, loss: float, session: Any, variables: Sequence[GraphVariable]
    ) -> None:
        """Records one training step."""
        self.steps.append(step)
        self.losses.append(loss)
        if step == 1 or step % self.every == 0:
            self.add_values(session, variables)

    def add_values(self, session: Any, variables: Sequence[GraphVariable]) -> None:
        """Records all variables at the last step, once."""
        if not self.steps or self.variable_steps[-1:] == self.steps[-1:]:
            return
        self.variable_steps.append(self.steps[-1])
        for name, value in read(session, variables).items():
            self.values[name].append(value)
        if self.checkpoints is not None and len(self.variable_steps) == 1:
            self.checkpoints.save(session, self.steps[-1], self.values)

    def add_batch(self, first: Any, fetched: Sequence[Any], feeds: Any) -> None:
        """Records the first batch.

        Args:
            first: the FirstBatch of the losses.
            fetched: the values of its fetches.
            feeds: what the run was fed, by tensor.
        """
        self.batch = first.arrays(fetched, feeds)
        shapes = {name: list(array.shape) for name, array in self.batch.items()}
        self.about["batch"] = {"shapes": shapes, "reason": first.reason(self.batch)}

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays of the npz archive, without ``meta``."""
        import numpy as np

        arrays = {
            "step": np.asarray(self.steps, np.int64),
            "loss": np.asarray(self.losses, np.float64),
            "variable_step": np.asarray(self.variable_steps, np.int64),
        }
        for name, value in self.initial.items():
            arrays["initial/" + name] = value
            values = self.values[name]
            arrays["variable/" + name] = np.stack(values) if values else value[np.newaxis][:0]
        for name, value in self.drawn.items():
            arrays["drawn/" + name] = value
        arrays.update(self.laws)
        for name, value in (self.batch or {}).items():
            arrays["batch/" + name] = storable(record_batch.reduced(value))
        if self.checkpoints is not None:
            arrays.update({key: storable(v) for key, v in self.checkpoints.arrays.items()})
        if self.tower_losses:
            arrays["tower_loss"] = np.asarray(self.tower_losses, np.float64)
        for index, metrics in enumerate(self.evaluations):
            for name, value in metrics.items():
                arrays["evaluation/%d/%s" % (index, name)] = storable(value)
        for index, rows in enumerate(self.predictions):
            for name in rows[0] if rows else ():
                stacked = storable(np.stack([row[name] for row in rows]))
                arrays["prediction/%d/%s" % (index, name)] = stacked
        return arrays

    def write(self, path: str, meta: Dict[str, Any]) -> None:
        """Writes the archive whole or not at all."""
        import numpy as np

        meta.update(
            format=FORMAT_VERSION,
            every=self.every,
            variables=[
                {"name": v.name, "shape": v.shape, "dtype": v.dtype, "trainable": v.trainable}
                for v in self.variables
            ],
            sessions=self.sessions,
            ignored_sessions=self.ignored,
            evaluations=len(self.evaluations),
            predictions=[len(rows) for rows in self.predictions],
            calls=self.calls,
            **self.about,
            **self.origin,
            **(self.checkpoints.about if self.checkpoints is not None else {}),
        )
        folder = os.path.dirname(os.path.abspath(path))
        handle, temporary = tempfile.mkstemp(suffix=".npz", dir=folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                text = json.dumps(meta, sort_keys=True)
                np.savez_compressed(stream, meta=np.asarray(text), **self.arrays())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


class SessionHook:
    """The methods of ``tf.train.SessionRunHook``, none of which does anything."""

    def begin(self) -> None:
        """Called before the session is created."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called with the raw session once variables are initialised or restored."""

    def before_run(self, run_context: Any) -> Any:
        """Called before each ``run``; returns what to fetch besides."""

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after each ``run``."""

    def end(self, session: Any) -> None:
        """Called at the end of the session."""


def take_over(trace: Trace, values: Dict[str, Any], session: Any) -> List[str]:
    """Gives the variables of a session those of ``values`` that differ; returns their names."""
    drawn: Dict[str, Any] = {}
    variables = variables_of(session.graph)
    current = read(session, variables)
    origin: Dict[str, List[str]] = {"transferred": [], "pinned": [], "free": []}
    for variable in variables:
        wanted, present = values.get(variable.name), current[variable.name]
        if wanted is None or wanted.shape != present.shape or wanted.dtype != present.dtype:
            origin["free"].append(variable.name)
        elif wanted.tobytes() == present.tobytes():
            origin["pinned"].append(variable.name)
        else:
            variable.load(session, wanted)
            drawn[variable.name] = present
            origin["transferred"].append(variable.name)
    if not trace.sessions:  # later ones are other models, or go on
        trace.origin, trace.drawn = origin, drawn
    return origin["transferred"]


class RecordHook(SessionHook):
    """Follows one training session."""

    def __init__(
        self, trace: Trace, loss: Any, hooks: List[Any], values: Optional[Dict[str, Any]]
    ) -> None:
        """Takes what to follow.

        Args:
            trace: where to record it.
            loss: the loss that is trained.
            hooks: the other hooks of the session.
            values: what variables shall start from, None for what they start from.
        """
        self._trace = trace
        self._loss = loss
        self._hooks = hooks
        self._values = values
        self._step = 0
        self._variables: Optional[Sequence[GraphVariable]] = None
        self._first: Any = None  # the FirstBatch, while no step was made

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Takes the initial values in."""
        self._trace.followed.add(id(session))
        self._step = read_step(session)
        self._trace.steps_seen.append(self._step)
        # Not before the other hooks, which may load what the program starts from.
        taken = []
        if self._values is not None and self._step == 0:
            taken = take_over(self._trace, self._values, session)
        if taken:
            self._save_again(session)
        self._variables = self._trace.begin_session(session, self._step, self._loss.name)
        if self._trace.batch is None and self._variables is not None:
            self._first = record_batch.FirstBatch([self._loss])

    def _save_again(self, session: Any) -> None:
        """Lets the checkpoint of step 0, where there is one, have the values that were loaded."""
        import tensorflow as tf

        train = getattr(tf.compat, "v1", tf).train
        for hook in self._hooks:
            path = getattr(hook, "_save_path", None)
            if path and hasattr(hook, "_get_saver") and train.checkpoint_exists("%s-0" % path):
                hook._get_saver().save(session, path, global_step=0)

    def before_run(self, run_context: Any) -> Any:
        """Asks for the loss, and before the first step for the batch."""
        from tensorflow.python.training import session_run_hook

        batch = self._first.fetches if self._first is not None else []
        return session_run_hook.SessionRunArgs([self._loss] + batch)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Records the step, unless the run was none (a fetch of the program's own)."""
        step = read_step(run_context.session)
        self._trace.steps_seen[1:] = [step]
        if self._variables is None or step == self._step:
            return
        self._step = step
        loss = float(run_values.results[0])
        if self._first is not None:
            feeds = run_context.original_args.feed_dict
            self._trace.add_batch(self._first, run_values.results[1:], feeds)
            self._first = None
        self._trace.add_step(step, loss, run_context.session, self._variables)

    def end(self, session: Any) -> None:
        """Records the final values."""
        if self._variables is not None:
            self._trace.add_values(session, self._variables)


def read_step(session: Any) -> int:
    """Returns the global step.

    Raises:
        RuntimeError: The graph has none: its steps cannot be told apart.
    """
    steps = session.graph.get_collection("global_step")
    if not steps:
        raise RuntimeError("the training graph has no global step (tf.train.get_global_step)")
    return int(fetch(session, [GraphVariable(steps[0], False).fetches])[0][0])


def observe_sessions(trace: Trace, initial_values: Optional[Dict[str, Any]]) -> None:
    """Adds the hooks to every monitored session that trains."""
    from tensorflow.python.training import monitored_session

    owner = monitored_session._MonitoredSession
    original = owner.__init__

    @functools.wraps(original)
    def initialize(
        this: Any, session_creator: Any, hooks: Any, *arguments: Any, **options: Any
    ) -> None:
        hooks = list(hooks or ())
        losses = [hook._loss_tensor for hook in hooks if hasattr(hook, "_loss_tensor")]
        if losses:
            # Last: sees what other hooks did.
            hooks.append(RecordHook(trace, losses[0], list(hooks), initial_values))
        original(this, session_creator, hooks, *arguments, **options)

    owner.__init__ = initialize


class EstimatorImports:
    """Finds the modules of Estimators as all others are found, and wraps the class once loaded."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def install(self) -> None:
        """Wraps what is loaded, and what will be."""
        for name in _ESTIMATOR_MODULES:
            if name in sys.modules:
                observe_estimator(self._trace, sys.modules[name])
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Returns the spec that the other finders have, with a loader that wraps the class."""
        if name not in _ESTIMATOR_MODULES:
            return None
        others = (getattr(finder, "find_spec", None) for finder in sys.meta_path)
        specs = (find(name, path, target) for find in others if find and find != self.find_spec)
        spec = next((found for found in specs if found is not None), None)
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        original = loader.exec_module

        def exec_module(module: Any) -> None:
            original(module)
            observe_estimator(self._trace, module)

        loader.exec_module = exec_module
        return spec


def observe_estimator(trace: Trace, module: Any) -> None:
    """Wraps the recorded methods of a module's Estimator, in the classes that define them."""
    estimator = getattr(module, "Estimator", None)
    if estimator is None:
        return
    for name in list(_KINDS) + ["predict"]:
        owner = next((kind for kind in estimator.__mro__ if name in vars(kind)), None)
        if owner is None or hasattr(vars(owner)[name], "_tfmigrate_observed"):
            continue  # this Estimator has no such method, or another one shares it
        original = vars(owner)[name]
        if name == "predict":
            observed = _observed_predict(trace, original)
        else:
            observed = _observed_call(trace, original, _KINDS[name])
        observed._tfmigrate_observed = True
        setattr(owner, name, observed)


def _observed_call(trace: Trace, original: Callable[..., Any], kind: str) -> Any:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def observed(this: Any, *arguments: Any, **options: Any) -> Any:
        if trace.under_way[-1:] == [kind]:
            return original(this, *arguments, **options)
        try:
            given = signature.bind(this, *arguments, **options).arguments
        except TypeError:
            return original(this, *arguments, **options)  # says what is wrong with the arguments
        call: Dict[str, Any] = {"kind": kind}
        position = len(trace.calls)
        trace.calls.append(call)
        trace.under_way.append(kind)
        try:
            result = _made_call(trace, call, this, given, original, arguments, options)
        except BaseException:
            del trace.calls[position]
            raise
        finally:
            trace.under_way.pop()
        return result

    return observed


def _made_call(
    trace: Trace,
    call: Dict[str, Any],
    estimator: Any,
    given: Dict[str, Any],
    original: Callable[..., Any],
    arguments: Any,
    options: Dict[str, Any],
) -> Any:
    """Makes the call and records what is known before and after it."""
    folder = estimator.model_dir
    if call["kind"] == "train":
        call.update(steps=_number(given.get("steps")), max_steps=_number(given.get("max_steps")))
        found = step_of_checkpoint(folder)
        if found and trace.checkpoints is not None:
            import tensorflow as tf

            trace.checkpoints.restored_from = tf.train.latest_checkpoint(folder)
        trace.steps_seen = []
        result = original(estimator, *arguments, **options)
        # There was no session if the last step was reached before.
        seen = trace.steps_seen or [found or 0]
        call.update(before=seen[0], after=seen[-1])
    elif call["kind"] == "evaluate":
        call.update(steps=_number(given.get("steps")), name=given.get("name"))
        result = original(estimator, *arguments, **options)
        metrics = dict(result or {})
        call.update(step=_number(metrics.get("global_step")))
        trace.evaluations.append(metrics)
    else:
        call.update(
            step=step_of_checkpoint(folder, given.get("checkpoint_path")),
            folder=_folder_below(folder, given["export_dir_base"]),
        )
        result = original(estimator, *arguments, **options)
    return result


def _number(value: Any) -> Optional[int]:
    return None if value is None else int(value)


def _folder_below(folder: Any, path: Any) -> Optional[str]:
    """Returns ``path`` relative to ``folder``; None if it is not below it."""
    texts = [item.decode() if isinstance(item, bytes) else str(item) for item in (path, folder)]
    relative = os.path.relpath(*texts).replace(os.sep, "/")
    return None if relative.startswith("..") else relative


def step_of_checkpoint(folder: Any, path: Any = None) -> Optional[int]:
    """Returns the global step in a checkpoint, by default the latest; None if there is none."""
    import tensorflow as tf

    path = path or (folder and tf.train.latest_checkpoint(folder))
    return record_checkpoints.step_of(path) if path else None


def _observed_predict(trace: Trace, original: Callable[..., Any]) -> Any:
    @functools.wraps(original)
    def predict(this: Any, *arguments: Any, **options: Any) -> Any:
        if trace.under_way[-1:] == ["predict"]:
            return original(this, *arguments, **options)
        trace.under_way.append("predict")
        try:
            result = original(this, *arguments, **options)
        finally:
            trace.under_way.pop()
        single = options.get("yield_single_examples", len(arguments) < 5 or arguments[4])
        if hasattr(result, "__next__"):
            return _recorded_rows(trace, result, single and not options.get("iterate_batches"))
        trace.predictions.append(_rows_of(_named(result))[:PREDICTION_ROWS])
        return result

    return predict


def _recorded_rows(trace: Trace, predictions: Iterator[Any], single: Any) -> Iterator[Any]:
    rows: List[Any] = []
    trace.predictions.append(rows)
    while True:
        trace.under_way.append("predict")  # a generator in it would record the same again
        try:
            prediction = next(predictions)
        except StopIteration:
            return
        finally:
            trace.under_way.pop()
        for row in [_named(prediction)] if single else _rows_of(_named(prediction)):
            if len(rows) < PREDICTION_ROWS:
                rows.append(row)
        yield prediction


def _named(prediction: Any) -> Dict[str, Any]:
    return prediction if isinstance(prediction, dict) else {"predictions": prediction}


def _rows_of(batch: Dict[str, Any]) -> List[Dict[str, Any]]:
    length = min(len(values) for values in batch.values())
    return [{name: values[i] for name, values in batch.items()} for i in range(length)]


def sources_of(script: str) -> Dict[str, str]:
    """Returns the SHA-256 of the script and of the modules it loaded from its folder."""
    folder = os.path.dirname(os.path.abspath(script))
    paths = {os.path.abspath(script)}
    for module in list(sys.modules.values()):
        path = os.path.abspath(getattr(module, "__file__", None) or os.devnull)
        if path.startswith(folder + os.sep) and path.endswith(".py"):
            paths.add(path)
    paths.discard(os.path.abspath(__file__))
    digests = {}
    for path in sorted(paths):
        with open(path, "rb") as stream:
            digest = hashlib.sha256(stream.read()).hexdigest()
        digests[os.path.relpath(path, folder).replace(os.sep, "/")] = digest
    return digests


def folder_of(script: str, module: Optional[str] = None) -> str:
    """Returns the folder that a program's own modules are imported from.

    Args:
        script: its file.
        module: the name that the file has as a module, where ``python -m`` starts it.
    """
    folder = os.path.dirname(os.path.abspath(script))
    for _ in range(module.count(".") if module else 0):
        folder = os.path.dirname(folder)
    return folder


def run_program(script: str, arguments: List[str], module: Optional[str] = None) -> bool:
    """Runs the script as ``python script arguments`` would; returns whether it succeeded.

    A failing program leaves its traceback on stderr, without the frames of this file.

    Args:
        script: its file.
        arguments: its arguments.
        module: its name where ``python -m module arguments`` starts it, in the folder of its
            package.
    """
    sys.argv = [script] + arguments
    sys.path.insert(0, folder_of(script, module))
    try:
        if module:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        if isinstance(stop.code, str):
            sys.stderr.write(stop.code + "\n")
        # What tf.app.run() gets from main() ends up there: an object is no failure.
        return not stop.code or not isinstance(stop.code, (int, str))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        frames = error.__traceback__
        # Frames of this function and of runpy come first.
        while frames is not None and frames.tb_frame.f_code.co_filename in _OWN_FILES:
            frames = frames.tb_next
        traceback.print_exception(type(error), error, frames)
        return False
    return True


_OWN_FILES = (__file__, runpy.__file__, "<frozen runpy>")


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="record.py", description="Runs a TensorFlow program and records its training."
    )
    parser.add_argument(
        "--out", required=True, metavar="TRACE.npz", help="where to write the trace"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--replicas", type=int, metavar="N", help="run on N CPU devices")
    where.add_argument("--devices", metavar="DEVICES", help=record_gpus.HELP)
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="K",
        help="record variables at every K-th step (losses: at every step)",
    )
    parser.add_argument(
        "--threads", type=int, metavar="N", help="threads for the sums inside of an op"
    )
    parser.add_argument(
        "--initial-values", metavar="TRACE0.npz", help="start from the initial values of this trace"
    )
    parser.add_argument(
        "--checkpoint", metavar="PATH", help="write a checkpoint after the first step to PATH"
    )
    parser.add_argument(
        "--restore",
        metavar="PATH",
        help="restore this checkpoint, or the one that this trace (.npz) tells of, before training",
    )
    parser.add_argument(
        "--stop-after-restore", action="store_true", help="end the program after --restore"
    )
    parser.add_argument(
        "--scratch",
        metavar="DIR",
        help="what {out} in the script's arguments stands for (default: a temporary directory)",
    )
    parser.add_argument(
        "--legacy",
        action="store_true",
        help="give the program TensorFlow 1.x by tfmigrate_runtime.legacy, which must be installed",
    )
    parser.add_argument(
        "--module", metavar="NAME", help="the script's name as a module: python -m NAME starts it"
    )
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments, after --")
    return parser


def parse_arguments(
    arguments: Sequence[str], parser: argparse.ArgumentParser
) -> argparse.Namespace:
    """Parses the command line."""
    options = parser.parse_args(arguments)
    if options.arguments[:1] == ["--"]:
        del options.arguments[0]
    return options


def import_tensorflow() -> Tuple[Any, Callable[[], Any]]:
    """Returns TensorFlow and what tells the replica that is being built."""
    import tensorflow as tf

    try:
        if tf.__version__.startswith("2."):
            from tensorflow.python.distribute import distribute_lib as where
        else:
            from tensorflow.python.distribute import distribution_strategy_context as where
        return tf, where.get_replica_context
    except ImportError:  # 1.12 and before
        return tf, lambda: None


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Records one program; returns the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return record_program(parse_arguments(given, argument_parser()))


def record_program(options: argparse.Namespace, sessions: Any = None) -> int:
    """Records one program; returns the exit code.

    Args:
        options: the command line.
        sessions: what observes other sessions than those with a NanTensorHook: its
            ``install(trace, randomness, initial_values, write)`` is called before the program, its
            ``finish()`` after it. ``in_cluster`` is whether the program is one of several workers:
            then it observes all sessions, and a trace may have no steps.
    """
    devices = None
    try:
        if options.replicas:
            devices = record_gpus.Devices(options.replicas, "--replicas %d")
        elif options.devices:
            devices = record_gpus.chosen(options.devices)
    except record_gpus.DevicesError as error:
        sys.stderr.write("record.py: %s\n" % error)
        return FAILED
    try:
        import numpy as np

        if options.legacy:
            from tfmigrate_runtime import legacy
            from tfmigrate_runtime.legacy import devices as legacy_devices

            legacy.prepare()
        tf, get_replica_context = import_tensorflow()
    except ImportError as error:
        sys.stderr.write("record.py: %s: %s\n" % (sys.executable, error))
        return FAILED
    scratch = options.scratch
    if scratch is None and any("{out}" in argument for argument in options.arguments):
        scratch = tempfile.mkdtemp(prefix="tfmigrate-")
        atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    initial_values = None
    if options.initial_values:
        with np.load(options.initial_values, allow_pickle=False) as stored:
            initial_values = {
                key[len("initial/") :]: stored[key] for key in stored if key.startswith("initial/")
            }
    randomness = PinnedRandomness(get_replica_context)
    randomness.install()
    if devices is not None:
        try:
            if options.legacy:
                legacy_devices.install(devices, tf)
            else:
                devices.install(tf)
        except record_gpus.DevicesError as error:
            sys.stderr.write("record.py: %s\n" % error)
            return FAILED
        devices.record_on(tf)
        randomness.tower = devices.tower
    if options.threads:
        record_threads.set_threads(options.threads)
    trace = Trace(options.every)
    in_cluster = sessions is not None and sessions.in_cluster
    trace.is_chief = not in_cluster or sessions.is_chief
    if not in_cluster or sessions.is_chief:
        trace.checkpoints = record_checkpoints.Checkpoints(options.checkpoint, options.restore)
        trace.checkpoints.in_cluster = in_cluster
        trace.checkpoints.install()
    if not in_cluster:  # else the chief, which alone may have a NanTensorHook, would take no turns
        observe_sessions(trace, initial_values)
    EstimatorImports(trace).install()

    def write() -> None:
        trace.write(options.out, about_run(tf, options, devices, randomness))

    def stop() -> None:
        write()
        sys.stdout.flush()
        os._exit(0)  # whatever the program would do next, it shall not

    if options.stop_after_restore and trace.checkpoints is not None:
        trace.checkpoints.stop = stop
    if sessions is not None:
        sessions.install(trace, randomness, initial_values, write)
    arguments = [argument.replace("{out}", scratch or "") for argument in options.arguments]
    if options.legacy:
        legacy.serve()  # what runs from here on is the program's
    if not run_program(options.script, arguments, options.module):
        return FAILED
    if sessions is not None:
        sessions.finish()
    if not trace.steps and not in_cluster:
        resumed = trace.checkpoints.resumed()
        reason = "no session trained" if sessions is not None else _NO_STEP
        if resumed is not None:
            reason = "%s; %s" % (resumed, _FRESH)
        sys.stderr.write(
            "record.py: %s ended without a training step: %s\n" % (options.script, reason)
        )
        return FAILED
    write()
    return 0


_FRESH = (
    "to train from step 0 use a fresh folder: {out}, for example -- --model_dir {out}, or "
    "--fresh-folder"
)
_NO_STEP = (
    "no tf.train.MonitoredSession with a NanTensorHook (an Estimator's train has one) was run"
)


def about_run(
    tf: Any, options: argparse.Namespace, devices: Any, randomness: PinnedRandomness
) -> Dict[str, Any]:
    """Returns what ``meta`` says about the program and where it ran."""
    import numpy as np

    return {
        "tensorflow": tf.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "script": os.path.basename(options.script),
        "sources": sources_of(options.script),
        "args": options.arguments,
        "replicas": devices.replicas if devices else None,
        "legacy": options.legacy,
        "devices": {
            "replicas": devices.names if devices else [],
            "mapped": devices.mapped if devices else {},
        },
        "pinned_operations": {str(k): v for k, v in sorted(randomness.operations.items())},
    }


if __name__ == "__main__":
    sys.exit(main())
