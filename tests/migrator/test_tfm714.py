"""TFM714: what programs ask to choose a data format."""

from __future__ import annotations

import pytest
from support import migrated

HEAD = "import tensorflow as tf\np = tf.placeholder(tf.float32)\n"
GPU = "bool(tf.config.experimental.list_physical_devices('GPU'))"


def test_the_question_is_whether_there_is_a_gpu() -> None:
    before = (
        "data_format = FLAGS.data_format or (\n"
        "    'channels_first'\n"
        "    if tf.test.is_built_with_cuda()  # a comment\n"
        "    else 'channels_last')\n"
    )
    assert before.replace("tf.test.is_built_with_cuda()", GPU) in migrated(HEAD + before)


def test_where_tensorflow_is_not_imported_by_a_name_of_its_own() -> None:
    text = migrated(
        "from tensorflow import test, placeholder, float32\n"
        "p = placeholder(float32)\n"
        "first = test.is_built_with_cuda()\n"
    )
    assert f"first = {GPU}\n" in text
    assert "import tensorflow.compat.v1 as tf\n" in text


@pytest.mark.parametrize(
    "line",
    [
        "ask = tf.test.is_built_with_cuda",
        "x = tf.test.is_gpu_available()",
        "x = other.is_built_with_cuda()",
        "x = 'tf.test.is_built_with_cuda()'",
    ],
)
def test_other_questions_stay(line: str) -> None:
    assert line in migrated(f"{HEAD}{line}\n")


def test_a_program_of_tensorflow_2_stays() -> None:
    text = "import tensorflow as tf\nx = tf.test.is_built_with_cuda()\n"
    assert migrated(text) == text
