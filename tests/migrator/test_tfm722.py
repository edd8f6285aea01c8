"""TFM722: names of tensorflow.python.keras become those of tf.keras."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrate_tree, migrated, run

V1 = "import tensorflow as tf\ntf.placeholder(tf.float32)\n"
SWITCHED = (
    "import os\n\n"
    'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n\n'
    "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "from tensorflow.python.keras import backend\nbackend.floatx()\n",
        "from tensorflow.python.keras.layers import Dense\nDense(1)\n",
        "import tensorflow as tf\nfrom tensorflow.keras.layers import Dense\nDense(1)\n",
        "try:\n  from tensorflow.python.keras.datasets import mnist\nexcept ImportError:\n  pass\n",
        "from mine.python.keras.layers import Dense\nDense(1)\n",
    ],
)
def test_what_runs_stays(text: str) -> None:
    check_unchanged(text)
    assert found(text, "TFM722") == found(text, "TFM720") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from tensorflow.python.keras.datasets import mnist", "from tensorflow.keras.datasets"),
        (
            "from tensorflow.python.keras.layers.core import Dense as D",
            "from tensorflow.keras.layers import Dense as D",
        ),
        (
            "from tensorflow.python.keras._impl.keras.utils.data_utils import get_file",
            "from tensorflow.keras.utils import get_file",
        ),
        ("import tensorflow.python.keras as k\nk.Model", "from tensorflow import keras as k"),
        (
            "from tensorflow.python import keras\nkeras.layers.Dense(1)",
            "from tensorflow import keras",
        ),
        (
            "from tensorflow.python.keras.applications import vgg16\nvgg16.VGG16()",
            "from tensorflow.keras.applications import vgg16",
        ),
        ("x = tf.python.keras.layers.Dense(1)", "x = tf.keras.layers.Dense(1)"),
        (
            "from tensorflow.python.keras import backend as K\nK.get_session(K.floatx())",
            "from tensorflow.keras import backend as K\ntf.keras.backend.get_session(K.floatx())",
        ),
        (
            "from tensorflow.python.keras.backend import get_session\nget_session()",
            "tf.keras.backend.get_session()",
        ),
        (
            "from tensorflow.python.keras.engine.base_layer import Layer\nclass A(Layer):\n  pass",
            "from tensorflow.keras.layers import Layer",
        ),
    ],
)
def test_names_become_public(before: str, after: str) -> None:
    text = f"{V1}{before}\n"
    new = migrated(text)
    assert after in new
    assert "python" not in new
    assert [f for f in run(text).findings if f.severity.value != "fixed"] == []


def test_the_program_runs_with_keras_2() -> None:
    new = migrated(V1 + "from tensorflow.python.keras.models import Sequential\nSequential()\n")
    assert new.startswith(SWITCHED)


def test_a_program_of_neither_generation_is_changed_where_a_name_is_gone() -> None:
    text = "from tensorflow.python.keras.{} import {} as name\nname()\n"
    files = {
        "main.py": text.format("preprocessing.text", "Tokenizer") + "import layers\n",
        "layers.py": text.format("layers", "Dense"),
        "other.py": text.format("layers", "Dense"),
    }
    changed, findings = migrate_tree(files)
    assert changed == {
        name: files[name].replace("tensorflow.python.keras", "tensorflow.keras")
        for name in ("main.py", "layers.py")
    }
    assert {f.code for f in findings} == {"TFM722"}


@pytest.mark.parametrize(
    "text",
    [
        "from tensorflow.python.keras.optimizers import Adam\nAdam(lr=1, decay=0.1)\n",
        "from tensorflow.python.keras.optimizers import Adam\nAdam(1, 2, 3, 4, 5)\n",
        "from tensorflow.python.keras.optimizers import Adam\nAdam(**x)\n",
        "from tensorflow.python.keras.optimizers import Adam\nisinstance(x, Adam)\n",
        "from tensorflow.python.keras import optimizers as Adam\nAdam.Adagrad(lr=1)\n",
        "from tensorflow.python.keras import optimizers as Adam\nAdam.Adadelta()\n",
        "x = tf.python.keras.optimizers.Adam(lr=1, decay=2)\n",
    ],
)
def test_other_objects_are_reported(text: str) -> None:
    (told,) = found(V1 + text, "TFM722")
    assert (told.severity.value, "tf.keras.optimizers.Ad" in told.action) == ("manual", True)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Adam", ""),
        ("Adam", "0.1, 0.9, 0.99, 1e-8"),
        ("SGD", "lr=0.1, momentum=0.9, nesterov=True, clipnorm=1.0"),
        ("RMSprop", "lr=0.1"),
        ("Adadelta", "lr=0.1"),
        ("Nadam", "0.1"),
    ],
)
def test_optimizers_with_the_same_updates_become_those_of_keras(name: str, arguments: str) -> None:
    """Losses of six epochs agree to 6e-7 on TensorFlow 1.15."""
    text = f"{V1}from tensorflow.python.keras.optimizers import {name}\n{name}({arguments})\n"
    assert migrated(text).endswith(f"\ntf.keras.optimizers.{name}({arguments})\n")
    text = f"{V1}from tensorflow.python.keras import optimizers\noptimizers.{name}({arguments})\n"
    assert migrated(text).endswith(f"\ntf.keras.optimizers.{name}({arguments})\n")


def test_what_never_was_public_is_reported_where_it_is_gone() -> None:
    text = V1 + "from tensorflow.python.keras.engine.topology import get_source_inputs\n"
    assert [f.code for f in run(text).findings if f.severity.value == "manual"] == ["TFM720"]


def test_files_without_a_name_of_tensorflow_1_have_the_keras_of_their_program() -> None:
    own = "from tensorflow.python.keras import backend as K\nK.in_train_phase(1, 2)\n"
    changed, findings = migrate_tree({"main.py": V1 + "import own\n", "own.py": own})
    assert changed["own.py"] == own.replace(".python", "")
    assert {f.code for f in findings} == {"TFM701", "TFM722"}
    (told,) = found("from tensorflow.python.keras.datasets import mnist\n" + own, "TFM722")[1:]
    assert "Keras 3 lacks it" in told.action
