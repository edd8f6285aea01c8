"""The files that a program writes (summaries, checkpoints), and the calls of its hooks.

``meta["written"]`` has

* ``events``: of each summary that a FileWriter wrote ``[folder, tag, kind, step, timed]``; the kind
  is "scalar", "speed" (of a StepCounterHook: its values are not comparable), "state" (a number that
  depends on variables only: it may be read before or after the step), "image", "histo", "audio" or
  "tensor". ``event_values``, float64, has a number for each, NaN where it is not a scalar.
* ``saves``: of each checkpoint that a Saver wrote ``{"folder", "name", "steps" (made before),
  "timed", "tensors" (names)}``; ``saved/<i>/<tensor>`` are those of its tensors that differed from
  the values after the last step; ``left_out`` is how many of these were too large to keep.
* ``kept``: the names of the checkpoints that exist at the end, by folder.
* ``hooks``: how often hooks were called after a run, by the name of the class; those of the program
  and of TensorFlow's the two that only print or profile.

``timed`` is whether a timer or threads that fill a queue decided, as in hooks that act every few
seconds. Folders are relative to that of ``{out}`` or the current one.

Private names of TensorFlow that are touched: ``summary.writer.event_file_writer.EventFileWriter``,
by which all FileWriters write; ``training.monitored_session._MonitoredSession``, to which hooks are
given; ``_timer._every_secs`` of hooks, the seconds that they wait.
"""

import os
import sys
import threading
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import numpy as np

from ... import shared
from ..program import run_names, scripts, wrapping
from ..sessions import graph_variables
from . import checkpoints

MOST_SAVED = 1 << 26  # bytes of tensors in checkpoints that are kept
_READS = ("Placeholder", "Iterator", "Queue", "Reader", "Random", "If", "StatelessIf", "PyFunc")
_KINDS = ("image", "histo", "audio", "tensor")
_COUNTED = ("LoggingTensorHook", "ProfilerHook")


