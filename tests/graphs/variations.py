"""Small programs of sessions, each a variation of state, control flow, sharing or side effects.

Each prints numbers with ``show``. ``recorded.json`` has what they show on TensorFlow 1.15.5, written
by ``python tests/graphs/variations.py tests/graphs/recorded.json`` there (Python 3.7).
"""

import collections
import json
import os
import sys
import tempfile

HEAD = """
import numpy as np
import tensorflow as tf

X = np.arange(24, dtype=np.float32).reshape(6, 4) / 10
Y = X.sum(1, keepdims=True) / 3
"""

GRAPH = """
x = tf.placeholder(tf.float32, [None, 4], name='x')
y = tf.placeholder(tf.float32, [None, 1], name='y')
w = tf.get_variable('w', [4, 1], initializer=tf.constant_initializer(0.1))
n = tf.Variable(0.0, trainable=False, name='n')
predicted = tf.matmul(x, w)
loss = tf.reduce_mean(tf.square(predicted - y))
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
"""

VARIATIONS = collections.OrderedDict()


def add(kind, driver, graph=GRAPH, head=HEAD):
    """Adds a program: its graph, then the code that runs it."""
    name = "%s_%d" % (kind, sum(k.startswith(kind + "_") for k in VARIATIONS) + 1)
    VARIATIONS[name] = head + graph + driver


# State: initializers that run again, for some variables, in other orders; counters; slots.
add(
    "state",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        show(sess.run([train, loss], {x: X, y: Y})[1])
    sess.run(tf.global_variables_initializer())
    show(sess.run(loss, {x: X, y: Y}))
""",
)
add(
    "state",
    """
init = tf.global_variables_initializer()
with tf.Session() as sess:
    for fold in range(2):
        sess.run(init)
        for i in range(2):
            show(sess.run([train, loss], {x: X, y: Y})[1])
""",
)
add(
    "state",
    """
with tf.Session() as sess:
    sess.run(tf.variables_initializer([w]))
    show(sess.run([train, loss], {x: X, y: Y})[1])
    try:
        sess.run(n)
    except tf.errors.FailedPreconditionError:
        show(-1)
    sess.run(n.initializer)
    show(sess.run(n))
""",
)
add(
    "state",
    """
for fold in range(2):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(2):
            show(sess.run([loss, train], {x: X, y: Y})[0])
""",
)
add(
    "state",
    """
for fold in range(2):
    with tf.Session() as sess:
        try:
            show(sess.run(w))
        except tf.errors.FailedPreconditionError:
            show(-1)
        sess.run(tf.global_variables_initializer())
        show(sess.run(w))
        sess.run(train, {x: X, y: Y})
""",
)
add(
    "state",
    """
first, second = tf.Session(), tf.Session()
first.run(tf.global_variables_initializer())
second.run(tf.global_variables_initializer())
for i in range(3):
    first.run(train, {x: X, y: Y})
show(first.run(loss, {x: X, y: Y}), second.run(loss, {x: X, y: Y}))
first.close()
second.close()
""",
)
add(
    "state",
    """
count = tf.assign_add(n, 1.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        show(sess.run([train, loss, count], {x: X, y: Y})[1:])
    show(sess.run(n))
""",
)
add(
    "state",
    """
with tf.control_dependencies([tf.assign_add(n, 1.0)]):
    counted = tf.identity(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        show(sess.run(counted, {x: X, y: Y}))
        show(sess.run(loss, {x: X, y: Y}), sess.run(n))
""",
)
add(
    "state",
    """
step = tf.train.get_or_create_global_step()
move = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        _, l, s = sess.run([move, loss, step], {x: X, y: Y})
        show(l, s)
    show(tf.train.global_step(sess, step))
""",
)
add(
    "state",
    """
step = tf.Variable(0, trainable=False)
rate = tf.train.exponential_decay(0.1, step, 2, 0.5, staircase=True)
move = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for i in range(5):
        sess.run(move, {x: X, y: Y})
        show(sess.run(rate), sess.run(loss, {x: X, y: Y}))
""",
)
add(
    "state",
    """
ema = tf.train.ExponentialMovingAverage(0.5)
with tf.control_dependencies([train]):
    both = ema.apply([w])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(both, {x: X, y: Y})
        show(sess.run(ema.average(w)), sess.run(w))
""",
)
add(
    "state",
    """
w2 = tf.Variable(w.initialized_value() * 2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([w, w2]))
""",
)
add(
    "state",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    w.load(np.ones([4, 1], np.float32), sess)
    show(sess.run(loss, {x: X, y: Y}))
    sess.run(w.assign(np.zeros([4, 1], np.float32)))
    show(sess.run(loss, {x: X, y: Y}))
    sess.run(tf.assign_sub(w, [[1.], [2.], [3.], [4.]]))
    show(sess.run(w))
""",
)
add(
    "state",
    """
value, update = tf.metrics.mean(loss)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for i in range(3):
        sess.run([train, update], {x: X, y: Y})
        show(sess.run(value))
    sess.run(tf.local_variables_initializer())
    sess.run(update, {x: X, y: Y})
    show(sess.run(value))
""",
)
add(
    "state",
    """
old = tf.Variable(tf.zeros([4, 1]), trainable=False)
copy = old.assign(w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        sess.run(train, {x: X, y: Y})
        if i % 2 == 0:
            sess.run(copy)
        show(sess.run(old - w))
""",
)
add(
    "state",
    """
clip = w.assign(tf.clip_by_value(w, -0.15, 0.15))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: X, y: Y})
        sess.run(clip)
        show(sess.run(w))
""",
)
add(
    "state",
    """
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: X, y: Y})
    path = saver.save(sess, OUT + '/model', global_step=3)
    sess.run(train, {x: X, y: Y})
    saver.restore(sess, path)
    show(sess.run(w))
with tf.Session() as sess:
    saver.restore(sess, tf.train.latest_checkpoint(OUT))
    show(sess.run(w), sess.run(n))
""",
)
add(
    "state",
    """
saver = tf.train.Saver([w])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.assign_add(n, 5.0))
    path = saver.save(sess, OUT + '/part')
    sess.run(train, {x: X, y: Y})
    saver.restore(sess, path)
    show(sess.run(w), sess.run(n))
""",
)
add(
    "state",
    """
queue = tf.FIFOQueue(5, [tf.float32], shapes=[[]])
put, take, size = queue.enqueue(2.5), queue.dequeue(), queue.size()
with tf.Session() as sess:
    sess.run(put)
    sess.run(put)
    show(sess.run(size), sess.run(take), sess.run(size))
""",
    graph="",
)
add(
    "state",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(tf.report_uninitialized_variables()).size)
    show(sess.run([tf.is_variable_initialized(w)])[0])
""",
)

# Control flow around the session.
add(
    "flow",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    best = 1e9
    for epoch in range(10):
        _, value = sess.run([train, loss], {x: X, y: Y})
        if value > best:
            break
        best = value
        if epoch == 4:
            continue
        show(best)
""",
)
add(
    "flow",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    i = 0
    while sess.run(loss, {x: X, y: Y}) > 0.05 and i < 20:
        sess.run(train, {x: X, y: Y})
        i += 1
    show(i)
""",
)
add(
    "flow",
    """
def epoch(sess, start):
    values = []
    for i in range(start, 6, 2):
        values.append(sess.run([loss, train], feed_dict={x: X[i:i + 2], y: Y[i:i + 2]})[0])
    return np.mean(values)


def main():
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    for k in range(2):
        show(epoch(sess, k))
    sess.close()


main()
""",
)
add(
    "flow",
    """
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
for i in range(3):
    train.run(feed_dict={x: X, y: Y})
    show(loss.eval({x: X, y: Y}), w.eval())
error = tf.reduce_max(tf.abs(predicted - y))
show(error.eval({x: X, y: Y}))
sess.close()
""",
)
add(
    "flow",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(2):
        extra = tf.reduce_sum(predicted) * (i + 1)
        show(sess.run(extra, {x: X}))
""",
)
add(
    "flow",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(predicted[0, 0] + 1.0, {x: X}))
    doubled = predicted * 2
    show(sess.run(doubled, {x: X}))
    show(sess.run(-doubled, {x: X}), sess.run(doubled > 1., {x: X}))
""",
)
add(
    "flow",
    """
def results(sess):
    return sess.run({'loss': loss, 'w': (w, [n])}, {x: X, y: Y})


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        found = results(sess)
    finally:
        show(1)
    show(found['loss'], found['w'][0], found['w'][1][0])
""",
)
add(
    "flow",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(loss, {x: X})
    except tf.errors.InvalidArgumentError as error:
        show(len(str(error)) > 10)
    try:
        sess.run(loss, {x: X[:, :2], y: Y})
    except ValueError:
        show(2)
""",
)
add(
    "flow",
    """
run = lambda *fetches: sess.run(list(fetches), {x: X, y: Y})
sess = tf.Session()
sess.run(tf.global_variables_initializer())
show(run(loss, train)[0])
show([run(loss)[0] for _ in range(2)])
""",
)
add(
    "flow",
    """
dataset = tf.data.Dataset.from_tensor_slices(X).repeat(2).batch(4)
element = dataset.make_one_shot_iterator().get_next()
total = tf.reduce_sum(element)
with tf.Session() as sess:
    while True:
        try:
            show(sess.run(total))
            show(sess.run([element, total])[1])
        except tf.errors.OutOfRangeError:
            break
""",
    graph="",
)
add(
    "flow",
    """
source = tf.placeholder(tf.float32, [None, 4])
iterator = tf.data.Dataset.from_tensor_slices(source).batch(2).make_initializable_iterator()
element = iterator.get_next()
with tf.Session() as sess:
    for scale in (1, 2):
        sess.run(iterator.initializer, feed_dict={source: X * scale})
        for i in range(2):
            show(sess.run(element))
""",
    graph="",
)
add(
    "flow",
    """
kinds = (tf.float32, tf.TensorShape([None, 4]))
iterator = tf.data.Iterator.from_structure(*kinds)
element = iterator.get_next()
begin = [iterator.make_initializer(tf.data.Dataset.from_tensor_slices(X * k).batch(3)) for k in (1, 2)]
with tf.Session() as sess:
    for op in begin:
        sess.run(op)
        show(sess.run(element))
""",
    graph="",
)
add(
    "flow",
    """
handle = tf.placeholder(tf.string, [])
one = tf.data.Dataset.range(10).make_one_shot_iterator()
two = tf.data.Dataset.range(100, 110).make_initializable_iterator()
iterator = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
element = iterator.get_next()
with tf.Session() as sess:
    first, second = sess.run([one.string_handle(), two.string_handle()])
    sess.run(two.initializer)
    for h in (first, second, first, second):
        show(sess.run(element, {handle: h}))
""",
    graph="",
)
add(
    "flow",
    """
with tf.train.MonitoredTrainingSession() as sess:
    for i in range(3):
        show(sess.run([train, loss], {x: X, y: Y})[1])
""",
    graph=GRAPH + "tf.train.get_or_create_global_step()\n",
)
add(
    "flow",
    """
step = tf.train.get_or_create_global_step()
train = tf.train.AdamOptimizer(0.1).minimize(loss, step)
hooks = [tf.train.StopAtStepHook(last_step=4)]
for part in range(2):
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=OUT, hooks=hooks, save_checkpoint_steps=2, log_step_count_steps=None) as sess:
        while not sess.should_stop():
            _, value, s = sess.run([train, loss, step], {x: X, y: Y})
            show(value, s)
    hooks = [tf.train.StopAtStepHook(last_step=6)]
""",
)
add(
    "flow",
    """
class Printed(tf.train.SessionRunHook):
    def __init__(self, tensor):
        self.tensor = tensor
    def begin(self):
        self.twice = self.tensor * 2
    def before_run(self, context):
        return tf.train.SessionRunArgs(self.twice)
    def after_run(self, context, values):
        show(values.results)
        if values.results < 0.2:
            context.request_stop()


tf.train.get_or_create_global_step()
with tf.train.SingularMonitoredSession(hooks=[Printed(loss)]) as sess:
    for i in range(8):
        if sess.should_stop():
            break
        sess.run(train, {x: X, y: Y})
""",
)
add(
    "flow",
    """
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, step)
sv = tf.train.Supervisor(logdir=OUT, save_summaries_secs=0, save_model_secs=0)
with sv.managed_session() as sess:
    for i in range(3):
        if sv.should_stop():
            break
        show(sess.run([train, loss, step], {x: X, y: Y})[1:])
    sv.saver.save(sess, OUT + '/last')
""",
)
add(
    "flow",
    """
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for i in range(4):
        show(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
""",
    graph="""
one, = tf.train.slice_input_producer([tf.constant(X)], shuffle=False)
batch = tf.train.batch([one], 2)
""",
)

