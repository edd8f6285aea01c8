"""What an object is is decided by where it comes from, never by words in names or comments."""

from __future__ import annotations

import ast
import textwrap

import pytest
from support import found, run, source

from tfmigrate.resolve.identities import identity
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.module import Module


def module_of(text: str) -> Module:
    from pathlib import Path

    return Module(source(Path("/nowhere/a.py"), textwrap.dedent(text)))


def last_expression(module: Module) -> ast.expr:
    statement = module.tree.body[-1]
    assert isinstance(statement, ast.Expr)
    return statement.value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("s = tf.distribute.MirroredStrategy()\ns", Kind.STRATEGY),
        ("s = tf.contrib.distribute.MirroredStrategy()\ns", Kind.STRATEGY),
        ("def make():\n  return tf.distribute.get_strategy()\nmake()", Kind.STRATEGY),
        (
            "s = tf.distribute.MirroredStrategy() if x else tf.distribute.get_strategy()\ns",
            Kind.STRATEGY,
        ),
        ("strategy = trading.Strategy()\nstrategy", None),
        ("d = tf.data.TFRecordDataset(f)\nd = d.map(f).batch(2)\nd", Kind.DATASET),
        ("it = tf.data.Dataset.range(3).make_one_shot_iterator()\nit", Kind.ITERATOR),
        ("it = iter(tf.data.Dataset.range(3))\nit", Kind.ITERATOR),
        ("it = tf.data.Iterator.from_structure(t)\nit", Kind.ITERATOR),
        ("class Batches:\n  def get_next(self): pass\nb = Batches()\nb", Kind.OTHER),
        ("o = None\no = tf.train.AdamOptimizer()\no", Kind.OPTIMIZER),
        (
            "for o in (tf.train.AdamOptimizer(), tf.train.FtrlOptimizer()):\n  pass\no",
            Kind.OPTIMIZER,
        ),
        ("o = tf.train.AdamOptimizer()\no = [o]\no", Kind.OTHER),
        ("import logging\nlog = logging.getLogger('x')\nlog", Kind.LOGGER),
        ("x = x\nx", None),
        ("unknown", None),
    ],
)
def test_kinds(text: str, kind: Kind | None) -> None:
    module = module_of("import tensorflow as tf\nimport trading\n" + text)
    assert kind_of(module, last_expression(module)) is kind


def test_kinds_through_parameters_and_attributes() -> None:
    module = module_of(
        """\
        import tensorflow as tf

        class Trainer:
          def __init__(this, s):
            this.s = s

          def run(this):
            return this.s.run

        def main():
          Trainer(tf.distribute.MirroredStrategy()).run()
        """
    )
    (run_,) = [n for n in module.all(ast.Attribute) if n.attr == "run" and n.lineno == 8]
    assert kind_of(module, run_.value) is Kind.STRATEGY


def test_names_of_different_scopes_are_different() -> None:
    module = module_of(
        """\
        job = FLAGS.job
        def f(job):
          return job
        def g(name):
          return name
        g(job)
        """
    )
    returned = [n.value for n in module.all(ast.Return) if n.value]
    job = module.tree.body[0]
    assert isinstance(job, ast.Assign)
    mine, theirs = (identity(module, value) for value in returned)
    assert mine != identity(module, job.value)
    assert theirs == identity(module, job.value) == identity(module, job.targets[0])


IMAGES = """\
import tensorflow as tf

# The grads are made elsewhere: reuse_me.
def resize(images, n):
  found = []
  for tower in range(n):
    with tf.device('/gpu:%d' % tower):
      found.append(tf.image.resize_images(images[tower], (8, 8), name='reuse_me'))
  return found
"""


def test_a_loop_that_resizes_images_builds_no_towers() -> None:
    codes = {f.code for f in run(IMAGES).findings}
    assert not codes & {"TFM401", "TFM402"}


STEP = """\
import tensorflow as tf
import trading

trading_strategy = trading.Strategy()

def step(x, y):
  with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.keras.losses.mean_squared_error(y, model(x)))
  return tape.gradient(loss, model.trainable_variables)

"""


def test_the_strategy_of_another_library_is_none_of_tensorflow() -> None:
    assert found(STEP + "trading_strategy.run(step)\n", "TFM517") == []
    own = STEP.replace("trading.Strategy", "tf.distribute.MirroredStrategy")
    assert len(found(own + "trading_strategy.run(step)\n", "TFM517")) == 1
    own = own.replace("trading_strategy", "s")
    assert len(found(own + "s.run(step)\n", "TFM517")) == 1


