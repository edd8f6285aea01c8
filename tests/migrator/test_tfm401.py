"""TFM401: a loop over in-graph towers becomes a replica function."""

from __future__ import annotations

import textwrap

import pytest
from support import check, check_unchanged, migrate_tree, migrated, run

HEAD = "import tensorflow as tf\n"
AFTER = (
    "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import towers\n\n"
    "tf.disable_v2_behavior()\n\n"
)
MADE = "strategy = towers.central_storage_strategy(['/gpu:%d' % i for i in range(n)])"
CPU = "CPU = '/cpu:0'\n"


def body(text: str) -> str:
    """Returns a loop over towers, on the CPU's variables, with a body."""
    lines = textwrap.indent(textwrap.dedent(text).strip("\n"), "    ")
    return f"{CPU}for i in range(n):\n  with tf.device('/gpu:%d' % i):\n{lines}\n"


def function(text: str, before: str = "", after: str = "towers.run(strategy, replica_fn)") -> str:
    """Returns what becomes of it."""
    lines = textwrap.indent(textwrap.dedent(text).strip("\n"), "  ")
    return f"{AFTER}{CPU}{before}{MADE}\n\ndef replica_fn(i):\n{lines}\n\n{after}\n"


GRADS = "tower_grads.append(opt.compute_gradients(tower_loss(i)))"


@pytest.mark.parametrize(
    "text",
    [
        # No towers: no device, another device, the same device for all.
        "for i in range(n):\n  tower_grads.append(opt.compute_gradients(loss))\n",
        "for i in range(n):\n  with tf.device('/gpu:0'):\n    tower_grads.append(loss)\n",
        "with tf.device('/gpu:%d' % i):\n  tower_grads.append(opt.compute_gradients(loss))\n",
        "for i in range(n):\n  with other.device('/gpu:%d' % i):\n    tower(i)\n",
        "for i in range(n):\n  def tower():\n    with tf.device('/gpu:%d' % i):\n      pass\n",
        # The layers of one model on several devices.
        "for i in range(n):\n  with tf.device('/gpu:%d' % i):\n    x = layer(x, i)\n",
        # Copies of a Keras model.
        "for i in range(n):\n  with tf.device('/gpu:%d' % i):\n    with tf.name_scope('tower'):\n"
        "      outputs.append(model(inputs))\n",
        # A loop within a loop belongs to the inner one, whose device is not its own.
        "for i in a:\n  for j in b:\n    with tf.device('/gpu:%d' % i):\n      tower(j)\n",
    ],
)
def test_other_loops_stay(text: str) -> None:
    check_unchanged(HEAD + text)
    assert not {f.code for f in run(HEAD + text).findings} & {"TFM401", "TFM402"}


def test_nothing_is_used_after_the_loop() -> None:
    check(HEAD + body(GRADS), function(GRADS))


def test_names_of_the_last_tower_are_returned() -> None:
    check(
        HEAD + body(f"loss = tower_loss(i)\nunused = 1\n{GRADS}") + "print(loss, i)\n",
        function(
            f"loss = tower_loss(i)\nunused = 1\n{GRADS}\nreturn i, loss",
            after="i, loss = towers.run(strategy, replica_fn)[-1]\nprint(loss, i)",
        ),
    )


def test_names_from_tower_to_tower_at_module_level() -> None:
    text = f"total += f(i)\nwith tf.variable_scope('m', reuse=reuse):\n  {GRADS}\nreuse = True"
    check(HEAD + "total, reuse = 0, None\n" + body(text) + "print(total)\n",
          function(f"global reuse, total\n{text}".replace("reuse, total", "total, reuse")).replace(
              CPU, "total, reuse = 0, None\n" + CPU) + "print(total)\n")  # fmt: skip


def test_names_from_tower_to_tower_in_a_function() -> None:
    check(
        HEAD + CPU + "def f():\n  reuse = None\n  for i in range(n):\n"
        "    with tf.device('/gpu:%d' % i):\n      x = g(reuse=reuse)\n      if i == 0:\n"
        "        first = x\n      reuse = True\n      tower_grads.append(x)\n  return first\n",
        AFTER + CPU + "def f():\n  reuse = None\n  first = None\n"
        f"  {MADE}\n\n  def replica_fn(i):\n    nonlocal first, reuse\n    x = g(reuse=reuse)\n"
        "    if i == 0:\n      first = x\n    reuse = True\n    tower_grads.append(x)\n\n"
        "  towers.run(strategy, replica_fn)\n  return first\n",
    )  # fmt: skip


