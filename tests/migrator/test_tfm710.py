"""TFM710: input functions return their Dataset."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from support import check, found, migrated, source

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options

HEAD = "import tensorflow as tf\n"
TRAIN = "tf.estimator.Estimator(model_fn).train(input_fn=input_fn)\n"


def _function(*lines: str) -> str:
    body = "".join(f"  {line}\n" for line in ("dataset = tf.data.Dataset.range(3)", *lines))
    return f"def input_fn():\n{body}"


def _result(*lines: str) -> list[str]:
    """Returns the lines of the function after its first, migrated."""
    after = migrated(HEAD + _function(*lines) + TRAIN)
    body = after.partition("range(3)\n")[2].partition("estimator.Estimator")[0]
    return textwrap.dedent(body).splitlines()


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        (["return dataset.make_one_shot_iterator().get_next()"], ["return dataset"]),
        (
            ["return tf.data.make_one_shot_iterator(dataset.batch(2)).get_next()"],
            ["return dataset.batch(2)"],
        ),
        (
            ["it = dataset.repeat().make_one_shot_iterator()  # once", "return it.get_next()"],
            ["# once", "return dataset.repeat()"],
        ),
        (
            ["x, y = dataset.make_one_shot_iterator().get_next()", "print(1)", "return (x, y)"],
            ["print(1)", "return dataset"],
        ),
        (
            ["it = dataset.make_one_shot_iterator()", "element = it.get_next()", "return element"],
            ["return dataset"],
        ),
        (
            ["if a:", "  return dataset.make_one_shot_iterator().get_next()", "return {'x': 1}"],
            ["if a:", "  return dataset", "return {'x': 1}"],
        ),
        (
            [
                "with tf.device('/cpu:0'):",
                "  it = dataset.make_one_shot_iterator()",
                "  x, y = it.get_next()",
                "  return x, y",
            ],
            ["with tf.device('/cpu:0'):", "  return dataset"],
        ),
    ],
)
def test_returns_of_an_element(lines: list[str], after: list[str]) -> None:
    assert _result(*lines) == after


@pytest.mark.parametrize(
    "lines",
    [
        ["return dataset.make_initializable_iterator().get_next()"],
        ["return dataset.make_one_shot_iterator().get_next('name')"],
        ["return dataset.make_one_shot_iterator()"],
        ["return {'x': dataset.make_one_shot_iterator().get_next()}"],
        ["it = dataset.make_one_shot_iterator()", "print(it)", "return it.get_next()"],
        ["it = dataset.make_one_shot_iterator()", "return it.get_next(), it.get_next()"],
        ["x, y = dataset.make_one_shot_iterator().get_next()", "return y, x"],
        ["x, y = dataset.make_one_shot_iterator().get_next()", "return x"],
        ["x, y = dataset.make_one_shot_iterator().get_next()", "return x, x"],
        ["x, (y, z) = dataset.make_one_shot_iterator().get_next()", "return x, y"],
        ["x, y = dataset.make_one_shot_iterator().get_next()", "y = y + 1", "return x, y"],
        ["x = dataset.make_one_shot_iterator().get_next()", "return x, x.pop('y')"],
        ["it = dataset.make_one_shot_iterator()", "dataset = 3", "return it.get_next()"],
        ["if a:", "  it = dataset.make_one_shot_iterator()", "return it.get_next()"],
        ["global it", "it = dataset.make_one_shot_iterator()", "return it.get_next()"],
    ],
)
def test_elements_that_something_else_is_done_with(lines: list[str]) -> None:
    assert _result(*lines) == lines
    assert found(HEAD + _function(*lines) + TRAIN, "TFM710") == []


NEXT = "return dataset.make_one_shot_iterator().get_next()"


def _is_returned(text: str, head: str = HEAD) -> bool:
    return "get_next" not in migrated(head + _function(NEXT) + textwrap.dedent(text))


@pytest.mark.parametrize(
    "text",
    [
        "e = tf.estimator.Estimator(f)\ne.train(input_fn, steps=1)\ne.predict(input_fn=input_fn)",
        "tf.estimator.TrainSpec(input_fn)\ntf.estimator.EvalSpec(input_fn=lambda: input_fn())",
        "import functools\ntf.estimator.TrainSpec(functools.partial(input_fn, 3), 4)",
        "tf.contrib.learn.Experiment(e, train_input_fn=input_fn, eval_input_fn=input_fn)",
        """
        def main():
          train = lambda: input_fn()
          tf.estimator.TrainSpec(train)
        """,
        """
        def train_input_fn():
          return input_fn()
        tf.estimator.TrainSpec(input_fn=train_input_fn)
        """,
        """
        class Trainer:
          def run(self):
            self.estimator.train(input_fn=input_fn)
        tf.estimator.Estimator(f)
        """,
    ],
)
def test_uses_by_estimators(text: str) -> None:
    assert _is_returned(text)


@pytest.mark.parametrize(
    "text",
    [
        "tf.estimator.Estimator(f)",
        "tf.estimator.TrainSpec(input_fn)\nfeatures, labels = input_fn()",
        "tf.estimator.TrainSpec(input_fn)\ncheck(input_fn)",
        "tf.estimator.TrainSpec(input_fn)\nx = [input_fn]",
        "tf.estimator.TrainSpec(lambda: input_fn()[0])",
        "tf.estimator.TrainSpec(max_steps=input_fn)",
        "f = tf.estimator.Estimator(m)\ng.train(input_fn)",
        "train = input_fn\ntf.estimator.TrainSpec(train)",  # other files may use it
        "tf.estimator.TrainSpec(input_fn)\ndef input_fn(): pass",
        """
        class Trainer:
          def train(self, input_fn):
            features = input_fn()
        Trainer().train(input_fn=input_fn)
        tf.estimator.Estimator(f)
        """,
        # Tensors of an iterator were one batch for contrib.learn's predict().
        "e = tf.contrib.learn.Estimator(f)\ne.predict(input_fn=input_fn)",
        """
        def train_input_fn():
          features = input_fn()
          return features
        tf.estimator.TrainSpec(input_fn=train_input_fn)
        """,
        """
        def again():
          return again()
        tf.estimator.TrainSpec(input_fn)
        def other():
          return input_fn()
        """,
    ],
)
def test_other_uses(text: str) -> None:
    assert not _is_returned(text)


def test_decorated_functions_and_methods_stay() -> None:
    for text in (
        f"@cached\n{_function(NEXT)}{TRAIN}",
        f"class A:\n  def input_fn(self):\n    {NEXT}",
    ):
        assert "get_next" in migrated(HEAD + text + "\ntf.estimator.Estimator(f)\n")


def test_functions_made_by_functions() -> None:
    check(
        """
        import tensorflow as tf

        def make_input_fn(path):
          def _input_fn():
            it = tf.data.TextLineDataset(path).make_one_shot_iterator()
            return it.get_next()
          return _input_fn

        spec = tf.estimator.TrainSpec(input_fn=make_input_fn('a'), max_steps=3)
        """,
        """
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def make_input_fn(path):
          def _input_fn():
            return tf.data.TextLineDataset(path)
          return _input_fn

        spec = estimator.TrainSpec(input_fn=make_input_fn('a'), max_steps=3)
        """,
    )
    made = (
        f"def make():\n  def input_fn():\n    {NEXT.replace('dataset', 'd')}\n  return input_fn\n"
    )
    for use in ("tf.estimator.TrainSpec(make)", "tf.estimator.TrainSpec(make())\nx = make()()", ""):
        assert "get_next" in migrated(f"{HEAD}d = 3\n{made}{use}\ntf.estimator.Estimator(f)\n")


def _migrate_files(folder: Path, **files: str) -> dict[str, str]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    paths = [folder / f"{name}.py" for name in files]
    result = migrate([source(path, path.read_text()) for path in paths], Options())
    return {path.stem: result.texts.get(path, path.read_text()) for path in paths}


@pytest.mark.parametrize(
    ("use", "returned"),
    [
        ("import data\ntf.estimator.TrainSpec(lambda: data.input_fn())\n", True),
        ("from data import input_fn as f\ntf.estimator.TrainSpec(f)\n", True),
        ("import data\nx, y = data.input_fn()\n", False),
        ("from data import input_fn as f\nx, y = f()\n", False),
    ],
)
def test_functions_of_another_file(tmp_path: Path, use: str, returned: bool) -> None:
    main = f"{HEAD}{use}tf.estimator.Estimator(model_fn)\n"
    after = _migrate_files(tmp_path, data=HEAD + _function(NEXT), main=main)
    assert ("return dataset\n" in after["data"]) is returned


def test_a_chain_that_parentheses_around_the_whole_let_break_keeps_them() -> None:
    text = """
        import tensorflow as tf

        def train(data):
          return (
              # shuffled
              data.shuffle(9)
              # for ever
              .repeat().make_one_shot_iterator().get_next())

        def main(columns):
          tf.estimator.LinearRegressor(columns).train(input_fn=train, steps=3)
        """
    after = migrated(text)
    assert "return (data.shuffle(9)\n" in after
    assert "      .repeat())\n" in after


@pytest.mark.parametrize("dataset", ["data", "self.data"])
def test_a_dataset_from_outside_is_copied_by_the_iterator(dataset: str) -> None:
    text = f"""
        import tensorflow as tf

        def main(self, columns, f):
          data = tf.data.Dataset.range(9)

          def train():
            return {dataset}.make_one_shot_iterator().get_next()

          tf.estimator.LinearRegressor(columns).train(input_fn=train, steps=3)
        """
    assert f"return {dataset}.make_one_shot_iterator()" in migrated(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(data):\n  with tf.Graph().as_default():\n    data.make_one_shot_iterator()\n",
        "with tf.Graph().as_default():\n  data = make()\n  data.make_one_shot_iterator()\n",
        "g = tf.Graph()\nwith g.as_default():\n  data = make()\n"
        "with g.as_default():\n  data.make_one_shot_iterator()\n",
        "data = make()\nwith tf.get_default_graph().as_default():\n"
        "  data.make_one_shot_iterator()\n",
        "data = make()\nwith tf.Graph().as_default():\n  data = data.repeat()\n"
        "  data.make_one_shot_iterator()\n",
        "data = make()\ndata.make_one_shot_iterator()\n",
        "def f(data):\n  with tf.Graph().as_default():\n    data.make_one_shot_iterator()\n"
        "def g(data): f(data)\nf(unknown)\ng(make())\n",
        "def f(data):\n  data.make_one_shot_iterator()\n  f(data)\n"
        "with tf.Graph().as_default():\n  f(make())\n",
        "def f(data):\n  data.make_one_shot_iterator()\ndata = make()\nf(data)\n",
    ],
)
def test_datasets_of_the_graph_of_their_iterator_are_not_reported(text: str) -> None:
    assert found(f"import tensorflow as tf\nx = tf.placeholder(tf.int32)\n{text}", "TFM710") == []


@pytest.mark.parametrize(
    ("graph", "iterator"),
    [
        ("with tf.Graph().as_default()", "data.make_one_shot_iterator()"),
        ("with tf.Graph().as_default() as graph", "tf.data.make_one_shot_iterator(data)"),
        ("g = tf.Graph()\nwith g.as_default(), tf.Session()", "data.make_one_shot_iterator()"),
    ],
)
def test_datasets_of_another_graph_are_reported(graph: str, iterator: str) -> None:
    head = "import tensorflow as tf\nx = tf.placeholder(tf.int32)\ndata = make()\n"
    (left,) = found(f"{head}{graph}:\n  element = {iterator}.get_next()\n", "TFM710")
    assert (left.severity.value, left.action) == (
        "manual",
        "make the Dataset in the graph of the iterator",
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f(data):\n  with tf.Graph().as_default():\n    data.make_one_shot_iterator()\n"
        "data = make()\nf(data)\nf(data=make())\n",
        "def f(data):\n  data.make_one_shot_iterator()\ndata = make()\n"
        "with tf.Graph().as_default():\n  f(data)\n",
        "def f(data):\n  with tf.Graph().as_default():\n    g(data)\n"
        "def g(data):\n  data.make_one_shot_iterator()\nf(make())\n",
    ],
)
def test_datasets_of_another_graph_that_are_passed_are_reported(text: str) -> None:
    head = "import tensorflow as tf\nx = tf.placeholder(tf.int32)\n"
    (left,) = found(head + text, "TFM710")
    assert left.message.startswith("this Dataset was made in another graph")
