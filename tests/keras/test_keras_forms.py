"""Keras in model functions computes what TensorFlow 1.15 did on one device, on replicas too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras_forms
import numpy as np
import pytest
from long_tail import one_in

HERE = Path(__file__).parent
GOLDEN = HERE / "golden.npz"

# Five float32 steps with momentum 0.9 (losses up to 13), sums over a batch in another order.
TOLERANCE = 1e-5


# Two replicas with a batch each. No Keras optimizers: TensorFlow 1.15 adds up their gradients then.
OWN = ["keras_metrics", "regularized_losses_for", "subclassed"]
# Normalised by the batch of a replica: two replicas need the same rows.
BATCH_NORM = [name for name in keras_forms.NAMES if name.startswith("batch_norm")]
RANDOM = ["layers_called", "learning_phase", "mnist_sequential"]  # dropout: each replica its own
# To keep the time short: what these hold is in other forms too, but for the loop of `recurrent`.
ONLY_ONE = [
    "created_and_applied",
    "functional_on_features",
    "many_layers",
    "random_initializers",
    "recurrent",
    "regularized_by_collection",
    "sequential_shaped",
]
GLOBAL = [n for n in keras_forms.NAMES if n not in [*BATCH_NORM, *RANDOM, *ONLY_ONE]]
# A form that two replicas train as TensorFlow 1.15 did is not run on one, too, by `make test`;
# `many_layers` takes as long as ten others.
ONE = [
    pytest.param(name, marks=pytest.mark.long) if name in [*GLOBAL, "many_layers"] else name
    for name in keras_forms.NAMES
]

Arrays = dict[str, Any]


def _grouped(path: Path) -> dict[str, Arrays]:
    groups: dict[str, Arrays] = {}
    with np.load(path) as archive:
        for key in archive.files:
            group, what = key.split("/", 1)
            groups.setdefault(group, {})[what] = archive[key]
    return groups


@pytest.fixture(scope="module")
def golden() -> dict[str, Arrays]:
    """What TensorFlow 1.15.5 computed on one device (scripts/record/record_keras.py)."""
    return _grouped(GOLDEN)


Run = Callable[..., dict[str, Arrays]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Returns a function that runs a form: what the runtime computes, by variant."""

    def of_form(form: str, *variants: str) -> dict[str, Arrays]:
        script, out = HERE / "programs" / "keras_on_replicas.py", tmp_path / "out.npz"
        done = subprocess.run(
            [sys.executable, str(script), str(GOLDEN), str(out), form, *variants],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return _grouped(out)

    return of_form


def _differences(got: Arrays, wanted: Arrays) -> list[str]:
    """Returns what differs between two runs; values that were drawn are compared elsewhere."""
    got = {what: value for what, value in got.items() if not what.startswith("drawn/")}
    found = [f"only in one: {what}" for what in sorted(set(got) ^ set(wanted))]
    for what in sorted(set(got) & set(wanted)):
        here, there = got[what], wanted[what]
        if here.dtype.kind == "U":
            found += [
                f"{what}: {name}" for name in sorted(set(here.tolist()) ^ set(there.tolist()))
            ]
        elif here.shape != there.shape:
            found.append(f"{what}: {here.shape} {there.shape}")
        elif not np.allclose(here, there, rtol=TOLERANCE, atol=TOLERANCE):
            found.append(f"{what}: {np.abs(here - there).max():.2g}")
    return found


def test_every_form_was_recorded_and_ran_on_tensorflow_1(golden: dict[str, Arrays]) -> None:
    assert sorted(golden) == keras_forms.NAMES
    assert [form for form in golden if "error" in golden[form]] == []


@pytest.mark.parametrize("form", ONE)
def test_one_replica_is_tensorflow_1(form: str, golden: dict[str, Arrays], run: Run) -> None:
    got = run(form, "one")["one"]
    assert _differences(got, golden[form]) == []
    # Random initial values are those of TensorFlow 1.15: none had to be replaced.
    assert [what for what in got if what.startswith("drawn/")] == []


@pytest.mark.parametrize("form", one_in(2, GLOBAL))
def test_two_replicas_share_one_model_that_learns_from_the_whole_batch(
    form: str, golden: dict[str, Arrays], run: Run
) -> None:
    assert _differences(run(form, "global")["global"], golden[form]) == []


@pytest.mark.parametrize("form", one_in(3, OWN))
def test_two_replicas_with_a_batch_each_learn_from_both(
    form: str, golden: dict[str, Arrays], run: Run
) -> None:
    assert _differences(run(form, "own")["own"], golden[form]) == []


@pytest.mark.parametrize("form", one_in(3, BATCH_NORM))
def test_replicas_with_the_same_rows_normalise_as_one_with_them(form: str, run: Run) -> None:
    variants = run(form, "half", "twins")
    one, two = variants["half"], variants["twins"]
    assert _differences(two, one) == []
    moving = [what for what in one if what.startswith("variable/") and "moving_" in what]
    assert len(moving) == 2
    assert all(np.any(one[what] != one[what.replace("variable", "initial", 1)]) for what in moving)
