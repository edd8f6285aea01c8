"""--target keras: summaries of sessions, and writers of them."""

from __future__ import annotations

import pytest
from support import changed, found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

TARGET = TARGETS[KERAS]
PROGRAM = """import sys
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 2]))
with tf.name_scope('cost'):
  loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
# what is shown
tf.summary.scalar('loss', loss)
with tf.name_scope('weights'):
  tf.summary.histogram('w', w)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
merged = tf.summary.merge_all()

with tf.Session() as sess:
  writer = tf.summary.FileWriter(sys.argv[1], sess.graph)
  sess.run(tf.global_variables_initializer())
  for i in range(10):
    summary, _ = sess.run([merged, train], feed_dict={x: np.ones([4, 3])})
    writer.add_summary(summary, i)
  writer.close()
"""
MERGE = "merged = tf.summary.merge_all()\n"
LOSS = "tf.summary.scalar('loss', loss)\n"
WRITER = "  writer = tf.summary.FileWriter(sys.argv[1], sess.graph)\n"
ADD = "writer.add_summary(summary, i)"
RUN = "summary, _ = sess.run([merged, train]"
WEIGHTS = "with tf.name_scope('weights'):\n  tf.summary.histogram('w', w)\n"


def converted(*edits: tuple[str, str]) -> str:
    after = migrated(changed(PROGRAM, *edits), target=TARGET)
    assert "sess" not in after
    assert "compat" not in after
    return after


def reason(*edits: tuple[str, str]) -> str:
    text = changed(PROGRAM, *edits)
    assert not found(text, "TFM803", target=TARGET)
    (finding,) = found(text, "TFM802", target=TARGET)
    return finding.message.removeprefix("not converted to Keras: ")


def test_summaries_are_tensors_that_the_step_returns() -> None:
    after = converted()
    assert (
        """
def add_summary(writer, summary, step=0):
  \"\"\"Writes a merged summary, as tf.summary.FileWriter of TensorFlow 1.x did.\"\"\"
  with writer.as_default(int(step)):
    tf.summary.experimental.write_raw_pb(summary)
"""
        in after
    )
    assert (
        """
def model(x):
  loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
  # what is shown
  loss_summary = tf.raw_ops.ScalarSummary(tags='loss', values=loss)
  w_summary = tf.raw_ops.HistogramSummary(tag='weights/w', values=w)
  merged = tf.raw_ops.MergeSummary(inputs=[loss_summary, w_summary])
  return loss, merged
"""
        in after
    )
    assert (
        """
writer = tf.summary.create_file_writer(sys.argv[1])
for i in range(10):
  summary = train_step(np.ones([4, 3]))
  add_summary(writer, summary, i)
writer.close()
"""
        in after
    )


def test_the_result_is_left_as_it_is() -> None:
    after = converted()
    assert migrated(after, target=TARGET) == after


def test_the_early_name_of_a_writer() -> None:
    assert converted(("summary.FileWriter", "train.SummaryWriter")) == converted()


def test_summaries_that_nothing_fetches_are_gone() -> None:
    after = converted((RUN, "_, summary = sess.run([train, loss]"), (f"    {ADD}\n", ""))
    assert "raw_ops" not in after
    assert "add_summary" not in after


def test_they_may_be_merged_below_the_session() -> None:
    assert converted((MERGE, ""), (WRITER, f"  {MERGE}{WRITER}")) == converted()


def test_a_writer_may_be_made_above_the_graph() -> None:
    first = "x = tf.placeholder"
    after = converted((WRITER, ""), (first, f"writer = tf.summary.FileWriter('logs')\n{first}"))
    assert "\nwriter = tf.summary.create_file_writer('logs')\nx = tf.TensorSpec(" in after


def test_a_graph_is_not_written() -> None:
    graph = "  writer.add_graph(sess.graph)\n"
    assert converted((WRITER, WRITER.replace(", sess.graph", "") + graph)) == converted()


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("'a', max_queue=5", "'a', max_queue=5"),
        ("'a', flush_secs=5", "'a', flush_millis=1000 * 5"),
        ("'a', None, 3, 5 + 1", "\n    'a', max_queue=3, flush_millis=1000 * (5 + 1)"),
        ("logdir='a', filename_suffix='.b'", "'a', filename_suffix='.b'"),
    ],
)
def test_arguments_of_a_writer(given: str, made: str) -> None:
    after = converted(("sys.argv[1], sess.graph", given))
    assert f"writer = tf.summary.create_file_writer({made})\n" in after


