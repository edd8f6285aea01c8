"""Programs without sessions whose optimizers take turns: a generator and its critic."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PAIR = ("adversarial.py", "adversarial_native.py")
TRAIN = "    train_critic(real, z)\n    train_generator(z)\n"
SWAPPED = "    train_generator(z)\n    train_critic(real, z)\n"


@pytest.mark.parametrize("way", one_in(2, ["functions", "built functions", "one", "built eager"]))
def test_their_steps_are_those_of_one_model(native: Native, way: str) -> None:
    said = native(*PAIR, arguments=way.split())
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("before", "after"),
    one_in(
        5,
        [
            (TRAIN, SWAPPED),
            ("Adam(2e-3, 0.5", "Adam(2e-3, 0.6"),
            ("rho=0.9", "rho=0.91"),
            ("SMOOTH = 12, 0.9", "SMOOTH = 12, 1.0"),
            ("Dropout(0.2)", "Dropout(0.25)"),
            ("training=True), 1.0)", "training=True), SMOOTH)"),
            (TRAIN, TRAIN + "    train_generator(z)\n"),
            ("cross_entropy(of_fake, 0.0)", "cross_entropy(of_fake, 0.1)"),
            ("epsilon=1e-7)\nof_generator", "epsilon=1e-6)\nof_generator"),
        ],
    ),
)
def test_another_step_of_either_is_found(native: Native, before: str, after: str) -> None:
    assert native(*PAIR, (before, after), arguments=["one"]).code == 1


TOGETHER = ["together"]


def test_steps_that_one_run_makes_are_one(native: Native) -> None:
    said = native(*PAIR, arguments=TOGETHER, recorded=TOGETHER)
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("way", "before", "after"),
    one_in(
        3,
        [
            ("together", "rho=0.9", "rho=0.91"),
            ("together", "g_loss = cross_entropy(of_fake, 1.0)", "g_loss = 0.9 * d_loss"),
            ("together", "SMOOTH = 12, 0.9", "SMOOTH = 12, 0.91"),
            # In turn: the generator sees the critic's new variables.
            ("one", "", ""),
        ],
    ),
)
def test_another_step_of_one_run_is_found(
    native: Native, way: str, before: str, after: str
) -> None:
    assert native(*PAIR, (before, after), arguments=[way], recorded=TOGETHER).code == 1


TASKS = ("task_heads.py", "task_heads_native.py")


def test_tasks_of_one_line_are_no_towers(native: Native) -> None:
    """Each loss has an update of its own; towers' losses have one."""
    said = native(*TASKS)
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("before", "after"), [("(0.01, 0.02)", "(0.01, 0.01)"), ("(0, 1, 1, 0, 0)", "(0, 1, 0, 1, 0)")]
)
def test_another_step_of_a_task_is_found(native: Native, before: str, after: str) -> None:
    assert native(*TASKS, (before, after)).code == 1


PHASES = ("phases.py", "phases_native.py")


@pytest.mark.parametrize("way", one_in(2, ["compiled", "tape", "turns"]))
def test_phases_of_several_optimizers_are_of_one_model(native: Native, way: str) -> None:
    recorded = ["turns"] if way == "turns" else []
    said = native(*PHASES, arguments=[way], recorded=recorded)
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("way", "before", "after"),
    one_in(
        4,
        [
            ("compiled", "not is_frozen\n", "True\n"),
            ("compiled", "not is_frozen\n", "False\n"),
            ("tape", "Adam(0.01", "Adam(0.011"),
            ("turns", "momentum=0.9", "momentum=0.8"),
            ("turns", "SGD(0.1", "SGD(0.11"),
            ("compiled", "SGD(0.1, momentum=0.9)", "Adam(0.01)"),
            ("compiled", "step in (0, 3)", "step in (0, 2)"),
            ("tape", "epsilon=1e-8", "epsilon=1e-6"),
            ("turns", "[by_tape(full, False), by_tape(warm, True)]", "[by_tape(full, False)] * 2"),
            # Averages that a step updates after its optimizer, and their start.
            ("compiled", "0.9 * average + 0.1", "0.99 * average + 0.01"),
            ("tape", "0.9 * average + 0.1", "0.99 * average + 0.01"),
            ("tape", "        update_averages()\n", ""),
            ("tape", "shadow.set_weights", "str"),
        ],
    ),
)
def test_another_phase_is_found(native: Native, way: str, before: str, after: str) -> None:
    recorded = ["turns"] if way == "turns" else []
    assert native(*PHASES, (before, after), arguments=[way], recorded=recorded).code == 1


def test_values_that_cannot_be_copied_are_refused(native: Native) -> None:
    """Which of two optimizers that are not built trains what shows by its first step only."""
    said = native(*PHASES, arguments=["tape", "eager"])
    assert said.code == 2
    assert "phases_native.py makes its first step outside of a tf.function" in said.error
    assert "Traceback" not in said.error
    assert len(said.error.strip().splitlines()) == 1