def test_names_that_another_function_reads_are_shared() -> None:
    text = f"loss = tower_loss(i)\n{GRADS}"
    after = migrated(HEAD + "def show():\n  print(loss)\n" + body(text))
    assert "def replica_fn(i):\n  global loss\n  loss = tower_loss(i)\n" in after


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        ('"/gpu:%d" % i', '"/gpu:%d" % i'),
        ("'/gpu:{}'.format(i)", "'/gpu:{}'.format(i)"),
        ("f'/device:GPU:{i}'", "f'/device:GPU:{i}'"),
        ("'/gpu:' + str(i)", "'/gpu:' + str(i)"),
        ("devices[i]", "devices[i]"),
        ("tf.DeviceSpec(device_type='GPU', device_index=i)",) * 2,
        ("device_name='/gpu:%d' % i", None),
        (
            "tf.train.replica_device_setter(worker_device='/gpu:%d' % i, ps_device='/cpu:0', "
            "ps_tasks=1)",
            "'/gpu:%d' % i",
        ),
    ],
)
def test_forms_of_devices(device: str, expected: str | None) -> None:
    text = HEAD + CPU + f"for i in range(n):\n  with tf.device({device}):\n    {GRADS}\n"
    if expected is None:
        assert "TFM401" not in {f.code for f in run(text).findings}
        return
    after = migrated(text)
    assert f"[{expected} for i in range(n)]" in after
    assert ("parameter_device='/cpu:0'" in after) == ("ps_device" in device)
    assert f"\n  {GRADS}\n" in after


def test_device_that_is_named_before() -> None:
    after = migrated(
        HEAD + CPU + "for i in range(n):\n  device = '/gpu:%d' % i\n  with tf.device(device):\n"
        f"    {GRADS}\n"
    )
    assert MADE in after
    assert "  device = '/gpu:%d' % i\n  with tf.device(device):\n" in after


ASSIGN = """\
def assign_to(device, ps_device='/cpu:0'):
  def _assign(op):
    if op.type in ('Variable', 'VariableV2'):
      return ps_device
    return device
  return _assign
"""
BY_NUMBER = ASSIGN.replace("return device", "return '/gpu:%d' % device")


@pytest.mark.parametrize(
    ("functions", "device", "made"),
    [
        (
            ASSIGN,
            "assign_to('/gpu:%d' % i)",
            "['/gpu:%d' % i for i in range(n)], parameter_device='/cpu:0')",
        ),
        (
            ASSIGN,
            "assign_to(device='/gpu:%d' % i, ps_device='/gpu:1')",
            "['/gpu:%d' % i for i in range(n)], parameter_device='/gpu:1')",
        ),
        (
            BY_NUMBER,
            "assign_to(i, '/gpu:0')",
            "['/gpu:%d' % i for i in range(n)], parameter_device='/gpu:0')",
        ),
    ],
)
def test_device_functions(functions: str, device: str, made: str) -> None:
    text = f"{HEAD}{functions}for i in range(n):\n  with tf.device({device}):\n    {GRADS}\n"
    after = " ".join(migrated(text).split()).replace("( ", "(")
    assert f"central_storage_strategy({made}" in after


def test_variables_stay_where_towers_make_them() -> None:
    after = migrated(
        HEAD + CPU + "for i in range(n):\n  with tf.device('/gpu:%d' % i):\n"
        f"    with tf.variable_scope('own_%d' % i):\n      {GRADS}\n"
    )
    assert "central_storage_strategy(['/gpu:%d' % i for i in range(n)])" in after


def test_values_in_the_place_of_numbers() -> None:
    after = migrated(
        HEAD + CPU + "for i, (x, y) in enumerate(zip(xs, ys)):\n"
        "  with tf.device('/gpu:%d' % i), tf.name_scope('t'):  # mine\n"
        f"    {GRADS}\n"
    )
    assert after == (
        f"{AFTER}{CPU}strategy = towers.central_storage_strategy(\n"
        "    ['/gpu:%d' % i for i, (x, y) in enumerate(zip(xs, ys))])\n\n"
        "def replica_fn(tower):\n  i, (x, y) = tower\n  with tf.name_scope('t'):  # mine\n"
        f"    {GRADS}\n\ntowers.run(strategy, replica_fn, enumerate(zip(xs, ys)))\n"
    )


