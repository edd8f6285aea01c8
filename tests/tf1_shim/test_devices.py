"""What a program of TensorFlow 1.x finds where it looks for GPUs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
RUN = ("-m", "tfmigrate_runtime.tf1_shim")
WITH_FAKE_GPUS = (str(HERE / "fake_gpus.py"),)
PART, WHOLE = [3600.0, 3600.0], [7200.0]  # MiB: 0.9 of the 8000 that are free, in two or in one


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=kept
    )


def found_by(program: str, runner: tuple[str, ...], choice: str) -> dict[str, Any]:
    result = run(*runner, "--devices", choice, str(HERE / program))
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def on_cpus() -> dict[str, Any]:
    return found_by("devices_program.py", RUN, "cpu:2")


@pytest.fixture(scope="module")
def on_gpus() -> dict[str, Any]:
    return found_by("gpus_program.py", WITH_FAKE_GPUS, "gpu:3")


def test_a_program_that_counts_gpus_finds_as_many_as_asked_for(on_cpus: dict[str, Any]) -> None:
    assert on_cpus["listed"] == [
        ["/device:CPU:0", "CPU"],
        ["/device:CPU:1", "CPU"],
        ["/device:GPU:0", "GPU"],
        ["/device:GPU:1", "GPU"],
    ]


def test_a_program_that_chooses_kernels_is_told_that_there_is_no_gpu(
    on_cpus: dict[str, Any],
) -> None:
    assert on_cpus["is_built_with_cuda"] is False
    assert on_cpus["is_gpu_available"] is False
    assert on_cpus["gpu_device_name"] == ""


def test_named_gpus_are_cpus(on_cpus: dict[str, Any]) -> None:
    assert [place.lower()[-5:] for place in on_cpus["placed"]] == [
        "cpu:1",
        "cpu:0",
        "cpu:1",
        "cpu:0",
        "cpu:0",
    ]
    assert on_cpus["sum"] == 5.0
    assert [error[-22:] for error in on_cpus["errors"]] == [
        ": pass --devices cpu:3",
        ": pass --devices cpu:6",
    ]


def test_sessions_and_servers_have_the_cpus_and_what_the_program_configured(
    on_cpus: dict[str, Any],
) -> None:
    # Where the program looks for GPUs it finds as many.
    assert [name[-5:] for name in on_cpus["session"]] == ["CPU:0", "CPU:1", "GPU:0", "GPU:1"]
    assert on_cpus["threads"] == 3
    assert on_cpus["server"] == {"CPU": 2}


def test_a_strategy_mirrors_over_all_of_them(on_cpus: dict[str, Any]) -> None:
    assert [name[-5:] for name in on_cpus["replicas"]] == ["CPU:0", "CPU:1"]
    assert on_cpus["reduced"] == 3.0  # 1 of the first replica, 2 of the second


def test_every_session_asks_for_the_same_parts_of_gpus(on_gpus: dict[str, Any]) -> None:
    parts = ["0,1", [PART, WHOLE]]
    assert [asked[:2] for asked in on_gpus["sessions"]] == [parts] * 5
    assert [asked[:2] for asked in on_gpus["listed"]] == [parts] * 2
    assert on_gpus["server"][:2] == parts
    # What the program says about its sessions stays: growth, and no soft placement.
    assert [asked[2] for asked in on_gpus["sessions"]] == [False, True, True, False, False]
    assert not any(asked[3] for asked in on_gpus["sessions"])


def test_a_session_without_gpus_asks_for_no_parts(on_gpus: dict[str, Any]) -> None:
    assert on_gpus["without"][:2] == ["", []]


def test_gpus_keep_their_names_and_those_beyond_are_refused(on_gpus: dict[str, Any]) -> None:
    assert on_gpus["placed"] == "/device:GPU:2"
    visible, count, beyond = on_gpus["errors"]
    assert count.endswith("2 of 3 parts of GPUs: pass --devices gpu:2")
    assert visible.startswith("the program sets gpu_options.visible_device_list='1'")
    assert beyond.endswith("GPU:3, but runs on 3 devices: pass --devices gpu:4")


def test_parts_of_one_gpu_are_added_up_by_copies(on_gpus: dict[str, Any]) -> None:
    assert on_gpus["replicas"] == [0, 1, 2]
    assert on_gpus["reduces"] == ["HierarchicalCopyAllReduce", "hierarchical_copy"]


@pytest.mark.parametrize("choice", ["cpu:0", "two"])
def test_no_program_is_run_on_devices_that_cannot_be(choice: str) -> None:
    # No TensorFlow is imported before the choice is read.
    refused = run(*RUN, "--devices", choice, str(HERE / "devices_program.py"))
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"tfmigrate-run: --devices {choice}: expected cpu:N")
