"""Pairs variables of a Keras program with the original's.

Variables that a map (``map_file.py``) does not name are paired by names and shapes; where these
leave a choice, a variable follows its layer (a bias the kernel that it is with; a kernel without a
bias is no other's), and then the order of creation decides. Slots follow their variables.
"""

from collections import Counter
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ...map_file import Entry, Layout, RefusedError

Named = Tuple[str, Tuple[int, ...]]  # a name and a shape

_SAME_WORD = {"weights": "kernel", "biases": "bias"}  # tf.contrib.layers and tf.layers
_DIRECTIONS = {"fw": "forward", "bw": "backward", "forward": "forward", "backward": "backward"}
PASS_A_MAP = 'Pass --map FILE, JSON such as {"%s": "%s"}'


def check(
    path: str, entries: Dict[str, Entry], originals: Sequence[Named], natives: Sequence[Named]
) -> None:
    """Checks that a map names what the programs have, in shapes that fit.

    Raises:
        RefusedError: it does not.
    """
    sides = (("original", dict(originals)), ("migrated program", dict(natives)))
    seen: Dict[str, str] = {}
    for name, entry in entries.items():
        for (side, known), wanted in zip(sides, (name, entry.variable)):
            if wanted is not None and wanted not in known:
                raise RefusedError(
                    "--map %s: the %s has no variable %r; it has %s"
                    % (path, side, wanted, some(sorted(known)))
                )
        if entry.variable is None:
            continue
        if entry.variable in seen:
            names = (path, entry.variable, seen[entry.variable], name)
            raise RefusedError("--map %s: %r is paired with both %r and %r" % names)
        seen[entry.variable] = name
        wanted_shape, shape = dict(originals)[name], dict(natives)[entry.variable]
        if _shape_after(entry.layout, shape, wanted_shape) != tuple(wanted_shape):
            raise RefusedError(
                "--map %s: %r has shape %s in the original, %r has %s in the migrated program: add "
                '"transpose" or "reshape"'
                % (path, name, list(wanted_shape), entry.variable, list(shape))
            )


def _shape_after(layout: Layout, shape: Sequence[int], wanted: Sequence[int]) -> Any:
    try:
        return layout.to_original(np.broadcast_to(np.int8(0), shape), wanted).shape
    except ValueError:
        return None


def some(names: Sequence[str]) -> str:
    """Returns names for a message, of many the first."""
    more = len(names) - 12
    return ", ".join(names[:12]) + (" and %d more" % more if more > 0 else "")


def pairs(originals: Sequence[Named], natives: Sequence[Named]) -> Dict[str, Tuple[str, str]]:
    """Returns the variable of the migrated program for each of the original's that has one.

    Args:
        originals: the original's variables, in order of creation.
        natives: the migrated program's.

    Returns:
        By the name of the original: the other's, and how it was found ("name", "shape", "layer",
        "order").

    Raises:
        RefusedError: several ways are equally good.
    """
    partners: Dict[str, Tuple[str, str]] = {}
    shapes = dict.fromkeys(shape for _, shape in originals)
    # What can be paired by itself first, then kernels, whose layers the biases follow.
    for shape in sorted(shapes, key=lambda shape: (_count(originals, shape) > 1, -len(shape))):
        ours = [name for name, other in originals if other == shape]
        theirs = [name for name, other in natives if other == shape]
        layers, named = _layers(partners), _by_name(ours, theirs)
        followed = {
            name: other
            for name in ours
            for other in [_in_layer(layers.get(_layer_of(name)), theirs)]
            if other is not None and name not in named and other not in named.values()
        }
        partners.update({name: (other, "layer") for name, other in followed.items()})
        left = [name for name in ours if name not in followed]
        others = [name for name in theirs if name not in followed.values()]
        more: Dict[str, Tuple[str, str]] = {}
        for parts in _alike(left, others, originals, natives):
            more.update(_of_one_shape(*parts))
        _check_order(more, partners, originals, natives)
        partners.update(more)
    return partners


