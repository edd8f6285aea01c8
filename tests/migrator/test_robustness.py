"""A sample of CPython's own test suite, and the script that asks all files of whole folders."""

from __future__ import annotations

import importlib.util
import json
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest
from test_cli import ORIGINAL

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "report" / "robustness.py"
# Where CPython tests the syntax of Python, and files that Python itself must refuse.
STRANGE = (
    "test_grammar",
    "test_fstring",
    "test_patma",
    "test_unparse",
    "test_decorators",
    "test_named_expressions",
    "test_positional_only_arg",
    "test_type_params",
    "test_unicode_identifiers",
    "test_utf8source",
    "test_source_encoding",
    "test_*tokenize*",
    "**/bad*",
    "**/*encoded_modules/*",
    "**/*_pep3131*",
    "**/*tokenize_data/*",
)


@pytest.fixture(scope="module")
def robustness() -> ModuleType:
    specification = importlib.util.spec_from_file_location("robustness", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["robustness"] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def test_strange_syntax_goes_through_and_stays(robustness: ModuleType) -> None:
    folder = Path(sysconfig.get_paths()["stdlib"], "test")
    files = {path for pattern in STRANGE for path in folder.glob(f"{pattern}.py")}
    if not files:
        pytest.skip("this Python comes without its test suite")
    answers = [robustness.ask(path) for path in sorted(files)]
    assert [(answer.path, answer.wrong) for answer in answers if answer.wrong] == []
    assert not any(answer.changed for answer in answers)


@pytest.mark.parametrize(
    ("data", "parsed", "changed", "wrong"),
    [
        (b"x = 1\n", True, False, ()),
        (ORIGINAL.encode(), True, True, ()),
        (b"x = (\n", False, False, ()),
        (b"x = '\xff'\n", False, False, ()),
        (b"# coding: latin-1\nx = '\xff'\n", True, False, ()),
    ],
)
def test_the_script_tells_what_became_of_a_file(
    robustness: ModuleType,
    tmp_path: Path,
    data: bytes,
    parsed: bool,
    changed: bool,
    wrong: tuple[str, ...],
) -> None:
    (tmp_path / "a.py").write_bytes(data)
    answer = robustness.ask(tmp_path / "a.py")
    assert (answer.parsed, answer.changed, answer.wrong) == (parsed, changed, wrong)
    assert bool(answer.refused) == (not parsed)
    assert (tmp_path / "a.py").read_bytes() == data


@pytest.mark.parametrize(
    ("after", "wrong"),
    [
        ("x = (\n", "the new text is not Python"),
        ("y = 1\n", "lost the comment '# why'"),
        (ORIGINAL + "# why\n", "a second run changed its own output"),
    ],
)
def test_the_script_sees_changes_for_the_worse(
    robustness: ModuleType, tmp_path: Path, after: str, wrong: str
) -> None:
    path = tmp_path / "a.py"
    source = robustness.decode_source(b"x = 1  # why\n", path, "a.py")
    (found,) = robustness.changed_for_the_worse(source, after, robustness.OPTIONS[0])
    assert wrong in found


def test_the_script_goes_on_where_it_was_and_tells_a_file_at_which_it_died(
    robustness: ModuleType, tmp_path: Path
) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("x = 1\n")
    log = tmp_path / "answers.jsonl"
    known = [{"path": str(tmp_path / "a.py"), "seconds": 7.0}]
    known += [{"path": str(tmp_path / "b.py"), "wrong": ["the process died"]}]
    log.write_text("".join(json.dumps(entry) + "\n" for entry in known))
    answers = list(robustness.ask_all(tmp_path, log))
    assert [answer.seconds == 7.0 for answer in answers] == [True, False, False]
    assert [list(answer.wrong) for answer in answers] == [[], ["the process died"], []]
    assert [Path(answer.path).name for answer in answers] == ["a.py", "b.py", "c.py"]
