"""TFM216: checks for the first or last tower become checks of the replica's index."""

from __future__ import annotations

import pytest
from hazards import check_safe, check_whole, program
from support import found, migrated

CODE = "TFM216"
ID = "tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group)"
LAST = "tf.distribute.get_strategy().num_replicas_in_sync - 1"


@pytest.mark.parametrize(
    "body",
    [
        "x = self.scope.reuse\n",
        "name = opt.get_name()\n",
        "with tf.variable_scope('x', reuse=tf.AUTO_REUSE):\n  pass\n",
        "# opt._graph_state().is_the_last_tower, tf.get_variable_scope().reuse\n",
    ],
)
def test_nothing_is_asked(body: str) -> None:
    check_safe(body, CODE)


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("chief = not tf.get_variable_scope().reuse\n", f"chief = {ID} == 0\n"),
        ("s = tf.get_variable_scope()\nchief = not s.reuse\n", f"chief = {ID} == 0\n"),
        ("if tf.get_variable_scope().reuse:\n  pass\n", f"if {ID} > 0:\n"),
        ("a = x and not tf.get_variable_scope().reuse\n", f"a = x and {ID} == 0\n"),
        ("# no reuse_variables()\nx = not tf.get_variable_scope().reuse\n", f"x = {ID} == 0\n"),
        ("a = not not tf.get_variable_scope().reuse\n", f"a = not ({ID} == 0)\n"),
        ("last = opt._graph_state().is_the_last_tower\n", f"last = {ID} == {LAST}\n"),
        ("a = not opt._graph_state().is_the_last_tower\n", f"a = not ({ID} == {LAST})\n"),
        (
            "if opt._graph_state().is_the_last_tower:\n  hooks = []\n",
            f"if {ID} == {LAST}:\n",
        ),
        # Replicas but the first write no summaries.
        (
            "if opt._graph_state().is_the_last_tower:\n  tf.summary.scalar('x', loss)\n",
            f"if {ID} == 0:\n",
        ),
    ],
)
def test_a_replica_is_asked(body: str, after: str) -> None:
    text = program(body)
    new = migrated(text)
    check_whole(new)
    assert f"  {after}" in new
    (finding,) = found(text, CODE)
    assert (finding.severity.value, finding.applied) == ("fixed", True)
