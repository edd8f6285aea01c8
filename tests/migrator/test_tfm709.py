"""TFM709: flags that absl defines too, and early ways to parse flags."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrated

V1 = "import tensorflow.compat.v1 as tf\n"
OLD = "import tensorflow as tf\nA = tf.get_collection('a')\n"
NEW = "import tensorflow.compat.v1 as tf\nA = tf.get_collection('a')\n"


@pytest.mark.parametrize(
    "line",
    [
        "tf.app.flags.DEFINE_string('model_dir', '', '')\n",
        "tf.app.flags.DEFINE_string('log_dir', '', '', allow_override=True)\n",
        "tf.app.flags.DEFINE_string('log_dir', '', '', **more)\n",
        "tf.app.flags.DEFINE_string(log_dir, '', '')\n",
        "parser.DEFINE_string('log_dir', '', '')\n# flags\n",
        "FLAGS._parse_flags()\n# flags\n",
        "tf.flags.FLAGS(sys.argv)\n",
        "for name in tf.flags.FLAGS.__flags: print(name)\n",
        "tf.flags.FLAGS.__dict__['__wrapped']\n",
        "tf.flags.DEFINE_integer('n', -1, '')\ntf.flags.DEFINE_integer('m', '1', '')\n",
        "tf.flags.DEFINE_integer('n', rate, '')\ntf.flags.DEFINE_float('m', 1, '')\n",
        "tf.flags.DEFINE_bool('n', 1, '')\ntf.flags.DEFINE_string('m', None, '')\n",
    ],
)
def test_other_flags_stay(line: str) -> None:
    check_unchanged(V1 + line)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "flags = tf.app.flags\nflags.DEFINE_integer('verbosity', 1, 'How much.')\n",
            "flags = tf.app.flags\n"
            "flags.DEFINE_integer('verbosity', 1, 'How much.', allow_override=True)\n",
        ),
        (
            "tf.flags.DEFINE_bool(flag_name='v', default_value=0)\n",
            "tf.flags.DEFINE_bool(name='v', default=0, allow_override=True)\n",
        ),
        (
            "import sys\nFLAGS = tf.flags.FLAGS\nFLAGS._parse_flags()\n",
            "import sys\nFLAGS = tf.flags.FLAGS\nFLAGS(sys.argv, known_only=True)\n",
        ),
        (
            "import sys\nF = tf.flags.FLAGS\nF._parse_flags()\n"
            "for k in F.__flags: print(F.__flags[k])\n",
            "import sys\nF = tf.flags.FLAGS\nF(sys.argv, known_only=True)\n"
            "for k in F.flag_values_dict(): print(F.flag_values_dict()[k])\n",
        ),
        (
            "F = tf.flags\nF.DEFINE_integer('lr', 0.001, '')\nF.DEFINE_integer('x', -0.5, '')\n",
            "F = tf.flags\nF.DEFINE_float('lr', 0.001, '')\nF.DEFINE_float('x', -0.5, '')\n",
        ),
        (
            "print(tf.flags.FLAGS.__dict__['__flags'].items())\n",
            "print(tf.flags.FLAGS.flag_values_dict().items())\n",
        ),
    ],
)
def test_flags_of_absl(before: str, after: str) -> None:
    check(OLD + before, NEW + after)


def test_values_that_are_assigned_are_reported() -> None:
    lines = "F = tf.flags.FLAGS\nF._parse_flags()\nF.__flags['n'] = 3\n"
    assert [f.line for f in found(OLD + lines, "TFM709")] == [4, 5]
    assert "F.__flags['n'] = 3\n" in migrated(OLD + lines)


def test_flag_objects_stay() -> None:
    lines = "import sys\nF = tf.flags.FLAGS\nF._parse_flags()\nprint(F.__flags['n'].value)\n"
    assert migrated(OLD + lines).endswith("print(F.__flags['n'].value)\n")


@pytest.mark.parametrize(
    "definition",
    [
        *("DEFINE_string('gpu', 0, '')", "DEFINE_string('x', ['a'], '')"),
        *("DEFINE_integer('n', True, '')", "DEFINE_float('x', default_value=False)"),
    ],
)
def test_defaults_that_absl_refuses_are_reported(definition: str) -> None:
    (finding,) = found(f"{OLD}tf.app.flags.{definition}\n", "TFM709")
    assert finding.severity.value == "manual"
    assert finding.message.startswith("absl refuses the default `")
