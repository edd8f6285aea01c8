"""--target keras: queues become tf.data, Coordinators without threads are removed."""

from __future__ import annotations

import re

import pytest
from support import changed, found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

TARGET = TARGETS[KERAS]
QUEUE = """row, target = tf.train.slice_input_producer([features, targets], shuffle=False)
x, y = tf.train.batch([row, target], batch_size=8)
"""
GRAPH = """w = tf.Variable(tf.zeros([4, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
INIT = "  sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))\n"
START = """  coord = tf.train.Coordinator()
  threads = tf.train.start_queue_runners(sess=sess, coord=coord)
"""
LOOP = """  for i in range(20):
    _, value = sess.run([train, loss])
    print(i, value)
"""
END = "  coord.request_stop()\n  coord.join(threads)\n"
UNTIL_END = """  try:
    step = 0
    while not coord.should_stop():
      _, value = sess.run([train, loss])
      step += 1
  except tf.errors.OutOfRangeError:
    print('%d steps' % step)
  finally:
    # ask the threads to stop
    coord.request_stop()
"""
PROGRAM = f"""import numpy as np
import tensorflow as tf

features = np.ones([64, 4], np.float32)
targets = features.sum(1, keepdims=True)
{QUEUE}{GRAPH}
with tf.Session() as sess:
{INIT}{START}{LOOP}{END}"""
PLACEHOLDERS = """x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
"""
FED = "sess.run([train, loss], feed_dict={x: features, y: targets})"
SLICES = "dataset = tf.data.Dataset.from_tensor_slices((features, targets)).repeat()\n"
EPOCHS = ("shuffle=False", "num_epochs=3, shuffle=False")
LINES = """queue = tf.train.string_input_producer(['a.csv', 'b.csv'], num_epochs=2, shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, line = reader.read(queue)
defaults = [[0.0], [0.0], [0.0], [0.0], [0.0]]
a, b, c, d, target = tf.decode_csv(line, record_defaults=defaults)
row = tf.stack([a, b, c, d])
x, y = tf.train.batch([row, tf.expand_dims(target, 0)], 8, allow_smaller_final_batch=True)
"""


def converted(*edits: tuple[str, str], unsafe: bool = False) -> str:
    after = migrated(changed(PROGRAM, *edits), target=TARGET, unsafe=unsafe)
    assert "sess" not in after
    assert "queue_runners" not in after
    assert "compat" not in after
    return after


def reason(*edits: tuple[str, str]) -> str:
    text = changed(PROGRAM, *edits)
    (finding,) = found(text, "TFM802", target=TARGET)
    assert not found(text, "TFM803", target=TARGET)
    return finding.message


def unsafe(*edits: tuple[str, str]) -> list[str]:
    """Returns what is unsafe in a conversion, which is made without the option if nothing is."""
    text = changed(PROGRAM, *edits)
    findings = found(text, "TFM803", target=TARGET, unsafe=True)
    messages = [f.message for f in findings if f.severity.value == "unsafe"]
    applied = [f for f in found(text, "TFM803", target=TARGET) if f.applied]
    assert bool(applied) != bool(messages)
    return messages


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (("tf.train.batch([row, target]", "tf.train.batch_join([[row, target]]"), "batch_join"),
        (("batch_size=8", "batch_size=8, dynamic_pad=True"), "`dynamic_pad`"),
        (("batch_size=8", "batch_size=8, enqueue_many=True"), "`enqueue_many`"),
        (("batch_size=8", "batch_size=8, shapes=[[4], [1]]"), "`shapes`"),
        (("shuffle=False", "shuffle=len(features) > 9"), "`shuffle` of .* is not written out"),
        ((GRAPH, f"{QUEUE.replace('x, y', 'u, v')}{GRAPH}"), "several queues"),
        ((QUEUE, f"q = tf.FIFOQueue(9, tf.float32)\n{QUEUE}"), "`tf.FIFOQueue`"),
        ((LOOP, f"{LOOP}  print(row)\n"), "`row` of a queue is used in another way"),
        ((LOOP, f"{LOOP}  print(sess.run(target))\n"), "`target` is fetched"),
        (("x, y = tf.train.batch(", "if True:\n  x, y = tf.train.batch("), "separate statement"),
        ((QUEUE, QUEUE.replace("x, y", "x, *y")), "not assigned to names"),
        ((QUEUE, QUEUE.split("\n")[0] + "\nx, y = row, target\n"), "are not batched"),
    ],
)
def test_queues_that_no_dataset_reads_alike_stay(edit: tuple[str, str], why: str) -> None:
    message = reason(edit)
    assert re.search(why, message), message


def test_what_a_queue_gives_is_not_computed_with_variables() -> None:
    first = "targets = features.sum(1, keepdims=True)\n"
    doubled = QUEUE.replace("x, y =", "row = row * v\nx, y =")
    message = reason((QUEUE, doubled), (first, f"{first}v = tf.Variable(2.0)\n"))
    assert "the rows of a queue are computed with `v` of the graph" in message


def test_a_coordinator_of_threads_of_the_program_stays() -> None:
    given = "  import threading\n  threading.Thread(target=print, args=(coord,)).start()\n"
    assert "`coord` coordinates threads of the program" in reason((LOOP, given + LOOP))
    own = END.replace("(threads)", "([print])")
    assert "`coord` coordinates threads of the program" in reason((END, own))
    assert "`coord` coordinates" in reason((LOOP, f"  coord.register_thread(None)\n{LOOP}"))
    assert "the threads of queue runners are used" in reason((LOOP, f"{LOOP}  print(threads)\n"))
    assert "`start` of `start_queue_runners`" in reason(("coord=coord", "coord=coord, start=False"))
    assert "several Coordinators" in reason((LOOP, f"  other = tf.train.Coordinator()\n{LOOP}"))


def test_a_managed_session_would_catch_the_end_of_a_queue() -> None:
    begin = PROGRAM.index("with tf.Session()")
    managed = """with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(9)]) as sess:
  while not sess.should_stop():
    sess.run(train)
