"""TFM715: names of files that a variable holds."""

from __future__ import annotations

import pytest
from support import migrated

HEAD = "import tensorflow as tf\np = tf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "names = tf.train.match_filenames_once(FLAGS.files)\n",
            "names = tf.train.match_filenames_once(FLAGS.files).value()\n",
        ),
        (
            "queue = tf.train.string_input_producer(\n"
            "    tf.train.match_filenames_once(\n"
            "        os.path.join(d, '*.csv'),  # all of them\n"
            "        name='files'), num_epochs=1)\n",
            "queue = tf.train.string_input_producer(\n"
            "    tf.train.match_filenames_once(\n"
            "        os.path.join(d, '*.csv'),  # all of them\n"
            "        name='files').value(), num_epochs=1)\n",
        ),
        (
            "start = tf.train.match_filenames_once('*.csv').initializer\n",
            "start = tf.train.match_filenames_once('*.csv').initializer\n",
        ),
        ("match = tf.train.match_filenames_once\n", "match = tf.train.match_filenames_once\n"),
    ],
)
def test_the_variable_is_read_where_it_is_made(before: str, after: str) -> None:
    text = migrated(HEAD + before)
    assert after in text
    assert migrated(text) == text


def test_a_program_of_tensorflow_2_stays() -> None:
    text = "import tensorflow.compat.v1 as tf\nx = tf.train.match_filenames_once('*.csv')\n"
    assert migrated(text) == text
