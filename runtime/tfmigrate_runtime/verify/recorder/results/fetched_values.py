"""The values that a program fetches from its sessions.

Recorded is what a ``run`` or ``eval`` returns that the program itself calls in its main thread:
evaluations in a loop, predictions, the value of a variable. Those that make a training step, and
what hooks of the program ask for with one, are described in ``results/step_fetches.py``.

* ``meta["fetches"]``: ``forms``, of runs that are alike a list of ``[name, dtype, shape, count,
  is_sample]`` (what they return, and how many numbers of it are kept), ``runs``, a list of ``[steps
  made before, position in forms]``, and ``left_out``, how many more runs there were.
* ``fetched``: float64, the numbers of all runs one after the other. Of an array of more than
  MOST_NUMBERS its mean, standard deviation, least and greatest number, and evenly spaced ones. Text
  is kept as a checksum of its bytes.

What ops return that merge summaries is left out, and so are handles, sizes of queues and the time.

Private names of TensorFlow that are touched: ``training.monitored_session._MonitoredSession``, the
base of all monitored sessions, and ``client.session.BaseSession``, that of all others, whose
``run`` gets what a monitored session and its hooks ask for as a dictionary with the hooks as keys.
"""

import json
import sys
import threading
import zlib
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ..program import scripts, wrapping
from . import callables, step_fetches

MOST_NUMBERS = 1024  # of one array that are kept
MOST_RUNS = 20000
MOST_IN_ALL = 1 << 22
_STATISTICS = 4
# Modules that pass on the fetches of the program.
_ON_THE_WAY = (
    "tensorflow.python.client.session",
    "tensorflow.python.framework.ops",
    "tensorflow.python.framework.tensor",
    "tensorflow.python.ops.variables",
    "tensorflow.python.ops.ref_variable",
    "tensorflow.python.ops.resource_variable_ops",
    "tensorflow.python.training.monitored_session",
    # An evaluation by `slim.evaluation.evaluate_once`. That of an Estimator ends in its own module.
    "tensorflow.python.training.evaluation",
    "tensorflow.contrib.training.python.training.evaluation",
    "tensorflow.contrib.slim.python.slim.evaluation",
    "tf_slim.training.evaluation",
    "tf_slim.evaluation",
    "tensorflow.contrib.predictor.predictor",
    "tfmigrate_runtime.contrib.saved_model_predictor",
    "tfmigrate_runtime.compat.patches",  # which calls the next
    "tfmigrate_runtime.graphs.eager_code",  # `variable.eval()` in eager code
    callables.__name__,
)
# Sessions of the runtime, whose ``run`` passes fetches on.
_SESSIONS = (
    "tfmigrate_runtime.between_graph.sessions",
    "tfmigrate_runtime.coordinator.session",
    "tfmigrate_runtime.graphs.monitored",
    "tfmigrate_runtime.graphs.runner",
)
_HOOKS = "tensorflow.python.training.basic_session_run_hooks"
_LEFT_OUT = ("Timestamp", "QueueSize", "QueueSizeV2", "IteratorToStringHandle")


