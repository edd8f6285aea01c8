"""Losses that are computed of the gradients of others, through the whole command."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
META, PENALIZED = "meta_learned", "penalized"
LOSS, WEIGHTS = "same loss at every step", "same variables and slots"


@pytest.mark.parametrize("program", [META, PENALIZED])
def test_the_loss_is_the_one_that_is_trained(native: Native, program: str) -> None:
    """That of each task was added to it, and the batch was that of a task."""
    said = native(f"{program}.py", f"{program}_native.py")
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(
    ("program", "replaced", "rung"),
    one_in(
        3,
        [
            (META, ("- 0.1 * of_w", "- 0.09 * of_w"), LOSS),
            (META, ("- 0.1 * of_w", "- tf.stop_gradient(0.1 * of_w)"), WEIGHTS),
            (PENALIZED, ("0.1 * tf.linalg", "0.11 * tf.linalg"), LOSS),
            # What is assigned after the optimizer's update shows in the next loss.
            (PENALIZED, ("    u.assign(following)", "    u.assign(u)"), LOSS),
            (PENALIZED, ("u.assign(following)", "u.assign(following @ tf.transpose(w) @ w)"), LOSS),
        ],
    ),
)
def test_another_loss_is_found(
    native: Native, program: str, replaced: tuple[str, str], rung: str
) -> None:
    said = native(f"{program}.py", f"{program}_native.py", replaced)
    assert (said.code, said.failed[:1]) == (1, [rung])