class Written:
    """Records what a program writes."""

    def __init__(self, trace: Any, scratch: Optional[str]) -> None:
        """Takes the trace to record to, and the folder that replaces ``{out}``."""
        self._trace, self._scratch = trace, scratch
        self._events: List[List[Any]] = []
        self._values: List[float] = []
        self._saves: List[Dict[str, Any]] = []
        self._saved: Dict[str, Any] = {}
        self._bytes, self._left_out = 0, 0
        self._folders: Dict[str, str] = {}  # of checkpoints: what they are called, where they are
        self._hooks: Dict[str, int] = {}
        self._by_clock: Set[str] = set()  # tags of summaries that threads decide on
        self._of_state: Set[str] = set()  # and of those that depend on nothing but variables
        self._lock = threading.Lock()

    def install(self) -> None:
        """Wraps writers of events, Savers and sessions with hooks."""
        run_names.install()
        from tensorflow.python.ops import gen_logging_ops
        from tensorflow.python.summary.writer import event_file_writer
        from tensorflow.python.training import monitored_session, saver

        def note_save(path: Any, _saver: Any, sess: Any, *_arguments: Any, **_options: Any) -> None:
            if path:
                self._add_save(sess, path)

        def note_hooks(_session: Any, session_creator: Any, hooks: Any, *_: Any, **__: Any) -> None:
            for hook in hooks or ():
                self._count(type(hook))

        def note_tag(tags: Any, values: Any, *_arguments: Any, **_options: Any) -> None:
            if isinstance(tags, str):
                kinds = {getattr(one, "type", "") for one in _ancestors(values)}
                if any(kind.startswith("QueueSize") for kind in kinds):
                    self._by_clock.add(tags)
                elif not any(kind.startswith(_READS) for kind in kinds):
                    self._of_state.add(tags)

        wrapping.before(gen_logging_ops, "scalar_summary", note_tag)
        wrapping.before(event_file_writer.EventFileWriter, "add_event", self._add_event)
        wrapping.after(saver.Saver, "save", note_save)
        wrapping.before(monitored_session._MonitoredSession, "__init__", note_hooks)

    def _add_event(self, writer: Any, event: Any) -> None:
        if not event.HasField("summary") or len(self._events) >= shared.MOST_EVENTS:
            return
        timed, speed = _decided_by_clock()
        place = scripts.place_of(writer.get_logdir(), self._scratch)
        with self._lock:
            for value in event.summary.value:
                kind = next((kind for kind in _KINDS if value.HasField(kind)), "scalar")
                self._values.append(value.simple_value if kind == "scalar" else float("nan"))
                if kind == "scalar" and (speed or value.tag in self._of_state):
                    kind = "speed" if speed else "state"
                by_clock = timed or value.tag in self._by_clock
                self._events.append([place, value.tag, kind, int(event.step), by_clock])

    def _add_save(self, session: Any, path: Any) -> None:
        path = path.decode() if isinstance(path, bytes) else str(path)
        place = scripts.place_of(os.path.dirname(path), self._scratch)
        try:
            tensors = checkpoints.contents(path)
        except Exception:  # noqa: BLE001 - a program that reads it no more must not fail by this
            tensors = {}
            self._left_out += 1
        steps = self._trace.step_count
        number, known = len(self._saves), self._values_of(session)
        name = run_names.lasting(os.path.basename(path))
        if self._trace.saves_again:  # with values that the recorder gave to variables
            same = [i for i, one in enumerate(self._saves) if _is_of(one, place, name)]
            number, known = (same or [number])[-1], {}
            steps = self._saves[number]["steps"] if same else steps
            self._forget(number)
        for tensor, value in tensors.items():
            same = [one for one in known.get(tensor, ()) if one.tobytes() == value.tobytes()]
            if same:
                continue
            if self._bytes + value.nbytes > MOST_SAVED:
                self._left_out += 1
                continue
            self._bytes += value.nbytes
            self._saved["saved/%d/%s" % (number, tensor)] = value
        self._folders[place] = os.path.dirname(path)
        about = {
            "folder": place,
            "name": name,
            "steps": steps,
            "timed": _decided_by_clock()[0],
            "tensors": sorted(tensors),
        }
        self._saves[number : number + 1] = [about]

    def _forget(self, number: int) -> None:
        """Removes the tensors that were recorded of a save."""
        prefix = "saved/%d/" % number
        for key in [key for key in self._saved if key.startswith(prefix)]:
            self._bytes -= self._saved.pop(key).nbytes

    def _values_of(self, session: Any) -> Dict[str, List[Any]]:
        """Returns values of variables that the trace has: after the last step, or at the start."""
        graph = getattr(session, "graph", None)
        if graph is None:
            return {}
        shapes = {v.name: v.shape for v in graph_variables.variables_of(graph)}
        for model in self._trace.models:
            if model.shapes == shapes and model.sessions:
                if model.steps and model.variable_steps[-1:] == model.steps[-1:]:
                    return {name: [value] for name, value in model.held.items()}
                return {} if model.steps else {n: [v] for n, v in model.initial.items()}
        return {}

    def _count(self, kind: Any) -> None:
        """Counts the calls of hooks of a class, if it is the program's own or in _COUNTED."""
        name = kind.__name__
        package = str(kind.__module__).split(".")[0]
        if (scripts.is_library(package) and name not in _COUNTED) or name in self._hooks:
            return
        self._hooks[name] = 0

        def count(this: Any, *_arguments: Any, **_options: Any) -> None:
            if type(this) is kind:
                self._hooks[name] += 1

        wrapping.before(kind, "after_run", count)

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays for the trace."""
        return dict(self._saved, event_values=np.asarray(self._values, np.float64))

    def meta(self) -> Dict[str, Any]:
        """Returns the entries for ``meta``."""
        for name in self._trace.hooks_passed_over:
            if name in self._hooks:
                self._hooks[name] += 1
        checkpoints_left = {
            place: _checkpoints_in(folder) for place, folder in self._folders.items()
        }
        return {
            "written": {
                "events": self._events,
                "saves": self._saves,
                "left_out": self._left_out,
                "kept": checkpoints_left,
                "hooks": self._hooks,
            }
        }


def _ancestors(value: Any) -> Iterator[Any]:
    operation = getattr(value, "op", None)
    return iter(()) if operation is None else graph_variables.run_by([operation], control=False)


def _checkpoints_in(folder: str) -> List[str]:
    if not os.path.isdir(folder):
        return []
    ends = (".index", ".meta")
    names = {os.path.splitext(name)[0] for name in os.listdir(folder) if name.endswith(ends)}
    return sorted(map(run_names.lasting, names))


def _decided_by_clock() -> Tuple[bool, bool]:
    """Returns whether a clock decided that something is written now, and whether it is a speed."""
    if threading.current_thread() is not threading.main_thread():
        return True, False  # a thread of a Supervisor
    frame: Any = sys._getframe(2)
    while frame is not None:
        hook = frame.f_locals.get("self")
        timer = getattr(hook, "_timer", None)
        if timer is not None and frame.f_code.co_name in ("before_run", "after_run"):
            is_speed = any(kind.__name__ == "StepCounterHook" for kind in type(hook).__mro__)
            return getattr(timer, "_every_secs", None) is not None, is_speed
        frame = frame.f_back
    return False, False


def _is_of(save: Dict[str, Any], folder: str, name: str) -> bool:
    return bool(save["folder"] == folder and save["name"] == name)