def test_the_number_of_replicas_is_known_by_what_it_is() -> None:
    text = STEP.replace("loss = ", "loss = 1 / n_replica_like * ")
    text = text.replace("import trading\n", "import trading\nn_replica_like = 64\n")
    text = text.replace("trading.Strategy", "tf.distribute.MirroredStrategy")
    assert len(found(text + "trading_strategy.run(step)\n", "TFM517")) == 1
    count = text.replace("n_replica_like = 64\n", "").replace(
        "\n\ndef step", "\nn_replica_like = trading_strategy.num_replicas_in_sync\n\ndef step"
    )
    assert found(count + "trading_strategy.run(step)\n", "TFM517") == []


COORDINATED = """\
import tensorflow as tf

class Batches:
  def get_next(self):
    return [[1.0]]

batches = Batches()
data = tf.data.Dataset.range(3) if False else None
cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == 'ps':
  server.join()
else:
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 10])
    train_op = make_train_op(x)
  with tf.train.MonitoredTrainingSession(master=server.target) as sess:
    sess.run(train_op, feed_dict={x: batches.get_next()})
"""


def test_an_own_get_next_is_no_iterator_of_tf_data() -> None:
    assert found(COORDINATED, "TFM310", coordinator=True) == []
    data = COORDINATED.replace("Batches()", "data.make_one_shot_iterator()")
    data = data.replace("data = tf.data.Dataset.range(3) if False else None\n", "")
    data = data.replace("batches =", "data = tf.data.Dataset.range(3)\nbatches =")
    assert [f.line for f in found(data, "TFM310", coordinator=True)] == [8, 18]


def test_a_job_name_that_is_another_variable_is_not_the_servers() -> None:
    shadowed = COORDINATED.replace(
        "batches = Batches()\n",
        "batches = Batches()\ndef show(FLAGS):\n  return FLAGS.job_name == 'ps'\n",
    )
    after = next(iter(run(shadowed, coordinator=True).texts.values()))
    assert "return FLAGS.job_name == 'ps'\n" in after
    assert "if FLAGS.job_name != 'chief':\n" in after


def test_only_real_logging_shows_the_task() -> None:
    shown = COORDINATED + "import logging\nl = logging.getLogger('x')\nl.info(FLAGS.task_index)\n"
    assert found(shown, "TFM311", coordinator=True) == []
    used = COORDINATED + "logger = shards\nlogger.take(FLAGS.task_index)\n"
    assert len(found(used, "TFM311", coordinator=True)) == 1


def test_a_loss_reduction_with_the_word_optimizer_is_a_reduction() -> None:
    text = """\
import tensorflow as tf

optimizer_reduction = tf.losses.Reduction.SUM
fn = tf.contrib.estimator.replicate_model_fn(model_fn, optimizer_reduction)
est = tf.estimator.Estimator(fn)
op = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer()).minimize(loss)
"""
    assert found(text, "TFM203") == []
    old = text.replace("tf.losses.Reduction.SUM", "lambda: tf.train.AdamOptimizer()")
    assert len(found(old, "TFM203")) == 1


SETTER = """\
import tensorflow as tf

OPS = ['VariableV2', 'VarHandleOp']

# Variable PS_OPS
def place(index, first):
  def choose(op):
    return first if op.type in OPS else '/gpu:%d' % index
  return choose

def train(n, opt):
  grads = []
  for i in range(n):
    with tf.device(place(i, '/cpu:0')):
      grads.append(opt.compute_gradients(loss(i)))
  return grads
"""


def test_a_device_function_is_known_by_the_ops_it_looks_for() -> None:
    assert "TFM401" in {f.code for f in run(SETTER).findings if f.applied}
    other = SETTER.replace("['VariableV2', 'VarHandleOp']", "['MatMul']")
    other = other.replace("first if", "'Variables' if False else first if")
    assert "TFM402" in {f.code for f in run(other).findings}


def test_device_setters_of_one_machine_place_towers() -> None:
    text = """\
import tensorflow as tf

def model(x, n):
  found = []
  for i in range(n):
    with tf.device(tf.train.replica_device_setter(
        ps_tasks=1, ps_device='/cpu:0', worker_device='/gpu:%d' % i)):
      with tf.variable_scope('a', reuse=None):
        found.append(tf.layers.dense(x[i], 1))
  return found
"""
    assert {"TFM401"} == {f.code for f in run(text).findings if f.code[3] in "34"}


def test_applying_gradients_on_several_devices_builds_no_towers() -> None:
    text = """\
import tensorflow as tf

def train(all_grads, make):
  opt, ops = make(), []
  for grad, v in all_grads:
    with tf.device(v.device):
      ops.append(opt.apply_gradients([(grad, v)]))
  return tf.group(*ops)
"""
    assert not {f.code for f in run(text).findings} & {"TFM401", "TFM402"}
