"""Draws the initial values of variables again, to learn the distributions of initializers.

What computes the initial values of a graph is copied to a separate graph, without devices, and run
there in fresh sessions on the CPU: the first run draws from the seeds of the program what the
program drew, every further one draws other numbers. The program's graph and its sessions are not
touched.

``meta["initializers"]`` has, for each variable that was looked at:

* ``kind``: "constant" (every run computes the same; ``restored``: from a checkpoint), "random", or
  "unknown" with a ``reason``.
* ``drawn``: whether the variable held, before the first training step, what its initializer
  computes; false where something else was assigned or restored; null where that is unknown.
* ``draws``, ``count``, ``numbers`` and ``moments`` of a random one: how often it was drawn, how
  many numbers were kept, how many independent ones they count for, and their mean, standard
  deviation and kurtosis.

``law/<variable>``, float64, are the order statistics of these numbers at the ranks that
``shared.ranks`` returns. ``fixed/<variable>`` has the numbers that are the same in every draw, and
NaN for the others, where there are both.
"""

import re
import time
from typing import Any, Dict, Iterator, List, Sequence, Tuple

import numpy as np

from ... import shared
from ..sessions import graph_copy, graph_variables
from . import pinned_randomness

_NUMBERS = 65536  # that are drawn of each variable
_MOST_DRAWS = 4096  # of small variables
_DEPENDENT_DRAWS = 256  # where the numbers of one draw may depend on each other
_LARGE = 1 << 24  # elements of a variable that is not drawn again
_TOGETHER = 1 << 24  # elements that are computed by one run
_FIRST_DRAWS = 8  # that a program may have kept: an initializer may run more than once
_SECONDS = 15.0  # for all variables; each has its least number of draws regardless
_LEAST_DRAWS = 4
_EVERYWHERE = (0.1, 0.25, 0.5, 0.75, 0.9)  # quantiles at which draws are compared to each other
_MOST_CHANCE = 16.0  # times the variance that independent numbers have: they are not

_RANDOM = re.compile(
    "^(Random|Truncated|Parameterized|Multinomial|StatelessRandom|StatelessTrunc"
    "|StatelessParam|StatelessMulti|Stateful)"
)
# Ops that have no value without the program, block, or act on more than their graph.
_NOT_TO_RUN = re.compile(
    "^(Placeholder|PlaceholderV2|.*PyFunc.*|.*Iterator.*|.*Queue.*|.*Barrier.*|.*Stage.*|_?Recv"
    "|_?Send|Collective.*|.*Reader.*|WriteFile|Save.*|.*Summary.*|Print.*|.*Dataset.*)$"
)


class Limit:
    """A limit of time that a busy machine does not bring about.

    With too few draws, other distributions are not found. CPU time alone would run out
    early where many cores draw, and wall time alone did where other programs took the cores.
    """

    def __init__(self, seconds: float) -> None:
        self._ends = (time.time() + seconds, time.process_time() + seconds)

    def is_over(self) -> bool:
        """Returns whether both wall time and CPU time have run out."""
        return time.time() > self._ends[0] and time.process_time() > self._ends[1]


class Wanted:
    """One variable whose initial value is computed again."""

    def __init__(self, name: str, value: Any, tensor: Any = None) -> None:
        self.name = name
        self.tensor = tensor  # in the program's graph, None outside of graphs
        self.value = value  # what the variable held before the first step
        self.operations = [] if tensor is None else list(graph_variables.run_by([tensor.op]))
        self.own: Any = None  # the tensor in the separate graph
        self.first: List[Any] = []
        self.draws: List[Any] = []
        self.positions: Any = None  # the positions in each draw that are kept; None for all
        self.about: Dict[str, Any] = {}

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(self.value.size)

    @property
    def draws_in_graph(self) -> bool:
        """Whether an op that is seen draws random numbers; one in a function is not seen."""
        return any(_RANDOM.match(operation.type) for operation in self.operations)

    @property
    def is_restored(self) -> bool:
        """Whether it comes from a checkpoint, as by ``tf.train.init_from_checkpoint``."""
        return any(operation.type.startswith("Restore") for operation in self.operations)

    @property
    def calls_functions(self) -> bool:
        """Whether it is computed by functions, which may draw unseen."""
        functions = set(getattr(self.tensor.graph, "_functions", ()) or ())
        return any(
            operation.type in functions
            or any(attribute.HasField("func") for attribute in operation.node_def.attr.values())
            for operation in self.operations
        )

    @property
    def independent(self) -> bool:
        """Whether each number is drawn independently."""
        random = [op for op in self.operations if _RANDOM.match(op.type)]
        random = [op for op in random if "Key" not in op.type]
        return bool(random) and all(_elements(op.outputs[0]) >= self.size for op in random)


