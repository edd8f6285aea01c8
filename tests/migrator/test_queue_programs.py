"""Programs whose input comes from queues: they need graph mode, and nothing else."""

from __future__ import annotations

import pytest
from support import findings, migrated

HEAD = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    "line",
    [
        "names = tf.train.string_input_producer(['a'])",
        "x, y = tf.train.slice_input_producer([images, labels])",
        "index = tf.train.range_input_producer(3).dequeue()",
        "batch = tf.train.shuffle_batch([x], 3, 20, 10)",
        "batch = tf.train.batch_join(rows, 3)",
        "threads = tf.train.start_queue_runners()",
        "session = tf.train.MonitoredTrainingSession()",
        "session = tf.train.SingularMonitoredSession()",
        "supervisor = tf.train.Supervisor()",
    ],
)
def test_queues_that_are_built_at_once_need_graph_mode(line: str) -> None:
    after = migrated(f"{HEAD}{line}\n")
    assert after.count("disable_v2_behavior()") == 1
    assert line in after
    assert findings(f"{HEAD}{line}\n") == []


def test_queues_of_an_input_function_are_in_graph_mode_already() -> None:
    program = (
        f"{HEAD}"
        "def input_fn():\n"
        "  names = tf.train.string_input_producer(['a'])\n"
        "  _, record = tf.TFRecordReader().read(names)\n"
        "  return tf.train.batch([record], 3)\n"
        "if __name__ == '__main__':\n"
        "  tf.estimator.Estimator(model_fn).train(input_fn=input_fn)\n"
    )
    after = migrated(program)
    assert "disable" not in after
    assert "  return tf.train.batch([record], 3)\n" in after
    assert findings(program) == []