"""
    step = ("minimize(loss)", "minimize(loss, tf.train.get_or_create_global_step())")
    edits = ((PROGRAM[begin:], managed.replace("(9)", "(last_step=9)")), step)
    assert "while optimizer.iterations < 9:\n  train_step(*next(batches))\n" in converted(*edits)
    assert "a queue with `num_epochs` may end" in reason(*edits, EPOCHS)


def test_a_run_that_does_not_read_the_queue_takes_no_batch() -> None:
    size = (GRAPH, GRAPH.replace("train =", "size = tf.nn.l2_loss(w)\ntrain ="))
    edits = (size, (LOOP, f"{LOOP}  print(sess.run(size))\n"))
    assert "a run of tensors that do not depend on the batch" in reason(*edits)


def test_a_coordinator_of_a_program_with_placeholders_is_removed() -> None:
    fed = (LOOP, LOOP.replace("sess.run([train, loss])", FED))
    after = converted((QUEUE, PLACEHOLDERS), fed)
    assert "coord" not in after
    assert after.endswith(
        "\nfor i in range(20):\n"
        "  value = train_step(features, targets).numpy()\n"
        "  print(i, value)\n"
    )
    plain = changed(PROGRAM, (QUEUE, PLACEHOLDERS), fed, (START, ""), (END, ""))
    assert after == migrated(plain, target=TARGET)


@pytest.mark.parametrize(
    "start",
    [
        "  threads = tf.train.start_queue_runners(sess, coord)\n",
        "  threads = tf.train.start_queue_runners(coord=coord, daemon=True)\n",
        "  threads = tf.train.queue_runner.start_queue_runners(sess, coord=coord)\n",
        "  threads = tf.train.start_queue_runners()\n",
    ],
)
def test_queue_runners_are_started_in_any_way(start: str) -> None:
    old = "  threads = tf.train.start_queue_runners(sess=sess, coord=coord)\n"
    assert converted((old, start)) == converted()


def test_a_queue_without_a_coordinator() -> None:
    started = "  tf.train.start_queue_runners(sess=sess)\n"
    assert converted((START, started), (END, "")) == converted()


def test_a_question_whether_to_stop_is_answered() -> None:
    asked = LOOP.replace(":\n", ":\n    if coord.should_stop():\n      break\n", 1)
    assert converted((LOOP, asked)) == converted()
    counted = """  i = 0
  while i < 20 and not coord.should_stop():
    sess.run(train)
    i += 1
