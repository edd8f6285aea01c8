"""The files of one run as one program: who imports whom, and which of them replicate a model."""

from __future__ import annotations

import ast
import os
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from tfmigrate.module import Module
from tfmigrate.replication import is_family_member

Answer = TypeVar("Answer")

_MAX_PARENTS = 8  # how far up from a file its imports are looked for


class Program:
    """All modules of one run.

    Attributes:
        modules: the files that parsed, in the order they were given.
        coordinator: whether asynchronous programs are to get a coordinator.
    """

    def __init__(
        self, modules: Sequence[Module], roots: Sequence[Path] = (), coordinator: bool = False
    ) -> None:
        self.modules = list(modules)
        self.coordinator = coordinator
        self._by_path = {_key(m.source.path): m for m in modules}
        self._imports = _ImportGraph(self._by_path, roots)
        self._answers: dict[Hashable, Any] = {}

    def once(self, question: Callable[..., Answer], *of: Hashable) -> Answer:
        """Returns ``question(program, *of)``, asked once for all rules."""
        if (question, of) not in self._answers:
            self._answers[question, of] = question(self, *of)
        answer: Answer = self._answers[question, of]
        return answer

    @cached_property
    def groups(self) -> dict[Module, str]:
        """The replication group of each module that has a wrapper, an optimizer or a copy of them.

        Modules are of one group where some file imports both, directly or through others.
        """
        seeds = [m for m in self.modules if is_family_member(m)]
        leader = {m: m for m in seeds}

        def find(module: Module) -> Module:
            while leader[module] is not module:
                module = leader[module]
            return module

        reach: list[set[Module]] = []
        if len(seeds) > 1:
            reach = [self._imports.reachable(m) for m in self.modules]
            reach += self._imports.reached_by_files_around(seeds)
        for reached in reach:
            together = [m for m in seeds if m in reached]
            for other in together[1:]:
                leader[find(other)] = find(together[0])
        return {m: f"replication of {find(m).source.display}" for m in seeds}

    @cached_property
    def related(self) -> dict[Module, str]:
        """The group of each module that belongs to a replicated program in any way.

        That is: the modules of ``groups``, what they import, and what imports them.
        """
        found = dict(self.groups)
        if not found:
            return found
        reach = {m: self._imports.reachable(m) for m in self.modules}
        for module in self.modules:
            for seed, group in self.groups.items():
                if module in reach[seed] or seed in reach[module]:
                    found.setdefault(module, group)
        return found

    @cached_property
    def imported_by_groups(self) -> dict[Module, str]:
        """The modules of ``groups`` and those they import: where the model stands."""
        found = dict(self.groups)
        for seed, group in self.groups.items():
            for module in self._imports.reachable(seed):
                found.setdefault(module, group)
        return found

    def mentioning(self, word: str) -> list[Module]:
        """Returns the modules whose text holds a word."""
        return [module for module in self.modules if module.mentions(word)]

    def reachable(self, module: Module) -> set[Module]:
        """Returns the modules of the run that a module imports, itself included."""
        return self._imports.reachable(module)

    def connected(self, module: Module, others: Iterable[Module]) -> bool:
        """Says whether a module imports one of the others, or one of them imports it."""
        others = set(others)
        if not others:
            return False
        if module in others or self._imports.reachable(module) & others:
            return True
        return any(module in self._imports.reachable(other) for other in others)


class _ImportGraph:
    """Which files a file imports, looked up on the disk, parsed when first asked for."""

    def __init__(self, modules: dict[str, Module], roots: Sequence[Path]) -> None:
        self._modules = modules
        self._roots = {_key(root) for root in roots}
        self._edges: dict[str, list[str]] = {}
        self._reachable: dict[Module, set[Module]] = {}

    def reachable(self, module: Module) -> set[Module]:
        """Returns the modules of the run that a module imports, itself included."""
        if module not in self._reachable:
            self._reachable[module] = self._reached_from(_key(module.source.path))
        return self._reachable[module]

    def reached_by_files_around(self, modules: Sequence[Module]) -> list[set[Module]]:
        """Returns what each file imports that is not of the run and stands beside or above modules.

        A main program need not name TensorFlow to bind the files of its program together.
        """
        folders = {f for m in modules for f in self._folders_up(_key(m.source.path))}
        paths = [
            _key(path)
            for folder in sorted(folders)
            for path in sorted(Path(folder).glob("*.py"))
            if path.is_file()
        ]
        return [self._reached_from(path) for path in paths if path not in self._modules]

    def _folders_up(self, path: str) -> Iterator[str]:
        """Yields the folder of a file and those above it, up to a root."""
        for parent in list(Path(path).parents)[:_MAX_PARENTS]:
            if not any(parent.is_relative_to(root) for root in self._roots):
                return
            yield str(parent)

    def _reached_from(self, start: str) -> set[Module]:
        seen = {start}
        queue = deque([start])
        while queue:
            for target in self._imports_of(queue.popleft()):
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
        return {self._modules[path] for path in seen if path in self._modules}

    def _imports_of(self, path: str) -> list[str]:
        if path not in self._edges:
            tree = self._modules[path].tree if path in self._modules else _parse(path)
            targets = []
            for node in ast.walk(tree) if tree else ():
                if isinstance(node, ast.Import):
                    for alias in node.names:
                        targets += self._find(path, alias.name.split("."), 0)
                elif isinstance(node, ast.ImportFrom):
                    base = node.module.split(".") if node.module else []
                    for alias in node.names:
                        targets += self._find(path, [*base, alias.name], node.level)
            self._edges[path] = list(dict.fromkeys(targets))
        return self._edges[path]

    def _find(self, importer: str, dotted: list[str], level: int) -> list[str]:
        """Returns the files that an import loads: the module and the packages above it."""
        folder = os.path.dirname(importer)  # noqa: PTH120 - called for every import of a tree
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)  # noqa: PTH120
            return _files_of(folder, dotted)
        for _ in range(_MAX_PARENTS):
            found = _files_of(folder, dotted)
            if found:
                return found
            if folder in self._roots and os.path.isdir(os.path.join(folder, ".git")):  # noqa: PTH112, PTH118
                break
            parent = os.path.dirname(folder)  # noqa: PTH120
            if parent == folder:
                break
            folder = parent
        return []


def _files_of(folder: str, dotted: list[str]) -> list[str]:
    found = []
    for length in range(1, len(dotted) + 1):
        package = os.path.join(folder, *dotted[:length])  # noqa: PTH118
        if os.path.isfile(package + ".py"):  # noqa: PTH113
            found.append(package + ".py")
            break
        if not os.path.isdir(package):  # noqa: PTH112
            break
        init = os.path.join(package, "__init__.py")  # noqa: PTH118
        if os.path.isfile(init):  # noqa: PTH113
            found.append(init)
    return found


def _parse(path: str) -> ast.Module | None:
    """Parses a file that is not part of the run; one that does not parse imports nothing."""
    try:
        return ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


def _key(path: Path) -> str:
    return os.path.realpath(path)
