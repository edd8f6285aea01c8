"""The checkpoint of a program's first step, and another program's checkpoint restored in it.

Both are done by the program's own ``tf.train.Saver`` (the one with most variables, if it has
several), with the ops that ``save`` and ``restore`` run, so that its lists of checkpoints and its
files are left alone.

* ``meta["checkpoint"]``: ``{"step": int, "tensors": {name: [dtype, shape]}, "unsaved": [name]}`` of
  a checkpoint that is written after the first step, with the variables that its Saver leaves out,
  or ``{"reason": str}``; ``written/<name>`` are those of its
  tensors that are no variables by their names.
* ``meta["restored"]``: ``{"error": str or null}`` or ``{"reason": str}`` if another program's
  checkpoint was to be restored, before the first step, or after the program in a new session on
  the graph of its first step. ``checkpoint/<name>`` is what it holds, ``restored/<name>`` are the
  variables after it. They get their own values back then.

Private names of TensorFlow that are touched: ``training.saver.Saver._var_list``, the variables that
a Saver was made for, which the public SaverDef does not list; the options of a session,
``client.session.BaseSession._config``.
"""

import json
import os
import re
import shutil
import tempfile
import time
from typing import Any, Callable, Collection, Dict, List, Optional

import numpy as np

from ..program import wrapping
from ..sessions import graph_variables

_POLL_SECONDS = 0.05
_WRONG = re.compile(r"not found in checkpoint|shape|dtype|data type")
# What a tf.train.Checkpoint writes about its objects: each version of TensorFlow writes others.
_OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_NO_SAVER = "it creates no tf.train.Saver before its first step"
_PARTS = "its checkpoints have only parts of %s"
_ON_READ = "its SyncOnRead variables would need all workers to write together"


class PartsError(Exception):
    """A checkpoint has only parts of a tensor: slots of a partitioned variable may be saved so."""