"""
    after = converted((LOOP, counted))
    assert after.endswith("\ni = 0\nwhile i < 20:\n  train_step(*next(batches))\n  i += 1\n")


def test_a_coordinator_that_stops_the_loop_stays() -> None:
    loop = """  i = 0
  while not coord.should_stop():
    sess.run(train)
    i += 1
    if i == 20:
      coord.request_stop()
"""
    after = converted((LOOP, loop), (END, "  coord.join(threads)\n"))
    assert after.endswith(
        """
coord = tf.train.Coordinator()
i = 0
while not coord.should_stop():
  train_step(*next(batches))
  i += 1
  if i == 20:
    coord.request_stop()
coord.join()
"""
    )


def test_a_queue_that_is_read_below_its_end_is_unsafe() -> None:
    closed = ["a queue is read below `request_stop`, which closed it"]
    assert unsafe((END, f"{END}  print(sess.run(loss))\n")) == closed
    assert not unsafe((END, f"{END}  print(sess.run(w))\n"))
    early = "  while not coord.should_stop():\n    coord.request_stop()\n    sess.run(train)\n"
    assert unsafe((LOOP, early)) == closed


def test_a_coordinator_that_is_handed_an_error_raises_it_again() -> None:
    handed = "except Exception as e:\n    coord.request_stop(e)\n  finally:"
    tried = UNTIL_END.replace("finally:", handed)
    after = converted((LOOP, tried), (END, "  coord.join(threads)\n"), EPOCHS)
    assert "coord = tf.train.Coordinator()\ntry:\n" in after
    assert "  coord.request_stop(e)\nfinally:\n  # ask the threads to stop\n" in after
    assert after.endswith("  coord.request_stop()\ncoord.join()\n")


def test_slices_become_a_dataset() -> None:
    after = converted()
    assert f"{SLICES}batches = iter(dataset.batch(8, drop_remainder=True))\n" in after
    assert "\n  value = train_step(*next(batches)).numpy()\n" in after
    assert not unsafe()


def test_a_queue_that_ends_raises_the_error_that_the_program_catches() -> None:
    after = converted((LOOP, UNTIL_END), (END, "  coord.join(threads)\n"), EPOCHS)
    assert "from_tensor_slices((features, targets)).repeat(3)\n" in after
    assert after.endswith(
        """
try:
  step = 0
  while True:
    value = train_step(*batches.get_next())
    step += 1
except tf.errors.OutOfRangeError:
  print('%d steps' % step)
# ask the threads to stop
"""
    )


def test_a_try_of_which_only_its_end_was_needed_is_removed() -> None:
    tried = "".join(f"  {line}\n" for line in LOOP.rstrip("\n").split("\n"))
    tried = f"  try:\n{tried}  finally:\n    coord.request_stop()\n"
    assert converted((LOOP, tried), (END, "  coord.join(threads)\n")) == converted()


def test_a_finally_that_does_more_stays() -> None:
    tried = "".join(f"  {line}\n" for line in LOOP.rstrip("\n").split("\n"))
    tried = f"  try:\n{tried}  finally:\n    coord.request_stop()\n    FINALLY\n"
    for left, code in (
        ("print(i)", "  print(i)\n"),
        ("_, value = sess.run([train, loss])", "  value = train_step(*next(batches)).numpy()\n"),
    ):
        after = converted((LOOP, tried.replace("FINALLY", left)), (END, ""), unsafe=True)
        assert after.endswith(f"\nfinally:\n{code}")
    closed = tried.replace("FINALLY", "sess.close()")
    assert converted((LOOP, closed), (END, "  coord.join(threads)\n")) == converted()


def test_an_optimizer_above_the_queue_stays_there() -> None:
    above = """global_step = tf.Variable(0, trainable=False)
