"""TFM731: arguments of functions that kept their names, but not their parameters."""

from __future__ import annotations

import pytest
from support import found, migrate_tree, migrated

CODE = "TFM731"
LAYER = """\
import tensorflow as tf

class Layer({base}):
  def call(self, x):
    {call}
    return x

with tf.Session() as session:
  session.run(Layer()(tf.zeros([2])))
"""


def program(call: str) -> str:
    return f"import tensorflow as tf\n\nwith tf.Session() as session:\n  session.run({call})\n"


@pytest.mark.parametrize(
    "call",
    [
        "tf.matrix_diag(x, 'name')",
        "tf.matrix_diag(x, **options)",
        "tf.nn.top_k(x, 5, True)",
        "tf.nn.top_k(x, 5, name='best')",
        "mine.matrix_diag(x, k=1)",
        "tf.matmul(a, b, True, False)",
    ],
)
def test_calls_that_stay(call: str) -> None:
    assert not found(program(call), CODE)


@pytest.mark.parametrize(
    ("base", "call"),
    [
        ("tf.layers.Layer", "self.add_update(u)"),
        ("tf.keras.layers.Layer", "other.add_update(u, inputs=x)"),
        ("object", "self.add_update(u, inputs=x)"),
        ("mine.Layer", "self.add_update(u, inputs=x)"),
    ],
)
def test_methods_that_stay(base: str, call: str) -> None:
    assert not found(LAYER.format(base=base, call=call), CODE)


def test_a_method_of_the_class_itself_stays() -> None:
    text = LAYER.format(base="tf.layers.Layer", call="self.add_update(u, inputs=x)")
    text = text.replace("  def call", "  def add_update(self, u, inputs):\n    pass\n\n  def call")
    assert not found(text, CODE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.matrix_diag(x, k=1)", "tf.matrix_diag(x)"),
        ("tf.linalg.diag(x, 'n', 1, 4, 4)", "tf.linalg.diag(x, 'n')"),
        ("tf.matrix_set_diag(x, y, k=-1)", "tf.matrix_set_diag(x, y)"),
        ("tf.matrix_diag_part(x, k=1, name='n')", "tf.matrix_diag_part(x, name='n')"),
        (
            "tf.train.SyncReplicasOptimizer(o, replicas_to_aggregate=2, replica_id=1)",
            "tf.train.SyncReplicasOptimizer(o, replicas_to_aggregate=2)",
        ),
        ("tf.nn.top_k(x, 5, True, 'best')", "tf.nn.top_k(x, 5, True, name='best')"),
        ("tf.scatter_nd(i, u, [8], 'n')", "tf.scatter_nd(i, u, [8], name='n')"),
    ],
)
def test_functions(before: str, after: str) -> None:
    assert f"session.run({after})" in migrated(program(before))


@pytest.mark.parametrize("base", ["tf.layers.Dense", "tf.keras.Model", "tf.nn.rnn_cell.GRUCell"])
@pytest.mark.parametrize("call", ["self.add_update([u], inputs=x)", "self.add_update([u], x)"])
def test_updates_of_layers(base: str, call: str) -> None:
    assert "    self.add_update([u])\n" in migrated(LAYER.format(base=base, call=call))


def test_a_method_of_an_own_class_of_another_file_keeps_its_arguments() -> None:
    own = "class Keeper:\n  def save(self, session):\n    return session\n"
    main = "import tensorflow as tf\nfrom own import made\nmade().save(session=tf.Session())\n"
    _, reported = migrate_tree({"main.py": main, "own.py": own + "import tensorflow as tf\n"})
    assert CODE not in {f.code for f in reported}
    _, reported = migrate_tree({"main.py": main})
    assert CODE in {f.code for f in reported}


@pytest.mark.parametrize("losses", ["tf.contrib.losses", "tf.contrib.slim.losses"])
def test_parameters_of_losses_before_1_0(losses: str) -> None:
    after = migrated(program(f"{losses}.softmax_cross_entropy(x, y, weight=0.4, scope='aux')"))
    assert "losses.softmax_cross_entropy(x, y, weights=0.4, scope='aux')" in after


