"""TFM215: the tower state of a TowerOptimizer."""

from __future__ import annotations

import pytest
from hazards import check_manual, check_safe, program
from support import check_unchanged, found

CODE = "TFM215"


@pytest.mark.parametrize(
    "body",
    [
        "name = opt.get_name()\n",
        "# opt._graph_state()\n",
        "state = self.graph_state()\n",
    ],
)
def test_what_every_optimizer_has(body: str) -> None:
    check_safe(body, CODE)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        # Hooks are those of the last replica, and only the first one writes summaries.
        (
            "if opt._graph_state().is_the_last_tower:\n"
            "  tf.summary.scalar('x', loss)\n  hooks = []\n",
            4,
        ),
        (
            "last = opt._graph_state().is_the_last_tower\n"
            "if last:\n  tf.summary.scalar('x', loss)\n",
            4,
        ),
        ("count = opt._graph_state().number_of_towers\n", 4),
        ("state = opt._graph_state()\nlast = state.is_the_last_tower\n", 4),
        ("wrapped = opt\nstate = wrapped._graph_state()\n", 5),
    ],
)
def test_the_state_of_towers(body: str, line: int) -> None:
    check_manual(body, CODE, [line])


def test_what_the_class_is_asked() -> None:
    text = program("used = tf.contrib.estimator.TowerOptimizer.has_been_used()\n")
    assert [(f.line, f.applied) for f in found(text, CODE)] == [(4, False)]
    check_unchanged(text)