def test_a_summary_may_be_fetched_by_itself() -> None:
    after = converted(
        (LOSS, f"loss_summary = {LOSS}"),
        (MERGE, ""),
        (RUN, "summary, _ = sess.run([loss_summary, train]"),
        ("  writer.close()", "  writer.add_summary(sess.run(loss_summary, {x: [[1, 2, 3]]}))"),
    )
    assert "  return loss, loss_summary\n" in after
    assert "add_summary(writer, evaluate([[1, 2, 3]]).numpy())\n" in after


def test_a_list_of_summaries_is_merged() -> None:
    listed = "tf.summary.merge([first, tf.summary.scalar('half', loss / 2)])"
    after = converted((LOSS, f"first = {LOSS}"), ("tf.summary.merge_all()", listed))
    assert "  first = tf.raw_ops.ScalarSummary(tags='loss', values=loss)\n" in after
    assert "merged = tf.raw_ops.MergeSummary(inputs=[first, tf.raw_ops.ScalarSummary(" in after
    assert "tags='half', values=loss / 2)" in after


def test_a_learning_rate_is_that_of_the_step() -> None:
    rate = "rate = tf.train.exponential_decay(0.1, step, 10, 0.9)\n"
    step = "step = tf.Variable(0, trainable=False)\n"
    after = converted(
        (LOSS, f"{step}{rate}tf.summary.scalar('rate', rate)\n"),
        ("Optimizer(0.1).minimize(loss)", "Optimizer(rate).minimize(loss, global_step=step)"),
    )
    assert "ScalarSummary(\n      tags='rate', values=rate(optimizer.iterations))\n" in after


def function(*lines: str) -> tuple[str, str]:
    """Returns the change that adds a function above the graph."""
    body = "".join(f"  {line}\n" for line in lines)
    first = "x = tf.placeholder"
    return first, f"def show(var, name='v'):\n{body}\n\n{first}"


def test_functions_that_only_make_summaries() -> None:
    after = converted(
        function(
            "with tf.name_scope('shown'):",
            "  mean = tf.reduce_mean(var)",
            "  tf.summary.scalar('mean', mean)",
            "  tf.summary.histogram(name, var)",
        ),
        (WEIGHTS, "show(w)\n"),
    )
    assert (
        """def show(var, name='v'):
  mean = tf.reduce_mean(var)
  mean_summary = tf.raw_ops.ScalarSummary(tags='shown/mean_1', values=mean)
  histogram_summary = tf.raw_ops.HistogramSummary(
      tag='shown/' + name, values=var)
  return tf.raw_ops.MergeSummary(inputs=[mean_summary, histogram_summary])
"""
        in after
    )
    assert "  w_summaries = show(w)\n" in after
    assert "MergeSummary(inputs=[loss_summary, w_summaries])" in after


def test_each_call_of_a_function_has_its_scope() -> None:
    first, added = function("tf.summary.scalar('max', tf.reduce_max(var))")
    after = converted(
        (first, added.replace(", name='v'", "")),
        (WEIGHTS, "show(w)\nwith tf.name_scope('loss'):\n  show(loss)\n"),
    )
    assert "def show(var, scope):\n" in after
    assert "ScalarSummary(\n      tags=scope + 'max_1', values=tf.reduce_max(var))" in after
    assert "  w_summaries = show(w, scope='')\n" in after
    assert "  loss_summaries = show(loss, scope='loss_1/')\n" in after


