"""Programs put together from the rules' examples, in other spellings and with other names.

One run has to do everything: the result compiles, a further run leaves it as it is, nothing is
refused, and no import is there twice or without a use that was not so before.
"""

from __future__ import annotations

import ast
import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from long_tail import one_in
from support import run, source

from tfmigrate.engine import second_run
from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.notebook import decode_notebook
from tfmigrate.model.targets import DEFAULT
from tfmigrate.rulekit.registry import rules

SAMPLE = 240
PARTS = 8
EXAMPLES = {
    f"{rule.code} {index}": example.before
    for rule in rules()
    for index, example in enumerate(rule.examples)
    if example.target == DEFAULT and not example.coordinator
}
# What follows an import of TensorFlow, and what its names are below then.
SPELLINGS = (
    ("", "tf.contrib."),
    ("from tensorflow import contrib\n", "contrib."),
    ("from tensorflow.contrib import estimator as ce, learn as cl\n", "tf.contrib."),
    ("from tensorflow.contrib import layers, slim\n", "tf.contrib."),
    ("import tensorflow.contrib.estimator as contrib_estimator\n", "tf.contrib."),
    ("import tensorflow.contrib.learn as tflearn\n", "tf.contrib."),
    ("from tensorflow.contrib import rnn  # cells\n", "tf.contrib."),
    ("import tensorflow.contrib.slim as slim\nfrom tensorflow import keras\n", "tf.contrib."),
)
# Names that a migration would like to use, bound in every kind of scope.
NAMES = ("estimator", "learn", "layers", "slim", "between_graph", "strategy", "replica_fn", "os")
SHADOWS = (
    "",
    "def shadow({0}, {1}=None):\n  return {0}\n",
    "def shadow():\n  {0} = {1} = 1\n  return {0}\n",
    "{0} = None\n",
    "class Shadow(object):\n  {0} = {1} = 1\n",
    "for {0} in []: print({0})\n",
    "from mine import *\n",
    "import os.path, sys\n",
)
KERAS = "def keras_model():\n  return tf.keras.Sequential(), tf.keras.optimizers.SGD(lr=0.1)\n"


def programs() -> list[tuple[str, str]]:
    """Returns a sample of programs, the same one every time, by what they are made of."""
    chosen = random.Random(17)
    found = []
    for _ in range(SAMPLE):
        first, second = chosen.choice(list(EXAMPLES)), chosen.choice(list(EXAMPLES))
        spelling, shadow = chosen.choice(SPELLINGS), chosen.choice(SHADOWS)
        names = chosen.sample(NAMES, 2)
        text = "\n\n".join((EXAMPLES[first], EXAMPLES[second]))
        text = text.replace("tf.contrib.", spelling[1])
        text = re.sub(
            "^import tensorflow as tf\n", rf"\g<0>{spelling[0]}", text, count=1, flags=re.M
        )
        text += "\n\n" + shadow.format(*names) + (KERAS if chosen.random() < 0.3 else "")
        found.append((f"{first}, {second}, {spelling[0].strip()!r}, {names}", text))
    return found


def imports_of(text: str) -> tuple[Counter[str], Counter[str]]:
    """Returns the imports of a text, and the imported names that nothing in it uses."""
    tree = ast.parse(text)
    clauses = [
        (alias.asname or alias.name.partition(".")[0], getattr(node, "module", ""), alias.name)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if getattr(node, "module", "") != "__future__" and alias.name != "*"
    ]
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    unused = Counter(name for name, _, _ in clauses if name not in used)
    return Counter(name for name, _, _ in clauses), unused


def check(text: str) -> None:
    result = run(text)
    refused = [f.message for f in result.findings if "further run" in f.message]
    assert not refused
    after = next(iter(result.texts.values()), text)
    compile(after, "program.py", "exec", dont_inherit=True)
    again = run(after)
    assert again.texts == {}
    twice = {name for name, count in imports_of(after)[0].items() if count > 1}
    assert twice <= {name for name, count in imports_of(text)[0].items() if count > 1}
    assert imports_of(after)[1].keys() <= imports_of(text)[1].keys()


@pytest.mark.parametrize("part", one_in(4, range(PARTS)))
def test_one_run_is_enough(part: int) -> None:
    for name, text in programs()[part::PARTS]:
        try:
            check(text)
        except (AssertionError, SyntaxError) as error:
            raise AssertionError(f"{name}\n\n{text}") from error


def test_no_pair_of_examples_needs_a_second_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rule knows what the others leave; further passes are only a safety net."""
    monkeypatch.setattr(second_run, "_PASSES", 1)
    chosen = random.Random(4)
    names = list(EXAMPLES)
    for _ in range(SAMPLE // 2):
        first, second = chosen.choice(names), chosen.choice(names)
        result = run(f"{EXAMPLES[first]}\n\n{EXAMPLES[second]}")
        assert not [f for f in result.findings if "further run" in f.message], (first, second)


def test_one_run_is_enough_for_a_notebook() -> None:
    for name, text in programs()[::12]:
        cells = [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": part}
            for part in text.split("\n\n")
        ]
        kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
        document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4}
        path = Path("/nowhere/program.ipynb")
        notebook = decode_notebook(json.dumps(document).encode(), path, "program.ipynb")
        result = migrate([notebook], Options())
        if path in result.texts:
            new = notebook.encode(result.texts[path])
            again = migrate([decode_notebook(new, path, "program.ipynb")], Options())
            assert again.texts == {}, name


def test_a_file_alone_and_beside_others_is_done_in_one_run() -> None:
    texts = [text for _, text in programs()[:3]]
    paths = [Path(f"/nowhere/{name}.py") for name in ("a", "b", "c")]
    first = migrate([source(p, t) for p, t in zip(paths, texts, strict=True)], Options())
    after = [first.texts.get(p, t) for p, t in zip(paths, texts, strict=True)]
    again = migrate([source(p, t) for p, t in zip(paths, after, strict=True)], Options())
    assert again.texts == {}
