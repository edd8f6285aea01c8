"""Steps without sessions draw the original's random numbers: its masks of dropout."""

from __future__ import annotations

import pytest
from changed_program import Changed
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PAIR = ("dropped.py", "dropped_native.py")
STEPS, LOSS, VARIABLES = (
    "both train the same steps",
    "same loss at every step",
    "same variables and slots",
)


@pytest.mark.parametrize("way", one_in(2, ["fit", "function", "not built", "eager"]))
def test_masks_of_dropout_are_the_originals(native: Native, way: str) -> None:
    said = native(*PAIR, arguments=[way])
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        8,
        [
            (("ROWS, DROPPED = 10, 16, 0.25", "ROWS, DROPPED = 10, 16, 0.27"), LOSS),
            (("ROWS, DROPPED = 10, 16, 0.25", "ROWS, DROPPED = 10, 16, 0.0"), LOSS),
            (("momentum=0.9,", "momentum=0.99,"), VARIABLES),
            (("epsilon=1e-3,", "epsilon=1e-5,"), LOSS),
            (("epsilon=1e-7, global_clipnorm", "epsilon=1e-7, clipnorm"), VARIABLES),
            ((", label_smoothing=0.1", ""), LOSS),
            ((", staircase=True", ""), VARIABLES),
            (("(0.02, 4,", "(0.02, 5,"), VARIABLES),
            (("return 1e-2", "return 0.5e-2"), LOSS),
            (("clipnorm=0.8)", "clipnorm=0.8, amsgrad=True)"), VARIABLES),
            (("clipnorm=0.8)", "clipnorm=0.8, weight_decay=1e-3)"), VARIABLES),
            (("from_logits=True", "from_logits=False"), LOSS),
        ],
    ),
    ids=lambda value: value[1][-40:] if isinstance(value, tuple) else value[5:15],
)
def test_another_rate_or_model_is_found(
    native: Native, replaced: tuple[str, str], rung: str
) -> None:
    said = native(*PAIR, replaced)
    assert (said.code, said.failed) == (1, [rung])


NOISY = ("noisy.py", "noisy_native.py")


@pytest.mark.parametrize(
    ("replaced", "code"),
    one_in(
        4,
        [
            (("GaussianDropout(0.2)", "GaussianDropout(rate=0.2)"), 0),
            (("GaussianDropout(0.2)", "GaussianDropout(0.21)"), 1),
            (("GaussianNoise(0.3)", "GaussianNoise(0.29)"), 1),
            (("number < NOISY", "number <= NOISY"), 1),
        ],
    ),
    ids=lambda value: value[1] if isinstance(value, tuple) else str(value),
)
def test_noise_in_branches_of_a_monitored_session_is_the_originals(
    native: Native, replaced: tuple[str, str], code: int
) -> None:
    said = native(*NOISY, replaced)
    assert (said.code, said.failed) == (code, [LOSS] if code else [])


ESTIMATOR, DROPPED = "in_one_call.py", ("{out}", "0.3")


@pytest.mark.long
def test_a_model_of_keras_draws_what_an_estimator_did(native: Native) -> None:
    said = native(ESTIMATOR, "in_one_call_native.py", arguments=DROPPED, recorded=DROPPED)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize("rate", one_in(2, ["0.32", "0.3"]))
def test_another_rate_of_an_estimator_is_found(changed: Changed, rate: str) -> None:
    said = changed(ESTIMATOR, ("float(sys.argv[2])", rate), arguments=DROPPED)
    assert (said.code, said.failed) == ((0, []) if rate == "0.3" else (1, [LOSS]))
