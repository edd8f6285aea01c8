"""Builds tfmigrate: setuptools, with the runtime of a clone where pip installs a clone.

tfmigrate requires the tfmigrate-runtime of its own version, which an index has of releases only. In
a clone both are at hand: what pip resolves names the folder. Wheels and source distributions are
those of setuptools; in an unpacked source distribution there is no ``runtime/``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the hooks that stay as they are

_RUNTIME = Path(__file__).resolve().parents[2] / "runtime"
_REQUIREMENT = re.compile(r"(?m)^(Requires-Dist: tfmigrate-runtime(?:\[.*?\])?)==[^;\s]+")


def prepare_metadata_for_build_wheel(folder: str, settings: Any = None) -> str:
    """Returns the name of the folder with the metadata that pip resolves."""
    return _of_clone(folder, build_meta.prepare_metadata_for_build_wheel(folder, settings))


def prepare_metadata_for_build_editable(folder: str, settings: Any = None) -> str:
    """Returns the name of the folder with the metadata that pip resolves."""
    return _of_clone(folder, build_meta.prepare_metadata_for_build_editable(folder, settings))


def _of_clone(folder: str, name: str) -> str:
    file = Path(folder, name, "METADATA")
    if _RUNTIME.is_dir():
        text = file.read_text("utf-8")
        # A space ends the address, also before a marker.
        file.write_text(_REQUIREMENT.sub(rf"\1 @ {_RUNTIME.as_uri()} ", text), "utf-8")
    return name
