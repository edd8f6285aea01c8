"""TFM723: Keras in programs of TensorFlow 1.x stays Keras 2, with the classes of TensorFlow 1.x."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrate_tree, migrated, run

V1 = "import tensorflow as tf\ntf.placeholder(tf.float32)\n"
SWITCHED = (
    "import os\n\n"
    'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n\n'
    "import tensorflow.compat.v1 as tf\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "from keras.layers import Dense\nDense(1)\n",
        "import tensorflow as tf\nfrom tensorflow.keras.layers import GRU\nGRU(tf.constant(1))\n",
        "import tensorflow as tf\nfrom keras.layers import GRU\n\n@tf.function\ndef f(x):\n"
        "  return GRU(1)(x)\n",
        # Migrated, or written for compat.v1: its classes are TensorFlow 2's already.
        "import tensorflow.compat.v1 as tf\nfrom tensorflow.keras.layers import GRU\n"
        "tf.disable_v2_behavior()\nGRU(tf.placeholder(tf.float32))\n",
    ],
)
def test_keras_outside_of_tensorflow_1_stays(text: str) -> None:
    check_unchanged(text)
    assert found(text, "TFM723") == []


def test_classes_that_did_not_change_stay_where_they_are() -> None:
    text = V1 + "from tensorflow.keras.layers import Dense\nDense(1)\n"
    assert found(text, "TFM723") == []


def test_a_package_of_its_own_is_not_keras() -> None:
    files = {"main.py": V1 + "from keras.layers import GRU\nGRU(1)\n", "keras/layers.py": "GRU = 1"}
    changed, _ = migrate_tree(files)
    assert "from keras.layers import GRU\nGRU(1)" in changed["main.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from keras.layers import Dense\nDense(1)", "from tensorflow.keras.layers import Dense"),
        (
            "from keras.layers.core import Dense as D\nD(1)",
            "from tensorflow.keras.layers import Dense as D",
        ),
        ("from keras.layers import LSTM\nLSTM(1)", "\ntf.keras.layers.LSTM(1)"),
        (
            "from keras.layers import GRU, Dense\nGRU(Dense(1))",
            "from tensorflow.keras.layers import Dense\ntf.keras.layers.GRU(Dense(1))",
        ),
        ("from keras import layers\nlayers.GRU(layers.Dense(1))", "tf.keras.layers.GRU(layers."),
        (
            "import keras\nimport keras.layers\n"
            "keras.layers.GRU(keras.utils.np_utils.normalize(1))",
            "keras.layers.GRU(keras.utils.normalize(1))",
        ),
        ("import keras as k\nk.layers.GRU(1)", "from tensorflow.compat.v1 import keras as k"),
        ("from keras.layers import *\nGRU(Dense(1))", "\ntf.keras.layers.GRU(Dense(1))"),
        ("from keras import backend as K\nK.set_session(1)", "\ntf.keras.backend.set_session(1)"),
        (
            "from keras.backend.tensorflow_backend import set_session\nset_session(1)",
            "\ntf.keras.backend.set_session(1)",
        ),
        (
            "from keras.utils import np_utils\nnp_utils.to_categorical(1)",
            "from tensorflow.keras import utils as np_utils\n",
        ),
        (
            "from keras.engine.topology import Layer\nclass A(Layer):\n  pass",
            "from tensorflow.keras.layers import Layer\n",
        ),
        (
            "from keras.optimizers import SGD\nSGD(lr=0.1)",
            "\ntf.keras.optimizers.SGD(lr=0.1)",
        ),
        (
            "try:\n  import keras\nexcept ImportError:\n  from tensorflow import keras\n"
            "keras.Model()",
            "try:\n  from tensorflow.compat.v1 import keras\nexcept",
        ),
        (
            "from keras.utils.training_utils import multi_gpu_model as on_gpus\non_gpus(1, 2)",
            "from tfmigrate_runtime.multi_gpu import multi_gpu_model as on_gpus\n",
        ),
        (
            "from keras import utils\nutils.multi_gpu_model(utils.to_categorical(1), 2)",
            "\nmulti_gpu_model(utils.to_categorical(1), 2)",
        ),
        ("import keras\nkeras.utils.multi_gpu_model(1, 2)", "\nmulti_gpu_model(1, 2)"),
        (
            "import keras\nimport horovod.keras as hvd\nhvd.init(keras.layers)",
            "import horovod.tensorflow.keras as hvd\n",
        ),
    ],
)
def test_standalone_keras_becomes_that_of_tensorflow(before: str, after: str) -> None:
    text = f"{V1}{before}\n"
    new = migrated(text)
    assert after in new
    assert new.startswith("import os\n\nos.environ.setdefault")
    assert [f for f in run(text).findings if f.severity.value != "fixed"] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from tensorflow.keras.layers import GRU\nGRU(1)", "\ntf.keras.layers.GRU(1)"),
        ("from tensorflow.keras import layers\nlayers.LSTM(1)", "\ntf.keras.layers.LSTM(1)"),
        ("from tensorflow import keras\nkeras.layers.GRU(1)", "tensorflow.compat.v1 import keras"),
        (
            "import tensorflow.keras as ks\nks.layers.GRU(1)",
            "from tensorflow.compat.v1 import keras as ks",
        ),
        (
            "import tensorflow.keras.layers\ntensorflow.keras.layers.GRU(1)",
            "\ntensorflow.compat.v1.keras.layers.GRU(1)",
        ),
        ("import tensorflow.keras.backend as K\nK.get_session()", "tf.keras.backend.get_session()"),
        ("from tensorflow.keras.optimizers import Adam\nAdam()", "\ntf.keras.optimizers.Adam()"),
        (  # TFM706
            "from tensorflow.keras.utils import multi_gpu_model, to_categorical\n"
            "multi_gpu_model(to_categorical(1), 2)",
            "from tensorflow.keras.utils import to_categorical\n"
            "from tfmigrate_runtime.multi_gpu import multi_gpu_model\nmulti_gpu_model(",
        ),
        ("tf.keras.utils.multi_gpu_model(1, 2)", "\nmulti_gpu_model(1, 2)"),
        ("print(tf.keras.__version__)", "\nprint(tf_keras.__version__)"),
        ("from tensorflow import keras\nprint(keras.__version__)", "\nprint(tf_keras.__version__)"),
        ("import keras\nprint(keras.__version__)", "\nprint(tf_keras.__version__)"),
        (
            "import tensorflow.keras as ks\nprint(ks.__version__)",
            "import tensorflow.compat.v1 as tf\nimport tf_keras\n",
        ),
        (
            "from tensorflow.python.keras.layers import GRU\nGRU(1)",  # TFM722
            "\ntf.keras.layers.GRU(1)",
        ),
    ],
)
def test_classes_that_tensorflow_2_replaced(before: str, after: str) -> None:
    assert after in migrated(f"{V1}{before}\n")


@pytest.mark.parametrize(
    "before",
    [
        "from keras.models import Model\nfrom keras.utils import multi_gpu_model\n",
        "from keras.models import Model\nfrom keras.utils.training_utils import multi_gpu_model\n",
        "from tensorflow.keras.models import Model\n"
        "from tensorflow.keras.utils import multi_gpu_model\n",
    ],
)
def test_a_model_on_several_gpus_is_of_tensorflow_1_without_another_name_of_it(before: str) -> None:
    new = migrated(f"{before}\nmodel = multi_gpu_model(Model(), gpus=2)\nmodel.fit(1)\n")
    assert "from tensorflow.keras.models import Model\n" in new
    assert "from tfmigrate_runtime.multi_gpu import multi_gpu_model\n" in new
    assert "\ntf.disable_v2_behavior()\n" in new


def test_a_model_on_several_gpus_beside_names_of_tensorflow_2_is_reported() -> None:
    text = (
        "import tensorflow as tf\nfrom keras.utils import multi_gpu_model\n\n"
        "@tf.function\ndef step(model):\n  return multi_gpu_model(model, gpus=2)\n"
    )
    assert "TFM720" in [f.code for f in run(text).findings if f.severity.value == "manual"]
    assert migrated(text) == text


def test_a_file_of_keras_alone_belongs_to_the_program_that_imports_it() -> None:
    files = {
        "main.py": V1 + "import model\nmodel.build()\n",
        "model.py": "from keras.layers import Dense\n\ndef build():\n  return Dense(1)\n",
        "other.py": "from keras.layers import Dense\n\ndef build():\n  return Dense(1)\n",
    }
    changed, _ = migrate_tree(files)
    assert sorted(changed) == ["main.py", "model.py"]
    assert changed["main.py"].startswith(SWITCHED)
    assert changed["model.py"].startswith("from tensorflow.keras.layers import Dense\n")


def test_a_file_that_a_program_of_tensorflow_2_imports_as_well_stays() -> None:
    files = {
        "old.py": V1 + "import model\nmodel.build()\n",
        "new.py": "import tensorflow as tf\nimport model\n\n@tf.function\ndef f(x):\n  return x\n",
        "model.py": "from keras.layers import Dense\n\ndef build():\n  return Dense(1)\n",
    }
    changed, _ = migrate_tree(files)
    assert sorted(changed) == ["old.py"]


def test_moving_averages_are_reported_once() -> None:
    text = V1 + "from keras.layers import BatchNormalization as B\nB()\nB()\n"
    (manual,) = [f for f in found(text, "TFM723") if f.severity.value == "manual"]
    assert "moving averages" in manual.message


TASK = (
    "import model\nfrom keras.callbacks import TerminateOnNaN\nmodel.net().fit(TerminateOnNaN())\n"
)
NET = "from keras.models import Sequential\n\ndef net():\n  return Sequential()\n"
OPEN = "\ndef read(x):\n  return tf.gfile.Open(x)\n"


@pytest.mark.parametrize(
    "used", [OPEN, "\nfrom keras import backend as K\nf = tf.gfile.Open\ng = K.get_session\n"]
)
def test_a_script_has_the_keras_of_the_models_that_it_trains(used: str) -> None:
    """Keras 3 has no models of Keras 2: one program has one Keras."""
    files = {"task.py": TASK, "model.py": f"import tensorflow as tf\n{NET}{used}"}
    changed, _ = migrate_tree(files)
    assert "from tensorflow.keras.callbacks import TerminateOnNaN\n" in changed["task.py"]
    assert "tf.disable_v2_behavior()\n" in changed["task.py"]
    assert "from tensorflow.keras.models import Sequential\n" in changed["model.py"]


def test_a_script_of_tensorflow_2_keeps_its_keras() -> None:
    files = {
        "task.py": TASK + "import tensorflow as tf\nimport steps\n",
        "steps.py": "import tensorflow as tf\ntf.random.set_seed(1)\ntf.keras.layers.Dense(1)\n",
        "model.py": f"import tensorflow as tf\n{NET}{OPEN}",
    }
    changed, _ = migrate_tree(files)
    assert "task.py" not in changed
