"""tf.keras of TensorFlow 1.x trains in graphs; a trace of it is compared with its successors."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from changed_program import Changed
from long_tail import one_in
from native_program import Native

from tfmigrate_runtime.verify.recorder.keras import legacy_calls

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM = "keras_in_graphs.py"
START, LOSS, SLOTS, RESULTS = (
    "same initial values, batch",
    "same loss at every step",
    "same variables and slots",
    "same calls and results",
)
# How tfmigrate changes a file of TensorFlow 1.x.
LEGACY = (
    (
        "import numpy as np",
        'import os; os.environ["TF_USE_LEGACY_KERAS"] = "1"\nimport numpy as np',
    ),
    ("import tensorflow as tf", "import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()"),
)


def test_the_same_program_on_tensorflow_2_is_the_same(native: Native) -> None:
    said = native(PROGRAM, PROGRAM, *LEGACY)
    assert (said.code, said.failed) == (0, [])
    # Four steps in each of three epochs, divided by validations; evaluate comes after them.
    assert said.rungs["both train the same steps"]["figure"] == "12 steps"
    assert said.rungs[RESULTS]["figure"].startswith("7 calls, ")
    assert "batch of 20 rows" in said.rungs[START]["figure"]


def test_keras_2_is_found_by_its_path_where_the_program_selects_it(native: Native) -> None:
    """TensorFlow decides that when it is imported, which the recorder does before the program."""
    path = (
        "keras, layers = tf.keras, tf.keras.layers",
        "from tensorflow.keras import regularizers\nkeras, layers = tf.keras, tf.keras.layers\n"
        'assert regularizers.l2.__module__.startswith("tf_keras.")',
    )
    said = native(PROGRAM, PROGRAM, *LEGACY, path)
    assert (said.code, said.failed) == (0, [])


def test_recurrent_layers_have_the_names_of_the_original(native: Native) -> None:
    """``bidirectional/forward_lstm/kernel`` is below a scope ``lstm_cell`` since Keras 2.4."""
    said = native("recurrent_in_graphs.py", "recurrent_in_graphs.py", *LEGACY)
    assert (said.code, said.failed) == (0, [])
    names = said.rungs["same trainable variables"]
    assert names["figure"] == "18 (988 parameters)"
    assert "15 variables of recurrent layers have other names" in names["details"][0]


def test_a_wrong_cell_is_found_below_other_names(native: Native) -> None:
    wrong = ("GRUCell(4)", 'GRUCell(4, recurrent_activation="tanh")')
    said = native("recurrent_in_graphs.py", "recurrent_in_graphs.py", *LEGACY, wrong)
    assert (said.code, said.failed) == (1, [LOSS])


OF_RUNTIME = (
    "from tensorflow.keras.utils import multi_gpu_model",
    "from tfmigrate_runtime.multi_gpu import multi_gpu_model",
)


def test_a_model_on_several_gpus_is_the_same(native: Native) -> None:
    """Rows 0 to 6 of each batch on one of them, 7 to 14 on the other, with masks of their own."""
    options = ("--replicas", "2")
    said = native("multi_gpu.py", "multi_gpu.py", *LEGACY, OF_RUNTIME, options=options)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "8 steps"
    assert said.rungs[RESULTS]["figure"].startswith("2 calls, ")


def test_a_model_on_one_gpu_has_lost_its_distribution(native: Native) -> None:
    alone = ("parallel = multi_gpu_model(model, gpus=2)", "parallel = model")
    options = ("--replicas", "2")
    said = native("multi_gpu.py", "multi_gpu.py", *LEGACY, OF_RUNTIME, alone, options=options)
    assert (said.code, said.failed) == (1, ["both train the same steps"])


def test_validations_are_seen_in_the_loops_of_tensorflow_1_12() -> None:
    """They have no function for all kinds of input, and every recording on 1.12 failed there."""
    graph_models = legacy_calls.GraphModels(SimpleNamespace(parts=[], calls=[]))
    loop = SimpleNamespace(test_loop=lambda model, rows: [rows])
    graph_models._observe_loop(loop)
    graph_models._is_inside = True  # of `evaluate`, which calls it as well
    assert loop.test_loop("model", 3) == [3]
    assert hasattr(loop.test_loop, "__wrapped__")


def test_keras_3_is_the_same_with_dropout_and_in_the_order_of_rows(native: Native) -> None:
    """Rounding alone is 1e-7 of the loss; masks or batches of its own would be 0.1."""
    said = native(PROGRAM, "keras_in_graphs_native.py")
    assert (said.code, said.failed) == (0, [])
    assert float(str(said.rungs[LOSS]["figure"])) < 1e-5
    assert said.rungs[RESULTS]["figure"].startswith("7 calls, ")


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        6,
        [
            (("0.5**epoch", "0.5**max(0, epoch - 1)"), SLOTS),
            (("momentum=0.9", "momentum=0.8"), SLOTS),
            (("validation_data=(rows[80:]", "validation_data=(rows[60:80]"), RESULTS),
            (("predict(rows[80:])", "predict(rows[79:99])"), RESULTS),
            (("Dropout(0.25)", "Dropout(0.2)"), LOSS),
            (("epochs=3,", "epochs=3, shuffle=False,"), START),
        ],
    ),
    ids=lambda value: value[1][-25:] if isinstance(value, tuple) else value[5:15],
)
def test_a_wrong_program_is_found(native: Native, replaced: tuple[str, str], rung: str) -> None:
    said = native(PROGRAM, "keras_in_graphs_native.py", replaced)
    assert (said.code, said.failed) == (1, [rung])


def test_steps_of_a_prepared_callable_are_recorded(changed: Changed) -> None:
    step = "session.run(train_op, {x: rows, y: labels})"
    prepared = "session.make_callable(train_op, [x, y])(rows, labels)"
    said = changed("exports.py", (step, prepared), arguments=("{out}",))
    assert (said.code, said.failed) == (0, [])
