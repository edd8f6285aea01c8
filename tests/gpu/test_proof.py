"""scripts/gpu: packing, unpacking, links to CUDA libraries, stages that continue call by call."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "scripts" / "gpu"))

import cuda_libraries  # noqa: E402
import pack  # noqa: E402
import pieces  # noqa: E402
import proof_setup  # noqa: E402
import prove  # noqa: E402
import stages  # noqa: E402
from proof_setup import Missing, NoTime, Setup, StageFailed  # noqa: E402

HERE = ".".join(platform.python_version_tuple()[:2])


def setup_in(folder: Path, seconds: float = 600, is_rehearsal: bool = True) -> Setup:
    return Setup(folder / "work", None, is_rehearsal, time.time() + seconds, workers=1)


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A folder of three pieces."""
    site = tmp_path / "packed"
    (site / "package").mkdir(parents=True)
    (site / "package" / "random").write_bytes(bytes(range(256)) * 40)
    (site / "program").write_text("#!/bin/sh\n")
    (site / "program").chmod(0o755)
    out = tmp_path / "pieces"
    out.mkdir()
    found = pack.split(site, out, size=200)
    assert len(found) > 2
    listed = {"python": HERE, "tensorflow": "2.21.0", "pieces": found}
    (out / pack.PIECES).write_text(json.dumps(listed))
    return out


def test_pieces_give_back_what_was_packed(packed: Path, tmp_path: Path) -> None:
    pieces.unpack(packed, tmp_path / "site")
    assert (tmp_path / "site/package/random").read_bytes() == bytes(range(256)) * 40
    assert (tmp_path / "site/program").stat().st_mode & 0o111
    assert not (tmp_path / "site.part").exists()


def test_pieces_that_are_missing_or_damaged_are_named(packed: Path) -> None:
    (packed / "piece.00").unlink()
    data = bytearray((packed / "piece.01").read_bytes())
    data[7] ^= 1
    (packed / "piece.01").write_bytes(data)
    with pytest.raises(Missing) as caught:
        pieces.check(packed)
    first, *others = str(caught.value).splitlines()
    count = len(json.loads((packed / pack.PIECES).read_text())["pieces"])
    assert first == f"{count - 2} of {count} pieces are in {packed}"
    assert others == ["piece.00 is missing", "piece.01 is damaged"]


def test_pieces_for_another_python_are_refused(packed: Path) -> None:
    text = (packed / pack.PIECES).read_text()
    (packed / pack.PIECES).write_text(text.replace(f'"{HERE}"', '"3.8"'))
    with pytest.raises(Missing, match=f"are for Python 3.8, and this is Python {HERE}: run this"):
        pieces.listed(packed)


