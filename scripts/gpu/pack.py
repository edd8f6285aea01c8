"""Packs TensorFlow and what the tests need, for a GPU machine without a network.

    python3.12 scripts/gpu/pack.py build/gpu_pieces

Run it by the version of Python that the other machine has. The pieces are a tar archive, compressed
by xz and split; pieces.json has their checksums. scripts/gpu/prove.py unpacks them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

PIECES = "pieces.json"
# The versions are those of pyproject.toml. The CUDA 12 packages are the small ones of
# tensorflow[and-cuda]: the machine has its own cuBLAS, cuDNN, cuFFT, cuSOLVER and cuSPARSE.
TENSORFLOW = "2.21"
REQUIREMENTS = (
    f"tensorflow=={TENSORFLOW}.*",
    f"tf-keras=={TENSORFLOW}.*",
    "tensorflow-estimator==2.15.0",
    "tf-slim==1.1.0",
    "numpy>=1.26,<3",
    "protobuf<7",
    "psutil>=6,<8",
    "libcst>=1.4,<2",
    "pathspec>=0.12,<2",
    "rich>=13,<16",
    "tomli>=2,<3; python_version < '3.11'",
    "pytest>=8,<10",
    "pytest-xdist>=3.6,<4",
    "hypothesis>=6.100,<7",
    "nvidia-cuda-runtime-cu12",
    "nvidia-cuda-nvcc-cu12",
)
# Half of what is installed, and nothing of it runs.
LEFT_OUT = (
    "tensorflow/include/*",
    "libclang-*",
    "nvidia/*/include/*",
    "nvidia/*.a",
    "nvidia/cuda_nvcc/nvvm/lib64/*",
)


def main() -> int:
    """Downloads, unpacks, compresses and splits."""
    options = _arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    for piece in options.out.glob("piece.*"):
        piece.unlink()
    with tempfile.TemporaryDirectory(dir=options.out) as folder:
        wheels = options.wheels or Path(folder) / "wheels"
        if options.wheels is None:
            _download([*REQUIREMENTS, *options.also], wheels)
        site = Path(folder) / "site"
        versions = unpack(sorted(wheels.glob("*.whl")), site)
        _strip(site)
        pieces = split(site, options.out, options.mib << 20)
    found = {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "tensorflow": versions["tensorflow"],
        "pieces": pieces,
    }
    (options.out / PIECES).write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    size = sum(piece["bytes"] for piece in pieces) / 2**20
    print(f"{len(pieces)} pieces of at most {options.mib} MiB in {options.out}, {size:.0f} MiB")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the pieces")
    parser.add_argument("--mib", type=int, default=44, help="size of a piece (default: 44 MiB)")
    parser.add_argument("--wheels", type=Path, help="folder of wheels, to download none")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="one more package, such as nvidia-cublas-cu12",
    )
    return parser.parse_args()


def _download(requirements: list[str], wheels: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "-q", "--only-binary=:all:"]
    subprocess.run([*command, "-d", str(wheels), *requirements], check=True)


def unpack(wheels: list[Path], site: Path) -> dict[str, str]:
    """Unpacks wheels into one folder; returns the versions of the packages."""
    versions = {}
    for wheel in wheels:
        name, version = wheel.name.split("-")[:2]
        versions[name] = version
        with zipfile.ZipFile(wheel) as archive:
            kept = [
                member
                for member in archive.namelist()
                if not any(fnmatch(member, pattern) for pattern in LEFT_OUT)
            ]
            archive.extractall(site, kept)
    for program in site.glob("nvidia/*/bin/*"):
        program.chmod(0o755)  # zipfile drops the mode
    return versions


def _strip(site: Path) -> None:
    """Removes debugging symbols, where there is a tool for it."""
    strip = shutil.which("strip")
    for library in site.glob("tensorflow/libtensorflow*.so.*") if strip else ():
        subprocess.run([str(strip), "--strip-unneeded", str(library)], check=False)


def split(site: Path, out: Path, size: int) -> list[dict[str, Any]]:
    """Archives a folder in pieces of at most so many bytes; returns names, sizes and checksums."""
    tar = subprocess.Popen(["tar", "-C", str(site), "-cf", "-", "."], stdout=subprocess.PIPE)
    xz = subprocess.Popen(["xz", "-T0", "-3"], stdin=tar.stdout, stdout=subprocess.PIPE)
    assert xz.stdout is not None
    pieces: list[dict[str, Any]] = []
    while data := xz.stdout.read(size):
        name = f"piece.{len(pieces):02d}"
        (out / name).write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        pieces.append({"name": name, "bytes": len(data), "sha256": digest})
    if tar.wait() or xz.wait():
        raise SystemExit("tar or xz failed")
    return pieces


if __name__ == "__main__":
    sys.exit(main())