rate = tf.train.exponential_decay(0.1, global_step, 10, 0.9)
optimizer = tf.train.GradientDescentOptimizer(rate)
"""
    trained = GRAPH.replace("tf.train.GradientDescentOptimizer(0.1)", "optimizer")
    trained = trained.replace("minimize(loss)", "minimize(loss, global_step=global_step)")
    after = converted((QUEUE, above + QUEUE), (GRAPH, trained))
    made = after.index("optimizer = keras.optimizers.SGD(rate)\n")
    assert after.index("rate = keras") < made < after.index("dataset = tf.data")


def test_statements_that_decode_become_a_function() -> None:
    after = converted((QUEUE, LINES))
    assert (
        """
queue = tf.data.Dataset.from_tensor_slices(['a.csv', 'b.csv']).repeat(2)
dataset = queue.flat_map(lambda file: tf.data.TextLineDataset(file).skip(1))
defaults = [[0.0], [0.0], [0.0], [0.0], [0.0]]


def decode(line):
  a, b, c, d, target = tf.io.decode_csv(line, record_defaults=defaults)
  row = tf.stack([a, b, c, d])
  return row, tf.expand_dims(target, 0)


dataset = dataset.map(decode)
batches = iter(dataset.batch(8))
"""
        in after
    )


@pytest.mark.parametrize(
    ("reader", "read"),
    [
        ("tf.TextLineReader()", "flat_map(tf.data.TextLineDataset)"),
        ("tf.TFRecordReader()", "flat_map(tf.data.TFRecordDataset)"),
        ("tf.WholeFileReader()", "map(lambda file: (file, tf.io.read_file(file)))"),
        (
            "tf.FixedLengthRecordReader(record_bytes=20, header_bytes=4)",
            "flat_map(\n"
            "    lambda file: tf.data.FixedLengthRecordDataset(file, 20, header_bytes=4))",
        ),
    ],
)
def test_readers_become_datasets_of_files(reader: str, read: str) -> None:
    lines = LINES.replace("tf.TextLineReader(skip_header_lines=1)", reader)
    assert f"\ndataset = queue.{read}\n" in converted((QUEUE, lines))


def test_the_key_of_a_line_is_not_known() -> None:
    message = reason((QUEUE, LINES), (LOOP, f"{LOOP}  print(key)\n"))
    assert "`key` of a queue is used in another way than in a batch" in message


def test_files_are_found_when_the_pipeline_is_made() -> None:
    named = LINES.replace("['a.csv', 'b.csv']", "tf.train.match_filenames_once('*.csv')")
    after = converted((QUEUE, named))
    assert "from_tensor_slices(tf.io.matching_files('*.csv')).repeat(2)\n" in after


def test_a_list_of_elements_is_read_by_their_places() -> None:
    queue = """queue = tf.train.slice_input_producer([features, targets], shuffle=False)
# twice
x = queue[0] * 2.
x, y = tf.train.batch([x, queue[1]], 8)
"""
    assert f"""
{SLICES}

def decode(*queue):
  # twice
  x = queue[0] * 2.
  return x, queue[1]


