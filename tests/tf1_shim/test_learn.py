"""tf.contrib.learn under the legacy runtime does what TensorFlow 1.15 did: semantics.md, 2.

One program, learn_program.py, runs once under tfmigrate-run; what TensorFlow 1.15 made of it is in
learn_recorded.json, by scripts/record/record_legacy_learn.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_tail import all_but, long

HERE = Path(__file__).parent
TABLES = HERE.parent / "learn"
RECORDED = json.loads((HERE / "learn_recorded.json").read_text("utf-8"))
# Float32 sums are ordered differently on other CPUs and versions.
RELATIVE, ABSOLUTE = 1e-5, 1e-6
SECONDS = 900.0  # minutes on a machine that does other things too


# Training by schedules that cheaper cases follow, too: `make test-all` runs them.
_COSTLY = (
    "centered_biases",
    "continuous_eval",
    "continuous_train_and_eval",
    "continuous_train_and_eval_of_a_predicate",
    "evaluate",
    "every_n",
    "export_strategies",
    "local_run",
    "own_loss",
    "train",
    "train_and_evaluate",
    "train_and_evaluate_at_the_end",
    "train_and_evaluate_by_default_interval",
    "train_and_evaluate_every_checkpoint",
    "train_and_evaluate_of_contrib_estimator",
    "two_classes",
)


@pytest.fixture(scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    scratch = tmp_path_factory.mktemp("learn")
    outputs = [str(scratch / "results.json"), str(scratch / "tables.npz")]
    command = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(HERE / "learn_program.py")]
    here = [item for item in request.session.items if item.path == request.path]
    all_of_them = any(item.get_closest_marker("long") for item in here)
    cases = [name for name in RECORDED if all_of_them or name not in _COSTLY]
    environment = {**os.environ, "LEARN_CASES": " ".join(cases)}
    result = subprocess.run(
        [*command, *outputs],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return scratch


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Any]:
    results: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return results


def assert_close(actual: Any, expected: Any, where: str) -> None:
    """Asserts that JSON values are equal, numbers with a fraction nearly."""
    if isinstance(expected, float) and isinstance(actual, float):
        assert actual == pytest.approx(expected, rel=RELATIVE, abs=ABSOLUTE), where
    elif isinstance(expected, dict):
        assert sorted(actual) == sorted(expected), where
        for key, value in expected.items():
            assert_close(actual[key], value, f"{where}/{key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), f"{where}: {actual} is not {expected}"
        for index, value in enumerate(expected):
            assert_close(actual[index], value, f"{where}/{index}")
    else:
        assert actual == expected, where


@pytest.mark.long
def test_every_case_is_recorded(found: dict[str, Any]) -> None:
    assert sorted(found) == sorted(RECORDED)


@pytest.mark.parametrize("name", all_but(_COSTLY, sorted(RECORDED)))
def test_it_does_what_tensorflow_1_15_did(found: dict[str, Any], name: str) -> None:
    assert_close(found[name], RECORDED[name], name)


def of_kind(told: dict[str, Any], kind: str, *columns: int) -> list[Any]:
    """Returns columns of the events of one kind, one column alone as it is."""
    rows = [event for event in told["events"] if event[0] == kind]
    if len(columns) == 1:
        return [row[columns[0]] for row in rows]
    return [[row[column] for column in columns] for row in rows]


@pytest.mark.long
def test_2_train_goes_to_a_global_step_and_evaluates_nothing(found: dict[str, Any]) -> None:
    runs = found["train"]
    trained = [of_kind(run, "train", 1, 2, 4) for run in runs]
    assert trained == [[[None, 12, 12]], [[12, 12, 12]], [[12, 20, 20]]]
    assert all(len(run["events"]) == 1 for run in runs)


def test_2_train_is_delayed_by_five_seconds_or_a_logarithm_a_worker(found: dict[str, Any]) -> None:
    delayed = found["delays_of_workers"]
    by_time, by_step = delayed[::2], delayed[1::2]
    assert [of_kind(run, "sleep", 1) for run in by_time] == [[], [5], [10], [60]]
    assert [of_kind(run, "sleep", 1) for run in by_step] == [[], [], [], []]
    waits = [of_kind(run, "call_train", 2)[0] for run in by_step]
    assert waits == [[0], [5545], [8788], [21112]]


def test_2_train_starts_a_server_first_unless_local(found: dict[str, Any]) -> None:
    cloud, local, google, other, _, _ = found["servers"]
    jobs = ["master", "ps", "worker"]
    assert cloud["events"][0] == ["server", "worker", 1, False, jobs]
    assert cloud["events"][1] == ["sleep", 5]
    assert of_kind(local, "server", 1) == of_kind(google, "server", 1) == []
    assert of_kind(other, "server", 1) == ["worker"]


@pytest.mark.long
def test_2_evaluate_waits_and_is_named_one_pass(found: dict[str, Any]) -> None:
    fresh, delayed, named = found["evaluate"]
    # Without a checkpoint tf.estimator.Estimator evaluates what it initializes.
    assert fresh["events"] == [["sleep", 120], ["evaluate", 0, 100, "one_pass", None, 0]]
    assert delayed["events"] == [["sleep", 2], ["evaluate", 12, 100, "one_pass", None, 1]]
    assert named["events"] == [["evaluate", 12, 2, "other", None, 0]]


@pytest.mark.parametrize(
    ("case", "steps"),
    [
        ("train_and_evaluate_every_six_steps", [4, 12, 12]),
        ("checkpoint_and_export", [0, 4, 8, 12]),
        *long(
            [
                ("train_and_evaluate_every_checkpoint", [0, 4, 8, 12, 12]),
                ("train_and_evaluate_at_the_end", [12]),
            ]
        ),
    ],
)
def test_2_train_and_evaluate_evaluates_in_between(
    found: dict[str, Any], case: str, steps: list[int]
) -> None:
    assert of_kind(found[case], "evaluate", 1) == steps


@pytest.mark.long
def test_2_train_and_evaluate_evaluates_a_finished_folder_again(found: dict[str, Any]) -> None:
    first, again = found["train_and_evaluate"]
    assert of_kind(first, "evaluate", 1, 3) == [[0, None], [12, None]]
    assert of_kind(again, "train", 1, 2) == [[12, 12]]
    assert of_kind(again, "evaluate", 1, 3) == [[12, None]]
    assert of_kind(again, "export", 1, 2, 3) == [["export/Servo", None, "bytes"]]


def test_2_every_checkpoint_is_evaluated_and_exported(found: dict[str, Any]) -> None:
    told = found["checkpoint_and_export"]
    evaluated = [[step, "intermediate_export", step] for step in (0, 4, 8, 12)]
    assert of_kind(told, "evaluate", 1, 3, 4) == evaluated
    assert of_kind(told, "export", 2) == [0, 4, 8, 12]


@pytest.mark.long
def test_2_local_run_has_its_own_frequency(found: dict[str, Any]) -> None:
    at_the_end, every_four = found["local_run"]
    assert of_kind(at_the_end, "evaluate", 1) == [12]
    assert of_kind(every_four, "evaluate", 1) == [4, 8, 12, 12]


@pytest.mark.long
def test_2_continuous_train_and_eval_overshoots(found: dict[str, Any]) -> None:
    first, again = found["continuous_train_and_eval"]
    assert of_kind(first, "train", 1, 2, 3) == [[None, 7, 7], [7, 14, 7]]
    assert of_kind(first, "evaluate", 1, 3, 4) == [[7, "one_pass", 7], [14, "one_pass", 14]]
    assert of_kind(again, "train", 1, 2, 3) == [[14, 16, 2]]


def test_2_continuous_train_and_eval_makes_a_tenth_a_round(found: dict[str, Any]) -> None:
    tenth = found["continuous_train_and_eval_of_a_tenth"]
    assert of_kind(tenth, "train", 3) == [2]
    few = found["continuous_train_and_eval_of_few_steps"]["result"]
    assert few == ["ValueError", "Must specify steps > 0, given: 0"]


@pytest.mark.long
def test_2_a_predicate_is_first_asked_without_metrics(found: dict[str, Any]) -> None:
    assert found["continuous_train_and_eval_of_a_predicate"][1] == [[None, None], [5, 5], [10, 10]]


def test_2_continuous_eval_ends_with_the_training(found: dict[str, Any]) -> None:
    evaluated, on_train_data = found["continuous_eval_ends_with_the_training"]
    assert of_kind(evaluated, "evaluate", 1, 3, 4) == [[12, "continuous", 12]]
    assert of_kind(evaluated, "sleep", 1)[0] == 120
    assert evaluated["result"] is on_train_data["result"] is None
    assert of_kind(on_train_data, "evaluate", 3) == ["continuous_on_train_data"]
    assert of_kind(on_train_data, "export", 1) == []


@pytest.mark.long
def test_2_continuous_eval_evaluates_a_checkpoint_once(found: dict[str, Any]) -> None:
    once, _, again = found["continuous_eval"]
    assert of_kind(once, "evaluate", 1) == [8]
    assert of_kind(once, "sleep", 1) == [120, 60, 60, 60]
    assert of_kind(again, "evaluate", 1) == [8, 8, 8]


def test_2_test_makes_one_step_more(found: dict[str, Any]) -> None:
    runs = found["test"]
    assert [of_kind(run, "train", 2, 3) for run in runs] == [[[1, 1]], [[2, 1]]]
    assert [of_kind(run, "evaluate", 2, 3, 5) for run in runs] == [[[1, "one_pass", 0]]] * 2


def test_2_run_std_server_needs_a_cluster(found: dict[str, Any]) -> None:
    served, refused = found["servers"][4:]
    assert [event[0] for event in served["events"]] == ["server", "join"]
    assert refused["result"][1].startswith("Could not start server; be sure to specify")


def test_2_default_schedules(found: dict[str, Any]) -> None:
    told = [text.split(":")[0] for _, (_, text) in found["default_schedules"]]
    assert told == [
        *["train_and_evaluate"] * 4,
        "train",
        "run_std_server",
        "Must specify a schedule",
        "No default schedule for task type",
        told[-1],
    ]
    assert told[-1].startswith("evaluator is not a valid task_type")


def test_2_the_run_config_must_be_the_estimators(found: dict[str, Any]) -> None:
    refused = found["learn_runner_refuses"]
    kinds = {name: refused[name][0] for name in ("another model_dir", "another RunConfig")}
    assert set(kinds.values()) == {"RuntimeError"}
    assert "tf.contrib.learn.RunConfig" in refused["core RunConfig"][1]


def test_the_run_configs_are_those_of_tensorflow_1_15(folder: Path) -> None:
    tables = np.load(folder / "tables.npz")
    assert json.loads(str(tables["run_configs"])) == json.loads(
        (TABLES / "run_configs.json").read_text("utf-8")
    )


def test_the_estimator_computes_what_it_did_on_tensorflow_1_15(folder: Path) -> None:
    tables, recorded = np.load(folder / "tables.npz"), np.load(TABLES / "contrib_estimator.npz")
    assert sorted(tables) == sorted([*recorded, "run_configs"])
    for name, expected in recorded.items():
        if expected.dtype.kind == "U":
            assert tables[name].tolist() == expected.tolist(), name
        else:
            np.testing.assert_allclose(
                tables[name], expected, rtol=RELATIVE, atol=ABSOLUTE, err_msg=name
            )
