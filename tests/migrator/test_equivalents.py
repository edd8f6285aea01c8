"""The table of equivalents names what there is in the TensorFlow that programs are migrated to."""

from __future__ import annotations

import pytest

from tfmigrate.tables import symbol_table
from tfmigrate.tables.equivalents import Package, names, packages
from tfmigrate.tables.listed import listed
from tfmigrate.tables.runtime_api import PACKAGES

of_each_package = pytest.mark.parametrize(
    ("above", "package"), packages().items(), ids=packages().keys()
)


@of_each_package
def test_every_equivalent_is_there(above: str, package: Package) -> None:
    gone = [
        f"{name}: {new.name}"
        for name, new in package.names.items()
        for place in ("v1-2.16", "v1-2.21")
        if not symbol_table.is_found(new.name, place)
    ]
    assert gone == []


@of_each_package
def test_no_name_is_in_two_places(above: str, package: Package) -> None:
    assert not package.names.keys() & package.missing.keys()
    offered = [
        name
        for name in package.missing
        if name and any(p.offers_qualified(f"{above}.{name}") for p in PACKAGES)
    ]
    assert offered == []


@of_each_package
def test_reasons_read_as_one_sentence(above: str, package: Package) -> None:
    for missing in package.missing.values():
        for text in (missing.reason, missing.action):
            assert text
            assert text == text.strip().rstrip(".")


def test_every_name_is_in_one_line() -> None:
    lines = [line for line in listed("equivalents") if line[0] != "["]
    listed_names = sum(
        len((line.split(" -> ") if " -> " in line else line.split(": "))[0].split())
        for line in lines
    )
    held = [
        f"{above}.{name}".removesuffix(".")
        for above, package in packages().items()
        for name in (*package.names, *package.missing)
    ]
    assert listed_names == len(held) == len(set(held))
    assert len(packages()) == sum(line[0] == "[" for line in listed("equivalents"))


def test_options_of_a_line_are_read() -> None:
    image = names()["tensorflow.image_summary"]
    assert image.name == "summary.image"
    assert image.parameters == ("", "", "max_images", "collections", "name")
    assert image.renamed == {"tag": "name", "max_images": "max_outputs", "name": None}
    assert names()["tensorflow.logging._logger"].called
    assert names()["tensorflow.contrib.signal.stft"].name == "signal.stft"