@pytest.mark.parametrize(
    "call",
    [
        "tf.contrib.data.Dataset.range(3).map(f, **options)",
        "tf.contrib.data.Dataset.range(3).map(f, **dict(num_threads=3))",
        "tf.contrib.data.Dataset.range(3).dense_to_sparse_batch(2, [3])",
    ],
)
def test_datasets_of_contrib_that_are_reported(call: str) -> None:
    text = program(call).replace("\n\n", "\n\noptions = {'num_threads': 2}\n", 1)
    assert [f.severity.value for f in found(text, CODE)] == ["manual"]


def test_a_method_that_only_the_dataset_of_contrib_had_is_reported() -> None:
    text = program("tf.contrib.data.Dataset.read_batch_features('x', 2, {}, None)")
    assert len(found(text, "TFM702")) == 1


def test_the_input_size_of_cells_goes() -> None:
    text = program("tf.nn.rnn_cell.LSTMCell(3, input_size=4, use_peepholes=True)")
    assert "tf.nn.rnn_cell.LSTMCell(3, use_peepholes=True)" in migrated(text)


def test_internal_reductions_lost_the_parameters_that_the_public_ones_keep() -> None:
    text = """
        import tensorflow as tf
        from tensorflow.python.ops import math_ops

        def norm(x):
          with tf.Session() as session:
            total = math_ops.reduce_sum(x, reduction_indices=[1], keep_dims=True)
            return session.run([total, tf.reduce_sum(x, 1, keep_dims=True)])
        """

    after = migrated(text)

    assert "math_ops.reduce_sum(x, axis=[1], keepdims=True)" in after
    assert "tf.reduce_sum(x, 1, keep_dims=True)" in after


@pytest.mark.parametrize(
    ("number", "new"),
    [
        ("num_parallel_calls=n", "num_parallel_calls=tf.cast(n, tf.int64)"),
        ("n", "tf.cast(n, tf.int64)"),
        ("num_parallel_calls=wide", "num_parallel_calls=wide"),
        ("num_parallel_calls=config.threads", "num_parallel_calls=config.threads"),
        ("num_parallel_calls=4", "num_parallel_calls=4"),
    ],
)
def test_a_tensor_of_parallel_calls_is_cast(number: str, new: str) -> None:
    """Of int32 in TensorFlow 1.15, it raises ValueError in TensorFlow 2."""
    text = (
        "import tensorflow as tf\n\ndef rows(path, config):\n"
        "  n = tf.constant(config.threads, dtype=tf.int32)\n"
        "  wide = tf.constant(4, tf.int64)\n"
        f"  return tf.data.TFRecordDataset(path).map(parse, {number})\n\n"
        "with tf.Session() as session:\n  session.run(rows('a', 1).make_one_shot_iterator())\n"
    )
    assert f".map(parse, {new})" in migrated(text)


@pytest.mark.parametrize(
    ("call", "reported"),
    [
        ("load_iris('iris.csv')", False),
        ("load_iris(data_path=path)", False),
        ("load_dataset('mnist')", False),
        ("load_iris()", True),
        ("base.load_boston()", True),
        ("load_dataset('iris')", True),
    ],
)
def test_files_that_came_with_tensorflow_are_asked_for(call: str, reported: bool) -> None:
    text = (
        "import tensorflow as tf\n\ndef main(path):\n"
        f"  return tf.estimator.Estimator(tf.contrib.learn.datasets.{call})\n"
    )
    messages = [f.message for f in found(text, CODE)]
    assert len(messages) == reported
    assert all("came with TensorFlow 1.x" in message for message in messages)


@pytest.mark.parametrize(
    ("call", "gone"),
    [
        ("broadcast(p)", ""),
        ("reduce_sum([p])", ""),
        ("broadcast(p, devices)", "dst_devices"),
        ("broadcast(p, dst_devices=devices)", "dst_devices"),
        ("reduce_sum([p], '/gpu:0')", "dst_device"),
    ],
)
def test_devices_of_early_nccl(call: str, gone: str) -> None:
    text = f"import tensorflow as tf\np = tf.placeholder('float')\ntf.contrib.nccl.{call}\n"
    messages = [f.message for f in found(text, CODE)]
    assert [m.rpartition(" ")[2] for m in messages] == [gone] * bool(gone)