def _alike(
    ours: List[str], theirs: List[str], originals: Sequence[Named], natives: Sequence[Named]
) -> List[Tuple[List[str], List[str]]]:
    """Divides variables of one shape by models, by their layers' shapes, and by their words.

    Only by what both sides have alike: the original may have no layers. Models are scopes around
    layers: one of Keras makes its variables when it is first called, so their order may differ.
    """
    scopes = set(_scopes(ours)) & set(_scopes(theirs))
    for with_scopes, with_words in ((True, True), (True, False), (False, True), (False, False)):
        parts: Dict[Any, Tuple[List[str], List[str]]] = {}
        for side, names, known in ((0, ours, originals), (1, theirs, natives)):
            for name in names:
                layer = _layer_of(name)
                shapes = sorted(shape for other, shape in known if _layer_of(other) == layer)
                word = _parts(name)[-1] if with_words else ""
                around = [each for each in _scopes([name]) if with_scopes and each in scopes]
                key = (str(shapes), word, *around)
                parts.setdefault(key, ([], []))[side].append(name)
        if all(len(first) == len(second) for first, second in parts.values()):
            return list(parts.values())
    return [(ours, theirs)]


def _scopes(names: Sequence[str]) -> List[str]:
    """Returns the scopes around the layers of variables."""
    return [part for name in names for part in _parts(name)[:-2]]


def _count(variables: Sequence[Named], shape: Tuple[int, ...]) -> int:
    return sum(other == shape for _, other in variables)


def _layer_of(name: str) -> str:
    return name.rpartition("/")[0]


def _layers(paired: Dict[str, Tuple[str, str]]) -> Dict[str, str]:
    """Returns the migrated program's layer for each of the original's that has one."""
    layers: Dict[str, str] = {}
    for name, (other, _) in paired.items():
        ours, theirs = _layer_of(name), _layer_of(other)
        if ours and theirs:
            layers[ours] = theirs if layers.get(ours, theirs) == theirs else ""
    taken = list(layers.values())
    return {ours: theirs for ours, theirs in layers.items() if theirs and taken.count(theirs) == 1}


def _in_layer(layer: Optional[str], names: Sequence[str]) -> Optional[str]:
    """Returns the one of these variables that is in a layer; None if none or several are."""
    there = [name for name in names if layer and _layer_of(name) == layer]
    return there[0] if len(there) == 1 else None


def _check_order(
    pairs_by_order: Dict[str, Tuple[str, str]],
    paired: Dict[str, Tuple[str, str]],
    originals: Sequence[Named],
    natives: Sequence[Named],
) -> None:
    """Refuses an order of creation where other pairs show that it differs.

    Raises:
        RefusedError: it does.
    """
    ordered = [name for name, (_, how) in pairs_by_order.items() if how == "order"]
    places = {name: place for place, (name, _) in enumerate(natives)}
    known = [places[paired[name][0]] for name, _ in originals if name in paired]
    if not ordered or known == sorted(known):
        return
    name = ordered[0]
    raise RefusedError(
        "cannot pair %s of the original: the migrated program creates its variables in a different "
        "order, and nothing else distinguishes them. %s"
        % (some(ordered), PASS_A_MAP % (name, pairs_by_order[name][0]))
    )


def _of_one_shape(ours: List[str], theirs: List[str]) -> Dict[str, Tuple[str, str]]:
    named = _by_name(ours, theirs)
    by_name = {name: (other, "name") for name, other in named.items()}
    if len(ours) != len(theirs):
        return by_name
    ordered = dict(zip(ours, theirs))
    if all(ordered[name] == other for name, other in named.items()):
        how = "shape" if len(ours) == 1 else "order"
        return {n: by_name.get(n, (other, how)) for n, other in ordered.items()}
    if len(named) == len(ours):
        return by_name
    name = next(name for name, other in named.items() if ordered[name] != other)
    raise RefusedError(
        "cannot pair %s of the original with %s of the migrated program: %s is %s by name, but %s "
        "by order of creation. %s"
        % (
            some(ours),
            some(theirs),
            name,
            named[name],
            ordered[name],
            PASS_A_MAP % (name, named[name]),
        )
    )


