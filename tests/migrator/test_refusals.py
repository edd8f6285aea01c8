"""There is one way to say no to a place of a program, and it differs from failures."""

from __future__ import annotations

import ast
from pathlib import Path

import tfmigrate
from tfmigrate.files.source import SourceFile
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program

PACKAGE = Path(tfmigrate.__file__).parent
# What goes wrong with files, options and the tool itself; no place of a program is meant.
FAILURES = {
    "DoctorError",
    "NotNotebookError",
    "NotPython2",
    "NotReadable",
    "RewriteError",
    "RuntimeMissing",
    "TextRefused",
    "UnreadableFile",
    "UsageError",
    "VendorRefused",
    "UnwritableFile",
    "WorkerDiedError",
    "_NotKnownError",  # a flag's default
    "_Unknown",  # what a condition is on the target
}


def test_no_other_class_says_no_to_a_place() -> None:
    found = {
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith(("Exception", "Error")) for base in node.bases)
    }
    assert found - FAILURES == {"Refusal"}


def test_the_same_refusal_counts_once() -> None:
    node = ast.parse("x = 1").body[0]
    first, again = Refusal(node, "it is 1"), Refusal(node, "it is 1")
    assert list(dict.fromkeys([first, again, Refusal(node, "it is x")])) == [
        first,
        Refusal(node, "it is x"),
    ]
    assert (first.node, str(first), first.action) == (node, "it is 1", "")


def test_the_module_of_a_refusal_is_found_by_its_place(tmp_path: Path) -> None:
    modules = [
        Module(SourceFile(tmp_path / name, name, "x = 1\n", encoding="utf-8", bom=False))
        for name in ("a.py", "b.py")
    ]
    program = Program(modules)
    for module in modules:
        for node in (module.tree, module.tree.body[0]):
            assert program.module_of(Refusal(node, "no").node) is module
