"""The files of one run as one program: who imports whom, and which of them replicate a model."""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from tfmigrate.files.source import SourceFile
from tfmigrate.model.reached import reached
from tfmigrate.model.targets import DEFAULT, TARGETS, Target
from tfmigrate.resolve.family_members import is_family_member
from tfmigrate.resolve.guards import is_dead
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.resolve.stars import given_names, is_of_package, own_stars
from tfmigrate.scan.import_paths import ImportFiles, modules_by_name

Answer = TypeVar("Answer")


class _ImportGraph:
    """Which files a file imports, looked up on the disk, read when first asked for."""

    def __init__(self, modules: dict[str, Module], roots: Sequence[Path]) -> None:
        self._modules = modules
        self._files = ImportFiles(roots)
        self._edges: dict[str, list[str]] = {}
        self._reachable: dict[Module, set[Module]] = {}

    def reachable(self, module: Module) -> set[Module]:
        """Returns the modules of the run that a module imports, itself included."""
        if module not in self._reachable:
            self._reachable[module] = self._reached_from(_key(module.source.path))
        return self._reachable[module]

    def is_own(self, module: Module, name: str) -> bool:
        """Returns whether a dotted name that a module imports is a file, or is in one."""
        parts = name.split(".")
        whole, above = "/".join(parts), "/".join(parts[:-1])
        ends = [f"/{whole}.py", f"/{whole}/__init__.py"]
        if len(parts) > 2:  # a folder called tensorflow is not taken for TensorFlow itself
            ends += [f"/{above}.py", f"/{above}/__init__.py"]
        importer = Path(_key(module.source.path)).parent
        for path in self._files.of(_key(module.source.path), [(tuple(parts), 0)]):
            path = path.replace(os.sep, "/")
            end = next((end for end in ends if path.endswith(end)), "")
            # Nobody puts a package on the path of modules, but the folder around it.
            base = Path(path.removesuffix(end))
            if end and (base == importer or not (base / "__init__.py").is_file()):
                return True
        return False

    def loaded_by(self, module: Module, statement: ast.Import | ast.ImportFrom) -> set[Module]:
        """Returns the modules of the run that one import statement of a module loads."""
        targets = self._files.of(_key(module.source.path), _imports(statement))
        return {reached for target in targets for reached in self._reached_from(target)}

    def imported_from(self, module: Module, statement: ast.ImportFrom) -> Module | None:
        """Returns the module of the run that a ``from ... import *`` takes names from."""
        targets = self._files.of(_key(module.source.path), _imports(statement))
        return self._modules.get(targets[-1]) if targets else None

    def _source(
        self, module: Module, parts: tuple[str, ...], level: int
    ) -> tuple[Module, str] | None:
        """Returns the module of the run that a dotted name is in, and its name there."""
        targets = self._files.of(_key(module.source.path), [(parts, level)])
        source_module = self._modules.get(targets[-1]) if targets else None
        if source_module is None or source_module is module:
            return None
        path = source_module.source.path
        path = path.parent if path.stem == "__init__" else path
        is_member = len(parts) > 1 and path.stem == parts[-2]
        # In `from model import model` the second is a file only where it is below the first.
        if path.stem == parts[-1] and not (is_member and path.parent.name != parts[-2]):
            return source_module, ""
        return (source_module, parts[-1]) if is_member else None

    def _is_file(self, module: Module, root: str) -> bool:
        """Returns whether a module's ``import root`` loads a file of the program."""
        return bool(self._files.of(_key(module.source.path), [((root,), 0)]))

    def _reached_by_files_around(self, modules: Sequence[Module]) -> list[set[Module]]:
        """Returns what each file outside the run, next to or above modules, imports.

        A main program need not name TensorFlow to bind the files of its program together.
        """
        paths = self._files.around(_key(m.source.path) for m in modules)
        return [self._reached_from(path) for path in paths if path not in self._modules]

    def importers_outside(self, modules: Sequence[Module]) -> Iterator[tuple[str, str]]:
        """Yields path and text of files that are not of the run and import some modules.

        Only of files that stand next to or above those modules.
        """
        for path in self._files.around(_key(m.source.path) for m in modules):
            if path not in self._modules and self._reached_from(path).intersection(modules):
                yield path, _read(path).decode("utf-8", "replace")

    def _reached_from(self, start: str) -> set[Module]:
        paths = reached([start], self._imports_of)
        return {self._modules[path] for path in paths if path in self._modules}

    def _imports_of(self, path: str) -> list[str]:
        if path not in self._edges:
            if path in self._modules:
                module = self._modules[path]
                names = list(_imports(*module.all(ast.Import), *module.all(ast.ImportFrom)))
                names += modules_by_name(path, module.source.text.encode())
                self._edges[path] = self._files.of(path, names)
            else:
                self._edges[path] = self._files.of_data(path, _read(path))
        return self._edges[path]


