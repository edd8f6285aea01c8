"""Ports whose draws or start values follow from more than their layers: agents, word vectors."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
AGENT, SAMPLED = ("agent.py", "agent_native.py"), ("sampled.py", "sampled_native.py")


def test_an_agent_acts_by_the_originals_values_before_it_learns(native: Native) -> None:
    said = native(*AGENT)
    assert (said.code, said.failed, said.error) == (0, [], "")


def test_a_target_network_that_is_not_trainable_is_paired(native: Native) -> None:
    frozen = ('network("target")\n', 'network("target")\n    target.trainable = False\n')
    said = native(*AGENT, frozen)
    assert (said.code, said.failed, said.error) == (0, [], "")


UNBUILT = [
    ("    optimizer.build(online.trainable_variables)\n", ""),
    (
        "optimizer.apply(tape.gradient(loss, online.trainable_variables))",
        "trained = online.trainable_variables\n"
        "        optimizer.apply(tape.gradient(loss, trained), trained)",
    ),
]
SAME_NAMES = [(f"{{name}}_{number}", f"layer_{number}") for number in range(2)]


@pytest.mark.parametrize("names", one_in(2, [[], SAME_NAMES]))
def test_a_target_network_that_could_be_trained_is_paired(
    native: Native, names: list[tuple[str, str]]
) -> None:
    said = native(*AGENT, *UNBUILT, *names, recorded=["trainable"])
    assert (said.code, said.failed, said.error) == (0, [], "")


def test_a_target_network_that_is_trained_is_found(native: Native) -> None:
    trained = ("online.trainable_variables", "target.trainable_variables")
    assert native(*AGENT, *UNBUILT, trained, recorded=["trainable"]).code != 0


@pytest.mark.parametrize(
    ("before", "after"),
    one_in(
        3,
        [
            ("GAMMA, COPIED, RATE = 0.9, 4", "GAMMA, COPIED, RATE = 0.91, 4"),
            ("GAMMA, COPIED, RATE = 0.9, 4", "GAMMA, COPIED, RATE = 0.9, 5"),
            ("* tf.reduce_max(target(then)", "* tf.reduce_max(online(then)"),
            ("if number % COPIED == 0", "if number > 12 and number % COPIED == 0"),
        ],
    ),
)
def test_another_agent_is_found(native: Native, before: str, after: str) -> None:
    assert native(*AGENT, (before, after)).code == 1


def test_candidates_classes_and_indices_are_the_originals(native: Native) -> None:
    said = native(*SAMPLED)
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("replaced", "code"),
    one_in(
        3,
        [
            (("SAMPLED, WORDS))", "SAMPLED + 1, WORDS))"), 1),
            (("SAMPLED, WORDS))", "SAMPLED, WORDS, remove_accidental_hits=True))"), 1),
            (("SGD(0.2)", "SGD(0.201)"), 1),
            # Other parameters that are tensors: the draws are its own, and a few steps decide
            # nothing.
            (("+ 0.1 * bias", "+ tf.range(40.0)"), 3),
            (("[ROWS], 0, WORDS, tf", "[ROWS], 0, WORDS // 2, tf"), 3),
        ],
    ),
)
def test_other_parameters_are_not_given_the_originals_draws(
    native: Native, replaced: tuple[str, str], code: int
) -> None:
    assert native(*SAMPLED, replaced).code == code


ACTOR = ("actor.py", "actor_native.py")


@pytest.mark.parametrize("way", one_in(2, ["functions", "eager"]))
def test_actions_between_steps_are_the_originals(native: Native, way: str) -> None:
    said = native(*ACTOR, arguments=[way])
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("before", "after"),
    one_in(
        3,
        [
            ("categorical(logits, 1)", "categorical(logits / 2, 1)"),
            ("tf.squeeze(tf.random.categorical(logits, 1), 1)", "tf.argmax(logits, 1)"),
            ("0.01 * entropy", "0.02 * entropy"),
            ("tf.stop_gradient(advantage)", "advantage"),
            ("gamma=0.95", "gamma=0.96"),
        ],
    ),
)
def test_another_actor_is_found(native: Native, before: str, after: str) -> None:
    assert native(*ACTOR, (before, after), arguments=["functions"]).code == 1
