"""The table of TensorFlow's names says what the installed TensorFlow has."""

from __future__ import annotations

import importlib.util
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tfmigrate.tables import symbol_table

SCRIPT = Path(__file__).parents[2] / "scripts/tables/list_tensorflow_names.py"


def test_the_installed_tensorflow_has_the_names_of_the_table() -> None:
    installed = metadata.version("tensorflow")
    if installed not in symbol_table.versions():
        pytest.skip(f"the table was not made from TensorFlow {installed}")
    specification = importlib.util.spec_from_file_location("list_tensorflow_names", SCRIPT)
    assert specification is not None and specification.loader is not None
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    version, found = script.places_of(sys.executable)
    minor = ".".join(version.split(".")[:2])
    marks = tuple(f"{generation}-{minor}" for generation in ("v1", "v2"))
    table = {
        name: sorted(mark for mark in places if mark.startswith(marks))
        for name, places in symbol_table.places().items()
    }
    expected = {name: places for name, places in table.items() if places}
    assert version == installed
    assert {name: sorted(places) for name, places in found.items()} == expected
