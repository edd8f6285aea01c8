"""Paths to TensorFlow's internal modules, and their public names: data/deep_paths.txt."""

from tfmigrate.tables.listed import listed


def _listed() -> dict[str, str]:
    pairs = [line.partition(":") for line in listed("deep_paths")]
    return {path: public for public, _, paths in pairs for path in paths.split()}


# The public name of each deep path by which real programs import names.
DEEP_PATHS = _listed()
