from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from tfmigrate.engine.options import Options
from tfmigrate.engine.run import run
from tfmigrate.families.tf1.symbols import symbol
from tfmigrate.model.statuses import Status
from tfmigrate.rulekit.registry import rules
from tfmigrate.tables import equivalents, symbol_table


@pytest.mark.parametrize(
    ("name", "status", "equivalent"),
    [
        ("train.AdamOptimizer", Status.COMPAT_V1, "tensorflow.compat.v1.train.AdamOptimizer"),
        ("GraphKeys.LOSSES", Status.COMPAT_V1, "tensorflow.compat.v1.GraphKeys.LOSSES"),
        ("layers.dense", Status.KERAS_2, "tensorflow.compat.v1.layers.dense"),
        ("nn.rnn_cell.LSTMCell", Status.KERAS_2, "tensorflow.compat.v1.nn.rnn_cell.LSTMCell"),
        (
            "contrib.framework.get_global_step",
            Status.CORE,
            "tensorflow.compat.v1.train.get_global_step",
        ),
        ("estimator.Estimator", Status.RUNTIME, "tfmigrate_runtime.estimator.Estimator"),
        ("contrib.training.HParams", Status.RUNTIME, "tfmigrate_runtime.training.HParams"),
        ("contrib.tpu.keras_to_tpu_model", Status.GONE, ""),
        ("python.ops.control_flow_ops.cond", Status.GONE, ""),
    ],
)
def test_what_became_of_a_name(name: str, status: Status, equivalent: str) -> None:
    found = symbol(f"tensorflow.{name}")
    assert found is not None
    assert (found.status, found.equivalent) == (status, equivalent)


def test_any_spelling_means_the_public_name() -> None:
    deep = "tensorflow.contrib.training.python.training.hparam.HParams"
    assert symbol(deep) == symbol("tensorflow.contrib.training.HParams")
    old = "tensorflow.compat.v1.train.AdamOptimizer"
    assert symbol(old) == symbol("tensorflow.train.AdamOptimizer")


@pytest.mark.parametrize("name", ["tensorflow", "tensorflow.no_such_name", "numpy.float32"])
def test_nothing_is_known_of_other_names(name: str) -> None:
    assert symbol(name) is None


def test_every_name_of_tensorflow_1_has_a_status() -> None:
    old = [name for name in symbol_table.places() if symbol_table.is_found(name, "1.15")]
    assert len(old) > 9000
    assert [name for name in old if symbol(f"tensorflow.{name}") is None] == []


def test_equivalents_in_the_core_are_in_the_core() -> None:
    place = f"v1-{symbol_table.NEWEST}"
    known = [symbol(f"tensorflow.{name}") for name in symbol_table.places()]
    core = {s.name: s.equivalent for s in known if s is not None and s.status is Status.CORE}
    assert len(core) >= 15
    below = {name: new.removeprefix("tensorflow.compat.v1.") for name, new in core.items()}
    assert [n for n, new in below.items() if not symbol_table.is_found(new, place)] == []


def test_packages_with_equivalents_are_packages_of_tensorflow_1() -> None:
    names = symbol_table.places()
    known = [name.removeprefix("tensorflow").lstrip(".") for name in equivalents.packages()]
    assert [name for name in known if name and name not in names] == []


def test_every_rule_that_is_named_is_a_rule() -> None:
    codes = {rule.code for rule in rules()}
    told = {symbol(f"tensorflow.{name}") for name in symbol_table.places()}
    assert {s.rule for s in told if s is not None and s.rule} <= codes


def test_the_table_says_what_it_was_made_from() -> None:
    versions = symbol_table.versions()
    assert versions[0].startswith(symbol_table.OLD)
    assert versions[-1].startswith(symbol_table.NEWEST)


SAID_BY = (
    "contrib.learn.Head",
    "contrib.learn.Estimator",
    "contrib.learn.learn_runner.tune",
    "contrib.learn.datasets.text_datasets.DBPEDIA_URL",
    "contrib.layers.bow_encoder",
    "contrib.layers.no_such_layer",
    "contrib.distribute.ReplicaContext",
    "contrib.lookup.MutableDenseHashTable",
    "contrib.rnn.BasicRNNCell",
    "contrib.training.HParams",
    "estimator.experimental.LinearSDCA",
    "keras.experimental.load_from_saved_model",
    "train.AdamOptimizer",
)


def test_a_name_is_of_the_rule_that_reports_it(tmp_path: Path) -> None:
    for number, name in enumerate(SAID_BY):
        (tmp_path / f"of_{number}.py").write_text(f"import tensorflow as tf\nx = tf.{name}\n")
    codes = defaultdict(set)
    for finding in run([str(tmp_path)], (), Options(), dry_run=True).findings:
        codes[Path(finding.path).stem].add(finding.code)
    known = {name: symbol(f"tensorflow.{name}") for name in SAID_BY}
    wrong = {
        name: (found.rule if found else "", codes[f"of_{number}"])
        for number, (name, found) in enumerate(known.items())
        if found is None or found.rule not in codes[f"of_{number}"]
    }
    assert wrong == {}