dataset = dataset.map(decode)
""" in converted((QUEUE, queue))


def test_batches_may_be_a_dictionary_or_one_tensor() -> None:
    named = QUEUE.replace("x, y =", "batch =").replace("[row, target]", "{'x': row, 'y': target}")
    after = converted((QUEUE, named), (GRAPH, f"x = batch['x']\ny = batch['y']\n{GRAPH}"))
    assert "dataset = dataset.map(lambda row, target: {'x': row, 'y': target})\n" in after
    assert "def train_step(batch):\n" in after
    assert "train_step(next(batches))" in after
    one = "row = tf.train.slice_input_producer([features], shuffle=False)\n"
    one += "x = tf.train.batch(row, 8)\n"
    after = converted((QUEUE, one), (GRAPH, f"y = tf.reduce_sum(x, 1, keepdims=True)\n{GRAPH}"))
    assert "from_tensor_slices(features).repeat()\n" in after
    assert "train_step(next(batches))" in after


def test_a_batch_may_have_the_names_of_its_rows() -> None:
    queue = "x, y = features, targets\n" + QUEUE.replace("row, target", "x, y").replace(
        "\nx, y = tf.train.batch", "\nx = x * 2.\nx, y = tf.train.batch"
    ).replace("[features, targets]", "[x, y]")
    after = converted((QUEUE, queue))
    assert "\ndef decode(x, y):\n  x = x * 2.\n  return x, y\n" in after
    assert "\ndef model(x, y):\n" in after


def test_functions_that_read_queues_return_datasets() -> None:
    functions = """

def read(queue):
  reader = tf.TFRecordReader()
  _, serialized = reader.read(queue)
  one = tf.FixedLenFeature([1], tf.float32)
  parsed = tf.parse_single_example(
      serialized,
      features={'x': tf.FixedLenFeature([4], tf.float32), 'y': one})
  return parsed['x'], parsed['y']


def inputs(names, size, epochs):
  if not epochs:
    epochs = None
  with tf.name_scope('input'):
    queue = tf.train.string_input_producer(names, num_epochs=epochs, shuffle=False)
    row, target = read(queue)
    rows, target_batch = tf.train.batch([row, target], size)
    return rows, tf.reshape(target_batch, [size, 1])


x, y = inputs(['a', 'b'], 8, 0)
"""
    assert """
def read(queue):
  dataset = queue.flat_map(tf.data.TFRecordDataset)
  one = tf.io.FixedLenFeature([1], tf.float32)

  def decode(serialized):
    parsed = tf.io.parse_single_example(
        serialized,
        features={'x': tf.io.FixedLenFeature([4], tf.float32), 'y': one})
    return parsed['x'], parsed['y']

  return dataset.map(decode)


def inputs(names, size, epochs):
  if not epochs:
    epochs = None
  queue = tf.data.Dataset.from_tensor_slices(names).repeat(epochs)
  dataset = read(queue)
  dataset = dataset.batch(size, drop_remainder=True)
  return dataset.map(
      lambda rows, target_batch: (rows, tf.reshape(target_batch, [size, 1])))


batches = iter(inputs(['a', 'b'], 8, 0))
""" in converted((QUEUE, functions))


def test_a_function_that_may_be_called_again_stays() -> None:
    functions = f"""

def inputs():
  {QUEUE.split(chr(10))[0]}
  return tf.train.batch([row, target], 8)