class Program(_ImportGraph):
    """All modules of one run.

    Attributes:
        modules: the files that parsed, in the order they were given.
        coordinator: whether asynchronous programs are to get a coordinator.
        keras_2: whether a file of the run that is not a module here asks for Keras 2.
        estimator: whether tf.estimator stays (``--target estimator``).
        eager: whether programs of sessions are to become eager (``--target eager``).
    """

    def __init__(
        self,
        modules: Sequence[Module],
        roots: Sequence[Path] = (),
        coordinator: bool = False,
        keras_2: bool = False,
        target: Target = TARGETS[DEFAULT],
    ) -> None:
        self.modules = list(modules)
        self.coordinator, self.keras_2 = coordinator, keras_2
        self._target = target
        self.estimator = target.estimator
        self.eager = target.eager
        super().__init__({_key(m.source.path): m for m in modules}, roots)
        self._roots = roots
        for module in self.modules:
            module.is_own = partial(self.is_own, module)
            module.is_dead = partial(is_dead, module)
            module.star_names = partial(self._given, module)
            module.from_own = partial(self._from_own, module)
            module.own_source = partial(self.source_of, module)
        self._answers: dict[Hashable, Any] = {}
        self._given_to: dict[Module, Mapping[str, str]] = {}
        self._own_meanings: dict[tuple[int, str], str | None] = {}

    def _given(self, module: Module) -> Mapping[str, str]:
        """Returns the imported names that a module gets from own modules by ``import *``."""
        if module not in self._given_to:
            self._given_to[module] = {}  # while modules take names from each other
            self._given_to[module] = given_names(module, self.star_sources)
        return self._given_to[module]

    def _from_own(self, module: Module, binding: ImportBinding, name: str) -> str | None:
        """Returns what a name that a module takes from an own one means; None for no import.

        Args:
            binding: its import.
            name: a name of the module that it binds; "" for what it binds itself.
        """
        key = (id(binding.alias), name)
        if key not in self._own_meanings:
            self._own_meanings[key] = None  # while modules take names from each other
            own_source = None if is_of_package(binding) else self.source_of(module, binding)
            if own_source is not None and (own_source[1] == "") == bool(name):
                means = own_source[0].names.resolve_name(name or own_source[1]) or "."
                root = means.partition(".")[0]
                if root and not self._is_file(own_source[0], root):
                    self._own_meanings[key] = means
        return self._own_meanings[key]

    def source_of(self, module: Module, binding: ImportBinding) -> tuple[Module, str] | None:
        """Returns the module of the run that an import is of, and its name there; "" for all."""
        statement, alias = binding.statement, binding.alias
        if isinstance(statement, ast.ImportFrom):
            parts = (*(statement.module.split(".") if statement.module else ()), alias.name)
            return self._source(module, parts, statement.level)
        if alias.asname or "." not in alias.name:
            return self._source(module, tuple(alias.name.split(".")), 0)
        return None

    def star_sources(self, module: Module) -> list[Module]:
        """Returns the modules of the run that a module takes all names from, in their order."""
        sources = [self.imported_from(module, s) for s in own_stars(module)]
        return [source for source in sources if source is not None and source is not module]

    def read_as(
        self, meaning: Callable[[str], str] = str, only: Set[Module] | None = None
    ) -> Program:
        """Returns the same program, whose imported names are taken for others.

        Args:
            meaning: the name that an imported one is taken for.
            only: the modules that the program has; all by default.
        """
        chosen = [module for module in self.modules if only is None or module in only]
        modules = [Module(module.source, meaning) for module in chosen]
        return Program(modules, self._roots, self.coordinator, self.keras_2, self._target)

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
            reach = [self.reachable(m) for m in self.modules]
            reach += self._reached_by_files_around(seeds)
        for modules in reach:
            together = [m for m in seeds if m in modules]
            for other in together[1:]:
                leader[find(other)] = find(together[0])
        return {m: f"replication of {find(m).source.display}" for m in seeds}

    @cached_property
    def related(self) -> dict[Module, str]:
        """The group of each module that belongs to a replicated program in any way.

        That is: the modules of ``groups``, what they import, and what imports them.
        """
        if not (group_by_module := dict(self.groups)):
            return group_by_module
        reach = {m: self.reachable(m) for m in self.modules}
        for module in self.modules:
            for seed, group in self.groups.items():
                if module in reach[seed] or seed in reach[module]:
                    group_by_module.setdefault(module, group)
        return group_by_module

    @cached_property
    def imported_by_groups(self) -> dict[Module, str]:
        """The modules of ``groups`` and those they import: where the model is."""
        group_by_module = dict(self.groups)
        for seed, group in self.groups.items():
            for module in self.reachable(seed):
                group_by_module.setdefault(module, group)
        return group_by_module

    def module_of(self, node: ast.AST) -> Module:
        """Returns the module that contains a node."""
        return next(module for module in self.modules if module.holds(node))

    def mentioning(self, word: str) -> list[Module]:
        """Returns the modules whose text holds a word."""
        return [module for module in self.modules if module.mentions(word)]

    def starts(self) -> list[Module]:
        """Returns the modules that no other one imports: what may be started."""
        imported = {
            reached
            for module in self.modules
            for reached in self.reachable(module)
            if reached is not module and module not in self.reachable(reached)
        }
        return [module for module in self.modules if module not in imported]

    def parsed_outside(self, modules: Sequence[Module]) -> Iterator[Module]:
        """Yields those files as modules, as far as they parse."""
        for path, text in self.importers_outside(modules):
            with contextlib.suppress(SyntaxError, ValueError):
                yield Module(SourceFile(Path(path), path, text, "utf-8", False))

    def connected(self, module: Module, others: Iterable[Module]) -> bool:
        """Returns whether a module imports one of the others, or one of them imports it."""
        if not (others := set(others)):
            return False
        if module in others or self.reachable(module) & others:
            return True
        return any(module in self.reachable(other) for other in others)


def _imports(*statements: ast.Import | ast.ImportFrom) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yields what import statements name, and from how far up."""
    for node in statements:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield tuple(alias.name.split(".")), 0
        else:
            base = tuple(node.module.split(".")) if node.module else ()
            yield from (((*base, alias.name), node.level) for alias in node.names)


def _read(path: str) -> bytes:
    """Reads a file that is not part of the run; one that cannot be read imports nothing."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _key(path: Path) -> str:
    return os.path.realpath(path)