def _by_name(ours: Sequence[str], theirs: Sequence[str]) -> Dict[str, str]:
    """Pairs names of which one ends with the other, where that is so of no third one."""
    plain = {other: other.partition("#")[0] for other in theirs}  # the second one is `kernel#2`
    parts = {other: _parts(other if name in theirs else name) for other, name in plain.items()}
    fits = {
        name: [other for other in theirs if _is_end(_parts(name), parts[other])] for name in ours
    }
    exact = {n: [o for o in others if parts[o] == _parts(n)] for n, others in fits.items()}
    fits = {n: exact[n] if len(exact[n]) == 1 else others for n, others in fits.items()}
    taken = [other for others in fits.values() for other in others]
    return {n: o[0] for n, o in fits.items() if len(o) == 1 and taken.count(o[0]) == 1}


def _is_end(first: List[str], second: List[str]) -> bool:
    """Returns whether one name ends with the other; Keras 3 has ``a_b`` for a scope ``a/b``."""
    ends = [["_".join(parts[start:]) for start in range(len(parts))] for parts in (first, second)]
    return ends[0][0] in ends[1] or ends[1][0] in ends[0]


def _parts(name: str) -> List[str]:
    """Returns the parts of a name; ``embeddings/embeddings`` of Keras is one of ``embeddings``."""
    parts = name.split("/")
    parts[-1] = _SAME_WORD.get(parts[-1], parts[-1])
    # `bidirectional_rnn/fw/lstm_cell` is `bidirectional/forward_lstm/lstm_cell` in Keras.
    parts = [_DIRECTIONS.get(part.split("_")[0], part) for part in parts]
    return [part for index, part in enumerate(parts) if not index or part != parts[index - 1]]


def with_axes_joined(
    originals: Sequence[Named], natives: Sequence[Named]
) -> Dict[str, Tuple[int, ...]]:
    """Returns the original's shapes of variables that have neighboring axes joined, or divided.

    Kernels of Keras' MultiHeadAttention are [inputs, heads, size] where programs that divide what a
    layer returns have [inputs, heads * size]: as they lie in memory they are the same. Nothing is
    returned where a shape could be of several, or the numbers of variables differ.

    Args:
        originals: the original's variables.
        natives: those of the migrated program that they are to be paired with.
    """
    ours = Counter(shape for _, shape in originals)
    shapes: Dict[str, Tuple[int, ...]] = {}
    for name, shape in natives:
        if shape in ours:
            continue
        possible = [s for s in ours if _is_joined(shape, s) or _is_joined(s, shape)]
        if len(possible) != 1:
            return {}
        shapes[name] = possible[0]
    whole = Counter(shapes.get(name, shape) for name, shape in natives)
    return shapes if all(whole[shape] == ours[shape] for shape in shapes.values()) else {}


def _is_joined(shape: Tuple[int, ...], joined: Tuple[int, ...]) -> bool:
    """Returns whether a shape is another one with neighboring axes joined."""
    left = list(shape)
    for length in joined:
        size = 1
        while left and size < length:
            size *= left.pop(0)
        if size != length:
            return False
    return _size(left) == 1 and len(joined) < len(shape)


def check_layouts(originals: Sequence[Named], natives: Sequence[Named]) -> None:
    """Refuses the same number of elements in different shapes: a layout may have changed.

    Args:
        originals: the trainable variables of the original.
        natives: those of the migrated program.

    Raises:
        RefusedError: they differ in shapes only.
    """
    if not originals or not natives:
        return
    shapes = [sorted(shape for _, shape in side) for side in (originals, natives)]
    sizes = [sum(_size(shape) for _, shape in side) for side in (originals, natives)]
    if shapes[0] == shapes[1] or sizes[0] != sizes[1] or with_axes_joined(originals, natives):
        return
    left = [(n, s) for n, s in originals if shapes[0].count(s) != shapes[1].count(s)]
    others = [(n, s) for n, s in natives if shapes[0].count(s) != shapes[1].count(s)]
    shown = [", ".join("%s %s" % (n, list(s)) for n, s in side[:4]) for side in (left, others)]
    raise RefusedError(
        "the trainable variables have the same number of elements in different shapes: %s in the "
        'original, %s in the migrated program. Pass --map FILE with "transpose" or "reshape"'
        % tuple(shown)
    )


def _size(shape: Sequence[int]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size