def test_wheels_are_unpacked_without_what_nothing_runs(tmp_path: Path) -> None:
    names = {
        "tensorflow-2.21.0-cp312-cp312-linux.whl": ["tensorflow/a.py", "tensorflow/include/a.h"],
        "nvidia_cuda_nvcc_cu12-12.9-py3-none-linux.whl": [
            "nvidia/cuda_nvcc/bin/ptxas",
            "nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so",
            "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc",
        ],
    }
    for name, members in names.items():
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for member in members:
                archive.writestr(member, "")
    versions = pack.unpack([tmp_path / name for name in names], tmp_path / "site")
    assert versions == {"tensorflow": "2.21.0", "nvidia_cuda_nvcc_cu12": "12.9"}
    files = sorted(path for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert [path.name for path in files] == ["ptxas", "libdevice.10.bc", "a.py"]
    assert files[0].stat().st_mode & 0o111


def test_the_nearest_version_of_a_library_takes_the_place_of_one_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    own, cu13, old = tmp_path / "own", tmp_path / "cu13", tmp_path / "old"
    for place, names in (
        (own, ["libcudart.so.12"]),
        (cu13, ["libcublas.so.13", "libcublasLt.so.13", "libcusparse.so.12", "libcublas.so.13.1"]),
        (old, ["libcublas.so.10", "libcudart.so.11"]),
    ):
        place.mkdir()
        for name in names:
            (place / name).touch()
    links = tmp_path / "links"
    different, missing, path = cuda_libraries.link([own, cu13, old], links)
    assert different == [
        f"libcublas.so.12 is a link to {cu13}/libcublas.so.13",
        f"libcublasLt.so.12 is a link to {cu13}/libcublasLt.so.13",
    ]
    assert missing == ["libcufft.so.11", "libcusolver.so.11", "libcudnn.so.9"]
    assert path == f"{links}:{own}:{cu13}"
    assert (links / "libcublas.so.12").readlink() == cu13 / "libcublas.so.13"
    assert (links / "libcudart.so.12").readlink() == own / "libcudart.so.12"


def test_libraries_of_packages_come_first(tmp_path: Path) -> None:
    (tmp_path / "site/nvidia/cudnn/lib").mkdir(parents=True)
    assert cuda_libraries.folders([tmp_path / "site"])[0] == tmp_path / "site/nvidia/cudnn/lib"


def test_a_machine_without_a_gpu_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match="no NVIDIA GPU: nvidia-smi is not there"):
        stages.machine(setup_in(tmp_path, is_rehearsal=False))
    assert "rehearsal without a GPU" in stages.machine(setup_in(tmp_path))


def test_libraries_that_are_missing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_libraries, "folders", lambda packages: [])
    (tmp_path / "work").mkdir()
    with pytest.raises(Missing, match=r"^libcudart.so.12 is missing, in any version\nlibcublas"):
        stages.libraries(setup_in(tmp_path, is_rehearsal=False))
    assert stages.libraries(setup_in(tmp_path)).startswith("0 of 7 libraries; libcudart.so.12 is")


