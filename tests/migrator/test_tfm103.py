"""TFM103: HParams."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntf.train.HParams(a=1)\n",
        "from mine import training\ntraining.HParams(a=1)\n",
        "from tfmigrate_runtime import training\ntraining.HParams(a=1)\n",
    ],
)
def test_left_alone(text: str) -> None:
    check_unchanged(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.contrib.training import HParams\nHParams(a=1)\n",
            "from tfmigrate_runtime.training import HParams\nHParams(a=1)\n",
        ),
        (
            "from tensorflow.contrib.training.python.training.hparam import HParams\n"
            "HParams(a=1)\n",
            "from tfmigrate_runtime.training import HParams\nHParams(a=1)\n",
        ),
        (
            "from tensorflow.contrib.training.python.training import hparam\nhparam.HParams(a=1)\n",
            "from tfmigrate_runtime import training as hparam\nhparam.HParams(a=1)\n",
        ),
        (
            "import tensorflow as tf\ntraining = True\ntf.contrib.training.HParams(a=1)\n",
            "import tensorflow.compat.v1 as tf\n"
            "from tfmigrate_runtime import training as tf_training\n"
            "training = True\ntf_training.HParams(a=1)\n",
        ),
    ],
)
def test_becomes_ours(before: str, after: str) -> None:
    ours = "from tfmigrate_runtime.estimator import Estimator\nEstimator(f)\nprint(tf)\n"
    check(before + ours, after + ours)


def test_a_file_that_imports_compat_v1_already() -> None:
    check(
        "import tensorflow.compat.v1 as tf\ntf.contrib.training.bucket_by_sequence_length(a)\n",
        "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import training\n\n"
        "tf.disable_v2_behavior()\n\ntraining.bucket_by_sequence_length(a)\n",
    )


def test_other_names_are_reported() -> None:
    text = "import tensorflow as tf\ntf.contrib.training.batch_sequences_with_states(a)\n"
    assert len(found(text, "TFM702")) == 1
    assert not found(text, "TFM103")
