"""Programs of the legacy Keras, outside of graphs, are followed as those of Keras 3 are."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
LEGACY = ("import keras\n", "import tf_keras as keras\n")
APPLIED = (
    "self.optimizer.apply(gradients, self.trainable_variables)",
    "self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))",
)
ADAM = ("replicate_model_fn/dense_adam", "keras_adam.py")
SMALL = ("two_layers.py", "two_layers_native.py")


@pytest.mark.parametrize("way", one_in(2, ["fit", "own step", "run eagerly", "on batch"]))
def test_every_way_of_fit(native: Native, way: str) -> None:
    said = native(*SMALL, LEGACY, APPLIED, arguments=[way])
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["same initial values, batch"]["figure"].endswith("batch of 8 rows")


def test_fit_on_two_replicas(native: Native) -> None:
    said = native(*ADAM, LEGACY)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["same calls and results"]["verdict"] == "same"


@pytest.mark.parametrize("name", one_in(2, ["gradient_sums", "penalized", "phases", "dropped"]))
def test_loops(native: Native, name: str) -> None:
    said = native(f"{name}.py", f"{name}_native.py", LEGACY)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        2,
        [
            (("momentum=0.9", "momentum=0.91"), "same variables and slots"),
            (('"mse", steps', 'keras.losses.MeanSquaredError("sum"), steps'), "same loss at every"),
        ],
    ),
)
def test_wrong_programs(native: Native, replaced: tuple[str, str], rung: str) -> None:
    said = native(*SMALL, LEGACY, replaced, arguments=["fit"])
    assert said.code == 1
    assert said.failed[0].startswith(rung)