class Checkpoints:
    """Writes the first step's checkpoint, and restores another one before it.

    Attributes:
        stop: called after a checkpoint was restored; None to go on.
        about: entries of ``meta``.
        arrays: arrays of the trace.
        in_cluster: whether this is one process of several.
    """

    def __init__(self, target: Optional[str], source: Optional[str]) -> None:
        """Takes the checkpoints to write and to restore.

        Args:
            target: the path of the checkpoint to be written, None to keep none.
            source: a checkpoint, or a trace (.npz) that contains one.
        """
        self._target, self._source = target, source
        self.stop: Optional[Callable[[], None]] = None
        self.about: Dict[str, Any] = {}
        self.arrays: Dict[str, Any] = {}
        self.in_cluster = False
        self.restored_from: Any = None  # the last checkpoint that the program itself restored
        self._first: Any = None  # graph and options of the session that made the first step

    def install(self) -> None:
        """Notes the Savers that a program makes, on their graphs."""
        from tensorflow.python.framework import ops
        from tensorflow.python.training import saver

        def note_saver(this: Any) -> None:
            graph = ops.get_default_graph()
            graph._tfmigrate_savers = getattr(graph, "_tfmigrate_savers", []) + [this]

        def note_path(_result: Any, _saver: Any, sess: Any, save_path: Any) -> None:
            self.restored_from = os.fspath(save_path) if save_path else None

        wrapping.on_creation(saver.Saver, note_saver)
        wrapping.after(saver.Saver, "restore", note_path)

    def resumed(self) -> Optional[str]:
        """Returns which checkpoint the program resumed from, in words; None for none."""
        path = self.restored_from
        if not path:
            return None
        try:
            step = step_of(str(path))
        except Exception:  # of any kind: it is only for a message
            return None
        if not step:
            return None
        return "%s contained a checkpoint of step %d" % (os.path.dirname(str(path)) or ".", step)

    def save(self, session: Any, step: int, known: Collection[str]) -> None:
        """Writes a checkpoint of a session and notes what is in it.

        Args:
            session: the raw session.
            step: the global step.
            known: the variables that the trace has the values of.
        """
        self._first = session.graph, session._config
        definition = _saver_def(session.graph)
        reason = self._why_not(session.graph, definition)
        if reason is not None:
            self.about["checkpoint"] = {"reason": reason}
            return
        folder = None if self._target else tempfile.mkdtemp(prefix="tfmigrate-checkpoint-")
        path = self._target or os.path.join(str(folder), "checkpoint")
        try:
            written = session.run(
                definition.save_tensor_name, {definition.filename_tensor_name: path}
            )
            stored = contents(written.decode() if isinstance(written, bytes) else str(written))
        except PartsError as error:
            self.about["checkpoint"] = {"reason": _PARTS % error}
            return
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
        # Parts of variables and their slots have other names in checkpoints.
        others = {"written/" + name: v for name, v in stored.items() if name not in known}
        self.arrays.update(others)
        self.about["checkpoint"] = {
            "step": step,
            "unsaved": _unsaved(session.graph, known),
            "tensors": {
                name: [value.dtype.name, list(value.shape)] for name, value in stored.items()
            },
        }

    def restore(self, session: Any, variables: Any, read: Callable[..., Dict[str, Any]]) -> None:
        """Restores the other program's checkpoint, records the values, and undoes it.

        Args:
            session: the raw session, its variables initialised.
            variables: the GraphVariables of its graph.
            read: returns the values of variables in a session.
        """
        if self._source is None:
            return
        definition = _saver_def(session.graph)
        reason = self._why_not(session.graph, definition)
        folder = tempfile.mkdtemp(prefix="tfmigrate-checkpoint-")
        path = self._source
        try:
            if reason is None and path.endswith(".npz"):
                path = os.path.join(folder, "checkpoint")
                reason = write_from_trace(self._source, path)
            if reason is not None:
                self.about["restored"] = {"reason": reason}
            else:
                self._restore(session, variables, read, definition, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if self.stop is not None:
            self.stop()

    def restore_when_asked(
        self, request: str, initial: Dict[str, Any], write: Callable[[str], None]
    ) -> None:
        """Waits, after the program, for a checkpoint to restore.

        Args:
            request: a file that will have two lines: the checkpoint, and the trace to write.
            initial: the values that variables started from.
            write: writes the trace.
        """
        from tensorflow.python.client import session

        parent = os.getppid()
        while not os.path.exists(request):
            if os.getppid() != parent:
                return
            time.sleep(_POLL_SECONDS)
        with open(request) as stream:
            self._source, target = stream.read().splitlines()
        if self._first is None:
            return
        graph, config = self._first
        variables = graph_variables.variables_of(graph)
        with session.Session(graph=graph, config=config) as own:
            graph_variables.load(own, [(each, initial[each.name]) for each in variables])
            self.restore(own, variables, graph_variables.read)
        write(target)

    def _restore(
        self, session: Any, variables: Any, read: Callable[..., Any], definition: Any, path: str
    ) -> None:
        from tensorflow.python.framework import errors

        before = read(session, variables)
        error = None
        try:
            session.run(definition.restore_op_name, {definition.filename_tensor_name: path})
        except (errors.OpError, ValueError) as failure:
            error = _essence(str(failure))
        after = read(session, variables)
        changed = [v for v in variables if after[v.name].tobytes() != before[v.name].tobytes()]
        graph_variables.load(session, [(each, before[each.name]) for each in changed])
        self.about["restored"] = {"error": error}
        self.arrays.update({"checkpoint/" + name: v for name, v in contents(path).items()})
        self.arrays.update({"restored/" + name: value for name, value in after.items()})

    def _why_not(self, graph: Any, definition: Any) -> Optional[str]:
        if definition is None:
            return _NO_SAVER
        if self.in_cluster and any(
            "SyncOnRead" in type(variable).__name__
            for variable in graph.get_collection("variables")
        ):
            return _ON_READ
        return None


def _essence(message: str) -> str:
    """Returns the line of a TensorFlow error that names the cause."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return ([line for line in lines if _WRONG.search(line)] or lines or ["it failed"])[0]


def _saver_def(graph: Any) -> Any:
    """Returns the SaverDef of the Saver with most variables; None where there is none."""
    saver = _saver(graph)
    return None if saver is None else saver.saver_def


def _unsaved(graph: Any, known: Collection[str]) -> List[str]:
    """Returns the variables, of those that are known, that the Saver leaves out.

    None are returned where it was made for other things than variables.
    """
    saveables = _saver(graph)._var_list
    waiting = list(saveables.values()) if isinstance(saveables, dict) else list(saveables)
    saved = set()
    for item in waiting:
        if isinstance(item, (list, tuple)):
            waiting += list(item)
        elif hasattr(type(item), "_get_variable_list"):  # one with a partitioner
            waiting += list(item._get_variable_list())
        elif hasattr(type(item), "initializer"):  # reading it of copies may add ops
            saved.add(item.name.split(":")[0])
        else:
            return []
    return sorted(set(known) - saved)


def _saver(graph: Any) -> Any:
    savers = list(graph.get_collection("savers")) + getattr(graph, "_tfmigrate_savers", [])
    built = [saver for saver in savers if getattr(saver, "saver_def", None) is not None]
    counts = [len(getattr(saver, "_var_list", None) or ()) for saver in built]
    return None if not any(counts) else built[counts.index(max(counts))]


def contents(path: str) -> Dict[str, Any]:
    """Returns the tensors of a checkpoint by name, without the graph of a tf.train.Checkpoint.

    Raises:
        PartsError: it has only parts of some.
    """
    import tensorflow as tf

    reader = getattr(tf.compat, "v1", tf).train.NewCheckpointReader(path)  # no v1 before 1.13
    tensors = {}
    for name in sorted(set(reader.get_variable_to_shape_map()) - {_OBJECT_GRAPH}):
        try:
            tensors[name] = np.asarray(reader.get_tensor(name))  # a single string is bytes
        except (tf.errors.InvalidArgumentError, ValueError) as error:  # 2.x: ValueError
            if "sufficient slices" not in str(error):
                raise
            raise PartsError(name) from error
    return tensors


def step_of(path: str) -> Optional[int]:
    """Returns the global step in a checkpoint, None if it has none."""
    import tensorflow as tf

    reader = getattr(tf.compat, "v1", tf).train.NewCheckpointReader(path)  # no v1 before 1.13
    return int(reader.get_tensor("global_step")) if reader.has_tensor("global_step") else None


def write_from_trace(trace: str, path: str) -> Optional[str]:
    """Writes the checkpoint in a trace; returns why it cannot, None where it can.

    Names are those that were in the checkpoint, values those of the variables at that step.
    """
    from tensorflow.python.client import session
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import array_ops, gen_io_ops

    with np.load(trace, allow_pickle=False) as stored:
        about = json.loads(str(stored["meta"])).get("checkpoint")
        if about is None or "reason" in about:
            return (about or {}).get("reason") or "its trace does not contain its checkpoint"
        rows = [i for i, step in enumerate(stored["variable_step"]) if step == about["step"]]
        tensors = {}
        for name, (dtype, shape) in sorted(about["tensors"].items()):
            value = stored["written/" + name] if "written/" + name in stored.files else None
            if value is None and rows and "variable/" + name in stored.files:
                value = stored["variable/" + name][rows[0]]
            if value is None or [value.dtype.name, list(value.shape)] != [dtype, shape]:
                return "its trace does not contain %s of its checkpoint" % name
            tensors[name] = value
    graph = ops.Graph()
    with graph.as_default(), session.Session(graph=graph) as own:
        # Fed, since a graph holds no constants of more than 2 GiB.
        fed = [array_ops.placeholder(value.dtype, value.shape) for value in tensors.values()]
        saved = gen_io_ops.save_v2(path, list(tensors), [""] * len(fed), fed)
        values = list(tensors.values())
        own.run(saved, {tensor: values[i] for i, tensor in enumerate(fed)})
    return None
