"""What the stages of the proof share: folders, time, and the environment of what they start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_SECONDS_TO_LEAVE = 20  # for programs that are told to end, before they are killed


class Missing(Exception):  # noqa: N818 - something has to be supplied
    """The machine lacks what a stage needs; a line for each thing."""


class NoTime(Exception):  # noqa: N818 - the next call continues
    """The time of this call ended before the stage did."""


class StageFailed(Exception):  # noqa: N818 - of a stage
    """A stage went wrong; a line that says how."""


@dataclass(frozen=True)
class Setup:
    """One call of the command.

    Attributes:
        work: the folder for what is unpacked, found and done: it stays from call to call.
        pieces: the folder of packed pieces; None where TensorFlow is installed.
        is_rehearsal: CPUs take the places of GPUs.
        until: when this call must end, seconds since the epoch.
        workers: how many fixtures train at the same time.
        only: which tests, in the form of pytest's -k; empty for all.
    """

    work: Path
    pieces: Path | None
    is_rehearsal: bool
    until: float
    workers: int
    only: str = ""

    @property
    def site(self) -> Path:
        """The folder that pieces are unpacked into."""
        return self.work / "site"

    @property
    def library_path(self) -> Path:
        """The file with the folders of the CUDA libraries."""
        return self.work / "library_path"

    @property
    def findings(self) -> Path:
        """The file that the tests write."""
        return self.work / "gpu_results.json"

    def environment(self) -> dict[str, str]:
        """Returns the environment variables of the programs that stages start."""
        variables = dict(os.environ)
        places = [ROOT / "runtime", ROOT / "migrator"]
        if self.pieces is not None:
            places.insert(0, self.site)
            compiler = self.site / "nvidia" / "cuda_nvcc"
            variables["XLA_FLAGS"] = f"--xla_gpu_cuda_data_dir={compiler}"
            variables["PATH"] = f"{compiler / 'bin'}{os.pathsep}{os.environ['PATH']}"
        if self.library_path.exists():
            variables["LD_LIBRARY_PATH"] = self.library_path.read_text("utf-8")
        return {
            **variables,
            "PYTHONPATH": os.pathsep.join(map(str, places)),
            "PYTHONNOUSERSITE": "1",
            "PYTHONUNBUFFERED": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # the machine may have any
            "KERAS_BACKEND": "tensorflow",
            "TF_CPP_MIN_LOG_LEVEL": "2",
            "TF_FORCE_GPU_ALLOW_GROWTH": "true",  # several programs share one GPU
            # TensorFlow has no machine code for GPUs newer than itself (compute capability 9.0 and
            # later): the driver compiles its kernels, for all programs once if they are kept.
            "CUDA_CACHE_PATH": str(self.work / "compiled"),
            "CUDA_CACHE_MAXSIZE": str(4 << 30),
            # With GPUs, no process is forked from one that has imported TensorFlow.
            "TFMIGRATE_COLD": "" if self.is_rehearsal else "1",
        }

    def run(self, arguments: list[str], more: dict[str, str] | None = None) -> int:
        """Runs this Python with arguments, at most until the call must end; returns its exit code.

        Raises:
            NoTime: it had to be ended.
        """
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**self.environment(), **(more or {})},
            start_new_session=True,
        )
        try:
            return process.wait(max(1.0, self.until - time.time()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)  # pytest ends its programs then
            raise NoTime("ended in the middle of a test") from None
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_SECONDS_TO_LEAVE if process.poll() is None else 0)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
