"""What was recorded is data: no array is loaded in a way that could run code."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import tfmigrate_runtime
from tfmigrate_runtime.verify.traces.recording import load_recording
from tfmigrate_runtime.verify.traces.states_file import steps_in
from tfmigrate_runtime.verify.traces.trace import TraceError, load_trace

SOURCES = sorted(Path(tfmigrate_runtime.__file__).parent.rglob("*.py"))


class Loaded:
    """Tells when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("an array was unpickled",)


@pytest.mark.parametrize(
    ("load", "refusal"),
    [(load_trace, TraceError), (load_recording, TraceError), (steps_in, ValueError)],
)
def test_an_array_of_objects_is_refused(load, refusal, tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    objects = np.asarray([Loaded()], object)
    np.savez(path, meta=objects, step=objects, loss=objects)
    with pytest.raises(refusal):
        load(path)


def test_every_load_says_so_for_numpy_before_1_16_too() -> None:
    calls = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.load", "numpy.load"):
                given = {word.arg: ast.unparse(word.value) for word in node.keywords}
                calls.append((f"{path.name}:{node.lineno}", given.get("allow_pickle")))
    assert len(calls) >= 4
    assert [call for call in calls if call[1] != "False"] == []


def test_nothing_of_verify_imports_pickle() -> None:
    for path in (Path(tfmigrate_runtime.__file__).parent / "verify").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [name.name for name in getattr(node, "names", [])]
            assert not {"pickle", "dill", "joblib", "marshal"} & {*names}, path
            assert getattr(node, "module", None) not in ("pickle", "dill", "joblib"), path