def examine(
    variables: Sequence[Any], values: Dict[str, Any]
) -> Tuple[Dict[str, Dict[str, Any]], Dict[str, Any]]:
    """Returns what the initializers of variables are, for ``meta`` and as arrays.

    Args:
        variables: the GraphVariables.
        values: what they held before the first training step, by name.
    """
    about: Dict[str, Dict[str, Any]] = {}
    arrays: Dict[str, Any] = {}
    wanted = []
    for variable in variables:
        value = values[variable.name]
        tensor = variable.initial_value()
        reason = "it has no initializer that can be run" if tensor is None else None
        entry = None
        if reason is None:
            entry = Wanted(variable.name, value, tensor)
            refused = sorted({op.type for op in entry.operations if _NOT_TO_RUN.match(op.type)})
            reason = "its initializer needs %s" % ", ".join(refused) if refused else None
        if reason is not None or entry is None:
            about[variable.name] = {"kind": "unknown", "drawn": None, "reason": reason}
        else:
            wanted.append(entry)
    _draw_all([entry for entry in wanted if entry.size <= _LARGE])
    for entry in wanted:
        if entry.size > _LARGE:
            _take_as_drawn(entry)
        arrays.update(arrays_of(entry))
        about[entry.name] = entry.about
    return about, arrays


def _elements(tensor: Any) -> int:
    shape = tensor.shape
    return int((shape.num_elements() if shape.ndims is not None else None) or 0)


def _draw_all(wanted: List[Wanted]) -> None:
    """Draws the initial values of variables, together where that works."""
    if not wanted:
        return
    try:
        with graph_copy.GraphCopy(wanted) as own:
            _first_draws(own, wanted)
            _further_draws(own, wanted)
    except Exception as error:  # of any kind: initializers may be anything
        if len(wanted) > 1:
            for entry in wanted:
                entry.first, entry.draws, entry.about = [], [], {}
                _draw_all([entry])
            return
        reason = "its initializer cannot be run again (%s)" % type(error).__name__
        wanted[0].about = {"kind": "unknown", "drawn": None, "reason": reason}


def _first_draws(own: graph_copy.GraphCopy, wanted: Sequence[Wanted]) -> None:
    """Repeats the draws that initializers made in the program.

    Variables that are computed from one draw are computed by one run, as in the program.
    """
    left = list(wanted)
    for _ in range(_FIRST_DRAWS):
        for together in _parts(left):
            drawn = own.first([entry.own for entry in together])
            for position, entry in enumerate(together):
                entry.first = [_value(drawn[position])]
        left = [entry for entry in left if not is_held(entry)]
        if not left:
            return


def _parts(wanted: Sequence[Wanted]) -> Iterator[List[Wanted]]:
    """Yields variables that may be computed by one run, by the memory that it takes."""
    together: List[Wanted] = []
    for entry in wanted:
        if together and sum(item.size for item in together) + entry.size > _TOGETHER:
            yield together
            together = []
        together.append(entry)
    if together:
        yield together


def _further_draws(own: graph_copy.GraphCopy, wanted: Sequence[Wanted]) -> None:
    """Draws more numbers of random initializers, and classifies all initializers."""
    limit = Limit(_SECONDS)
    groups: Dict[int, List[Wanted]] = {}
    own_seeds = pinned_randomness.own_seeds(wanted[0].tensor.graph)
    for entry in wanted:
        held = is_held(entry)
        if not entry.draws_in_graph and not (entry.calls_functions and _varies(own, entry)):
            entry.about = {"kind": "constant", "drawn": held, "restored": entry.is_restored}
        elif entry.first[0].dtype.kind not in "fiub":
            reason = "its initializer does not draw numbers"
            entry.about = {"kind": "unknown", "drawn": None, "reason": reason}
        else:
            unseeded = not held and any(_is_unseeded(op) for op in entry.operations)
            seeds = [own_seeds[op.name] for op in entry.operations if op.name in own_seeds]
            entry.about = {"kind": "random", "drawn": None if unseeded else held, "seeds": seeds}
            groups.setdefault(plan(entry), []).append(entry)
            keep(entry, entry.first[0])
    for count, entries in sorted(groups.items()):
        for together in _parts(entries):
            draw = own.redraw([entry.own for entry in together])
            for number in range(1, count):
                if number >= _LEAST_DRAWS and limit.is_over():
                    break
                drawn = draw()
                for position, entry in enumerate(together):
                    keep(entry, drawn[position])
            for entry in together:
                count_draws(entry, entry.independent)


