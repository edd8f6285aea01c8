"""Programs that train by ``fit`` of Keras 3 are compared with TensorFlow 1.x, by the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
ADAGRAD = ("replicate_model_fn/embedding_adagrad", "keras_adagrad.py")
ADAM = ("replicate_model_fn/dense_adam", "keras_adam.py")
SMALL = ("two_layers.py", "two_layers_native.py")
STEPS, VARIABLES, START, LOSS, SLOTS, RESULTS = (
    "both train the same steps",
    "same trainable variables",
    "same initial values, batch",
    "same loss at every step",
    "same variables and slots",
    "same calls and results",
)


@pytest.mark.parametrize("pair", [ADAGRAD, ADAM], ids=lambda pair: pair[1])
def test_fit_on_two_replicas_is_as_the_trace_of_tensorflow_1_15(
    native: Native, pair: tuple[str, str]
) -> None:
    said = native(*pair)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs[STEPS]["figure"] == "120 steps"
    assert "batch of" in said.rungs[START]["figure"]
    assert said.rungs[RESULTS]["verdict"] == "same"


def test_an_optimizer_that_fit_builds_on_two_replicas(native: Native) -> None:
    """Keras looks for the shapes of its metrics first, where new variables have no value."""
    said = native(*ADAM, ("    model.optimizer.build(model.trainable_variables)\n", ""))
    assert (said.code, said.failed) == (0, [])
    assert said.rungs[START]["verdict"] == "same"


@pytest.mark.parametrize("way", ["fit", "own step", "run eagerly", "on batch"])
def test_every_way_of_fit_is_recorded(native: Native, way: str) -> None:
    said = native(*SMALL, arguments=[way])
    assert (said.code, said.failed) == (0, [])
    assert said.rungs[STEPS]["figure"] == "8 steps"
    assert said.rungs[START]["figure"] == "10 equal, 3 transferred, batch of 8 rows"


def test_training_that_another_model_resumes_is_one(native: Native, tmp_path: Path) -> None:
    checkpoint = str(tmp_path / "model.weights.h5")
    said = native(*SMALL, arguments=["resumed", checkpoint])
    assert (said.code, said.failed) == (0, [])
    assert said.rungs[STEPS]["figure"] == "8 steps"
    assert said.rungs[SLOTS]["verdict"] == "same"


def test_another_model_without_the_slots_resumes_nothing(native: Native, tmp_path: Path) -> None:
    checkpoint = str(tmp_path / "model.weights.h5")
    replaced = ("other.load_weights(sys.argv[2])", "other.set_weights(model.get_weights())")
    said = native(*SMALL, replaced, arguments=["resumed", checkpoint])
    assert (said.code, said.failed) == (1, [STEPS])
    assert said.rungs[STEPS]["figure"] == "0 and 1 further models"


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        2,
        [
            (("RATE, BATCH = 8, 0.1, 8", "RATE, BATCH = 7, 0.1, 8"), STEPS),
            (("RATE, BATCH = 8, 0.1, 8", "RATE, BATCH = 8, 0.1, 4"), START),
            (("RATE, BATCH = 8, 0.1, 8", "RATE, BATCH = 8, 0.13, 8"), SLOTS),
            (('"mse", steps', 'keras.losses.MeanSquaredError("sum"), steps'), LOSS),
            (('dense(4, "tanh", "second"), ', ""), VARIABLES),
            (('dense(4, "tanh", "second")', 'dense(4, None, "second")'), LOSS),
            (("activation, name=", 'activation, bias_initializer="ones", name='), START),
            (("activation, name=", 'activation, kernel_initializer="he_normal", name='), START),
            (("\ntrain()\n", "\ntrain()\nmodel.layers[0].bias.assign(tf.zeros([4]))\n"), SLOTS),
        ],
    ),
    ids=lambda value: value[1][-40:] if isinstance(value, tuple) else value[5:15],
)
def test_a_wrong_program_fails_at_its_rung(
    native: Native, replaced: tuple[str, str], rung: str
) -> None:
    said = native(*SMALL, replaced, arguments=["fit"])
    assert (said.code, said.failed) == (1, [rung])


def test_a_counter_that_is_set_after_the_last_step_is_found(native: Native) -> None:
    replaced = ("\ntrain()\n", "\ntrain()\nmodel.optimizer.iterations.assign(3)\n")
    said = native(*SMALL, replaced, arguments=["fit"])
    assert (said.code, said.failed) == (1, [SLOTS])


@pytest.mark.parametrize(
    ("pair", "replaced", "rung"),
    one_in(
        4,
        [
            (ADAM, ("epsilon=1e-8", "epsilon=1e-4"), SLOTS),
            (
                ADAM,
                ("validation_data=readings(256, 2)", "validation_data=readings(256, 1)"),
                RESULTS,
            ),
            (ADAGRAD, ("initial_accumulator_value=0.1", "initial_accumulator_value=0.2"), START),
            (ADAGRAD, ("[tf.convert_to_tensor(one) for one in grads]", "grads"), SLOTS),
        ],
    ),
    ids=lambda value: value[1][-40:] if isinstance(value, tuple) else value[5:15],
)
def test_another_optimizer_start_or_evaluation_is_named(
    native: Native, pair: tuple[str, str], replaced: tuple[str, str], rung: str
) -> None:
    said = native(*pair, replaced)
    assert (said.code, said.failed) == (1, [rung])


def test_what_keras_cannot_have_is_named(native: Native) -> None:
    said = native(*SMALL)
    assert "files and hooks (the migrated program uses Keras)" in said.missing
    assert "calls, evaluations and predictions (the original makes none)" in said.missing


@pytest.mark.parametrize("replaced", [(), (("import keras", "import jax\nimport keras"),)])
def test_another_backend_is_refused_in_one_line(
    native: Native, monkeypatch: pytest.MonkeyPatch, replaced: tuple[tuple[str, str], ...]
) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "jax")  # as where the program sets it itself
    said = native(*SMALL, *replaced)
    assert said.code == 2
    assert "Keras runs this program on jax, and only Keras on TensorFlow is recorded" in said.error


def test_the_backend_that_the_program_chooses_counts(
    native: Native, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    chosen = 'import os\n\nos.environ["KERAS_BACKEND"] = "tensorflow"\nimport keras'
    assert native(*SMALL, ("import keras", chosen)).code == 0
