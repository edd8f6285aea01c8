"""Several processes train what one process trains, and none of them waits for ever."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from cluster_support import assert_same_variables, start, start_alone, variables

from tfmigrate_runtime.train import sigterm

STEPS = 20


def test_two_workers_equal_one_process_with_two_replicas(tmp_path: Path) -> None:
    options = {"strategy": "mirrored", "steps": STEPS, "model_dir": str(tmp_path / "one")}
    one = start_alone(options, tmp_path / "logs_one").losses()
    options.update(strategy="multi_worker", model_dir=str(tmp_path / "two"))
    tasks = start(options, tmp_path / "logs_two", worker=2)
    for task in tasks.values():
        # Sums of two float32 numbers, in either order.
        np.testing.assert_allclose(task.losses(), one, rtol=0, atol=1e-6)
    assert_same_variables(tmp_path / "two", tmp_path / "one", 1e-6)
    assert len(list((tmp_path / "two").glob("events*"))) == 1, "only the chief writes summaries"


def test_batch_for_each_worker(tmp_path: Path) -> None:
    """With a chief; each worker reads rows of its own, as its input function says."""
    options = {
        "strategy": "mirrored",
        "steps": STEPS,
        "model_dir": str(tmp_path / "one"),
        "global_batch": False,
    }
    one = start_alone(options, tmp_path / "logs_one").losses()
    options.update(strategy="multi_worker", model_dir=str(tmp_path / "two"))
    tasks = start(options, tmp_path / "logs_two", chief=1, worker=1)
    for task in tasks.values():
        np.testing.assert_allclose(task.losses(), one, rtol=0, atol=1e-6)
    assert_same_variables(tmp_path / "two", tmp_path / "one", 1e-6)


def test_killed_worker_ends_the_others_and_a_restart_goes_on(tmp_path: Path) -> None:
    steps = 60
    options = {
        "strategy": "multi_worker",
        "steps": steps,
        "same_rows": True,  # a resumed input begins anew: every step has to have the same rows
        "save_steps": 10,
        "model_dir": str(tmp_path / "undisturbed"),
    }
    for task in start(options, tmp_path / "logs_undisturbed", worker=2).values():
        task.losses()
    options.update(model_dir=str(tmp_path / "killed"), seconds_a_step=0.1)
    tasks = start(options, tmp_path / "logs_killed", worker=2)
    tasks["worker0"].wait_for("Saving checkpoints for 20")
    tasks["worker1"].kill()
    killed_at = time.monotonic()
    assert tasks["worker0"].wait(60) == 1
    # 5 s away, 10 s for TensorFlow to notice itself, and to look once a second.
    assert time.monotonic() - killed_at < 40
    lost = rf"lost worker 1 \({tasks['worker1'].address}\), which has not been listening since"
    said = rf"^tfmigrate_runtime: worker 0 \(.*\) {lost} [\d:]+$"  # where the call fails
    assert re.search(said, tasks["worker0"].text(), re.MULTILINE)
    reached = int(variables(tmp_path / "killed")["global_step"])
    assert 20 <= reached < steps
    del options["seconds_a_step"]
    tasks = start(options, tmp_path / "logs_again", worker=2)
    assert len(tasks["worker0"].losses()) == steps - reached
    tasks["worker1"].losses()
    assert_same_variables(tmp_path / "killed", tmp_path / "undisturbed", 1e-6)


@pytest.mark.parametrize("first_to_end, last", [("worker0", "worker1"), ("worker1", "worker0")])
def test_worker_whose_input_ends_first_ends_the_other(
    tmp_path: Path, first_to_end: str, last: str
) -> None:
    ends = [6, 12] if first_to_end == "worker0" else [12, 6]
    model_dir = tmp_path / "model"
    options = {"strategy": "multi_worker", "steps": STEPS, "model_dir": str(model_dir)}
    tasks = start({**options, "input_ends_after": ends}, tmp_path / "logs", worker=2)
    assert len(tasks[first_to_end].losses()) == 6
    assert tasks[last].wait(60) == 1
    lost = first_to_end.replace("worker", "worker ")
    assert f"lost {lost} ({tasks[first_to_end].address})" in tasks[last].text()
    assert "ran out of input first" in tasks[last].text()


@pytest.mark.parametrize(
    "strategy, jobs", [("multi_worker", "worker 1"), ("parameter_server", "ps 0")]
)
def test_peer_that_never_comes(tmp_path: Path, strategy: str, jobs: str) -> None:
    options = {
        "strategy": strategy,
        "steps": STEPS,
        "model_dir": str(tmp_path / "model"),
        "timeout": 2,
    }
    others = {"worker": 2} if strategy == "multi_worker" else {"worker": 1, "ps": 1}
    tasks = start(options, tmp_path / "logs", **others)
    for name, task in tasks.items():
        if name != "worker0":
            task.kill()
    assert tasks["worker0"].wait(60) == 1
    text = tasks["worker0"].text()
    where = tasks[jobs.replace(" ", "")].address
    assert f"could not reach {jobs} ({where})" in text
    assert "within 2 s" in text


def test_parameter_servers_and_evaluator(tmp_path: Path) -> None:
    options = {
        "strategy": "parameter_server_of_cluster",  # none in the RunConfig, as on TensorFlow 1.x
        "steps": 40,
        "save_steps": 10,
        "train_and_evaluate": True,
        "seconds_a_step": 0.05,
        "model_dir": str(tmp_path / "model"),
    }
    tasks = start(options, tmp_path / "logs", chief=1, worker=1, ps=1, evaluator=1)
    chief, worker = tasks["chief0"].losses(), tasks["worker0"].losses()
    # Each counts the steps of both; the one that reaches the limit may overtake the other's step.
    assert 40 <= len(chief) + len(worker) <= 42
    assert chief[-1] < chief[0]
    # Parameter servers end when nobody trains any more.
    assert tasks["ps0"].wait() == 0, tasks["ps0"].text()
    assert tasks["evaluator0"].wait() == 0, tasks["evaluator0"].text()
    for task in tasks.values():  # as in every task of a cluster of TensorFlow 1.15
        assert "result None\n" in task.text()
    assert 40 <= variables(tmp_path / "model")["global_step"] <= 42
    assert len(list((tmp_path / "model").glob("events*"))) == 1
    assert list((tmp_path / "model" / "eval").glob("events*"))


def test_one_worker_and_one_parameter_server_equal_one_process(tmp_path: Path) -> None:
    options = {
        "strategy": "parameter_server",
        "steps": STEPS,
        "train_and_evaluate": True,
        # Long enough for the parameter server to see that the worker was there.
        "seconds_a_step": 0.1,
        "model_dir": str(tmp_path / "cluster"),
    }
    tasks = start(options, tmp_path / "logs", worker=1, ps=1)
    losses = tasks["worker0"].losses()
    options.update(model_dir=str(tmp_path / "alone"), seconds_a_step=0)
    # The same strategy cannot be made without a cluster: the same optimizer, then.
    options["strategy"] = "parameter_server_alone"
    alone = start_alone(options, tmp_path / "logs_alone").losses()
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-6)
    assert_same_variables(tmp_path / "cluster", tmp_path / "alone", 1e-6)
    assert tasks["ps0"].wait() == 0, tasks["ps0"].text()


def test_central_storage_equals_mirrored(tmp_path: Path) -> None:
    losses = {}
    for strategy in ("mirrored", "central"):
        options = {"strategy": strategy, "steps": STEPS, "model_dir": str(tmp_path / strategy)}
        losses[strategy] = start_alone(options, tmp_path / f"logs_{strategy}").losses()
    np.testing.assert_allclose(losses["central"], losses["mirrored"], rtol=0, atol=1e-6)
    assert_same_variables(tmp_path / "central", tmp_path / "mirrored", 1e-6)


def test_a_last_checkpoint_when_all_get_sigterm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(sigterm.SETTING, "1")
    options = {
        "strategy": "parameter_server_of_cluster",
        "steps": 10_000,
        "train_and_evaluate": True,
        "seconds_a_step": 0.05,
        "model_dir": str(tmp_path / "model"),
    }
    tasks = start(options, tmp_path / "logs", ps=1, chief=1, worker=1)
    for name in ("chief0", "worker0"):
        tasks[name].wait_for("\nloss ")
    for task in tasks.values():  # parameter servers first
        task.process.send_signal(signal.SIGTERM)
    assert [task.wait(60) for task in tasks.values()] == [143, 143, 143]
    said = tasks["chief0"].text()
    saved = re.search(r"chief 0 .* got SIGTERM, has saved step (\d+) in", said)
    assert saved, said[-3000:]
    # Others may make steps while it saves.
    assert variables(tmp_path / "model")["global_step"] >= int(saved.group(1)) > 0
