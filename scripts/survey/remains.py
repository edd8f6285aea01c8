"""What changed programs need besides names of TensorFlow: arguments, own names, Python's names.

Asked of interpreters, of ruff and of the texts, never of the migrator's tables.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from chains import Chain, Names
from program_graph import reachable

Parameters = Callable[[Chain], "dict[str, Any] | None"]
Problem = tuple[str, int, str]  # kind, line, what
# Built-in names that Python 3 has not.
_PYTHON_2 = frozenset(
    ("basestring", "cmp", "execfile", "file", "long", "raw_input", "reduce", "unichr", "unicode")
) | {"xrange"}


def refused_arguments(tree: ast.Module, names: Names, parameters: Parameters) -> Iterator[Problem]:
    """Yields the calls of TensorFlow, and of the runtime, with arguments that these do not take."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or any(k.arg is None for k in call.keywords):
            continue
        chains = names.chains_of(call.func)
        if len(chains) != 1 or any(isinstance(a, ast.Starred) for a in call.args):
            continue
        takes = parameters(chains[0])
        if takes is None:
            continue
        name = ".".join(part for part in chains[0] if part)
        if len(call.args) > len(takes["positional"]) and not takes["any_positional"]:
            yield "argument", call.lineno, f"{name}: {len(call.args)} arguments by position"
        known = {*takes["positional"], *takes["named"]}
        for keyword in call.keywords:
            if keyword.arg not in known and not takes["any_named"]:
                yield "argument", call.lineno, f"{name}: no parameter {keyword.arg}"


def lost_own_names(
    before: Mapping[str, ast.Module], after: Mapping[str, ast.Module], graph: Mapping[str, set[str]]
) -> Iterator[tuple[str, Problem]]:
    """Yields the imports of names that a module of the repository bound, and does not any more."""
    for file, tree in after.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            path = node.module.replace(".", "/")
            for other in graph.get(file, ()):
                if not other.endswith((f"{path}.py", f"{path}/__init__.py")):
                    continue
                gone = _bound(before.get(other)) - _bound(after.get(other))
                for name in sorted(gone.intersection(alias.name for alias in node.names)):
                    what = f"{other} does not bind {name} any more"
                    yield file, ("own_name_lost", node.lineno, what)


def _bound(tree: ast.Module | None) -> set[str]:
    if tree is None:
        return set()
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {a.asname or a.name.partition(".")[0] for a in node.names}
        names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
        found |= {n.id for n in names if isinstance(n.ctx, ast.Store)}
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found


def of_python(
    before: Mapping[str, str], after: Mapping[str, str], graph: Mapping[str, set[str]]
) -> Iterator[tuple[str, Problem]]:
    """Yields names that changed programs lack: undefined ones, NumPy's and Python 2's.

    Args:
        before: the texts of the repository's files.
        after: the same after a run.
        graph: which of them each imports.
    """
    changed = {file for file, text in after.items() if before.get(file) != text}
    concerned = {f for file in changed for f in reachable(file, graph)}
    was = _ruff({file: before[file] for file in concerned if file in before})
    known = {(file, code, what) for file, code, _, what in was}
    for file, code, line, what in _ruff({file: after[file] for file in concerned}):
        name = what.partition("`")[2].partition("`")[0]
        if code == "NPY201":
            yield file, ("numpy_left", line, what)
        elif name in _PYTHON_2 and re.search(rf"^\s*{name}\s*=", after[file], re.MULTILINE):
            pass  # try: xrange; except NameError: xrange = range
        elif name in _PYTHON_2:
            yield file, ("python_2_left", line, name)
        elif (file, code, what) not in known:
            yield file, ("undefined", line, name)


def _ruff(texts: Mapping[str, str]) -> list[tuple[str, str, int, str]]:
    """Returns what ruff says of undefined names and of NumPy's."""
    with tempfile.TemporaryDirectory(prefix="survey-") as scratch:
        for file, text in texts.items():
            path = Path(scratch) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="surrogatepass")
        command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero"]
        command += ["--select", "F821,NPY201", "--output-format", "json", scratch]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        root = Path(scratch).resolve()
        return [
            (
                str(Path(one["filename"]).relative_to(root)),
                one["code"],
                one["location"]["row"],
                one["message"],
            )
            for one in json.loads(done.stdout)
            if one["code"] in ("F821", "NPY201")
        ]
