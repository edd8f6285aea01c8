"""The CUDA 12 libraries that TensorFlow loads by name, and links to what a machine has instead."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

# TensorFlow registers a GPU only if it can load each of them.
NAMES = (
    "libcudart.so.12",
    "libcublas.so.12",
    "libcublasLt.so.12",
    "libcufft.so.11",
    "libcusolver.so.11",
    "libcusparse.so.12",
    "libcudnn.so.9",
)
_PLACES = (  # below /
    "usr/local/cuda*/lib64",
    "usr/local/cuda*/targets/x86_64-linux/lib",
    "usr/local/nvidia/lib*",
    "usr/lib/x86_64-linux-gnu",
    "usr/lib64",
    "opt/*/lib64",
)


def folders(packages: list[Path]) -> list[Path]:
    """Returns the folders to look into: those of packages of Python, then those of the system.

    Args:
        packages: folders that Python imports from.
    """
    found = [
        folder
        for place in packages
        for pattern in ("nvidia/*/lib", "nvidia/*/lib64")
        for folder in sorted(place.glob(pattern))
    ]
    named = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    found += [Path(name) for name in named if name]
    found += [name for pattern in _PLACES for name in sorted(Path("/").glob(pattern))]
    found += _of_the_linker()
    return list(dict.fromkeys(folder for folder in found if folder.is_dir()))


def _of_the_linker() -> list[Path]:
    try:
        listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False)
    except OSError:
        return []
    return [Path(path).parent for path in re.findall(r"=> (/\S*/libcu\S+)", listed.stdout)]


def find(name: str, places: list[Path]) -> Path | None:
    """Returns the file of a library, of another major version if there is none of this one."""
    stem, _, wanted = name.rpartition(".")
    others: list[tuple[int, Path]] = []
    for place in places:
        if (place / name).exists():
            return place / name
        for path in place.glob(f"{stem}.*"):
            version = path.name[len(stem) + 1 :]
            if version.isdigit():
                others.append((int(version), path))
    # The nearest version is the likeliest to have the same functions.
    return min(others, key=lambda one: abs(one[0] - int(wanted)), default=(0, None))[1]


def link(places: list[Path], links: Path) -> tuple[list[str], list[str], str]:
    """Links the names that TensorFlow loads.

    Args:
        places: folders to look into.
        links: the folder for the links.

    Returns:
        A line for each library that is there by a different version only; the names of those that
        are not there; and LD_LIBRARY_PATH with the links and the folders of the files, where they
        find what they load themselves.
    """
    links.mkdir(parents=True, exist_ok=True)
    different, missing, used = [], [], [links]
    for name in NAMES:
        path = find(name, places)
        if path is None:
            missing.append(name)
            continue
        if path.name != name:
            different.append(f"{name} is a link to {path}")
        (links / name).unlink(missing_ok=True)
        (links / name).symlink_to(path)
        used.append(path.parent)
    given = os.environ.get("LD_LIBRARY_PATH")
    path_of = [str(folder) for folder in dict.fromkeys(used)] + ([given] if given else [])
    return different, missing, os.pathsep.join(path_of)
