"""How a variable of the original is held by a port: other axes, in parts, or as a part of another.

A convolution of TensorFlow is [height, width, in, out], of PyTorch [out, in, height, width]; an
LSTM has one kernel there and two here, with its gates in another order. A layout says how the
original's value is put together from the port's::

    {"variable": "conv.weight", "transpose": [2, 3, 1, 0]}
    {"variable": ["lstm.weight_ih", "lstm.weight_hh"], "transpose": [1, 0], "join": 0,
     "blocks": {"axis": 1, "order": [0, 2, 1, 3]}}
    {"variable": "qkv.weight", "part": {"axis": 0, "index": 1, "of": 3}, "transpose": [1, 0]}

Steps from the port to the original, in this order: ``part`` takes the index-th of equal blocks,
``transpose`` orders the axes, ``join`` puts several variables one after another along an axis,
``blocks`` orders equal blocks along an axis (the n-th of the original is the ``order[n]``-th of the
port), ``reshape`` gives the original's shape, ``scale`` multiplies, ``add`` adds a number to one of
equal blocks (the forget bias, which cells of TensorFlow add when they compute). ``"join": "sum"``
is for variables of which only the sum is used. Each has an inverse, by which the original's states
come to the port.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tfmigrate_runtime.record.original import Array


class LayoutError(Exception):
    """A layout is not valid, or does not fit; the text is one line."""


_KEYS = ("variable", "part", "transpose", "join", "blocks", "reshape", "scale", "add")
SUM = "sum"


@dataclass(frozen=True)
class Layout:
    """How one variable of the original is made of variables of a port.

    Attributes:
        variables: the port's, in order.
        part: axis, index and count of the equal blocks of which the port's variable has one.
        transpose: the port's axes in the original's order.
        join: the axis along which several are put together, or SUM.
        blocks: an axis, and for each block of the original the port's.
        reshape: whether the shape is the original's after that.
        scale: what the port's value is multiplied by.
        add: axis, index and count of the equal blocks to one of which a number is added, and it.
    """

    variables: tuple[str, ...]
    part: tuple[int, int, int] | None = None
    transpose: tuple[int, ...] | None = None
    join: int | str | None = None
    blocks: tuple[int, tuple[int, ...]] | None = None
    reshape: bool = False
    scale: float = 1.0
    add: tuple[int, int, int, float] | None = None

    def of_slot(self) -> Layout:
        """Returns the layout of an optimizer's slots for the variable."""
        # Every addend has the whole gradient: the slot of one is that of the sum.
        names = self.variables[:1] if self.join == SUM else self.variables
        join = None if self.join == SUM else self.join
        return replace(self, variables=names, join=join, add=None, scale=1.0)

    def to_original(self, values: Mapping[str, Array], shape: Sequence[int]) -> Array:
        """Returns the original's value.

        Args:
            values: of the port's variables, by name.
            shape: of the original's variable.

        Raises:
            LayoutError: they do not fit together.
        """
        try:
            value = self._joined([self._taken(values[name]) for name in self.variables])
            if self.blocks is not None:
                axis, order = self.blocks
                parts = np.split(value, len(order), axis)
                value = np.concatenate([parts[index] for index in order], axis)
            if self.reshape:
                value = value.reshape(tuple(shape))
        except (ValueError, IndexError) as error:
            raise LayoutError(str(error)) from error
        if self.scale != 1.0:
            value = (value * self.scale).astype(value.dtype)
        return self._moved(value, 1)

    def to_port(self, value: Array, values: Mapping[str, Array]) -> dict[str, Array]:
        """Returns the port's variables with the original's value in them.

        Args:
            value: the original's.
            values: what the port's variables hold: their shapes, and other parts of them.
        """
        value = self._moved(value, -1)
        if self.scale != 1.0:
            value = (value / self.scale).astype(value.dtype)
        shapes = [self._taken(values[name]).shape for name in self.variables]
        if self.reshape:
            value = value.reshape(self._joined_shape(shapes))
        if self.blocks is not None:
            axis, order = self.blocks
            parts = np.split(value, len(order), axis)
            value = np.concatenate([parts[order.index(i)] for i in range(len(order))], axis)
        pieces = [value]
        if self.join == SUM:
            # Only the sum is used: one addend gets all of it.
            pieces += [np.zeros_like(value) for _ in self.variables[1:]]
        elif isinstance(self.join, int):
            ends = np.cumsum([shape[self.join] for shape in shapes])[:-1]
            pieces = np.split(value, ends, self.join)
        arrays = {}
        for name, piece in zip(self.variables, pieces, strict=True):
            if self.transpose is not None:
                piece = np.transpose(piece, np.argsort(self.transpose))
            arrays[name] = self._put(piece, values[name])
        return arrays

    def _moved(self, value: Array, sign: int) -> Array:
        if self.add is None:
            return value
        axis, index, count, number = self.add
        parts = np.split(value, count, axis)
        parts[index] = (parts[index] + sign * number).astype(value.dtype)
        return np.concatenate(parts, axis)

    def _taken(self, value: Array) -> Array:
        if self.part is not None:
            axis, index, count = self.part
            value = np.split(value, count, axis)[index]
        return value if self.transpose is None else np.transpose(value, self.transpose)

    def _put(self, piece: Array, whole: Array) -> Array:
        if self.part is None:
            return np.ascontiguousarray(piece)
        axis, index, count = self.part
        # The other blocks are those of other variables of the original.
        parts = np.split(np.array(whole), count, axis)
        parts[index] = piece
        return np.concatenate(parts, axis)

    def _joined(self, values: Sequence[Array]) -> Array:
        if self.join is None:
            (value,) = values
            return value
        if self.join == SUM:
            return np.sum(values, axis=0, dtype=values[0].dtype)
        return np.concatenate(values, int(self.join))

    def _joined_shape(self, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        if not isinstance(self.join, int):
            return shapes[0]
        length = sum(shape[self.join] for shape in shapes)
        return tuple(length if i == self.join else n for i, n in enumerate(shapes[0]))

    def entry(self) -> Any:
        """Returns the layout as it stands in a map: a name where there is nothing to say."""
        names: Any = list(self.variables) if len(self.variables) > 1 else self.variables[0]
        fields: dict[str, Any] = {"variable": names}
        if self.part is not None:
            fields["part"] = dict(zip(("axis", "index", "of"), self.part, strict=True))
        if self.transpose is not None:
            fields["transpose"] = list(self.transpose)
        if self.join is not None:
            fields["join"] = self.join
        if self.blocks is not None:
            fields["blocks"] = {"axis": self.blocks[0], "order": list(self.blocks[1])}
        if self.reshape:
            fields["reshape"] = True
        if self.scale != 1.0:
            fields["scale"] = self.scale
        if self.add is not None:
            fields["add"] = dict(zip(("axis", "index", "of", "value"), self.add, strict=True))
        return fields["variable"] if list(fields) == ["variable"] and self.join is None else fields


def layout_of(name: str, entry: Any) -> Layout | None:
    """Returns the layout of a map's entry, None where it leaves the variable out.

    Raises:
        LayoutError: it is none.
    """
    if entry is None:
        return None
    if isinstance(entry, str):
        return Layout((entry,))
    try:
        if unknown := [key for key in entry if key not in _KEYS]:
            raise LayoutError(f"{name!r}: unknown key {unknown[0]!r}; known are {', '.join(_KEYS)}")
        names = entry["variable"]
        part, blocks, axes = entry.get("part"), entry.get("blocks"), entry.get("transpose")
        add = entry.get("add")
        layout = Layout(
            (names,) if isinstance(names, str) else tuple(str(each) for each in names),
            None if part is None else _block(part),
            None if axes is None else tuple(int(axis) for axis in axes),
            entry.get("join") if entry.get("join") in (None, SUM) else int(entry["join"]),
            None if blocks is None else (int(blocks["axis"]), tuple(map(int, blocks["order"]))),
            bool(entry.get("reshape", False)),
            float(entry.get("scale", 1.0)),
            None if add is None else (*_block(add), float(add["value"])),
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise LayoutError(f"{name!r}: {entry!r} is not a layout ({error})") from error
    if len(layout.variables) > 1 and layout.join is None:
        raise LayoutError(f'{name!r}: several variables need "join", the axis to join them along')
    orders = [layout.transpose, None if layout.blocks is None else layout.blocks[1]]
    if any(order is not None and sorted(order) != list(range(len(order))) for order in orders):
        raise LayoutError(f"{name!r}: an order of {entry!r} does not have each number once")
    return layout


def _block(entry: Mapping[str, Any]) -> tuple[int, int, int]:
    return int(entry["axis"]), int(entry["index"]), int(entry["of"])
