"""Loops with a GradientTape are compared with TensorFlow 1.x, by the command."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
ADAM = ("towers/split_global_batch", "tape_adam.py")
MOMENTUM = ("replicate_model_fn/momentum_piecewise", "tape_momentum.py")
SMALL = ("two_layers.py", "two_layers_native.py")
START, LOSS, SLOTS, RESULTS = (
    "same initial values, batch",
    "same loss at every step",
    "same variables and slots",
    "same calls and results",
)


def test_replicas_are_as_towers_of_tensorflow_1_15(native: Native) -> None:
    said = native(*ADAM)
    assert (said.code, said.failed) == (0, [])
    assert "batch of 32 rows" in said.rungs[START]["figure"]


IN_FUNCTION = ("@tf.function\n", "")
LATE = ("network = keras.Sequential(\n        [", "network = keras.Sequential(\n        [")
EARLY = (LATE[0], LATE[0] + "\n            keras.Input((10,)),")


@pytest.mark.parametrize("network", [LATE, EARLY], ids=["built late", "built"])
def test_replicas_may_run_outside_of_functions(native: Native, network: tuple[str, str]) -> None:
    """Slots and initial values are needed before a replica runs: none can be made within it."""
    said = native(*ADAM, IN_FUNCTION, network)
    assert (said.code, said.failed) == (0, [])
    wrong = native(*ADAM, IN_FUNCTION, network, ("epsilon=1e-8", "epsilon=1e-3"))
    assert (wrong.code, wrong.failed) == (1, [SLOTS])


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        4,
        [
            (("(error + tf.add_n(network.losses)) / replicas", "error / replicas"), LOSS),
            (("epsilon=1e-8", "epsilon=1e-3"), SLOTS),
            (
                ("np.split(array.astype(np.float32), replicas)", "[array.astype(np.float32)] * 2"),
                START,
            ),
            (("np.float32), replicas)", "np.float32), replicas)[::-1]"), LOSS),
        ],
    ),
    ids=lambda value: value[1][-40:] if isinstance(value, tuple) else value[5:15],
)
def test_a_wrong_loop_on_replicas_fails_at_its_rung(
    native: Native, replaced: tuple[str, str], rung: str
) -> None:
    said = native(*ADAM, replaced)
    assert (said.code, said.failed) == (1, [rung])


@pytest.mark.long
def test_a_loop_in_a_function_is_as_the_trace_of_tensorflow_1_15(native: Native) -> None:
    said = native(*MOMENTUM)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs[RESULTS]["figure"] == "4 metrics of 2 evaluations"


@pytest.mark.long
def test_an_evaluation_of_the_loop_that_differs_is_found(native: Native) -> None:
    said = native(*MOMENTUM, ("(300, 32)", "(1000, 31)"))
    assert (said.code, said.failed) == (1, [RESULTS])
    assert "evaluation 1: accuracy is 0.923333" in said.details(RESULTS)


@pytest.mark.long
def test_an_evaluation_that_the_loop_does_not_make_is_not_decided(native: Native) -> None:
    said = native(*MOMENTUM, ("\n    evaluate()\n", "\n"))
    assert (said.code, said.failed) == (3, [])
    assert "no metric of the migrated program has any of their numbers" in said.details(RESULTS)


def test_a_loop_on_one_of_two_replicas_has_lost_the_distribution(native: Native) -> None:
    said = native(*MOMENTUM, ('["CPU:0", "CPU:1"]', '["CPU:0"]'))
    assert (said.code, said.failed) == (1, ["both train the same steps"])
    assert said.rungs["both train the same steps"]["figure"] == "1 of 2 replicas"


@pytest.mark.long
def test_momentum_of_keras_is_another_where_the_learning_rate_changes(native: Native) -> None:
    said = native(*MOMENTUM, ("= Momentum(rates", "= keras.optimizers.SGD(rates"))
    assert (said.code, said.failed) == (1, [SLOTS])
    assert "Variables first differ at step 42" in said.details(SLOTS)


@pytest.mark.parametrize(
    "way", ["function", "loop in a function", "eager", "eager, not built", "two functions"]
)
def test_every_kind_of_loop_is_recorded(native: Native, way: str) -> None:
    said = native(*SMALL, arguments=[way])
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "8 steps"
    assert said.rungs[START]["figure"].startswith("10 equal, 3 transferred")


@pytest.mark.parametrize("way", one_in(2, ["loop in a function", "eager"]))
def test_a_wrong_loop_is_seen(native: Native, way: str) -> None:
    said = native(*SMALL, ("RATE, BATCH = 8, 0.1", "RATE, BATCH = 8, 0.13"), arguments=[way])
    assert (said.code, said.failed) == (1, [SLOTS])


def test_steps_of_a_second_optimizer_are_steps_too(native: Native) -> None:
    said = native(*SMALL, arguments=["two optimizers"])
    assert (said.code, said.failed) == (1, ["both train the same steps"])