x, y = inputs()
u, v = inputs()
"""
    assert "`inputs`, which reads a queue, may be called again" in reason((QUEUE, functions))
    early = functions.replace("():\n", "(n=1):\n  if not n:\n    return None\n", 1).replace(
        "u, v = inputs()\n", ""
    )
    assert "returns at several places" in reason((QUEUE, early))


def test_the_order_of_shuffled_queues_is_unsafe() -> None:
    order = "the rows of a shuffled queue arrive in a different order"
    threads = "the rows of a queue with several threads arrive in a different order"
    mixed = ("shuffle=False", "shuffle=True, seed=3")
    assert unsafe(mixed) == [order]
    assert unsafe(("batch_size=8", "batch_size=8, num_threads=4")) == [threads]
    shuffled = "x, y = tf.train.shuffle_batch([row, target], 8, capacity=50, min_after_dequeue=9)\n"
    drawn = (QUEUE, QUEUE.split("\n")[0] + "\n" + shuffled)
    assert unsafe(drawn) == [order]
    after = converted(mixed, unsafe=True)
    assert "dataset = dataset.shuffle(dataset.cardinality(), seed=3).repeat()\n" in after
    after = converted(drawn, unsafe=True)
    assert "iter(dataset.shuffle(50).batch(8, drop_remainder=True))\n" in after


def test_a_function_may_be_told_whether_to_shuffle() -> None:
    row, batch, _ = QUEUE.split("\n")
    row = row.replace("shuffle=False", "shuffle=mixed")
    batch = batch.replace("x, y = ", "return ")
    function = f"\n\ndef inputs(mixed=False):\n  {row}\n  {batch}\n\n\nx, y = inputs()\n"
    assert not unsafe((QUEUE, function))
    assert not unsafe((QUEUE, function.replace("=False", "").replace("= inputs()", "= inputs(0)")))
    assert len(unsafe((QUEUE, function.replace("= inputs()", "= inputs(True)")))) == 1
    set_anew = function.replace("  row,", "  mixed = not mixed\n  row,")
    assert "`shuffle` of" in reason((QUEUE, set_anew))


def test_one_file_is_not_shuffled() -> None:
    lines = LINES.replace("['a.csv', 'b.csv'], num_epochs=2, shuffle=False", "['a.csv'], 2")
    assert not unsafe((QUEUE, lines))
    assert "from_tensor_slices(['a.csv']).repeat(2)\n" in converted((QUEUE, lines))


def test_summaries_of_queues_are_left_out() -> None:
    summaries = "tf.summary.scalar('loss', loss)\nmerged = tf.summary.merge_all()\n"
    loop = LOOP.replace("_, value", "_, value, s").replace("loss]", "loss, merged]")
    written = "  writer = tf.summary.FileWriter('logs')\n" + loop + "    writer.add_summary(s, i)\n"
    messages = unsafe((GRAPH, GRAPH + summaries), (LOOP, written))
    assert messages == ["TensorFlow's summaries of how full a queue is are not written"]


def test_batches_that_are_fetched_are_fed() -> None:
    queue = QUEUE.replace("x, y", "rows, row_targets")
    fetched = LOOP.replace(
        "    _, value = sess.run([train, loss])\n",
        "    a, b = sess.run([rows, row_targets])\n"
        "    _, value = sess.run([train, loss], feed_dict={x: a, y: b})\n",
    )
    after = converted((QUEUE, queue + PLACEHOLDERS), (LOOP, fetched))
    assert (
        "  a, b = [part.numpy() for part in next(batches)]\n"
        "  value = train_step(a, b).numpy()\n" in after
    )
    swapped = fetched.replace("[rows, row_targets]", "[row_targets, rows]")
    assert "in a different order" in reason((QUEUE, queue + PLACEHOLDERS), (LOOP, swapped))
    computed = GRAPH.replace("tf.matmul(x, w)", "tf.matmul(rows, w)")
    edits = ((QUEUE, queue + PLACEHOLDERS), (LOOP, fetched), (GRAPH, computed))
    assert "the graph reads a Dataset and placeholders" in reason(*edits)


def test_datasets_may_end() -> None:
    dataset = "dataset = tf.data.Dataset.from_tensor_slices((features, targets)).batch(8)\n"
    one = dataset + "x, y = dataset.make_one_shot_iterator().get_next()\n"
    after = converted((QUEUE, one), (START, ""), (END, ""))
    assert "batches = iter(dataset)\n" in after
    assert "train_step(*batches.get_next())" in after
    held = dataset + "iterator = dataset.make_one_shot_iterator()\nx, y = iterator.get_next()\n"
    after = converted((QUEUE, held), (START, ""), (END, ""))
    assert "iterator = iter(dataset)\n" in after
    assert "train_step(*iterator.get_next())" in after
