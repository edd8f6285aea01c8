"""--target keras: hooks of a program, and exporters after evaluations."""

from __future__ import annotations

import pytest
from test_target_keras import converted, refused

HOOK = """\
class Steps(tf.train.SessionRunHook):
  \"\"\"Remembers steps.\"\"\"

  def __init__(self, last):
    self.last = last
    self.steps = []

  def begin(self):
    self._step = tf.train.get_global_step()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._step)

  def after_run(self, run_context, run_values):
    self.steps.append(run_values.results)
    if run_values.results >= self.last:
      run_context.request_stop()

  def end(self, session):
    print(self.steps)


def main"""
CALLBACK = """\
class Steps(keras.callbacks.Callback):
  \"\"\"Remembers steps.\"\"\"

  def __init__(self, last):
    super().__init__()
    self.last = last
    self.steps = []

  def on_train_batch_end(self, batch, logs=None):
    self.steps.append(steps_of(self.model))
    if steps_of(self.model) >= self.last:
      self.model.stop_training = True

  def on_train_end(self, logs=None):
    print(self.steps)
"""
COUNTER = """\
class Steps(tf.train.SessionRunHook):
  count = 0

  def after_run(self, run_context, run_values):
    self.count += 1


def main"""
TRAINS = ("steps=100)", "hooks=[Steps(9)], steps=100)")


def hook(*changes: tuple[str, str]) -> tuple[str, str]:
    text = HOOK
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return "def main", text


def test_a_hook_becomes_a_callback() -> None:
    after = converted(hook(), TRAINS)
    assert CALLBACK in after
    assert "  train_model(est, train_dataset, 'out', steps=100, callbacks=[Steps(9)])\n" in after
    assert "steps=None, name=None):" in after


def test_a_hook_is_called_after_each_step() -> None:
    assert "steps_per_execution=20" in converted()
    assert "steps_per_execution=" not in converted(hook(), TRAINS)


def test_a_hook_of_evaluations_has_their_names() -> None:
    hooks = ("steps=2)", "steps=2, hooks=[Steps()])")
    after = converted(("def main", COUNTER), hooks)
    assert "  def on_test_batch_end(self, batch, logs=None):\n    self.count += 1\n" in after
    assert "steps=2, callbacks=[Steps()])" in after
    assert "steps=None, name=None, callbacks=()):" in after
    both = converted(("def main", COUNTER), hooks, ("steps=100)", "steps=100, hooks=[Steps()])"))
    assert "  def on_train_batch_end(self, batch, logs=None):" in both
    assert "  on_test_batch_end = on_train_batch_end\n" in both


def test_results_in_a_dictionary() -> None:
    after = converted(
        hook(("Args(self._step)", "Args({'step': self._step})"), (".results", ".results['step']")),
        TRAINS,
    )
    assert CALLBACK in after


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Args(self._step)", "Args(self.loss)", "a hook reads `self.loss` in each step"),
        ("(run_values.results)", "(run_context.session.run(1))", "uses `run_context.session`"),
        ("(run_values.results)", "(run_values.options)", "uses `run_values.options`"),
        ("print(self.steps)", "print(session)", "a hook uses `print(session)`"),
        ("print(self.steps)", "print(self._step)", "uses the tensor `self._step`"),
        ("def begin(self)", "def after_create_session(self, a, b)", "uses the session"),
        ("self.last = last", "self.params = last", "`self.params` of a hook"),
        ("print(self.steps)", "self.begin()", "`begin` of a hook is called"),
        ("SessionRunHook):", "SessionRunHook, list):", "`Steps` is more than a hook"),
        (
            "    return tf.train",
            "    self.n = 1\n    return tf.train",
            "more than to read the step",
        ),
    ],
)
def test_what_a_callback_does_not_have_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused(hook((old, new)), TRAINS)


def test_a_request_to_stop_on_both_sides_is_refused() -> None:
    both = ("steps=2)", "steps=2, hooks=[Steps(9)])")
    assert "a hook uses `run_context.request_stop`" in refused(hook(), TRAINS, both)


FUNCTION = (
    "def main",
    "def receiver():\n  inputs = {'x': tf.placeholder(tf.float32, [None, 2])}\n"
    "  return tf.estimator.export.ServingInputReceiver(inputs, inputs)\n\n\ndef main",
)
RUN = "  est.train(lambda: input_fn(x, y), steps=100)\n"
SPECS = (
    "  train_spec = tf.estimator.TrainSpec(lambda: input_fn(x, y), max_steps=100)\n"
    "  eval_spec = tf.estimator.EvalSpec(lambda: input_fn(x, y)%s)\n"
    "  tf.estimator.train_and_evaluate(est, train_spec, eval_spec)\n"
)


def exporting(exporters: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return FUNCTION, (RUN, SPECS % f", exporters={exporters}")


LATEST = "tf.estimator.LatestExporter('latest', receiver, exports_to_keep=2)"


def without_spaces(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("form", ["%s", "[%s]"])
def test_an_exporter_exports_after_evaluations(form: str) -> None:
    after = converted(*exporting(form % LATEST))
    made = "[LatestExporter('latest',receiver(),exports_to_keep=2)],'out',max_steps=100,steps=100)"
    assert f"evaluation=EvaluateAndExport(input_fn(x,y),{made}" in without_spaces(after)
    assert "callbacks=[evaluation])\n" in after
    assert "  model.signatures = {'serving_default': model.predictor}\n" in after


def test_each_kind_of_exporter() -> None:
    best = "tf.estimator.BestExporter(serving_input_receiver_fn=receiver, compare_fn=f)"
    after = converted(*exporting(f"[tf.estimator.FinalExporter('last', receiver), {best}]"))
    made = "[FinalExporter('last',receiver()),BestExporter(inputs=receiver(),compare_fn=f)]"
    assert made in without_spaces(after)
    assert "import json\nimport os\nimport shutil\nimport time\n" in after
    assert after.index("class LatestExporter") < after.index("class BestExporter(LatestExporter)")


def test_evaluations_without_steps_are_those_of_the_clock() -> None:
    after = converted((RUN, SPECS % ""))
    assert "callbacks=[EvaluateCheckpoints(input_fn(x, y), steps=100)]" in after


@pytest.mark.parametrize(
    ("exporters", "reason"),
    [
        ("made()", "the exporter `made()`"),
        (LATEST.replace("exports_to_keep=2", "as_text=True"), "`as_text` of an exporter"),
        (LATEST.replace(", receiver", ""), "has no `serving_input_receiver_fn`"),
        (
            "tf.estimator.BestExporter('b', receiver, event_file_pattern=None)",
            "`event_file_pattern` of an exporter is not the default",
        ),
    ],
)
def test_other_exporters_are_refused(exporters: str, reason: str) -> None:
    assert reason in refused(*exporting(exporters))
