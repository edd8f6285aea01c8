"""Child processes of a program: whether one of them trains, which is not recorded.

A process that is forked inherits the wrapped sessions; one that is spawned loads this file by a
``sitecustomize`` module, which the recorder puts on its PYTHONPATH. Where either runs a step, the
file that is named in TFMIGRATE_TRAINS_IN is written, with the command of the process.
"""

import importlib.util
import os
import pathlib
import sys
import tempfile
from typing import Any, Dict

from . import imports, wrapping

_WHERE = "TFMIGRATE_TRAINS_IN"
_SITE = """
import sys
sys.path[:] = [path for path in sys.path if path != %(folder)r]
sys.modules.pop("sitecustomize", None)
if sys.version_info >= (3, 6):
    import types
    files = sys.modules["tfmigrate_record"] = types.ModuleType("tfmigrate_record")
    files.__path__ = [%(beside)r]
    from tfmigrate_record.recorder.program import child_processes
    child_processes.Tensorflow().install()
try:
    import sitecustomize
except ImportError:
    pass
"""


class Children:
    """Watches the processes that this one starts."""

    def __init__(self, where: str) -> None:
        """Takes the path of the file to write where one of them trains."""
        self._process = os.getpid()
        os.environ[_WHERE] = os.path.abspath(where)

    def install(self) -> None:
        """Puts the watching module on the path of processes to come."""
        import subprocess

        folder = tempfile.mkdtemp(prefix="tfmigrate-children-")
        beside = str(pathlib.Path(os.path.abspath(__file__)).parents[2])
        with open(os.path.join(folder, "sitecustomize.py"), "w") as stream:
            stream.write(_SITE % {"folder": folder, "beside": beside})
        known = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = folder + (os.pathsep + known if known else "")
        watching = {name: os.environ[name] for name in (_WHERE, "PYTHONPATH")}
        process: Any = subprocess.Popen

        def initialize(original: Any, *arguments: Any, **options: Any) -> None:
            if options.get("env") is not None:
                options["env"] = _with(dict(options["env"]), watching, folder)
            original(*arguments, **options)

        wrapping.wrap(process, "__init__", initialize)

    def note_step(self, training: Any, targets: Any, fetches: Any) -> bool:
        """Notes a step if this process is a forked one; returns whether it is.

        Args:
            training: the GraphTraining of the graph, None for none.
            targets: the ops that a session runs.
            fetches: the tensors that it fetches.
        """
        if os.getpid() == self._process:
            return False
        if training is not None and training.is_step(list(targets) + list(fetches)):
            mark("a fork")
        return True


def _with(environment: Dict[Any, Any], watching: Dict[str, str], folder: str) -> Dict[Any, Any]:
    """Returns the environment of a process with the variables that make it watched."""
    paths = [path for path in (folder, environment.get("PYTHONPATH")) if path]
    return dict(environment, **dict(watching, PYTHONPATH=os.pathsep.join(paths)))


def mark(what: str) -> None:
    """Notes that this process, which is not recorded, trains."""
    path = os.environ.get(_WHERE)
    if path and not os.path.exists(path):
        with open(path, "w") as stream:
            stream.write(what)


class Tensorflow:
    """Finds TensorFlow as all other modules are found, and watches its sessions once loaded."""

    def install(self) -> None:
        """Installs the finder."""
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Returns the spec of TensorFlow with a loader that watches its sessions."""
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        return imports.once_loaded(importlib.util.find_spec(name), _watch)


def _watch(tensorflow: Any) -> None:
    """Marks the process once a session runs a step."""
    from ..sessions import graph_training  # needed only where TensorFlow is

    graph_training.GradientCalls().install()
    from tensorflow.python.client import session

    def note_run(this: Any, _: Any, targets: Any, fetches: Any, *__: Any, **___: Any) -> None:
        training = getattr(this.graph, "_tfmigrate_training", None)
        if training is not None and training.is_step(list(targets) + list(fetches)):
            mark(" ".join([os.path.basename(sys.executable)] + sys.argv))

    wrapping.before(session.BaseSession, "_do_run", note_run)
