"""The migrator decides nothing by the text of a program: its own source is searched for that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tfmigrate

FOLDER = Path(tfmigrate.__file__).parents[1]
PACKAGES = FOLDER / "tfmigrate", FOLDER / "tfmigrate_keras"
# What has to read text, or writes it for people; no file here decides what becomes of a program.
READERS = {
    "commands/completion_scripts.py": "scripts for shells",
    "rewrite/excerpt.py": "where the lines of statements end",
    "report/rule_docs.py": "the documentation of rules",
    "families/device_setter/hand_placement.py": "the names of devices, as strings of the program",
    "scan/imports_of_bytes.py": "the imports of files that are not of the run",
    "rewrite/layout.py": "where brackets are closed",
    "rewrite/libcst_text.py": "text that libcst does not parse",
    "files/logical_lines.py": "text that need not parse",
    "files/magics.py": "notebooks",
    "resolve/module.py": "the question before a dear one",
    "files/notebook.py": "notebooks",
    "report/plan_markdown.py": "Markdown",
    "files/notebook_language.py": "notebooks",
    "files/notebook_json.py": "notebooks",
    "engine/parsing.py": "what does not parse",
    "tables/present_names.py": "the names of a table of the package",
    "rulekit/registry.py": "the documentation of rules",
    "rewrite/transformer.py": "form feeds",
    "scan/rule_words.py": "the rules' own files",
    "rules/tfm716_numpy_scalars.py": "format strings, as strings of the program",
    "tables/runtime_modules.py": "the runtime's own files",
    "engine/run.py": "whether a file is a notebook",
    "commands/settings.py": "pyproject.toml",
    "files/reading.py": "encodings",
    "files/environments.py": "requirements, which are no programs",
    "files/requirement_specs.py": "requirements, which are no programs",
    "files/entry_points.py": "setup.py and its like, which name functions in strings",
    "files/launchers.py": "manifests and scripts of a shell",
    "scan/helper_files.py": "which files are worth parsing",
    "scan/start_files.py": "the imports of files that are not of the run",
    "rulekit/suppressions.py": "comments for tfmigrate",
    "tables/symbol_table.py": "a table of the package",
    "files/temporary_files.py": "the names of files",
    "tfmigrate_keras/quotes.py": "the quotes of strings that are written",
    "families/towers/devices.py": "the names of devices, as strings of the program",
    "scan/import_paths.py": "folders that scripts add to sys.path, before all parsing",
    "scan/prefilter.py": "the filter before all parsing",
    "resolve/versions.py": "versions, as strings of the program",
    "engine/vendor.py": "the runtime's own files",
}
LOOKS = ("lower", "upper", "casefold", "startswith", "endswith", "find", "index", "count")
PATTERNS = ("search", "match", "fullmatch", "findall", "finditer", "sub")


def sources() -> list[Path]:
    return sorted(path for folder in PACKAGES for path in folder.rglob("*.py"))


def name_of(path: Path) -> str:
    """Returns the path of a file below tfmigrate, or with the package of --target keras."""
    return path.relative_to(FOLDER).as_posix().removeprefix("tfmigrate/")


def problems(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields the lines of a file that decide by text, and how."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    names = {
        (_function(parents, node), target.id)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_text(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def is_text(node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return (_function(parents, node), node.id) in names
        return _is_text(node)

    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name == "re" for alias in node.names):
            yield node.lineno, "regular expressions"
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            fixed = any(isinstance(side, ast.Constant) for side in sides)
            member = isinstance(node.ops[0], (ast.In, ast.NotIn))
            if any(map(is_text, sides)) and (fixed or member):
                yield node.lineno, "a comparison with code"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in LOOKS and is_text(node.func.value):
                yield node.lineno, f"{node.func.attr}() of code"
            if node.func.attr in PATTERNS and any(map(is_text, node.args)):
                yield node.lineno, f"{node.func.attr}() in code"
            if node.func.attr == "mentions" and not _is_asked_first(parents, node):
                yield node.lineno, "mentions() decides alone"


def _is_text(node: ast.AST) -> bool:
    """Returns whether an expression is the code of a program."""
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        return called in ("ast.unparse", "source_of") or called.endswith("module.code")
    return isinstance(node, ast.Attribute) and ast.unparse(node).endswith(".source.text")


def _function(parents: dict[ast.AST, ast.AST], node: ast.AST) -> ast.AST | None:
    while node in parents and not isinstance(node, ast.FunctionDef):
        node = parents[node]
    return node


def _is_asked_first(parents: dict[ast.AST, ast.AST], call: ast.Call) -> bool:
    """Returns whether a question about words only saves a dear one that decides."""
    node: ast.AST = call
    around = parents[node]
    if isinstance(around, ast.BoolOp) and isinstance(around.op, ast.Or):
        node, around = around, parents[around]
    if isinstance(around, ast.UnaryOp):
        node, around = around, parents[around]
        while isinstance(around, ast.BoolOp):
            node, around = around, parents[around]
        return isinstance(around, ast.If) and isinstance(
            around.body[-1], (ast.Return, ast.Continue)
        )
    if isinstance(around, ast.BoolOp):
        return isinstance(around.op, ast.And) and around.values[-1] is not node
    if isinstance(around, ast.If):
        inner = [n for s in around.body for n in ast.walk(s) if isinstance(n, ast.Attribute)]
        return any(n.attr in ("resolve", "uses", "uses_of", "calls_of") for n in inner)
    return isinstance(around, ast.comprehension)


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_nothing_is_decided_by_text(path: Path) -> None:
    found = [*problems(ast.parse(path.read_text("utf-8")))]
    if name_of(path) not in READERS:
        assert found == []


def test_every_reader_needs_to_be_one() -> None:
    files = {name_of(path): path for path in sources()}
    idle = {
        name
        for name in READERS.keys() & files.keys()
        if not [*problems(ast.parse(files[name].read_text("utf-8")))]
    }
    assert idle == set()


@pytest.mark.parametrize(
    "code",
    [
        "import re",
        "def f(node):\n  return 'grads' in ast.unparse(node)",
        "def f(node):\n  code = ast.unparse(node)\n  return 'grads' in code",
        "def f(module):\n  return 'grads' in module.source.text",
        "def f(node):\n  return ast.unparse(node).lower() == x",
        "def f(node, names):\n  return ast.unparse(node) in names",
        "def f(node):\n  return PATTERN.search(ast.unparse(node))",
        "def f(module):\n  return module.mentions('keras')",
        "def f(modules):\n  return any(m.mentions('keras') for m in modules)",
        "def f(module):\n  if module.mentions('keras'):\n    return 1",
    ],
)
def test_what_is_found(code: str) -> None:
    assert len([*problems(ast.parse(code))]) >= 1


@pytest.mark.parametrize(
    "code",
    [
        "def f(node):\n  return f'{ast.unparse(node)} is left'",
        "def f(module):\n  if not module.mentions('keras'):\n    return []\n  return module.uses",
        "def f(module):\n  return module.mentions('keras') and uses_keras(module)",
        "def f(modules):\n  return [m for m in modules if m.mentions('a') if uses(m)]",
        "def f(name):\n  return name.startswith('tensorflow.')",
    ],
)
def test_what_is_allowed(code: str) -> None:
    assert [*problems(ast.parse(code))] == []
