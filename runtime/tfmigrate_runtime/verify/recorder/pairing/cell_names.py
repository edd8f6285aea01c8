"""The names that the variables of Keras' recurrent layers had in TensorFlow 1.x.

Keras 2.4 and later build a cell in a scope of its own: ``lstm/kernel`` of TensorFlow 1.15 is
``lstm/lstm_cell/kernel`` there, and so are its slots. Without this every program with
``tf.keras.layers.LSTM`` in a session was different before its first step. Old checkpoints do not
restore by name, which the report says.
"""

import re
from typing import Any, Dict, Iterable, Iterator, List, Sequence

_CELL = re.compile(r"^[a-z0-9_]*cells?(?:_\d+)?$")
_originals: Dict[str, List[int]] = {}  # shapes of the original's variables, by name


def note_originals(values: Iterable[Dict[str, Any]]) -> None:
    """Remembers the variables of the original, by the initial values of its models."""
    for by_name in values:
        _originals.update({name: list(value.shape) for name, value in by_name.items()})


def is_new(name: str) -> bool:
    """Returns whether an original that is known has no variable of a name."""
    return bool(_originals) and name not in _originals


def name_as_originals(variables: Sequence[Any]) -> None:
    """Gives variables the original's names, where these lack the scopes of cells.

    Args:
        variables: the graph_variables.GraphVariables of a graph, in order of creation; ``name``
            is changed.
    """
    taken = {variable.name for variable in variables}
    renamed: Dict[str, str] = {}
    for variable in variables:
        if variable.name in _originals:
            continue
        for name in _candidates(variable.own_name, renamed):
            if name not in taken and _originals.get(name) == variable.shape:
                variable.name = renamed[variable.own_name] = name
                taken.add(name)
                break


def _candidates(name: str, renamed: Dict[str, str]) -> Iterator[str]:
    """Yields the names that a variable may have had, the likeliest first.

    Args:
        name: its own.
        renamed: the names of variables before it, of one of which it may be a slot.
    """
    of_slot = [(own, old) for own, old in renamed.items() if "/%s/" % own in "/%s/" % name]
    if of_slot:
        own, old = max(of_slot, key=lambda pair: len(pair[0]))
        yield ("/%s/" % name).replace("/%s/" % own, "/%s/" % old)[1:-1]
        return
    scopes = name.split("/")
    bare = "/".join([scope for scope in scopes[:-1] if not _CELL.match(scope)] + scopes[-1:])
    if bare != name:
        yield bare
        for number in range(1, len(_originals)):  # those of several cells are numbered
            yield "%s_%d" % (bare, number)
