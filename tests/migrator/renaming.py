"""Other words for all that a program may be worded in: local names, comments, strings for people.

Every new word is as long as the old one, so that positions and line breaks stay as they are.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from support import source

from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import Scope
from tfmigrate.tables.runtime_api import PACKAGES

# Words that a tool which looks at text would fall for, by their length.
LURES = (
    *("tf", "lr", "run", "ops", "tower", "grads", "value", "shape", "device", "reuse_"),
    *("replica", "contrib", "PS_OPS_", "Variable", "strategy", "tf_keras", "Dimension"),
    *("optimizer", "Estimator", "get_next__", "tensorflow", "Experiment", "ConfigProto"),
    *("GradientTape", "apply_gradients", "compute_gradients", "disable_v2_behavior"),
)
_BY_LENGTH = {len(word): word for word in LURES}
_KEPT = re.compile(r"#!|#.*(coding[:=]|tfmigrate|type:|noqa|fmt:|pylint)")
_WORD = re.compile(r"[A-Za-z_]\w*")
# What the runtime and migrated code call their own things: another name would be free then.
_OF_RUNTIME = "|".join(sorted({package.name for package in PACKAGES}))
_CHOSEN = re.compile(
    rf"(tf_)?({_OF_RUNTIME})|\w*(strategy|replica_fn|replica_function)(_\d+)?|tower\w*"
)


class Renaming:
    """A text and the same program in other words.

    Attributes:
        text: the program in other words.
    """

    def __init__(self, text: str) -> None:
        module = Module(source(Path("/nowhere/program.py"), text))
        places = list(_local_names(module))
        taken = set(_WORD.findall(text))
        self._new: dict[str, str] = {}
        for node in places:
            if node.id not in self._new:
                self._new[node.id] = _free(node.id, taken)
        spots = {(node.lineno, node.col_offset): self._new[node.id] for node in places}
        silent = {(n.lineno, n.col_offset) for n in _words_for_people(module)}
        self.text = "".join(_retold(text, spots, silent))
        self._old = {new: old for old, new in self._new.items()}

    def undone(self, text: str) -> str:
        """Returns a text with the old names of local variables."""
        return _WORD.sub(lambda word: self._old.get(word[0], word[0]), text)


def without_wording(text: str) -> str:
    """Returns the code of a text without comments, docstrings and what is written for people."""
    module = Module(source(Path("/nowhere/program.py"), text))
    silent = {(n.lineno, n.col_offset) for n in _words_for_people(module)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = text.splitlines(keepends=True)
    for token in reversed(list(tokens)):
        (row, column), (end_row, end) = token.start, token.end
        if token.type == tokenize.COMMENT or (
            token.type == tokenize.STRING and (row, column) in silent
        ):
            lines[row - 1] = lines[row - 1][:column] + "_" + lines[end_row - 1][end:]
            del lines[row:end_row]
    return "".join(lines)


def _local_names(module: Module) -> Iterator[ast.Name]:
    """Yields the names of variables of functions, but for parameters."""
    known: dict[tuple[Scope, str], bool] = {}
    for node in module.all(ast.Name):
        found = module.names.scope_of[node].lookup(node.id)
        if found is None or _CHOSEN.fullmatch(node.id) or len(node.id) == 1:
            continue
        key = (found[0], node.id)
        if key not in known:
            known[key] = _is_variable(module, found[0], node.id)
        if known[key]:
            yield node


def _is_variable(module: Module, scope: Scope, name: str) -> bool:
    if not isinstance(scope.node, (ast.FunctionDef, ast.Lambda)):
        return False
    places = [
        getattr(b, "statement", None) or getattr(b, "node", None) for b in scope.bindings[name]
    ]
    stated = {n for s in module.all(ast.Nonlocal) for n in s.names}
    return name not in stated and all(
        isinstance(place, (ast.Assign, ast.AnnAssign, ast.Name)) for place in places
    )


def _words_for_people(module: Module) -> Iterator[ast.Constant]:
    """Yields docstrings, and strings that are printed or raised."""
    for node in module.all(ast.Constant):
        if not isinstance(node.value, str) or not node.value.isascii():
            continue
        parent = module.parent(node)
        printed = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name)
        if isinstance(parent, ast.Expr) or (
            printed
            and isinstance(parent, ast.Call)
            and isinstance(parent.func, ast.Name)
            and parent.func.id in ("print", "ValueError", "RuntimeError")
            and node in parent.args
        ):
            yield node


def _free(name: str, taken: set[str]) -> str:
    """Returns a word of a name's length that a program does not have: a lure if there is one."""
    lure = _BY_LENGTH.get(len(name), "")
    candidates = [lure] if lure and lure not in ("tf", "lr", "run") else []
    letters = "zqxjkvwyhubgpfdcmnlirsatoe"
    candidates += [(letters[i:] + letters[:i])[: len(name)] for i in range(26)]
    candidates += [a + b for a in letters for b in letters] if len(name) == 2 else []
    new = next((c for c in candidates if c not in taken and len(c) == len(name)), name)
    taken.add(new)
    return new


def _lured(word: re.Match[str]) -> str:
    return _BY_LENGTH.get(len(word[0]), word[0])


def _retold(
    text: str, spots: dict[tuple[int, int], str], silent: set[tuple[int, int]]
) -> Iterator[str]:
    """Yields the pieces of a text in other words."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    done = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            continue
        row, column = token.start
        begin = starts[row - 1] + column
        yield text[done:begin]
        new = token.string
        is_comment = token.type == tokenize.COMMENT and not _KEPT.match(new)
        is_string = token.type == tokenize.STRING and "\\" not in new
        if is_comment or (is_string and token.start in silent):
            new = _WORD.sub(_lured, new)
        elif token.type == tokenize.NAME:
            new = spots.get(token.start, new)
        yield new
        done = begin + len(token.string)
    yield text[done:]
