"""Paths to TensorFlow's internal modules, and their public names: data/deep_paths.txt."""

from __future__ import annotations

import re
from importlib import resources


def _listed() -> dict[str, str]:
    text = resources.files("tfmigrate").joinpath("data/deep_paths.txt").read_text("utf-8")
    lines = re.findall(r"^([\w.]+):((?:\s+[\w.]+(?![\w.:]))+)", text, re.MULTILINE)
    return {path: public for public, paths in lines for path in paths.split()}


# The public name of each deep path by which real programs import names.
DEEP_PATHS = _listed()
