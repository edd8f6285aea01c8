"""Archives of arrays: what is in them, and what is compressed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from tfmigrate_runtime.verify import archive


def test_numpy_reads_what_was_written(tmp_path: Path) -> None:
    rows = [np.arange(6, dtype=np.int64).reshape(2, 3), np.ones((2, 3), np.int64)]
    arrays = {"variable/a:b": rows, "loss": np.float32(2.5), "text": np.array(b"x"), "no": []}
    path = tmp_path / "trace.npz"
    archive.write(str(path), '{"format": 1}', {**arrays, "no": np.zeros((0, 4))})
    with np.load(path, allow_pickle=False) as stored:
        assert str(stored["meta"]) == '{"format": 1}'
        assert stored["variable/a:b"].shape == (2, 2, 3)
        assert (stored["variable/a:b"] == np.stack(rows)).all()
        assert stored["loss"] == np.float32(2.5)
        assert stored["text"] == b"x"
        assert stored["no"].shape == (0, 4)


def test_only_what_becomes_smaller_is_compressed(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).normal(size=600_000).astype(np.float32)
    path = tmp_path / "trace.npz"
    mostly_zeros = np.where(np.arange(noise.size) % 100, 0, noise)
    arrays = {"noise": noise, "zeros": mostly_zeros, "small": noise[:10_000]}
    archive.write(str(path), "{}", arrays)
    with zipfile.ZipFile(path) as members:
        kinds = {info.filename: info.compress_type for info in members.infolist()}
    assert kinds == {
        "meta.npy": zipfile.ZIP_DEFLATED,
        "noise.npy": zipfile.ZIP_STORED,
        "zeros.npy": zipfile.ZIP_DEFLATED,
        "small.npy": zipfile.ZIP_DEFLATED,
    }
    assert path.stat().st_size < 1.1 * noise.nbytes


def test_large_arrays_are_mapped(tmp_path: Path) -> None:
    """Four recordings of a model of 13 million weights do not fit into memory together."""
    noise = np.random.default_rng(0).normal(size=(3, 200_000)).astype(np.float32)
    arrays = {"one": noise, "letters": np.array(b"xy"), "columns": np.asfortranarray(noise + 1)}
    path = tmp_path / "trace.npz"
    archive.write(str(path), "{}", arrays)
    read = archive.read(str(path))
    assert str(read.pop("meta")) == "{}"
    assert read.keys() == arrays.keys()
    for name in ("one", "columns"):
        assert isinstance(read[name].base, np.memmap)
        assert read[name].flags.aligned
        assert (read[name] == arrays[name]).all()
    assert read["letters"] == b"xy"
    with np.load(path, allow_pickle=False) as stored:
        assert (stored["columns"] == noise + 1).all()

    # Who changes an array changes the copy alone; who writes the file again, a file of its name.
    read["one"][0] = 0.0
    assert (archive.read(str(path))["one"] == noise).all()
    archive.write(str(path), "{}", {"one": noise[:0]})
    assert (read["one"][1:] == noise[1:]).all()


def test_a_failure_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    archive.write(str(path), "{}", {"loss": np.ones(2)})
    with pytest.raises(ValueError, match="allow_pickle=False"):
        archive.write(str(path), "{}", {"loss": np.array([None])})
    assert (archive.read(str(path))["loss"] == 1.0).all()
    assert list(tmp_path.iterdir()) == [path]
