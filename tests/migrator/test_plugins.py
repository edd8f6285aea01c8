from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path

import pytest
from long_tail import one_in
from test_cli import put, tfmigrate

from tfmigrate import __version__
from tfmigrate.api import Module
from tfmigrate.files.source import SourceFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how_to" / "own_rules.md"
MAJOR_MINOR = [int(part) for part in __version__.split(".")[:2]]
MINOR, NEXT = "{}.{}".format(*MAJOR_MINOR), f"{MAJOR_MINOR[0]}.{MAJOR_MINOR[1] + 1}"

RULE = '''"""A call of our own launcher trains with the batch of one GPU.

What it does:
    Renames it.

Why:
    It is gone.

Example:
    Before::

        import tensorflow as tf
        from acme import launcher

        launcher.train(tf.zeros([3]))

    After::

        import tensorflow as tf
        from acme import launcher

        launcher.fit(tf.zeros([3]))

What is left to you:
    Nothing.

Safety:
    Safe.
"""

import ast

from tfmigrate.api import Code, Draft, ReplaceExpression, Severity

CODE = "ACM001"
NAME = "old-launcher"
SEVERITY = Severity.FIXED
TARGET = "2.16"
WORDS = ("acme",)


def check(program):
    for module in program.modules:
        for call in module.all(ast.Call):
            if module.resolve(call.func) == "acme.launcher.train":
                edit = ReplaceExpression(call.func, Code("launcher.fit"))
                yield Draft(CODE, module, call, SEVERITY, "train -> fit", edits=(edit,))
'''
USER = """\
import tensorflow as tf
from acme import launcher

launcher.train(tf.zeros([3]))
"""


def installed(folder: Path, module: str, **files: str) -> dict[str, str]:
    """Installs a package with rules into a folder; returns the environment that has it."""
    for name, text in files.items():
        put(folder / f"{name}.py", text)
    put(folder / "acme_rules-1.0.dist-info" / "METADATA", "Name: acme-rules\nVersion: 1.0\n")
    points = f"[tfmigrate.rules]\nacme = {module}\n"
    put(folder / "acme_rules-1.0.dist-info" / "entry_points.txt", points)
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    return {"PYTHONPATH": path}


def test_rules_of_another_package_are_applied_explained_and_selected(tmp_path: Path) -> None:
    environment = installed(tmp_path / "site", "acme_rules", acme_rules=RULE)
    put(tmp_path / "a.py", USER)
    checked = tfmigrate("--check", "--no-cache", "a.py", folder=tmp_path, **environment)
    assert "ACM001  fixable  train -> fit" in checked.stdout
    assert tfmigrate("--ignore", "ACM", "a.py", folder=tmp_path, **environment).returncode == 0
    assert (tmp_path / "a.py").read_text() == USER
    # A folder is searched first, and WORDS names what is worth parsing.
    assert tfmigrate(".", folder=tmp_path, **environment).returncode == 0
    assert (tmp_path / "a.py").read_text() == USER.replace("train", "fit")
    assert "old-launcher" in tfmigrate("rules", folder=tmp_path, **environment).stdout
    explained = tfmigrate("explain", "ACM001", folder=tmp_path, **environment)
    assert "It is gone." in explained.stdout
    assert "/docs/how_to/own_rules.md" in explained.stdout  # tfmigrate has no page of this rule


def test_the_example_of_the_page(tmp_path: Path) -> None:
    _, project, _, module, *_ = re.split(r"```(?:toml|python)?\n", PAGE.read_text("utf-8"))[:5]
    settings = tomllib.loads(project)
    (name,) = settings["project"]["entry-points"]["tfmigrate.rules"].values()
    assert settings["tool"]["setuptools"]["py-modules"] == [name]
    assert settings["project"]["dependencies"] == [f"tfmigrate>={MINOR},<{NEXT}"]
    environment = installed(tmp_path / "site", name, **{name: module})
    put(tmp_path / "a.py", USER)
    checked = tfmigrate("--check", "--no-cache", ".", folder=tmp_path, **environment)
    assert "ACM001  fixable  train -> fit" in checked.stdout
    explained = tfmigrate("explain", "ACM001", folder=tmp_path, **environment)
    assert "Version 3 of the launcher has no train." in explained.stdout


def test_a_package_may_have_a_module_for_each_rule(tmp_path: Path) -> None:
    files = {"acme/__init__": "", "acme/rules/__init__": "", "acme/rules/acm001": RULE}
    environment = installed(tmp_path / "site", "acme.rules", **files)
    put(tmp_path / "a.py", USER)
    assert tfmigrate("a.py", folder=tmp_path, **environment).returncode == 0
    assert "launcher.fit" in (tmp_path / "a.py").read_text()


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    one_in(
        3,
        [
            (
                "acme_rules",
                RULE.replace("Severity.FIXED", "'fixed'"),
                "SEVERITY that is not a tfmigrate.a",
            ),
            ("acme_rules", "import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
            ("acme_rules", "", "AttributeError: module 'acme_rules' has no attribute 'CODE'"),
            ("acme_other", "", "names the module acme_other, which is not installed"),
            ("acme_rules", RULE.replace("ACM001", "TFM999"), "TFM is for tfmigrate's own"),
        ],
    ),
    ids=["severity", "import", "code", "module", "prefix"],
)
def test_a_broken_package_is_one_clear_line(
    tmp_path: Path, module: str, text: str, complaint: str
) -> None:
    put(tmp_path / "a.py", USER)
    environment = installed(tmp_path / "site", module, acme_rules=text)
    result = tfmigrate("a.py", folder=tmp_path, **environment)
    assert result.returncode == 2, result
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 2
    assert (tmp_path / "a.py").read_text() == USER


@pytest.mark.parametrize(
    "arguments", one_in(3, [["explain", "TFM201"], ["rules"], ["--check", "--no-cache", "."]])
)
def test_a_broken_package_ends_every_command(tmp_path: Path, arguments: list[str]) -> None:
    put(tmp_path / "a.py", USER)
    environment = installed(tmp_path / "site", "acme_other", acme_rules="")
    result = tfmigrate(*arguments, folder=tmp_path, **environment)
    assert result.returncode == 2, result
    assert "names the module acme_other, which is not installed" in result.stderr
    assert "internal error" not in result.stderr


def test_names_of_any_package_are_found() -> None:
    text = "import numpy as np\nfrom numpy import asscalar\nx = np.asscalar(y), asscalar(z)\n"
    module = Module(SourceFile(Path("program.py"), "program.py", text, "utf-8", False))

    assert [ast.unparse(c) for c in module.calls_of("numpy.asscalar")] == [
        "np.asscalar(y)",
        "asscalar(z)",
    ]