class Fetches:
    """Records what a program fetches."""

    def __init__(self, trace: Any, scratch: Optional[str]) -> None:
        """Takes the trace to record to, and the folder that replaces ``{out}``."""
        self._trace = trace
        self._scratch = (scratch or "").encode()
        self._training = step_fetches.StepFetches()
        self._inside = False
        self._asked_by_hooks: List[Tuple[Any, Any]] = []  # fetches and their result
        self._forms: Dict[str, int] = {}
        self._runs: List[Tuple[int, int]] = []
        self._numbers: List[Any] = []
        self._count, self._left_out = 0, 0

    def install(self) -> None:
        """Wraps sessions."""
        from tensorflow.python.client import session
        from tensorflow.python.training import monitored_session

        for kind in (session.BaseSession, monitored_session._MonitoredSession):
            wrapping.wrap(kind, "run", self._noting)

    def _noting(
        self, original: Any, this: Any, fetches: Any, *arguments: Any, **options: Any
    ) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return original(this, fetches, *arguments, **options)
        hooks = _hooks_of_program(fetches)
        if hooks:
            result = original(this, fetches, *arguments, **options)
            self._asked_by_hooks = [(fetches[hook], result[hook]) for hook in hooks]
            return result
        by_program = _called_by_program()
        is_monitored = hasattr(this, "run_step_fn")  # an Estimator calls it, with hooks
        if self._inside or not (by_program or is_monitored):
            return original(this, fetches, *arguments, **options)
        before = self._trace.step_count
        self._asked_by_hooks = []
        with wrapping.setting(self, "_inside", by_program):
            result = original(this, fetches, *arguments, **options)
        returned = [(fetches, result)] if by_program else []
        if self._trace.step_count == before:
            self._add(before, _numbers_of(returned, this.graph))
        else:
            returned += self._asked_by_hooks
            leaves = _numbers_of(returned, this.graph)
            fetched = _operations([fetches, *[each for each, _ in returned]], this.graph)
            self._add_step(before, leaves, fetched, this)
        return result

    def _add(self, steps: int, leaves: Sequence[Tuple[Any, Any]]) -> None:
        form, numbers = [], []
        for operation, array in leaves:
            recorded, is_sample = self._kept(array, MOST_NUMBERS)
            form.append([*described(operation, array), len(recorded), is_sample])
            numbers.append(recorded)
        if not form:
            return
        size = sum(len(recorded) for recorded in numbers)
        if len(self._runs) >= MOST_RUNS or self._count + size > MOST_IN_ALL:
            self._left_out += 1
            return
        self._count += size
        self._numbers += numbers
        self._runs.append((steps, self._forms.setdefault(json.dumps(form), len(self._forms))))

    def _add_step(self, steps: int, leaves: Any, fetched: List[Any], session: Any) -> None:
        most = step_fetches.MOST_NUMBERS
        values = [
            (operation, described(operation, array), self._kept(array, most)[0])
            for operation, array in leaves
        ]
        if values:
            self._training.add(steps, values, fetched, session)

    def _kept(self, array: Any, most: int) -> Tuple[Any, bool]:
        """Returns the numbers that are kept of an array, and whether they are not all."""
        if array.dtype.kind in "OSU":
            texts = [t if isinstance(t, bytes) else str(t).encode() for t in array.ravel().tolist()]
            if self._scratch:
                texts = [text.replace(self._scratch, b"{out}") for text in texts]
            return np.array([zlib.crc32(b"\0".join(texts))], np.float64), False
        flat = array.ravel().astype(np.float64)
        if flat.size <= most:
            return flat, False
        with np.errstate(all="ignore"):
            statistics = [flat.mean(), flat.std(), flat.min(), flat.max()]
        places = np.linspace(0, flat.size - 1, most - _STATISTICS).astype(np.int64)
        return np.concatenate([statistics, flat[places]]), True

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays for the trace."""
        fetched = np.concatenate(self._numbers or [np.zeros(0)])
        return dict(self._training.arrays(), fetched=fetched)

    def meta(self) -> Dict[str, Any]:
        """Returns the entries for ``meta``."""
        forms = [json.loads(form) for form in self._forms]
        entry = {"forms": forms, "runs": self._runs, "left_out": self._left_out}
        return dict(self._training.meta(), fetches=entry)


def described(operation: Any, array: Any) -> List[Any]:
    """Returns name, dtype and shape of a value."""
    kind = "text" if array.dtype.kind in "OSU" else array.dtype.name
    return [str(getattr(operation, "name", "")), kind, list(array.shape)]


def _has_numbers(array: Any) -> bool:
    return array.dtype.kind in "biufOSU" or array.dtype.name == "bfloat16"


def _numbers_of(returned: Sequence[Tuple[Any, Any]], graph: Any) -> List[Tuple[Any, Any]]:
    """Returns the arrays of numbers in what was returned, each with the op that gives it."""
    leaves = [
        (operation, np.asarray(value))
        for fetches, result in returned
        for operation, value in _leaves(fetches, result, graph)
    ]
    return [(operation, array) for operation, array in leaves if _has_numbers(array)]


def _hooks_of_program(fetches: Any) -> List[Any]:
    """Returns the hooks of the program among the keys of what a monitored session fetches."""
    if not isinstance(fetches, dict) or "caller" not in fetches:
        return []
    kinds = [(key, type(key).__module__.split(".")[0]) for key in fetches if key != "caller"]
    return [key for key, module in kinds if not scripts.is_library(module)]


def _called_by_program() -> bool:
    """Whether the program calls, and not a library that it uses."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        passes_on = name in _ON_THE_WAY or (name in _SESSIONS and frame.f_code.co_name == "run")
        if name == _HOOKS:  # the metrics that an evaluation returns, and no hook's own values
            passes_on = type(frame.f_locals.get("self")).__name__ == "FinalOpsHook"
        if not passes_on and frame.f_code.co_filename not in (__file__, wrapping.__file__):
            return not scripts.is_library(name.split(".")[0])
        frame = frame.f_back
    return False


def _operations(fetches: Any, graph: Any) -> List[Any]:
    """Returns the ops of all that is fetched."""
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        return [operation for item in fetches for operation in _operations(item, graph)]
    operation = _operation(fetches, graph)
    return [operation] if hasattr(operation, "control_inputs") else []


def _leaves(fetches: Any, result: Any, graph: Any) -> Iterator[Tuple[Any, Any]]:
    """Yields the values of a result, those of dicts by name, each with the op that gives it."""
    if result is None:
        return
    if isinstance(fetches, dict):
        for key in sorted(fetches, key=str):
            yield from _leaves(fetches[key], result[key], graph)
    elif isinstance(fetches, (list, tuple)):
        for index, item in enumerate(fetches):
            yield from _leaves(item, result[index], graph)
    else:
        operation = _operation(fetches, graph)
        kind = getattr(operation, "type", "")
        if kind in _LEFT_OUT or kind.endswith("Summary"):
            return
        parts = list(result) if isinstance(result, tuple) else [result]  # of sparse ones three
        yield from ((operation, part) for part in parts)


def _operation(fetched: Any, graph: Any) -> Any:
    if isinstance(fetched, str):
        try:
            fetched = graph.as_graph_element(fetched)
        except (AttributeError, KeyError, ValueError, TypeError):
            return None
    return getattr(fetched, "op", fetched)
