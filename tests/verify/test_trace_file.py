import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from tfmigrate_runtime.verify.recorder import record
from tfmigrate_runtime.verify.traces.trace import TraceError, load_trace


def filled():
    """Returns a recorder's trace of two steps."""
    trace = record.Trace(1)
    trace.initial = {"net/w": np.float32([1, 2]), "global_step": np.int64(0)}
    trace.steps, trace.losses, trace.variable_steps = [1, 2], [0.5, 0.25], [1, 2]
    trace.values = {
        "net/w": [np.float32([3, 4]), np.float32([5, 6])],
        "global_step": [np.int64(1), np.int64(2)],
    }
    trace.evaluations = [{"auc/a": np.float32(0.75)}, {"loss": 1.5}]
    trace.predictions = [[{"class": b"cat", "p": 0.5}, {"class": b"horse", "p": 0.25}]]
    return trace


def test_what_the_recorder_writes_is_what_is_loaded(tmp_path):
    path = tmp_path / "trace.npz"
    filled().write(str(path), {"args": ["--n", "é"]})
    trace = load_trace(path)
    assert trace.step.tolist() == [1, 2] and trace.loss.tolist() == [0.5, 0.25]
    assert trace.initial["net/w"].dtype == np.float32
    assert trace.variables["net/w"].tolist() == [[3, 4], [5, 6]]
    assert trace.variables["global_step"].dtype == np.int64
    assert trace.evaluations == [{"auc/a": 0.75}, {"loss": 1.5}]
    assert trace.predictions[0]["class"].tolist() == [b"cat", b"horse"]
    assert trace.meta["args"] == ["--n", "é"]


def test_a_trace_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "trace.npz"
    filled().write(str(path), {})
    before = path.read_bytes()
    broken = filled()
    broken.values["net/w"].append(np.float32([1, 2, 3]))
    with pytest.raises(ValueError, match="same shape"):
        broken.write(str(path), {})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def rewritten(tmp_path, **arrays):
    path = tmp_path / "trace.npz"
    filled().write(str(path), {})
    with np.load(path) as stored:
        content = {**stored, **arrays}
    with path.open("wb") as stream:
        np.savez(stream, **{key: array for key, array in content.items() if array is not None})
    return path


def test_what_is_no_trace(tmp_path):
    text = tmp_path / "text.npz"
    text.write_text("no archive")
    archive = tmp_path / "archive.npz"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("meta.npy", b"")
    other = rewritten(tmp_path, loss=None)
    for path in (tmp_path / "absent.npz", text, archive, other):
        with pytest.raises(TraceError, match=f"{path.name}: not a trace"):
            load_trace(path)


def test_a_trace_of_another_format(tmp_path):
    path = rewritten(tmp_path, meta=np.array(json.dumps({"format": 99})))
    with pytest.raises(TraceError, match="format 99"):
        load_trace(path)


def test_pickled_objects_are_not_loaded(tmp_path):
    path = rewritten(tmp_path, **{"initial/x": np.array([{}], object)})
    with pytest.raises(TraceError, match="not a trace"):
        load_trace(path)


def test_verify_starts_without_tensorflow_and_without_toml():
    code = (
        "import sys, tfmigrate_runtime.verify.cli\n"
        "print([m for m in ('tensorflow', 'tomllib', 'tomli', 'tfmigrate') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
