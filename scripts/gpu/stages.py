"""The stages of the proof on GPUs, in their order.

A stage returns a line that says what it found. It raises Missing where the machine lacks something,
NoTime where the next call must continue, and StageFailed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cuda_libraries
import pieces
from proof_setup import ROOT, Missing, NoTime, Setup, StageFailed

_GIB = 2**30
_DISK = 4 * _GIB  # of what is unpacked, twice for a moment
_TIME_TO_UNPACK = 150.0
# No test is started later than this before the end of a call.
_RESERVE = {"train_alike": 60.0, "timed": 120.0}
_PART_MIB = "4096"  # of each part of a GPU, where several fixtures train at the same time


def machine(setup: Setup) -> str:
    """Looks at the machine."""
    setup.work.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(setup.work).free
    if setup.pieces is not None and free < _DISK:
        raise Missing(f"{setup.work} has {free / _GIB:.1f} GiB, and 4 are needed")
    python = f"Python {sys.version.split()[0]}, {os.cpu_count()} processors"
    if setup.is_rehearsal:
        return f"rehearsal without a GPU, {python}"
    query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    try:
        listed = subprocess.run(query, capture_output=True, text=True, check=False)
    except OSError:
        raise Missing("no NVIDIA GPU: nvidia-smi is not there") from None
    if listed.returncode or not listed.stdout.strip():
        raise Missing(f"no NVIDIA GPU: nvidia-smi says {(listed.stdout + listed.stderr).strip()}")
    return f"{'; '.join(listed.stdout.strip().splitlines())}; {python}"


def unpack(setup: Setup) -> str:
    """Unpacks the pieces."""
    if setup.pieces is None:
        return "TensorFlow as it is installed"
    found = pieces.listed(setup.pieces)
    pieces.check(setup.pieces)
    if setup.until - time.time() < _TIME_TO_UNPACK:
        raise NoTime("all pieces are there")
    pieces.unpack(setup.pieces, setup.site)
    return f"TensorFlow {found['tensorflow']} from {len(found['pieces'])} pieces"


def libraries(setup: Setup) -> str:
    """Links the names of CUDA 12's libraries to what there is."""
    packages = [setup.site, *(Path(place) for place in sys.path if place)]
    places = cuda_libraries.folders(packages)
    different, missing, path = cuda_libraries.link(places, setup.work / "cuda")
    setup.library_path.write_text(path, "utf-8")
    if missing and not setup.is_rehearsal:
        lines = [f"{name} is missing, in any version" for name in missing]
        raise Missing("\n".join([*lines, "pack them: scripts/gpu/pack.py --also nvidia-..."]))
    there = len(cuda_libraries.NAMES) - len(missing)
    found = f"{there} of {len(cuda_libraries.NAMES)} libraries"
    return "; ".join([found, *different, *(f"{name} is missing" for name in missing)])


def check(setup: Setup) -> str:
    """Compares a few operations with numpy."""
    device = "CPU" if setup.is_rehearsal else "GPU"
    if setup.run([str(Path(__file__).with_name("device_check.py")), device]):
        raise StageFailed("TensorFlow does not compute on this device what numpy does: see above")
    return "a product, a convolution, its gradient and XLA agree with numpy"


def tests(setup: Setup) -> str:
    """Trains each fixture's original and migrated program, several fixtures at a time."""
    more = [] if setup.workers == 1 else ["-p", "xdist.plugin", "-n", str(setup.workers)]
    _pytest(setup, "train_alike", more, {"TFMIGRATE_GPU_PART_MIB": _PART_MIB})
    return _counted(setup, "train_alike")


def speed(setup: Setup) -> str:
    """Times the original under the legacy runtime, the default form and the native form."""
    _pytest(setup, "timed", [], {})
    return _counted(setup, "timed")


def page(setup: Setup) -> str:
    """Writes the page that says what was found."""
    target = setup.work / "gpu.md"
    shutil.copy(ROOT / "docs" / "explanation" / "gpu.md", target)
    script = ROOT / "scripts" / "pages" / "gpu_page.py"
    if setup.run([str(script), str(setup.findings), "--page", str(target)]):
        raise StageFailed(f"{script.name} failed: see above")
    return "gpu.md, for docs/explanation"


def _pytest(setup: Setup, which: str, more: list[str], variables: dict[str, str]) -> None:
    """Runs tests of tests/gpu until all have ended, in this call or in the next ones."""
    chosen = f"{which} and ({setup.only})" if setup.only else which
    command = ["-m", "pytest", "-q", "-m", "gpu", "-k", chosen, "tests/gpu", "--gpu-resume"]
    command += ["-p", "no:cacheprovider", "--gpu-results", str(setup.findings), "--no-header"]
    command += ["--rehearse"] if setup.is_rehearsal else []
    until = setup.until - _RESERVE[which]
    if time.time() > until:
        raise NoTime("no test was started")
    before = ended(setup, which)
    code = setup.run([*command, *more, "--tb=line", "--gpu-until", str(until)], variables)
    if code not in (0, 1, 5):
        raise StageFailed(f"pytest ended with {code}: see above")
    if code == 5 or setup.run([*command, "--collect-only", "-qq"]) == 5:
        return
    if ended(setup, which) == before and time.time() < until:
        raise StageFailed("no test could be run: see above")
    raise NoTime(_counted(setup, which))


def ended(setup: Setup, which: str = "") -> dict[str, dict[str, object]]:
    """Returns the tests that have ended, of those whose name has a word in it."""
    stored = json.loads(setup.findings.read_text("utf-8")) if setup.findings.exists() else {}
    return {name: one for name, one in stored.get("ended", {}).items() if which in name}


def failures(tests: dict[str, dict[str, object]]) -> int:
    """Returns how many of the tests failed."""
    return sum(one["failed"] is not None for one in tests.values())


def _counted(setup: Setup, which: str) -> str:
    found = ended(setup, which)
    return f"{len(found)} tests ended, {failures(found)} failed"


STAGES: dict[str, Callable[[Setup], str]] = {
    stage.__name__: stage for stage in (machine, unpack, libraries, check, tests, speed, page)
}
