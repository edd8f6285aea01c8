"""TFM205: apply_gradients(zip(...))."""

from __future__ import annotations

import pytest
from hazards import check_safe, check_unsafe

CODE = "TFM205"


@pytest.mark.parametrize(
    "body",
    [
        "op = opt.minimize(loss)\n",
        "op = opt.apply_gradients(opt.compute_gradients(loss))\n",
        "op = opt.apply_gradients(list(zip(g, v)))\n",
        "op = opt.apply_gradients(tuple(zip(g, v)))\n",
        "op = opt.apply_gradients([*zip(g, v)])\n",
        "op = opt.apply_gradients([(g, v) for g, v in zip(a, b)])\n",
        "op = opt.apply_gradients(sorted(zip(g, v)))\n",
        "gradients, variables = zip(*opt.compute_gradients(loss))\n"
        "op = opt.apply_gradients(pairs)\n",
        "pairs = zip(g, v)\npairs = list(pairs)\nop = opt.apply_gradients(pairs)\n",
        "pairs = list(zip(g, v))\nop = opt.apply_gradients(pairs)\n",
        "pairs = zip(g, v)\nprint(pairs)\n",
        "apply(zip(g, v))\n",
    ],
)
def test_gradients_that_can_be_read_again(body: str) -> None:
    check_safe(body, CODE)


@pytest.mark.parametrize(
    "top",
    [
        "def zip(a, b):\n  return list(pairs(a, b))\n",
        "from mine import zip\n",
        "zip = pairs\n",
    ],
)
def test_another_zip(top: str) -> None:
    check_safe("op = opt.apply_gradients(zip(g, v))\n", CODE, top)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("op = opt.apply_gradients(zip(g, v))\n", 4),
        ("op = opt.apply_gradients(grads_and_vars=zip(g, v))\n", 4),
        ("op = self.opt.apply_gradients(zip(g, v), global_step=step)\n", 4),
        ("pairs = zip(g, v)\nop = opt.apply_gradients(pairs, step)\n", 5),
        ("op = opt.apply_gradients(\n    zip(g, v),\n    step)\n", 4),
        ("op = opt.apply_gradients(map(clip, pairs))\n", 4),
        ("op = opt.apply_gradients(filter(None, pairs))\n", 4),
        ("op = opt.apply_gradients((g, v) for g, v in pairs)\n", 4),
        ("op = opt.apply_gradients(((clip(g), v) for g, v in pairs))\n", 4),
        ("op = opt.apply_gradients(iter(pairs))\n", 4),
        ("pairs = []\npairs = zip(g, v)\nop = opt.apply_gradients(pairs)\n", 6),
    ],
)
def test_gradients_that_can_be_read_once(body: str, line: int) -> None:
    check_unsafe(body, CODE, [line])


@pytest.mark.parametrize(
    "top",
    [
        "from six.moves import zip\n",
        "import six\nzip = six.moves.zip\n",
        "from itertools import izip as zip\n",
    ],
)
def test_the_iterator_of_another_module(top: str) -> None:
    line = 4 + top.count("\n")
    check_unsafe("op = opt.apply_gradients(zip(g, v))\n", CODE, [line], top)


def test_six_by_its_full_name() -> None:
    check_unsafe("op = opt.apply_gradients(six.moves.zip(g, v))\n", CODE, [5], "import six\n")


def test_each_of_two() -> None:
    body = "a = opt.apply_gradients(zip(g, v))\nb = opt.apply_gradients(zip(h, w))\n"
    check_unsafe(body, CODE, [4, 5])