def test_the_device_inside_of_other_blocks() -> None:
    check(
        HEAD + CPU + "for i in range(n):\n  with tf.name_scope('tower_%d' % i) as scope:\n"
        f"    with tf.device('/gpu:%d' % i):\n      # first\n      {GRADS}\n      # last\n",
        AFTER + CPU + MADE + "\n\ndef replica_fn(i):\n"
        f"  with tf.name_scope('tower_%d' % i) as scope:\n    # first\n    {GRADS}\n    # last\n\n"
        "towers.run(strategy, replica_fn)\n",
    )


def test_tabs_and_comments_are_kept() -> None:
    text = (
        HEAD + "def f():\n\tCPU = '/cpu:0'\n\tfor i in range(n):  # all towers\n"
        "\t\twith tf.device('/gpu:%d' % i):  # its device\n"
        f"\t\t\t{GRADS}  # its gradients\n\t\t# after\n"
    )
    after = migrated(text)
    assert f"\t\t{GRADS}  # its gradients\n" in after
    assert "\tdef replica_fn(i):" in after


def test_two_loops_and_names_that_are_taken() -> None:
    after = migrated(HEAD + "strategy = towers = None\n" + body(GRADS) + body(GRADS))
    assert "from tfmigrate_runtime import towers as tf_towers\n" in after
    assert "tf_towers.run(tower_strategy, replica_fn)\n" in after
    assert "tf_towers.run(strategy_2, replica_fn_2)\n" in after


def test_a_method() -> None:
    after = migrated(
        HEAD + "class M:\n  def build(self):\n    with tf.device('/cpu:0'):\n"
        "      for i, d in enumerate(self.devices):\n        with tf.device(d):\n"
        "          self.loss = self.tower(i)\n"
        "          self.grads.append(self.opt.compute_gradients(self.loss))\n"
    )
    assert "      def replica_fn(tower):\n        i, d = tower\n        self.loss = " in after


@pytest.mark.parametrize(
    ("before", "over"),
    [
        ("", "next_gpus()"),
        ("", "(g for g in gpus)"),
        ("xs = (tf.split(x, n) for x in inputs)\n", "enumerate(zip(*xs))"),
        ("pairs = zip(xs, ys)\n", "pairs"),
        ("", "zip(xs, f(ys))"),
        ("", "i"),
    ],
)
def test_values_that_can_be_asked_for_only_once(before: str, over: str) -> None:
    after = migrated(
        f"{HEAD}{CPU}{before}for i in {over}:\n  with tf.device('/gpu:%d' % i):\n    {GRADS}\n"
    )
    assert f"\ntower_values = list({over})\n" in after
    assert "for i in tower_values])\n" in after
    assert "towers.run(strategy, replica_fn, tower_values)\n" in after


def test_device_function_of_another_file() -> None:
    texts, _ = migrate_tree(
        {
            "main.py": "import tensorflow as tf\nfrom devices import assign_to\n"
            f"for i in range(n):\n  with tf.device(assign_to(i)):\n    {GRADS}\n",
            "devices.py": "import tensorflow as tf\n"
            + BY_NUMBER.replace("op.type", "tf.NodeDef(op).op"),
        }
    )
    assert "for i in range(n)], parameter_device='/cpu:0')" in texts["main.py"]


def test_tower_that_trains_elsewhere_in_the_file() -> None:
    text = "for i in range(n):\n  with tf.device('/gpu:%d' % i):\n    losses.append(tower(i))\n"
    after = migrated(HEAD + CPU + text + "grads = [opt.compute_gradients(l) for l in losses]\n")
    assert "towers.run(strategy, replica_fn)\n" in after


def test_tensorflow_that_is_imported_in_a_function() -> None:
    text = (
        "def f():\n  import tensorflow as tf\n  for i in range(n):\n"
        f"    with tf.device('/cpu:%d' % i):\n      {GRADS}\n      print(tf)\n"
    )
    after = migrated(text)
    assert "import tensorflow.compat.v1 as tf\n" in after
    assert "disable_v2_behavior" not in after