def _varies(own: graph_copy.GraphCopy, entry: Wanted) -> bool:
    """Whether what a function computes differs from run to run."""
    draw = own.redraw([entry.own])
    return any(_bits(_value(draw()[0])) != _bits(entry.first[0]) for _ in range(2))


def keep(entry: Wanted, drawn: Any) -> None:
    """Keeps a draw, or those of its numbers that are examined."""
    flat = np.ravel(_value(drawn))
    entry.draws.append(flat if entry.positions is None else flat[entry.positions])


def _value(drawn: Any) -> Any:
    array = np.asarray(drawn)
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def is_held(entry: Wanted) -> bool:
    """Whether a variable held the last of its first draws; a GPU rounds differently."""
    value, drawn = entry.value, entry.first[-1]
    if value.shape != drawn.shape:
        return False
    if value.dtype.kind != "f":
        return bool(np.array_equal(value, drawn))
    if value.tobytes() == drawn.astype(value.dtype).tobytes():
        return True
    scale = float(np.abs(drawn).max()) if drawn.size else 0.0
    return bool(np.allclose(value, drawn, rtol=1e-5, atol=1e-6 * scale, equal_nan=True))


def _bits(array: Any) -> Any:
    return array.tolist() if array.dtype == object else array.tobytes()


def _is_unseeded(operation: Any) -> bool:
    """Whether an op draws from a new seed at every start."""
    if not _RANDOM.match(operation.type):
        return False
    attributes = operation.node_def.attr
    return "seed2" in attributes and not attributes["seed"].i and not attributes["seed2"].i


def plan(entry: Wanted) -> int:
    """Returns how often to draw, and notes which numbers of each draw are kept."""
    if entry.independent:
        least = 2 if entry.size > _NUMBERS else _LEAST_DRAWS
        count = min(max(-(-_NUMBERS // max(1, entry.size)), least), _MOST_DRAWS)
        count = 1 << (count - 1).bit_length()  # so that many variables are drawn together
    else:
        count = _DEPENDENT_DRAWS if entry.size <= _NUMBERS else 16
    per_draw = -(-_NUMBERS // count)
    if entry.size > 2 * per_draw:
        width = entry.size // per_draw
        entry.positions = width * np.arange(per_draw) + np.random.RandomState(0).randint(
            0, width, per_draw
        )
    return count


def count_draws(entry: Wanted, independent: bool) -> None:
    """Notes the moments of what was drawn, and how many independent numbers it counts for."""
    draws = np.asarray(entry.draws, np.float64)
    flat = draws.ravel()
    numbers = float(flat.size)
    if not independent:
        numbers = float(len(draws))
    elif len(draws) > 1:
        excess = 1.0
        for quantile in np.quantile(flat, _EVERYWHERE):
            share = (draws <= quantile).mean()
            expected = share * (1 - share) / draws.shape[1]
            if expected > 0:
                excess = max(excess, (draws <= quantile).mean(axis=1).var(ddof=1) / expected)
        numbers = numbers / excess if excess > _MOST_CHANCE else numbers
    mean, deviation = float(flat.mean()), float(flat.std())
    kurtosis = float((((flat - mean) / deviation) ** 4).mean()) if deviation > 0 else 0.0
    entry.about.update(
        draws=len(draws), count=int(flat.size), numbers=numbers, moments=[mean, deviation, kurtosis]
    )


def _take_as_drawn(entry: Wanted) -> None:
    """Uses the value of a variable that is too large to be drawn again as the only draw."""
    if not entry.draws_in_graph:
        entry.about = {"kind": "constant", "drawn": None}
        return
    positions = np.sort(np.random.RandomState(0).randint(0, entry.size, _NUMBERS))
    entry.draws = [np.ravel(entry.value)[positions]]
    entry.about = {"kind": "random", "drawn": None}
    count_draws(entry, True)


def arrays_of(entry: Wanted) -> Dict[str, Any]:
    """Returns the order statistics of the draws."""
    if entry.about.get("kind") != "random":
        return {}
    draws = np.asarray(entry.draws, np.float64)
    flat = np.sort(draws.ravel())
    arrays = {"law/" + entry.name: flat[shared.ranks(flat.size)]}
    if len(draws) > 1:
        fixed = (draws == draws[0]).all(axis=0)
        if fixed.any() and not fixed.all():
            arrays["fixed/" + entry.name] = np.where(fixed, draws[0], np.nan)
    return arrays