# Sharing and scopes.
SCOPES = """
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])


def dense(inputs, units, name, reuse=None):
    with tf.variable_scope(name, reuse=reuse, initializer=tf.constant_initializer(0.2)):
        w = tf.get_variable('w', [inputs.get_shape()[1].value, units])
        b = tf.get_variable('b', [units], initializer=tf.zeros_initializer())
        return tf.matmul(inputs, w) + b
"""
TAIL = """
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    for i in range(3):
        show(sess.run([train, loss], {x: X, y: Y})[1])
    for v in tf.trainable_variables():
        show(sess.run(v))
"""
for _body in (
    # a hidden layer, twice the same, reused in another scope, or by AUTO_REUSE
    "h = tf.tanh(dense(x, 3, 'a'))\nout = dense(h, 1, 'b')\n",
    "h = dense(dense(x, 4, 'a'), 4, 'a', reuse=True)\nout = dense(h, 1, 'b')\n",
    "h = dense(dense(x, 4, 'a', tf.AUTO_REUSE), 4, 'a', tf.AUTO_REUSE)\nout = dense(h, 1, 'b')\n",
    "with tf.variable_scope('s') as s:\n    h = dense(x, 4, 'a')\n    s.reuse_variables()\n"
    "    h = dense(h, 4, 'a')\nout = dense(h, 1, 'b')\n",
    "with tf.variable_scope('s', regularizer=lambda v: 0.01 * tf.nn.l2_loss(v)):\n"
    "    out = dense(x, 1, 'a')\n"
    "out += sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))\n",
    "with tf.name_scope('n'):\n    out = dense(x, 1, 'a') * tf.Variable(1.5, name='scale')\n",
    "kept = tf.stop_gradient(dense(x, 1, 'a'))\nout = kept + dense(x, 1, 'b')\n",
    "out = tf.cond(tf.reduce_sum(x) > 1., lambda: dense(x, 1, 'a'), lambda: dense(x, 1, 'b'))\n",
    "out = sum(dense(x, 1, 'l%d' % i) for i in range(3))\n",
    "_, out = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 0.5), "
    "(tf.constant(0), dense(x, 1, 'a')))\n",
    "shared = tf.make_template('t', dense, units=4, name='d')\nout = dense(shared(shared(x)), 1, 'b')\n",
    "parts = tf.get_variable('p', [4, 1], partitioner=tf.fixed_size_partitioner(2), "
    "initializer=tf.ones_initializer())\nout = tf.matmul(x, tf.convert_to_tensor(parts))\n",
    "table = tf.get_variable('t', [5, 1], initializer=tf.ones_initializer())\n"
    "out = tf.nn.embedding_lookup(table, tf.cast(x[:, 0], tf.int32)) * dense(x, 1, 'a')\n",
    "cell = tf.nn.rnn_cell.BasicRNNCell(3)\n"
    "with tf.variable_scope('r', initializer=tf.constant_initializer(0.1)):\n"
    "    h, _ = tf.nn.dynamic_rnn(cell, tf.expand_dims(x, 2), dtype=tf.float32)\n"
    "out = dense(h[:, -1], 1, 'b')\n",
    "out = tf.py_func(lambda v: v * 2, [dense(x, 1, 'a')], tf.float32) * 0 + dense(x, 1, 'b')\n",
    "with tf.device('/cpu:0'):\n    out = dense(x, 1, 'a')\n",
    "with tf.control_dependencies([tf.assert_greater(tf.reduce_sum(x), -1.)]):\n"
    "    out = tf.identity(dense(x, 1, 'a'))\n",
    "out = tf.layers.batch_normalization(dense(x, 1, 'a'), training=True)\n",
    "out = tf.layers.dense(x, 1, kernel_initializer=tf.constant_initializer(0.3), name='d')\n"
    "out = tf.layers.dense(x, 1, name='d', reuse=True) + out\n",
):
    add(
        "scope",
        TAIL,
        SCOPES + _body + "loss = tf.reduce_mean(tf.square(out - y))\n"
        "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
        "    train = tf.train.GradientDescentOptimizer(0.02).minimize(loss)\n",
    )

