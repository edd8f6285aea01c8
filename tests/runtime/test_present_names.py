"""The migrator's table of what TensorFlow has is true, on the newest TensorFlow."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import tensorflow as tf

from tfmigrate.tables import internal_names, symbol_table
from tfmigrate.tables.chains import Chain
from tfmigrate.tables.present_names import KERAS_2, KERAS_3, missing_part
from tfmigrate_runtime.doctor import why_missing

pytestmark = pytest.mark.skipif(
    not tf.__version__.startswith(symbol_table.NEWEST), reason="the table is of TensorFlow 2.21"
)
_KERAS = ("keras", "layers", "rnn_cell", "losses", "metrics", "optimizers", "initializers")
# What the table leaves out: TensorFlow's build, and what each generated operation has.
_UNLISTED = re.compile(r"tensorflow\.tsl\.|\.gen_\w+\.(_?[A-Z]|\w*_eager_fallback$)")


def _chains() -> Iterator[Chain]:
    """Yields names of TensorFlow 1.15, in both generations, and of its own modules."""
    for name in sorted(symbol_table.places())[::5]:
        if not any(part in _KERAS for part in name.split(".")):
            yield Chain("tensorflow", "", name)
            yield Chain("tensorflow.compat.v1", "", name)
    for name in sorted(internal_names.gone_names())[::5]:
        parent, _, last = name.rpartition(".")
        yield Chain(parent, last)
    for module in ("framework.ops", "ops.array_ops", "ops.gen_array_ops", "ops.rnn_cell_impl"):
        for name in ("Tensor", "name_scope", "concat", "_linear", "_concat_v2", "LSTMCell"):
            yield Chain(f"tensorflow.python.{module}", "", name)


def test_what_the_table_lacks_is_not_there_and_what_it_has_is() -> None:
    chains = list(dict.fromkeys(_chains()))
    assert len(chains) > 2000
    wrong = []
    for chain in chains:
        if _UNLISTED.search(chain.qualified):
            continue
        missing = all(missing_part(chain, keras) for keras in (KERAS_2, KERAS_3))
        if missing != bool(why_missing(chain.module, chain.member, chain.attributes)):
            wrong.append((chain.qualified, missing))
    assert wrong == []
