"""TFM516: a dataset of a distributed loop is batched before it is shuffled."""

from __future__ import annotations

import pytest
from support import check_unchanged, found

CODE = "TFM516"
HEAD = "import tensorflow as tf\n\nstrategy = tf.distribute.MirroredStrategy()\n"
RANGE = "tf.data.Dataset.range(100)"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}d = {RANGE}.shuffle(100).batch(10)\n",
        f"{HEAD}d = {RANGE}.batch(10)\n",
        f"{HEAD}d = {RANGE}.shuffle(100)\nd = d.batch(10)\n",
        f"{HEAD}random.shuffle(rows)\nd = {RANGE}.batch(10)\n",
        f"import tensorflow as tf\n\nd = {RANGE}.batch(10).shuffle(100)\n",  # no strategy
        f"{HEAD}# {RANGE}.batch(10).shuffle(100)\n",
    ],
)
def test_examples_are_shuffled(text: str) -> None:
    assert found(text, CODE) == []


@pytest.mark.parametrize(
    "chain",
    [
        f"d = {RANGE}.batch(10).shuffle(100)",
        f"d = {RANGE}.batch(10).map(f).shuffle(100).repeat()",
        f"d = {RANGE}.batch(10)\nd2 = d.shuffle(100)",
    ],
)
def test_batches_are_shuffled(chain: str) -> None:
    text = f"{HEAD}{chain}\n"
    (finding,) = found(text, CODE)
    assert (finding.severity.value, finding.applied) == ("manual", False)
    check_unchanged(text)


def test_a_program_of_tensorflow_1_is_none_of_its_concern() -> None:
    text = f"{HEAD}d = {RANGE}.batch(10).shuffle(100)\nwith tf.Session() as sess:\n  pass\n"
    assert found(text, CODE) == []