for _optimizer in (
    "tf.train.AdamOptimizer(0.05)",
    "tf.train.AdagradOptimizer(0.1)",
    "tf.train.RMSPropOptimizer(0.01, momentum=0.9, centered=True)",
    "tf.train.AdadeltaOptimizer(1.0)",
    "tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)",
    "tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True)",
    "tf.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.1)",
):
    add("optimizer", TAIL, GRAPH.replace("tf.train.GradientDescentOptimizer(0.05)", _optimizer))

CLIPPED = """
optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = optimizer.compute_gradients(loss, var_list=tf.trainable_variables())
"""
for _clip in (
    "train = optimizer.apply_gradients([(tf.clip_by_value(g, -0.1, 0.1), v) for g, v in pairs])\n",
    "gs, norm = tf.clip_by_global_norm([g for g, _ in pairs], 0.5)\n"
    "train = optimizer.apply_gradients(zip(gs, [v for _, v in pairs]))\nloss = loss + 0 * norm\n",
    "sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for _, v in pairs]\n"
    "with tf.control_dependencies([s.assign_add(g) for s, (g, _) in zip(sums, pairs)]):\n"
    "    train = optimizer.apply_gradients([(s.read_value() / 2, v) for s, (_, v) in zip(sums, pairs)])\n",
    "train = [v.assign_sub(0.1 * g) for g, v in pairs]\n",
    "train = tf.group(*[tf.assign(v, v - 0.1 * tf.gradients(loss, v)[0]) for _, v in pairs])\n",
):
    add("gradients", TAIL, GRAPH + CLIPPED + _clip)