@pytest.mark.parametrize(
    ("old", "new", "tag"),
    [
        (LOSS, LOSS.replace("'loss'", "'cost'"), "cost_1"),  # as the scope above
        (LOSS, LOSS.replace("'loss'", "'The loss?'"), "The_loss_"),
        (LOSS, LOSS + LOSS, "loss_1"),
        (LOSS, LOSS.replace("loss)", "loss, family='all')"), "all/all/loss"),
        (LOSS, LOSS.replace("loss)", "tf.identity(loss, name='LOSS'))"), "loss_1"),
        ("'weights'", "'cost'", "cost_1/w"),
        ("'w', w", "'max', tf.reduce_max(w)", "weights/max_1"),
    ],
)
def test_tags_are_unique_names(old: str, new: str, tag: str) -> None:
    assert f"='{tag}'" in converted((old, new))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (LOSS, LOSS.replace("'loss'", "'loss%d' % len(sys.argv)"), "the tag of a summary is not"),
        (LOSS, LOSS.replace("'loss'", "'add'") + "", None),
        (LOSS, LOSS.replace("'loss'", "'sub'"), "other operations may be called `sub`, too"),
        (LOSS, f"for _ in range(2):\n  {LOSS}", "a summary in a loop, on a condition or"),
        ("loss)\nwith", "loss, collections=['a'])\nwith", "`collections` of a summary"),
        ("merge_all()", "merge_all('a')", "the arguments of `tf.summary.merge_all`"),
        (ADD, f"print(summary)\n    {ADD}", None),
        (ADD, "writer.add_event(summary)", "`add_event` of a writer of summaries"),
        (ADD, "print(writer)", "a writer of summaries that is used in another way"),
        ("writer.close()", "print(merged)", "the summary `merged` is used in another way"),
        (
            "'w', w)\ntrain = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n",
            "'w', w)\ntrain = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)\n"
            "tf.summary.scalar('step', step)\n",
            "`step`, which is no tensor of the model, is summarized",
        ),
    ],
)
def test_others_are_left_out_by_request_only(old: str, new: str, why: str | None) -> None:
    edits = [(old, new)]
    if "step" in new:
        edits.append(
            ("w = tf.Variable", "step = tf.train.get_or_create_global_step()\nw = tf.Variable")
        )
    if why is None:
        assert "raw_ops" in converted(*edits)
    else:
        assert why in reason(*edits)


def by_hand(*lines: str) -> tuple[str, str]:
    """Returns the change that writes numbers of the program, too."""
    return ADD, "\n    ".join([ADD, *lines])


def test_numbers_that_the_program_writes_itself() -> None:
    after = converted(
        by_hand(
            "own = tf.Summary(value=[tf.Summary.Value(tag='i', simple_value=float(i)),",
            "                        tf.Summary.Value(tag='j', simple_value=i + 1)])",
            "writer.add_summary(own, global_step=i)",
        )
    )
    assert (
        "  own = tf.raw_ops.ScalarSummary(\n"
        "      tags=['i', 'j'], values=[float(i), float(i + 1)])\n"
        "  add_summary(writer, own, i)\n"
    ) in after


def test_numbers_that_are_added_to_a_summary() -> None:
    after = converted(
        by_hand(
            "own = tf.Summary()",
            "own.value.add(tag='i', simple_value=i)",
            "writer.add_summary(own, i)",
        )
    )
    assert "  own = []\n  own.append(('i', float(i)))\n" in after
    assert (
        "add_summary(writer, tf.raw_ops.ScalarSummary(\n"
        "      tags=[tag for tag, _ in own], values=[number for _, number in own]), i)\n"
    ) in after


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("own = tf.Summary()", "print(own)"), "the summary `own` is used in another way"),
        (("own = tf.Summary()", "own = 3"), "something else elsewhere"),
        (("own = tf.Summary(value=[])",), "the values of a summary are not written out"),
        (
            ("own = tf.Summary(value=[tf.Summary.Value(tag='i', simple_value=1)])", "print(own)"),
            "used for something else than to write it",
        ),
        (
            ("own = tf.Summary()", "own.value.add(tag='i', image=None)"),
            "a value of a summary that is not a tag and a number",
        ),
    ],
)
def test_other_summaries_of_the_program(lines: tuple[str, ...], why: str) -> None:
    assert why in reason(by_hand(*lines))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("checkpoint_dir='a'", "a MonitoredTrainingSession writes the summaries itself"),
        ("checkpoint_dir='a', save_summaries_steps=None", None),
        ("checkpoint_dir=None", None),
        (
            "checkpoint_dir='a', save_summaries_secs=9",
            "a MonitoredTrainingSession writes the summaries itself",
        ),
    ],
)
def test_sessions_that_write_summaries_themselves(given: str, why: str | None) -> None:
    edits = [
        ("tf.Session()", f"tf.train.MonitoredTrainingSession({given})"),
        ("  sess.run(tf.global_variables_initializer())\n", ""),
        ("minimize(loss)", "minimize(loss, tf.train.get_or_create_global_step())"),
        (", sess.graph", ""),
    ]
    if why is None:
        assert "merged = tf.raw_ops.MergeSummary" in converted(*edits)
    else:
        assert f"summaries are not written: {why}" in reason(*edits)
        after = migrated(changed(PROGRAM, *edits), target=TARGET, unsafe=True)
        assert "summary" not in after
        assert "Checkpoints(" in after
