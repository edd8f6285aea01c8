"""Programs of TensorFlow 2 stay as they are, whatever public name they call."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import check_unchanged, findings, migrate_tree, migrated, run

CALLS = Path(__file__).with_name("calls_of_tensorflow_2.txt")
PROGRAMS = 200


def _programs() -> list[str]:
    """Returns programs that together call every public name of TensorFlow 2, in both ways."""
    lines = CALLS.read_text("utf-8").splitlines()
    calls = [line for line in lines if not line.startswith("#")]
    programs = []
    for index in range(PROGRAMS):
        body = "".join(f"    {call}\n" for call in calls[index::PROGRAMS])
        traced = "@tf.function\n" if index % 2 else ""
        programs.append(f"import tensorflow as tf\n\n\n{traced}def train():\n{body}")
    return programs


def test_nothing_in_programs_of_tensorflow_2_is_evidence_of_tensorflow_1() -> None:
    changed = [text for text in _programs() if run(text).texts or run(text).findings]

    assert changed == []


@pytest.mark.parametrize("loss", ["softmax", "sparse_softmax", "sigmoid"])
def test_a_loss_of_tensorflow_2_beside_a_program_of_tensorflow_1_stays(loss: str) -> None:
    files = {
        "old.py": "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\n",
        "new.py": "import tensorflow as tf\nfrom old import x\n\n\nclass Model(tf.keras.Model):\n"
        "    def train_step(self, data):\n        labels, scores = data\n"
        "        with tf.GradientTape() as tape:\n"
        f"            return tf.nn.{loss}_cross_entropy_with_logits(labels, scores)\n",
    }
    changed, _ = migrate_tree(files)

    assert set(changed) == {"old.py"}


def test_names_that_tensorflow_2_0_had_are_no_evidence_of_tensorflow_1() -> None:
    check_unchanged("""
        import tensorflow as tf

        scale = tf.train.experimental.DynamicLossScale()
        """)


def test_a_loss_by_position_beside_names_of_both_generations_is_reported() -> None:
    text = """
        import tensorflow as tf

        images = tf.placeholder(tf.float32)
        model = tf.keras.Sequential()
        loss = tf.nn.softmax_cross_entropy_with_logits(labels, model(images))
        """

    assert ("TFM705", 6) in findings(text)
    assert "softmax_cross_entropy_with_logits(labels, model(images))" in migrated(text)


def test_a_loss_passed_to_a_function_is_no_call_of_it() -> None:
    check_unchanged("""
        import functools
        import tensorflow as tf

        loss = functools.partial(tf.nn.sigmoid_cross_entropy_with_logits, targets=1)
        both = functools.partial(tf.nn.softmax_cross_entropy_with_logits, labels)
        """)


def test_a_method_of_a_class_of_the_program_is_none_of_a_dataset() -> None:
    check_unchanged("""
        import tensorflow as tf

        class Batches:
            def make_one_shot_iterator(self):
                return iter(tf.data.Dataset.range(3))

        batches = Batches().make_one_shot_iterator()
        """)
