"""Wrong and right forms of programs of other kinds: factors, policy gradients, recurrence."""

from __future__ import annotations

import pytest
from changed_program import Changed
from long_tail import one_in

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
FACTORS, POLICY, CHARACTERS = "factors.py", "policy.py", "characters.py"
ARGUMENTS = {FACTORS: ("{out}",)}
RIGHT: list[tuple[str, str, str]] = [
    (FACTORS, "tf.reduce_sum(p * q, 1)", "tf.einsum('ij,ij->i', p, q)"),
    (FACTORS, "tf.gather(bias, i)", "tf.nn.embedding_lookup(bias, i)"),
    (
        FACTORS,
        "tf.train.polynomial_decay(0.3, step, 20, 0.05, power=2.0)",
        "0.05 + 0.25 * tf.square(1.0 - tf.minimum(tf.cast(step, tf.float32), 20.0) / 20.0)",
    ),
    (FACTORS, "repeat(3).batch(32, drop_remainder=True)", "repeat(3).batch(32).take(37)"),
    (
        FACTORS,
        "tf.losses.huber_loss(r, predicted, delta=1.0)",
        "far = tf.abs(r - predicted)\n"
        "far = tf.where(far < 1.0, 0.5 * far * far, far - 0.5)\n"
        "tf.losses.add_loss(tf.reduce_mean(far))",
    ),
    (
        POLICY,
        "tf.reduce_sum(log_p * tf.one_hot(action, 2), 1)",
        "-tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=logits)",
    ),
    (POLICY, "0.9 * s + 0.1 * w", "s + 0.1 * (w - s)"),
    (POLICY, "tf.stop_gradient(gain - value)", "gain - tf.stop_gradient(value)"),
    (
        CHARACTERS,
        "reduce_sum(entropy * mask) / ROWS",
        "reduce_mean(tf.reduce_sum(entropy * mask, 1))",
    ),
    (
        CHARACTERS,
        "gradients, norm = tf.clip_by_global_norm(gradients, 0.2)",
        "norm = tf.maximum(tf.global_norm(gradients) / 0.2, 1.0)\n"
        "gradients = [tf.convert_to_tensor(gradient) / norm for gradient in gradients]",
    ),
    (CHARACTERS, "tf.nn.embedding_lookup(table, x)", "tf.gather(table, x)"),
    (CHARACTERS, "output_keep_prob=keep", "output_keep_prob=keep, state_keep_prob=1.0"),
    (CHARACTERS, "rate.assign(rate * 0.7)", "rate.assign_sub(0.3 * rate)"),
]
WRONG: list[tuple[str, str, str]] = [
    (FACTORS, "-0.02, 0.02", "-0.03, 0.03"),
    (FACTORS, "power=2.0", "power=1.5"),
    (FACTORS, "value=0.2", "value=0.1"),
    (FACTORS, "delta=1.0", "delta=1.5"),
    (FACTORS, "u[:2]", "u[:1]"),
    (FACTORS, "0.2, axes", "0.21, axes"),
    (FACTORS, "shuffle(400", "shuffle(200"),
    (FACTORS, "root_mean_squared", "mean_squared"),
    (FACTORS, "checkpoint_steps=10", "checkpoint_steps=12"),
    (FACTORS, "tf.reduce_sum(q * q, 1)", "tf.reduce_sum(q * q)"),
    (POLICY, "tf.stop_gradient(gain - value)", "gain - value"),
    # Equal in value: TensorFlow 1.x gives this function's labels no gradient.
    (
        POLICY,
        "-tf.reduce_sum(tf.nn.softmax(logits) * log_p, 1)",
        "tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(logits), logits=logits)",
    ),
    (POLICY, "DISCOUNT, ENTROPY = 0.9", "DISCOUNT, ENTROPY = 0.91"),
    (POLICY, "= 0.9, 0.01", "= 0.9, 0.011"),
    (POLICY, "centered=True", "centered=False"),
    (POLICY, "momentum=0.2", "momentum=0.21"),
    (POLICY, "number % 2:", "number % 2 == 0:"),
    (POLICY, "+ 0.1 * w", "+ 0.11 * w"),
    (POLICY, "tf.random.categorical(logits, 1)[:, 0]", "tf.argmax(logits, 1)"),
    (POLICY, "returns[:0:-1]", "returns[1:]"),
    (POLICY, "epsilon=1e-3", "epsilon=2e-3"),
    (CHARACTERS, "keep: 0.8", "keep: 0.75"),
    (CHARACTERS, "state, value, _ = session", "_, value, _ = session"),
    (CHARACTERS, "        session.run(slower)\n", ""),
    (CHARACTERS, "rate * 0.7", "rate * 0.71"),
    (CHARACTERS, "output_keep_prob=keep", "input_keep_prob=keep"),
    (CHARACTERS, "inputs, lengths,", "inputs, None,"),
    (CHARACTERS, "gradients, 0.2)", "gradients, 0.21)"),
    (CHARACTERS, "rho=0.9", "rho=0.95"),
    (CHARACTERS, " / ROWS", " / tf.reduce_sum(mask)"),
    (CHARACTERS, "epsilon=1e-4", "epsilon=1e-5"),
    (CHARACTERS, "keep_prob=keep", "keep_prob=keep, variational_recurrent=True, dtype=tf.float32"),
]


@pytest.mark.parametrize(("program", "old", "new"), one_in(10, RIGHT))
def test_a_right_form_is_the_same(changed: Changed, program: str, old: str, new: str) -> None:
    said = changed(program, (old, new), arguments=ARGUMENTS.get(program, ()))
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(("program", "old", "new"), one_in(31, WRONG))
def test_a_wrong_form_is_found(changed: Changed, program: str, old: str, new: str) -> None:
    said = changed(program, (old, new), arguments=ARGUMENTS.get(program, ()))
    assert (said.code, len(said.failed)) == (1, 1)