# Python side effects, classes, modules of the graph.
MODEL = """
class Model(object):
    made = 0

    def __init__(self, rate, sess=None):
        Model.made += 1
        self.rate = rate
        self.sess = sess
        self.losses = []
        self.build()
        self.optimize()

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.y = tf.placeholder(tf.float32, [None, 1])
        with tf.variable_scope('model%d' % Model.made):
            self.w = tf.get_variable('w', [4, 1], initializer=tf.constant_initializer(0.1))
        self.out = tf.matmul(self.x, self.w)
        self.loss = tf.reduce_mean(tf.square(self.out - self.y))

    def optimize(self):
        self.train = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)

    def fit(self, sess, count):
        for _ in range(count):
            _, value = sess.run([self.train, self.loss], {self.x: X, self.y: Y})
            self.losses.append(value)
        return self

    def save(self, path):
        self.saver = tf.train.Saver()
        return self.saver.save(self.sess, path)
"""
add(
    "python",
    """
with tf.Session() as sess:
    model = Model(0.05)
    sess.run(tf.global_variables_initializer())
    show(model.fit(sess, 3).losses, Model.made)
""",
    MODEL,
)
add(
    "python",
    """
model = Model(0.05)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
other = Model(0.1)
sess.run(tf.variables_initializer([other.w]))
show(model.fit(sess, 2).losses, other.fit(sess, 2).losses, Model.made)
""",
    MODEL,
)
add(
    "python",
    """
with tf.Session() as sess:
    model = Model(0.05, sess)
    sess.run(tf.global_variables_initializer())
    model.fit(sess, 2)
    path = model.save(OUT + '/m')
    model.fit(sess, 2)
    model.saver.restore(sess, path)
    show(sess.run(model.w), model.losses)
""",
    MODEL,
)
add(
    "python",
    """
graphs_made = []
for rate in (0.05, 0.1):
    graph = tf.Graph()
    with graph.as_default():
        model = Model(rate)
        init = tf.global_variables_initializer()
    graphs_made.append((graph, model, init))
for graph, model, init in graphs_made:
    with tf.Session(graph=graph) as sess:
        sess.run(init)
        show(model.fit(sess, 2).losses)
""",
    MODEL,
)
add(
    "python",
    """
with tf.Graph().as_default():
    model = Model(0.05)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        show(model.fit(sess, 2).losses)
show(len(tf.global_variables()))
""",
    MODEL,
)
add(
    "python",
    """
for rate in (0.05, 0.1):
    tf.reset_default_graph()
    model = Model(rate)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        show(model.fit(sess, 2).losses)
""",
    MODEL,
)
add(
    "python",
    """
calls = []


def noted(v):
    calls.append(1)
    return v * 2


out = noted(predicted)
out = tf.py_func(lambda v: (calls.append(2), v)[1], [out], tf.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        show(sess.run(out, {x: X}))
    show(calls)
""",
)
add(
    "python",
    """
scale = 1.0
outs = []
for scale in (1.0, 2.0):
    outs.append(predicted * scale)
scale = 5.0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(outs, {x: X}))
""",
)
add(
    "python",
    """
fetches = {'loss': loss}
fetches['train'] = train
feeds = dict(zip([x, y], [X, Y]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(2):
        show(sess.run(fetches, feeds)['loss'])
    show(sess.run('MatMul:0', {'x:0': X}))
    show(sess.run([loss] * 2, feeds))
    Pair = __import__('collections').namedtuple('Pair', 'a b')
    pair = sess.run(Pair(loss, w), feeds)
    show(pair.a, pair.b)
""",
)
add(
    "python",
    """
tf.add_to_collection('mine', loss)
tf.add_to_collection('mine', predicted)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for tensor in tf.get_collection('mine'):
        show(sess.run(tensor, {x: X, y: Y}))
    show(sess.run(tf.get_default_graph().get_tensor_by_name('MatMul:0'), {x: X}))
""",
)
add(
    "python",
    """
rate = tf.placeholder_with_default(0.05, [])
train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([loss, train], {x: X, y: Y})[0])
    show(sess.run([loss, train], {x: X, y: Y, rate: 0.01})[0])
    show(sess.run(loss, {x: X, y: Y}), sess.run(loss, {predicted: Y, y: Y}))
    show(sess.run(predicted, {x: X, w: np.ones([4, 1])}) if False else 0)
""",
)
add(
    "python",
    """
sparse = tf.sparse_placeholder(tf.float32, [3, 3])
dense = tf.sparse_tensor_to_dense(sparse)
with tf.Session() as sess:
    value = tf.SparseTensorValue([[0, 1], [2, 2]], [1.0, 2.0], [3, 3])
    show(sess.run(dense, {sparse: value}))
    back = sess.run(sparse, {sparse: value})
    show(back.values, back.indices)
""",
    graph="",
)
add(
    "python",
    """
writer = tf.summary.FileWriter(OUT, tf.get_default_graph())
tf.summary.scalar('loss', loss)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(2):
        text, value = sess.run([merged, loss], {x: X, y: Y})
        writer.add_summary(text, i)
        show(tf.Summary.FromString(text).value[0].simple_value, value)
    extra = tf.Summary(value=[tf.Summary.Value(tag='extra', simple_value=3.0)])
    writer.add_summary(extra, 2)
writer.close()
found = [v for e in tf.train.summary_iterator(writer.event_writer._event_writer._logger.__class__ and
         __import__('glob').glob(OUT + '/events*')[0]) for v in e.summary.value] if False else []
show(len(found))
""",
)
add(
    "python",
    """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    step = sess.make_callable([loss, train], feed_list=[x, y])
    show(step(X, Y)[0], step(X, Y)[0])
    show(sess.make_callable(w)())
""",
)
add(
    "python",
    """
words = tf.constant(['a', 'b', 'c'])
table = tf.contrib.lookup.index_table_from_tensor(words, num_oov_buckets=1)
found = table.lookup(tf.constant(['c', 'z', 'a']))
with tf.Session() as sess:
    tf.tables_initializer().run()
    show(sess.run(found), sess.run(tf.as_string(found)).tolist() == [b'2', b'3', b'0'])
""",
    graph="",
)

# More state: accumulators, early stopping by copies, targets, curricula, schedules by assignment.
for _driver in (
    # a rate that is assigned, fed, or decays by hand
    "rate = tf.Variable(0.1, trainable=False)\n"
    "new = tf.placeholder(tf.float32, [])\nset_rate = tf.assign(rate, new)\n"
    "train = tf.train.GradientDescentOptimizer(rate).minimize(loss)\n"
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for i in range(3):\n        sess.run(set_rate, {new: 0.1 * 0.5 ** i})\n"
    "        show(sess.run([train, loss, rate], {x: X, y: Y})[1:])\n",
    # the best weights are kept in Python and put back
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    best, kept = 1e9, None\n    for i in range(4):\n"
    "        sess.run(train, {x: X, y: Y})\n        value = sess.run(loss, {x: X, y: Y})\n"
    "        if value < best:\n            best, kept = value, sess.run(tf.trainable_variables())\n"
    "    for v, old in zip(tf.trainable_variables(), kept):\n        v.load(old, sess)\n"
    "    show(best, sess.run(loss, {x: X, y: Y}))\n",
    # a target network that follows every second step
    "t = tf.get_variable('t', [4, 1], trainable=False, initializer=tf.zeros_initializer())\n"
    "follow = tf.group(tf.assign(t, 0.5 * t + 0.5 * w))\ntarget = tf.matmul(x, t)\n"
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for i in range(4):\n        goal = sess.run(target, {x: X})\n"
    "        sess.run(train, {x: X, y: goal + Y})\n        if i % 2:\n            sess.run(follow)\n"
    "        show(sess.run([t, w]))\n",
    # two optimizers that take turns
    "other = tf.get_variable('o', [1, 1], initializer=tf.ones_initializer())\n"
    "both = tf.reduce_mean(tf.square(tf.matmul(predicted, other) - y))\n"
    "one = tf.train.AdamOptimizer(0.1).minimize(both, var_list=[w])\n"
    "two = tf.train.AdamOptimizer(0.1).minimize(both, var_list=[other])\n"
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for i in range(4):\n        sess.run(one if i % 2 else two, {x: X, y: Y})\n"
    "        show(sess.run([both, w, other], {x: X, y: Y}))\n",
    # a loss that changes during training
    "penalty = tf.nn.l2_loss(w)\nsecond = tf.train.GradientDescentOptimizer(0.05).minimize(loss + penalty)\n"
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for i in range(4):\n        op = train if i < 2 else second\n"
    "        show(sess.run([op, loss], {x: X, y: Y})[1])\n",
    # the graph grows after the first steps
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    sess.run(train, {x: X, y: Y})\n    extra = tf.get_variable('e', [], initializer=tf.ones_initializer())\n"
    "    sess.run(extra.initializer)\n    more = tf.train.AdamOptimizer(0.1)\n"
    "    step = more.minimize(loss * extra)\n    sess.run(tf.variables_initializer(more.variables()))\n"
    "    for i in range(2):\n        sess.run(step, {x: X, y: Y})\n        show(sess.run([w, extra]))\n",
    # uninitialized ones only
    "with tf.Session() as sess:\n    sess.run(w.initializer)\n    sess.run(train, {x: X, y: Y})\n"
    "    left = [v for v in tf.global_variables() if not sess.run(tf.is_variable_initialized(v))]\n"
    "    sess.run(tf.variables_initializer(left))\n    show(len(left), sess.run(w), sess.run(n))\n",
    # scatter updates and a count of rows
    "table = tf.Variable(tf.zeros([4]), trainable=False)\nrows = tf.placeholder(tf.int32, [None])\n"
    "seen = tf.scatter_add(table, rows, tf.ones_like(tf.cast(rows, tf.float32)))\n"
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for r in ([0, 1], [1, 1], [3]):\n        show(sess.run(seen, {rows: r}))\n    show(sess.run(table))\n",
    # an operation of the graph by its name, after a second graph came and went
    "with tf.Graph().as_default():\n    tf.constant(3., name='predicted')\n"
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    graph = tf.get_default_graph()\n    out = graph.get_tensor_by_name(predicted.name)\n"
    "    show(sess.run(out, {'x:0': X}), len(graph.get_collection('trainable_variables')))\n",
    # a generator feeds, a dict comprehension fetches
    "def feeds():\n    for i in range(3):\n        yield {x: X[i:i + 2], y: Y[i:i + 2]}\n\n\n"
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for feed in feeds():\n        found = sess.run({k: v for k, v in (('l', loss), ('t', train))}, feed)\n"
    "        show(found['l'])\n",
    # with statements of the session object and of the default session
    "sess = tf.Session()\nwith sess.as_default():\n    tf.global_variables_initializer().run()\n"
    "    train.run({x: X, y: Y})\n    show(loss.eval({x: X, y: Y}))\nshow(sess.run(w))\nsess.close()\n",
    # an exception that ends an epoch
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n    for i in range(3):\n"
    "        try:\n            value = sess.run([train, loss], {x: X, y: Y})[1]\n"
    "            if i == 1:\n                raise KeyError(i)\n        except KeyError as error:\n"
    "            show(error.args)\n            continue\n        show(value)\n",
    # a checkpoint under other names
    "saver = tf.train.Saver({'weights': w, 'count': n})\nwith tf.Session() as sess:\n"
    "    sess.run(tf.global_variables_initializer())\n    sess.run(train, {x: X, y: Y})\n"
    "    path = saver.save(sess, OUT + '/named')\n    show(len(tf.train.list_variables(path)))\n"
    "    reader = tf.train.NewCheckpointReader(path)\n    show(reader.get_tensor('weights'))\n"
    "    sess.run(tf.global_variables_initializer())\n    saver.restore(sess, path)\n    show(sess.run(w))\n",
    # a metric's own variables, by collection and by hand
    "value, update = tf.metrics.mean_squared_error(y, predicted)\nwith tf.Session() as sess:\n"
    "    sess.run([v.initializer for v in tf.global_variables() + tf.local_variables()])\n"
    "    for i in range(3):\n        sess.run(update, {x: X[i:i + 2], y: Y[i:i + 2]})\n"
    "    show(sess.run(value), [sess.run(v) for v in tf.local_variables()])\n",
    # the session in a class that builds in its methods
    "class Trainer(object):\n    def __init__(self):\n        self.sess = tf.Session()\n"
    "        self.error = tf.reduce_max(tf.abs(predicted - y))\n"
    "        self.sess.run(tf.global_variables_initializer())\n\n    def run(self, op):\n"
    "        return self.sess.run(op, {x: X, y: Y})\n\n    def go(self):\n        for i in range(2):\n"
    "            self.run(train)\n        return self.run(self.error), self.run(tf.sqrt(loss))\n\n\n"
    "show(Trainer().go())\n",
    # nothing is fetched, a list of nothing, a tuple
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n    show(len(sess.run([])))\n"
    "    show(sess.run((loss, (w,)), {x: X, y: Y})[1][0])\n    show(sess.run(train, {x: X, y: Y}) is None)\n",
    # threads that share the session
    "import threading\nwith tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    add_one = tf.assign_add(n, 1.0, use_locking=True)\n"
    "    threads = [threading.Thread(target=lambda: [sess.run(add_one) for _ in range(5)]) for _ in range(3)]\n"
    "    for t in threads:\n        t.start()\n    for t in threads:\n        t.join()\n    show(sess.run(n))\n",
    # a feed in place of an inner tensor, and of a constant
    "c = tf.constant(2.0)\nscaled = predicted * c\nwith tf.Session() as sess:\n"
    "    sess.run(tf.global_variables_initializer())\n    show(sess.run(scaled, {x: X}), sess.run(scaled, {x: X, c: 3.0}))\n"
    "    show(sess.run(scaled, {predicted: Y}))\n",
):
    add("more", _driver)

