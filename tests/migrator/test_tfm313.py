"""TFM313: servers of asynchronous programs."""

from __future__ import annotations

import pytest
from support import migrated

IMPORT = "import tensorflow as tf\n\n"
CLUSTER = "cluster = tf.train.ClusterSpec({'ps': ['h:1'], 'worker': ['h:2']})\n"
SERVER = "server = tf.train.Server(cluster, job_name='worker', task_index=0)\n"
REST = """\
with tf.device('/cpu:0'):
  step = tf.Variable(0, trainable=False)
with tf.Session(server.target) as session:
  session.run(tf.global_variables_initializer())
"""


@pytest.mark.parametrize(
    "text",
    [
        f"import tensorflow.compat.v1 as tf\n\n{CLUSTER}{SERVER}",
        "import tensorflow as tf\n\nserver = tf.distribute.Server(spec)\n",
        f"{IMPORT}class Server:\n  pass\n\n\nserver = Server(1)\n",
    ],
    ids=["of another program", "of TensorFlow 2", "of the file"],
)
def test_what_stays(text: str) -> None:
    assert migrated(text) == text


def test_a_local_server_has_no_other_task() -> None:
    text = migrated(f"{IMPORT}server = tf.train.Server.create_local_server()\n{REST}")
    assert "server = tf.train.Server.create_local_server()\n" in text


def test_the_server_of_an_asynchronous_program() -> None:
    assert migrated(f"{IMPORT}{CLUSTER}{SERVER}{REST}") == (
        "import tensorflow.compat.v1 as tf\n"
        "from tfmigrate_runtime import between_graph\n\n"
        "tf.disable_v2_behavior()\n\n"
        f"{CLUSTER}{SERVER.replace('tf.train', 'between_graph')}{REST}"
    )


def test_names_of_its_own() -> None:
    text = migrated(
        f"{IMPORT}from tensorflow.train import Server as Serve\n\n{CLUSTER}"
        f"{SERVER.replace('tf.train.Server', 'Serve')}{REST}"
    )
    assert "server = between_graph.Server(cluster, job_name='worker', task_index=0)\n" in text


@pytest.mark.parametrize(
    ("target", "becomes"),
    [
        ("'grpc://h:1'", "between_graph"),
        ("target='grpc://%s' % host", "between_graph"),
        ("'grpc://' + host + ':1'", "between_graph"),
        ("f'grpc://{host}'", "between_graph"),
        ("'grpc://{}'.format(host)", "between_graph"),
        ("'local'", "tf"),
        ("", "tf"),
        ("host + 'grpc://'", "tf"),
    ],
)
def test_a_program_that_connects_to_the_server_of_another(target: str, becomes: str) -> None:
    text = migrated(f"{IMPORT}{REST.replace('server.target', target)}")
    assert f"with {becomes}.Session({target}) as session:\n" in text


def test_a_synchronous_program_has_a_server_of_its_own() -> None:
    text = (
        f"{IMPORT}{CLUSTER}{SERVER}"
        "with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n"
        "  w = tf.get_variable('w', [])\n"
        "  opt = tf.train.GradientDescentOptimizer(0.1)\n"
        "  opt = tf.train.SyncReplicasOptimizer(opt, 1, total_num_replicas=1)\n"
        "  step = tf.train.get_or_create_global_step()\n"
        "  train_op = opt.minimize(w * w, global_step=step)\n"
        "hook = opt.make_session_run_hook(True, num_tokens=0)\n"
        "with tf.train.MonitoredTrainingSession(server.target, True, hooks=[hook]) as session:\n"
        "  session.run(train_op)\n"
    )
    changed = migrated(text)
    assert changed.count("between_graph.Server(") == 1
    assert "sync_replicas=True" in changed
