"""Variables of Keras' layers that have the original's numbers in another shape."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

from tfmigrate_runtime.verify.recorder.pairing.variable_map import (
    RefusedError,
    pairs,
    with_axes_joined,
)

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PAIR = "attention.py", "attention_native.py"


def test_heads_of_attention(native: Native) -> None:
    said = native(*PAIR)
    assert (said.code, said.failed) == (0, [])
    details = " ".join(said.rungs["same trainable variables"]["details"])
    assert "neighboring axes one program has joined (7): " in details


@pytest.mark.parametrize(
    ("before", "after"),
    one_in(
        2,
        [
            (", attention_mask=mask[:, None, :]", ""),
            ("HEADS, LENGTH, ROWS = 16, 4", "HEADS, LENGTH, ROWS = 16, 2"),
            ("x + attention(", "attention("),
            ("-0.3, 0.3", "-0.2, 0.2"),
        ],
    ),
)
def test_other_attention_is_found(native: Native, before: str, after: str) -> None:
    assert native(*PAIR, (before, after)).code == 1


def test_shapes_that_may_be_of_several() -> None:
    """A kernel [4, 4, 4] may be [16, 4] or [4, 16]."""
    ours = [("a", (16, 4)), ("b", (4, 16)), ("c", (3,))]
    assert with_axes_joined(ours, [("a", (4, 4, 4)), ("b", (4, 4, 4)), ("c", (3,))]) == {}
    assert with_axes_joined(ours[::2], [("a", (4, 4, 4)), ("c", (3,))]) == {"a": (16, 4)}


def test_other_orders_of_axes_are_not_joined() -> None:
    assert with_axes_joined([("a", (4, 16))], [("a", (16, 4))]) == {}
    assert with_axes_joined([("a", (12,)), ("b", (12,))], [("a", (3, 4))]) == {}
    assert with_axes_joined([("a", (2, 3, 4))], [("a", (6, 4))]) == {"a": (2, 3, 4)}


def test_a_model_that_learns_from_another(native: Native) -> None:
    """The first model's optimizer was built with the variables of both."""
    said = native("distilled.py", "distilled_native.py")
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(
    ("before", "after"),
    one_in(
        2,
        [
            ("TEMPERATURE, SHARE = 4.0", "TEMPERATURE, SHARE = 4.1"),
            ("0.9, nesterov=True", "0.9"),
            ("epsilon=1e-6", "epsilon=1e-5"),
        ],
    ),
)
def test_other_learning_is_found(native: Native, before: str, after: str) -> None:
    assert native("distilled.py", "distilled_native.py", (before, after)).code == 1


def test_slots_that_start_from_zeros_are_found_and_explained(native: Native) -> None:
    said = native("distilled.py", "distilled_native.py", ("tf.ones_like", "tf.zeros_like"))
    assert (said.code, said.failed) == (1, ["same initial values, batch"])
    details = said.rungs["same initial values, batch"]["details"]
    assert details[-1].endswith("assign ones to it before the first step.")


def test_models_that_are_made_in_another_order() -> None:
    """Keras makes variables when a model is first called, those of one with an Input at once."""
    of_policy, of_critic = ("pi/h/kernel", (5, 16)), ("vf/h/kernel", (5, 16))
    natives = [("vf/dense_4/kernel", (5, 16)), ("pi/dense/kernel", (5, 16))]
    assert pairs([of_policy, of_critic], natives) == {
        "pi/h/kernel": ("pi/dense/kernel", "shape"),
        "vf/h/kernel": ("vf/dense_4/kernel", "shape"),
    }


def test_numbers_of_layers_are_no_models() -> None:
    ours = [("net/dense/kernel", (4, 4)), ("net/dense_1/kernel", (4, 4))]
    natives = [("net/dense_1/kernel", (4, 4)), ("net/dense_2/kernel", (4, 4))]
    with pytest.raises(RefusedError, match="by name, but"):
        pairs(ours, natives)
