"""Every argument that TensorFlow 1.x took is passed as its replacement takes it, or is reported."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import check, found, run

from tfmigrate.tables.lost_arguments import lost_arguments

SIGNATURES = Path(__file__).with_name("signatures.txt")
HEAD = "import tensorflow as tf\np = tf.placeholder(tf.float32)\n"


def _signatures() -> list[tuple[str, list[str], list[str]]]:
    """Returns the functions, with the parameters they had and those of what replaces them."""
    stored = []
    for line in SIGNATURES.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        head, _, parameters = line.partition(": ")
        had, _, takes = parameters.partition("-> ")
        name = head.split()[0]
        is_method = name.split(".")[-2][:1].isupper()
        if not is_method:
            plain = [p for p in had.split() if not p.endswith("*")]
            stored.append((name.replace("tensorflow.", "tf.", 1), plain, takes.split()))
    return stored


def _is_taken(call: ast.Call, had: list[str], takes: list[str], renamed: dict[str, str]) -> bool:
    """Returns whether a function takes the arguments of a call, each called by its parameter."""
    others = any(name.endswith("*") for name in takes)
    for index, value in enumerate(call.args):
        assert isinstance(value, ast.Name)
        wanted = value.id.removeprefix("given_")
        now = takes[index].rstrip("*") if index < len(takes) else ""
        if now not in (wanted, renamed.get(wanted)) and not others and wanted in had:
            return False
    return others or all(keyword.arg in takes for keyword in call.keywords)


def test_each_difference_is_converted_or_reported() -> None:
    unsaid = []
    for name, had, takes in _signatures():
        by_position = ", ".join(f"given_{p}" for p in had)
        by_name = ", ".join(f"{p}=given_{p}" for p in had)
        text = f"{HEAD}{name}({by_position})\n{name}({by_name})\n"
        result = run(text)
        reported = {f.line for f in result.findings if f.severity.value == "manual"}
        after = ast.parse(next(iter(result.texts.values()), text))
        calls = [s.value for s in after.body if isinstance(s, ast.Expr)][-2:]
        known = lost_arguments().get(name.replace("tf.", "tensorflow.", 1))
        renamed = dict(known.renamed) if known else {}
        for line, call in zip((3, 4), calls, strict=True):
            assert isinstance(call, ast.Call)
            if line not in reported and not _is_taken(call, had, takes, renamed):
                unsaid.append((ast.unparse(call), takes))
    assert unsaid == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("map(f, num_threads=2, output_buffer_size=9)", "map(f, num_parallel_calls=2).prefetch(9)"),
        ("map(f, 2, 9)", "map(f, 2).prefetch(9)"),
        ("map(f, output_buffer_size=n).batch(3)", "map(f).prefetch(n).batch(3)"),
        ("map(f, num_threads=2, output_buffer_size=None)", "map(f, num_parallel_calls=2)"),
        ("map(f, 2)", "map(f, 2)"),
    ],
)
def test_datasets_of_contrib(before: str, after: str) -> None:
    check(
        f"import tensorflow as tf\nds = tf.contrib.data.Dataset.range(3)\nds = ds.{before}\n",
        f"import tensorflow.compat.v1 as tf\nds = tf.data.Dataset.range(3)\nds = ds.{after}\n",
    )


def test_methods_of_unknown_objects() -> None:
    text = f"{HEAD}model.export_savedmodel(path, serve, graph_rewrite_specs=specs)\n"

    (finding,) = found(text, "TFM731")
    assert (
        finding.message == "export_savedmodel has no argument graph_rewrite_specs in TensorFlow 2"
    )
    assert found(f"{HEAD}pool.map(f, [1], chunksize=2)\n", "TFM731") == []


def test_losses_of_tensorflow_0_12_are_of_another_rule() -> None:
    text = f"{HEAD}tf.nn.sparse_softmax_cross_entropy_with_logits(p, labels)\n"
    assert found(text, "TFM731") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "tf.contrib.distributions.Normal(mu=0., sigma=1.)",
            "tf.distributions.Normal(loc=0., scale=1.)",
        ),
        (
            "tf.contrib.distributions.Beta(a=1., b=2.)",
            "tf.distributions.Beta(concentration1=1., concentration0=2.)",
        ),
        (
            "tf.contrib.distributions.Uniform(a=1., b=2.)",
            "tf.distributions.Uniform(low=1., high=2.)",
        ),
        (
            "tf.contrib.signal.stft(signal=x, frame_length=2, frame_step=1)",
            "tf.signal.stft(signals=x, frame_length=2, frame_step=1)",
        ),
        ("tf.logging.set_verbosity(verbosity=1)", "tf.logging.set_verbosity(v=1)"),
        ("tf.cond(x, f, g)", "tf.cond(x, f, g)"),
        ("tf.cond(x, fn1=f, fn2=g, name='a')", "tf.cond(x, fn1=f, fn2=g, name='a')"),
        (
            "tf.contrib.cluster_resolver.TPUClusterResolver(a, zone=b, project=c)",
            "tf.distribute.cluster_resolver.TPUClusterResolver(a, zone=b, project=c)",
        ),
        (
            "tf.contrib.slim.nets.resnet_v1.resnet_v1_50(x, 9, True, global_pool=False)",
            "slim.nets.resnet_v1.resnet_v1_50(x, 9, True, global_pool=False)",
        ),
    ],
)
def test_arguments_of_several_versions(before: str, after: str) -> None:
    text = f"{HEAD}y = {before}\n"

    assert next(iter(run(text).texts.values())).endswith(f"y = {after}\n")
    assert not [f for f in run(text).findings if f.severity.value == "manual"]


@pytest.mark.parametrize(
    "call",
    [
        "tf.cond(p, f, g, name)",
        "tf.contrib.rnn.BasicLSTMCell(2, 1.0, True)",
        "tf.contrib.rnn.DropoutWrapper(cell, 0.5, 0.5, 1)",
        "tf.contrib.cluster_resolver.TPUClusterResolver(a)",
        "tf.contrib.keras.backend.binary_crossentropy(p, p)",
        "tf.contrib.slim.nets.resnet_v1.resnet_v1_50(p, 9, True)",
        "tf.train.MonitoredTrainingSession('', True, d, None, None, None, 600, 100, config)",
    ],
)
def test_arguments_that_differ_by_version(call: str) -> None:
    (finding,) = found(f"{HEAD}y = {call}\n", "TFM731")

    assert "depends on the TensorFlow it is for" in finding.message
    assert finding.action == "pass it by keyword"


def test_the_size_of_a_cells_input() -> None:
    (finding,) = found(f"{HEAD}c = tf.contrib.rnn.GRUCell(2, input_size=4)\n", "TFM731")

    assert finding.message == "what replaces tf.contrib.rnn.GRUCell has no argument input_size"
    assert not found(f"{HEAD}c = tf.contrib.rnn.GRUCell(2, reuse=True)\n", "TFM731")


@pytest.mark.parametrize(
    "call",
    [
        "data.map(f, **{'num_threads': 2})",
        "data.map(*fs, output_buffer_size=10)",
        "functools.partial(data.map, num_threads=2)(f)",
        "partial(data.map, output_buffer_size=1)",
    ],
)
def test_arguments_of_map_that_cannot_be_arranged(call: str) -> None:
    text = (
        "import functools\nfrom functools import partial\nimport tensorflow as tf\n"
        f"data = tf.contrib.data.Dataset.range(3)\nx = {call}\n"
    )
    (finding,) = found(text, "TFM731")
    assert (finding.line, finding.severity.value) == (5, "manual")


@pytest.mark.parametrize(
    "call", ["tf.concat(axis=0, values=x)", "partial(tf.concat, x)", "tf.concat(**{'axis': 1})"]
)
def test_arguments_that_stay(call: str) -> None:
    text = (
        f"from functools import partial\nimport tensorflow as tf\nx = tf.placeholder(1)\n{call}\n"
    )
    assert not found(text, "TFM731")
