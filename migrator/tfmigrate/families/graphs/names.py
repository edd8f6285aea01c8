"""Which names of TensorFlow 1.x build a graph, run it, or do neither: data/graph_names.txt.

A neutral call in a block in which a graph is built does the same as outside; a building call
outside of one is an error of TensorFlow.
"""

from tfmigrate.tables.chains import and_above
from tfmigrate.tables.listed import sections
from tfmigrate.tables.obstacles import obstacles

_SECTIONS = sections("graph_names")

SESSIONS = {f"tensorflow.{old}": new for old, new in _SECTIONS["sessions"].became.items()}
"""The classes of sessions, and what of ``tfmigrate_runtime.graphs`` takes their places."""

SERVERS = {"tensorflow.train.Server": "Server"}
"""The servers of clusters, and what replaces them."""

MAKING_METHODS = frozenset(_SECTIONS["methods that make sessions"].others)
"""Methods of supervisors and session managers that return sessions."""

RUNNING_METHODS = frozenset(("run", "eval", "run_step_fn")) | MAKING_METHODS
"""Methods of sessions, and those of tensors and operations that use the default session."""

BUILDING_METHODS = frozenset(_SECTIONS["methods that build"].others)
"""Methods of variables, optimizers, queues and iterators that make operations."""

NEUTRAL_METHODS = frozenset(_SECTIONS["neutral methods"].others)
"""Methods of savers, writers, graphs, containers and strings, which make no operation."""

BARRIERS = frozenset(("tensorflow.reset_default_graph",))
"""What cannot be called while a graph is being built."""

MODES = frozenset(f"tensorflow.{name}" for name in _SECTIONS["modes"].others)
"""Modes of the process that an eager program does not set."""

OBSTACLES = obstacles("eager")
"""What keeps a program from becoming eager: the reason, and what to do."""

_NEUTRAL, _CONSTANTS = _SECTIONS["neutral names"].others, _SECTIONS["constants"].others
_OF_VARIABLES = (
    "global_variables_initializer", "local_variables_initializer", "tables_initializer",
    "variables_initializer", "initialize_all_tables",
)  # fmt: skip
_OBJECTS = ("_initializer", "_regularizer")  # functions and classes of objects that build later


def builds(qualified: str) -> bool:
    """Returns whether calling a name of TensorFlow needs the graph that is being built.

    Args:
        qualified: its full name in TensorFlow 1.x, ``tensorflow.nn.relu``.
    """
    name = qualified.removeprefix("tensorflow.")
    if name == qualified or qualified in (*SESSIONS, *SERVERS, *MODES):
        return False
    last = name.rpartition(".")[2]
    if last.endswith(_OBJECTS) and last not in _OF_VARIABLES:
        return False
    return _NEUTRAL.keys().isdisjoint(and_above(name))


def is_function(qualified: str) -> bool:
    """Returns whether a name of TensorFlow is a function or a class; others are constants."""
    last = qualified.rpartition(".")[2]
    return not (last.isupper() or last.startswith("_") or last in _CONSTANTS)
