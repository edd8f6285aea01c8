"""Keras in model functions computes what TensorFlow 1.15 did on one device, on replicas too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras_forms
import numpy as np
import pytest

HERE = Path(__file__).parent
GOLDEN = HERE / "golden.npz"

# Five float32 steps with momentum 0.9 (losses up to 13), sums over a batch in another order.
TOLERANCE = 1e-5


# As in programs/keras_on_replicas.py, which gives the reasons.
GLOBAL = [
    "beside_tf_layers",
    "found_by_name",
    "functional",
    "keras_adam_get_updates",
    "keras_metrics",
    "keras_sgd_get_gradients",
    "recurrent_unrolled",
    "regularized_losses_for",
    "regularized_model",
    "sequential_lazy",
    "shared_layer",
    "subclassed",
    "subclassed_layer",
    "under_variable_scope",
]
OWN = ["keras_metrics", "regularized_losses_for", "subclassed"]
BATCH_NORM = [name for name in keras_forms.NAMES if name.startswith("batch_norm")]

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


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Arrays]:
    """What the runtime computes, by variant and form."""
    out = tmp_path_factory.mktemp("keras") / "out.npz"
    script = HERE / "programs" / "keras_on_replicas.py"
    run = subprocess.run(
        [sys.executable, str(script), str(GOLDEN), str(out)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return _grouped(out)


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


@pytest.mark.parametrize("form", keras_forms.NAMES)
def test_one_replica_is_tensorflow_1(
    form: str, golden: dict[str, Arrays], ours: dict[str, Arrays]
) -> None:
    got = ours["one:" + form]
    assert _differences(got, golden[form]) == []
    # Random initial values are those of TensorFlow 1.15: none had to be replaced.
    assert [what for what in got if what.startswith("drawn/")] == []


@pytest.mark.parametrize("form", GLOBAL)
def test_two_replicas_share_one_model_that_learns_from_the_whole_batch(
    form: str, golden: dict[str, Arrays], ours: dict[str, Arrays]
) -> None:
    assert _differences(ours["global:" + form], golden[form]) == []


@pytest.mark.parametrize("form", OWN)
def test_two_replicas_with_a_batch_each_learn_from_both(
    form: str, golden: dict[str, Arrays], ours: dict[str, Arrays]
) -> None:
    assert _differences(ours["own:" + form], golden[form]) == []


@pytest.mark.parametrize("form", BATCH_NORM)
def test_replicas_with_the_same_rows_normalise_as_one_with_them(
    form: str, ours: dict[str, Arrays]
) -> None:
    one, two = ours["half:" + form], ours["twins:" + form]
    assert _differences(two, one) == []
    moving = [what for what in one if what.startswith("variable/") and "moving_" in what]
    assert len(moving) == 2
    assert all(np.any(one[what] != one[what.replace("variable", "initial", 1)]) for what in moving)