for _body in (
    # loops, branches and recurrent cells
    "cell = tf.nn.rnn_cell.LSTMCell(3, initializer=tf.constant_initializer(0.1))\n"
    "h, state = tf.nn.dynamic_rnn(cell, tf.reshape(x, [-1, 2, 2]), dtype=tf.float32)\n"
    "out = dense(state.h, 1, 'b')\n",
    "cells = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2, "
    "kernel_initializer=tf.constant_initializer(0.2)) for _ in range(2)])\n"
    "h, _ = tf.nn.static_rnn(cells, tf.unstack(tf.reshape(x, [-1, 2, 2]), axis=1), dtype=tf.float32)\n"
    "out = dense(h[-1], 1, 'b')\n",
    "out = tf.map_fn(lambda row: tf.reduce_sum(row, keepdims=True), dense(x, 2, 'a'))\n",
    "out = tf.scan(lambda a, v: a * 0.5 + v, dense(x, 1, 'a'))\n",
    "out = tf.case([(tf.reduce_sum(x) > 1e3, lambda: dense(x, 1, 'a') * 0.)], "
    "default=lambda: dense(x, 1, 'b'))\n",
    "out = dense(tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), offset=None, scale=None, "
    "variance_epsilon=1e-3), 1, 'a')\n",
    "ta = tf.TensorArray(tf.float32, 3)\nfor _i in range(3):\n    ta = ta.write(_i, dense(x, 1, 'l%d' % _i))\n"
    "out = tf.reduce_sum(ta.stack(), 0)\n",
    "out = tf.squeeze(tf.layers.conv1d(tf.expand_dims(x, 2), 1, 4, "
    "kernel_initializer=tf.constant_initializer(0.1)), [2])\n",
    "out = tf.contrib.layers.fully_connected(x, 1, activation_fn=None, "
    "weights_initializer=tf.constant_initializer(0.3), weights_regularizer=tf.contrib.layers.l2_regularizer(0.1))\n"
    "out += tf.losses.get_regularization_loss()\n",
    "ema = tf.train.ExponentialMovingAverage(0.9)\nout = dense(x, 1, 'a')\n"
    "tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, ema.apply(tf.trainable_variables()))\n"
    "out += 0 * tf.reduce_sum(ema.average(tf.trainable_variables()[0]))\n",
    "p = tf.placeholder_with_default(True, [])\nout = tf.layers.dropout(dense(x, 1, 'a'), 0.0, training=p)\n",
    "with tf.variable_scope('outer', custom_getter=lambda getter, name, *a, **k: getter(name, *a, **k) * 2.):\n"
    "    out = dense(x, 1, 'a')\n",
    "out = dense(x, 1, 'a') + tf.get_variable('z', initializer=tf.constant([[0.5]]))\n",
    "w0 = tf.Variable(np.full([4, 1], 0.25, np.float32), name='w0')\nout = tf.matmul(x, w0) * tf.Variable(lambda: 1.5)\n",
):
    add(
        "layers",
        TAIL,
        SCOPES + _body + "loss = tf.reduce_mean(tf.square(out - y))\n"
        "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
        "    train = tf.train.GradientDescentOptimizer(0.02).minimize(loss)\n",
    )

