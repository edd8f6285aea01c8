"""A rule says all about itself: its code is nowhere but in its file, and in examples of --help."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import tfmigrate
import tfmigrate.rules
import tfmigrate_keras.rules
from tfmigrate.model.targets import TARGETS
from tfmigrate.rulekit.drafts import Joins
from tfmigrate.rulekit.registry import rules
from tfmigrate.scan.rule_words import modules, modules_beside, words

PACKAGES = Path(tfmigrate.__file__).parent, Path(tfmigrate_keras.__file__).parent
CODE = re.compile("TFM[0-9]{3}", re.IGNORECASE)
# The codes of what is not a rule, and the examples of --help.
ALLOWED = ("findings.py", "explain.py", "migrate_options.py")


def files() -> list[Path]:
    kinds = (".py", ".txt", ".json", ".html")
    found = [path for folder in PACKAGES for path in folder.rglob("*") if path.suffix in kinds]
    return sorted(path for path in found if path.parent.name != "rules")


def rule_modules() -> Iterator[ModuleType]:
    for package in (tfmigrate.rules, tfmigrate_keras.rules):
        for info in pkgutil.iter_modules(package.__path__):
            yield importlib.import_module(f"{package.__name__}.{info.name}")


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_no_code_of_a_rule_is_named_outside_of_its_file(path: Path) -> None:
    if path.name not in ALLOWED:
        assert CODE.findall(path.read_text("utf-8")) == []


def test_what_is_read_of_the_files_is_what_the_rules_have() -> None:
    for name, read in (
        ("WORDS", tuple(word.decode() for word in words())),
        ("MODULES", modules()),
        ("MODULES_BESIDE", modules_beside()),
    ):
        assert sorted(read) == sorted(v for m in rule_modules() for v in getattr(m, name, ()))
        assert read != ()


def test_names_are_said_by_one_rule_each() -> None:
    said = [
        (status, name)
        for rule in rules()
        for status, names in rule.symbols.items()
        for name in names
    ]
    assert len(said) == len(set(said))


def test_one_rule_is_about_names_that_fail_and_one_about_the_import() -> None:
    assert len([rule for rule in rules() if rule.missing is not None]) == 1
    assert len([rule for rule in rules() if rule.joins is Joins.IMPORT]) == 1


def test_what_runs_on_1_15_as_it_is_is_left_there() -> None:
    for rule in rules():
        if rule.kept_for_estimator:
            assert not rule.runs_for(TARGETS["estimator"])
            assert rule.runs_for(TARGETS["2.16"])
