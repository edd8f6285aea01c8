"""Which devices are chosen, how GPUs are split, and what device names become."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import pytest

from tfmigrate_runtime.verify.recorder.program import device_choice
from tfmigrate_runtime.verify.recorder.program.device_choice import (
    DevicesError,
    chosen,
    memory_in,
    parts_of,
)

# What `nvidia-smi --query-gpu=index,uuid,memory.free --format=csv,noheader,nounits` writes.
LISTED = "0, GPU-aa, 8000\n1, GPU-bb, 6000\n2, GPU-cc, [N/A]\n"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    monkeypatch.delenv(device_choice.MEMORY_VARIABLE, raising=False)


def test_cpus_hide_gpus() -> None:
    devices = chosen("cpu:2")
    assert devices.names == ["/device:CPU:0", "/device:CPU:1"]
    assert device_choice.os.environ["CUDA_VISIBLE_DEVICES"] == "-1"
    assert chosen("CPU").names == ["/device:CPU:0"]


def test_gpus_stay_visible() -> None:
    assert (
        chosen("gpu:2").is_split is False
    )  # as long as TensorFlow has not said how many there are
    assert device_choice.os.environ["CUDA_VISIBLE_DEVICES"] == "0,1"


@pytest.mark.parametrize("choice", ["", "tpu", "cpu:0", "gpu:-1", "gpu:two", "gpu:2x", "gpu:"])
def test_other_choices_are_refused(choice: str) -> None:
    with pytest.raises(DevicesError, match="expected cpu:N, gpu or gpu:N, with N at least 1"):
        chosen(choice)


@pytest.mark.parametrize(
    ("there", "wanted", "parts"),
    [
        (1, None, [1]),
        (4, None, [1, 1, 1, 1]),
        (4, 2, [1, 1]),
        (2, 2, [1, 1]),
        (1, 2, [2]),
        (2, 3, [2, 1]),
        (2, 8, [4, 4]),
    ],
)
def test_gpus_are_split_only_where_they_are_too_few(
    there: int, wanted: int | None, parts: list[int]
) -> None:
    assert parts_of(there, wanted) == parts


def test_an_old_tensorflow_is_run_on_cpus() -> None:
    with pytest.raises(DevicesError, match="runs on CPUs only here: pass --devices cpu:N"):
        chosen("gpu:2").install(SimpleNamespace(__version__="1.15.5"))


def test_without_a_gpu_there_is_nothing_to_split() -> None:
    with pytest.raises(DevicesError, match="TensorFlow finds no GPU"):
        parts_of(0, 2)


def test_parts_share_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert device_choice.part_memory(8000, 2) == 3600
    with pytest.raises(DevicesError, match="nvidia-smi does not report its memory"):
        device_choice.part_memory(None, 2)
    monkeypatch.setenv(device_choice.MEMORY_VARIABLE, "512")
    assert device_choice.part_memory(None, 2) == 512
    monkeypatch.setenv(device_choice.MEMORY_VARIABLE, "1GB")
    with pytest.raises(DevicesError, match="TFMIGRATE_GPU_PART_MIB=1GB is not a number of MiB"):
        device_choice.part_memory(8000, 2)


@pytest.mark.parametrize(
    ("visible", "gpus", "free"),
    [
        (None, 2, [8000, 6000]),
        ("1, 0", 2, [6000, 8000]),
        ("GPU-bb", 1, [6000]),
        ("2", 1, [None]),
        ("MIG-dd", 1, [None]),
        ("0", 2, [8000, None]),
    ],
)
def test_memory_is_that_of_the_visible_gpus(
    visible: str | None, gpus: int, free: list[int | None]
) -> None:
    assert memory_in(LISTED, visible, gpus) == free


def test_gpus_that_are_named_become_cpus() -> None:
    devices = chosen("cpu:2")
    assert devices.map("/gpu:1") == "/CPU:1"
    assert devices.map("/job:worker/device:GPU:0") == "/job:worker/device:CPU:0"
    assert devices.map("/cpu:0") == "/cpu:0"
    assert devices.map(None) is None
    assert devices.map(lambda op: f"/gpu:{op}")(1) == "/CPU:1"
    assert devices.mapped == {"GPU:0": "CPU:0", "GPU:1": "CPU:1"}
    with pytest.raises(ValueError, match=r"uses GPU:2, .* on 2 devices: pass --devices cpu:3"):
        devices.map("/gpu:2")


def test_gpus_stay_what_they_are() -> None:
    devices = chosen("gpu:2")
    devices.replicas = 2  # as install() finds it
    assert devices.map("/gpu:1") == "/gpu:1"
    assert devices.map("/device:gpu:*") == "/device:gpu:*"
    with pytest.raises(ValueError, match=r"uses GPU:2, .* on 2 devices: pass --devices gpu:3"):
        devices.map("/device:GPU:2")


@pytest.mark.parametrize(("choice", "added"), [("cpu:2", ["GPU", "GPU"]), ("gpu:2", [])])
def test_sessions_list_gpus_where_they_have_none(choice: str, added: list[str]) -> None:
    devices = chosen(choice)
    devices.replicas = 2
    cpu = SimpleNamespace(_device_type="CPU", _name="/job:localhost/replica:0/task:0/device:CPU:0")
    listed = devices._listed_with_gpus(lambda session: [cpu], None)
    assert [device._device_type for device in listed] == ["CPU", *added]
    assert [device._name[-5:] for device in listed[1:]] == ["GPU:0", "GPU:1"][: len(added)]


def _variables_on_cpu(operation: Any) -> str:
    """As programs write it where all but the variables of a tower are to be on its GPU."""
    node = operation.node_def
    return "/cpu:0" if node.op in ("Variable", "VariableV2", "VarHandleOp") else "/gpu:1"


@pytest.mark.parametrize(
    ("device", "tower"),
    [
        ("/gpu:1", 1),
        (_variables_on_cpu, 1),
        (SimpleNamespace(to_string=lambda: "/device:GPU:1"), 1),
        (lambda operation: SimpleNamespace(to_string=lambda: "/device:GPU:1"), 1),
        (lambda operation: operation.no_such_attribute, None),
        (lambda operation: None, None),
        ("/cpu:0", None),
        (None, None),
    ],
)
def test_towers_are_known_by_their_devices(device: Any, tower: int | None) -> None:
    class Graph:
        def device(self, device: Any) -> contextlib.AbstractContextManager[None]:
            del device
            return contextlib.nullcontext()

    devices = chosen("cpu:2")
    devices._patch_device(Graph)
    with Graph().device(device):
        assert devices.tower() == tower
    assert devices.tower() is None