# Random numbers: one stream of a seed, whatever else is fetched.
RANDOM = """
tf.set_random_seed(7)
a = tf.random_normal([2])
b = tf.random_uniform([3], seed=5)
c = tf.truncated_normal([2], seed=6)
d = tf.random_uniform([2], maxval=100, dtype=tf.int32, seed=8)
v = tf.Variable(tf.random_normal([2]))
dropped = tf.nn.dropout(tf.ones([8]), 0.5, seed=3)
"""
add(
    "random",
    """
with tf.Session() as sess:
    sess.run(v.initializer)
    for i in range(3):
        show(sess.run(b), sess.run([b, c])[1], sess.run([d, b]))
    show(sess.run(dropped), sess.run([dropped, b])[0], sess.run(dropped))
""",
    RANDOM,
)
add(
    "random",
    """
for part in range(2):
    with tf.Session() as sess:
        show(sess.run(b), sess.run([b, d]))
""",
    RANDOM,
)
add(
    "random",
    """
noisy = predicted + 0.1 * tf.random_normal(tf.shape(predicted), seed=4)
loss = tf.reduce_mean(tf.square(noisy - y))
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        if i % 2:
            show(sess.run([train, loss, noisy], {x: X, y: Y})[1])
        else:
            show(sess.run([train, loss], {x: X, y: Y})[1])
""",
)
add(
    "random",
    """
grown = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.random_uniform([2], seed=9)),
                      (tf.constant(0), tf.zeros([2])))[1]
with tf.Session() as sess:
    for i in range(2):
        show(sess.run(grown), sess.run([grown, grown + 1])[0])
""",
    graph="",
)

# As public programs make their sessions.
add(
    "made",
    """
manager = tf.train.SessionManager()
saver = tf.train.Saver()
sess = manager.prepare_session('', init_op=tf.global_variables_initializer(), saver=saver,
                               checkpoint_dir=OUT)
for i in range(3):
    show(sess.run([train, loss], {x: X, y: Y})[1])
saver.save(sess, OUT + '/kept')
sess.close()
again = manager.prepare_session('', saver=saver, checkpoint_dir=OUT)
show(again.run([w, loss], {x: X, y: Y}))
found, known = tf.train.SessionManager().recover_session('', saver=saver, checkpoint_dir=OUT)
show(known, found.run(w))
""",
)
add(
    "made",
    """
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, step)
scaffold = tf.train.Scaffold(init_op=tf.global_variables_initializer())
creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_dir=OUT)
with tf.train.MonitoredSession(creator, hooks=[tf.train.StopAtStepHook(num_steps=3)]) as sess:
    while not sess.should_stop():
        show(sess.run([train, loss, step], {x: X, y: Y})[1:])
with tf.train.MonitoredSession(session_creator=tf.train.ChiefSessionCreator()) as sess:
    show(sess.run([loss, step], {x: X, y: Y}))
""",
)
# Arguments by keyword.
add(
    "made",
    """
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, step)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(fetches=tf.global_variables_initializer())
    for i in range(3):
        show(sess.run(fetches=[train, loss], feed_dict={x: X, y: Y})[1])
    path = saver.save(sess=sess, save_path=OUT + '/model', global_step=step)
    show(tf.train.global_step(sess=sess, global_step_tensor=step))
    w.load(value=w.eval(session=sess) * 0, session=sess)
    show(loss.eval(feed_dict={x: X, y: Y}, session=sess))
    saver.restore(sess=sess, save_path=path)
    show(loss.eval(feed_dict={x: X, y: Y}))
""",
)


