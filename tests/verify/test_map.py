"""Which variables of a Keras program are which of the original's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from native_program import Native

from tfmigrate_runtime.verify.map_file import Entry, Layout, RefusedError, read
from tfmigrate_runtime.verify.recorder.pairing.variable_map import check, check_layouts, pairs

SMALL = ("two_layers.py", "two_layers_native.py")
VARIABLES = "same trainable variables"


def test_names_decide_where_one_ends_with_the_other() -> None:
    ours = [("net/a/kernel", (3, 3)), ("net/b/kernel", (3, 3))]
    assert pairs(ours, [("b/kernel", (3, 3)), ("a/kernel", (3, 3))]) == {
        "net/a/kernel": ("a/kernel", "name"),
        "net/b/kernel": ("b/kernel", "name"),
    }


def test_names_of_keras_layers_have_no_scopes() -> None:
    ours = [("age/out/kernel", (3, 1)), ("clicks/out/kernel", (3, 1))]
    theirs = [("model/clicks_out/kernel", (3, 1)), ("age_out/kernel", (3, 1))]
    assert pairs(ours, theirs) == {
        "age/out/kernel": ("age_out/kernel", "name"),
        "clicks/out/kernel": ("model/clicks_out/kernel", "name"),
    }


def test_an_end_of_a_layers_name_is_no_name() -> None:
    ours = [("dense/kernel", (3, 1)), ("dense_1/kernel", (3, 1))]
    theirs = [("last_dense/kernel", (3, 1)), ("other/kernel", (3, 1))]
    assert [how for _, how in pairs(ours, theirs).values()] == ["order"] * 2


def test_embeddings_and_weights_have_other_words_in_keras() -> None:
    ours = [("net/words", (9, 2)), ("net/fc/weights", (2, 1)), ("net/fc/biases", (1,))]
    theirs = [("words/words", (9, 2)), ("fc/kernel", (2, 1)), ("fc/bias", (1,))]
    assert [how for _, how in pairs(ours, theirs).values()] == ["name"] * 3


def test_a_shape_that_is_there_once_decides() -> None:
    assert pairs([("a", (2,)), ("b", (3,))], [("x", (3,)), ("y", (2,))]) == {
        "a": ("y", "shape"),
        "b": ("x", "shape"),
    }


def test_the_order_of_creation_decides_among_equal_shapes() -> None:
    ours = [("dense/kernel", (2, 2)), ("dense_1/kernel", (2, 2))]
    assert pairs(ours, [("first/kernel", (2, 2)), ("second/kernel", (2, 2))]) == {
        "dense/kernel": ("first/kernel", "order"),
        "dense_1/kernel": ("second/kernel", "order"),
    }


def test_a_bias_follows_its_kernel() -> None:
    ours = [("h1/kernel", (6, 4)), ("h1/bias", (4,)), ("h2/kernel", (4, 4)), ("h2/bias", (4,))]
    ours += [("out/kernel", (4, 1)), ("out/bias", (1,))]
    theirs = [("dense/kernel", (4, 1)), ("dense/bias", (1,)), ("dense_1/kernel", (4, 4))]
    theirs += [("dense_1/bias", (4,)), ("dense_2/kernel", (6, 4)), ("dense_2/bias", (4,))]
    found = pairs(ours, theirs)
    assert {name: other for name, (other, _) in found.items()} == {
        f"{mine}/{leaf}": f"{other}/{leaf}"
        for mine, other in (("h1", "dense_2"), ("h2", "dense_1"), ("out", "dense"))
        for leaf in ("kernel", "bias")
    }
    assert found["h1/bias"][1] == "layer"


def test_an_order_that_other_pairs_contradict_is_refused() -> None:
    """The first and the last layer are exchanged, so nothing shows which of two is which."""
    ours = [("in/kernel", (6, 4)), ("a/kernel", (4, 4)), ("b/kernel", (4, 4))]
    theirs = [("x/kernel", (4, 1)), ("y/kernel", (4, 4)), ("z/kernel", (4, 4))]
    ours, theirs = [*ours, ("out/kernel", (4, 1))], [*theirs, ("w/kernel", (6, 4))]
    with pytest.raises(RefusedError, match=r"a/kernel, b/kernel.*a different order.*Pass --map"):
        pairs(ours, theirs)


def test_directions_have_other_words_in_keras() -> None:
    """A variable that is made earlier elsewhere contradicts the order, but not these names."""
    ours = [(f"rnn/{way}/lstm_cell/kernel", (4, 8)) for way in ("fw", "bw")] + [("last", (3, 3))]
    ways = ("forward_lstm", "backward_lstm")
    theirs = [("crf", (3, 3))] + [(f"layer/{way}/lstm_cell/kernel", (4, 8)) for way in ways]
    assert [other for other, _ in pairs(ours, theirs).values()] == [
        "crf",
        "layer/forward_lstm/lstm_cell/kernel",
        "layer/backward_lstm/lstm_cell/kernel",
    ]


def test_names_against_the_order_are_refused() -> None:
    ours = [(f"dense{end}/kernel", (2, 2)) for end in ("", "_1", "_2")]
    theirs = [(f"dense_{end}/kernel", (2, 2)) for end in (1, 2, 3)]
    with pytest.raises(RefusedError, match=r"cannot pair dense/kernel.*Pass --map"):
        pairs(ours, theirs)


def test_what_only_one_program_has_is_left_without_a_partner() -> None:
    ours = [("a/kernel", (2, 2)), ("b/kernel", (2, 2))]
    assert pairs(ours, [("b/kernel", (2, 2))]) == {"b/kernel": ("b/kernel", "name")}
    assert pairs(ours, [("c/kernel", (3, 2))]) == {}


def test_other_shapes_of_as_many_numbers_need_a_map() -> None:
    with pytest.raises(RefusedError, match=r'a \[2, 3\].*b \[3, 2\].*--map FILE with "transpose"'):
        check_layouts([("a", (2, 3))], [("b", (3, 2))])
    check_layouts([("a", (2, 3))], [("b", (3, 3))])  # another program: rung 2 says so


@pytest.mark.parametrize(
    "layout",
    [Layout(), Layout([1, 0, 2]), Layout([2, 0, 1], True), Layout(None, True)],
    ids=["none", "transpose", "both", "reshape"],
)
def test_a_layout_goes_both_ways(layout: Layout) -> None:
    value = np.arange(24).reshape([2, 3, 4])
    shape = layout.to_original(value, [24]).shape
    there = layout.to_original(value, shape)
    assert (layout.to_migrated(there, value.shape) == value).all()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"x": "b"}, "the original has no variable 'x'; it has a"),
        ({"a": "x"}, "the migrated program has no variable 'x'; it has b, c"),
        ({"a": "c"}, r"'a' has shape \[2, 3\] in the original, 'c' has \[3, 2\]"),
    ],
)
def test_a_map_of_what_is_not_there_is_refused(entry: dict[str, str], message: str) -> None:
    given = {name: Entry(other, Layout()) for name, other in entry.items()}
    with pytest.raises(RefusedError, match=message):
        check("m.json", given, [("a", (2, 3))], [("b", (2, 3)), ("c", (3, 2))])


def test_one_variable_is_not_two() -> None:
    given = {"a": Entry("x", Layout()), "b": Entry("x", Layout())}
    with pytest.raises(RefusedError, match="'x' is paired with both 'a' and 'b'"):
        check("m.json", given, [("a", (2,)), ("b", (2,))], [("x", (2,))])


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        '{"a": 3}',
        '{"a": {"transpose": [0]}}',
        '{"a": {"variable": "b", "transpose": [1]}}',
        '{"a": {"variable": "b", "transpose": ["x"]}}',
        '{"a": {"variable": "b", "transpose": 3}}',
        '{"a": {"variable": "b", "rows": 3}}',
    ],
)
def test_a_file_that_is_no_map_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(text)
    with pytest.raises(RefusedError, match="--map"):
        read(str(path))


@pytest.mark.usefixtures("tensorflow_installed")
class TestOfTheCommand:
    """``--map`` of the command."""

    def test_pairs_and_how_they_were_found_are_reported(self, native: Native) -> None:
        said = native(*SMALL)
        assert said.code == 0
        assert "net/first/weights is sequential/first/kernel" in said.details(VARIABLES)
        assert "global_step is sgd/iteration" in said.details(VARIABLES)
        assert "net/first/weights/Momentum is sgd/" in said.details(VARIABLES)

    def test_a_transposed_variable_is_mapped_with_its_slot(
        self, native: Native, tmp_path: Path
    ) -> None:
        turned = ('dense(4, "tanh", "first"), ', 'Turned(4, name="first"), ')
        layer = (
            "class OwnStep",
            "class Turned(keras.layers.Layer):\n"
            "    def __init__(self, units, **options):\n"
            "        super().__init__(**options)\n"
            "        self.units = units\n\n"
            "    def build(self, shape):\n"
            "        self.kernel = self.add_weight(shape=[4, 3], name='turned')\n"
            "        self.bias = self.add_weight(shape=[4], initializer='zeros', name='bias')\n\n"
            "    def call(self, x):\n"
            "        return tf.tanh(tf.matmul(x, self.kernel, transpose_b=True) + self.bias)\n\n\n"
            "class OwnStep",
        )
        said = native(*SMALL, turned, layer)
        assert said.code == 2
        assert "net/first/weights [3, 4] in the original, sequential/first/turned" in said.error
        assert 'Pass --map FILE with "transpose"' in said.error
        path = tmp_path / "map.json"
        entry = {"variable": "sequential/first/turned", "transpose": [1, 0]}
        path.write_text(json.dumps({"net/first/weights": entry}))
        said = native(*SMALL, turned, layer, options=["--map", str(path)])
        assert (said.code, said.failed) == (0, [])
        assert "by --map (1): net/first/weights is" in said.details(VARIABLES)

    def test_a_wrong_map_is_one_line(self, native: Native, tmp_path: Path) -> None:
        path = tmp_path / "map.json"
        for text, message in (
            ('{"net/first/weight": "sequential/first/kernel"}', "no variable 'net/first/weight'"),
            ('{"net/first/weights": "first"}', "the migrated program has no variable 'first'"),
            ("{", "is not JSON"),
        ):
            path.write_text(text)
            said = native(*SMALL, options=["--map", str(path)])
            assert said.code == 2
            assert message in said.error
            assert len(said.error.strip().splitlines()) == 1

    def test_variables_that_are_exchanged_train_otherwise(
        self, native: Native, tmp_path: Path
    ) -> None:
        path = tmp_path / "map.json"
        names = {"first": "second", "second": "first"}
        exchanged = {f"net/{a}/biases": f"sequential/{b}/bias" for a, b in names.items()}
        path.write_text(json.dumps(exchanged))
        said = native(*SMALL, options=["--map", str(path)])
        assert said.code == 1

    def test_a_map_is_for_programs_of_keras(self, native: Native, tmp_path: Path) -> None:
        path = tmp_path / "map.json"
        path.write_text("{}")
        said = native("two_layers.py", "two_layers.py", options=["--map", str(path)])
        assert said.code == 2
        assert "trains in sessions" in said.error

    def test_what_the_map_leaves_out_is_named(self, native: Native, tmp_path: Path) -> None:
        path = tmp_path / "map.json"
        path.write_text(json.dumps({"net/top/biases/Momentum": None}))
        said = native(*SMALL, options=["--map", str(path)])
        assert said.code == 0
        assert "net/top/biases/Momentum (left out by --map)" in said.missing
