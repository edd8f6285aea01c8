"""The parameters that the table of equivalents name are those of the functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tfmigrate.tables import equivalents
from tfmigrate.tables.equivalents import Equivalent

SCRIPT = Path(__file__).with_name("signatures.py")
ARRANGED: dict[str, Equivalent] = {
    name: new
    for name, new in equivalents.names().items()
    if new.parameters or new.renamed or new.added
}


def signatures(python: str, names: dict[str, str]) -> dict[str, list[str] | None]:
    done = subprocess.run(
        [python, str(SCRIPT)], input=json.dumps(names), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, list[str] | None] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_new_functions_take_what_calls_give_them() -> None:
    takes = signatures(sys.executable, {e.name: "tensorflow.compat.v1" for e in ARRANGED.values()})
    wrong = {}
    for old, new in ARRANGED.items():
        known = takes[new.name]
        given = {new.renamed.get(name, name) for name in (*new.parameters, *new.renamed)}
        given |= set(new.added)
        unknown = given - {None, ""} - set(known or ())
        if known is None or (unknown and "kwargs" not in known):
            wrong[old] = (new.name, sorted(map(str, unknown)), known)
    assert wrong == {}


@pytest.mark.reference
def test_old_functions_had_these_parameters() -> None:
    python = os.environ.get("TFMIGRATE_REFERENCE_PYTHON")
    if not python:
        pytest.skip("needs a TensorFlow 1.x interpreter: set TFMIGRATE_REFERENCE_PYTHON")
    names = {old.removeprefix("tensorflow."): "tensorflow" for old in ARRANGED}
    had = signatures(python, names)
    wrong = {}
    for old, new in ARRANGED.items():
        # Those of TensorFlow before 1.0 are not there.
        known = had[old.removeprefix("tensorflow.")]
        if known is None or not new.parameters:
            continue
        known = [name for name in known if name != "self"]
        places = [a == b for a, b in zip(new.parameters, known, strict=False) if a]
        if not all(places) or len(new.parameters) != len(known):
            wrong[old] = (known, new.parameters)
    assert wrong == {}
