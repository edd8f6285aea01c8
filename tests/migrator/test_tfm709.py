"""TFM709: flags that absl defines too, and early ways to parse flags."""

from __future__ import annotations

import pytest
from support import check, check_unchanged

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
    ],
)
def test_flags_of_absl(before: str, after: str) -> None:
    check(OLD + before, NEW + after)
