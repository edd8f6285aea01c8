"""Which variables of a port are those of the original.

A map (``--map``) says so where it has an entry. For the others an observer proposes layouts by what
it knows of a framework's layers (the kernel of ``torch.nn.Linear`` is transposed); without a
proposal the axes are the original's, or the usual order of convolutions where only that fits. Then
names, shapes, layers and the order of creation pair them as they pair those of Keras programs
(``pairing/variable_map.py``). A wrong pair cannot make a wrong port look right: its first loss
differs.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfmigrate_runtime.record.layouts import Layout, LayoutError
from tfmigrate_runtime.record.maps import PairingError
from tfmigrate_runtime.record.original import Array
from tfmigrate_runtime.verify.map_file import RefusedError
from tfmigrate_runtime.verify.recorder.pairing import variable_map

_ASSIGNED = "a number that only the program assigns, between steps"
# The port's axes in the original's order, by rank: kernels of PyTorch are [out, in, *window].
_OF_KERNELS = {2: (1, 0), 3: (2, 1, 0), 4: (2, 3, 1, 0), 5: (2, 3, 4, 1, 0)}


@dataclass(frozen=True)
class PortVariable:
    """A variable of a port.

    Attributes:
        name: its name there.
        shape: its shape there; with a layout, that in the original.
        trainable: whether an optimizer updates it.
        layout: how the original would hold it, perhaps with other variables; None where nothing is
            known.
        alias: a name that says what it is, ``conv/kernel`` for ``conv.weight``.
    """

    name: str
    shape: tuple[int, ...]
    trainable: bool = True
    layout: Layout | None = None
    alias: str = ""


@dataclass(frozen=True)
class Pair:
    """A variable of the original, and how the port holds it.

    Attributes:
        name: the original's name.
        form: its entry in the trace: shape, dtype, trainable.
        layout: of the port's variables.
        how: it was found: "map", "name", "shape", "layer" or "order".
    """

    name: str
    form: Mapping[str, Any]
    layout: Layout
    how: str


@dataclass(frozen=True)
class Pairing:
    """All pairs.

    Attributes:
        pairs: in the order of the original's variables.
        left_out: why variables of the original have none, by name.
        extra: variables of the port without one.
    """

    pairs: tuple[Pair, ...]
    left_out: Mapping[str, str]
    extra: tuple[str, ...]

    def as_map(self) -> dict[str, Any]:
        """Returns the pairs as a map, to read and to keep."""
        return {pair.name: pair.layout.entry() for pair in self.pairs}


def paired(
    forms: Sequence[Mapping[str, Any]],
    variables: Sequence[PortVariable],
    layouts: Mapping[str, Layout | None],
    values: Mapping[str, Array],
    written: Collection[str],
) -> Pairing:
    """Pairs the weights and averages of the original with variables of a port.

    Args:
        forms: the original's variables without slots and counters.
        variables: the port's.
        layouts: what a map says.
        values: of the port's variables, for their shapes.
        written: names of the original's variables that its steps write.

    Raises:
        PairingError: the map does not fit, or the pairs are not certain.
    """
    _check(forms, layouts, values)
    pairs = {
        form["name"]: Pair(form["name"], form, layout, "map")
        for form in forms
        for layout in [layouts.get(form["name"])]
        if layout is not None
    }
    left_out = {name: "left out by --map" for name, layout in layouts.items() if layout is None}
    used = {name for pair in pairs.values() for name in pair.layout.variables}

    def is_free(variable: PortVariable) -> bool:
        return not used & {*(variable.layout or Layout((variable.name,))).variables}

    for is_trained in (True, False):
        ours = [f for f in forms if bool(f["trainable"]) == is_trained]
        ours = [f for f in ours if f["name"] not in pairs and f["name"] not in left_out]
        theirs = [v for v in variables if v.trainable == is_trained and is_free(v)]
        new_pairs = _by_shape(ours, theirs)
        pairs.update(new_pairs)
        used |= {name for pair in new_pairs.values() for name in pair.layout.variables}
        for form in ours:
            if form["name"] in pairs:
                continue
            if is_trained:
                raise PairingError(_no_partner(form, [v for v in theirs if is_free(v)]))
            # An average that the port lacks is a difference: it stays among what is compared.
            if not form["shape"] and form["name"] not in written:
                left_out[form["name"]] = _ASSIGNED
    extra = tuple(v.name for v in variables if is_free(v))
    return Pairing(tuple(pairs[f["name"]] for f in forms if f["name"] in pairs), left_out, extra)


def _by_shape(
    forms: Sequence[Mapping[str, Any]], variables: Sequence[PortVariable]
) -> dict[str, Pair]:
    by_name = {form["name"]: form for form in forms}
    shapes = {tuple(form["shape"]) for form in forms}
    layouts = {v.alias or v.name: (v, _layout(v, shapes)) for v in variables}
    ours = [(form["name"], tuple(form["shape"])) for form in forms]
    theirs = [(alias, _shape_in(layout, v)) for alias, (v, layout) in layouts.items()]
    try:
        matches = variable_map.pairs(ours, theirs)
    except RefusedError as error:
        raise PairingError(str(error)) from error
    return {
        name: Pair(name, by_name[name], layouts[other][1], how)
        for name, (other, how) in matches.items()
    }


def _layout(variable: PortVariable, shapes: set[tuple[int, ...]]) -> Layout:
    """Returns the layout of a variable: that of its kind, or what fits a shape of the original."""
    same = Layout((variable.name,))
    if variable.layout is not None:
        return variable.layout
    axes = _OF_KERNELS.get(len(variable.shape))
    if variable.shape in shapes or axes is None:
        return same
    moved = Layout((variable.name,), transpose=axes)
    return moved if _shape_in(moved, variable) in shapes else same


def _shape_in(layout: Layout, variable: PortVariable) -> tuple[int, ...]:
    """Returns the shape that a variable has in the original."""
    axes = layout.transpose
    if variable.layout is not None or axes is None:
        return variable.shape
    return tuple(variable.shape[axis] for axis in axes)


def _check(
    forms: Sequence[Mapping[str, Any]],
    layouts: Mapping[str, Layout | None],
    values: Mapping[str, Array],
) -> None:
    """Checks that a map names what there is, in shapes that fit."""
    shapes = {form["name"]: tuple(form["shape"]) for form in forms}
    for name, layout in layouts.items():
        if name not in shapes:
            raise PairingError(f"--map: the original has no variable {name!r}; {_some(shapes)}")
        if layout is None:
            continue
        if missing := [other for other in layout.variables if other not in values]:
            raise PairingError(f"--map: the port has no variable {missing[0]!r}; {_some(values)}")
        try:
            shape = layout.to_original(values, shapes[name]).shape
        except LayoutError as error:
            raise PairingError(f"--map: {name!r}: {error}") from error
        if shape != shapes[name]:
            raise PairingError(
                f"--map: {name!r} has shape {list(shapes[name])} in the original, and "
                f"{list(shape)} by this layout of {', '.join(layout.variables)}"
            )


def _no_partner(form: Mapping[str, Any], left: Sequence[PortVariable]) -> str:
    shown = ", ".join(f"{v.name} {list(v.shape)}" for v in left[:8]) or "none is left"
    return (
        f"cannot pair {form['name']} {list(form['shape'])} of the original with a variable of the "
        f"port ({shown}). Pass --map FILE, JSON that says which: docs/reference/port_maps.md"
    )


def _some(names: Mapping[str, Any]) -> str:
    shown = ", ".join(list(names)[:12])
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"it has {shown}{more}"