# Drivers in other shapes: operations made by what is handed over, variables as keys, queues.
add(
    "driver",
    """
vs = [tf.Variable(float(i)) for i in range(3)]
doubles = {i: v * 2 for i, v in enumerate(vs)}
bump = lambda k: vs[k].assign_add(10.0)
total = sum(vs[1:], vs[0])
bumps = list(map(bump, range(3)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show([sess.run(d) for d in doubles.values()])
    [sess.run(b) for b in bumps[:2]]
    show(sess.run(total))
    show(*map(sess.run, vs))
    show(sess.run([tf.square(v) for v in vs]))
    show(sess.run(bump(2)))
""",
    graph="",
)
add(
    "driver",
    """
a = tf.Variable(1.0, name='a')
b = tf.Variable(2.0, name='b')
both = [a, b]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for v in both:
        if v in [b]:
            continue
        show(sess.run(v))
    names = {}
    for v in both:
        names[v] = sess.run(v)
    show(names[a], names[b], both.index(b), float(a == b), float(b != a))
    show(sess.run([a + 0, b * 2], {a: 7.0}), sess.run(a * a, {a: 3.0, b: 1.0}), sess.run(a))
""",
    graph="",
)
add(
    "driver",
    """
q = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []])
a = tf.placeholder(tf.float32, [None, 2])
b = tf.placeholder(tf.int32, [None])
put = q.enqueue_many([a, b])
x, n = q.dequeue()
xs, ns = q.dequeue_many(2)
size = q.size()
v = tf.Variable(0.0)
learn = v.assign_add(tf.reduce_sum(x) * tf.cast(n, tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(put, {a: np.arange(10).reshape(5, 2), b: [1, 2, 3, 4, 5]})
    show(sess.run(size), sess.run(learn), sess.run([xs, ns]), sess.run(size))
    sess.run(q.close())
    show(sess.run(learn), sess.run(learn))
    try:
        sess.run(learn)
    except tf.errors.OutOfRangeError:
        show(sess.run(v))
""",
    graph="",
)
add(
    "driver",
    """
a = tf.Variable(1.0, name='a')
b = tf.Variable(2.0, name='b')
c = tf.Variable(3.0, name='c')
frozen = [a]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    rest = [v for v in tf.global_variables() if v not in frozen]
    show(len(rest), sess.run(rest))
    values = {v: i for i, v in enumerate(tf.global_variables())}
    show(values[b], len(set([a, b, a])), float(a == a), float(a == b), float(a != b))
    for v in tf.trainable_variables():
        if v == b:
            show(sess.run(v))
    show(tf.global_variables().index(c))
""",
    graph="",
)
add(
    "driver",
    """
gs = tf.train.get_or_create_global_step()
v = tf.Variable(1.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=gs)
class H(tf.train.SessionRunHook):
    def begin(self):
        self.double = v * 2
        self.assign = tf.assign(v, 0.9)
    def after_create_session(self, session, coord):
        show(session.run(v))
    def before_run(self, ctx):
        return tf.train.SessionRunArgs({'d': self.double, 'g': gs})
    def after_run(self, ctx, values):
        show(values.results['d'] if False else values.results['g'])
        if values.results['g'] == 2:
            ctx.session.run(self.assign)
        if values.results['g'] >= 5:
            ctx.request_stop()
    def end(self, session):
        show(session.run(v))
hooks = [H(), tf.train.StopAtStepHook(last_step=8), tf.train.NanTensorHook(v * 1)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=OUT, hooks=hooks, save_checkpoint_steps=2, log_step_count_steps=None) as s:
    while not s.should_stop():
        s.run(train)
with tf.train.MonitoredTrainingSession(checkpoint_dir=OUT, hooks=[tf.train.StopAtStepHook(num_steps=2)], log_step_count_steps=None) as s:
    while not s.should_stop():
        show(s.run([train, gs])[1])
show(tf.train.load_variable(OUT, 'Variable'))
""",
    graph="",
)
add(
    "driver",
    """
with tf.device('/cpu:0'):
    with tf.name_scope('all'):
        v = tf.Variable(2.0)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            w = v * 3
            show(sess.run(w), float(w.name.startswith('all/')))
            with tf.name_scope('more'):
                u = w + 1
                show(sess.run(u))
with tf.variable_scope('vs') as scope:
    k = tf.get_variable('k', [], initializer=tf.ones_initializer())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        scope.reuse_variables()
        k2 = tf.get_variable('k')
        show(float(k2 is k), sess.run(k2))
""",
    graph="",
)
add(
    "driver",
    """
memory = tf.Variable(tf.zeros([5, 2]), trainable=False)
at = tf.placeholder(tf.int32, [None])
new = tf.placeholder(tf.float32, [None, 2])
write = tf.scatter_update(memory, at, new)
plus = tf.scatter_add(memory, at, new)
nd = tf.scatter_nd_update(memory, tf.expand_dims(at, 1), new * 2)
read = tf.gather(memory, at)
with tf.control_dependencies([write]):
    after = tf.gather(memory, [0, 1])
row = memory[1].assign([9.0, 9.0])
with tf.Session() as sess:
    sess.run(memory.initializer)
    sess.run(write, {at: [1, 3], new: [[1, 2], [3, 4]]})
    show(sess.run(read, {at: [3, 0, 1]}))
    sess.run(plus.op, {at: [1, 1], new: [[1, 2], [3, 4]]})
    show(sess.run(after, {at: [0], new: [[5, 5]]}))
    sess.run(row)
    show(sess.run(memory), sess.run(nd, {at: [4], new: [[1, 1]]}))
""",
    graph="",
)
add(
    "driver",
    """
def session():
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    return tf.Session(config=config)
class Trainer(object):
    def __init__(self, sess):
        self.sess = sess
        self._build()
        self.sess.run(tf.global_variables_initializer())
    def _build(self):
        self.x = tf.placeholder(tf.float32, [None, 4])
        with tf.variable_scope('q'):
            self.q = self._net()
        with tf.variable_scope('target'):
            self.t = self._net()
        q = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='q')
        t = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='target')
        self.copy = [tf.assign(b, a) for a, b in zip(q, t)]
        self.loss = tf.reduce_mean(tf.square(self.q - self.t - 1.0))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss, var_list=q)
    def _net(self):
        w = tf.get_variable('w', [4, 2], initializer=tf.constant_initializer(0.1))
        return tf.matmul(self.x, w)
    def fit(self, n):
        for i in range(n):
            if i % 3 == 0:
                self.sess.run(self.copy)
            show(self.sess.run([self.loss, self.train], {self.x: X})[0])
Trainer(session()).fit(7)
""",
    graph="",
)
add(
    "driver",
    """
x = tf.placeholder(tf.float32, [None, 4])
w = tf.Variable(tf.ones([4, 1]))
s = tf.reduce_sum(tf.matmul(x, w))
step = w.assign(w - 0.01 * tf.gradients(s, w)[0])
def train(sess, data):
    for row in data:
        yield sess.run([s, step], {x: row[None]})[0]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in train(sess, X):
        show(value)
    show([v for v in train(sess, X[:2])])
    show(*(sess.run(s, {x: X[i:i + 1]}) for i in range(3)))
""",
    graph="",
)
add(
    "driver",
    """
a = tf.data.Dataset.from_tensor_slices(np.arange(6.0)).repeat()
b = tf.data.Dataset.from_tensor_slices(np.arange(3.0) * -1)
handle = tf.placeholder(tf.string, shape=[])
iterator = tf.data.Iterator.from_string_handle(handle, a.output_types, a.output_shapes)
value = iterator.get_next()
ia = a.make_one_shot_iterator()
ib = b.make_initializable_iterator()
with tf.Session() as sess:
    ha, hb = sess.run([ia.string_handle(), ib.string_handle()])
    for epoch in range(2):
        for _ in range(4):
            show(sess.run(value * 2, feed_dict={handle: ha}))
        sess.run(ib.initializer)
        while True:
            try:
                show(sess.run(value, feed_dict={handle: hb}))
            except tf.errors.OutOfRangeError:
                break
""",
    graph="",
)
# Functions that build under other names: of parameters, in tables.
add(
    "made",
    """
def placeholders():
    return tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])


def dense(inputs):
    return tf.layers.dense(inputs, 1, kernel_initializer=tf.ones_initializer())


def squared(out, wanted):
    return tf.reduce_mean(tf.square(out - wanted))


MODELS = {'dense': dense}
other = dense


def experiment(make=placeholders, *, loss_of=squared):
    x, y = make()
    loss = loss_of(MODELS['dense'](x), y)
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(3):
            show(sess.run([train, loss], {x: X, y: Y})[1])


def again(build):
    x = tf.placeholder(tf.float32, [None, 4])
    out = build(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        show(sess.run(out, {x: X}))


experiment()
again(other)
again(build=lambda inputs: dense(inputs) * 2)
""",
    graph="",
)
# A variable that a loop makes begins from the value of another one.
add(
    "made",
    """
def body(i, total):
    first = tf.get_variable('first', [2], initializer=tf.constant_initializer(2.))
    second = tf.get_variable('second', [2], initializer=tf.random_uniform_initializer(
        first.initialized_value(), first.initialized_value()))
    return i + 1, total + second * tf.cast(i, tf.float32)


total = tf.while_loop(lambda i, _: i < 3, body, (tf.constant(0), tf.zeros([2])))[1]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([total] + tf.global_variables()))
""",
    graph="",
)

# Variables by name: fetched, fed, in operations, and as a step that is in no collection.
add(
    "named",
    """
step = tf.Variable(0, trainable=False, name='global_step')
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, tf.train.get_global_step())
again = tf.get_default_graph().get_tensor_by_name('w:0')
total = tf.reduce_sum(again)
double = tf.assign(again, again * 2)
tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run('init')
    for i in range(2):
        _, value, found = sess.run([train, loss, {'w': ['w:0', 'n:0']}], {'x:0': X, 'y:0': Y})
        show(value, found['w'], sess.run(['global_step:0', again, total]))
    show(sess.run('MatMul:0', {'x:0': X, 'w:0': np.ones([4, 1])}), sess.run('MatMul:0', {x: X, again: [[1.]] * 4}))
    show(sess.run(double), sess.run('w:0'), tf.train.global_step(sess, step))
    for missing in ('v:0', 'w:1'):
        try:
            sess.run(loss, {missing: 1.0})
        except TypeError:
            show(1)
""",
)
# A function that begins the graph anew, and builds it.
add(
    "made",
    """
class Network(object):
    def __init__(self, scale):
        tf.reset_default_graph()
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.w = tf.get_variable('w', [4, 1], initializer=tf.constant_initializer(scale))
        self.out = tf.matmul(self.x, self.w)
        self.train = self.w.assign_add(tf.ones_like(self.w))


old = tf.get_variable('w', [])
for scale in (1.0, 2.0):
    net = Network(scale)
    saver = tf.train.Saver()
    twice = net.out * 2
    show(len(tf.global_variables()))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(net.train)
        show(sess.run([net.out, twice], {net.x: X}), len(tf.get_collection('variables')))
with tf.Graph().as_default():
    try:
        tf.reset_default_graph()
    except AssertionError:
        show(1)
show(len(tf.global_variables()))
""",
    graph="",
)