class Fakes:
    """Stages that do what a test tells them, and the calls that were made of them."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.raises: dict[str, Exception] = {}
        self.called: list[str] = []
        self.folder = folder
        fakes = {name: self._stage(name) for name in ("one", "two", "three")}
        monkeypatch.setattr(prove, "STAGES", fakes)

    def _stage(self, name: str) -> object:
        def stage(setup: Setup) -> str:
            del setup
            self.called.append(name)
            if name in self.raises:
                raise self.raises.pop(name)
            return f"found {name}"

        return stage

    def call(self, key: str = "a", again: str | None = None) -> tuple[int, list[str]]:
        setup = setup_in(self.folder)
        state = prove.State(setup.work / "state.json", {"key": key})
        if again:
            state.forget(again)
        path = setup.work / "transcript.txt"
        before = len(path.read_text().splitlines()) if path.exists() else 0
        code = prove.run_stages(setup, state, prove.Transcript(path))
        return code, path.read_text().splitlines()[before:]


@pytest.fixture
def fakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fakes:
    return Fakes(tmp_path, monkeypatch)


def test_a_call_goes_on_where_the_one_before_stopped(fakes: Fakes) -> None:
    fakes.raises = {"two": NoTime("3 tests ended, 0 failed")}
    assert fakes.call() == (
        prove.AGAIN,
        [
            "one: found one (0 s)",
            "two: not finished after 0 s: 3 tests ended, 0 failed",
            "call again",
        ],
    )
    fakes.raises = {"three": Missing("piece.01 is missing\npiece.02 is missing")}
    assert fakes.call() == (
        prove.SUPPLY,
        [
            "one: done before: found one",
            "two: found two (0 s)",
            "three: piece.01 is missing",
            "three: piece.02 is missing",
            "supply it and call again",
        ],
    )
    code, lines = fakes.call()
    assert (code, lines[-1]) == (prove.DONE, "done: all hold")
    assert fakes.called == ["one", "two", "two", "three", "three"]


def test_a_stage_that_failed_ends_the_call_and_is_run_again(fakes: Fakes) -> None:
    fakes.raises = {"two": StageFailed("it differs")}
    assert fakes.call() == (prove.FAILED, ["one: found one (0 s)", "two: failed: it differs"])
    assert fakes.call()[0] == prove.DONE
    assert fakes.called == ["one", "two", "two", "three"]


def test_tests_that_failed_make_the_last_call_fail(fakes: Fakes) -> None:
    ended = {"a[b]": {"failed": "assert", "seconds": 1}, "c": {"failed": None, "seconds": 1}}
    (fakes.folder / "work").mkdir()
    (fakes.folder / "work/gpu_results.json").write_text(json.dumps({"ended": ended}))
    code, lines = fakes.call()
    assert (code, lines[-1]) == (prove.FAILED, "done: 1 tests failed")


def test_only_the_tests_that_failed_are_forgotten(tmp_path: Path) -> None:
    findings = tmp_path / "gpu_results.json"
    ended = {"a[b]": {"failed": "assert", "seconds": 1}, "c": {"failed": None, "seconds": 1}}
    findings.write_text(json.dumps({"ended": ended, "fixtures": {"b": {}}}))
    prove.forget_failures(findings)
    assert json.loads(findings.read_text()) == {"ended": {"c": ended["c"]}, "fixtures": {"b": {}}}


def test_stages_start_anew_where_something_changed_or_it_is_asked(fakes: Fakes) -> None:
    assert fakes.call()[0] == prove.DONE
    assert fakes.call(again="two")[1][:2] == [
        "one: done before: found one",
        "two: found two (0 s)",
    ]
    assert fakes.call(key="b")[1][0] == "one: found one (0 s)"


def test_only_small_files_are_brought_back(tmp_path: Path) -> None:
    setup = setup_in(tmp_path)
    (setup.work / "site").mkdir(parents=True)
    for name in ("site/large", "state.json", "gpu.md"):
        (setup.work / name).touch()
    prove.bring_back(setup, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["gpu.md", "state.json"]


def test_a_program_is_ended_when_the_call_must_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where tests run in the background of a shell, programs ignore the first signal.
    monkeypatch.setattr(proof_setup, "_SECONDS_TO_LEAVE", 1)
    start = time.monotonic()
    with pytest.raises(NoTime, match="in the middle of a test"):
        setup_in(tmp_path, seconds=1).run(["-c", "import time; time.sleep(100)"])
    assert time.monotonic() - start < 60  # a loaded machine; it would have slept longer


def on_gpus(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "gpu"]
    return subprocess.run(
        [*command, "tests/gpu/test_on_gpus.py", "--rehearse", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_tests_that_have_ended_are_left_out(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    results = tmp_path / "results.json"
    name = "test_both_programs_train_alike[towers/split_global_batch]"
    results.write_text(json.dumps({"ended": {name: {"failed": None, "seconds": 1}}}))
    given = ("--gpu-resume", "--gpu-results", str(results), "-k", "split_global or dataset_per")
    listed = on_gpus("--collect-only", *given)
    assert "train_alike[towers/dataset_per_tower]" in listed.stdout
    assert name not in listed.stdout

    done = on_gpus("--gpu-until", "0", *given)
    assert done.returncode == 0, done.stdout
    assert "no time left in this call" in done.stdout
    assert list(json.loads(results.read_text())["ended"]) == [name]

    alone = (*given[:-1], "split_global")
    assert on_gpus("--collect-only", *alone).returncode == 5  # how the stage knows its end


@pytest.mark.parametrize(("device", "code"), [("CPU", 0), ("XPU", 1)])
def test_a_device_is_compared_with_numpy(device: str, code: int) -> None:
    pytest.importorskip("tensorflow")
    script = ROOT / "scripts" / "gpu" / "device_check.py"
    done = subprocess.run([sys.executable, str(script), device], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("XLA: " in done.stdout) == (code == 0)
