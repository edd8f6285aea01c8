"""The tables of equivalents name what there is in the TensorFlow that programs are migrated to."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import pytest

from tfmigrate.tables import equivalents, symbol_table
from tfmigrate.tables.runtime_api import PACKAGES

TABLES = [
    importlib.import_module(f"{equivalents.__name__}.{info.name}")
    for info in pkgutil.iter_modules(equivalents.__path__)
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__.rpartition(".")[2])
def test_every_equivalent_is_there(table: ModuleType) -> None:
    gone = [
        f"{name}: {new.name}"
        for name, new in table.NAMES.items()
        for place in ("v1-2.16", "v1-2.21")
        if not symbol_table.is_found(new.name, place)
    ]
    assert gone == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__.rpartition(".")[2])
def test_no_name_is_in_two_places(table: ModuleType) -> None:
    assert not table.NAMES.keys() & table.MISSING.keys()
    offered = [
        name
        for name in table.MISSING
        if name and any(p.offers_qualified(f"{table.MODULE}.{name}") for p in PACKAGES)
    ]
    assert offered == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__.rpartition(".")[2])
def test_reasons_read_as_one_sentence(table: ModuleType) -> None:
    for missing in table.MISSING.values():
        for text in (missing.reason, missing.action):
            assert text
            assert text == text.strip().rstrip(".")


def test_every_name_is_in_one_table() -> None:
    names = [
        f"{table.MODULE}.{name}".removesuffix(".")
        for table in TABLES
        for name in (*table.NAMES, *table.MISSING)
    ]
    assert [name for name in set(names) if names.count(name) > 1] == []
