"""Paths to TensorFlow's internal modules, and their public names: data/deep_paths.txt."""

from importlib import resources


def _listed() -> dict[str, str]:
    text = resources.files("tfmigrate").joinpath("data/deep_paths.txt").read_text("utf-8")
    lines = [line for line in text.replace("\n  ", " ").splitlines() if not line.startswith("#")]
    pairs = [line.partition(":") for line in lines]
    return {path: public for public, _, paths in pairs for path in paths.split()}


# The public name of each deep path by which real programs import names.
DEEP_PATHS = _listed()
