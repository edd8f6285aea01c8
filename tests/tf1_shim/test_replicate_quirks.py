"""replicate_model_fn of the legacy runtime against TensorFlow 1.15's, quirk by quirk.

The numbers of the tests are those of semantics.md; the rest of the package comes last. Both
sides run ``replicate_quirks_program.py``; ``scripts/record/record_replicate_quirks.py`` stored what
1.15 found.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
STORED = json.loads((HERE / "replicate_quirks_of_tensorflow_1_15.json").read_text("utf-8"))
# Of float32 numbers of about one, after two steps; measured: at most 8e-8.
TOLERANCE = 1e-6
MEAN, SUM = "weighted_mean", "weighted_sum"
DEFAULT, BY_SIZE = "weighted_sum_by_nonzero_weights", "weighted_sum_over_batch_size"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("quirks") / "found.json"
    program = str(HERE / "replicate_quirks_program.py")
    command = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", program, str(out)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    read: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return read


def assert_same(found: Any, stored: Any) -> None:
    """Asserts that two findings are the same, numbers to ``TOLERANCE``."""
    if isinstance(stored, dict):
        assert found.keys() == stored.keys()
        for key in stored:
            assert_same(found[key], stored[key])
    elif isinstance(stored, list):
        assert len(found) == len(stored)
        for one, other in zip(found, stored, strict=True):
            assert_same(one, other)
    elif isinstance(stored, float):
        assert found == pytest.approx(stored, rel=TOLERANCE, abs=TOLERANCE)
    else:
        assert found == stored


def close(value: Any, expected: Any) -> bool:
    """Returns whether numbers are the same to ``TOLERANCE``."""
    return bool(np.allclose(value, expected, rtol=TOLERANCE, atol=TOLERANCE))


def test_all_quirks_are_stored(found: dict[str, Any]) -> None:
    assert found.keys() == STORED.keys()
    assert {f"1.{number}" for number in range(1, 21)} - found.keys() == {"1.5"}  # within 1.3


def test_1_01_the_batch_is_split_in_contiguous_shares(found: dict[str, Any]) -> None:
    assert_same(found["1.1"], STORED["1.1"])
    rows, labels, *sparse = zip(*found["1.1"]["towers"], strict=True)
    assert rows == ([0, 1, 2, 3], [4, 5, 6, 7])
    assert labels == ([0, 10, 20, 30], [40, 50, 60, 70])
    # SparseTensor: five rows are three and two, and no error.
    assert sparse[2] == ([3, 3], [2, 3])


def test_1_02_a_batch_has_to_be_divisible(found: dict[str, Any]) -> None:
    assert_same(found["1.2"], STORED["1.2"])
    text = "Batch size 7 needs to be divisible by the number of GPUs, which is 2."
    assert found["1.2"]["static"] == ["ValueError", text]
    assert found["1.2"]["late"][0] == "InvalidArgumentError"


def test_1_03_losses_are_averaged_unless_the_reduction_is_sum(found: dict[str, Any]) -> None:
    quirk = found["1.3"]
    assert_same(quirk, STORED["1.3"])
    # Which average is asked for makes no difference, to the bit.
    assert quirk[f"mean/{DEFAULT}"] == quirk[f"mean/{MEAN}"] == quirk[f"mean/{BY_SIZE}"]
    assert quirk["none"][0] == "ValueError"


def test_1_04_gradients_are_summed_and_applied_once(found: dict[str, Any]) -> None:
    assert_same(found["1.4"], STORED["1.4"])
    assert found["1.4"]["variables"]["global_step"] == 2
    assert found["1.4"]["loss_name"] == "loss:0"


def test_1_05_what_losses_come_to(found: dict[str, Any]) -> None:
    quirk = {name: value["losses"] for name, value in found["1.3"].items() if name != "none"}
    assert close(quirk[f"mean/{DEFAULT}"], quirk["mean/plain"])
    assert close(quirk[f"sum/{SUM}"], quirk["sum/plain"])
    assert close(quirk[f"mean/{SUM}"][0], 2 * quirk["mean/plain"][0])
    assert close(quirk[f"sum/{DEFAULT}"][0], quirk["sum/plain"][0] / 2)


def test_1_06_weighted_losses_are_means_of_means(found: dict[str, Any]) -> None:
    assert_same(found["1.6"], STORED["1.6"])
    assert not close(found["1.6"]["towers"], found["1.6"]["plain"])


def test_1_07_sparse_gradients_are_concatenated(found: dict[str, Any]) -> None:
    quirk = found["1.7"]
    assert_same(quirk, STORED["1.7"])
    for optimizer in ("sgd", "momentum", "adam", "adagrad"):
        for part in (0, 1):  # losses, the table
            assert close(quirk[f"{optimizer}/towers"][part], quirk[f"{optimizer}/plain"][part])


def test_1_08_gradients_are_clipped_per_tower(found: dict[str, Any]) -> None:
    assert_same(found["1.8"], STORED["1.8"])


def test_1_09_of_a_zip_the_last_towers_gradients_are_left(found: dict[str, Any]) -> None:
    # That the reported loss races with the update is not seen here: it is read before.
    assert_same(found["1.9"], STORED["1.9"])
    lost = np.array(found["1.9"]["variables"]["w1"])
    assert not close(lost, found["1.8"]["variables"]["w1"])


def test_1_10_collections_hold_what_towers_before_put_there(found: dict[str, Any]) -> None:
    assert_same(found["1.10"], STORED["1.10"])
    assert not close(found["1.10"]["regularized"], found["1.10"]["plain"])


def test_1_11_all_towers_update_the_moving_averages(found: dict[str, Any]) -> None:
    quirk, stored = dict(found["1.11"]), dict(STORED["1.11"])
    racy = np.array(quirk.pop("racy"))
    assert_same(quirk, {name: value for name, value in stored.items() if name != "racy"})
    assert quirk["updates"] == [2, 4]
    # Each update takes away a tenth of the distance to a tower's mean, from a value it read
    # before or after the other's update.
    means = np.array(quirk["means"])
    first, second = 0.1 * means
    outcomes = [0.9 * first + second, 0.9 * second + first, first + second]
    assert np.all(np.any([np.isclose(racy, one, atol=TOLERANCE) for one in outcomes], axis=0))


def test_1_12_metrics_are_those_of_all_rows(found: dict[str, Any]) -> None:
    assert_same(found["1.12"], STORED["1.12"])
    assert_same(found["1.12 uneven"], STORED["1.12 uneven"])
    quirk = found["1.12"]
    for kind, factor in (("towers", 1), ("sum", 2)):
        assert close(quirk[kind]["losses"], factor * np.array(quirk["plain"]["losses"]))
        assert_same(quirk[kind]["metrics"], quirk["plain"]["metrics"])
        assert quirk[kind]["update_ops"] == 1
        assert quirk[kind]["emptied"] == 0.0


def test_1_13_predictions_are_joined_and_classes_stacked(found: dict[str, Any]) -> None:
    assert_same(found["1.13"], STORED["1.13"])
    assert_same(found["1.13 default"], STORED["1.13 default"])
    values = found["1.13"]["values"]
    assert np.shape(values["found"]) == np.shape(values["scores"]) == (8, 1)
    assert np.shape(values["classes"]) == np.shape(values["only_classes"]) == (2, 4, 1)


def test_1_14_variables_are_shared_and_on_the_cpu(found: dict[str, Any]) -> None:
    assert_same(found["1.14"], STORED["1.14"])
    assert found["1.14"]["gpus"]["variables"]["w1/Adam"] == "/device:CPU:0"
    assert found["1.14"]["one_gpu"]["variables"]["w1/Adam"] == "/device:GPU:0"
    # The other mode, which 1.15 kept to itself and forks call.
    assert found["1.14"]["by turns"]["variables"]["b1"] == "/device:GPU:2"


def test_1_15_a_tf_variable_is_one_for_each_tower(found: dict[str, Any]) -> None:
    assert_same(found["1.15"], STORED["1.15"])
    values = found["1.15"]["variables"]
    assert sorted(values) == ["W", "global_step", "tower_1/W"]
    assert not close(values["W"], values["tower_1/W"])


def test_1_16_unnamed_layers_need_a_variable_scope(found: dict[str, Any]) -> None:
    assert_same(found["1.16"], STORED["1.16"])
    kind, text = found["1.16"]["root"]
    assert kind == "ValueError"
    assert text.startswith("Variable dense_2/kernel does not exist")


def test_1_17_several_towers_need_a_tower_optimizer(found: dict[str, Any]) -> None:
    assert_same(found["1.17"], STORED["1.17"])
    assert found["1.17"]["error"][1] == (
        "Please wrap optimizers with TowerOptimizer in order to use replicate_model_fn with "
        "multiple `devices`."
    )
    # One device: not split, not scaled, and the loss keeps its name.
    assert found["1.17"]["one"]["loss_name"] == "mean_squared_error/value:0"
    assert_same(found["1.17"]["default"]["losses"], found["1.17"]["one"]["losses"])


def test_1_18_two_optimizers_are_matched_by_their_order(found: dict[str, Any]) -> None:
    assert_same(found["1.18"], STORED["1.18"])
    variables = found["1.18"]["even"]["variables"]
    assert variables["global_step"] == 2
    assert "a/Adam" in variables
    assert "b/Adam" not in variables
    assert found["1.18"]["uneven"][1] == (
        "Each invocation of model_fn was supposed to make the same optimizer calls."
    )


def test_1_19_other_fields_are_those_of_one_tower(found: dict[str, Any]) -> None:
    assert_same(found["1.19"], STORED["1.19"])
    hooks = {mode: found["1.19"][mode]["hooks"] for mode in ("train", "eval", "infer")}
    assert hooks == {"train": ["tower 2"] * 2, "eval": ["tower 1"], "infer": ["tower 1"]}
    assert found["1.19"]["train"]["shared"] == [True, True]
    assert found["1.19"]["train"]["copied"] == [True, True]


def test_1_20_layers_of_keras_are_one_for_each_tower(found: dict[str, Any]) -> None:
    assert_same(found["1.20"], STORED["1.20"])
    assert "tower_1/net/dense_2/kernel" in found["1.20"]["variables"]


def test_what_is_logged_is_the_same(found: dict[str, Any]) -> None:
    assert found["logged"] == STORED["logged"]


@pytest.mark.parametrize("mode", ["train", "eval", "infer"])
def test_heads_compute_the_same(found: dict[str, Any], mode: str) -> None:
    of_mode = {name for name in STORED["heads"] if name.endswith(mode)}
    assert len(of_mode) == 12
    for name in of_mode:
        assert_same(found["heads"][name], STORED["heads"][name])


@pytest.mark.parametrize(
    "case", ["head errors", "clipped by norm", "extended", "early stopping", "exports"]
)
def test_other_names_do_the_same(found: dict[str, Any], case: str) -> None:
    assert_same(found[case], STORED[case])


def test_names_are_those_of_the_package(found: dict[str, Any]) -> None:
    # "python", a folder of 1.15, is imported where it is asked for.
    missing = set(STORED["names"]) - set(found["names"]) - {"python"}
    assert missing == {
        "DNNClassifierWithLayerAnnotations",
        "DNNRegressorWithLayerAnnotations",
        "RNNClassifier",
        "RNNEstimator",
        "boosted_trees_classifier_train_in_memory",
        "boosted_trees_regressor_train_in_memory",
    }
    # 1.12 had more of them there.
    assert {"DNNEstimator", "LinearEstimator", "stop_if_lower_hook"} <= set(found["names"])
