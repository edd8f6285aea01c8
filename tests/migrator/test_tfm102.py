"""TFM102: an Experiment that is trained and evaluated once becomes specs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from support import check, migrate_tree, migrated, run

HEAD = "import tensorflow as tf\nfrom tensorflow.contrib.learn import learn_runner\n"
AFTER = "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import estimator\n"
SPECS = (
    "  train_spec = estimator.TrainSpec(a, max_steps=9)\n"
    "  eval_spec = estimator.EvalSpec(b, schedule=estimator.ExperimentSchedule())\n"
)
TRIPLE = "est, train_spec, eval_spec"


def experiment(arguments: str = "est, a, b, train_steps=9") -> str:
    return f"tf.contrib.learn.Experiment({arguments})"


def function(arguments: str = "est, a, b, train_steps=9") -> str:
    return f"def f(output_dir):\n  return {experiment(arguments)}\n"


@pytest.mark.parametrize(
    "text",
    [
        # Not trained and evaluated, or not only.
        function() + "learn_runner.run(f, 'd', 'train')\n",
        function() + "learn_runner.run(f, 'd', schedule=FLAGS.schedule)\n",
        function() + "learn_runner.run(f, 'd')\nf('d').train()\n",
        function() + "learn_runner.run(f, 'd', **more)\n",
        function() + "learn_runner.run(f, *more)\n",
        function() + "learn_runner.run(f)\n",
        function() + "learn_runner.run(f, 'd', run_config=c)\n",
        function() + "learn_runner.run(g(f), 'd')\n",
        function() + "run = f\nlearn_runner.run(run, 'd')\n",
        function() + "learn_runner.tune(f, tuner)\n",
        function(),
        "x = " + experiment() + "\nx.train()\n",
        "x = " + experiment() + "\nx.extend_train_hooks(h)\nx.train_and_evaluate()\n",
        "x = " + experiment() + "\n",
        "x = y = " + experiment() + "\nx.train_and_evaluate()\n",
        "x = " + experiment() + "\nx.train_and_evaluate()\nx = None\n",
        "x = [" + experiment() + "]\n",
        experiment() + ".train_and_evaluate()\n",
        "class E(tf.contrib.learn.Experiment):\n  pass\n",
        # The specs have no place for it.
        function("est, a, b, eval_metrics=m") + "learn_runner.run(f, 'd')\n",
        function("est, a, b, checkpoint_and_export=True") + "learn_runner.run(f, 'd')\n",
        function("est, a, b, delay_workers_by_global_step=d") + "learn_runner.run(f, 'd')\n",
        function("est, a, b, eval_delay_secs=now()") + "learn_runner.run(f, 'd')\n",
        function("est, a, b, **arguments") + "learn_runner.run(f, 'd')\n",
        function("est, a") + "learn_runner.run(f, 'd')\n",
        function("est, a, b, other=1") + "learn_runner.run(f, 'd')\n",
        # More than one result, or a wrapped one.
        "def f(output_dir):\n  if x:\n    return None\n  return " + experiment() + "\n"
        "learn_runner.run(f, 'd')\n",
        "@wrapped\n" + function() + "learn_runner.run(f, 'd')\n",
        "class C:\n  def f(self, output_dir):\n    return " + experiment() + "\n"
        "learn_runner.run(C().f, 'd')\n",
        "f = lambda output_dir: " + experiment() + "\nlearn_runner.run(f, 'd')\n",
        # A comment that nothing could carry.
        function() + "learn_runner.run(f,  # mine\n                 'd')\n",
    ],
)
def test_other_experiments_stay_experiments(text: str) -> None:
    assert "TFM102" not in {finding.code for finding in run(HEAD + text).findings}
    assert "learn.Experiment" in migrated(HEAD + text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            function() + "learn_runner.run(f, 'd')\n",
            f"def f(output_dir):\n{SPECS}  return {TRIPLE}\n"
            "estimator.train_and_evaluate(*f('d'))\n",
        ),
        (
            function() + "learn_runner.run(experiment_fn=f, output_dir=d, schedule=None)\n",
            f"def f(output_dir):\n{SPECS}  return {TRIPLE}\nestimator.train_and_evaluate(*f(d))\n",
        ),
        (
            "def f(run_config, hparams):\n  return " + experiment() + "\n"
            "learn_runner.run(experiment_fn=f, run_config=c, schedule='train_and_evaluate',\n"
            "                 hparams=h)\n",
            f"def f(run_config, hparams):\n{SPECS}  return {TRIPLE}\n"
            "estimator.train_and_evaluate(*f(c, h))\n",
        ),
        (
            "def f(run_config, hparams):\n  return " + experiment() + "\n"
            "result = learn_runner.run(f, run_config=c)  # both\n",
            f"def f(run_config, hparams):\n{SPECS}  return {TRIPLE}\n"
            "result = estimator.train_and_evaluate(*f(c, None))  # both\n",
        ),
        (
            "def f(output_dir):\n  x = " + experiment() + "  # mine\n  return x\n"
            "learn_runner.run(f, 'd')\n",
            "def f(output_dir):\n"
            + SPECS.replace("9)\n", "9)  # mine\n")
            + f"  x = {TRIPLE}\n  return x\n"
            "estimator.train_and_evaluate(*f('d'))\n",
        ),
        (
            "def make(n):\n  def f(output_dir):\n    return " + experiment() + "\n  return f\n"
            "learn_runner.run(make(n=3), 'd')\nlearn_runner.run(make(4), output_dir='e')\n",
            "def make(n):\n  def f(output_dir):\n"
            + SPECS.replace("  train", "    train").replace("  eval_spec", "    eval_spec")
            + f"    return {TRIPLE}\n  return f\n"
            "estimator.train_and_evaluate(*make(n=3)('d'))\n"
            "estimator.train_and_evaluate(*make(4)('e'))\n",
        ),
    ],
)
def test_becomes_specs(before: str, after: str) -> None:
    check(f"{HEAD}{before}print(tf)\n", f"{AFTER}{after}print(tf)\n")


def test_its_own_method() -> None:
    check(
        "import tensorflow as tf\ndef main():\n  x = " + experiment() + "\n"
        "  return x.train_and_evaluate()\nprint(tf)\n",
        f"{AFTER}def main():\n{SPECS}  x = {TRIPLE}\n  return estimator.train_and_evaluate(*x)\n"
        "print(tf)\n",
    )


def test_every_argument_is_carried_or_reported() -> None:
    arguments = (
        "e(),\n      a, b, None, n, 7, m, h, train_steps_per_iteration=5,\n"
        "      min_eval_frequency=3, check_interval_secs=1, export_strategies=[s],\n"
        "      saving_listeners=l, eval_delay_secs=2, checkpoint_and_export=False"
    )
    text = HEAD + function(arguments) + "learn_runner.run(f, 'd')\nprint(tf)\n"
    assert migrated(text) == (
        AFTER + "def f(output_dir):\n"
        "  train_spec = estimator.TrainSpec(a, max_steps=n, hooks=m, saving_listeners=l)\n"
        "  eval_spec = estimator.EvalSpec(\n"
        "      b,\n"
        "      steps=7,\n"
        "      hooks=h,\n"
        "      exporters=[s],\n"
        "      schedule=estimator.ExperimentSchedule(min_eval_frequency=3, "
        "check_interval_secs=1))\n"
        "  return e(), train_spec, eval_spec\n"
        "estimator.train_and_evaluate(*f('d'))\nprint(tf)\n"
    )
    (message,) = [f.message for f in run(text).findings if f.code == "TFM102"]
    assert message.endswith("; removed unused eval_delay_secs, train_steps_per_iteration")


@pytest.mark.parametrize(
    "imports",
    [
        "from tensorflow.contrib.learn.python.learn import learn_runner",
        "from tensorflow.contrib.learn import learn_runner",
        "from tensorflow.contrib.learn.python.learn.learn_runner import run as started",
        "import tensorflow.contrib.learn as tflearn",
        "from tensorflow import contrib",
        "from tensorflow.contrib import learn",
        "from tensorflow.contrib.learn import Experiment",
        "from tensorflow.contrib.learn.python.learn import experiment",
    ],
)
def test_forms_of_imports(imports: str) -> None:
    runs = {"learn_runner": "learn_runner.run", "started": "started"}
    name = imports.split()[-1]
    constructors = {
        "tflearn": "tflearn.Experiment",
        "contrib": "contrib.learn.Experiment",
        "learn": "learn.Experiment",
        "Experiment": "Experiment",
        "experiment": "experiment.Experiment",
    }
    runners = {"tflearn": "tflearn.learn_runner.run", "contrib": "contrib.learn.learn_runner.run"}
    run = {**runs, **runners}.get(name, "tf.contrib.learn.learn_runner.run")
    made = constructors.get(name, "tf.contrib.learn.Experiment")
    check(
        f"import tensorflow as tf\n{imports}\ndef f(output_dir):\n"
        f"  return {made}(est, a, b, train_steps=9)\n{run}(f, 'd')\nprint(tf)\n",
        f"{AFTER}def f(output_dir):\n{SPECS}  return {TRIPLE}\n"
        "estimator.train_and_evaluate(*f('d'))\nprint(tf)\n",
    )


def test_names_that_are_taken() -> None:
    text = HEAD + "train_spec = estimator = None\n" + function() + "learn_runner.run(f, 'd')\n"
    result = migrated(text)
    assert "  train_spec_2 = tf_estimator.TrainSpec(a, max_steps=9)\n" in result
    assert "tf_estimator.train_and_evaluate(*f('d'))\n" in result


def test_the_page_has_the_table_of_the_rule() -> None:
    path = Path(__file__).parents[2] / "scripts" / "pages" / "experiment_arguments.py"
    spec = importlib.util.spec_from_file_location("experiment_arguments", path)
    assert spec and spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    text = script.PAGE.read_text()
    assert text == script.page(text), "run python scripts/pages/experiment_arguments.py"


FACTORY = """\
import tensorflow as tf
from tensorflow.contrib.learn.python.learn import learn_runner

def experiment_fn(output_dir):
  return tf.contrib.learn.Experiment(
      tf.estimator.Estimator(model_fn, output_dir),
      train_input_fn=train_input_fn,
      eval_input_fn=eval_input_fn)

learn_runner.run(experiment_fn, 'model')
"""


def test_programs_side_by_side_do_not_hold_each_other_back() -> None:
    changed, _ = migrate_tree({"a.py": FACTORY, "b.py": FACTORY})
    assert all("train_and_evaluate(*experiment_fn('model'))" in text for text in changed.values())
    assert set(changed) == {"a.py", "b.py"}


def test_a_function_that_another_file_imports_stays_an_experiment() -> None:
    other = "import a\nimport tensorflow as tf\n\nbest = a.experiment_fn('other')\n"
    changed, _ = migrate_tree({"a.py": FACTORY, "b.py": other})
    assert "learn.Experiment(" in changed["a.py"]
