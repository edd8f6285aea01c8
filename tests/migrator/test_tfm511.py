"""TFM511: strategy.experimental_run_v2 is called run."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated

CODE = "TFM511"


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\n\ns = tf.distribute.MirroredStrategy()\ns.run(f)\n",
        "import tensorflow as tf\n\n# s.experimental_run_v2(f)\nx = 'experimental_run_v2'\n",
        "import tensorflow as tf\n\nrun = s.experimental_run_v2\n",  # nobody knows how it is called
    ],
)
def test_nothing_to_rename(text: str) -> None:
    assert found(text, CODE) == []
    check_unchanged(text)


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("y = s.experimental_run_v2(f, args=(x,))", "y = s.run(f, args=(x,))"),
        ("y = self.strategy.experimental_run_v2(f)", "y = self.strategy.run(f)"),
        ("y = (\n    s\n    .experimental_run_v2(f))", "y = (\n    s.run(f))"),
        ("y = make()(s.experimental_run_v2(f), 1)  # why", "y = make()(s.run(f), 1)  # why"),
    ],
)
def test_the_method_is_renamed(line: str, after: str) -> None:
    head = "import tensorflow as tf\n\ns = tf.distribute.MirroredStrategy()\n"
    assert migrated(f"{head}{line}\n") == f"{head}{after}\n"
    (finding,) = found(f"{head}{line}\n", CODE)
    assert (finding.severity.value, finding.applied) == ("fixed", True)


def test_each_call_is_a_finding() -> None:
    text = "import tensorflow as tf\n\ns.experimental_run_v2(f)\ns.experimental_run_v2(g)\n"
    assert [f.line for f in found(text, CODE)] == [3, 4]
