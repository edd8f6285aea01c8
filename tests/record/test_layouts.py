"""Layouts bring a port's variables into the original's form, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfmigrate_runtime.record.layouts import Layout, LayoutError, layout_of
from tfmigrate_runtime.record.maps import PairingError, read_map
from tfmigrate_runtime.record.pairing import PortVariable, paired

RANDOM = np.random.RandomState(0)


def numbers(*shape: int) -> Any:
    return RANDOM.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(
    ("entry", "port", "shape"),
    [
        ("w", {"w": (3, 4)}, (3, 4)),
        ({"variable": "w", "transpose": [2, 3, 1, 0]}, {"w": (6, 5, 3, 2)}, (3, 2, 5, 6)),
        (
            {"variable": ["x", "h"], "transpose": [1, 0], "join": 0}
            | {"blocks": {"axis": 1, "order": [0, 2, 1, 3]}},
            {"x": (8, 3), "h": (8, 2)},
            (5, 8),
        ),
        (
            {"variable": "w", "part": {"axis": 0, "index": 1, "of": 3}, "transpose": [1, 0]},
            {"w": (6, 4)},
            (4, 2),
        ),
        ({"variable": "w", "reshape": True}, {"w": (2, 6)}, (3, 4)),
        (
            {"variable": "b", "add": {"axis": 0, "index": 2, "of": 4, "value": -1.0}},
            {"b": (8,)},
            (8,),
        ),
        ({"variable": "w", "scale": -2.0}, {"w": (3,)}, (3,)),
    ],
)  # fmt: skip
def test_back_and_forth(entry: Any, port: dict[str, Any], shape: tuple[int, ...]) -> None:
    layout = layout_of("w", entry)
    assert layout is not None
    values = {name: numbers(*size) for name, size in port.items()}
    original = layout.to_original(values, shape)
    assert original.shape == shape
    wanted = numbers(*shape)
    given = {**values, **layout.to_port(wanted, values)}
    assert {name: value.shape for name, value in given.items()} == port
    # Adding and subtracting 1, and scaling, round in float32.
    np.testing.assert_allclose(layout.to_original(given, shape), wanted, rtol=0, atol=2e-7)
    assert layout_of("w", layout.entry()) == layout


def test_a_gate_is_where_the_order_says() -> None:
    layout = Layout(("w",), blocks=(0, (0, 2, 1, 3)))
    value = layout.to_original({"w": np.arange(4)}, (4,))
    assert value.tolist() == [0, 2, 1, 3]
    assert layout.to_port(np.arange(4), {"w": value})["w"].tolist() == [0, 2, 1, 3]


def test_of_a_sum_the_first_has_the_value() -> None:
    layout = Layout(("a", "b"), join="sum")
    values = {"a": np.float32([1, 2]), "b": np.float32([3, 4])}
    assert layout.to_original(values, (2,)).tolist() == [4, 6]
    given = layout.to_port(np.float32([7, 8]), values)
    assert (given["a"].tolist(), given["b"].tolist()) == ([7, 8], [0, 0])
    assert layout.of_slot().variables == ("a",)


def test_another_part_stays() -> None:
    layout = Layout(("w",), part=(0, 1, 2))
    given = layout.to_port(np.float32([9, 9]), {"w": np.float32([1, 2, 3, 4])})
    assert given["w"].tolist() == [1, 2, 9, 9]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (3, "is not a layout"),
        ({"variable": "w", "turn": 1}, "unknown key 'turn'"),
        ({"variable": ["a", "b"]}, 'several variables need "join"'),
        ({"variable": "w", "transpose": [0, 0]}, "does not have each number once"),
        ({"variable": "w", "part": {"axis": 0}}, "is not a layout"),
    ],
)
def test_what_is_no_layout(entry: Any, said: str) -> None:
    with pytest.raises(LayoutError, match=said):
        layout_of("w", entry)


def form(name: str, *shape: int, trainable: bool = True) -> dict[str, Any]:
    return {"name": name, "shape": list(shape), "dtype": "float32", "trainable": trainable}


def pairs_of(
    forms: list[dict[str, Any]], port: dict[str, tuple[int, ...]], given: Any = None
) -> dict[str, Any]:
    variables = [PortVariable(name, shape) for name, shape in port.items()]
    values = {name: np.zeros(shape, np.float32) for name, shape in port.items()}
    found = paired(forms, variables, given or {}, values, ["moving"])
    return {pair.name: (pair.layout.entry(), pair.how) for pair in found.pairs}


def test_kernels_are_turned_where_only_that_fits() -> None:
    forms = [form("conv/kernel", 3, 3, 1, 6), form("dense/kernel", 4, 2)]
    assert pairs_of(forms, {"c.weight": (6, 1, 3, 3), "d.weight": (2, 4)}) == {
        "conv/kernel": ({"variable": "c.weight", "transpose": [2, 3, 1, 0]}, "shape"),
        "dense/kernel": ({"variable": "d.weight", "transpose": [1, 0]}, "shape"),
    }


def test_an_average_that_is_missing_is_not_left_out() -> None:
    """A number that is assigned between steps is; what is only in the original is a difference."""
    forms = [form("w", 4), form("rate", trainable=False), form("moving", trainable=False)]
    forms.append(form("moving_mean", 3, trainable=False))
    variables = [PortVariable("w", (4,))]
    values = {"w": np.zeros(4, np.float32)}
    assert set(paired(forms, variables, {}, values, ["moving"]).left_out) == {"rate"}
    given = {"moving_mean": None, "moving": None}
    found = paired(forms, variables, given, values, ["moving"])
    assert set(found.left_out) == {"rate", "moving_mean", "moving"}


def test_names_and_maps_come_first() -> None:
    forms = [form("a/kernel", 4, 4), form("b/kernel", 4, 4)]
    port = {"a/kernel": (4, 4), "b/kernel": (4, 4)}
    assert pairs_of(forms, port)["b/kernel"] == ("b/kernel", "name")
    given = {"a/kernel": Layout(("b/kernel",)), "b/kernel": Layout(("a/kernel",))}
    assert pairs_of(forms, port, given)["b/kernel"] == ("a/kernel", "map")


@pytest.mark.parametrize(
    ("forms", "port", "given", "said"),
    [
        ([form("w", 4, 3)], {"v": (5, 5)}, {}, r"cannot pair w \[4, 3\] of the original"),
        ([form("w", 4)], {"v": (4,)}, {"x": None}, "the original has no variable 'x'"),
        ([form("w", 4)], {"v": (4,)}, {"w": Layout(("u",))}, "the port has no variable 'u'"),
        ([form("w", 4)], {"v": (5,)}, {"w": Layout(("v",))}, r"\[5\] by this layout of v"),
    ],
)
def test_what_cannot_be_paired(
    forms: list[dict[str, Any]], port: Any, given: Any, said: str
) -> None:
    with pytest.raises(PairingError, match=said):
        pairs_of(forms, port, given)


def test_maps_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    for text, said in (
        ("[1]", "expected a JSON object"),
        ("{", "is not JSON"),
        ('{"w": 3}', "'w'"),
    ):
        path.write_text(text)
        with pytest.raises(PairingError, match=said):
            read_map(path)
    path.write_text(json.dumps({"w": None}))
    assert read_map(path) == {"w": None}
    with pytest.raises(PairingError, match="No such file"):
        read_map(tmp_path / "none.json")
