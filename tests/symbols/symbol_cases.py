"""The symbol cases: small programs of TensorFlow 1.x, and what the migrator makes of them.

Each folder of ``cases`` has before.py, after.py and expected.json: what before.py computes on
TensorFlow 1.15 (scripts/record/record_symbols.py). Where before.py is older than 1.0, and does not
run on 1.15, reference.py is the same program as its author wrote it for 1.15.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate.engine.migration import Migration, migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.files.source import SourceFile

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("cases/*/before.py"))
# Float32 kernels of two versions of TensorFlow add in another order.
RELATIVE, ABSOLUTE = 1e-5, 1e-6
# A gradient sums over steps, rows and uses of a variable: what cancels is rounded by its largest.
OF_GRADIENT = 1e-4
_TIME = 900
# What a program says once for all of its process, and what other programs of it would feel.
_OF_THE_PROCESS = ("disable_v2_behavior()", "disable_eager_execution()", "TF_USE_LEGACY_KERAS")

Results = dict[str, dict[str, Any]]


def original(case: Path) -> Path:
    """Returns the program of a case that runs on TensorFlow 1.15."""
    reference = case / "reference.py"
    return reference if reference.exists() else case / "before.py"


def migrated(case: Path, text: str | None = None) -> Migration:
    """Migrates the program of a case, or another text in its place."""
    before = decode_source(read_bytes(case / "before.py"), case / "before.py", "before.py")
    if text is not None:
        before = SourceFile(before.path, before.display, text, before.encoding, before.bom)
    return migrate([before], Options())


def run(
    programs: Sequence[Path],
    *python: str,
    records: bool = False,
    optimizes: bool = True,
) -> dict[Path, Results]:
    """Runs programs with an interpreter and its options, all in one process.

    Gradients are those of the stored groups of results, or of all where it ``records``. Where it
    ``optimizes``, sessions optimize graphs before they run them, as those of users do.

    Raises:
        RuntimeError: the process failed or never ended, and not one of the programs alone.
    """
    if not programs:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "results.json"
        command = [*python, str(HERE / "run_cases.py"), str(target), *map(str, programs)]
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        environment |= {"RECORDS_GRADIENTS": "1"} if records else {}
        environment |= {} if optimizes else {"GRAPHS_AS_BUILT": "1"}
        log = Path(folder) / "log"
        with log.open("w") as errors:
            try:
                code = subprocess.run(
                    command, env=environment, stderr=errors, timeout=_TIME, check=False
                ).returncode
            except subprocess.TimeoutExpired:
                code = -1
        if code or not target.exists():
            text = log.read_text()
            began = [line for line in text.splitlines() if line.startswith("case: ")]
            raise RuntimeError(
                f"{' '.join(python)} ended with {code} in {began[-1:]}:\n{text[-4000:]}"
            )
        results = json.loads(target.read_text())
    return {program: results[str(program)] for program in programs}


def run_together(
    programs: Sequence[Path], python: str, *, optimizes: bool = True
) -> dict[Path, Results]:
    """Runs programs in few processes: those that begin in the same way together."""
    groups: dict[tuple[str, ...], list[Path]] = {}
    for program in programs:
        text = program.read_text()
        groups.setdefault(tuple(mark for mark in _OF_THE_PROCESS if mark in text), []).append(
            program
        )
    results: dict[Path, Results] = {}
    for group in groups.values():
        results |= run(group, python, optimizes=optimizes)
    return results


def differences(found: Results, expected: Results) -> list[str]:
    """Returns what is not as expected, one line for each name."""
    if "traceback" in found:
        return [str(found["traceback"])]
    if found.keys() != expected.keys():
        return [f"names {sorted(found)}, expected {sorted(expected)}"]
    return [
        f"{name}: {found[name]}, expected {expected[name]}"
        for name in expected
        if not _equal(found[name], expected[name])
    ]


def _equal(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    if "groups" in expected:
        return len(found["groups"]) == len(expected["groups"]) and all(
            _equal_gradients(*pair)
            for pair in zip(found["groups"], expected["groups"], strict=True)
        )
    if any(found[key] != expected[key] for key in ("dtype", "shape")):
        return False
    if not expected["dtype"].startswith("float"):
        return bool(found["values"] == expected["values"])
    return np.allclose(found["values"], expected["values"], RELATIVE, ABSOLUTE, equal_nan=True)


def _equal_gradients(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Compares the gradients of one group of results."""
    return (
        found["of"] == expected["of"]
        and found.get("by", {}).keys() == expected["by"].keys()
        and all(
            found["by"][name]["shape"] == gradient["shape"] and _near(found["by"][name], gradient)
            for name, gradient in expected["by"].items()
        )
    )


def _near(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    largest = float(np.max(np.abs(expected["values"]), initial=1e-2))
    return np.allclose(
        found["values"], expected["values"], OF_GRADIENT, OF_GRADIENT * largest, equal_nan=True
    )