# Operators, functions and shapes of tensors where the text does not show that they are some.
add(
    "handed",
    """
class Layer(object):
    def run(self, inputs):
        return tf.reduce_sum(inputs * 2)


class Held(object):
    doubled = predicted * 2
    sess = tf.Session()

    def shown(self):
        return self.sess.run(self.doubled + 1, {x: X})


tensors = {'one': predicted, 'two': predicted - 1}
total = Layer().run(tensors['one'] ** 2)
for i, tensor in enumerate(tensors.values()):
    total = total + tensor[0, 0] * i
activations = [tf.nn.relu, tf.nn.tanh]
rows = [row for row in (predicted, w)]
sess = Held.sess
sess.run(tf.global_variables_initializer())
show(Held().shown(), sess.run(total, {x: X}))
for activation in activations:
    out = activation(tensors['two'])
    show(sess.run(out, {x: X}))
show((lambda tensor: sess.run(-tensor, {x: X}))(rows[0]))
difference = rows[1] - 1.0
clipped = rows[1][:2] > 0.5
show(sess.run(difference), sess.run(clipped), sess.run(1.0 / tensors['one'], {x: X}))
count = 1
for part in rows:
    for size in part.shape[-1:]:
        count *= size.value
show(count, x.shape[1].value, x.shape[0].value is None, rows[1].shape[0].value, np.zeros(w.shape))
for size in rows[1].get_shape():
    show(size.value, size == 4)
""",
)

# Objects that make operations when they, or their methods, are called by a driver.
add(
    "handed",
    """
import functools

make = tf.get_variable
dense = functools.partial(tf.layers.dense, kernel_initializer=tf.ones_initializer())
layers = []
for i in range(2):
    layers.append(tf.layers.Dense(4, kernel_initializer=tf.constant_initializer(0.1), name='layer%d' % i))
cell = tf.nn.rnn_cell.BasicLSTMCell(1)
queue = tf.FIFOQueue(3, [tf.float32], [[]])
normal = tf.distributions.Normal(0.0, 2.0)
ema = tf.train.ExponentialMovingAverage(0.5)
moving = ema.apply([w])
reductions = {'sum': tf.reduce_sum, 'max': tf.reduce_max}


def reduced(tensor, make=make):
    scale = make('scale', initializer=tf.constant(2.0))
    return [reductions[name](tensor) * scale for name in sorted(reductions)]


out = dense(x, 4)
with tf.Session() as sess:
    for layer in layers:
        out = layer(out)
        sess.run(tf.global_variables_initializer())
        show(sess.run(out, {x: X}))
    zeros = cell.zero_state(2, tf.float32)
    show(sess.run(zeros))
    put = queue.enqueue(3.5)
    sess.run(put)
    size = queue.size()
    show(sess.run(size))
    density = normal.log_prob([0.5, 1.0])
    show(sess.run(density))
    sess.run(moving)
    average = ema.average(w)
    show(sess.run(average))
    both = reduced(out)
    sess.run(tf.global_variables_initializer())
    show(sess.run(both, {x: X}))
""",
)


# Branches whose operations are used outside of them.
BRANCH = """
x = tf.placeholder(tf.float32, [None, 4], name='x')
on = tf.placeholder(tf.bool, [], name='on')
w = tf.get_variable('w', [4], initializer=tf.constant_initializer(0.5))
seen = tf.get_variable('seen', [], initializer=tf.zeros_initializer(), trainable=False)
"""
LOOP = """
loss = tf.reduce_mean(tf.square(z * w - 1.0))
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
with tf.control_dependencies([train]):
    step = tf.group(*updates)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        show(sess.run([step, loss], {x: X + i, on: True})[1], sess.run(tf.global_variables()))
    show(sess.run(loss, {x: X, on: False}))
"""
add(
    "branch",
    LOOP,
    BRANCH
    + """
updates = []
def noted(mean):
    updates.append(tf.assign(seen, 0.9 * seen + 0.1 * mean))
    return updates[-1]
def training():
    with tf.control_dependencies([noted(tf.reduce_mean(x))]):
        return x - tf.reduce_mean(x)
z = tf.cond(on, training, lambda: x - seen)
""",
)
add(
    "branch",
    LOOP,
    BRANCH
    + """
def norm(training):
    return tf.layers.batch_normalization(x, training=training, name='norm', reuse=not training)
z = tf.cond(on, lambda: norm(True), lambda: norm(False))
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
""",
)
add(
    "branch",
    LOOP,
    BRANCH
    + """
class Model(object):
    def training(self):
        self.update = tf.assign_add(seen, tf.reduce_sum(x))
        count = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * w), [0, x])[1]
        return tf.cond(tf.reduce_sum(x) > 3.0, lambda: x + count, lambda: count)
model = Model()
z = tf.case([(on, model.training)], default=lambda: x * 2.0)
updates = [model.update]
""",
)


# What the functions of a Dataset draw begins anew with the iterator.
add(
    "drawing",
    """
def noisy(row):
    return row + tf.random.uniform([4], seed=3)
iterator = tf.data.Dataset.from_tensor_slices(X).map(noisy).repeat(2).make_initializable_iterator()
row = iterator.get_next()
total = tf.reduce_sum(row)
noise = tf.random.uniform([2], seed=5)
with tf.Session() as sess:
    for epoch in range(2):
        sess.run(iterator.initializer)
        show(sess.run(row), sess.run(total), sess.run([total, noise]), sess.run(noise))
""",
    graph="",
)


def numbers(values):
    """Returns all numbers of a nest, as floats of six digits."""
    import numpy as np

    if isinstance(values, dict):
        values = [values[key] for key in sorted(values)]
    if isinstance(values, (list, tuple)):
        return [number for value in values for number in numbers(value)]
    if values is None:
        return []
    return [float("%.6g" % number) for number in np.ravel(np.asarray(values, np.float64))]


def shown(code, name):
    """Runs a program; returns what it shows."""
    import shutil

    found = []
    folder = tempfile.mkdtemp()
    here = os.getcwd()
    os.chdir(folder)
    try:
        names = {"show": lambda *v: found.extend(numbers(v)), "OUT": folder, "__name__": name}
        exec(compile(code, name, "exec"), names)
    finally:
        os.chdir(here)
        shutil.rmtree(folder, ignore_errors=True)
    return found


if __name__ == "__main__":
    import tensorflow as tf

    results = {}
    for _name, _code in VARIATIONS.items():
        tf.reset_default_graph()
        try:
            results[_name] = shown(_code, _name)
        except Exception as error:
            print(_name, type(error).__name__, error)
    with open(sys.argv[1], "w") as file:
        json.dump(results, file, indent=0, sort_keys=True)
    print(len(results), "of", len(VARIATIONS))
