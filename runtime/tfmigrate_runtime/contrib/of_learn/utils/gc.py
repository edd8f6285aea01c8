"""tf.contrib.learn's choice of exports to keep."""

# A model_dir may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118

import math
import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf


class Path(NamedTuple):
    """A path and the version that its name tells."""

    path: str
    export_version: int | None


Choice = Callable[[Iterable[Path]], list[Path]]


def largest_export_versions(n: int) -> Choice:
    """Chooses the n largest versions; of equal ones, those that come last."""

    def keep(paths: Iterable[Path]) -> list[Path]:
        numbered = [
            (path.export_version, position, path)
            for position, path in enumerate(paths)
            if path.export_version is not None
        ]
        return sorted(path for _, _, path in sorted(numbered, reverse=True)[:n])

    return keep


def one_of_every_n_export_versions(n: int) -> Choice:
    """Chooses the largest version of each n in a row: of 1 to n, of n + 1 to 2 n, ..."""

    def keep(paths: Iterable[Path]) -> list[Path]:
        largest: dict[int, Path] = {}
        for path in paths:
            if (version := path.export_version) is None:
                continue
            row = math.floor((version - 1) / n) if version else 0
            if row not in largest or (largest[row].export_version or 0) < version:
                largest[row] = path
        return sorted(largest.values())

    return keep


def mod_export_version(n: int) -> Choice:
    """Chooses versions that n divides."""
    return lambda paths: sorted(path for path in paths if (path.export_version or 0) % n == 0)


def union(lf: Choice, rf: Choice) -> Choice:
    """Chooses what one of two chooses."""

    def keep(paths: Iterable[Path]) -> list[Path]:
        candidates = list(paths)
        return sorted({*lf(candidates), *rf(candidates)})

    return keep


def negation(f: Choice) -> Choice:
    """Chooses what another one does not."""

    def keep(paths: Iterable[Path]) -> list[Path]:
        candidates = list(paths)
        return sorted(set(candidates) - set(f(candidates)))

    return keep


def get_paths(base_dir: Any, parser: Callable[[Path], Path | None]) -> list[Path]:
    """Returns what the parser makes of the entries of a folder, without None, sorted."""
    base = tf.compat.as_str_any(base_dir)
    names = [tf.compat.as_str_any(name).rstrip("/") for name in tf.gfile.ListDirectory(base_dir)]
    parsed = [parser(Path(os.path.join(base, name), None)) for name in names]
    return sorted(path for path in parsed if path)
